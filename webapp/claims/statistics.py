"""Median, mean, intervals and ratios. Pure; every formula names its source."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from statistics import fmean

VERSION = 4
CONFIDENCE_LEVEL = 0.95
MIN_VALUES = 6
"""Below six values no distribution-free 95 % interval of the median exists: 1 - 2 * 0.5^5 = 0.9375."""
RESAMPLES = 2000
_LOG_STEP = math.log(1.01)


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the middle two. ValueError for no values."""
    if not values:
        raise ValueError("no values")
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def weighted_median(values: Iterable[tuple[float, int]]) -> float:
    """`median` of (value, how often it is there). ValueError for no values."""
    ordered = sorted(values)
    total = sum(count for _, count in ordered)
    if not total:
        raise ValueError("no values")
    ends = list(accumulate(count for _, count in ordered))
    lower, upper = (ordered[bisect_left(ends, rank)][0] for rank in ((total + 1) // 2, total // 2 + 1))
    return lower if lower == upper else (lower + upper) / 2


def median_interval(values: Sequence[float], level: float = CONFIDENCE_LEVEL) -> tuple[float, float] | None:
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
        return max(math.floor((n - 1.959964 * math.sqrt(n)) / 2), 1)
    below = 0.0
    rank: int | None = None
    for k in range(1, n // 2 + 1):
        below += math.comb(n, k - 1) / 2**n
        if 1 - 2 * below < level:
            break
        rank = k
    return rank


def mean_interval(values: Sequence[float], level: float = CONFIDENCE_LEVEL) -> tuple[float, float] | None:
    """Student's interval of the mean: mean +- t s / sqrt(n), n - 1 degrees of freedom. None for fewer than two."""
    if len(values) < 2:
        return None
    mean = fmean(values)
    return moments_interval(len(values), mean, math.fsum((value - mean) ** 2 for value in values), level)


def moments_interval(n: int, mean: float, m2: float, level: float = CONFIDENCE_LEVEL) -> tuple[float, float] | None:
    """`mean_interval` from the count, the mean, and the sum of squared deviations from it."""
    if n < 2:
        return None
    half = t_quantile(n - 1, level) * math.sqrt(m2 / (n - 1) / n)
    return mean - half, mean + half


@lru_cache(4096)
def t_quantile(freedom: int, level: float = CONFIDENCE_LEVEL) -> float:
    """Two-sided quantile of Student's distribution."""
    # Imported late: scipy is slow to load, and few pages need it.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - (1 - level) / 2))


def harmonic_mean(values: Sequence[float]) -> float:
    """n / sum(1 / x): the rate at which n equal pieces of work are done in sequence. 0 where one of the rates is 0.

    Source: Hoefler and Belli, "Scientific Benchmarking of Parallel Computing Systems" (2015), rule 3. ValueError for no
    or negative values.
    """
    if not values or min(values) < 0:
        raise ValueError("a harmonic mean needs rates")
    return 0.0 if min(values) == 0 else len(values) / math.fsum(1 / value for value in values)


def invert_interval(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """The interval of a rate from that of its cost (1 / rate); None where it contains a cost of 0."""
    return None if interval is None or interval[0] <= 0 else (1 / interval[1], 1 / interval[0])


def bootstrap_interval(values: Sequence[float], level: float = CONFIDENCE_LEVEL) -> tuple[float, float] | None:
    """Bootstrap interval of the mean, bias-corrected and accelerated, of 2,000 resamples.

    None for fewer than `MIN_VALUES` values, and for equal ones. The same values always give the same interval: their digest
    is the seed. Source: Efron, "Better bootstrap confidence intervals" (1987).
    """
    if len(values) < MIN_VALUES or min(values) == max(values):
        return None
    # Imported late: scipy is slow to load, and few pages need it.
    import numpy
    from scipy.stats import bootstrap

    ordered = sorted(values)
    seed = int.from_bytes(hashlib.sha256(repr(ordered).encode()).digest()[:8])
    interval = bootstrap(
        (numpy.array(ordered),),
        numpy.mean,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="BCa",
        random_state=numpy.random.default_rng(seed),
    ).confidence_interval
    return (float(interval.low), float(interval.high)) if math.isfinite(interval.low) and math.isfinite(interval.high) else None


def probability_of_superiority(sample: Sequence[float], other: Sequence[float]) -> float:
    """The probability that a value of `sample` exceeds a value of `other`, ties counting half. ValueError for no values.

    Source: Vargha and Delaney, "A critique and improvement of the CL common language effect size statistics" (2000).
    """
    if not sample or not other:
        raise ValueError("no values")
    ordered = sorted(other)
    wins = sum(bisect_left(ordered, value) + bisect_right(ordered, value) for value in sample)
    return wins / (2 * len(sample) * len(other))


def geometric_mean(ratios: Sequence[float]) -> float:
    """exp(mean(log)) of ratios. ValueError where one is not positive."""
    if not ratios or min(ratios) <= 0:
        raise ValueError("a geometric mean needs positive ratios")
    return math.exp(fmean(math.log(ratio) for ratio in ratios))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two groups with its 95 % interval, and the two-sided p value of the hypothesis that it is 1."""

    ratio: float
    low: float
    high: float
    p: float


def stratified_ratio(strata: Sequence[tuple[Sequence[float], Sequence[float]]], level: float = CONFIDENCE_LEVEL) -> Ratio | None:
    """Ratio of the geometric means of two samples, over k strata of two comparable samples each: Welch's test on logarithms.

    d_i = mean(ln sample) - mean(ln other), d = sum d_i / k, s^2 = sum s_i^2 / k^2, degrees of freedom
    (sum e)^2 / sum(e^2 / (n - 1)) over the squared standard errors e of all 2 k means, interval exp(d +- t s). Sources: Welch, "The
    generalization of Student's problem" (1947), Satterthwaite, "An approximate distribution of estimates of variance components"
    (1946). None where a sample has fewer than two values, a value is not positive, or no sample has any spread. Valid for these
    strata, not for a population of strata.
    """
    samples = [sample for stratum in strata for sample in stratum]
    if not samples or min(map(len, samples)) < 2 or min(map(min, samples)) <= 0:
        return None
    moments = [_log_moments(sample) for sample in samples]
    total = math.fsum(error for _, error in moments)
    if total <= 0:
        return None
    freedom = total**2 / math.fsum(error**2 / (len(sample) - 1) for (_, error), sample in zip(moments, samples, strict=True))
    difference = math.fsum(mean for mean, _ in moments[::2]) - math.fsum(mean for mean, _ in moments[1::2])
    return _ratio(difference / len(strata), math.sqrt(total) / len(strata), freedom, level)


def _log_moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean of the logarithms and the squared standard error of that mean; 0 for an error within rounding."""
    logs = [math.log(value) for value in values]
    mean = fmean(logs)
    error = math.fsum((log - mean) ** 2 for log in logs) / (len(logs) - 1) / len(logs)
    return mean, error if error > 1e-24 else 0.0


def _ratio(difference: float, error: float, freedom: float, level: float) -> Ratio:
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(freedom, 1 - (1 - level) / 2)) * error
    return Ratio(
        math.exp(difference),
        math.exp(difference - half),
        math.exp(difference + half),
        2 * float(stdtr(freedom, -abs(difference / error))),
    )


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given: p(i) -> max over j <= i of (m - j + 1) p(j), at most 1.

    Keeps the probability of any false verdict among m at the level. Source: Holm, "A simple sequentially rejective multiple
    test procedure" (1979).
    """
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[index]))
        adjusted[index] = highest
    return adjusted


def holm_levels(ps: Sequence[float], level: float = CONFIDENCE_LEVEL) -> list[tuple[bool, float]]:
    """(rejected, level of the interval that goes with it) of each p value, in the order given.

    The i-th smallest of m is rejected where it lies below (1 - level) / (m - i + 1), as long as all smaller ones are; its
    interval has the level 1 - (1 - level) / (m - i + 1). From the first failure on that step's level stays, so that an interval
    of level L leaves out 1 exactly where p < 1 - L. Source: Holm (1979), as `holm`.
    """
    decided = [(False, level)] * len(ps)
    rejected, step = True, level
    for rank, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if rejected:
            step = 1 - (1 - level) / (len(ps) - rank)
            # 1 - step, as the interval has it: the quotient itself may differ in the last digit.
            rejected = ps[index] < 1 - step
        decided[index] = rejected, step
    return decided


def histogram_median(histogram: Mapping[str, int]) -> float:
    """The median of values in a histogram with buckets of 1 %, from the geometric middles of buckets (within 0.5 %)."""
    total = sum(histogram.values())
    return (_at_rank(histogram, (total + 1) // 2) + _at_rank(histogram, total // 2 + 1)) / 2


def histogram_middles(histogram: Mapping[str, int]) -> list[tuple[float, int]]:
    """(middle, number of values) of every bucket."""
    return [(_middle(name), count) for name, count in histogram.items()]


def histogram_costs(histogram: Mapping[str, int]) -> tuple[int, float, float]:
    """(n, mean, sum of squared deviations) of the reciprocals of the rates in a histogram; within 0.5 %.

    ValueError where a rate is not positive.
    """
    if not histogram.keys().isdisjoint(("zero", "negative")):
        raise ValueError("a rate is not positive")
    costs = [(math.exp(-(int(name) + 0.5) * _LOG_STEP), count) for name, count in histogram.items()]
    n = sum(count for _, count in costs)
    mean = math.fsum(cost * count for cost, count in costs) / n
    return n, mean, math.fsum((cost - mean) ** 2 * count for cost, count in costs)


def histogram_interval(histogram: Mapping[str, int], level: float = CONFIDENCE_LEVEL) -> tuple[float, float]:
    """`median_interval` of values in a histogram, which always has enough of them."""
    total = sum(histogram.values())
    rank = _rank(total, level) or 1
    return _at_rank(histogram, rank), _at_rank(histogram, total + 1 - rank)


def _at_rank(histogram: Mapping[str, int], rank: int) -> float:
    """The middle of the bucket with the value of a rank, counted from 1. ValueError for a rank beyond the last."""
    count = 0
    for name in sorted(histogram, key=_bucket_order):
        count += histogram[name]
        if count >= rank:
            return _middle(name)
    raise ValueError("no values")


def _middle(bucket: str) -> float:
    return math.exp((int(bucket) + 0.5) * _LOG_STEP) if bucket.lstrip("-").isdigit() else 0.0


def _bucket_order(name: str) -> tuple[int, int]:
    return (0, 0) if name == "negative" else (1, 0) if name == "zero" else (2, int(name))


def histogram_log_sum(histogram: Mapping[str, int]) -> float:
    """The sum of the logarithms of the values in a histogram; within 0.5 % of each. ValueError where one is not positive."""
    if not histogram.keys().isdisjoint(("zero", "negative")):
        raise ValueError("a value is not positive")
    return math.fsum((int(name) + 0.5) * _LOG_STEP * count for name, count in histogram.items())
