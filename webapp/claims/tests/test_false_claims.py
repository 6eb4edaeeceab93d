"""A part of `script/bench verdicts`, seeded: how often claims are wrong, how often pooling is, and what is found."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from webapp.claims import block_design, judge
from webapp.claims.observations import NO_DIFFERENCE, SYSTEM
from webapp.claims.tests.scopes import widest_scope

FEW = 200
"""Pages a row, and the highest count of false ones among them: 5 % and three standard errors."""
MOST = 19


pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def bench():
    """The benchmark's module, which stands beside the other scripts."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "script"))
    try:
        yield importlib.import_module("benches.verdicts")
    finally:
        sys.path.pop(0)


def row_of(bench, scope: str, name: str):
    [row] = [row for row in bench.ROWS if (row.scope, row.name) == (scope, name)]
    return row


def count(bench, row, between: float, pages: int = FEW, ratio: float = 1.0) -> tuple[int, int]:
    """Pages with a claim, and with one when pooled."""
    shares = bench.rates(pages, [7, round(between * 100)], lambda draw: bench.page(draw, row, between, ratio), row)
    return round(shares[0] * pages), round(shares[1] * pages)


NAMES = [
    ("session", "3 repetitions a side"),
    ("session", "3 rounds"),
    ("sessions", "2 sessions x 3"),
    ("sessions", "2 and 1 repetitions, turned"),
    ("sessions", "10 and 1 repetitions, turned"),
    ("session", "bounded values, 5 a side"),
    ("session", "median, 6 a side"),
    ("system", "3 sessions x 3"),
    ("system", "3 sessions a side x 3"),
    ("machines", "4 machines x 3"),
    ("systems", "3 sessions a side x 3"),
]


@pytest.mark.parametrize(("scope", "name"), NAMES)
def it_seldom_makes_a_false_claim(bench, scope, name):
    assert count(bench, row_of(bench, scope, name), 0.1)[0] <= MOST


@pytest.mark.parametrize("between", [0.0, 0.1, *(pytest.param(between, marks=pytest.mark.slow) for between in (0.02, 0.05))])
def it_makes_no_row_too_often_false(bench, between):
    """Five standard errors of 200 pages: no row comes there by chance."""
    for row in bench.ROWS:
        assert count(bench, row, between)[0] <= 25, row.name


def it_tests_every_row_as_what_it_is_named(bench):
    """Each page asks for a claim of its own scope, or for none."""
    import numpy

    for row in bench.ROWS:
        [scope] = {widest_scope(question, row.stat) for question in bench.page(numpy.random.default_rng(1), row, 0.05)}
        assert scope == ("" if "its own session" in row.name else row.scope), row.name


def it_makes_the_false_claims_of_pooling_seen(bench):
    """Where sides have sessions of their own, pooled repetitions are false on most pages, and the judge claims nothing."""
    found, pooled = count(bench, row_of(bench, "session", "each side its own session, 5 a side"), 0.1, 50)
    assert found == 0 and pooled > 25


@pytest.mark.parametrize(("at", "ratio", "least"), [(0, 1.2, 0.95), (1, 1.1, 0.75), (2, 2.0, 0.95)])
def it_finds_what_it_must(bench, at, ratio, least):
    row, told, goal = bench.POWERS[at]
    assert (told, goal) == (ratio, least)
    assert count(bench, row, 0.02, 200, ratio)[0] >= 200 * least - 6


def rows_of_order(bench, order, cause):
    return [row for row in bench.ROWS if row.name.endswith(f", {order}, {cause}")]


@pytest.mark.parametrize("cause", ["drift of 10 %", "first run 20 % slow"])
def it_doubts_claims_from_an_order(bench, cause):
    """No claim without the doubt where one side was always first; by turns no more than by chance."""
    for order in bench.ORDERS:
        for row in rows_of_order(bench, order, cause):
            assert count(bench, row, 0.02)[0] <= (0 if order in (bench.WHOLLY, bench.FIRST) else MOST + 3), row.name


def it_counts_claims_without_the_doubt(bench, monkeypatch):
    [row] = [row for row in rows_of_order(bench, bench.FIRST, "first run 20 % slow") if "3 sessions x 3" in row.name]
    assert count(bench, row, 0.02)[0] == 0
    monkeypatch.setattr(judge, "DRIFT_SCOPES", frozenset())
    assert count(bench, row, 0.02)[0] > FEW / 2


def it_would_see_a_judge_that_is_too_ready(bench, monkeypatch):
    """Sessions' own values taken as repetitions of one session."""
    row = row_of(bench, "system", "3 sessions a side x 3")
    make = bench.page

    def pool(draw, row, between, ratio=1.0):
        questions = make(draw, row, between, ratio)
        for question in questions:
            for one in (*question.sample.observations, *question.base.observations):
                object.__setattr__(one, "session", 1)
        return questions

    monkeypatch.setattr(bench, "page", pool)
    assert count(bench, row, 0.1, 50)[0] > 10


def it_counts_only_claims_of_a_difference(bench, monkeypatch):
    import numpy

    questions = bench.page(numpy.random.default_rng(2), row_of(bench, "session", "3 repetitions a side"), 0.0)
    [found] = judge.judge(questions)
    assert (found.claim, bench.claims(questions, "geometric")) == (NO_DIFFERENCE, [])
    assert next(block_design.find_plans(questions[0], "geometric")).scope != SYSTEM


@pytest.fixture(scope="module")
def gate():
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "script"))
    try:
        yield importlib.import_module("benches.gate")
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("at", range(24, 29))
def it_seldom_alarms_where_nothing_differs(gate, at):
    """Pages of several metrics; and of one, whose new session has fewer repetitions than those before."""
    for asked in (gate.NULL_LINES[at], gate.AskedLine(gate.NightRow(8, n=10, new=1), 0.0)):
        assert gate.rates(FEW // 2, [7, at], asked)[0] * FEW / 2 <= 13


def it_finds_a_loss_after_eight_nights(gate):
    for margin in gate.rates(FEW, [7], gate.AskedLine(gate.NightRow(8), gate.USUAL, gate.LOSS))[:2]:
        assert margin >= gate.GOAL
