"""The spreadsheet of iozone -b (`Writer Report`, record sizes across, file sizes down) saved as CSV or pasted with tabs.

`,4,8,16` / `64,1143222,1562436,1780008`: the first field of the sizes is blank, and a file has no figure where a record would be
larger than it. Without the command above it such a sheet does not tell whether -O or -N made other units of its figures: they
are read as kBytes/sec then, as those of the binary sheet are, whose whole numbers have 16 bits: the sizes of large files wrap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.parsers._iozone_excel import is_grid
from ingest.parsers._iozone_names import REPORTS
from ingest.parsers._iozone_run import KIB, Run, command_in, take_command
from ingest.records import Doubt, Value
from ingest.text import Text

TITLE = r"^\"?[A-Z][A-Za-z -]{2,30} [Rr]eport\"?(?:[,;][,; \t]*|\t[\t ]*)?$"
_TITLE = re.compile(r'"?([A-Z][A-Za-z -]{2,30}) [Rr]eport"?([,;\t]?)[,;\t ]*\Z')
_SIZES = re.compile(r'(?:"")?([,;\t])"?\d{1,6}"?(?:\1"?\d{1,6}"?){0,40}[,;\t ]*\Z')
_ROW = re.compile(r'"?\d{1,12}"?[,;\t]')
_CELL = re.compile(r"\d{1,12}(?:\.\d{1,6})?\Z")


def sheets(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of such sheets."""
    run, lines = Run(1), text.lines
    at = 0
    while at < len(lines):
        if "iozone" in lines[at] and (command := command_in(lines[at].replace('"', " ").rstrip(",;\t "))):
            run = Run(at + 1)
            take_command(run, command, at + 1)
        title = _TITLE.match(lines[at])
        sizes = _SIZES.match(lines[at + 1]) if title and at + 1 < len(lines) else None
        if not title or not sizes or is_grid(lines[at : at + 3]):
            at += 1
            continue
        between, operation = sizes[1], REPORTS.get(title[1].lower())
        if operation is None:
            yield Doubt(at + 1, "unread", f"report {title[1]!r} is not known; none of it was taken")
        records, first = _cells(lines[at + 1], between)[1:], at + 1
        at += 2
        while at < len(lines) and _ROW.match(lines[at]) and between in lines[at]:
            if operation:
                cells = _cells(lines[at], between)
                yield from _row(run, (operation, title[1]), records, cells, (at + 1, first))
            at += 1


def _cells(line: str, between: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(between)]


def _row(
    run: Run, name: tuple[str, str], records: list[str], cells: list[str], places: tuple[int, int]
) -> Iterator[Value | Doubt]:
    """`places`: the line of the row, and that of its title."""
    (operation, title), (number, first) = name, places
    size, figures = int(cells[0]), cells[1:]
    if any(figures[len(records) :]):
        yield Doubt(number, "long-row", f"{len(figures)} figures for {len(records)} record sizes; none was taken")
        return
    if size * KIB != run.sizes.get("file_size", size * KIB):
        yield Doubt(number, "wrapped", f"{size} kB is not the size of the command; iozone -b stores it in 16 bits. None was taken")
        return
    if len(figures) < sum(record.isdecimal() and int(record) <= size for record in records):
        last = figures.pop() if figures else ""
        yield Doubt(number, "short-row", f"the row ends in {last[:20]!r}, before the last record size; that was not taken")
    for record, raw in zip(records, figures, strict=False):
        if not record or not raw.strip("0."):
            continue  # no record is larger than its file; a spreadsheet fills those with blanks or zeros
        if not _CELL.match(raw) or not 0 < int(record) <= size:
            why = f"{raw[:40]!r} is no figure of records of {record[:20]} kB; it was not taken"
            yield Doubt(number, "bad-number", f"{title} Report: {why}")
            continue
        params = {"file_size": size * KIB, "record_size": int(record) * KIB}
        yield run.value(number, operation, f"{title} Report", raw, params, depends=(first, first + 1))
