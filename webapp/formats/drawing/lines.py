"""Lines over a numeric x axis: each series has its own colour, dashes and marker."""

from __future__ import annotations

from itertools import groupby
from math import log, nan

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from webapp.figures.notes import has_parts
from webapp.formats.drawing import bars, signs, style
from webapp.formats.drawing.labels import LabelRoom
from webapp.formats.drawing.scales import is_log, set_value_axis, start_at_zero

_LABEL_MM = 6.0


def groups_by_number(figure: dict, series: int) -> list[tuple[float, dict]]:
    """(number, group) of a series, sorted by number; groups without a number are left out."""
    numbers = figure["x"]["numbers"]
    numbered = [(numbers[group["x"]], group) for group in figure["groups"] if group["series"] == series]
    return sorted(((number, group) for number, group in numbered if number is not None), key=lambda pair: pair[0])


def segments(figure: dict, series: int) -> list[list[tuple[float, dict]]]:
    """The marks of a series that lines connect, in runs of neighbours.

    A line ends at an empty place, and a bounded mark stands alone. Marks with several centres are in no segment.
    """
    numbers = figure["x"]["numbers"]
    empty = [numbers[place["x"]] for place in figure.get("empty", ()) if place["series"] == series]
    gaps = sorted(number for number in empty if number is not None)
    connected: list[list[tuple[float, dict]]] = []
    for is_cut, run in groupby(groups_by_number(figure, series), lambda pair: has_parts(pair[1]) or bool(pair[1].get("bound"))):
        marks = [pair for pair in run if not has_parts(pair[1])]
        if is_cut:
            connected += [[pair] for pair in marks]
        else:
            between = groupby(marks, lambda pair: sum(gap < pair[0] for gap in gaps))
            connected += [list(neighbours) for _, neighbours in between]
    return connected


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel."""
    set_value_axis(axes, figure)
    if figure["x"].get("scale") == "log":
        axes.set_xscale("log")
    for index, series in enumerate(figure["series"]):
        numbered = groups_by_number(figure, index)
        if not numbered:
            continue
        numbers, groups = [number for number, _ in numbered], [group for _, group in numbered]
        path = [point for segment in segments(figure, index) for point in (*_centers(segment), (nan, nan))][:-1]
        axes.plot(
            [x for x, _ in path],
            [y for _, y in path],
            linestyle=style.dashes(series["style"]),
            linewidth=1.1,
            color=style.line_colour(series["style"]),
            marker=style.marker(series["marker"]),
            markersize=4,
            markeredgecolor="white",
            markeredgewidth=0.4,
            zorder=5,
            label=style.printable(series["name"]),
        )
        dots = [(number, point[0]) for number, group in numbered if group["n"] > 1 for point in group["points"]]
        axes.scatter(
            [x for x, _ in dots],
            [y for _, y in dots],
            s=2.5,
            facecolors=style.INK,
            linewidths=0.25,
            edgecolors="white",
            zorder=6,
        )
        bars.draw_intervals(axes, groups, numbers, 1.5)
        _draw_parts(axes, [(number, group) for number, group in numbered if has_parts(group)], series)
        signs.draw_bounds(axes, numbered, _LABEL_MM)
    if is_log(figure):
        signs.leave_room(axes, figure, "y")
    else:
        start_at_zero(axes, figure)
    _set_number_axis(axes, figure, room.axes)


def _centers(segment: list[tuple[float, dict]]) -> list[tuple[float, float]]:
    return [(number, group["center"]) for number, group in segment]


def _draw_parts(axes: Axes, numbered: list[tuple[float, dict]], series: dict) -> None:
    """Draw a short line for each centre: the axis of numbers has no width of a mark."""
    centers = [(number, part) for number, group in numbered for part in group["parts"]]
    axes.plot(
        [number for number, _ in centers],
        [part for _, part in centers],
        linestyle="none",
        marker="_",
        markersize=7,
        markeredgewidth=1.4,
        color=style.line_colour(series["style"]),
    )


def _set_number_axis(axes: Axes, figure: dict, width_mm: float) -> None:
    """Label the measured numbers that are far enough from the one before."""
    labels = sorted(
        (number, style.printable(name))
        for number, name in zip(figure["x"]["numbers"], figure["x"]["values"], strict=True)
        if number is not None
    )
    is_log = figure["x"].get("scale") == "log"
    places = [log(number) if is_log else number for number, _ in labels]
    shown = thin(places, [style.text_mm(name, style.current().small) for _, name in labels], width_mm)
    axes.xaxis.set_major_locator(FixedLocator([labels[index][0] for index in shown]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([labels[index][1] for index in shown])
    axes.set_xlabel(style.printable(figure["x"]["label"]))


def thin(places: list[float], widths_mm: list[float], room_mm: float) -> list[int]:
    """Indices of the labels that fit an axis of this length beside those before them."""
    reach = (max(places) - min(places)) * 1.1 or 1.0
    shown: list[int] = []
    for index, place in enumerate(places):
        if shown:
            last = shown[-1]
            between = (place - places[last]) / reach * room_mm
            if between < (widths_mm[index] + widths_mm[last]) / 2 + 1.5:
                continue
        shown.append(index)
    return shown
