"""CSV cells that are safe in spreadsheets: text of uploads is never a formula."""

from __future__ import annotations

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_is_number = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf", re.ASCII).fullmatch


def escape_formula(text: str) -> str:
    """The text, prefixed with an apostrophe where a spreadsheet would read a formula (OWASP, CSV Injection).

    A number stays a number: -1.5, +3, -2e9.
    """
    return f"'{text}" if text.startswith(_STARTS) and not _is_number(text) else text


def escape_row(cells: list[object]) -> list[object]:
    """The cells of a row, with `escape_formula` applied to texts."""
    return [escape_formula(cell) if isinstance(cell, str) else cell for cell in cells]
