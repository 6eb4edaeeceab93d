"""Panel -> paired ratio plot: every group against the baseline, with the ratio of each matched pair."""

from __future__ import annotations

from math import isfinite

from webapp.comparison.model import Group, Panel, Verdict
from webapp.comparison.selection import Selection
from webapp.figures import bars, naming
from webapp.figures.plain import Figure, Mark


def figure(selection: Selection, panel: Panel) -> Figure | None:
    """The ratios of groups that have a baseline; None where no group has one. A bounded centre has no ratio."""
    judged = [
        (group, base, group.verdict, group.verdict.ratio)
        for group in panel.groups
        if group.verdict
        and group.verdict.ratio is not None
        and isfinite(group.verdict.ratio)
        and (base := _find_base(panel, group))
        and not (group.bound or base.bound)
    ]
    if not judged:
        return None
    made = bars.figure(selection, panel)
    marks = {(group.x, group.series): mark for group, mark in zip(panel.groups, made["groups"], strict=True)}
    groups = [_mark(marks[group.x, group.series], group, base, verdict, ratio) for group, base, verdict, ratio in judged]
    notes = ["A dot is a matched pair, the mark the ratio of all with its interval; 1 is the baseline."]
    bounded = sum(group.verdict is not None and group.verdict.ratio is None for group in panel.groups)
    if bounded:
        notes.append(f"Not drawn: {bounded} group{'' if bounded == 1 else 's'} with values that could not be measured.")
    return made | {
        "kind": "ratio",
        "groups": groups,
        "notes": notes,
        "scale": "log",
        "unit": f"ratio to {naming.baseline_label(selection, panel)}",
    }


def _find_base(panel: Panel, group: Group) -> Group | None:
    by_x = panel.baseline in panel.xs
    return next(
        (
            other
            for other in panel.groups
            if (
                other.x == panel.baseline and other.series == group.series
                if by_x
                else other.series == panel.baseline and other.x == group.x
            )
        ),
        None,
    )


def _mark(mark: Mark, group: Group, base: Group, verdict: Verdict, ratio: float) -> Mark:
    """The mark of the group with ratios in the place of values; each pair links to the group's first line."""
    mark = mark.copy()
    mark.pop("parts", None)
    first = group.points[0].address if group.points else ""
    pairs = [
        [group.matched[key].center / base.matched[key].center, first]
        for key in sorted(group.matched)
        if key in base.matched and base.matched[key].center > 0 and group.matched[key].center > 0
    ]
    return mark | {
        "center": ratio,
        "low": verdict.low,
        "high": verdict.high,
        "word": verdict.word,
        "pairs": len(pairs),
        "points": pairs or [[ratio, first]],
    }
