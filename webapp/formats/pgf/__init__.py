"""The figure of a permalink as TikZ code for pgfplots: LaTeX sets its text in the paper's font.

`axes` writes the keys of an axis, `marks` the plots in it; both read the figures of `webapp/figures/plain.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.figures.notes import print_notes
from webapp.formats.drawing import style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.latex import escape_latex, file_header, stamp_note
from webapp.formats.pgf import axes, marks
from webapp.formats.pgf.floats import PgfPanel, make_floats
from webapp.formats.pgf.frame import DEFAULT, PgfSetting

__all__ = ["NEEDS", "PgfSetting", "to_pgfplots"]

NEEDS = [r"\usepackage{pgfplots}", r"\pgfplotsset{compat=1.18}", r"\usetikzlibrary{patterns}", r"\usepackage{url} % or hyperref"]
_FAMILIES = {"": "", "sans": r"\sffamily", "serif": r"\rmfamily"}
"""Font of a figure -> its command; of '' the paper's."""
_WIDE_MM = 130.0
"""Width from which on a figure is set over both columns."""


def to_pgfplots(figures: list[dict], stamp: Stamp, setting: PgfSetting = DEFAULT, headings: Sequence[str] = ()) -> str:
    r"""`figure` environments labelled `fig:poolmark-ID`, further floats `...-2`; as wide as the line, or as `setting` says, with
    labels that cover no other there. `headings`: of each of several panels of a bare figure."""
    wanted = "" if setting.width is None else f" It is {setting.width:g} mm wide."
    lines = file_header(stamp, NEEDS, f"A figure for LaTeX.{wanted} Needs in the preamble:")
    with style.applied(setting.look):
        for number in sorted({series["style"] % 8 for figure in figures for series in figure["series"]} | {0}):
            for name, colour in (("", style.colour(number)), ("line", style.line_colour(number))):
                lines.append(rf"\definecolor{{poolmark{name}{number}}}{{HTML}}{{{colour[1:].upper()}}}")
        several = len(figures) > 1 or not stamp.title
        titles = list(headings) if setting.look.is_bare else [figure["title"] if several else "" for figure in figures]
        for number, panels in enumerate(make_floats(figures, titles or [""] * len(figures), setting), 1):
            lines += _float(panels, stamp, number, setting, len(figures) > 1)
    return "\n".join(lines) + "\n"


def _float(panels: list[PgfPanel], stamp: Stamp, number: int, setting: PgfSetting, several: bool) -> list[str]:
    environment = "figure*" if setting.planned > _WIDE_MM else "figure"
    lines = [rf"\begin{{{environment}}}", r"\centering"]
    for index, panel in enumerate(panels):
        if index:
            lines.append(r"\par\medskip")
        lines += _picture(panel.figure, panel.title if several or not setting.look.is_bare else "", setting)
    name = re.sub(r"[^0-9A-Za-z]+", "-", stamp.address.rsplit("/", 1)[-1]) + (f"-{number}" if number > 1 else "")
    continued = ", continued" if number > 1 else ""
    caption = f"{{{escape_latex(stamp.title or 'Frozen comparison')}{continued}}}"
    lines += [
        rf"\caption{setting.caption if setting.caption and number == 1 else caption}",
        rf"\label{{fig:poolmark-{name}}}",
    ]
    if not setting.look.is_bare:
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize\raggedright", stamp_note(stamp), r"\end{minipage}"]
    return [*lines, rf"\end{{{environment}}}"]


def _picture(figure: dict, title: str, setting: PgfSetting) -> list[str]:
    heading = [rf"\emph{{{escape_latex(title)}}}\par\smallskip"] if title else []
    notes: list[str] = []
    if not setting.look.is_bare:
        heading += [rf"{{\footnotesize {escape_latex(figure['subtitle'])}\par}}\smallskip"] if figure.get("subtitle") else []
        sentences = print_notes([figure])
        notes = [rf"\par{{\footnotesize {' '.join(map(escape_latex, sentences))}\par}}"] if sentences else []
    keys, frame = axes.make_axis(figure, setting)
    return [
        *([rf"\begingroup{family}"] if (family := _FAMILIES[setting.family]) else []),
        *heading,
        r"\begin{tikzpicture}",
        r"\begin{axis}[",
        *(f"  {line}," for line in keys),
        "]",
        *marks.head_legend(figure, frame),
        *marks.KINDS[figure.get("kind") or "bars"](figure, frame),
        r"\end{axis}",
        r"\end{tikzpicture}",
        *notes,
        *([r"\endgroup"] if family else []),
    ]
