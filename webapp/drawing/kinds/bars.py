"""Grouped bars from zero, beside each other above the values of x."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from webapp.drawing import looks, shapes
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import Frame
from webapp.drawing.panel import DrawnPanel, draws
from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import LOG, Scale

CATEGORY, BAR, WIDEST = 0.78, 0.92, 64.0
"""Share of its place that a category takes, and a bar of its own; and the width in pixels that no bar exceeds."""


class Place(NamedTuple):
    """A mark or an empty place with its centre and width in pixels."""

    mark: FigureData
    x: float
    width: float


def places(figure: FigureData, frame: Frame) -> Iterator[Place]:
    """Where everything of the figure stands. Only series that are there take room, or would be if they had been run."""
    everything = [*figure["groups"], *figure.get("empty", ())]
    every = range(len(figure["series"])) if figure.get("empty") else None
    present: dict[int, list[int]] = {}
    for one in sorted(everything, key=lambda one: one["series"]):
        present.setdefault(one["x"], []).append(one["series"])
    step = frame.width / max(1, len(figure["x"]["values"]))
    for one in everything:
        series = list(every) if every is not None else present[one["x"]]
        slot = step * CATEGORY / len(series)
        middle = frame.left + step * (one["x"] + 0.5)
        x = middle + (series.index(one["series"]) - (len(series) - 1) / 2) * slot
        yield Place(one, x, min(WIDEST, slot * BAR))


@draws("bars")
class BarsPanel(DrawnPanel):
    """Bars."""

    def draw_marks(self, canvas: Canvas, box: Frame, scale: Scale) -> None:
        draw(canvas, self.figure, box, scale)


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale) -> None:
    """Bars with every run as a dot on its whisker; a line at each centre where one group cannot be a bar; a marker on a log scale,
    for single runs, and where a bar would be narrower than three pixels."""
    draw_one = _lines if notes.is_barless(figure) and scale.kind != LOG else _bar
    for place in places(figure, frame):
        mark, x, width = place
        canvas.open(shapes.describe(figure, mark))
        if "text" in mark:
            shapes.empty_sign(canvas, mark, x, frame.bottom - 9, max(width, 10))
        elif scale.fits(mark["center"]):
            draw_one(canvas, figure, place, frame, scale)
            if mark.get("bound"):
                draw_bound(canvas, mark, x, scale(mark["center"]), width)
        shapes.model_line(canvas, mark, x, max(width / 2, 5), scale)
        canvas.close()


def _bar(canvas: Canvas, figure: FigureData, place: Place, frame: Frame, scale: Scale) -> None:
    mark, x, width = place
    series = figure["series"][mark["series"]]
    top, lone, log = scale(mark["center"]), mark["n"] == 1, scale.kind == LOG
    foot = scale(max(0.0, scale.low)) if not log else frame.bottom
    style = series["style"] % 8
    if lone and width >= 3:
        canvas.line(x, top, x, foot, "lR")
    elif not lone and not log:
        box = (x - width / 2, min(top, foot), width, abs(foot - top))
        edge = "" if mark.get("bound") or width < 3 else f" l{style}"
        shapes.fill(canvas, style, box, edge)
    _whisker(canvas, place, scale)
    if lone or log or width < 3:
        shapes.centers(canvas, series, mark, x, max(1.5, min(5.0, width / 2.4)), scale)
    elif not looks.current().hatched:
        _foot_marker(canvas, figure, place, foot, scale)
    if width >= 3:
        shapes.runs(canvas, mark, x, scale, dot_size(width), width * 0.42)


def _lines(canvas: Canvas, figure: FigureData, place: Place, frame: Frame, scale: Scale) -> None:
    """A line for each centre, and runs as dots."""
    mark, x, width = place
    _whisker(canvas, place, scale)
    style = figure["series"][mark["series"]]["style"] % 8
    shapes.center_lines(canvas, style, mark, x, max(1.5, min(width * 0.4, 26)), scale)
    _foot_marker(canvas, figure, place, frame.bottom, scale)
    shapes.runs(canvas, mark, x, scale, dot_size(width), width * 0.42)


def _whisker(canvas: Canvas, place: Place, scale: Scale) -> None:
    mark, x, width = place
    if width >= 3 and shapes.has_whisker(mark) and scale.fits(mark["low"]):
        ends, arm = (scale(mark["low"]), scale(mark["high"])), min(width * 0.22, 7)
        shapes.whisker(canvas, x, *ends, arm, open_ends=mark.get("open", ()))


def _foot_marker(canvas: Canvas, figure: FigureData, place: Place, foot: float, scale: Scale) -> None:
    """The marker of one of several series, where it lies on nothing else."""
    mark, x, width = place
    if len(figure["series"]) > 1 and width >= 6 and abs(foot - scale(_lowest(mark))) > 20:
        shapes.marker(canvas, figure["series"][mark["series"]], x, foot - 10, min(4.5, width / 3), mark["n"] == 1)


def _lowest(mark: FigureData) -> float:
    """The lowest number that is drawn of it: the marker at the foot of its bar must not lie on a dot."""
    low = mark["center"] if mark["low"] is None else mark["low"]
    return min(low, mark["center"], *(point[0] for point in mark["points"] if point[0] is not None))


def dot_size(width: float) -> float:
    """Radius of a run in a mark of that width."""
    return 1.6 if width < 14 else 2.5


def draw_bound(canvas: Canvas, mark: FigureData, x: float, y: float, width: float) -> None:
    shapes.arrow(canvas, x, y, mark["bound"])
    shapes.bound_label(canvas, mark, x, y, max(width, 14))
