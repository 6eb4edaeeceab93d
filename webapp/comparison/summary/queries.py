"""SQL on the tables of the summary: counts, rows with their values, configurations, workloads, withdrawn values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webapp.models.archive import scopes_parameters, scopes_sql
from webapp.models.run import round_sql
from webapp.models.sql import fetch_rows

# SQL of comparisons beside the summary: every value of a row, and run, session, file and line of shown values.

# Each run once, and only those of a workload's tool: all values of a run are scanned, and a configuration is measured with many
# tools.
_EVERY = f"""
WITH wanted AS MATERIALIZED (
    SELECT k.at, n.id AS metric, k.configuration, w.id AS workload, w.tool
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) WITH ORDINALITY AS k(metric, configuration, workload, at)
    JOIN webapp_metricname n ON n.name = k.metric JOIN webapp_workload w ON w.id = k.workload
),
ran AS MATERIALIZED (
    SELECT r.configuration_id, r.first_measurement, r.measurements FROM (SELECT DISTINCT configuration, tool FROM wanted) k
    CROSS JOIN LATERAL (
        SELECT * FROM webapp_run x WHERE x.configuration_id = k.configuration AND x.tool = k.tool OFFSET 0) r
    JOIN webapp_archive a ON a.id = r.archive_id WHERE a.id <> ALL(%s) AND {scopes_sql("a")}
)
SELECT wanted.at - 1, m.value, m.id FROM ran CROSS JOIN LATERAL (
    SELECT * FROM webapp_measurement n
    WHERE n.id >= ran.first_measurement AND n.id < ran.first_measurement + ran.measurements OFFSET 0
) m
JOIN wanted ON (wanted.metric, wanted.configuration, wanted.workload) = (m.metric_id, ran.configuration_id, m.workload_id)
WHERE m.counted ORDER BY m.id
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# One look-up by key for each value, run and file, independent of the planner's estimates: after a load it may have none.
_FACTS = f"""
WITH points AS MATERIALIZED (
    SELECT m.* FROM unnest(%s::bigint[]) AS k(id) CROSS JOIN LATERAL (
        SELECT n.id, n.line, n.raw, n.raw_unit, n.run_id, position(', computed over ' IN n.native) > 0 AS computed
        FROM webapp_measurement n WHERE n.id = k.id OFFSET 0) m
),
ran AS MATERIALIZED (
    SELECT r.* FROM (SELECT DISTINCT run_id FROM points) k CROSS JOIN LATERAL (
        SELECT x.id, x.archive_id, x.file_id, x.first_line, x.derived->'zeros' @> '"yes"' AS zeros, x.derived->>'title' AS apart,
            x.session_id, x.started_at, x.configuration_id,
            {round_sql("x")} AS round,
            EXISTS (SELECT FROM webapp_timeseries s WHERE s.archive_id = x.archive_id) AS timed,
            coalesce(x.details->>'error', 'exit status ' || nullif(x.details->>'exit_status', '0')) AS error,
            coalesce(x.details->>'path', x.details->>'directory', x.details->>'test_dir', x.details->>'mount',
                x.details->>'filename', x.details->>'file_name', x.details->>'destination') AS target,
            x.details->>'command' AS command, x.derived->'from_memory' AS from_memory,
            x.details->>'options' = 'not recorded' AS options_unknown, x.state::text AS state
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
        ran.round, ran.timed, ran.error, ran.target, ran.command, points.computed, ran.from_memory, ran.options_unknown, ran.state
    FROM points JOIN ran ON ran.id = points.run_id JOIN files ON files.id = ran.file_id JOIN placed USING (configuration_id)
),
cuts AS MATERIALIZED (
    SELECT n.file_id, array_agg(n.line) AS lines FROM webapp_note n
    WHERE n.code = 'cut' AND n.file_id = ANY(ARRAY(SELECT DISTINCT file_id FROM facts)) GROUP BY n.file_id
)
SELECT facts.id, archive_id, path, line, raw, raw_unit, zeros, run, file_id, first_line, cuts.lines, apart, session_id, machine_id,
    started_at, stated, round, timed, error, target, command, computed, from_memory, options_unknown, state
FROM facts LEFT JOIN cuts USING (file_id)
UNION ALL
SELECT NULL, a.id, coalesce(nullif(a.title, ''), a.name), a.caveat, extract(epoch FROM a.read_at)::text, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT archive_id FROM facts UNION SELECT unnest(%s::bigint[])) k CROSS JOIN LATERAL (
    SELECT * FROM webapp_archive x WHERE x.id = k.archive_id OFFSET 0) a
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_NEXT = """
SELECT k.id, later.file_id, later.first_line FROM unnest(%s::bigint[]) AS k(id)
CROSS JOIN LATERAL (SELECT x.file_id, x.first_line FROM webapp_run x WHERE x.id > k.id ORDER BY x.id LIMIT 1) later
"""


def read_every_value(
    keys: Sequence[tuple[str, int, int]], scopes: Sequence[int], apart: Sequence[int]
) -> list[list[tuple[float, int]]]:
    """(value, id) of each counted value of these (metric, configuration, workload), in these scopes but not in the archives
    `apart`, in the order of the ids."""
    found: list[list[tuple[float, int]]] = [[] for _ in keys]
    columns = [list(column) for column in zip(*keys, strict=True)]
    for at, value, measurement in fetch_rows(_EVERY, [*columns, list(apart), *scopes_parameters(scopes)]) if keys else ():
        found[at].append((value, measurement))
    return found


def read_facts(measurements: Sequence[int], archives: Sequence[int]) -> list[tuple]:
    """A row for each of the measurements, with its run and file; and a row (None, archive, title, caveat, ...) for each archive
    with a caveat, of the measurements' archives and of `archives`."""
    return fetch_rows(_FACTS, [list(measurements), list(archives)])


def read_next_runs(runs: Sequence[int]) -> list[tuple[int, int, str]]:
    """(run, file, first line) of the run after each of these; nothing for the last of all."""
    return fetch_rows(_NEXT, [list(runs)])


# Scope by scope by the key, independent of the planner's estimates.
_COUNTS = """
SELECT s.scope, s.metrics, s.n, s.rows, NULL FROM unnest(%s::bigint[]) AS z(scope)
CROSS JOIN LATERAL (SELECT * FROM webapp_scopecount c WHERE c.scope = z.scope OFFSET 0) s
"""
_NAMED_COUNTS = _COUNTS.replace("NULL", "s.names")
# Scope by scope and metric by metric by the key, independent of the planner's estimates. A block is one row that is never changed:
# its number and the transaction that wrote it name it.
_COUNT_BLOCKS = """
SELECT z.scope, m.id, b.block, b.name, b.entries[1], b.entries[2], b.entries[3]
FROM unnest(%s::bigint[]) AS z(scope) CROSS JOIN unnest(%s::smallint[]) AS m(id)
CROSS JOIN LATERAL (
    SELECT c.block, n.name,
        CASE WHEN n.name <> ALL(%s) THEN ARRAY[c.configurations::text, c.workloads::text, c.counts::text] END AS entries
    FROM webapp_countblock c CROSS JOIN LATERAL (SELECT c.block || '/' || c.entries || '/' || c.xmin AS name) n
    WHERE c.scope = z.scope AND c.metric_id = m.id OFFSET 0) b
"""
# Another cluster, a promoted or restored one, a table that was emptied or rewritten and a migration each make it another database.
_IDENTITY = """
SELECT c.system_identifier, k.timeline_id, d.oid, pg_relation_filenode('webapp_configuration'),
    pg_relation_filenode('webapp_workload'), (SELECT max(id) FROM django_migrations)
FROM pg_control_system() c, pg_control_checkpoint() k, pg_database d WHERE d.datname = current_database()
"""
_ROWS = """
SELECT 0, (to_jsonb(o) - 'digest')::text FROM webapp_configuration o WHERE o.id = ANY(%s)
UNION ALL SELECT 1, (to_jsonb(o) - 'digest')::text FROM webapp_workload o WHERE o.id = ANY(%s)
"""
# Withdrawn values count in `n`, which is null for values that could not be measured. Of the latter, metric by metric by the key,
# then one look-up by metric and archive for each archive with such values, independent of the planner's estimates.
_ABSENT = f"""
WITH gone AS MATERIALIZED (
    SELECT w.first, w.beyond, w.reason, w.archive_id FROM webapp_withdrawal w
    JOIN webapp_archive a ON a.id = w.archive_id AND a.withdrawn_at IS NULL
    WHERE w.restored_at IS NULL AND w.beyond > w.first AND {scopes_sql("a")}
),
ran AS MATERIALIZED (
    SELECT gone.reason, r.configuration_id, greatest(gone.first, r.first_measurement) AS low,
        least(gone.beyond, r.first_measurement + r.measurements) AS high
    FROM gone JOIN webapp_run r ON r.archive_id = gone.archive_id AND r.first_measurement < gone.beyond
        AND r.first_measurement + r.measurements > gone.first
),
incomplete AS MATERIALIZED (
    SELECT n.id, n.name FROM webapp_metricname n CROSS JOIN LATERAL (
        SELECT FROM webapp_unmeasuredvalue u WHERE u.metric_id = n.id AND u.duplicate_of IS NULL LIMIT 1) one
    WHERE n.name = ANY(%s)
),
shown AS MATERIALIZED (
    SELECT a.id FROM webapp_archive a
    WHERE EXISTS (SELECT FROM incomplete) AND a.unmeasured > 0 AND a.withdrawn_at IS NULL AND {scopes_sql("a")}
),
missing AS MATERIALIZED (
    SELECT incomplete.name AS metric, u.* FROM incomplete CROSS JOIN shown CROSS JOIN LATERAL (
        SELECT * FROM webapp_unmeasuredvalue x
        WHERE x.metric_id = incomplete.id AND x.archive_id = shown.id AND x.duplicate_of IS NULL OFFSET 0) u
)
(
    SELECT name.name, ran.configuration_id, m.workload_id, ran.reason, count(*) AS n, NULL::float8 AS bound, NULL AS side,
        NULL::bigint AS machine, NULL::bigint[] AS archives, NULL::bigint[] AS runs, NULL::bigint[] AS sessions,
        NULL::bigint[] AS ids
    FROM ran CROSS JOIN LATERAL (
        SELECT n.metric_id, n.workload_id FROM webapp_measurement n WHERE n.id >= ran.low AND n.id < ran.high OFFSET 0
    ) m
    JOIN webapp_metricname name ON name.id = m.metric_id
    WHERE name.name = ANY(%s)
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
)
UNION ALL (
    SELECT missing.metric, r.configuration_id, missing.workload_id, missing.reason, NULL, missing.bound, missing.side, c.machine_id,
        array_agg(missing.archive_id::bigint ORDER BY missing.id), array_agg(r.id::bigint ORDER BY missing.id),
        array_agg(r.session_id::bigint ORDER BY missing.id), array_agg(missing.id ORDER BY missing.id)
    FROM missing
    CROSS JOIN LATERAL (
        SELECT o.path FROM webapp_file o WHERE o.id = missing.file_id AND NOT o.withdrawn AND o.duplicate_of_id IS NULL OFFSET 0) f
    CROSS JOIN LATERAL (SELECT * FROM webapp_run o WHERE o.id = missing.run_id OFFSET 0) r
    CROSS JOIN LATERAL (SELECT * FROM webapp_configuration o WHERE o.id = r.configuration_id OFFSET 0) c
    WHERE NOT EXISTS (
        SELECT FROM webapp_withdrawal w WHERE w.archive_id = missing.archive_id AND w.restored_at IS NULL
            AND w.what = 'measurement'
            AND (w.path, w.line, w.metric, w.native) = (f.path, missing.line, missing.metric, missing.native) OFFSET 0
    )
    GROUP BY 1, 2, 3, 4, 6, 7, 8 ORDER BY 1, 2, 3, 4, 6, 7
)
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# One look-up by the whole key for each row of each scope.
_VALUES = """
SELECT k.key, s.n, s.mean, s.m2, s.low, s.high, s.values, s.ids, s.histogram
FROM unnest(%s::int[], %s::bigint[], %s::smallint[], %s::bigint[], %s::bigint[]) AS k(key, scope, metric, configuration, workload)
CROSS JOIN LATERAL (SELECT * FROM webapp_summary o WHERE (o.scope, o.metric_id, o.configuration_id, o.workload_id)
    = (k.scope, k.metric, k.configuration, k.workload) OFFSET 0) s
"""


def read_metric_names() -> list[tuple[int, str]]:
    """(id, name) of every metric."""
    return fetch_rows("SELECT id, name FROM webapp_metricname")


def read_counts(scopes: Sequence[int], with_names: bool) -> list[tuple]:
    """(scope, metrics, values, rows, names) of each of these scopes: arrays by metric; `names` is None unless `with_names`."""
    return fetch_rows(_NAMED_COUNTS if with_names else _COUNTS, [list(scopes)])


def read_identity() -> tuple:
    """What tells this database, and what its rows of dimensions are, from any other."""
    [identity] = fetch_rows(_IDENTITY, [])
    return identity


def read_count_blocks(scopes: Sequence[int], metrics: Sequence[int], seen: Sequence[str]) -> list[tuple]:
    """(scope, metric, block, name, configurations, workloads, counts) of every block; the last three are arrays as text, None where
    the name is among those that were seen."""
    return fetch_rows(_COUNT_BLOCKS, [list(scopes), list(metrics), list(seen)])


def read_dimension_rows(configurations: Sequence[int], workloads: Sequence[int]) -> list[tuple[int, str]]:
    """(0, JSON object) of each of these configurations and (1, JSON object) of each of these workloads."""
    return fetch_rows(_ROWS, [list(configurations), list(workloads)])


def read_absent(scopes: Sequence[int], metrics: Sequence[str]) -> tuple[list[tuple], list[tuple]]:
    """The values of the scopes that were withdrawn, and those that could not be measured, without repeated and doubled ones.

    The former as (metric, configuration, workload, reason, number of values), the latter as (metric, configuration, workload,
    reason, bound, side, machine, archives, runs, sessions, ids), the last four with one entry for each such value. One query.
    """
    parameters = scopes_parameters(scopes)
    rows = fetch_rows(_ABSENT, [*parameters, list(metrics), *parameters, list(metrics)])
    return [row[:5] for row in rows if row[4] is not None], [row[:4] + row[5:] for row in rows if row[4] is None]


def read_values(keys: Iterable[tuple[int, int, int, int, int]]) -> list[tuple]:
    """The summary's rows of these (number, scope, metric, configuration, workload), each after its number."""
    return fetch_rows(_VALUES, [*([list(column) for column in zip(*keys, strict=True)] or [[]] * 5)])


def read_open_properties(ids: Sequence[int]) -> list[tuple]:
    """(id, JSON object) of these rows of open properties."""
    return fetch_rows("SELECT o.id, o.values::text FROM webapp_openproperties o WHERE o.id = ANY(%s)", [list(ids)])
