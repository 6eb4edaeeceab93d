"""Grouped bars from zero: the centre as a bar, every repetition as a dot, the interval as a line."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from webapp.figures.notes import has_parts
from webapp.formats.drawing import signs, style
from webapp.formats.drawing.labels import LabelRoom, set_labels
from webapp.formats.drawing.scales import is_log, set_value_axis, start_at_zero, value_range

GROUP_WIDTH = 0.8
"""Width of a group of bars; categories are 1 apart."""


class MarkPlace(NamedTuple):
    """The offset of a series from the category position, the width of its marks there, and that width in mm."""

    shift: float
    width: float
    width_mm: float


def series_offsets(series: int) -> tuple[list[float], float]:
    """The offset of each series from the category position, and the width of a mark."""
    width = GROUP_WIDTH / max(1, series)
    return [(index - (series - 1) / 2) * width for index in range(series)], width


def row_offsets(figure: dict) -> tuple[list[float], float]:
    """The same for rows: where none holds more than one mark, all series stand in its middle."""
    count = len(figure["series"])
    rows = [mark["x"] for mark in (*figure["groups"], *figure.get("empty", ()))]
    return series_offsets(count) if len(rows) > len(set(rows)) else ([0.0] * count, GROUP_WIDTH)


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel: groups by category and series. A log scale has markers only, as lengths of bars mean nothing there.

    Nor is there a bar where a group has several centres, or where its value lies below a bound.
    """
    shifts, width = series_offsets(len(figure["series"]))
    bar_mm = width * room.axes / max(1, len(figure["x"]["values"]))
    set_value_axis(axes, figure)
    log, near = is_log(figure), nearness(figure)
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        placed = [(group["x"] + shifts[index], group) for group in groups]
        lines = [(place, group) for place, group in placed if has_no_bar(group)]
        several = [] if log else [(group, place) for place, group in placed if group["n"] > 1 and not has_no_bar(group)]
        markers = [(place, group) for place, group in placed if (log or group["n"] < 2) and not has_no_bar(group)]
        _bars(axes, several, width * 0.94, series, alone=len(shifts) == 1)
        draw_markers(axes, markers, series, stems=not log, named=not several)
        signs.draw_center_lines(axes, lines, width * 0.7, series, named=not (several or markers))
        draw_intervals(axes, groups, [place for place, _ in placed], bar_mm)
        draw_repetitions(axes, groups, MarkPlace(shifts[index], width, bar_mm), near)
        signs.draw_bounds(axes, placed, bar_mm)
    signs.draw_empty_places(axes, empty_positions(figure, shifts), bar_mm)
    if log:
        signs.leave_room(axes, figure, "y")
    else:
        start_at_zero(axes, figure)
    set_category_axis(axes, figure, room)


def has_no_bar(group: dict) -> bool:
    """Whether lines stand for the centres of a group: it has several, or its value lies below the bound."""
    return has_parts(group) or group.get("bound") == "below"


def empty_positions(figure: dict, shifts: list[float]) -> list[tuple[float, dict]]:
    """(position on the axis of categories, empty place) of every empty place."""
    return [(place["x"] + shifts[place["series"]], place) for place in figure.get("empty", ())]


def set_category_axis(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Set limits, title and labels of the categorical x axis."""
    axes.set_xlim(-0.5, max(0.5, len(figure["x"]["values"]) - 0.5))
    set_labels(axes, figure["x"]["values"], figure["x"]["label"], room.axes)


def _bars(axes: Axes, groups: list[tuple[dict, float]], width: float, series: dict, alone: bool) -> None:
    if groups:
        axes.bar(
            [place for _, place in groups],
            [group["center"] for group, _ in groups],
            width,
            label=style.printable(series["name"]),
            **fill_options(series, alone),
        )


def fill_options(series: dict, alone: bool) -> dict[str, Any]:
    """Options of bars: colour and pattern of a series; one that is alone has no pattern."""
    number = series["style"]
    return {
        "color": style.colour(number),
        "edgecolor": "white",
        "linewidth": 0,
        "hatch": None if alone else style.hatch(number),
        "hatchcolor": style.hatch_colour(number),
    }


def draw_markers(
    axes: Axes, groups: list[tuple[float, dict]], series: dict, stems: bool = False, named: bool = True, swap: bool = False
) -> None:
    """Draw (place, group) as markers, hollow for a single run. `stems`: with a thin line from zero; `named`: with a legend
    entry; `swap`: with values on the x axis."""
    colour, label = style.line_colour(series["style"]), style.printable(series["name"]) if named else None
    for hollow in (False, True):
        points = [(place, group["center"]) for place, group in groups if (group["n"] < 2) == hollow]
        if not points:
            continue
        places, values = zip(*points, strict=True)
        if stems:
            axes.vlines(places, 0, values, color=style.MUTED, linewidth=0.5, zorder=2)
        axes.plot(
            *((values, places) if swap else (places, values)),
            linestyle="none",
            marker=style.marker(series["marker"]),
            markersize=5 if hollow else 4,
            color=colour,
            markerfacecolor="white" if hollow else colour,
            markeredgecolor=colour if hollow else "white",
            markeredgewidth=0.9 if hollow else 0.4,
            zorder=5,
            label=label,
        )
        label = None


class Nearness(NamedTuple):
    """How near two runs of a figure are that would cover each other: `distance` of their values, or of their logarithms."""

    distance: float
    log: bool


def nearness(figure: dict) -> Nearness:
    """Runs nearer than a fortieth of the axis cover each other."""
    low, high = value_range(figure)
    if is_log(figure):
        return Nearness(math.log(high / low) / 40, True)
    return Nearness((high - min(low, 0.0)) / 40, False)


def spread_repetitions(group: dict, shift: float, width: float, near: Nearness) -> list[tuple[float, float]]:
    """(place, value) of the repetitions: on the whisker, or beside it where others would cover them; [] for a single run, which is
    the mark."""
    if group["n"] < 2:
        return []
    values = [point[0] for point in group["points"]]
    places = [math.log(value) if near.log and value > 0 else value for value in values]
    tries = [0.0, *(sign * step * 0.12 * width for step in (1, 2, 3) for sign in (1, -1))]
    offsets = [0.0] * len(values)
    done: list[int] = []
    for index in sorted(range(len(values)), key=places.__getitem__):
        done = [other for other in done if places[index] - places[other] < near.distance]
        taken = {offsets[other] for other in done}
        offsets[index] = next((offset for offset in tries if offset not in taken), 0.0)
        done.append(index)
    return [(group["x"] + shift + offset, value) for offset, value in zip(offsets, values, strict=True)]


def draw_repetitions(axes: Axes, groups: list[dict], place: MarkPlace, near: Nearness, swap: bool = False) -> None:
    """Draw every repetition as a dot, hollow at a bound. `swap`: values on the x axis."""
    dots = [dot for group in groups for dot in spread_repetitions(group, place.shift, place.width, near)]
    if dots:
        hollow = [len(point) > 2 for group in groups if group["n"] > 1 for point in group["points"]]
        diameter = min(2.4, max(0.6, place.width_mm * 0.6))  # points
        xs, ys = zip(*dots, strict=True)
        axes.scatter(
            *((ys, xs) if swap else (xs, ys)),
            s=diameter**2,
            facecolors=["white" if is_open else style.INK for is_open in hollow],
            edgecolors=[style.INK if is_open else "white" for is_open in hollow],
            linewidths=diameter * 0.2,
            zorder=6,
        )


def has_interval(group: dict) -> bool:
    """Whether a whisker is drawn: one centre with both ends of its interval."""
    return group["low"] is not None and group["high"] is not None and not has_parts(group)


def draw_intervals(axes: Axes, groups: list[dict], places: list[float], bar_mm: float = 5.0, swap: bool = False) -> None:
    """Draw the groups' intervals, with caps narrower than a mark of `bar_mm`, but at an open end. `swap`: values on the x axis."""
    bounded = [(place, group) for place, group in zip(places, groups, strict=True) if has_interval(group)]
    if not bounded:
        return
    line_width = min(0.8, max(0.3, bar_mm * 0.3))
    positions, centers = [place for place, _ in bounded], [group["center"] for _, group in bounded]
    errors = [
        [max(0, group["center"] - group["low"]) for _, group in bounded],
        [max(0, group["high"] - group["center"]) for _, group in bounded],
    ]
    options: dict[str, Any] = {
        "fmt": "none",
        "ecolor": style.INK,
        "elinewidth": line_width,
        "zorder": 4,
    }
    ends = (("low", "below"), ("high", "above"))
    caps = [(at, group[end]) for at, group in bounded for end, side in ends if side not in group.get("open", ())]
    cap: dict[str, Any] = {
        "linestyle": "none",
        "color": style.INK,
        "markersize": 2 * min(1.8, bar_mm * 0.7),
        "markeredgewidth": line_width,
        "zorder": 4,
    }
    axes.plot(
        [value if swap else at for at, value in caps],
        [at if swap else value for at, value in caps],
        marker="|" if swap else "_",
        **cap,
    )
    if swap:
        axes.errorbar(centers, positions, xerr=errors, **options)
    else:
        axes.errorbar(positions, centers, yerr=errors, **options)
