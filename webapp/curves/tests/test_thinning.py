"""Points of a series -> those that are drawn: extremes are kept, gaps stay gaps, and few points stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.curves.points import Curve, thin, usual_step
from webapp.storage.series import StoredPoints

EVER = 1e9


def of(values, times=None, size=7, **changes) -> Curve:
    """The curve of values at 0, 1, 2 ... seconds, read in blocks of `size`."""
    times = list(map(float, times if times is not None else range(len(values))))
    lines = list(range(100, 100 + len(values)))
    blocks = [
        StoredPoints(times[at : at + size], list(values[at : at + size]), lines[at : at + size])
        for at in range(0, len(values), size)
    ]
    return thin(blocks, changes.get("shift", 0.0), changes.get("low", -EVER), changes.get("high", EVER), changes.get("most", 100))


@given(
    st.lists(st.floats(-1e12, 1e12, allow_nan=False), min_size=1, max_size=600),
    st.integers(2, 80),
    st.integers(1, 300),
)
def test_extremes_are_kept_whatever_the_number_of_points(values, most, size):
    curve = of(values, most=most, size=size, low=0.0, high=float(len(values)))
    assert len(curve.t) <= most
    assert curve.total == len(values)
    assert (min(curve.v), max(curve.v)) == (min(values), max(values))
    assert curve.t == sorted(curve.t)
    for time, value, line in zip(curve.t, curve.v, curve.lines, strict=True):
        assert values[int(time)] == value
        assert line == 100 + int(time)
    if len(values) <= most:
        assert curve.v == values


@given(st.lists(st.integers(0, 1000), min_size=40, max_size=400), st.integers(1, 120))
def test_every_bucket_keeps_its_own_extremes(values, size):
    buckets, count = 10, len(values)
    curve = of(values, most=2 * buckets, size=size, low=0.0, high=float(count))
    for bucket in range(buckets):
        inside = [at for at in range(count) if int(at / count * buckets) == bucket]
        kept = [value for time, value in zip(curve.t, curve.v, strict=True) if int(time) in inside]
        if inside:
            assert (min(kept), max(kept)) == (min(values[at] for at in inside), max(values[at] for at in inside))


@pytest.mark.parametrize(
    ("times", "gaps"),
    [
        ([0, 1, 2, 3, 4, 5], []),
        ([0, 1, 2, 3, 6, 7, 8], [4]),
        ([0, 10, 20, 50, 60, 100], [3, 5]),
        ([0, 1, 2, 4, 5, 6], []),  # whole seconds: rounding
        ([0.0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7], [4]),
        ([0, 0.3, 9, 9.1, 30, 31], []),  # no interval
        ([0.0, 0.001, 0.002, 0.003, 0.005, 0.006, 0.007, 0.02], [7]),  # milliseconds: rounding, but for the last
        ([0, 0, 0, 1, 1, 2, 2, 2, 9, 9], []),  # several a second
        ([5], []),
    ],
)
@pytest.mark.parametrize("size", [2, 3, 100])
def test_a_missing_point_is_a_gap(times, gaps, size):
    curve = of([1.0] * len(times), times, size=max(size, 4))
    assert curve.breaks == gaps


def test_a_gap_between_dropped_points_still_breaks_the_line():
    times = [*range(500), *range(900, 1400)]
    curve = of([float(at % 7) for at in range(1000)], times, most=40, low=0.0, high=1400.0, size=64)
    [gap] = curve.breaks
    assert curve.t[gap - 1] < 500 <= 900 <= curve.t[gap]


def test_many_gaps_do_not_raise_the_number_of_points():
    times = [at * 3 + at % 3 for at in range(3000)]
    assert len(of([1.0 * at for at in range(3000)], times, most=50, low=0.0, high=9003.0, size=500).t) <= 50


@pytest.mark.parametrize(("low", "high", "kept"), [(2, 4, [2, 3, 4]), (8.5, 20, [9]), (100, 200, []), (-5, 0, [0])])
def test_a_window_has_its_points_alone(low, high, kept):
    curve = of([float(at) for at in range(10)], low=low, high=high, size=3)
    assert curve.v == kept
    assert curve.total == len(kept)


def test_the_shift_moves_times_and_not_lines():
    curve = of([1.0, 2.0], shift=-30.5)
    assert (curve.t, curve.lines) == ([-30.5, -29.5], [100, 101])


def test_points_without_times_are_numbered():
    curve = thin([StoredPoints(None, [5.0, 6.0], [1, 2]), StoredPoints(None, [7.0], [3])], 0.0, 0.0, 10.0, 10)
    assert (curve.t, curve.v, curve.breaks) == ([1, 2, 3], [5, 6, 7], [])


def test_points_out_of_order_are_sorted_with_their_lines():
    curve = of([1.0, 3.0, 2.0], [0, 2, 1])
    assert (curve.t, curve.v, curve.lines) == ([0, 1, 2], [1, 2, 3], [100, 102, 101])


@pytest.mark.parametrize(
    ("times", "step"),
    [([0, 1, 2, 3], 1), ([0, 5, 10, 16, 20], 5), ([0, 0.1, 5, 5.2, 100], None), ([], None), ([1.0], None), ([3, 3, 3], None)],
)
def test_the_usual_step_is_the_interval_of_the_tool(times, step):
    assert usual_step(times) == step
