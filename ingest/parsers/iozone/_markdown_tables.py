"""iozone's automatic table converted by a person to Markdown or CSV: cells between bars or commas, titles in one line.

`| kB | reclen | write | rewrite | ... | random read | ... |`: the titles are iozone's own, the two lines of a title joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import COLUMNS, LOWER_TITLES, NATIVE_NAMES, TITLES
from ingest.parsers.iozone._run_header import KIB, IozoneRun
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue

_HEADER = lazy(r"^[\s>]*\|?\s*[*`\"]{0,3}kB[*`\"]{0,3}\s*([|,;])\s*[*`\"]{0,3}reclen[*`\"]{0,3}\s*\1", re.I)
_RULE = lazy(r"^[\s>|:+-]+$")
_COUNT = lazy(r"\d{1,12}\Z")
_NUMBER = lazy(r"\d{1,12}(?:\.\d{1,6})?\Z")
_GROUPED = lazy(r"\d{1,3}(?:,\d{3}){1,3}\Z")  # 1,444,041; a single comma may be a decimal one, of figures converted to MB
_WORDS = lazy(r"[*`_\s-]+")
_EMPTY_CELLS = ("-", "\u2013", "\u2014", "n/a", "")  # in cells that iozone left blank
_BY_NAME = {" ".join(filter(None, title)): operation for title, operation in TITLES.items()} | {
    "backward read": "backward_read",
    "strided read": "strided_read",
    "re-read": "reread",
    "re-write": "rewrite",
    "rec rewrite": "record_rewrite",
    "rand read": "random_read",
    "rand write": "random_write",
    "strd read": "strided_read",
}
_FEWEST = 3  # cells that make a header of a table


@dataclass(slots=True)
class MarkdownTable:
    """The open table: operation of each column (None: an unknown title), the titles, the separator of cells."""

    line: int
    columns: list[str | None] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    separator: str = "|"
    paused: bool = False  # after a blank line: only rows as long as the titles continue it


def open_table(line: str, number: int) -> MarkdownTable | None:
    """The table whose titles the line is."""
    if not (head := _HEADER.match(line)):
        return None
    separator = head[1]
    titles = [" ".join(_WORDS.split(cell.lower())).strip() for cell in _cells(line, separator)[2:]]
    lower = tuple(title.replace(" ", "") for title in titles)
    if len(titles) + 2 < _FEWEST:
        return None
    if lower == LOWER_TITLES[: len(lower)]:
        return MarkdownTable(number, list(COLUMNS[: len(lower)]), titles, separator)
    alone = {title for title in titles if titles.count(title) == 1}
    return MarkdownTable(number, [_BY_NAME.get(title) if title in alone else None for title in titles], titles, separator)


def read_row(run: IozoneRun, sheet: MarkdownTable, line: str, number: int) -> Iterator[Found] | None:
    """The figures of a row of cells; None where the line ends the table."""
    if not line.strip():
        sheet.paused = True
        return iter(())
    cells = _cells(line, sheet.separator)
    if sheet.separator not in line or _HEADER.match(line) or (sheet.paused and len(cells) != len(sheet.titles) + 2):
        return None
    return iter(()) if _RULE.match(line) else _row(run, sheet, cells, number)


def _cells(line: str, separator: str) -> list[str]:
    row = line.strip().lstrip("> \t").removeprefix("|").removesuffix("|")
    return [cell.strip().strip('*`"').strip() for cell in row.split(separator)]


def _row(run: IozoneRun, sheet: MarkdownTable, cells: list[str], number: int) -> Iterator[Found]:
    if len(cells) != len(sheet.titles) + 2:
        code = "short-row" if len(cells) < len(sheet.titles) + 2 else "long-row"
        yield Doubt(number, code, f"{len(cells)} cells where the header has {len(sheet.titles) + 2}; nothing was recorded")
        return
    plain = [_plain(cell, cells[0]) if sheet.separator == "|" and _GROUPED.match(cell) else cell for cell in cells]
    if not (_COUNT.match(plain[0]) and _COUNT.match(plain[1])):
        yield Doubt(number, "bad-number", "the row does not begin with kB and reclen in plain digits; nothing in it was recorded")
        return
    params = {"file_size": int(plain[0]) * KIB, "record_size": int(plain[1]) * KIB}
    for operation, title, raw, figure in zip(sheet.columns, sheet.titles, cells[2:], plain[2:], strict=True):
        if raw.lower() in _EMPTY_CELLS:
            continue
        if operation is None:
            yield Doubt(number, "unread", f"{raw[:40]} is under the heading {title[:40]!r}, which is unknown or appears twice")
        elif not _NUMBER.match(figure):
            yield Doubt(number, "bad-number", f"{title}: {raw[:40]!r} is not a number")
        else:
            value = run.value(number, operation, NATIVE_NAMES.get(operation, operation), figure, params, depends=(sheet.line,))
            value.raw = raw
            if value.value:
                yield value
            else:
                yield MissingValue.instead_of(value, ZERO_TIME)
                yield Doubt(number, "unmeasured", f"{title}: iozone printed 0")


def _plain(cell: str, size: str) -> str:
    """A figure without separators of thousands: commas are such where it has several, or the file size has one too."""
    return cell.replace(",", "") if cell.count(",") > 1 or "," in size else cell
