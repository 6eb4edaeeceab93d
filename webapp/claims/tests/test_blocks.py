"""What ranks within blocks can show at all, and which order excludes a drift."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.claims.block_design import Order, Plan, Stratum, can_reject, find_order
from webapp.claims.observations import MACHINES, SESSION, SYSTEM, Observation


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


def placed(order: str, session: int = 1, day: float = 0.0, name: str | None = None) -> Stratum:
    """A block of runs in this order: `a` of the sample, `b` of the baseline; `?` of the sample at an unknown place."""
    sides: dict[str, list[tuple[Observation]]] = {"a": [], "b": []}
    for at, side in enumerate(order):
        position = None if side == "?" else float(at - 9)
        one = Observation(1.0, 1, session, name, position, started=86400 * day + at)
        sides["b" if side == "b" else "a"].append((one,))
    return Stratum(tuple(sides["a"]), tuple(sides["b"]))


def whole(block: Stratum) -> Stratum:
    """The runs of each side as one value."""
    return Stratum((tuple(one for [one] in block.sample),), (tuple(one for [one] in block.base),))


@pytest.mark.parametrize(
    ("order", "balanced", "first"),
    [
        ("abba", True, 0),
        ("abab", False, 0),
        ("abbaab", True, 0),
        ("aaabbb", False, 1),
        ("bbaa", False, -1),
        ("aabbbbaa", True, 0),
        ("a?bb", False, 0),
        ("abababba", False, 0),
    ],
)
def it_balances_the_mean_places_of_repetitions(order, balanced, first):
    assert find_order(Plan(SESSION, (placed(order),))) == Order(balanced, first)


@pytest.mark.parametrize(
    ("orders", "balanced", "first"),
    [
        ("ab ab ab", False, 1),
        ("ab ab ba", True, 0),
        ("ab ab ab ba ba ab", True, 0),
        ("ab ab ab ab ab ba", False, 0),
        ("ababab ababab ababab", False, 1),
        ("ababab ababab bababa", True, 0),
        ("abba abba abba", False, 1),  # what warms up does so on one side
        ("abba baab abba", True, 0),
        ("abb abb aab", False, 1),
        ("baaabb aaabbb baaabb", False, 0),  # one side was earlier in all of them, though not the first
        ("ab a?b ba", False, 0),
    ],
)
def it_balances_who_ran_first_in_blocks(orders, balanced, first):
    blocks = [placed(order, session) for session, order in enumerate(orders.split())]
    assert find_order(Plan(SYSTEM, tuple(map(whole, blocks)))) == Order(balanced, first)
    assert find_order(Plan(SESSION, tuple(blocks))) == Order(balanced, first)
    machines = [
        Stratum(*[tuple((replace(one, machine=at),) for [one] in side) for side in (block.sample, block.base)])
        for at, block in enumerate(blocks)
    ]
    assert find_order(Plan(MACHINES, tuple(map(whole, machines)))) == Order(balanced, first)


def it_balances_sessions_as_well_as_their_rounds():
    """Three sessions of three rounds each, whose first run of all is of one side."""

    def rounds(session, orders):
        for at, order in enumerate(orders.split()):
            one = placed(order, session, name=str(at))
            moved = [tuple((replace(run, position=run.position + 10 * at),) for [run] in side) for side in (one.sample, one.base)]
            yield Stratum(*moved)

    alike = [block for session in range(3) for block in rounds(session, "ab ba ab")]
    turned = [*alike[:6], *rounds(2, "ba ab ba")]
    assert [find_order(Plan(SESSION, tuple(blocks))).is_balanced for blocks in (alike, turned)] == [False, True]


HOURS = 1 / 24


@pytest.mark.parametrize(
    ("ones", "others", "balanced"),
    [
        pytest.param((0, 3, 4), (1, 2, 5), True, id="by turns"),
        pytest.param((0, 2, 4), (1, 3, 5), False, id="one always first"),
        pytest.param((0, 1, 2), (3, 4, 5), False, id="one wholly first"),
        pytest.param((0, 3, 4), (1 + 9 * HOURS, 2 + 9 * HOURS, 5 + 9 * HOURS), False, id="by night and by day"),
        pytest.param((0.99, 3, 4.01), (1.01, 2, 4.99), True, id="around midnight"),
        pytest.param((0, 3 + 9 * HOURS, 4), (1, 2 + 9 * HOURS, 5), True, id="both by night and by day"),
        pytest.param((0, 3, 4), (1, 2, None), False, id="unknown"),
    ],
)
def it_asks_sessions_of_their_own_for_turns_and_hours(ones, others, balanced):
    sides = [
        tuple((Observation(1.0, 1, 10 * side + at, started=None if day is None else 86400.0 * day),) for at, day in enumerate(days))
        for side, days in enumerate((ones, others))
    ]
    assert find_order(Plan(SYSTEM, (Stratum(*sides),), shared=False)) == Order(balanced)


def it_takes_no_order_from_sessions_of_one_side_without_times():
    sample, base = Observation(1.0, 1, 1, position=-1.0), Observation(1.0, 1, 2, position=-1.0)
    assert find_order(Plan(MACHINES, (Stratum(((sample,),), ((base,),)),))) == Order(False)
