"""iozone's automatic table converted by a person to Markdown or CSV: cells between bars or commas, titles in one line.

`| kB | reclen | write | rewrite | ... | random read | ... |`: the titles are iozone's own, the two lines of a title joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import COLUMNS, LOWER_TITLES, NATIVE_NAMES, TEST_OPERATIONS, TITLES
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, read_header_line, set_command
from ingest.parsers.iozone._throughput_mode import LINE_START
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue

# iozone's automatic table on one line, where a page or its extraction lost line ends and blanks.

_TABLE = lazy(r"\b[kK][bB]\s+reclen\s+(write\s+rewrite(?:\s+f?(?:re)?(?:read|write))*)((?:\s+\d{1,12}(?![\w.])){4,4000})")
_COMMAND = lazy(r"\biozone(?=\s+-)")
_LEAST = 2  # rows that confirm the width of a table, where the command has neither tests nor the sizes of its only row


def read_tables(line: str, number: int, above: IozoneRun) -> Iterator[Found]:
    """The figures of every table on the line. `above`: the run whose command stands on a line before it."""
    end = 0
    for index, table in enumerate(_TABLE.finditer(line)):
        run = _run(line[end : table.start()], number, index, above)
        rows = _rows(table[2].split(), tuple(table[1].split()), run)
        if not rows:
            yield Doubt(number, "ambiguous", "a table of iozone that lost its line ends; nothing in it was recorded")
        for columns, (size, record, *figures) in rows:
            params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
            for operation, raw in zip(columns, figures, strict=True):
                value = run.value(number, operation, NATIVE_NAMES.get(operation, operation), raw, params)
                if raw.strip("0"):
                    yield value
                else:
                    yield MissingValue.instead_of(value, ZERO_TIME)
                    yield Doubt(number, "unmeasured", f"{NATIVE_NAMES.get(operation, operation)}: iozone printed 0")
        end = table.end()


def _run(before: str, number: int, index: int, above: IozoneRun) -> IozoneRun:
    """The run of a table, with the last command before it on the line, else of the run above."""
    run = IozoneRun(number)
    run.start = (number, index)  # several stand on one line
    commands = [command.start() for command in _COMMAND.finditer(before)]
    for part in LINE_START.split(before) if "Run began:" in before else ():
        read_header_line(run, part, number)
    if commands and (command := find_command(before[commands[-1] :].strip())):
        set_command(run, re.sub(r"\s+(?:random|bkwd|record|stride)\b.*", "", command), number)
    elif not commands and not above.has_values and not above.complete:
        run.version, run.started, run.unit, run.tests = above.version, above.started, above.unit, above.tests
        run.params, run.sizes, run.depends = above.params, above.sizes, above.depends
    return run


def _rows(words: list[str], titles: tuple[str, ...], run: IozoneRun) -> list[tuple[tuple[str, ...], list[str]]]:
    """Columns and words of each row; empty where the words do not divide into rows of one length."""
    tests = run.tests
    if titles != LOWER_TITLES[: len(titles)]:
        return []
    shown = COLUMNS[: len(titles)]
    filled = {operation for test in tests for operation in TEST_OPERATIONS.get(test, ())}
    columns = tuple(operation for operation in shown if operation in filled) if tests else shown
    width = len(columns) + 2
    rows = [words[start : start + width] for start in range(0, len(words), width)]
    file_size = run.sizes.get("file_size")
    is_certain = tests or len(rows) >= _LEAST or (file_size and run.sizes.get("record_size") == int(words[1]) * KIB)
    if not (columns and is_certain) or len(words) % width or not _are_rows(rows):
        return []
    return [(columns, row) for row in rows] if not file_size or all(int(row[0]) * KIB == file_size for row in rows) else []


def _are_rows(rows: list[list[str]]) -> bool:
    """Whether the rows begin with file and record sizes in the order in which iozone tests them."""
    heads = [(int(row[0]), int(row[1])) for row in rows]
    fit = all(0 < record <= size and record & (record - 1) == 0 for size, record in heads)
    return fit and all(head < next_head for head, next_head in pairwise(heads))


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
