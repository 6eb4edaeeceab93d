"""What may be claimed of each group beside its baseline, over all questions of a page. Pure: docs/statistics.md has the rules.

A claim goes no further than its data: the widest one whose needs are met is tested, and if the test fails the answer is
`NO_DIFFERENCE`, never a narrower claim. Removing a measured value, or not knowing a round, a position or a key, never gives a
wider claim nor, but for `DRIFT`, fewer doubts: that one is about the order of those runs that a test compares. Three things are
no such removals: leaving out a failed or bounded run, which hides it; leaving out a machine, which asks about others; and taking
sessions for one, where each side had its own: that claim is one of sessions, and has the doubt `DRIFT`. More runs of the same
machines, that neither failed nor are bounded, never leave a question without an answer that had one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from ingest.catalogue import LESS, MORE
from webapp.claims import block_design, centers, ratio_tests, statistics
from webapp.claims.block_design import Plan, Stratum
from webapp.claims.observations import (
    ABOVE,
    AS_THEY_STAND,
    BEFORE,
    BELOW,
    CONTROLLED,
    DOUBTS,
    DRIFT,
    GEOMETRIC,
    MACHINES,
    MEDIAN,
    NO_DIFFERENCE,
    SESSION,
    SESSIONS,
    SYSTEM,
    SYSTEMS,
    Answer,
    Contrast,
    Observation,
    Sample,
)
from webapp.claims.ratio_tests import BoundedTest, RankTest, StudentTest

MIN_PLACES = 4
"""Places that an overall geometric mean needs."""
MAX_FACTOR = 10
"""An interval beyond this factor to either side is printed as too few."""
_T = TypeVar("_T")
DRIFT_SCOPES = frozenset((SESSION, SESSIONS, SYSTEM, MACHINES))
"""Scopes whose claims have the doubt `DRIFT` unless the order was balanced: a side that ran first more often may owe its
difference to that, or to a first run that is slow. Two systems as they stand share no session in which one could be first."""
CLAIMS = {
    SESSION: "{} in this session",
    SESSIONS: "{} in these {} sessions",
    SYSTEM: "{} on this system",
    MACHINES: "{} on these machines",
    SYSTEMS: "A is {} than B",
    BEFORE: "{} than before",
}
_NOT_CONTROLLED = "not controlled: differences are listed, no claim is made"
_NO_SPREAD = "no spread: the values look rounded, so there is nothing to test against"
_ALL_TIE = "no value certainly exceeds another: they lie beyond the same bound"


@dataclass(frozen=True, slots=True)
class _Tried:
    """The answer to a question so far; its test where there is one, and the direction in which its values are better."""

    answer: Answer
    test: StudentTest | RankTest | BoundedTest | None = None
    better: str = MORE


def judge(questions: Sequence[Contrast], stat: str = GEOMETRIC) -> list[Answer]:
    """The answer to each question of a page, in their order; Holm's procedure goes over all of them."""
    return judge_page(questions, (), stat)[0]


def overall(places: Sequence[Contrast], stat: str = GEOMETRIC) -> Answer:
    """The geometric mean of the ratios of at least four places, with its interval; one place is one question.

    Where each place is a machine of its own it is the question over these machines, and can be claimed of them; else there is
    no claim. On a page with other tests use `judge_page`, so that Holm's procedure counts this one too.
    """
    _, [answer] = judge_page((), (places,), stat)
    return answer


def judge_page(
    questions: Sequence[Contrast], wholes: Sequence[Sequence[Contrast]], stat: str = GEOMETRIC
) -> tuple[list[Answer], list[Answer]]:
    """(`judge`, `overall` of each whole), with one procedure of Holm's over all tests. ValueError for another statistic."""
    if stat not in (GEOMETRIC, MEDIAN):
        raise ValueError(f"no claim can be made with {stat}")
    tried = [_try(question, question.stat or stat) for question in questions]
    tried += [_try_overall(places, MEDIAN if any(place.stat == MEDIAN for place in places) else stat) for places in wholes]
    tests = [one.test for one in tried if one.test]
    steps = iter(statistics.holm_levels([test.p for test in tests]))
    answers = [_decide(one, *next(steps), len(tests)) if one.test else one.answer for one in tried]
    answers = [replace(answer, tests=len(tests)) for answer in answers]
    return answers[: len(questions)], answers[len(questions) :]


def _try(question: Contrast, stat: str) -> _Tried:
    """The question with its test, or with the reason why there is none."""
    answer = _describe(question, stat)
    flaw = _flaw(question)
    if flaw:
        return _Tried(replace(answer, withheld=flaw))
    plan, test = None, None
    # A plan whose values have no spread at all cannot be tested (equal differences in rounded values, say): the next one may be.
    for plan in block_design.find_plans(question, stat):
        if test := _test(question, plan, stat):
            break
    if plan is None and block_design.asks_before(question):
        earlier = block_design.earlier_sessions(question)
        answer = replace(answer, earlier=len(earlier))
        if len(earlier) >= block_design.MIN_EARLIER:
            return _try_later(question, answer, earlier)
    if plan is None or test is None:
        untestable = _ALL_TIE if _has_bounds(question) else _NO_SPREAD
        return _Tried(replace(answer, withheld=_missing(question, stat, answer.earlier) if plan is None else untestable))
    observations = list(plan.observations())
    sessions = len({one.session for one in observations})
    answer = replace(
        answer,
        scope=plan.scope,
        ratio=test.ratio if isinstance(test, StudentTest) else answer.ratio,
        test=_name_test(plan, test, sessions),
        blocks=len(plan.blocks) if plan.shared else 0,
        sessions=sessions,
        machines=len(block_design.machines_of(observations)),
        left_out=len(_runs(question)) - len(observations),
    )
    if plan.scope in DRIFT_SCOPES and not (order := block_design.find_order(plan)).is_balanced:
        first = {1: question.name, -1: question.base_name}.get(order.first)
        answer = replace(answer, doubts=(*answer.doubts, f"{first} ran first every time: {DRIFT}" if first else DRIFT))
    return _Tried(answer, test, question.better)


def _try_later(question: Contrast, answer: Answer, earlier: Sequence[Sequence[Observation]]) -> _Tried:
    """The question whether one new session is worse than the earlier ones, by the interval in which a further one is expected."""
    new, *before = ([math.log(one.value) for one in unit] for unit in (question.sample.observations, *earlier))
    test = ratio_tests.prediction_test(new, before)
    if test is None:
        return _Tried(replace(answer, withheld=_NO_SPREAD))
    name = f"prediction interval of {len(earlier)} earlier sessions"
    left_out = len(question.base.observations) - sum(map(len, before))
    found = replace(answer, scope=BEFORE, ratio=test.ratio, test=name, sessions=len(earlier) + 1, left_out=left_out)
    return _Tried(found, test, question.better)


def _runs(question: Contrast) -> tuple[Observation, ...]:
    return (*question.sample.observations, *question.base.observations)


def _describe(question: Contrast, stat: str) -> Answer:
    """What can be said without a test: the ratio as drawn, counts, and doubts."""
    ratio, bound = _drawn_ratio(question, stat)
    runs = _runs(question)
    known = sorted(question.sample.doubts | question.base.doubts)
    doubts = [DOUBTS.get(doubt, doubt) for doubt in known]
    if question.as_far_as_known and question.design == CONTROLLED:
        doubts.append("alike as far as known")
    return Answer(
        ratio=ratio,
        ratio_bound=bound,
        sessions=len({one.session for one in runs}),
        machines=len(block_design.machines_of(runs)),
        doubts=(*doubts, *question.notes),
    )


def _drawn_ratio(question: Contrast, stat: str) -> tuple[float | None, str]:
    """(ratio, bound) as drawn: of the centres, or the mean or median of one ratio per machine; (None, "") where unknown."""
    if _flaw_of_runs(question):
        return None, ""
    pairs = _drawn_pairs(question)
    if stat == GEOMETRIC and not _has_bounds(question):
        return math.exp(fmean(centers.log_center(one) - centers.log_center(other) for one, other in pairs)), ""
    ranges = [_ratio_range(centers.median_range(one), centers.median_range(other)) for one, other in pairs]
    limits = statistics.median([low for low, _ in ranges]), statistics.median([high for _, high in ranges])
    above = any(one.censored == ABOVE for one in question.sample.observations)
    ratio, bound = centers.bound_of(limits, above or any(one.censored == BELOW for one in question.base.observations))
    return (None, "") if math.isnan(ratio) else (ratio, bound)


def _drawn_pairs(question: Contrast) -> list[tuple[Sequence[Observation], Sequence[Observation]]]:
    """Both sides of each machine that has both, where there are several in a controlled figure; else the two sides."""
    sample, base = question.sample.observations, question.base.observations
    both = block_design.machines_of(sample) & block_design.machines_of(base)
    if question.design != CONTROLLED or not both:
        return [(sample, base)]
    return [([one for one in sample if one.machine == at], [one for one in base if one.machine == at]) for at in sorted(both)]


def _ratio_range(one: centers.Range, other: centers.Range) -> centers.Range:
    return one[0] / other[1], one[1] / other[0] if other[0] else math.inf


def _has_bounds(question: Contrast) -> bool:
    return any(one.censored for one in _runs(question))


def _flaw(question: Contrast) -> str:
    """Why these runs carry no claim, however many they are; empty where they may."""
    if question.design not in (CONTROLLED, AS_THEY_STAND):
        return question.unlike or _NOT_CONTROLLED
    return _flaw_of_runs(question)


def _flaw_of_runs(question: Contrast) -> str:
    """Why these runs carry no claim, whatever the design."""
    sample, base = question.sample, question.base
    if not (sample.observations and base.observations):
        return "nothing was measured on one side"
    if sample.failed or base.failed:
        return ", ".join(dict.fromkeys(_describe_failed(side) for side in (sample, base) if side.failed))
    if any([not 0 < one.value < math.inf for one in _runs(question)]):
        return "a value of zero or less has no ratio"
    return ""


def _describe_failed(side: Sample) -> str:
    """`3 of 6 runs failed (no space left)`."""
    count = f"{side.failed} of {_count(side.failed + len(side.observations), 'run')}"
    return f"{count} failed ({side.error})" if side.error else f"{count} failed or did not finish"


def _missing(question: Contrast, stat: str, earlier: int | None) -> str:
    """What a question without a plan lacks. `earlier`: sessions before a single new one, None where they are not asked about."""
    before = f"better or worse than before needs {block_design.MIN_EARLIER} earlier sessions and has {earlier}"
    return "; ".join((_missing_plan(question, stat), *([] if earlier is None else [before])))


def _missing_plan(question: Contrast, stat: str) -> str:
    sample, base = question.sample.observations, question.base.observations
    least = max(block_design.MIN_BLOCKS, block_design.ranked_from(question, stat))
    several = len(block_design.machines_of((*sample, *base))) > 1
    if question.design == AS_THEY_STAND:
        return _missing_as_they_stand(question, least)
    if several:
        return _missing_machines(question, least)
    ones, others = (centers.by_session(side) for side in (sample, base))
    if ones.keys().isdisjoint(others):
        wider, capped = f"at least {least} sessions a side", block_design.is_capped(question)
        if question.reboots:
            needs = f"{wider}, booted by turns" + (f", without this doubt: {_doubted(question)}" if capped else "")
        else:
            needs = "both sides in one session" + ("" if capped else f", or {wider}")
        return f"cannot tell: session and {question.name} are the same thing here; {needs}"
    if len(sample) == len(base) == 1:
        return f"one run each, spread unknown; at least {least} a side"
    both = ones.keys() & others.keys()
    counts = [sum(one.session in both for one in side) for side in (sample, base)]
    needs = _least(least, stat) if min(counts) < least else f"at least {least} a side within one of them"
    return f"{counts[0]} and {counts[1]} runs in {_count(len(both), 'session')} with both sides; {needs}"


def _missing_as_they_stand(question: Contrast, least: int) -> str:
    sides = question.sample.observations, question.base.observations
    if question.sample.doubts or question.base.doubts:
        machines = block_design.machines_of([one for side in sides for one in side])
        return f"{_doubted(question)}: no claim{' about two systems' if len(machines) > 1 else ''}"
    if any(len(block_design.machines_of(side)) > 1 for side in sides):
        return "several machines on one side: two systems are compared by one machine each"
    counts = [len(centers.by_session(side)) for side in sides]
    return f"{counts[0]} and {_count(counts[1], 'session')}; at least {least} a side"


def _missing_machines(question: Contrast, least: int) -> str:
    """Why several machines carry no claim."""
    ones, others = (block_design.machines_of(side.observations) for side in (question.sample, question.base))
    if ones.isdisjoint(others):
        return f"cannot tell: machine and {question.name} are the same thing here; at least 4 machines with both sides"
    if block_design.is_capped(question):
        counted = _count(len(ones | others), "machine")
        return f"{_doubted(question)}: at most a claim about sessions of one machine, but there are {counted}"
    # Bounded values and medians are compared by signs, of which 6 can differ at 5 %.
    needs = block_design.MIN_MACHINES if least == block_design.MIN_BLOCKS else block_design.MIN_RANKED[MEDIAN]
    return f"{_count(len(ones & others), 'machine')} with both sides; at least {needs}, or one machine at a time"


def _doubted(question: Contrast) -> str:
    return ", ".join(_describe(question, MEDIAN).doubts)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _least(least: int, stat: str) -> str:
    if stat == MEDIAN:
        return f"the median needs at least {least} a side"
    return f"at least {least} a side" + (", as some values are only bounded" if least > block_design.MIN_BLOCKS else "")


def _test(question: Contrast, plan: Plan, stat: str) -> StudentTest | RankTest | BoundedTest | None:
    """The test of a plan; None where it can tell nothing."""
    if _has_bounds(question):
        ranges = [_map_units(block, centers.median_range) for block in plan.blocks]
        return ratio_tests.bounded_test(ranges)
    if stat == MEDIAN:
        logs = [_map_units(block, lambda unit: math.log(centers.median_range(unit)[0])) for block in plan.blocks]
        return ratio_tests.rank_test(logs)
    if block_design.is_paired(plan):
        return ratio_tests.paired_test([_log_difference(block) for block in plan.blocks])
    return ratio_tests.welch_test([_map_units(block, centers.log_center) for block in plan.blocks])


def _name_test(plan: Plan, test: StudentTest | RankTest | BoundedTest, sessions: int) -> str:
    """`Student's t-test paired over 3 rounds`, `Welch's t-test over all runs of both sides`, `... within 2 sessions`."""
    several = len(plan.blocks) > 1
    if plan.scope == MACHINES:
        blocks_of = f"{len(plan.blocks)} machines"
    elif plan.scope in (SESSION, SESSIONS) and len(plan.blocks) > sessions:
        blocks_of = f"{len(plan.blocks)} rounds"
    else:
        blocks_of = f"{len(plan.blocks)} sessions"
    if isinstance(test, StudentTest):
        if block_design.is_paired(plan):
            return f"Student's t-test paired over {blocks_of}"
        return f"Welch's t-test {f'within {blocks_of}' if several else 'over all runs' if plan.shared else 'over all sessions'}"
    return f"exact test of ranks {f'within {blocks_of}' if several else 'over all runs' if plan.shared else 'over all sessions'}"


def _map_units(block: Stratum, of: Callable[[Sequence[Observation]], _T]) -> tuple[list[_T], list[_T]]:
    return [of(unit) for unit in block.sample], [of(unit) for unit in block.base]


def _log_difference(block: Stratum) -> float:
    sample, base = _map_units(block, centers.log_center)
    return fmean(sample) - fmean(base)


def _decide(tried: _Tried, rejected: bool, level: float, tests: int) -> Answer:
    """The answer after Holm's procedure."""
    test, answer = tried.test, tried.answer
    assert test is not None
    answer = replace(answer, p=test.p, level=level)
    if not isinstance(test, BoundedTest):
        low, high = test.interval(level)
        assert answer.ratio is not None
        too_wide = high > MAX_FACTOR * answer.ratio or low * MAX_FACTOR < answer.ratio
        answer = replace(answer, low=low, high=high, too_wide=too_wide)
    if rejected:
        word = _word(test.is_higher, tried.better)
        word = {"faster": "better", "slower": "worse"}.get(word, word) if answer.scope == BEFORE else word
        return replace(answer, claim=CLAIMS[answer.scope].format(word, answer.sessions))
    # Every wider claim needs three sessions or more.
    is_wide = answer.scope not in (SESSION, SESSIONS)
    needed = test.needed((1 - statistics.CONFIDENCE_LEVEL) / tests) if is_wide and isinstance(test, StudentTest) else None
    return replace(answer, claim=NO_DIFFERENCE, needed=needed)


def _word(higher: bool, better: str) -> str:
    if better not in (MORE, LESS):
        return "higher" if higher else "lower"
    return "faster" if higher == (better == MORE) else "slower"


def _try_overall(places: Sequence[Contrast], stat: str) -> _Tried:
    """The question over the machines of all places, or the mean of their ratios without a claim."""
    flaw = next(filter(None, map(_flaw, places)), "")
    if any(place.design != CONTROLLED for place in places):
        flaw = "an overall mean needs a controlled figure"
    elif len(places) < MIN_PLACES:
        flaw = f"{_count(len(places), 'place')}; an overall mean needs at least {MIN_PLACES}"
    elif len({place.better for place in places}) > 1:
        flaw = "higher is better in one place and lower in another: no mean of their ratios"
    if flaw:
        return _Tried(Answer(withheld=flaw))
    merged = _merge(places)
    if _has_machine_each(places):
        return _try(merged, stat)
    ratios = [_drawn_ratio(place, stat) for place in places]
    if any(ratio is None or bound for ratio, bound in ratios):
        return _Tried(Answer(withheld="no mean: some of the ratios are only bounded"))
    differences = [math.log(ratio) for ratio, _ in ratios if ratio]
    test = ratio_tests.paired_test(differences)
    low, high = test.interval(statistics.CONFIDENCE_LEVEL) if test else (None, None)
    described = _describe(merged, stat)
    why = "these places are not one machine each: the mean of their ratios applies to them alone"
    answer = replace(described, ratio=math.exp(fmean(differences)), ratio_bound="", low=low, high=high, withheld=why)
    return _Tried(replace(answer, blocks=len(places), level=statistics.CONFIDENCE_LEVEL if test else None))


def _has_machine_each(places: Sequence[Contrast]) -> bool:
    """Whether every place is one machine, which is no other place's."""
    machines = [block_design.machines_of(_runs(place)) for place in places]
    return all(len(one) == 1 for one in machines) and len(set().union(*machines)) == len(places)


def _merge(places: Sequence[Contrast]) -> Contrast:
    """One question with the runs of all places."""
    names, base_names = {place.name for place in places}, {place.base_name for place in places}
    merged = Contrast(
        _merge_samples(place.sample for place in places),
        _merge_samples(place.base for place in places),
        CONTROLLED,
        any(place.as_far_as_known for place in places),
        places[0].better,
    )
    return replace(merged, name=names.pop(), base_name=base_names.pop()) if len(names) == len(base_names) == 1 else merged


def _merge_samples(samples: Iterable[Sample]) -> Sample:
    kept = list(samples)
    return Sample(
        tuple(one for sample in kept for one in sample.observations),
        sum(sample.failed for sample in kept),
        frozenset().union(*(sample.doubts for sample in kept)),
        ", ".join(dict.fromkeys(sample.error for sample in kept if sample.error)),
    )
