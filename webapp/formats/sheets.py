"""Tables as CSV, whose cells are safe in spreadsheets: text of uploads is never a formula.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes tables anew with it.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any, Callable, Iterable, List, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_is_number = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf", re.ASCII).fullmatch


def escape_formula(text: str) -> str:
    """The text, prefixed with an apostrophe where a spreadsheet would read a formula (OWASP, CSV Injection).

    A number stays a number: -1.5, +3, -2e9.
    """
    return f"'{text}" if text.startswith(_STARTS) and not _is_number(text) else text


Row = List[Any]  # noqa: UP006
"""Cells: text, number, or None."""
Columns = Mapping[str, Callable[..., Any]]
"""What a table is made by: the head of each column, and the function that reads its cell of an item."""


def make_rows(columns: Columns, items: Iterable[Any]) -> List[Row]:  # noqa: UP006
    """The heads, then a row for each item."""
    return [[*columns], *([read(item) for read in columns.values()] for item in items)]


def to_csv(rows: Iterable[Iterable[Any]], end: str = "\r\n") -> str:
    """The rows. Numbers read back as the same number, None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def _cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return escape_formula(cell)
    return "" if cell is None else repr(cell) if isinstance(cell, float) else cell
