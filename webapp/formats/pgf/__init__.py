"""The figure of a permalink as TikZ code for pgfplots: LaTeX sets its text in the paper's font.

`axes` writes the keys of an axis, `marks` the plots in it; both read the figures of `webapp/figures/plain.py`.
"""

from __future__ import annotations

from webapp.figures.notes import print_notes
from webapp.formats.drawing import style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.latex import escape_latex, file_header, stamp_note
from webapp.formats.pgf import axes, marks

NEEDS = [r"\usepackage{pgfplots}", r"\pgfplotsset{compat=1.18}", r"\usetikzlibrary{patterns}", r"\usepackage{url} % or hyperref"]
_PANELS = 2
"""Panels of one float: more may be higher than a page."""


def to_pgfplots(figures: list[dict], stamp: Stamp) -> str:
    r"""`figure` environments, `\linewidth` wide, labelled `fig:poolmark-ID`, further floats `...-2`."""
    lines = file_header(stamp, NEEDS, "A figure for LaTeX. Needs in the preamble:")
    used = sorted({series["style"] % 8 for figure in figures for series in figure["series"]} | {0})
    lines += [rf"\definecolor{{poolmark{number}}}{{HTML}}{{{style.colour(number)[1:].upper()}}}" for number in used]
    for first in range(0, len(figures), _PANELS):
        lines += _float(figures[first : first + _PANELS], stamp, first // _PANELS + 1, titled=len(figures) > 1 or not stamp.title)
    return "\n".join(lines) + "\n"


def _float(figures: list[dict], stamp: Stamp, number: int, titled: bool) -> list[str]:
    lines = [r"\begin{figure}", r"\centering"]
    for index, figure in enumerate(figures):
        if index:
            lines.append(r"\par\medskip")
        lines += _picture(figure, titled)
    name = stamp.address.rsplit("/", 1)[-1] + (f"-{number}" if number > 1 else "")
    continued = ", continued" if number > 1 else ""
    return [
        *lines,
        rf"\caption{{{escape_latex(stamp.title or 'Frozen comparison')}{continued}}}",
        rf"\label{{fig:poolmark-{name}}}",
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        stamp_note(stamp),
        r"\end{minipage}",
        r"\end{figure}",
    ]


def _picture(figure: dict, titled: bool) -> list[str]:
    title = [rf"\emph{{{escape_latex(figure['title'])}}}\par\smallskip"] if titled else []
    subtitle = [rf"{{\footnotesize {escape_latex(figure['subtitle'])}\par}}\smallskip"] if figure.get("subtitle") else []
    sentences = print_notes([figure])
    notes = [rf"\par{{\footnotesize {' '.join(map(escape_latex, sentences))}\par}}"] if sentences else []
    return [
        *title,
        *subtitle,
        r"\begin{tikzpicture}",
        r"\begin{axis}[",
        *(f"  {line}," for line in axes.axis_keys(figure)),
        "]",
        *marks.KINDS[figure.get("kind") or "bars"](figure),
        r"\end{axis}",
        r"\end{tikzpicture}",
        *notes,
    ]
