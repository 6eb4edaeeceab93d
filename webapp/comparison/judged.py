"""Groups against a baseline."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from fractions import Fraction
from statistics import fmean

import numpy as np

from ingest import derived
from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.claims import centers, statistics
from webapp.claims import judge as claims
from webapp.claims.observations import ABOVE, BELOW, GEOMETRIC, MACHINES, MEDIAN, Answer, Observation, Question, Sample
from webapp.claims.statistics import geometric_mean
from webapp.comparison import aggregates, caveats, compared_set, rounds
from webapp.comparison.compared_set import ChosenRows
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN
from webapp.comparison.model import EmptyPlace, Group, Overall, Panel, SummaryRow, Verdict
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.sets.workloads import PARENT, WorkloadKeys, in_sentence
from webapp.comparison.summary import provenance
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns
from webapp.formatting import numbers
from webapp.formatting.printed_times import find_time

# Groups against a baseline: samples of machines and sessions for `webapp.claims`, and its answers as verdicts.

MAX_OBSERVED = 5_000
"""Values of a figure up to which each is looked up with its run; beyond, nothing is claimed."""
SPEEDS = ("B/s", "1/s", "s")
"""Units of which a claim says faster or slower; of others (space, shares of a CPU, ratios) lower or higher."""
CLAIMING = (MEDIAN, GEOMETRIC)
"""The statistics that carry claims."""
_OTHER_SIDE = {"": "", ABOVE: BELOW, BELOW: ABOVE}
QUALIFYING = ("cached", "maybe-cached", "zeros")
"""Caveats that qualify a claim."""


@dataclass(slots=True)
class ObservedValues:
    """The values of a figure by id, each with machine, session, place and time.

    `known`: whether all of them were looked up. `too_many`: whether they were not because of their number.
    """

    by_id: Mapping[int, provenance.Observed] = field(default_factory=dict)
    known: bool = False
    too_many: bool = False


def read_observed_values(rows: Columns, version: int, design: str) -> ObservedValues:
    """Machine, session and place of every value of the rows, where they are to be judged. At most one query."""
    if design == compared_set.OPEN:
        return ObservedValues()
    if rows.total > MAX_OBSERVED or any(row.histogram for row in rows.rows):
        return ObservedValues(too_many=True)
    ids = [measurement for row in rows.rows for measurement in row.ids]
    return ObservedValues(provenance.read_observed(version, ids), known=True)


def leave_out(rows: Columns, observed: ObservedValues) -> tuple[Columns, dict[str, int]]:
    """The rows without values beyond what the hardware can do, without those of runs that did not end, and without those of other
    devices or destinations than the one that most groups have; and their numbers.

    Rows whose values are not known one by one stay as they are.
    """
    left_out = {caveat.id: 0 for caveat in caveats.CAVEATS.values() if caveat.rules_out}
    rows = _one_target(rows, observed, left_out)
    kept = [remaining for row in rows.rows if (remaining := _without_doubtful(row, observed, left_out)) is not None]
    return rows.with_rows(kept), left_out


def _one_target(rows: Columns, observed: ObservedValues, left_out: dict[str, int]) -> Columns:
    """The rows with the values of one device or destination each, the same in all rows where there is one. Counts the others.

    Runs on two disks, or copies to two places, are no repetitions of each other.
    """
    by_row = [_targets(row, observed) for row in rows.rows]
    if all(len(targets) < 2 for targets in by_row):
        return rows
    frequency = Counter(target for targets in by_row for target in targets)
    kept = []
    for row, targets in zip(rows.rows, by_row, strict=True):
        if len(targets) > 1:
            chosen = min(targets, key=lambda target: (-frequency[target], -len(targets[target]), target))
            others = {measurement for target in targets if target != chosen for measurement in targets[target]}
            left_out["targets"] += len(others)
            pairs = zip(row.values, row.ids, strict=True)
            row = row.with_values([pair for pair in pairs if pair[1] not in others])
        kept.append(row)
    return rows.with_rows(kept)


def _targets(row: SummaryRow, observed: ObservedValues) -> dict[tuple[str, ...], list[int]]:
    """The values of a row by known target; empty where not every value is known."""
    targets: dict[tuple[str, ...], list[int]] = {}
    for measurement in row.ids if len(row.values) == row.n else ():
        seen = observed.by_id.get(measurement)
        if seen is not None and seen.target:
            targets.setdefault(seen.target, []).append(measurement)
    return targets


def _without_doubtful(row: SummaryRow, observed: ObservedValues, left_out: dict[str, int]) -> SummaryRow | None:
    """The row with its usable values; None where it has none. Counts the others."""
    if len(row.values) < row.n:
        return row
    lowest, highest = caveats.possible_range(row)
    pairs = []
    for value, measurement in zip(row.values, row.ids, strict=True):
        seen = observed.by_id.get(measurement)
        if value and not lowest <= value <= highest:  # a time of 0 is one below the clock
            left_out["impossible"] += 1
        elif seen is not None and seen.partial:
            left_out["partial"] += 1
        else:
            pairs.append((value, measurement))
    if len(pairs) == len(row.values):
        return row
    return row.with_values(pairs) if pairs else None


def judge_groups(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel], observed: ObservedValues) -> None:
    """Set every group's machines, sessions, centre and verdict and the panels' baseline; with `normalise=baseline` make numbers
    relative to it."""
    samples: dict[int, Sample] = {}
    for panel in panels:
        places = _find_places(panel, observed)
        for group in panel.groups:
            _mark_emptied_caches(group, observed)
            samples[id(group)] = _make_sample(group, observed, places)
            _describe_population(selection, group, samples[id(group)], observed)
    pairs = [(panel, group, base) for panel in panels for group, base in find_pairs(selection.baseline, panel)]
    work = _pooled_work(selection, chosen.rows)
    questions = [
        _question(
            selection,
            chosen,
            (group, base),
            (samples[id(group)], samples[id(base)]),
            _unlike_work(selection, work, group, base) or _ask_about_numbers((group, base), observed),
        )
        for _, group, base in pairs
    ]
    wholes = _places_of_values(pairs, questions)
    stat = selection.stat if selection.stat in CLAIMING else GEOMETRIC
    answers, overall = claims.judge_page(questions, list(wholes.values()), stat)
    for (_, group, base), answer in zip(pairs, answers, strict=True):
        verdict = _verdict(group, base, answer, observed)
        group.verdict = verdict if group.stat in CLAIMING else _ratio_alone(selection, group, base, verdict)
    for (panel_id, name), answer in zip(wholes, overall, strict=True):
        panel = next(panel for panel in panels if id(panel) == panel_id)
        if answer.ratio is not None and not answer.ratio_bound and selection.stat in CLAIMING:
            count = len(wholes[panel_id, name])
            claim = answer.claim or ""
            reasons = (answer.withheld, answer.doubts, answer.test)
            panel.overall.append(Overall(name, answer.ratio, answer.low, answer.high, count, claim, *reasons))
    if selection.normalise == "baseline":
        for panel in panels:
            _make_relative(selection.baseline, panel)


def _places_of_values(
    pairs: Sequence[tuple[Panel, Group, Group]], questions: Sequence[Question]
) -> dict[tuple[int, str], list[Question]]:
    """(panel, value of the baseline's axis) -> the questions over all positions of the other axis."""
    places: dict[tuple[int, str], list[Question]] = {}
    for (panel, group, _), question in zip(pairs, questions, strict=True):
        axis = _baseline_axis(panel.baseline, panel)
        places.setdefault((id(panel), getattr(group, axis)), []).append(question)
    return places


def _find_places(panel: Panel, observed: ObservedValues) -> dict[int, tuple[str | None, int | None]]:
    """(round, position) of each value within its session, as far as paths, lines and times show them."""
    if not observed.known:
        return {}
    by_session: dict[int, dict[int, list[int]]] = {}
    for side, group in enumerate(panel.groups):
        for _, measurement in group.values:
            if measurement in observed.by_id:
                by_session.setdefault(observed.by_id[measurement].session, {}).setdefault(side, []).append(measurement)
    places: dict[int, tuple[str | None, int | None]] = {}
    for sides in by_session.values():
        ids = list(sides.values())
        values = [[observed.by_id[measurement] for measurement in side] for side in ids]
        found = zip(ids, rounds.find_rounds(values), rounds.find_positions(values), strict=True)
        for measurements, names, positions in found:
            places |= dict(zip(measurements, zip(names, positions, strict=True), strict=True))
    return places


def _mark_emptied_caches(group: Group, observed: ObservedValues) -> None:
    """Take the doubt about memory from a group where each of its runs read from the device, since caches had been emptied."""
    if not group.values or not {"cached", "maybe-cached"} & set(group.flags):
        return
    operation = METRICS[group.metric].operation
    seen = [observed.by_id.get(measurement) for _, measurement in group.values]
    states = {one.from_memory.get(operation, "") if one is not None else "" for one in seen}
    if "" not in states:
        kept = {*group.flags} - {"cached", "maybe-cached"} | ({"maybe-cached"} if "maybe" in states else set())
        group.flags = caveats.order_caveats(kept)


def _make_sample(group: Group, observed: ObservedValues, places: Mapping[int, tuple[str | None, int | None]]) -> Sample:
    """The repetitions of a group; empty where not every one is known with its machine and session."""
    doubts = {name for name in QUALIFYING if name in group.flags}
    failed = sum(run.bound is None for run in group.missing)
    error = ", ".join(dict.fromkeys(run.error for run in group.missing if run.error))
    observations = []
    for value, measurement in group.values:
        seen = observed.by_id.get(measurement)
        if seen is None:
            return Sample((), failed, frozenset(doubts), error)
        if seen.zeros and derived.kind(group.metric) != derived.NAMES:
            doubts.add("zeros")
        name, position = places.get(measurement, (None, None))
        observations.append(Observation(value, seen.machine, seen.session, name, position, started=_started(seen)))
    observations += [
        Observation(run.bound, run.machine, run.session, censored=run.side) for run in group.missing if run.bound is not None
    ]
    return Sample(tuple(observations), failed, frozenset(doubts), error)


def _started(seen: provenance.Observed) -> float | None:
    """Seconds on the clock of its output or its name; None where that is known to a day only."""
    time = find_time(seen.started_at, seen.path)
    return time.earliest.replace(tzinfo=UTC).timestamp() if time is not None and time.earliest == time.latest else None


def _has_stated_facts(group: Group, observed: ObservedValues) -> bool:
    """Whether a person entered any key of the configuration of one of its runs."""
    return any(seen.stated for _, measurement in group.values if (seen := observed.by_id.get(measurement)))


def _describe_population(selection: Selection, group: Group, sample: Sample, observed: ObservedValues) -> None:
    """Set machines, sessions, centres of unlike sessions and a geometric mean, which is one of sessions; mark stated facts."""
    if _has_stated_facts(group, observed):
        group.flags = caveats.order_caveats({*group.flags, "stated"})
    runs = sample.observations
    if not runs:
        group.machines, group.sessions = (1, 0) if group.configurations == 1 else (0, 0)
        return
    group.machines, group.sessions = len({run.machine for run in runs}), len({run.session for run in runs})
    if group.stat == GEOMETRIC:
        group.center = runs[0].value if len({run.value for run in runs}) == 1 else math.exp(centers.log_center(runs))
        group.over = "sessions"
    parts = [_center_of_session(group, part) for part in centers.split_sessions(runs, group.stat)]
    group.parts = tuple(center for center, _ in parts) if not any(bound for _, bound in parts) else ()


def _center_of_session(group: Group, runs: Sequence[Observation]) -> tuple[float, str]:
    """(centre, bound) of one session's runs by the statistic of the group."""
    if group.stat not in aggregates.MEANS:
        return centers.center_of(runs, group.stat)
    values = [run.value for run in runs]
    is_rate = METRICS[group.metric].unit in aggregates.RATES and min(values) >= 0
    return (statistics.harmonic_mean(values) if is_rate else fmean(values)), ""


def _group_key(group: Group) -> tuple[str, str, str, str]:
    return group.metric, group.x, group.series, group.facet


def _pooled_work(selection: Selection, rows: Columns) -> dict[tuple[str, str, str, str], dict[tuple[str, ...], Fraction]]:
    """The share of each pooled workload in each group, by `_key`; empty where nothing is pooled."""
    counts: dict[tuple[str, str, str, str], Counter[tuple[str, ...]]] = {}
    for row in rows.rows if selection.pool else ():
        x, facet = (row.texts[axis] if axis in DIMENSIONS else "" for axis in (selection.x, selection.facet))
        series = row.metric if selection.series == METRIC else row.texts[selection.series] if selection.series in DIMENSIONS else ""
        pooled = tuple(row.texts[name] for name in selection.pool)
        counts.setdefault((row.metric, x, series, facet), Counter())[pooled] += row.n
    return {key: {work: Fraction(n, of_group.total()) for work, n in of_group.items()} for key, of_group in counts.items()}


def _unlike_work(selection: Selection, work: Mapping[tuple[str, str, str, str], object], group: Group, base: Group) -> str:
    """Why two groups of a figure did not do the same work, though it is controlled for all else; empty where they did."""
    if "tool" in selection.axes:
        return "along tools only sizes and access are held equal: no claim is made"
    if work.get(_group_key(group)) == work.get(_group_key(base)):
        return ""
    names = ", ".join(in_sentence(DIMENSIONS[name].label) for name in selection.pool)
    return f"the pooled runs of both sides are of unlike work ({names}): no claim is made"


def _ask_about_numbers(pair: tuple[Group, Group], observed: ObservedValues) -> str:
    """Why no claim is made where the names of runs have numbers of which nobody has said what they count; empty elsewhere."""
    seen = (observed.by_id.get(measurement) for group in pair for _, measurement in group.values)
    names = sorted({one.unanswered for one in seen if one is not None and one.unanswered})
    return f"the number of {names[0]} may be a level or a repetition: the archive's review asks" if names else ""


def _question(
    selection: Selection, chosen: ChosenRows, pair: tuple[Group, Group], samples: tuple[Sample, Sample], unlike: str
) -> Question:
    (group, other), (sample, base) = pair, samples
    design = compared_set.OPEN if unlike else chosen.design
    differing = [names for names in ((group.x, other.x), (group.series, other.series)) if names[0] and names[0] != names[1]]
    name, base_name = next(iter(differing), ("what is compared", "the baseline"))
    metric = METRICS[group.metric]
    better = metric.better if metric.unit in SPEEDS else NEITHER
    unlike = unlike if chosen.design != compared_set.OPEN else ""
    # The test of bounded runs ranks them whatever the statistic is, and needs fewer than that of medians.
    ranked = MEDIAN if group.stat == MEDIAN and not (group.bounded or other.bounded) else ""
    return Question(sample, base, design, bool(chosen.unrecorded), better, name, unlike, ranked, base_name)


def _verdict(group: Group, base: Group, answer: Answer, observed: ObservedValues) -> Verdict:
    """The answer as it is printed."""
    ratio, bound = answer.ratio, answer.ratio_bound
    # Tests of medians compare ranks, and have a ratio of their own; of several machines it is the one that is drawn.
    drawn = drawn_ratio(group, base)
    if ratio is None or (group.stat == MEDIAN and max(group.machines, base.machines) < 2):
        is_hidden = ratio is None and any(run.bound is None for run in (*group.missing, *base.missing))
        ratio, bound = (None, "") if is_hidden and (group.bound or base.bound) else drawn
    withheld = answer.withheld
    if observed.too_many:
        withheld = f"no claim: the figure has more than {MAX_OBSERVED} runs, too many to test one by one"
    apart = _drawn_apart(ratio, drawn[0])
    withheld = "; ".join((withheld, *apart)) if withheld else ""
    too_wide = answer.too_wide
    return Verdict(
        ratio,
        None if too_wide else answer.low,
        None if too_wide else answer.high,
        answer.claim or "",
        answer.blocks,
        answer.p,
        _effect(group, base),
        answer.scope if answer.claim else "",
        answer.level,
        answer.tests,
        (*answer.doubts, *_left_out(answer), *apart, *(("too few for a useful interval",) if too_wide else ())),
        withheld,
        answer.needed,
        bound,
        answer.test,
        answer.sessions if answer.claim else 0,
    )


def _left_out(answer: Answer) -> tuple[str, ...]:
    """Which runs of the groups the test does not use, since their session or machine has no run of the other side."""
    if not answer.left_out:
        return ()
    places = "machines" if answer.scope == MACHINES else "sessions"
    return (f"{answer.left_out} {'run' if answer.left_out == 1 else 'runs'} left out, of {places} with one side only",)


def _drawn_apart(ratio: float | None, drawn: float | None) -> tuple[str, ...]:
    """The ratio of the drawn centres where it reads unlike that of the test, which weighs alike the blocks that have both
    sides; the centres are of all runs."""
    if ratio is None or drawn is None or numbers.ratio(ratio) == numbers.ratio(drawn):
        return ()
    return (f"{numbers.ratio(drawn)} of the drawn centres, which are of all runs",)


def drawn_ratio(group: Group, base: Group) -> tuple[float | None, str]:
    """(ratio, bound) of the centres that are drawn; (None, "") where their bounds leave it open."""
    sides = {group.bound, _OTHER_SIDE[base.bound]} - {""}
    if not base.center or len(sides) > 1:
        return None, ""
    return group.center / base.center, "".join(sides)


def _ratio_alone(selection: Selection, group: Group, base: Group, verdict: Verdict) -> Verdict:
    """The verdict where a statistic is drawn that carries no claim: the ratio of what is drawn."""
    return Verdict(
        drawn_ratio(group, base)[0],
        None,
        None,
        "",
        0,
        effect=verdict.effect,
        withheld=verdict.withheld or f"stat={selection.stat} supports no claim: only the geometric mean and the median do",
    )


def _baseline_axis(baseline: str, panel: Panel) -> str:
    """`x` or `series`, of which the baseline is a value; empty where it is of neither."""
    return "x" if baseline in panel.xs else "series" if baseline in panel.series else ""


def find_pairs(baseline: str, panel: Panel) -> list[tuple[Group, Group]]:
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


def _effect(group: Group, base: Group) -> float | None:
    """The probability that a value of the group is better (or higher) than one of the baseline; None for single values."""
    if len(group.basis) < 2 or len(base.basis) < 2 or group.unmeasured or base.unmeasured:
        return None
    higher = statistics.probability_of_superiority(group.basis, base.basis)
    return 1 - higher if METRICS[group.metric].better == LESS else higher


def _make_relative(baseline: str, panel: Panel) -> None:
    """Divide every number by its baseline's centre; remove groups without a baseline."""
    axis = _baseline_axis(baseline, panel)
    other = "series" if axis == "x" else "x"
    if not axis:
        return
    bases = {
        getattr(group, other): (group, group.center, group.bound) for group in panel.groups if getattr(group, axis) == baseline
    }
    found = [(group, *bases[place]) for group in panel.groups if (place := getattr(group, other)) in bases and bases[place][1]]
    open_to_both = [
        group for group, base, _, bound in found if group is not base and any(run.side == bound for run in group.bounded)
    ]
    panel.groups = [group for group, *_ in found if not any(group is other for other in open_to_both)]
    panel.empty += [EmptyPlace(one.metric, one.x, one.series, one.facet, (), one.unmeasured) for one in open_to_both]
    panel.unit = "1"
    for group, base, divisor, bound in found:
        _divide(group, divisor, _OTHER_SIDE[bound])
        if bound:
            group.bound = "" if group is base else _OTHER_SIDE[bound]


def _divide(group: Group, divisor: float, side: str) -> None:
    """Divide every number of a group by that of its baseline; `side`: where the quotients lie of those by a bound, else empty."""
    group.center /= divisor
    group.parts = tuple(part / divisor for part in group.parts)
    if group.low is not None and group.high is not None:
        group.low, group.high = group.low / divisor, group.high / divisor
    for point in group.points:
        point.value, point.side = point.value / divisor, side
    if side:  # of what has only a bound itself nothing is known then
        group.low, group.high, group.interval = None, None, "none"
        group.missing = tuple(run._replace(bound=None, side="") for run in group.missing)
        group.unmeasured = tuple(replace(count, bound=None, side="") for count in group.unmeasured)
        return
    group.missing = tuple(run._replace(bound=None if run.bound is None else run.bound / divisor) for run in group.missing)
    counts = ((count, None if count.bound is None else count.bound / divisor) for count in group.unmeasured)
    group.unmeasured = tuple(replace(count, bound=bound) for count, bound in counts)


def describe_tests(panels: Sequence[Panel]) -> str:
    """How the claims were reached, for the caption; empty without tests."""
    tests = max((group.verdict.tests for panel in panels for group in panel.groups if group.verdict), default=0)
    if not tests:
        return ""
    verdicts = [group.verdict for panel in panels for group in panel.groups if group.verdict]
    names = [verdict.test for verdict in verdicts] + [overall.test for panel in panels for overall in panel.overall]
    kinds = dict.fromkeys(re.sub(r"\d+ ", "", name) for name in names if name)
    logarithms = ", on logarithms" if any("t-test" in kind for kind in kinds) else ""
    counted = f"{tests} test{'' if tests == 1 else 's'}"
    return f"claims: {', '.join(kinds)}{logarithms}; 5 % over {counted} after Holm"


# A tool's own sum beside the total over the wall time: where the two point different ways there is no claim.


def find_rows(selection: Selection, chosen: ChosenRows, passing: Columns) -> list[SummaryRow]:
    """The rows with the tool's own sum of the runs of which the total over the wall time is drawn; without their values."""
    if dict(chosen.workload).get("part") != PARENT or not len(chosen.rows):
        return []
    wanted = tuple((name, UNKNOWN if name == "part" else value) for name, value in chosen.workload)
    keys = WorkloadKeys(selection, passing)
    if wanted not in keys.keys:
        return []
    rows = passing.take(np.array(keys.codes[passing.indices[WORKLOAD_INDEX]] == keys.keys.index(wanted), bool)).rows
    drawn = {(row.metric, row.configuration) for row in chosen.rows.rows}
    return [row for row in rows if (row.metric, row.configuration) in drawn]


def withhold_contradicted(selection: Selection, panels: Iterable[Panel], rows: Sequence[SummaryRow]) -> None:
    """Take the claims back whose ratio the tool's own sums contradict, with that ratio in the reason."""
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        x, series, facet = (
            row.texts[axis] if axis in DIMENSIONS else "" for axis in (selection.x, selection.series, selection.facet)
        )
        for name in {series, row.metric}:  # metrics may be the series
            values.setdefault((row.metric, x, name, facet), []).extend(row.values)
    centers = {key: geometric_mean(found) for key, found in values.items() if found and min(found) > 0}
    for panel in panels if centers else ():
        for group, base in find_pairs(selection.baseline, panel):
            _withhold(panel, group, base, centers)


def _key(group: Group) -> tuple[str, str, str, str]:
    return group.metric, group.x, group.series, group.facet


def _withhold(panel: Panel, group: Group, base: Group, centers: Mapping[tuple[str, str, str, str], float]) -> None:
    verdict, center, of_base = group.verdict, centers.get(_key(group)), centers.get(_key(base))
    if verdict is None or verdict.ratio is None or not center or not of_base:
        return
    if verdict.word and (verdict.ratio - 1) * (center / of_base - 1) < 0:
        reason = f"the sum of the children points the other way ({center / of_base:.2f}x)"
        apart = _drawn_apart(verdict.ratio, drawn_ratio(group, base)[0])
        group.verdict = replace(verdict, word="", scope="", withheld="; ".join((reason, *apart)))
        panel.overall = [replace(whole, claim="", withheld=reason) for whole in panel.overall]
