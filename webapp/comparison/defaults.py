"""What a comparison shows where the selection names no metric or no axes. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from webapp.comparison.dimensions import SOURCE, UNKNOWN
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.summary.columns import Columns

USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
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
    if len(selection.metrics) == 1 and selection.series == METRIC:
        selection = selection.changed(series="")  # a left-over of several metrics
    return selection


def choose_axes(selection: Selection, rows: Columns) -> Selection:
    """The selection with an x axis: the first of the usual dimensions that has two known values in the rows.

    Overlaid archives never share a group with the others: the first free axis becomes the source.
    """
    if not (selection.x or selection.series not in ("", METRIC)):
        varying = (name for name in USUAL_AXES if len({*rows.distinct(name)} - {UNKNOWN}) > 1)
        selection = selection.changed(x=next(varying, USUAL_AXES[0]))
    if selection.overlay and SOURCE not in selection.axes:
        free = next((axis for axis in ("series", "facet", "x") if not getattr(selection, axis)), "facet")
        selection = selection.changed(**{free: SOURCE})
    return selection
