"""What an honest reader is told: what was left out, what else differs, and the confounder."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison import compared_set, omissions
from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import DifferingDimension, Group
from webapp.comparison.omissions import SelectionSteps
from webapp.comparison.selection import parse
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import WorkloadKeys
from webapp.comparison.summary.columns import Columns
from webapp.tests.compared import compare_rows
from webapp.tests.rows import row

GIB = 2**30


def told(query: str, *rows):
    """(panels, flags by id, what differs by name) of a selection of these rows, without a database."""
    made = compare_rows(query, rows)
    return made.panels, made.flags, made.differs


def confounded() -> list:
    """FreeBSD is 10 % slower on every machine; but nearly all fast machines ran FreeBSD, so it looks far faster."""
    source, rows = random.Random(4), []
    for cpu, speed, systems in (
        ("Fast 1", 900, ("FreeBSD",)),
        ("Fast 2", 950, ("FreeBSD",)),
        ("Fast 3", 880, ("FreeBSD",)),
        ("Slow 1", 100, ("Linux",)),
        ("Slow 2", 120, ("Linux",)),
        ("Slow 3", 90, ("Linux",)),
        ("Both 1", 200, ("FreeBSD", "Linux")),
        ("Both 2", 400, ("FreeBSD", "Linux")),
    ):
        for os in systems:
            values = [speed * (0.9 if os == "FreeBSD" else 1) * source.gauss(1, 0.01) for _ in range(5)]
            rows.append(row(*values, os=os, os_family=os, kernel=f"{os} 1", cpu=cpu, compression="lz4"))
    return rows


CPUS = "metric=write.throughput&x=os&control=off"


def it_names_the_confounder_of_an_open_comparison_and_compares_machines_one_by_one():
    rows = confounded()
    [panel], flags, differs = told(CPUS, *rows)
    assert flags["unequal"].sentence == "The groups also differ in CPU, which may explain the result."
    centers = {group.x: group.center for group in panel.groups}
    assert centers["FreeBSD"] / centers["Linux"] > 3, "the naive figure is wrong by far"
    assert all(group.verdict is None for group in panel.groups), "it claims nothing"
    assert differs["cpu"].between and len(differs["cpu"].values) == 8
    made = compare_rows("metric=write.throughput&x=os&baseline=Linux", rows)
    verdict = made.groups["FreeBSD"].verdict
    assert made.chosen.design == "controlled" and len(made.chosen.rows.distinct("cpu")) == 1
    assert verdict.ratio == pytest.approx(0.9, rel=0.03) and verdict.word == "slower in this session"
    assert "unequal" not in made.flags and "40 runs" in made.flags["elsewhere"].sentence


def it_offers_one_click_for_everything_that_differs():
    _, _, differs = told(
        "metric=write.throughput&x=compression&control=off",
        row(1.0, compression="lz4", atime="on"),
        row(1.0, compression="lz4", atime="off"),
        row(2.0, compression="off", atime="off"),
    )
    assert [label for label, _ in differs["atime"].queries] == ["hold equal", "only off", "only on", "one figure each"]
    assert [query for _, query in differs["atime"].queries] == [
        "metric=write.throughput&x=compression&control=off&hold=atime",
        "metric=write.throughput&x=compression&control=off&atime=off",
        "metric=write.throughput&x=compression&control=off&atime=on",
        "metric=write.throughput&x=compression&facet=atime&control=off",
    ]


def it_tells_what_differs_within_groups_from_what_differs_between_them():
    rows = [row(1.0, compression=c, kernel=k, atime=a) for c, a in (("lz4", "on"), ("off", "off")) for k in ("5.1", "6.1")]
    _, _, differs = told("metric=write.throughput&x=compression&control=off", *rows)
    assert (differs["atime"].between, differs["kernel"].between) == (True, False)
    assert list(differs) == ["atime", "kernel"]


def it_compares_tools_only_beside_each_other():
    rows = [row(1.0, os="a"), row(2.0, os="b"), row(5.0, os="b", tool="dd"), row(9.0, os="b", aggregate="p99")]
    [panel], flags, _ = told("metric=write.throughput&x=os", *rows)
    assert [group.center for group in panel.groups] == [1.0, 2.0]
    assert flags["workload"].sentence.startswith("1 run of other workloads is left out")
    assert flags["kinds"].sentence.startswith("1 value of another kind")


def it_pools_versions_and_sizes_only_where_the_reader_says_so():
    rows = [row(1.0, os="a", tool_version="1.03"), row(3.0, os="a", tool_version="2.00"), row(2.0, os="b", tool_version="1.03")]
    [panel], flags, _ = told("metric=write.throughput&x=os", *rows)
    assert [group.runs for group in panel.groups] == [1, 1]
    assert flags["workload"].query == "metric=write.throughput&x=os&pool=tool_version"
    [panel], flags, _ = told(flags["workload"].query, *rows)
    assert [(group.runs, "versions" in group.flags) for group in panel.groups] == [(2, True), (1, False)]
    assert "pooled" in flags and flags["versions"].sentence == "1 of 2 groups: several versions of the tool."


def it_tells_what_was_never_told_from_what_does_not_fit():
    rows = [row(1.0, 1.0, compression="lz4", os="a"), row(2.0, compression="off", os="a"), row(3.0, 4.0, 5.0, os="a")]
    _, flags, _ = told("metric=write.throughput&x=os&compression=lz4", *rows)
    assert flags["unknown"].sentence == "3 runs are left out by filters on what was not recorded for them: compression."
    assert flags["filtered"].sentence == "1 run is left out by the filters."
    assert "unknown" not in told("metric=write.throughput&x=os&compression=lz4&compression=~", *rows)[1]


def it_names_what_it_did_not_understand():
    _, flags, _ = told("metric=write.throughput&x=os&colour=red", row(1.0, os="a"))
    assert flags["not-understood"].sentence == "Not understood in the address, and ignored: colour=red."


def it_says_what_cannot_be_normalised():
    _, flags, _ = told("metric=write.throughput&x=os&normalise=disk", row(1.0, 2.0, os="a"), row(1.0, os="b", disks=2))
    assert flags["not-normalised"].sentence == "2 runs are left out: their number of disks is unknown."


def it_marks_the_groups_that_a_doubt_concerns():
    rows = [
        row(1.0, 2.0, os="small", file_size=GIB // 4, memory=GIB),
        row(1.0, 2.0, os="large", file_size=4 * GIB, memory=GIB),
        row(1.0, os="once", file_size=4 * GIB, memory=GIB, compression="lz4"),
    ]
    [panel], flags, _ = told("metric=write.throughput&x=os&pool=file_size&control=off", *rows)
    assert {group.x: group.flags for group in panel.groups} == {"small": ("cached",), "large": (), "once": ("zeros", "single")}
    told_sizes = "less data than memory (256\xa0MiB on 1\xa0GiB of memory)"
    assert flags["cached"].sentence == f"1 of 3 groups: {told_sizes}, so caches play a part."
    assert (flags["cached"].docs, flags["cached"].place) == ("/honesty#cached", "group")


def flags_of(query: str = "metric=write.throughput&x=os", design: str = "controlled", groups=(), differs=(), **steps):
    """Sentences by id where one row is drawn. `unrecorded`, `of_workload`, `workload`: of the drawn set."""
    rows = steps.pop("rows", None) or Columns([row(1.0, os="a", source="archive 3")])
    of_set = {name: steps.pop(name) for name in ("unrecorded", "workload") if name in steps}
    drawn = compared_set.ChosenRows(rows, design, of_workload=steps.pop("of_workload", rows.total), **of_set)
    found = SelectionSteps(rows, rows, drawn, rows, steps.pop("normalised", rows), **steps)
    flags = omissions.list_flags(parse([tuple(one.split("=")) for one in query.split("&")]), found, groups, differs)
    return {flag.id: flag for flag in flags}


@pytest.mark.parametrize(
    ("steps", "name", "sentence"),
    [
        ({}, "missing", None),
        ({"missing": (7,)}, "missing", "Archive 7 does not exist, or is not public"),
        ({"missing": (7, 9)}, "missing", "Archives 7, 9 do not exist, or are not public"),
        ({"missing": (7, 8, 9)}, "missing", "Archives 7, 8, 9 do not exist, or are not public"),
        ({}, "overlay", None),
        ({"overlays": {3: "Mine"}}, "overlay", "Archive 3 is “Mine”, drawn with the others."),
        (
            {"overlays": {4: "Other"}},
            "overlay",
            "Nothing of archive 4, “Other”, is drawn: it has no value of this metric.",
        ),
        ({}, "withdrawn", None),
        ({"withdrawn": [(1, "wrong disk")]}, "withdrawn", "1 value is withdrawn"),
        ({"withdrawn": [(2, "a"), (1, "b")]}, "withdrawn", "3 values are withdrawn"),
        ({"withdrawn": [(0, "all")]}, "withdrawn", "All that was selected is withdrawn"),
        ({"left_out": {"impossible": 0, "partial": 0}}, "without-partial", None),
        ({"left_out": {"impossible": 0, "partial": 1}}, "without-partial", "1 run is left out: partial run."),
        ({"left_out": {"impossible": 2, "partial": 1}}, "without-impossible", "2 runs are left out: above the limit."),
        ({}, "without-lines", None),
        ({}, "unrecorded", None),
        ({"unrecorded": ("kernel",)}, "unrecorded", "Not recorded for every group"),
        ({}, "open", None),
        ({"design": "as_they_stand"}, "open", None),
        ({"of_workload": 1}, "elsewhere", None),
        ({}, "held", None),
        ({}, "pooled", None),
    ],
)
def it_says_what_is_not_drawn(steps, name, sentence):
    """By the beginning of its sentence; None where nothing is said."""
    flag = flags_of(**steps).get(name)
    assert flag is None if sentence is None else flag.sentence.startswith(sentence)


MINE = {"source": "archive 4"}
THEIRS = {"os": "Debian", "os_family": "Linux", "cpu": "EPYC", "file_size": GIB}


@pytest.mark.parametrize(
    ("mine", "query", "sentence", "link"),
    [
        (
            {"cpu": "EPYC", "file_size": GIB},
            "",
            "not recorded in it: operating system. Enter these on its review page.",
            "/archives/4/review",
        ),
        (
            {"file_size": GIB},
            "",
            "not recorded in it: operating system, CPU. Enter these on its review page.",
            "/archives/4/review",
        ),
        (
            {"cpu": "EPYC", "file_size": 2 * GIB},
            "",
            "it has no run of this workload; not recorded in it: operating system. Enter these on its review page.",
            "/archives/4/review",
        ),
        (THEIRS | {"file_size": 2 * GIB}, "", "it has no run of this workload.", "archive=4"),
        (THEIRS | {"cpu": "Xeon"}, "", "its systems or settings are not those of the others.", "control=off"),
        (THEIRS, "&os=FreeBSD", "the filters leave out all of its runs.", "archive=4"),
    ],
)
def it_says_why_nothing_of_an_archive_is_drawn(mine, query, sentence, link):
    """And leads to what helps."""
    others = [row(1.0, 2.0, **THEIRS, source="others", compression=name) for name in ("lz4", "off")]
    rows = Columns([*others, row(1.0, **MINE, **mine, compression="lz4")])
    theirs = rows.take(np.array([True, True, False]))
    selection = parse([tuple(one.split("=")) for one in f"metric=write.throughput&x=compression&overlay=4{query}".split("&")])
    workload = next(iter(WorkloadKeys(selection, theirs).count_values(theirs)))
    passing = theirs if query else rows
    steps = SelectionSteps(
        rows, passing, compared_set.ChosenRows(theirs, "controlled", workload), theirs, theirs, overlays={4: "Mine"}, own=(4,)
    )
    flag = omissions.list_flags(selection, steps, ())[0]
    assert (flag.id, flag.sentence) == ("overlay", f"Nothing of archive 4, “Mine”, is drawn: {sentence}")
    assert link in (flag.page or flag.query) and flag.action
    if flag.page:
        assert omissions.list_flags(selection, replace(steps, own=()), ())[0].page == "/archives/4"


@pytest.mark.parametrize(
    ("mine", "asked"),
    [
        ({"fs": "ext4"}, ""),
        ({"fs": "xfs", "disks": "4"}, ""),
        ({"fs": "btrfs", "disks": "1"}, "compression"),
        ({"fs": "btrfs", "disks": "4"}, "layout compression"),
        ({"fs": "zfs"}, "layout compression recordsize dedup zfs.primarycache"),
        ({"fs": "zfs", "disks": "1"}, "compression recordsize dedup zfs.primarycache"),
        ({"fs": "nfs"}, "network"),
        ({}, ""),
    ],
)
def it_asks_for_nothing_that_a_file_system_cannot_have(mine, asked):
    known = {"layout": "raidz2(6)", "compression": "lz4", "network": "10 Gbit/s"}
    names = (*known, "recordsize", "dedup", "zfs.primarycache")
    others, own = Columns([row(1.0, fs="zfs", disks="6", **known)]), row(1.0, **{"fs": UNKNOWN, "disks": UNKNOWN} | mine)
    assert [name for name in names if core_keys.is_asked_for(name, own.texts)] == sorted(asked.split(), key=names.index)
    said = omissions._lacking(others, Columns([own])).replace("pool layout", "layout")
    assert {*said.split(", ")} & {*known} == {*asked.split()} & {*known}


def it_gives_the_reasons_of_what_is_withdrawn():
    assert flags_of(withdrawn=[(2, "wrong disk"), (1, "warm")])["withdrawn"].sentence.endswith("wrong disk; warm")


def it_says_that_lines_could_not_be_read():
    assert flags_of(without_lines=1)["without-lines"].sentence.endswith("doubts about them, are missing.")


@pytest.mark.parametrize(
    ("left_out", "count"), [({}, "3 runs are"), ({"impossible": 1, "partial": 1}, "1 run is"), ({"partial": 3}, None)]
)
def it_says_once_what_cannot_be_normalised(left_out, count):
    """What was left out before is not counted again."""
    one = row(1.0, 2.0, 3.0, 4.0, os="a")
    rows = Columns([one])
    query = "metric=write.throughput&x=os&normalise=disk"
    flag = flags_of(query, rows=rows, normalised=rows.with_rows([one.with_values([(1.0, 1)])]), left_out=left_out).get(
        "not-normalised"
    )
    assert flag is None if count is None else flag.sentence.startswith(f"{count} left out: their number of disks")


def it_says_what_is_held_equal():
    flags = flags_of("metric=write.throughput&x=os&hold=kernel")
    assert flags["held"].sentence.startswith("Held equal: kernel. 0 runs without a counterpart in every group are left out.")


def it_offers_a_controlled_comparison_where_all_is_drawn():
    rows = Columns([row(1.0, os="a", machine=1), row(1.0, os="b", machine=1)])
    flag = flags_of("metric=write.throughput&x=os&control=off", "open", rows=rows)["open"]
    assert (flag.query, flag.action) == ("metric=write.throughput&x=os", "Draw only runs that are alike in all else")
    flag = flags_of("metric=write.throughput&x=os&control=off", "open")["open"]
    assert (flag.query, flag.action) == ("", ""), "one value is no comparison"


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        ((("on",), ("off",)), False),
        ((("on", "off"), ("off",)), True),
        ((("on",), ("~",)), False),
        ((("on", "off"), ("off",), ("on",)), False),
        ((("on", "off"), ("off",), ("on", "off")), True),
    ],
)
def it_offers_to_hold_equal_what_every_group_has(values, offered):
    """No link leads to a figure without a group."""
    rows = [row(1.0, compression=f"gzip-{at}", atime=atime) for at, every in enumerate(values, 1) for atime in every]
    query = "metric=write.throughput&x=compression&control=off"
    _, _, differs = told(query, *rows)
    held, _, _ = told(f"{query}&hold=atime", *rows)
    assert ("hold equal" in dict(differs["atime"].queries)) == offered == (sum(len(panel.groups) for panel in held) > 1)


def it_names_the_limit_that_a_value_exceeds():
    rows = Columns([row(1e9, fs="nfs", network="Ethernet 1 Gb/s", os="a"), row(1e6, os="b")])
    group = Group("a", "", "", "write.throughput", 1, 1, 1e9, None, None, "none", [], flags=("impossible",))
    assert "above the limit of the network;" in flags_of(rows=rows, groups=[group])["impossible"].sentence
    assert "impossible" not in flags_of(rows=rows)


KEYS = ["CPU", "Kernel", "Memory", "OS", "IDs of disks", "Layout", "Scheduler"]


@pytest.mark.parametrize(
    ("count", "names"),
    [
        (1, "CPU"),
        (2, "CPU, kernel"),
        (5, "CPU, kernel, memory, OS, IDs of disks"),
        (6, "CPU, kernel, memory, OS, IDs of disks and 1 more"),
        (7, "CPU, kernel, memory, OS, IDs of disks and 2 more"),
    ],
)
def it_names_the_first_five_of_what_differs(count, names):
    links = (("hold equal", "hold=it"), ("only a", "it=a"), ("after all", "last"))
    differs = [DifferingDimension(f"key{at}", KEYS[at], ("a", "b"), True, links if at == 0 else ()) for at in range(count)]
    for design in ("as_they_stand", "open"):
        flag = flags_of(design=design, differs=differs)["unequal"]
        assert flag.sentence.startswith(f"The groups also differ in {names}, which ")
        assert (flag.query, flag.action) == ("hold=it", "Hold CPU equal")
    assert "unequal" not in flags_of(differs=differs), "a controlled figure differs in nothing that counts"


def it_offers_no_link_that_holds_nothing_equal():
    for links in ((), (("after all", "last"),), (("only a", "it=a"),)):
        flag = flags_of(design="open", differs=[DifferingDimension("key", "Kernel", ("a", "b"), True, links)])["unequal"]
        assert (flag.query, flag.action) == ("", "")


def it_names_the_first_five_of_what_is_not_recorded():
    names = ("cpu", "memory", "kernel", "arch", "os_version", "disk", "disks")
    sentence = flags_of(unrecorded=names)["unrecorded"].sentence
    assert sentence.endswith(": " + omissions._labels(names[:5]) + ".")


VALUES = {
    "os": ["a", "b", "~"],
    "compression": ["off", "lz4", "~"],
    "tool": ["bonnie++", "dd"],
    "threads": ["1", "8", "~"],
    "tool_version": ["1", "2"],
    "disks": ["2", "~"],
    "origin": ["measured", "derived"],
    "part": ["~", "Parent"],
}
ROWS = st.lists(
    st.builds(
        lambda n, told: row(*[1.0] * n, **told),
        st.integers(1, 3),
        st.fixed_dictionaries({name: st.sampled_from(some) for name, some in VALUES.items()}),
    ),
    min_size=1,
    max_size=12,
)
CHOICES = st.lists(
    st.sampled_from(
        [
            ("x", "os"),
            ("x", "compression"),
            ("series", "threads"),
            ("facet", "tool_version"),
            ("compression", "lz4"),
            ("os", "~"),
            ("threads", "2.."),
            ("hold", "threads"),
            ("hold", "os"),
            ("pool", "tool_version"),
            ("pool", "threads"),
            ("normalise", "disk"),
            ("q", "dd"),
            ("origin", "derived"),
            ("baseline", "off"),
            ("control", "off"),
        ]
    ),
    max_size=6,
    unique=True,
)
LEFT_OUT = (
    "workload",
    "unknown-size",
    "kinds",
    "elsewhere",
    "held",
    "without-impossible",
    "without-partial",
    "not-normalised",
    "unknown",
    "filtered",
)


@given(ROWS, CHOICES)
def it_drops_no_run_in_silence(rows, choices):
    """What is drawn and what the flags say is left out add up to all there is; no group mixes tools or parts."""
    panels, flags, _ = told("&".join(f"{key}={value}" for key, value in [("metric", "write.throughput"), *choices]), *rows)
    drawn = sum(group.runs for panel in panels for group in panel.groups)
    said = sum(int(re.search(r"(\d+) (?:run|value)s?", flags[name].sentence)[1]) for name in LEFT_OUT if name in flags)
    assert drawn + said == sum(one.n for one in rows)
    by_id = {at: one for one in rows for at in one.ids}
    for panel in panels:
        for group in panel.groups:
            kinds = {(by_id[p.id].texts["tool"], by_id[p.id].texts["part"]) for p in group.points}
            assert len(kinds) == 1
