"""SQL on configurations: the newest ones, their search, and the metrics measured on one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from ingest import keys
from ingest.open_keys import namespace_of, spell_open_value
from webapp.comparison.dimensions import SOURCE
from webapp.comparison.search import parse_search
from webapp.comparison.summary import reader
from webapp.formatting.printed_times import MONTH
from webapp.http.pagination import paginate_rows

# The list of configurations, newest first, and its search.

MAX_WORDS = 8
MAX_LISTED = 50_000
"""Configurations that are listed, the newest ones."""
_COLUMNS = ", ".join(f"c.{key.column}::text" for key in keys.KEYS.values())
# A word is looked for in the values of the registered keys and in names and values of the open ones.
_WORD = f"""AND (lower(concat_ws(chr(10), {_COLUMNS})) LIKE %s OR lower(o.values::text) LIKE %s)"""
# `zfs.atime=off` is looked for as a setting, also among those that do not make configurations different.
_SETTING = """AND (o.values @> %s::jsonb OR EXISTS (
    SELECT FROM webapp_provenance p JOIN webapp_run r ON r.archive_id = p.archive_id AND r.configuration_id = c.id
    AND r.provenance_id = p.id WHERE p.others @> %s::jsonb))"""
_LIST = """
SELECT c.id, f.n::bigint, c.host, coalesce(c.os_name, c.os_family), c.os_version, coalesce(c.fs_stack, c.fs_type),
    c.pool_compression, c.pool_layout, c.cpu_model, c.memory, c.machine_id FROM (
    SELECT s.configuration_id, sum(s.n) AS n FROM unnest(%s::bigint[]) AS k(one) CROSS JOIN LATERAL (
        SELECT o.configuration_id, o.n FROM webapp_configurationcount o WHERE o.scope = k.one
        ORDER BY o.configuration_id DESC LIMIT %s) s GROUP BY 1) f
JOIN webapp_configuration c ON c.id = f.configuration_id LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE true {} ORDER BY c.id DESC LIMIT %s
"""


class ListedConfiguration(NamedTuple):
    """A configuration of the list, with what its facets and columns need."""

    pk: int
    measurements: int
    host: str | None
    os: str | None
    os_version: str | None
    fs: str | None
    compression: str | None
    layout: str | None
    cpu: str | None
    memory: int | None
    machine: int | None


def find_configurations(scopes: Sequence[int], q: str) -> list[ListedConfiguration]:
    """The configurations measured in these scopes that match every word of `q`, the newest first. One query."""
    conditions, args = _conditions(q)
    with connection.cursor() as cursor:
        cursor.execute(_LIST.format(" ".join(conditions)), [list(scopes), None if args else MAX_LISTED, *args, MAX_LISTED])
        return [ListedConfiguration(*row) for row in cursor.fetchall()]


def _conditions(q: str) -> tuple[list[str], list[Any]]:
    """Conditions of SQL, and their arguments."""
    conditions, args = list[str](), list[Any]()
    for word in sorted(parse_search(q))[:MAX_WORDS]:
        name, equals, text = word.partition("=")
        if equals and namespace_of(name):
            setting = json.dumps({name: spell_open_value(name, text)})
            conditions.append(_SETTING)
            args += [setting, setting]
        else:
            pattern = "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            conditions.append(_WORD)
            args += [pattern, pattern]
    return conditions, args


MAX_WORKLOADS = 1000
"""Workloads of a metric that are counted in a scope; `more` says that there are others."""
_ROWS = """
SELECT f.metric, s.workload_id, s.n, s.low, s.high, s.scope FROM (
    SELECT k.metric FROM unnest(%(metrics)s::smallint[]) WITH ORDINALITY AS k(metric, at)
    WHERE (SELECT true FROM unnest(%(scopes)s::bigint[]) AS z(scope) CROSS JOIN LATERAL (
        SELECT FROM webapp_summary o WHERE (o.scope, o.metric_id, o.configuration_id) = (z.scope, k.metric, %(configuration)s)
        LIMIT 1) e LIMIT 1)
    ORDER BY k.at LIMIT %(most)s) f
CROSS JOIN unnest(%(scopes)s::bigint[]) AS z(scope) CROSS JOIN LATERAL (
    SELECT o.scope, o.workload_id, o.n, o.low, o.high FROM webapp_summary o
    WHERE (o.scope, o.metric_id, o.configuration_id) = (z.scope, f.metric, %(configuration)s)
    ORDER BY o.workload_id LIMIT %(workloads)s) s
"""


_BECAME = """
WITH RECURSIVE became AS (
    SELECT m.current_id AS id, 1 AS depth FROM webapp_configurationmove m WHERE m.previous_id = %s
    UNION SELECT m.current_id, b.depth + 1 FROM became b JOIN webapp_configurationmove m ON m.previous_id = b.id WHERE b.depth < 20)
SELECT DISTINCT b.id FROM became b JOIN webapp_configurationcount c ON c.configuration_id = b.id AND c.scope = ANY(%s)
ORDER BY 1 LIMIT %s
"""


def find_successors(configuration: int, scopes: Sequence[int], most: int) -> list[int]:
    """The configurations, with measurements in these scopes, on which runs of this one were placed when they were read again."""
    with connection.cursor() as cursor:
        cursor.execute(_BECAME, [configuration, list(scopes), most])
        return [pk for (pk,) in cursor.fetchall()]


class MeasuredMetric(NamedTuple):
    """A metric with its numbers of workloads, months disregarded, and of values; `more`: these are lower bounds. `low`, `high`: of
    the one workload with most values, None where several have as many."""

    metric: str
    workloads: int
    total: int
    more: bool
    low: float | None
    high: float | None


def read_measured_metrics(
    configuration: int, scopes: Sequence[int], version: int, after: str | None, size: int
) -> tuple[list[MeasuredMetric], str | None]:
    """A page of the metrics measured on a configuration in these scopes, by name; and the token of the next page.

    At most four queries.
    """
    [metrics] = reader.count_metrics(version, [tuple(scopes)])
    names, _ = paginate_rows(sorted(metrics), after, lambda name: (name,), len(metrics))
    ids = reader.metric_ids(names)
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
    """Counts of a metric from its rows (workload, values, lowest, highest, scope), at most `MAX_WORKLOADS` of each scope."""
    rows_of_scope: dict[int, int] = {}
    counted: dict[tuple, list[tuple[int, float, float]]] = {}
    for workload, n, low, high, scope in rows:
        rows_of_scope[scope] = rows_of_scope.get(scope, 0) + 1
        if rows_of_scope[scope] <= MAX_WORKLOADS:
            counted.setdefault(without_months[workload], []).append((n, low, high))
    totals = {workload: sum(n for n, _, _ in found) for workload, found in counted.items()}
    most = max(totals.values())
    usual = [found for workload, found in counted.items() if totals[workload] == most]
    ends = [end for _, low, high in usual[0] for end in (low, high)] if len(usual) == 1 else []
    is_cut = sum(map(len, counted.values())) < len(rows)
    return MeasuredMetric(metric, len(counted), sum(totals.values()), is_cut, min(ends, default=None), max(ends, default=None))
