"""Panel -> table rows, summary and the data of the script: bounds, unlike sessions, empty places and claims."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.template import Context, Template

from webapp.comparison.model import Comparison, EmptyPlace, Group, OtherWorkload, Panel, Point, UnmeasuredCount, Verdict
from webapp.comparison.selection import parse
from webapp.pages.drawings import make_drawings
from webapp.templatetags.compared import table_heads

MIB = 2.0**20
ROWS = Template("{% load compared %}{% table_rows drawing %}")


def group(x: str, *values: float, **changes) -> Group:
    center = values[len(values) // 2] if values else 0.0
    points = [Point(value * MIB, at, 1, f"/raw/1/a#L{at}", f"a:{at}", str(value)) for at, value in enumerate(values, 1)]
    told = {"low": None, "high": None, "interval": "none"} | changes
    return Group(x, "", "", "write.throughput", len(values), configurations=1, center=center * MIB, points=points, **told)


def panel(*groups: Group, **changes) -> Panel:
    empty = changes.get("empty", [])
    xs = [*dict.fromkeys([group.x for group in groups] + [place.x for place in empty])]
    return Panel("", ("write.throughput",), "B/s", "more", changes.pop("xs", xs), [""], list(groups), **changes)


def draw(made: Panel, query: str = "x=fs"):
    selection = parse([tuple(part.split("=", 1)) for part in f"metric=write.throughput&{query}".split("&")])
    [drawing] = make_drawings(Comparison(selection, [made], [], [], [], [], [], 0, 0, ""))
    return drawing


def html(drawing) -> str:
    return ROWS.render(Context({"drawing": drawing})).replace("\u00a0", " ")


BTRFS = EmptyPlace(
    "write.throughput",
    "btrfs",
    "",
    "",
    (OtherWorkload("file size 256 MiB", 3, "x=fs&size=268435456"), OtherWorkload("file size 1 GiB", 1, "x=fs")),
)


def it_has_a_row_for_an_empty_place_where_it_stands_on_the_axis():
    drawing = draw(panel(group("ext4", 100, 110, 120), group("zfs", 90), xs=["ext4", "btrfs", "zfs"], empty=[BTRFS]))
    assert [(row.x, row.center, row.runs, row.reason) for row in drawing.rows] == [
        ("ext4", "110", "3", ""),
        ("btrfs", "–", "0", "not run with this workload"),
        ("zfs", "90", "1", ""),
    ]
    text = html(drawing)
    assert "not run with this workload; has <a href=" in text
    assert 'size=268435456">' in text and ">file size 256 MiB (3 runs)</a>" in text and ">file size 1 GiB (1 run)</a>" in text
    assert drawing.figure["empty"] == [
        {
            "x": 1,
            "series": 0,
            "text": "not run with this workload; has file size 256 MiB (3 runs); file size 1 GiB (1 run)",
        }
    ]
    assert text.count("<tr>") == 3
    heads = str(table_heads(drawing)).count("<th ")
    for row in text.split("</tr>")[:3]:
        spanned = sum(int(columns) - 1 for columns in re.findall(r'colspan="(\d+)"', row))
        assert row.count("</td>") + row.count("</th>") + spanned == heads


def it_has_a_column_of_whiskers_where_there_are_some_and_calls_them_what_they_are():
    alone = draw(panel(group("ext4", 100), group("zfs", 90)))
    for kind, head in (("range", "Lowest to highest"), ("median", "95 % interval"), ("t", "95 % interval")):
        made = group("ext4", 100, 110, 120, low=100 * MIB, high=120 * MIB, interval=kind)
        assert head not in table_heads(alone) and f">{head}<" in table_heads(draw(panel(made)))


def it_says_once_what_no_group_has():
    missing = Verdict(0.5, None, None, "", 0, withheld="one run each, spread unknown")
    claimed = Verdict(0.5, None, None, "slower in this session", 0, scope="session")
    base, one = group("off", 10), group("on", 5, verdict=missing)
    drawing = draw(panel(base, one, group("lz4", 6, verdict=replace(missing, ratio=0.6))))
    assert drawing.doubts == ("one run each, spread unknown",)
    assert [row.claim for row in drawing.rows] == ["", "no claim", "no claim"]
    drawing = draw(panel(base, one, group("lz4", 6, verdict=claimed)))
    assert drawing.doubts == () and [row.claim for row in drawing.rows] == ["", missing.withheld, "slower in this session"]


def it_does_not_call_a_place_not_run_whose_runs_failed():
    place = EmptyPlace("write.throughput", "btrfs", "", "", (), (UnmeasuredCount("failed", 2),))
    [_, row] = draw(panel(group("ext4", 100), empty=[place])).rows
    assert (row.reason, row.runs) == ("without a value: 2 failed", "2")


@pytest.mark.parametrize(
    ("unmeasured", "runs"),
    [
        ((), "1"),
        ((UnmeasuredCount("too_fast", 2, 4 * 2.0**30, "above"),), "3: 1 measured, 2 faster than could be measured (above 4 GiB/s)"),
        ((UnmeasuredCount("failed", 1), UnmeasuredCount("not_finished", 1)), "3: 1 measured, 1 failed, 1 not finished"),
    ],
)
def it_says_of_which_runs_there_is_no_number(unmeasured, runs):
    drawing = draw(panel(group("ext4", 100, unmeasured=unmeasured)))
    assert drawing.rows[0].runs.replace("\u00a0", " ") == runs
    assert f">{runs}</td>" in html(drawing)


@pytest.mark.parametrize(
    ("side", "center", "exact", "cell"),
    [("above", "> 2\u202f930", "> 2930.5", "&gt; 2\u202f930</td>"), ("below", "< 2\u202f930", "< 2930.5", "&lt; 2\u202f930</td>")],
)
def it_marks_a_bound(side, center, exact, cell):
    drawing = draw(panel(group("ext4", 2930.5, bound=side, unmeasured=(UnmeasuredCount("too_fast", 2),))))
    [row] = drawing.rows
    assert (row.center.replace("\u00a0", " "), row.exact.replace("\u00a0", " ")) == (center, exact)
    assert cell in html(drawing)
    assert drawing.figure["groups"][0]["bound"] == side and drawing.figure["groups"][0]["n"] == 3


def it_lists_the_centres_of_unlike_sessions_without_an_interval():
    made = group("ext4", 100, 110, 300, 310, parts=(105 * MIB, 305 * MIB), low=90 * MIB, high=320 * MIB)
    [row] = draw(panel(made)).rows
    assert (row.center, row.exact, row.interval) == ("105; 305", "105; 305", "")


def it_describes_workload_what_is_fixed_bounds_and_empty_places():
    made = panel(group("ext4", 2930.0, bound="above"), empty=[BTRFS], workload="bonnie++ 2.00, 2 GiB", subtitle="Xeon · n = 3 each")
    summary = draw(made).summary.replace("\u00a0", " ")
    assert "bonnie++ 2.00, 2 GiB" in summary and "(Xeon · n = 3 each)" in summary
    assert summary.endswith("ext4 > 2\u202f930; btrfs not run with this workload")


@pytest.mark.parametrize(
    ("verdict", "words", "basis"),
    [
        (
            Verdict(1.5, 1.4, 1.6, "faster in this session", 3, doubts=("drift not excluded",)),
            "faster in this session: 50 % (+40 to +60 %), drift not excluded",
            "3 blocks",
        ),
        (Verdict(0.75, None, None, "", 0, withheld="one run each"), "25 % slower: one run each", ""),
        (
            Verdict(None, None, None, "faster in this session", 0, effect=1.0),
            "faster in this session",
            "better in 100 % of pairs of runs",
        ),
        (
            Verdict(1.1, 0.9, 1.3, "no difference seen", 1, needed=5),
            "no difference seen: 10 % faster (−10 to +30 %)",
            "1 block; about 5 sessions would decide",
        ),
        (
            Verdict(1.2, 0.9, 1.6, "no difference seen", 0, effect=0.75),
            "no difference seen: 20 % faster (−10 to +60 %)",
            "better in 75 % of pairs of runs",
        ),
        (
            Verdict(1.7, 0.9, 3.3, "no difference seen", 0, effect=1.0),
            "no difference seen: 70 % faster (−10 to +230 %)",
            "better in 100 % of pairs of runs, as chance can make it",
        ),
    ],
)
def it_shows_the_claim_or_what_is_missing(verdict, words, basis):
    drawing = draw(panel(group("ext4", 100), group("zfs", 110, verdict=verdict), baseline="ext4"), "x=fs&baseline=ext4")
    row = drawing.rows[1]
    said = (row.verdict, "; ".join(row.basis), row.ratio, row.ratio_interval)
    *found, ratio, interval = (text.replace("\N{NO-BREAK SPACE}", " ") for text in said)
    assert found == [words, basis]
    _, amount, claim, *_ = re.findall(r"<td[^>]*>(.*?)</td>", html(drawing).split("</tr>")[1])
    assert amount == (f"{ratio} <small>{interval}</small>" if interval else ratio)
    assert claim == row.claim or claim.startswith(f"{row.claim} <small>")
    assert interval in words and row.claim.split(",")[0] in words


def it_gives_the_script_what_it_draws_and_no_more():
    made = panel(group("ext4", 100, flags=("single",)), empty=[BTRFS], subtitle="Xeon")
    data = draw(made).script_data
    assert set(data) == {"kind", "unit", "better", "scale", "x", "series", "groups", "empty", "axes"}
    assert set(data["groups"][0]) == {"x", "series", "center", "low", "high", "n", "configurations", "configuration", "points"}
