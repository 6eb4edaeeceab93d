"""Panel -> dot plot: each group a line of its own, centre, interval and every run, so that long names can be read."""

from __future__ import annotations

from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars
from webapp.figures.plain import Figure


def figure(selection: Selection, panel: Panel) -> Figure:
    """Position, not length, shows the value: the axis need not begin at zero, and says so."""
    made = bars.figure(selection, panel)
    made["kind"] = "dots"
    if made["scale"] == "linear":
        made["notes"].append("Dots are read by their place: the axis need not begin at zero.")
    return made
