"""Panel -> lines over a numeric axis: threads, record size, file size, nodes; months."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.comparison.dimensions import (
    AGGREGATE,
    DIMENSIONS,
    PERCENTILE_TICKS,
    Dimension,
    axis_position,
    has_numeric_axis,
    in_sentence,
    percentile_position,
)
from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars, naming, scales
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure

MIN_LOG_RATIO = 4
"""Ratio of the highest to the lowest number from which on the axis is logarithmic."""


def figure(selection: Selection, panel: Panel) -> Figure | None:
    """One line for each series; None where the x axis is not numeric, or no line has two points."""
    dimension = DIMENSIONS.get(selection.x)
    if dimension is None or not has_numeric_axis(dimension):
        return None
    numbers = [axis_position(dimension, x) for x in panel.xs]
    known = [number for number in numbers if number is not None]
    if not _has_line(dimension, panel):
        return None
    made = bars.figure(selection, panel)
    made["kind"] = "lines"
    made["x"]["numbers"] = numbers
    doubling = dimension.numeric and min(known) > 0 and max(known) >= MIN_LOG_RATIO * min(known)
    made["x"]["scale"] = "log" if doubling else "linear"
    missing = sum(group["n"] for group in made["groups"] if numbers[group["x"]] is None)
    if dimension.name == AGGREGATE:
        made["x"]["ticks"] = percentile_ticks(known)
        others = [x for x, number in zip(panel.xs, numbers, strict=True) if number is None]
        made["notes"] += [f"No percentiles, and only in the table: {', '.join(others)}."] if others else []
    elif missing:
        made["notes"].append(
            f"Not on the axis, but in the table: {missing} "
            f"run{'' if missing == 1 else 's'} for which {in_sentence(dimension.label)} is unknown."
        )
    return made


def percentile_ticks(positions: Sequence[float]) -> list[tuple[float, str]]:
    """Position and name of the ticks between the outermost percentiles."""
    ticks = [(percentile_position(name) or 0.0, label) for label, name in PERCENTILE_TICKS]
    return [tick for tick in ticks if min(positions) <= tick[0] <= max(positions)]


def _has_line(dimension: Dimension, panel: Panel) -> bool:
    """Whether any line would have two points."""
    places = {(group.series, at) for group in panel.groups if (at := axis_position(dimension, group.x)) is not None}
    return len(places) > len({series for series, _ in places})


def describe_lack(selection: Selection, panel: Panel) -> str:
    """Why no line can be drawn."""
    dimension = DIMENSIONS.get(selection.x)
    if dimension is None or not has_numeric_axis(dimension):
        return "Lines need an axis of numbers, such as threads, record size or months."
    if not any(axis_position(dimension, group.x) is not None for group in panel.groups):
        if dimension.name == AGGREGATE:
            return "No percentile is among these kinds of values."
        return f"Lines need an axis of numbers, and {in_sentence(dimension.label)} is unknown of every group."
    return f"A line needs two points, and no line has two values of {in_sentence(naming.axis_title(selection))} here."


KIND = register(FigureKind("lines", "Lines", 3, figure, describe_lack, across=scales.of_numbers))
