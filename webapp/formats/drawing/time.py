"""Curves over time: lines that end at gaps, bands over repetitions, and the phases behind them."""

from __future__ import annotations

from bisect import bisect_right
from math import nan

from matplotlib.axes import Axes

from webapp.figures.notes import DASHED, marked, segments, value_ends
from webapp.formats.drawing import fitting, scales, style
from webapp.formats.drawing.labels import LabelRoom

_NAME_MM = 6.0


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel."""
    scales.set_value_axis(axes, figure)
    if figure["x"].get("scale") == "log":
        axes.set_xscale("log")
    axes.set_xlim(figure["x"]["low"], figure["x"]["high"])
    draw_phases(axes, figure, room)
    for curve in figure["curves"]:
        series = figure["series"][curve["series"]]
        colour = style.line_colour(series["style"])
        parts = segments(curve)
        if "low" in curve:
            for part in parts:
                axes.fill_between(
                    [curve["t"][at] for at in part],
                    [curve["low"][at] for at in part],
                    [curve["high"][at] for at in part],
                    color=colour,
                    alpha=0.22,
                    linewidth=0,
                    zorder=3,
                )
        path = [point for part in parts for point in (*((curve["t"][at], curve["v"][at]) for at in part), (nan, nan))][:-1]
        # A point that joins no line stands between the segments.
        marks = [at + bisect_right(curve["breaks"], at) for at in marked(figure, curve)]
        is_dashed = style.current().grey or figure["kind"] in DASHED
        alone = [part.start for part in parts if len(part) == 1]
        axes.plot(
            [x for x, _ in path],
            [y for _, y in path],
            linestyle=style.dashes(curve["series"]) if is_dashed else "-",
            linewidth=0.8,
            color=colour,
            marker=style.marker(series["marker"]) if marks else "",
            markevery=marks or None,
            markersize=3.2,
            markeredgecolor="white",
            markeredgewidth=0.3,
            zorder=5,
            label=style.printable(series["name"]),
        )
        axes.plot([curve["t"][at] for at in alone], [curve["v"][at] for at in alone], "_", color=colour, markersize=2, zorder=5)
    low, high = value_ends(figure, *scales.value_range(figure))
    axes.set_ylim(low, high)
    axes.set_xlabel(style.printable(figure["x"]["label"]))
    if figure["x"].get("scale") == "log":
        scales.set_number_ticks(axes.xaxis, figure["x"]["high"] / figure["x"]["low"])
    else:
        axes.xaxis.set_major_formatter(scales.PlainTickFormatter())


def draw_phases(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """A shade for each phase, with its name above the frame where it has room."""
    low, high = figure["x"]["low"], figure["x"]["high"]
    size = style.current().small
    for at, phase in enumerate(figure.get("phases", ())):
        start, end = max(low, phase["start"]), min(high, phase["end"])
        axes.axvspan(start, end, color=style.RULE, alpha=0.3 if at % 2 else 0.55, linewidth=0, zorder=0)
        wide = (end - start) / (high - low) * room.axes
        if wide < _NAME_MM:
            continue
        name = fitting.cut(style.printable(phase["name"]), wide, lambda text: style.text_mm(text, size))
        axes.text(
            (start + end) / 2,
            0.985,
            name,
            transform=axes.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=size,
            color=style.MUTED,
            zorder=6,
        )
