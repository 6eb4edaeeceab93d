"""The centre as drawn, with bounds, and sessions that lie apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from webapp.claims.centers import center_of, log_center, median_range, split_sessions
from webapp.claims.observations import ABOVE, BELOW, MEDIAN, Observation


def made(*values, session: int = 1) -> list[Observation]:
    """`4` measured, `">4"` and `"<4"` bounded."""
    signs = {">": ABOVE, "<": BELOW}
    return [Observation(float(str(value).lstrip("<>")), 1, session, censored=signs.get(str(value)[0], "")) for value in values]


def it_takes_the_mean_of_repetitions_then_of_sessions():
    observations = [*made(1, 4), *made(8, 8, 8, 8, session=2)]
    assert center_of(observations) == (pytest.approx(4), "")
    assert center_of(observations, MEDIAN) == (pytest.approx((2.5 + 8) / 2), "")


@given(st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=20))
def it_takes_the_geometric_mean_of_one_session(values):
    assert center_of(made(*values))[0] == pytest.approx(float(stats.gmean(values)))


@pytest.mark.parametrize(
    ("values", "center"),
    [
        ((3, 5, ">9"), (5.0, "")),
        ((3, ">9", ">9"), (9.0, ABOVE)),
        ((3, ">4"), (3.5, ABOVE)),
        ((5, ">4", 10), (5.0, ABOVE)),
        (("<2", "<3", 5), (3.0, BELOW)),
        (("<3", 5), (4.0, BELOW)),
        (("<3", ">5", 4), (4.0, "")),
        (("<3", ">2"), (math.inf, "")),
        ((0, 0, 1), (0.0, "")),
        ((-2, 1, 4), (1.0, "")),
    ],
)
def it_draws_the_median_with_its_bound(values, center):
    found = center_of(made(*values))
    if center[0] == math.inf:
        assert found == (1.0, ABOVE)
    else:
        assert found == center


def it_says_nothing_where_bounds_leave_all_open():
    value, bound = center_of([*made("<3"), *made(">5"), *made("<3")][:2])
    assert (value, bound) == (2.5, ABOVE)
    value, bound = center_of([Observation(0.0, 1, 1, censored=ABOVE)])
    assert math.isnan(value) and bound == ""


def it_has_no_centre_of_nothing():
    with pytest.raises(ValueError, match="no values"):
        center_of([])
    for bad in ([], made(">3"), made(0), made(-1), made(1, ">3"), made(1, 0)):
        with pytest.raises(ValueError, match="positive"):
            log_center(bad)


@given(st.lists(st.tuples(st.sampled_from(("", ">", "<")), st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=9))
def it_holds_the_true_median(cases):
    """Values beyond their bounds: the range holds the median that they have in truth."""
    told, true = [], []
    for sign, bound, beyond in cases:
        true.append({"": bound, ">": bound + beyond, "<": bound / (1 + beyond)}[sign])
        told.extend(made(f"{sign}{bound}"))
    low, high = median_range(told)
    middle = median_range(made(*true))[0]
    assert low <= middle <= high
    value, bound = center_of(told, MEDIAN)
    assert {"": middle == value, ABOVE: middle >= value, BELOW: middle <= value}[bound] or math.isnan(value)


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ((100, 101, 102), (160, 161, 162), 2),
        ((160, 161, 162), (100, 101, 102), 2),
        ((100, 101, 102), (140, 141, 142), 0),
        ((100, 101, 102), (160, 161), 0),
        ((100, 101, 162), (160, 170, 180), 0),
        ((100, 100, 100), (150, 150, 150), 2),
        ((100, 100, 150), (150, 300, 300), 0),
        ((100, 100, 100), (">160", ">160", ">160"), 2),
        ((100, 100, ">160"), (200, 200, 200), 0),
        ((100, 101, 102), ("<200", 200, 200), 0),
        ((100, 100, "<200"), (150, 150, 150), 0),
        ((100, 100, "<155"), (154, 160, 160), 0),
        (("<100", "<100", "<100"), (150, 150, 150), 2),
        ((100, 100, 100), (149.5, 149.5, 149.5), 0),
        ((100, 101, 102, 103), (160, 161, 162, 163, 164), 2),
    ],
)
def it_draws_sessions_apart(first, second, count):
    observations = [*made(*first), *made(*second, session=2)]
    found = split_sessions(observations)
    assert len(found) == count
    if count:
        assert [one for members in found for one in members] == observations


def it_draws_short_sessions_apart_with_the_others():
    observations = [*made(100, 101, 102), *made(130, session=2), *made(200, 201, 202, session=3)]
    assert [len(members) for members in split_sessions(observations)] == [3, 1, 3]
    assert split_sessions(observations[:4]) == ()
