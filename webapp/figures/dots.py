"""Panel -> dot plot: each group on a line of its own with centre, interval and every run; has room for long names."""

from __future__ import annotations

from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars, scales
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure


def figure(selection: Selection, panel: Panel) -> Figure:
    """Values are shown by position, so that the axis need not begin at zero; a note says so."""
    made = bars.figure(selection, panel)
    made["kind"] = "dots"
    if made["scale"] == "linear":
        made["notes"].append("Values are read from the position of the marks, so the axis need not start at zero.")
    return made


KIND = register(FigureKind("dots", "Dots", 2, figure, values=scales.around, rows="x"))
