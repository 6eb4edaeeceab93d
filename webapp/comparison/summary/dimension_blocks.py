"""The rows of configurations and workloads that a process needs: by blocks where it needs many that lie together, else by key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

Row = Mapping[str, Any]
"""A row by its columns."""
FEW = 8
"""Rows that are read by their key without a look at the blocks."""
# A block is read where it may have at least a sixteenth of its rows to give: reading it costs as much as some twenty rows by key.
# What lies in none of those comes by its key along with them.
_BLOCKS = """
WITH worth AS MATERIALIZED (
    SELECT b.side, b.first, b.last, b.told FROM webapp_dimensionblock b WHERE 16 * (
        SELECT count(*) FROM unnest(CASE b.side WHEN 0 THEN %s::bigint[] ELSE %s::bigint[] END) AS k(id)
        WHERE k.id BETWEEN b.first AND b.last) >= b.entries
)
SELECT worth.side, worth.told FROM worth
UNION ALL
"""
_OUTSIDE = """(SELECT o.id FROM unnest(%s::bigint[]) AS o(id) WHERE NOT EXISTS (
    SELECT FROM worth WHERE worth.side = {} AND o.id BETWEEN worth.first AND worth.last))"""
# One look-up by its key for each, whatever the planner believes of the tables.
_ROWS = """
SELECT 0, c.told FROM {} AS k(id)
CROSS JOIN LATERAL (SELECT to_jsonb(o)::text AS told FROM webapp_configuration o WHERE o.id = k.id OFFSET 0) c
UNION ALL SELECT 1, w.told FROM {} AS k(id)
CROSS JOIN LATERAL (SELECT to_jsonb(o)::text AS told FROM webapp_workload o WHERE o.id = k.id OFFSET 0) w
"""
_BY_KEY = _ROWS.format(*["unnest(%s::bigint[])"] * 2)
_BY_BLOCKS = _BLOCKS + _ROWS.format(_OUTSIDE.format(0), _OUTSIDE.format(1))


def read(configurations: Sequence[int], workloads: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """(0, row) of these configurations and (1, row) of these workloads, each once. One query; two where a block that was
    not read lies among those that were.

    One by one, since a row of a block is some twenty times as long as what is kept of it.
    """
    missing = set(configurations), set(workloads)
    with connection.cursor() as cursor:
        if max(map(len, missing)) > FEW:
            yield from _wanted(_told(cursor, _BY_BLOCKS, (*missing, *missing)), missing)
        if any(missing):
            yield from _wanted(_told(cursor, _BY_KEY, missing), missing)


def _wanted(rows: Iterable[tuple[int, Row]], missing: tuple[set[int], set[int]]) -> Iterator[tuple[int, Row]]:
    for side, row in rows:
        if row["id"] in missing[side]:
            missing[side].remove(row["id"])
            yield side, row


def _told(cursor, query: str, ids: Iterable[Iterable[int]]) -> Iterator[tuple[int, Row]]:
    cursor.execute(query, [sorted(some) for some in ids])
    for side, told in cursor.fetchall():
        rows = json.loads(told)
        for row in rows if isinstance(rows, list) else [rows]:
            yield side, row
