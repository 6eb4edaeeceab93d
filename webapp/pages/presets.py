"""Links to common comparisons, from the current selection."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import Comparison
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.formatting.printed_times import MONTH

AXES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("per OS", "os", {}),
    ("per compression", "compression", {}),
    ("per CPU", "cpu", {"sort": "value"}),
    ("per file system", "fs", {}),
    ("per layout", "layout", {}),
)
SCALES = ("threads", "processes", "nodes", "iodepth", "record_size", "transfer_size", "block_size", "file_size")
"""Dimensions of the preset `scaling`, in the order of preference."""
SURFACE = (("iozone",), "record_size", "file_size")


@dataclass(frozen=True, slots=True)
class Preset:
    """A link above the figure; pale, with the reason, where its axis would have one value."""

    label: str
    query: str
    chosen: bool = False
    reason: str = ""


def list_presets(comparison: Comparison) -> list[Preset]:
    """Every preset, for the comparison's selection."""
    selection = comparison.selection
    base, pale = _without_axes(selection), {axis.text: axis.reason for axis in comparison.axes}
    per_axis = [
        _make_preset(selection, _with_metric(comparison, base, x), label, {"x": x, **changes}, _reason(comparison, x, label))
        for label, x, changes in AXES
    ]
    return [
        *per_axis,
        _over_time(comparison, base, pale.get(MONTH, "")),
        _scaling(selection, base, pale),
        _surface(comparison, base),
    ]


def _reason(comparison: Comparison, axis: str, label: str) -> str:
    """Why nothing can be compared along an axis; empty where something can."""
    return "" if axis in comparison.answers else f"No two runs differ in {label.removeprefix('per ')} alone."


def _with_metric(comparison: Comparison, base: Selection, axis: str) -> Selection:
    """The selection with a metric with which something can be compared along the axis."""
    metrics = comparison.answers.get(axis, base.metrics)
    return base if metrics == base.metrics else base.changed(metrics=metrics, series="")


def _without_axes(selection: Selection) -> Selection:
    """The selection without its axes, and without what depends on them."""
    series = METRIC if len(selection.metrics) > 1 else ""
    return selection.changed(series=series, facet="", baseline="", hold=(), kind="bars", sort="", control="")


def _make_preset(selection: Selection, base: Selection, label: str, changes: dict[str, str], reason: str) -> Preset:
    chosen = selection.x == changes["x"] and selection.kind == "bars"
    return Preset(label, query_string(base.changed(**changes)), chosen, "" if chosen else reason)


def _over_time(comparison: Comparison, base: Selection, reason: str) -> Preset:
    """Lines over months. `reason`: why months are no possible axis, empty where they are."""
    selection = comparison.selection
    known = {choice.text for facet in comparison.facets if facet.name == MONTH for choice in facet.choices if choice.n}
    if not reason and len(known - {UNKNOWN}) < 2:
        reason = "No two months are known of these runs."
    chosen = selection.x == MONTH and selection.kind == "lines"
    return Preset("over time", query_string(base.changed(x=MONTH, kind="lines")), chosen, "" if chosen else reason)


def _scaling(selection: Selection, base: Selection, pale: dict[str, str]) -> Preset:
    """Lines over the first of `SCALES` that has several values."""
    x = next((name for name in SCALES if pale.get(name) == ""), "")
    chosen = selection.x in SCALES and selection.kind == "lines"
    reason = "" if x or chosen else "No size, number of threads or number of nodes has several values here."
    return Preset("scaling", query_string(base.changed(x=x or selection.x, kind="lines")), chosen, reason)


def _surface(comparison: Comparison, base: Selection) -> Preset:
    """A heat map of iozone's file sizes by record sizes."""
    selection, (tools, x, series) = comparison.selection, SURFACE
    chosen = selection.kind == "heat" and (selection.x, selection.series) == (x, series)
    has_tool = any(facet.name == "tool" and any(choice.text in tools for choice in facet.choices) for facet in comparison.facets)
    has_tool = has_tool or selection.values("tool") == tools
    surface = base.having("tool", tools).changed(metrics=selection.metrics[:1], x=x, series=series, kind="heat")
    return Preset("iozone surface", query_string(surface), chosen, "" if has_tool or chosen else "No iozone run is among these.")
