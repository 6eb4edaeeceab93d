"""Rows by COPY, and consecutive ids for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from django.db import connection

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"[\\\t\n\r]")
find_special = re.compile("[\\\\\t\n\r\x00\ud800-\udfff]").search
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_CHUNK_LINES = 2000
IDS_LOCK = 0x49445300  # "IDS": key of the advisory lock for reserving ids


def replace_unstorable(text: str) -> str:
    """The text with what PostgreSQL cannot store (NUL, lone surrogates) as U+FFFD."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def cell(text: str | None) -> str:
    """A text as one cell of COPY's text format."""
    if text is None:
        return "\\N"
    if not find_special(text):
        return text
    return _ESCAPED.sub(lambda m: _ESCAPES[m[0]], replace_unstorable(text))


def to_json(value: Any) -> str:
    """Canonical JSON (sorted keys, no spaces) that a jsonb column accepts. Keys are texts."""
    if not value and isinstance(value, dict):
        return "{}"
    try:
        text = _strict(value)
    except ValueError:  # not a number, or infinite
        return _encode(_plain(value))
    return text if text.isascii() and "\\u0000" not in text else _encode(_plain(value))


_canonical = partial(json.JSONEncoder, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
_encode, _strict = _canonical().encode, _canonical(allow_nan=False).encode


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, dict):
        return {replace_unstorable(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value


def copy_lines(table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
    """COPY lines (cells joined by tabs, no line feed, none empty) into a table."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        remaining = iter(lines)
        while chunk := "\n".join(islice(remaining, _CHUNK_LINES)):
            copy.write(chunk + "\n")


def reserve_ids(**counts: int) -> list[int]:
    """Reserve `count` consecutive ids for each table; the first id of each. All ids of these tables are reserved here."""
    reserved = ", ".join(f"setval(%s::regclass, nextval(%s::regclass) + %s) AS c{number}" for number in range(len(counts)))
    names = ", ".join(f"c{number}" for number in range(len(counts)))
    sequences = [arg for table, count in counts.items() for arg in (f"{table}_id_seq", f"{table}_id_seq", max(count, 1) - 1)]
    with connection.cursor() as cursor:
        # The lock keeps others out between nextval and setval. In a statement of its own, so that the names of the sequences are
        # looked up once it is there: `manage.py partition` puts another one in their place.
        cursor.execute("SELECT pg_advisory_lock(%s)", [IDS_LOCK])
        cursor.execute(
            f"WITH drawn AS MATERIALIZED (SELECT {reserved}) SELECT {names}, pg_advisory_unlock(%s) FROM drawn",  # noqa: S608 names and conditions are constants of the code; values are parameters
            [*sequences, IDS_LOCK],
        )
        lasts = cursor.fetchone()[:-1]
    return [last - max(count, 1) + 1 for last, count in zip(lasts, counts.values(), strict=True)]
