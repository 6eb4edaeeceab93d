"""Comparison -> figures: plain data that page, print, table and permalink share (`plain.py` tells their shape)."""

from __future__ import annotations

from collections.abc import Callable

from webapp.comparison.model import Comparison, Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars, box, dots, heat, lines, ratio, scatter
from webapp.figures.plain import MAX_BARS, Figure, Mark
from webapp.formatting import numbers

_OF: dict[str, Callable[[Selection, Panel], Figure | None]] = {
    "bars": bars.figure,
    "dots": dots.figure,
    "lines": lines.figure,
    "box": box.figure,
    "heat": heat.figure,
    "ratio": ratio.figure,
}
NEEDS = {
    "lines": "Lines need an axis of numbers, such as threads, record size or months.",
    "heat": "A heat map needs a dimension across and one as series.",
    "ratio": "Ratios need a baseline.",
    "scatter": "A scatter needs exactly two metrics.",
}
"""Why a kind cannot be drawn, for whoever chose it."""


def make_figures(comparison: Comparison) -> list[Figure]:
    """One figure per panel, of the kind chosen, or bars with a note where that cannot be drawn.

    The metric that is the x axis of a scatter is drawn as bars too.
    """
    selection = comparison.selection
    if selection.kind == "scatter":
        made = scatter.make_scatters(selection, comparison.panels)
        other = bars.figure if any(made) else _instead
        drawn = [one or other(selection, panel) for one, panel in zip(made, comparison.panels, strict=True)]
    else:
        drawn = [
            _crowded(selection, panel) or _OF[selection.kind](selection, panel) or _instead(selection, panel)
            for panel in comparison.panels
        ]
    _share_scales(selection, drawn)
    return drawn


def _instead(selection: Selection, panel: Panel) -> Figure:
    made = bars.figure(selection, panel)
    made["notes"].append(f"{NEEDS[selection.kind]} Bars are drawn instead.")
    return made


def _crowded(selection: Selection, panel: Panel) -> Figure | None:
    """A heat map where bars would be narrower than a pixel; None where there are few, or only one dimension."""
    if selection.kind != "bars" or selection.baseline or len(panel.groups) <= MAX_BARS or len(panel.series) < 2:
        return None
    made = heat.figure(selection, panel)
    if made:
        made["notes"].append(f"{numbers.count(len(panel.groups))} groups are more than bars can show: a heat map is drawn instead.")
    return made


def _share_scales(selection: Selection, made: list[Figure]) -> None:
    """Small multiples of one unit have one scale: what is higher is more, wherever it stands."""
    if not selection.facet or len(made) < 2:
        return
    for unit in {figure["unit"] for figure in made}:
        same = [figure for figure in made if figure["unit"] == unit]
        top = max((high(mark) for figure in same for mark in figure["groups"]), default=0.0)
        low = min((mark["center"] for figure in same for mark in figure["groups"]), default=0.0)
        for figure in same:
            figure["top"] = top
            if "reach" in figure:
                figure["reach"] = [low, max(mark["center"] for one in same for mark in one["groups"])]


def high(mark: Mark) -> float:
    """The highest number that a mark draws."""
    return max(mark["center"], mark["high"] or 0.0, *(point[0] for point in mark["points"]))
