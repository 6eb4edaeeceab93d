"""The comparisons that people come for, as addresses: from the present selection, or from all that there is."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import Comparison
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.formatting.months import MONTH

AXES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("per OS", "os", {}),
    ("per compression", "compression", {}),
    ("per CPU", "cpu", {"sort": "value"}),
    ("per file system", "fs", {}),
    ("per layout", "layout", {}),
)
SCALES = ("threads", "processes", "nodes", "iodepth", "record_size", "transfer_size", "block_size", "file_size")
"""What work is scaled by, in the order in which one is looked for."""
SURFACE = (("iozone",), "record_size", "file_size")


@dataclass(frozen=True, slots=True)
class Preset:
    """A link above the figure; pale, with the reason, where it would tell nothing apart."""

    label: str
    query: str
    chosen: bool = False
    reason: str = ""


def list_presets(comparison: Comparison) -> list[Preset]:
    """Every preset, from the selection as it is."""
    selection = comparison.selection
    fresh, pale = _fresh(selection), {axis.text: axis.reason for axis in comparison.axes}
    found = [
        _of(selection, fresh, label, {"x": x, **more}, pale.get(x, f"No run tells {label.removeprefix('per ')}."))
        for label, x, more in AXES
    ]
    return [
        *found,
        _over_time(comparison, fresh, pale.get(MONTH, "")),
        _scaling(selection, fresh, pale),
        _surface(comparison, fresh),
    ]


def _fresh(selection: Selection) -> Selection:
    """Without what belonged to the axes that go."""
    series = METRIC if len(selection.metrics) > 1 else ""
    return selection.changed(series=series, facet="", baseline="", hold=(), kind="bars", sort="")


def _of(selection: Selection, fresh: Selection, label: str, changes: dict[str, str], reason: str) -> Preset:
    chosen = selection.x == changes["x"] and selection.kind == "bars"
    return Preset(label, query_string(fresh.changed(**changes)), chosen, "" if chosen else reason)


def _over_time(comparison: Comparison, fresh: Selection, reason: str) -> Preset:
    """Lines from month to month; the filters say of what. `reason`: why months would tell nothing apart."""
    selection = comparison.selection
    known = {choice.text for facet in comparison.facets if facet.name == MONTH for choice in facet.choices if choice.n}
    if not reason and len(known - {UNKNOWN}) < 2:
        reason = "No two months are known of these runs."
    chosen = selection.x == MONTH and selection.kind == "lines"
    return Preset("over time", query_string(fresh.changed(x=MONTH, kind="lines")), chosen, "" if chosen else reason)


def _scaling(selection: Selection, fresh: Selection, pale: dict[str, str]) -> Preset:
    """Over the first size or number that has several values."""
    x = next((name for name in SCALES if pale.get(name) == ""), "")
    chosen = selection.x in SCALES and selection.kind == "lines"
    reason = "" if x or chosen else "No size, number of threads or number of nodes has several values here."
    return Preset("scaling", query_string(fresh.changed(x=x or selection.x, kind="lines")), chosen, reason)


def _surface(comparison: Comparison, fresh: Selection) -> Preset:
    """File size by record size, as iozone measures them."""
    selection, (tools, x, series) = comparison.selection, SURFACE
    chosen = selection.kind == "heat" and (selection.x, selection.series) == (x, series)
    there = any(facet.name == "tool" and any(choice.text in tools for choice in facet.choices) for facet in comparison.facets)
    there = there or selection.values("tool") == tools
    asked = fresh.having("tool", tools).changed(metrics=selection.metrics[:1], x=x, series=series, kind="heat")
    return Preset("iozone surface", query_string(asked), chosen, "" if there or chosen else "No iozone run is among these.")
