"""What a comparison shows, in plain sentences."""

from __future__ import annotations

from webapp.comparison import designs
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import METRIC, Selection
from webapp.figures import naming
from webapp.formatting import numbers

MAX_SENTENCES = 6


def describe_design(comparison: Comparison) -> str:
    """What kind of comparison is drawn, and what follows from that."""
    axis = naming.axis_title(comparison.selection)
    axis = axis if axis[:2].isupper() else axis[:1].lower() + axis[1:]
    if comparison.design == designs.CONTROLLED:
        if comparison.unrecorded:
            names = ", ".join(DIMENSIONS[name].label for name in comparison.unrecorded)
            return f"Controlled as far as known: only {axis} differs. Not recorded for every group: {names}."
        return f"Controlled comparison: of what is recorded only {axis} differs."
    if comparison.design == designs.AS_THEY_STAND:
        return "Systems as they stand: one workload on whole systems. What else differs is listed below."
    return "Open comparison: the runs of one workload, whatever else differs. It supports no claim."


def describe_claims(comparison: Comparison) -> list[str]:
    """A sentence for each group that is compared with the baseline; the first ones of many."""
    sentences = [
        _sentence(comparison.selection, panel, group)
        for panel in comparison.panels
        for group in panel.groups
        if group.verdict is not None
    ]
    return sentences[:MAX_SENTENCES]


def _sentence(selection: Selection, panel: Panel, group: Group) -> str:
    verdict = group.verdict
    assert verdict is not None
    name, base = naming.x_label(selection, group.x), naming.baseline_label(selection, panel)
    if panel.baseline not in panel.xs:
        name = naming.series_label(selection, group.series)
    where = _where(selection, panel, group)
    ratio = naming.ratio_words(verdict)
    if verdict.low is not None and verdict.high is not None:
        ratio += f" ({numbers.number(verdict.low)} to {numbers.number(verdict.high)})"
    if not verdict.word:
        return f"{where}{name} against {base}: {'; '.join(part for part in (ratio, verdict.withheld) if part)}."
    claim = naming.claim_label(group)
    first, _, rest = claim.partition(" ")
    said = f"{claim} between {name} and {base}" if first == "no" else f"{name} is {first} than {base} {rest}".rstrip()
    said = said[:1].upper() + said[1:] if not where and first == "no" else said
    return f"{where}{said}: {'; '.join(part for part in (ratio, *verdict.doubts) if part)}."


def _where(selection: Selection, panel: Panel, group: Group) -> str:
    """The metric, series or facet of a group, where the figure has several."""
    parts = []
    if selection.series == METRIC or len(selection.metrics) > 1:
        parts.append(naming.series_label(selection, group.metric))
    elif selection.series in DIMENSIONS and panel.baseline in panel.xs and len(panel.series) > 1:
        parts.append(naming.series_label(selection, group.series))
    if selection.facet and panel.title:
        parts.append(panel.title)
    return f"{', '.join(parts)}: " if parts else ""
