"""Values of single ranks: many of one run to a compressed block of bytes, and back.

A block is the zlib stream of a JSON list with one list for each column of `RankValue`; a column whose values are all equal, other
than offsets and numbers, has one element.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection

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
    return zlib.compress(_encode(columns).encode())


def unpack(data: bytes) -> list[RankValue]:
    """The values of a block."""
    columns = json.loads(zlib.decompress(data))
    count = len(columns[0])
    return [
        RankValue(*row) for row in zip(*(column if len(column) == count else column * count for column in columns), strict=True)
    ]


_encode = json.JSONEncoder(separators=(",", ":")).encode


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
                StoredRankValue(
                    first + one.offset,
                    one.workload,
                    metric,
                    one.line,
                    native,
                    one.value,
                    one.raw,
                    raw_unit,
                    one.repetition,
                    one.duplicate_of,
                    one.details,
                    one.part,
                    run,
                )
                for run, first, metric, native, raw_unit, data in blocks
                for one in unpack(bytes(data))
            )
