"""Lines over a numeric x axis: each series has its own colour, dashes and marker."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from webapp.formats.drawing import bars, style
from webapp.formats.drawing.scales import is_log, set_value_axis, start_at_zero

_LABEL_MM = 6.0


def groups_by_number(figure: dict, series: int) -> list[tuple[float, dict]]:
    """(number, group) of a series, sorted by number; groups without a number are left out."""
    numbers = figure["x"]["numbers"]
    numbered = [(numbers[group["x"]], group) for group in figure["groups"] if group["series"] == series]
    return sorted(((number, group) for number, group in numbered if number is not None), key=lambda pair: pair[0])


def draw(axes: Axes, figure: dict, width_mm: float) -> None:
    """Draw a panel."""
    set_value_axis(axes, figure)
    if figure["x"].get("scale") == "log":
        axes.set_xscale("log")
    for index, series in enumerate(figure["series"]):
        numbered = groups_by_number(figure, index)
        if not numbered:
            continue
        numbers, groups = [number for number, _ in numbered], [group for _, group in numbered]
        axes.plot(
            numbers,
            [group["center"] for group in groups],
            linestyle=style.dashes(series["style"]),
            linewidth=1.1,
            color=style.colour(series["style"]),
            marker=style.marker(series["marker"]),
            markersize=4,
            markeredgecolor="white",
            markeredgewidth=0.4,
            zorder=5,
            label=style.printable(series["name"]),
        )
        dots = [(number, point[0]) for number, group in numbered if len(group["points"]) > 1 for point in group["points"]]
        axes.scatter(
            [x for x, _ in dots],
            [y for _, y in dots],
            s=2.5,
            facecolors="none",
            linewidths=0.35,
            edgecolors=style.colour(series["style"]),
            zorder=3,
        )
        bars.draw_intervals(axes, groups, numbers, 1.5)
    if not is_log(figure):
        start_at_zero(axes, figure)
    _set_number_axis(axes, figure, width_mm)


def _set_number_axis(axes: Axes, figure: dict, width_mm: float) -> None:
    """Label the measured numbers, every n-th where they are close."""
    labels = sorted(
        (number, style.printable(name))
        for number, name in zip(figure["x"]["numbers"], figure["x"]["values"], strict=True)
        if number is not None
    )
    step = max(1, -(-len(labels) // max(1, int(width_mm / max(_LABEL_MM, 1.5 * max(len(name) for _, name in labels))))))
    axes.xaxis.set_major_locator(FixedLocator([number for number, _ in labels[::step]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([name for _, name in labels[::step]])
    axes.set_xlabel(style.printable(figure["x"]["label"]))
