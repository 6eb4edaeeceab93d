"""Box and strip plot: quartiles where a group has enough runs, and every run as a dot."""

from __future__ import annotations

from matplotlib.axes import Axes

from webapp.formats.drawing import bars, signs, style
from webapp.formats.drawing.labels import LabelRoom
from webapp.formats.drawing.scales import is_log, set_value_axis, start_at_zero


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel. A group without a box has a line at its centre, or at each centre of its parts."""
    shifts, width = bars.series_offsets(len(figure["series"]))
    bar_mm = width * room.axes / max(1, len(figure["x"]["values"]))
    set_value_axis(axes, figure)
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        _boxes(axes, [group for group in groups if group.get("box")], shifts[index], width * 0.8, series, alone=len(shifts) == 1)
        placed = [(group["x"] + shifts[index], group) for group in groups]
        signs.draw_center_lines(axes, [(place, group) for place, group in placed if not group.get("box")], width * 0.7, series)
        signs.draw_bounds(axes, placed, bar_mm)
        bars.draw_repetitions(axes, groups, bars.MarkPlace(shifts[index], width, bar_mm), bars.nearness(figure))
        axes.bar([0], [0], label=style.printable(series["name"]), **bars.fill_options(series, alone=len(shifts) == 1))
    signs.draw_empty_places(axes, bars.empty_positions(figure, shifts), bar_mm)
    if is_log(figure):
        signs.leave_room(axes, figure, "y")
    else:
        start_at_zero(axes, figure)
    bars.set_category_axis(axes, figure, room)


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
            patch.set(hatch=style.hatch(series["style"]), hatchcolor=style.hatch_colour(series["style"]))
