"""Fits figures to the counts of several databases: constant, logarithmic, or linear in one of the counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

FLAT = 1.3
"""Figures that differ by no more than this factor from the least to the greatest are called constant."""
ALIKE = 0.04
"""A law is named beside the best where its relative error is larger by no more than this."""

Counts = Mapping[str, Sequence[float]]
"""What is counted (`measurements` among it) -> the count in each database, in the order of the databases."""


def fitted(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float] | None:
    """a and b of y = a + b x with neither below 0, by least squares of the relative error, and that error (root of the mean
    square); None where y does not rise with x."""
    weights = [1 / (one * one) for one in y]
    total = sum(weights)
    mean_x = sum(w * one for w, one in zip(weights, x, strict=True)) / total
    mean_y = sum(w * one for w, one in zip(weights, y, strict=True)) / total
    spread = sum(w * (one - mean_x) ** 2 for w, one in zip(weights, x, strict=True))
    if not spread:
        return None
    b = sum(w * (one - mean_x) * (other - mean_y) for w, one, other in zip(weights, x, y, strict=True)) / spread
    a = mean_y - b * mean_x
    if a < 0:
        a, b = (
            0.0,
            (
                sum(w * one * other for w, one, other in zip(weights, x, y, strict=True))
                / sum(w * one * one for w, one in zip(weights, x, strict=True))
            ),
        )
    if b <= 0:
        return None
    return a, b, math.sqrt(sum(((a + b * one - other) / other) ** 2 for one, other in zip(x, y, strict=True)) / len(y))


def law(counts: Counts, figures: Sequence[float], least: float = 0.0) -> str:
    """The law in words. Differences of no more than `least` are noise. For two databases, the factor only."""
    if len(figures) < 2:
        return ""
    low, high = min(figures), max(figures)
    if low <= 0 or high <= FLAT * low or high - low <= least:
        return "constant"
    if len(figures) == 2:
        return f"{figures[1] / figures[0]:.1f} x at {counts['measurements'][1] / counts['measurements'][0]:.0f} x the measurements"
    found = {}
    for name, x in counts.items():
        if len(set(x)) > 1 and (one := fitted(x, figures)):
            found[f"linear in {name}"] = one
    if one := fitted([math.log10(x) for x in counts["measurements"]], figures):
        found["logarithm of measurements"] = one
    if not found:
        return "does not rise"
    best = min(error for _, _, error in found.values())
    names = sorted((error, name) for name, (_, _, error) in found.items() if error <= best + ALIKE)
    a, b, error = found[names[0][1]]
    if error > 0.5:
        return f"no law (nearest: {names[0][1]}, off by {error:.0%})"
    alike = " or ".join([names[0][1], *(name.removeprefix("linear in ") for _, name in names[1:])])
    each = f"{1000 * b:.3g} per 1,000" if names[0][1].startswith("linear") else f"{b:.3g} for each factor of ten"
    return f"{alike}: {a:.3g} + {each}"
