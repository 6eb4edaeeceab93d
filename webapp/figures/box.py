"""Panel -> box and strip plot: quartiles of the runs where there are enough of them, and every run as a point."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import quantiles

from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars, scales
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure
from webapp.formatting import numbers

DOTS_PHRASE = "; every run is a dot"
MIN_RUNS = 5
"""Runs from which on a box is drawn."""


def figure(selection: Selection, panel: Panel) -> Figure:
    """Quartiles by linear interpolation between the runs (Hyndman and Fan's type 7); whiskers reach to the extremes.

    A bounded mark has no box, as its runs without a value lie beyond the others; nor has one of sessions too unlike.
    """
    made = bars.figure(selection, panel)
    made["kind"] = "box"
    for mark in made["groups"]:
        if len(mark["points"]) >= MIN_RUNS and not (mark.get("bound") or mark.get("open") or mark.get("parts")):
            mark["box"] = five_number_summary([point[0] for point in mark["points"]])
    made["notes"].append(f"Boxes from {MIN_RUNS} runs on: quartiles, median, whiskers to the extremes{DOTS_PHRASE}.")
    partly = [group for group in panel.groups if group.runs > len(group.points)]
    if partly:
        drawn, total = sum(len(group.points) for group in partly), sum(group.runs for group in partly)
        made["notes"].append(
            f"Of groups with very many runs a part is drawn, {numbers.count(drawn)} of {numbers.count(total)}; "
            f"their boxes are of this part."
        )
    return made


def five_number_summary(values: Sequence[float]) -> list[float]:
    """Lowest, lower quartile, median, upper quartile, highest."""
    lower, middle, upper = quantiles(values, n=4, method="inclusive")
    return [min(values), lower, middle, upper, max(values)]


KIND = register(FigureKind("box", "Boxes and every run", 4, figure, values=scales.around, has_model=False, is_filled=True))
