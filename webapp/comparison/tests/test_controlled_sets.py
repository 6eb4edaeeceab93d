"""The map of what can be compared, and the axis that answers most."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from webapp.comparison import compared_set
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

WRITES = parse([("metric", "write.throughput")])


def of(n: int = 3, **texts) -> list:
    """Rows of one machine: two compressions under each of these values."""
    return [row(*[float(at)] * n, compression=name, machine=1, **texts) for at, name in enumerate(("off", "lz4"), 1)]


def it_lists_a_set_for_each_axis_with_two_values_that_draws_itself():
    columns = Columns([*of(os="Debian"), *of(2, os="FreeBSD")])
    found = {one.axis: one for one in compared_set.list_sets(WRITES, columns)}
    assert set(found) == {"compression", "os"}
    assert (found["os"].values, found["os"].runs, found["os"].design) == (("Debian", "FreeBSD"), (2, 3), "controlled")
    for one in found.values():
        selection = parse(parse_qsl(one.query))
        drawn = compared_set.choose_rows(selection, columns).rows
        assert len(drawn.known(one.axis)) == len(one.values)


def it_lists_nothing_of_no_rows_and_of_two_systems_that_are_not_alike():
    assert compared_set.list_sets(WRITES, Columns([])) == []
    apart = [row(1.0, compression="off", machine=1), row(1.0, compression="lz4", machine=2)]
    assert compared_set.list_sets(WRITES, Columns(apart)) == []


@pytest.mark.parametrize(
    ("rows", "axis"),
    [
        (of(), "compression"),
        ([row(*[1.0] * 3, os=name, machine=1) for name in ("a", "b", "c")], "os"),
        ([*of(1), *[row(*[1.0] * 3, os=name, machine=2) for name in ("a", "b")]], "os"),
        ([row(1.0, host=name, machine=at) for at, name in enumerate("abcd")], "host"),
        ([*[row(*[1.0] * 9, host=name, machine=at) for at, name in enumerate("abcd", 2)], *of(1, host="e")], "compression"),
        ([row(1.0)], ""),
        ([], ""),
    ],
)
def it_takes_the_axis_that_answers_most_and_whole_systems_last(rows, axis):
    assert compared_set.best_axis(WRITES, Columns(rows)) == axis


@pytest.mark.parametrize(("axis", "count"), [("compression", 2), ("os", 1), ("cpu", 0)])
def it_counts_the_values_that_a_preset_would_draw(axis, count):
    assert compared_set.find_along(WRITES, Columns(of(os="Debian")), axis)[0] == count
    assert compared_set.find_along(WRITES, Columns([]), axis)[0] == 0
