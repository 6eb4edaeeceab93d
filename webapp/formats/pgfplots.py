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
_PANELS = 2
_MOST_LABELS = 40
_MOST_BROKEN = 6
_LETTERS_ACROSS = 44  # of \scriptsize, in the narrower columns of journals
_LONGEST = 32


def to_pgfplots(figures: list[dict], stamp: Stamp) -> str:
    r"""`figure` environments, `\linewidth` wide, labelled `fig:poolmark-ID`; the third panel begins another (`...-2`)."""
    lines = head(stamp, NEEDS, "A figure for LaTeX. Needs in the preamble:")
    used = sorted({series["style"] % 8 for figure in figures for series in figure["series"]})
    lines += [rf"\definecolor{{poolmark{at}}}{{HTML}}{{{style.colour(at)[1:].upper()}}}" for at in used]
    for first in range(0, len(figures), _PANELS):
        lines += _float(figures[first:first + _PANELS], stamp, first // _PANELS + 1, titled=len(figures) > 1 or not stamp.title)
    return "\n".join(lines) + "\n"


def _float(figures: list[dict], stamp: Stamp, number: int, titled: bool) -> list[str]:
    lines = [r"\begin{figure}", r"\centering"]
    for at, figure in enumerate(figures):
        if at:
            lines.append(r"\par\medskip")
        lines += _picture(figure, titled)
    name = stamp.address.rsplit("/", 1)[-1] + (f"-{number}" if number > 1 else "")
    more = ", continued" if number > 1 else ""
    return [*lines, rf"\caption{{{escaped(stamp.title or 'Frozen comparison')}{more}}}", rf"\label{{fig:poolmark-{name}}}",
            r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize\raggedright", note(stamp), r"\end{minipage}",
            r"\end{figure}"]


def _picture(figure: dict, titled: bool) -> list[str]:
    kind = figure.get("kind") or "bars"
    title = [rf"\emph{{{escaped(figure['title'])}}}\par\smallskip"] if titled else []
    return [*title, r"\begin{tikzpicture}", r"\begin{axis}[", *(f"  {line}," for line in _axis(figure)), "]",
            *KINDS.get(kind, _bars)(figure), r"\end{axis}", r"\end{tikzpicture}"]


def _axis(figure: dict) -> list[str]:
    """The keys of the axis. Its labels take less than 5 em, so that the picture never sticks out of the column."""
    unit = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    low = ["ymode=log, log ticks with fixed point"] if figure.get("scale") == "log" else ["ymin=0"] if _from_zero(figure) else []
    legend = ["legend style={draw=none, fill=none, font=\\scriptsize, at={(0.5,1.02)}, anchor=south, legend columns=4, "
              "/tikz/every even column/.append style={column sep=6pt}}"] if len(figure["series"]) > 1 else []
    return ["scale only axis", r"width=\dimexpr\linewidth-5em\relax", r"height=.5\linewidth", f"ylabel={{{escaped(unit)}}}",
            *_x_axis(figure), "tick label style={font=\\scriptsize}", "label style={font=\\small}",
            "xtick pos=bottom, ytick pos=left", "axis lines*=left", "ymajorgrids, major grid style={black!15}",
            "scaled y ticks=false", "y tick label style={/pgf/number format/fixed}", *low, *legend]


def _x_axis(figure: dict) -> list[str]:
    """Places, labels and title. Labels are level where they fit, broken where they are few, else upright and cut."""
    labels = figure["x"]["values"]
    step = max(1, -(-len(labels) // _MOST_LABELS))
    shown = range(0, len(labels), step)
    level = max(map(len, labels), default=0) * len(shown) <= _LETTERS_ACROSS
    cut = [text if level or len(text) <= _LONGEST else text[:_LONGEST - 1] + "\u2026" for text in labels]
    out = [f"xmin=-0.5, xmax={max(.5, len(labels) - .5)}", "xtick={" + ",".join(map(str, shown)) + "}",
           "xticklabels={" + ",".join("{" + escaped(cut[at]) + "}" for at in shown) + "}"]
    if not level and len(labels) <= _MOST_BROKEN:
        share = exact(round(.8 / len(labels), 3))
        out.append(rf"x tick label style={{text width={share}\linewidth, align=center, anchor=north}}")
    elif not level:
        out.append("x tick label style={rotate=90, anchor=east}")
    if figure["x"]["label"]:
        named = f" (one in {step} named)" if step > 1 else ""
        out.append(f"xlabel={{{escaped(figure['x']['label'])}{named}}}")
    return out


def _from_zero(figure: dict) -> bool:
    return all(group["center"] >= 0 for group in figure["groups"])


def _bars(figure: dict) -> list[str]:
    shifts, width = bars.offsets(len(figure["series"]))
    out = []
    for at, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == at]
        number = series["style"] % 8
        pattern = PATTERNS[number] if len(shifts) > 1 else ""
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
    return [r"\addplot[forget plot, draw=none, mark=none, error bars/.cd, y dir=both, y explicit, "
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
