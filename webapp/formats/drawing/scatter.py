"""Scatter plot of two metrics: a marker for each group, with both intervals and, for few groups, its name."""

from __future__ import annotations

from matplotlib.axes import Axes

from webapp.formats.drawing import bars, signs, style
from webapp.formats.drawing.scales import set_across_axis, set_value_axis

MAX_LABELLED = 24


def draw(axes: Axes, figure: dict, width_mm: float) -> None:
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
            color=style.colour(series["style"]),
            markeredgecolor="white",
            markeredgewidth=0.4,
            zorder=5,
            label=style.printable(series["name"]),
        )
        bars.draw_intervals(axes, groups, [x_values["center"] for x_values in across], 2.0)
        signs.draw_bounds(axes, [(group["across"]["center"], group) for group in groups], 5.0)
        signs.draw_bounds(axes, [(group["center"], group["across"]) for group in groups], 5.0, along="x")
        across_groups = [(group, x_values | {"points": []}) for group, x_values in zip(groups, across, strict=True)]
        bars.draw_intervals(
            axes, [x_values for _, x_values in across_groups], [group["center"] for group, _ in across_groups], 2.0, swap=True
        )
        for group in groups if named else ():
            axes.annotate(
                style.printable(figure["x"]["values"][group["x"]]),
                (group["across"]["center"], group["center"]),
                xytext=(3, 3),
                textcoords="offset points",
                fontsize=5.5,
                color=style.MUTED,
                zorder=6,
            )
    axes.margins(0.12)
    set_across_axis(axes, figure)
