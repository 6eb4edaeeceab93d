"""Curves over time for pgfplots: lines that end at gaps, bands over repetitions, and the phases behind them."""

from __future__ import annotations

from webapp.figures.notes import DASHED, marked, segments
from webapp.formats.canonical import canonical_number as exact
from webapp.formats.drawing import fitting, style
from webapp.formats.latex import escape_latex
from webapp.formats.pgf import axes
from webapp.formats.pgf.frame import DASHES, MARKS, PgfFrame, text_mm

_NAME_MM = 6.0


def draw(figure: dict, frame: PgfFrame) -> list[str]:
    """The phases, then for each curve its band and its line."""
    out = _phases(figure, frame)
    named = set()
    for curve in figure["curves"]:
        series = figure["series"][curve["series"]]
        colour = f"poolmarkline{series['style'] % 8}"
        parts = segments(curve)
        for part in parts if "low" in curve else ():
            there = [(curve["t"][at], curve["low"][at]) for at in part]
            back = [(curve["t"][at], curve["high"][at]) for at in reversed(part)]
            out += _plot(f"forget plot, draw=none, fill={colour}, fill opacity=.22", [*there, *back], " -- cycle")
        is_dashed = style.current().grey or figure["kind"] in DASHED
        dashes = DASHES[curve["series"] % len(DASHES)] if is_dashed else "solid"
        options = f"{colour}, line width=.6pt, line join=round" + ("" if dashes == "solid" else f", {dashes}")
        marks = marked(figure, curve)
        for part in parts:
            shown = options if curve["series"] not in named else f"forget plot, {options}"
            out += _plot(shown + _marks(series, part, marks), [(curve["t"][at], curve["v"][at]) for at in part])
            if curve["series"] not in named:
                out += _legend_entry(figure, series, frame)
            named.add(curve["series"])
    return out


def _marks(series: dict, part: range, marks: list[int]) -> str:
    """The marks of a segment; a point by itself is a short line."""
    own = [at - part.start + 1 for at in marks if at in part]
    if own:
        indices = ",".join(map(str, own))
        return (
            f", mark={MARKS.get(series['marker'], 'square*')}, mark size=1.4pt, mark indices={{{indices}}}, mark options={{solid}}"
        )
    return ", mark=-, mark size=.8pt" if len(part) == 1 else ", mark=none"


def _plot(options: str, points: list[tuple[float, float]], end: str = "") -> list[str]:
    return [rf"\addplot[{options}] coordinates {{", *(f"  ({exact(x)},{exact(y)})" for x, y in points), f"}}{end};"]


def _legend_entry(figure: dict, series: dict, frame: PgfFrame) -> list[str]:
    if len(figure["series"]) < 2:
        return []
    [name] = axes.legend_texts({"series": [series]}, frame.width, frame.size)
    return [rf"\addlegendentry{{{escape_latex(name)}}}"]


def _phases(figure: dict, frame: PgfFrame) -> list[str]:
    """A shade for each phase, with its name at the top where it has room."""
    out = []
    for at, phase in enumerate(figure.get("phases", ())):
        start, end = max(frame.x.low, phase["start"]), min(frame.x.high, phase["end"])
        corners = rf"(axis cs:{exact(start)},{exact(frame.y.low)}) rectangle (axis cs:{exact(end)},{exact(frame.y.high)})"
        out.append(rf"\fill[black!{4 if at % 2 else 8}] {corners};")
        wide = (end - start) / (frame.x.high - frame.x.low) * frame.width
        if wide >= _NAME_MM:
            name = fitting.cut(phase["name"], wide, lambda text: text_mm(text, frame.size))
            font = rf"font=\fontsize{{{frame.size:g}}}{{{frame.size * 1.2:g}}}\selectfont"
            place = rf"(axis cs:{exact((start + end) / 2)},{exact(frame.y.high)})"
            out.append(rf"\node[{font}, text=black!65, anchor=north, inner sep=1pt] at {place} {{{escape_latex(name)}}};")
    return out
