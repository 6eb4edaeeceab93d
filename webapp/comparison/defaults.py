"""What a comparison shows where the selection names no metric or no axes. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from webapp.comparison import controlled_sets, designs
from webapp.comparison.dimensions import DIMENSIONS, SOURCE, parse_quantity
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.summary.columns import Columns

USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
MAX_SYSTEMS = 8
"""Systems beside each other beyond which none of them is what the others are compared with, unless it is named."""
USUAL_AXES = ("compression", "os", "fs", "cpu", "layout", "tool", "host")


def choose_metric(selection: Selection, available: Mapping[str, int]) -> Selection:
    """The selection with a metric: a usual one, else the one with most values. Several metrics become the series.

    `available`: values by metric.
    """
    if not selection.metrics and available:
        usual = next((name for name in USUAL_METRICS if name in available), None)
        selection = selection.changed(metrics=(usual or max(sorted(available), key=available.__getitem__),))
    if len(selection.metrics) > 1 and not selection.series and selection.kind != "scatter":
        selection = selection.changed(series=METRIC)
    if selection.series == METRIC and (len(selection.metrics) == 1 or selection.kind == "scatter"):
        selection = selection.changed(series="")  # a left-over of several metrics; a scatter plot has them along its axes
    return selection


def choose_axes(selection: Selection, rows: Columns) -> Selection:
    """The selection with an x axis: the one along which the rows have the set that answers most, else a usual one. Its baseline is
    spelt as the values of the axes are (`2GiB`, `2147483648`).

    Overlaid archives never share a group with the others: the first free axis becomes the source.
    """
    if not (selection.x or selection.series not in ("", METRIC)):
        selection = selection.changed(x=controlled_sets.best_axis(selection, rows) or _varying_axis(rows))
    if selection.overlay and SOURCE not in selection.axes:
        free = next((axis for axis in ("series", "facet", "x") if not getattr(selection, axis)), "facet")
        selection = selection.changed(**{free: SOURCE})
    return selection.changed(baseline=_spell_baseline(selection, rows)) if selection.baseline else selection


def _spell_baseline(selection: Selection, rows: Columns) -> str:
    """The baseline as a value of an axis; of a numeric axis the value of the same quantity."""
    axes = [axis for axis in (selection.x, selection.series) if axis in DIMENSIONS]
    values = {axis: rows.distinct(axis) for axis in axes}
    quantity = parse_quantity(selection.baseline)
    if quantity is None or any(selection.baseline in of_axis for of_axis in values.values()):
        return selection.baseline
    numeric = [text for axis in axes if DIMENSIONS[axis].numeric for text in values[axis]]
    return next((text for text in numeric if parse_quantity(text) == quantity), selection.baseline)


def _varying_axis(rows: Columns) -> str:
    """The first of the usual dimensions that has two known values, else the first of all."""
    return next((name for name in USUAL_AXES if len(rows.known(name)) > 1), USUAL_AXES[0])


def choose_baseline(selection: Selection, design: str, rows: Columns, unmeasured: Collection[str] = ()) -> str:
    """The value of the x axis that the others are compared with: the named one, else `off`, else the most repeated one.

    Empty where nothing is compared, and where many systems stand side by side. Nothing of it depends on a measured value.
    `unmeasured`: values of the axis of which there are runs without a number.
    """
    if selection.series in DIMENSIONS and selection.baseline in rows.distinct(selection.series):
        return selection.baseline
    values = rows.known(selection.x) if selection.x in DIMENSIONS else []
    if selection.baseline in (*values, *unmeasured, *selection.metrics) or not designs.is_judged(selection, design):
        return selection.baseline
    if len(values) < 2 or (design == designs.AS_THEY_STAND and len(values) > MAX_SYSTEMS):
        return ""
    if "off" in values:
        return "off"
    shared = _count_comparisons(selection, rows)
    runs = rows.counts(selection.x)
    return max(values, key=lambda text: (shared.get(text, 0), runs[text]))  # the first of equal ones


def _count_comparisons(selection: Selection, rows: Columns) -> dict[str, int]:
    """For each value of the x axis the groups beside its own, at the same series and facet."""
    others = [name for name in (selection.series, selection.facet) if name in DIMENSIONS]
    places = list(zip(*(rows.texts(name) for name in others), strict=True)) if others else [()] * len(rows)
    values_at: dict[tuple[str, ...], set[str]] = {}
    for place, x in zip(places, rows.texts(selection.x), strict=True):
        values_at.setdefault(place, set()).add(x)
    counts: dict[str, int] = {}
    for values in values_at.values():
        for x in values:
            counts[x] = counts.get(x, 0) + len(values) - 1
    return counts
