"""Rows of the summary -> groups with their statistics. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from statistics import fmean

from ingest.catalogue import LESS, METRICS
from webapp.comparison import aggregates, caveats
from webapp.comparison.dimensions import DIMENSIONS, value_sort_key
from webapp.comparison.model import Group, MatchedValues, Panel, Point, SummaryRow
from webapp.comparison.selection import BY_VALUE, DIVISORS, EURO, METRIC, Selection
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.dimension_values import DimensionCells
from webapp.comparison.verdicts import pairing_dimensions

ALL = ""
MAX_POINTS = 24
"""Values of a group that a page shows; the rest is counted, and in the data twins."""
QUANTITIES_PER = ("B/s", "1/s", "B")
"""Units that can be divided by a number of disks or cores; a time or a ratio cannot."""


def normalise_rows(selection: Selection, rows: list[SummaryRow]) -> list[SummaryRow]:
    """The rows per disk, core, node, euro ...; those whose number of them is not known are left out.

    The same list where nothing is asked for.
    """
    if selection.normalise not in (*DIVISORS, EURO):
        return rows
    found = []
    for row in rows:
        divisor = _divisor(selection, row)
        if divisor and METRICS[row.metric].unit in QUANTITIES_PER:
            found.append(_scaled(row, 1 / divisor))
    return found


def _divisor(selection: Selection, row: SummaryRow) -> float:
    """How many disks, cores, euros ...; 0 where that is not told."""
    if selection.normalise == EURO:
        prices = dict(selection.prices)
        return next((float(prices[row.texts[axis]]) for axis in selection.axes if row.texts[axis] in prices), 0.0)
    text = row.texts[DIVISORS[selection.normalise]]
    return float(text) if text.isdigit() else 0.0


def _scaled(row: SummaryRow, by: float) -> SummaryRow:
    made = row.copy()
    made.values = [value * by for value in row.values]
    made.mean, made.m2, made.low, made.high, made.scale = row.mean * by, row.m2 * by * by, row.low * by, row.high * by, by
    return made


@dataclass(frozen=True, slots=True)
class GroupRows:
    """The rows of one group: those of each configuration, how many values they have, and the doubts they tell.

    `summaries` keeps centre and interval by statistic, `first` the values that are shown by how many: a page draws a
    group of a thousand configurations, whose values do not change while the place is kept, for what one of ten costs.
    """

    rows: list[SummaryRow]
    of: list[list[SummaryRow]]
    runs: int
    doubts: frozenset[str]
    summaries: dict[str, aggregates.GroupSummary] = field(default_factory=dict)
    first: dict[int, list[tuple[float, int, int]]] = field(default_factory=dict)

    def summary(self, stat: str) -> aggregates.GroupSummary:
        """Centre and interval of the rows."""
        found = self.summaries.get(stat)
        if found is None:
            found = self.summaries[stat] = aggregates.summarise(stat, self.rows, self.of)
        return found

    def points(self, most: int | None) -> list[Point]:
        """The shown values, by id, for the page to fill in."""
        if most is None:  # every value there is: read by data twins, not by pages
            found = _first(self.rows, None)
        elif (kept := self.first.get(most)) is not None:
            found = kept
        else:
            found = self.first[most] = _first(self.rows, most)
        return [Point(*one) for one in found]


@dataclass(frozen=True, slots=True)
class PanelRows:
    """The rows of one panel by their value of the x axis and their series."""

    metrics: frozenset[str]
    rows: list[SummaryRow]
    cells: dict[tuple[str, str], GroupRows]


def make_panels(selection: Selection, rows: Columns, most: int | None = None) -> list[Panel]:
    """One panel per facet value and per metric, or for metrics of one unit together where they are the series.

    `most`: how many values of a group are shown, each configuration's in turn; None for all."""
    together = selection.series == METRIC or (len(selection.metrics) > 1 and not selection.series and selection.kind != "scatter")
    found = rows.keep(
        (make_panels, selection.x, selection.series, selection.facet, together), lambda: _placed(selection, rows, together)
    )
    facet = DIMENSIONS.get(selection.facet)
    keys = sorted(found, key=lambda key: (value_sort_key(facet, key[0]), _metric_order(selection, found[key])))
    return [_panel(selection, found[key], key[0], together, most) for key in keys]


def _placed(selection: Selection, rows: Columns, together: bool) -> dict[tuple[str, str], PanelRows]:
    """The rows of each panel, by its value of the facet and its metric (or the unit of several)."""
    found: dict[tuple[str, str], dict[tuple[str, str], list[SummaryRow]]] = {}
    series = [row.metric for row in rows.rows] if together else _values(rows, selection.series)
    for row, x, name, facet in zip(rows.rows, _values(rows, selection.x), series, _values(rows, selection.facet), strict=True):
        cells = found.setdefault((facet, METRICS[row.metric].unit if together else row.metric), {})
        cells.setdefault((x, name), []).append(row)
    return {key: _places(cells) for key, cells in found.items()}


def _places(cells: Mapping[tuple[str, str], list[SummaryRow]]) -> PanelRows:
    rows = [row for some in cells.values() for row in some]
    return PanelRows(frozenset(row.metric for row in rows), rows, {at: _place(some) for at, some in cells.items()})


def _place(rows: list[SummaryRow]) -> GroupRows:
    return GroupRows(rows, aggregates.group_by_configuration(rows), sum(row.n for row in rows), caveats.group_caveats(rows))


def _metric_order(selection: Selection, places: PanelRows) -> int:
    named = [selection.metrics.index(metric) for metric in places.metrics if metric in selection.metrics]
    return min(named, default=len(selection.metrics))


def _values(rows: Columns, name: str) -> list[str]:
    """The value of a dimension row by row, or what stands for all."""
    return rows.texts(name) if name in DIMENSIONS else [ALL] * len(rows)


def _panel(selection: Selection, places: PanelRows, facet: str, together: bool, most: int | None) -> Panel:
    cells = places.cells
    x_axis, series_axis = DIMENSIONS.get(selection.x), DIMENSIONS.get(selection.series)
    metrics = tuple(
        sorted(places.metrics, key=lambda m: (selection.metrics.index(m) if m in selection.metrics else len(selection.metrics), m))
    )
    xs = sorted({x for x, _ in cells}, key=lambda x: value_sort_key(x_axis, x))
    names = {series for _, series in cells}
    series = list(metrics) if together else sorted(names, key=lambda name: value_sort_key(series_axis, name))
    first = METRICS[metrics[0]]
    keys = DimensionCells(pairing_dimensions(selection, places.rows) if selection.baseline else ())
    groups = [_group(selection, (x, name, facet), cells[x, name], most, keys) for x in xs for name in series if (x, name) in cells]
    if selection.sort == BY_VALUE:
        xs, groups = _by_value(xs, groups, descending=first.better != LESS)
    return Panel(facet, metrics, first.unit, first.better, xs, series, groups)


def _by_value(xs: list[str], groups: list[Group], descending: bool) -> tuple[list[str], list[Group]]:
    """The best place first, by the mean of what was measured there; groups in that order too."""
    centers: dict[str, list[float]] = {x: [] for x in xs}
    for group in groups:
        centers[group.x].append(group.center)
    means = {x: fmean(values) for x, values in centers.items()}
    xs = sorted(xs, key=means.__getitem__, reverse=descending)
    place = {x: at for at, x in enumerate(xs)}
    return xs, sorted(groups, key=lambda group: place[group.x])


def _group(selection: Selection, at: tuple[str, str, str], place: GroupRows, most: int | None, keys: DimensionCells) -> Group:
    rows = place.rows
    group = Group(*at, rows[0].metric, place.runs, len(place.of), 0.0, None, None, "none", place.points(most))
    caveats.mark_group(group, place.doubts)
    aggregates.set_summary(group, place.summary(selection.stat))
    if selection.baseline:
        alike: dict[tuple[str, ...], list[SummaryRow]] = {}
        for row in rows:
            alike.setdefault(keys.of(row), []).append(row)
        group.matched = {
            key: MatchedValues(
                aggregates.configuration_center(selection.stat, some), [value for row in some for value in row.values]
            )
            for key, some in alike.items()
        }
    return group


def _first(rows: Sequence[SummaryRow], most: int | None) -> list[tuple[float, int, int]]:
    """(value, id, configuration), by id; of very many the first of each row, then the second of each, and so on."""
    turns = range(max(len(row.values) for row in rows))
    each = ((row, turn) for turn in turns for row in rows if turn < len(row.values))
    return sorted(((row.values[turn], row.ids[turn], row.configuration) for row, turn in islice(each, most)), key=itemgetter(1))
