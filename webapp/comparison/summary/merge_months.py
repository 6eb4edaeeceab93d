"""Rows that differ in nothing but the month are one row, wherever the reader does not ask for months."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import fsum
from statistics import fmean

from webapp.comparison.dimensions import SOURCE
from webapp.comparison.model import SummaryRow
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import Columns
from webapp.comparison.workload_filter import WORKLOAD_DIMENSIONS
from webapp.formatting.months import MONTH
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

_ALIKE = (*WORKLOAD_DIMENSIONS, SOURCE)


def merge_months(selection: Selection, rows: Columns) -> Columns:
    """The rows with those of several months put together; the same object where months are an axis or held equal, or
    there is one only.

    Where every value of them is there it is kept; else the result is what the summary would hold of all the values.
    """
    if MONTH in (*selection.axes, *selection.hold) or len(rows.values(MONTH)) < 2:
        return rows
    return rows.keep(merge_months, lambda: _joined(rows))


def _joined(rows: Columns) -> Columns:
    cell, _ = rows.cells(_ALIKE)
    alike: dict[tuple[int, int], list[SummaryRow]] = {}
    for at, row in zip(cell.tolist(), rows.rows, strict=True):
        alike.setdefault((at, row.configuration), []).append(row)
    return rows.of([some[0] if len(some) == 1 else _one(some) for some in alike.values()])


def _one(rows: Sequence[SummaryRow]) -> SummaryRow:
    """One row of several. They are shared between pages: none is changed."""
    made = rows[0].copy()
    fold = _whole(rows) if all(len(row.values) == row.n for row in rows) else _merged(rows)
    made.n, made.mean, made.m2, made.low, made.high = fold.n, fold.mean, fold.m2, fold.low, fold.high
    made.values, made.ids, made.histogram = fold.values, fold.ids, fold.histogram
    return made


def _whole(rows: Sequence[SummaryRow]) -> Aggregate:
    pairs = sorted((at, value) for row in rows for at, value in zip(row.ids, row.values, strict=True))
    values = [value for _, value in pairs]
    mean = fmean(values)
    return Aggregate(
        len(values), mean, fsum((value - mean) ** 2 for value in values), min(values), max(values), values, [at for at, _ in pairs]
    )


def _merged(rows: Sequence[SummaryRow]) -> Aggregate:
    return reduce(
        summary_writer.merge,
        (Aggregate(row.n, row.mean, row.m2, row.low, row.high, row.values, row.ids, row.histogram) for row in rows),
    )
