"""Groups against a baseline: ratio, interval and verdict, from matched configurations where there are some. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ingest.catalogue import LESS, METRICS, MORE
from webapp.claims import statistics
from webapp.comparison.dimensions import DEPENDENT_DIMENSIONS, DIMENSIONS
from webapp.comparison.model import Group, Overall, Panel, SummaryRow, Verdict
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import varying_dimensions
from webapp.formatting.months import MONTH

NEVER = ("configuration", "host", MONTH)
ENOUGH_PAIRS = 4
"""With fewer, Student's quantile is so large that a paired test can hardly decide anything."""
CANNOT_TELL = "cannot tell"


def pairing_dimensions(selection: Selection, rows: Sequence[SummaryRow]) -> list[str]:
    """What two rows share when they are a matched pair: the held dimensions, else everything but the axes.

    What is the same in all of the rows is left out.
    """
    if selection.hold:
        return list(selection.hold)
    free = {*selection.axes, *NEVER, *selection.pool}
    free.update(name for axis in selection.axes for name in DEPENDENT_DIMENSIONS.get(axis, ()))
    among = varying_dimensions(rows)
    return [name for name in DIMENSIONS if name in among and name not in free]


def judge_groups(selection: Selection, panels: Sequence[Panel]) -> None:
    """Set every group's verdict and the panels' baseline; with `normalise=baseline` numbers become relative to it."""
    found: list[tuple[Group, statistics.Ratio | None, Verdict]] = []
    for panel in panels:
        for group, base in _pairs(selection.baseline, panel):
            ratio, pairs = _ratio(group, base)
            plain = group.center / base.center if base.center else float("nan")
            found.append(
                (
                    group,
                    ratio,
                    Verdict(
                        ratio.ratio if ratio else plain,
                        ratio.low if ratio else None,
                        ratio.high if ratio else None,
                        CANNOT_TELL,
                        pairs,
                        effect=_effect(group, base),
                    ),
                )
            )
    adjusted = iter(statistics.holm([ratio.p for _, ratio, _ in found if ratio]))
    for group, ratio, verdict in found:
        group.verdict = verdict if ratio is None else _worded(group.metric, verdict, next(adjusted))
    for panel in panels:
        panel.overall = _overall(selection.baseline, panel)
        if selection.normalise == "baseline":
            _relative(selection.baseline, panel)


def _overall(baseline: str, panel: Panel) -> list[Overall]:
    """The geometric mean of the ratios of centres, for every value that meets the baseline in several places."""
    axis = _axis(baseline, panel) if baseline else ""
    found: dict[str, list[tuple[float, float]]] = {}
    for group, base in _pairs(baseline, panel):
        if group.center > 0 and base.center > 0:
            found.setdefault(getattr(group, axis), []).append((group.center, base.center))
    out = []
    for name, pairs in found.items():
        if len(pairs) > 1:
            ratio = statistics.paired_ratio(pairs) if len(pairs) >= ENOUGH_PAIRS else None
            plain = statistics.geometric_mean([one / other for one, other in pairs])
            out.append(Overall(name, plain, ratio.low if ratio else None, ratio.high if ratio else None, len(pairs)))
    return out


def _axis(baseline: str, panel: Panel) -> str:
    """Whether the baseline is a place on the x axis or a series; empty where it is neither."""
    return "x" if baseline in panel.xs else "series" if baseline in panel.series else ""


def _pairs(baseline: str, panel: Panel) -> list[tuple[Group, Group]]:
    """(group, its baseline) of every group that has one."""
    axis = _axis(baseline, panel) if baseline else ""
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


def _ratio(group: Group, base: Group) -> tuple[statistics.Ratio | None, int]:
    """The ratio as far as it can be told, and the number of matched pairs it rests on.

    Enough pairs are judged by the spread of their ratios; a few, by the spread of the repetitions within them; none, by
    that of all configurations, or of all repetitions where there is one configuration.
    """
    shared = sorted(key for key in group.matched if key in base.matched)
    centers = [(group.matched[key].center, base.matched[key].center) for key in shared]
    if len(shared) >= ENOUGH_PAIRS:
        return statistics.paired_ratio(centers), len(shared)
    within = statistics.stratified_ratio([(group.matched[key].values, base.matched[key].values) for key in shared])
    if within is not None:
        return within, len(shared)
    between = statistics.paired_ratio(centers)
    return (between, len(shared)) if between is not None else (statistics.welch_ratio(group.basis, base.basis), 0)


def _effect(group: Group, base: Group) -> float | None:
    """The chance that a value of the group is better (or higher) than one of the baseline: within matched pairs, where
    there are some, and then their mean."""
    shared = [key for key in group.matched if key in base.matched]
    samples = [(group.matched[key].values, base.matched[key].values) for key in shared] or [(group.basis, base.basis)]
    if sum(len(one) for one, _ in samples) < 2 or sum(len(other) for _, other in samples) < 2:
        return None
    chance = fmean(statistics.probability_of_superiority(one, other) for one, other in samples)
    return 1 - chance if METRICS[group.metric].better == LESS else chance


def _worded(metric: str, verdict: Verdict, p: float) -> Verdict:
    if p >= 1 - statistics.CONFIDENCE_LEVEL:
        word = CANNOT_TELL
    else:
        good = {MORE: verdict.ratio > 1, LESS: verdict.ratio < 1}.get(METRICS[metric].better)
        word = ("higher" if verdict.ratio > 1 else "lower") if good is None else "better" if good else "worse"
    return replace(verdict, word=word, p=p)


def _relative(baseline: str, panel: Panel) -> None:
    """Divide every number by its baseline's centre; groups without one are dropped."""
    axis = _axis(baseline, panel)
    other = "series" if axis == "x" else "x"
    if not axis:
        return
    centers = {getattr(group, other): group.center for group in panel.groups if getattr(group, axis) == baseline}
    panel.groups = [group for group in panel.groups if centers.get(getattr(group, other))]
    panel.unit = "1"
    for group in panel.groups:
        by = centers[getattr(group, other)]
        group.center /= by
        if group.low is not None and group.high is not None:
            group.low, group.high = group.low / by, group.high / by
        for point in group.points:
            point.value /= by


def describe_tests(panels: Sequence[Panel]) -> str:
    """How the verdicts came about, for the caption; empty where there are none."""
    verdicts = [group.verdict for panel in panels for group in panel.groups if group.verdict]
    if not verdicts:
        return ""
    words = ["Welch's test on logarithms"]
    if any(verdict.paired for verdict in verdicts):
        words.append(f"within matched configurations where there are some, from {ENOUGH_PAIRS} pairs on between them")
    return f"verdicts: {', '.join(words)}; 5 % over all {len(verdicts)} after Holm"
