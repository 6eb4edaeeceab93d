"""Series as rounds: what is said of their steady state."""

from __future__ import annotations

import pytest

from webapp.curves import counting
from webapp.storage.series import StoredPoints


def points(values, step=10.0, start=0.0):
    return StoredPoints([start + step * at for at in range(len(values))], [float(value) for value in values], [1] * len(values))


def said(values, **more):
    found = counting.find([points(values)], more.pop("low", 0.0), 1e9, 10.0, **more)
    return found.describe()


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        ([100] * 5, "steady from 0 to 300 s"),
        ([300, 250, 200, 150, 105, 100, 100, 100, 100], "steady from 240 to 540 s"),
        ([100] * 5 + [10], "steady from 0 to 300 s, then no longer"),
        ([100, 80, 60, 40, 20, 10], "not reached in 6 rounds"),
        ([100] * 4, "cannot tell: 4 rounds of 60 s, at least 5 are needed"),
        ([100], "cannot tell: 1 round of 60 s, at least 5 are needed"),
        ([], "cannot tell: 0 rounds of 60 s, at least 5 are needed"),
    ],
)
def test_it_is_steady_or_not_or_unknown(minutes, words):
    assert said([value for value in minutes for _ in range(6)]) == words


def test_a_round_that_is_not_complete_is_none():
    assert said([100] * 29) == "cannot tell: 4 rounds of 60 s, at least 5 are needed"
    assert said([100] * 30) == "steady from 0 to 300 s"


def test_a_round_is_the_mean_of_its_points():
    assert said([50, 150] * 15) == "steady from 0 to 300 s"


def test_a_gap_ends_the_rounds():
    late = points([100] * 60, start=600.0)
    found = counting.find([points([100] * 12), late], 0.0, 1e9, 10.0)
    assert found.describe() == "cannot tell: 2 rounds of 60 s, at least 5 are needed"


def test_rounds_can_be_of_another_length():
    assert said([100] * 5, width=10.0) == "steady from 0 to 50 s"


def test_a_series_without_times_has_none():
    assert counting.find([StoredPoints(None, [1.0], [1])], 0.0, 1e9, None) is None
