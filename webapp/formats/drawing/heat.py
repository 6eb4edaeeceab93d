"""Heat map: x by series, darker for greater values, with the number in each cell where it fits; legible in grey."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Rectangle

from webapp.figures import notes
from webapp.formats.drawing import style
from webapp.formats.drawing.labels import LabelRoom, break_names, set_labels
from webapp.formats.drawing.scales import is_log


def row_height_mm(figure: dict) -> float:
    """Height of a row in mm: of two lines where names are long."""
    lines = 2 if any(len(series["name"]) > 24 for series in figure["series"]) else 1
    return (1.25 * lines + 0.6) * style.current().small / style.POINTS


def draw(axes: Axes, figure: dict, room: LabelRoom) -> None:
    """Draw a panel: a cell for each group; missing groups are blank.

    A cell with several centres has a stripe for each, and no number. A bound has its sign, in the corner of a small cell.
    """
    low, high = figure["reach"]
    norm = LogNorm(low, high) if is_log(figure) and 0 < low < high else Normalize(min(low, 0) if low <= 0 else low * 0.5, high)
    colours = matplotlib.colormaps["Greys" if style.current().grey else "Blues"]
    size = style.current().small
    columns, rows = len(figure["x"]["values"]), len(figure["series"])
    show_numbers = all(map(_fits(columns, room), map(notes.center_label, figure["groups"])))
    for group in figure["groups"]:
        depth = float(norm(group["center"]))
        for left, width, center in stripes(group):
            color = colours(float(norm(center)))
            axes.add_patch(Rectangle((left, group["series"] - 0.5), width, 1, facecolor=color, edgecolor="white", linewidth=0.5))
        if (show_numbers or group.get("bound")) and not notes.has_parts(group):
            label = notes.center_label(group)
            axes.text(
                group["x"],
                group["series"],
                label if show_numbers else label[0],
                ha="center",
                va="center",
                fontsize=size,
                color="white" if depth > 0.55 else style.INK,
            )
    for place in figure.get("empty", ()) if show_numbers else ():
        text = notes.short_text(place) if _fits(columns, room)(notes.short_text(place)) else "\u2013"
        axes.text(place["x"], place["series"], text, ha="center", va="center", fontsize=size, color=style.MUTED)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    names = break_names([series["name"] for series in figure["series"]], room.panel * 0.3)
    axes.set_yticks(range(rows), names)
    axes.tick_params(axis="both", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    set_labels(axes, figure["x"]["values"], figure["x"]["label"], room.axes)
    bar = axes.figure.colorbar(matplotlib.cm.ScalarMappable(norm, colours), ax=axes, fraction=0.04, pad=0.015, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label(style.printable(figure["unit"] + (f", {figure['better']}" if figure["better"] else "")))


def _fits(columns: int, room: LabelRoom) -> Callable[[str], bool]:
    """Whether a text fits a cell."""
    cell_mm = room.axes / max(1, columns)
    return lambda text: style.text_mm(style.printable(text), style.current().small) <= cell_mm - 0.6


def stripes(group: dict) -> list[tuple[float, float, float]]:
    """(left edge, width, centre) of the parts of a cell, which is 1 wide; one for a group with one centre."""
    centers = group["parts"] if notes.has_parts(group) else [group["center"]]
    width = 1 / len(centers)
    return [(group["x"] - 0.5 + index * width, width, center) for index, center in enumerate(centers)]
