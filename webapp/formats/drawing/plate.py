"""A plate: the panels of a permalink, with a shared legend, and with heading and stamp unless it is bare.

It is laid out until the labels fit the axes that the layout leaves them; no text covers another.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from webapp.formats.drawing import bars, box, declutter, dots, fitting, heat, lines, scatter, style, time
from webapp.formats.drawing.labels import LabelRoom
from webapp.formats.drawing.look import FROZEN, Look, NoRoom
from webapp.formats.drawing.parts import HIGHEST_MM, ROWS
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.drawing.style import MM, POINTS, printable

KINDS: dict[str, Callable[[Axes, dict, LabelRoom], None]] = {
    "bars": bars.draw,
    "dots": dots.draw,
    "lines": lines.draw,
    "box": box.draw,
    "scatter": scatter.draw,
    "heat": heat.draw,
    "ratio": dots.draw_ratio,
    **dict.fromkeys(("time", "cdf", "histogram"), time.draw),
}
_PANEL_MM = 42.0  # height of the axes of a panel, without labels
_AROUND_MM = 30.0  # of labels around the axes of a panel, at first
_LEAST_MM = 16.0  # height that axes need
_PANEL_WIDTH_MM = 74.0  # of panels beside each other, at least
_AXIS_MM = 13.0  # width of a value axis and its labels
_EDGE_MM = 0.7
_NONE = 0.001  # share of a part that is empty
_LEADING = 1.25
_STAMP_SIZE = 6.0
_PASSES, _BREAKS = 4, 3


@dataclass(frozen=True)
class Size:
    """Width and height in mm; without a height as high as the figure needs."""

    width: float
    height: float | None = None


def draw_plate(
    figures: Sequence[dict],
    stamp: Stamp,
    size: float | Size,
    look: Look = FROZEN,
    headings: Sequence[str] = (),
) -> Figure:
    """A matplotlib figure with all panels. `size`: its size, or its width in mm. `headings`: of each of several panels of a bare
    plate. Raises ValueError without figures, NoRoom where the height is too small."""
    if not figures:
        raise ValueError("there is no figure to draw")
    asked = size if isinstance(size, Size) else Size(size)
    with style.applied(look):
        layout = _Layout(figures, stamp, look, asked, headings)
        rooms: list[LabelRoom] = []
        for _ in range(_PASSES):
            plate, panels = layout.draw(rooms)
            before, rooms = rooms, [_room(axes, layout.panel_mm) for axes in panels]
            settled = abs(plate.get_figheight() / MM - layout.height_mm) < 1
            if before and settled and all(abs(one.axes - other.axes) < 1.5 for one, other in zip(before, rooms, strict=True)):
                break
        _check_height(panels, layout)
        _settle(plate)
        declutter.thin_ticks(plate)
        declutter.place_texts(plate)
    return plate


def _settle(plate: Figure) -> None:
    """End the layout with rounded places of the axes: the solver's last digits differ from process to process."""
    plate.set_layout_engine("none")
    for part in plate.subfigs:
        part.bbox_relative.p0, part.bbox_relative.p1 = part.bbox_relative.p0.round(6), part.bbox_relative.p1.round(6)
    for axes in declutter.all_axes(plate):
        left, bottom, width, height = (round(edge, 6) for edge in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))


@dataclass
class _Layout:
    figures: Sequence[dict]
    stamp: Stamp
    look: Look
    size: Size
    headings: Sequence[str]
    height_mm: float = 0.0
    """The height that the last drawing showed to be needed."""
    is_collapsed: bool = False
    """Whether the last drawing had no room for its axes."""

    @property
    def columns(self) -> int:
        """Panels beside each other; those with long names stand below each other."""
        if any(figure.get("kind") in ROWS for figure in self.figures):
            return 1
        return max(1, min(len(self.figures), int(self.size.width / _PANEL_WIDTH_MM)))

    @property
    def panel_mm(self) -> float:
        return self.size.width / self.columns

    def draw(self, rooms: Sequence[LabelRoom]) -> tuple[Figure, list[Axes]]:
        """The plate, laid out, with texts broken for these rooms, or for guessed ones; and the axes of its panels."""
        rooms = rooms or [LabelRoom(self.panel_mm, self.panel_mm - _AXIS_MM)] * len(self.figures)
        columns = self.columns
        heights = [_height(figure) for figure in self.figures]
        rows = [max(heights[first : first + columns]) for first in range(0, len(heights), columns)]
        height = self.size.height or self.height_mm or sum(rows) + _AROUND_MM * len(rows)
        plate = Figure(figsize=(self.size.width * MM, height * MM), layout="constrained")
        heading = self._heading()
        above = sum(len(lines) * self.look.size for lines in heading) * _LEADING / POINTS + _EDGE_MM if any(heading) else 0.0
        notes = self._notes()
        below = 0.0 if self.look.is_bare else _EDGE_MM + (_STAMP_SIZE + len(notes) * self.look.small) * _LEADING / POINTS
        parts: Any = plate.subfigures(3, 1, height_ratios=[above or _NONE, height - above - below, below or _NONE])
        for part in parts:
            part.patch.set_visible(False)  # its edges are 0 or -0, as the layout is solved
        panels = list(parts[1].subplots(len(rows), columns, squeeze=False, height_ratios=rows).flat)
        for axes in panels[len(self.figures) :]:
            axes.remove()
        panels = panels[: len(self.figures)]
        for index, (axes, figure, room) in enumerate(zip(panels, self.figures, rooms, strict=True)):
            KINDS[figure.get("kind") or "bars"](axes, figure, room)
            self._title(axes, index, room)
        self._write_heading(parts[0], heading)
        if below:
            self._stamp(parts[2], notes)
        _legend(parts[1], self.size.width, {name for figure in self.figures if (name := figure.get("legend"))})
        plate.draw_without_rendering()
        declutter.break_titles(plate)
        for _ in range(_BREAKS):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                plate.draw_without_rendering()
            self.is_collapsed = any("not applied" in str(warning.message) for warning in caught)
            if not declutter.break_titles(plate):
                break
        self.height_mm = self.size.height or height + _lacking_mm(panels, heights)
        return plate, panels

    def _title(self, axes: Axes, index: int, room: LabelRoom) -> None:
        """The title of one of several panels; in a bare plate only what distinguishes it from its neighbours."""
        if len(self.figures) > 1:
            bare = self.headings[index] if index < len(self.headings) else ""
            title = bare if self.look.is_bare else self.figures[index]["title"]
            axes.set_title("\n".join(_wrap(title, room.axes, self.look.size, bold=True)), loc="left", fontweight=600, pad=4)

    def _heading(self) -> tuple[list[str], list[str]]:
        """Lines of the title, and of what all groups share, above a single panel that is not bare."""
        if self.look.is_bare or len(self.figures) > 1:
            return [], []
        figure, width = self.figures[0], self.size.width - 2 * _EDGE_MM
        return _wrap(figure["title"], width, self.look.size, bold=True), _wrap(figure.get("subtitle", ""), width, self.look.small)

    def _write_heading(self, part: SubFigure, heading: tuple[list[str], list[str]]) -> None:
        title, subtitle = ("\n".join(lines) for lines in heading)
        options: dict[str, Any] = {"linespacing": _LEADING, "x": _EDGE_MM / self.size.width}
        if title:
            part.text(y=0.97, s=title, va="top", fontweight=600, **options)
        if subtitle:
            part.text(y=0.03, s=subtitle, va="bottom", fontsize=self.look.small, color=style.MUTED, **options)

    def _notes(self) -> list[str]:
        """Lines of what the figures themselves note: what is drawn instead, what is not shown and why."""
        notes = dict.fromkeys(note for figure in self.figures for note in figure.get("notes", ()))
        return [line for note in notes for line in _wrap(note, self.size.width - 2 * _EDGE_MM, self.look.small)]

    def _stamp(self, part: SubFigure, notes: list[str]) -> None:
        """Notes, then one line: the address, as much of the digest as fits, and how many more notes stand at the address.

        Without ligatures, so that a digest copied from a PDF is intact.
        """
        line = _stamp_line(self.stamp, self.size.width - 2 * _EDGE_MM)
        options: dict[str, Any] = {"fontsize": _STAMP_SIZE, "color": style.MUTED, "fontfeatures": ("-liga",)}
        part.text(_EDGE_MM / self.size.width, 0.1 / (1 + len(notes)), line, va="bottom", **options)
        if notes:
            part.text(_EDGE_MM / self.size.width, 0.98, "\n".join(notes), va="top", fontsize=self.look.small, color=style.MUTED)


def _stamp_line(stamp: Stamp, width_mm: float) -> str:
    """`example.org/p/k3m9xq2abc · 2 notes there · SHA-256 0123...`"""
    address = printable(stamp.address.split("://", 1)[-1])
    notes = f"{len(stamp.flags)} note{'' if len(stamp.flags) == 1 else 's'} there \u00b7 " if stamp.flags else ""
    for kept in (64, 48, 32, 16, 8) if stamp.digest else ():
        digest = stamp.digest if kept == 64 else f"{stamp.digest[:kept]}\u2026"
        line = f"{address} \u00b7 {notes}SHA-256 {digest}"
        if style.text_mm(line, _STAMP_SIZE) <= width_mm:
            return line
    return fitting.cut(address, width_mm, lambda text: style.text_mm(text, _STAMP_SIZE))


def _wrap(text: str, width_mm: float, size: float, bold: bool = False) -> list[str]:
    lines = fitting.force_wrap(printable(text), width_mm, lambda line: style.text_mm(line, size, bold=bold)) if text else []
    return lines


def _height(figure: dict) -> float:
    """Height of the axes of a panel in mm."""
    kind = figure.get("kind") or "bars"
    if kind in ("dots", "ratio"):
        return dots.height_mm(figure)
    if kind == "heat":
        return min(HIGHEST_MM, len(figure["series"]) * heat.row_height_mm(figure) + 2)
    return _PANEL_MM


def _lacking_mm(panels: Sequence[Axes], heights: Sequence[float]) -> float:
    """What the rows of panels lack of their heights in mm; below zero where they are higher."""
    lacking: dict[int, float] = {}
    for axes, height in zip(panels, heights, strict=True):
        row = _row(axes)
        lacking[row] = max(lacking.get(row, -math.inf), height - _axes_mm(axes))
    return sum(lacking.values())


def _row(axes: Axes) -> int:
    """The row of panels that axes stand in."""
    place = axes.get_subplotspec()
    return place.rowspan.start if place else 0


def _axes_mm(axes: Axes) -> float:
    """Height of axes after the layout."""
    return axes.get_window_extent().height / axes.figure.dpi / MM


def _room(axes: Axes, panel_mm: float) -> LabelRoom:
    return LabelRoom(panel_mm, axes.get_window_extent().width / axes.figure.dpi / MM)


def _least_mm(figure: dict) -> float:
    """The height that the axes of a panel need: that of their rows, where they have some."""
    return 0.95 * _height(figure) if figure.get("kind") in ROWS else _LEAST_MM


def _check_height(panels: Sequence[Axes], layout: _Layout) -> None:
    """Raises NoRoom where labels leave too little of the height for the axes."""
    width, height = layout.size.width, layout.size.height
    least = [_least_mm(figure) for figure in layout.figures]
    is_low = any(_axes_mm(axes) < need for axes, need in zip(panels, least, strict=True))
    if height is None or not (layout.is_collapsed or is_low):
        return
    free = replace(layout, size=Size(width), height_mm=0.0)
    for _ in range(2):
        _, drawn = free.draw([_room(axes, layout.panel_mm) for axes in panels])
    rows: dict[int, float] = {}
    for axes, need in zip(drawn, least, strict=True):
        rows[_row(axes)] = max(rows.get(_row(axes), 0.0), _axes_mm(axes) - need)
    needed = -int(-(free.height_mm - sum(rows.values())) // 5) * 5
    raise NoRoom(
        f"At a width of {width:g} mm the labels of this figure leave no room for the marks in a height of {height:g} mm; "
        f"it needs some {max(needed, int(height) + 5)} mm."
    )


def _legend(plate: SubFigure, width_mm: float, names: set[str]) -> None:
    """Draw the shared legend above the panels: every series once. `names`: of the dimensions of the series."""
    handles: dict[str, Artist] = {}
    for axes in plate.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    if len(handles) < 2:
        return
    size = style.current().small
    texts = [fitting.cut(text, width_mm * 0.6, lambda line: style.text_mm(line, size)) for text in handles]
    dimension = printable(", ".join(sorted(names - {"Metric"})))
    shown: list[tuple[Artist, str]] = [(Line2D([], [], linestyle="none"), f"{dimension}:")] if dimension else []
    shown += list(zip(handles.values(), texts, strict=True))
    around = 4.2 * size / POINTS  # of a key and the space beside it
    columns = max(1, min(len(shown), int((width_mm - 2) / (max(style.text_mm(text, size) for _, text in shown) + around))))
    plate.legend(
        [handle for handle, _ in shown],
        [text for _, text in shown],
        loc="outside upper left",
        ncols=columns,
        handlelength=1.4,
        handleheight=0.8,
        handletextpad=0.5,
        columnspacing=1.2,
        borderpad=0.1,
    )
