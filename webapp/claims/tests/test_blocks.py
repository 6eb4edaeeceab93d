"""What ranks within blocks can show at all, and which order excludes a drift."""

from __future__ import annotations

import pytest

from webapp.claims.blocks import Plan, Stratum, can_reject, drift_is_excluded
from webapp.claims.observations import SESSION, Observation


def block(sample: int, base: int) -> Stratum:
    one = (Observation(1.0, 1, 1),)
    return Stratum((one,) * sample, (one,) * base)


@pytest.mark.parametrize(
    ("sizes", "ways", "can"),
    [
        ([(1, 1), (3, 3)], 40, True),  # 2 / 40 is 5 %
        ([(3, 3)], 20, False),
        ([(1, 1), (1, 1), (4, 2)], 60, True),
        ([(1, 2), (1, 12)], 39, False),
    ],
)
def it_rejects_only_where_the_ways_to_share_values_out_allow_it(sizes, ways, can):
    assert can_reject([block(*size) for size in sizes]) == can, ways


@pytest.mark.parametrize(
    ("sample", "base", "excluded"),
    [((-4.0, -1.0), (-3.0, -2.0), True), ((-2.0, -1.0), (-4.0, -3.0), False), ((-4.0, -3.0), (-2.0, -1.0), False)],
)
def it_compares_positions_whatever_their_zero(sample, base, excluded):
    sides = [tuple((Observation(1.0, 1, 1, position=at),) for at in places) for places in (sample, base)]
    assert drift_is_excluded(Plan(SESSION, (Stratum(*sides),))) == excluded


def it_takes_no_order_from_sessions_of_one_side():
    sample, base = Observation(1.0, 1, 1, position=-1.0), Observation(1.0, 1, 2, position=-1.0)
    assert not drift_is_excluded(Plan(SESSION, (Stratum(((sample,),), ((base,),)),)))
