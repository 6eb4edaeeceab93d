"""Repetitions -> one curve: the median of the runs, within the lowest and the highest point of any of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from webapp.curves.thinning import Curve

MAX_PLACES = 600
_LEAST = 2
"""Runs that a place needs."""


@dataclass(slots=True)
class Band:
    """At each place: the median over the runs of each one's median, the lowest and the highest point, and how many runs have one.
    `width`: seconds of a place."""

    t: list[float] = field(default_factory=list)
    v: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    width: float = 1.0


def join(curves: Sequence[Curve], low: float, high: float) -> Band | None:
    """The band of curves in their own windows; None of fewer than two. Places are as wide as the widest step of the runs, wider
    where there would be too many; a place that fewer than two runs reach is a gap."""
    curves = [curve for curve in curves if curve.t]
    if len(curves) < _LEAST:
        return None
    width = max(max(_step(curve) for curve in curves), (high - low) / MAX_PLACES)
    made = Band(width=width)
    places = [_by_place(curve, low, width) for curve in curves]
    last = None
    for place in sorted({place for one in places for place in one}):
        runs = [one[place] for one in places if place in one]
        if len(runs) < _LEAST:
            continue
        if last is not None and place != last + 1:
            made.breaks.append(len(made.t))
        last = place
        made.t.append(low + (place + 0.5) * width)
        made.v.append(median(map(median, runs)))
        made.low.append(min(map(min, runs)))
        made.high.append(max(map(max, runs)))
        made.n.append(len(runs))
    return made if made.t else None


def _step(curve: Curve) -> float:
    """Seconds between points: the interval, else the median step; 0 of a single point."""
    if curve.step is not None and not curve.is_thinned:
        return curve.step
    steps = [later - earlier for earlier, later in pairwise(curve.t) if later > earlier]
    return max(curve.step or 0.0, median(steps) if steps else 0.0)


def _by_place(curve: Curve, low: float, width: float) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for time, value in zip(curve.t, curve.v, strict=True):
        found.setdefault(math.floor((time - low) / width + 1e-9), []).append(value)
    return found
