"""SQL of comparisons beside the summary: every value of a row, and run, session, file and line of shown values."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from webapp.models.archive import scopes_parameters, scopes_sql

# Only runs of the workload's tool: all values of a run are scanned, and a configuration is measured with many tools.
_EVERY = f"""
SELECT m.value, m.id FROM webapp_workload w JOIN webapp_run r ON r.tool = w.tool JOIN webapp_archive a ON a.id = r.archive_id
CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n WHERE n.id >= r.first_measurement AND n.id < r.first_measurement + r.measurements OFFSET 0
) m
WHERE m.metric_id = (SELECT id FROM webapp_metricname WHERE name = %s)
  AND r.configuration_id = %s AND w.id = %s AND m.workload_id = w.id AND m.counted AND a.id <> ALL(%s)
  AND {scopes_sql("a")} ORDER BY m.id
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# One look-up by key for each value, run and file, independent of the planner's estimates: after a load it may have none.
_FACTS = """
WITH points AS MATERIALIZED (
    SELECT m.* FROM unnest(%s::bigint[]) AS k(id) CROSS JOIN LATERAL (
        SELECT n.id, n.line, n.raw, n.raw_unit, n.run_id, position(', computed over ' IN n.native) > 0 AS computed
        FROM webapp_measurement n WHERE n.id = k.id OFFSET 0) m
),
ran AS MATERIALIZED (
    SELECT r.* FROM (SELECT DISTINCT run_id FROM points) k CROSS JOIN LATERAL (
        SELECT x.id, x.archive_id, x.file_id, x.first_line, x.derived->'zeros' @> '"yes"' AS zeros, x.derived ? 'title' AS apart,
            x.session_id, x.started_at, x.configuration_id,
            'session ' || coalesce(x.details->>'session', '?') || ', round ' || (x.details->>'round') AS round,
            EXISTS (SELECT FROM webapp_timeseries s WHERE s.archive_id = x.archive_id) AS timed,
            coalesce(x.details->>'error', 'exit status ' || nullif(x.details->>'exit_status', '0')) AS error,
            coalesce(x.details->>'path', x.details->>'directory', x.details->>'test_dir', x.details->>'mount',
                x.details->>'filename', x.details->>'file_name', x.details->>'destination') AS target,
            x.details->>'command' AS command
        FROM webapp_run x
        WHERE x.id = k.run_id OFFSET 0) r
),
placed AS MATERIALIZED (
    SELECT c.* FROM (SELECT DISTINCT configuration_id FROM ran) k CROSS JOIN LATERAL (
        SELECT x.id AS configuration_id, x.machine_id, x.stated FROM webapp_configuration x
        WHERE x.id = k.configuration_id OFFSET 0) c
),
files AS MATERIALIZED (
    SELECT f.* FROM (SELECT DISTINCT file_id FROM ran) k CROSS JOIN LATERAL (
        SELECT x.id, x.path FROM webapp_file x WHERE x.id = k.file_id OFFSET 0) f
),
facts AS MATERIALIZED (
    SELECT points.id, ran.archive_id, files.path, points.line, points.raw, points.raw_unit, ran.zeros, ran.id AS run, ran.file_id,
        ran.first_line, ran.apart, ran.session_id, placed.machine_id, ran.started_at, placed.stated,
        ran.round, ran.timed, ran.error, ran.target, ran.command, points.computed
    FROM points JOIN ran ON ran.id = points.run_id JOIN files ON files.id = ran.file_id JOIN placed USING (configuration_id)
),
cuts AS MATERIALIZED (
    SELECT n.file_id, array_agg(n.line) AS lines FROM webapp_note n
    WHERE n.code = 'cut' AND n.file_id = ANY(ARRAY(SELECT DISTINCT file_id FROM facts)) GROUP BY n.file_id
)
SELECT facts.id, archive_id, path, line, raw, raw_unit, zeros, run, file_id, first_line, cuts.lines, apart, session_id, machine_id,
    started_at, stated, round, timed, error, target, command, computed
FROM facts LEFT JOIN cuts USING (file_id)
UNION ALL
SELECT NULL, a.id, coalesce(nullif(a.title, ''), a.name), a.caveat, extract(epoch FROM a.read_at)::text, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT archive_id FROM facts UNION SELECT unnest(%s::bigint[])) k CROSS JOIN LATERAL (
    SELECT * FROM webapp_archive x WHERE x.id = k.archive_id OFFSET 0) a
"""
_NEXT = """
SELECT k.id, later.file_id, later.first_line FROM unnest(%s::bigint[]) AS k(id)
CROSS JOIN LATERAL (SELECT x.file_id, x.first_line FROM webapp_run x WHERE x.id > k.id ORDER BY x.id LIMIT 1) later
"""


def read_every_value(
    metric: str, configuration: int, workload: int, scopes: Sequence[int], apart: Sequence[int]
) -> list[tuple[float, int]]:
    """(value, id) of each counted value in these scopes but not in the archives `apart`, in the order of the ids."""
    with connection.cursor() as cursor:
        cursor.execute(_EVERY, [metric, configuration, workload, list(apart), *scopes_parameters(scopes)])
        return cursor.fetchall()


def read_facts(measurements: Sequence[int], archives: Sequence[int]) -> list[tuple]:
    """A row for each of the measurements, with its run and file; and a row (None, archive, title, caveat, ...) for each archive
    with a caveat, of the measurements' archives and of `archives`."""
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, [list(measurements), list(archives)])
        return cursor.fetchall()


def read_next_runs(runs: Sequence[int]) -> list[tuple[int, int, str]]:
    """(run, file, first line) of the run after each of these; nothing for the last of all."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, [list(runs)])
        return cursor.fetchall()
