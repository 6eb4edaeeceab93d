"""SQL queries for frozen records: measurements by id, and current values by run or by file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import connection

from webapp.models import MetricName, Permalink, Workload
from webapp.models.sql import fetch_rows
from webapp.storage.pg_copy import read_rank_values

_RUNS = "SELECT id, archive_id, first_measurement, measurements, configuration_id, config_exact FROM webapp_run WHERE id = ANY(%s)"
_OF_RUNS = """
SELECT k.run, m.line, m.metric_id, m.native, m.workload_id, m.id, m.value, m.raw, m.raw_unit
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS k(run, first, beyond)
CROSS JOIN LATERAL (SELECT * FROM webapp_measurement n WHERE n.id >= k.first AND n.id < k.beyond OFFSET 0) m
WHERE m.line = ANY(%s) AND m.metric_id = ANY(%s) ORDER BY m.id
"""
_OF_FILES = """
SELECT k.archive, f.path, m.line, n.name, m.native, w.stat, m.id, m.value, m.raw, m.raw_unit, r.configuration_id, r.config_exact
FROM unnest(%s::bigint[], %s::text[]) AS k(archive, path) JOIN webapp_file f ON f.archive_id = k.archive AND f.path = k.path
CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n WHERE n.id >= f.first_measurement AND n.id < f.first_measurement + f.measurements OFFSET 0
) m
JOIN webapp_metricname n ON n.id = m.metric_id JOIN webapp_run r ON r.id = m.run_id
JOIN webapp_workload w ON w.id = m.workload_id
WHERE m.line = ANY(%s) AND n.name = ANY(%s) ORDER BY m.id
"""
_PLACES_OF_RUNS = """
SELECT r.id, r.archive_id, f.path, r.configuration_id, r.config_exact
FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id WHERE r.id = ANY(%s)
"""
_MEASUREMENTS = """
SELECT m.id, m.run_id, m.workload_id, n.name, m.line, m.raw, m.raw_unit, m.native, m.value, m.repetition
FROM webapp_measurement m JOIN webapp_metricname n ON n.id = m.metric_id WHERE m.id = ANY(%s)
"""
# Records are canonical JSON: what can be wrong in them stands there as these texts.
_UNCORRECTED = """
SELECT p.id FROM webapp_permalink p
WHERE (%s = '' OR p.id = %s) AND NOT EXISTS (
    SELECT FROM webapp_logentry l WHERE l.subject = 'p/' || p.id AND l.kind = %s AND starts_with(l.reason, %s))
AND (position('"side":"above"'::bytea IN p.record) > 0 OR position('"side":"below"'::bytea IN p.record) > 0
    OR position('"value":0,'::bytea IN p.record) > 0 OR position('"value":-'::bytea IN p.record) > 0)
AND position('"statistics_version":4'::bytea IN p.record) = 0 ORDER BY p.frozen_at, p.id
"""
_VALUES = """
SELECT m.id, m.value, n.name, m.workload_id, r.configuration_id, r.id
FROM webapp_run r CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n WHERE n.id >= r.first_measurement AND n.id < r.first_measurement + r.measurements OFFSET 0
) m
JOIN webapp_metricname n ON n.id = m.metric_id JOIN webapp_archive a ON a.id = r.archive_id AND a.withdrawn_at IS NULL
WHERE {} AND m.duplicate_of IS NULL ORDER BY m.id LIMIT %s
"""


def insert_permalink(row: Permalink) -> None:
    """Write a new row. In binary: as the parameter of an INSERT a record would travel as text of twice its length."""
    columns = dict.fromkeys(("id", "digest", "content", "title"), "text")
    columns |= {"record": "bytea", "owner_id": "int4", "frozen_at": "timestamptz"}
    copied = f"COPY webapp_permalink ({', '.join(columns)}) FROM STDIN (FORMAT binary)"
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(copied) as copy:
        copy.set_types([*columns.values()])
        copy.write_row([getattr(row, column) for column in columns])


def read_measurements(ids: Iterable[int]) -> list[tuple]:
    """(id, run, workload, metric, line, raw, raw unit, native, value, repetition) of each existing row."""
    return fetch_rows(_MEASUREMENTS, [list(ids)])


def read_uncorrected(kind: str, author: str, pk: str = "") -> list[str]:
    """Names of the permalinks (of one alone, where it is given) with bounds or values of zero, frozen before all groups of a metric
    had one statistic, that have no entry of this kind in the public log whose reason begins with the author."""
    return [name for (name,) in fetch_rows(_UNCORRECTED, [pk, pk, kind, author])]


def read_run_values(runs: Iterable[int], most: int) -> list[tuple]:
    """The first (id, value, metric, workload, configuration, run) of these runs, not of withdrawn archives; duplicates left out."""
    return fetch_rows(_VALUES.format("r.id = ANY(%s)"), [list(runs), most])


def read_archive_values(archive: int, most: int) -> list[tuple]:
    """The first (id, value, metric, workload, configuration, run) of an archive, unless it is withdrawn; duplicates left out."""
    return fetch_rows(_VALUES.format("r.archive_id = %s"), [archive, most])


def read_runs(ids: Iterable[int]) -> list[tuple]:
    """(id, archive, first measurement, measurements, configuration, exact configuration) of each existing row."""
    return fetch_rows(_RUNS, [list(ids)])


def read_current_run_values(ranges: Sequence[tuple[int, int, int]], lines: Sequence[str], metrics: Sequence[int]) -> list[tuple]:
    """(run, line, metric, native, workload, id, value, raw, raw unit) on these lines. `ranges`: (run, first id, end id)."""
    columns = [list(column) for column in zip(*ranges, strict=True)]
    return fetch_rows(_OF_RUNS, [*columns, list(lines), list(metrics)])


def read_current_file_values(files: Sequence[tuple[int, str]], lines: Sequence[str], metrics: Sequence[str]) -> list[tuple]:
    """(archive, path, line, metric, native, stat, id, value, raw, raw unit, configuration, exact configuration) on these lines.
    `files`: (archive, path)."""
    archives, paths = [archive for archive, _ in files], [path for _, path in files]
    values = fetch_rows(_OF_FILES, [archives, paths, list(lines), list(metrics)])
    missing = set(lines).difference(value[2] for value in values)
    return values + _read_rank_values(archives, paths, missing, metrics) if missing else values


def _read_rank_values(archives: list[int], paths: list[str], lines: set[str], metrics: Sequence[str]) -> list[tuple]:
    """Rows as those of `_OF_FILES` of values of single ranks, which stood among the measurements when older records were frozen."""
    on_lines = [value for value in read_rank_values(archives, paths) if value.line in lines]
    if not on_lines:
        return []
    names = dict(MetricName.objects.filter(name__in=metrics).values_list("pk", "name"))
    stats = dict(Workload.objects.filter(pk__in={value.workload for value in on_lines}).values_list("pk", "stat"))
    runs = {row[0]: row[1:] for row in fetch_rows(_PLACES_OF_RUNS, [list({value.run for value in on_lines})])}
    rows = []
    for value in on_lines:
        archive, path, *configuration = runs[value.run]
        if value.metric in names:
            printed = (value.line, names[value.metric], value.native, stats[value.workload])
            rows.append((archive, path, *printed, value.id, value.value, value.raw, value.raw_unit, *configuration))
    return rows


def read_older_versions(pk: str) -> list[str]:
    """Names of the versions before a permalink, the latest first."""
    rows = fetch_rows(
        "WITH RECURSIVE older(pk, depth) AS ("
        " SELECT previous_id, 1 FROM webapp_permalinkversion WHERE permalink_id = %s"
        " UNION ALL SELECT previous_id, depth + 1 FROM webapp_permalinkversion JOIN older ON permalink_id = older.pk"
        ") SELECT pk FROM older ORDER BY depth",
        [pk],
    )
    return [name for (name,) in rows]
