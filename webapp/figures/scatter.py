"""Two panels of one facet -> scatter plot of the second metric (x) and the first (y), a mark for each group with both."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.catalogue import METRICS
from webapp.comparison.model import Group, Panel
from webapp.comparison.selection import Selection
from webapp.figures import bars, naming, scales
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure, XPosition


def make_scatters(selection: Selection, panels: Sequence[Panel]) -> list[Figure | None]:
    """A scatter plot for the panel of the first metric of each facet; None for every other panel."""
    if len(selection.metrics) != 2:
        return [None] * len(panels)
    first, second = selection.metrics
    across = {panel.title: panel for panel in panels if panel.metrics == (second,)}
    return [
        _figure(selection, panel, across[panel.title]) if panel.metrics == (first,) and panel.title in across else None
        for panel in panels
    ]


def describe_lack(selection: Selection, panels: Sequence[Panel]) -> str:
    """Why no scatter plot can be drawn."""
    if len(selection.metrics) != 2:
        return "A scatter needs exactly two metrics."
    drawn = {metric for panel in panels if panel.groups for metric in panel.metrics}
    missing = [METRICS[metric].label for metric in selection.metrics if metric not in drawn]
    if missing:
        return f"A scatter needs a value of both metrics: none of {'; '.join(missing)} is drawn."
    return "A scatter needs a value of both metrics, and no group has both."


def _figure(selection: Selection, panel: Panel, across: Panel) -> Figure | None:
    unit, factor = naming.panel_unit(selection, across)
    made = bars.figure(selection, panel)
    counterparts = {(group.x, group.series): group for group in across.groups}
    both = [
        mark | {"across": _across(counterparts[group.x, group.series], factor)}
        for group, mark in zip(panel.groups, made["groups"], strict=True)
        if (group.x, group.series) in counterparts
    ]
    if not both:
        return None
    omitted = len(made["groups"]) - len(both)
    notes = [f"Not drawn: {omitted} group{'' if omitted == 1 else 's'} without a value of both metrics."] if omitted else []
    label = naming.metrics_label(selection.changed(facet=""), across)
    drawn: Figure = made | {
        "kind": "scatter",
        "groups": both,
        "notes": notes,
        "title": _title(selection, panel, across),
        "x": {
            "label": label,
            "values": made["x"]["values"],
            "unit": unit,
            "better": naming.BETTER_LABELS.get(across.better, ""),
        },
    }
    if "configured" in made["x"]:
        drawn["x"]["configured"] = made["x"]["configured"]
    return drawn


def _title(selection: Selection, panel: Panel, across: Panel) -> str:
    """Both metrics, and the workload: once where it is the same of both."""
    other = selection.changed(facet="")
    if panel.workload != across.workload:
        return f"{naming.panel_title(selection, panel)}, against {naming.panel_title(other, across)}"
    title = f"{naming.metrics_label(selection, panel)}, against {naming.metrics_label(other, across)}"
    return f"{title}: {panel.workload}" if panel.workload else title


def _across(group: Group, factor: float) -> XPosition:
    position: XPosition = {
        "center": group.center / factor,
        "low": None if group.low is None else group.low / factor,
        "high": None if group.high is None else group.high / factor,
    }
    if group.bound:
        position["bound"] = group.bound
    if group.open_ends:
        position["open"] = group.open_ends
    return position


KIND = register(
    FigureKind(
        "scatter",
        "Two metrics",
        5,
        lambda selection, panel: None,  # made of two panels: `make_scatters`
        across=scales.across,
        has_runs=False,
        has_model=False,
    )
)
