"""A series as rounds of equal length, and its steady state by SNIA's PTS, in whose tests a round of a workload takes a minute."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.claims.steady_state import SOURCE, WINDOW, SteadyState, find_steady_state
from webapp.formatting import numbers
from webapp.storage.series import StoredPoints

ROUND = 60.0
"""Seconds of a round where the address has no other length."""
MAX_ROUNDS = 50_000


@dataclass(frozen=True, slots=True)
class Steadiness:
    """The steady state of a series. `start`: seconds at which its first round begins; `width`: seconds of a round."""

    state: SteadyState
    start: float
    width: float

    def describe(self) -> str:
        """`steady from 0 to 300 s`, `not reached`, or `cannot tell: 2 rounds`."""
        state = self.state
        if not state.is_known:
            count = f"{state.rounds} round{'' if state.rounds == 1 else 's'}"
            return f"cannot tell: {count} of {numbers.number(self.width)} s, at least {WINDOW} are needed"
        if state.first is None or state.last is None:
            return f"not reached in {numbers.count(state.rounds)} rounds"
        low, high = (self.start + self.width * at for at in (state.first, state.last + 1))
        text = f"steady from {numbers.number(low)} to {numbers.number(high)} s"
        return f"{text}, then no longer" if state.is_left else text


def find(blocks: Iterable[StoredPoints], low: float, high: float, step: float | None, width: float = ROUND) -> Steadiness | None:
    """The steady state of the points of a series from `low` to `high`, in seconds of its own times; None of one without times.

    The variable of a round is the mean of its points. A round without any ends what is looked at, and so does one that is not
    complete: an interval of `step` seconds ends at each point.
    """
    sums: dict[int, tuple[float, int]] = {}
    last = -math.inf
    for block in blocks:
        if block.t is None:
            return None
        for time, value in zip(block.t, block.v, strict=True):
            if low <= time <= high:
                place = math.floor((time - low) / width)
                total, count = sums.get(place, (0.0, 0))
                sums[place] = (total + value, count + 1)
                last = max(last, time)
        if len(sums) > MAX_ROUNDS:
            break
    complete = math.floor((last - low + (step or 0.0)) / width + 1e-6) if sums else 0
    means = []
    for place in range(min(sums, default=0), complete):
        if place not in sums:
            break
        total, count = sums[place]
        means.append(total / count)
    return Steadiness(find_steady_state(means), low + width * min(sums, default=0), width)


METHOD = (
    f"Steady state by {SOURCE}: over {WINDOW} rounds the range is at most 20 % of the average, and the linear fit rises or falls "
    "by at most 10 % of it, and so it is over all rounds that are named. A round is the mean of the points of {} s. This applies "
    "the criterion to what was recorded; it is no test by the PTS."
)
