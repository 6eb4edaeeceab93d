"""The binary spreadsheet of iozone -b: one bare BIFF2 worksheet (Microsoft Excel 2.0).

Records are a 16-bit type, a 16-bit length and the body, little endian: BOF 0x0009, INTEGER 0x0002 (row, column, three
bytes of attributes, unsigned 16-bit value), NUMBER 0x0003 (the same with a double), LABEL 0x0004 (the same with a
counted string), EOF 0x000A (OpenOffice.org's "Documentation of the Microsoft Excel File Format").
Whole-number cells hold 16 bits and wrap over 65,535. A sheet saved by a spreadsheet program is read by xlrd.

Shapes of iozone-sheet (name | versions | units | traps):
    binary spreadsheet (-b) | 3.x | as the run: kBytes/sec = 1024 B/s | whole-number cells hold 16 bits and wrap; no version and
        no date inside

Source: OpenOffice.org's Documentation of the Microsoft Excel File Format (BIFF2); sheets of iozone 3.471
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import REPORT_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, set_command
from ingest.plugin_api import Parser
from ingest.records import Doubt, Found

_BIFF2, _OLE = b"\x09\x00\x04\x00\x02\x00\x10\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TITLE = lazy(r"\s*(.+?) Report\s*\Z", re.I)
_LIMIT = 1_000_000
_INTEGER, _NUMBER, _LABEL, _EOF = 2, 3, 4, 10


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell of the sheet, counted from 0. `is_integer`: stored as a 16-bit number."""

    row: int
    column: int
    value: str | float
    is_integer: bool = False

    @property
    def name(self) -> str:
        """`B6`, as a spreadsheet names it."""
        letters, number = "", self.column + 1
        while number:
            number, digit = divmod(number - 1, 26)
            letters = chr(65 + digit) + letters
        return f"{letters}{self.row + 1}"


def parse_bytes(path: str, data: bytes) -> Iterator[Found]:
    """Every figure of an iozone sheet; of another sheet a warning alone."""
    if data.startswith(_OLE):
        yield from _read_compound_document(data)
    else:
        yield from _read_sheet("Sheet 1", _biff2_cells(data))


def _biff2_cells(data: bytes) -> Iterator[SheetCell | Doubt]:
    offset = 0
    while offset + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, offset)
        body = data[offset + 4 : offset + 4 + size]
        offset += 4 + size
        if kind == _EOF:
            return
        if len(body) < size:
            break
        cell = _biff2_cell(kind, body)
        if cell:
            yield cell
    yield Doubt("Sheet 1!A1", "cut", "the sheet ends without its end record; everything before was read")


def _biff2_cell(kind: int, body: bytes) -> SheetCell | None:
    if kind == _INTEGER and len(body) >= 9:
        row, column, value = struct.unpack_from("<HH3xH", body)
        return SheetCell(row, column, float(value), is_integer=True)
    if kind == _NUMBER and len(body) >= 15:
        row, column, number = struct.unpack_from("<HH3xd", body)
        return SheetCell(row, column, number)
    if kind == _LABEL and len(body) >= 8:
        row, column, length = struct.unpack_from("<HH3xB", body)
        return SheetCell(row, column, body[8 : 8 + length].decode("latin-1").strip("\x00 "))
    return None


def _read_compound_document(data: bytes) -> Iterator[Found]:
    """Sheets in a compound document (BIFF5 and later)."""
    import io

    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=data, logfile=io.StringIO())
        sheets = [
            (
                s.name,
                [
                    SheetCell(r, c, s.cell_value(r, c))
                    for r in range(s.nrows)
                    for c in range(s.ncols)
                    if s.cell_type(r, c) in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER)
                ],
            )
            for s in book.sheets()
        ]
    except Exception as fault:  # xlrd raises errors of any class on damaged bytes
        yield Doubt("Sheet 1!A1", "bad-number", f"not a readable spreadsheet: {type(fault).__name__}")
        return
    for name, cells in sheets:
        yield from _read_sheet(name, cells)


@dataclass(slots=True)
class _Report:
    """The open report of a sheet: its title, the record sizes by column, the file size of the current row."""

    title: str
    operation: str | None
    row: int
    records: dict[int, SheetCell] = field(default_factory=dict)
    file_size: SheetCell | None = None


def _read_sheet(sheet: str, cells: Iterable[SheetCell | Doubt]) -> Iterator[Found]:
    run, report = IozoneRun(0), None
    for cell in cells:
        if isinstance(cell, Doubt):
            yield cell
        elif isinstance(cell.value, str):
            if title := _TITLE.match(cell.value):
                report = _Report(cell.value.strip(), REPORT_OPERATIONS.get(title[1].lower()), cell.row)
                if report.operation is None:
                    yield Doubt(f"{sheet}!{cell.name}", "unread", f"unknown report {report.title[:60]!r}")
            elif cell.row == 0 and (command := find_command(cell.value)):
                set_command(run, command, 0)
                run.depends.clear()
        elif report and report.operation:
            yield from _read_number(run, sheet, report, cell)
    if not report:
        yield Doubt(f"{sheet}!A1", "unread", "a spreadsheet without any of iozone's reports")


def _read_number(run: IozoneRun, sheet: str, report: _Report, cell: SheetCell) -> Iterator[Found]:
    """A file size, a record size or a figure of a report."""
    if cell.column == 0:
        report.file_size = cell
    elif cell.row == report.row + 1:
        report.records[cell.column] = cell
    elif report.file_size and cell.row == report.file_size.row:
        yield from _read_figure(run, sheet, report, cell)
    elif cell.value:
        yield Doubt(f"{sheet}!{cell.name}", "no-header", f"{report.title}: {cell.value:g} without its file size")


def _read_figure(run: IozoneRun, sheet: str, report: _Report, cell: SheetCell) -> Iterator[Found]:
    locator, title, value = f"{sheet}!{cell.name}", report.title, float(cell.value)
    record, file_size = report.records.get(cell.column), report.file_size
    assert file_size and report.operation
    sizes = [float(size.value) for size in (record, file_size) if size]
    if record is None or not all(0 < number < _LIMIT**3 for number in (value, *sizes)):
        if value:
            yield Doubt(locator, "bad-number" if record else "no-header", f"{title}: {value:g} has no meaning here")
        return
    for source, name in ((cell, "the value"), (record, "the record size"), (file_size, "the file size")):
        if source.is_integer:
            yield Doubt(locator, "wrapped", f"{title}: {name} {float(source.value):g} is stored in 16 bits")
    params = {"file_size": int(float(file_size.value)) * KIB, "record_size": int(float(record.value)) * KIB}
    yield run.value(locator, report.operation, title, f"{value:.15g}", params)


PARSER = Parser(name="iozone-sheet", version=2, anchor=None, parse=None, magic=(_BIFF2, _OLE), parse_bytes=parse_bytes)
