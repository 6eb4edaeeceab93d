"""Specifications in one line: `OS: Debian 12, Kernel: 6.1.0, CPU: Xeon E5-2680 v4, RAM: 64 GB`, `Tested on: Debian 12, 64 GB RAM`,
`Core i7-920, 12GB RAM, FreeBSD 8.0`.

Of the first form every part has its name (as the Phoronix Test Suite prints its system), so that a part that is not
understood is left out. Of the second only a heading word says that a system is meant: two of its parts must tell unlike
things, and each of them by itself what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.context.labels._sheet_words import LABEL_PATTERN, POOL_KINDS, ROW_KINDS, parse_memory, read_row
from ingest.lazy_regex import lazy

_B = r"(?:\*\*|__|`)?"
_SPLIT = lazy(rf"[ \t]*[,;|\u2022\u00b7][ \t]*(?={_B}[A-Z][\w /-]{{0,24}}{_B}:{_B}[ \t])")
_PART = lazy(rf"[^\w\n]{{0,6}}(?P<name>[A-Za-z][\w -]{{0,24}}?)[ \t]*{_B}:{_B}[ \t]+(?P<value>\S.*?)[ \t.]*\Z")
_NAMED = lazy(
    rf"(?i)[^\w\n]{{0,6}}(?:{LABEL_PATTERN}){_B}:{_B}[ \t]+[^,;|\n]{{1,120}}[,;|\u2022\u00b7][ \t]*"
    rf"{_B}[A-Z][\w /-]{{0,24}}{_B}:{_B}[ \t]"
)
SYSTEM_HEADING = (
    r"(?:tested|benchmarked|measured|run|running) (?:on|with)|(?:test|bench(?:mark)?|my|host|the)? ?"
    r"(?:system|machine|hardware|set-?up|box|rig|specs?|environment|platform|config(?:uration)?|server|node|pc|laptop|nas|vm)"
    r"(?: (?:specs?|used|under test|info))?"
)
_LISTED = lazy(rf"(?i)[^\w\n]{{0,6}}(?:{SYSTEM_HEADING}){_B}:{_B}[ \t]+(?P<items>[^\n:|]{{12,300}})\Z")
CPU_LIST_START = (
    r"(?:\d ?x ?|dual )?(?:intel|amd|core i\d|xeon|opteron|ryzen|epyc|athlon|phenom|pentium|celeron|atom)\b[^\n|:]{2,60}?, "
)
_BARE = lazy(rf"(?i)[^\w\n]{{0,6}}(?P<items>{CPU_LIST_START}(?=.*\b(?:RAM|memory|DDR\d))[^\n|:]{{4,160}}?)[ :]*\Z")
_COMMA = lazy(r"[ \t]*(?:[,;]|\s\+|\s/(?=\s))[ \t]+(?![^()]{0,80}\))")
_KERNEL = lazy(r"(?i)(?:linux[ -])?kernel (?:version )?(v?\d\S*)\Z|linux (\d+\.\d+\S*)\Z")
_RAM = lazy(r"(?i)\b(?:RAM|memory|DDR\d)\b")
_MOST = 400


def read_one_line(line: str) -> dict[str, Any]:
    """Keys of a specification in one line; nothing where it is none."""
    if len(line) > _MOST:
        return {}
    if _NAMED.match(line):
        return _named(line)
    if listed := _LISTED.match(line):
        return _listed(listed["items"])
    bare = _BARE.match(line)
    return _listed(bare["items"], whole=True) if bare else {}


def _named(line: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in _SPLIT.split(line):
        pair = _PART.match(part)
        kind = ROW_KINDS.get(pair["name"].lower()) if pair else None
        if pair and kind and kind not in POOL_KINDS:
            found |= {key: value for key, value in read_row(kind, pair["value"]) if key not in found}
    return found if len(_parts(found)) > 1 else {}


def _listed(items: str, whole: bool = False) -> dict[str, Any]:
    """`whole`: no word says that a system is meant, so each part must be understood."""
    found: dict[str, Any] = {}
    for item in _COMMA.split(items.rstrip(" .")):
        told_of = list(_item(item.strip()))
        if whole and not told_of:
            return {}
        for key, value in told_of:
            if found.setdefault(key, value) != value:
                return {}  # of several systems
    return found if len(_parts(found)) > 1 else {}


def read_system_line(line: str) -> dict[str, Any]:
    """Keys of a line that names a system with its version, its kernel behind it, or both."""
    first, *rest = _COMMA.split(line)
    found = dict(read_row("system", first))
    kernel = _KERNEL.match(rest[0]) if len(rest) == 1 else None
    if "os.name" not in found or (not kernel and (rest or "os.version" not in found)):
        return {}
    return found | dict(read_row("kernel", kernel[1] or kernel[2])) if kernel else found


def _item(item: str) -> Iterator[tuple[str, Any]]:
    kernel = _KERNEL.match(item)
    if kernel:
        yield from read_row("kernel", kernel[1] or kernel[2])
    elif _RAM.search(item):
        if count := parse_memory(item):
            yield "memory", count
    else:
        yield from (read_row("system", item) if re.search(r"\d", item) else ())
        yield from read_row("cpu", item)


def _parts(found: dict[str, Any]) -> set[str]:
    """What is told of: `os.name` and `os.family` are one thing."""
    return {key.partition(".")[0] for key in found}
