"""Selection -> Comparison. Reads the summary; the table of measurements only for lines of shown values and exact statistics."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from statistics import fmean

from webapp.comparison import (
    aggregates,
    facets,
    matching,
    metric_search,
    omissions,
    overlay,
    provenance,
    queries,
    verdicts,
    workload_filter,
)
from webapp.comparison import groups as grouping
from webapp.comparison.defaults import choose_axes, choose_metric
from webapp.comparison.filtering import RowSource, count_passing, count_withdrawn, filter_rows
from webapp.comparison.model import Comparison, Group, Panel, SummaryRow
from webapp.comparison.scopes import ComparisonScopes, select_scopes
from webapp.comparison.selection import Selection, query_string
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.merge_months import merge_months
from webapp.comparison.summary.reader import RowKey
from webapp.http import isolation
from webapp.http.data_version import data_version


def compare(
    selection: Selection,
    viewer,
    exact: bool = False,
    most: int | None = grouping.MAX_POINTS,
    version: int | None = None,
    only: frozenset[RowKey] | None = None,
) -> Comparison:
    """The comparison that a reader may see. At most eight queries.

    `exact`: read every value, however many there are; else at most `most` of a group are shown (None: all that the
    summary has). `version`: the data version, where the caller knows it. `only`: the rows of the summary that take part,
    None for all.
    """
    version = data_version() if version is None else version
    source = RowSource(version, select_scopes(selection, viewer), only)
    available = overlay.count_metrics(version, source.scopes)

    selection, search = metric_search.search_metrics(source, selection, available)
    selection = choose_metric(selection, available)
    passing_by_metric = count_passing(source, selection, available)
    filtered = filter_rows(source, selection)
    selection = choose_axes(selection, filtered.passing)

    drawn = workload_filter.choose_workloads(selection, filtered.passing)
    matched = _fill_values(source, matching.hold_equal(selection, drawn.rows), exact)
    normalised = grouping.normalise(selection, matched)
    merged = merge_months(selection, matched)

    panels = grouping.make_panels(
        selection, normalised if merged is matched else grouping.normalise(selection, merged), None if exact else most
    )
    verdicts.judge_groups(selection, panels)
    groups = [group for panel in panels for group in panel.groups]
    doubts = provenance.attach_provenance(groups, version, every=exact or most is None)

    differs = matching.find_differences(selection, normalised, filtered.varying)
    steps = omissions.SelectionSteps(
        all=filtered.rows,
        passing=filtered.passing,
        drawn=drawn,
        matched=matched,
        normalised=normalised,
        caveats=doubts.caveats,
        without_lines=doubts.failed,
        missing=source.scopes.missing,
        overlays=source.scopes.overlays,
        withdrawn=count_withdrawn(source, selection),
    )
    return Comparison(
        selection=selection,
        panels=panels,
        flags=omissions.list_flags(selection, steps, groups, differs),
        differs=differs,
        facets=filtered.facets,
        workloads=workload_filter.list_workloads(selection, filtered.passing, drawn),
        metrics=facets.metric_choices(selection, available, passing_by_metric),
        axes=facets.axis_choices(selection, filtered.passing),
        runs=sum(group.runs for group in groups),
        configurations=normalised.cached("configurations", lambda: len({row.configuration for row in normalised.rows})),
        method=_describe_method(selection, panels, groups),
        overlays=overlay.overlay_choices(selection, source.scopes),
        recorded=filtered.rows.dimensions.open_names,
        search=search,
    )


def find_row_keys(selection: Selection, viewer, version: int) -> tuple[Selection, list[RowKey]]:
    """The selection with the metric and axes of its comparison, and the keys of the rows that this is made of."""
    source = RowSource(version, select_scopes(selection, viewer))
    available = overlay.count_metrics(version, source.scopes)
    selection = choose_metric(metric_search.search_metrics(source, selection, available)[0], available)
    rows = source.read_columns(selection.metrics).rows
    withdrawn = [row for row, _ in source.read_withdrawn(selection.metrics)]
    with_axes = isolation.run_isolated(
        "axes",
        query_string(selection),
        lambda: choose_axes(selection, filter_rows(source, selection).passing),
        lambda: selection,
    )
    return with_axes, sorted({overlay.row_key(row) for row in [*rows, *withdrawn]})


def _fill_values(source: RowSource, columns: Columns, exact: bool) -> Columns:
    """The rows with their values; with `exact`, every value instead of a histogram."""
    rows = columns.rows
    if not columns.has_values:
        rows = overlay.fill_values(source.version, source.scopes, rows)
        columns.has_values = rows is columns.rows
    if exact:
        rows = [_read_every_value(row, source.scopes) if row.histogram else row for row in rows]
    return columns.with_rows(rows)


def _read_every_value(row: SummaryRow, scopes: ComparisonScopes) -> SummaryRow:
    """A copy of the row with every value in the place of the histogram. One query."""
    archive = overlay.overlaid_archive(row)
    included, excluded = ((archive,), []) if archive else (scopes.base, list(scopes.overlays))
    pairs = queries.read_every_value(row.metric, row.configuration, row.workload, included, excluded)
    copy = row.copy()
    copy.values, copy.ids = [value for value, _ in pairs], [measurement for _, measurement in pairs]
    copy.n, copy.histogram = len(pairs), None
    copy.low, copy.high, copy.mean = min(copy.values), max(copy.values), fmean(copy.values)
    copy.m2 = fsum((value - copy.mean) ** 2 for value in copy.values)
    return copy


def _describe_method(selection: Selection, panels: Sequence[Panel], groups: Sequence[Group]) -> str:
    """How centres, intervals and verdicts were computed, for the caption; empty without groups."""
    if not groups:
        return ""
    sentences = (aggregates.describe_method(selection.stat, groups), verdicts.describe_tests(panels))
    return "; ".join(sentence for sentence in sentences if sentence)
