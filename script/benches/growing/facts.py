"""What a database holds, counted, and the bytes of its tables; and what is looked at in it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

METRIC = "write.throughput"

_COUNTS = f"""
SELECT (SELECT sum(measurements) FROM webapp_archive), (SELECT count(*) FROM webapp_archive), (SELECT count(*) FROM webapp_run),
    (SELECT count(*) FROM webapp_configuration), (SELECT count(*) FROM webapp_summary WHERE scope = 0),
    (SELECT coalesce(sum(c.rows), 0) FROM webapp_metriccount c JOIN webapp_metricname m ON m.id = c.metric_id
     WHERE c.scope = 0 AND m.name = '{METRIC}')
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
COUNTS = ("measurements", "archives", "runs", "configurations", "summary rows", "summary rows of the metric")
_BYTES = """
SELECT relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND relkind = 'r' AND relname LIKE 'webapp%' AND pg_total_relation_size(c.oid) > 1000000 ORDER BY 2 DESC
"""


def _rows(query: str, *args: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, args or None)
        return cursor.fetchall()


def counts() -> dict[str, int]:
    """What is counted -> how many."""
    return dict(zip(COUNTS, map(int, _rows(_COUNTS)[0]), strict=True))


def sizes() -> dict[str, list[int]]:
    """Table -> bytes of it and of its indexes; `database` -> all bytes."""
    found = {name.removeprefix("webapp_"): [table, indexes] for name, table, indexes in _rows(_BYTES)}
    return {"database": [_rows("SELECT pg_database_size(current_database())")[0][0]], **found}


@dataclass(frozen=True, slots=True)
class Busiest:
    """The configuration that has most values, its system, one of its runs with archive and file; others."""

    configuration: int
    other: int
    system: int
    other_system: int
    run: int
    archive: int


def busiest() -> Busiest:
    """Of the public data; of equals the oldest."""
    (first, *rest) = _rows(
        "SELECT configuration_id FROM webapp_configurationcount WHERE scope = 0 ORDER BY n DESC, configuration_id LIMIT 2"
    )
    (system,) = _rows("SELECT system_id FROM webapp_configuration WHERE id = %s", *first)[0]
    (other,) = _rows("SELECT coalesce(max(id), %s) FROM webapp_system WHERE id <> %s", system, system)[0]
    run, archive = _rows("SELECT r.id, r.archive_id FROM webapp_run r WHERE configuration_id = %s ORDER BY id LIMIT 1", *first)[0]
    return Busiest(first[0], rest[0][0] if rest else first[0], system, other, run, archive)


def usual_archive() -> tuple[int, int]:
    """Id and measurements of the public archive in the middle, by its measurements."""
    found = _rows(
        "SELECT id, measurements FROM webapp_archive WHERE published_at IS NOT NULL AND withdrawn_at IS NULL"
        " AND measurements > 0 ORDER BY measurements, id"
    )
    return found[len(found) // 2]
