"""Median, mean, intervals and ratios. Pure; every formula names its source."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean

VERSION = 1
LEVEL = 0.95
FEWEST = 6
"""Below six values no distribution-free 95 % interval of the median exists: 1 - 2 * 0.5^5 = 0.9375."""
_LOG_STEP = math.log(1.01)


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the middle two. ValueError for no values."""
    if not values:
        raise ValueError("no values")
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def median_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Distribution-free interval of the median from order statistics; None where there are too few values.

    (x_(k), x_(n+1-k)) with the largest k for which 1 - 2 P(B < k) >= level, B binomial(n, 1/2). Source: Hahn and
    Meeker, Statistical Intervals, section 5.3; Le Boudec, Performance Evaluation, theorem 2.1.
    """
    rank = _rank(len(values), level)
    if rank is None:
        return None
    ordered = sorted(values)
    return ordered[rank - 1], ordered[len(values) - rank]


@lru_cache(4096)
def _rank(n: int, level: float) -> int | None:
    if n > 1000:
        # Normal approximation of the binomial, Le Boudec, section 2.2.2.
        rank = math.floor((n - 1.959964 * math.sqrt(n)) / 2)
        return max(rank, 1)
    below, rank = 0.0, None
    for k in range(1, n // 2 + 1):
        below += math.comb(n, k - 1) / 2**n
        if 1 - 2 * below < level:
            break
        rank = k
    return rank


def mean_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Student's interval of the mean: mean +- t s / sqrt(n), n - 1 degrees of freedom. None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean = fmean(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = t_quantile(n - 1, level) * spread / math.sqrt(n)
    return mean - half, mean + half


@lru_cache(4096)
def t_quantile(freedom: int, level: float = LEVEL) -> float:
    """Two-sided quantile of Student's distribution."""
    # Imported late: scipy takes longer to load than a page to build, and few pages need it.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - (1 - level) / 2))


def geometric_mean(ratios: Sequence[float]) -> float:
    """exp(mean(log)); for ratios only. ValueError where one is not positive."""
    if not ratios or min(ratios) <= 0:
        raise ValueError("a geometric mean needs positive ratios")
    return math.exp(fmean(math.log(ratio) for ratio in ratios))


def histogram_median(histogram: Mapping[str, int]) -> float:
    """The median of values of which only buckets of 1 % are kept: the geometric middle of its bucket (within 0.5 %)."""
    half, seen = sum(histogram.values()) / 2, 0
    for name in sorted(histogram, key=_bucket_order):
        seen += histogram[name]
        if seen >= half:
            return math.exp((int(name) + 0.5) * _LOG_STEP) if name.lstrip("-").isdigit() else 0.0
    raise ValueError("no values")


def _bucket_order(name: str) -> tuple[int, int]:
    return (0, 0) if name == "negative" else (1, 0) if name == "zero" else (2, int(name))
