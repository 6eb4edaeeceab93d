"""What a bundle says of a centre to which runs count of which only a bound is known."""

from __future__ import annotations

import pytest

from webapp.claims.centers import center_of
from webapp.claims.observations import ABOVE, BELOW, Observation
from webapp.permalinks.bundles import verify


def told(values, bounds, center, sessions=1):
    group = {
        "metric": "seek.rate",
        "x": "gzip-1",
        "series": "",
        "facet": "",
        "values": list(range(len(values))),
        "runs": len(values),
        "sessions": sessions,
        "center": center,
        "interval": "range",
        "low": min(values),
        "high": max(values),
        "unmeasured": [{"bound": bound, "count": 1, "reason": "too_fast", "side": side} for bound, side in bounds],
    }
    rows = [{"value": value, "unit": "1/s", "run": 1, "workload": 1} for value in values]
    runs = {"1": {"configuration": 1, "session": 1}}
    return {"panels": [{"groups": [group]}], "method": {"stat": "geometric", "level": 0.95}, "values": rows, "runs": runs}


@pytest.mark.parametrize(
    ("values", "bounds", "center"),
    [
        ([16194.0, 12747.0], [(16384.0, "above")], 16194.0),
        ([5.0, 6.0, 7.0], [(9.0, "above"), (1.0, "below")], 6.0),
        ([5.0, 6.0, 7.0, 8.0], [(4.0, "below")], 6.0),
    ],
)
def it_is_the_median_that_is_drawn(values, bounds, center):
    one_session = [Observation(value, 1, 1) for value in values]
    one_session += [Observation(bound, 1, 1, censored=ABOVE if side == "above" else BELOW) for bound, side in bounds]
    assert center_of(one_session) == (center, "")
    assert verify.group_problems(told(values, bounds, center)) == []
    (problem,) = verify.group_problems(told(values, bounds, center * 1.01))
    assert problem.startswith("seek.rate gzip-1: the geometric is")


def it_says_nothing_of_bounds_in_several_sessions():
    assert verify.group_problems(told([1.0, 2.0], [(3.0, "above")], 99.0, sessions=2)) == []
