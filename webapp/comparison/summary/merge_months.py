"""Merges rows that differ in the month alone, where months are no part of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import fsum
from statistics import fmean

from webapp.comparison.dimensions import APART, SOURCE
from webapp.comparison.model import SummaryRow
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row_aggregates import set_aggregate, to_aggregate
from webapp.comparison.workload_filter import WORKLOAD_DIMENSIONS
from webapp.formatting.months import MONTH
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

_SHARED = (*dict.fromkeys((*WORKLOAD_DIMENSIONS, APART)), SOURCE)
"""What merged rows agree in, beside metric and configuration."""


def merge_months(selection: Selection, rows: Columns) -> Columns:
    """The rows with those of several months merged; the same object where months are an axis or held equal, or there is
    one only.

    A merged row keeps every value where its parts have all of theirs; else it is what the summary would store of them.
    """
    if MONTH in (*selection.axes, *selection.hold) or len(rows.distinct(MONTH)) < 2:
        return rows
    return rows.cached(merge_months, lambda: _merge_months(rows))


def _merge_months(columns: Columns) -> Columns:
    cells, _ = columns.cells(_SHARED)
    groups: dict[tuple[int, int], list[SummaryRow]] = {}
    for cell, row in zip(cells.tolist(), columns.rows, strict=True):
        groups.setdefault((cell, row.configuration), []).append(row)
    return columns.with_rows([rows[0] if len(rows) == 1 else _merge(rows) for rows in groups.values()])


def _merge(rows: Sequence[SummaryRow]) -> SummaryRow:
    """One row of several, which stay unchanged: pages share them."""
    merged = rows[0].copy()
    if all(len(row.values) == row.n for row in rows):
        set_aggregate(merged, _aggregate_values(rows))
    else:
        set_aggregate(merged, reduce(summary_writer.merge, map(to_aggregate, rows)))
    return merged


def _aggregate_values(rows: Sequence[SummaryRow]) -> Aggregate:
    """The aggregate of every value of the rows, in the order of their ids."""
    pairs = sorted(pair for row in rows for pair in zip(row.ids, row.values, strict=True))
    values = [value for _, value in pairs]
    mean = fmean(values)
    m2 = fsum((value - mean) ** 2 for value in values)
    return Aggregate(len(values), mean, m2, min(values), max(values), values, [measurement for measurement, _ in pairs])
