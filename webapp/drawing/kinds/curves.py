"""Curves over time: lines that end at gaps, bands over repetitions, and the phases behind them."""

from __future__ import annotations

from webapp.drawing import looks, shapes
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, number
from webapp.drawing.frame import Frame, draw_level_axis, draw_value_axis
from webapp.drawing.kinds import lines
from webapp.drawing.panel import NumbersPanel, draws
from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

NAMES = 16.0
"""Height of the names of phases above the frame."""
LINE, MARK = 1.25, 3.2
"""Width of a curve, and half the size of its marks."""
_ALONE = 1.5  # half the length of the line that a point between two gaps is
_LEAST_NAME = 24.0


@draws("time", "cdf", "histogram")
class CurvesPanel(NumbersPanel):
    """Curves, those over time named at their ends, below the names of the phases."""

    @property
    def _above(self) -> float:
        return NAMES if self.figure.get("phases") else 0.0

    @property
    def _name_room(self) -> float:
        return lines.name_room(self.figure, self.width) if self.figure.get("kind") == "time" else 0.0

    def head(self) -> float:
        return super().head() + self._above

    def right(self) -> float:
        return self._name_room or super().right()

    def draw_head(self, canvas: Canvas, left: float, start: float, above: float = 10) -> None:
        super().draw_head(canvas, left, start, above + self._above)

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        scale, across = self.scale.over(box.bottom, box.top), self.across.over(box.left, box.right)
        draw_phases(canvas, self.figure, box, across)
        draw_value_axis(canvas, box, scale)
        draw_level_axis(canvas, box, across, self.across_title, grid=False)
        canvas.line(box.left, box.bottom, box.right, box.bottom, "lm")
        draw(canvas, self.figure, box, scale, across, self._name_room)


def draw_phases(canvas: Canvas, figure: FigureData, frame: Frame, across: Scale) -> None:
    """A shade for each phase, every other one paler, with its name above the frame where there is room."""
    end = frame.left
    for at, phase in enumerate(figure.get("phases", ())):
        left, right = (min(frame.right, max(frame.left, across(phase[key]))) for key in ("start", "end"))
        canvas.open(phase["name"])
        canvas.rect(left, frame.top, right - left, frame.height, "fr", f' fill-opacity="{0.3 if at % 2 else 0.55}"')
        canvas.rect(left, frame.top - 3, right - left, 3, "fR")
        size = looks.current().label
        name = texts.shorten(phase["name"], max(right - left, 0), size)
        middle = max((left + right) / 2, end + texts.width(name, size) / 2)
        if right - left >= _LEAST_NAME and name != texts.ELLIPSIS and middle <= right:
            canvas.text(middle, frame.top - 6, name, size=size, kind="fm", anchor="middle")
            end = middle + texts.width(name, size) / 2
        canvas.close()


def draw(canvas: Canvas, figure: FigureData, frame: Frame, scale: Scale, across: Scale, room: float) -> None:
    """Every band, then every curve with the marks of its series. `room`: to the right, for the names of the curves."""
    for curve in figure["curves"]:
        if "low" in curve:
            style = figure["series"][curve["series"]]["style"] % 8
            for part in notes.segments(curve):
                canvas.path(_band(curve, part, scale, across), f"f{style}", 0, ' fill-opacity=".22"')
    for curve in figure["curves"]:
        series = figure["series"][curve["series"]]
        canvas.open(series["name"] or figure["title"])
        data = "".join(_line(curve, part, scale, across) for part in notes.segments(curve))
        is_dashed = figure.get("kind") in notes.DASHED or looks.current().is_grey
        more = shapes.dashes(curve["series"]) if is_dashed else ""
        canvas.path(data, f"n l{series['style'] % 8}", LINE, f' stroke-linejoin="round"{more}')
        canvas.close()
    for curve in figure["curves"]:
        for at in notes.marked(figure, curve):
            if scale.fits(curve["v"][at]) and across.fits(curve["t"][at]):
                series = figure["series"][curve["series"]]
                shapes.marker(canvas, series, across(curve["t"][at]), scale(curve["v"][at]), MARK)
    if room:
        lines.name_ends(canvas, frame, _ends(figure, frame, scale), frame.right + room - 4)


def _ends(figure: FigureData, frame: Frame, scale: Scale) -> list[lines.End]:
    """Where the last point of each curve lies, at the right edge."""
    return [
        lines.End(frame.right + 3, scale(curve["v"][-1]), figure["series"][curve["series"]])
        for curve in figure["curves"]
        if curve["v"] and scale.fits(curve["v"][-1])
    ]


def _line(curve: FigureData, part: range, scale: Scale, across: Scale) -> str:
    """The path of the points of a segment; a point by itself is a short line."""
    places = [(across(curve["t"][at]), scale(curve["v"][at])) for at in part if scale.fits(curve["v"][at])]
    if len(places) == 1:
        x, y = places[0]
        places = [(x - _ALONE, y), (x + _ALONE, y)]
    return "".join(f"{'L' if order else 'M'}{number(x)} {number(y)}" for order, (x, y) in enumerate(places))


def _band(curve: FigureData, part: range, scale: Scale, across: Scale) -> str:
    """The path around the band of a segment, as wide as a line where it is one place."""
    there = [(across(curve["t"][at]), scale(curve["low"][at])) for at in part if scale.fits(curve["low"][at])]
    back = [(across(curve["t"][at]), scale(curve["high"][at])) for at in reversed(part) if scale.fits(curve["low"][at])]
    if len(there) == 1:
        (x, low), (_, high) = there[0], back[0]
        there, back = [(x - _ALONE, low), (x + _ALONE, low)], [(x + _ALONE, high), (x - _ALONE, high)]
    return "".join(f"{'L' if order else 'M'}{number(x)} {number(y)}" for order, (x, y) in enumerate([*there, *back])) + "Z"
