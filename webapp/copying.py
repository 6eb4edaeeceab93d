"""COPY and blocks of ids: how bulk rows go in."""
from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"[\\\t\n\r]")
_SPECIAL = re.compile("[\\\\\t\n\r\x00\ud800-\udfff]").search
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_CHUNK = 2000


def clean(text: str) -> str:
    """The text with what PostgreSQL cannot keep (NUL, half surrogates) as U+FFFD."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def cell(text: str | None) -> str:
    """A text as one cell of COPY's text format."""
    if text is None:
        return "\\N"
    if not _SPECIAL(text):
        return text
    return _ESCAPED.sub(lambda m: _ESCAPES[m[0]], clean(text))


def to_json(value: Any) -> str:
    """Canonical JSON (sorted keys, no spaces) that a jsonb column accepts."""
    return _encode(_plain(value))


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str).encode


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value


def copy_lines(table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
    """COPY ready lines (cells joined by tabs, no line feed) into a table."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        chunk: list[str] = []
        for line in lines:
            chunk.append(line)
            if len(chunk) >= _CHUNK:
                copy.write("\n".join(chunk) + "\n")
                chunk.clear()
        if chunk:
            copy.write("\n".join(chunk) + "\n")


def reserve_ids(table: str, count: int) -> int:
    """The first of `count` ids in a row that nobody else gets."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
        (sequence,) = cursor.fetchone()
        # Between nextval and setval nobody else may draw; other users of the sequence come through here as well.
        cursor.execute("SELECT pg_advisory_lock(hashtext(%s))", [sequence])
        try:
            cursor.execute("SELECT nextval(%s::regclass)", [sequence])
            (first,) = cursor.fetchone()
            if count > 1:
                cursor.execute("SELECT setval(%s::regclass, %s)", [sequence, first + count - 1])
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", [sequence])
    return first
