"""Which claim is made from which data."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ingest.catalogue import LESS, MORE, NEITHER
from webapp.claims import statistics
from webapp.claims.judge import judge, judge_page, overall
from webapp.claims.observations import (
    ABOVE,
    AS_THEY_STAND,
    BELOW,
    CONTROLLED,
    DRIFT,
    MACHINES,
    NO_DIFFERENCE,
    OPEN,
    SESSION,
    SESSIONS,
    SYSTEM,
    SYSTEMS,
    Contrast,
    Observation,
    Sample,
)
from webapp.claims.tests.making import ask, machines, runs, sessions
from webapp.claims.tests.scopes import widest_scope

WIDTH = {"": 0, SESSION: 1, SESSIONS: 2, SYSTEM: 3, SYSTEMS: 3, MACHINES: 4}


def answer(*told, stat="geometric", **more):
    return judge([ask(*told, **more)], stat)[0]


def alternating(n: int, center: float, shift: float, session: int = 1) -> list[Observation]:
    return [replace(one, position=2 * at + shift) for at, one in enumerate(runs(n, center, session))]


SHAPES = {
    "one session": (lambda by: (runs(3, 100 * by), runs(3)), "faster in this session", 1),
    "two sessions, compared within": (
        lambda by: (sessions((1, 2), 2, 100 * by), sessions((1, 2), 2)),
        "faster in these 2 sessions",
        2,
    ),
    "three sessions with both sides": (
        lambda by: (sessions((1, 2, 3), 1, 100 * by), sessions((1, 2, 3), 3)),
        "faster on this system",
        3,
    ),
    "three sessions a side": (lambda by: (sessions((1, 2, 3), 1, 100 * by), sessions((4, 5, 6), 1)), "faster on this system", 0),
    "four machines": (lambda by: (machines(4, 1, 100 * by), machines(4, 3)), "faster on these machines", 4),
}


@pytest.mark.parametrize("name", SHAPES)
def it_claims_as_far_as_the_data_go(name):
    make, claim, count = SHAPES[name]
    found = answer(*make(1.5))
    assert (found.claim, found.blocks, found.withheld) == (claim, count, "")
    assert found.low < found.ratio < found.high
    assert found.low > 1 and found.p < 0.05
    assert found.ratio == pytest.approx(1.5, rel=0.02)
    slower = answer(*make(0.5))
    assert slower.claim == claim.replace("faster", "slower") and slower.high < 1


def it_compares_rounds_where_there_are_three():
    """The rounds drift by more than the sides differ: within them the difference is plain."""
    base = [Observation(level, 1, 1, f"rep{level}") for level in (100.0, 150.0, 200.0)]
    sample = [replace(one, value=one.value * by) for one, by in zip(base, (1.1, 1.11, 1.09), strict=True)]
    found = answer(sample, base)
    assert (found.claim, found.scope, found.blocks) == ("faster in this session", SESSION, 3)
    expected = stats.ttest_rel([math.log(one.value) for one in sample], [math.log(one.value) for one in base])
    assert found.p == pytest.approx(expected.pvalue)
    unknown = answer([replace(one, round=None) for one in sample], [replace(one, round=None) for one in base])
    assert (unknown.claim, unknown.blocks) == (NO_DIFFERENCE, 1)


@pytest.mark.parametrize(
    ("names", "blocks"),
    [("010", 1), ("012", 3), ("0123", 4), ("01201", 3), (("0", "1", None), 1), (("0", "1", "2", None), 3)],
)
def it_needs_three_rounds_to_compare_within_them(names, blocks):
    """Runs whose round is unknown are in none."""
    sample, base = (
        [replace(one, round=name) for one, name in zip(side, names, strict=True)]
        for side in (runs(len(names), 150), [*reversed(runs(len(names)))])
    )
    assert answer(sample, base).blocks == blocks


@pytest.mark.parametrize(
    ("better", "words"),
    [(MORE, ("faster", "slower")), (LESS, ("slower", "faster")), (NEITHER, ("higher", "lower"))],
)
def it_says_faster_in_the_direction_of_the_metric(better, words):
    for by, word in zip((1.5, 0.5), words, strict=True):
        assert answer(runs(3, 100 * by), runs(3), better=better).claim == f"{word} in this session"
        whole = answer(sessions((1, 2, 3), 1, 100 * by), sessions((4, 5, 6), 1), AS_THEY_STAND, better=better)
        assert whole.claim == f"A is {word} than B"


def it_never_falls_back_to_a_narrower_claim():
    """In each session the sample is plainly faster or slower: over sessions nothing is seen."""
    sample = [*runs(5, 150, 1), *runs(5, 70, 2), *runs(5, 110, 3)]
    base = sessions((1, 2, 3), 5)
    found = answer(sample, base)
    assert (found.claim, found.scope) == (NO_DIFFERENCE, SYSTEM)
    assert found.low < 1 < found.high and found.withheld == ""


def bounded(n: int, bound: float, side: str = ABOVE, session: int = 1, machine: int = 1) -> list[Observation]:
    return [Observation(bound, machine, session, censored=side)] * n


@pytest.mark.parametrize(
    ("sample", "base", "more", "withheld"),
    [
        (runs(1), runs(1), {}, "one run each, spread unknown; at least 3 a side"),
        (runs(2), runs(9), {}, "2 and 9 runs in 1 session with both sides; at least 3 a side"),
        (runs(2), runs(1), {}, "2 and 1 runs in 1 session with both sides; at least 3 a side"),
        (
            [*runs(2, 150), *runs(5, 150, 2)],
            [*runs(2), *runs(5, 100, 3)],
            {},
            "2 and 2 runs in 1 session with both sides; at least 3 a side",
        ),
        (
            runs(5, 150),
            runs(5),
            {"stat": "median"},
            "5 and 5 runs in 1 session with both sides; the median needs at least 6 a side",
        ),
        (
            runs(5, 200, 1),
            runs(5, 100, 2),
            {"name": "lz4"},
            "cannot tell: session and lz4 are the same thing here; both sides in one session, or at least 3 sessions a side",
        ),
        (
            sessions((1, 2, 3), 3, 200),
            sessions((4, 5, 6), 3),
            {"name": "lz4", "as_far_as_known": True},
            "cannot tell: session and lz4 are the same thing here; both sides in one session",
        ),
        (
            runs(5, 200, 1),
            runs(5, 100, 2),
            {"name": "6.8.0", "reboots": True},
            "cannot tell: session and 6.8.0 are the same thing here; at least 3 sessions a side, booted by turns",
        ),
        (
            sessions((1, 2, 3), 3, 200),
            sessions((4, 5, 6), 3),
            {"name": "6.8.0", "reboots": True, "as_far_as_known": True},
            "cannot tell: session and 6.8.0 are the same thing here; at least 3 sessions a side, booted by turns, "
            "without this doubt: alike as far as known",
        ),
        (machines(3, 3), machines(3, 3, 200), {}, "3 machines with both sides; at least 4, or one machine at a time"),
        (machines(2, 9), machines(2, 9, 200), {}, "2 machines with both sides; at least 4, or one machine at a time"),
        (machines(3, 3), machines(1, 3, 200), {}, "1 machine with both sides; at least 4, or one machine at a time"),
        (
            machines(4, 3),
            machines(4, 3, 200),
            {"as_far_as_known": True},
            "alike as far as known: at most a claim about sessions of one machine, but there are 4 machines",
        ),
        (
            machines(3, 3),
            [*machines(2, 3), *runs(1, 7, 9, 9)],
            {"as_far_as_known": True},
            "alike as far as known: at most a claim about sessions of one machine, but there are 4 machines",
        ),
        (
            runs(5, 200, 1, 1),
            runs(5, 100, 2, 2),
            {"name": "X5650"},
            "cannot tell: machine and X5650 are the same thing here; at least 4 machines with both sides",
        ),
        (
            [one for at in range(4) for one in bounded(1, 400, session=at)],
            sessions(range(4), 1),
            {"as_far_as_known": True},
            "4 and 4 runs in 4 sessions with both sides; at least 4 a side within one of them",
        ),
        ([], runs(3), {}, "nothing was measured on one side"),
        (runs(3), [*runs(3), Observation(math.inf, 1, 1)], {}, "a value of zero or less has no ratio"),
        (runs(3), [*runs(3), Observation(0.0, 1, 1)], {}, "a value of zero or less has no ratio"),
        (runs(3), runs(3), {"design": OPEN}, "not controlled: differences are listed, no claim is made"),
        (
            [Observation(5.0, 1, 1)] * 3,
            [Observation(7.0, 1, 1)] * 3,
            {},
            "no spread: the values look rounded, so there is nothing to test against",
        ),
        (sessions((1, 2), 5), sessions((3, 4, 5), 5), {"design": AS_THEY_STAND}, "2 and 3 sessions; at least 3 a side"),
        (
            machines(2, 5),
            sessions((7, 8, 9), 5),
            {"design": AS_THEY_STAND},
            "several machines on one side: two systems are compared by one machine each",
        ),
        (
            [Observation(4.0, 1, 1, censored=ABOVE)] * 3,
            runs(5, 1.0),
            {},
            "3 and 5 runs in 1 session with both sides; at least 4 a side, as some values are only bounded",
        ),
        (
            [Observation(4.0, 1, 1, censored=ABOVE)] * 4,
            [Observation(4.0, 1, 1, censored=ABOVE)] * 4,
            {},
            "no value certainly exceeds another: they lie beyond the same bound",
        ),
    ],
)
def it_says_why_there_is_no_claim(sample, base, more, withheld):
    found = answer(sample, base, **more)
    assert (found.claim, found.scope, found.withheld) == (None, "", withheld)
    assert found.p is found.low is found.level is None


@pytest.mark.parametrize("side", ["sample", "base"])
def it_claims_nothing_where_a_run_failed(side):
    question = ask(runs(3, 150), runs(3))
    question = replace(question, **{side: replace(getattr(question, side), failed=1)})
    assert judge([question])[0].withheld == "1 of 4 runs failed or did not finish"
    assert judge([replace(question, sample=Sample((), 2))])[0].claim is None
    both = replace(question, sample=replace(question.sample, failed=1), base=replace(question.base, failed=1))
    assert judge([both])[0].withheld == "1 of 4 runs failed or did not finish"


def it_names_the_error_in_which_runs_failed_and_how_many():
    ended = replace(ask(runs(3, 150), runs(3)), sample=replace(ask(runs(3, 150), runs(3)).sample, failed=3, error="no space left"))
    assert judge([ended])[0].withheld == "3 of 6 runs failed (no space left)"


def it_says_the_ratio_as_drawn_without_a_claim():
    found = answer(runs(1, 75), runs(1, 100))
    assert (found.ratio, found.ratio_bound) == (pytest.approx(0.75), "")
    open_figure = answer(runs(3, 75), runs(3, 100), OPEN)
    assert open_figure.ratio == pytest.approx(0.75)
    assert answer(runs(3), [Observation(-1.0, 1, 1)]).ratio is None


@pytest.mark.parametrize(
    ("doubt", "words"),
    [("cached", "from memory"), ("maybe-cached", "maybe from memory"), ("zeros", "of zeros, which compress to nothing")],
)
@pytest.mark.parametrize("side", ["sample", "base"])
def it_goes_no_further_than_the_sessions_with_a_doubt(doubt, words, side):
    question = ask(sessions((1, 2, 3), 3, 150), sessions((1, 2, 3), 3))
    assert judge([question])[0].claim == "faster on this system"
    doubted = replace(question, **{side: replace(getattr(question, side), doubts=frozenset((doubt,)))})
    [found] = judge([doubted])
    assert (found.claim, found.doubts) == ("faster in these 3 sessions", (words, DRIFT))
    [whole] = judge([replace(doubted, design=AS_THEY_STAND)])
    assert (whole.claim, whole.withheld) == (None, f"{words}: no claim")  # one machine


def it_goes_no_further_than_the_sessions_as_far_as_is_known():
    found = answer(sessions((1, 2, 3), 3, 150), sessions((1, 2, 3), 3), as_far_as_known=True)
    assert (found.claim, found.doubts) == ("faster in these 3 sessions", ("alike as far as known", DRIFT))


@pytest.mark.parametrize(("design", "scope"), [(AS_THEY_STAND, SYSTEMS), (OPEN, "")])
def it_asks_for_known_keys_only_where_a_figure_is_controlled(design, scope):
    found = answer(sessions((1, 2, 3), 3, 150), sessions((1, 2, 3), 3), design, as_far_as_known=True)
    assert (found.scope, found.doubts) == (scope, ())


def by_turns(side: list[Observation], shift: float) -> list[Observation]:
    """The runs of each session at places 0, 3, 4 ... or 1, 2, 5 ...; in each second session or machine the other way around."""
    counts: dict[int, int] = {}
    placed = []
    for one in side:
        at = counts[one.session] = counts.get(one.session, -1) + 1
        placed.append(replace(one, position=2 * at + (shift + at + one.session) % 2))
    return placed


@pytest.mark.parametrize(
    ("make", "scope"),
    [
        (lambda by: runs(3, by), SESSION),
        (lambda by: sessions((1, 2, 3), 3, by), SYSTEM),
        (lambda by: machines(4, 3, by), MACHINES),
    ],
)
def it_excludes_drift_only_where_the_order_was_balanced(make, scope):
    unknown = answer(make(150), make(100))
    assert (unknown.scope, unknown.doubts) == (scope, (DRIFT,))
    first = answer([replace(one, position=1) for one in make(150)], [replace(one, position=2) for one in make(100)], name="lz4")
    assert (first.scope, first.doubts) == (scope, (f"lz4 ran first every time: {DRIFT}",))
    second = answer(
        [replace(one, position=2) for one in make(150)], [replace(one, position=1) for one in make(100)], base_name="off"
    )
    assert second.doubts == (f"off ran first every time: {DRIFT}",)
    turned = answer(by_turns(make(150), 0), by_turns(make(100), 1))
    assert (turned.scope, turned.doubts) == (scope, ())


def it_does_not_exclude_drift_between_sessions_of_their_own():
    ones, others = by_turns(sessions((1, 2, 3), 3, 150), 0), by_turns(sessions((4, 5, 6), 3), 1)
    found = answer(ones, others)
    assert (found.scope, found.doubts) == (SYSTEM, (DRIFT,))
    whole = answer(ones, [replace(one, machine=2) for one in others], design=AS_THEY_STAND)
    assert (whole.scope, whole.doubts) == (SYSTEMS, ()), "two systems share no session"


def it_leaves_out_what_has_no_other_side():
    found = answer([*sessions((1, 2, 3), 2, 150), *sessions((4,), 5, 900)], sessions((1, 2, 3), 2))
    assert (found.left_out, found.sessions, found.blocks) == (5, 3, 3)
    assert found.ratio == pytest.approx(1.5, rel=0.02)
    five = answer([*machines(4, 1, 150), *runs(1, 7.0, 9, 9)], machines(4, 1, 103))
    assert (five.left_out, five.machines, five.blocks, five.scope) == (1, 4, 4, MACHINES)
    alone = answer([*runs(3, 150, 1), *runs(2, 500, 2)], runs(3, 100, 1))
    assert (alone.claim, alone.left_out, alone.sessions) == ("faster in this session", 2, 1)


@pytest.mark.parametrize(
    "counts", [((3, 3), (1, 1)), ((3, 1), (1, 3)), ((2, 1), (1, 2)), ((3, 3), (1, 3)), ((3, 3), (3, 1))], ids=str
)
def it_uses_all_runs_of_sessions_with_both_sides(counts):
    """Sessions too, in which a side ran once: the spread of a side is then that of all of its runs about their sessions' means."""
    sample, base = (
        [run for at, of in enumerate(counts) for run in runs(of[side], center * (1 + at / 10), at)]
        for side, center in enumerate((150, 100))
    )
    found = answer(sample, base)
    assert (found.claim, found.left_out, found.sessions) == ("faster in these 2 sessions", 0, 2)
    assert found.test == "Welch's t-test within 2 sessions"
    assert found.ratio == pytest.approx(1.5, rel=0.02)


def it_takes_a_narrower_plan_only_where_the_wider_one_has_no_spread():
    """Three sessions whose values are rounded so that their ratios are equal: nothing could be tested over them."""
    base = [one for at in range(3) for one in runs(3, 100.0, at)]
    sample = [replace(one, value=one.value * 1.5) for one in base]
    found = answer(sample, base)
    assert (found.claim, found.test) == ("faster in these 3 sessions", "Welch's t-test within 3 sessions")
    unlike = [replace(one, value=one.value * (1, 1.6, 0.8)[one.session]) for one in sample]
    assert (answer(unlike, base).claim, answer(unlike, base).scope) == (NO_DIFFERENCE, SYSTEM)


def it_takes_one_ratio_per_machine_within_sessions_with_both_sides():
    """A second session on one machine that has one side only does not enter its ratio."""
    base = machines(4, 1, 100)
    sample = [replace(one, value=one.value * by) for one, by in zip(base, (1.5, 1.51, 1.52, 1.53), strict=True)]
    alone = runs(3, 9e9, 77, 0)
    for found in (answer([*sample, *alone], base), answer(sample, [*base, *alone])):
        assert found.ratio == pytest.approx(stats.gmean([1.5, 1.51, 1.52, 1.53]))
        assert (found.claim, found.left_out) == ("faster on these machines", 3)


def it_tests_sessions_of_their_own_as_welch_does():
    sample, base = sessions((1, 2, 3), 3, 110), sessions((4, 5, 6), 3)
    found = answer(sample, base)
    means = [
        [stats.gmean([one.value for one in side if one.session == at]) for at in dict.fromkeys(one.session for one in side)]
        for side in (sample, base)
    ]
    expected = stats.ttest_ind(*[[math.log(mean) for mean in side] for side in means], equal_var=False)
    assert found.p >= expected.pvalue
    assert found.ratio == pytest.approx(stats.gmean(means[0]) / stats.gmean(means[1]))
    assert found.blocks == 0 and found.sessions == 6


def it_draws_sessions_of_unequal_length_as_it_tests_them():
    sample = [*runs(1, 100, 1), *runs(9, 210, 2), *runs(2, 305, 3)]
    found = answer(sample, sessions((1, 2, 3), 2))
    assert found.ratio == pytest.approx(answer(sample, sessions((1, 2, 3), 2), OPEN).ratio)


def it_says_about_how_many_would_decide_from_three_sessions_on():
    sample = [*runs(2, 105, 1), *runs(2, 112, 2), *runs(2, 99, 3)]
    found = answer(sample, sessions((1, 2, 3), 2))
    assert found.claim == NO_DIFFERENCE and 4 <= found.needed <= 30
    again = judge([ask(sample, sessions((1, 2, 3), 2))] * 8)
    assert all(one.needed > found.needed for one in again)
    of_machines = answer(
        [replace(one, value=one.value * by) for one, by in zip(machines(4, 1), (1.2, 1, 1, 1), strict=True)], machines(4, 1)
    )
    assert of_machines.claim == NO_DIFFERENCE and of_machines.needed > 4
    in_session = answer(runs(3, 101), runs(3, 100))
    assert (in_session.claim, in_session.needed) == (NO_DIFFERENCE, None)
    assert answer(runs(3, 150), runs(3)).needed is None
    capped = answer(sessions((1, 2, 3), 1, 101), sessions((1, 2, 3), 1), as_far_as_known=True)
    assert (capped.claim, capped.needed, capped.test) == (NO_DIFFERENCE, None, "Student's t-test paired over 3 sessions")


def it_tests_a_claim_about_these_sessions_within_them():
    """What differs in each of three sessions, by more in one of them, is no claim about the machine, and one about these runs."""
    sample, base = [*runs(3, 105, 1), *runs(3, 112, 2), *runs(3, 99, 3)], sessions((1, 2, 3), 3)
    assert answer(sample, base).claim == NO_DIFFERENCE
    capped = answer(sample, base, as_far_as_known=True)
    assert (capped.claim, capped.test) == ("faster in these 3 sessions", "Welch's t-test within 3 sessions")
    assert capped.sessions == 3


def it_says_that_an_interval_is_too_wide():
    wide = answer([*runs(1, 10, 1), *runs(1, 100, 2), *runs(1, 1000, 3)], sessions((1, 2, 3), 1))
    assert wide.too_wide and wide.claim == NO_DIFFERENCE
    assert not answer(runs(3, 150), runs(3)).too_wide


def it_is_too_wide_where_one_end_alone_is_far_from_the_ratio():
    """The interval of a median lies unequally about it."""
    uneven = [*runs(3, 100), *runs(3, 2000)]
    for sample, base in ((uneven, runs(6)), (runs(6), uneven)):
        found = answer(sample, base, stat="median")
        far = (found.ratio / found.low > 10, found.high / found.ratio > 10)
        assert sorted(far) == [False, True] and found.too_wide


@pytest.mark.parametrize("by", [0.001, 1, 1000])
@pytest.mark.parametrize(("factor", "too_wide"), [(9.7, False), (10.3, True)])
def it_is_too_wide_beyond_a_factor_of_ten_to_either_side(by, factor, too_wide):
    """Three sessions whose interval is `by` times or divided by that factor."""
    step = math.log(factor) * math.sqrt(3) / stats.t.ppf(0.975, 2)
    base = [Observation(100.0, 1, at) for at in range(3)]
    sample = [replace(one, value=100 * by * math.exp(step * (at - 1))) for at, one in enumerate(base)]
    found = answer(sample, base)
    assert (found.high / found.ratio, found.ratio / found.low) == (pytest.approx(factor), pytest.approx(factor))
    assert found.too_wide == too_wide


@pytest.mark.parametrize("count", [1, 2, 7])
def it_makes_claim_and_interval_agree_after_holm(count):
    questions = [ask(runs(3, 100 * (1 + at / 50)), runs(3)) for at in range(count)]
    found = judge(questions)
    assert {one.tests for one in found} == {count}
    adjusted = statistics.holm([one.p for one in found])
    for one, p in zip(found, adjusted, strict=True):
        assert (one.claim != NO_DIFFERENCE) == (p < 0.05) == (one.p < 1 - one.level) == (not one.low <= 1 <= one.high)
    assert {one.claim for one in found} >= {NO_DIFFERENCE}


def it_counts_only_tests_for_holm():
    found = judge([ask(runs(3, 150), runs(3)), ask(runs(1), runs(1))])
    assert [one.tests for one in found] == [1, 1]
    assert found[0].level == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("sample", "base", "claim", "ratio", "bound"),
    [
        (bounded(4, 400), runs(4), "faster in this session", 4.0, ABOVE),
        (runs(4), bounded(4, 400), "slower in this session", 0.25, BELOW),
        (bounded(4, 50, BELOW), runs(4), "slower in this session", 0.5, BELOW),
        ([*bounded(1, 400), *runs(3, 300)], runs(4), "faster in this session", 3.0, ""),
        (bounded(4, 50), runs(4), NO_DIFFERENCE, 0.5, ABOVE),
        ([*bounded(2, 400), *runs(2, 100)], runs(4, 101), NO_DIFFERENCE, None, ABOVE),
        (runs(4, 100), bounded(4, 50, BELOW), "faster in this session", 2.0, ABOVE),
        ([*bounded(1, 90), *runs(1, 100), *runs(3, 300)], runs(5, 50), "faster in this session", 6.0, ABOVE),
        ([*bounded(1, 110, BELOW), *runs(3, 100)], runs(5, 50), "faster in this session", 2.0, BELOW),
        (runs(5, 50), [*bounded(1, 110, BELOW), *runs(3, 100)], "slower in this session", 0.5, ABOVE),
    ],
)
def it_claims_by_ranks_where_values_are_bounded(sample, base, claim, ratio, bound):
    found = answer(sample, base)
    assert (found.claim, found.ratio_bound, found.low, found.high) == (claim, bound, None, None)
    if ratio:
        assert found.ratio == pytest.approx(ratio, rel=0.02)
    if claim != NO_DIFFERENCE and len(sample) == len(base):
        assert found.p == pytest.approx(2 / math.comb(2 * len(sample), len(sample)))


def it_says_no_ratio_of_two_bounds():
    assert answer(bounded(4, 400), [*bounded(3, 50), *runs(1, 10)]).ratio is None


@pytest.mark.parametrize(("count", "scope"), [(3, SESSIONS), (4, SYSTEM), (6, SYSTEM)])
def it_needs_four_sessions_for_bounded_values(count, scope):
    numbers = range(count)
    found = answer([one for at in numbers for one in bounded(3, 400, session=at)], sessions(numbers, 3))
    assert (found.scope, found.claim.split()[0]) == (scope, "faster")


@pytest.mark.parametrize(("count", "scope"), [(4, ""), (5, ""), (6, MACHINES)])
def it_needs_six_machines_for_bounded_values(count, scope):
    found = answer([one for at in range(count) for one in bounded(3, 9e9, session=at, machine=at)], machines(count, 3))
    assert found.scope == scope
    if not scope:
        assert found.withheld == f"{count} machines with both sides; at least 6, or one machine at a time"


@pytest.mark.parametrize(
    ("sample", "base", "claim"),
    [
        (runs(6, 150), runs(6), "faster in this session"),
        (runs(5, 150), runs(6), None),
        (sessions(range(6), 1, 150), sessions(range(6), 1), "faster on this system"),
        (sessions(range(6), 1, 150), sessions(range(6, 12), 1), "faster on this system"),
        (sessions(range(5), 2, 150), sessions(range(5), 2), "faster in these 5 sessions"),
        (machines(6, 1, 150), machines(6, 1), "faster on these machines"),
        (machines(5, 1, 150), machines(5, 1), None),
    ],
)
def it_claims_with_the_median_from_six_a_side(sample, base, claim):
    found = answer(sample, base, stat="median")
    assert found.claim == claim
    if claim:
        assert 1 < found.low <= found.ratio <= found.high
        assert found.ratio == pytest.approx(1.5, rel=0.02)
        assert found.needed is None
    else:
        assert "6" in found.withheld


def it_draws_one_ratio_per_machine_only_where_controlled():
    sample, base = [*runs(1, 300, 1, 1), *runs(1, 800, 2, 2)], [*runs(1, 100, 1, 1), *runs(1, 100, 3, 3)]
    assert answer(sample, base).ratio == pytest.approx(3)
    for design in (OPEN, AS_THEY_STAND):
        assert answer(sample, base, design).ratio == pytest.approx(math.sqrt(300 * 800) / 100)


def it_compares_systems_as_they_stand_of_one_machine_each():
    two = [*sessions((1, 2, 3), 2, 150, 1), *sessions((4, 5, 6), 2, 150, 2)]
    one = sessions((7, 8, 9), 2, 100, 3)
    others = [*one, *sessions((10, 11, 12), 2, 100, 4)]
    for sample, base in ((two, one), (one, two), (two, others)):
        found = answer(sample, base, AS_THEY_STAND)
        assert found.scope == "" and found.withheld.startswith("several machines on one side")


def it_has_the_ratio_of_medians_as_drawn():
    sample, base = runs(7, 150), runs(6)
    found = answer(sample, base, stat="median")
    middle = [statistics.median([one.value for one in side]) for side in (sample, base)]
    assert found.ratio == pytest.approx(middle[0] / middle[1])
    no = answer(runs(6), [Observation(100.0, 1, 1)] * 6, stat="median")
    assert (no.claim, no.low <= 1 <= no.high) == (NO_DIFFERENCE, True)


def it_knows_no_other_statistic():
    with pytest.raises(ValueError, match="mean"):
        judge([], "mean")


def places(count: int, **more) -> list[Contrast]:
    """One machine a place."""
    return [ask(runs(3, 150 * (1 + at / 90), at, at), runs(3, 100 + 9 * at, at, at), **more) for at in range(count)]


def it_takes_the_overall_mean_of_four_places():
    few = overall(places(3))
    assert (few.claim, few.withheld) == (None, "3 places; an overall mean needs at least 4")
    assert (few.blocks, few.sessions, few.machines, few.left_out, few.tests, few.too_wide) == (0, 0, 0, 0, 0, False)
    assert overall(places(1)).withheld == "1 place; an overall mean needs at least 4"
    assert overall([]).withheld == "0 places; an overall mean needs at least 4"
    four = overall(places(4))
    ratios = [150 * (1 + at / 90) / (100 + 9 * at) for at in range(4)]
    assert four.ratio == pytest.approx(stats.gmean(ratios))
    assert (four.claim, four.machines, four.blocks) == ("faster on these machines", 4, 4)
    for design in (OPEN, AS_THEY_STAND):
        assert overall(places(4, design=design)).withheld == "an overall mean needs a controlled figure"
    assert "of which" not in four.withheld and four.tests == 1


def it_claims_nothing_overall_of_places_that_are_no_machines():
    one_machine = [ask(runs(3, level * by), runs(3, level)) for level, by in ((1, 1.2), (10, 1.3), (100, 1.1), (1000, 1.4))]
    found = overall(one_machine)
    expected = stats.ttest_1samp([math.log(by) for by in (1.2, 1.3, 1.1, 1.4)], 0)
    low, high = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert found.ratio == pytest.approx(stats.gmean([1.2, 1.3, 1.1, 1.4]))
    assert (found.claim, found.tests, found.p) == (None, 0, None)
    assert found.withheld.startswith("these places are not one machine each")
    shared = [*places(3), ask(runs(3, 9, 7, 0), runs(3, 7, 7, 0))]
    assert overall(shared).claim is None
    two_machines = ask([*runs(1, 9, 7, 7), *runs(1, 8, 8, 8)], [*runs(1, 7, 7, 7), *runs(1, 7, 8, 8)])
    assert overall([*places(3), two_machines]).claim is None
    crossed = ask([*runs(1, 9, 7, 7), *runs(1, 8, 0, 0)], [*runs(1, 7, 7, 7), *runs(1, 7, 0, 0)])
    assert overall([*places(3), crossed]).claim is None, "as many machines as places, but not one each"
    flat = overall([ask(runs(3, 2.0 * level), runs(3, level)) for level in (1.0, 2.0, 4.0, 8.0)])
    assert (flat.ratio, flat.low, flat.level) == (pytest.approx(2), None, None)


def it_takes_no_mean_of_bounds_failures_or_two_directions():
    bound = ask(bounded(4, 400), runs(4))
    assert overall([bound] * 4).withheld == "no mean: some of the ratios are only bounded"
    mixed = [ask(runs(3, 150 + at, at, 0), runs(3, 100, at, 0)) for at in range(4)]
    assert overall([*mixed, replace(bound, name="x")]).withheld == "no mean: some of the ratios are only bounded"
    assert overall(mixed).low > 1
    failed = replace(bound, sample=Sample(tuple(runs(3)), 1))
    assert overall([*places(4), failed]).withheld == "1 of 4 runs failed or did not finish"
    assert "lower in another" in overall([*places(3), *places(4, better=LESS)[3:]]).withheld


def it_counts_the_overall_mean_for_holm():
    each, wholes = judge_page(places(4), [places(4)])
    assert {one.tests for one in (*each, *wholes)} == {5}
    assert wholes[0].level in {1 - 0.05 / step for step in range(1, 6)}


positions = st.one_of(st.none(), st.integers(0, 6))
rounds = st.one_of(st.none(), st.sampled_from("abcd"))
observed = st.builds(
    Observation, st.floats(50, 200), st.just(1), st.integers(1, 7), rounds, positions, st.sampled_from(("", "", "", ABOVE))
)
sides = st.lists(observed, min_size=1, max_size=14)


@st.composite
def questions(draw) -> Contrast:
    """One machine or two to seven, with all that can be known."""
    count = draw(st.sampled_from((1, 1, 1, 2, 4, 5, 7)))
    of = st.integers(1, count)
    groups = [
        [
            replace(
                one, machine=at, session=10 * at + one.session if count < 3 else 10 * at, censored=one.censored if at % 2 else ""
            )
            for one in draw(sides)
            for at in ([draw(of)] if count < 4 else range(1, count + 1))
        ]
        for _ in range(2)
    ]
    if draw(st.booleans()):
        groups = [[replace(one, censored="") for one in group] for group in groups]
    return Contrast(
        Sample(tuple(groups[0]), 0, draw(st.sampled_from((frozenset(), frozenset(), frozenset({"cached"}))))),
        Sample(tuple(groups[1])),
        draw(st.sampled_from((CONTROLLED, CONTROLLED, AS_THEY_STAND))),
        draw(st.booleans()),
    )


def width(question, stat):
    return WIDTH[widest_scope(question, stat)]


def drift_doubts(question, stat):
    """The doubts of a claim whose needs are met; None without one."""
    [found] = judge([question], stat)
    return {DRIFT if doubt.endswith(DRIFT) else doubt for doubt in found.doubts} if found.claim else None


def never_more(before: Contrast, after: Contrast, stat: str) -> None:
    """Not a wider claim; and where both are claims of one session, no fewer doubts."""
    assert width(after, stat) <= width(before, stat)
    first, second = drift_doubts(before, stat), drift_doubts(after, stat)
    if first is not None and second is not None:
        assert first - {DRIFT} <= second


stats_drawn = st.sampled_from(("geometric", "median"))


@given(questions(), st.data(), stats_drawn)
def it_claims_no_more_with_a_measured_value_less(question, data, stat):
    """But for a machine's last value: without it the question is about other machines."""
    name = data.draw(st.sampled_from(("sample", "base")))
    side = getattr(question, name)
    at = data.draw(st.integers(0, len(side.observations) - 1))
    assume(not side.observations[at].censored)
    less = replace(question, **{name: replace(side, observations=side.observations[:at] + side.observations[at + 1 :])})
    machines_of = [{one.machine for one in (*q.sample.observations, *q.base.observations)} for q in (question, less)]
    assume(machines_of[0] == machines_of[1])
    never_more(question, less, stat)


UNKNOWN = {
    "positions": lambda one: replace(one, position=None),
    "rounds": lambda one: replace(one, round=None),
    "bounds": lambda one: replace(one, censored=ABOVE),
}


@given(questions(), st.sampled_from(sorted(UNKNOWN)), st.sets(st.integers(0, 30)), stats_drawn)
def it_claims_no_more_with_less_known_of_runs(question, what, places, stat):
    def lessen(side: Sample) -> Sample:
        return replace(
            side, observations=tuple(UNKNOWN[what](one) if at in places else one for at, one in enumerate(side.observations))
        )

    less = replace(question, sample=lessen(question.sample), base=lessen(question.base))
    never_more(question, less, stat)
    if what == "positions":
        first, second = drift_doubts(question, stat), drift_doubts(less, stat)
        assert first is None or second is None or DRIFT not in first or DRIFT in second


@given(questions(), st.data(), stats_drawn)
def it_keeps_an_answer_with_more_runs(question, data, stat):
    """Further runs of the same sides and machine, in the same session or in one of their own: none narrows what can be claimed."""
    runs_of = (*question.sample.observations, *question.base.observations)
    assume(len({one.machine for one in runs_of}) == 1)
    model = data.draw(st.sampled_from(runs_of))
    assume(not model.censored and not any(one.censored for one in runs_of))
    name = data.draw(st.sampled_from(("sample", "base")))
    more = replace(model, session=data.draw(st.sampled_from((model.session, 99))), value=data.draw(st.floats(50, 200)))
    side = getattr(question, name)
    wider = replace(question, **{name: replace(side, observations=(*side.observations, more))})
    assert width(wider, stat) >= width(question, stat)


@given(st.data(), st.integers(1, 2), st.booleans(), st.integers(2, 4))
def it_takes_no_claim_away_with_the_same_sessions_again(data, count, capped, times):
    """Sessions repeated value by value: the claim stays, and is as wide or wider. (Of unlike effects the machine's may be open.)"""
    values = st.floats(98, 102)
    shape = [data.draw(st.tuples(*[st.lists(values, min_size=2, max_size=4)] * 2))] * count
    by = data.draw(st.floats(1.0, 1.3))

    def side(at: int, again: int) -> list[Observation]:
        return [
            Observation(value * (1 if at else by), 1, session + count * copy)
            for copy in range(again)
            for session, sides in enumerate(shape)
            for value in sides[at]
        ]

    [before], [after] = (judge([ask(side(0, n), side(1, n), as_far_as_known=capped)]) for n in (1, times))
    if before.claim not in (None, NO_DIFFERENCE):
        assert after.claim not in (None, NO_DIFFERENCE)
        assert WIDTH[after.scope] >= WIDTH[before.scope]
        assert after.sessions == count * times


@given(questions(), stats_drawn)
def it_claims_no_more_with_less_known_of_a_side(question, stat):
    assume(question.design == CONTROLLED)
    never_more(question, replace(question, as_far_as_known=True), stat)
    for doubt in ("cached", "maybe-cached", "zeros", "another"):
        more = replace(question, base=replace(question.base, doubts=question.base.doubts | {doubt}))
        never_more(question, more, stat)
    assert width(replace(question, base=replace(question.base, failed=1)), stat) == 0
    assert width(replace(question, design=OPEN), stat) == 0


@given(questions(), st.integers(1, 7), st.integers(1, 7), stats_drawn)
def it_claims_no_more_than_sessions_with_two_taken_for_one(question, kept, gone, stat):
    """Where both sides were in a session the claim is no wider; else at most one of sessions, with drift."""

    assume(len({one.machine for one in (*question.sample.observations, *question.base.observations)}) == 1)

    def merge(side: Sample) -> Sample:
        return replace(
            side,
            observations=tuple(
                replace(one, session=10 + kept, position=None) if one.session % 10 in (gone, kept) else replace(one, position=None)
                for one in side.observations
            ),
        )

    merged = replace(question, sample=merge(question.sample), base=merge(question.base))
    before, after = width(question, stat), width(merged, stat)
    assert after <= max(before, WIDTH[SESSIONS])
    if after > before:
        doubts = drift_doubts(merged, stat)
        assert doubts is None or DRIFT in doubts


@given(st.lists(questions(), max_size=5), stats_drawn)
def it_never_disagrees_with_its_interval(asked, stat):
    for found in judge(asked, stat):
        assert (found.claim is None) == bool(found.withheld)
        assert (found.scope == "") == (found.claim is None)
        if found.claim:
            assert (found.claim == NO_DIFFERENCE) == (found.p >= 1 - found.level)
        if found.low is not None:
            assert (found.claim == NO_DIFFERENCE) == (found.low <= 1 <= found.high)
        if found.low is not None and stat == "geometric":
            assert found.low <= found.ratio <= found.high


@given(questions(), stats_drawn)
def it_answers_the_turned_question_the_other_way(question, stat):
    [found], [turned] = judge([question], stat), judge([replace(question, sample=question.base, base=question.sample)], stat)
    swapped = {"faster": "slower", "slower": "faster"}
    words = None if found.claim is None else " ".join(swapped.get(word, word) for word in found.claim.split(" "))
    assert turned.claim == words
    if found.low:
        assert turned.high == pytest.approx(1 / found.low)


@given(questions(), st.floats(1e-3, 1e3), st.randoms())
def it_depends_on_neither_unit_nor_order(question, by, source):
    def rescale(side: Sample) -> Sample:
        kept = [replace(one, value=one.value * by) for one in side.observations]
        source.shuffle(kept)
        return replace(side, observations=tuple(kept))

    [found], [other] = judge([question]), judge([replace(question, sample=rescale(question.sample), base=rescale(question.base))])
    assert (found.scope, found.withheld, found.doubts) == (other.scope, other.withheld, other.doubts)
    if found.p is not None:
        assert other.p == pytest.approx(found.p, rel=1e-6, abs=1e-12)


def it_judges_many_repetitions():
    """Numbers of ways beyond what a float holds, and pairs beyond what is counted one by one."""
    base = [Observation(100 + at % 17, 1, 1) for at in range(700)]
    sample = [replace(one, value=one.value * 1.2) for one in base]
    for stat in ("geometric", "median"):
        found = answer(sample, base, stat=stat)
        assert (found.claim, found.low < 1.2 < found.high) == ("faster in this session", True)
    assert answer([*sample, *bounded(9, 200)], base).claim == "faster in this session"


def nights(days, factor=1.0, *, known=True, first=1):
    """A session of three runs in each night; ids rise with the upload, whatever the day."""
    return [
        replace(one, started=day * 86400.0 if known else None)
        for session, day in enumerate(days, first)
        for one in runs(3, 100 * factor * (1 + 0.003 * (day % 3)), session)
    ]


@pytest.mark.parametrize(
    ("new", "base", "claim", "earlier", "left_out"),
    [
        pytest.param(nights([9], 0.8, first=9), nights(range(4)), "worse than before", 4, 0, id="four earlier sessions decide"),
        pytest.param(nights([9], 1.2, first=9), nights(range(4)), "better than before", 4, 0, id="better"),
        pytest.param(nights([9], 1.0, first=9), nights(range(4)), NO_DIFFERENCE, 4, 0, id="as before"),
        pytest.param(nights([9], 0.8, first=9), nights(range(3)), None, 3, 0, id="three are too few"),
        pytest.param(nights([0], 0.8, first=9), nights(range(1, 6)), None, 0, 0, id="what is older than all is not after them"),
        pytest.param(nights([9], 0.8, first=1), nights(range(4), first=2), "worse than before", 4, 0, id="times over ids"),
        pytest.param(nights([9], 0.8, first=9), nights([*range(4), 10, 11]), "worse than before", 4, 6, id="later ones left out"),
        pytest.param(nights([9], 0.8, first=9, known=False), nights(range(4)), "worse than before", 4, 0, id="ids without a time"),
        pytest.param(
            nights([9], 0.8, first=1, known=False), nights(range(4), first=2), None, 0, 0, id="ids without a time, turned"
        ),
        pytest.param(nights([9, 11], 0.8, first=9), nights(range(4)), None, None, 0, id="two new sessions"),
    ],
)
def it_judges_one_new_session_by_the_earlier_ones(new, base, claim, earlier, left_out):
    found = answer(new, base, is_later=True)
    assert (found.claim, found.earlier, found.left_out) == (claim, earlier, left_out)
    if claim:
        assert found.test == f"prediction interval of {earlier} earlier sessions" and found.low < found.ratio < found.high
    else:
        assert ("earlier sessions" in found.withheld) == (earlier is not None)
        assert earlier is None or f"needs 4 earlier sessions and has {earlier}" in found.withheld


def it_says_nothing_about_before_where_it_is_not_asked():
    found = answer(nights([9], 0.8, first=9), nights(range(4)))
    assert (found.claim, found.earlier) == (None, None) and "earlier" not in found.withheld
    other = [replace(one, machine=2) for one in nights([9], 0.8, first=9)]
    assert answer(other, nights(range(4)), is_later=True).earlier is None
