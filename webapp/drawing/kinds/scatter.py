"""Two metrics against each other: a marker for each group with its intervals both ways, named where there is room."""

from __future__ import annotations

from math import hypot
from statistics import fmean

from webapp.drawing import looks, shapes
from webapp.drawing.canvas import Box, Canvas, Words, number
from webapp.drawing.frame import Frame, draw_level_axis, draw_value_axis
from webapp.drawing.panel import NumbersPanel, draws, join_words
from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

MAX_NAMED, OUTERMOST = 40, 10
"""Marks up to which each is named; of more the outermost ones, so many."""


@draws("scatter")
class ScatterPanel(NumbersPanel):
    """A scatter plot."""

    @property
    def across_title(self) -> str:
        x = self.figure["x"]
        return join_words(x["label"], x.get("unit"), x.get("better"))

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        draw_value_axis(canvas, box, scale)
        draw_level_axis(canvas, box, across, self.across_title)
        draw(canvas, self.figure, box, scale, across)


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale, across: Scale) -> None:
    """`across`: the scale of the metric below."""
    placed = [
        (mark, across(mark["across"]["center"]), scale(mark["center"]))
        for mark in figure["groups"]
        if across.fits(mark["across"]["center"]) and scale.fits(mark["center"])
    ]
    for index, series in enumerate(figure["series"]) if figure["x"].get("joined") else ():
        line = sorted((mark["x"], x, y) for mark, x, y in placed if mark["series"] == index)
        if data := "L".join(f"{number(x)} {number(y)}" for _, x, y in line):
            canvas.path(
                f"M{data}", f"n l{series['style'] % 8}", 2, shapes.dashes(series["style"]) if looks.current().dashed else ""
            )
    for mark, x, y in placed:
        position = mark["across"]
        canvas.open(f"{shapes.describe(figure, mark)}; {position['center']:.4g} {figure['x']['unit']}")
        if shapes.has_whisker(mark) and scale.fits(mark["low"]):
            shapes.whisker(canvas, x, scale(mark["low"]), scale(mark["high"]), 3, open_ends=mark.get("open", ()))
        if position["low"] is not None and position["high"] is not None and across.fits(position["low"]):
            ends = across(position["low"]), across(position["high"])
            shapes.whisker(canvas, y, *ends, 3, lying=True, open_ends=position.get("open", ()))
        shapes.marker(canvas, figure["series"][mark["series"]], x, y, 4.5, mark["n"] == 1)
        for one, lying in ((mark, False), (position, True)):
            for value, side in notes.open_runs(one):
                if (across if lying else scale).fits(value):
                    shapes.arrow(canvas, *((across(value), y) if lying else (x, scale(value))), side, lying)
            if one.get("bound"):
                shapes.arrow(canvas, x, y, one["bound"], lying)
                shapes.bound_label(canvas, one, x, y, 60, lying)
        canvas.close()
    _name(canvas, figure, frame, placed)


def _outermost(placed: list[tuple[FigureData, float, float]]) -> list[tuple[FigureData, float, float]]:
    """The marks that are farthest from the middle of all: those that a reader asks about first."""
    x, y = fmean(x for _, x, _ in placed), fmean(y for _, _, y in placed)
    return sorted(placed, key=lambda one: -hypot(one[1] - x, one[2] - y))[:OUTERMOST]


def _name(canvas: Canvas, figure: FigureData, frame: Frame, placed: list[tuple[FigureData, float, float]]) -> None:
    """A name is left out where it would cover another text or a mark."""
    size, within = looks.current().label, Box(frame.left, frame.top, frame.right, frame.bottom)
    for _, x, y in placed:
        canvas.take(Box(x - 5, y - 5, x + 5, y + 5))
    for mark, x, y in placed if len(placed) <= MAX_NAMED else _outermost(placed):
        if name := figure["x"]["values"][mark["x"]]:
            beside = Words(x + 8, y + 4, name, size, halo=True)
            places = [(x + 8, y + 4, "start"), (x - 8, y + 4, "end"), (x, y - 10, "middle"), (x, y + 19, "middle")]
            canvas.offer([beside._replace(x=left, y=base, anchor=anchor) for left, base, anchor in places], within)
