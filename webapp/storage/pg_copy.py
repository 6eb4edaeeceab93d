"""Rows by COPY, consecutive ids for them, and values of single ranks as compressed blocks."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection

# Values of single ranks: many of one run to a compressed block of bytes, and back.

_ROWS = """
SELECT c.run_id, r.first_measurement, c.metric_id, c.native, c.raw_unit, c.data
FROM webapp_compressedvalues c JOIN webapp_run r ON r.id = c.run_id
WHERE c.archive_id = ANY(%s)
AND (%s::text[] IS NULL OR EXISTS (SELECT FROM webapp_file f WHERE f.id = r.file_id AND f.path = ANY(%s)))
ORDER BY r.first_measurement, c.id
"""


class RankValue(NamedTuple):
    """One value; `offset` of its id from the first of its run, `details` as JSON where it has descriptive parameters of its own."""

    offset: int
    workload: int
    line: str
    value: float
    raw: str
    repetition: int
    duplicate_of: str | None
    part: str | None
    details: str | None


class StoredRankValue(NamedTuple):
    """One value as the database has it: the columns of a measurement, and the part that its workload lacks."""

    id: int
    workload: int
    metric: int
    line: str
    native: str
    value: float
    raw: str
    raw_unit: str
    repetition: int
    duplicate_of: str | None
    details: str | None
    part: str | None
    run: int


def pack(values: Sequence[RankValue]) -> bytes:
    """The block of values, of which there is at least one."""
    columns = []
    for name, column in zip(RankValue._fields, zip(*values, strict=True), strict=True):
        is_constant = name not in ("offset", "value") and column.count(column[0]) == len(column)
        columns.append(column[:1] if is_constant else column)
    return zlib.compress(_encode_block(columns).encode())


def unpack(data: bytes) -> list[RankValue]:
    """The values of a block."""
    columns = json.loads(zlib.decompress(data))
    count = len(columns[0])
    return [
        RankValue(*row) for row in zip(*(column if len(column) == count else column * count for column in columns), strict=True)
    ]


_encode_block = json.JSONEncoder(separators=(",", ":")).encode


def order_as_jsonb(values: dict[str, Any]) -> dict[str, Any]:
    """The items in the order in which PostgreSQL prints them: by the length of the key, then by the key."""
    return dict(sorted(values.items(), key=lambda item: (len(item[0].encode()), item[0].encode())))


def read_rank_values(archives: Sequence[int], paths: Sequence[str] | None = None) -> Iterator[StoredRankValue]:
    """Every value of single ranks in these archives, or in their files of these paths, in the order of ids.

    The values of one run are in memory together.
    """
    names = None if paths is None else list(paths)
    with connection.chunked_cursor() as cursor:
        cursor.execute(_ROWS, [list(archives), names, names])
        for _, blocks in groupby(iter(cursor.fetchone, None), key=itemgetter(0)):
            yield from sorted(
                # by `_make`: a large archive has millions of them, and thirteen keywords take more than twice as long
                StoredRankValue._make(
                    (first + one.offset, one.workload, metric, one.line, native, one.value, one.raw)
                    + (raw_unit, one.repetition, one.duplicate_of, one.details, one.part, run)
                )
                for run, first, metric, native, raw_unit, data in blocks
                for one in unpack(bytes(data))
            )


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
