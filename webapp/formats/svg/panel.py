"""One panel: how much room its parts need, and the drawing of them. Panels beside each other are given the same room."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.figures.notes import FigureData
from webapp.formats.svg import bars, dots, frame, heat, legend, lines, scales, scatter, time
from webapp.formats.svg import text as texts
from webapp.formats.svg.canvas import Canvas
from webapp.formats.svg.frame import SIZE, Frame

PLOT_HEIGHT, SMALL_HEIGHT = 300.0, 220.0
TITLE, SUBTITLE = 14.0, 12.5
"""Font sizes."""
ROWS = ("dots", "ratio")
"""Kinds with groups below each other."""
CURVES = ("time", "cdf", "histogram")
"""Kinds of curves over an axis of numbers."""
_NAME_SHARE = 0.34
"""Share of the width that the names of rows may take."""


@dataclass(slots=True)
class Room:
    """Pixels around and of the frame in which the marks stand."""

    head: float
    left: float
    right: float
    height: float
    foot: float = 0.0


class DrawnPanel:
    """A figure at a width. `title`: whether its own title is printed. `small`: beside another, with less height.

    `most_lines` of a title or subtitle; `legend_rows`: 0 where another place has the legend.
    """

    def __init__(
        self, figure: FigureData, width: float, title: bool, small: bool = False, most_lines: int = 99, legend_rows: int = 99
    ) -> None:
        self.figure, self.width = figure, width
        self.kind = figure.get("kind") or "bars"
        self.title = texts.wrap(figure["title"], width, TITLE, most_lines, bold=True) if title else []
        subtitle = figure.get("subtitle") or ""
        self.subtitle = texts.wrap(subtitle, width, SUBTITLE, most_lines) if subtitle else []
        self.legend = legend.lay_out(figure, width, legend_rows) if legend_rows else []
        self.scale = scales.of_values(figure)
        self.across = scales.of_places(figure)
        self.names = figure["x"]["values"]
        self.room = Room(self._head(), self._left(), self._right(), self._height(small))

    @property
    def unit(self) -> str:
        return ", ".join(part for part in (self.figure["unit"], self.figure["better"]) if part)

    def _head(self) -> float:
        words = len(self.title) * TITLE * texts.LINE + len(self.subtitle) * SUBTITLE * texts.LINE
        below = heat.KEY_HEIGHT if self.kind == "heat" else 4.0 if self.kind in ROWS else 24.0
        below += time.NAMES if self.figure.get("phases") else 0.0
        return words + (2 if self.subtitle else 0) + legend.height(self.legend) + below

    def _left(self) -> float:
        if self.kind in ROWS:
            self.rows = [texts.wrap(name, self.width * _NAME_SHARE, SIZE, 2) for name in self.names]
            return max((texts.width(line, SIZE) for name in self.rows for line in name), default=0.0) + 10
        if self.kind == "heat":
            names = [texts.shorten(series["name"], 190, SIZE) for series in self.figure["series"]]
            return max((texts.width(name, SIZE) for name in names), default=0.0) + 10
        return frame.tick_room(self.scale)

    def _right(self) -> float:
        return lines.name_room(self.figure, self.width) or 10.0 if self.kind in ("lines", "time") else 10.0

    def _height(self, small: bool) -> float:
        if self.kind in ROWS:
            return max(1, len(self.names)) * dots.row_height(self.figure)
        if self.kind == "heat":
            return min(1200.0, max(60.0, len(self.figure["series"]) * heat.CELL))
        return SMALL_HEIGHT if small else PLOT_HEIGHT

    def fit_foot(self) -> float:
        """The height below the frame, once its sides are settled."""
        slot = (self.width - self.room.left - self.room.right) / max(1, len(self.names))
        self.labels = texts.lay_out_labels(self.names, slot, SIZE, self.room.left)
        if self.kind in (*ROWS, *CURVES, "scatter", "lines"):
            self.room.foot = 44.0
        else:
            self.room.foot = frame.names_height(self.labels, self.figure["x"]["label"])
        return self.room.foot

    @property
    def height(self) -> float:
        return self.room.head + self.room.height + self.room.foot

    def draw(self, canvas: Canvas, left: float, top: float) -> None:
        """Draw at a place of the plate."""
        y = canvas.lines(left, top, self.title, TITLE, bold=True)
        y = canvas.lines(left, y, self.subtitle, SUBTITLE, "fm") + (2 if self.subtitle else 0)
        legend.draw(canvas, self.legend, left, y)
        start = top + self.room.head
        box = Frame(left + self.room.left, start, left + self.width - self.room.right, start + self.room.height)
        if self.kind == "heat":
            heat.draw_key(canvas, self.figure, left, start - heat.KEY_HEIGHT, self.width)
        elif self.kind not in ROWS:
            above = 10 + (time.NAMES if self.figure.get("phases") else 0)
            canvas.text(left, start - above, self.unit, size=SIZE, kind="fm")
        if not any(self.figure.get(key) for key in ("groups", "empty", "curves")):
            canvas.text(box.left + box.width / 2, box.top + box.height / 2, "nothing to draw", kind="fm", anchor="middle")
        _KINDS.get(self.kind, DrawnPanel._draw_bars)(self, canvas, box)

    def _places(self, box: Frame) -> list[float]:
        step = box.width / max(1, len(self.names))
        return [box.left + (place + 0.5) * step for place in range(len(self.names))]

    def _draw_bars(self, canvas: Canvas, box: Frame) -> None:
        scale = self.scale.over(box.bottom, box.top)
        frame.draw_value_axis(canvas, box, scale)
        (bars.draw_boxes if self.kind == "box" else bars.draw)(canvas, self.figure, box, scale)
        frame.draw_names(canvas, box, self._places(box), self.labels, self.figure["x"]["label"])

    def _draw_rows(self, canvas: Canvas, box: Frame) -> None:
        scale = self.scale.over(box.left, box.right)
        frame.draw_level_axis(canvas, box, scale, self.unit)
        step = box.height / max(1, len(self.rows))
        for row, name in enumerate(self.rows):
            middle = box.top + (row + 0.5) * step + 4 - (len(name) - 1) * SIZE * 0.55
            for number, line in enumerate(name):
                canvas.text(box.left - 8, middle + number * SIZE * 1.1, line, size=SIZE, anchor="end")
        dots.draw(canvas, self.figure, box, scale)

    def _draw_lines(self, canvas: Canvas, box: Frame) -> None:
        assert self.across is not None
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        frame.draw_value_axis(canvas, box, scale)
        lines.draw(canvas, self.figure, box, scale, across, lines.name_room(self.figure, self.width))
        canvas.line(box.left, box.bottom, box.right, box.bottom, "lm")
        end = float("-inf")
        # Ticks stand where something was measured, as it is called there.
        for number, name in sorted(
            (number, name) for number, name in zip(self.figure["x"]["numbers"], self.names, strict=True) if number is not None
        ):
            x, half = across(number), texts.width(name, SIZE) / 2
            canvas.line(x, box.bottom, x, box.bottom + 4, "lm")
            if x - half > end + 4:
                canvas.text(x, box.bottom + 17, name, size=SIZE, anchor="middle")
                end = x + half
        middle = (box.left + box.right) / 2
        canvas.text(middle, box.bottom + 36, self.figure["x"]["label"], size=SIZE, kind="fm", anchor="middle")

    def _draw_curves(self, canvas: Canvas, box: Frame) -> None:
        assert self.across is not None
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        time.draw_phases(canvas, self.figure, box, across)
        frame.draw_value_axis(canvas, box, scale)
        frame.draw_level_axis(canvas, box, across, self.figure["x"]["label"], grid=False)
        canvas.line(box.left, box.bottom, box.right, box.bottom, "lm")
        room = lines.name_room(self.figure, self.width) if self.kind == "time" else 0.0
        time.draw(canvas, self.figure, box, scale, across, room)

    def _draw_scatter(self, canvas: Canvas, box: Frame) -> None:
        assert self.across is not None
        x = self.figure["x"]
        title = ", ".join(part for part in (x["label"], x.get("unit"), x.get("better")) if part)
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        frame.draw_value_axis(canvas, box, scale)
        frame.draw_level_axis(canvas, box, across, texts.shorten(title, self.width, SIZE))
        scatter.draw(canvas, self.figure, box, scale, across)

    def _draw_heat(self, canvas: Canvas, box: Frame) -> None:
        heat.draw(canvas, self.figure, box)
        frame.draw_names(canvas, box, self._places(box), self.labels, self.figure["x"]["label"])


_KINDS = {
    "dots": DrawnPanel._draw_rows,
    "ratio": DrawnPanel._draw_rows,
    "lines": DrawnPanel._draw_lines,
    "scatter": DrawnPanel._draw_scatter,
    "heat": DrawnPanel._draw_heat,
    **dict.fromkeys(CURVES, DrawnPanel._draw_curves),
}
