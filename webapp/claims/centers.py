"""The centre of repetitions, also where some are only bounded, and sessions that are too far apart for one. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TypeAlias

from webapp.claims import statistics
from webapp.claims.observations import ABOVE, BELOW, GEOMETRIC, Observation

MIN_RUNS = 3
"""Runs that a session needs to be drawn apart from another one."""
MIN_FACTOR = 1.5
"""Between the centres of sessions that are drawn apart."""

Range: TypeAlias = tuple[float, float]
"""The lowest and highest number that a value can be: equal for a measured one; 0 or infinity beyond a bound."""


def by_session(observations: Iterable[Observation]) -> dict[int, tuple[Observation, ...]]:
    """The repetitions of each session, in the order in which sessions appear."""
    sessions: dict[int, list[Observation]] = {}
    for observation in observations:
        sessions.setdefault(observation.session, []).append(observation)
    return {session: tuple(members) for session, members in sessions.items()}


def log_center(observations: Sequence[Observation]) -> float:
    """Mean logarithm of repetitions, then of sessions. ValueError for no, bounded, zero or negative values."""
    if not observations or any([observation.censored or observation.value <= 0 for observation in observations]):
        raise ValueError("a geometric mean needs measured, positive values")
    if len(observations) == 1:  # as most units of a block are
        return math.log(observations[0].value)
    return fmean(fmean(math.log(one.value) for one in members) for members in by_session(observations).values())


def range_of(observation: Observation) -> Range:
    if observation.censored == ABOVE:
        return observation.value, math.inf
    return (0.0 if observation.censored == BELOW else observation.value), observation.value


def median_range(observations: Sequence[Observation]) -> Range:
    """Lowest and highest that the median of repetitions, then of sessions, can be. ValueError for no values.

    The median of the lower ends and that of the upper ones, since a median grows with each value.
    """
    sessions = [_median([range_of(one) for one in members]) for members in by_session(observations).values()]
    return _median(sessions)


def _median(ranges: Sequence[Range]) -> Range:
    return statistics.median([low for low, _ in ranges]), statistics.median([high for _, high in ranges])


def center_of(observations: Sequence[Observation], stat: str = GEOMETRIC) -> tuple[float, str]:
    """(centre, bound) as it is drawn; `bound` is `ABOVE` or `BELOW` where the true centre lies beyond, else empty.

    The geometric mean of repetitions, then of sessions; with a bounded, zero or negative value, and for `MEDIAN`, the
    median of repetitions, then of sessions. (nan, "") where bounds leave everything open. ValueError for no values.
    """
    if stat == GEOMETRIC and observations and all(not one.censored and one.value > 0 for one in observations):
        return math.exp(log_center(observations)), ""
    return bound_of(median_range(observations), any(one.censored == ABOVE for one in observations))


def bound_of(limits: Range, above: bool) -> tuple[float, str]:
    """(value, bound) of a range. `above`: whether the true value may lie above any; between two finite ends either bound is true,
    and this chooses the lower end."""
    low, high = limits
    if low == high:
        return low, ""
    if low > 0 and above:
        return low, ABOVE
    return (high, BELOW) if high < math.inf else (math.nan, "")


def split_sessions(observations: Sequence[Observation], stat: str = GEOMETRIC) -> tuple[tuple[Observation, ...], ...]:
    """The repetitions of each session where sessions are to be drawn apart, each with a centre of its own; else empty.

    They are where two sessions of three runs or more do not overlap, and their centres lie a factor of 1.5 apart.
    """
    sessions = by_session(observations)
    long = [members for members in sessions.values() if len(members) >= MIN_RUNS]
    apart = any(_are_apart(one, other, stat) for at, one in enumerate(long) for other in long[:at])
    return tuple(sessions.values()) if apart else ()


def _are_apart(one: Sequence[Observation], other: Sequence[Observation], stat: str) -> bool:
    lower, upper = sorted((one, other), key=lambda members: max(range_of(member)[1] for member in members))
    if max(range_of(member)[1] for member in lower) >= min(range_of(member)[0] for member in upper):
        return False
    # 1e-9: means by logarithms are rounded.
    return center_of(upper, stat)[0] >= MIN_FACTOR * center_of(lower, stat)[0] * (1 - 1e-9)
