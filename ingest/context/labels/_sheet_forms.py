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
# A name alone on its line, marked as one, and the value on the next line.
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
