"""Panel -> heat map: x by series, such as iozone's surface of file size and record size."""

from __future__ import annotations

from webapp.comparison.dimensions import DIMENSIONS, in_sentence
from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure


def figure(selection: Selection, panel: Panel) -> Figure | None:
    """A cell for each group; None unless x and series are dimensions and there is a group."""
    if selection.x not in DIMENSIONS or selection.series not in DIMENSIONS or not panel.groups:
        return None
    made = bars.figure(selection, panel)
    made["kind"], rows = "heat", DIMENSIONS[selection.series].label
    centers = [center for mark in made["groups"] for center in (mark["center"], *mark.get("parts", ()))]
    made["rows"] = rows
    made["reach"] = [min(centers), max(centers)]
    made["notes"] += [f"Rows: {in_sentence(rows)}. The stronger the colour, the higher the value; empty cells were not measured."]
    return made


def describe_lack(selection: Selection, panel: Panel) -> str:
    """Why there is no heat map."""
    if selection.x not in DIMENSIONS or selection.series not in DIMENSIONS:
        return "A heat map needs a dimension across and one as series."
    return "A heat map needs a measured value, and there is none."


KIND = register(
    FigureKind(
        "heat", "Heat map", 6, figure, describe_lack, rows="series", has_legend=False, has_runs=False, has_model=False, mark="cell"
    )
)
