"""Value axes: title with unit and direction, plain numbers on log scales, limits shared by panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from webapp.figures import ticks
from webapp.figures.notes import curve_values, is_bounded
from webapp.formats.drawing.style import printable


def set_value_axis(axes: Axes, figure: dict, along: Literal["x", "y"] = "y") -> None:
    """Set the title of the value axis, and a log scale where the figure asks for it and every number is positive."""
    unit = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    (axes.set_ylabel if along == "y" else axes.set_xlabel)(printable(unit))
    axes.grid(axis=along)
    (axes.yaxis if along == "y" else axes.xaxis).set_major_formatter(PlainTickFormatter())
    if is_log(figure):
        (axes.set_yscale if along == "y" else axes.set_xscale)("log")
        low, high = value_range(figure)
        set_number_ticks(axes.yaxis if along == "y" else axes.xaxis, high / low if low else 1)


def set_across_axis(axes: Axes, figure: dict) -> None:
    """Set the axis of the metric along x of a scatter plot: its title, and its scale, which is that of the other metric."""
    unit = f"{figure['x']['label']}, {figure['x']['unit']}"
    axes.set_xlabel(printable(unit + (f", {better}" if (better := figure["x"].get("better")) else "")))
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(PlainTickFormatter())
    if is_log_across(figure):
        axes.set_xscale("log")
        low, high = across_range(figure)
        set_number_ticks(axes.xaxis, high / low)


class PlainTickFormatter(Formatter):
    """Whole numbers with as many decimals as the finest tick needs: no powers of ten, and no 0 for another number."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        return ticks.labels([float(value) for value in values])

    def __call__(self, x: float, pos: int | None = None) -> str:
        return ticks.labels([float(x)])[0]


def is_log(figure: dict) -> bool:
    return figure.get("scale") == "log" and value_range(figure)[0] > 0


def value_range(figure: dict) -> tuple[float, float]:
    """The lowest and highest number drawn, over all panels that share the scale."""
    numbers = [
        number
        for group in figure["groups"]
        for number in (
            group["center"],
            group["low"],
            group["high"],
            *group.get("parts", ()),
            *(point[0] for point in group["points"]),
        )
        if number is not None
    ]
    numbers += curve_values(figure)
    return min(numbers, default=0.0), max([*numbers, figure.get("top") or 0.0], default=0.0)


def across_range(figure: dict) -> tuple[float, float]:
    """The lowest and highest number along x of a scatter plot."""
    positions = [group["across"] for group in figure["groups"]]
    numbers = [number for at in positions for number in (at["center"], at["low"], at["high"]) if number is not None]
    return min(numbers, default=0.0), max(numbers, default=0.0)


def is_log_across(figure: dict) -> bool:
    """Whether the axis along x of a scatter plot is logarithmic."""
    return figure.get("scale") == "log" and across_range(figure)[0] > 0


def start_at_zero(axes: Axes, figure: dict) -> None:
    """Let the y axis begin at zero and end above the highest value of all panels."""
    low, high = value_range(figure)
    axes.set_ylim(0 if low >= 0 else low * 1.05, (high or 1.0) * headroom(figure))


def headroom(figure: dict) -> float:
    """The end of the axis as a multiple of the highest value: more where arrows and labels of bounds stand above."""
    return 1.2 if is_bounded(figure) else 1.05


def set_number_ticks(axis, ratio: float) -> None:
    """Set plain numbers as ticks of a log axis. `ratio`: of its upper to its lower end."""
    if ratio < ticks.LINEAR_RATIO:
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ratio < ticks.POWERS_RATIO else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: ticks.labels([float(value)])[0]))
    axis.set_minor_formatter(NullFormatter())
