"""Panel -> grouped bars, from which the other kinds are made."""

from __future__ import annotations

from webapp.comparison.model import EmptyPlace, Group, Panel
from webapp.comparison.selection import Selection
from webapp.figures import author_notes, naming, notes
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure, Mark

MAX_OPEN = 500
"""Runs without a number of a group that are drawn, each at its bound."""


def figure(selection: Selection, panel: Panel) -> Figure:
    """Bars of each value of x side by side, one for each series."""
    unit, factor = naming.panel_unit(selection, panel)
    style = naming.series_styles(panel.series)
    positions = ({x: i for i, x in enumerate(panel.xs)}, {name: i for i, name in enumerate(panel.series)})
    figure: Figure = {
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
        "notes": [panel.others] if panel.others else [],
    }
    if legend := naming.legend_title(selection):
        figure["legend"] = legend
    author_notes.add_values(selection, panel, figure)
    if panel.subtitle:
        figure["subtitle"] = panel.subtitle
    if panel.empty:
        figure["empty"] = [
            {"x": positions[0][place.x], "series": positions[1][place.series], "text": describe_empty(place)}
            for place in panel.empty
            if place.series in positions[1]
        ]
    return figure


def describe_empty(place: EmptyPlace) -> str:
    """What stands at an empty place: `not run with this workload; has file size 256 MiB (3 runs)`."""
    has = "; ".join(describe_other_workload(label, count) for label, count, _ in place.has)
    return f"{describe_reason(place)}; has {has}" if has else describe_reason(place)


def describe_reason(place: EmptyPlace) -> str:
    """Why a place is empty: `not run with this workload`, `not run with -e`, `run but not drawn`, `without a value: 3 failed`."""
    unmeasured = ", ".join(f"{count.count} {notes.reason(count.reason, count.error)}" for count in place.unmeasured)
    if unmeasured:
        return f"without a value: {unmeasured}"
    return notes.NOT_ALIKE if place.was_run else f"{notes.NOT_RUN} {place.lacks or 'with this workload'}"


def describe_other_workload(label: str, runs: int) -> str:
    """A workload that an empty place has: `file size 256 MiB (3 runs)`."""
    return f"{label} ({runs} run{'' if runs == 1 else 's'})"


def _points(group: Group, factor: float) -> list[list]:
    """Every run with the address of its line; behind it the side on which the true value lies of one that is drawn at a bound."""
    points: list[list] = [[point.value / factor, point.address, *([point.side] if point.side else [])] for point in group.points]
    return points + [[run.bound / factor, run.address, run.side] for run in group.bounded[:MAX_OPEN] if run.bound is not None]


def _mark(positions: tuple[dict[str, int], dict[str, int]], group: Group, factor: float) -> Mark:
    mark: Mark = {
        "x": positions[0][group.x],
        "series": positions[1][group.series],
        "center": group.center / factor,
        "low": None if group.low is None else group.low / factor,
        "high": None if group.high is None else group.high / factor,
        "n": group.n,
        "configurations": group.configurations,
        "points": _points(group, factor),
        "verdict": naming.verdict_words(group),
        "flags": list(group.flags),
    }
    if group.bound:
        mark["bound"] = group.bound
    if group.open_ends:
        mark["open"] = group.open_ends
    if len(group.parts) > 1:
        mark["parts"] = [part / factor for part in group.parts]
    return mark


KIND = register(FigureKind("bars", "Bars", 1, figure, is_filled=True))
