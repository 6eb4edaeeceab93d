"""What the public data as files are made of, and what went out of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from django.db import connection, transaction

from webapp.models.archive import public_sql
from webapp.models.sql import fetch_rows
from webapp.models.summary import PUBLIC
from webapp.storage.locks import try_lock

FORMAT = 3
"""Raised with every change of the columns: parts of another format are not used again."""
_LOCK = 0x504D5044  # "PMPD"
_PARTS_OF_STATE = f"""
SELECT a.id, a.sha256, a.read_at, a.rank_values > 0, a.unmeasured, w.ids, f.hash
FROM webapp_archive a
LEFT JOIN LATERAL (
    SELECT array_agg(id ORDER BY id) AS ids FROM webapp_withdrawal WHERE archive_id = a.id AND restored_at IS NULL
) w ON true
LEFT JOIN LATERAL (
    SELECT sum(hashtextextended(f.id || ' ' || f.withdrawn || ' ' || f.duplicate_of_id || ' ' || o.path, 0)) AS hash
    FROM webapp_file f JOIN webapp_file o ON o.id = f.duplicate_of_id WHERE f.archive_id = a.id
) f ON true
WHERE a.id = ANY(%s) AND {public_sql("a")} ORDER BY a.id
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


class ArchiveState(NamedTuple):
    """What the rows of an archive depend on."""

    id: int
    sha256: str
    read_at: Any
    has_ranks: bool
    unmeasured: int
    withdrawals: list[int] | None
    duplicates: int | None


def read_states(archives: list[int]) -> list[ArchiveState]:
    """Those of the archives that are public, in the order of ids."""
    return [ArchiveState(*row) for row in fetch_rows(_PARTS_OF_STATE, [archives])]


def fingerprint(states: Iterable[ArchiveState]) -> str:
    """A digest that changes with anything from which the rows of these archives follow."""
    return hashlib.sha256(repr((FORMAT, [tuple(map(str, state)) for state in states])).encode()).hexdigest()


def read_public_sizes(most: int | None = None) -> list[tuple[int, int]]:
    """(id, number of values) of every public archive with values, or of the first ones, in the order of ids."""
    return fetch_rows(
        f"SELECT id, measurements + rank_values + unmeasured FROM webapp_archive WHERE {public_sql()}"  # noqa: S608 names and conditions are constants of the code; values are parameters
        " AND measurements + rank_values + unmeasured > 0 ORDER BY id LIMIT %s",
        [most],
    )


class Withdrawn(NamedTuple):
    """An active withdrawal of a file (`line` is '') or of a measurement."""

    id: int
    archive: int
    path: str
    line: str
    metric: str
    native: str


def read_withdrawn(archives: list[int]) -> list[Withdrawn]:
    rows = fetch_rows(
        "SELECT id, archive_id, path, line, metric, native FROM webapp_withdrawal"
        " WHERE archive_id = ANY(%s) AND restored_at IS NULL AND what <> 'archive' ORDER BY id",
        [archives],
    )
    return [Withdrawn(*row) for row in rows]


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction that sees one state."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def lock_public_data() -> AbstractContextManager[bool]:
    """The lock under which editions are made and changed; yields False at once where another session has it."""
    return try_lock(_LOCK)


def read_public_summary() -> dict[tuple[str, int, int], tuple[int, float, float, float]]:
    """(metric, configuration, workload) -> count, mean and extremes that pages show of all public archives."""
    rows = fetch_rows(
        "SELECT n.name, s.configuration_id, s.workload_id, s.n, s.mean, s.low, s.high FROM webapp_summary s"
        " JOIN webapp_metricname n ON n.id = s.metric_id WHERE s.scope = %s",
        [PUBLIC],
    )
    return {row[:3]: row[3:] for row in rows}
