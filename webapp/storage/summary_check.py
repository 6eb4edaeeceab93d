"""Whether summaries are what the measurements give, and computing them again where they are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.db import connection, transaction

from webapp.models.archive import accepted_sql, public_sql
from webapp.models.summary import ACCEPTED, PUBLIC, Summary
from webapp.storage import summary_writer
from webapp.storage.count_check import NAMES, name_scope
from webapp.storage.summary_writer import SummaryKey
from webapp.storage.write_lock import lock_writes

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


def find_problems() -> Iterator[str]:
    """A line for each scope with wrong rows."""
    for scope, keys in sorted(find_wrong_rows().items()):
        yield f"summary of {name_scope(scope)}: {len(keys)} rows differ from the measurements; --repair computes them again"


def repair() -> int:
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
