"""Keyset pagination: a page costs the same however far down it is, and rows do not shift between pages."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet, Value
from django.utils.dateparse import parse_datetime


def paginate(
    query: QuerySet | Sequence[QuerySet],
    after: str | None,
    fields: tuple[str, ...],
    size: int = 50,
    rising: bool = False,
) -> tuple[list, str | None]:
    """The rows after the given page token, and the token of the next page (None on the last).

    `fields` order the list and together are unique: descending unless `rising`, one with a `-` in the opposite order. Rows of
    several queries are merged, each once: two index scans are shorter than one with either of two conditions. An invalid token
    is the start.
    """
    keys = [_Key(name.removeprefix("-"), rising == name.startswith("-")) for name in fields]
    values = decode_page_token(after, len(keys))
    queries = query if isinstance(query, Sequence) else [query]
    rows = [row for source in queries for row in _fetch(source, keys, values, size + 1)]
    if len(queries) > 1:
        rows = list({row.pk: row for row in rows}.values())
        for key in reversed(keys):
            rows.sort(key=attrgetter(key.name), reverse=key.descending)
    return _cut(rows, keys, size)


def paginate_both(
    one: tuple[QuerySet, str | None, tuple[str, ...]], other: tuple[QuerySet, str | None, tuple[str, ...]], size: int
) -> list[tuple[list, str | None]]:
    """Pages of two lists of one model, as (query, page token, fields) with `-` before a descending field. One query."""
    orders = [[_Key(name.removeprefix("-"), name.startswith("-")) for name in fields] for _, _, fields in (one, other)]
    first, second = (
        _select(query.annotate(part=Value(at)), keys, decode_page_token(after, len(keys)), size + 1)
        for at, ((query, after, _), keys) in enumerate(zip((one, other), orders, strict=True))
    )
    found: list[list] = [[], []]
    for row in first.union(second, all=True):
        found[row.part].append(row)
    for rows, keys in zip(found, orders, strict=True):
        for key in reversed(keys):
            rows.sort(key=attrgetter(key.name), reverse=key.descending)
    return [_cut(rows, keys, size) for rows, keys in zip(found, orders, strict=True)]


def size_of(asked: Mapping[str, str], name: str, few: int) -> int:
    """Rows of a list on a page of several: few, and eight times as many where the address asks for the list (`?files=`)."""
    return few if asked.get(name) is None else 8 * few


def _cut(rows: list, keys: list[_Key], size: int) -> tuple[list, str | None]:
    has_next = len(rows) > size
    rows = rows[:size]
    return rows, encode_page_token([getattr(rows[-1], key.name) for key in keys]) if has_next else None


def _fetch(query: QuerySet, keys: list[_Key], values: list | None, most: int) -> list:
    return list(_select(query, keys, values, most))


def _select(query: QuerySet, keys: list[_Key], values: list | None, most: int) -> QuerySet:
    if values:
        with suppress(TypeError, ValueError, ValidationError):  # a token of another list
            query = query.filter(_beyond(keys, values))
    return query.order_by(*(F(key.name).desc() if key.descending else F(key.name).asc() for key in keys))[:most]


def paginate_rows(rows: Sequence, after: str | None, key: Callable[[Any], tuple], size: int) -> tuple[list, str | None]:
    """The same for rows in memory, in rising order of `key`, whose parts are numbers or texts."""
    position = decode_page_token(after, len(key(rows[0]))) if rows else None
    is_valid = position is not None and [type(part) for part in position] == [type(part) for part in key(rows[0])]
    start = (
        next((number for number, row in enumerate(rows) if key(row) > tuple(position)), len(rows)) if position and is_valid else 0
    )
    page = list(rows[start : start + size])
    return page, encode_page_token(list(key(page[-1]))) if start + size < len(rows) else None


class _Key(NamedTuple):
    name: str
    descending: bool


def _beyond(keys: list[_Key], values: list) -> Q:
    """Tuple comparison: (a, b) < (x, y) is a <= x and (a < x or (a = x and b < y)). The first part is
    an index condition; without it, all rows before would be read and discarded."""
    name, operator = keys[0].name, "lt" if keys[0].descending else "gt"
    first = Q(**{f"{name}__{operator}": values[0]})
    if len(keys) == 1:
        return first
    rest = Q(**{name: values[0]}) & _beyond(keys[1:], values[1:])
    return Q(**{f"{name}__{operator}e": values[0]}) & (first | rest)


_TEXT_PREFIX = "="
"""Prefix of a text in a page token; a time has none."""


def encode_page_token(values: list) -> str:
    parts = [
        value if isinstance(value, int) else value.isoformat() if isinstance(value, datetime) else f"{_TEXT_PREFIX}{value}"
        for value in values
    ]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def decode_page_token(token: str | None, count: int) -> list | None:
    try:
        values = json.loads(base64.urlsafe_b64decode(f"{token}==")) if token else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or len(values) != count:
        return None
    parts = [_parse_part(value) for value in values]
    return None if None in parts else parts


def _parse_part(text: object) -> int | str | datetime | None:
    if isinstance(text, int) and not isinstance(text, bool) and abs(text) < 2**63:
        return text
    if not isinstance(text, str) or "\0" in text:
        return None
    if text.startswith(_TEXT_PREFIX):
        return text.removeprefix(_TEXT_PREFIX)
    if text.isdecimal() and len(text) < 19:
        return int(text)
    try:
        return parse_datetime(text)
    except ValueError:
        return None
