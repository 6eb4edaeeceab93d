"""Rows of the summary -> groups with their statistics. Pure."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from ingest.catalogue import METRICS
from webapp import statistics
from webapp.axes import DIMENSIONS, order, value_in
from webapp.comparison import Group, Panel, Point, Row
from webapp.selection import METRIC, Selection

ALL = ""


def panels(selection: Selection, rows: Sequence[Row]) -> list[Panel]:
    """One panel per facet value and per metric, or for metrics of one unit together where they are the series."""
    together = selection.series == METRIC or (len(selection.metrics) > 1 and not selection.series)
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        unit = METRICS[row.metric].unit
        found.setdefault((_value(selection.facet, row), unit if together else row.metric), []).append(row)
    facet = DIMENSIONS.get(selection.facet)
    keys = sorted(found, key=lambda key: (order(facet, key[0]), _metric_order(selection, found[key])))
    return [_panel(selection, found[key], key[0], together) for key in keys]


def _metric_order(selection: Selection, rows: Sequence[Row]) -> int:
    named = [selection.metrics.index(row.metric) for row in rows if row.metric in selection.metrics]
    return min(named, default=len(selection.metrics))


def _value(name: str, row: Row) -> str:
    return value_in(row.dims, DIMENSIONS[name]) if name in DIMENSIONS else ALL


def _panel(selection: Selection, rows: Sequence[Row], facet: str, together: bool) -> Panel:
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
    groups = [_group(selection, x, name, facet, cells[x, name]) for x in xs for name in series if (x, name) in cells]
    return Panel(facet, metrics, first.unit, first.better, xs, series, groups)


def _group(selection: Selection, x: str, series: str, facet: str, rows: Sequence[Row]) -> Group:
    center, low, high, interval, rough = summarised(selection.stat, rows)
    points = [Point(value, at, row.configuration) for row in rows for value, at in zip(row.values, row.ids, strict=True)]
    return Group(x, series, facet, rows[0].metric, sum(row.n for row in rows), len({row.configuration for row in rows}),
                 center, low, high, interval, sorted(points, key=lambda point: point.id), rough)


def summarised(stat: str, rows: Sequence[Row]) -> tuple[float, float | None, float | None, str, bool]:
    """Centre, interval and its name, and whether a histogram was needed.

    The centre is the median (or mean) over configurations of each one's median (or mean): a host with thousands of runs
    does not drown the rest. The interval is over the configurations where there is more than one, else over repetitions.
    """
    by_configuration: dict[int, list[Row]] = {}
    for row in rows:
        by_configuration.setdefault(row.configuration, []).append(row)
    rough = stat == "median" and any(row.histogram for row in rows)
    centers = [_center(stat, some) for some in by_configuration.values()]
    basis = centers if len(centers) > 1 else _values(rows)
    center = (statistics.median if stat == "median" else fmean)(centers)
    if len(basis) < 2:
        return center, None, None, "none", rough
    if stat == "mean":
        low, high = statistics.mean_interval(basis)  # type: ignore[misc]
        return center, low, high, "t", rough
    found = statistics.median_interval(basis) if not rough else None
    if found is None:
        return center, min(row.low for row in rows), max(row.high for row in rows), "range", rough
    return center, *found, "median", rough


def _center(stat: str, rows: Iterable[Row]) -> float:
    rows = list(rows)
    if stat == "mean":
        total = sum(row.n for row in rows)
        return sum(row.mean * row.n for row in rows) / total
    if any(row.histogram for row in rows):
        if len(rows) == 1:
            return statistics.histogram_median(rows[0].histogram or {})
        return statistics.median([_center(stat, [row]) for row in rows])
    return statistics.median(_values(rows))


def _values(rows: Iterable[Row]) -> list[float]:
    return [value for row in rows for value in row.values]


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
        words.append("whiskers of fewer than 6: lowest to highest" if "median" in kinds else "whiskers: lowest to highest")
    if any(group.rough for group in groups):
        words.append("medians of more than 30 runs are exact within 0.5 %")
    words.append("every run shown as a dot" if all(len(g.points) == g.runs for g in groups) else "up to 30 runs shown as dots")
    return "; ".join(words)
