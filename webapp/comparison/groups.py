"""Rows of the summary -> panels of groups with their statistics. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from math import fsum
from operator import itemgetter
from statistics import fmean

import numpy as np

from ingest.catalogue import LESS, METRICS
from webapp.claims.observations import GEOMETRIC, MEDIAN
from webapp.comparison import aggregates, caveats
from webapp.comparison.dimensions import APART, DERIVED_DIMENSIONS, DIMENSIONS, SOURCE, is_open, value_label, value_sort_key
from webapp.comparison.model import DifferingDimension, Group, Panel, Point, SummaryRow
from webapp.comparison.selection import BY_VALUE, DIVISORS, EURO, METRIC, Links, Selection, dimension_position, filter_query
from webapp.comparison.sets.core_keys import IDENTIFIERS
from webapp.comparison.sets.workloads import WORKLOAD_DIMENSIONS
from webapp.comparison.summary.columns import METRIC_INDEX, Columns, occurring_codes
from webapp.comparison.summary.reader import UnmeasuredRow, set_aggregate, to_aggregate
from webapp.formatting.printed_times import MONTH
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

# All else equal: keeps only values of held dimensions that every group has, and finds in what groups still differ. Pure.

MAX_DIFFERING, MAX_LINKS = 12, 6
"""Values of a differing dimension that are listed, and that get a link."""


def hold_equal(selection: Selection, rows: Columns) -> Columns:
    """The rows whose values of the held dimensions occur in every group of their metric; all rows where none is held."""
    if not selection.hold or not len(rows):
        return rows
    return rows.cached((hold_equal, selection.axes, selection.hold), lambda: _hold_equal(selection, rows))


def _hold_equal(selection: Selection, rows: Columns) -> Columns:
    group, _ = rows.cells(selection.axes)
    stratum, _ = rows.cells(selection.hold)  # rows of one metric with equal held dimensions
    groups, strata = group.max() + 1, stratum.max() + 1
    metric = rows.indices[METRIC_INDEX]
    groups_with_stratum = np.bincount(np.unique(stratum * groups + group) // groups, minlength=strata)
    groups_of_metric = np.bincount(np.unique(metric * groups + group) // groups, minlength=len(rows.dimensions.metrics))
    metric_of_stratum = np.zeros(strata, np.intp)
    metric_of_stratum[stratum] = metric
    return rows.take((groups_with_stratum == groups_of_metric[metric_of_stratum])[stratum])


def find_differences(selection: Selection, rows: Columns, candidates: frozenset[str] | None = None) -> list[DifferingDimension]:
    """Every dimension, no axis, in which rows of one metric differ; those that differ between groups first.

    `candidates`: a superset of the dimensions in which rows differ, where the caller knows one.
    """
    if not len(rows):
        return []
    differences = rows.cached(
        (find_differences, selection.axes, candidates), lambda: _find_differences(selection.axes, rows, candidates)
    )
    links = Links(selection)
    return [_with_links(selection, links, difference) for difference in differences]


@dataclass(frozen=True, slots=True)
class _Difference:
    """A dimension in which rows differ. `links`: (label, filter, the filter as part of a query) of the values with a link."""

    name: str
    labels: tuple[str, ...]
    between: bool
    links: tuple[tuple[str, dict[str, str], str], ...]


def _find_differences(axes: tuple[str, ...], rows: Columns, candidates: Collection[str] | None) -> list[_Difference]:
    group, metric_of_group = rows.cells(axes)
    skipped = {*axes, *IDENTIFIERS, *(name for axis in axes for name in DERIVED_DIMENSIONS.get(axis, ()))}
    differences = []
    for name in rows.dimensions.names:
        if name in skipped or not (candidates is None or name in candidates):
            continue
        if len(rows.dimensions.column(name).values) > 1:
            values, between = _differing_values(name, rows, group, metric_of_group)
            if values:
                differences.append(_make_difference(name, values, between))
    return sorted(differences, key=lambda difference: not difference.between)


def _make_difference(name: str, values: Sequence[str], between: bool) -> _Difference:
    labels = tuple(value_label(DIMENSIONS[name], value) for value in values[:MAX_DIFFERING])
    filters = [{name: value} for value in values[:MAX_LINKS]]
    links = [(f"only {label}", only, filter_query(only)) for label, only in zip(labels[:MAX_LINKS], filters, strict=True)]
    return _Difference(name, labels, between, tuple(links))


def _differing_values(name: str, rows: Columns, group: np.ndarray, metric_of_group: np.ndarray) -> tuple[list[str], bool]:
    """The values of a dimension in which rows of one metric differ, and whether they do so between groups."""
    column = rows.dimensions.column(name)
    size = len(column.values)
    pairs = occurring_codes(group * size + rows.codes(name))
    groups, codes = pairs // size, pairs % size
    if is_open(name):  # where it is not recorded it may be anything
        groups, codes = groups[codes != column.unknown_code], codes[codes != column.unknown_code]
    differing, between = np.zeros(size, bool), False
    for metric in range(len(rows.dimensions.metrics)):
        of_metric = metric_of_group[groups] == metric
        distinct, group_count = np.unique(codes[of_metric]), len(np.unique(groups[of_metric]))
        if len(distinct) > 1:
            differing[distinct] = True
            between |= int(of_metric.sum()) < group_count * len(distinct)  # a group lacks a value that another has
    return column.texts[differing].tolist(), between


def _with_links(selection: Selection, links: Links, difference: _Difference) -> DifferingDimension:
    queries = [(label, links.with_filters(only, query)) for label, only, query in difference.links]
    if difference.name not in selection.hold:
        queries.insert(0, ("hold equal", links.with_hold(_held_with(selection, difference.name))))
    queries.append(("one figure each", links.with_facet(difference.name)))
    label = DIMENSIONS[difference.name].label
    return DifferingDimension(difference.name, label, difference.labels, difference.between, tuple(queries))


def _held_with(selection: Selection, name: str) -> tuple[str, ...]:
    """The held dimensions and this one, in the order of DIMENSIONS."""
    if not selection.hold:
        return (name,)
    return tuple(sorted({name, *selection.hold}, key=dimension_position))


# Merges rows that differ in the month alone, where months are no part of the comparison.

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


ALL = ""
"""The value of an axis that is not chosen."""
MAX_POINTS = 24
"""Values of a group on a page; the others are counted there, and listed in JSON and CSV."""
MAX_DOTS = 500
"""Values of a figure of boxes up to which each has its dot, however many a group has."""
MAX_LISTED = 5_000
"""Values of a group up to which each is judged by itself."""
DIVISIBLE_UNITS = ("B/s", "1/s", "B")
"""Units that can be divided by a number of disks or cores; a time or a ratio cannot."""


def normalise(selection: Selection, rows: Columns) -> Columns:
    """The rows per disk, core, node, euro ..., without those whose divisor is unknown; the same object without a divisor."""
    if selection.normalise not in (*DIVISORS, EURO):
        return rows
    scaled = []
    for row in rows.rows:
        divisor = _divisor(selection, row)
        if divisor and METRICS[row.metric].unit in DIVISIBLE_UNITS:
            scaled.append(_scale(row, 1 / divisor))
    return rows.with_rows(scaled)


def normalise_bounds(selection: Selection, rows: Sequence[UnmeasuredRow]) -> Sequence[UnmeasuredRow]:
    """As `normalise`, of runs without a number: their bounds."""
    if selection.normalise not in (*DIVISORS, EURO):
        return rows
    divisible = [(row, _divisor(selection, row)) for row in rows if METRICS[row.metric].unit in DIVISIBLE_UNITS]
    return [replace(row, bound=None if row.bound is None else row.bound / divisor) for row, divisor in divisible if divisor]


def _divisor(selection: Selection, row: SummaryRow | UnmeasuredRow) -> float:
    """The number of disks, cores, euros ...; 0 where it is unknown."""
    if selection.normalise == EURO:
        prices = dict(selection.prices)
        return next((float(prices[row.texts[axis]]) for axis in selection.axes if row.texts[axis] in prices), 0.0)
    text = row.texts[DIVISORS[selection.normalise]]
    return float(text) if text.isdigit() else 0.0


def _scale(row: SummaryRow, factor: float) -> SummaryRow:
    copy = row.copy()
    copy.values = [value * factor for value in row.values]
    copy.mean, copy.m2 = row.mean * factor, row.m2 * factor * factor
    copy.low, copy.high, copy.scale = row.low * factor, row.high * factor, factor
    return copy


@dataclass(frozen=True, slots=True)
class GroupRows:
    """The rows of one group, those of each configuration, the number of their values, and the ids of their caveats; `values`:
    (value, measurement id) of each, empty where they are too many or not all known.

    `summaries` caches centre and interval by statistic, `shown` the shown values by their maximal number: both depend on
    the rows alone, of which a group may have thousands.
    """

    rows: list[SummaryRow]
    by_configuration: list[list[SummaryRow]]
    runs: int
    caveats: frozenset[str]
    summaries: dict[str, aggregates.GroupSummary] = field(default_factory=dict)
    shown: dict[int, list[tuple[float, int, int]]] = field(default_factory=dict)
    values: list[tuple[float, int]] = field(default_factory=list)

    @classmethod
    def of(cls, rows: list[SummaryRow]) -> GroupRows:
        runs = sum(row.n for row in rows)
        is_listed = runs <= MAX_LISTED and all(len(row.values) == row.n for row in rows)
        values = [pair for row in rows for pair in zip(row.values, row.ids, strict=True)] if is_listed else []
        return cls(rows, aggregates.group_by_configuration(rows), runs, caveats.group_caveats(rows), values=values)

    def summary(self, stat: str) -> aggregates.GroupSummary:
        """Centre and interval of the rows."""
        summary = self.summaries.get(stat)
        if summary is None:
            summary = self.summaries[stat] = aggregates.summarise(stat, self.rows, self.by_configuration)
        return summary

    def points(self, most: int | None) -> list[Point]:
        """At most so many values (None: all), by id, without their lines."""
        if most is None:  # not cached: for JSON and CSV, not for pages
            shown = _select_values(self.rows, None)
        elif (cached := self.shown.get(most)) is not None:
            shown = cached
        else:
            shown = self.shown[most] = _select_values(self.rows, most)
        return [Point(*value) for value in shown]


@dataclass(frozen=True, slots=True)
class PanelRows:
    """The metrics and rows of one panel, and the rows of its groups by (value of the x axis, series)."""

    metrics: frozenset[str]
    rows: list[SummaryRow]
    groups: dict[tuple[str, str], GroupRows]

    @classmethod
    def of(cls, rows_by_group: Mapping[tuple[str, str], list[SummaryRow]]) -> PanelRows:
        rows = [row for group_rows in rows_by_group.values() for row in group_rows]
        groups = {key: GroupRows.of(group_rows) for key, group_rows in rows_by_group.items()}
        return cls(frozenset(row.metric for row in rows), rows, groups)


def make_panels(selection: Selection, rows: Columns, most: int | None = None) -> list[Panel]:
    """One panel per value of the facet and per metric, or per unit where metrics are the series.

    A group shows at most `most` values, each configuration's in turn; None for all.
    """
    metrics_as_series = selection.series == METRIC or (
        len(selection.metrics) > 1 and not selection.series and selection.kind != "scatter"
    )
    panels = rows.cached(
        (make_panels, selection.x, selection.series, selection.facet, metrics_as_series),
        lambda: _group_rows(selection, rows, metrics_as_series),
    )
    facet = DIMENSIONS.get(selection.facet)
    keys = sorted(panels, key=lambda key: (value_sort_key(facet, key[0]), _first_metric(selection, panels[key])))
    if most is not None and selection.kind == "box":
        runs = sum(group.runs for panel in panels.values() for group in panel.groups.values())
        most = max(most, MAX_DOTS) if runs <= MAX_DOTS else most
    return [_make_panel(selection, key[0], panels[key], metrics_as_series, most) for key in keys]


def _group_rows(selection: Selection, rows: Columns, metrics_as_series: bool) -> dict[tuple[str, str], PanelRows]:
    """The rows of each panel by (value of the facet, metric), or (value of the facet, unit) where metrics are the series."""
    panels: dict[tuple[str, str], dict[tuple[str, str], list[SummaryRow]]] = {}
    facets, xs = _axis_values(rows, selection.facet), _axis_values(rows, selection.x)
    series = [row.metric for row in rows.rows] if metrics_as_series else _axis_values(rows, selection.series)
    for row, facet, x, name in zip(rows.rows, facets, xs, series, strict=True):
        panel = panels.setdefault((facet, METRICS[row.metric].unit if metrics_as_series else row.metric), {})
        panel.setdefault((x, name), []).append(row)
    return {key: PanelRows.of(rows_by_group) for key, rows_by_group in panels.items()}


def _axis_values(rows: Columns, axis: str) -> list[str]:
    """The value of an axis row by row; ALL where the axis is not chosen."""
    return rows.texts(axis) if axis in DIMENSIONS else [ALL] * len(rows)


def _metric_position(selection: Selection, metric: str) -> int:
    """The position of a metric in the selection; metrics outside it come last."""
    return selection.metrics.index(metric) if metric in selection.metrics else len(selection.metrics)


def _first_metric(selection: Selection, panel: PanelRows) -> int:
    return min(_metric_position(selection, metric) for metric in panel.metrics)


def _make_panel(selection: Selection, facet: str, rows: PanelRows, metrics_as_series: bool, most: int | None) -> Panel:
    x_axis, series_axis = DIMENSIONS.get(selection.x), DIMENSIONS.get(selection.series)
    metrics = tuple(sorted(rows.metrics, key=lambda metric: (_metric_position(selection, metric), metric)))
    xs = sorted({x for x, _ in rows.groups}, key=lambda x: value_sort_key(x_axis, x))
    names = {series for _, series in rows.groups}
    series = list(metrics) if metrics_as_series else sorted(names, key=lambda name: value_sort_key(series_axis, name))
    groups = [
        _make_group(selection, (x, name, facet), rows.groups[x, name], most)
        for x in xs
        for name in series
        if (x, name) in rows.groups
    ]
    _unify_whiskers(groups)
    first = METRICS[metrics[0]]
    if selection.sort == BY_VALUE:
        xs, groups = _sort_by_value(xs, groups, descending=first.better != LESS)
    return Panel(facet, metrics, first.unit, first.better, xs, series, groups)


def _unify_whiskers(groups: Sequence[Group]) -> None:
    """Draw all whiskers from the lowest to the highest value where some groups have too few values for another interval."""
    if len({group.interval for group in groups} - {"none"}) < 2:
        return
    for group in groups:
        aggregates.set_range(group)


def unify_statistics(selection: Selection, panels: Sequence[Panel]) -> None:
    """Give all groups of a metric the same statistic: the chosen one, and medians where it cannot be had of one of them, since a
    run has only a bound, or since a value of zero has no geometric mean."""
    every = [group for panel in panels for group in panel.groups]
    chosen = "mean" if selection.stat == "bootstrap" else selection.stat  # which is an interval of the mean
    bounded = {group.metric for group in every if group.bounded}
    zero = {group.metric for group in every if selection.stat == GEOMETRIC and _lowest(group) <= 0} - bounded
    for group in every:
        group.stat = MEDIAN if group.metric in bounded | zero else chosen
        if group.metric in bounded:
            aggregates.set_bounded_median(group)
        elif group.metric in zero:
            rows = [row for of_one in group.by_configuration for row in of_one]
            aggregates.set_summary(group, aggregates.summarise(MEDIAN, rows, group.by_configuration))
    for panel in panels if bounded | zero else ():
        _unify_whiskers(panel.groups)
        if selection.sort == BY_VALUE:
            known = {group.x for group in panel.groups}
            xs, panel.groups = _sort_by_value([x for x in panel.xs if x in known], panel.groups, panel.better != LESS)
            panel.xs = [*xs, *(x for x in panel.xs if x not in known)]


def _lowest(group: Group) -> float:
    return min((row.low for rows in group.by_configuration for row in rows), default=1.0)


def _sort_by_value(xs: list[str], groups: list[Group], descending: bool) -> tuple[list[str], list[Group]]:
    """Values of the x axis and groups by the mean of the centres at each value."""
    centers: dict[str, list[float]] = {x: [] for x in xs}
    for group in groups:
        centers[group.x].append(group.center)
    means = {x: fmean(values) for x, values in centers.items()}
    xs = sorted(xs, key=means.__getitem__, reverse=descending)
    position = {x: index for index, x in enumerate(xs)}
    return xs, sorted(groups, key=lambda group: position[group.x])


def extended_xs(selection: Selection, xs: Sequence[str], added: Collection[str]) -> list[str]:
    """The values of the x axis with those that have no number: by name, or behind the others where numbers order them."""
    axis = DIMENSIONS.get(selection.x)
    if selection.sort == BY_VALUE:
        return [*xs, *sorted(added, key=lambda text: value_sort_key(axis, text))]
    return sorted({*xs, *added}, key=lambda text: value_sort_key(axis, text))


def _make_group(selection: Selection, axes: tuple[str, str, str], rows: GroupRows, most: int | None) -> Group:
    """The group at these values of x, series and facet."""
    configurations = len(rows.by_configuration)
    group = Group(*axes, rows.rows[0].metric, rows.runs, configurations, 0.0, None, None, "none", rows.points(most))
    caveats.mark_group(group, rows.caveats)
    aggregates.set_summary(group, rows.summary(selection.stat))
    group.values, group.by_configuration, group.stat = rows.values, rows.by_configuration, selection.stat
    return group


def _select_values(rows: Sequence[SummaryRow], most: int | None) -> list[tuple[float, int, int]]:
    """(value, id, configuration) by id; of more than `most`, the first value of each row, then the second of each, and so on."""
    rounds = range(max(len(row.values) for row in rows))
    candidates = ((row, index) for index in rounds for row in rows if index < len(row.values))
    selected = ((row.values[index], row.ids[index], row.configuration) for row, index in islice(candidates, most))
    return sorted(selected, key=itemgetter(1))
