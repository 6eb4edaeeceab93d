"""Whether summaries and counts are what measurements and runs give, and computing them again where they are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection, transaction

from webapp.models.archive import accepted_sql, public_sql
from webapp.models.sql import fetch_rows
from webapp.models.summary import ACCEPTED, PUBLIC, Summary
from webapp.storage import summary_writer
from webapp.storage.locks import lock_writes
from webapp.storage.summary_writer import SummaryKey

NAMES = {PUBLIC: "all public archives", ACCEPTED: "all accepted archives"}


@dataclass(frozen=True, slots=True)
class Derived:
    """A kind of derived rows. `sentence`: what is wrong with one of them, with its keys; `wrong`: a query of the keys of wrong
    ones, the scope or archive first; `repair`: statements after which none is wrong that can be computed."""

    sentence: str
    wrong: str
    repair: tuple[str, ...]


def _differences(keys: str, expected: str, found: str) -> str:
    """The keys of rows that are in one of two queries only."""
    return f"""
WITH expected AS ({expected}), found AS ({found})
SELECT DISTINCT {keys} FROM ((TABLE expected EXCEPT TABLE found) UNION ALL (TABLE found EXCEPT TABLE expected)) AS d ORDER BY {keys}
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


def _kept(table: str, keys: str, columns: str, expected: str, sentence: str) -> Derived:
    """Rows that a query gives whole: wrong ones are deleted and made again."""
    wrong = _differences(keys, expected, f"SELECT {columns} FROM {table}")  # noqa: S608 names and conditions are constants of the code; values are parameters
    return Derived(
        sentence,
        wrong,
        (
            f"CREATE TEMPORARY TABLE wrong ON COMMIT DROP AS {wrong}",
            f"DELETE FROM {table} WHERE ({keys}) IN (TABLE wrong)",  # noqa: S608 names and conditions are constants of the code; values are parameters
            f"INSERT INTO {table} ({columns}) SELECT {columns} FROM ({expected}) AS e WHERE ({keys}) IN (TABLE wrong)",  # noqa: S608 names and conditions are constants of the code; values are parameters
            "DROP TABLE wrong",
        ),
    )


def _blocks_of_counts() -> Derived:
    wrong = _differences(
        "scope, metric_id",
        "SELECT scope, metric_id, configuration_id, workload_id, n FROM webapp_summary",
        """SELECT scope, metric_id, configuration, workload, n FROM (
            SELECT DISTINCT ON (scope, metric_id, configuration, workload) scope, metric_id, configuration, workload, n
            FROM webapp_countblock CROSS JOIN LATERAL unnest(configurations, workloads, counts)
                WITH ORDINALITY AS t(configuration, workload, n, at)
            ORDER BY scope, metric_id, configuration, workload, block DESC, at DESC) AS last WHERE n > 0""",
    )
    return Derived(
        "blocks of counts of {scope}: those of metric {key} differ from the summary",
        wrong,
        (
            f"CREATE TEMPORARY TABLE wrong ON COMMIT DROP AS {wrong}",
            "DELETE FROM webapp_countblock WHERE (scope, metric_id) IN (TABLE wrong)",
            """INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
            SELECT scope, metric_id, nextval('webapp_countblock_number'), 4, count(*), array_agg(configuration_id),
                array_agg(workload_id), array_agg(n) FROM webapp_summary WHERE (scope, metric_id) IN (TABLE wrong) GROUP BY 1, 2""",
            "DROP TABLE wrong",
        ),
    )


_RUNS = """SELECT archive_id, configuration_id, sum(measurements - rank_values)::int AS measurements, min(id) AS first_run
    FROM webapp_run GROUP BY 1, 2"""
_IN_ARCHIVES = _differences(
    "archive_id, configuration_id",
    _RUNS,
    "SELECT archive_id, configuration_id, measurements, first_run FROM webapp_archiveconfiguration",
)
_TOTALS = """SELECT a.id, coalesce(sum(r.measurements - r.rank_values), 0)::int AS measurements,
    coalesce(sum(r.rank_values), 0)::int AS rank_values
    FROM webapp_archive a LEFT JOIN webapp_run r ON r.archive_id = a.id WHERE a.state = 'read' GROUP BY 1"""
_ARCHIVES = _differences("id", _TOTALS, "SELECT id, measurements, rank_values FROM webapp_archive WHERE state = 'read'")
_SEEN_BY = """CASE WHEN scope <= 0 THEN 0 ELSE coalesce(
    (SELECT CASE WHEN a.published_at IS NULL THEN a.owner_id ELSE 0 END FROM webapp_archive a WHERE a.id = scope), -1) END"""
_LAST = "chr(1114111)"  # of what is missing, in the order of lists
_SORTED = " || chr(1) || ".join(
    f"left(coalesce(c.{name}, {_LAST}), 60)"
    for name in ("os_name", "os_family", "os_version", "kernel", "fs_type", "pool_layout", "pool_compression")
)
_DERIVED = (
    _kept(
        "webapp_metriccount",
        "scope, metric_id",
        "scope, metric_id, n, rows",
        "SELECT scope, metric_id, sum(n)::bigint AS n, count(*) AS rows FROM webapp_summary GROUP BY 1, 2",
        "counts of {scope}: those of metric {key} differ from the summary",
    ),
    # Triggers count systems with it, which come next.
    _kept(
        "webapp_configurationcount",
        "scope, configuration_id",
        "scope, configuration_id, n, rows, system_id, host, sorted",
        f"""SELECT s.*, c.system_id, left(c.host, 200) AS host, {_SORTED} AS sorted
        FROM (SELECT scope, configuration_id, sum(n)::bigint AS n, count(*) AS rows FROM webapp_summary GROUP BY 1, 2) AS s
        JOIN webapp_configuration c ON c.id = s.configuration_id""",  # noqa: S608 names and conditions are constants of the code; values are parameters
        "counts of {scope}: those of configuration {key} differ from the summary",
    ),
    _kept(
        "webapp_systemcount",
        "scope, system_id",
        "scope, system_id, n, configurations, seen_by",
        f"""SELECT scope, system_id, sum(n)::bigint AS n, count(*)::int AS configurations, {_SEEN_BY} AS seen_by
        FROM webapp_configurationcount GROUP BY 1, 2""",  # noqa: S608 names and conditions are constants of the code; values are parameters
        "counts of {scope}: those of system {key} differ from those of its configurations",
    ),
    _kept(
        "webapp_scopecount",
        "scope",
        "scope, metrics, names, n, rows",
        """SELECT c.scope, array_agg(c.metric_id ORDER BY c.metric_id) AS metrics, array_agg(m.name ORDER BY c.metric_id) AS names,
        array_agg(c.n ORDER BY c.metric_id) AS n, array_agg(c.rows ORDER BY c.metric_id) AS rows
        FROM webapp_metriccount c JOIN webapp_metricname m ON m.id = c.metric_id GROUP BY 1""",
        "counts of {scope}: its list of metrics differs from the counts of these",
    ),
    _blocks_of_counts(),
    Derived(
        "archives/{of}: the counts of configuration {key} differ from its runs; where it is still so after --repair: "
        "manage.py reread {of}",
        _IN_ARCHIVES,
        (
            """DELETE FROM webapp_archiveconfiguration k WHERE NOT EXISTS (
                SELECT FROM webapp_run r WHERE (r.archive_id, r.configuration_id) = (k.archive_id, k.configuration_id))""",
            f"""UPDATE webapp_archiveconfiguration k SET measurements = e.measurements, first_run = e.first_run
            FROM ({_RUNS}) AS e WHERE (e.archive_id, e.configuration_id) = (k.archive_id, k.configuration_id)
                AND (e.measurements, e.first_run) IS DISTINCT FROM (k.measurements, k.first_run)""",  # noqa: S608 names and conditions are constants of the code; values are parameters
        ),
    ),
    Derived(
        "archives/{of}: its number of measurements differs from its runs",
        _ARCHIVES,
        (
            f"""UPDATE webapp_archive a SET measurements = e.measurements, rank_values = e.rank_values FROM ({_TOTALS}) AS e
            WHERE e.id = a.id AND (e.measurements, e.rank_values) IS DISTINCT FROM (a.measurements, a.rank_values)""",  # noqa: S608 names and conditions are constants of the code; values are parameters
        ),
    ),
)
"""In the order in which they follow from each other."""


def name_scope(scope: int) -> str:
    """`all public archives`, `archives/7`"""
    return NAMES.get(scope, f"archives/{scope}")


def find_problems() -> Iterator[str]:
    """A line for each wrong row."""
    for kind in _DERIVED:
        yield from (_say(kind, row) for row in fetch_rows(kind.wrong))


def repair() -> list[str]:
    """Compute wrong rows again; a line for each kind that had some. The summary has to be right already."""
    said = []
    with transaction.atomic():
        _lock_archives()
        lock_writes()
        for kind in _DERIVED:
            before = fetch_rows(kind.wrong)
            if not before:
                continue
            with connection.cursor() as cursor:
                for statement in kind.repair:
                    cursor.execute(statement)
            left = len(fetch_rows(kind.wrong))
            said.append(f"{len(before) - left} computed again: {_say(kind, before[0])}, and the like")
    return said


def _lock_archives() -> None:
    """Lock the rows of archives that are wrong: writers lock theirs before the write lock (see `archive_transaction`)."""
    wrong = f"SELECT id FROM ({_ARCHIVES}) AS a UNION SELECT archive_id FROM ({_IN_ARCHIVES}) AS c"  # noqa: S608 names and conditions are constants of the code; values are parameters
    fetch_rows(f"SELECT id FROM webapp_archive WHERE id IN ({wrong}) ORDER BY id FOR UPDATE")  # noqa: S608 names and conditions are constants of the code; values are parameters


def _say(kind: Derived, row: tuple) -> str:
    return kind.sentence.format(scope=name_scope(row[0]), of=row[0], key=row[-1])


# Whether summaries are what the measurements give, and computing them again where they are not.

# Sums of squares lose digits where values differ little from each other. Of a histogram the sum is compared.
_ALIKE = f"""
f.n = s.n AND f.low = s.low AND f.high = s.high AND f."values" = s."values" AND f.ids = s.ids
AND abs(f.mean - s.mean) <= 1e-9 * greatest(abs(f.mean), abs(s.mean))
AND abs(f.m2 - s.m2) <= 1e-9 * greatest(f.m2, s.m2) + 1e-10 * s.n * s.mean * s.mean
AND coalesce((SELECT sum(value::bigint) FROM jsonb_each_text(s.histogram)), 0) = CASE WHEN s.n > {Summary.LIMIT} THEN s.n ELSE 0 END
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_COMPARED = f"""
SELECT coalesce(f.scope, s.scope), coalesce(f.metric_id, s.metric_id), coalesce(f.configuration_id, s.configuration_id),
    coalesce(f.workload_id, s.workload_id)
FROM folded f FULL JOIN (SELECT * FROM webapp_summary WHERE scope {{scopes}}) s
    USING (scope, metric_id, configuration_id, workload_id)
WHERE ({_ALIKE}) IS NOT TRUE ORDER BY 1, 2, 3, 4
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_OWN = f"""
WITH folded AS (
    SELECT r.archive_id AS scope, m.metric_id, r.configuration_id, m.workload_id, count(*) AS n, avg(m.value) AS mean,
        var_pop(m.value) * count(*) AS m2, min(m.value) AS low, max(m.value) AS high,
        (array_agg(m.value ORDER BY m.id))[:{Summary.LIMIT}] AS "values", (array_agg(m.id ORDER BY m.id))[:{Summary.LIMIT}] AS ids
    FROM webapp_run r
    JOIN webapp_measurement m ON m.id >= r.first_measurement AND m.id < r.first_measurement + r.measurements
    WHERE m.counted GROUP BY 1, 2, 3, 4
) {_COMPARED.format(scopes=f"> {PUBLIC}")}
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_SHARED = {
    scope: f"""
WITH part AS (
    SELECT * FROM webapp_summary WHERE scope IN (SELECT id FROM webapp_archive WHERE {condition})
), told AS (
    SELECT metric_id, configuration_id, workload_id, (array_agg(value ORDER BY id))[:{Summary.LIMIT}] AS "values",
        (array_agg(id ORDER BY id))[:{Summary.LIMIT}] AS ids
    FROM part CROSS JOIN LATERAL unnest("values", ids) AS t(value, id) GROUP BY 1, 2, 3
), added AS (
    SELECT metric_id, configuration_id, workload_id, sum(n) AS n, sum(n * mean) / sum(n) AS mean,
        greatest(0, sum(m2) + sum(n * mean * mean) - sum(n * mean) * sum(n * mean) / sum(n)) AS m2,
        min(low) AS low, max(high) AS high
    FROM part GROUP BY 1, 2, 3
), folded AS (
    SELECT {scope} AS scope, * FROM added JOIN told USING (metric_id, configuration_id, workload_id)
) {_COMPARED.format(scopes=f"= {scope}")}
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
    for scope, condition in ((PUBLIC, public_sql()), (ACCEPTED, accepted_sql()))
}


def find_wrong_rows() -> dict[int, set[SummaryKey]]:
    """Scope -> keys of rows that are missing, too many, or have another count, mean or extreme than their values."""
    found: defaultdict[int, set[SummaryKey]] = defaultdict(set)
    with connection.cursor() as cursor:
        for query in (_OWN, *_SHARED.values()):
            cursor.execute(query)
            for scope, *key in cursor.fetchall():
                metric, configuration, workload = key
                found[scope].add((metric, configuration, workload))
    return dict(found)


def find_summary_problems() -> Iterator[str]:
    """A line for each scope with wrong rows."""
    for scope, keys in sorted(find_wrong_rows().items()):
        yield f"summary of {name_scope(scope)}: {len(keys)} rows differ from the measurements; --repair computes them again"


def repair_summary() -> int:
    """Compute wrong rows again: those of archives from their measurements, then those of several from these; how many."""
    with transaction.atomic():
        lock_writes()
        wrong = find_wrong_rows()
        for scope in sorted(wrong, reverse=True):  # archives before the scopes of several
            if scope > PUBLIC:
                summary_writer.rebuild_archive(scope, wrong[scope])
        count = sum(len(keys) for scope, keys in wrong.items() if scope > PUBLIC)
        for scope, keys in find_wrong_rows().items():
            if scope in NAMES:
                summary_writer.rebuild_scope(scope, keys)
                count += len(keys)
    return count
