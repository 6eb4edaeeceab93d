"""Tests of a ratio against 1: Student's and Welch's on logarithms, and exact tests of ranks within blocks. Pure.

An interval holds 1 exactly where p is at least 1 - its level.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from statistics import fmean, variance
from typing import Any, TypeAlias

from webapp.claims.centers import Range

MAX_NEEDED = 1000
"""Units a side beyond which it is not said how many would decide."""
POWER = 0.8
EXACT_PAIRS = 2500
"""Pairs of values within a block up to which the distribution of their count is exact; beyond it is taken as normal."""
EXACT_VALUES = 60
"""Root of the sum of squared block sizes up to which the permutation distribution is exact; beyond it is taken as normal."""
_TINY = 1e-24
"""Squared standard errors of logarithms below this are rounding."""

Logs: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class StudentTest:
    """d +- t s of logarithms. `variances`: those of one unit a side (two), or of a unit's pair (one)."""

    difference: float
    error: float
    freedom: float
    variances: tuple[float, ...] = ()

    @property
    def ratio(self) -> float:
        return math.exp(self.difference)

    @property
    def is_higher(self) -> bool:
        return self.difference > 0

    @property
    def p(self) -> float:
        from scipy.special import stdtr

        return 2 * float(stdtr(self.freedom, -abs(self.difference / self.error)))

    def interval(self, level: float) -> Range:
        """exp(d +- t s)."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return math.exp(self.difference - half), math.exp(self.difference + half)

    def needed(self, alpha: float) -> int | None:
        """Units a side from which the differences as found would be seen with a power of 80 %; None for very many.

        The power of the two-sided test at `alpha` from the noncentral t distribution. Source: Cohen, Statistical Power
        Analysis (1988), chapter 2.
        """
        if not self.variances or self._power(MAX_NEEDED, alpha) < POWER:
            return None
        low, high = 1, MAX_NEEDED
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._power(middle, alpha) >= POWER else (middle, high)
        return high

    def _power(self, n: int, alpha: float) -> float:
        from scipy.special import nctdtr, stdtrit

        total = sum(self.variances)
        freedom = (n - 1) * total**2 / sum(one**2 for one in self.variances)
        shift = abs(self.difference) * math.sqrt(n / total)
        return 1 - float(nctdtr(freedom, shift, float(stdtrit(freedom, 1 - alpha / 2))))


def paired_test(differences: Logs) -> StudentTest | None:
    """Student's test of the differences of logarithms, n - 1 degrees of freedom. None for fewer than two, or equal ones.

    Source: Student, "The probable error of a mean" (1908).
    """
    if len(differences) < 2:
        return None
    spread = variance(differences)
    error = spread / len(differences)
    return StudentTest(fmean(differences), math.sqrt(error), len(differences) - 1, (spread,)) if error > _TINY else None


def prediction_test(new: Logs, earlier: Sequence[Logs]) -> StudentTest | None:
    """Whether a further session of logarithms is one of those before it: d = its mean - the mean of their k means,
    s^2 = v (1 + 1 / k) with the variance v of their means, k - 1 degrees of freedom. None for fewer than two earlier ones, or
    without any spread.

    The mean of a session of fewer repetitions, n, scatters more than those of n_i: s^2 then has w (1 / n - sum(1 / n_i) / k) more,
    with the variance w within all sessions, and Satterthwaite's degrees of freedom, rounded down.
    Source: Hahn and Meeker, Statistical Intervals, section 4.7; Satterthwaite (1946).
    """
    if len(earlier) < 2:
        return None
    means = [fmean(one) for one in earlier]
    error, freedom = variance(means) * (1 + 1 / len(means)), float(len(means) - 1)
    fewer = 1 / len(new) - fmean([1 / len(one) for one in earlier])
    if fewer > 0:
        repeated = [one for one in (new, *earlier) if len(one) > 1]
        free = sum(len(one) - 1 for one in repeated)
        more = fewer * math.fsum((len(one) - 1) * variance(one) for one in repeated) / free
        total = error + more
        freedom = math.floor(total**2 / (error**2 / freedom + more**2 / free) + 1e-9) if total > _TINY else freedom
        error = total
    return StudentTest(fmean(new) - fmean(means), math.sqrt(error), freedom) if error > _TINY else None


def welch_test(strata: Sequence[tuple[Logs, Logs]]) -> StudentTest | None:
    """Welch's test over k strata of two samples of logarithms each: the mean of their differences.

    d = sum d_i / k, s^2 = sum e / k^2 over the squared standard errors e of all 2 k means, degrees of freedom
    (sum e)^2 / sum(e^2 / (n - 1)). These are rounded down, and at most 2 (n - 1) for the smaller n of each stratum: as they
    come the test errs too often at n = 3 beside 10 or more, or with unequal spreads. Where a sample is a single value, the spread
    of each side is taken as one over all strata (s^2 of its values about their own stratum's mean), and n is k^2 / sum(1 / n_i):
    single values weigh most, whose tails no spread of others shows. None where a side has no
    stratum with two values or more, or without any spread.
    Source: Welch, "The generalization of Student's problem" (1947); Satterthwaite (1946).
    """
    sides = [[stratum[at] for stratum in strata] for at in (0, 1)]
    if not strata or any(max(map(len, samples)) < 2 for samples in sides):
        return None
    if min(len(sample) for samples in sides for sample in samples) > 1:
        errors = [(variance(sample) / len(sample), len(sample) - 1) for samples in sides for sample in samples]
        most: float = sum(2 * (min(len(one), len(other)) - 1) for one, other in strata)
    else:
        errors = [_common_error(samples) for samples in sides]
        alike = min(len(samples) ** 2 / math.fsum(1 / len(sample) for sample in samples) for samples in sides)
        most = 2 * min([*(free for _, free in errors), alike - 1])
    total = math.fsum(error for error, _ in errors)
    if total <= _TINY:
        return None
    freedom = total**2 / math.fsum(error**2 / free for error, free in errors)
    difference = math.fsum(fmean(one) - fmean(other) for one, other in strata) / len(strata)
    variances = (variance(strata[0][0]), variance(strata[0][1])) if len(strata) == 1 else ()
    # 1e-9: a whole number of degrees that rounding made a little smaller stays whole.
    return StudentTest(difference, math.sqrt(total) / len(strata), math.floor(min(freedom, most) + 1e-9), variances)


def _common_error(samples: Sequence[Logs]) -> tuple[float, int]:
    """(squared standard error of the sum of the means, degrees of freedom) of samples with one spread."""
    freedom = sum(len(sample) - 1 for sample in samples)
    spread = math.fsum((len(sample) - 1) * variance(sample) for sample in samples if len(sample) > 1) / freedom
    return spread * math.fsum(1 / len(sample) for sample in samples), freedom


@dataclass(frozen=True, slots=True)
class RankTest:
    """The number of pairs within blocks in which the sample is lower, against its distribution where nothing differs.

    `logs`: the sorted differences of logarithms of all pairs; `sizes`: values a side of each block. Ties count for both
    directions, so that p errs on the high side. With one block it is Mann and Whitney's test, with one value a side in each the
    sign test; the interval is that of Hodges and Lehmann, or of the order statistics of the paired ratios.
    Source: Lehmann, Nonparametrics (1975), sections 2.4 and 3.3; Hahn and Meeker, Statistical Intervals, section 5.3.
    """

    logs: tuple[float, ...]
    sizes: tuple[tuple[int, int], ...]

    @property
    def is_higher(self) -> bool:
        return sum(log > 0 for log in self.logs) > sum(log < 0 for log in self.logs)

    @property
    def p(self) -> float:
        lower, higher = sum(log <= 0 for log in self.logs), sum(log >= 0 for log in self.logs)
        return min(1.0, 2 * _tail(self.sizes)(min(lower, higher)))

    def interval(self, level: float) -> Range:
        """(D_(c), D_(M+1-c)) of the M pairs, with the largest c for which 2 P(U < c) < 1 - level; (0, inf) without one."""
        tail = _tail(self.sizes)
        count = bisect_left(range(len(self.logs) // 2), True, key=lambda lower: 2 * tail(lower) >= 1 - level)
        if not count:
            return 0.0, math.inf
        return math.exp(self.logs[count - 1]), math.exp(self.logs[-count])


def rank_test(blocks: Sequence[tuple[Logs, Logs]]) -> RankTest | None:
    """The test of ranks within blocks of logarithms; None where all of a block's values are equal, in every block."""
    if all(len({*sample, *base}) < 2 for sample, base in blocks):
        return None
    logs = sorted(one - other for sample, base in blocks for one in sample for other in base)
    return RankTest(tuple(logs), tuple(sorted((len(sample), len(base)) for sample, base in blocks)))


@lru_cache(1024)
def _tail(sizes: tuple[tuple[int, int], ...]) -> Any:
    """u -> P(U <= u), U the pairs of all blocks in which the sample is lower, where nothing differs."""
    pairs = sum(n * m for n, m in sizes)
    if pairs > EXACT_PAIRS:
        from scipy.special import ndtr

        deviation = math.sqrt(sum(n * m * (n + m + 1) for n, m in sizes) / 12)
        return lambda u: float(ndtr((u + 0.5 - pairs / 2) / deviation))
    counts = [1]
    for n, m in sizes:
        counts = _convolve(counts, _mann_whitney_counts(n, m))
    sums, ways = list(accumulate(counts)), sum(counts)
    return lambda u: sums[u] / ways


def _mann_whitney_counts(n: int, m: int) -> list[int]:
    """Orders of n and m values by the number of pairs in which the first is lower: a Gaussian binomial's coefficients.

    Source: Mann and Whitney, "On a test of whether one of two random variables is stochastically larger" (1947).
    """
    counts = [1] + [0] * (n * m)
    for k in range(1, n + 1):
        for at in range(n * m, m + k - 1, -1):
            counts[at] -= counts[at - m - k]
        for at in range(k, n * m + 1):
            counts[at] += counts[at - k]
    return counts


def _convolve(one: list[int], other: list[int]) -> list[int]:
    product = [0] * (len(one) + len(other) - 1)
    for at, count in enumerate(one):
        for shift, times in enumerate(other):
            product[at + shift] += count * times
    return product


@dataclass(frozen=True, slots=True)
class BoundedTest:
    """The permutation test of ranks where values are ranges: no interval."""

    is_higher: bool
    p: float


def exceeds(one: Range, other: Range) -> bool:
    """Whether a value is surely higher than another: a bounded one ties with everything beyond its bound."""
    return one[0] > other[1] or (one[0] == other[1] and (one[0] < one[1] or other[0] < other[1]))


def bounded_test(blocks: Sequence[tuple[Sequence[Range], Sequence[Range]]]) -> BoundedTest | None:
    """Gehan's test: each value scores the values of its block that it exceeds, less those that exceed it.

    p is the share of ways to deal the values of each block out to the sides whose sum of the sample's scores lies as far
    from 0: exact with ties, and Mann and Whitney's without. None where all values tie.
    Source: Gehan, "A generalized Wilcoxon test for comparing arbitrarily singly-censored samples" (1965).
    """
    scores = [[sum(exceeds(one, two) - exceeds(two, one) for two in (*a, *b)) for one in (*a, *b)] for a, b in blocks]
    if not any(map(any, scores)):
        return None
    found = sum(sum(block[: len(a)]) for block, (a, _) in zip(scores, blocks, strict=True))
    dealt = [(block, len(a)) for block, (a, _) in zip(scores, blocks, strict=True)]
    is_large = sum(len(block) ** 2 for block, _ in dealt) > EXACT_VALUES**2
    return BoundedTest(found > 0, (_normal_p if is_large else _exact_p)(dealt, found))


def _normal_p(dealt: Sequence[tuple[list[int], int]], found: int) -> float:
    """From the variance of a sum of n of N scores without replacement, n (N - n) sum(score^2) / (N (N - 1))."""
    from scipy.special import ndtr

    spread = sum(n * (len(s) - n) * sum(one * one for one in s) / len(s) / (len(s) - 1) for s, n in dealt)
    return 2 * float(ndtr(-abs(found) / math.sqrt(spread)))


def _exact_p(dealt: Sequence[tuple[list[int], int]], found: int) -> float:
    import numpy

    total, center = numpy.ones(1), 0
    for scores, n in dealt:
        reach = sum(abs(score) for score in scores)
        ways = numpy.zeros((n + 1, 2 * reach + 1))
        ways[0, reach] = 1
        for score in scores:
            ways[1:] += numpy.roll(ways[:-1], score, axis=1)
        total = numpy.convolve(total, ways[n] / math.comb(len(scores), n))
        center += reach
    far = numpy.abs(numpy.arange(len(total)) - center) >= abs(found)
    return min(1.0, float(total[far].sum()))
