"""The cells of a workbook (XLSX), read with the standard library alone: the check of an evidence bundle compares them.

Runs on Python 3.8.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any, Dict, List  # noqa: UP035  Python 3.8 has no subscripts of the others
from xml.etree import ElementTree

LONGEST = 32000
"""Characters of a cell; a spreadsheet takes 32,767."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MOST_ROWS = 1 << 20
"""Of a sheet, in any spreadsheet."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_CLOSE = 1e-14
"""Workbooks keep 16 digits of a number."""


def printed(text: str) -> str:
    """A text as a cell has it: U+FFFD for what XML does not allow, cut where it is too long, line breaks as one sign."""
    return _NOT_XML.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))[:LONGEST]


def read_cells(data: bytes) -> Dict[str, List[List[Any]]]:  # noqa: UP006
    """Name of the sheet -> rows of cells, without empty ones at the end of rows. Raises ValueError for what is no workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            texts = []
            if "xl/sharedStrings.xml" in book.namelist():
                texts = [_text(item) for item in _parse(book, "xl/sharedStrings.xml")]
            sheets = _parse(book, "xl/workbook.xml").iter(_MAIN + "sheet")
            return {
                str(sheet.get("name")): _rows(_parse(book, f"xl/worksheets/sheet{number}.xml"), texts)
                for number, sheet in enumerate(sheets, 1)
            }
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, IndexError) as error:
        raise ValueError(f"not a workbook: {error}") from error


def _parse(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    data = book.read(name)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError(f"{name} declares entities")
    return ElementTree.fromstring(data)  # noqa: S314  without entities


def _text(item: ElementTree.Element) -> str:
    text = "".join(part.text or "" for part in item.iter(_MAIN + "t"))
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _rows(sheet: ElementTree.Element, texts: List[str]) -> List[List[Any]]:  # noqa: UP006
    rows: List[List[Any]] = []  # noqa: UP006
    for row in sheet.iter(_MAIN + "row"):
        number = int(row.get("r", "0"))
        if number > _MOST_ROWS:
            raise ValueError(f"row {number} is beyond what a sheet has")
        rows += [[] for _ in range(number - len(rows))]
        cells = rows[-1]
        for cell in row.iter(_MAIN + "c"):
            place, value = _column(str(cell.get("r"))), cell.find(_MAIN + "v")
            if value is None or value.text is None:
                continue
            if cell.find(_MAIN + "f") is not None:
                raise ValueError(f"cell {cell.get('r')} is a formula")
            cells += [None] * (place + 1 - len(cells))
            cells[place] = texts[int(value.text)] if cell.get("t") == "s" else float(value.text)
    return rows


def _column(reference: str) -> int:
    """`AB12` -> 27"""
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = 26 * number + ord(letter) - 64
    return number - 1


def holds(data: bytes, sheets: Dict[str, List[List[Any]]]) -> bool:  # noqa: UP006
    """Whether a workbook has these sheets with these cells, and no others. False for what is no workbook."""
    try:
        found = read_cells(data)
    except (ValueError, OverflowError, MemoryError):
        return False
    return list(found) == list(sheets) and all(_are_alike(found[name], rows) for name, rows in sheets.items())


def _are_alike(found: List[List[Any]], rows: List[List[Any]]) -> bool:  # noqa: UP006
    return len(found) == len(rows) and all(_is_row(*pair) for pair in zip(found, rows))  # noqa: B905  3.8 has no strict


def _is_row(found: List[Any], row: List[Any]) -> bool:  # noqa: UP006
    wanted = [printed(cell) if isinstance(cell, str) else cell for cell in row]
    wanted = [None if cell == "" else cell for cell in wanted]
    while wanted and wanted[-1] is None:
        wanted.pop()
    return len(found) == len(wanted) and all(_is_cell(*pair) for pair in zip(found, wanted))  # noqa: B905


def _is_cell(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, (int, float)):
        return found == wanted or abs(found - wanted) <= _CLOSE * abs(wanted)
    return bool(found == wanted)
