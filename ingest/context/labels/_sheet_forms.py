"""Rows of a specification in other forms than `NAME: VALUE`: tables of wikis, pages, spreadsheets and typesetters.

MediaWiki (`| CPU || ...`, `! CPU` above `| ...`), DokuWiki (`^ CPU | ...`), Trac, MoinMoin and Confluence (`|| CPU || ...`),
AsciiDoc (`|CPU |...`, a cell a line, `CPU:: ...`), reStructuredText (simple tables, `:CPU: ...`), HTML (rows of two
cells, lists of terms), CSV, TSV, TOML and JSON, columns that blanks or dots lead to, and a row of names above one row of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.lazy_regex import lazy

_NAME = r"(?P<name>[^\W\d_][\w '-]{0,28}?)"
_VALUE = r"(?P<value>[^\s|^!=<>][^\n|^<>]{0,119}?)"
_B = r"[ \t]*"
_SEVERAL = lazy(r"[ \t]*[\w-]{1,30}=[^=]*[ \t][\w-]{1,30}=")  # `os=FreeBSD cpu=i7`: labels of a run, in one line
_LINES = tuple(
    lazy(form)
    for form in (
        rf"{_B}[|!^]{{1,2}}=?{_B}(?:'''|\*)?{_NAME}(?:'''|\*)?:?{_B}=?(?:\|\||!!|\||\^){_B}{_VALUE}{_B}[|^]{{0,2}}{_B}\Z",
        rf"{_B}['\"]?{_NAME}['\"]?(?:{_B}(?:=|;){_B}|{_B}:{_B}(?=['\"])|\t+|,{_B}| {{2,}}| ?\.{{3,}} ?| [-\u2013\u2014] ){_B}"
        rf"['\"]?{_VALUE}['\"]?{_B},?{_B}\Z",
        rf"{_B}:{_NAME}:{_B}{_VALUE}{_B}\Z",
        rf"(?i){_B}(?:<tr[^<>]{{0,80}}>)?{_B}<(?:th|td|dt)[^<>]{{0,80}}>{_B}{_NAME}:?{_B}</(?:th|td|dt)>{_B}"
        rf"<(?:td|dd)[^<>]{{0,80}}>{_B}{_VALUE}{_B}</(?:td|dd)>{_B}(?:</tr>)?{_B}\Z",
    )
)
# A name alone on its line, by what tells it from prose, and the value on the next line.
_ABOVE = tuple(
    (lazy(name), lazy(value))
    for name, value in (
        (rf"{_B}[|!]{_B}(?:'''|\*)?{_NAME}(?:'''|\*)?{_B}\Z", rf"{_B}\|{_B}{_VALUE}{_B}\Z"),
        (
            rf"(?i){_B}(?:<tr[^<>]{{0,80}}>)?{_B}<(?:th|td|dt)[^<>]{{0,80}}>{_B}{_NAME}:?{_B}</(?:th|td|dt)>{_B}\Z",
            rf"(?i){_B}<(?:td|dd)[^<>]{{0,80}}>{_B}{_VALUE}{_B}</(?:td|dd)>{_B}(?:</tr>)?{_B}\Z",
        ),
        (rf"{_B}{_NAME}::{_B}\Z", rf"[ \t]+{_VALUE}{_B}\Z"),
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


def find_labelled_values(lines: Sequence[str], at: int, known: frozenset[str]) -> Iterator[LabelledValue]:
    """What the line, and those that it heads, tell under names that are known (in lower case)."""
    line = lines[at]
    if _SEVERAL.match(line):
        return
    for form in _LINES:
        if (found := form.match(line)) and found["name"].lower() in known:
            yield LabelledValue(at + 1, found["name"], found["value"])
            return
    following = lines[at + 1] if at + 1 < len(lines) else ""
    for name, value in _ABOVE:
        if (found := name.match(line)) and found["name"].lower() in known and (below := value.match(following)):
            yield LabelledValue(at + 2, found["name"], below["value"])
            return
    yield from _below(lines, at, known)


def _below(lines: Sequence[str], at: int, known: frozenset[str]) -> Iterator[LabelledValue]:
    """A row of names above the only row of values; of several rows none is told, since they are of several systems."""
    names = _cells(lines[at])
    if len(names) < 3 or sum(name.lower() in known for name in names) < 2:
        return
    rows: list[tuple[int, list[str]]] = []
    for place in range(at + 1, min(at + 8, len(lines))):
        cells = _cells(lines[place])
        if len(cells) == len(names):
            rows.append((place, cells))
        elif not _RULE.match(lines[place]) or not lines[place].strip():
            break
    if len(rows) == 1:
        place, cells = rows[0]
        yield from (
            LabelledValue(place + 1, name, cell) for name, cell in zip(names, cells, strict=True) if name.lower() in known and cell
        )


def _cells(line: str) -> list[str]:
    if ("|" not in line and "!!" not in line and "^" not in line) or _RULE.match(line):
        return []
    return [cell.strip(" \t*_'=`") for cell in _CELLS.split(line.strip().strip("|!^"))]
