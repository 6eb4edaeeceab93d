"""Lines over an axis of numbers, each named at its end where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from webapp.drawing import looks, shapes
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, number
from webapp.drawing.frame import SIZE, Frame, draw_title, draw_value_axis
from webapp.drawing.panel import NumbersPanel, draws, half_of
from webapp.figures import layout, notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

NAME_SHARE, NARROW, LINE = 0.3, 480.0, 14.0
"""Share of the width that names at the ends of lines may take; the width from which on there are any; the height of one."""


class End(NamedTuple):
    """The end of a line in pixels."""

    x: float
    y: float
    series: FigureData


def name_room(figure: FigureData, width: float) -> float:
    """Room to the right for the names of the lines, the longest shortened; 0 for a single line, and where there is little room."""
    if not looks.current().names_ends:
        return 0.0
    names = [series["name"] for series in figure["series"] if series["name"]]
    room = max((texts.width(name, SIZE) for name in names), default=0.0) + 26
    return min(room, width * NAME_SHARE) if len(names) > 1 and width >= NARROW else 0.0


@draws("lines")
class LinesPanel(NumbersPanel):
    """Lines, whose ticks stand where something was measured, as it is called there."""

    def right(self) -> float:
        places = layout.named_ticks(self.figure)
        return name_room(self.figure, self.width) or half_of(places[-1][1] if places else "")

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        draw_value_axis(canvas, box, scale)
        draw(canvas, self.figure, box, scale, across, name_room(self.figure, self.width))
        canvas.line(box.left, box.bottom, box.right, box.bottom, "lm")
        end = float("-inf")
        for place, name in layout.named_ticks(self.figure):
            x, half = across(place), texts.width(name, SIZE) / 2
            canvas.line(x, box.bottom, x, box.bottom + 4, "lm")
            if x - half > end + 4:
                canvas.text(x, box.bottom + 17, name, size=SIZE, anchor="middle")
                end = x + half
        draw_title(canvas, box, box.bottom + 36, self.across_title)


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale, across: Scale, room: float) -> None:
    """`across`: the scale of the numbers below; `room` for names to the right."""
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
        ) + _join_sessions(figure, [(x, mark) for x, _, mark in points], scale)
        if data:
            canvas.path(data, f"n {kind}", 2, shapes.dashes(series["style"]) if looks.current().dashed else "")
        for x, y, mark in points:
            canvas.open(shapes.describe(figure, mark))
            _mark(canvas, series, mark, x, y, scale)
            shapes.model_line(canvas, mark, x, 9, scale)
            canvas.close()
        if points and series["name"]:
            ends.append(End(points[-1][0] + 9, points[-1][1], series))
    for position, value, name in figure.get("measured", ()):
        if across.fits(position) and scale.fits(value):
            canvas.open(name)
            shapes.run(canvas, across(position), scale(value), 4)
            canvas.close()
    if room:
        name_ends(canvas, frame, ends, frame.right + room - 4)


def _is_joined(figure: FigureData, one: FigureData, other: FigureData) -> bool:
    """Whether a line runs between neighbours: not over an empty place, nor to a bound or to sessions that are too unlike."""
    if any(mark.get("bound") or notes.has_parts(mark) for mark in (one, other)):
        return False
    positions = figure["x"]["numbers"]
    low, high = positions[one["x"]], positions[other["x"]]
    gaps = [positions[place["x"]] for place in figure.get("empty", ()) if place["series"] == one["series"]]
    return not any(gap is not None and low < gap < high for gap in gaps)


def _join_sessions(figure: FigureData, points: Sequence[tuple[float, FigureData]], scale: Scale) -> str:
    """Lines of an axis of percentiles between the centres of sessions that are too unlike for one: from one centre to each of the
    next mark, or from each to that of the same session."""
    made = []
    for (left, one), (right, other) in pairwise(points) if "ticks" in figure["x"] else ():
        starts, ends = (mark.get("parts") or [mark["center"]] for mark in (one, other))
        if max(len(starts), len(ends)) > 1 and (1 in (len(starts), len(ends)) or len(starts) == len(ends)):
            pairs = zip(starts * (len(ends) // len(starts) or 1), ends * (len(starts) // len(ends) or 1), strict=True)
            made += [f"M{number(left)} {number(scale(low))}L{number(right)} {number(scale(high))}" for low, high in pairs]
    return "".join(made)


def _mark(canvas: Canvas, series: FigureData, mark: FigureData, x: float, y: float, scale: Scale) -> None:
    if shapes.has_whisker(mark) and scale.fits(mark["low"]):
        shapes.whisker(canvas, x, scale(mark["low"]), scale(mark["high"]), 3, open_ends=mark.get("open", ()))
    shapes.centers(canvas, series, mark, x, 4, scale)
    shapes.runs(canvas, mark, x, scale, 1.5, 6)
    if mark.get("bound"):
        shapes.arrow(canvas, x, y, mark["bound"])
        shapes.bound_label(canvas, mark, x, y, 60)


def name_ends(canvas: Canvas, frame: Frame, ends: list[End], right: float) -> None:
    """Names at the ends of the lines, each with its marker, moved apart where they would cover each other; of too many those that
    fit."""
    ends.sort(key=lambda end: end.y)
    if len(ends) > frame.height / LINE:
        ends = _apart(ends)
    places, last = [], float("-inf")
    for end in ends:
        last = max(end.y, last + LINE)
        places.append(last)
    over = max(0.0, last - frame.bottom)
    for end, y in zip(ends, places, strict=True):
        shapes.marker(canvas, end.series, end.x + 4, y - over, 4)
        canvas.text(end.x + 12, y - over + 4, texts.shorten(end.series["name"], right - end.x - 12, SIZE), size=SIZE, halo=True)


def _apart(ends: list[End]) -> list[End]:
    """The ends that cover no end above them."""
    kept = ends[:1]
    for end in ends[1:]:
        if end.y - kept[-1].y >= LINE:
            kept.append(end)
    return kept
