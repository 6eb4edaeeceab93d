"""Lists by key, not by page number: a page costs the same however far down it is, and nothing shifts meanwhile."""
from __future__ import annotations

import base64
import json

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
        query = query.filter(_beyond(fields, values, "gt" if rising else "lt"))
    rows = list(query.order_by(*order)[:size + 1])
    more = len(rows) > size
    rows = rows[:size]
    return rows, _write([getattr(rows[-1], name) for name in fields]) if more else None


def _beyond(fields: tuple[str, ...], values: list, than: str) -> Q:
    """Tuple comparison: (a, b) < (x, y) is a < x or (a = x and b < y)."""
    first = Q(**{f"{fields[0]}__{than}": values[0]})
    if len(fields) == 1:
        return first
    return first | (Q(**{fields[0]: values[0]}) & _beyond(fields[1:], values[1:], than))


def _write(values: list) -> str:
    return base64.urlsafe_b64encode(json.dumps([str(value) for value in values]).encode()).decode().rstrip("=")


def _read(mark: str | None, count: int) -> list | None:
    try:
        values = json.loads(base64.urlsafe_b64decode(f"{mark}==")) if mark else None
    except ValueError:
        return None
    if not isinstance(values, list) or len(values) != count:
        return None
    read = [_value(value) for value in values]
    return None if None in read else read


def _value(text):
    if not isinstance(text, str):
        return None
    if text.isdecimal() and len(text) < 19:
        return int(text)
    try:
        return parse_datetime(text)
    except ValueError:
        return None
