"""Rows of the summary into panels and groups."""

from __future__ import annotations

import sys

import pytest

from webapp.comparison import groups
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row


def panels(query: str, *rows, most=None):
    return groups.make_panels(parse([tuple(part.split("=", 1)) for part in query.split("&")]), Columns(rows), most)


def it_makes_a_group_of_every_meeting_of_x_and_series():
    rows = [
        row(1.0, compression="lz4", os="Linux"),
        row(2.0, compression="off", os="Linux"),
        row(3.0, compression="lz4", os="FreeBSD"),
    ]
    [panel] = panels("metric=write.throughput&x=compression&series=os", *rows)
    assert (panel.xs, panel.series) == (["off", "lz4"], ["FreeBSD", "Linux"])
    assert [(g.x, g.series, g.center) for g in panel.groups] == [
        ("off", "Linux", 2.0),
        ("lz4", "FreeBSD", 3.0),
        ("lz4", "Linux", 1.0),
    ]
    assert (panel.unit, panel.better) == ("B/s", "more")


def it_keeps_unknown_as_a_value_of_its_own_and_last():
    [panel] = panels("metric=write.throughput&x=memory", row(1.0), row(2.0, memory=2**40), row(3.0, memory=2**30))
    assert panel.xs == [str(2**30), str(2**40), "~"]


def it_makes_a_panel_of_every_facet_value_in_order():
    rows = [row(1.0, threads=t, os=os) for t in (16, 2, 1) for os in ("a", "b")]
    found = panels("metric=write.throughput&x=os&facet=threads", *rows)
    assert [panel.title for panel in found] == ["1", "2", "16"]


def it_never_draws_two_units_in_one_panel():
    rows = [
        row(1.0, os="a"),
        row(2.0, metric="read.throughput", os="a"),
        row(3.0, metric="seek.rate", os="a"),
        row(4.0, metric="copy.elapsed", os="a"),
    ]
    query = "metric=write.throughput&metric=read.throughput&metric=seek.rate&metric=copy.elapsed&x=os"
    together = panels(query + "&series=metric", *rows)
    assert [panel.unit for panel in together] == ["B/s", "1/s", "s"]
    assert together[0].series == ["write.throughput", "read.throughput"]
    apart = panels(query + "&series=os", *rows)
    assert [panel.metrics for panel in apart] == [(r.metric,) for r in rows]


@pytest.mark.parametrize(
    ("per", "told", "center"),
    [
        ("disk", {"disks": 4}, 25.0),
        ("core", {"cores": 8}, 12.5),
        ("node", {"nodes": 2}, 50.0),
        ("process", {"processes": 10}, 10),
        ("thread", {"threads": 1}, 100),
    ],
)
def it_divides_by_what_is_known(per, told, center):
    selection = parse([("metric", "write.throughput"), ("normalise", per)])
    rows = groups.normalise(selection, Columns([row(100.0, **told), row(50.0), row(5.0, metric="copy.elapsed", **told)]))
    assert [r.mean for r in rows.rows] == [center]
    assert groups.make_panels(selection, rows)[0].groups[0].center == center


def it_divides_by_the_prices_that_the_reader_gives():
    selection = parse(
        [("metric", "write.throughput"), ("x", "cpu"), ("normalise", "euro"), ("price", "Xeon: E5:400"), ("price", "Atom:50.5")]
    )
    rows = [row(100.0, cpu="Xeon: E5"), row(50.5, cpu="Atom"), row(7.0, cpu="Opteron")]
    assert [r.mean for r in groups.normalise(selection, Columns(rows)).rows] == pytest.approx([0.25, 1.0])
    assert [r.mean for r in rows] == [100.0, 50.5, 7.0], "shared rows stay as they are"


def it_shows_each_configuration_in_turn_where_not_all_values_fit():
    rows = [row(*[float(at)] * 5, host=f"h{at}") for at in range(4)]
    [panel] = panels("metric=write.throughput", *rows, most=6)
    group = panel.groups[0]
    assert (group.runs, len(group.points)) == (20, 6)
    assert {point.value for point in group.points} == {0.0, 1.0, 2.0, 3.0}
    assert [point.id for point in group.points] == sorted(point.id for point in group.points)


def calls(work) -> int:
    """Calls of Python that some work makes."""
    told = []
    sys.setprofile(lambda frame, event, argument: told.append(event) if event == "call" else None)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(told)


@pytest.mark.parametrize("stat", ["median", "mean", "bootstrap"])
def it_works_out_a_group_of_many_configurations_once(stat):
    selection = parse([("metric", "write.throughput"), ("x", "os"), ("stat", stat)])
    found = []
    for many in (3, 300):
        columns = Columns([row(float(at), at + 0.5, os="a", host=f"node{at}") for at in range(1, many)])
        first = groups.make_panels(selection, columns, 24)
        found.append(calls(lambda of=columns: groups.make_panels(selection, of, 24)))
        again = groups.make_panels(selection, columns, 24)
        assert again == first
    assert found[1] - found[0] <= 24


@pytest.mark.parametrize(("kind", "runs", "shown"), [("box", 500, 500), ("box", 501, 24), ("bars", 500, 24)])
def it_gives_each_run_of_boxes_its_dot_up_to_some_hundred(kind, runs, shown):
    [panel] = panels(f"metric=write.throughput&x=os&kind={kind}", row(*map(float, range(1, runs + 1)), os="a"), most=24)
    assert len(panel.groups[0].points) == shown
