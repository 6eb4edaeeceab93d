"""Steady state by SNIA's Solid State Storage Performance Test Specification (PTS) 2.0.2, 1 October 2020, definition "Steady State".

Of the variable y that is tracked, over a measurement window of five rounds:

- range: max(y) - min(y) is no more than 20 % of the average of y;
- slope: the excursion of the best linear fit of y (its highest less its lowest value) is within 10 % of the average of y.
"""

from __future__ import annotations

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
    """The first rounds that are steady: indices of the first and of the last one, over all windows that follow each other; both
    None where no window is. `rounds`: how many there are. `is_left`: rounds follow that are not steady any more."""

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
    first = last = None
    for start in range(count - WINDOW + 1):
        if is_steady(values[start : start + WINDOW]):
            first = start if first is None else first
            last = start + WINDOW - 1
        elif first is not None:
            break
    return SteadyState(count, first, last, last is not None and last < count - 1)


def is_steady(window: Sequence[float]) -> bool:
    """Whether one measurement window meets both conditions. An average of zero or less has no share: only all zeros are steady."""
    average = fmean(window)
    if average <= 0:
        return not any(window)
    slack = average * _NOISE
    return max(window) - min(window) <= RANGE * average + slack and slope_excursion(window) <= SLOPE * average + slack


def slope_excursion(window: Sequence[float]) -> float:
    """Highest less lowest value of the least-squares line through the rounds of a window."""
    middle, average = (len(window) - 1) / 2, fmean(window)
    squares = sum((at - middle) ** 2 for at in range(len(window)))
    slope = sum((at - middle) * (value - average) for at, value in enumerate(window)) / squares
    return abs(slope) * (len(window) - 1)
