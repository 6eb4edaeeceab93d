"""What a test may compare with what: machines, sessions, rounds and repetitions as blocks. Pure; looks at no value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    Observation,
    Question,
)

MIN_BLOCKS = 3
"""Rounds or sessions that hold both sides, and repetitions or sessions a side."""
MIN_MACHINES = 4
MIN_RANKED = {GEOMETRIC: 4, MEDIAN: 6}
"""Values a side from which ranks carry a claim: where some are only bounded, and for the median."""
ALPHA = 0.05

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


def find_plans(question: Question, stat: str) -> Iterator[Plan]:
    """The plans whose needs are met, whatever the values, the widest claim first. The question has a design that can carry a
    claim, and runs on both sides."""
    return (plan for plan in _plans(question) if _is_enough(plan, ranked_from(question, stat)))


def ranked_from(question: Question, stat: str) -> int:
    """Values a side that a test of ranks needs; 0 where the test is one of means."""
    bounded = any(one.censored for one in (*question.sample.observations, *question.base.observations))
    return MIN_RANKED[stat] if bounded or stat != GEOMETRIC else 0


def is_capped(question: Question) -> bool:
    """Whether no claim may go beyond the sessions that were measured."""
    return bool(question.as_far_as_known or question.sample.doubts or question.base.doubts)


def machines_of(runs: Iterable[Observation]) -> set[int]:
    return {one.machine for one in runs}


def _plans(question: Question) -> Iterator[Plan]:
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
    return Stratum(tuple((one,) for one in sample), tuple((one,) for one in base))


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


def drift_is_excluded(plan: Plan) -> bool:
    """Whether known positions show that neither side ran wholly before the other in its sessions.

    Some run of the sample came before one of the baseline in the same session, and some run of the baseline before one of
    the sample. Runs without a position show nothing.
    """
    sides = [[one for block in plan.blocks for unit in side(block) for one in unit] for side in (_sample, _base)]
    return _precedes(*sides) and _precedes(*sides[::-1])


def _sample(block: Stratum) -> tuple[Unit, ...]:
    return block.sample


def _base(block: Stratum) -> tuple[Unit, ...]:
    return block.base


def _precedes(side: Runs, other: Runs) -> bool:
    """Whether a run of one side stands before a run of the other in a session."""
    last: dict[int, float] = {}
    for one in other:
        if one.position is not None:
            last[one.session] = max(one.position, last.get(one.session, -math.inf))
    return any(one.position is not None and one.position < last.get(one.session, -math.inf) for one in side)
