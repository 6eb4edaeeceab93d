"""Specifications in one line.

Forms: `OS: Debian 12, Kernel: 6.1.0, CPU: Xeon E5-2680 v4, RAM: 64 GB` (the Phoronix Test Suite prints its system so), whose
parts each have a name, so that an unreadable part is left out; `Tested on: Debian 12, 64 GB RAM`, where only a heading word says
that a system is meant; `Core i7-920, 12GB RAM, FreeBSD 8.0`, where nothing does, so that every part must be readable. Parts of
two topics at least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.context.labels._row_values import LABEL_PATTERN, POOL_KINDS, ROW_KINDS, parse_memory, read_release, read_row
from ingest.lazy_regex import lazy

# Rows of a specification in other forms than `NAME: VALUE`: tables of wikis, pages, spreadsheets and typesetters.
#
# MediaWiki (`| CPU || ...`, `! CPU` above `| ...`), DokuWiki (`^ CPU | ...`), Trac, MoinMoin and Confluence (`|| CPU || ...`),
# AsciiDoc (`|CPU |...`, a cell a line, `CPU:: ...`), reStructuredText (simple tables, `:CPU: ...`), HTML (rows of two cells,
# lists of terms), CSV, TSV, TOML and JSON, columns that blanks or dots lead to, and a row of names above one row of values.

_NAME = r"(?P<name>[^\W\d_][\w '-]{0,28}?)"
_VALUE = r"(?P<value>[^\s|^!=<>][^\n|^<>]{0,119}?)"
_FORM_B = r"[ \t]*"
_SEVERAL = lazy(r"[ \t]*[\w-]{1,30}=[^=]*[ \t][\w-]{1,30}=")  # `os=FreeBSD cpu=i7`: labels of a run, in one line
_LINES = tuple(
    lazy(form)
    for form in (
        rf"{_FORM_B}[|!^]{{1,2}}=?{_FORM_B}(?:'''|\*)?{_NAME}(?:'''|\*)?:?{_FORM_B}=?(?:\|\||!!|\||\^){_FORM_B}"
        rf"{_VALUE}{_FORM_B}[|^]{{0,2}}{_FORM_B}\Z",
        rf"{_FORM_B}['\"]?{_NAME}['\"]?"
        rf"(?:{_FORM_B}(?:=|;){_FORM_B}"
        rf"|{_FORM_B}:{_FORM_B}(?=['\"])|\t+|,{_FORM_B}| {{2,}}| ?\.{{3,}} ?| [-\u2013\u2014] ){_FORM_B}"
        rf"['\"]?{_VALUE}['\"]?{_FORM_B},?{_FORM_B}\Z",
        rf"{_FORM_B}:{_NAME}:{_FORM_B}{_VALUE}{_FORM_B}\Z",
        rf"(?i){_FORM_B}(?:<tr[^<>]{{0,80}}>)?{_FORM_B}<(?:th|td|dt)[^<>]{{0,80}}>{_FORM_B}{_NAME}:?{_FORM_B}</(?:th|td|dt)>{_FORM_B}"
        rf"<(?:td|dd)[^<>]{{0,80}}>{_FORM_B}{_VALUE}{_FORM_B}</(?:td|dd)>{_FORM_B}(?:</tr>)?{_FORM_B}\Z",
    )
)
# A name alone on its line, marked as one, and the value on the next line.
_ABOVE = tuple(
    (lazy(name), lazy(value))
    for name, value in (
        (rf"{_FORM_B}[|!]{_FORM_B}(?:'''|\*)?{_NAME}(?:'''|\*)?{_FORM_B}\Z", rf"{_FORM_B}\|{_FORM_B}{_VALUE}{_FORM_B}\Z"),
        (
            rf"(?i){_FORM_B}(?:<tr[^<>]{{0,80}}>)?{_FORM_B}<(?:th|td|dt)[^<>]{{0,80}}>{_FORM_B}{_NAME}:?{_FORM_B}</(?:th|td|dt)>{_FORM_B}\Z",
            rf"(?i){_FORM_B}<(?:td|dd)[^<>]{{0,80}}>{_FORM_B}{_VALUE}{_FORM_B}</(?:td|dd)>{_FORM_B}(?:</tr>)?{_FORM_B}\Z",
        ),
        (rf"{_FORM_B}{_NAME}::{_FORM_B}\Z", rf"[ \t]+{_VALUE}{_FORM_B}\Z"),
    )
)
_CELLS = lazy(r"\|\||!!|\||\^")
_RULE = lazy(r"[\s|:+=\u2500-\u257f-]*\Z|\s*\|-")


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A name and its value; `line` is the value's."""

    line: int
    name: str
    value: str


def find_labelled_values(lines: Sequence[str], index: int, names: frozenset[str]) -> Iterator[LabelledValue]:
    """Values of the names (given in lower case) in `lines[index]`, or below it where it holds a name or a row of names."""
    line = lines[index]
    if _SEVERAL.match(line):
        return
    for form in _LINES:
        if (row := form.match(line)) and row["name"].lower() in names:
            yield LabelledValue(index + 1, row["name"], row["value"])
            return
    following = lines[index + 1] if index + 1 < len(lines) else ""
    for name_form, value_form in _ABOVE:
        if (name := name_form.match(line)) and name["name"].lower() in names and (value := value_form.match(following)):
            yield LabelledValue(index + 2, name["name"], value["value"])
            return
    yield from _values_below_names(lines, index, names)


def _values_below_names(lines: Sequence[str], at: int, known: frozenset[str]) -> Iterator[LabelledValue]:
    """Values below a row of three names or more; nothing of a table with several rows, which are several systems."""
    names = _cells(lines[at])
    if len(names) < 3 or sum(name.lower() in known for name in names) < 2:
        return
    rows: list[tuple[int, list[str]]] = []
    for below in range(at + 1, min(at + 8, len(lines))):
        cells = _cells(lines[below])
        if len(cells) == len(names):
            rows.append((below, cells))
        elif not _RULE.match(lines[below]) or not lines[below].strip():
            break
    if len(rows) == 1:
        below, cells = rows[0]
        yield from (
            LabelledValue(below + 1, name, cell) for name, cell in zip(names, cells, strict=True) if name.lower() in known and cell
        )


def _cells(line: str) -> list[str]:
    if ("|" not in line and "!!" not in line and "^" not in line) or _RULE.match(line):
        return []
    return [cell.strip(" \t*_'=`") for cell in _CELLS.split(line.strip().strip("|!^"))]


_B = r"(?:\*\*|__|`)?"
_SPLIT = lazy(rf"[ \t]*[,;|\u2022\u00b7][ \t]*(?={_B}[A-Z][\w /-]{{0,24}}{_B}:{_B}[ \t])")
_PART = lazy(rf"[^\w\n]{{0,6}}(?P<name>[A-Za-z][\w -]{{0,24}}?)[ \t]*{_B}:{_B}[ \t]+(?P<value>\S.*?)[ \t.]*\Z")
_NAMED = lazy(
    rf"(?i)[^\w\n]{{0,6}}(?:{LABEL_PATTERN}){_B}:{_B}[ \t]+[^,;|\n]{{1,120}}[,;|\u2022\u00b7][ \t]*"
    rf"{_B}[A-Z][\w /-]{{0,24}}{_B}:{_B}[ \t]"
)
SYSTEM_HEADING = (
    r"(?:tested|benchmarked|measured|run|running) (?:on|with)|(?:test|bench(?:mark)?|my|host|the)? ?"
    r"(?:system|machine|hardware|set-?up|box|rig|specs?|environment|platform|config(?:uration)?|server|node|pc|laptop|nas|vm|rechner"
    r"|serveur)(?: (?:specs?|used|under test|info|#?\d{1,2}|[A-H]\b))?"
)
_LISTED = lazy(  # also `**Server A** - Dell R730, ...`
    rf"(?i)[^\w\n]{{0,6}}(?:{SYSTEM_HEADING})(?: [A-Z\d])?{_B}(?::| [-\u2013\u2014]){_B}[ \t]+(?P<items>[^\n:|]{{12,300}})\Z"
)
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
        yield from read_release(*item.partition(" ")[::2]).items()


def _topics(values: dict[str, Any]) -> set[str]:
    """First parts of the keys: `os.name` and `os.family` are one topic."""
    return {key.partition(".")[0] for key in values}
