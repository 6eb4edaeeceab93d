"""The binary spreadsheet of iozone -b: one bare BIFF2 worksheet (Microsoft Excel 2.0).

Records are a 16-bit type, a 16-bit length and the body, little endian: BOF 0x0009, INTEGER 0x0002 (row, column, three
bytes of attributes, unsigned 16-bit value), NUMBER 0x0003 (the same with a double), LABEL 0x0004 (the same with a
counted string), EOF 0x000A (OpenOffice.org's "Documentation of the Microsoft Excel File Format").
Whole-number cells hold 16 bits and wrap over 65,535. A sheet saved anew by a spreadsheet program is read by xlrd.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import REPORT_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, set_command
from ingest.plugin_api import Parser, Shape
from ingest.records import Doubt, Value

_BIFF2, _OLE = b"\x09\x00\x04\x00\x02\x00\x10\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TITLE = lazy(r"\s*(.+?) Report\s*\Z", re.I)
_LIMIT = 1_000_000
_INTEGER, _NUMBER, _LABEL, _EOF = 2, 3, 4, 10


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell of the sheet, counted from 0. `whole`: stored as a 16-bit number."""

    row: int
    column: int
    value: str | float
    whole: bool = False

    @property
    def name(self) -> str:
        """`B6`, as a spreadsheet names it."""
        letters, at = "", self.column + 1
        while at:
            at, digit = divmod(at - 1, 26)
            letters = chr(65 + digit) + letters
        return f"{letters}{self.row + 1}"


def parse_bytes(path: str, data: bytes) -> Iterator[Value | Doubt]:
    """Every figure of an iozone sheet; other sheets give nothing but a warning."""
    if data.startswith(_OLE):
        yield from _saved_anew(data)
    else:
        yield from _figures("Sheet 1", _biff2_cells(data))


def _biff2_cells(data: bytes) -> Iterator[SheetCell | Doubt]:
    at = 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        body = data[at + 4 : at + 4 + size]
        at += 4 + size
        if kind == _EOF:
            return
        if len(body) < size:
            break
        cell = _biff2_cell(kind, body)
        if cell:
            yield cell
    yield Doubt("Sheet 1!A1", "cut", "the sheet ends without its end record; what stands before was read")


def _biff2_cell(kind: int, body: bytes) -> SheetCell | None:
    if kind == _INTEGER and len(body) >= 9:
        row, column, value = struct.unpack_from("<HH3xH", body)
        return SheetCell(row, column, float(value), whole=True)
    if kind == _NUMBER and len(body) >= 15:
        row, column, number = struct.unpack_from("<HH3xd", body)
        return SheetCell(row, column, number)
    if kind == _LABEL and len(body) >= 8:
        row, column, length = struct.unpack_from("<HH3xB", body)
        return SheetCell(row, column, body[8 : 8 + length].decode("latin-1").strip("\x00 "))
    return None


def _saved_anew(data: bytes) -> Iterator[Value | Doubt]:
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
    except Exception as fault:  # xlrd raises whatever its arithmetic on damaged bytes leads to
        yield Doubt("Sheet 1!A1", "bad-number", f"not a readable spreadsheet: {type(fault).__name__}")
        return
    for name, cells in sheets:
        yield from _figures(name, cells)


def _figures(sheet: str, cells: Iterable[SheetCell | Doubt]) -> Iterator[Value | Doubt]:
    run, title, operation = IozoneRun(0), "", None
    sizes: dict[int, SheetCell] = {}
    file_size: SheetCell | None = None
    found, size_row = False, -1
    for cell in cells:
        if isinstance(cell, Doubt):
            yield cell
        elif isinstance(cell.value, str):
            if report := _TITLE.match(cell.value):
                title, operation, sizes = cell.value.strip(), REPORT_OPERATIONS.get(report[1].lower()), {}
                found, size_row, file_size = True, cell.row + 1, None
                if operation is None:
                    yield Doubt(f"{sheet}!{cell.name}", "unread", f"report {title[:60]!r} is not known")
            elif cell.row == 0 and (command := find_command(cell.value)):
                set_command(run, command, 0)
                run.depends.clear()
        elif operation and cell.column == 0:
            file_size = cell
        elif operation and cell.row == size_row:
            sizes[cell.column] = cell
        elif operation and file_size and cell.row == file_size.row:
            yield from _figure(run, (sheet, title, operation), cell, file_size, sizes.get(cell.column))
        elif operation and cell.value:
            yield Doubt(f"{sheet}!{cell.name}", "no-header", f"{title}: {cell.value:g} without its file size")
    if not found:
        yield Doubt(f"{sheet}!A1", "unread", "a spreadsheet without any of iozone's reports")


def _figure(
    run: IozoneRun, where: tuple[str, str, str], cell: SheetCell, file_size: SheetCell, record: SheetCell | None
) -> Iterator[Value | Doubt]:
    sheet, title, operation = where
    locator = f"{sheet}!{cell.name}"
    value = float(cell.value)
    sizes = [float(part.value) for part in (record, file_size) if part]
    if record is None or not all(0 < number < _LIMIT**3 for number in (value, *sizes)):
        if value:
            yield Doubt(locator, "bad-number" if record else "no-header", f"{title}: {value:g} has no meaning here")
        return
    for part, what in ((cell, "the value"), (record, "the record size"), (file_size, "the file size")):
        if part.whole:
            yield Doubt(locator, "wrapped", f"{title}: {what} {float(part.value):g} is stored in 16 bits")
    params = {"file_size": int(float(file_size.value)) * KIB, "record_size": int(float(record.value)) * KIB}
    yield run.value(locator, operation, title, f"{value:.15g}", params)


PARSER = Parser(
    name="iozone-sheet",
    version=2,
    anchor=None,
    parse=None,
    magic=(_BIFF2, _OLE),
    parse_bytes=parse_bytes,
    shapes=(
        Shape(
            "binary spreadsheet (-b)",
            "3.x",
            "as the run: kBytes/sec = 1024 B/s",
            "whole-number cells hold 16 bits and wrap; no version and no date inside",
        ),
    ),
    source="OpenOffice.org's Documentation of the Microsoft Excel File Format (BIFF2); sheets of iozone 3.471",
)
