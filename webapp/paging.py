"""Lists by key, not by page number: a page costs the same however far down it is, and nothing shifts meanwhile."""
from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.utils.dateparse import parse_datetime


def page_of(query: QuerySet, after: str | None, fields: tuple[str, ...], size: int = 50,
            rising: bool = False) -> tuple[list, str | None]:
    """The rows after the given mark, and the mark of the page that follows (None on the last).

    `fields` order the list (falling unless `rising`) and together are unique. A mark that makes no sense is the start.
    """
    order = [F(name).asc() if rising else F(name).desc() for name in fields]
    values = _read(after, len(fields))
    if values:
        with suppress(TypeError, ValueError, ValidationError):  # a mark of another list
            query = query.filter(_beyond(fields, values, "gt" if rising else "lt"))
    rows = list(query.order_by(*order)[:size + 1])
    more = len(rows) > size
    rows = rows[:size]
    return rows, _write([getattr(rows[-1], name) for name in fields]) if more else None


def rows_after(rows: Sequence, after: str | None, key: Callable[[Any], tuple], size: int) -> tuple[list, str | None]:
    """The same of rows that are here already, in rising order of `key`, whose parts are numbers or texts."""
    mark = _read(after, len(key(rows[0]))) if rows else None
    alike = mark is not None and [type(part) for part in mark] == [type(part) for part in key(rows[0])]
    start = next((at for at, row in enumerate(rows) if key(row) > tuple(mark)), len(rows)) if mark and alike else 0
    shown = list(rows[start:start + size])
    return shown, _write(list(key(shown[-1]))) if start + size < len(rows) else None


def _beyond(fields: tuple[str, ...], values: list, than: str) -> Q:
    """Tuple comparison: (a, b) < (x, y) is a <= x and (a < x or (a = x and b < y)). Where it begins, an index finds by the
    first part; without it, all rows before would be read and thrown away."""
    first = Q(**{f"{fields[0]}__{than}": values[0]})
    if len(fields) == 1:
        return first
    rest = Q(**{fields[0]: values[0]}) & _beyond(fields[1:], values[1:], than)
    return Q(**{f"{fields[0]}__{than}e": values[0]}) & (first | rest)


_TEXT = "="
"""Before a text in a mark; a time has nothing before it."""


def _write(values: list) -> str:
    told = [value if isinstance(value, int) else value.isoformat() if isinstance(value, datetime) else f"{_TEXT}{value}"
            for value in values]
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def _read(mark: str | None, count: int) -> list | None:
    try:
        values = json.loads(base64.urlsafe_b64decode(f"{mark}==")) if mark else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or len(values) != count:
        return None
    read = [_value(value) for value in values]
    return None if None in read else read


def _value(text: object) -> int | str | datetime | None:
    if isinstance(text, int) and not isinstance(text, bool) and abs(text) < 2**63:
        return text
    if not isinstance(text, str) or "\0" in text:
        return None
    if text.startswith(_TEXT):
        return text.removeprefix(_TEXT)
    if text.isdecimal() and len(text) < 19:
        return int(text)
    try:
        return parse_datetime(text)
    except ValueError:
        return None
