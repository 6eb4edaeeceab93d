"""What several kinds of figure draw: markers, whiskers, runs, bounds, empty places. One glyph has one meaning: a dot is a run,
an open end a bound, a hollow marker a single run. `static/js/marks/shapes.js` draws the same on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from webapp.drawing import looks
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, Words, number
from webapp.figures import notes
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

ARROW = 13.0
DASHES = ("", "6 3", "2 2.5", "8 3 2 3", "10 3", "5 2 1 2 1 2", "1 3", "4 2 1 2")
HATCHES = ("", "/", "\\", "-", "x", "|", "+", "/-")
"""Lines in the fills of series on paper, by their style. They are drawn one by one: a `<pattern>` shows seams in PDF."""
_APART, _ASLANT = 5.0, 7.0  # pixels between lines, and between slanted ones along an edge
_PLUS = (
    (-0.4, -1.2),
    (0.4, -1.2),
    (0.4, -0.4),
    (1.2, -0.4),
    (1.2, 0.4),
    (0.4, 0.4),
    (0.4, 1.2),
    (-0.4, 1.2),
    (-0.4, 0.4),
    (-1.2, 0.4),
    (-1.2, -0.4),
    (-0.4, -0.4),
)
_STAR = tuple(
    (math.sin(at * math.pi / 5) * (0.55 if at % 2 else 1.3), -math.cos(at * math.pi / 5) * (0.55 if at % 2 else 1.3))
    for at in range(10)
)
_CORNERS: dict[str, Sequence[tuple[float, float]]] = {
    "rect": ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    "triangle": ((0, -1.1), (1, 0.8), (-1, 0.8)),
    "triangleDown": ((0, 1.1), (1, -0.8), (-1, -0.8)),
    "rectRot": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "star": _STAR,
    "dash": ((-1.3, -0.4), (1.3, -0.4), (1.3, 0.4), (-1.3, 0.4)),
    "cross": _PLUS,
    "crossRot": tuple(((a - b) * 0.75, (a + b) * 0.75) for a, b in _PLUS),
}


def marker(canvas: Canvas, series: FigureData, x: float, y: float, r: float, hollow: bool = False) -> None:
    """The marker of a series: filled, or hollow where it stands for a single run."""
    style = series["style"] % 8
    kind, width = (f"fp l{style}", min(1.75, r / 2 + 0.25)) if hollow else (f"f{style} lp", 1.0 if r >= 2.5 else 0.0)
    # `circle` of older records: a dot is a run.
    corners = _CORNERS.get(series["marker"], _CORNERS["triangleDown"])
    points = "L".join(f"{number(x + dx * r)} {number(y + dy * r)}" for dx, dy in corners)
    canvas.path(f"M{points}Z", kind, width)


def fill(canvas: Canvas, style: int, box: tuple[float, float, float, float], edge: str = "") -> None:
    """A bar of a series: x, y, width, height; with the lines of its pattern where the look has them."""
    look = looks.current()
    opacity = "" if look.bar_opacity == 1 else f' fill-opacity="{number(look.bar_opacity).lstrip("0")}"'
    canvas.rect(*box, f"{'fb' if look.is_grey else 'f'}{style}{edge}", opacity)
    is_light = look.is_grey and style in (1, 3, 4, 7)
    hatch(canvas, style, box, "li" if is_light else "lp")


def hatch(canvas: Canvas, style: int, box: tuple[float, float, float, float], kind: str) -> None:
    """The lines of a pattern within a box, where the look has them."""
    if data := _hatch(HATCHES[style], *box) if looks.current().hatched else "":
        canvas.path(data, f"n {kind}", 0.85)


def _hatch(signs: str, x: float, y: float, width: float, height: float) -> str:
    lines: list[tuple[float, float, float, float]] = []
    for sign in signs.replace("x", "/\\").replace("+", "-|"):
        if sign == "-":
            lines += [(0, at, width, at) for at in _steps(height, _APART)]
        elif sign == "|":
            lines += [(at, 0, at, height) for at in _steps(width, _APART)]
        else:
            # A line x + y = at, from the left or lower edge to the upper or right one; mirrored for the other direction.
            ends = [
                (max(0, at - height), min(at, height), min(at, width), max(0, at - width)) for at in _steps(width + height, _ASLANT)
            ]
            lines += ends if sign == "/" else [(width - x1, y1, width - x2, y2) for x1, y1, x2, y2 in ends]
    return "".join(f"M{number(x + x1)} {number(y + y1)}L{number(x + x2)} {number(y + y2)}" for x1, y1, x2, y2 in lines)


def _steps(length: float, step: float) -> list[float]:
    return [step * (at + 0.5) for at in range(int(length / step + 0.5))]


def dashes(style: int) -> str:
    """The attribute of a line of that style."""
    dash = DASHES[style % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def whisker(
    canvas: Canvas, at: float, low: float, high: float, arm: float, *, lying: bool = False, open_ends: Sequence[str] = ()
) -> None:
    """An interval between two pixels of one direction, at a place of the other, with room around it; no cap at an open end."""

    def point(along: float, aside: float) -> str:
        return f"{number(along)} {number(aside)}" if lying else f"{number(aside)} {number(along)}"

    capped = [end for end, side in ((low, "below"), (high, "above")) if side not in open_ends]
    ends = "".join(f"M{point(end, at - arm)}L{point(end, at + arm)}" for end in capped)
    data = f"M{point(low, at)}L{point(high, at)}{ends}"
    canvas.path(data, "n lp", 3.25, ' stroke-opacity=".7"')
    canvas.path(data, "n li", 1.25)


def run(canvas: Canvas, x: float, y: float, r: float, *, hollow: bool = False) -> None:
    """One run; hollow at a bound."""
    canvas.circle(x, y, r, "fp li" if hollow else "fi lp", min(1.0, r * 0.4))


def spread(places: Sequence[float], r: float, half: float) -> list[float]:
    """How far beside the whisker each run is drawn: on it, or next to the runs that would cover it, up to `half`."""
    near, offsets = 1.7 * r, [0.0] * len(places)
    tries = [0.0, *(sign * step * 2 * r for step in range(1, 1 + int(half / (2 * r))) for sign in (1, -1))]
    latest: dict[float, float] = {}  # by offset
    for index in sorted(range(len(places)), key=places.__getitem__):
        place = places[index]
        offsets[index] = next((one for one in tries if one not in latest or place - latest[one] >= near), 0.0)
        latest[offsets[index]] = place
    return offsets


def runs(canvas: Canvas, mark: FigureData, at: float, scale: Scale, r: float, half: float, *, lying: bool = False) -> None:
    """Every run of a mark on its whisker, hollow at a bound, from which an arrow leads. A single run is the mark itself."""
    if mark["n"] < 2:
        return
    points = [point for point in mark["points"] if scale.fits(point[0])]
    places = [scale(point[0]) for point in points]
    for place, offset, point in zip(places, spread(places, r, half), points, strict=True):
        run(canvas, *((place, at + offset) if lying else (at + offset, place)), r, hollow=len(point) > 2)
    for value, side in notes.open_runs(mark):
        if scale.fits(value):
            arrow(canvas, *((scale(value), at) if lying else (at, scale(value))), side, lying)


def arrow(canvas: Canvas, x: float, y: float, bound: str, lying: bool = False) -> None:
    """An open end: an arrow from a bound to where the value lies."""
    way = 1 if (bound == "above") == lying else -1

    def point(along: float, aside: float) -> str:
        return f"{number(x + along * way)} {number(y + aside)}" if lying else f"{number(x + aside)} {number(y + along * way)}"

    data = f"M{number(x)} {number(y)}L{point(ARROW, 0)}M{point(ARROW - 4, -3.5)}L{point(ARROW, 0)}L{point(ARROW - 4, 3.5)}"
    canvas.path(data, "n li", 1.5)


def bound_label(canvas: Canvas, mark: FigureData, x: float, y: float, room: float, lying: bool = False) -> None:
    """The number of a bound beside its arrow, turned where it is wider than `room`; none where there is no room at all, or where
    it would cover another text wherever it stands."""
    above = mark["bound"] == "above"
    label, beyond, size = notes.center_label(mark), ARROW + 3 if above else 7, looks.current().label
    beside = Words(x, y - 4 if above else y + ARROW, label, size, halo=True)
    level = [beside._replace(x=x + 8), beside._replace(x=x - 8, anchor="end")]
    if lying:
        canvas.offer([beside._replace(x=x + beyond, y=y + 4)])
    elif room >= 10 and texts.width(label, size) > room:
        canvas.offer([beside._replace(x=x + 4, y=y - beyond, angle=-90)])
    elif room >= 10:
        canvas.offer([beside._replace(y=y - beyond - 1, anchor="middle"), *level])


def model_line(canvas: Canvas, mark: FigureData, at: float, half: float, scale: Scale, *, lying: bool = False) -> None:
    """A dashed line across a mark where a model has its value."""
    value = mark.get("model")
    if value is None or not scale.fits(value):
        return
    place = scale(value)
    ends = (place, at - half, place, at + half) if lying else (at - half, place, at + half, place)
    canvas.path("M{} {}L{} {}".format(*map(number, ends)), "n li", 1.75, ' stroke-dasharray="4 3"')


def centers(
    canvas: Canvas, series: FigureData, mark: FigureData, at: float, r: float, scale: Scale, *, lying: bool = False
) -> None:
    """The marker of the series at each centre of a mark; hollow for a single run."""
    for value in mark["parts"] if notes.has_parts(mark) else [mark["center"]]:
        marker(canvas, series, *((scale(value), at) if lying else (at, scale(value))), r, mark["n"] == 1)


def center_lines(canvas: Canvas, style: int, mark: FigureData, at: float, half: float, scale: Scale) -> None:
    """A short line at each centre of a mark; hollow for a single run."""
    for value in mark["parts"] if notes.has_parts(mark) else [mark["center"]]:
        if mark["n"] == 1:
            canvas.rect(at - half, scale(value) - 2.5, half * 2, 5, f"fp l{style}", ' stroke-width="1.5"')
        else:
            canvas.rect(at - half, scale(value) - 1.5, half * 2, 3, f"f{style}")


def empty_sign(canvas: Canvas, place: FigureData, x: float, y: float, room: float, anchor: str = "middle") -> None:
    """The text of an empty place in two words, turned where it is wider than `room`; a dash where there is none."""
    words, size = notes.short_text(place), looks.current().label
    if texts.width(words, size) <= room:
        canvas.text(x, y + 4, words, size=size, kind="fm", anchor=anchor)
    elif room >= 10:
        canvas.text(x + 4, y + 4, words, size=size, kind="fm", angle=-90)
    else:
        canvas.text(x, y + 4, "\u2013", size=size, kind="fm", anchor="middle")


def has_whisker(mark: FigureData) -> bool:
    """Whether a mark has an interval: one centre with both ends."""
    return mark["low"] is not None and mark["high"] is not None and not notes.has_parts(mark)


def describe(figure: FigureData, mark: FigureData) -> str:
    """`ext4, lz4: > 2 930 MiB/s, n = 3`, `xfs: 20.2; 903 MiB/s, n = 12`: the title of a mark."""
    name = notes.place_name(figure, mark)
    if "text" in mark:
        return f"{name}: {mark['text']}"
    return f"{name}: {notes.centers_label(mark)} {figure['unit']}, n = {mark['n']}"
