"""Statistics against scipy, which the pages do not load, and against what the books say."""

from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from webapp.claims import statistics
from webapp.storage import summary_writer

CASES = [random.Random(seed) for seed in range(1000)]


def sample(source: random.Random, n: int | None = None) -> list[float]:
    return [source.lognormvariate(18, 0.3) for _ in range(n or source.randint(2, 40))]


def it_takes_the_median_that_numpy_takes():
    for source in CASES[:200]:
        values = sample(source)
        assert statistics.median(values) == pytest.approx(float(numpy.median(values)), rel=1e-12)


def it_has_the_interval_of_the_median_that_scipy_has():
    for source in CASES:
        values = sample(source, source.randint(1, 60))
        ours = statistics.median_interval(values)
        theirs = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
        if ours is None:
            assert len(values) < statistics.MIN_VALUES
        else:
            assert ours == pytest.approx(tuple(theirs), rel=1e-12)


@pytest.mark.parametrize(("n", "rank"), [(6, 1), (9, 2), (10, 2), (20, 6), (31, 10), (70, 27), (100, 40)])
def it_has_the_ranks_of_the_tables(n, rank):
    """Le Boudec, Performance Evaluation, appendix A, and Hahn and Meeker, table A.15."""
    assert statistics.median_interval(list(range(1, n + 1))) == (rank, n + 1 - rank)


def it_goes_over_to_the_approximation_without_a_jump():
    below, above = (statistics.median_interval(list(range(n))) for n in (1000, 1001))
    assert above[0] - below[0] in (-1, 0, 1)
    assert above[1] - below[1] in (0, 1, 2)


def it_has_the_interval_of_the_mean_that_scipy_has():
    for source in CASES:
        values = sample(source)
        theirs = stats.t.interval(0.95, len(values) - 1, loc=numpy.mean(values), scale=stats.sem(values))
        assert statistics.mean_interval(values) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.thorough
def it_tests_ratios_as_scipy_does():
    for source in CASES:
        one, other = sample(source), sample(source)
        ours = statistics.stratified_ratio([(one, other)])
        theirs = stats.ttest_ind(numpy.log(one), numpy.log(other), equal_var=False)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-12)
        low, high = theirs.confidence_interval(0.95)
        assert (ours.low, ours.high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-9)
        assert ours.ratio == pytest.approx(stats.gmean(one) / stats.gmean(other))


def it_finds_in_strata_what_lies_between_them_out_of_sight():
    """Each stratum is ten times the other; within each the ratio is 1.2."""
    strata = [([120.0, 121, 119], [100.0, 101, 99]), ([1210.0, 1190, 1200], [1010.0, 990, 1000])]
    found = statistics.stratified_ratio(strata)
    assert found.ratio == pytest.approx(1.2, rel=1e-3)
    assert 1.15 < found.low < found.high < 1.25
    assert statistics.stratified_ratio([(strata[0][0] + strata[1][0], strata[0][1] + strata[1][1])]).p > 0.5


@pytest.mark.parametrize(
    ("one", "other"), [([1.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 2.0]), ([1.0, -1.0], [1.0, 2.0]), ([5.0, 5.0], [7.0, 7.0])]
)
def it_tells_nothing_from_too_little(one, other):
    assert statistics.stratified_ratio([(one, other)]) is None
    assert statistics.stratified_ratio([]) is None


@pytest.mark.parametrize(
    ("ps", "adjusted"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.9, 0.5], [1.0, 1.0]),
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
    ],
)
def it_adjusts_by_holm(ps, adjusted):
    assert statistics.holm(ps) == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), max_size=12))
def it_never_makes_a_p_smaller_nor_turns_the_order(ps):
    adjusted = statistics.holm(ps)
    assert all(p <= a <= 1 for p, a in zip(ps, adjusted, strict=True))
    assert sorted(adjusted) == [a for _, a in sorted(zip(ps, adjusted, strict=True))]


@given(st.lists(st.floats(1e-3, 1e12), min_size=31, max_size=200))
def it_takes_the_median_of_buckets_within_half_a_percent(values):
    histogram = summary_writer.aggregate(sorted(values), list(range(len(values)))).histogram
    assert statistics.histogram_median(histogram) == pytest.approx(statistics.median(values), rel=0.00501)
    low, high = statistics.histogram_interval(histogram)
    exact = statistics.median_interval(values)
    assert (low, high) == pytest.approx(exact, rel=0.00501)


def it_takes_the_geometric_mean_of_ratios_only():
    assert statistics.geometric_mean([0.5, 2.0]) == pytest.approx(1)
    with pytest.raises(ValueError, match="positive"):
        statistics.geometric_mean([1.0, 0.0])


@pytest.mark.parametrize("n", [3, 5, 10, 30])
@pytest.mark.parametrize("noise", ["normal", "lognormal"])
def it_seldom_sees_a_difference_where_there_is_none(n, noise):
    """1,000 pairs without a true difference: at most 5 % and two standard errors are told apart."""
    draw = numpy.random.default_rng([n, len(noise)])
    samples = draw.normal(100, 5, (1000, 2, n)) if noise == "normal" else draw.lognormal(4.6, 0.3, (1000, 2, n))
    false = sum(statistics.stratified_ratio([(list(one), list(other))]).p < 0.05 for one, other in samples)
    assert false <= 64


def it_finds_half_as_much_again_at_three_repetitions():
    draw = numpy.random.default_rng(7)
    found = [
        statistics.stratified_ratio([(list(draw.normal(150, 7.5, 3)), list(draw.normal(100, 5, 3)))]).p < 0.05 for _ in range(1000)
    ]
    assert sum(found) >= 800


def it_takes_the_harmonic_mean_that_scipy_takes():
    for source in CASES:
        values = sample(source)
        assert statistics.harmonic_mean(values) == pytest.approx(float(stats.hmean(values)), rel=1e-12)
    assert statistics.harmonic_mean([0.0, 5.0]) == 0
    with pytest.raises(ValueError, match="rates"):
        statistics.harmonic_mean([-1.0, 2.0])


def it_has_the_mean_rate_of_all_the_work_over_all_the_time():
    """1 GiB at 100 B/s and 1 GiB at 300 B/s together go at 150 B/s, not at 200."""
    assert statistics.harmonic_mean([100.0, 300.0]) == pytest.approx(150)


def it_turns_the_interval_of_a_cost_into_that_of_a_rate():
    assert statistics.invert_interval((0.25, 0.5)) == (2.0, 4.0)
    assert statistics.invert_interval((-0.1, 0.5)) is None
    assert statistics.invert_interval(None) is None


def it_resamples_as_scipy_does_and_always_alike():
    for source in CASES[:12]:
        values = sample(source, source.randint(6, 30))
        ours = statistics.bootstrap_interval(values)
        assert ours == statistics.bootstrap_interval(values[::-1])
        theirs = stats.bootstrap((values,), numpy.mean, n_resamples=9999, random_state=1).confidence_interval
        width = theirs.high - theirs.low
        assert ours == pytest.approx(tuple(theirs), abs=0.12 * width)


@pytest.mark.parametrize("values", [[1.0] * 5, [7.0] * 20, [1.0, 2, 3, 4, 5]])
def it_does_not_resample_what_has_nothing_to_tell(values):
    assert statistics.bootstrap_interval(values) is None


def it_has_the_effect_that_scipy_counts():
    for source in CASES:
        one, other = ([float(source.randint(0, 9)) for _ in range(source.randint(1, 20))] for _ in range(2))
        wins = stats.mannwhitneyu(one, other).statistic
        assert statistics.probability_of_superiority(one, other) == pytest.approx(wins / len(one) / len(other))
    with pytest.raises(ValueError, match="no values"):
        statistics.probability_of_superiority([], [1.0])


@given(st.lists(st.floats(1.0, 1e12), min_size=31, max_size=200))
def it_takes_the_costs_of_buckets_within_a_percent(values):
    n, mean, _ = statistics.histogram_costs(summary_writer.aggregate(values, list(range(len(values)))).histogram)
    assert (n, 1 / mean) == (len(values), pytest.approx(statistics.harmonic_mean(values), rel=0.00501))


def it_takes_no_costs_of_what_is_no_rate():
    with pytest.raises(ValueError, match="not positive"):
        statistics.histogram_costs({"zero": 3, "12": 40})
