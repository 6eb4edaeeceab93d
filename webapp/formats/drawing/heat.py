"""Heat map: x by series, darker for greater values, with the number in each cell where it fits; legible in grey."""

from __future__ import annotations

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Rectangle

from webapp.formats.drawing import style
from webapp.formats.drawing.labels import set_labels
from webapp.formats.drawing.scales import is_log
from webapp.formatting import numbers as shown

CELL_MM = 5.2
_NUMBER_MM = 7.0


def draw(axes: Axes, figure: dict, width_mm: float) -> None:
    """Draw a panel: a cell for each group; missing groups are blank."""
    low, high = figure["reach"]
    norm = LogNorm(low, high) if is_log(figure) and 0 < low < high else Normalize(min(low, 0) if low <= 0 else low * 0.5, high)
    colours = matplotlib.colormaps["Blues"]
    columns, rows = len(figure["x"]["values"]), len(figure["series"])
    show_numbers = width_mm / max(1, columns) >= _NUMBER_MM
    for group in figure["groups"]:
        depth = float(norm(group["center"]))
        axes.add_patch(
            Rectangle((group["x"] - 0.5, group["series"] - 0.5), 1, 1, facecolor=colours(depth), edgecolor="white", linewidth=0.5)
        )
        if show_numbers:
            axes.text(
                group["x"],
                group["series"],
                shown.number(group["center"]),
                ha="center",
                va="center",
                fontsize=5.2,
                color="white" if depth > 0.55 else style.INK,
            )
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    axes.set_yticks(range(rows), [style.printable(series["name"]) for series in figure["series"]])
    axes.tick_params(axis="both", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel(style.printable(figure["x"]["label"]))
    set_labels(axes, figure["x"]["values"], width_mm)
    bar = axes.figure.colorbar(matplotlib.cm.ScalarMappable(norm, colours), ax=axes, fraction=0.04, pad=0.015, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label(style.printable(figure["unit"] + (f", {figure['better']}" if figure["better"] else "")))
