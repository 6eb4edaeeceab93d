"""Specifications in one line.

Forms: `OS: Debian 12, Kernel: 6.1.0, CPU: Xeon E5-2680 v4, RAM: 64 GB` (the Phoronix Test Suite prints its system so), whose
parts each have a name, so that an unreadable part is left out; `Tested on: Debian 12, 64 GB RAM`, where only a heading word says
that a system is meant; `Core i7-920, 12GB RAM, FreeBSD 8.0`, where nothing does, so that every part must be readable. Parts of
two topics at least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.context.labels._row_labels import LABEL_PATTERN, POOL_KINDS, ROW_KINDS
from ingest.context.labels._row_values import parse_memory, read_row
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
    """Key -> value of a specification in one line; empty where it is none."""
    if len(line) > _MOST:
        return {}
    if _NAMED.match(line):
        return _read_named_parts(line)
    if headed := _LISTED.match(line):
        return _read_list(headed["items"])
    bare = _BARE.match(line)
    return _read_list(bare["items"], complete=True) if bare else {}


def _read_named_parts(line: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in _SPLIT.split(line):
        pair = _PART.match(part)
        kind = ROW_KINDS.get(pair["name"].lower()) if pair else None
        if pair and kind and kind not in POOL_KINDS:
            values |= {key: value for key, value in read_row(kind, pair["value"]) if key not in values}
    return values if len(_topics(values)) > 1 else {}


def _read_list(items: str, complete: bool = False) -> dict[str, Any]:
    """Key -> value of a list; empty where two parts differ in a key. `complete`: also where a part is not understood."""
    values: dict[str, Any] = {}
    for item in _COMMA.split(items.rstrip(" .")):
        item_values = list(_read_item(item.strip()))
        if complete and not item_values:
            return {}
        for key, value in item_values:
            if values.setdefault(key, value) != value:
                return {}  # of several systems
    return values if len(_topics(values)) > 1 else {}


def read_system_line(line: str) -> dict[str, Any]:
    """Key -> value of a line that is a system with its version (`Debian 12`), with its kernel behind it, or both."""
    first, *others = _COMMA.split(line)
    values = dict(read_row("system", first))
    kernel = _KERNEL.match(others[0]) if len(others) == 1 else None
    if "os.name" not in values or (not kernel and (others or "os.version" not in values)):
        return {}
    return values | dict(read_row("kernel", kernel[1] or kernel[2])) if kernel else values


def _read_item(item: str) -> Iterator[tuple[str, Any]]:
    kernel = _KERNEL.match(item)
    if kernel:
        yield from read_row("kernel", kernel[1] or kernel[2])
    elif _RAM.search(item):
        if size := parse_memory(item):
            yield "memory", size
    else:
        yield from (read_row("system", item) if re.search(r"\d", item) else ())
        yield from read_row("cpu", item)


def _topics(values: dict[str, Any]) -> set[str]:
    """First parts of the keys: `os.name` and `os.family` are one topic."""
    return {key.partition(".")[0] for key in values}
