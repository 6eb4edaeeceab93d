"""Scatter plot of two metrics: a marker for each group, with both intervals and, for few groups, its name."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from webapp.formats.drawing import bars, declutter, signs, style
from webapp.formats.drawing.labels import LabelRoom
from webapp.formats.drawing.scales import set_across_axis, set_value_axis

MAX_LABELLED = 24
_BESIDE: list[dict[str, Any]] = [
    {"xytext": (4 * x, 4 * y), "ha": {-1: "right", 0: "center", 1: "left"}[x], "va": {-1: "top", 0: "center", 1: "bottom"}[y]}
    for x, y in ((1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
]
"""Where the name of a mark may stand, the best place first."""


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel."""
    set_value_axis(axes, figure)
    named = len(figure["groups"]) <= MAX_LABELLED and len(figure["x"]["values"]) > 1
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        across = [group["across"] for group in groups]
        axes.plot(
            [x_values["center"] for x_values in across],
            [group["center"] for group in groups],
            linestyle="none",
            marker=style.marker(series["marker"]),
            markersize=4.5,
            color=style.line_colour(series["style"]),
            markeredgecolor="white",
            markeredgewidth=0.4,
            zorder=5,
            label=style.printable(series["name"]),
        )
        bars.draw_intervals(axes, groups, [x_values["center"] for x_values in across], 2.0)
        signs.draw_bounds(axes, [(group["across"]["center"], group) for group in groups], 5.0)
        signs.draw_bounds(axes, [(group["center"], group["across"]) for group in groups], 5.0, along="x")
        bars.draw_intervals(axes, across, [group["center"] for group in groups], 2.0, swap=True)
        for group in groups if named else ():
            name = axes.annotate(
                style.printable(figure["x"]["values"][group["x"]]),
                (group["across"]["center"], group["center"]),
                textcoords="offset points",
                fontsize=style.current().small,
                color=style.MUTED,
                zorder=6,
                **_BESIDE[0],
            )
            declutter.offer(name, _BESIDE)
    axes.margins(0.12)
    set_across_axis(axes, figure)
