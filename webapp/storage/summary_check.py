"""Whether summaries and counts are what the measurements give, and computing them again where they are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.db import connection, transaction

from webapp.models.archive import accepted_sql, public_sql
from webapp.models.summary import ACCEPTED, PUBLIC
from webapp.storage import summary_writer
from webapp.storage.summary_writer import SummaryKey
from webapp.storage.write_lock import lock_writes

_ALIKE = "f.n = s.n AND f.low = s.low AND f.high = s.high AND abs(f.mean - s.mean) <= 1e-9 * greatest(abs(f.mean), abs(s.mean))"
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
        min(m.value) AS low, max(m.value) AS high
    FROM webapp_run r
    JOIN webapp_measurement m ON m.id >= r.first_measurement AND m.id < r.first_measurement + r.measurements
    WHERE m.counted GROUP BY 1, 2, 3, 4
) {_COMPARED.format(scopes=f"> {PUBLIC}")}
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_SHARED = {
    scope: f"""
WITH folded AS (
    SELECT {scope} AS scope, metric_id, configuration_id, workload_id, sum(n) AS n, sum(n * mean) / sum(n) AS mean,
        min(low) AS low, max(high) AS high
    FROM webapp_summary WHERE scope IN (SELECT id FROM webapp_archive WHERE {condition}) GROUP BY 2, 3, 4
) {_COMPARED.format(scopes=f"= {scope}")}
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
    for scope, condition in ((PUBLIC, public_sql()), (ACCEPTED, accepted_sql()))
}
_COUNTS = {
    table: f"""
SELECT coalesce(c.scope, s.scope), coalesce(c.{key}, s.{key}) FROM {table} c
FULL JOIN (SELECT scope, {key}, sum(n) AS n, count(*) AS rows FROM webapp_summary GROUP BY 1, 2) s USING (scope, {key})
WHERE (c.n = s.n AND c.rows = s.rows) IS NOT TRUE ORDER BY 1, 2
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
    for table, key in (("webapp_metriccount", "metric_id"), ("webapp_configurationcount", "configuration_id"))
}
_NAMES = {PUBLIC: "all public archives", ACCEPTED: "all accepted archives"}


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
    """A line for each scope with wrong rows, and for each wrong count."""
    for scope, keys in sorted(find_wrong_rows().items()):
        yield f"summary of {_name(scope)}: {len(keys)} rows differ from the measurements; --repair computes them again"
    with connection.cursor() as cursor:
        for table, query in _COUNTS.items():
            cursor.execute(query)
            what = "metric" if table == "webapp_metriccount" else "configuration"
            for scope, key in cursor.fetchall():
                yield f"counts of {_name(scope)}: those of {what} {key} differ from the summary; --repair does not mend counts"


def _name(scope: int) -> str:
    return _NAMES.get(scope, f"archives/{scope}")


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
            if scope in _NAMES:
                summary_writer.rebuild_scope(scope, keys)
                count += len(keys)
    return count
