"""A part of `script/bench verdicts`: seeded: how often the page's verdicts are wrong."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from webapp.claims import statistics

TRIALS = 1000


@pytest.fixture(scope="module")
def verdicts():
    """The benchmark's module, which stands beside the other scripts."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "script"))
    try:
        yield importlib.import_module("benches.verdicts")
    finally:
        sys.path.pop(0)


@pytest.mark.thorough
@pytest.mark.parametrize("shape", ["pair", "eight verdicts", "six machines", "two machines"])
@pytest.mark.parametrize("noise", ["normal", "log-normal"])
@pytest.mark.parametrize("n", [3, 10])
def it_seldom_gives_a_false_verdict(verdicts, shape, noise, n):
    """The share of false pages is at most 5 % and two standard errors."""
    share = verdicts.rate(
        TRIALS,
        (3, n),
        lambda draw: verdicts.SHAPES[shape](draw, noise, n),
        lambda words: any(word != "cannot tell" for word in words),
    )
    assert share <= verdicts.LIMIT


@pytest.mark.parametrize("noise", ["normal", "log-normal"])
def it_finds_half_as_much_again_at_three_repetitions(verdicts, noise):
    missed = verdicts.rate(TRIALS, (4,), lambda draw: verdicts.pair(draw, noise, 3, 1.5), lambda words: words != ["better"])
    assert missed <= 0.2


@pytest.mark.thorough
def it_would_see_a_judge_that_is_too_ready(verdicts, monkeypatch):
    """Without Holm eight verdicts at 5 % would be false on every third page: the measure itself must show that."""
    monkeypatch.setattr(statistics, "holm", list)
    share = verdicts.rate(
        TRIALS, (5,), lambda draw: verdicts.family(draw, "normal", 10), lambda words: any(word != "cannot tell" for word in words)
    )
    assert share > 0.2
