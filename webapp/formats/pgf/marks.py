"""Figure -> the plots inside a pgfplots axis, with the figure's numbers at full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from webapp.figures import notes
from webapp.formats.canonical import canonical_number as exact
from webapp.formats.drawing import bars, heat, lines, style
from webapp.formats.drawing.scales import is_log
from webapp.formats.latex import escape_latex
from webapp.formats.pgf import axes, time
from webapp.formats.pgf.frame import BESIDE, DASHES, MARKS, SEPARATION_MM, LabelAnchor, PgfFrame, text_mm

PATTERNS = (
    "",
    "north east lines",
    "north west lines",
    "horizontal lines",
    "crosshatch",
    "vertical lines",
    "grid",
    "crosshatch dots",
)
_DOT = "mark=*, mark size=.7pt, mark options={draw=white, fill=black, line width=.2pt}"


def _plot(options: str, places: Iterable[tuple[float, float]]) -> list[str]:
    return [rf"\addplot[{options}] coordinates {{", *(f"  ({exact(round(x, 6))},{exact(y)})" for x, y in places), "};"]


def _swapped_points(places: Iterable[tuple[float, float]]) -> list[str]:
    return [f"  ({exact(value)},{exact(round(place, 6))})" for place, value in places]


def _legend_entry(figure: dict, series: dict, frame: PgfFrame) -> list[str]:
    if len(figure["series"]) < 2:
        return []
    name = axes.legend_texts({"series": [series]}, frame.width, frame.size)[0]
    return [rf"\addlegendentry{{{escape_latex(name)}}}"]


def head_legend(figure: dict, frame: PgfFrame) -> list[str]:
    """The name of the dimension of the series as the first entry of the legend."""
    names = axes.legend_texts(figure, frame.width, frame.size)
    if len(figure["series"]) < 2 or len(names) == len(figure["series"]) or figure.get("kind") == "heat":
        return []
    return [r"\addlegendimage{empty legend}", rf"\addlegendentry{{{escape_latex(names[0])}}}"]


def _series_groups(figure: dict) -> Iterable[tuple[dict, list[dict], float, float]]:
    """(series, its groups, offset from the category position, width of a mark) of every series."""
    shifts, width = _offsets(figure)
    for index, series in enumerate(figure["series"]):
        yield series, [group for group in figure["groups"] if group["series"] == index], shifts[index], width


def _offsets(figure: dict) -> tuple[list[float], float]:
    return bars.row_offsets(figure) if figure.get("kind") in ("dots", "ratio") else bars.series_offsets(len(figure["series"]))


def _fill_options(figure: dict, series: dict) -> str:
    number = series["style"] % 8
    pattern = PATTERNS[number] if len(figure["series"]) > 1 and style.hatch(number) else ""
    ink = "white" if style.hatch_colour(number) == "white" else "black!90"
    return f"fill=poolmark{number}" + (f", postaction={{pattern={pattern}, pattern color={ink}}}" if pattern else "")


def _marker_options(series: dict) -> str:
    return f"color=poolmarkline{series['style'] % 8}, mark={MARKS.get(series['marker'], 'square*')}, mark size=1.8pt"


def _interval(places: list[tuple[float, dict]], along: str = "y") -> list[str]:
    bounded = [(place, group) for place, group in places if bars.has_interval(group)]
    if not bounded:
        return []
    out = [
        rf"\addplot[forget plot, draw=none, mark=none, error bars/.cd, {along} dir=both, {along} explicit, "
        r"error bar style={black, line width=.5pt}, error mark options={rotate=90, mark size=1.5pt, black}] coordinates {"
    ]
    for place, group in bounded:
        upper, lower = (exact(max(0.0, step)) for step in (group["high"] - group["center"], group["center"] - group["low"]))
        position = (exact(round(place, 6)), exact(group["center"]))
        out.append(
            f"  ({position[0]},{position[1]}) += (0,{upper}) -= (0,{lower})"
            if along == "y"
            else f"  ({position[1]},{position[0]}) += ({upper},0) -= ({lower},0)"
        )
    return [*out, "};"]


def _repetitions(dots: list[tuple[float, float]]) -> list[str]:
    return _plot(f"forget plot, only marks, {_DOT}", dots) if dots else []


def _point(place: float, value: float, along: str = "y") -> str:
    """A point at a position on the axis of categories and a value on the other."""
    position = (exact(round(place, 6)), exact(value))
    return f"(axis cs:{position[0]},{position[1]})" if along == "y" else f"(axis cs:{position[1]},{position[0]})"


def _bounds(places: list[tuple[float, dict]], frame: PgfFrame, along: str = "y") -> list[str]:
    """An arrow from each bounded centre to where the value lies, with its label where that covers no other."""
    out = []
    for place, group in places:
        out += [_arrow(place, value, side, along) for value, side in notes.open_runs(group)]
        if group.get("bound"):
            out.append(_arrow(place, group["center"], group["bound"], along))
            is_above = group["bound"] == "above"
            anchors = (_ABOVE if is_above else (*_BELOW, *_ABOVE)) if along == "y" else (_RIGHT if is_above else (*_LEFT, *_RIGHT))
            shifted = [_beyond(anchor, is_above) for anchor in anchors]
            at = (place, group["center"]) if along == "y" else (group["center"], place)
            out += _label(at, notes.center_label(group), frame, shifted)
    return out


def _arrow(place: float, value: float, side: str, along: str) -> str:
    """From a bound to where the true value lies."""
    reach = "9pt" if side == "above" else "-9pt"
    step = f"(0pt,{reach})" if along == "y" else f"({reach},0pt)"
    return rf"\draw[->, line width=.6pt] {_point(place, value, along)} -- ++{step};"


_ARROW_MM = 3.2
_ABOVE = (LabelAnchor("anchor=south", 0, 1), LabelAnchor("rotate=90, anchor=west", 0, 1, turned=True))
_BELOW = (LabelAnchor("anchor=north", 0, -1),)
_RIGHT, _LEFT = (LabelAnchor("anchor=west", 1, 0),), (LabelAnchor("anchor=east", -1, 0),)


def _beyond(anchor: LabelAnchor, is_above: bool) -> LabelAnchor:
    """The anchor behind the arrow where that points to its side, else behind the mark."""
    is_arrows = (anchor.x + anchor.y > 0) == is_above
    step = _ARROW_MM if is_arrows else 0.5
    return replace(anchor, shift=(step * anchor.x, step * anchor.y))


def _label(at: tuple[float, float], text: str, frame: PgfFrame, anchors: Iterable[LabelAnchor], ink: str = "black") -> list[str]:
    """A text beside a point where it covers no other, else nothing."""
    anchor = frame.find_place(*at, text, anchors)
    if anchor is None:
        return []
    x, y = anchor.shift
    shift = f", xshift={x:g}mm, yshift={y:g}mm" if x or y else ""
    font = rf"font=\fontsize{{{frame.size:g}}}{{{frame.size * 1.2:g}}}\selectfont, inner sep={SEPARATION_MM}mm"
    return [
        rf"\node[{font}, text={ink}, {anchor.options}{shift}] at (axis cs:{exact(round(at[0], 6))},{exact(at[1])}) "
        rf"{{{escape_latex(text)}}};"
    ]


def _center_lines(places: list[tuple[float, dict]], half: float, series: dict, along: str = "y") -> list[str]:
    """A line for each part of a mark, or for its only centre."""
    return [
        rf"\draw[poolmarkline{series['style'] % 8}, line width=1.2pt] {_point(place - half, center, along)} -- "
        f"{_point(place + half, center, along)};"
        for place, group in places
        for center in (group["parts"] if notes.has_parts(group) else [group["center"]])
    ]


def _empty_places(figure: dict, frame: PgfFrame, along: str = "y") -> list[str]:
    """The short text of each empty place at the foot of the axis of the values, or a dash."""
    shifts, _ = _offsets(figure)
    out = []
    for position, place in bars.empty_positions(figure, shifts):
        at = (position, frame.y.low) if along == "y" else (frame.x.low, position)
        anchors = _ABOVE if along == "y" else _RIGHT
        text = notes.short_text(place)
        out += _label(at, text, frame, anchors, _GREY) or _label(at, "\u2013", frame, anchors, _GREY)
    return out


_GREY = "black!65"


def _bars(figure: dict, frame: PgfFrame) -> list[str]:
    out, near = [], bars.nearness(figure)
    for series, groups, shift, width in _series_groups(figure):
        placed = [(group["x"] + shift, group) for group in groups]
        with_bar = [(place, group) for place, group in placed if not bars.has_no_bar(group)]
        several, single = (
            [(place, group["center"]) for place, group in with_bar if (group["n"] < 2) == alone] for alone in (False, True)
        )
        fill = _fill_options(figure, series)
        bar = f"ybar, bar shift=0pt, bar width={exact(round(width * 0.94, 4))}, draw=none, {fill}, area legend"
        if several:
            out += _plot(f"only marks, {_marker_options(series)}" if is_log(figure) else bar, several) + _legend_entry(
                figure, series, frame
            )
        if single:
            # a single run is a hollow marker without a bar
            hollow = f"only marks, {_marker_options(series)}, mark options={{fill=white, line width=.8pt}}"
            out += [] if is_log(figure) else _plot("forget plot, ycomb, mark=none, black!60, line width=.4pt", single)
            out += _plot(f"forget plot, {hollow}" if several else hollow, single)
            out += [] if several else _legend_entry(figure, series, frame)
        if not with_bar:
            out += [rf"\addlegendimage{{area legend, draw=none, {fill}}}", *_legend_entry(figure, series, frame)]
        out += _center_lines([pair for pair in placed if bars.has_no_bar(pair[1])], width * 0.35, series)
        out += _interval(placed)
        out += _repetitions([dot for group in groups for dot in bars.spread_repetitions(group, shift, width, near)])
        out += _bounds(placed, frame)
    return out + _empty_places(figure, frame)


def _dots(figure: dict, frame: PgfFrame) -> list[str]:
    out, near = [], bars.nearness(figure)
    if figure["kind"] == "ratio":
        out.append(rf"\draw[black!50] (axis cs:1,-0.5) -- (axis cs:1,{exact(len(figure['x']['values']) - 0.5)});")
    for series, groups, shift, width in _series_groups(figure):
        dots = [dot for group in groups for dot in bars.spread_repetitions(group, shift, width, near)]
        dots = [] if figure["kind"] == "ratio" else dots
        out += [rf"\addplot[forget plot, only marks, {_DOT}] coordinates {{", *_swapped_points(dots), "};"] if dots else []
        placed = [(group["x"] + shift, group) for group in groups]
        out += _interval(placed, along="x")
        out += [
            rf"\addplot[only marks, {_marker_options(series)}] coordinates {{",
            *_swapped_points((place, group["center"]) for place, group in placed if not notes.has_parts(group)),
            "};",
            *_legend_entry(figure, series, frame),
        ]
        out += _center_lines([pair for pair in placed if notes.has_parts(pair[1])], width * 0.35, series, along="x")
        out += _bounds(placed, frame, along="x")
    return out + _empty_places(figure, frame, along="x")


def _lines(figure: dict, frame: PgfFrame) -> list[str]:
    out = []
    for index, series in enumerate(figure["series"]):
        numbered = lines.groups_by_number(figure, index)
        if not numbered:
            continue
        options = f"{_marker_options(series)}, {DASHES[series['style'] % 8]}, mark options={{solid}}"
        segments = lines.segments(figure, index)
        for order, segment in enumerate(segments):
            centers = [(number, group["center"]) for number, group in segment]
            out += _plot(options if order == 0 else f"forget plot, {options}", centers)
        out += [] if segments else [rf"\addlegendimage{{{options}}}"]
        out += _legend_entry(figure, series, frame) + _interval(numbered)
        parts = [(number, part) for number, group in numbered if notes.has_parts(group) for part in group["parts"]]
        out += (
            _plot(f"forget plot, only marks, color=poolmarkline{series['style'] % 8}, mark=-, mark size=3pt", parts)
            if parts
            else []
        )
        out += _repetitions([(number, point[0]) for number, group in numbered if group["n"] > 1 for point in group["points"]])
        out += _bounds(numbered, frame)
    return out


def _box(figure: dict, frame: PgfFrame) -> list[str]:
    out, near = [], bars.nearness(figure)
    for series, groups, shift, width in _series_groups(figure):
        for group in groups:
            place = group["x"] + shift
            if group.get("box"):
                out += _one_box(group, place, width * 0.4, _fill_options(figure, series))
            else:
                out += _center_lines([(place, group)], width * 0.4, series)
            out += _bounds([(place, group)], frame)
        out += _repetitions([dot for group in groups for dot in bars.spread_repetitions(group, shift, width, near)])
        out += [
            rf"\addlegendimage{{area legend, draw=none, {_fill_options(figure, series)}}}",
            *_legend_entry(figure, series, frame),
        ]
    return out + _empty_places(figure, frame)


def _one_box(group: dict, place: float, half: float, filled: str) -> list[str]:
    left, middle, right = (exact(round(x, 6)) for x in (place - half, place, place + half))
    low, lower, median, upper, high = map(exact, group["box"])
    return [
        rf"\draw (axis cs:{middle},{low}) -- (axis cs:{middle},{lower});",
        rf"\draw (axis cs:{middle},{upper}) -- (axis cs:{middle},{high});",
        rf"\filldraw[{filled}] (axis cs:{left},{lower}) rectangle (axis cs:{right},{upper});",
        rf"\draw[very thick] (axis cs:{left},{median}) -- (axis cs:{right},{median});",
    ]


def _scatter(figure: dict, frame: PgfFrame) -> list[str]:
    out = []
    for series, groups, _, _ in _series_groups(figure):
        out += _plot(f"only marks, {_marker_options(series)}", [(group["across"]["center"], group["center"]) for group in groups])
        out += _legend_entry(figure, series, frame) + _interval([(group["across"]["center"], group) for group in groups])
        out += _interval([(group["center"], group["across"]) for group in groups], along="x")
        out += _bounds([(group["across"]["center"], group) for group in groups], frame)
        out += _bounds([(group["center"], group["across"]) for group in groups], frame, along="x")
    for group in figure["groups"]:
        frame.take_mark(group["across"]["center"], group["center"])
    for group in figure["groups"] if len(figure["groups"]) <= 24 and len(figure["x"]["values"]) > 1 else ():
        at = (group["across"]["center"], group["center"])
        out += _label(at, figure["x"]["values"][group["x"]], frame, BESIDE, _GREY)
    return out


def _heat(figure: dict, frame: PgfFrame) -> list[str]:
    low, high = figure["reach"]
    out = [r"\addplot[draw=none, forget plot] coordinates {(0,0)};"]
    cell_mm = frame.width / len(figure["x"]["values"]) - 1
    is_named = all(text_mm(notes.center_label(group), frame.size) <= cell_mm for group in figure["groups"])
    for group in figure["groups"]:
        x, y = group["x"], group["series"]
        for left, width, center in heat.stripes(group):
            depth = round(15 + 75 * (min(1, max(0, (center - low) / (high - low))) if high > low else 1))
            corners = [exact(round(edge, 6)) for edge in (left, left + width)]
            out.append(
                rf"\fill[poolmark0!{depth}!white] (axis cs:{corners[0]},{y - 0.5}) rectangle (axis cs:{corners[1]},{y + 0.5});"
            )
        if (is_named or group.get("bound")) and not notes.has_parts(group):
            label = notes.center_label(group) if is_named else notes.center_label(group)[0]
            out += _label((x, y), label, frame, _MIDDLE, "white" if depth > 55 else "black")
    for place in figure.get("empty", ()) if is_named else ():
        text = notes.short_text(place)
        fits = text_mm(text, frame.size) <= cell_mm
        out += _label((place["x"], place["series"]), text if fits else "\u2013", frame, _MIDDLE, _GREY)
    return out


_MIDDLE = (LabelAnchor("anchor=center"),)


KINDS: dict[str, Callable[[dict, PgfFrame], list[str]]] = {
    "bars": _bars,
    "dots": _dots,
    "lines": _lines,
    "box": _box,
    "scatter": _scatter,
    "heat": _heat,
    "ratio": _dots,
    **dict.fromkeys(axes.CURVES, time.draw),
}
