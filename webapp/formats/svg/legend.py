"""The legend of a panel: the name of the dimension, then every series with its colour and marker."""

from __future__ import annotations

from typing import NamedTuple

from webapp.figures.notes import FigureData
from webapp.figures.scales import LOG
from webapp.formats.svg import looks, shapes
from webapp.formats.svg import text as texts
from webapp.formats.svg.canvas import Canvas

_ROW = 1.52
"""Height of a row in font sizes."""
_FILLED = ("bars", "box")
_WITHOUT = ("heat",)
"""Kinds whose series are named on an axis."""


class Entry(NamedTuple):
    """A place in a row: the series, or None for text alone."""

    x: float
    row: int
    text: str
    series: FigureData | None


def lay_out(figure: FigureData, width: float, most_rows: int = 99) -> list[Entry]:
    """The entries in rows of `width`; none for one series. What exceeds the rows is counted: `and 12 more`."""
    if len(figure["series"]) < 2 or figure.get("kind") in _WITHOUT:
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


def height(entries: list[Entry]) -> float:
    return (entries[-1].row + 1) * _row() + 4 if entries else 0.0


def _row() -> float:
    return looks.current().legend * _ROW


def draw(canvas: Canvas, figure: FigureData, entries: list[Entry], left: float, top: float) -> None:
    """Where the bars of the figure have patterns, so has its legend."""
    size = looks.current().legend
    is_filled = looks.current().hatched and (figure.get("kind") or "bars") in _FILLED and figure.get("scale") != LOG
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
