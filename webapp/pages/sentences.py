"""What a comparison shows, in plain sentences."""

from __future__ import annotations

from webapp.comparison import designs
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.labels import in_sentence
from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import METRIC, Selection
from webapp.figures import naming

MAX_SENTENCES = 6


def describe_design(comparison: Comparison) -> str:
    """What kind of comparison is drawn, and what follows from that."""
    axis = in_sentence(naming.axis_title(comparison.selection))
    if comparison.design == designs.CONTROLLED:
        if comparison.unrecorded:
            names = ", ".join(DIMENSIONS[name].label for name in comparison.unrecorded)
            return f"Controlled as far as known: only {axis} differs. Not recorded for every group: {names}."
        return f"Controlled comparison: of what is recorded only {axis} differs."
    if comparison.design == designs.AS_THEY_STAND:
        return "Systems as they stand: one workload on whole systems. What else differs is listed below."
    return "Open comparison: the runs of one workload, whatever else differs. It supports no claim."


def describe_claims(comparison: Comparison) -> list[str]:
    """What can be said against the baseline: a sentence for all groups of which the same is said; the first ones of many."""
    said: dict[tuple[str, ...], list[str]] = {}
    for panel in comparison.panels:
        for group in panel.groups:
            if group.verdict is not None:
                key, name = _statement(comparison.drawn, panel, group)
                said.setdefault(key, []).append(name)
    sentences = [_sentence(key, names) for key, names in said.items()]
    return sentences[:MAX_SENTENCES]


def _statement(selection: Selection, panel: Panel, group: Group) -> tuple[tuple[str, ...], str]:
    """(place, claim, baseline and doubts; the name of the group with its ratio)."""
    verdict = group.verdict
    assert verdict is not None
    by_x = panel.baseline in panel.xs
    name = naming.x_label(selection, group.x) if by_x else naming.series_label(selection, group.series)
    ratio = naming.ratio_words(verdict)
    about = "; ".join(verdict.doubts) if verdict.word else verdict.withheld
    claim = naming.claim_label(group) if verdict.word else ""
    return (_where(selection, panel, group), claim, naming.baseline_label(selection, panel), about), f"{name} {ratio}".strip()


def _sentence(key: tuple[str, ...], names: list[str]) -> str:
    """`lz4 1.5x (1.4 to 1.6) is faster than off in this session: from memory.`"""
    where, claim, base, about = key
    listed = ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
    are = "is" if len(names) == 1 else "are"
    first, _, rest = claim.partition(" ")
    if not claim:
        text = f"{listed} against {base}: {about}" if about else f"{listed} against {base}"
    elif first == "no":
        text = f"no difference seen against {base}: {listed}"
    else:
        text = f"{listed} {are} {first} than {base} {rest}".rstrip()
    text = f"{where}{text}" if where else text[:1].upper() + text[1:] if claim and first == "no" else text
    return f"{text}; {about}." if claim and about else f"{text}."


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
