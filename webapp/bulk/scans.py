"""Scans of every public value, which the summary cannot answer: DuckDB over the files of an edition."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from webapp.bulk import duck, package, queries
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
        database = stack.enter_context(duck.connect(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        database.execute(f"CREATE VIEW measurements AS FROM read_parquet([{', '.join(map(duck.quoted, files))}])")
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


def find_summary_problems(edition: PublicData) -> Iterator[str]:
    """A line for each row of the public summary with another count, mean or extreme than the values of the edition have; they
    differ too where something was published since."""
    with open_edition(edition) as database:
        cursor = database.execute(
            "SELECT metric, configuration, workload, count(*), avg(value), min(value), max(value) FROM measurements"
            " WHERE counted GROUP BY ALL"
        )
        found = {row[:3]: row[3:] for row in cursor.fetchall()}
    shown = queries.read_public_summary()
    for key in sorted(found.keys() | shown.keys()):
        if not _alike(found.get(key), shown.get(key)):
            yield f"summary of {key[0]}, configuration {key[1]}, workload {key[2]}: differs from the values"


def _alike(one: tuple | None, other: tuple | None) -> bool:
    """Equal counts and extremes; means within what the order of a sum may change."""
    if one is None or other is None:
        return False
    return one[0] == other[0] and one[2:] == other[2:] and math.isclose(one[1], other[1], rel_tol=1e-9)
