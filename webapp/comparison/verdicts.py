"""Groups against a baseline: ratio, interval and verdict, from matched configurations where there are some. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ingest.catalogue import LESS, METRICS, MORE
from webapp.claims import statistics
from webapp.comparison.dimensions import DEPENDENT_DIMENSIONS, MACHINE, STATED
from webapp.comparison.model import Group, Overall, Panel, SummaryRow, Verdict
from webapp.comparison.selection import Selection, dimension_position
from webapp.comparison.summary.columns import varying_dimensions
from webapp.formatting.months import MONTH

NEVER_SHARED = ("configuration", "host", MACHINE, STATED, MONTH)
"""Dimensions in which matched pairs may always differ."""
MIN_PAIRS = 4
"""With fewer pairs Student's quantile is so large that a paired test hardly decides anything."""
CANNOT_TELL = "cannot tell"


def pairing_dimensions(selection: Selection, rows: Sequence[SummaryRow]) -> list[str]:
    """The dimensions in which the rows of a matched pair agree: the held ones, else all but the axes and what depends on them.

    Without those in which no rows differ.
    """
    if selection.hold:
        return list(selection.hold)
    free = {*selection.axes, *NEVER_SHARED, *selection.pool}
    free.update(name for axis in selection.axes for name in DEPENDENT_DIMENSIONS.get(axis, ()))
    varying = varying_dimensions(rows)
    return sorted((name for name in varying if name not in free), key=dimension_position)


def judge_groups(selection: Selection, panels: Sequence[Panel]) -> None:
    """Set every group's verdict and the panels' baseline; with `normalise=baseline` make numbers relative to it."""
    tested = [(group, *_test(group, base)) for panel in panels for group, base in _find_pairs(selection.baseline, panel)]
    adjusted = iter(statistics.holm([ratio.p for _, ratio, _ in tested if ratio]))
    for group, ratio, verdict in tested:
        group.verdict = verdict if ratio is None else _decide(group.metric, verdict, next(adjusted))
    for panel in panels:
        panel.overall = _overall(selection.baseline, panel)
        if selection.normalise == "baseline":
            _make_relative(selection.baseline, panel)


def _test(group: Group, base: Group) -> tuple[statistics.Ratio | None, Verdict]:
    """The tested ratio, None where there can be no test, and the verdict before p values are adjusted."""
    ratio, pairs = _estimate_ratio(group, base)
    effect = _effect(group, base)
    if ratio is None:
        untested = group.center / base.center if base.center else float("nan")
        return None, Verdict(untested, None, None, CANNOT_TELL, pairs, effect=effect)
    return ratio, Verdict(ratio.ratio, ratio.low, ratio.high, CANNOT_TELL, pairs, effect=effect)


def _overall(baseline: str, panel: Panel) -> list[Overall]:
    """The geometric mean of the ratios of centres, for every value that is compared at several positions."""
    axis = _baseline_axis(baseline, panel) if baseline else ""
    pairs_by_value: dict[str, list[tuple[float, float]]] = {}
    for group, base in _find_pairs(baseline, panel):
        if group.center > 0 and base.center > 0:
            pairs_by_value.setdefault(getattr(group, axis), []).append((group.center, base.center))
    overall = []
    for name, pairs in pairs_by_value.items():
        if len(pairs) > 1:
            ratio = statistics.paired_ratio(pairs) if len(pairs) >= MIN_PAIRS else None
            mean = statistics.geometric_mean([center / base_center for center, base_center in pairs])
            overall.append(Overall(name, mean, ratio.low if ratio else None, ratio.high if ratio else None, len(pairs)))
    return overall


def _baseline_axis(baseline: str, panel: Panel) -> str:
    """`x` or `series`, of which the baseline is a value; empty where it is of neither."""
    return "x" if baseline in panel.xs else "series" if baseline in panel.series else ""


def _find_pairs(baseline: str, panel: Panel) -> list[tuple[Group, Group]]:
    """(group, its baseline) of every group that has one. Sets the panel's baseline."""
    axis = _baseline_axis(baseline, panel) if baseline else ""
    if not axis:
        return []
    panel.baseline = baseline
    other = "series" if axis == "x" else "x"
    bases = {getattr(group, other): group for group in panel.groups if getattr(group, axis) == baseline}
    return [
        (group, bases[getattr(group, other)])
        for group in panel.groups
        if getattr(group, axis) != baseline and getattr(group, other) in bases
    ]


def _estimate_ratio(group: Group, base: Group) -> tuple[statistics.Ratio | None, int]:
    """The ratio of two groups, None where there can be no test, and the number of matched pairs that it is from.

    With `MIN_PAIRS` from the spread of the pairs' ratios; with fewer, from that of the repetitions within them; without
    pairs from that of all configurations, or of all repetitions where there is one configuration.
    """
    shared = sorted(key for key in group.matched if key in base.matched)
    centers = [(group.matched[key].center, base.matched[key].center) for key in shared]
    if len(shared) >= MIN_PAIRS:
        return statistics.paired_ratio(centers), len(shared)
    within = statistics.stratified_ratio([(group.matched[key].values, base.matched[key].values) for key in shared])
    if within is not None:
        return within, len(shared)
    between = statistics.paired_ratio(centers)
    return (between, len(shared)) if between is not None else (statistics.welch_ratio(group.basis, base.basis), 0)


def _effect(group: Group, base: Group) -> float | None:
    """The probability that a value of the group is better (or higher) than one of the baseline; None for single values.

    The mean over matched pairs where there are some.
    """
    shared = [key for key in group.matched if key in base.matched]
    samples = [(group.matched[key].values, base.matched[key].values) for key in shared] or [(group.basis, base.basis)]
    if sum(len(values) for values, _ in samples) < 2 or sum(len(base_values) for _, base_values in samples) < 2:
        return None
    higher = fmean(statistics.probability_of_superiority(values, base_values) for values, base_values in samples)
    return 1 - higher if METRICS[group.metric].better == LESS else higher


def _decide(metric: str, verdict: Verdict, p: float) -> Verdict:
    """The verdict with its adjusted p and its word."""
    if p >= 1 - statistics.CONFIDENCE_LEVEL:
        word = CANNOT_TELL
    else:
        good = {MORE: verdict.ratio > 1, LESS: verdict.ratio < 1}.get(METRICS[metric].better)
        word = ("higher" if verdict.ratio > 1 else "lower") if good is None else "better" if good else "worse"
    return replace(verdict, word=word, p=p)


def _make_relative(baseline: str, panel: Panel) -> None:
    """Divide every number by its baseline's centre; remove groups without a baseline."""
    axis = _baseline_axis(baseline, panel)
    other = "series" if axis == "x" else "x"
    if not axis:
        return
    centers = {getattr(group, other): group.center for group in panel.groups if getattr(group, axis) == baseline}
    panel.groups = [group for group in panel.groups if centers.get(getattr(group, other))]
    panel.unit = "1"
    for group in panel.groups:
        divisor = centers[getattr(group, other)]
        group.center /= divisor
        if group.low is not None and group.high is not None:
            group.low, group.high = group.low / divisor, group.high / divisor
        for point in group.points:
            point.value /= divisor


def describe_tests(panels: Sequence[Panel]) -> str:
    """How the verdicts were reached, for the caption; empty without verdicts."""
    verdicts = [group.verdict for panel in panels for group in panel.groups if group.verdict]
    if not verdicts:
        return ""
    words = ["Welch's test on logarithms"]
    if any(verdict.paired for verdict in verdicts):
        words.append(f"within matched configurations where there are some, from {MIN_PAIRS} pairs on between them")
    return f"verdicts: {', '.join(words)}; 5 % over all {len(verdicts)} after Holm"
