"""Rows of the summary -> groups with their statistics. Pure."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from statistics import fmean

from ingest.catalogue import METRICS
from webapp import honesty, statistics
from webapp.axes import DIMENSIONS, order
from webapp.comparison import Alike, Group, Panel, Point, Row
from webapp.judging import key_of
from webapp.selection import METRIC, PER, Selection

ALL = ""
MOST_POINTS = 60
"""Values of a group that a page shows; the rest is counted, and in the data twins."""
QUANTITIES_PER = ("B/s", "1/s", "B")
"""Units that can be divided by a number of disks or cores; a time or a ratio cannot."""


def normalised(selection: Selection, rows: Sequence[Row]) -> list[Row]:
    """The rows per disk, core, node ...; those whose number of them is not known are left out."""
    name = PER.get(selection.normalise)
    if name is None:
        return list(rows)
    return [_scaled(row, 1 / int(row.texts[name])) for row in rows
            if row.texts[name].isdigit() and int(row.texts[name]) and METRICS[row.metric].unit in QUANTITIES_PER]


def _scaled(row: Row, by: float) -> Row:
    row.values = [value * by for value in row.values]
    row.mean, row.m2, row.low, row.high, row.scale = row.mean * by, row.m2 * by * by, row.low * by, row.high * by, by
    return row


def panels(selection: Selection, rows: Sequence[Row], most: int | None = None) -> list[Panel]:
    """One panel per facet value and per metric, or for metrics of one unit together where they are the series.

    `most`: how many values of a group are shown, each configuration's in turn; None for all."""
    together = selection.series == METRIC or (len(selection.metrics) > 1 and not selection.series)
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        unit = METRICS[row.metric].unit
        found.setdefault((_value(selection.facet, row), unit if together else row.metric), []).append(row)
    facet = DIMENSIONS.get(selection.facet)
    keys = sorted(found, key=lambda key: (order(facet, key[0]), _metric_order(selection, found[key])))
    return [_panel(selection, found[key], key[0], together, most) for key in keys]


def _metric_order(selection: Selection, rows: Sequence[Row]) -> int:
    named = [selection.metrics.index(row.metric) for row in rows if row.metric in selection.metrics]
    return min(named, default=len(selection.metrics))


def _value(name: str, row: Row) -> str:
    return row.texts[name] if name in DIMENSIONS else ALL


def _panel(selection: Selection, rows: Sequence[Row], facet: str, together: bool, most: int | None) -> Panel:
    series_of = (lambda row: row.metric) if together else (lambda row: _value(selection.series, row))
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        cells.setdefault((_value(selection.x, row), series_of(row)), []).append(row)
    x_axis, series_axis = DIMENSIONS.get(selection.x), DIMENSIONS.get(selection.series)
    metrics = tuple(sorted({row.metric for row in rows}, key=lambda m: (
        selection.metrics.index(m) if m in selection.metrics else len(selection.metrics), m)))
    xs = sorted({x for x, _ in cells}, key=lambda x: order(x_axis, x))
    names = {series for _, series in cells}
    series = list(metrics) if together else sorted(names, key=lambda name: order(series_axis, name))
    first = METRICS[metrics[0]]
    groups = [_group(selection, (x, name, facet), cells[x, name], most)
              for x in xs for name in series if (x, name) in cells]
    return Panel(facet, metrics, first.unit, first.better, xs, series, groups)


def _group(selection: Selection, at: tuple[str, str, str], rows: Sequence[Row], most: int | None) -> Group:
    runs, configurations = sum(row.n for row in rows), len({row.configuration for row in rows})
    group = Group(*at, rows[0].metric, runs, configurations, 0.0, None, None, "none", _points(rows, most),
                  compressing=any(map(honesty.compressing, rows)))
    honesty.mark(group, rows)
    _summarise(group, selection.stat, rows)
    if selection.baseline:
        alike: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            alike.setdefault(key_of(selection, row), []).append(row)
        group.matched = {key: Alike(_center(selection.stat, some), [value for row in some for value in row.values])
                         for key, some in alike.items()}
    return group


def _points(rows: Sequence[Row], most: int | None) -> list[Point]:
    """The shown values, by id; of very many the first of each row, then the second of each, and so on."""
    told = [[Point(value, at, row.configuration) for value, at in zip(row.values, row.ids, strict=True)] for row in rows]
    turns = [point for turn in zip_longest(*told) for point in turn if point is not None]
    return sorted(turns[:most], key=lambda point: point.id)


def _summarise(group: Group, stat: str, rows: Sequence[Row]) -> None:
    """Set centre and interval.

    The centre is the median (or mean) over configurations of each one's median (or mean): a host with thousands of runs
    does not drown the rest. The interval is over the configurations where there are several, else over repetitions.
    """
    by_configuration: dict[int, list[Row]] = {}
    for row in rows:
        by_configuration.setdefault(row.configuration, []).append(row)
    centers = [_center(stat, some) for some in by_configuration.values()]
    several = len(centers) > 1
    group.basis = centers if several else [value for row in rows for value in row.values]
    group.rough = stat == "median" and any(row.histogram for row in rows)
    group.center = (statistics.median if stat == "median" else fmean)(centers)
    if group.runs < 2:
        return
    found, group.interval = None, "t" if stat == "mean" else "median"
    if stat == "mean":
        found = statistics.mean_interval(group.basis) if several else _student(rows)
    elif several or not group.rough:
        found = statistics.median_interval(group.basis)
    elif len(rows) == 1:
        low, high = statistics.histogram_interval(rows[0].histogram or {})
        found = low * rows[0].scale, high * rows[0].scale
    if found is None:
        found, group.interval = (min(row.low for row in rows), max(row.high for row in rows)), "range"
    group.low, group.high = found


def _student(rows: Sequence[Row]) -> tuple[float, float] | None:
    """The interval of the mean from count, mean and squared deviations, of which the summary has every value."""
    n = sum(row.n for row in rows)
    mean = sum(row.mean * row.n for row in rows) / n
    m2 = sum(row.m2 + row.n * (row.mean - mean) ** 2 for row in rows)
    return statistics.moments_interval(n, mean, m2)


def _center(stat: str, rows: Iterable[Row]) -> float:
    rows = list(rows)
    if stat == "mean":
        return sum(row.mean * row.n for row in rows) / sum(row.n for row in rows)
    if any(row.histogram for row in rows):
        if len(rows) == 1:
            return statistics.histogram_median(rows[0].histogram or {}) * rows[0].scale
        return statistics.median([_center(stat, [row]) for row in rows])
    return statistics.median([value for row in rows for value in row.values])


def method(selection: Selection, groups: Sequence[Group]) -> str:
    """How centre and interval came about, in the words of a caption."""
    pooled = any(group.configurations > 1 for group in groups)
    name = "mean" if selection.stat == "mean" else "median"
    words = [f"{name} over configurations of each one's {name}" if pooled else name]
    kinds = {group.interval for group in groups}
    if "t" in kinds:
        words.append("whiskers: 95 % Student interval of the mean")
    if "median" in kinds:
        words.append("whiskers: 95 % distribution-free interval of the median")
    if "range" in kinds:
        few = f"whiskers of fewer than {statistics.FEWEST}: lowest to highest"
        words.append(few if "median" in kinds else "whiskers: lowest to highest")
    if any(group.rough for group in groups):
        words.append("medians of more than 30 runs are exact within 0.5 %")
    every = all(len(group.points) == group.runs for group in groups)
    words.append("every run shown as a dot" if every else "some of the runs shown as dots")
    return "; ".join(words)
