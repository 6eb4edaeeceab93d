"""Lines over an axis of numbers, each named at its end where there is room."""

from __future__ import annotations

from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.formats.svg import shapes
from webapp.formats.svg import text as texts
from webapp.formats.svg.canvas import Canvas, number
from webapp.formats.svg.frame import SIZE, Frame
from webapp.formats.svg.scales import Scale

NAME_SHARE, LINE = 0.3, 14.0
"""Share of the width that names at the ends of lines may take; the height of one."""


def name_room(figure: FigureData, width: float) -> float:
    """Room to the right for the names of the lines; 0 where they are nameless, or too long."""
    names = [series["name"] for series in figure["series"] if series["name"]]
    room = max((texts.width(name, SIZE) for name in names), default=0.0) + 16
    return room if len(names) > 1 and room <= width * NAME_SHARE else 0.0


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale, across: Scale) -> None:
    """`across`: the scale of the numbers below."""
    positions = figure["x"]["numbers"]
    ends = []
    for index, series in enumerate(figure["series"]):
        marks = [
            mark
            for mark in figure["groups"]
            if mark["series"] == index and across.fits(positions[mark["x"]]) and scale.fits(mark["center"])
        ]
        marks.sort(key=lambda mark: positions[mark["x"]])
        points = [(across(positions[mark["x"]]), scale(mark["center"]), mark) for mark in marks]
        kind = f"l{series['style'] % 8}"
        data = "".join(
            f"{'L' if order and _is_joined(figure, points[order - 1][2], mark) else 'M'}{number(x)} {number(y)}"
            for order, (x, y, mark) in enumerate(points)
        )
        if data:
            canvas.path(data, f"n {kind}", 2)
        for x, y, mark in points:
            canvas.open(shapes.describe(figure, mark))
            _mark(canvas, series, mark, x, y, scale)
            canvas.close()
        if points and series["name"]:
            ends.append([points[-1][1], points[-1][0] + 9, series])
    if name_room(figure, frame.width):
        _name_ends(canvas, frame, ends)


def _is_joined(figure: FigureData, one: FigureData, other: FigureData) -> bool:
    """Whether a line runs between neighbours: not over an empty place, nor to a bound or to sessions that are too unlike."""
    if any(mark.get("bound") or notes.has_parts(mark) for mark in (one, other)):
        return False
    positions = figure["x"]["numbers"]
    low, high = positions[one["x"]], positions[other["x"]]
    gaps = [positions[place["x"]] for place in figure.get("empty", ()) if place["series"] == one["series"]]
    return not any(gap is not None and low < gap < high for gap in gaps)


def _mark(canvas: Canvas, series: FigureData, mark: FigureData, x: float, y: float, scale: Scale) -> None:
    if shapes.has_whisker(mark) and scale.fits(mark["low"]):
        shapes.whisker(canvas, x, scale(mark["low"]), scale(mark["high"]), 3)
    if notes.has_parts(mark):
        shapes.center_lines(canvas, mark, x, 6, scale, f"f{series['style'] % 8}")
    else:
        shapes.marker(canvas, series, x, y, 4, mark["n"] == 1)
    shapes.runs(canvas, mark, x, scale, 1.5, 6)
    if mark.get("bound"):
        shapes.arrow(canvas, x, y, mark["bound"])
        shapes.bound_label(canvas, mark, x, y, 60)


def _name_ends(canvas: Canvas, frame: Frame, ends: list) -> None:
    """Names at the ends of the lines, moved apart where they would cover each other."""
    last = float("-inf")
    ends.sort(key=lambda end: end[0])
    for end in ends:
        end[0] = last = max(end[0], last + LINE)
    over = max(0.0, last - frame.bottom)
    for y, x, series in ends:
        canvas.text(x, y - over + 4, series["name"], size=SIZE, kind=f"f{series['style'] % 8}", halo=True)
