"""A series as rounds of equal length, and its steady state by SNIA's PTS, in whose tests a round of a workload takes a minute."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.claims.steady_state import SOURCE, WINDOW, SteadyState, find_steady_state
from webapp.formatting import numbers
from webapp.storage.series import StoredPoints

ROUND = 60.0
"""Seconds of a round where the address has no other length."""
_SHORTEST, _LONGEST = 0.001, 1e6
MAX_ROUNDS = 50_000


def parse_width(text: str) -> float | None:
    """Seconds of a round as an address has them; None where they are no such length."""
    width = float(text) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII) else 0.0
    return width if _SHORTEST <= width <= _LONGEST else None


@dataclass(frozen=True, slots=True)
class Steadiness:
    """The steady state of a series. `start`: seconds at which its first round begins; `width`: seconds of a round. `is_cut`: there
    are more rounds than were looked at."""

    state: SteadyState
    start: float
    width: float
    is_cut: bool = False

    def describe(self) -> str:
        """`steady from 0 to 300 s`, `not reached`, or `cannot tell: 2 rounds`."""
        cut = f" (only the first {numbers.count(self.state.rounds)} rounds were looked at)" if self.is_cut else ""
        return f"{self._describe()}{cut}"

    def _describe(self) -> str:
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
    last, is_cut = -math.inf, False
    for block in blocks:
        if block.t is None:
            return None
        for time, value in zip(block.t, block.v, strict=True):
            if low <= time <= high:
                place = math.floor((time - low) / width)
                total, count = sums.get(place, (0.0, 0))
                sums[place] = (total + value, count + 1)
                last = max(last, time)
        if is_cut := len(sums) > MAX_ROUNDS:
            break
    complete = math.floor((last - low + (step or 0.0)) / width + 1e-6) if sums else 0
    means = []
    for place in range(min(sums, default=0), complete):
        if place not in sums:
            break
        total, count = sums[place]
        means.append(total / count)
    return Steadiness(find_steady_state(means), low + width * min(sums, default=0), width, is_cut)


def describe_runs(values: Sequence[float]) -> str:
    """The steady state of repeated runs, each of them a round of the same workload as in the tests of the PTS, in the order of
    time: `steady in runs 1 to 7 of 9`."""
    state = find_steady_state(values)
    count = numbers.count(state.rounds)
    if not state.is_known:
        return f"cannot tell from {count} run{'' if state.rounds == 1 else 's'}, at least {WINDOW} are needed"
    if state.first is None or state.last is None:
        return f"not reached in {count} runs"
    return f"steady in runs {state.first + 1} to {state.last + 1} of {count}"


RUNS_METHOD = (
    f"Steady state over repeated runs by {SOURCE}: a run is a round; of {WINDOW} that follow each other the range is at most "
    "20 % of the average, and the linear fit rises or falls by at most 10 % of it: {}. The PTS also prescribes how the device is "
    "prepared, which is not known here."
)
METHOD = (
    f"Steady state by {SOURCE}: over {WINDOW} rounds the range is at most 20 % of the average, and the linear fit rises or falls "
    "by at most 10 % of it, and so it is over all rounds that are named. A round is the mean of the points of {} s. This applies "
    "the criterion to what was recorded; it is no test by the PTS."
)
