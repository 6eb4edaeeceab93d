"""What can be chosen: filters, search, counts, and why a choice would give nothing."""

from __future__ import annotations

import pytest

from webapp.comparison.facets import MAX_CHOICES, axis_choices, make_facets, metric_choices
from webapp.comparison.search import RowFilter
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import SummaryRow, Texts
from webapp.tests.rows import row

GIB = 2**30
ROWS = [
    row(1.0, 2.0, os="Debian", compression="lz4", memory=16 * GIB, threads=1),
    row(3.0, os="Debian", compression="off", memory=64 * GIB, threads=8),
    row(4.0, 5.0, 6.0, os="FreeBSD", compression="lz4", threads=64),
    row(7.0, os="FreeBSD", compression="zle", memory=8 * GIB, origin="derived"),
]


def passing(*pairs) -> list[float]:
    return [one.values[0] for one in RowFilter(parse(pairs)).passing(Columns(ROWS)).rows]


def facet(name: str, *pairs):
    return next(one for one in make_facets(RowFilter(parse(pairs)), Columns(ROWS)) if one.name == name)


def counts(name: str, *pairs) -> dict[str, int]:
    return {choice.text: choice.n for choice in facet(name, *pairs).choices}


@pytest.mark.parametrize(
    ("pairs", "values"),
    [
        ([], [1, 3, 4]),
        ([("os", "Debian")], [1, 3]),
        ([("os", "Debian"), ("os", "FreeBSD")], [1, 3, 4]),
        ([("memory", "8GiB..32GiB")], [1]),
        ([("memory", "~")], [4]),
        ([("memory", "..1TiB")], [1, 3]),
        ([("threads", "8..")], [3, 4]),
        ([("origin", "derived")], [7]),
        ([("origin", "measured")], [1, 3, 4]),
        ([("q", "debian")], [1, 3]),
        ([("q", "debian LZ4")], [1]),
        ([("q", "16gib")], [1]),
        ([("q", '"16 GiB"')], [1]),
        ([("q", '"debian lz4"')], []),
        ([("q", "bonnie++ off")], [3]),
        ([("q", "debian"), ("compression", "off")], [3]),
        ([("q", "nothing")], []),
    ],
)
def it_passes_what_fits(pairs, values):
    assert passing(*pairs) == values


def it_counts_what_each_choice_would_leave():
    assert counts("os") == {"Debian": 3, "FreeBSD": 3}
    assert counts("compression", ("os", "Debian")) == {"off": 1, "lz4": 2, "zle": 0}
    assert counts("os", ("os", "Debian")) == {"Debian": 3, "FreeBSD": 3}
    assert counts("os", ("compression", "off")) == {"Debian": 1, "FreeBSD": 0}


def it_counts_what_a_search_leaves():
    assert counts("compression", ("q", "freebsd")) == {"off": 0, "lz4": 3, "zle": 0}


def it_counts_the_values_in_a_range_and_names_the_reach():
    found = facet("threads", ("threads", "2..64"))
    assert {c.text: (c.n, c.chosen) for c in found.choices}["2..64"] == (4, True)
    assert (found.low, found.high, found.numeric) == ("1", "64", True)
    assert (facet("memory").low, facet("memory").high) == ("8\u00a0GiB", "64\u00a0GiB")


@pytest.mark.parametrize(
    ("name", "text", "pairs"),
    [("os", "Solaris", [("os", "Solaris")]), ("threads", "2..4", [("threads", "2..4")]), ("compression", "zle", [])],
)
def it_has_a_choice_that_gives_nothing(name, text, pairs):
    assert next(c for c in facet(name, *pairs).choices if c.text == text).n == 0


def it_offers_what_is_known_and_what_is_chosen():
    names = [one.name for one in make_facets(RowFilter(parse([("arch", "x86_64")])), Columns(ROWS))]
    assert {"os", "compression", "memory", "threads", "origin", "arch"} <= set(names)
    assert not {"tool", "configuration", "system", "source", "kernel"} & set(names)


def it_keeps_the_chosen_and_what_gives_something_where_there_are_too_many():
    rows = [row(float(at), kernel=f"5.{at}", os="a" if at > 60 else "b") for at in range(100)]
    found = next(
        one for one in make_facets(RowFilter(parse([("kernel", "5.3"), ("os", "a")])), Columns(rows)) if one.name == "kernel"
    )
    assert (len(found.choices), found.omitted) == (MAX_CHOICES, 100 - MAX_CHOICES)
    shown = {choice.text for choice in found.choices}
    assert shown == {"5.3", *(f"5.{at}" for at in range(61, 60 + MAX_CHOICES))}


def it_looks_at_each_configuration_and_workload_once():
    asked: list[str] = []

    class Counting(dict):
        def __getitem__(self, name):
            asked.append(name)
            return super().__getitem__(name)

    of_c, of_w = Counting(ROWS[0].texts.configuration), Counting(ROWS[0].texts.workload)
    rows = [SummaryRow("write.throughput", 1, 1, 1, Texts(of_c, of_w)) for _ in range(100)]
    sieve = RowFilter(parse([("os", "Debian"), ("memory", "8GiB..")]))
    assert len(sieve.passing(Columns(rows))) == len(rows)
    assert asked.count("memory") <= 1


def it_says_of_every_axis_what_it_would_tell_apart():
    found = {axis.text: axis for axis in axis_choices(parse([("x", "os")]), Columns(ROWS))}
    assert (found["os"].n, found["os"].chosen, found["os"].reason) == (2, True, "")
    assert found["kernel"].reason == "Not recorded in these runs."
    assert found["tool"].reason == "The same in every run: bonnie++."
    assert "source" not in found
    assert axis_choices(parse([]), Columns([]))[0].reason == "No run passes the filters."


def it_counts_what_the_filters_leave_of_each_metric():
    available, left = {"write.throughput": 7, "seek.rate": 3}, {"write.throughput": 2, "seek.rate": 0}
    selection = parse([("metric", "write.throughput"), ("metric", "copy.elapsed")])
    found = {metric.text: (metric.n, metric.chosen) for metric in metric_choices(selection, available, left)}
    assert found == {"write.throughput": (2, True), "seek.rate": (0, False), "copy.elapsed": (0, True)}
    assert [m.n for m in metric_choices(selection, available, None)] == [7, 3, 0]
