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
    return None if word.isalpha() or _NOT_HOSTS.fullmatch(word) else word


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


_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ISO = rf"\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?"
_NOT_INITIALS = frozenset({"PS", "SQL", "FTP", "GDB", "LUA", "HIVE", "SMB", "TFTP", "CQL"})  # prompts of programs
_DIGIT = lazy(r"\d")

GITHUB = lazy(rf"[^\t\n]{{1,80}}\t[^\t\n]{{1,80}}\t\ufeff?{_ISO} ")  # gh run view --log: job, step, stamp
STREAM = lazy(rf"{_ISO} \d\d[OE][ +]")  # GitLab's job logs with timestamps: stream number, out or error, continued
AZURE = lazy(rf"{_ISO} (?:##\[(?:debug|command|section|group)\])")  # Azure Pipelines
APP = lazy(rf"{_ISO} [\w.-]{{1,40}}\[[\w.-]{{1,40}}\]: ")  # Heroku's router of logs
LOGURU = lazy(rf"{_ISO} \| (?:INFO|DEBUG|TRACE|SUCCESS) {{1,5}}\| [\w.$<>-]{{1,80}}:[\w.<>-]{{1,60}}:\d{{1,6}} - ")
# date(1) before each line, alone or with a separator; Tera Term's time stamps.
_ZONE = r"(?: [AP]M)?(?: [A-Z]{2,5}| [+-]\d{2,4})?"
DATE = lazy(
    rf"\[?[MTWFS][a-z]{{2}} (?:[A-Z][a-z]{{2}} [ \d]\d {_CLOCK}{_ZONE} \d{{4}}|"
    rf"\d\d [A-Z][a-z]{{2}} \d{{4}} {_CLOCK}{_ZONE})(?:\]?[:,](?: |$)|\](?: |$)| (?:[-|] )?)"
)
COLUMNS = lazy(rf"{_ISO} \| (?:[\w.-]{{1,60}} \| )?")  # Ansible's and Zuul's console logs
TABBED = lazy(rf"{_ISO}\t")  # exports of CloudWatch
LOG4J = lazy(rf"{_ISO} +(?:INFO|DEBUG|TRACE) +\[[^\]\n]{{1,60}}\] [\w.$]{{1,80}} *(?:-|:) ")
# avocado's debug.log; its later versions name the stream of the log and the logger.
PROCESS = lazy(
    rf"(?:\[stdlog\] )?{_ISO} [\w.-]{{1,40}}(?: [\w.-]{{1,40}})?(?: +L\d{{4}})? (?:DEBUG|INFO ) ?\| "
    r"(?:\[std(?:out|err)\] )?"
)
ROBOT = lazy(rf"\d{{8}} {_CLOCK} ?: +(?:INFO|DEBUG|TRACE) ?: +")  # Robot Framework
KLOG = lazy(rf"[IWEF]\d{{4}} {_CLOCK} +\d{{1,9}} [\w.-]{{1,60}}:\d{{1,6}}\] ")
GO_TEST = lazy(r"\s{0,12}[\w-]{1,60}\.go:\d{1,6}: ")
BEAKER = lazy(rf":: \[ {_CLOCK} \] :: \[ {{1,4}}[A-Z]{{3,8}} {{1,4}}\] :: ")
TEAMCITY = lazy(rf"\[{_CLOCK}\](?:[a-zA-Z]?:|[ a-zA-Z]:)[\t ]+")
EPOCH = lazy(r"\[\d{10}(?:\.\d{1,9})?\] |\d{10}\.\d{3,9} ")
AMERICAN = lazy(r"\[?\d{1,2}/\d{1,2}/\d{4},? {1,2}\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6})?)?(?: ?[AP]M)?\]?:? (?![AP]M)")
MULTILOG = lazy(r"@[0-9a-f]{24} ")  # daemontools' tai64n
CAPISTRANO = lazy(r" ?\*{2,3} \[(?:out|err) :: ([^\]\n]{1,60})\] ?")
EXEC = lazy(r"[\w.\[\]\"-]{1,120} \((?:remote|local)-exec\):(?: |$)")  # Terraform, of modules and counted resources
BUILDER = lazy(r"(?:==>| {3}) ([a-z][\w.-]{0,40}):(?: |$)")  # Packer's and Vagrant's machines
INITIALS = lazy(r" ?([A-Z]{2,3})> ?")  # author of a quote, as some mailers write it
ADDRESS = lazy(r"(\d{1,3}(?:\.\d{1,3}){3}): ")  # pdsh and clush of hosts without names
NAMED = lazy(r"\[([A-Za-z][\w.-]{1,60})\](?: |$)")  # [node07] line


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
DATED: tuple[Prefix, ...] = tuple(
    (lazy(r"[\d@:\[IWEFMTS]" if pattern is not GITHUB else r"\S"), holds, pattern, _one_kind)
    for pattern, holds in (
        (GITHUB, ("\t",)),
        (STREAM, ("O ", "E ", "O+", "E+")),
        (AZURE, ("##[",)),
        (APP, ("]: ",)),
        (DATE, (":",)),
        (LOGURU, (" | ",)),
        (COLUMNS, (" | ",)),
        (TABBED, ("\t",)),
        (LOG4J, ("INFO", "DEBUG", "TRACE")),
        (PROCESS, ("| ",)),
        (ROBOT, ("INFO", "DEBUG", "TRACE")),
        (KLOG, ("] ",)),
        (BEAKER, (" ] :: [",)),
        (TEAMCITY, (":",)),
        (EPOCH, ("] ", ".")),
        (AMERICAN, ("/",)),
        (MULTILOG, ("@",)),
    )
)
NAMING: tuple[Prefix, ...] = (
    (lazy(r"[\s\w]"), (".go:",), GO_TEST, _one_kind),
    (lazy(r"[ *]"), (" :: ",), CAPISTRANO, _captured_name),
    (lazy(r"\w"), ("-exec):",), EXEC, _one_kind),
    (lazy(r"[ =]"), ("    ", "==> "), BUILDER, _captured_name),
    (lazy(r"[ A-Z]"), ("> ", ">"), INITIALS, _initials),
    (lazy(r"\d"), (": ",), ADDRESS, _captured_name),
    (lazy(r"\["), ("] ",), NAMED, _name_with_digit),
)
