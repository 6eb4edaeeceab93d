"""Groups that were not run with the workload keep their place and say what they have."""

from __future__ import annotations

import pytest

from webapp.comparison import absent, compared_set
from webapp.comparison import groups as grouping
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.figures import bars
from webapp.tests.rows import row

GIB = 2**30


def draw(query: str, *rows):
    selection = parse([("metric", "write.throughput"), *(tuple(part.split("=", 1)) for part in query.split("&"))])
    columns = Columns(rows)
    chosen = compared_set.choose_rows(selection, columns)
    return absent.with_empty_places(selection, chosen, grouping.make_panels(selection, chosen.rows))


def runs(compression: str, n: int = 3, size: int = 2 * GIB, **texts):
    return row(*[1.0] * n, compression=compression, machine=1, file_size=size, **texts)


def it_keeps_the_place_of_another_size_with_its_link():
    [panel] = draw("x=compression", runs("off"), runs("lz4"), runs("gzip-1", 2, GIB))
    [place] = panel.empty
    assert (place.x, place.metric) == ("gzip-1", "write.throughput") and "gzip-1" in panel.xs
    [(label, count, query)] = place.has
    assert "1\N{NO-BREAK SPACE}GiB" in label and count == 2 and f"file_size={GIB}" in query


@pytest.mark.parametrize(("sort", "names"), [("", ["off", "lz4", "gzip-1"]), ("value", ["gzip-1", "lz4", "off"])])
def it_stands_behind_the_others_where_their_numbers_order_them(sort, names):
    measured = [
        row(*[value] * 3, compression=name, machine=1, file_size=2 * GIB) for name, value in (("lz4", 2.0), ("gzip-1", 3.0))
    ]
    [panel] = draw(f"x=compression&sort={sort}", *measured, runs("off", 2, GIB))
    assert [place.x for place in panel.empty] == ["off"]
    assert panel.xs == names


@pytest.mark.parametrize("extra", [{"machine": 2}, {"os": "FreeBSD"}])
def it_names_no_group_of_another_machine_or_class(extra):
    other = row(1.0, compression="gzip-1", file_size=GIB, **({"machine": 1} | extra))
    [panel] = draw("x=compression", runs("off"), runs("lz4"), other)
    assert not panel.empty


def it_has_no_empty_place_without_control_and_of_an_unknown_value():
    rows = [runs("off"), runs("lz4"), runs("gzip-1", 2, GIB)]
    assert not draw("x=compression&control=off", *rows)[0].empty
    assert not draw("x=compression", *rows[:2], runs("~", 2, GIB))[0].empty


def it_names_the_settings_of_what_was_run_with_the_workload():
    rows = [runs("off", atime="on"), runs("lz4", atime="on"), runs("gzip-1", 1, atime="off")]
    [place] = draw("x=compression", *rows)[0].empty
    [(label, count, query)] = place.has
    assert "off" in label and count == 1 and "atime=off" in query
    assert bars.describe_empty(place) == "run but not drawn; has atime off (1 run)"


def it_says_that_a_group_was_not_run_only_where_it_was_not():
    [place] = draw("x=compression", runs("off"), runs("lz4"), runs("gzip-1", 2, GIB))[0].empty
    assert bars.describe_reason(place) == "not run with this workload"
    one, other = runs("off", 4, fs="ext4", atime="off"), runs("off", 3, fs="xfs", atime="relatime")
    [place] = draw("x=fs", one, other)[0].empty
    assert bars.describe_empty(place).startswith("run but not drawn; has atime")


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({}, ""),
        ({"c": "fio"}, "1 host was not run with dd."),
        ({"c": "fio", "d": "iozone"}, "2 hosts were not run with dd."),
        ({"c": "dd", "d": "fio"}, "2 hosts were not run with this workload."),
    ],
)
def it_counts_the_systems_that_stand_beside_and_were_not_run(others, said):
    rows = [row(*[1.0] * 3, host=host, machine=at, tool="dd", file_size=2 * GIB) for at, host in enumerate("ab")]
    rows += [row(*[1.0] * 3, host=host, machine=ord(host), tool=tool, file_size=GIB) for host, tool in others.items()]
    [panel] = draw("x=host", *rows)
    assert ([*panel.xs], [*panel.empty], panel.others) == (["a", "b"], [], said)
    assert bars.figure(parse([("x", "host")]), panel)["notes"] == ([said] if said else [])
