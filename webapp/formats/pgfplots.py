"""The figure of a permalink as TikZ code for pgfplots: LaTeX sets its text in the paper's own font."""
from __future__ import annotations

from collections.abc import Callable

from webapp.formats.canonical import number as exact
from webapp.formats.drawing import bars, style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.latex import escaped, head, note

NEEDS = [r"\usepackage{pgfplots}", r"\pgfplotsset{compat=1.18}", r"\usetikzlibrary{patterns}", r"\usepackage{url} % or hyperref"]
PATTERNS = ("", "north east lines", "north west lines", "horizontal lines", "crosshatch", "vertical lines", "grid",
            "crosshatch dots")
_MOST_LABELS = 40


def to_pgfplots(figures: list[dict], stamp: Stamp) -> str:
    r"""A `figure` environment, `\linewidth` wide; labelled `fig:poolmark-ID`."""
    name = stamp.address.rsplit("/", 1)[-1]
    lines = head(stamp, NEEDS, "A figure for LaTeX. Needs in the preamble:")
    lines += [r"\begin{figure}", r"\centering"]
    used = sorted({series["style"] % 8 for figure in figures for series in figure["series"]})
    lines += [rf"\definecolor{{poolmark{at}}}{{HTML}}{{{style.colour(at)[1:].upper()}}}" for at in used]
    for at, figure in enumerate(figures):
        if at:
            lines.append(r"\par\medskip")
        lines += _picture(figure, titled=len(figures) > 1 or not stamp.title)
    lines += [rf"\caption{{{escaped(stamp.title or 'Frozen comparison')}}}", rf"\label{{fig:poolmark-{name}}}",
              r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize\raggedright", note(stamp), r"\end{minipage}",
              r"\end{figure}"]
    return "\n".join(lines) + "\n"


def _picture(figure: dict, titled: bool) -> list[str]:
    kind = figure.get("kind") or "bars"
    return [r"\begin{tikzpicture}", r"\begin{axis}[", *(f"  {line}," for line in _axis(figure, titled)), "]",
            *KINDS[kind](figure), r"\end{axis}", r"\end{tikzpicture}"]


def _axis(figure: dict, titled: bool) -> list[str]:
    unit = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    labels = figure["x"]["values"]
    step = max(1, -(-len(labels) // _MOST_LABELS))
    shown = range(0, len(labels), step)
    slanted = sum(map(len, labels)) > 48
    out = [r"width=\linewidth", r"height=.62\linewidth", f"ylabel={{{escaped(unit)}}}",
           f"xmin=-0.5, xmax={max(.5, len(labels) - .5)}",
           "xtick={" + ",".join(map(str, shown)) + "}",
           "xticklabels={" + ",".join("{" + escaped(labels[at]) + "}" for at in shown) + "}",
           "tick label style={font=\\scriptsize}", "label style={font=\\small}", "xtick pos=bottom, ytick pos=left",
           "axis lines*=left", "ymajorgrids, major grid style={black!15}", "scaled y ticks=false",
           "y tick label style={/pgf/number format/fixed}"]
    if slanted:
        out.append("x tick label style={rotate=40, anchor=north east}")
    if figure["x"]["label"]:
        named = f" (every {step} named)" if step > 1 else ""
        out.append(f"xlabel={{{escaped(figure['x']['label'])}{named}}}")
    if titled:
        out.append(f"title={{{escaped(figure['title'])}}}, title style={{font=\\small}}")
    out.append("ymode=log" if figure.get("scale") == "log" else "ymin=0" if _from_zero(figure) else "ymin=")
    if len(figure["series"]) > 1:
        out += ["legend style={draw=none, font=\\scriptsize, at={(0.5,-0.32)}, anchor=north, legend columns=4, "
                "/tikz/every even column/.append style={column sep=6pt}}"]
    return [line for line in out if not line.endswith("=")]


def _from_zero(figure: dict) -> bool:
    return all(group["center"] >= 0 for group in figure["groups"])


def _bars(figure: dict) -> list[str]:
    shifts, width = bars.offsets(len(figure["series"]))
    out = []
    for at, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == at]
        number, pattern = series["style"] % 8, PATTERNS[series["style"] % 8]
        over = f", postaction={{pattern={pattern}, pattern color=white}}" if pattern else ""
        out += [rf"\addplot[ybar, bar shift=0pt, bar width={exact(round(width * .94, 4))}, draw=none, fill=poolmark{number}{over}, "
                r"area legend] coordinates {", *_coordinates(groups, shifts[at]), "};"]
        if len(figure["series"]) > 1:
            out.append(rf"\addlegendentry{{{escaped(series['name'])}}}")
        out += _intervals(groups, shifts[at]) + _repetitions(groups, shifts[at], width)
    return out


def _coordinates(groups: list[dict], shift: float) -> list[str]:
    return [f"  ({exact(round(group['x'] + shift, 4))},{exact(group['center'])})" for group in groups]


def _intervals(groups: list[dict], shift: float) -> list[str]:
    told = [group for group in groups if group["low"] is not None and group["high"] is not None]
    if not told:
        return []
    return [r"\addplot[forget plot, only marks, mark=none, error bars/.cd, y dir=both, y explicit, "
            r"error bar style={black, line width=.5pt}, error mark options={rotate=90, mark size=1.5pt, black}] coordinates {",
            *(f"  ({exact(round(group['x'] + shift, 4))},{exact(group['center'])}) "
              f"+= (0,{exact(max(0.0, group['high'] - group['center']))}) -= (0,{exact(max(0.0, group['center'] - group['low']))})"
              for group in told), "};"]


def _repetitions(groups: list[dict], shift: float, width: float) -> list[str]:
    spread = [(group["x"] + shift + width * .6 * ((at + .5) / len(group["points"]) - .5), point[0])
              for group in groups if len(group["points"]) > 1 for at, point in enumerate(group["points"])]
    if not spread:
        return []
    return [r"\addplot[forget plot, only marks, mark=*, mark size=.8pt, mark options={draw=black, fill=white, line width=.3pt}] "
            "coordinates {", *(f"  ({exact(round(x, 4))},{exact(y)})" for x, y in spread), "};"]


KINDS: dict[str, Callable[[dict], list[str]]] = {"bars": _bars}
