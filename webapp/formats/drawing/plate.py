"""The panels of a permalink one under the other, with a legend that they share and the stamp below."""
from __future__ import annotations

import textwrap
from collections.abc import Callable

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from webapp.formats.drawing import bars, style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.drawing.style import MM, printable

WIDTHS = (85, 180)
"""A column and a page of a journal, in mm."""
KINDS: dict[str, Callable[[Axes, dict, float], None]] = {"bars": bars.draw}
_PANEL_MM = {85: 58.0, 180: 82.0}
_AXIS_MM = 14.0  # what the y axis and its labels take of the width
_STAMP_SIZE = {85: 4.1, 180: 4.6}
_STAMP_MM = 6.0
_TITLE_LETTERS = .52  # bold letters of the title in a mm of width


def draw(figures: list[dict], stamp: Stamp, width: int) -> Figure:
    """A figure of `width` mm for plain figures; as high as they need. Raises ValueError where there is nothing to draw."""
    if not figures:
        raise ValueError("there is no figure to draw")
    heights = [_height(figure, width) for figure in figures]
    with matplotlib.rc_context(style.SETTINGS):
        plate = Figure(figsize=(width * MM, (sum(heights) + _STAMP_MM) * MM), layout="constrained")
        upper, lower = plate.subfigures(2, 1, height_ratios=[sum(heights), _STAMP_MM])
        rooms = upper.subplots(len(figures), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, figure in zip(rooms, figures, strict=True):
            _panel(axes, figure, width)
        _legend(upper, width)
        _stamp(lower, stamp, width)
    return plate


def _height(figure: dict, width: int) -> float:
    longest = max(map(len, figure["x"]["values"]), default=0)
    return _PANEL_MM[width] + min(18.0, longest * .6)


def _panel(axes: Axes, figure: dict, width: int) -> None:
    title = textwrap.fill(printable(figure["title"]), int(width * _TITLE_LETTERS))
    axes.set_title(title, loc="left", fontweight="bold")
    unit = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    axes.set_ylabel(printable(unit))
    if figure["x"]["label"]:
        axes.set_xlabel(printable(figure["x"]["label"]))
    if figure.get("scale") == "log":
        axes.set_yscale("log")
    axes.grid(axis="y")
    KINDS.get(figure.get("kind") or "bars", bars.draw)(axes, figure, width - _AXIS_MM)


def _legend(room: SubFigure, width: int) -> None:
    """The series of all panels, each once, under them."""
    handles: dict[str, Artist] = {}
    for axes in room.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    if len(handles) > 1:
        columns = max(1, min(len(handles), int(width / (max(map(len, handles)) * 1.5 + 9))))
        room.legend(list(handles.values()), list(handles), loc="outside lower left", ncols=columns, handlelength=1.6,
                    handleheight=.9, columnspacing=1.2)


def _stamp(room: SubFigure, stamp: Stamp, width: int) -> None:
    """Two small lines under everything."""
    # Without ligatures: two letters f of a digest are two letters to whoever copies them.
    room.text(.012, .45, f"{printable(stamp.line)}\n{stamp.digest_line}", ha="left", va="center", color=style.MUTED,
              fontsize=_STAMP_SIZE[width], linespacing=1.4, fontfeatures=("-liga",))
