"""Panel -> grouped bars, from which the other kinds are made."""

from __future__ import annotations

from webapp.comparison.model import Group, Panel
from webapp.comparison.selection import Selection
from webapp.figures import naming
from webapp.figures.plain import Figure, Mark


def figure(selection: Selection, panel: Panel) -> Figure:
    """Bars of each value of x side by side, one for each series."""
    unit, factor = naming.panel_unit(selection, panel)
    style = naming.series_styles(panel.series)
    positions = ({x: i for i, x in enumerate(panel.xs)}, {name: i for i, name in enumerate(panel.series)})
    return {
        "kind": "bars",
        "title": naming.panel_title(selection, panel),
        "unit": unit,
        "better": naming.BETTER_LABELS.get(panel.better, ""),
        "scale": selection.scale,
        "x": {"label": naming.axis_title(selection), "values": [naming.x_label(selection, x) for x in panel.xs]},
        "series": [
            {"name": naming.series_label(selection, name), "style": style[name], "marker": naming.MARKERS[style[name]]}
            for name in panel.series
        ],
        "groups": [_mark(positions, group, factor) for group in panel.groups],
        "notes": [],
    }


def _mark(positions: tuple[dict[str, int], dict[str, int]], group: Group, factor: float) -> Mark:
    return {
        "x": positions[0][group.x],
        "series": positions[1][group.series],
        "center": group.center / factor,
        "low": None if group.low is None else group.low / factor,
        "high": None if group.high is None else group.high / factor,
        "n": group.runs,
        "configurations": group.configurations,
        "points": [[point.value / factor, point.address] for point in group.points],
        "verdict": naming.verdict_words(group),
        "flags": list(group.flags),
    }
