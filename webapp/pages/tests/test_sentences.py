"""The sentence under a figure says what was judged: its claim, ratio and doubts, and no more."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from webapp.comparison.model import Comparison, Group, Overall, Panel, Point, Verdict
from webapp.comparison.selection import parse
from webapp.pages.sentences import describe_design, summarise

MIB = 2.0**20


def group(x: str, *values: float, verdict: Verdict | None = None, metric: str = "write.throughput") -> Group:
    points = [Point(value * MIB, at, 1) for at, value in enumerate(values, 1)]
    center = sorted(values)[len(values) // 2] * MIB
    return Group(x, "", "", metric, len(values), 1, center, None, None, "none", points, verdict=verdict)


def judged(ratio: float, word: str = "", scope: str = "", withheld: str = "", **more) -> Verdict:
    return Verdict(ratio, None, None, word, 0, scope=scope, withheld=withheld, **more)


def sentence(*groups: Group, baseline: str = "off", design: str = "controlled", fixed=(("fs", "btrfs"),)) -> str:
    selection = parse([("metric", groups[0].metric), ("x", "compression")])
    panel = Panel("", (groups[0].metric,), "B/s", "more", [one.x for one in groups], [""], list(groups), baseline)
    made = Comparison(selection, [panel], [], [], [], [], [], 0, 0, "", drawn=selection, design=design, fixed=fixed)
    return summarise(made).replace("\N{NO-BREAK SPACE}", " ")


FASTER = "faster in this session"


def it_says_the_claim_with_its_evidence():
    said = sentence(group("off", 10, 11, 12), group("zstd-1", 31, 32, 33, verdict=judged(3.1, FASTER, "session")))
    assert (
        said == "zstd-1 wrote 3.10 times as fast as off on btrfs in this session: 3 runs each, ranges do not overlap. "
        "Best: 32 MiB/s (compression zstd-1)."
    )


def it_does_not_hide_that_ranges_overlap_nor_a_doubt():
    verdict = judged(1.5, FASTER, "session", doubts=("from memory", "drift not excluded"))
    said = sentence(group("off", 10, 11, 40), group("lz4", 15, 16, 17, 18, verdict=verdict))
    assert said.endswith(
        "in this session: 4 and 3 runs, ranges overlap; from memory; drift not excluded. Best: 17 MiB/s (compression lz4)."
    )


def it_takes_the_widest_claim_then_the_largest_difference():
    said = sentence(
        group("off", 10, 11, 12),
        group("lz4", 90, 91, 92, verdict=judged(9.0, FASTER, "session")),
        group("zle", 20, 21, 22, verdict=judged(2.0, "faster on this system", "system", doubts=())),
        group("on", 5, 5, 5, verdict=judged(0.2, "slower on this system", "system")),
    )
    assert (
        said.startswith("Compression on wrote 80 % slower than off on btrfs on this system") and "largest of 3 differences" in said
    )


@pytest.mark.parametrize(
    ("facet", "word", "said"),
    [
        ("", "faster on these machines", "lz4 wrote 24 % faster than off on btrfs on these machines: 5 machines with both"),
        (
            "host",
            "faster on these machines",
            "lz4 wrote 24 % faster than off on btrfs on these machines: 5 machines with both",
        ),
        (
            "threads",
            "faster on these machines",
            "lz4 wrote 24 % faster than off (threads 8) on these machines: 5 machines with both",
        ),
        (
            "",
            "no difference seen",
            "No difference between lz4 and off was seen on btrfs on these machines: lz4 24 % faster; "
            "5 machines with both cannot rule out chance",
        ),
    ],
)
def it_says_first_what_holds_of_all_machines(facet, word, said):
    selection = parse([("metric", "write.throughput"), ("x", "compression"), ("series", "host"), ("facet", facet)])
    groups = [group("off", 10, 11, 12), group("lz4", 90, 91, 92, verdict=judged(9.0, FASTER, "session"))]
    whole = Overall("lz4", 1.24, 1.1, 1.3, 5, claim=word, doubts=("drift not excluded",))
    title = {"host": "ada", "threads": "8"}.get(facet, "")
    one = Panel(title, ("write.throughput",), "B/s", "more", ["off", "lz4"], ["ada", "bob"], groups, "off", overall=[whole])
    made = Comparison(
        selection, [one], [], [], [], [], [], 0, 0, "", drawn=selection, design="controlled", fixed=(("fs", "btrfs"),)
    )
    assert summarise(made).replace("\N{NO-BREAK SPACE}", " ") == f"{said}; drift not excluded."


def it_says_that_no_difference_was_seen():
    none = judged(1.1, "no difference seen", "session")
    said = sentence(group("off", 1, 2, 3), group("lz4", 1, 2, 3, verdict=none), group("on", 1, 2, 3, verdict=none))
    assert (
        said == "No difference from off was seen on btrfs in this session: 2 values, 3 runs each, at most lz4 10 % faster. "
        "Highest: 2 MiB/s (compression off)."
    )
    said = sentence(group("off", 1, 2, 3), group("lz4", 1, 2, 3, verdict=none))
    assert said.startswith("No difference between lz4 and off was seen on btrfs in this session: ")
    assert said.endswith(": lz4 10 % faster; 3 runs each cannot rule out chance. Highest: 2 MiB/s (compression off).")
    several = judged(1.5, "faster in these 2 sessions", "sessions", sessions=2)
    said = sentence(group("off", 1, 2, 3), group("lz4", 1, 2, 3, verdict=several))
    assert said.startswith("lz4 wrote 50 % faster than off on btrfs in these 2 sessions: 3 runs each.")


@pytest.mark.parametrize("withheld", ["one run each, spread unknown; at least 3 a side", "from memory: no claim about two systems"])
def it_says_the_ratio_and_what_is_missing_where_nothing_can_be_claimed(withheld):
    verdict = judged(0.75, withheld=withheld, doubts=("from memory",) if "memory" in withheld else ())
    said = sentence(group("off", 4), group("lz4", 3, verdict=verdict))
    assert said == f"lz4 wrote 25 % slower than off on btrfs; no claim: {withheld}. Highest: 4 MiB/s (compression off)."


def it_names_no_difference_in_an_open_figure():
    said = sentence(group("off", 4), group("lz4", 3, 5), baseline="", design="open", fixed=())
    assert said == (
        "Lowest 4 MiB/s (compression off), highest 5 MiB/s (compression lz4), of 2 groups; "
        "other things differ too, so nothing is claimed."
    )


def it_says_how_long_something_took():
    slow = judged(2.0, "slower in this session", "session")
    said = sentence(group("off", 1, 1, 1, metric="extract.elapsed"), group("lz4", 2, 2, 2, verdict=slow, metric="extract.elapsed"))
    assert said.startswith("lz4 took 2 times as long as off on btrfs in this session")


def described(address: str, *groups: Group, design: str | None = "controlled", **more) -> str:
    selection = parse(parse_qsl(address))
    by_metric = {metric: [one for one in groups if one.metric == metric] for metric in dict.fromkeys(one.metric for one in groups)}
    panels = [Panel("", (metric,), "B/s", "more", [], [], found) for metric, found in by_metric.items()]
    made = Comparison(selection, panels, [], [], [], [], [], 0, 0, "", drawn=selection, design=design, **more)
    return describe_design(made)


def at(x: str, series: str = "", facet: str = "", metric: str = "write.throughput") -> Group:
    return Group(x, series, facet, metric, 1, 1, 1.0, None, None, "none", [])


@pytest.mark.parametrize(
    ("address", "groups", "design", "said"),
    [
        ("x=compression", [at("off"), at("lz4")], "controlled", "only compression differs."),
        (
            "x=compression&series=fs",
            [at("off", "zfs"), at("lz4", "btrfs")],
            "controlled",
            "only compression and file system differ.",
        ),
        ("x=compression&series=fs", [at("off", "zfs"), at("off", "btrfs")], "controlled", "only file system differs."),
        ("x=compression&facet=fs", [at("off", "", "zfs"), at("off", "", "ext4")], "controlled", "only file system differs."),
        ("x=compression", [at("off")], None, "One value of compression is drawn: nothing is compared."),
        (
            "x=compression&series=fs",
            [at("off", "zfs")],
            None,
            "One value of compression and file system is drawn: nothing is compared.",
        ),
        ("x=fs", [at("zfs", metric="read.rate"), at("ext4")], None, "One value of each metric is drawn: nothing is compared."),
        ("series=metric", [at("", metric="read.rate"), at("")], None, "One value of each metric is drawn: nothing is compared."),
        ("x=host", [at("a"), at("b")], "as_they_stand", "Systems as they stand: one workload on whole systems."),
        ("x=os", [at("a"), at("b")], "open", "Open comparison: the runs of one workload, whatever else differs."),
        ("x=tool", [at("dd"), at("fio")], "controlled", "Along tools only sizes and access are held equal"),
        ("x=os&series=tool", [at("a", "dd"), at("b", "dd")], "controlled", "Along tools"),
    ],
)
def it_says_of_what_is_drawn_what_kind_of_comparison_it_is(address, groups, design, said):
    text = described(address, *groups, design=design)
    assert said in text
    assert (design is not None) or not re.search("comparison|controlled", text, re.IGNORECASE)


def shown(*panels: Panel, address: str, design: str | None) -> str:
    selection = parse(parse_qsl(address))
    made = Comparison(selection, list(panels), [], [], [], [], [], 0, 0, "", drawn=selection, design=design)
    return summarise(made)


def panel(*groups: Group, title: str = "") -> Panel:
    xs, series = ([*dict.fromkeys(getattr(one, axis) for one in groups)] for axis in ("x", "series"))
    return Panel(title, (groups[0].metric,), "B/s", "more", xs, series, list(groups))


def it_speaks_of_every_figure_of_a_facet():
    zfs, ext4 = group("off", 4), group("off", 8)
    said = shown(panel(zfs, title="zfs"), panel(ext4, title="ext4"), address="x=compression&facet=fs", design="controlled")
    assert said == (
        "Lowest 4 MiB/s (compression off, file system zfs), highest 8 MiB/s (compression off, file system ext4), of 2 groups; "
        "no baseline is chosen."
    )


def it_says_of_equal_groups_that_there_are_several():
    said = shown(panel(group("off", 4), group("lz4", 4)), address="x=compression", design="open")
    assert said.startswith("Lowest 4 MiB/s (compression off), highest 4 MiB/s") and "of 2 groups" in said


def it_names_the_metric_where_several_have_figures_of_their_own():
    write, read = panel(group("off", 4)), panel(group("off", 5, metric="read.throughput"))
    said = shown(write, read, address="x=compression&series=fs&metric=write.throughput&metric=read.throughput", design=None)
    assert said == "Sequential write, throughput: 1 run of Compression off, 4 MiB/s; there is nothing to compare it with."


def it_says_of_a_scatter_plot_what_it_draws():
    write = panel(group("off", 4), group("lz4", 9), group("zle", 1))
    read = panel(group("off", 5, metric="read.throughput"), group("lz4", 6, metric="read.throughput"))
    address = "kind=scatter&x=compression&metric=write.throughput&metric=read.throughput"
    assert shown(write, read, address=address, design="controlled").startswith("Sequential write, throughput: lowest 4 MiB/s")


@pytest.mark.parametrize(("bound", "parts", "said"), [("above", (), "> 4 MiB/s"), ("", (3 * MIB, 9 * MIB), "3; 9 MiB/s")])
def it_says_bounds_and_unlike_sessions_as_they_are_drawn(bound, parts, said):
    assert said in shown(panel(group("off", 4).changed(bound=bound, parts=parts)), address="x=compression", design=None).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def it_tells_two_latencies_apart():
    slow = judged(2.0, "slower in this session", "session")
    groups = [group(x, 1, 1, 1, metric=m, verdict=slow if x == "lz4" else None) for m in LATENCIES for x in ("off", "lz4")]
    panels = [replace(panel(*(one for one in groups if one.metric == metric)), baseline="off") for metric in LATENCIES]
    said = shown(*panels, address=f"x=compression&metric={LATENCIES[0]}&metric={LATENCIES[1]}", design="controlled")
    assert said.startswith("Sequential read, latency: lz4 had 2 times the latency of off in this session")


LATENCIES = ("read.latency", "write.latency")
