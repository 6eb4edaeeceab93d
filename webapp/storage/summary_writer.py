"""The summary that pages read: statistics of counted values by scope, metric, configuration and workload.

It is updated in the transaction that changes the measurements."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db import connection

from webapp.models.archive import accepted_sql, public_sql
from webapp.models.sql import fetch_rows
from webapp.models.summary import ACCEPTED, PUBLIC, Summary
from webapp.storage.pg_copy import copy_lines, to_json

_LOG_STEP = math.log(1.01)
_COLUMNS = ("scope", "metric_id", "configuration_id", "workload_id", "n", "mean", "m2", "low", "high", "values", "ids", "histogram")
_QUOTED = tuple(f'"{name}"' for name in _COLUMNS)

SummaryKey = tuple[int, int, int]
"""Metric, configuration and workload, by id."""


def histogram_bucket(value: float) -> str:
    """The bucket, 1 % wide, of a value: floor(log(v) / log(1.01)); 'zero' and 'negative' are buckets of their own."""
    if value <= 0:
        return "zero" if value == 0 else "negative"
    return str(math.floor(math.log(value) / _LOG_STEP))


@dataclass(slots=True)
class Aggregate:
    """n, mean, sum of squared deviations, extremes, the values of the lowest ids, and a histogram beyond `LIMIT` values."""

    n: int
    mean: float
    m2: float
    low: float
    high: float
    values: list[float]
    ids: list[int]
    histogram: Mapping[str, int] | None = field(default=None)


def aggregate(values: Sequence[float], ids: Sequence[int]) -> Aggregate:
    """The summary of at least one value; `ids` rise."""
    n, limit = len(values), Summary.LIMIT
    if n == 1:
        return Aggregate(1, values[0], 0.0, values[0], values[0], values=[values[0]], ids=[ids[0]])
    mean = math.fsum(values) / n
    m2 = math.fsum([(value - mean) ** 2 for value in values])
    return Aggregate(
        n,
        mean,
        m2,
        min(values),
        max(values),
        values=list(values[:limit]),
        ids=list(ids[:limit]),
        histogram=_buckets(values) if n > limit else None,
    )


def _buckets(values: Iterable[float]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        name = histogram_bucket(value)
        counts[name] = counts.get(name, 0) + 1
    return counts


def merge(a: Aggregate, b: Aggregate) -> Aggregate:
    """The aggregate of both.

    Mean and squared deviations by Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
    sample variances" (1979): delta = mean_b - mean_a, mean = mean_a + delta n_b / n,
    M2 = M2_a + M2_b + delta^2 n_a n_b / n.
    """
    n, delta = a.n + b.n, b.mean - a.mean
    pairs = sorted(zip(a.ids + b.ids, a.values + b.values, strict=True))[: Summary.LIMIT]
    histogram = None
    if n > Summary.LIMIT:
        histogram = dict(_buckets(a.values) if a.histogram is None else a.histogram)
        for name, count in (_buckets(b.values) if b.histogram is None else b.histogram).items():
            histogram[name] = histogram.get(name, 0) + count
    return Aggregate(
        n=n,
        mean=a.mean + delta * b.n / n,
        m2=a.m2 + b.m2 + delta * delta * a.n * b.n / n,
        low=min(a.low, b.low),
        high=max(a.high, b.high),
        values=[value for _, value in pairs],
        ids=[pk for pk, _ in pairs],
        histogram=histogram,
    )


def subtract(whole: Aggregate, part: Aggregate) -> Aggregate | None:
    """The aggregate without values that are in it, the inverse of `merge`; None where none remains.

    Where not all values are listed, the extremes stay those of the whole.
    """
    n, removed = whole.n - part.n, set(part.ids)
    if n <= 0:
        return None
    pairs = [(value, pk) for value, pk in zip(whole.values, whole.ids, strict=True) if pk not in removed]
    if len(pairs) == n:
        return aggregate([value for value, _ in pairs], [pk for _, pk in pairs])
    histogram = dict(_buckets(whole.values) if whole.histogram is None else whole.histogram)
    for name, count in (_buckets(part.values) if part.histogram is None else part.histogram).items():
        histogram[name] = histogram.get(name, 0) - count
    mean = (whole.mean * whole.n - part.mean * part.n) / n
    m2 = whole.m2 - part.m2 - (part.mean - mean) ** 2 * n * part.n / whole.n
    return Aggregate(
        n=n,
        mean=mean,
        m2=max(m2, 0.0),
        low=whole.low,
        high=whole.high,
        values=[value for value, _ in pairs],
        ids=[pk for _, pk in pairs],
        histogram={name: count for name, count in histogram.items() if count > 0},
    )


def write(scope: int, rows: Mapping[SummaryKey, Aggregate]) -> None:
    """COPY rows into a scope that has none with these keys."""
    copy_lines("webapp_summary", _QUOTED, (_line(scope, key, rows[key]) for key in sorted(rows)))


def _line(scope: int, key: SummaryKey, row: Aggregate) -> str:
    histogram = "\\N" if row.histogram is None else to_json(row.histogram)
    # The repr of a list has spaces, which PostgreSQL skips.
    return (
        f"{scope}\t{key[0]}\t{key[1]}\t{key[2]}\t{row.n}\t{row.mean!r}\t{row.m2!r}\t{row.low!r}\t{row.high!r}"
        f"\t{{{repr(row.values)[1:-1]}}}\t{{{repr(row.ids)[1:-1]}}}\t{histogram}"
    )


def read(scope: int, keys: Iterable[SummaryKey] | None = None) -> dict[SummaryKey, Aggregate]:
    """The rows of a scope, or those of the given keys."""
    fields = ", ".join(f"s.{name}" for name in _QUOTED[1:-1])
    query = f"SELECT {fields}, s.histogram::text FROM webapp_summary s"  # noqa: S608 names and conditions are constants of the code; values are parameters
    args: list = []
    if keys is not None:
        query += f" JOIN {_KEYS} ON {_MATCH}"
        args = _arrays(keys)
    return dict(map(_parse_row, fetch_rows(f"{query} WHERE s.scope = %s", [*args, scope])))


def _parse_row(row: tuple) -> tuple[SummaryKey, Aggregate]:
    """Key and aggregate of a row whose histogram was selected as text."""
    metric, configuration, workload, n, mean, m2, low, high, values, ids, histogram = row
    buckets = None if histogram is None else json.loads(histogram)
    return (metric, configuration, workload), Aggregate(n, mean, m2, low, high, values=values, ids=ids, histogram=buckets)


_KEYS = "unnest(%s::smallint[], %s::bigint[], %s::bigint[]) AS k(metric, configuration, workload)"
_MATCH = "(s.metric_id, s.configuration_id, s.workload_id) = (k.metric, k.configuration, k.workload)"


def _arrays(keys: Iterable[SummaryKey]) -> list[list[int]]:
    ordered = sorted(set(keys))
    return [[key[i] for key in ordered] for i in range(3)]


def drop(scope: int, keys: Iterable[SummaryKey] | None = None) -> None:
    """Delete the rows of a scope, or those of the given keys."""
    with connection.cursor() as cursor:
        if keys is None:
            cursor.execute("DELETE FROM webapp_summary WHERE scope = %s", [scope])
        else:
            cursor.execute(f"DELETE FROM webapp_summary s USING {_KEYS} WHERE s.scope = %s AND {_MATCH}", [*_arrays(keys), scope])  # noqa: S608 names and conditions are constants of the code; values are parameters


def add_to_scope(scope: int, archive: int, keys: Iterable[SummaryKey] | None = None) -> None:
    """Merge the archive's own rows, or those of the given keys, into those of a scope of several, inside the database. The write
    lock is taken."""
    with connection.cursor() as cursor:
        if keys is None:
            cursor.execute(_MERGED.format(keys=""), [scope, archive])
        else:
            cursor.execute(_MERGED.format(keys=f"JOIN {_KEYS} ON {_MATCH}"), [scope, *_arrays(keys), archive])


# `merge` in SQL, with the same operations in the same order, so that both give the same bits (a test compares them).
# Ids of a later upload are mostly higher than those of the row; otherwise, as after two concurrent readings, they are sorted.
_IDS_FOLLOW = "p.ids[cardinality(p.ids)] < excluded.ids[1]"
_SORTED = 'FROM unnest(p."values" || excluded."values", p.ids || excluded.ids) AS pair(value, id)'


def _bucket_counts(side: str) -> str:
    """Buckets of a row and their counts: of its histogram, or of its values where it lists all of them."""
    return f"""
    SELECT key, value::bigint AS n FROM jsonb_each_text({side}.histogram) UNION ALL
    SELECT {_BUCKET}, 1 FROM unnest(CASE WHEN {side}.histogram IS NULL THEN {side}."values" END) AS value"""  # noqa: S608 names and conditions are constants of the code; values are parameters


_BUCKET = f"""CASE WHEN value > 0 THEN floor(ln(value) / {_LOG_STEP!r}::float8)::bigint::text
WHEN value = 0 THEN 'zero' ELSE 'negative' END"""
# A histogram and listed values: only the buckets of the values are updated, the histogram is not rebuilt.
_HISTOGRAM_AND_VALUES = f"""(SELECT jsonb_object_agg(key, n + coalesce((p.histogram->key)::bigint, 0)) FROM (
    SELECT {_BUCKET} AS key, count(*) AS n FROM unnest(excluded."values") AS value GROUP BY 1) AS bucket)"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# Listed values of both, together too many to be listed.
_VALUES_AND_VALUES = f"""(SELECT jsonb_object_agg(key, n) FROM (
    SELECT {_BUCKET} AS key, count(*) AS n FROM unnest(p."values" || excluded."values") AS value GROUP BY 1) AS bucket)"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_MERGED = f"""
INSERT INTO webapp_summary AS p ({", ".join(_QUOTED)})
SELECT %s, {", ".join(f"s.{name}" for name in _QUOTED[1:])} FROM webapp_summary s {{keys}} WHERE s.scope = %s
ON CONFLICT (scope, metric_id, configuration_id, workload_id) DO UPDATE SET
    n = p.n + excluded.n,
    mean = p.mean + (excluded.mean - p.mean) * excluded.n / (p.n + excluded.n),
    m2 = p.m2 + excluded.m2
        + (excluded.mean - p.mean) * (excluded.mean - p.mean) * p.n * excluded.n / (p.n + excluded.n),
    low = least(p.low, excluded.low),
    high = greatest(p.high, excluded.high),
    "values" = CASE WHEN {_IDS_FOLLOW} THEN (p."values" || excluded."values")[:{Summary.LIMIT}]
        ELSE (SELECT (array_agg(value ORDER BY id))[:{Summary.LIMIT}] {_SORTED}) END,
    ids = CASE WHEN {_IDS_FOLLOW} THEN (p.ids || excluded.ids)[:{Summary.LIMIT}]
        ELSE (SELECT (array_agg(id ORDER BY id))[:{Summary.LIMIT}] {_SORTED}) END,
    histogram = CASE WHEN p.n + excluded.n <= {Summary.LIMIT} THEN NULL
        WHEN p.histogram IS NOT NULL AND excluded.histogram IS NULL THEN p.histogram || {_HISTOGRAM_AND_VALUES}
        WHEN p.histogram IS NULL AND excluded.histogram IS NULL THEN {_VALUES_AND_VALUES}
        ELSE (SELECT jsonb_object_agg(key, n) FROM (
            SELECT key, sum(n) AS n FROM ({_bucket_counts("p")} UNION ALL {_bucket_counts("excluded")}) AS both_sides GROUP BY key
        ) AS bucket) END
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


def subtract_from_scope(scope: int, parts: Mapping[SummaryKey, Aggregate]) -> None:
    """Remove archives' previous rows from those of a scope of several. The archives' own rows are true by now.

    It is exact where every value is listed, or where the part has neither an extreme nor one of the listed values. Of other rows
    the histogram is subtracted, and the rest is computed again from the rows of the archives that stay.
    """
    if not parts:
        return
    whole = read(scope, parts)
    exact = {key for key, row in whole.items() if _is_exact(row, parts[key])}
    joined = _read_without_histograms(scope, whole.keys() - exact)
    remaining: dict[SummaryKey, Aggregate] = {}
    wrong = parts.keys() - whole.keys()
    for key, row in whole.items():
        left = subtract(row, parts[key])
        others = left if key in exact else joined.get(key)
        if not _agree(left, others):
            wrong.add(key)
        elif left is not None and others is not None:
            remaining[key] = replace(others, histogram=left.histogram if left.n > Summary.LIMIT else None)
    drop(scope, whole.keys() - wrong)
    write(scope, remaining)
    rebuild_scope(scope, wrong)


def _is_exact(whole: Aggregate, part: Aggregate) -> bool:
    removed, listed = set(part.ids), set(whole.ids)
    if whole.histogram is None:
        return len(listed) == whole.n and removed <= listed
    is_inside = not listed & removed and whole.low < part.low and part.high < whole.high
    return is_inside and whole.n - part.n > Summary.LIMIT


def _agree(left: Aggregate | None, others: Aggregate | None) -> bool:
    """Whether what is left after a subtraction counts as many values as the archives that stay: not where the row was wrong."""
    if left is None or others is None:
        return left is others
    counted = left.n if left.histogram is None else sum(left.histogram.values())
    return left.n == others.n == counted


def _read_without_histograms(scope: int, keys: Iterable[SummaryKey]) -> dict[SummaryKey, Aggregate]:
    """Rows of a scope of several as the archives' own rows give them: in the database, since there may be thousands for each."""
    if not (keys := set(keys)):
        return {}
    return {row[:3]: Aggregate(*row[3:]) for row in fetch_rows(_JOINED[scope], _arrays(keys))}


def rebuild_scope(scope: int, keys: Iterable[SummaryKey]) -> None:
    """Compute the rows of the keys in a scope of several archives (`PUBLIC`, `ACCEPTED`) again from the archives' own rows.

    A duplicate counts in no archive's own rows but the first one's. Extremes, first values and buckets of a whole are
    those of its parts, so no measurement is read.
    """
    keys = set(keys)
    if not keys:
        return
    rows: dict[SummaryKey, Aggregate] = {}
    for key, part in map(_parse_row, fetch_rows(_PARTS[scope], _arrays(keys))):
        rows[key] = merge(rows[key], part) if key in rows else part
    drop(scope, keys)
    write(scope, rows)


# Archives are looked up by hash (a condition with `IS TRUE` is no join): for a join the planner underestimates the rows and
# compares every row with every archive.
_PARTS = {
    scope: f"""
SELECT {", ".join(f"s.{name}" for name in _QUOTED[1:-1])}, s.histogram::text
FROM {_KEYS} JOIN webapp_summary s ON {_MATCH} AND s.scope > {PUBLIC}
WHERE (s.scope IN (SELECT id FROM webapp_archive WHERE {condition})) IS TRUE
ORDER BY s.scope
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
    for scope, condition in ((PUBLIC, public_sql()), (ACCEPTED, accepted_sql()))
}


def _join_listed(column: str, of: str) -> str:
    """The listed values of the first parts as one array; by way of text, which has every digit, since arrays differ in length."""
    texts = f"""string_agg(array_to_string("{column}", ','), ',' ORDER BY ids[1]) FILTER (WHERE listed < {Summary.LIMIT})"""
    return f"(('{{' || {texts} || '}}')::{of}[])[:{Summary.LIMIT}]"


# Ids of an archive have no other's between them, so that whole rows follow each other in the order of their first ids. Deviations
# are added as in `merge`: each part's own, and those of its mean.
_JOINED = {
    scope: f"""
WITH part AS MATERIALIZED (
    SELECT k.*, s.n, s.mean, s.m2, s.low, s.high, s."values", s.ids, sum(s.n * s.mean) OVER key / sum(s.n) OVER key AS middle,
        coalesce(sum(cardinality(s.ids)) OVER (key ORDER BY s.ids[1] ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS listed
    FROM {_KEYS} JOIN webapp_summary s ON {_MATCH} AND s.scope > {PUBLIC}
    WHERE (s.scope IN (SELECT id FROM webapp_archive WHERE {condition})) IS TRUE
    WINDOW key AS (PARTITION BY k.metric, k.configuration, k.workload)
)
SELECT metric, configuration, workload, sum(n)::bigint, min(middle), sum(m2 + n * (mean - middle) * (mean - middle)),
    min(low), max(high), {_join_listed("values", "float8")}, {_join_listed("ids", "bigint")}
FROM part GROUP BY metric, configuration, workload
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
    for scope, condition in ((PUBLIC, public_sql()), (ACCEPTED, accepted_sql()))
}


def rebuild_archive(archive: int, keys: Iterable[SummaryKey]) -> None:
    """Compute rows of an archive again from its measurements, with the results of `aggregate` (a test compares them)."""
    keys = set(keys)
    if not keys:
        return
    drop(archive, keys)
    with connection.cursor() as cursor:
        cursor.execute(_RECOMPUTE, [*_arrays(keys), archive, _LOG_STEP, *[Summary.LIMIT] * 3, archive])


# By run and its range of ids, since the ids of a run are consecutive; then filtered by key. The steps are materialised, since
# the planner cannot estimate that the ranges are short and would reorder them; and the keys are looked up by hash (a condition
# with `IS TRUE` is no join), since for a new archive it expects one value.
_RECOMPUTE = f"""
INSERT INTO webapp_summary ({", ".join(_QUOTED)})
WITH k AS MATERIALIZED (SELECT * FROM {_KEYS}),
ran AS MATERIALIZED (
    SELECT r.configuration_id, r.first_measurement, r.first_measurement + r.measurements AS beyond FROM webapp_run r
    WHERE r.configuration_id IN (SELECT configuration FROM k) AND r.archive_id = %s
),
taken AS MATERIALIZED (
    SELECT m.metric_id, ran.configuration_id, m.workload_id, m.id, m.value FROM ran CROSS JOIN LATERAL (
        SELECT * FROM webapp_measurement n WHERE n.id >= ran.first_measurement AND n.id < ran.beyond OFFSET 0
    ) m WHERE m.counted
),
hit AS MATERIALIZED (
    SELECT t.metric_id AS metric, t.configuration_id AS configuration, t.workload_id AS workload, t.id, t.value FROM taken t
    WHERE ((t.metric_id, t.configuration_id, t.workload_id) IN (SELECT metric, configuration, workload FROM k)) IS TRUE
),
bucketed AS (
    SELECT metric, configuration, workload, count(*) AS n,
        CASE WHEN value > 0 THEN floor(ln(value) / %s)::bigint::text WHEN value = 0 THEN 'zero' ELSE 'negative' END
        AS name
    FROM hit GROUP BY metric, configuration, workload, name
),
histogram AS (
    SELECT metric, configuration, workload, jsonb_object_agg(name, n) AS counts
    FROM bucketed GROUP BY metric, configuration, workload HAVING sum(n) > %s
),
folded AS (
    SELECT metric, configuration, workload, count(*) AS n, avg(value) AS mean, var_pop(value) * count(*) AS m2,
        min(value) AS low, max(value) AS high, (array_agg(value ORDER BY id))[1:%s] AS values,
        (array_agg(id ORDER BY id))[1:%s] AS ids
    FROM hit GROUP BY metric, configuration, workload
)
SELECT %s, metric, configuration, workload, n, mean, m2, low, high, values, ids, counts
FROM folded LEFT JOIN histogram USING (metric, configuration, workload)
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
