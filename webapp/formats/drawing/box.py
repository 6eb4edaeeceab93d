"""Box and strip plot: quartiles where a group has enough runs, and every run as a dot."""

from __future__ import annotations

from matplotlib.axes import Axes

from webapp.formats.drawing import bars, style
from webapp.formats.drawing.scales import is_log, set_value_axis, start_at_zero


def draw(axes: Axes, figure: dict, width_mm: float) -> None:
    """Draw a panel. A group without a box has a line at its centre."""
    shifts, width = bars.series_offsets(len(figure["series"]))
    bar_mm = width * width_mm / max(1, len(figure["x"]["values"]))
    set_value_axis(axes, figure)
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        colour = style.colour(series["style"])
        _boxes(axes, [group for group in groups if group.get("box")], shifts[index], width * 0.8, series, alone=len(shifts) == 1)
        for group in groups:
            if not group.get("box"):
                place = group["x"] + shifts[index]
                axes.plot([place - width * 0.35, place + width * 0.35], [group["center"]] * 2, color=colour, linewidth=1.2)
        bars.draw_repetitions(axes, groups, shifts[index], width, bar_mm)
        axes.bar(
            [0],
            [0],
            color=colour,
            label=style.printable(series["name"]),
            edgecolor="white",
            hatch=None if len(shifts) == 1 else style.hatch(series["style"]) or None,
        )
    if not is_log(figure):
        start_at_zero(axes, figure)
    bars.set_category_axis(axes, figure, width_mm)


def _boxes(axes: Axes, groups: list[dict], shift: float, width: float, series: dict, alone: bool) -> None:
    names = ("whislo", "q1", "med", "q3", "whishi")
    if not groups:
        return
    drawn = axes.bxp(
        [dict(zip(names, group["box"], strict=True)) for group in groups],
        positions=[group["x"] + shift for group in groups],
        widths=width,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"linewidth": 0.6},
        medianprops={"color": style.INK, "linewidth": 1.2},
        whiskerprops={"linewidth": 0.6, "color": style.INK},
        capprops={"linewidth": 0.6, "color": style.INK},
    )
    for patch in drawn["boxes"]:
        patch.set(facecolor=style.colour(series["style"]), edgecolor=style.INK, alpha=1.0)
        if not alone:
            patch.set(hatch=style.hatch(series["style"]) or None, hatchcolor="white")
