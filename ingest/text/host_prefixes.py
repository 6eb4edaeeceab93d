"""Hosts before the lines of their outputs, as pdsh and clush print them: which words are hosts, and which lines are theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ingest.lazy_regex import lazy

_LEAST = 3  # lines of a host
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
_SENT = lazy(r"\b(?:pdsh|clush|dsh|rsh|xdsh)\b[^\n]{0,200}?\s-w\s*([\w.,-]{1,400})")
_ALIKE = lazy(r"\d+")
_TURNS = (
    "read",
    "write",
    "rewrite",
    "reread",
    "before",
    "after",
    "old",
    "new",
    "min",
    "max",
    "avg",
    "mean",
    "copy",
    "speed",
    "elapsed",
    "result",
    "results",
    "seq",
    "rand",
    "random",
    "sequential",
    "size",
    "info",
    "debug",
    "stdout",
    "stderr",
)


def _same_host(match: re.Match[str]) -> str | None:
    """Only a word with a digit, dot or hyphen is taken for a host: `mkdir: ` and the like begin complaints of programs."""
    word = match[1]
    return None if word.isalpha() or _NOT_HOSTS.fullmatch(word) else word


def _lettered(lines: Sequence[str]) -> frozenset[str]:
    """Words of letters that are hosts all the same: those that pdsh was sent to, or that stand before every line in turn.

    Of the latter there are several, each on three lines or more, and the same line, but for its figures, stands behind all.
    """
    sent, behind = set[str](), dict[str, list[str]]()
    every, asking = True, any(" -w" in line for line in lines)
    for line in lines:
        if asking and " -w" in line and (asked := _SENT.search(line)):
            sent.update(asked[1].split(","))
        elif match := HOST_PREFIX.match(line):
            behind.setdefault(match[1], []).append(line[match.end() :])
        elif line.strip():
            if not asking:
                return frozenset()
            every = False
    several = every and len(behind) > 1 and all(len(found) >= _LEAST for found in behind.values())
    if several and not any(word.lower() in _TURNS or _NOT_HOSTS.fullmatch(word) for word in behind):
        shared = set.intersection(*({_ALIKE.sub("0", line).strip() for line in found} for found in behind.values()))
        if shared - {""}:
            sent.update(behind)
    return frozenset(word for word in sent if word.isalpha() and word in behind)


def find_host_test(lines: Sequence[str]) -> Callable[[re.Match[str]], str | None]:
    """What tells the host that a prefix of these lines names; None where it names none."""
    lettered = _lettered(lines)
    return lambda match: match[1] if match[1] in lettered else _same_host(match)


def hosts_by_line(lines: Sequence[str], cleaned: Sequence[str]) -> dict[int, str]:
    """Line (1-based) -> the host that a prefix named which was taken away; empty where some lines were of no host.

    A single word with a colon is a host where the text shows several, or where all its lines begin with it, and where it is
    no device's name.
    """
    found: dict[int, str] = {}
    is_host = find_host_test(lines)
    for at, (line, clean) in enumerate(zip(lines, cleaned, strict=True), 1):
        if line != clean and (match := HOST_PREFIX.match(line)) and not _DEVICE.match(match[1]) and is_host(match):
            found[at] = match[1]
    alone = len(set(found.values())) == 1
    return found if not alone or all(at in found for at, line in enumerate(lines, 1) if line.strip()) else {}
