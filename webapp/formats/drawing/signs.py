"""Signs beside marks: the arrow and label of a bound, the line of a centre without a bar, the text of an empty place."""

from __future__ import annotations

from typing import Any, Literal

from matplotlib.axes import Axes

from webapp.figures import notes
from webapp.formats.drawing import declutter, style
from webapp.formats.drawing.style import POINTS

Along = Literal["x", "y"]
ARROW = 9.0
"""Length of the arrow of a bound in points."""


def draw_bounds(axes: Axes, marks: list[tuple[float, dict]], mark_mm: float, along: Along = "y") -> None:
    """Draw an arrow from each bounded centre to where the value lies, and its label where a mark of `mark_mm` leaves room.

    `marks`: (place, group). `along`: the axis of the values.
    """
    for place, group in marks:
        for value, side in notes.open_runs(group):
            _arrow(axes, place, {"center": value, "bound": side}, along)
        if group.get("bound"):
            _arrow(axes, place, group, along)
            _label(axes, place, group, mark_mm, along)


def _arrow(axes: Axes, place: float, group: dict, along: Along) -> None:
    reach = ARROW if group["bound"] == "above" else -ARROW
    axes.annotate(
        "",
        (group["center"], place) if along == "x" else (place, group["center"]),
        xytext=(reach, 0) if along == "x" else (0, reach),
        textcoords="offset points",
        annotation_clip=False,
        arrowprops={"arrowstyle": "<-", "color": style.INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 5},
        zorder=6,
    )


def _label(axes: Axes, place: float, group: dict, mark_mm: float, along: Along) -> None:
    """The number of a bound, which goes where it would cover another."""
    text = style.printable(notes.center_label(group))
    options: dict[str, Any] = {"fontsize": style.current().small, "color": style.INK, "textcoords": "offset points", "zorder": 6}
    beyond = ARROW + 1.5 if group["bound"] == "above" else 2.5
    if along == "x":
        made = axes.annotate(text, (group["center"], place), xytext=(max(beyond, 5), 0), ha="left", va="center", **options)
        declutter.offer(made, [{}])
        return
    is_level = style.text_mm(text, style.current().small) < mark_mm
    if is_level or mark_mm >= style.current().small / POINTS:
        turned: dict[str, Any] = {} if is_level else {"rotation": 90}
        made = axes.annotate(text, (place, group["center"]), xytext=(0, beyond), ha="center", va="bottom", **turned, **options)
        declutter.offer(made, [{}])


def draw_center_lines(
    axes: Axes, marks: list[tuple[float, dict]], width: float, series: dict, along: Along = "y", named: bool = False
) -> None:
    """Draw a line of `width` for each part of a mark, or for its only centre. `named`: with a legend entry."""
    label = style.printable(series["name"]) if named else ""
    for place, group in marks:
        centers = group["parts"] if notes.has_parts(group) else [group["center"]]
        lines = axes.hlines if along == "y" else axes.vlines
        lines(
            centers,
            place - width / 2,
            place + width / 2,
            colors=style.line_colour(series["style"]),
            linewidth=1.4,
            zorder=4,
            label=label,
        )
        label = ""


def draw_empty_places(axes: Axes, places: list[tuple[float, dict]], mark_mm: float, along: Along = "y") -> None:
    """Print the short text of each (position, empty place) at the foot of the axis of the values."""
    size = style.current().small
    for position, place in places:
        text = notes.short_text(place)
        lies = along == "x" or style.text_mm(text, size) < mark_mm
        made = axes.annotate(
            text if lies or mark_mm >= size / POINTS else "\u2013",
            (0, position) if along == "x" else (position, 0),
            xycoords=("axes fraction", "data") if along == "x" else ("data", "axes fraction"),
            xytext=(3, 0) if along == "x" else (0, 3),
            textcoords="offset points",
            ha="left" if along == "x" else "center",
            va="center" if along == "x" else "bottom",
            rotation=0 if lies else 90,
            fontsize=size,
            color=style.MUTED,
        )
        declutter.offer(made, [{}])


def leave_room(axes: Axes, figure: dict, along: Along) -> None:
    """Widen the margins of an axis of values that may end at any number, so that arrows and labels are inside."""
    if notes.is_bounded(figure):
        if along == "x":
            axes.margins(x=0.2)
        else:
            axes.margins(y=0.2)
