"""Prefixes that loggers, runners and remote shells write before each line of a program's output, besides those in
`ingest.text.prefixes`.

Each pattern is so specific that no line of a benchmark matches it; it does not distinguish digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import groupby

from ingest.lazy_regex import lazy
from ingest.toml_tables import expand_fragments, read_table

# Host names before lines of output, as pdsh and clush print them: which words are hosts, and which lines are theirs.

_MIN_LINES = 3  # of each host
HOST_PREFIX = lazy(r"([A-Za-z][\w.-]*): ")
_DEVICE = lazy(
    r"(?:[shv]d[a-z]+|nvme|a?da|md|dm-|loop|sr|cd|eth|en[a-z]|wl|br|bond|lo|cpu|usb|ata|pci\w*|acpi\w*|scsi|mps|"
    r"mpr|isci|igb|ixl?g?b?e?|em|re|ses|pass|tty\w*|uart|psm|kbd|vt|hdaa?c?|pcm|ahci\w*|xhci|ehci|ugen|zd|ram|fd|disk)[-\d]\S*\Z"
)
_NOT_HOSTS = lazy(
    r"(?i)V-\d+|rsync|dd|cp|tar|rm|warning|error|note|ior|mdtest|access|option|total|time|latency|via|"
    r"path|machine|test|model|flags|type|state|pool|scan|config|errors|real|user|sys|"
    r"[\w.-]+\.(?:txt|log|out|err|csv|dat|res|md|json|html?|sh|[oe]\d+)"
)  # files, as grep prints them
_OF_JOB = lazy(r"\((?:g=|groupid=)\d|Laying out IO file")  # behind the name of a job of fio
_TARGETS = lazy(r"\b(?:pdsh|clush|dsh|rsh|xdsh)\b[^\n]{0,200}?\s-w\s*([\w.,-]{1,400})")
_DIGITS = lazy(r"\d+")
_NOT_WORD_HOSTS = tuple(
    """
    read write rewrite reread before after old new min max avg mean copy speed elapsed result results seq rand
    random sequential size info debug stdout stderr
    """.split()
)


def _host_with_digit(match: re.Match[str]) -> str | None:
    """The host of the prefix: a word with a digit, dot or hyphen; None for other words, since programs prefix their messages
    with their name (`mkdir: `).
    """
    word = match[1]
    return None if word.isalpha() or _NOT_HOSTS.fullmatch(word) or _OF_JOB.match(match.string, match.end()) else word


def _word_hosts(lines: Sequence[str]) -> frozenset[str]:
    """Host names of letters only: the targets of a pdsh command, or words that prefix all lines in turn.

    The latter require several hosts, three lines of each, and one line, apart from its digits, that all of them have.
    """
    hosts, lines_by_word = set[str](), dict[str, list[str]]()
    all_prefixed, has_target = True, any(" -w" in line for line in lines)
    for line in lines:
        if has_target and " -w" in line and (targets := _TARGETS.search(line)):
            hosts.update(targets[1].split(","))
        elif match := HOST_PREFIX.match(line):
            lines_by_word.setdefault(match[1], []).append(line[match.end() :])
        elif line.strip():
            if not has_target:
                return frozenset()
            all_prefixed = False
    is_interleaved = (
        all_prefixed and len(lines_by_word) > 1 and all(len(host_lines) >= _MIN_LINES for host_lines in lines_by_word.values())
    )
    if is_interleaved and not any(word.lower() in _NOT_WORD_HOSTS or _NOT_HOSTS.fullmatch(word) for word in lines_by_word):
        shared = set.intersection(
            *({_DIGITS.sub("0", line).strip() for line in host_lines} for host_lines in lines_by_word.values())
        )
        if shared - {""}:
            hosts.update(lines_by_word)
    return frozenset(word for word in hosts if word.isalpha() and word in lines_by_word)


def find_host_test(lines: Sequence[str]) -> Callable[[re.Match[str]], str | None]:
    """A function that returns the host which a prefix of these lines names, or None."""
    word_hosts = _word_hosts(lines)
    return lambda match: match[1] if match[1] in word_hosts else _host_with_digit(match)


def hosts_by_line(lines: Sequence[str], cleaned: Sequence[str]) -> dict[int, str]:
    """Line (1-based) -> the host of the prefix that was removed from it; empty if some lines have no host.

    A single word with a colon is a host if the text has several, or if all its lines begin with it, and if it is no device name.
    """
    hosts: dict[int, str] = {}
    host_of = find_host_test(lines)
    for number, (line, clean) in enumerate(zip(lines, cleaned, strict=True), 1):
        if line != clean and (match := HOST_PREFIX.match(line)) and not _DEVICE.match(match[1]) and host_of(match):
            hosts[number] = match[1]
    single = len(set(hosts.values())) == 1
    return hosts if not single or all(number in hosts for number, line in enumerate(lines, 1) if line.strip()) else {}


# Logs with one JSON object per line of output: the lines themselves, each on the line of its object.

_MIN_BLOCK = 3  # adjacent lines that must be such objects
_OBJECT = lazy(r'[ \t]*\{[^\n]{0,4000}"(?P<key>log|MESSAGE|message|msg|line)":[ ]?"')
_KEYS = ('"log":', '"MESSAGE":', '"message":', '"msg":', '"line":')


def unwrap_container_logs(body: str) -> str:
    """The text with the messages of such objects in place of the objects; the same object if there are none."""
    if not any(key in body for key in _KEYS):
        return body
    lines = body.split("\n")
    messages = [_message(line) for line in lines]
    for is_block, indices in groupby(range(len(lines)), lambda index: messages[index] is not None or not lines[index].strip()):
        block = [index for index in indices if messages[index] is not None]
        if is_block and len(block) >= _MIN_BLOCK:
            _replace_block(lines, [(index, messages[index] or "") for index in block])
    return "\n".join(lines)


def _message(line: str) -> str | None:
    """The message in the object of a line, ending in a line feed if the line of output ends with it; None if there is none."""
    match = _OBJECT.match(line) if line.rstrip().endswith("}") else None
    if not match:
        return None
    try:
        text = json.loads(line)[match["key"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(text, str):
        return None
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    return text if match["key"] == "log" else f"{text}\n"


def _replace_block(lines: list[str], block: list[tuple[int, str]]) -> None:
    """Replace a block of objects by their messages. A message that continues in the next object is joined to the line on which it
    began; line feeds inside a message become blanks, since the file has no line for them.
    """
    first, text = block[0][0], ""
    for index, message in block:
        lines[index] = ""
        first, text = (first, text + message) if text else (index, message)
        if text.endswith("\n"):
            lines[first], text = text.rstrip("\r\n").replace("\n", "  "), ""
    if text:
        lines[first] = text.replace("\n", "  ")


_NOT_INITIALS = frozenset({"PS", "SQL", "FTP", "GDB", "LUA", "HIVE", "SMB", "TFTP", "CQL"})  # prompts of programs
_DIGIT = lazy(r"\d")


def _one_kind(match: re.Match[str]) -> str:
    """All prefixes of the pattern are of one kind."""
    return ""


def _captured_name(match: re.Match[str]) -> str:
    return match[1]


def _initials(match: re.Match[str]) -> str | None:
    return None if match[1] in _NOT_INITIALS else match[1]


def _name_with_digit(match: re.Match[str]) -> str | None:
    """The name if it contains a digit, as those of hosts and processes do; None for other words in brackets."""
    return match[1] if _DIGIT.search(match[1]) else None


# (first character of a line, literals of which the text contains one, the prefix, its kind or None if it is no prefix)
Prefix = tuple[re.Pattern[str], tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], str | None]]
_KINDS = {"": _one_kind, "name": _captured_name, "initials": _initials, "name with digit": _name_with_digit}
_TABLES = read_table(__file__)
_FRAGMENTS = _TABLES["fragments"]


def _prefix(literals: list[str], expression: str, first: str = r"[\d@:\[IWEFMTS]", kind_of: str = "") -> Prefix:
    return lazy(first), tuple(literals), lazy(expand_fragments(expression, _FRAGMENTS)), _KINDS[kind_of]


DATED = tuple(_prefix(**table) for table in _TABLES["dated"])
NAMING = tuple(_prefix(**table) for table in _TABLES["naming"])
