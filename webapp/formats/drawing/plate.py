"""The panels of a permalink one under the other, with a legend that they share and the stamp below."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from webapp.formats.drawing import bars, box, dots, heat, lines, scatter, style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.drawing.style import MM, printable

WIDTHS = (85, 180)
"""A column and a page of a journal, in mm."""
KINDS: dict[str, Callable[[Axes, dict, float], None]] = {
    "bars": bars.draw,
    "dots": dots.draw,
    "lines": lines.draw,
    "box": box.draw,
    "scatter": scatter.draw,
    "heat": heat.draw,
    "ratio": dots.draw_ratio,
}
_PANEL_MM = {85: 58.0, 180: 82.0}
_HIGHEST_MM = 230.0
_AXIS_MM = 14.0  # what the y axis and its labels take of the width
_STAMP_SIZE = {85: 4.1, 180: 4.6}
_LINE_MM = 2.5  # of a note or of the stamp
_TITLE_LETTERS = 0.52  # bold letters of the title in a mm of width
_NOTE_LETTERS = 1.05


def draw_plate(figures: list[dict], stamp: Stamp, width: int) -> Figure:
    """A figure of `width` mm for plain figures; as high as they need. Raises ValueError where there is nothing to draw."""
    if not figures:
        raise ValueError("there is no figure to draw")
    heights = [_height(figure, width) for figure in figures]
    small = _small(figures, stamp, width)
    foot = _LINE_MM * len(small) + 1.5
    with matplotlib.rc_context(style.SETTINGS):
        plate = Figure(figsize=(width * MM, (sum(heights) + foot) * MM), layout="constrained")
        upper, lower = plate.subfigures(2, 1, squeeze=False, height_ratios=[sum(heights), foot])[:, 0]
        rooms = upper.subplots(len(figures), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, figure in zip(rooms, figures, strict=True):
            _panel(axes, figure, width)
        _legend(upper, width)
        # Without ligatures: two letters f of a digest are two letters to whoever copies them.
        lower.text(
            0.012,
            0.5,
            "\n".join(small),
            ha="left",
            va="center",
            color=style.MUTED,
            fontsize=_STAMP_SIZE[width],
            linespacing=1.4,
            fontfeatures=("-liga",),
        )
    return plate


def _height(figure: dict, width: int) -> float:
    """How high a panel is, in mm: rows make it higher, long slanted labels too."""
    kind, places = figure.get("kind") or "bars", figure["x"]["values"]
    if kind in ("dots", "ratio"):
        return min(_HIGHEST_MM, len(places) * dots.row_height_mm(figure) + 18)
    labels = min(18.0, max(map(len, places), default=0) * 0.6)
    if kind == "heat":
        return min(_HIGHEST_MM, len(figure["series"]) * heat.CELL_MM + 18 + labels)
    return _PANEL_MM[width] + labels


def _panel(axes: Axes, figure: dict, width: int) -> None:
    title = textwrap.fill(printable(figure["title"]), int(width * _TITLE_LETTERS))
    axes.set_title(title, loc="left", fontweight="bold")
    KINDS[figure.get("kind") or "bars"](axes, figure, width - _AXIS_MM)


def _legend(room: SubFigure, width: int) -> None:
    """The series of all panels, each once, under them."""
    handles: dict[str, Artist] = {}
    for axes in room.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    if len(handles) > 1:
        columns = max(1, min(len(handles), int(width / (max(map(len, handles)) * 1.5 + 9))))
        room.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower left",
            ncols=columns,
            handlelength=1.6,
            handleheight=0.9,
            columnspacing=1.2,
        )


def _small(figures: list[dict], stamp: Stamp, width: int) -> list[str]:
    """The small lines under everything: the notes of the figures, the honesty flags, each once, and the stamp."""
    notes = dict.fromkeys([*(note for figure in figures for note in figure.get("notes", ())), *stamp.flags])
    broken = [line for note in notes for line in textwrap.wrap(printable(note), int(width * _NOTE_LETTERS))]
    return [*broken, printable(stamp.line), stamp.digest_line]
