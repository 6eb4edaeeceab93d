"""Groups below each other: centre, interval, every run; and ratios to the baseline, which is a line at 1."""

from __future__ import annotations

from webapp.drawing import looks, shapes
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import Frame
from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

HIGHEST_SLOT, ROW, SERIES = 16.0, 24.0, 13.0


def row_height(figure: FigureData) -> float:
    """Height of a value of x in pixels, by the most marks that one has."""
    if look := looks.current().look:
        return looks.row_mm(look, looks.lines_of_names(figure["x"]["values"]), most_beside(figure)) * look.pixels
    return max(ROW, SERIES * most_beside(figure) + 8)


def most_beside(figure: FigureData) -> int:
    """The most marks and empty places at one value of x."""
    counts: dict[int, int] = {}
    for one in (*figure["groups"], *figure.get("empty", ())):
        counts[one["x"]] = counts.get(one["x"], 0) + 1
    return max(counts.values(), default=1)


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale) -> None:
    """`scale`: that of the values, from left to right."""
    rows = len(figure["x"]["values"])
    step = frame.height / max(1, rows)
    slot = min(HIGHEST_SLOT, step * 0.84 / most_beside(figure))
    for row in range(1, rows):
        canvas.line(frame.left, frame.top + row * step, frame.right, frame.top + row * step, "lr", 0.5)
    if figure["kind"] == "ratio":
        canvas.line(scale(1), frame.top, scale(1), frame.bottom, "li", 1.5)
    present: dict[int, list[FigureData]] = {}
    for one in sorted((*figure["groups"], *figure.get("empty", ())), key=lambda one: one["series"]):
        present.setdefault(one["x"], []).append(one)
    for x, marks in sorted(present.items()):
        for place, mark in enumerate(marks):
            y = frame.top + (x + 0.5) * step + (place - (len(marks) - 1) / 2) * slot
            canvas.open(shapes.describe(figure, mark))
            if "text" in mark:
                shapes.empty_sign(canvas, mark, frame.left + 4, y, float("inf"), "start")
            else:
                _mark(canvas, figure, mark, y, slot, scale)
            canvas.close()


def _mark(canvas: Canvas, figure: FigureData, mark: FigureData, y: float, slot: float, scale: Scale) -> None:
    if not scale.fits(mark["center"]):
        return
    series, x = figure["series"][mark["series"]], scale(mark["center"])
    if shapes.has_whisker(mark) and scale.fits(mark["low"]):
        ends = scale(mark["low"]), scale(mark["high"])
        shapes.whisker(canvas, y, *ends, min(4, slot / 3), lying=True, open_ends=mark.get("open", ()))
    if notes.has_parts(mark):
        shapes.center_lines(canvas, mark, y, min(8, slot / 2), scale, f"f{series['style'] % 8}", lying=True)
    else:
        shapes.marker(canvas, series, x, y, max(1.5, min(5.0, slot / 2.2)), mark["n"] == 1)
    shapes.model_line(canvas, mark, y, max(slot / 2, 5), scale, lying=True)
    if figure["kind"] != "ratio":
        shapes.runs(canvas, mark, y, scale, min(2.2, slot / 5), slot / 2, lying=True)
    if mark.get("bound"):
        shapes.arrow(canvas, x, y, mark["bound"], lying=True)
        shapes.bound_label(canvas, mark, x, y, slot, lying=True)
