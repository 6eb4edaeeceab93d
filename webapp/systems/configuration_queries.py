"""What was measured on a configuration: its metrics by name, with their workloads and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from webapp.comparison.dimensions import SOURCE
from webapp.comparison.summary import blocks, reader
from webapp.formatting.months import MONTH
from webapp.http.pagination import paginate_rows

MOST_WORKLOADS = 1000
"""Workloads of a metric that are counted in a scope; of more it is told that there are."""
_ROWS = """
SELECT f.metric, s.workload_id, s.n, s.scope FROM (
    SELECT k.metric FROM unnest(%(metrics)s::smallint[]) WITH ORDINALITY AS k(metric, at)
    WHERE (SELECT true FROM unnest(%(scopes)s::bigint[]) AS z(scope) CROSS JOIN LATERAL (
        SELECT FROM webapp_summary o WHERE (o.scope, o.metric_id, o.configuration_id) = (z.scope, k.metric, %(configuration)s)
        LIMIT 1) e LIMIT 1)
    ORDER BY k.at LIMIT %(most)s) f
CROSS JOIN unnest(%(scopes)s::bigint[]) AS z(scope) CROSS JOIN LATERAL (
    SELECT o.scope, o.workload_id, o.n FROM webapp_summary o
    WHERE (o.scope, o.metric_id, o.configuration_id) = (z.scope, f.metric, %(configuration)s)
    ORDER BY o.workload_id LIMIT %(workloads)s) s
"""


class MeasuredMetric(NamedTuple):
    """A metric with its workloads, whatever the month in which they were run, and its values; `more` than these, or all."""

    metric: str
    workloads: int
    total: int
    more: bool


def read_measured_metrics(
    configuration: int, scopes: Sequence[int], version: int, after: str | None, size: int
) -> tuple[list[MeasuredMetric], str | None]:
    """A page of the metrics measured on it in these scopes, and the mark of the next. At most four queries."""
    [there] = reader.count_metrics(version, [tuple(scopes)])
    left, _ = paginate_rows(sorted(there), after, lambda name: (name,), len(there))
    known = blocks.metric_ids(left)
    with connection.cursor() as cursor:
        cursor.execute(
            _ROWS,
            {
                "metrics": [known[name] for name in left],
                "scopes": list(scopes),
                "configuration": configuration,
                "most": size + 1,
                "workloads": MOST_WORKLOADS + 1,
            },
        )
        rows = cursor.fetchall()
    _, texts = reader.read_texts((), {workload for _, workload, *_ in rows})
    alike = {pk: tuple(text for name, text in told.items() if name not in (MONTH, SOURCE)) for pk, told in texts.items()}
    of: dict[int, list[tuple]] = {}
    for metric, *row in rows:
        of.setdefault(metric, []).append(row)
    found = [_measured(name, of[known[name]], alike) for name in left if known[name] in of]
    return paginate_rows(found, None, lambda row: (row.metric,), size)


def _measured(name: str, rows: Sequence[tuple], alike: dict[int, tuple]) -> MeasuredMetric:
    counted: dict[int, int] = {}
    told = []
    for workload, n, scope in rows:
        counted[scope] = counted.get(scope, 0) + 1
        if counted[scope] <= MOST_WORKLOADS:
            told.append((workload, n))
    return MeasuredMetric(name, len({alike[workload] for workload, _ in told}), sum(n for _, n in told), len(told) < len(rows))
