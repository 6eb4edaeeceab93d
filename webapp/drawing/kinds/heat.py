"""Heat map: a cell for each group, the stronger the colour the greater its value, with a key of the colours."""

from __future__ import annotations

import math

from webapp.drawing import looks, shapes
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, Words, number
from webapp.drawing.frame import SIZE, Frame
from webapp.drawing.panel import RowsPanel, draws
from webapp.figures import notes, ticks
from webapp.figures.notes import FigureData
from webapp.figures.scales import LOG

KEY_HEIGHT = 34.0
_CELL = 26.0
WEAKEST = 0.08
"""Opacity of the lowest value."""
Cell = tuple[float, float, float, float]
"""Left, top, width, height."""


def share(figure: FigureData, value: float) -> float:
    """Where a value lies between the lowest (0) and the highest (1) of the colours."""
    low, high = figure["reach"]
    if high == low:
        return 1.0
    place = math.log(value / low) / math.log(high / low) if is_log(figure) and value > 0 else (value - low) / (high - low)
    return min(1.0, max(0.0, place))


def is_log(figure: FigureData) -> bool:
    return figure.get("scale") == LOG and figure["reach"][0] > 0


def row_height(figure: FigureData) -> float:
    """Height of a series in pixels."""
    if look := looks.current().look:
        return looks.row_mm(look, looks.lines_of_names([series["name"] for series in figure["series"]]), 1) * look.pixels
    return _CELL


@draws("heat")
class HeatPanel(RowsPanel):
    """A heat map, whose first series is the lowest row."""

    from_below = True

    @property
    def rows(self) -> list[str]:
        return [series["name"] for series in self.figure["series"]]

    def head(self) -> float:
        return KEY_HEIGHT

    def plot_height(self, small: bool) -> float:
        return min(1200.0, self.sizes.highest, max(60.0, len(self.figure["series"]) * row_height(self.figure)))

    def draw_head(self, canvas: Canvas, left: float, start: float, above: float = KEY_HEIGHT) -> None:
        """The key of the colours."""
        draw_key(canvas, self.figure, left, start - above, self.width)

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        draw(canvas, self.figure, box)
        self.name_rows(canvas, box)
        self.draw_names(canvas, box)


def draw(canvas: Canvas, figure: FigureData, frame: Frame) -> None:
    columns, rows = max(1, len(figure["x"]["values"])), max(1, len(figure["series"]))
    width, height = frame.width / columns, frame.height / rows
    for mark in (*figure["groups"], *figure.get("empty", ())):
        cell = (frame.left + mark["x"] * width, frame.bottom - (mark["series"] + 1) * height, width, height)
        canvas.open(shapes.describe(figure, mark))
        if "text" in mark:
            _write(canvas, notes.short_text(mark), cell, "fm")
        else:
            _cell(canvas, figure, mark, cell)
        canvas.close()


def _cell(canvas: Canvas, figure: FigureData, mark: FigureData, cell: Cell) -> None:
    """A stripe for each centre of a cell that has several; a bound whose number has no room has a corner."""
    x, y, width, height = cell
    gap = 0.5 if min(width, height) > 3 else 0
    values = mark["parts"] if notes.has_parts(mark) else [mark["center"]]
    stripe = (width - 2 * gap) / len(values)
    for index, value in enumerate(values):
        opacity = f' fill-opacity="{number(WEAKEST + (1 - WEAKEST) * share(figure, value))}"'
        canvas.rect(x + gap + index * stripe, y + gap, stripe, height - 2 * gap, "fh", opacity)
    kind = "fo" if share(figure, mark["center"]) > 0.5 else "fi"
    if notes.has_parts(mark) or _write(canvas, notes.center_label(mark), cell, kind) or not mark.get("bound"):
        return
    side, edge = min(6.0, width / 2, height / 2), y if mark["bound"] == "above" else y + height
    way = 1 if mark["bound"] == "above" else -1
    canvas.path(f"M{number(x)} {number(edge)}h{number(side)}L{number(x)} {number(edge + way * side)}Z", kind)


def _write(canvas: Canvas, words: str, cell: Cell, kind: str) -> bool:
    """Print the words in a cell; False where they have no room."""
    x, y, width, height = cell
    size = looks.current().label
    if height < 14 or texts.width(words, size) + 4 > width:
        return False
    canvas.text(x + width / 2, y + height / 2 + 4, words, size=size, kind=kind, anchor="middle")
    return True


def draw_key(canvas: Canvas, figure: FigureData, left: float, top: float, width: float) -> None:
    """The key of the colours: unit, a ramp of steps, the numbers at its ends and between them. `KEY_HEIGHT` high."""
    size = looks.current().unit
    title = texts.shorten(", ".join(filter(None, (figure["unit"], figure["better"]))), width, size)
    canvas.text(left, top + SIZE, title, size=size, kind="fm")
    start = left + texts.width(title, size) + 14
    room = min(260.0, width - (start - left) - 24)
    if room < 60 or not figure["groups"]:
        return
    low, high = figure["reach"]
    steps = 24
    for index in range(steps):
        opacity = f' fill-opacity="{number(WEAKEST + (1 - WEAKEST) * (index + 0.5) / steps)}"'
        canvas.rect(start + room * index / steps, top + 2, room / steps + 0.3, 11, "fh", opacity)
    values = ticks.logarithmic(low, high, 4) if is_log(figure) else ticks.linear(low, high, 4)
    for value, label in zip(values, ticks.labels(values), strict=True):
        x = start + room * share(figure, value)
        canvas.line(x, top + 13, x, top + 17, "lm")
        canvas.offer([Words(x, top + 28, label, looks.current().label, kind="fm", anchor="middle")])
