"""Steady state by SNIA's Solid State Storage Performance Test Specification (PTS) 2.0.2, 1 October 2020, definition "Steady State".

Of the variable y that is tracked, over a measurement window of five rounds:

- range: max(y) - min(y) is no more than 20 % of the average of y;
- slope: the excursion of the best linear fit of y (its highest less its lowest value) is within 10 % of the average of y.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

WINDOW = 5
RANGE, SLOPE = 0.20, 0.10
SOURCE = "SNIA SSS PTS 2.0.2"
_NOISE = 1e-12
"""Of the average: what binary fractions add to a range of exactly 20 %."""


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The first rounds that are steady: a window, and the rounds after it for as long as both conditions hold of each window and of
    all these rounds together. `rounds`: how many there are. `first`, `last`: indices, None where no window is steady.
    `is_left`: rounds follow that are not steady any more."""

    rounds: int
    first: int | None = None
    last: int | None = None
    is_left: bool = False

    @property
    def is_known(self) -> bool:
        """Whether there are enough rounds for one window."""
        return self.rounds >= WINDOW


def find_steady_state(values: Sequence[float]) -> SteadyState:
    """The steady state of rounds that follow each other without a gap; `values` has the variable of each."""
    count = len(values)
    windows = range(count - WINDOW + 1)
    first = next((start for start in windows if is_steady(values[start : start + WINDOW])), None)
    if first is None:
        return SteadyState(count)
    last = first + WINDOW - 1
    so_far = _Rounds()
    for value in values[first : last + 1]:
        so_far.add(value)
    for at in range(last + 1, count):
        so_far.add(values[at])
        if not (so_far.is_steady() and is_steady(values[at - WINDOW + 1 : at + 1])):
            break
        last = at
    return SteadyState(count, first, last, last < count - 1)


class _Rounds:
    """Rounds one after the other, of which sums are kept alone."""

    def __init__(self) -> None:
        self.n, self.low, self.high, self.total, self.weighted = 0, math.inf, -math.inf, 0.0, 0.0

    def add(self, value: float) -> None:
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.total, self.weighted, self.n = self.total + value, self.weighted + self.n * value, self.n + 1

    def is_steady(self) -> bool:
        slope = 12 * (self.weighted - (self.n - 1) / 2 * self.total) / (self.n * (self.n**2 - 1))
        return _holds(self.low, self.high, self.total / self.n, abs(slope) * (self.n - 1))


def is_steady(window: Sequence[float]) -> bool:
    """Whether one measurement window meets both conditions. An average of zero or less has no share: only all zeros are steady."""
    return _holds(min(window), max(window), fmean(window), slope_excursion(window))


def _holds(low: float, high: float, average: float, excursion: float) -> bool:
    if average <= 0:
        return low == high == 0
    slack = average * _NOISE
    return high - low <= RANGE * average + slack and excursion <= SLOPE * average + slack


def slope_excursion(window: Sequence[float]) -> float:
    """Highest less lowest value of the least-squares line through the rounds of a window."""
    middle, average = (len(window) - 1) / 2, fmean(window)
    squares = sum((at - middle) ** 2 for at in range(len(window)))
    slope = sum((at - middle) * (value - average) for at, value in enumerate(window)) / squares
    return abs(slope) * (len(window) - 1)
