"""Repetitions -> the median and the ends of a band."""

from __future__ import annotations

import pytest

from webapp.curves.points import MAX_PLACES, Curve, join


def curve(values, first=0.0, step=1.0, breaks=()) -> Curve:
    times = [first + at * step for at in range(len(values))]
    return Curve(times, list(map(float, values)), list(range(len(values))), list(breaks), len(values), step)


def test_the_line_is_the_median_and_the_band_the_ends():
    band = join([curve([1, 10, 5]), curve([3, 30, 5]), curve([2, 20, 50])], 0, 3)
    assert band is not None
    assert (band.v, band.low, band.high, band.n) == ([2, 20, 5], [1, 10, 5], [3, 30, 50], [3, 3, 3])
    assert (band.t, band.width, band.breaks) == ([0.5, 1.5, 2.5], 1.0, [])


def test_each_run_counts_once_however_often_it_was_sampled():
    band = join([curve([9] * 40, step=0.1), curve([1] * 4), curve([2] * 4)], 0, 4)
    assert band is not None
    assert band.v == [2, 2, 2, 2]
    assert band.width == 1.0


def test_a_place_with_one_run_alone_is_a_gap():
    band = join([curve([1, 1]), curve([3, 3, 3]), curve([5, 5], first=3)], 0, 6)
    assert band is not None
    assert (band.t, band.n) == ([0.5, 1.5], [2, 2])
    apart = join([curve([1, 1, 1, 1]), Curve([0.0, 3.0], [2.0, 2.0], [1, 2], [1], 2, 1.0)], 0, 4)
    assert apart is not None
    assert (apart.t, apart.breaks) == ([0.5, 3.5], [1])


@pytest.mark.parametrize("curves", [[], [curve([1, 2])], [curve([1, 2]), Curve()], [curve([1]), curve([1], first=50)]])
def test_fewer_than_two_runs_make_no_band(curves):
    assert join(curves, 0, 100) is None


def test_extremes_of_many_points_are_kept():
    values = [0.0] * 5000
    values[4321] = 99.0
    band = join([curve(values, step=0.01), curve([1.0] * 5000, step=0.01)], 0, 50)
    assert band is not None
    assert len(band.t) <= MAX_PLACES + 1
    assert (max(band.high), min(band.low)) == (99.0, 0.0)
