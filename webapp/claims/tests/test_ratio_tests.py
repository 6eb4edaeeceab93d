"""The tests against scipy, and against every way to deal values out."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from webapp.claims import ratio_tests, statistics

SOURCES = [random.Random(seed) for seed in range(100)]


def logs(source: random.Random, n: int, spread: float = 1.0) -> list[float]:
    return [source.gauss(0, spread) for _ in range(n)]


def it_tests_pairs_as_scipy_does():
    for source in SOURCES:
        one, other = (logs(source, 2 + source.randrange(9)) for _ in range(2))
        n = min(len(one), len(other))
        ours = ratio_tests.paired_test([a - b for a, b in zip(one[:n], other[:n], strict=True)])
        theirs = stats.ttest_rel(one[:n], other[:n])
        assert ours.p == pytest.approx(theirs.pvalue)
        assert [math.log(end) for end in ours.interval(0.97)] == pytest.approx(list(theirs.confidence_interval(0.97)))
        assert ours.is_higher == (ours.ratio > 1) == (theirs.statistic > 0)


def it_tests_samples_as_welch_with_fewer_degrees_of_freedom():
    for source in SOURCES:
        one, other = logs(source, 2 + source.randrange(9)), logs(source, 2 + source.randrange(9), 3)
        ours, theirs = ratio_tests.welch_test([(one, other)]), stats.ttest_ind(one, other, equal_var=False)
        assert ours.freedom == min(math.floor(theirs.df), 2 * min(len(one), len(other)) - 2)
        assert ours.p == pytest.approx(2 * stats.t.sf(abs(theirs.statistic), ours.freedom))
        assert ours.p >= theirs.pvalue - 1e-12
        half = stats.t.ppf(0.975, ours.freedom) * theirs.denom if hasattr(theirs, "denom") else None
        assert half is None or math.log(ours.interval(0.95)[1]) == pytest.approx(ours.difference + half)


def it_compares_within_strata_as_the_sum_of_their_errors():
    for source in SOURCES:
        strata = [(logs(source, 3 + at), logs(source, 3)) for at in range(2)]
        ours = ratio_tests.welch_test(strata)
        single = [ratio_tests.welch_test([stratum]) for stratum in strata]
        assert ours.difference == pytest.approx(sum(one.difference for one in single) / 2)
        assert ours.error == pytest.approx(math.hypot(*(one.error for one in single)) / 2)
        exact = statistics.stratified_ratio([([math.exp(x) for x in a], [math.exp(x) for x in b]) for a, b in strata])
        assert ours.p >= exact.p - 1e-12 and ours.ratio == pytest.approx(exact.ratio)
        assert ours.freedom <= 8
        assert ours.needed(0.05) is None


def it_expects_a_further_session_where_scipy_does():
    """With as many repetitions, or more, in the new session: Student's two-sample test with one value on one side."""
    for source in SOURCES:
        earlier = [logs(source, 3) for _ in range(2 + source.randrange(9))]
        means = [numpy.mean(one) for one in earlier]
        for new in (logs(source, 3), logs(source, 30)):
            ours, theirs = ratio_tests.prediction_test(new, earlier), stats.ttest_ind([numpy.mean(new)], means)
            assert ours.p == pytest.approx(theirs.pvalue) and ours.freedom == len(earlier) - 1
            assert ours.difference == pytest.approx(numpy.mean(new) - numpy.mean(means))


def it_widens_where_the_new_session_has_fewer_repetitions():
    """By the variance within sessions, which is known the better the more repetitions there are."""
    earlier = [[at / 100 + one for one in (-0.03, 0.0, 0.03)] for at in (-1, 0, 1, 2)]
    few, many = (ratio_tests.prediction_test([0.2] * n, earlier) for n in (1, 3))
    assert many.error**2 == pytest.approx(numpy.var([-0.01, 0, 0.01, 0.02], ddof=1) * 1.25) and many.freedom == 3
    assert few.error**2 == pytest.approx(many.error**2 + 0.03**2 * (1 - 1 / 3))
    assert few.freedom == math.floor(few.error**4 / (many.error**4 / 3 + (0.03**2 * 2 / 3) ** 2 / 8))
    assert ratio_tests.prediction_test([0.2], [[0.0], [0.0]]) is None and ratio_tests.prediction_test([0.2], [[0.0, 1.0]]) is None


def it_keeps_whole_degrees_of_freedom():
    assert ratio_tests.welch_test([([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])]).freedom == 4


@pytest.mark.parametrize("test", [[], [([1.0], [1.0, 2.0])], [([1.0, 1.0], [2.0, 2.0])], [([0.1, 0.1], [0.3, 0.3])]])
def it_tests_no_samples_without_spread(test):
    assert ratio_tests.welch_test(test) is None


@pytest.mark.parametrize("differences", [[], [0.5], [0.3, 0.3, 0.1 + 0.2]])
def it_tests_no_pairs_without_spread(differences):
    assert ratio_tests.paired_test(differences) is None


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0])
def it_needs_as_many_as_have_the_power(alpha, shift):
    """Counted by simulation for pairs, and the same for two samples of half the variance each."""
    paired = ratio_tests.StudentTest(shift, 1.0, 2, (1.0,))
    needed = paired.needed(alpha)
    draw = numpy.random.default_rng(1)
    found = [(stats.ttest_1samp(draw.normal(shift, 1, (4000, n)), 0, axis=1).pvalue < alpha).mean() for n in (needed, needed - 1)]
    assert found[0] > 0.78 and found[1] < 0.82
    two = ratio_tests.StudentTest(shift, 1.0, 4, (0.5, 0.5)).needed(alpha)
    assert needed - 3 <= two <= needed
    wide = ratio_tests.StudentTest(7 * shift, 1.0, 4, (0.5 * 49, 0.5 * 49)).needed(alpha)
    assert wide == two


def it_does_not_say_that_thousands_are_needed():
    assert ratio_tests.StudentTest(0.001, 1.0, 2, (1.0,)).needed(0.05) is None
    near = ratio_tests.StudentTest(0.0887, 1.0, 2, (1.0,)).needed(0.05)
    assert near is not None and 990 < near <= 1000


def it_ranks_as_mann_and_whitney_do():
    for source in SOURCES:
        one, other = logs(source, 1 + source.randrange(12)), logs(source, 1 + source.randrange(12), 3)
        ours = ratio_tests.rank_test([(one, other)])
        assert ours.p == pytest.approx(stats.mannwhitneyu(one, other, method="exact").pvalue)
        ranges = [[(math.exp(x), math.exp(x)) for x in side] for side in (one, other)]
        assert ratio_tests.bounded_test([tuple(ranges)]).p == pytest.approx(ours.p)


def it_counts_signs_as_the_binomial_test_does():
    for source in SOURCES:
        pairs = [([source.gauss(0.4, 1)], [0.0]) for _ in range(6 + source.randrange(12))]
        wins = sum(one[0] > 0 for one, _ in pairs)
        ours = ratio_tests.rank_test(pairs)
        assert ours.p == pytest.approx(stats.binomtest(wins, len(pairs)).pvalue)
        expected = statistics.median_interval([math.exp(one[0]) for one, _ in pairs])
        assert ours.interval(0.95) == pytest.approx(expected)
        assert ours.is_higher == (wins > len(pairs) / 2)


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=8),
            st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from((0.9, 0.95, 0.99)),
)
def it_has_the_interval_of_its_p(blocks, level):
    test = ratio_tests.rank_test(blocks)
    if test is None:
        assert all(len({*a, *b}) == 1 for a, b in blocks)
        return
    low, high = test.interval(level)
    assert (test.p < 1 - level) == (not low <= 1 <= high)
    if test.p < 1 - level:
        assert test.is_higher == (low > 1)


def it_needs_one_block_with_values_that_differ():
    assert ratio_tests.rank_test([([1.0], [1.0]), ([1.0], [2.0])]).logs == (-1.0, 0.0)
    assert ratio_tests.rank_test([([1.0], [1.0]), ([2.0], [2.0])]) is None


def it_has_no_interval_of_ranks_where_none_has_the_level():
    test = ratio_tests.rank_test([([1.0, 2.0], [0.0, 0.5])])
    assert test.interval(0.95) == (0.0, math.inf)
    assert test.interval(0.5) != (0.0, math.inf)


def it_goes_over_to_the_normal_distribution_without_a_jump(monkeypatch):
    source = random.Random(5)
    blocks = [(logs(source, 12), [x + 0.5 for x in logs(source, 14)]) for _ in range(2)]
    ranges = [tuple([(math.exp(x), math.exp(x)) for x in side] for side in block) for block in blocks]
    exact = ratio_tests.rank_test(blocks).p, ratio_tests.bounded_test(ranges).p
    ratio_tests._tail.cache_clear()
    monkeypatch.setattr(ratio_tests, "EXACT_PAIRS", 1)
    monkeypatch.setattr(ratio_tests, "EXACT_VALUES", 1)
    near = ratio_tests.rank_test(blocks).p, ratio_tests.bounded_test(ranges).p
    ratio_tests._tail.cache_clear()
    assert near == pytest.approx(exact, rel=0.04)
    assert near != exact


def dealt(blocks) -> float:
    """p from every way to deal the values of two blocks out."""

    def scores(values):
        return [sum(ratio_tests.exceeds(a, b) - ratio_tests.exceeds(b, a) for b in values) for a in values]

    found, sums = 0, [0]
    for sample, base in blocks:
        block = scores([*sample, *base])
        found += sum(block[: len(sample)])
        sums = [total + sum(chosen) for total in sums for chosen in combinations(block, len(sample))]
    return sum(abs(total) >= abs(found) for total in sums) / len(sums)


values = st.tuples(st.integers(1, 4), st.sampled_from(("", "", "above", "below"))).map(
    lambda one: (float(one[0]), math.inf) if one[1] == "above" else (0.0 if one[1] else float(one[0]), float(one[0]))
)
some = st.lists(values, min_size=1, max_size=4)


@given(st.lists(st.tuples(some, some), min_size=1, max_size=2))
def it_deals_bounded_values_out_in_every_way(blocks):
    test = ratio_tests.bounded_test(blocks)
    assert (1.0 if test is None else test.p) == pytest.approx(dealt(blocks))


@pytest.mark.parametrize(
    ("one", "other", "higher", "lower"),
    [
        ((5, 5), (4, 4), True, False),
        ((4, 4), (4, 4), False, False),
        ((4, math.inf), (4, 4), True, False),
        ((4, math.inf), (5, 5), False, False),
        ((4, math.inf), (3, 3), True, False),
        ((4, math.inf), (6, math.inf), False, False),
        ((0, 4), (4, 4), False, True),
        ((0, 4), (3, 3), False, False),
        ((0, 4), (4, math.inf), False, True),
    ],
)
def it_ties_a_bound_with_all_beyond_it(one, other, higher, lower):
    assert (ratio_tests.exceeds(one, other), ratio_tests.exceeds(other, one)) == (higher, lower)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def it_rejects_with_holm_what_the_adjusted_p_rejects(ps):
    decided = statistics.holm_levels(ps)
    for p, adjusted, (rejected, level) in zip(ps, statistics.holm(ps), decided, strict=True):
        assert rejected == (p < 1 - level)
        assert 0.95 <= level < 1
        if abs(adjusted - 0.05) > 1e-9:
            assert rejected == (adjusted < 0.05)


def it_keeps_the_level_of_the_first_failure():
    decided = statistics.holm_levels([0.2, 0.001, 0.03, 0.9])
    assert [rejected for rejected, _ in decided] == [False, True, False, False]
    assert [round(1 - level, 4) for _, level in decided] == [0.0167, 0.0125, 0.0167, 0.0167]


@pytest.mark.parametrize(("size", "paired", "two"), [(1.0, 10, 17), (0.8, 15, 26), (0.5, 34, 64)])
def it_needs_what_the_tables_of_power_say(size, paired, two):
    """80 % power at 5 %, two-sided: Cohen, Statistical Power Analysis, table 2.4.1, and G*Power for paired differences."""
    assert ratio_tests.StudentTest(size, 1.0, 2, (1.0,)).needed(0.05) == paired
    assert ratio_tests.StudentTest(size, 1.0, 2, (1.0, 1.0)).needed(0.05) == two


def it_keeps_the_variance_of_each_side_of_one_stratum():
    one, other = (1.0, 2.0, 6.0), (1.0, 1.5, 1.7, 2.0)
    found = ratio_tests.welch_test([(one, other)])
    assert found.variances == (pytest.approx(numpy.var(one, ddof=1)), pytest.approx(numpy.var(other, ddof=1)))
    assert ratio_tests.welch_test([(one, other), (other, one)]).variances == ()


@pytest.mark.parametrize(
    ("logs", "higher", "p"),
    [
        ((0.0, 1.0, 1.0, 1.0, 1.0, 1.0), True, 14 / 64),  # the tie counts as one below: 2 (1 + 6) / 64
        ((-1.0, -1.0, -1.0, -1.0, -1.0, 0.0), False, 14 / 64),
        ((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), True, 2 / 64),
        ((0.0, 0.0, 0.0, 0.0, 0.0, 1.0), True, 1.0),
        ((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0), False, 1.0),
        ((-1.0, -1.0, 0.0, 0.0, 1.0, 1.0), False, 1.0),
    ],
)
def it_counts_ties_for_both_directions_and_for_neither_side(logs, higher, p):
    test = ratio_tests.RankTest(logs, ((1, 1),) * 6)
    assert (test.is_higher, test.p) == (higher, pytest.approx(p))
