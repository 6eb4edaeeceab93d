"""Scans of every public value, which the summary cannot answer: DuckDB over the files of an edition."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from webapp.bulk import package, parts, queries
from webapp.files import stores
from webapp.models import PublicData


def rank_sql(quantiles: list[float]) -> str:
    """SQL over `measurements`, of DuckDB and of Spark: metric, tool, statistic, file system, count, and the values, with their
    places from 0, between which the quantiles lie. The interpolation of each engine differs from PostgreSQL's in the last digit."""
    places = [f"{end}(CAST('{quantile!r}' AS DOUBLE) * (n - 1))" for quantile in quantiles for end in ("floor", "ceil")]
    return f"""
WITH ranked AS (
    SELECT metric, tool, stat, coalesce(fs_type, '') AS fs, value,
        row_number() OVER (PARTITION BY metric, tool, stat, fs_type ORDER BY value) - 1 AS place,
        count(*) OVER (PARTITION BY metric, tool, stat, fs_type) AS n
    FROM measurements WHERE counted
)
SELECT metric, tool, stat, fs, n, place, value FROM ranked WHERE place IN ({", ".join(["0", "n - 1", *places])})
"""  # noqa: S608 numbers alone


@contextmanager
def open_edition(edition: PublicData) -> Iterator[Any]:
    """A connection to DuckDB with the edition as the view `measurements`. Raises MissingBytes, DamagedBytes or StoreError."""
    with ExitStack() as stack:
        files = [stack.enter_context(stores.local(file.key)) for file in package.list_files(edition) if file.form == "parquet"]
        database = stack.enter_context(parts.connect(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        database.execute(f"CREATE VIEW measurements AS FROM read_parquet([{', '.join(map(parts.quoted, files))}])")
        yield database


def read_pooled_quantiles(edition: PublicData, quantiles: list[float]) -> dict[tuple[str, str, str, str], tuple]:
    """(metric, tool, statistic, file system) -> count, least, greatest and quantiles of all counted values, not of medians."""
    with open_edition(edition) as database:
        return interpolate(database.execute(rank_sql(quantiles)).fetchall(), quantiles)


def interpolate(rows: Iterable[Sequence], quantiles: list[float]) -> dict[tuple[str, str, str, str], tuple]:
    """Rows of `rank_sql` -> what `read_pooled_quantiles` gives."""
    values: dict[tuple[str, str, str, str], dict[int, float]] = {}
    counts: dict[tuple[str, str, str, str], int] = {}
    for *key, n, place, value in rows:
        group = (key[0], key[1], key[2], key[3])
        counts[group] = n
        values.setdefault(group, {})[place] = value
    return {
        group: (n, values[group][0], values[group][n - 1], *(_interpolated(values[group], n, quantile) for quantile in quantiles))
        for group, n in counts.items()
    }


def _interpolated(by_place: dict[int, float], n: int, quantile: float) -> float:
    """As `percentile_cont` of PostgreSQL does it."""
    place = quantile * (n - 1)
    low, high = by_place[math.floor(place)], by_place[math.ceil(place)]
    return low + (place - math.floor(place)) * (high - low)


@dataclass(slots=True)
class SummaryCheck:
    """What was found of the public summary. `exact`: how many of its `rows` have the mean to the last digit."""

    rows: int
    exact: int
    problems: list[str]


def check_summary(edition: PublicData) -> SummaryCheck:
    """Compare counts, extremes and means of the public summary with those of the values of the edition. What was published since
    differs too."""
    with open_edition(edition) as database:
        found = {key: merge_parts(rows) for key, rows in groupby(_read_parts(database), itemgetter(0, 1, 2))}
    shown = queries.read_public_summary()
    return SummaryCheck(
        len(shown),
        sum(key in found and found[key][1] == row[1] for key, row in shown.items()),
        [
            f"summary of {key[0]}, configuration {key[1]}, workload {key[2]}: differs from the values"
            for key in sorted(found.keys() | shown.keys())
            if not _alike(found.get(key), shown.get(key))
        ],
    )


def _read_parts(database: Any) -> Iterator[tuple]:
    """(metric, configuration, workload, count, least, greatest, values) of each archive in the order of their ids, row by row."""
    cursor = database.execute(
        "SELECT metric, configuration, workload, count(*), min(value), max(value), list(value) FROM measurements"
        " WHERE counted GROUP BY metric, configuration, workload, archive ORDER BY metric, configuration, workload, archive"
    )
    while rows := cursor.fetchmany(1000):
        yield from rows


def merge_parts(rows: Iterable[tuple]) -> tuple[int, float, float, float]:
    """Count, mean and extremes as `summary_writer.aggregate` and `summary_writer.merge` compute them, archive by archive."""
    n, mean, low, high = 0, 0.0, math.inf, -math.inf
    for *_, count, least, greatest, values in rows:
        own = math.fsum(values) / count
        n, low, high = n + count, min(low, least), max(high, greatest)
        mean = own if n == count else mean + (own - mean) * count / n
    return n, mean, low, high


def _alike(one: tuple | None, other: tuple | None) -> bool:
    """Equal counts and extremes; means within what the order of a million merges may change."""
    if one is None or other is None:
        return False
    return one[0] == other[0] and one[2:] == other[2:] and math.isclose(one[1], other[1], rel_tol=1e-9)
