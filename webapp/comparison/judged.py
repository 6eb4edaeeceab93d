"""The fifth stage: groups against a baseline. Samples of machines and sessions go to `webapp.claims`, whose answers become
verdicts; the shown values get their lines, and doubts that follow from these."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from fractions import Fraction
from statistics import fmean

import numpy as np

from ingest import derived
from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.claims import centers, statistics
from webapp.claims import judge as claims
from webapp.claims.observations import (
    ABOVE,
    AS_THEY_STAND,
    BEFORE,
    BELOW,
    GEOMETRIC,
    MACHINES,
    MEDIAN,
    Answer,
    Contrast,
    Observation,
    Observed,
    Sample,
)
from webapp.claims.rounds import find_positions, find_rounds
from webapp.claims.states import RunState, Side, compare_states
from webapp.comparison import aggregates, caveats
from webapp.comparison.compared_set import OPEN, ChosenRows
from webapp.comparison.dimensions import AGGREGATE, DIMENSIONS, UNKNOWN, in_sentence
from webapp.comparison.groups import MAX_OBSERVED, Groups
from webapp.comparison.model import EmptyPlace, Group, Overall, Panel, Verdict
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import PARENT, WorkloadKeys
from webapp.comparison.summary import provenance
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns
from webapp.comparison.summary.provenance import ObservedValues, ShownLines
from webapp.comparison.summary.row import SummaryRow
from webapp.formatting import numbers
from webapp.formatting.printed_times import find_time

NO_NUMBER = "no run gave a number"
SPEEDS = ("B/s", "1/s", "s")
"""Units of which a claim says faster or slower; of others (space, shares of a CPU, ratios) lower or higher."""
REBOOTED = (*core_keys.OS_AXES, *(name for name in core_keys.HARDWARE if name != "disk"))
"""Axes of which no session has two values: a reboot begins another one."""
CLAIMING = (MEDIAN, GEOMETRIC)
"""The statistics that carry claims."""
_OTHER_SIDE = {"": "", ABOVE: BELOW, BELOW: ABOVE}
QUALIFYING = ("from-memory", "cached", "maybe-cached", "zeros", "compressible", "contents")
"""Caveats that qualify a claim."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The panels with their claims, lines and doubts; `method`: how they were reached, for the caption."""

    groups: Groups
    panels: Sequence[Panel]
    method: str
    lines: ShownLines


def judge(groups: Groups) -> Judged:
    """The groups with what may be claimed of them. At most three queries."""
    compared, question = groups.compared, groups.compared.rows.question
    judged = judge_groups(compared.drawn, compared.chosen, groups.panels, groups.observed)
    sums = find_other_sums(compared.selection, compared.chosen, compared.rows.candidates)
    panels = withhold_contradicted(compared.drawn, judged, compared.rows.fill(sums).rows) if len(sums) else judged
    every = [group for panel in panels for group in panel.groups]
    shown = [[point.id for point in group.points] for group in every]
    lines = provenance.read_lines(shown, question.version, question.exact or question.most is None)
    return Judged(groups, with_lines(panels, lines), describe_method(compared.drawn, panels, every), lines)


@dataclass(frozen=True, slots=True)
class Asked:
    """The panels with machines, sessions and centre of every group, and the questions to the claims.

    `pairs`: of each question the number of its panel, the group and its baseline.
    """

    panels: Sequence[Panel]
    pairs: Sequence[tuple[int, Group, Group]]
    questions: Sequence[Contrast]


def ask_claims(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel], observed: ObservedValues) -> Asked:
    """What is asked of the claims about the groups of some panels that have a baseline. Pure."""
    described, samples = [], {}
    every_place: dict[int, tuple[str | None, int | None]] = {}
    for panel in panels:
        places = _find_places(panel, observed)
        every_place |= places
        baseline = selection.baseline if _baseline_axis(selection.baseline, panel) else ""
        compared = {id(one): pair for pair in find_pairs(replace(panel, baseline=baseline)) for one in pair}
        groups = []
        for group in panel.groups:
            read = _with_emptied_caches(group, observed)
            if id(group) in compared:
                axis = getattr(selection, _baseline_axis(baseline, panel))
                of_file_systems = axis in core_keys.FILE_SYSTEM_AXES
                doubt = caveats.contents_caveat(group, axis, compared[id(group)], of_file_systems=of_file_systems)
                read = read.changed(flags=caveats.order_caveats({*read.flags, doubt})) if doubt else read
            sample = _make_sample(read, observed, places)
            groups.append(_with_population(read, sample, observed))
            samples[id(groups[-1])] = sample
        described.append(replace(panel, groups=groups, baseline=baseline))
    pairs = [(number, *pair) for number, panel in enumerate(described) for pair in find_pairs(panel)]
    work = _pooled_work(selection, chosen.rows)
    questions = [
        _with_states(
            _question(
                selection,
                chosen,
                (group, base),
                (samples[id(group)], samples[id(base)]),
                _unlike_work(selection, work, group, base) or _ask_about_numbers((group, base), observed),
            ),
            [_side_of(one, observed, every_place) for one in (group, base)],
            selection.axes,
        )
        for _, group, base in pairs
    ]
    return Asked(described, pairs, questions)


def judge_groups(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel], observed: ObservedValues) -> Sequence[Panel]:
    """The panels with every group's machines, sessions, centre and verdict; with `normalise=baseline` in numbers relative to it."""
    asked = ask_claims(selection, chosen, panels, observed)
    described, pairs, questions = asked.panels, asked.pairs, asked.questions
    # By panel and value of the baseline's axis the questions over all positions of the other axis; where each panel is of one place
    # (a machine, as a rule), over all panels of a metric.
    first = {panel.metrics: number for number, panel in reversed(list(enumerate(described)))}
    wholes: dict[tuple[int, str], list[Contrast]] = {}
    for (number, group, _), question in zip(pairs, questions, strict=True):
        at = first[described[number].metrics] if selection.facet in core_keys.PLACES else number
        wholes.setdefault((at, getattr(group, _baseline_axis(selection.baseline, described[number]))), []).append(question)
    stat = selection.stat if selection.stat in CLAIMING else GEOMETRIC
    answers, overall = claims.judge_page(questions, list(wholes.values()), stat)
    verdicts = {
        id(group): make_verdict(selection, group, base, answer, observed.too_many)
        for (_, group, base), answer in zip(pairs, answers, strict=True)
    }
    judged = []
    for number, panel in enumerate(described):
        of_panel = [
            Overall(
                name,
                answer.ratio,
                answer.low,
                answer.high,
                len(places),
                claim=answer.claim or "",
                withheld=answer.withheld,
                doubts=answer.doubts,
                test=answer.test,
            )
            for ((at, name), places), answer in zip(wholes.items(), overall, strict=True)
            if at == number and answer.ratio is not None and not answer.ratio_bound and selection.stat in CLAIMING
        ]
        groups = [group.changed(verdict=verdicts[id(group)]) if id(group) in verdicts else group for group in panel.groups]
        judged.append(replace(panel, groups=groups, overall=of_panel))
    return [_relative(selection.baseline, panel) for panel in judged] if selection.normalise == "baseline" else judged


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
        found = zip(ids, find_rounds(values), find_positions(values), strict=True)
        for measurements, names, positions in found:
            places |= dict(zip(measurements, zip(names, positions, strict=True), strict=True))
    return places


def _with_emptied_caches(group: Group, observed: ObservedValues) -> Group:
    """The group with what is known of its runs in place of the doubt about memory that follows from sizes: what the disks moved, or
    that caches had been emptied."""
    operation = METRICS[group.metric].operation
    seen = [observed.by_id.get(measurement) for _, measurement in group.values]
    states = {one.from_memory.get(operation, "") if one is not None else "" for one in seen}
    is_proven = derived.FROM_MEMORY in states
    if not states or ("" in states and not is_proven):
        return group
    found = {"from-memory"} if is_proven else {"maybe-cached"} if derived.UNSURE in states else set()
    kept = {*group.flags} - {"cached", "maybe-cached"} | found
    return group.changed(flags=caveats.order_caveats(kept)) if kept != {*group.flags} else group


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
        if seen.options_unknown:
            doubts.add("options")
        name, position = places.get(measurement, (None, None))
        observations.append(Observation(value, seen.machine, seen.session, name, position, started=_started(seen)))
    observations += [
        Observation(run.bound, run.machine, run.session, censored=run.side) for run in group.missing if run.bound is not None
    ]
    return Sample(tuple(observations), failed, frozenset(doubts), error)


def _started(seen: Observed) -> float | None:
    """Seconds on the clock of its output or its name; None where that is known to a day only."""
    time = find_time(seen.started_at, seen.path)
    return time.earliest.replace(tzinfo=UTC).timestamp() if time is not None and time.earliest == time.latest else None


def _has_stated_facts(group: Group, observed: ObservedValues) -> bool:
    """Whether a person entered any key of the configuration of one of its runs."""
    return any([seen.stated for _, measurement in group.values if (seen := observed.by_id.get(measurement))])


def _with_population(group: Group, sample: Sample, observed: ObservedValues) -> Group:
    """The group with machines, sessions, centres of unlike sessions and a geometric mean, which is one of sessions; stated facts
    are marked."""
    flags = caveats.order_caveats({*group.flags, "stated"}) if _has_stated_facts(group, observed) else group.flags
    runs = sample.observations
    if not runs:
        machines = 1 if group.configurations == 1 else 0
        return group.changed(flags=flags, machines=machines, sessions=0)
    center, over = group.center, group.over
    if group.stat == GEOMETRIC:
        center, over = runs[0].value if len({run.value for run in runs}) == 1 else math.exp(centers.log_center(runs)), "sessions"
    parts = [_center_of_session(group, part) for part in centers.split_sessions(runs, group.stat)]
    return group.changed(
        flags=flags,
        machines=len({run.machine for run in runs}),
        sessions=len({run.session for run in runs}),
        center=center,
        over=over,
        parts=tuple(center for center, _ in parts) if not any(bound for _, bound in parts) else (),
    )


def _center_of_session(group: Group, runs: Sequence[Observation]) -> tuple[float, str]:
    """(centre, bound) of one session's runs by the statistic of the group."""
    if group.stat not in aggregates.MEANS:
        return centers.center_of(runs, group.stat)
    values = [run.value for run in runs]
    is_rate = METRICS[group.metric].unit in aggregates.RATES and min(values) >= 0
    return (statistics.harmonic_mean(values) if is_rate else fmean(values)), ""


def _key(group: Group) -> tuple[str, str, str, str]:
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
    if AGGREGATE in selection.axes and not selection.values(AGGREGATE):
        return "percentiles are shown, not tested, unless some are chosen: no claim is made"
    if (selection.x if group.x != base.x else selection.series) == AGGREGATE:
        return "kinds of values of the same runs are no two sides: no claim is made"
    if work.get(_key(group)) == work.get(_key(base)):
        return ""
    names = ", ".join(in_sentence(DIMENSIONS[name].label) for name in selection.pool)
    return f"the pooled runs of both sides are of unlike work ({names}): no claim is made"


def _ask_about_numbers(pair: tuple[Group, Group], observed: ObservedValues) -> str:
    """Why no claim is made where the names of runs have numbers of which nobody has said what they count; empty elsewhere."""
    seen = [observed.by_id.get(measurement) for group in pair for _, measurement in group.values]
    names = sorted({one.unanswered for one in seen if one is not None and one.unanswered})
    return f"the number of {names[0]} may be a level or a repetition: the archive's review asks" if names else ""


def _question(
    selection: Selection, chosen: ChosenRows, pair: tuple[Group, Group], samples: tuple[Sample, Sample], unlike: str
) -> Contrast:
    """What is asked of the claims. `unlike`: why the two did not do the same work."""
    (group, other), (sample, base) = pair, samples
    design = OPEN if unlike else chosen.design
    differing = [names for names in ((group.x, other.x), (group.series, other.series)) if names[0] and names[0] != names[1]]
    name, base_name = next(iter(differing), ("what is compared", "the baseline"))
    metric = METRICS[group.metric]
    better = metric.better if metric.unit in SPEEDS else NEITHER
    # The test of bounded runs ranks them whatever the statistic is, and needs fewer than that of medians.
    ranked = MEDIAN if group.stat == MEDIAN and not (group.bounded or other.bounded) else ""
    return Contrast(
        sample,
        base,
        design,
        bool(chosen.unrecorded),
        better,
        name=name,
        unlike=unlike if chosen.design != OPEN else "",
        stat=ranked,
        base_name=base_name,
        reboots=(selection.x if group.x != other.x else selection.series) in REBOOTED,
    )


def _side_of(group: Group, observed: ObservedValues, places: Mapping[int, tuple[str | None, int | None]]) -> list[RunState]:
    """The state before each run of a group."""
    seen = [(observed.by_id.get(measurement), places.get(measurement)) for _, measurement in group.values]
    return [RunState(one.state, one.session, place[1] if place else None) for one, place in seen if one is not None]


def _with_states(question: Contrast, sides: Sequence[Sequence[RunState]], axes: Collection[str]) -> Contrast:
    """The question with what the states before its runs say: why it cannot be judged, or doubts."""
    if question.design == OPEN or not any(run.values for side in sides for run in side):
        return question
    found = compare_states(
        Side(question.name, sides[0]),
        Side(question.base_name, sides[1]),
        follows_os=not core_keys.OS_AXES.isdisjoint(axes),
        whole_systems=question.design == AS_THEY_STAND or core_keys.frees_machine(axes),
    )
    if found.reason:
        return replace(question, design=OPEN, unlike=found.reason)
    sample = replace(question.sample, doubts=question.sample.doubts | set(found.doubts))
    return replace(question, sample=sample, notes=found.shown)


def make_verdict(selection: Selection, group: Group, base: Group, answer: Answer, too_many: bool) -> Verdict:
    """The answer as it is printed; the ratio of what is drawn where that is a statistic that carries no claim."""
    # Tests of medians compare ranks, and have a ratio of their own; of several machines it is the one that is drawn.
    drawn = drawn_ratio(group, base)
    if answer.ratio is not None and (group.stat != MEDIAN or max(group.machines, base.machines) > 1):
        ratio, bound = answer.ratio, answer.ratio_bound
    elif answer.ratio is None and (group.bound or base.bound) and any(run.bound is None for run in (*group.missing, *base.missing)):
        ratio, bound = None, ""
    else:
        ratio, bound = drawn
    apart = _drawn_apart(ratio, drawn[0])
    why = f"no claim: the figure has more than {MAX_OBSERVED} runs, too many to test one by one" if too_many else answer.withheld
    withheld = "; ".join((why, *apart)) if why else ""
    if group.stat not in CLAIMING:
        unclaimed = withheld or f"stat={selection.stat} supports no claim: only the geometric mean and the median do"
        return Verdict(drawn[0], None, None, "", 0, effect=_effect(group, base), withheld=unclaimed)
    too_wide = answer.too_wide
    return Verdict(
        ratio,
        None if too_wide else answer.low,
        None if too_wide else answer.high,
        answer.claim or "",
        answer.blocks,
        p=answer.p,
        effect=_effect(group, base),
        scope=answer.scope if answer.claim else "",
        level=answer.level,
        tests=answer.tests,
        doubts=(*answer.doubts, *_left_out(answer), *apart, *(("too few for a useful interval",) if too_wide else ())),
        withheld=withheld,
        needed=answer.needed,
        ratio_bound=bound,
        test=answer.test,
        sessions=answer.sessions if answer.claim else 0,
        earlier=answer.earlier,
    )


def _left_out(answer: Answer) -> tuple[str, ...]:
    """Which runs of the groups the test does not use, since their session or machine has no run of the other side, or is later."""
    if not answer.left_out:
        return ()
    places = {MACHINES: "machines with one side only", BEFORE: "sessions that are not earlier"}
    which = places.get(answer.scope, "sessions with one side only")
    return (f"{answer.left_out} {'run' if answer.left_out == 1 else 'runs'} left out, of {which}",)


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


def _baseline_axis(baseline: str, panel: Panel) -> str:
    """`x` or `series`, of which the baseline is a value; empty where it is of neither."""
    return "x" if baseline in panel.xs else "series" if baseline in panel.series else ""


def find_pairs(panel: Panel) -> list[tuple[Group, Group]]:
    """(group, its baseline) of every group that has one."""
    axis = _baseline_axis(panel.baseline, panel) if panel.baseline else ""
    if not axis:
        return []
    other = "series" if axis == "x" else "x"
    bases = {getattr(group, other): group for group in panel.groups if getattr(group, axis) == panel.baseline}
    return [
        (group, bases[getattr(group, other)])
        for group in panel.groups
        if getattr(group, axis) != panel.baseline and getattr(group, other) in bases
    ]


def _effect(group: Group, base: Group) -> float | None:
    """The probability that a value of the group is better (or higher) than one of the baseline; None for single values."""
    if len(group.basis) < 2 or len(base.basis) < 2 or group.unmeasured or base.unmeasured:
        return None
    higher = statistics.probability_of_superiority(group.basis, base.basis)
    return 1 - higher if METRICS[group.metric].better == LESS else higher


def _relative(baseline: str, panel: Panel) -> Panel:
    """The panel with every number divided by its baseline's centre; without the groups that have no baseline."""
    axis = _baseline_axis(baseline, panel)
    if not axis:
        return panel
    other = "series" if axis == "x" else "x"
    bases = {getattr(group, other): group for group in panel.groups if getattr(group, axis) == baseline}
    pairs = [(group, base) for group in panel.groups if (base := bases.get(getattr(group, other))) is not None and base.center]
    divided, empty = [], []
    for group, base in pairs:
        if group is not base and any(run.side == base.bound for run in group.bounded):  # nothing is known of such a quotient
            empty.append(EmptyPlace(group.metric, group.x, group.series, group.facet, (), group.unmeasured))
        else:
            divided.append(_divided(group, base))
    return replace(panel, groups=divided, empty=[*panel.empty, *empty], unit="1")


def _divided(group: Group, base: Group) -> Group:
    """The group with every number divided by its baseline's centre; the quotients by a bound lie beyond it on the other side."""
    divisor, side = base.center, _OTHER_SIDE[base.bound]
    quotient = group.changed(
        center=group.center / divisor,
        parts=tuple(part / divisor for part in group.parts),
        points=[point._replace(value=point.value / divisor, side=side) for point in group.points],
        low=None if group.low is None else group.low / divisor,
        high=None if group.high is None else group.high / divisor,
        bound=group.bound if not side else "" if group is base else side,
    )
    if side:  # of what has only a bound itself nothing is known then
        return quotient.changed(
            low=None,
            high=None,
            interval="none",
            missing=tuple(run._replace(bound=None, side="") for run in group.missing),
            unmeasured=tuple(replace(count, bound=None, side="") for count in group.unmeasured),
        )
    return quotient.changed(
        missing=tuple(run._replace(bound=None if run.bound is None else run.bound / divisor) for run in group.missing),
        unmeasured=tuple(
            replace(count, bound=None if count.bound is None else count.bound / divisor) for count in group.unmeasured
        ),
    )


def with_lines(panels: Sequence[Panel], lines: ShownLines) -> Sequence[Panel]:
    """The panels with the lines of their shown values, and the caveats that follow from these."""
    return [replace(panel, groups=[_with_lines(group, lines) for group in panel.groups]) for panel in panels]


def _with_lines(group: Group, lines: ShownLines) -> Group:
    """The group with the lines of its shown values, and the caveats that follow from these."""
    values = [lines.by_id.get(point.id) for point in group.points]
    points = [
        point._replace(address=value.address, place=value.place, raw=value.raw) if value and lines.is_linked(point.id) else point
        for point, value in zip(group.points, values, strict=True)
    ]
    known = [value for value in values if value is not None]
    doubts = {
        "partial": any([value.partial for value in known]),
        "titles": any([value.unlike_title for value in known]),
        "computed": any([value.computed for value in known]),
        "zeros": any([value.zeros for value in known]) and derived.kind(group.metric) != derived.NAMES,
        "options": any([value.observed.options_unknown for value in known]),
    }
    flags = {name for name, is_there in doubts.items() if is_there}
    if flags.issubset(group.flags):
        return group.changed(points=points)
    return group.changed(points=points, flags=caveats.order_caveats({*group.flags, *flags}))


def find_other_sums(selection: Selection, chosen: ChosenRows, passing: Columns) -> Columns:
    """The rows with the tool's own sum of the runs of which the total over the wall time is drawn; without their values.

    iozone's *Children see* adds up the rates of processes, each over its own time; *Parent sees* is all bytes over the wall time.
    """
    if dict(chosen.workload).get("part") != PARENT or not len(chosen.rows):
        return passing.none()
    wanted = tuple((name, UNKNOWN if name == "part" else value) for name, value in chosen.workload)
    keys = WorkloadKeys(selection, passing)
    if wanted not in keys.keys:
        return passing.none()
    rows = passing.take(np.array(keys.codes[passing.indices[WORKLOAD_INDEX]] == keys.keys.index(wanted), bool))
    drawn = {(row.metric, row.configuration) for row in chosen.rows.rows}
    return rows.take(np.array([(row.metric, row.configuration) in drawn for row in rows.rows], bool))


def withhold_contradicted(selection: Selection, panels: Sequence[Panel], sums: Sequence[SummaryRow]) -> Sequence[Panel]:
    """The panels without the claims whose ratio the tool's own sums contradict, with that ratio in the reason."""
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for row in sums:
        x, series, facet = (
            row.texts[axis] if axis in DIMENSIONS else "" for axis in (selection.x, selection.series, selection.facet)
        )
        for name in {series, row.metric}:  # metrics may be the series
            values.setdefault((row.metric, x, name, facet), []).extend(row.values)
    sums_of = {key: statistics.geometric_mean(found) for key, found in values.items() if found and min(found) > 0}
    return [_withheld(panel, sums_of) for panel in panels] if sums_of else panels


def _withheld(panel: Panel, sums: Mapping[tuple[str, str, str, str], float]) -> Panel:
    contradicted: dict[int, Verdict] = {}
    reason = ""
    for group, base in find_pairs(panel):
        verdict, of_group, of_base = group.verdict, sums.get(_key(group)), sums.get(_key(base))
        if verdict is None or verdict.ratio is None or not of_group or not of_base:
            continue
        if verdict.word and (verdict.ratio - 1) * (of_group / of_base - 1) < 0:
            reason = f"the sum of the children points the other way ({of_group / of_base:.2f}x)"
            apart = _drawn_apart(verdict.ratio, drawn_ratio(group, base)[0])
            contradicted[id(group)] = replace(verdict, word="", scope="", withheld="; ".join((reason, *apart)))
    if not contradicted:
        return panel
    groups = [group.changed(verdict=contradicted[id(group)]) if id(group) in contradicted else group for group in panel.groups]
    return replace(panel, groups=groups, overall=[replace(whole, claim="", withheld=reason) for whole in panel.overall])


def describe_method(selection: Selection, panels: Sequence[Panel], groups: Sequence[Group]) -> str:
    """How centres, intervals and verdicts were computed, for the caption; empty without groups."""
    if not groups:
        return ""
    sentences = (
        aggregates.describe_method(selection.stat, groups) if any(group.runs for group in groups) else NO_NUMBER,
        "open end: the value lies beyond what could be measured" if any(group.bound for group in groups) else "",
        describe_tests(panels),
    )
    return "; ".join(sentence for sentence in sentences if sentence)


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
