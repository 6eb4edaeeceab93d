"""What a test may compare with what: machines, sessions, rounds and repetitions as blocks. Pure; looks at no value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

from webapp.claims.centers import by_session
from webapp.claims.observations import (
    AS_THEY_STAND,
    GEOMETRIC,
    MACHINES,
    MEDIAN,
    SESSION,
    SESSIONS,
    SYSTEM,
    SYSTEMS,
    Contrast,
    Observation,
)

MIN_BLOCKS = 3
"""Rounds or sessions that hold both sides, and repetitions or sessions a side."""
MIN_MACHINES = 4
MIN_EARLIER = 4
"""Earlier sessions against which one new one is judged."""
MIN_RANKED = {GEOMETRIC: 4, MEDIAN: 6}
"""Values a side from which ranks carry a claim: where some are only bounded, and for the median."""
ALPHA = 0.05
HALF_A_PLACE = 0.5
HOUR, DAY = 3600.0, 86400.0

Unit: TypeAlias = tuple[Observation, ...]
"""Repetitions that count as one value of a test."""
Runs: TypeAlias = Sequence[Observation]


@dataclass(frozen=True, slots=True)
class Stratum:
    """The values of both sides that are compared with each other. A block of `Plan.blocks` has at least one of each."""

    sample: tuple[Unit, ...]
    base: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question could be tested, and how far the claim would go."""

    scope: str
    blocks: tuple[Stratum, ...]
    shared: bool = True
    """Whether both sides of a block share its session, round or machine."""

    def observations(self) -> Iterator[Observation]:
        for block in self.blocks:
            for unit in (*block.sample, *block.base):
                yield from unit


@dataclass(frozen=True, slots=True)
class Order:
    """The order in time of both sides. `first`: 1 where the sample ran first every time, -1 where the baseline did, else 0."""

    is_balanced: bool
    first: int = 0


@dataclass(frozen=True, slots=True)
class _Lead:
    """Of a block: `first` is 1 where the sample ran first, -1 where the baseline did; by how many places the sample ran earlier on
    average; whether one side had ended before the other began."""

    first: int
    places: float
    wholly: bool


def find_plans(question: Contrast, stat: str) -> Iterator[Plan]:
    """The plans whose needs are met, whatever the values, the widest claim first. The question has a design that can carry a
    claim, and runs on both sides."""
    return (plan for plan in _plans(question) if _is_enough(plan, ranked_from(question, stat)))


def ranked_from(question: Contrast, stat: str) -> int:
    """Values a side that a test of ranks needs; 0 where the test is one of means."""
    bounded = any(one.censored for one in (*question.sample.observations, *question.base.observations))
    return MIN_RANKED[stat] if bounded or stat != GEOMETRIC else 0


def is_capped(question: Contrast) -> bool:
    """Whether no claim may go beyond the sessions that were measured."""
    return bool(question.as_far_as_known or question.sample.doubts or question.base.doubts)


def machines_of(runs: Iterable[Observation]) -> set[int]:
    return {one.machine for one in runs}


def asks_before(question: Contrast) -> bool:
    """Whether it may be asked if one new session is worse than earlier ones: all of one machine, no value only bounded."""
    sample, base = question.sample.observations, question.base.observations
    ones, others = by_session(sample), by_session(base)
    is_one = question.is_later and len(ones) == 1 == len(machines_of((*sample, *base))) and ones.keys().isdisjoint(others)
    return is_one and not any([one.censored for one in (*sample, *base)])


def earlier_sessions(question: Contrast) -> tuple[Unit, ...]:
    """The sessions of the baseline before the only one of the sample. Two of which a time is known are ordered by it, others as
    they were uploaded, as their ids rise."""
    new = question.sample.observations
    return tuple(unit for unit in by_session(question.base.observations).values() if _ends_before(unit, new))


def _ends_before(unit: Runs, new: Runs) -> bool:
    times, beyond = ([one.started for one in side if one.started is not None] for side in (unit, new))
    return max(times) < min(beyond) if times and beyond else unit[0].session < new[0].session


def _plans(question: Contrast) -> Iterator[Plan]:
    """Every plan, the widest claim first, and for one claim the finest blocks first."""
    sample, base = question.sample.observations, question.base.observations
    if question.design == AS_THEY_STAND:
        if not (question.sample.doubts or question.base.doubts) and len(machines_of(sample)) == len(machines_of(base)) == 1:
            yield from _session_plans(SYSTEMS, sample, base)
    elif len(machines_of((*sample, *base))) > 1:
        if not is_capped(question):
            yield Plan(MACHINES, _machine_blocks(sample, base))
    else:
        if not is_capped(question):
            yield from _session_plans(SYSTEM, sample, base)
        scope = SESSIONS if len(by_session(sample).keys() & by_session(base).keys()) > 1 else SESSION
        yield Plan(scope, _within_sessions(sample, base, _round_blocks))
        yield Plan(scope, _within_sessions(sample, base, lambda *sides: ()))


def _session_plans(scope: str, sample: Runs, base: Runs) -> Iterator[Plan]:
    """One value per session and side: paired over sessions that hold both, else all against all."""
    ones, others = by_session(sample), by_session(base)
    yield Plan(scope, tuple(Stratum((unit,), (others[session],)) for session, unit in ones.items() if session in others))
    yield Plan(scope, (Stratum(tuple(ones.values()), tuple(others.values())),), shared=False)


def _machine_blocks(sample: Runs, base: Runs) -> tuple[Stratum, ...]:
    """One value per machine and side, of the sessions that hold both sides where there are some."""
    blocks = []
    for machine in dict.fromkeys(one.machine for one in sample):
        sides = [tuple(one for one in side if one.machine == machine) for side in (sample, base)]
        both = by_session(sides[0]).keys() & by_session(sides[1]).keys()
        one, other = (tuple(run for run in side if not both or run.session in both) for side in sides)
        if one and other:
            blocks.append(Stratum((one,), (other,)))
    return tuple(blocks)


def _within_sessions(sample: Runs, base: Runs, split: Callable[[Runs, Runs], tuple[Stratum, ...]]) -> tuple[Stratum, ...]:
    """Repetitions within blocks: those into which `split` takes a session that holds both sides, else the session itself."""
    ones, others = by_session(sample), by_session(base)
    blocks: list[Stratum] = []
    for session, runs in ones.items():
        if session in others:
            blocks.extend(split(runs, others[session]) or (_block(runs, others[session]),))
    return tuple(blocks)


def _round_blocks(sample: Runs, base: Runs) -> tuple[Stratum, ...]:
    """The rounds of one session that hold both sides; none where there are fewer than three."""
    names = {one.round for one in base} - {None}
    blocks = tuple(
        _block([one for one in sample if one.round == name], [one for one in base if one.round == name])
        for name in dict.fromkeys(one.round for one in sample)
        if name in names
    )
    return blocks if len(blocks) >= MIN_BLOCKS else ()


def _block(sample: Runs, base: Runs) -> Stratum:
    return Stratum(tuple([(one,) for one in sample]), tuple([(one,) for one in base]))


def _is_enough(plan: Plan, ranked: int) -> bool:
    """Whether a plan has the blocks and values that its test and its claim need. More of either never makes it too little."""
    if plan.scope == MACHINES and len(plan.blocks) < MIN_MACHINES:
        return False
    if ranked:
        return _values_a_side(plan.blocks) >= ranked and can_reject(plan.blocks)
    return is_paired(plan) or _values_a_side(plan.blocks) >= MIN_BLOCKS


def is_paired(plan: Plan) -> bool:
    """Whether a test of means compares blocks, not the values within them. A claim about the measured sessions alone is tested
    within blocks where their values have more degrees of freedom: a further session then takes no claim away."""
    if len(plan.blocks) < MIN_BLOCKS:
        return False
    within = 2 * (_values_a_side(plan.blocks) - len(plan.blocks))
    return plan.scope not in (SESSION, SESSIONS) or len(plan.blocks) - 1 >= within


def _values_a_side(blocks: Sequence[Stratum]) -> int:
    return min(sum(len(block.sample) for block in blocks), sum(len(block.base) for block in blocks))


def can_reject(blocks: Sequence[Stratum]) -> bool:
    """Whether ranks within blocks can differ at 5 % at all: 2 / (number of ways to share values out) is at most that."""
    ways = math.prod(math.comb(len(block.sample) + len(block.base), len(block.sample)) for block in blocks)
    return ways >= 2 / ALPHA


def find_order(plan: Plan) -> Order:
    """Whether the order in time was balanced between both sides, and which of them ran first every time.

    The numbers of blocks in which each ran first, and in which each ran earlier on average, differ by at most the square root of
    the number of blocks; the same holds of their sessions. With fewer than three blocks the mean places in time within them differ
    by less than half a place. Sessions of one side each must not have hours of the day
    of their own either. A run of which no place is known leaves the order unknown.
    """
    if not plan.shared:
        return Order(_has_balanced_sessions(plan.blocks[0]))
    leads = [_find_lead(block) for block in plan.blocks]
    known = [lead for lead in leads if lead is not None]
    if not known or len(known) < len(leads):
        return Order(False)
    has_blocks = len(known) >= MIN_BLOCKS
    firsts = {lead.first if has_blocks or lead.wholly else 0 for lead in known}
    always = firsts.pop() if len(firsts) == 1 else 0
    if not has_blocks:
        return Order(abs(fmean(lead.places for lead in known)) < HALF_A_PLACE, always)
    sessions = [part for part in _split_sessions(*plan.blocks) if part.sample and part.base]
    of_sessions = [lead for lead in map(_find_lead, sessions) if lead is not None]
    return Order(_is_balanced(known) and _is_balanced(of_sessions), always)


def _is_balanced(leads: Sequence[_Lead]) -> bool:
    most = math.sqrt(len(leads))
    return abs(sum(lead.first for lead in leads)) <= most and abs(sum(_sign(lead.places) for lead in leads)) <= most


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _split_sessions(*strata: Stratum) -> list[Stratum]:
    """The sessions of blocks; in some of them maybe one side only."""
    ones = by_session(one for block in strata for unit in block.sample for one in unit)
    others = by_session(one for block in strata for unit in block.base for one in unit)
    return [_block(ones.get(session, ()), others.get(session, ())) for session in dict.fromkeys([*ones, *others])]


def _find_lead(block: Stratum) -> _Lead | None:
    """How far one side of a block ran before the other; None where that is unknown. Of sessions with both sides their majority."""
    if len({one.session for side in (block.sample, block.base) for unit in side for one in unit}) == 1:  # as most blocks have
        return _compare_places(block, False)
    sessions = _split_sessions(block)
    if not all(part.sample and part.base for part in sessions):
        return _compare_places(block, True)
    leads = [_compare_places(part, False) for part in sessions]
    known = [lead for lead in leads if lead is not None]
    if len(known) < len(leads):
        return None
    wholly = len({lead.first for lead in known if lead.wholly}) == 1 and all(lead.wholly for lead in known)
    return _Lead(_sign(sum(lead.first for lead in known)), fmean(lead.places for lead in known), wholly)


def _compare_places(block: Stratum, is_of_several: bool) -> _Lead | None:
    keys = [[_time_key(one, is_of_several) for unit in side for one in unit] for side in (block.sample, block.base)]
    if None in keys[0] or None in keys[1] or not set(keys[0]).isdisjoint(keys[1]):  # of equal ones no order is known
        return None
    sides = [
        side for _, side in sorted([(key or (), side) for side, of_side in zip((1, -1), keys, strict=True) for key in of_side])
    ]
    ones, others = [fmean([place for place, side in enumerate(sides) if side == which]) for which in (1, -1)]
    return _Lead(sides[0], others - ones, sum([side != other for side, other in pairwise(sides)]) == 1)


def _time_key(one: Observation, is_of_several: bool) -> tuple[float, float] | None:
    """Sorts the runs of a session, or of several, by time; None where it is unknown."""
    if one.position is None or (is_of_several and one.started is None):
        return None
    return (one.started or 0.0) if is_of_several else 0.0, one.position


def _has_balanced_sessions(block: Stratum) -> bool:
    """Whether sessions of one side each took turns, at the same hours of the day."""
    starts = [[[one.started for one in unit] for unit in side] for side in (block.sample, block.base)]
    if any(None in unit for side in starts for unit in side):
        return False
    ones, others = ([min(start for start in unit if start is not None) for unit in side] for side in starts)
    order = {start: place for place, start in enumerate(sorted({*ones, *others}))}
    places = [fmean(order[start] for start in side) for side in (ones, others)]
    return abs(places[0] - places[1]) < HALF_A_PLACE and not _have_own_hours(ones, others)


def _have_own_hours(ones: Iterable[float], others: Iterable[float]) -> bool:
    """Whether some two times of day separate the starts of both sides, and not all of them lie within one hour."""
    clock = sorted([(start % DAY, 0) for start in ones] + [(start % DAY, 1) for start in others])
    around = list(pairwise([*clock, (clock[0][0] + DAY, clock[0][1])]))
    turns = sum(side != other for (_, side), (_, other) in around)
    longest_pause = max(later - earlier for (earlier, _), (later, _) in around)
    return turns <= 2 and longest_pause < DAY - HOUR
