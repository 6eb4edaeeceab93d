"""Groups below each other: centre, interval, every run."""

from __future__ import annotations

from webapp.drawing import looks, shapes
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import Frame, draw_level_axis, thinned, title_height
from webapp.drawing.panel import RowsPanel, draws, half_of, join_words
from webapp.figures import ticks
from webapp.figures.kind import kind_of
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


@draws("dots")
class DotsPanel(RowsPanel):
    """Dots, with values below the frame."""

    @property
    def across_title(self) -> str:
        return join_words(self.figure["unit"], self.figure["better"])

    def head(self) -> float:
        return 4.0 + (self.sizes.unit * texts.LINE + 4 if self.sizes.look else 0.0)

    def right(self) -> float:
        return half_of(max(ticks.labels(self.scale.ticks()), key=len, default=""))

    def plot_height(self, small: bool) -> float:
        return min(self.sizes.highest, max(1, len(self.names)) * row_height(self.figure))

    def foot(self, width: float) -> float:
        return 44.0 + title_height(self.across_title, width)

    def draw_head(self, canvas: Canvas, left: float, start: float, above: float = 9) -> None:
        """On paper the name of the rows, which a page has elsewhere."""
        if not self.sizes.look:
            return
        label = self.figure["x"]["label"]
        if self.every > 1:
            label = thinned(label, self.every, len(self.rows))
        canvas.text(left, start - above, texts.shorten(label, self.width, self.sizes.unit), size=self.sizes.unit, kind="fm")

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        scale = self.scale.over(box.left, box.right)
        draw_level_axis(canvas, box, scale, self.across_title)
        self.name_rows(canvas, box)
        step = box.height / max(1, len(self.rows))
        for row in range(1, len(self.rows)):
            canvas.line(box.left, box.top + row * step, box.right, box.top + row * step, "lr", 0.5)
        self.draw_marks(canvas, box, scale)

    def draw_marks(self, canvas: Canvas, box: Frame, scale: Scale) -> None:
        draw(canvas, self.figure, box, scale)


def draw(canvas: Canvas, figure: FigureData, box: Frame, scale: Scale) -> None:
    """`scale`: that of the values, from left to right."""
    step = box.height / max(1, len(figure["x"]["values"]))
    slot = min(HIGHEST_SLOT, step * 0.84 / most_beside(figure))
    present: dict[int, list[FigureData]] = {}
    for one in sorted((*figure["groups"], *figure.get("empty", ())), key=lambda one: one["series"]):
        present.setdefault(one["x"], []).append(one)
    for x, marks in sorted(present.items()):
        for place, mark in enumerate(marks):
            y = box.top + (x + 0.5) * step + (place - (len(marks) - 1) / 2) * slot
            canvas.open(shapes.describe(figure, mark))
            if "text" in mark:
                shapes.empty_sign(canvas, mark, box.left + 4, y, float("inf"), "start")
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
    shapes.centers(canvas, series, mark, y, max(1.5, min(5.0, slot / 2.2)), scale, lying=True)
    shapes.model_line(canvas, mark, y, max(slot / 2, 5), scale, lying=True)
    if kind_of(figure).has_runs:
        shapes.runs(canvas, mark, y, scale, min(2.2, slot / 5), slot / 2, lying=True)
    if mark.get("bound"):
        shapes.arrow(canvas, x, y, mark["bound"], lying=True)
        shapes.bound_label(canvas, mark, x, y, slot, lying=True)
