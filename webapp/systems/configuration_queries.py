"""SQL on the metrics measured on a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from webapp.comparison.dimensions import SOURCE
from webapp.comparison.summary import blocks, reader
from webapp.formatting.months import MONTH
from webapp.http.pagination import paginate_rows

MAX_WORKLOADS = 1000
"""Workloads of a metric that are counted in a scope; `more` says that there are others."""
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
    """A metric with its numbers of workloads, months disregarded, and of values; `more`: these are lower bounds."""

    metric: str
    workloads: int
    total: int
    more: bool


def read_measured_metrics(
    configuration: int, scopes: Sequence[int], version: int, after: str | None, size: int
) -> tuple[list[MeasuredMetric], str | None]:
    """A page of the metrics measured on a configuration in these scopes, by name; and the token of the next page.

    At most four queries.
    """
    [metrics] = reader.count_metrics(version, [tuple(scopes)])
    names, _ = paginate_rows(sorted(metrics), after, lambda name: (name,), len(metrics))
    ids = blocks.metric_ids(names)
    with connection.cursor() as cursor:
        cursor.execute(
            _ROWS,
            {
                "metrics": [ids[name] for name in names],
                "scopes": list(scopes),
                "configuration": configuration,
                "most": size + 1,
                "workloads": MAX_WORKLOADS + 1,
            },
        )
        rows = cursor.fetchall()
    _, texts = reader.read_texts((), {workload for _, workload, *_ in rows})
    without_months = {
        workload: tuple(text for name, text in dimensions.items() if name not in (MONTH, SOURCE))
        for workload, dimensions in texts.items()
    }
    rows_by_metric: dict[int, list[tuple]] = {}
    for metric, *row in rows:
        rows_by_metric.setdefault(metric, []).append(row)
    measured = [_count(name, rows_by_metric[ids[name]], without_months) for name in names if ids[name] in rows_by_metric]
    return paginate_rows(measured, None, lambda metric: (metric.metric,), size)


def _count(metric: str, rows: Sequence[tuple], without_months: dict[int, tuple]) -> MeasuredMetric:
    """Counts of a metric from its rows (workload, values, scope), at most `MAX_WORKLOADS` of each scope."""
    rows_of_scope: dict[int, int] = {}
    counted = []
    for workload, n, scope in rows:
        rows_of_scope[scope] = rows_of_scope.get(scope, 0) + 1
        if rows_of_scope[scope] <= MAX_WORKLOADS:
            counted.append((workload, n))
    workloads = {without_months[workload] for workload, _ in counted}
    return MeasuredMetric(metric, len(workloads), sum(n for _, n in counted), len(counted) < len(rows))
