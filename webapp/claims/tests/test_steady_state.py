"""The definition of steady state of SNIA's PTS, condition by condition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.claims.steady_state import SteadyState, find_steady_state, is_steady, slope_excursion


@pytest.mark.parametrize(
    ("window", "steady"),
    [
        ([100, 100, 100, 100, 100], True),
        ([90, 110, 100, 110, 90], True),  # a range of exactly 20 %, a slope of 0
        ([89.9, 110, 100, 110, 90.1], False),  # a range of 20.1 %
        ([95, 97.5, 100, 102.5, 105], True),  # the fit rises by exactly 10 %
        ([94.9, 97.5, 100, 102.5, 105.1], False),  # by more, within the range
        ([105, 102.5, 100, 97.5, 95], True),  # and falls by exactly 10 %
        ([106, 103, 100, 97, 94], False),
        ([100, 100, 100, 100, 119], False),  # an outlier: range 18 %, and the fit rises by 15 %
        ([100, 100, 119, 100, 100], True),  # the same one in the middle has no slope
        ([0, 0, 0, 0, 0], True),
        ([-1, 1, -1, 1, 0], False),
    ],
)
def test_both_conditions_hold_within_a_window(window, steady):
    assert is_steady(window) is steady


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([], SteadyState(0)),
        ([100] * 4, SteadyState(4)),
        ([100] * 5, SteadyState(5, 0, 4)),
        ([300, 250, 200, 150, 120, 100, 100, 100, 100], SteadyState(9)),
        ([300, 250, 200, 150, 105, 100, 100, 100, 100], SteadyState(9, 4, 8)),
        ([300, 200, *[100] * 7], SteadyState(9, 2, 8)),
        ([300, 200, *[100] * 6, 10], SteadyState(9, 2, 7, True)),
        ([*[100] * 5, 10, *[100] * 5], SteadyState(11, 0, 4, True)),
        ([100, 80, 60, 40, 20, 10, 5], SteadyState(7)),
        ([100 * 1.02**at for at in range(60)], SteadyState(60, 0, 5, True)),  # each window is steady, all of them are not
    ],
)
def test_it_is_found_in_the_first_window_and_ends_where_a_window_fails(rounds, expected):
    found = find_steady_state(rounds)
    assert found == expected
    assert found.is_known is (len(rounds) >= 5)


def test_the_excursion_is_that_of_the_least_squares_line():
    assert slope_excursion([1, 3, 2, 5, 4]) == pytest.approx(0.8 * 4)


@given(st.lists(st.floats(1, 1e9), min_size=5, max_size=5), st.floats(1e-3, 1e3))
def test_it_does_not_depend_on_the_unit(window, factor):
    average = sum(window) / 5
    near = (max(window) - min(window)) / average - 0.2, slope_excursion(window) / average - 0.1
    if all(abs(distance) > 1e-6 for distance in near):
        assert is_steady(window) is is_steady([value * factor for value in window])
