"""The fourth stage: the rows of the set -> the values that can be used -> panels of groups with their statistics.

Runs without a number and groups that were not run join them (`absent`).
"""

from __future__ import annotations

from collections import Counter
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
from webapp.comparison import absent, aggregates, caveats
from webapp.comparison.compared_set import OPEN, ComparedSet
from webapp.comparison.dimensions import APART, DIMENSIONS, SOURCE, value_sort_key
from webapp.comparison.model import Group, Panel, Point
from webapp.comparison.selection import BY_VALUE, DIVISORS, EURO, METRIC, Selection
from webapp.comparison.sets.workloads import WORKLOAD_DIMENSIONS
from webapp.comparison.summary import provenance
from webapp.comparison.summary.columns import METRIC_INDEX, WORKLOAD_INDEX, Columns, WorkloadOptions, cached_by
from webapp.comparison.summary.provenance import ObservedValues
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow, set_aggregate, to_aggregate
from webapp.formatting.printed_times import MONTH
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

ALL = ""
"""The value of an axis that is not chosen."""
MAX_DOTS = 500
"""Values of a figure of boxes up to which each has its dot, however many a group has."""
MAX_LISTED = 5_000
"""Values of a group up to which each is judged by itself."""
MAX_OBSERVED = 5_000
"""Values of a figure up to which each is looked up with its run; beyond, nothing is claimed."""
DIVISIBLE_UNITS = ("B/s", "1/s", "B")
"""Units that can be divided by a number of disks or cores; a time or a ratio cannot."""
_SHARED = (*dict.fromkeys((*WORKLOAD_DIMENSIONS, APART)), SOURCE)
"""What rows of several months agree in that are put together, beside metric and configuration."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a set, by panel.

    `matched`: the rows that have a counterpart in what is held equal, with their values; `usable`: those without doubtful values,
    per disk or core where it is asked. `observed`: where and when the values were measured. `left_out`: the number of values that
    are in no group, by caveat.
    """

    compared: ComparedSet
    panels: Sequence[Panel]
    matched: Columns
    usable: Columns
    observed: ObservedValues
    left_out: Mapping[str, int]


def make_groups(compared: ComparedSet) -> Groups:
    """The groups of a set. At most two queries: for the values, and for the runs that they are of."""
    matched = compared.rows.with_values(hold_equal(compared.selection, compared.measured))
    version = compared.rows.question.version
    return group_rows(compared, matched, read_observed_values(matched, version, compared.chosen.design))


def group_rows(compared: ComparedSet, matched: Columns, observed: ObservedValues) -> Groups:
    """The groups of the rows of a set that have their values. Pure."""
    drawn, chosen, question = compared.drawn, compared.chosen, compared.rows.question
    kept, left_out = leave_out(matched, observed)
    normalised = normalise(drawn, kept)
    merged = merge_months(drawn, kept)
    measured = make_panels(
        drawn, normalised if merged is kept else normalise(drawn, merged), None if question.exact else question.most
    )
    missing = normalise_bounds(drawn, [*absent.failed_rows(matched, observed.by_id), *compared.rows.absent.unmeasured])
    counted = absent.with_unmeasured(compared.selection, chosen, measured, missing)
    panels = absent.with_empty_places(compared.selection, chosen, unify_statistics(drawn, counted))
    return Groups(compared, panels, matched, normalised, observed, left_out)


def hold_equal(selection: Selection, rows: Columns) -> Columns:
    """The rows whose values of the held dimensions occur in every group of their metric; all rows where none is held."""
    return _hold_equal(selection, rows) if selection.hold and len(rows) else rows


@cached_by(lambda selection: (selection.axes, selection.hold))
def _hold_equal(selection: Selection, rows: Columns) -> Columns:
    """A stratum has the rows of one metric with equal held dimensions: those stay that occur in as many groups as their metric."""
    group, _ = rows.cells(selection.axes)
    stratum, _ = rows.cells(selection.hold)  # rows of one metric with equal held dimensions
    groups, strata = group.max() + 1, stratum.max() + 1
    metric = rows.indices[METRIC_INDEX]
    groups_with_stratum = np.bincount(np.unique(stratum * groups + group) // groups, minlength=strata)
    groups_of_metric = np.bincount(np.unique(metric * groups + group) // groups, minlength=len(rows.dimensions.metrics))
    metric_of_stratum = np.zeros(strata, np.intp)
    metric_of_stratum[stratum] = metric
    return rows.take((groups_with_stratum == groups_of_metric[metric_of_stratum])[stratum])


def read_observed_values(rows: Columns, version: int, design: str) -> ObservedValues:
    """Machine, session and place of every value of the rows, where they are to be judged. At most one query."""
    if design == OPEN:
        return ObservedValues()
    if rows.total > MAX_OBSERVED or any(row.histogram for row in rows.rows):
        return ObservedValues(too_many=True)
    ids = [measurement for row in rows.rows for measurement in row.ids]
    return ObservedValues(provenance.read_observed(version, ids), known=True)


def leave_out(rows: Columns, observed: ObservedValues) -> tuple[Columns, dict[str, int]]:
    """The rows without values beyond what the hardware can do, without those of runs that did not end, and without those of other
    devices or destinations than the one that most groups have; and their numbers, by caveat.

    Rows whose values are not known one by one stay as they are.
    """
    aimed = _one_target(rows, observed)
    usable = [(row, *_usable_values(row, observed)) for row in aimed.rows]
    kept = [row if len(pairs) == len(row.values) else row.with_values(pairs) for row, pairs, _ in usable if pairs or not row.values]
    counts = Counter(name for *_, names in usable for name in names) + Counter(targets=rows.total - aimed.total)
    return rows.with_rows(kept), {caveat.id: counts[caveat.id] for caveat in caveats.CAVEATS.values() if caveat.rules_out}


def _one_target(rows: Columns, observed: ObservedValues) -> Columns:
    """The rows with the values of one device or destination each, the same in all rows where there is one.

    Runs on two disks, or copies to two places, are no repetitions of each other.
    """
    by_row = [_targets(row, observed) for row in rows.rows]
    if all(len(targets) < 2 for targets in by_row):
        return rows
    frequency = Counter(target for targets in by_row for target in targets)
    kept = []
    for row, targets in zip(rows.rows, by_row, strict=True):
        if len(targets) < 2:
            kept.append(row)
            continue
        chosen = min(targets, key=lambda target: (-frequency[target], -len(targets[target]), target))
        others = {measurement for target in targets if target != chosen for measurement in targets[target]}
        kept.append(row.with_values([pair for pair in zip(row.values, row.ids, strict=True) if pair[1] not in others]))
    return rows.with_rows(kept)


def _targets(row: SummaryRow, observed: ObservedValues) -> dict[tuple[str, ...], list[int]]:
    """The values of a row by known target; empty where not every value is known."""
    targets: dict[tuple[str, ...], list[int]] = {}
    for measurement in row.ids if len(row.values) == row.n else ():
        seen = observed.by_id.get(measurement)
        if seen is not None and seen.target:
            targets.setdefault(seen.target, []).append(measurement)
    return targets


def _usable_values(row: SummaryRow, observed: ObservedValues) -> tuple[Sequence[tuple[float, int]], list[str]]:
    """(value, measurement id) of the usable values of a row, and the caveat of each other one."""
    pairs = list(zip(row.values, row.ids, strict=True))
    if len(row.values) < row.n:
        return pairs, []
    lowest, highest = caveats.possible_range(row)
    usable, ruled_out = [], []
    for value, measurement in pairs:
        seen = observed.by_id.get(measurement)
        if value and not lowest <= value <= highest:  # a time of 0 is one below the clock
            ruled_out.append("impossible")
        elif seen is not None and seen.partial:
            ruled_out.append("partial")
        else:
            usable.append((value, measurement))
    return usable, ruled_out


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


def merge_months(selection: Selection, rows: Columns) -> Columns:
    """The rows with those of several months merged; the same object where months are an axis or held equal, or there is
    one only.

    A merged row keeps every value where its parts have all of theirs; else it is what the summary would store of them.
    """
    if MONTH in (*selection.axes, *selection.hold) or len(rows.distinct(MONTH)) < 2:
        return rows
    return rows.cached(merge_months, lambda: _merge_months(rows))


def _merge_months(columns: Columns) -> Columns:
    cells, options = columns.cells(_SHARED)[0].tolist(), columns.dimensions.options
    groups: dict[tuple[int, int, WorkloadOptions], list[SummaryRow]] = {}
    for cell, workload, row in zip(cells, columns.indices[WORKLOAD_INDEX].tolist(), columns.rows, strict=True):
        groups.setdefault((cell, row.configuration, options[workload]), []).append(row)
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
    return Aggregate(len(values), mean, m2, min(values), max(values), values=values, ids=[measurement for measurement, _ in pairs])


@dataclass(frozen=True, slots=True)
class GroupRows:
    """The rows of one group, those of each configuration, the number of their values, and the ids of their caveats; `values`:
    (value, measurement id) of each, empty where they are too many or not all known.

    `summaries` caches centre and interval by statistic, `shown` the shown values by their maximal number: both depend on
    the rows alone, of which a group may have thousands.
    """

    rows: Sequence[SummaryRow]
    by_configuration: Sequence[Sequence[SummaryRow]]
    runs: int
    flags: tuple[str, ...]
    values: Sequence[tuple[float, int]]
    summaries: dict[str, aggregates.GroupSummary] = field(default_factory=dict)
    shown: dict[int | None, Sequence[Point]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[SummaryRow]) -> GroupRows:
        runs = sum(row.n for row in rows)
        is_listed = runs <= MAX_LISTED and all(len(row.values) == row.n for row in rows)
        values = [pair for row in rows for pair in zip(row.values, row.ids, strict=True)] if is_listed else []
        flags = caveats.order_caveats({*caveats.group_caveats(rows), *(("single",) if runs == 1 else ())})
        return cls(rows, aggregates.group_by_configuration(rows), runs, flags, values)

    def summary(self, stat: str) -> aggregates.GroupSummary:
        """Centre and interval of the rows."""
        if stat not in self.summaries:
            self.summaries[stat] = aggregates.summarise(stat, self.rows, self.by_configuration)
        return self.summaries[stat]

    def points(self, most: int | None) -> Sequence[Point]:
        """At most so many values (None: all), by id, without their lines."""
        if most is None:  # not cached: for JSON and CSV, not for pages
            return _select_values(self.rows, None)
        if most not in self.shown:
            self.shown[most] = _select_values(self.rows, most)
        return self.shown[most]


@dataclass(frozen=True, slots=True)
class PanelRows:
    """The metrics and rows of one panel, and the rows of its groups by (value of the x axis, series)."""

    metrics: frozenset[str]
    rows: Sequence[SummaryRow]
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
    panels = _group_rows(selection, rows, metrics_as_series)
    facet = DIMENSIONS.get(selection.facet)
    keys = sorted(panels, key=lambda key: (value_sort_key(facet, key[0]), _first_metric(selection, panels[key])))
    if most is not None and selection.kind == "box":
        runs = sum(group.runs for panel in panels.values() for group in panel.groups.values())
        most = max(most, MAX_DOTS) if runs <= MAX_DOTS else most
    return [_make_panel(selection, key[0], panels[key], metrics_as_series, most) for key in keys]


@cached_by(lambda selection, metrics_as_series: (selection.named_axes, metrics_as_series))
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
    first = METRICS[metrics[0]]
    panel = Panel(facet, metrics, first.unit, first.better, xs, series=series, groups=_with_like_whiskers(groups))
    return _sorted_by_value(panel) if selection.sort == BY_VALUE else panel


def _make_group(selection: Selection, axes: tuple[str, str, str], rows: GroupRows, most: int | None) -> Group:
    """The group at these values of x, series and facet."""
    summary = rows.summary(selection.stat)
    return Group(
        *axes,
        rows.rows[0].metric,
        rows.runs,
        configurations=len(rows.by_configuration),
        center=summary.center,
        low=summary.low,
        high=summary.high,
        interval=summary.interval,
        points=rows.points(most),
        rough=summary.rough,
        basis=summary.basis,
        values=rows.values,
        flags=rows.flags,
        stat=_common_stat(selection),
        by_configuration=rows.by_configuration,
    )


def _common_stat(selection: Selection) -> str:
    """The statistic of all centres; bootstrap is an interval of the mean."""
    return "mean" if selection.stat == "bootstrap" else selection.stat


def _select_values(rows: Sequence[SummaryRow], most: int | None) -> list[Point]:
    """Values by id; of more than `most`, the first value of each row, then the second of each, and so on."""
    rounds = range(max(len(row.values) for row in rows))
    candidates = ((row, index) for index in rounds for row in rows if index < len(row.values))
    selected = (Point(row.values[index], row.ids[index], row.configuration) for row, index in islice(candidates, most))
    return sorted(selected, key=itemgetter(1))


def _with_like_whiskers(groups: Sequence[Group]) -> Sequence[Group]:
    """The groups, with all whiskers from the lowest to the highest value where some have too few values for another interval."""
    if len({group.interval for group in groups} - {"none"}) < 2:
        return groups
    return [aggregates.with_range(group) for group in groups]


def unify_statistics(selection: Selection, panels: Sequence[Panel]) -> Sequence[Panel]:
    """The panels with the same statistic for all groups of a metric: the chosen one, and medians where it cannot be had of one of
    them, since a run has only a bound, or since a value of zero has no geometric mean."""
    every = [group for panel in panels for group in panel.groups]
    bounded = {group.metric for group in every if group.bounded}
    zero = {group.metric for group in every if selection.stat == GEOMETRIC and _lowest(group) <= 0} - bounded
    if not bounded | zero:
        return panels
    unified = []
    for panel in panels:
        groups = [_with_median(group, bounded, zero) for group in panel.groups]
        changed = replace(panel, groups=_with_like_whiskers(groups))
        unified.append(_sorted_by_value(changed) if selection.sort == BY_VALUE else changed)
    return unified


def _with_median(group: Group, bounded: Collection[str], zero: Collection[str]) -> Group:
    """The group with its median, where the metric is one of which a run has only a bound or is zero."""
    if group.metric in bounded:
        return aggregates.with_bounded_median(group)
    if group.metric not in zero:
        return group
    rows = [row for of_one in group.by_configuration for row in of_one]
    summary = aggregates.summarise(MEDIAN, rows, group.by_configuration)
    return aggregates.with_summary(group, summary).changed(stat=MEDIAN)


def _lowest(group: Group) -> float:
    return min((row.low for rows in group.by_configuration for row in rows), default=1.0)


def _sorted_by_value(panel: Panel) -> Panel:
    """The panel with its values of x and its groups by the mean of the centres at each value; values without groups stay behind."""
    centers: dict[str, list[float]] = {}
    for group in panel.groups:
        centers.setdefault(group.x, []).append(group.center)
    means = {x: fmean(values) for x, values in centers.items()}
    xs = sorted((x for x in panel.xs if x in means), key=means.__getitem__, reverse=panel.better != LESS)
    position = {x: index for index, x in enumerate(xs)}
    groups = sorted(panel.groups, key=lambda group: position[group.x])
    return replace(panel, xs=[*xs, *(x for x in panel.xs if x not in means)], groups=groups)
