"""Comparison -> figures: plain data that page, print, table and permalink share (see `plain.py`)."""

from __future__ import annotations

from collections.abc import Callable

from webapp.comparison.model import Comparison, Panel
from webapp.comparison.selection import CURVES, Selection
from webapp.figures import author_notes, bars, box, dots, heat, lines, ratio, scatter
from webapp.figures.plain import MAX_BARS, Figure, Mark
from webapp.formatting import numbers

_MAKERS: dict[str, Callable[[Selection, Panel], Figure | None]] = {
    "bars": bars.figure,
    "dots": dots.figure,
    "lines": lines.figure,
    "box": box.figure,
    "heat": heat.figure,
    "ratio": ratio.figure,
    # What the runs gave, beside their curves (webapp.curves.compared).
    **dict.fromkeys(CURVES, bars.figure),
}
MAX_BARS_BESIDE = 24
"""Groups up to which the metric along x of a scatter plot is drawn as bars."""
NEEDS = {
    "lines": "Lines need an axis of numbers, such as threads, record size or months.",
    "heat": "A heat map needs a dimension across and one as series.",
    "ratio": "Ratios need a baseline.",
    "scatter": "A scatter needs exactly two metrics.",
}
"""Why a chosen kind cannot be drawn."""


def make_figures(comparison: Comparison) -> list[Figure]:
    """One figure per panel, of the chosen kind, or bars with a note where that cannot be drawn.

    The metric on the x axis of a scatter plot also gets its own panel, of bars or dots.
    """
    selection = comparison.selection
    if selection.kind == "scatter":
        scatters = scatter.make_scatters(selection, comparison.panels)
        make_other = _beside_scatter if any(scatters) else _bars_instead
        figures = [made or make_other(selection, panel) for made, panel in zip(scatters, comparison.panels, strict=True)]
    else:
        figures = [
            _heat_map_if_crowded(selection, panel) or _MAKERS[selection.kind](selection, panel) or _bars_instead(selection, panel)
            for panel in comparison.panels
        ]
    for figure, panel in zip(figures, comparison.panels, strict=True):
        figure["notes"] += author_notes.list_notes(selection, panel)
    _share_scales(selection, figures)
    return figures


def _beside_scatter(selection: Selection, panel: Panel) -> Figure:
    """The metric along x by itself: bars, or of many groups a line for each, which has room for its name."""
    return (bars if len(panel.groups) <= MAX_BARS_BESIDE else dots).figure(selection, panel)


def _bars_instead(selection: Selection, panel: Panel) -> Figure:
    made = bars.figure(selection, panel)
    made["notes"].append(f"{NEEDS[selection.kind]} Bars are drawn instead.")
    return made


def _heat_map_if_crowded(selection: Selection, panel: Panel) -> Figure | None:
    """A heat map where bars would be narrower than a pixel; None for few bars, or for one dimension."""
    if selection.kind != "bars" or selection.baseline or len(panel.groups) <= MAX_BARS or len(panel.series) < 2:
        return None
    made = heat.figure(selection, panel)
    if made:
        made["notes"].append(f"{numbers.count(len(panel.groups))} groups are more than bars can show: a heat map is drawn instead.")
    return made


def _share_scales(selection: Selection, figures: list[Figure]) -> None:
    """Give the panels of a facet one scale for each unit."""
    if not selection.facet or len(figures) < 2:
        return
    for unit in {figure["unit"] for figure in figures}:
        same_unit = [figure for figure in figures if figure["unit"] == unit]
        marks = [mark for figure in same_unit for mark in figure["groups"]]
        top, bottom = max(map(_highest, marks), default=0.0), min(map(_lowest, marks), default=0.0)
        centers = [center for mark in marks for center in (mark["center"], *mark.get("parts", ()))]
        for figure in same_unit:
            figure["top"], figure["bottom"] = top, bottom
            if "reach" in figure:
                figure["reach"] = [min(centers), max(centers)]


def _highest(mark: Mark) -> float:
    """The highest number that a mark draws."""
    return max(mark["center"], mark["high"] or 0.0, *(point[0] for point in mark["points"]))


def _lowest(mark: Mark) -> float:
    """The lowest number that a mark draws."""
    low = mark["center"] if mark["low"] is None else mark["low"]
    return min(mark["center"], low, *(point[0] for point in mark["points"]))
