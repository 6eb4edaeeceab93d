"""Statistics of a summary row as the storage's `Aggregate`, which can be merged and subtracted, and back."""

from __future__ import annotations

from webapp.comparison.model import SummaryRow
from webapp.storage.summary_writer import Aggregate


def to_aggregate(row: SummaryRow) -> Aggregate:
    return Aggregate(row.n, row.mean, row.m2, row.low, row.high, row.values, row.ids, row.histogram)


def set_aggregate(row: SummaryRow, aggregate: Aggregate) -> None:
    """Copy the statistics into the row. Ids last: other threads take a row with ids for complete."""
    row.n, row.mean, row.m2, row.low, row.high = aggregate.n, aggregate.mean, aggregate.m2, aggregate.low, aggregate.high
    row.values, row.histogram = aggregate.values, aggregate.histogram
    row.ids = aggregate.ids
