"""Panels with bounds, unlike sessions and empty places -> plain figures that say no more than the data do."""

from __future__ import annotations

import json

import pytest

from webapp.comparison.model import Comparison, EmptyPlace, Group, OtherWorkload, Panel, Point, UnmeasuredCount, Verdict
from webapp.comparison.selection import KINDS, Selection, parse
from webapp.figures import make_figures, notes
from webapp.figures.plain import Figure

MIB = 2.0**20
PLACE = EmptyPlace("write.throughput", "btrfs", "4", "", (OtherWorkload("file size 256 MiB", 3, "x=fs"),))


def group(x: str, values: list[float], series: str = "4", **changes) -> Group:
    points = [Point(value * MIB, at, 1) for at, value in enumerate(values)]
    center = values[len(values) // 2] * MIB
    return Group(x, series, "", "write.throughput", len(values), 1, center, None, None, "none", points, **changes)


def draw(kind: str, *groups: Group, **changes) -> Figure:
    selection: Selection = parse(
        [("metric", "write.throughput"), ("x", "fs"), ("series", "threads"), ("kind", kind), *changes.pop("query", [])]
    )
    xs = ["btrfs", "ext4", "zfs"]
    panel = Panel("", ("write.throughput",), "B/s", "more", xs, ["4", "8"], list(groups), **changes)
    [figure] = make_figures(Comparison(selection, [panel], [], [], [], [], [], 0, 0, ""))
    assert json.loads(json.dumps(figure, allow_nan=False)) == figure
    return figure


FIVE = [100.0, 110.0, 120.0, 130.0, 140.0]


@pytest.mark.parametrize(
    ("changes", "boxed"),
    [({}, True), ({"bound": "above", "unmeasured": (UnmeasuredCount("too_fast", 9),)}, False), ({"parts": (MIB, 2 * MIB)}, False)],
)
def it_draws_no_box_of_runs_that_are_not_all_measured_or_not_alike(changes, boxed):
    figure = draw("box", group("ext4", FIVE, **changes))
    [mark] = figure["groups"]
    assert ("box" in mark) == boxed
    assert len(figure["notes"]) == 1


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"scatter"}))
def it_draws_every_kind_without_a_group(kind):
    figure = draw(kind, empty=[PLACE])
    assert (figure["groups"], len(figure["empty"]), figure["x"]["values"]) == ([], 1, ["btrfs", "ext4", "zfs"])


def it_reaches_over_the_centres_of_all_sessions_in_a_heat_map():
    figure = draw("heat", group("ext4", [100.0]), group("zfs", [110.0, 120.0], parts=(50 * MIB, 200 * MIB)))
    assert figure["reach"] == [50.0, 200.0]


def it_has_no_ratio_of_a_bound():
    base = group("ext4", FIVE)
    measured = group("zfs", FIVE, verdict=Verdict(1.5, 1.4, 1.6, "", 0), parts=(MIB, 2 * MIB))
    bounded = group("btrfs", FIVE, verdict=Verdict(None, None, None, "", 0), bound="above")
    figure = draw("ratio", base, measured, bounded, baseline="ext4", query=[("baseline", "ext4")])
    [mark] = figure["groups"]
    assert mark["center"] == 1.5 and "parts" not in mark and "bound" not in mark


def it_says_below_a_printed_figure_what_its_signs_mean():
    plain = draw("bars", group("ext4", FIVE))
    assert notes.print_notes([plain]) == []
    made = draw("bars", group("ext4", FIVE, bound="above"), group("zfs", FIVE, parts=(MIB, 2 * MIB)), empty=[PLACE])
    assert notes.print_notes([made, made]) == [
        "btrfs, 4: not run with this workload; has file size 256 MiB (3 runs).",
        notes.BOUND_NOTE,
        notes.PARTS_NOTE,
    ]


@pytest.mark.parametrize(
    ("text", "short"), [("not run with this workload; has x", "not run"), ("without a value: 2 failed", "no value")]
)
def it_shortens_the_text_of_a_place(text, short):
    assert notes.short_text({"text": text}) == short
