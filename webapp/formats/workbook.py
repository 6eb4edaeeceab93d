"""Tables as a workbook of a spreadsheet (XLSX). The same tables give the same bytes. Text of uploads is never a formula or link."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import xlsxwriter

from webapp.formats.workbook_cells import printed

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MAX_WIDTH = 40
"""Characters of the widest column."""
_OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}


def to_workbook(sheets: Mapping[str, Sequence[Sequence[Any]]], title: str, made: datetime) -> bytes:
    """The workbook: a sheet for each table, its first row a head that stays in place. `made`: the date in its properties."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, _OPTIONS) as book:
        book.set_properties({"title": printed(title)[:200], "created": made.replace(tzinfo=None), "company": "Poolmark"})
        bold = book.add_format({"bold": True, "bottom": 1})
        for name, rows in sheets.items():
            _fill(book.add_worksheet(name), rows, bold)
    return out.getvalue()


def _fill(sheet: Any, rows: Sequence[Sequence[Any]], bold: Any) -> None:
    has_head = sheet.get_name() != "about"
    for at, row in enumerate(rows):
        for place, cell in enumerate(row):
            style = bold if (at == 0 if has_head else place == 0) else None
            if isinstance(cell, int | float):
                sheet.write_number(at, place, cell, style)
            elif cell not in (None, ""):
                sheet.write_string(at, place, printed(cell), style)
    for place in range(max(map(len, rows), default=0)):
        width = max(len(str(row[place])) if place < len(row) and row[place] is not None else 0 for row in rows[:200])
        sheet.set_column(place, place, min(max(width, 6), _MAX_WIDTH) + 1)
    if has_head:
        sheet.freeze_panes(1, 0)
        if len(rows) > 1:
            sheet.autofilter(0, 0, len(rows) - 1, len(rows[0]) - 1)
