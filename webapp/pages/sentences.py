"""What a comparison shows, in plain sentences. They repeat the judged claims; they judge nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ingest.catalogue import LESS, METRICS
from webapp import figures
from webapp.comparison import compared_set
from webapp.comparison.dimensions import AGGREGATE, DIMENSIONS, in_sentence, value_label
from webapp.comparison.model import Comparison, Group, Panel, Verdict
from webapp.comparison.selection import METRIC
from webapp.comparison.sets.core_keys import PLACES
from webapp.figures import naming, notes
from webapp.formatting import numbers

_VERBS = {
    "write": "wrote",
    "rewrite": "rewrote",
    "read": "read",
    "reread": "reread",
    "random_read": "read at random",
    "random_write": "wrote at random",
    "sync_write": "wrote synchronously",
    "write_char": "wrote by character",
    "read_char": "read by character",
    "copy": "copied",
    "extract": "extracted",
    "archive": "archived",
    "transfer": "transferred",
    "file_create": "created files",
    "file_stat": "read the attributes of files",
    "file_read": "read files",
    "file_remove": "removed files",
    "seek": "did random seeks",
}
"""What was done, in the past tense, for rates; other operations ran."""
_TAIL = "p99"
"""The percentile of a profile that its sentence names."""
_SCOPES = ("machines", "systems", "system", "sessions", "session")
"""Scopes of claims, widest first."""


def describe_design(comparison: Comparison) -> str:
    """What kind of comparison is drawn, and what follows from that; of a single value that nothing is compared."""
    axes = [axis for axis in ("x", "series", "facet") if getattr(comparison.selection, axis) in DIMENSIONS]
    if comparison.design is None:
        several = len({group.metric for group in comparison.groups}) > 1
        return (
            f"One value of {'each metric' if several else _labels(comparison, axes) or 'all runs'} is drawn: nothing is compared."
        )
    if "tool" in comparison.selection.axes:
        return "Along tools only sizes and access are held equal: what else each tool does is its own. It supports no claim."
    varying = [axis for axis in axes if _varies(comparison, axis)]
    what, differ = _labels(comparison, varying), "differs" if len(varying) == 1 else "differ"
    if comparison.design == compared_set.CONTROLLED:
        if comparison.unrecorded:
            names = ", ".join(DIMENSIONS[name].label for name in comparison.unrecorded)
            return f"Controlled as far as known: only {what} {differ}. Not recorded for every group: {names}."
        return f"Controlled comparison: of what is recorded only {what} {differ}."
    if comparison.design == compared_set.AS_THEY_STAND:
        return "Systems as they stand: one workload on whole systems. What else differs is listed below."
    return "Open comparison: the runs of one workload, whatever else differs. It supports no claim."


def _labels(comparison: Comparison, axes: Sequence[str]) -> str:
    """`compression and file system`"""
    return " and ".join(in_sentence(DIMENSIONS[getattr(comparison.selection, axis)].label) for axis in axes)


def _varies(comparison: Comparison, axis: str) -> bool:
    """Whether several values of `x`, `series` or `facet` are drawn of one metric."""
    values: dict[str, set[str]] = {}
    for group in comparison.groups:
        values.setdefault(group.metric, set()).add(getattr(group, axis))
    return any(len(of_metric) > 1 for of_metric in values.values())


def summarise(comparison: Comparison) -> str:
    """The figure in one sentence: the widest claim, with the largest difference of those; the ratio and what is missing where
    nothing can be claimed; what is shown where nothing is compared. Empty without a figure."""
    comparison = replace(comparison, panels=figures.drawn_panels(comparison))
    judged = [(panel, group, group.verdict) for panel in comparison.panels for group in panel.groups if group.verdict is not None]
    claimed = _overall_claims(comparison) or [one for one in judged if one[2].word]
    if claimed:
        differing = [one for one in claimed if not _is_no_difference(one[2])]
        if differing:
            first = min(differing, key=lambda one: _rank(one[2]))
            return _claim(comparison, *first, len(differing)) + _extreme(comparison, *first)
        first = min(claimed, key=lambda one: _rank(one[2]))
        return _no_difference(comparison, *first, len(claimed)) + _extreme(comparison, *first)
    rated = [one for one in judged if one[2].ratio is not None]
    if rated:
        return _no_claim(comparison, rated)
    return _shown(comparison)


def _overall_claims(comparison: Comparison) -> list[tuple[Panel, Group, Verdict]]:
    """The claims about all machines of a panel: wider than those about each of them."""
    return [
        (
            panel,
            group,
            Verdict(whole.ratio, whole.low, whole.high, whole.claim, whole.ratios, scope="machines", doubts=whole.doubts),
        )
        for panel in comparison.panels
        for whole in panel.overall
        if whole.claim
        for group in [next(one for one in panel.groups if whole.name in (one.x, one.series))]
    ]


def _is_no_difference(verdict: Verdict) -> bool:
    return verdict.word.startswith("no ")


def _rank(verdict: Verdict) -> tuple[int, float]:
    """Sort key: widest claim first, then the largest difference."""
    scope = _SCOPES.index(verdict.scope) if verdict.scope in _SCOPES else len(_SCOPES)
    return scope, -abs(math.log(verdict.ratio)) if verdict.ratio else 0.0


def _claim(comparison: Comparison, panel: Panel, group: Group, verdict: Verdict, count: int) -> str:
    """`zstd-1 wrote 3.10 times as fast as off on btrfs in this session: 3 runs each, ranges do not overlap.`"""
    of_many = f"; the largest of {numbers.count(count)} differences" if count > 1 else ""
    evidence = ", ".join(part for part in (_evidence(panel, group, verdict), _ranges(panel, group, verdict)) if part)
    text = f"{_compared(comparison, panel, group, verdict)}{_place(comparison, panel, group, verdict)}{_scope(verdict)}"
    return f"{_end(text, evidence)}{of_many}{_doubts(verdict)}."


def _no_difference(comparison: Comparison, panel: Panel, group: Group, verdict: Verdict, count: int) -> str:
    """`No difference between ext4 and xfs was seen in this session: ext4 69 % faster; 3 runs each cannot rule out chance.`"""
    base = naming.baseline_label(comparison.drawn, panel)
    if count > 1:
        counts = {_evidence(one, other, found) for one, other, found in _verdicts(comparison)}
        most = (
            f"at most {_name(comparison, panel, group)} {naming.relative_words(group.metric, verdict.ratio, verdict.ratio_bound)}"
            if verdict.ratio is not None
            else ""
        )
        evidence = ", ".join(filter(None, [f"{numbers.count(count)} values", *(counts if len(counts) == 1 else ()), most]))
        place = _fixed_place(comparison)
        text = f"No difference from {base} was seen{place}{_scope(verdict)}"
        return f"{_end(text, evidence)}{_doubts(verdict)}."
    name = _name(comparison, panel, group)
    name = in_sentence(name) if name.endswith((" on", " off")) else name
    text = f"No difference between {name} and {base} was seen{_place(comparison, panel, group, verdict)}{_scope(verdict)}"
    higher = (
        f"{name} {naming.relative_words(group.metric, verdict.ratio, verdict.ratio_bound)}" if verdict.ratio is not None else ""
    )
    chance = f"{evidence} cannot rule out chance" if (evidence := _evidence(panel, group, verdict)) else ""
    return f"{_end(text, '; '.join(filter(None, (higher, chance))))}{_doubts(verdict)}."


def _no_claim(comparison: Comparison, rated: list[tuple[Panel, Group, Verdict]]) -> str:
    """`ext4 wrote 20 % faster than btrfs; no claim: one run each, spread unknown; at least 3 a side.`"""
    panel, group, verdict = max(rated, key=lambda one: abs(math.log(one[2].ratio)) if one[2].ratio else 0.0)
    text = f"{_compared(comparison, panel, group, verdict)}{_place(comparison, panel, group, verdict)}"
    missing = f"no claim: {verdict.withheld}" if verdict.withheld else "no claim"
    return f"{text}; {missing}{_doubts(verdict, verdict.withheld)}.{_extreme(comparison, panel, group, verdict)}"


def _extreme(comparison: Comparison, panel: Panel, of: Group, verdict: Verdict) -> str:
    """` Best: 903 MiB/s (file system xfs).`, the highest or lowest where none is better; empty in an open figure, and where a
    bounded value may lie beyond, or the claim is about all machines."""
    groups, less = [group for group in panel.groups if group.metric == of.metric], METRICS[of.metric].better == LESS
    extreme, beyond = (min, "below") if less else (max, "above")
    best = extreme(groups, key=lambda group: group.center)
    unsure = any(group.bound == beyond for group in groups if group is not best)
    if comparison.design == compared_set.OPEN or len(groups) < 2 or unsure or verdict.scope == "machines":
        return ""
    amount = _amount(comparison, panel, best, best.parts or (best.center,))
    claimed = (best.verdict or verdict).word  # of the baseline the claim about the other side
    word = "Best" if claimed and not claimed.startswith("no ") else "Lowest" if less else "Highest"
    return f" {word}: {amount}{_position(comparison, panel, best)}."


def _shown(comparison: Comparison) -> str:
    """`Lowest 81.2 MiB/s (compression gzip-6), highest 160 MiB/s (compression lzjb), of 12 groups; no baseline is chosen.` Of
    several metrics in figures of their own that of most groups, named."""
    largest = max(comparison.panels, key=lambda one: len(one.groups), default=None)
    if largest is None or not largest.groups:
        return ""
    is_profile = AGGREGATE in comparison.selection.axes
    places = [(panel, group) for panel in comparison.panels if panel.metrics == largest.metrics for group in panel.groups]
    chosen = [(panel, group) for panel, group in places if _TAIL in (group.x, group.series)] if is_profile else []
    places = chosen or places
    is_one_of_several = any(panel.metrics != largest.metrics for panel in comparison.panels)
    metric = f"{naming.metrics_label(comparison.selection.changed(facet=''), largest)}: " if is_one_of_several else ""
    if len(places) == 1:
        panel, group = places[0]
        name, value = _name(comparison, panel, group), _amount(comparison, panel, group, group.parts or (group.center,))
        n = f"{numbers.count(group.n)} run{'' if group.n == 1 else 's'}"
        of = "" if name == "all" else f" of {name}"
        return f"{metric or 'Shown: '}{n}{of}, {value}; there is nothing to compare it with."
    ends = []
    for extreme in (min, max):
        panel, group = extreme(places, key=lambda place: extreme(place[1].parts or (place[1].center,)))
        amount = _amount(comparison, panel, group, [extreme(group.parts or (group.center,))])
        ends.append(f"{amount}{_position(comparison, panel, group)}")
    reasons = {
        None: "one value of each metric, so nothing is compared",
        compared_set.OPEN: "other things differ too, so nothing is claimed",
    }
    why = "percentiles are shown, not tested" if is_profile else reasons.get(comparison.design, "no baseline is chosen")
    return (
        f"{metric}{'lowest' if metric else 'Lowest'} {ends[0]}, highest {ends[1]}, of {numbers.count(len(places))} groups; {why}."
    )


def _amount(comparison: Comparison, panel: Panel, group: Group, values: Sequence[float]) -> str:
    """Numbers in base units with the unit of the figure, which a score has none of: `> 2 930 MiB/s`, `20.2; 903 MiB/s`."""
    unit, factor = naming.panel_unit(comparison.selection, panel)
    text = "; ".join(notes.bounded(numbers.number(value / factor), group.bound) for value in values)
    return text if unit == naming.SCORE else f"{text} {unit}"


def _verdicts(comparison: Comparison) -> list[tuple[Panel, Group, Verdict]]:
    return [
        (panel, group, group.verdict)
        for panel in comparison.panels
        for group in panel.groups
        if group.verdict is not None and group.verdict.word
    ]


def _compared(comparison: Comparison, panel: Panel, group: Group, verdict: Verdict) -> str:
    """`zstd-1 wrote 3.10 times as fast as off`, `lz4 wrote 24 % faster than off`."""
    name, base = _name(comparison, panel, group), naming.baseline_label(comparison.drawn, panel)
    text = f"{name} {_relation(group.metric, verdict)} {base}"
    of_others = [other for one in comparison.panels for other in one.metrics if other != group.metric]
    is_ambiguous = any(_relation(other, verdict) == _relation(group.metric, verdict) for other in of_others)
    return f"{METRICS[group.metric].label}: {text}" if is_ambiguous else text


def _relation(name: str, verdict: Verdict) -> str:
    """What a ratio of the metric says: `wrote 24 % faster than`, `took 3 times as long as`, `had 5 % higher latency than`."""
    metric, words = METRICS[name], naming.relative_words(name, verdict.ratio or 0.0, verdict.ratio_bound)
    what = metric.label.rpartition(", ")[2]
    if (is_share := "%" in words) or words == "equal":
        how = f"{words} " if is_share else ""
    else:
        how = f"{words.replace(numbers.TIMES, ' times')} "
    if metric.quantity in ("throughput", "rate"):
        verb = _VERBS.get(metric.operation, f"ran {metric.label.split(',')[0].lower()}")
        return f"{verb} {how}{'than' if is_share else 'as fast as'}"
    if metric.quantity == "elapsed":
        return f"took {how}{'than' if is_share else 'as long as'}"
    return f"had {how}{what} than" if is_share else f"had {how}the {what} of"


def _name(comparison: Comparison, panel: Panel, group: Group) -> str:
    """The group by the axis on which it is compared."""
    selection = comparison.drawn
    by_series = panel.baseline and panel.baseline not in panel.xs and selection.series != METRIC
    axis = selection.series if by_series else selection.x
    name = naming.series_label(selection, group.series) if by_series else naming.x_label(selection, group.x)
    return f"{DIMENSIONS[axis].label} {name}" if name in ("on", "off") else name


def _position(comparison: Comparison, panel: Panel, group: Group) -> str:
    """Where the group stands on both axes: ` (record size 2 MiB, rewrite)`."""
    selection, places = comparison.drawn, []
    if selection.x in DIMENSIONS:
        places.append(f"{in_sentence(naming.axis_title(selection))} {naming.x_label(selection, group.x)}")
    if len(panel.series) > 1:
        name = naming.series_label(selection, group.series)
        places.append(in_sentence(name if selection.series == METRIC else f"{naming.legend_title(selection)} {name}"))
    if selection.facet in DIMENSIONS and panel.title:
        facet = DIMENSIONS[selection.facet]
        places.append(f"{in_sentence(facet.label)} {value_label(facet, panel.title)}")
    return f" ({', '.join(places)})" if places else ""


def _place(comparison: Comparison, panel: Panel, group: Group, verdict: Verdict) -> str:
    """What distinguishes the pair of groups from others of the figure, else the file system that all share: ` on btrfs`."""
    selection, places = comparison.drawn, []
    by_x = panel.baseline in panel.xs
    if verdict.scope == "machines":
        pass  # the claim is about every place on the other axis
    elif by_x and selection.series in DIMENSIONS and len(panel.series) > 1:
        places.append(naming.series_label(selection, group.series))
    elif not by_x and selection.x in DIMENSIONS and len(panel.xs) > 1:
        places.append(naming.x_label(selection, group.x))
    if selection.facet and panel.title and not (verdict.scope == "machines" and selection.facet in PLACES):
        places.append(f"{in_sentence(DIMENSIONS[selection.facet].label)} {panel.title}")
    return f" ({', '.join(places)})" if places else _fixed_place(comparison)


def _fixed_place(comparison: Comparison) -> str:
    fixed = dict(comparison.fixed)
    return f" on {fixed['fs']}" if "fs" in fixed and "fs" not in comparison.selection.axes else ""


def _scope(verdict: Verdict) -> str:
    """` in this session`: how far the claim goes."""
    if verdict.scope == "systems":
        return ", as these two systems stand"
    sessions = f" in these {numbers.count(verdict.sessions)} sessions"
    places = {"machines": " on these machines", "system": " on this system", "session": " in this session", "sessions": sessions}
    return places.get(verdict.scope, "")


def _evidence(panel: Panel, group: Group, verdict: Verdict) -> str:
    """`3 runs each`, `4 machines`, `3 sessions`; the runs of each side where they differ."""
    base = _find_base(panel, group)
    if verdict.scope == "machines":
        return f"{numbers.count(verdict.paired)} machines with both"
    if verdict.scope == "system" and verdict.paired:
        return f"{numbers.count(verdict.paired)} sessions"
    if base is None:
        return ""
    if group.n == base.n:
        return f"{numbers.count(group.n)} run{'' if group.n == 1 else 's'} each"
    return f"{numbers.count(group.n)} and {numbers.count(base.n)} runs"


def _ranges(panel: Panel, group: Group, verdict: Verdict) -> str:
    """Whether the values of the two sides overlap; empty where not every value is known, or sessions or machines are compared."""
    base = _find_base(panel, group)
    if base is None or verdict.scope != "session":
        return ""
    ours, theirs = ([point.value for point in one.points] for one in (group, base))
    if len(ours) != group.n or len(theirs) != base.n or not ours or not theirs:
        return ""
    return "ranges do not overlap" if min(ours) > max(theirs) or min(theirs) > max(ours) else "ranges overlap"


def _find_base(panel: Panel, group: Group) -> Group | None:
    """The group that this one is compared with."""
    x, series = (panel.baseline, group.series) if panel.baseline in panel.xs else (group.x, panel.baseline)
    return next((one for one in panel.groups if (one.metric, one.x, one.series) == (group.metric, x, series)), None)


def _end(text: str, evidence: str) -> str:
    return f"{text}: {evidence}" if evidence else text


def _doubts(verdict: Verdict, said: str = "") -> str:
    """The doubts that are not `said` already."""
    return "".join(f"; {doubt}" for doubt in verdict.doubts if doubt not in said)
