"""The spreadsheet of iozone -b (`Writer Report`, record sizes across, file sizes down) saved as CSV or pasted with tabs.

`,4,8,16` / `64,1143222,1562436,1780008`: the first field of the sizes is blank, and a file has no figure where a record would be
larger than it. Sheets put side by side have their titles on one line, each over its own columns, and what a poster calls them
above those. Without the command such a sheet does not tell whether -O or -N made other units of its figures: they
are read as kBytes/sec then, as those of the binary sheet are, whose whole numbers have 16 bits: the sizes of large files wrap.
Where a board made one blank of each tab, a row needs a figure for each record size or for each that fits its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._excel_grids import is_grid
from ingest.parsers.iozone._operation_names import REPORT_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, set_command
from ingest.records import Doubt, Value
from ingest.text.lines import Text

_NAMED = r"\"?[A-Z][A-Za-z -]{2,30} [Rr]eport\"?"
TITLE = rf"^{_NAMED}(?:[,;\t]{{1,40}}{_NAMED}){{0,8}}(?:[,;][,; \t]*|\t[\t ]*)?$"
SIZES_BELOW = r"(?:(?:\"\")?[,;\t]\"?\d|\d{1,5} \d{1,5}(?: \d{1,5})*[ \t]*$)"  # how the line below the title begins
_TITLE = lazy(r'"?([A-Z][A-Za-z -]{2,30}) [Rr]eport"?([,;\t]?)[,;\t ]*\Z')
_TITLES = lazy(rf"{_NAMED}([,;\t])\1{{0,39}}{_NAMED}(?:\1{{1,40}}{_NAMED}){{0,7}}\1*\Z")
_SIZES = lazy(r'(?:"")?([,;\t])"?\d{1,6}"?(?:\1"?\d{1,6}"?){0,40}[,;\t ]*\Z')
_SEVERAL_SIZES = lazy(r'(?:"")?[,;\t][\d"]{1,8}[\d,;\t"]{0,400}\Z')
_BLANKS = lazy(r"\d{1,5}(?: \d{1,5}){1,24}[ \t]*\Z")  # record sizes, which iozone doubles
_ROW = lazy(r'"?\d{1,12}"?[,;\t ]')
_SEVERAL_ROWS = lazy(r'[,;\t]{0,60}"?\d{1,12}"?[,;\t]')
_CELL = lazy(r"\d{1,12}(?:\.\d{1,6})?\Z")
_ABOVE = 3  # lines above the titles among which what the sheets are called is looked for


@dataclass(slots=True)
class _Sheet:
    """One sheet: the line of its title, the cells of a line that are its own, what a poster called it and which lines tell that."""

    line: int
    title: str
    cells: slice
    records: list[str]
    label: str = ""
    labelled: tuple[int, ...] = ()
    blanks: bool = False

    @property
    def operation(self) -> str | None:
        return REPORT_OPERATIONS.get(self.title.lower())


def read_sheets(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of such sheets."""
    run, lines = IozoneRun(1), text.lines
    at, before = 0, list[_Sheet]()
    while at < len(lines):
        if "iozone" in lines[at] and (command := find_command(lines[at].replace('"', " ").rstrip(",;\t "))):
            run, before = IozoneRun(at + 1), []
            set_command(run, command, at + 1)
        between, opened = _opened(lines, at, before)
        if not opened:
            at += 1
            continue
        yield from (
            Doubt(at + 1, "unread", f"report {sheet.title!r} is not known; none of it was taken")
            for sheet in opened
            if sheet.operation is None
        )
        row, before = _ROW if len(opened) == 1 else _SEVERAL_ROWS, opened
        at += 2
        while at < len(lines) and row.match(lines[at]) and between in lines[at]:
            cells = _cells(lines[at], between)
            for sheet in opened:
                yield from _row(run, sheet, cells[sheet.cells], at + 1)
            at += 1


def _opened(lines: Sequence[str], at: int, before: list[_Sheet]) -> tuple[str, list[_Sheet]]:
    """What parts the cells, and the sheets whose titles that line holds; none where their record sizes are not below it."""
    if at + 1 == len(lines) or "eport" not in lines[at]:
        return "", []
    if title := _TITLE.match(lines[at]):
        sizes = _SIZES.match(lines[at + 1])
        if not sizes and _doubles(lines[at + 1]):
            return " ", [_Sheet(at + 1, title[1], slice(0, None), lines[at + 1].split(), blanks=True)]
        if not sizes or is_grid(list(lines[at : at + 3])):
            return "", []
        return sizes[1], [_Sheet(at + 1, title[1], slice(0, None), _cells(lines[at + 1], sizes[1])[1:])]
    titles = _TITLES.match(lines[at])
    if not titles or not _SEVERAL_SIZES.match(lines[at + 1].rstrip()):
        return "", []
    between = titles[1]
    cells, sizes_of = _cells(lines[at], between), _cells(lines[at + 1], between)
    starts = [column for column, cell in enumerate(cells) if cell]
    if any(sizes_of[start : start + 1] != [""] for start in starts):
        return "", []
    labels, labelled = _labels(lines, at, between, starts)
    if not labels and [sheet.cells.start for sheet in before] == starts:
        first = before[0]
        labels = [sheet.label for sheet in before]
        labelled = first.labelled if len(first.labelled) != 1 else (*first.labelled, first.line, first.line + 1)
    found = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True)):
        name = re.sub(" [Rr]eport$", "", cells[start])
        label = labels[number] if labels else ""
        found.append(_Sheet(at + 1, name, slice(start, end), sizes_of[start + 1 : end], label, labelled))
    return between, found


def _doubles(line: str) -> bool:
    records = [int(word) for word in line.split()] if _BLANKS.match(line) else []
    return bool(records) and all(other == 2 * one for one, other in pairwise(records))


def _labels(lines: Sequence[str], at: int, between: str, starts: list[int]) -> tuple[list[str], tuple[int, ...]]:
    """The words that stand over the sheets, where there is one over each and nothing else, and the line of them: the nearest."""
    for number in range(at, max(0, at - _ABOVE), -1):
        cells = _cells(lines[number - 1], between) if not _TITLES.match(lines[number - 1]) else []
        if [column for column, cell in enumerate(cells) if cell] == starts and not any(map(_CELL.match, filter(None, cells))):
            return [cells[start] for start in starts], (number,)
    return [], ()


def _cells(line: str, between: str) -> list[str]:
    # a sheet that went through two programs may have two separators
    return [cell.strip(' \t",;') for cell in (line.rstrip() if between == " " else line).split(between)]


def _row(run: IozoneRun, sheet: _Sheet, cells: list[str], number: int) -> Iterator[Value | Doubt]:
    """The figures of one line that are of that sheet."""
    if sheet.operation is None or not any(cells):
        return
    title, records, figures = sheet.title, sheet.records, cells[1:]
    if not cells[0].isdecimal():
        yield Doubt(number, "bad-number", f"{title} Report: {cells[0][:40]!r} is no file size; nothing of this row was taken")
        return
    size = int(cells[0])
    if any(figures[len(records) :]):
        yield Doubt(number, "long-row", f"{len(figures)} figures for {len(records)} record sizes; none was taken")
        return
    if size * KIB != run.sizes.get("file_size", size * KIB):
        yield Doubt(number, "wrapped", f"{size} kB is not the size of the command; iozone -b stores it in 16 bits. None was taken")
        return
    due = sum(record.isdecimal() and int(record) <= size for record in records)
    if sheet.blanks and len(figures) not in (due, len(records)):
        yield Doubt(number, "short-row", f"{len(figures)} figures for {due} record sizes; none was taken")
        return
    if len(figures) < due:
        last = figures.pop() if figures else ""
        yield Doubt(number, "short-row", f"the row ends in {last[:20]!r}, before the last record size; that was not taken")
    for record, raw in zip(records, figures, strict=False):
        if not record or not raw.strip("0."):
            continue  # no record is larger than its file; a spreadsheet fills those with blanks or zeros
        if not _CELL.match(raw) or not record.isdecimal() or not 0 < int(record) <= size:
            why = f"{raw[:40]!r} is no figure of records of {record[:20]} kB; it was not taken"
            yield Doubt(number, "bad-number", f"{title} Report: {why}")
            continue
        params: dict[str, object] = {"file_size": size * KIB, "record_size": int(record) * KIB}
        if sheet.label:
            params["part"] = sheet.label
        depends = (sheet.line, sheet.line + 1, *sheet.labelled)
        yield run.value(number, sheet.operation, f"{title} Report", raw, params, depends=depends)
