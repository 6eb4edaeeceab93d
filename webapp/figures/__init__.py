"""Comparison -> figures: plain data that page, print, table and permalink share (see `plain.py`)."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from webapp.comparison.model import Comparison, Panel
from webapp.comparison.selection import Selection
from webapp.figures import author_notes, bars, dots, heat, notes, scatter
from webapp.figures.kind import KINDS
from webapp.figures.plain import MAX_BARS, Figure, Mark
from webapp.formatting import numbers

for _module in pkgutil.iter_modules(__path__):  # each kind of figure registers itself
    if not _module.ispkg:
        import_module(f"{__name__}.{_module.name}")
MAX_BARS_BESIDE = 24
"""Groups up to which the metric along x of a scatter plot is drawn as bars."""


def make_figures(comparison: Comparison) -> list[Figure]:
    """One figure per panel, of the chosen kind, or bars with a note where that cannot be drawn.

    The metric on the x axis of a scatter plot also gets its own panel, of bars or dots.
    """
    selection = comparison.selection
    if selection.kind == "scatter":
        scatters = scatter.make_scatters(selection, comparison.panels)
        why = "" if any(scatters) else scatter.describe_lack(selection, comparison.panels)
        figures = [
            made or (_bars_instead(selection, panel, why) if why else _beside_scatter(selection, panel))
            for made, panel in zip(scatters, comparison.panels, strict=True)
        ]
    else:
        # Beside their curves (webapp.curves) what the runs gave is drawn as bars.
        kind = KINDS.get(selection.kind, bars.KIND)
        figures = [
            _heat_map_if_crowded(selection, panel)
            or kind.make(selection, panel)
            or _bars_instead(selection, panel, kind.describe_lack(selection, panel))
            for panel in comparison.panels
        ]
    for figure, panel in zip(figures, comparison.panels, strict=True):
        figure["notes"] += author_notes.list_notes(selection, panel)
    _share_scales(selection, figures)
    return figures


def _beside_scatter(selection: Selection, panel: Panel) -> Figure:
    """The metric along x by itself: bars, or of many groups a line for each, which has room for its name."""
    return (bars if len(panel.groups) <= MAX_BARS_BESIDE else dots).figure(selection, panel)


def _bars_instead(selection: Selection, panel: Panel, why: str) -> Figure:
    made = bars.figure(selection, panel)
    made["notes"].append(f"{why} Bars are drawn instead.")
    return made


def drawn_panels(comparison: Comparison) -> Sequence[Panel]:
    """The panels with the groups that their figures draw: of a scatter plot those with both metrics."""
    selection, panels = comparison.selection, comparison.panels
    if selection.kind != "scatter":
        return panels
    scatters = scatter.make_scatters(selection, panels)
    drawn = [
        made and {(panel.xs[mark["x"]], panel.series[mark["series"]]) for mark in made["groups"]}
        for made, panel in zip(scatters, panels, strict=True)
    ]
    return [
        panel if places is None else replace(panel, groups=[group for group in panel.groups if (group.x, group.series) in places])
        for places, panel in zip(drawn, panels, strict=True)
    ]


def _heat_map_if_crowded(selection: Selection, panel: Panel) -> Figure | None:
    """A heat map where bars would be narrower than a pixel; None for few bars, or for one dimension."""
    if selection.kind != "bars" or selection.baseline or len(panel.groups) <= MAX_BARS or len(panel.series) < 2:
        return None
    made = heat.figure(selection, panel)
    if made:
        made["notes"].append(f"{numbers.count(len(panel.groups))} groups are more than bars can show: a heat map is drawn instead.")
    return made


def _share_scales(selection: Selection, figures: list[Figure]) -> None:
    """Give the panels of a facet one scale for each unit, and one glyph."""
    if not selection.facet or len(figures) < 2:
        return
    if any(map(notes.is_barless, figures)):
        for figure in figures:
            figure["barless"] = True
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
