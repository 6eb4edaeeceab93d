"""The menus of the sentence of choices: each entry draws something that compares, whatever is filtered by."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison import compared_set
from webapp.comparison.comparison import list_offers
from webapp.tests.compared import made_up
from webapp.tests.rows import row

START = "metric=write.throughput&x=fs"
CELLS = st.fixed_dictionaries(
    {
        "fs": st.sampled_from(("ext4", "xfs", "zfs")),
        "compression": st.sampled_from(("off", "lz4")),
        "os": st.sampled_from(("Debian", "FreeBSD")),
        "machine": st.sampled_from(("1", "2", "3")),
        "tool": st.sampled_from(("fio", "dd")),
        "file_size": st.sampled_from((2**30, 2**31)),
        "metric": st.sampled_from(("write.throughput", "read.throughput")),
    }
)
FILTERS = st.sampled_from(
    ("", "&tool=fio", "&machine=2", "&fs=zfs", "&compression=lz4&os=Debian", "&file_size=1GiB&machine=1", "&q=xfs")
)


def offered(query: str, cells: list[dict]) -> dict[str, list]:
    made = made_up(query, [row(*[1.0] * 3, **cell) for cell in cells])
    compared = compared_set.choose_set(made)
    return list_offers(made, compared.selection, compared.chosen)


def values_drawn(query: str, cells: list[dict]) -> int:
    compared = compared_set.choose_set(made_up(query, [row(*[1.0] * 3, **cell) for cell in cells]))
    return len(compared.chosen.rows.known(compared.selection.x))


@given(st.lists(CELLS, min_size=1, max_size=24), FILTERS)
def it_offers_what_compares_and_nothing_else(cells, filters):
    if not any(cell["metric"] == "write.throughput" for cell in cells):
        return
    offers = offered(START + filters, cells)
    for name, entries in offers.items():
        assert len({one.query for one in entries}) == len(entries), name
        for one in entries:
            assert values_drawn(one.query, cells) > 1, (name, one)


@pytest.mark.parametrize(
    "query", ["metric=write.throughput&series=fs", START + "&control=off", START + "&series=machine", "x=tool"]
)
def it_offers_something_whatever_is_drawn(query):
    offers = offered(query, [*of("ext4 xfs"), *of("ext4 xfs", machine="2"), *of("ext4", tool="dd")])
    assert any(offers.values()) and all(entries or name in ("metric", "machine", "workload") for name, entries in offers.items())


def of(fss: str, **texts) -> list[dict]:
    return [{"fs": fs, "machine": "1", "tool": "fio", "file_size": 2**30} | texts for fs in fss.split()]


@pytest.mark.parametrize(
    ("menu", "cells", "labels"),
    [
        ("metric", [*of("ext4 xfs"), *of("ext4 zfs", metric="read.throughput"), *of("zfs", metric="seek.rate")], ["write", "read"]),
        ("x", [*of("ext4 xfs"), *of("ext4", os="Debian"), *of("ext4", os="FreeBSD")], ["operating system", "file system"]),
        ("machine", [*of("ext4 xfs", host="a1"), *of("ext4 zfs", machine="2", host="b2"), *of("zfs", machine="3")], ["a1", "b2"]),
        ("workload", [*of("ext4 xfs"), *of("ext4 xfs", file_size=2**31), *of("ext4", tool="dd")], ["1\u00a0GiB", "2\u00a0GiB"]),
    ],
)
def it_lists_what_has_several_values_of_the_axis(menu, cells, labels):
    found = offered(START, cells)[menu]
    assert len(found) == len(labels) and all(any(label in one.label for one in found) for label in labels), found
    assert [one.is_drawn for one in found].count(True) == 1


def it_keeps_a_filter_that_leaves_something_and_drops_one_that_does_not():
    cells = [*of("ext4 xfs", os="Debian"), *of("ext4 xfs", machine="2", os="FreeBSD")]
    offers = offered(START + "&os=Debian", cells)
    assert {dict(parse_qsl(one.query))["machine"]: dict(parse_qsl(one.query)).get("os") for one in offers["machine"]} == {
        "1": "Debian",
        "2": None,
    }


@pytest.mark.parametrize(
    ("cells", "axis"),
    [
        ([*of("ext4 xfs zfs"), *[{**one, "compression": c} for one in of("zfs") for c in ("a", "b", "c", "d")]], "fs"),
        ([*of("ext4 xfs"), *[{**one, "compression": c} for one in of("zfs") for c in ("a", "b", "c", "d")]], "compression"),
        ([*of("ext4 xfs"), *[{**one, "os": o} for one in of("zfs") for o in ("a", "b")]], "fs"),
        (of("zfs"), "compression"),
    ],
)
def it_draws_of_a_bare_address_what_most_people_ask_about(cells, axis):
    made = made_up("", [row(*[1.0] * 3, **cell) for cell in cells])
    assert compared_set.choose_set(made).selection.x == axis
