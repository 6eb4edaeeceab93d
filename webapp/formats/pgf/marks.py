"""Figure -> the plots inside a pgfplots axis, with the figure's numbers at full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from webapp.formats.canonical import canonical_number as exact
from webapp.formats.drawing import bars, lines
from webapp.formats.drawing.scales import is_log
from webapp.formats.latex import escape_latex
from webapp.formatting import numbers

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
MARKS = {
    "circle": "*",
    "rect": "square*",
    "triangle": "triangle*",
    "rectRot": "diamond*",
    "star": "star",
    "cross": "+",
    "crossRot": "x",
    "dash": "-",
}
DASHES = ("solid", "dashed", "dotted", "dashdotted", "densely dashed", "loosely dashed", "densely dotted", "dashdotdotted")
_DOT = "mark=*, mark size=.7pt, mark options={draw=black, fill=white, line width=.3pt}"


def _plot(options: str, places: Iterable[tuple[float, float]]) -> list[str]:
    return [rf"\addplot[{options}] coordinates {{", *(f"  ({exact(round(x, 6))},{exact(y)})" for x, y in places), "};"]


def _swapped_points(places: Iterable[tuple[float, float]]) -> list[str]:
    return [f"  ({exact(value)},{exact(round(place, 6))})" for place, value in places]


def _legend_entry(figure: dict, series: dict) -> list[str]:
    return [rf"\addlegendentry{{{escape_latex(series['name'])}}}"] if len(figure["series"]) > 1 else []


def _series_groups(figure: dict) -> Iterable[tuple[dict, list[dict], float, float]]:
    """(series, its groups, offset from the category position, width of a mark) of every series."""
    shifts, width = bars.series_offsets(len(figure["series"]))
    for index, series in enumerate(figure["series"]):
        yield series, [group for group in figure["groups"] if group["series"] == index], shifts[index], width


def _fill_options(figure: dict, series: dict) -> str:
    number = series["style"] % 8
    pattern = PATTERNS[number] if len(figure["series"]) > 1 else ""
    return f"fill=poolmark{number}" + (f", postaction={{pattern={pattern}, pattern color=white}}" if pattern else "")


def _marker_options(series: dict) -> str:
    return f"color=poolmark{series['style'] % 8}, mark={MARKS.get(series['marker'], '*')}, mark size=1.8pt"


def _interval(places: list[tuple[float, dict]], along: str = "y") -> list[str]:
    bounded = [(place, group) for place, group in places if group["low"] is not None and group["high"] is not None]
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


def _bars(figure: dict) -> list[str]:
    out = []
    for series, groups, shift, width in _series_groups(figure):
        several, single = (
            [(group["x"] + shift, group["center"]) for group in groups if (group["n"] < 2) == alone] for alone in (False, True)
        )
        fill = _fill_options(figure, series)
        bar = f"ybar, bar shift=0pt, bar width={exact(round(width * 0.94, 4))}, draw=none, {fill}, area legend"
        if several:
            out += _plot(f"only marks, {_marker_options(series)}" if is_log(figure) else bar, several) + _legend_entry(
                figure, series
            )
        if single:
            # a single run is a hollow marker without a bar
            hollow = f"only marks, {_marker_options(series)}, mark options={{fill=white, line width=.8pt}}"
            out += _plot(f"forget plot, {hollow}" if several else hollow, single)
            out += [] if several else _legend_entry(figure, series)
        out += _interval([(group["x"] + shift, group) for group in groups])
        out += _repetitions([dot for group in groups for dot in bars.spread_repetitions(group, shift, width)])
    return out


def _dots(figure: dict) -> list[str]:
    out = []
    if figure["kind"] == "ratio":
        out.append(rf"\draw[black!50] (axis cs:1,-0.5) -- (axis cs:1,{exact(len(figure['x']['values']) - 0.5)});")
    for series, groups, shift, width in _series_groups(figure):
        dots = [dot for group in groups for dot in bars.spread_repetitions(group, shift, width)]
        out += [rf"\addplot[forget plot, only marks, {_DOT}] coordinates {{", *_swapped_points(dots), "};"] if dots else []
        out += _interval([(group["x"] + shift, group) for group in groups], along="x")
        out += [
            rf"\addplot[only marks, {_marker_options(series)}] coordinates {{",
            *_swapped_points((group["x"] + shift, group["center"]) for group in groups),
            "};",
            *_legend_entry(figure, series),
        ]
    return out


def _lines(figure: dict) -> list[str]:
    out = []
    for index, series in enumerate(figure["series"]):
        numbered = lines.groups_by_number(figure, index)
        if not numbered:
            continue
        out += _plot(
            f"{_marker_options(series)}, {DASHES[series['style'] % 8]}, mark options={{solid}}",
            [(number, group["center"]) for number, group in numbered],
        )
        out += _legend_entry(figure, series) + _interval(numbered)
        out += _repetitions(
            [(number, point[0]) for number, group in numbered if len(group["points"]) > 1 for point in group["points"]]
        )
    return out


def _box(figure: dict) -> list[str]:
    out = []
    for series, groups, shift, width in _series_groups(figure):
        for group in groups:
            out += _one_box(group, group["x"] + shift, width * 0.4, _fill_options(figure, series))
        out += _repetitions([dot for group in groups for dot in bars.spread_repetitions(group, shift, width)])
        out += [rf"\addlegendimage{{area legend, draw=none, {_fill_options(figure, series)}}}", *_legend_entry(figure, series)]
    return out


def _one_box(group: dict, place: float, half: float, filled: str) -> list[str]:
    left, middle, right = (exact(round(x, 6)) for x in (place - half, place, place + half))
    if not group.get("box"):
        center = exact(group["center"])
        return [rf"\draw[thick] (axis cs:{left},{center}) -- (axis cs:{right},{center});"]
    low, lower, median, upper, high = map(exact, group["box"])
    return [
        rf"\draw (axis cs:{middle},{low}) -- (axis cs:{middle},{lower});",
        rf"\draw (axis cs:{middle},{upper}) -- (axis cs:{middle},{high});",
        rf"\filldraw[{filled}] (axis cs:{left},{lower}) rectangle (axis cs:{right},{upper});",
        rf"\draw[very thick] (axis cs:{left},{median}) -- (axis cs:{right},{median});",
    ]


def _scatter(figure: dict) -> list[str]:
    out = []
    for series, groups, _, _ in _series_groups(figure):
        out += _plot(f"only marks, {_marker_options(series)}", [(group["across"]["center"], group["center"]) for group in groups])
        out += _legend_entry(figure, series) + _interval([(group["across"]["center"], group) for group in groups])
        out += _interval([(group["center"], group["across"]) for group in groups], along="x")
        for group in groups if len(figure["groups"]) <= 24 and len(figure["x"]["values"]) > 1 else ():
            position = f"{exact(group['across']['center'])},{exact(group['center'])}"
            out.append(
                rf"\node[font=\tiny, anchor=south west, inner sep=1.5pt] at (axis cs:{position}) "
                rf"{{{escape_latex(figure['x']['values'][group['x']])}}};"
            )
    return out


def _heat(figure: dict) -> list[str]:
    low, high = figure["reach"]
    out = [r"\addplot[draw=none, forget plot] coordinates {(0,0)};"]
    for group in figure["groups"]:
        depth = round(15 + 75 * ((group["center"] - low) / (high - low) if high > low else 1))
        x, y = group["x"], group["series"]
        out.append(rf"\fill[poolmark0!{depth}!white] (axis cs:{x - 0.5},{y - 0.5}) rectangle (axis cs:{x + 0.5},{y + 0.5});")
        if len(figure["x"]["values"]) <= 10:
            out.append(
                rf"\node[font=\tiny, text={'white' if depth > 55 else 'black'}] at (axis cs:{x},{y}) "
                rf"{{{escape_latex(numbers.number(group['center']))}}};"
            )
    return out


KINDS: dict[str, Callable[[dict], list[str]]] = {
    "bars": _bars,
    "dots": _dots,
    "lines": _lines,
    "box": _box,
    "scatter": _scatter,
    "heat": _heat,
    "ratio": _dots,
}
