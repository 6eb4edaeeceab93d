"""The values of an archive, and the archives that an older version of a parser has read."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from django.db import connection

from ingest import keys
from webapp.models import MetricName, Workload
from webapp.storage.compressed_values import read_rank_values

_VALUES = f"""
SELECT m.id, r.id, r.config_exact::text, f.path, m.line, n.name, m.native, w.stat, m.value, m.raw,
       coalesce(o.values, '{{}}')::text, {", ".join(f"c.{key.column}" for key in keys.KEYS.values())}
FROM webapp_run r
JOIN webapp_file f ON f.id = r.file_id
JOIN webapp_configuration c ON c.id = r.configuration_id
LEFT JOIN webapp_openproperties o ON o.id = c.open_id
CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n WHERE n.id >= r.first_measurement AND n.id < r.first_measurement + r.measurements OFFSET 0
) m
JOIN webapp_workload w ON w.id = m.workload_id
JOIN webapp_metricname n ON n.id = m.metric_id
WHERE r.archive_id = %s ORDER BY m.id
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_RUNS_WITH_RANKS = f"""
SELECT r.id, r.config_exact::text, f.path, coalesce(o.values, '{{}}')::text,
       {", ".join(f"c.{key.column}" for key in keys.KEYS.values())}
FROM webapp_run r
JOIN webapp_file f ON f.id = r.file_id
JOIN webapp_configuration c ON c.id = r.configuration_id
LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE r.archive_id = %s AND r.rank_values > 0
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


def read_values(archive: int) -> list[tuple]:
    """A row for each value of the archive, in the order of ids: run, exact configuration, path, line, metric, native name, stat,
    value, raw text, open properties as JSON, and the columns of the configuration."""
    with connection.cursor() as cursor:
        cursor.execute(_VALUES, [archive])
        values = cursor.fetchall()
    ranks = _read_rank_values(archive)
    return [row[1:] for row in (sorted([*values, *ranks], key=itemgetter(0)) if ranks else values)]


def _read_rank_values(archive: int) -> list[tuple]:
    """A row for each value of a single rank, as those of `_VALUES`."""
    with connection.cursor() as cursor:
        cursor.execute(_RUNS_WITH_RANKS, [archive])
        runs = {run: columns for run, *columns in cursor.fetchall()}
    values = list(read_rank_values([archive])) if runs else []
    metrics = dict(MetricName.objects.filter(pk__in={one.metric for one in values}).values_list("pk", "name"))
    stats = dict(Workload.objects.filter(pk__in={one.workload for one in values}).values_list("pk", "stat"))
    rows = []
    for one in values:
        exact, path, *columns = runs[one.run]
        name, stat = metrics[one.metric], stats[one.workload]
        rows.append((one.id, one.run, exact, path, one.line, name, one.native, stat, one.value, one.raw, *columns))
    return rows


def find_read_by_older_parsers(versions: Mapping[str, int]) -> list[int]:
    """Ids of archives with a file that was read by an earlier version of a parser than the given one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT f.archive_id FROM webapp_file f"
            " JOIN unnest(%s::text[], %s::int[]) AS k(parser, version) ON f.parser = k.parser"
            " WHERE f.parser_version < k.version ORDER BY f.archive_id",
            [list(versions), list(versions.values())],
        )
        return [row[0] for row in cursor.fetchall()]


def bytes_per_value() -> int:
    """Disk space of a measurement with its index, in bytes; 300 of an empty table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size(oid), reltuples FROM pg_class WHERE oid = 'webapp_measurement'::regclass")
        size, rows = cursor.fetchone()
    return round(size / rows) if rows > 1000 else 300
