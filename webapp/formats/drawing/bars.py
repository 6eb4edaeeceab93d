"""Grouped bars from zero: the centre as a bar, every repetition as a dot, the interval as a line."""
from __future__ import annotations

import matplotlib
from matplotlib.axes import Axes

from webapp.formats.drawing import style
from webapp.formats.drawing.labels import set_labels

GROUP = .8
"""Share of an x place that its bars fill."""


def offsets(series: int) -> tuple[list[float], float]:
    """Where each series' mark stands beside its x place, and the width of one."""
    width = GROUP / max(1, series)
    return [(at - (series - 1) / 2) * width for at in range(series)], width


def draw(axes: Axes, figure: dict, width_mm: float) -> None:
    """One panel: groups by x place and series."""
    shifts, width = offsets(len(figure["series"]))
    bar_mm = width * width_mm / max(1, len(figure["x"]["values"]))
    for at, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == at]
        places = [group["x"] + shifts[at] for group in groups]
        with matplotlib.rc_context({"hatch.color": "white"}):
            axes.bar(places, [group["center"] for group in groups], width * .94, color=style.colour(series["style"]),
                     hatch=(style.hatch(series["style"]) or None) if len(shifts) > 1 else None, edgecolor="white", linewidth=0,
                     label=style.printable(series["name"]))
        repetitions(axes, groups, shifts[at], width, bar_mm=bar_mm)
        intervals(axes, groups, places, bar_mm=bar_mm)
    axes.set_xlim(-.5, max(.5, len(figure["x"]["values"]) - .5))
    if figure.get("scale") != "log":
        axes.set_ylim(bottom=0 if all(group["center"] >= 0 for group in figure["groups"]) else None)
    set_labels(axes, figure["x"]["values"], width_mm)


def repetitions(axes: Axes, groups: list[dict], shift: float, width: float, bar_mm: float) -> None:
    """Every repetition, spread over the width of its mark in the order measured; none where it would hide the one value."""
    xs, ys = [], []
    for group in groups:
        points = group["points"]
        if len(points) < 2:
            continue
        for at, point in enumerate(points):
            xs.append(group["x"] + shift + width * .6 * ((at + .5) / len(points) - .5))
            ys.append(point[0])
    if xs:
        across = min(2.2, max(.6, bar_mm * .6))  # points
        axes.scatter(xs, ys, s=across ** 2, facecolors="white", edgecolors=style.INK, linewidths=across * .2, zorder=3)


def intervals(axes: Axes, groups: list[dict], places: list[float], bar_mm: float = 5.0, colour: str = style.INK) -> None:
    """The interval of each group that has one; its caps are narrower than a mark of `bar_mm`."""
    told = [(place, group) for place, group in zip(places, groups, strict=True)
            if group["low"] is not None and group["high"] is not None]
    if told:
        line = min(.8, max(.3, bar_mm * .3))
        axes.errorbar([place for place, _ in told], [group["center"] for _, group in told],
                      yerr=[[max(0, group["center"] - group["low"]) for _, group in told],
                            [max(0, group["high"] - group["center"]) for _, group in told]],
                      fmt="none", ecolor=colour, elinewidth=line, capsize=min(1.8, bar_mm * .7), capthick=line, zorder=4)
