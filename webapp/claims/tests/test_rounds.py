"""Rounds and order of the values of a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.claims.rounds import find_positions, find_rounds
from webapp.comparison.summary.provenance import Observed


def observed(path: str, line: int | str = 1, started_at: str | None = None, run: int = 0) -> Observed:
    return Observed(1, 1, 1, run or hash((path, line)), path, str(line), started_at, False)


def paths(*names: str) -> list[Observed]:
    return [observed(name) for name in names]


def lines(*numbers: int) -> list[Observed]:
    return [observed("log.txt", number) for number in numbers]


def at(*times: str) -> list[Observed]:
    return [observed(f"{time}.txt", 1, f"2024-05-01T{time}") for time in times]


def repeated(*names: str, known: str | None = "session ?, round none") -> list[Observed]:
    return [observed(name)._replace(round=known) for name in names]


def named(**times: str) -> list[Observed]:
    """Files by name (`lz4_1`) with the time of day of each."""
    return [observed(f"{name.replace('_', '-')}.txt", 1, f"2024-05-01T{time}") for name, time in times.items()]


NUMBERED = [["1", "2"]] * 2


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        pytest.param([named(a_1="10:00", a_2="11:00"), named(b_1="10:30", b_2="11:30")], NUMBERED, id="as printed"),
        pytest.param([named(a_1="10:00", a_2="11:30"), named(b_1="10:30", b_2="11:00")], NUMBERED, id="there and back"),
        pytest.param([named(a_1="10:00", a_2="10:30"), named(b_1="11:00", b_2="11:30")], [[None] * 2] * 2, id="one wholly first"),
        pytest.param(
            [named(a_1="10:00", a_2="11:00"), named(b_2="10:30", b_1="11:30")],
            [["round 1", "round 2"]] * 2,
            id="the times are those of other rounds",
        ),
        pytest.param([named(a_1="10:00", a_2="11:00"), paths("b-1.txt", "b-2.txt")], NUMBERED, id="times of one side"),
        pytest.param([repeated("a-1", "a-2"), repeated("b-1", "b-2")], [[None] * 2] * 2, id="no rounds, as files beside them show"),
        pytest.param([repeated("a-1", "a-2"), paths("b-1", "b-2")], [[None] * 2] * 2, id="of one side"),
        pytest.param(
            [paths("2024-05-01/a-1", "2024-05-01/a-2"), paths("2024-05-02/b-1", "2024-05-02/b-2")], [[None] * 2] * 2, id="two days"
        ),
        pytest.param(
            [paths("2024-05-01/a", "2024-05-02/a"), paths("2024-05-01/b", "2024-05-02/b")],
            [["2024-05-1", "2024-05-2"]] * 2,
            id="a day each round",
        ),
    ],
)
def test_numbers_make_no_rounds_against_times_or_dates(sides, expected):
    assert find_rounds(sides) == expected


def test_rounds_that_a_manifest_states_of_all_values_win():
    stated = [
        [value._replace(round=name) for value, name in zip(paths("1/a", "2/a"), ("r2", "r1"), strict=True)],
        paths("1/b", "2/b"),
    ]
    assert find_rounds(stated) == find_rounds([paths("1/a", "2/a"), paths("1/b", "2/b")]), "not of all values"
    both = [stated[0], [value._replace(round=name) for value, name in zip(stated[1], ("r1", "r2"), strict=True)]]
    assert find_rounds(both) == [["r2", "r1"], ["r1", "r2"]]


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        pytest.param(
            [paths("lz4/rep1/a", "lz4/rep2/a"), paths("off/rep2/a", "off/rep1/a")],
            [["rep1", "rep2"], ["rep2", "rep1"]],
            id="a folder for each round of each side",
        ),
        pytest.param(
            [paths("run-01/lz4", "run-02/lz4"), paths("run-1/off", "run-2/off")],
            [["run-1", "run-2"]] * 2,
            id="a folder for each round",
        ),
        pytest.param(
            [paths("lz4/out1.csv", "lz4/out2.csv"), paths("off/out1.csv", "off/out2.csv")],
            [["out1.csv", "out2.csv"]] * 2,
            id="files",
        ),
        pytest.param([paths("lz4-1.txt", "lz4-2.txt"), paths("off-1.txt", "off-2.txt")], [["1", "2"]] * 2, id="names of sides"),
        pytest.param(
            [paths("iter_1/a", "iter_2/a", "iter_3/a"), paths("iter_1/b", "iter_2/b", "b")],
            [["iter_1", "iter_2", None], ["iter_1", "iter_2", None]],
            id="without a pair",
        ),
        pytest.param([paths("t1/a", "t2/a"), paths("t3/a", "t4/a")], [[None, None]] * 2, id="the numbers are those of the sides"),
        pytest.param([paths("gzip-1/a", "gzip-1/b"), paths("gzip-9/a", "gzip-9/b")], [[None, None]] * 2, id="one number a side"),
        pytest.param([paths("rep1/a"), paths("rep1/b")], [[None], [None]], id="one round is none"),
        pytest.param(
            [paths("rep1/a", "rep2/a", "rep3/a"), paths("rep3/b", "rep2/b", "rep1/b")],
            [["rep1", "rep2", "rep3"], ["rep3", "rep2", "rep1"]],
            id="three rounds",
        ),
        pytest.param([paths("rep1/a", "rep2/a"), paths("rep2/b", "rep3/b")], [[None, None]] * 2, id="one round in common"),
        pytest.param(
            [paths("rep1/log1", "rep2/log1", "rep3/log2"), paths("rep1/log1", "rep2/log2", "rep3/log3")],
            [["rep1", "rep2", "rep3"]] * 2,
            id="the number that makes most rounds",
        ),
        pytest.param([paths("a1/b1", "a2/b2")] * 2, [["a1", "a2"]] * 2, id="two numbers that agree"),
        pytest.param([paths("a", "b"), paths("c", "d")], [[None, None]] * 2, id="no number"),
        pytest.param([lines(1, 4, 7), lines(2, 5, 8)], [["round 1", "round 2", "round 3"]] * 2, id="a cycle of two"),
        pytest.param(
            [lines(1, 2, 7, 8), lines(4, 5, 10)],
            [["round 1", "round 1", "round 2", "round 2"], ["round 1", "round 1", "round 2"]],
            id="several of a pass",
        ),
        pytest.param([lines(1, 4), lines(2, 5), lines(3, 6)], [["round 1", "round 2"]] * 3, id="a cycle of three"),
        pytest.param(
            [lines(1, 3, 5), lines(2, 4)],
            [["round 1", "round 2", "round 3"], ["round 1", "round 2"]],
            id="a last round without an end",
        ),
        pytest.param([lines(1, 4), lines(2, 5), lines(3)], [[None, None], [None, None], [None]], id="less than two cycles"),
        pytest.param([lines(1, 4), lines(2, 5, 7), lines(3, 6)], [[None, None], [None] * 3, [None, None]], id="a pass too many"),
        pytest.param([lines(1, 4, 6), lines(2, 5), lines(3, 7)], [[None] * 3, [None, None], [None, None]], id="a pass too early"),
        pytest.param([lines(1, 2, 3), lines(4, 5, 6)], [[None] * 3] * 2, id="one wholly first"),
        pytest.param([lines(1, 4), lines(2, 3)], [[None, None]] * 2, id="there and back"),
        pytest.param([lines(1, 6), lines(2, 4), lines(3, 5)], [[None, None]] * 3, id="another order each time"),
        pytest.param([at("10:00", "10:20"), at("10:10", "10:30")], [["round 1", "round 2"]] * 2, id="a cycle by times"),
        pytest.param([[*lines(1), observed("b", 3)], lines(2, 4)], [[None, None]] * 2, id="two files without times"),
        pytest.param([[], lines(2, 4)], [[], [None, None]], id="a side without values"),
        pytest.param([], [], id="no side"),
    ],
)
def test_rounds(sides, expected):
    assert find_rounds(sides) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(lines(9, 10, 2), [1, 2, 0], id="lines of one file"),
        pytest.param(at("10:20", "10:00", "10:10"), [2, 0, 1], id="times"),
        pytest.param([*at("10:20", "10:00"), observed("x")], [1, 0, None], id="one without a time"),
        pytest.param([observed("a"), observed("b")], [None, None], id="two files"),
        pytest.param([observed("a", "Sheet1!B2"), observed("a", "Sheet1!B3")], [None, None], id="cells"),
        pytest.param(
            [observed("a", 1, "2024-05-01T10:00"), observed("b", 1, "2024-05-01T10:00")], [None, None], id="the same time"
        ),
        pytest.param(
            [observed("a", 2, "2024-05-01T10:00"), observed("a", 1, "2024-05-01T10:00")], [1, 0], id="the same time, lines"
        ),
        pytest.param([observed("a", 1, "2024-05-01T10:00Z"), observed("b", 1, "2024-05-01T11:00")], [None, None], id="two kinds"),
        pytest.param(
            [observed("a", 2, "2024-05-01T10:00Z"), observed("a", 1, "2024-05-01T11:00")], [1, 0], id="two kinds in one file"
        ),
        pytest.param([observed("a", 5, "2024-05-01T10:00"), observed("a", 2)], [1, 0], id="one without a time, in one file"),
        pytest.param(lines(3, 3), [None, None], id="one line"),
        pytest.param(
            [observed("b", 1, "2024-05-01T10:00", 2), observed("a", 1, "2024-05-01T10:00", 1)],
            [None, None],
            id="the same time, turned",
        ),
        pytest.param(
            [observed("a", 5, "2024-05-01T10:00"), observed("a", "B2", "2024-05-01T10:00")], [None, None], id="a line and a cell"
        ),
        pytest.param([observed("a", 1, "2024-05-01T11:00"), observed("a", 2, "2024-05-01T10:00")], [1, 0], id="times before lines"),
        pytest.param([observed("a", 1, "2024-05"), observed("b", 1, "2024-05-03")], [None, None], id="a day in a month"),
        pytest.param([observed("a", 1, "2024-05-03"), observed("b", 1, "2024-05-02")], [1, 0], id="days"),
    ],
)
def test_positions(values, expected):
    assert find_positions([values]) == [expected]
    assert find_positions([[value] for value in values]) == [[position] for position in expected]


OBSERVED = st.builds(
    observed,
    st.sampled_from(["a", "b", "rep1/a", "rep2/a", "rep2/b7", "b8"]),
    st.integers(1, 20),
    st.sampled_from([None, "2024", "2024-05-01T10:00", "2024-05-01T11:00", "2024-05-01T10:00Z", "x"]),
)


@given(st.lists(st.lists(OBSERVED, max_size=6), max_size=4))
def test_positions_are_distinct_and_every_round_is_of_several_sides(sides):
    positions = [position for side in find_positions(sides) for position in side if position is not None]
    assert sorted(positions) == list(range(len(positions)))
    rounds = find_rounds(sides)
    assert list(map(len, rounds)) == list(map(len, sides))
    names = {name for side in rounds for name in side} - {None}
    assert len(names) != 1
    single = [name for name in names if sum(name in side for side in rounds) < 2]
    assert len(single) <= 1  # the last pass of a cycle may have no end


@given(st.lists(st.lists(OBSERVED, min_size=1, max_size=5), min_size=2, max_size=3), st.randoms())
def test_rounds_depend_on_no_order_of_the_sides(sides, random):
    order = list(range(len(sides)))
    random.shuffle(order)
    found, shuffled = find_rounds(sides), find_rounds([sides[at] for at in order])
    assert sorted([name is None for name in found[at]] for at in order) == sorted(
        [name is None for name in side] for side in shuffled
    )
