"""The second stage: the rows that a question is about, read once. The only stage that asks the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from webapp.comparison import facets
from webapp.comparison.model import Choice, Facet, SearchResult
from webapp.comparison.question import MAX_OFFERED_ARCHIVES, ComparisonScopes, Question, accepted_scopes, find_originals
from webapp.comparison.search import RowFilter, choose_metric, find_metric
from webapp.comparison.selection import Selection
from webapp.comparison.sets.candidate_sets import Candidates
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import AbsentRows, UnmeasuredRow
from webapp.comparison.summary.source import USUAL_METRICS, RowSource
from webapp.http import isolation
from webapp.http.process_cache import MB, ProcessCache

MAX_UNMEASURED = 2_000
"""Rows of runs without a number that are looked at for one figure."""


@dataclass(frozen=True)
class FilteredRows:
    """The rows of some metrics, the filters that each fails, and those that pass all of them."""

    row_filter: RowFilter
    all: Columns
    failing: np.ndarray
    passing: Columns

    @classmethod
    def of(cls, rows: Columns, selection: Selection) -> FilteredRows:
        row_filter = RowFilter(selection)
        failing = row_filter.failing(rows)
        return cls(row_filter, rows, failing, rows.take(failing == 0))

    @cached_property
    def facets(self) -> list[Facet]:
        """The facets, made on first access: pages with the same filters share them."""
        return facets.make_facets(self.row_filter, self.all, self.failing)


_filtered_cache = ProcessCache(16 * MB, lambda filtered: filtered.failing.nbytes + filtered.passing.nbytes)


def filter_rows(source: RowSource, selection: Selection) -> FilteredRows:
    """The rows of the selection's metrics through its filters; cached where all rows take part and none is overlaid."""
    rows = source.read_columns(selection.metrics)
    if not rows.key:
        return FilteredRows.of(rows, selection)
    key = (rows.key, selection.filters, selection.q, selection.settings)
    filtered = _filtered_cache.get(key)
    if filtered is None:
        filtered = _filtered_cache.put(key, FilteredRows.of(rows, selection))
        filtered.passing.key = filtered.passing.key or key
    return filtered


@dataclass(frozen=True)
class Rows:
    """The rows that a question is about. What is not needed by everybody is computed on first access.

    `selection`: the address with its metric. `available`: values by metric. `others`: usual metrics for which it is asked too what
    can be compared. `is_drawn`: whether anything may be drawn. `absent`: withdrawn values, and runs without a number.
    """

    question: Question
    source: RowSource
    selection: Selection
    is_drawn: bool
    available: Mapping[str, int]
    search: SearchResult | None
    others: tuple[str, ...]
    absent: AbsentRows

    @cached_property
    def _filtered(self) -> FilteredRows:
        return filter_rows(self.source, self.selection)

    @property
    def all(self) -> Columns:
        """The rows of the metrics."""
        return self._filtered.all

    @property
    def passing(self) -> Columns:
        """Those that pass the filters."""
        return self._filtered.passing

    @property
    def row_filter(self) -> RowFilter:
        """The filters and the search."""
        return self._filtered.row_filter

    @property
    def facets(self) -> list[Facet]:
        """The choices of every filter."""
        return self._filtered.facets

    @cached_property
    def candidates(self) -> Columns:
        """What the set is chosen from. Where no run gave a number, those with a bound are drawn at it."""
        return self.passing if len(self.passing) else bounded_rows(self.selection, self.absent.unmeasured)

    @property
    def offered(self) -> tuple[str, ...]:
        """The drawn metrics and those with most values, as many as are looked at."""
        return tuple(sorted({*self.selection.metrics, *self.source.most_measured()}))

    def unfiltered(self, metrics: tuple[str, ...]) -> Candidates:
        """The rows of these metrics that pass without filters, and which filters they fail."""
        rows = filter_rows(self.source, self.selection.changed(metrics=metrics, filters=(), q="", settings=())).passing
        return Candidates(rows, self.row_filter.failing(rows), self.row_filter.bits)

    def passing_of(self, metric: str) -> Columns:
        """The rows of another metric that pass the filters."""
        return filter_rows(self.source, self.selection.changed(metrics=(metric,))).passing

    def fill(self, columns: Columns) -> Columns:
        """These rows with their values, as the summary has them. At most one query, none where they were read before."""
        return columns.cached(RowSource.fill_values, lambda: columns.with_rows(self.source.fill_values(columns.rows)))

    def with_values(self, columns: Columns) -> Columns:
        """As `fill`, with every value instead of a histogram where the question is exact."""
        filled = self.fill(columns)
        return filled.with_rows(self.source.with_every_value(filled.rows)) if self.question.exact else filled

    def count_passing(self) -> dict[str, int] | None:
        """Values of each available metric that pass the filters. None without filters, and where counting would take too long."""
        if self.source.only is not None or not (self.selection.filters or self.selection.q) or not self.source.has_few_rows:
            return None
        passing = RowFilter(self.selection).passing(self.source.read_columns(tuple(sorted(self.available))))
        return dict.fromkeys(self.available, 0) | passing.total_by_metric()

    def count_withdrawn(self) -> list[tuple[int, str]]:
        """(values, reason) of withdrawn values that pass the filters; 0 values for withdrawn archives of the selection."""
        reasons = {id(row): reason for row, reason in self.absent.withdrawn}
        counts: dict[str, int] = {}
        if reasons:
            for row in RowFilter(self.selection).passing(Columns([row for row, _ in self.absent.withdrawn])).rows:
                reason = reasons[id(row)]
                counts[reason] = counts.get(reason, 0) + row.n
        return [(n, reason) for reason, n in counts.items()] + [(0, reason) for reason in self.source.scopes.withdrawn.values()]

    @cached_property
    def originals(self) -> dict[int, str]:
        """The archives of which the chosen ones are copies, by id with their titles, where nothing else is in these."""
        if len(self.candidates) or not self.selection.archives:
            return {}
        return find_originals(self.selection.archives, self.question.viewer)


def read_rows(question: Question) -> Rows:
    """The rows of a question, with the metric that is drawn. In a process that has nothing of it cached at most four queries."""
    source, is_drawn = _find_source(question)
    available = source.count_metrics()
    selection, result = isolation.run_isolated(
        "search",
        question.selection.q,
        lambda: find_metric(source, question.selection, available),
        lambda: (choose_metric(question.selection, available), None),
    )
    others = [name for name in USUAL_METRICS if name in available and name not in selection.metrics]
    usual = tuple(others if question.presets and question.names_nothing else ())
    # Before the other rows, which it reads too, all of them in one query.
    absent = source.read_absent(selection.metrics, (*usual, *source.most_measured()) if question.presets else ())
    return Rows(question, source, selection, is_drawn, available, search=result, others=usual, absent=absent)


def _find_source(question: Question) -> tuple[RowSource, bool]:
    """The rows that an address is about, and whether any may be drawn.

    Where it names no runs these are those of accepted archives, as far as they have the metrics; a bare address draws no others.
    """
    scopes, metrics = question.scopes, question.selection.metrics
    if question.names_nothing:
        accepted, *_ = reader.count_metrics(question.version, [accepted_scopes().base, *scopes.sets])  # of both in one query
        if accepted and (not metrics or any(metric in accepted for metric in metrics)):
            return RowSource(question.version, replace(scopes, base=accepted_scopes().base), question.only), True
    return RowSource(question.version, scopes, question.only), not question.is_bare


def bounded_rows(selection: Selection, rows: Sequence[UnmeasuredRow]) -> Columns:
    """The rows with a bound that pass the filters, as rows of the summary without values."""
    bounded = [row.as_summary() for row in rows[:MAX_UNMEASURED] if row.bound is not None]
    return RowFilter(selection).passing(Columns(bounded)) if bounded else Columns([])


def overlay_choices(selection: Selection, scopes: ComparisonScopes) -> list[Choice]:
    """Archives that can be overlaid by `overlay=`: those that are, and the newest of the reader's own."""
    titles = dict(list(scopes.own.items())[:MAX_OFFERED_ARCHIVES]) | dict(scopes.overlays)
    return [
        Choice(str(archive), title, 0, archive in scopes.overlays)
        for archive, title in titles.items()
        if archive not in selection.archives or archive in scopes.overlays
    ]
