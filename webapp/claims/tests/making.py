"""Samples for the tests of claims."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.claims.observations import CONTROLLED, Contrast, Observation, Sample

NEAR = (1.0, 1.01, 0.99, 1.02, 0.98, 1.005, 0.995, 1.015)
"""Repetitions that spread by about 1 %."""


def runs(n: int, center: float = 100.0, session: int = 1, machine: int = 1, **known) -> list[Observation]:
    """n repetitions of one session."""
    return [Observation(center * NEAR[at % len(NEAR)], machine, session, **known) for at in range(n)]


def _level(at: int, center: float) -> float:
    """A factor that is a little different in each place and on each side."""
    return 1 + 0.003 * (at * int(center) % 7)


def sessions(numbers: Sequence[int], n: int, center: float = 100.0, machine: int = 1) -> list[Observation]:
    """n repetitions in each session; each session's level is a little different."""
    return [one for at in numbers for one in runs(n, center * _level(at, center), at, machine)]


def machines(count: int, n: int, center: float = 100.0) -> list[Observation]:
    """n repetitions on each machine, of which each is half as fast again as the one before."""
    return [one for at in range(count) for one in runs(n, center * 1.5**at * _level(at, center), at, at)]


def ask(sample, base, design: str = CONTROLLED, **more) -> Contrast:
    return Contrast(Sample(tuple(sample)), Sample(tuple(base)), design, **more)
