"""Lists by key, not by page number: a page costs the same however far down it is, and nothing shifts meanwhile."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.utils.dateparse import parse_datetime


def paginate(
    query: QuerySet | Sequence[QuerySet],
    after: str | None,
    fields: tuple[str, ...],
    size: int = 50,
    rising: bool = False,
    beside: Sequence = (),
) -> tuple[list, str | None]:
    """The rows after the given mark, and the mark of the page that follows (None on the last).

    `fields` order the list and together are unique: falling unless `rising`, one that begins with `-` the other way round.
    Of several queries the rows come together, each once: two orders of an index are shorter than one walk through what
    either of two conditions lets through. `beside`: rows that are here already and belong into the same order. A mark that
    makes no sense is the start.
    """
    keys = [_Key(name.removeprefix("-"), rising == name.startswith("-")) for name in fields]
    values = decode_page_token(after, len(keys))
    queries = query if isinstance(query, Sequence) else [query]
    rows = [row for one in queries for row in _some(one, keys, values, size + 1)]
    rows += [row for row in beside if not values or _is_beyond(row, keys, values)]
    if len(queries) > 1 or beside:
        rows = list({row.pk: row for row in rows}.values())
        for key in reversed(keys):
            rows.sort(key=attrgetter(key.name), reverse=key.falling)
    more = len(rows) > size
    rows = rows[:size]
    return rows, encode_page_token([getattr(rows[-1], key.name) for key in keys]) if more else None


def _some(query: QuerySet, keys: list[_Key], values: list | None, most: int) -> list:
    if values:
        with suppress(TypeError, ValueError, ValidationError):  # a mark of another list
            query = query.filter(_beyond(keys, values))
    return list(query.order_by(*(F(key.name).desc() if key.falling else F(key.name).asc() for key in keys))[:most])


def _is_beyond(row: Any, keys: list[_Key], values: list) -> bool:
    """The comparison of `_beyond` for a row that is here."""
    for key, value in zip(keys, values, strict=True):
        own = getattr(row, key.name)
        if type(own) is not type(value):
            return True  # a mark of another list
        if own != value:
            return (own < value) == key.falling
    return False


def paginate_rows(rows: Sequence, after: str | None, key: Callable[[Any], tuple], size: int) -> tuple[list, str | None]:
    """The same of rows that are here already, in rising order of `key`, whose parts are numbers or texts."""
    mark = decode_page_token(after, len(key(rows[0]))) if rows else None
    alike = mark is not None and [type(part) for part in mark] == [type(part) for part in key(rows[0])]
    start = next((at for at, row in enumerate(rows) if key(row) > tuple(mark)), len(rows)) if mark and alike else 0
    shown = list(rows[start : start + size])
    return shown, encode_page_token(list(key(shown[-1]))) if start + size < len(rows) else None


class _Key(NamedTuple):
    name: str
    falling: bool


def _beyond(keys: list[_Key], values: list) -> Q:
    """Tuple comparison: (a, b) < (x, y) is a <= x and (a < x or (a = x and b < y)). Where it begins, an index finds by the
    first part; without it, all rows before would be read and thrown away."""
    name, than = keys[0].name, "lt" if keys[0].falling else "gt"
    first = Q(**{f"{name}__{than}": values[0]})
    if len(keys) == 1:
        return first
    rest = Q(**{name: values[0]}) & _beyond(keys[1:], values[1:])
    return Q(**{f"{name}__{than}e": values[0]}) & (first | rest)


_TEXT = "="
"""Before a text in a mark; a time has nothing before it."""


def encode_page_token(values: list) -> str:
    told = [
        value if isinstance(value, int) else value.isoformat() if isinstance(value, datetime) else f"{_TEXT}{value}"
        for value in values
    ]
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def decode_page_token(mark: str | None, count: int) -> list | None:
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
