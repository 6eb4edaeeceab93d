"""The rectangle in which the marks of a panel are drawn, the axes around it, and its legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webapp.drawing import looks, shapes
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas
from webapp.figures import ticks
from webapp.figures.kind import kind_of
from webapp.figures.notes import FigureData
from webapp.figures.scales import LOG, Scale

SIZE = looks.Sizes.axis
"""Font size of the names and numbers of an axis."""
_TITLE_LINES = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """Edges in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


def tick_room(scale: Scale) -> float:
    """Width of the numbers to the left of an axis of values."""
    return max((texts.width(label, SIZE) for label in ticks.labels(scale.ticks())), default=0.0) + 8


def draw_value_axis(canvas: Canvas, frame: Frame, scale: Scale) -> None:
    """Grid lines with numbers to the left. `scale` is that of the frame."""
    values = scale.ticks()
    last = math.inf
    for value, label in zip(values, ticks.labels(values), strict=True):
        y = scale(value)
        canvas.line(frame.left, y, frame.right, y, "lr")
        if last - y >= SIZE:
            canvas.text(frame.left - 7, y + 4, label, size=SIZE, kind="fm", anchor="end")
            last = y


def draw_level_axis(canvas: Canvas, frame: Frame, scale: Scale, title: str, grid: bool = True) -> None:
    """Grid lines with numbers below, and the title under them."""
    values = scale.ticks()
    end = -1e9
    for value, label in zip(values, ticks.labels(values), strict=True):
        x, half = scale(value), texts.width(label, SIZE) / 2
        if grid:
            canvas.line(x, frame.top, x, frame.bottom, "lr")
        if x - half > end + 4:
            canvas.text(x, frame.bottom + 17, label, size=SIZE, kind="fm", anchor="middle")
            end = x + half
    draw_title(canvas, frame, frame.bottom + 36, title)


def title_lines(title: str, room: float) -> list[str]:
    """The title of an axis in lines of `room`."""
    return texts.wrap(title, room, looks.current().unit, _TITLE_LINES) if title else []


def title_height(title: str, room: float) -> float:
    """What the lines of a title after the first need below it."""
    return max(0, len(title_lines(title, room)) - 1) * looks.current().unit * texts.LINE


def draw_title(canvas: Canvas, frame: Frame, base: float, title: str) -> None:
    """The title of the axis below a frame, as wide as that; `base`: of its first line."""
    size = looks.current().unit
    for number, line in enumerate(title_lines(title, frame.width)):
        canvas.text((frame.left + frame.right) / 2, base + number * size * texts.LINE, line, size=size, kind="fm", anchor="middle")


def draw_names(canvas: Canvas, frame: Frame, places: Sequence[float], labels: texts.Labels, title: str) -> None:
    """The names of places below the frame, as they have been laid out, and the title of the axis."""
    for x, lines in zip(places, labels.lines, strict=True):
        if labels.angle:
            for number, line in enumerate(lines):
                down = 12 if labels.angle > -90 else 6
                shift = 4 + (number - (len(lines) - 1) / 2) * SIZE * texts.LINE if labels.angle == -90 else 3
                canvas.text(x + shift, frame.bottom + down, line, size=SIZE, anchor="end", angle=labels.angle)
        else:
            for number, line in enumerate(lines):
                canvas.text(x, frame.bottom + 17 + number * SIZE * texts.LINE, line, size=SIZE, anchor="middle")
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom, "lm")
    if labels.every > 1:
        title = thinned(title, labels.every, len(labels.lines))
    draw_title(canvas, frame, frame.bottom + labels.height + 20, title)


def thinned(title: str, every: int, count: int) -> str:
    """The title of an axis of which not every place has its name."""
    return f"{title} (every {every}. of {count} named)".strip()


def names_height(labels: texts.Labels, title: str, room: float) -> float:
    """Height below the frame of that width that `draw_names` needs."""
    if labels.every > 1:
        title = thinned(title, labels.every, len(labels.lines))
    return labels.height + 8 + (18 + title_height(title, room) if title else 0)


_ROW = 1.52
"""Height of a row in font sizes."""


class Entry(NamedTuple):
    """A place in a row: the series, or None for text alone."""

    x: float
    row: int
    text: str
    series: FigureData | None


def lay_out_legend(figure: FigureData, width: float, most_rows: int = 99) -> list[Entry]:
    """The entries in rows of `width`; none for one series. What exceeds the rows is counted: `and 12 more`."""
    if len(figure["series"]) < 2 or not kind_of(figure).has_legend:
        return []
    entries, x, row, size = [], 0.0, 0, looks.current().legend
    if figure.get("legend"):
        label = f"{figure['legend']}:"
        entries.append(Entry(0, 0, label, None))
        x = texts.width(label, size) + 10
    for at, series in enumerate(figure["series"]):
        name = texts.shorten(series["name"], width - 24, size)
        needed = texts.width(name, size) + 18
        left = len(figure["series"]) - at
        last = row + 1 == most_rows and left > 1
        if x > 0 and x + needed + (texts.width(f"and {left} more", size) if last else 0) > width:
            if row + 1 == most_rows:
                entries.append(Entry(x, row, f"and {left} more", None))
                break
            x, row = 0.0, row + 1
        entries.append(Entry(x, row, name, series))
        x += needed + 14
    return entries


def legend_height(entries: list[Entry]) -> float:
    return (entries[-1].row + 1) * _row() + 4 if entries else 0.0


def _row() -> float:
    return looks.current().legend * _ROW


def draw_legend(canvas: Canvas, figure: FigureData, entries: list[Entry], left: float, top: float) -> None:
    """Where the bars of the figure have patterns, so has its legend."""
    size = looks.current().legend
    is_filled = looks.current().hatched and kind_of(figure).is_filled and figure.get("scale") != LOG
    for x, row, name, series in entries:
        y = top + row * _row()
        if series is None:
            canvas.text(left + x, y + size, name, size=size, kind="fm")
            continue
        if is_filled:
            shapes.fill(canvas, series["style"] % 8, (left + x, y + size * 0.22, 13, size * 0.8))
        else:
            shapes.marker(canvas, series, left + x + 6, y + size * 0.62, 5)
        canvas.text(left + x + 16, y + size, name, size=size)
