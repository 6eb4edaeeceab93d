"""Boxes beside each other above the values of x, with every run as a dot."""

from __future__ import annotations

from webapp.drawing import shapes
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import Frame
from webapp.drawing.kinds.bars import Place, dot_size, draw_bound, places
from webapp.drawing.panel import DrawnPanel, draws
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale


@draws("box")
class BoxPanel(DrawnPanel):
    """Boxes."""

    def draw_marks(self, canvas: Canvas, box: Frame, scale: Scale) -> None:
        draw(canvas, self.figure, box, scale)


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale) -> None:
    """Quartiles and median of marks that have them, a line at the centre of others, and every run as a dot."""
    for place in places(figure, frame):
        mark, x, width = place
        canvas.open(shapes.describe(figure, mark))
        if "text" in mark:
            shapes.empty_sign(canvas, mark, x, frame.bottom - 9, max(width, 10))
        else:
            _box(canvas, figure, place, frame, scale)
        canvas.close()


def _box(canvas: Canvas, figure: FigureData, place: Place, frame: Frame, scale: Scale) -> None:
    mark, x, width = place
    series = figure["series"][mark["series"]]
    style, half = series["style"] % 8, min(width * 0.42, 26)
    if mark.get("box") and scale.fits(mark["box"][0]):
        low, lower, middle, upper, high = map(scale, mark["box"])
        shapes.whisker(canvas, x, low, lower, half * 0.4)
        shapes.whisker(canvas, x, upper, high, half * 0.4)
        box = (x - half, upper, half * 2, lower - upper)
        canvas.rect(*box, f"f{style} l{style}", ' fill-opacity=".3"')
        shapes.hatch(canvas, style, box, f"l{style}")
        canvas.rect(x - half, middle - 1.25, half * 2, 2.5, "fi")
    elif scale.fits(mark["center"]):
        shapes.center_lines(canvas, style, mark, x, half, scale)
    shapes.runs(canvas, {**mark, "n": max(2, mark["n"])}, x, scale, dot_size(width), half)
    if mark.get("bound") and scale.fits(mark["center"]):
        draw_bound(canvas, mark, x, scale(mark["center"]), width)
    if len(figure["series"]) > 1 and width >= 6:
        shapes.marker(canvas, series, x, frame.bottom - 9, min(4.5, width / 3), mark["n"] == 1)
