"""The summary that pages read, kept true in the transaction that changes the measurements."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection

from webapp.models.archive import public_sql
from webapp.models.summary import PUBLIC, Summary
from webapp.storage.pg_copy import copy_lines, to_json

_LOG_STEP = math.log(1.01)
_COLUMNS = ("scope", "metric_id", "configuration_id", "workload_id", "n", "mean", "m2", "low", "high", "values", "ids", "histogram")
_QUOTED = tuple(f'"{name}"' for name in _COLUMNS)

SummaryKey = tuple[int, int, int]
"""Metric, configuration and workload, by id."""


def histogram_bucket(value: float) -> str:
    """The bucket of 1 % that holds the value: floor(log(v) / log(1.01)); 'zero' and 'negative' have their own."""
    if value <= 0:
        return "zero" if value == 0 else "negative"
    return str(math.floor(math.log(value) / _LOG_STEP))


@dataclass(slots=True)
class Aggregate:
    """n, mean, sum of squared deviations, extremes, the values of the lowest ids, and buckets beyond `LIMIT` values."""

    n: int
    mean: float
    m2: float
    low: float
    high: float
    values: list[float]
    ids: list[int]
    histogram: Mapping[str, int] | None = field(default=None)


def fold(values: Sequence[float], ids: Sequence[int]) -> Aggregate:
    """The summary of at least one value; `ids` rise."""
    n, shown = len(values), Summary.LIMIT
    if n == 1:
        return Aggregate(1, values[0], 0.0, values[0], values[0], [values[0]], [ids[0]])
    mean = math.fsum(values) / n
    m2 = math.fsum([(value - mean) ** 2 for value in values])
    return Aggregate(
        n, mean, m2, min(values), max(values), list(values[:shown]), list(ids[:shown]), _buckets(values) if n > shown else None
    )


def _buckets(values: Iterable[float]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        name = histogram_bucket(value)
        counts[name] = counts.get(name, 0) + 1
    return counts


def merge(one: Aggregate, other: Aggregate) -> Aggregate:
    """Both together.

    Mean and squared deviations by Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
    sample variances" (1979): delta = mean_b - mean_a, mean = mean_a + delta n_b / n,
    M2 = M2_a + M2_b + delta^2 n_a n_b / n.
    """
    n, delta = one.n + other.n, other.mean - one.mean
    pairs = sorted(zip(one.ids + other.ids, one.values + other.values, strict=True))[: Summary.LIMIT]
    histogram = None
    if n > Summary.LIMIT:
        histogram = dict(_buckets(one.values) if one.histogram is None else one.histogram)
        for name, count in (_buckets(other.values) if other.histogram is None else other.histogram).items():
            histogram[name] = histogram.get(name, 0) + count
    return Aggregate(
        n,
        one.mean + delta * other.n / n,
        one.m2 + other.m2 + delta * delta * one.n * other.n / n,
        min(one.low, other.low),
        max(one.high, other.high),
        [value for _, value in pairs],
        [at for at, _ in pairs],
        histogram,
    )


def subtract(whole: Aggregate, part: Aggregate) -> Aggregate | None:
    """What is left of a summary without values that are in it; None where nothing is. `merge` the other way round.

    Extremes that nobody kept are those of the buckets: within 1 %.
    """
    n, gone = whole.n - part.n, set(part.ids)
    if n <= 0:
        return None
    pairs = [(value, at) for value, at in zip(whole.values, whole.ids, strict=True) if at not in gone]
    if len(pairs) == n:
        return fold([value for value, _ in pairs], [at for _, at in pairs])
    histogram = dict(_buckets(whole.values) if whole.histogram is None else whole.histogram)
    for name, count in (_buckets(part.values) if part.histogram is None else part.histogram).items():
        histogram[name] = histogram.get(name, 0) - count
    mean = (whole.mean * whole.n - part.mean * part.n) / n
    m2 = whole.m2 - part.m2 - (part.mean - mean) ** 2 * n * part.n / whole.n
    return Aggregate(
        n,
        mean,
        max(m2, 0.0),
        whole.low,
        whole.high,
        [value for value, _ in pairs],
        [at for _, at in pairs],
        {name: count for name, count in histogram.items() if count > 0},
    )


def write(scope: int, folds: dict[SummaryKey, Aggregate]) -> None:
    """COPY rows of a scope that has none for these keys."""
    copy_lines("webapp_summary", _QUOTED, (_line(scope, key, folds[key]) for key in sorted(folds)))


def _line(scope: int, key: SummaryKey, f: Aggregate) -> str:
    histogram = "\\N" if f.histogram is None else to_json(f.histogram)
    # A list shows its numbers as repr does; the server passes over the spaces.
    return (
        f"{scope}\t{key[0]}\t{key[1]}\t{key[2]}\t{f.n}\t{f.mean!r}\t{f.m2!r}\t{f.low!r}\t{f.high!r}"
        f"\t{{{repr(f.values)[1:-1]}}}\t{{{repr(f.ids)[1:-1]}}}\t{histogram}"
    )


def read(scope: int, keys: Iterable[SummaryKey] | None = None) -> dict[SummaryKey, Aggregate]:
    """The rows of a scope, or those of the given keys."""
    fields = ", ".join(f"s.{name}" for name in _QUOTED[1:-1])
    query = f"SELECT {fields}, s.histogram::text FROM webapp_summary s"
    args: list = []
    if keys is not None:
        query += f" JOIN {_KEYS} ON {_MATCH}"
        args = _arrays(keys)
    with connection.cursor() as cursor:
        cursor.execute(f"{query} WHERE s.scope = %s", [*args, scope])
        return dict(map(_told, cursor.fetchall()))


def _told(row: tuple) -> tuple[SummaryKey, Aggregate]:
    """Key and summary of a row whose histogram is read as text."""
    metric, configuration, workload, n, mean, m2, low, high, values, ids, histogram = row
    buckets = None if histogram is None else json.loads(histogram)
    return (metric, configuration, workload), Aggregate(n, mean, m2, low, high, values, ids, buckets)


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
            cursor.execute(f"DELETE FROM webapp_summary s USING {_KEYS} WHERE s.scope = %s AND {_MATCH}", [*_arrays(keys), scope])


def add_to_public(archive: int) -> None:
    """Merge the archive's own rows into the public ones; with the writer's turn. All inside the database."""
    with connection.cursor() as cursor:
        cursor.execute(_MERGED, [PUBLIC, archive])


# `merge` in SQL, with the same operations in the same order, so that both give the same bits (a test compares them).
# Values of a later upload mostly come after those that are there; else, as where two are read at a time, they are sorted.
_BEHIND = "p.ids[cardinality(p.ids)] < excluded.ids[1]"
_SORTED = 'FROM unnest(p."values" || excluded."values", p.ids || excluded.ids) AS pair(value, id)'


def _counted(side: str) -> str:
    """Buckets of a row and their counts: its own, or those of the values that it lists where these are all."""
    return f"""
    SELECT key, value::bigint AS n FROM jsonb_each_text({side}.histogram) UNION ALL
    SELECT {_BUCKET}, 1 FROM unnest(CASE WHEN {side}.histogram IS NULL THEN {side}."values" END) AS value"""


_BUCKET = f"""CASE WHEN value > 0 THEN floor(ln(value) / {_LOG_STEP!r}::float8)::bigint::text
WHEN value = 0 THEN 'zero' ELSE 'negative' END"""
# Few values beside many: only their own buckets are looked up, not all of the row taken apart and put together again.
_FEW_MORE = f"""(SELECT jsonb_object_agg(key, n + coalesce((p.histogram->key)::bigint, 0)) FROM (
    SELECT {_BUCKET} AS key, count(*) AS n FROM unnest(excluded."values") AS value GROUP BY 1) AS bucket)"""
# Few values beside few, together too many to be listed all.
_MANY = f"""(SELECT jsonb_object_agg(key, n) FROM (
    SELECT {_BUCKET} AS key, count(*) AS n FROM unnest(p."values" || excluded."values") AS value GROUP BY 1) AS bucket)"""
_MERGED = f"""
INSERT INTO webapp_summary AS p ({", ".join(_QUOTED)})
SELECT %s, {", ".join(f"k.{name}" for name in _QUOTED[1:])} FROM webapp_summary k WHERE k.scope = %s
ON CONFLICT (scope, metric_id, configuration_id, workload_id) DO UPDATE SET
    n = p.n + excluded.n,
    mean = p.mean + (excluded.mean - p.mean) * excluded.n / (p.n + excluded.n),
    m2 = p.m2 + excluded.m2
        + (excluded.mean - p.mean) * (excluded.mean - p.mean) * p.n * excluded.n / (p.n + excluded.n),
    low = least(p.low, excluded.low),
    high = greatest(p.high, excluded.high),
    "values" = CASE WHEN {_BEHIND} THEN (p."values" || excluded."values")[:{Summary.LIMIT}]
        ELSE (SELECT (array_agg(value ORDER BY id))[:{Summary.LIMIT}] {_SORTED}) END,
    ids = CASE WHEN {_BEHIND} THEN (p.ids || excluded.ids)[:{Summary.LIMIT}]
        ELSE (SELECT (array_agg(id ORDER BY id))[:{Summary.LIMIT}] {_SORTED}) END,
    histogram = CASE WHEN p.n + excluded.n <= {Summary.LIMIT} THEN NULL
        WHEN p.histogram IS NOT NULL AND excluded.histogram IS NULL THEN p.histogram || {_FEW_MORE}
        WHEN p.histogram IS NULL AND excluded.histogram IS NULL THEN {_MANY}
        ELSE (SELECT jsonb_object_agg(key, n) FROM (
            SELECT key, sum(n) AS n FROM ({_counted("p")} UNION ALL {_counted("excluded")}) AS each GROUP BY key
        ) AS bucket) END
"""


def subtract_from_public(parts: dict[SummaryKey, Aggregate]) -> None:
    """Take what an archive had in the public rows out of them; where the rows do not tell what is left, `rebuild_public` does.

    They tell it where every value is listed, or where the part has neither an extreme nor one of the listed values.
    """
    if not parts:
        return
    known = read(PUBLIC, parts)
    plain = {key: part for key, part in parts.items() if key in known and _plain(known[key], part)}
    left = {key: subtract(known[key], part) for key, part in plain.items()}
    drop(PUBLIC, plain)
    write(PUBLIC, {key: f for key, f in left.items() if f is not None})
    rebuild_public(parts.keys() - plain.keys())


def _plain(whole: Aggregate, part: Aggregate) -> bool:
    if whole.histogram is None:
        return True
    return (
        whole.n - part.n > Summary.LIMIT and not set(whole.ids) & set(part.ids) and whole.low < part.low and part.high < whole.high
    )


def rebuild_public(keys: Iterable[SummaryKey]) -> None:
    """Work out the public rows of the keys again from the rows that the public archives have of their own.

    What is a duplicate counts in no archive's own rows but the first one's. Extremes, the first values and the buckets of a
    whole are those of its parts, so no measurement is read.
    """
    keys = set(keys)
    if not keys:
        return
    found: dict[SummaryKey, Aggregate] = {}
    with connection.cursor() as cursor:
        cursor.execute(_PARTS, _arrays(keys))
        for key, part in map(_told, cursor.fetchall()):
            found[key] = merge(found[key], part) if key in found else part
    drop(PUBLIC, keys)
    write(PUBLIC, found)


# Archives are looked up by hash (what is asked `IS TRUE` is no join): for a join the planner, who believes that hardly a row is
# found, compared every row with every archive, three minutes at ten million measurements.
_PARTS = f"""
SELECT {", ".join(f"s.{name}" for name in _QUOTED[1:-1])}, s.histogram::text
FROM {_KEYS} JOIN webapp_summary s ON {_MATCH} AND s.scope > {PUBLIC}
WHERE (s.scope IN (SELECT id FROM webapp_archive WHERE {public_sql()})) IS TRUE
ORDER BY s.scope
"""


def rebuild_archive(archive: int, keys: Iterable[SummaryKey]) -> None:
    """Work out rows of an archive again from its measurements; the same numbers as `fold` (a test compares them)."""
    keys = set(keys)
    if not keys:
        return
    drop(archive, keys)
    with connection.cursor() as cursor:
        cursor.execute(_RECOMPUTE, [*_arrays(keys), archive, _LOG_STEP, *[Summary.LIMIT] * 3, archive])


# By run and its range of ids, since the values of a run lie side by side; then the wanted keys are picked out of them.
# The steps are kept apart, since the planner cannot know that the ranges of ids are short and would turn them around; and the
# keys are looked up by hash (what is asked `IS TRUE` is no join), since of a new archive it believes that there is one value.
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
"""
