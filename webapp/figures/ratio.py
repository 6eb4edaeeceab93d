"""Panel -> ratio plot: every group against the baseline."""

from __future__ import annotations

from math import isfinite

from webapp.comparison.model import Group, Panel, Verdict
from webapp.comparison.selection import Selection
from webapp.figures import bars, naming, scales
from webapp.figures.kind import FigureKind, register
from webapp.figures.plain import Figure, Mark


def figure(selection: Selection, panel: Panel) -> Figure | None:
    """The ratios of groups that have a baseline; None where no group has one. A bounded centre has no ratio."""
    judged = [
        (group, verdict, verdict.ratio)
        for group in panel.groups
        if (verdict := group.verdict) and verdict.ratio is not None and isfinite(verdict.ratio) and not verdict.ratio_bound
    ]
    if not judged:
        return None
    made = bars.figure(selection, panel)
    marks = {(group.x, group.series): mark for group, mark in zip(panel.groups, made["groups"], strict=True)}
    groups = [_mark(marks[group.x, group.series], group, verdict, ratio) for group, verdict, ratio in judged]
    notes = [*made["notes"], "The mark is the ratio to the baseline with its interval; 1 is the baseline."]
    bounded = sum(group.verdict is not None and bool(group.verdict.ratio_bound) for group in panel.groups)
    if bounded:
        notes.append(f"Not drawn: {bounded} group{'' if bounded == 1 else 's'} with values that could not be measured.")
    return made | {
        "kind": "ratio",
        "groups": groups,
        "notes": notes,
        "scale": "log",
        "unit": f"ratio to {naming.baseline_label(selection, panel)}",
    }


def _mark(mark: Mark, group: Group, verdict: Verdict, ratio: float) -> Mark:
    """The mark of the group with its ratio in the place of its values, and a link to its first line."""
    mark = mark.copy()
    mark.pop("parts", None)
    first = group.points[0].address if group.points else ""
    return mark | {
        "center": ratio,
        "low": verdict.low,
        "high": verdict.high,
        "word": verdict.word,
        "pairs": verdict.paired,
        "points": [[ratio, first]],
    }


def describe_lack(selection: Selection, panel: Panel) -> str:
    """Why no ratio can be drawn."""
    if not panel.baseline:
        return "Ratios need a baseline."
    bounded = any(group.verdict is not None and group.verdict.ratio_bound for group in panel.groups)
    what = "is more than a bound" if bounded else "can be said"
    return f"No ratio to {naming.baseline_label(selection, panel)} {what}."


KIND = register(
    FigureKind(
        "ratio",
        "Ratios to the baseline",
        7,
        figure,
        describe_lack,
        values=scales.around_one,
        rows="x",
        has_runs=False,
        has_model=False,
    )
)
