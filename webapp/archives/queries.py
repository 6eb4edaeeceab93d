"""The values of an archive, and the archives that an older version of a parser has read."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from django.db import connection

from ingest import keys
from webapp.models import MetricName, Workload
from webapp.models.sql import fetch_row, fetch_rows
from webapp.storage.pg_copy import read_rank_values

_VALUES = """
SELECT m.id, r.id, f.path, m.line, n.name, m.native, w.stat, m.value, m.raw
FROM webapp_run r
JOIN webapp_file f ON f.id = r.file_id
CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n WHERE n.id >= r.first_measurement AND n.id < r.first_measurement + r.measurements OFFSET 0
) m
JOIN webapp_workload w ON w.id = m.workload_id
JOIN webapp_metricname n ON n.id = m.metric_id
WHERE r.archive_id = %s ORDER BY m.id
"""
_RUNS = f"""
SELECT r.id, f.path, r.rank_values > 0, r.config_exact::text, coalesce(o.values, '{{}}')::text,
       {", ".join(f"c.{key.column}" for key in keys.KEYS.values())}
FROM webapp_run r
JOIN webapp_file f ON f.id = r.file_id
JOIN webapp_configuration c ON c.id = r.configuration_id
LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE r.archive_id = %s
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


def read_values(archive: int) -> list[tuple]:
    """A row for each value of the archive, in the order of ids: configuration, path, line, metric, native name, stat, value, raw
    text. A configuration is (exact values as JSON, open properties as JSON, columns ...), one object for all its values."""
    configurations: dict[tuple, tuple] = {}
    runs, with_ranks = dict[int, tuple](), dict[int, str]()
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, [archive])
        for run, path, has_ranks, *columns in cursor.fetchall():
            runs[run] = configurations.setdefault(tuple(columns), tuple(columns))
            if has_ranks:
                with_ranks[run] = path
        cursor.execute(_VALUES, [archive])
        values = cursor.fetchall()
    if with_ranks:
        values = sorted([*values, *_read_rank_values(archive, with_ranks)], key=itemgetter(0))
    return [(runs[row[1]], *row[2:]) for row in values]


def _read_rank_values(archive: int, paths: Mapping[int, str]) -> list[tuple]:
    """A row for each value of a single rank, as those of `_VALUES`. `paths`: of the files of the runs that have some."""
    values = list(read_rank_values([archive]))
    metrics = dict(MetricName.objects.filter(pk__in={one.metric for one in values}).values_list("pk", "name"))
    stats = dict(Workload.objects.filter(pk__in={one.workload for one in values}).values_list("pk", "stat"))
    return [
        (one.id, one.run, paths[one.run], one.line, metrics[one.metric], one.native, stats[one.workload], one.value, one.raw)
        for one in values
    ]


def find_read_by_older_parsers(versions: Mapping[str, int]) -> list[int]:
    """Ids of archives with a file that was read by an earlier version of a parser than the given one."""
    rows = fetch_rows(
        "SELECT DISTINCT f.archive_id FROM webapp_file f"
        " JOIN unnest(%s::text[], %s::int[]) AS k(parser, version) ON f.parser = k.parser"
        " WHERE f.parser_version < k.version ORDER BY f.archive_id",
        [list(versions), list(versions.values())],
    )
    return [row[0] for row in rows]


def count_outdated(versions: Mapping[str, int]) -> int:
    """The number of archives with a file that was read by an earlier version of a parser than the given one, or whose runs have no
    machine: they were read before machines were known."""
    return fetch_row(
        "SELECT count(*) FROM (SELECT f.archive_id FROM webapp_file f"
        " JOIN unnest(%s::text[], %s::int[]) AS k(parser, version) ON f.parser = k.parser WHERE f.parser_version < k.version"
        " UNION SELECT r.archive_id FROM webapp_archiveconfiguration r JOIN webapp_configuration c ON c.id = r.configuration_id"
        " WHERE c.machine_id IS NULL) outdated",
        [list(versions), list(versions.values())],
    )[0]


def bytes_per_value() -> int:
    """Disk space of a measurement with its index, in bytes; 300 of an empty table."""
    size, rows = fetch_row("SELECT pg_total_relation_size(oid), reltuples FROM pg_class WHERE oid = 'webapp_measurement'::regclass")
    return round(size / rows) if rows > 1000 else 300
