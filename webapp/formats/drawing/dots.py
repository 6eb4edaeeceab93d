"""Dot plot and ratios: categories on the y axis, for long names."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from webapp.figures.notes import has_parts
from webapp.formats.drawing import bars, parts, signs, style
from webapp.formats.drawing.labels import LabelRoom, break_names, one_in
from webapp.formats.drawing.scales import set_value_axis, value_range
from webapp.formats.drawing.style import POINTS

_LEADING = 1.15


def row_height_mm(figure: dict) -> float:
    """Height of a category in mm."""
    lines = 2 if any(len(text) > 24 for text in figure["x"]["values"]) else 1
    return parts.row_mm(style.current(), lines, len(set(bars.row_offsets(figure)[0])))


def height_mm(figure: dict) -> float:
    """Height of the axes in mm; no higher than a page, whatever the number of rows."""
    return min(parts.HIGHEST_MM, len(figure["x"]["values"]) * row_height_mm(figure) + 2)


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel: a row for each category, with its series below each other."""
    shifts, width = bars.row_offsets(figure)
    set_value_axis(axes, figure, along="x")
    near = bars.nearness(figure)
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        places = [group["x"] + shifts[index] for group in groups]
        bars.draw_intervals(axes, groups, places, 2.0, swap=True)
        placed = list(zip(places, groups, strict=True))
        markers = [(place, group) for place, group in placed if not has_parts(group)]
        bars.draw_markers(axes, markers, series, swap=True)
        if figure.get("kind") != "ratio":  # a ratio has no runs of its own
            bars.draw_repetitions(axes, groups, bars.MarkPlace(shifts[index], width, 2.0), near, swap=True)
        lines = [(place, group) for place, group in placed if has_parts(group)]
        signs.draw_center_lines(axes, lines, width * 0.7, series, along="x", named=not markers)
        signs.draw_bounds(axes, placed, 2.0, along="x")
    signs.draw_empty_places(axes, bars.empty_positions(figure, shifts), 2.0, along="x")
    if "whole" in figure:  # a part of the rows, on the scale of all
        low, high = value_range(figure["whole"])
        axes.update_datalim([(low, 0), (high, 0)], updatey=False)
        axes.autoscale_view(scaley=False)
    signs.leave_room(axes, figure, "x")
    _set_row_axis(axes, figure, room)


def draw_ratio(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel of ratios to the baseline, which is the line at 1."""
    axes.axvline(1, color=style.MUTED, linewidth=0.8, zorder=1)
    draw(axes, figure, room)


def _set_row_axis(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Names of rows that are too low for two lines have one, and where they are lower than one some stand for all."""
    count = len(figure["x"]["values"])
    row, line = height_mm(figure) / max(1, count), style.current().small / POINTS * _LEADING
    names = break_names(figure["x"]["values"], room.panel * 0.35, 2 if row >= 2 * line else 1)
    step = max(1, math.ceil(line / row))
    axes.set_yticks(range(0, count, step), names[::step])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for row in range(1, len(names)):
        axes.axhline(row - 0.5, color=style.RULE, linewidth=0.4, zorder=0)
    named = f" ({one_in(step)} named)" if step > 1 else ""
    axes.set_ylabel(style.printable(f"{figure['x']['label']}{named}"))
