"""The rows of a comparison: those of the chosen metrics that pass the selection's filters, and counts of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.comparison import facets, overlay
from webapp.comparison.scopes import ComparisonScopes
from webapp.comparison.selection import Selection
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.reader import AbsentRows, FilteredRows, RowKey

MAX_COUNTED_ROWS = 10_000
"""Rows of the summary up to which the filters are applied to all metrics, not only to the chosen ones."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The summary at a data version, as one reader sees it. `only`: the rows that take part, None for all."""

    version: int
    scopes: ComparisonScopes
    only: frozenset[RowKey] | None = None

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        """The rows of these metrics, without values."""
        columns = overlay.read_columns(self.version, self.scopes, metrics)
        if self.only is None:
            return columns
        return Columns([row for row in columns.rows if overlay.row_key(row) in self.only])

    def read_absent(self, metrics: tuple[str, ...], others: tuple[str, ...] = ()) -> AbsentRows:
        """Withdrawn values of these metrics and those that could not be measured; `others` as in `reader.read_absent`."""
        absent = overlay.read_absent(self.version, self.scopes, metrics, others)
        if self.only is None:
            return absent
        return AbsentRows(
            [(row, reason) for row, reason in absent.withdrawn if overlay.row_key(row) in self.only],
            [row for row in absent.unmeasured if overlay.row_key(row) in self.only],
        )


def filter_rows(source: RowSource, selection: Selection) -> FilteredRows:
    """The rows of the selection's metrics through its filters; cached where all rows take part and none is overlaid."""

    def compute() -> FilteredRows:
        rows, row_filter = source.read_columns(selection.metrics), facets.RowFilter(selection)
        failing = row_filter.failing(rows)
        return FilteredRows(rows, rows.take(failing == 0), lambda: facets.make_facets(row_filter, rows, failing))

    if source.scopes.sources or source.only is not None:
        return compute()
    key = (source.version, source.scopes.base, selection.metrics, selection.filters, selection.q, selection.settings)
    return reader.cached_filtered_rows(key, compute)


def count_passing(source: RowSource, selection: Selection, available: Mapping[str, int]) -> dict[str, int] | None:
    """Values of each available metric that pass the filters. None without filters, and where counting would take too long."""
    if source.only is not None or not (selection.filters or selection.q):
        return None
    if overlay.count_rows(source.version, source.scopes) > MAX_COUNTED_ROWS:
        return None
    passing = facets.RowFilter(selection).passing(source.read_columns(tuple(sorted(available))))
    return dict.fromkeys(available, 0) | passing.total_by_metric()


def count_withdrawn(source: RowSource, selection: Selection) -> list[tuple[int, str]]:
    """(values, reason) of withdrawn values that pass the filters; 0 values for withdrawn archives of the selection."""
    withdrawn = source.read_absent(selection.metrics).withdrawn
    reasons = {id(row): reason for row, reason in withdrawn}
    counts: dict[str, int] = {}
    if withdrawn:
        for row in facets.RowFilter(selection).passing(Columns([row for row, _ in withdrawn])).rows:
            reason = reasons[id(row)]
            counts[reason] = counts.get(reason, 0) + row.n
    return [(n, reason) for reason, n in counts.items()] + [(0, reason) for reason in source.scopes.withdrawn.values()]
