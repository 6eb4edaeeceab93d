"""One panel: how much room its parts need, and the drawing of them. Panels beside each other are given the same room."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from webapp.drawing import bars, dots, frame, heat, lines, looks, scatter, time
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import SIZE, Frame
from webapp.figures import layout, ticks
from webapp.figures.notes import FigureData

ROWS = ("dots", "ratio")
"""Kinds with groups below each other."""
CURVES = ("time", "cdf", "histogram")
"""Kinds of curves over an axis of numbers."""
_NAME_SHARE = 0.34
"""Share of the width that the names of rows may take."""
_LINE = 1.1
"""Height of a line of such a name in font sizes."""


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
        self.figure, self.width, self.sizes = figure, width, looks.current()
        self.kind = figure.get("kind") or "bars"
        self.title = texts.wrap(figure["title"], width, self.sizes.title, most_lines, bold=True) if title else []
        subtitle = figure.get("subtitle") or ""
        self.subtitle = texts.wrap(subtitle, width, self.sizes.subtitle, most_lines) if subtitle else []
        self.legend = frame.lay_out_legend(figure, width, legend_rows) if legend_rows else []
        self.scale = layout.value_scale(figure.get("whole") or figure)  # all parts of the rows have one scale
        self.across = layout.across_scale(figure)
        self.names = figure["x"]["values"]
        height = self._height(small)
        self.unit = frame.title_lines(join_words(figure["unit"], figure["better"]), width)
        self.room = Room(self._head(), self._left(height), self._right(), height)

    @property
    def across_title(self) -> str:
        """The title of the level axis."""
        x = self.figure["x"]
        if self.kind in ROWS:
            return join_words(self.figure["unit"], self.figure["better"])
        return join_words(x["label"], x.get("unit"), x.get("better")) if self.kind == "scatter" else x["label"]

    def _head(self) -> float:
        sizes = self.sizes
        words = len(self.title) * sizes.title * texts.LINE + len(self.subtitle) * sizes.subtitle * texts.LINE
        if self.kind == "heat":
            below = heat.KEY_HEIGHT
        elif self.kind in ROWS:
            below = 4.0 + (sizes.unit * texts.LINE + 4 if sizes.look else 0.0)
        else:
            below = 24.0 + max(0, len(self.unit) - 1) * sizes.unit * texts.LINE
        below += time.NAMES if self.figure.get("phases") else 0.0
        return words + (2 if self.subtitle else 0) + frame.legend_height(self.legend) + below

    def _left(self, height: float) -> float:
        if self.kind not in (*ROWS, "heat"):
            return frame.tick_room(self.scale)
        self.rows = self.names if self.kind in ROWS else [series["name"] for series in self.figure["series"]]
        row = height / max(1, len(self.rows))
        lines, room = max(1, min(2, int(row / SIZE + 0.02))), self.width * _NAME_SHARE
        self.every = max(1, ceil(SIZE * _LINE / row))
        self.row_lines = [texts.wrap(name, room, SIZE, lines) for name in self.rows[:: self.every]]
        return max((texts.width(line, SIZE) for name in self.row_lines for line in name), default=0.0) + 10

    def _right(self) -> float:
        if room := lines.name_room(self.figure, self.width) if self.kind in ("lines", "time") else 0.0:
            return room
        last = ""
        if self.kind == "lines":
            last = max(zip(self.figure["x"]["numbers"], self.names, strict=True), key=lambda pair: pair[0] or 0, default=(0, ""))[1]
        elif self.kind not in ("bars", "box", "heat"):
            along = self.scale if self.kind in ROWS else self.across
            last = max(ticks.labels(along.ticks()) if along else [], key=len, default="")
        return max(10.0, texts.width(last, SIZE) / 2 + 2)

    def _height(self, small: bool) -> float:
        if self.kind in ROWS:
            return min(self.sizes.highest, max(1, len(self.names)) * dots.row_height(self.figure))
        if self.kind == "heat":
            return min(1200.0, self.sizes.highest, max(60.0, len(self.figure["series"]) * heat.row_height(self.figure)))
        return self.sizes.small_plot if small else self.sizes.plot

    def fit_foot(self) -> float:
        """The height below the frame, once its sides are settled."""
        width = self.width - self.room.left - self.room.right
        self.labels = texts.lay_out_labels(self.names, width / max(1, len(self.names)), SIZE, self.room.left)
        if self.kind in (*ROWS, *CURVES, "scatter", "lines"):
            self.room.foot = 44.0 + frame.title_height(self.across_title, width)
        else:
            self.room.foot = frame.names_height(self.labels, self.figure["x"]["label"], width)
        return self.room.foot

    @property
    def height(self) -> float:
        return self.room.head + self.room.height + self.room.foot

    def draw(self, canvas: Canvas, left: float, top: float) -> None:
        """Draw at a place of the plate."""
        sizes = self.sizes
        y = canvas.lines(left, top, self.title, sizes.title, bold=True)
        y = canvas.lines(left, y, self.subtitle, sizes.subtitle, "fm") + (2 if self.subtitle else 0)
        frame.draw_legend(canvas, self.figure, self.legend, left, y)
        start = top + self.room.head
        box = Frame(left + self.room.left, start, left + self.width - self.room.right, start + self.room.height)
        if self.kind == "heat":
            heat.draw_key(canvas, self.figure, left, start - heat.KEY_HEIGHT, self.width)
        elif self.kind not in ROWS:
            above = 10 + (time.NAMES if self.figure.get("phases") else 0)
            for number, line in enumerate(reversed(self.unit)):
                canvas.text(left, start - above - number * sizes.unit * texts.LINE, line, size=sizes.unit, kind="fm")
        elif sizes.look:
            label = self.figure["x"]["label"]
            if self.every > 1:
                label = frame.thinned(label, self.every, len(self.rows))
            canvas.text(left, start - 9, texts.shorten(label, self.width, sizes.unit), size=sizes.unit, kind="fm")
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
        frame.draw_level_axis(canvas, box, scale, self.across_title)
        self._name_rows(canvas, box)
        dots.draw(canvas, self.figure, box, scale)

    def _name_rows(self, canvas: Canvas, box: Frame) -> None:
        """Rows are counted from above, those of a heat map from below."""
        step = box.height / max(1, len(self.rows))
        for at, name in enumerate(self.row_lines):
            down = (at * self.every + 0.5) * step
            middle = (box.bottom - down if self.kind == "heat" else box.top + down) + 4 - (len(name) - 1) * SIZE * _LINE / 2
            for number, line in enumerate(name):
                canvas.text(box.left - 8, middle + number * SIZE * _LINE, line, size=SIZE, anchor="end")

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
        frame.draw_title(canvas, box, box.bottom + 36, self.across_title)

    def _draw_curves(self, canvas: Canvas, box: Frame) -> None:
        assert self.across is not None
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        time.draw_phases(canvas, self.figure, box, across)
        frame.draw_value_axis(canvas, box, scale)
        frame.draw_level_axis(canvas, box, across, self.across_title, grid=False)
        canvas.line(box.left, box.bottom, box.right, box.bottom, "lm")
        room = lines.name_room(self.figure, self.width) if self.kind == "time" else 0.0
        time.draw(canvas, self.figure, box, scale, across, room)

    def _draw_scatter(self, canvas: Canvas, box: Frame) -> None:
        assert self.across is not None
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        frame.draw_value_axis(canvas, box, scale)
        frame.draw_level_axis(canvas, box, across, self.across_title)
        scatter.draw(canvas, self.figure, box, scale, across)

    def _draw_heat(self, canvas: Canvas, box: Frame) -> None:
        heat.draw(canvas, self.figure, box)
        self._name_rows(canvas, box)
        frame.draw_names(canvas, box, self._places(box), self.labels, self.figure["x"]["label"])


def join_words(*words: str | None) -> str:
    """Those that there are, with commas."""
    return ", ".join(word for word in words if word)


_KINDS = {
    "dots": DrawnPanel._draw_rows,
    "ratio": DrawnPanel._draw_rows,
    "lines": DrawnPanel._draw_lines,
    "scatter": DrawnPanel._draw_scatter,
    "heat": DrawnPanel._draw_heat,
    **dict.fromkeys(CURVES, DrawnPanel._draw_curves),
}
