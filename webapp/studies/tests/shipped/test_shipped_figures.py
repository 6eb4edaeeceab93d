"""Every figure that Poolmark ships keeps the rules of docs/statistics.md, and claims no more than its data.

Walked: the presets of the bare page, the featured figure, every link of fixtures/studies.toml and those of docs/gallery.md that
draw the shipped results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from math import ceil, floor
from statistics import median
from typing import NamedTuple
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from webapp.comparison.compare import compare
from webapp.comparison.selection import Selection, parse
from webapp.models import StudyFigure
from webapp.permalinks import record_figures
from webapp.studies import registry
from webapp.studies.tests.test_page import SHIPPED, answered, groups_of

pytestmark = pytest.mark.django_db
LINKS = [link for study in registry.shipped_studies().values() for link in study.comparisons]
ACROSS = list(registry.comparisons_across())
ADDRESSES = list(dict.fromkeys([link.query for link in LINKS + ACROSS] + [row[2].split("?", 1)[1] for row in SHIPPED]))
DESIGNS = ("controlled", "as_they_stand", "open")
NUMBER = re.compile("(?<![A-Za-z0-9.])[0-9]+(?:[.\N{NARROW NO-BREAK SPACE}][0-9]+)*")
SESSION = re.compile(r"(faster|slower|higher|lower) in this session")
WIDER = re.compile(r"(faster|slower|higher|lower) on (this system|these machines)|A is (faster|slower|higher|lower) than B")
NO_DIFFERENCE = "no difference seen"
SCOPES = ("in this session", "on this system", "on these machines")
MIN_CLAIMS = 10
"""Shipped figures that carry a claim."""
MIN_BOUNDED = 4
"""Runs a side from which bounded values carry a claim."""


@pytest.fixture(scope="module")
def answer(first_start) -> Callable[[str], dict]:
    """/compare.json for a query, read once for the module."""
    known: dict[str, dict] = {}
    client = Client()

    def read(query: str) -> dict:
        if query not in known:
            known[query] = client.get(f"/compare.json?{query}").json()
        return known[query]

    return read


def claims_of(data: dict) -> list[str]:
    return [group["claim"] for group in groups_of(data) if group["claim"]]


def parsed(query: str) -> Selection:
    return parse(parse_qsl(query, keep_blank_values=True))


def assert_keeps_the_rules(data: dict) -> None:
    """One workload, a design, one machine and configuration a bar, counts of what has no number, claims in the table's words."""
    groups = groups_of(data)
    assert data["workload"] and data["sought"] in DESIGNS
    drawn = Counter(group["metric"] for group in groups if group["points"])
    assert data["design"] in DESIGNS if max(drawn.values()) > 1 else data["design"] is None
    assert {flag["id"] for flag in data["flags"]}.isdisjoint({"strange", "not-understood", "impossible", "partial"})
    assert any(group["points"] for group in groups)
    for group in groups:
        assert group["points"] or group["empty"] or group["unmeasured"]
        assert group["n"] == len(group["points"]) + sum(count["count"] for count in group["unmeasured"])
        if data["design"] != "open":
            assert group["machines"] <= 1 and group["configurations"] <= 1
    for group in groups:
        assert_claims_no_more(data, group, groups)


def assert_claims_no_more(data: dict, group: dict, groups: list[dict]) -> None:
    """The claim of a group is of the table, goes with its design and has what it needs; without one it says what is missing."""
    claim = group["claim"]
    if claim:
        assert data["design"] != "open"
        assert claim == NO_DIFFERENCE or SESSION.fullmatch(claim) or WIDER.fullmatch(claim)
        assert SESSION.fullmatch(claim) or claim == NO_DIFFERENCE or group["sessions"] >= 3
        assert group["n"] >= 3 and not any(c["reason"] in ("failed", "not_finished") for c in group["unmeasured"])
        assert group["n"] >= MIN_BOUNDED or not group["unmeasured"]
    elif group["verdict"] and group["verdict"]["ratio"]:
        assert group["withheld"]


@pytest.mark.thorough
@pytest.mark.parametrize("query", ADDRESSES)
def it_draws_one_workload_by_one_design(answer, query):
    assert_keeps_the_rules(answer(query))


@pytest.mark.thorough
def it_draws_every_preset_or_gives_its_reason(first_start, answer):
    presets = Client().get("/compare").context["presets"]
    drawn = [preset.label for preset in presets if not preset.reason]
    assert {"per OS", "per compression", "per file system"} < set(drawn)
    assert sum(label.startswith("per ") for label in drawn) >= 4
    for preset in presets:
        if preset.reason:
            assert preset.reason.startswith("No ")
        else:
            data = answer(preset.query)
            assert_keeps_the_rules(data)
            assert data["design"] != "open"
            drawn_values = {group["x"] for group in groups_of(data) if group["points"]}
            assert len(drawn_values) > (15 if preset.label == "per CPU" else 1)


@pytest.mark.thorough
def it_features_a_figure_of_a_study_that_front_pages_draw(first_start, answer):
    featured = Client().get("/").context["featured"]
    data = answer(featured.query)
    assert_keeps_the_rules(data)
    links = [link for study in registry.front_page_studies().values() for link in study.comparisons]
    assert featured.title in {link.title for link in links if link.featured}
    assert all(answer(link.query)["design"] != "open" for link in LINKS if link.featured)
    assert not any(link.featured for link in LINKS if link not in links)


@pytest.mark.thorough
def it_freezes_each_link_as_it_is_drawn(answer):
    """Design and workload of the permalinks of the studies are those of the comparison page."""
    figures = {(figure.study, figure.query): figure.permalink for figure in StudyFigure.objects.select_related("permalink")}
    wanted = [(name, link.query) for name, study in registry.shipped_studies().items() for link in study.comparisons]
    assert figures.keys() == {*wanted, *(("", link.query) for link in ACROSS)}
    for (_, query), permalink in figures.items():
        record = record_figures.parse_record(permalink.record)
        assert record["design"] == answer(query)["design"]
        assert record["workload"] == dict(compare(parsed(query), AnonymousUser()).workload)


@pytest.mark.thorough
def it_has_ten_figures_with_claims(answer, capsys):
    named = [(link.title, claims_of(answer(link.query))) for link in LINKS + ACROSS]
    claiming = [(title, claims) for title, claims in named if claims]
    with capsys.disabled():
        for title, claims in claiming:
            print(f"\n{title}: " + ", ".join(f"{claims.count(word)} x {word}" for word in dict.fromkeys(claims)), end="")
    differing = [title for title, claims in claiming if set(claims) != {NO_DIFFERENCE}]
    assert len({title for title, _ in claiming}) >= MIN_CLAIMS
    assert len(set(differing)) >= MIN_CLAIMS


@pytest.mark.thorough
def it_keeps_the_place_of_a_group_whose_values_are_all_left_out(answer):
    """IOR wrote to xfs faster than its disk can: nine values are counted once, and the place names no settings of its own."""
    data = answer("metric=write.throughput&x=fs&tool=ior&study=ior-file-systems")
    place = next(group for group in groups_of(data) if group["x"] == "xfs")
    assert (place["n"], data["left_out"]["impossible"]) == (0, 9)
    assert {"workload": "no usable value, see the notes", "runs": 9, "query": ""} in place["empty"]
    assert "not-normalised" not in [flag["id"] for flag in data["flags"]]


class Statement(NamedTuple):
    """What a source says, where, and what the page gives: a group, its ratio, and a claim or what is missing."""

    where: str
    says: str
    title: str
    x: str
    series: str
    ratio: tuple[float, float]
    words: str


STATEMENTS_TABLE = """
in zol-evaluation/rsync/table-1.csv, page Time of the copy, per compression
gzip took no longer than LZ4 | gzip-6 | | 0.98 0.99 | one run each, spread unknown
in zol-evaluation/rsync/table-1.csv, page Time of the copy, without and with deduplication
deduplication took more than twice as long | on | off | 2.2 2.3 | one run each, spread unknown
in zol-evaluation/rsync/table-1.csv, page Disk usage, per compression
gzip saved more than LZ4 | gzip-6 | | 0.74 0.76 | one run each, spread unknown
in three-operating-systems/centos/, page Reading a large file with dd, per operating system
CentOS reads fastest | CentOS | | 1.6 1.62 | faster in this session
in three-operating-systems/openindiana/, page Deleting a tree, per operating system
OpenIndiana deletes fastest | FreeBSD | off | 2.4 2.6 | one run each, spread unknown
OpenIndiana deletes fastest | CentOS | lz4 | 4.9 5.1 | one run each, spread unknown
in three-operating-systems/freebsd/, page Extracting a tar file, without compression and with LZ4
LZ4 extracts in two thirds of the time | lz4 | FreeBSD | 0.61 0.63 | one run each, spread unknown
in sun-storage-weblog/zfs-ufs/tables.csv, page Writing a file of 128 MiB, ZFS against UFS
3.4 times UFS (3.33 by its figures) | zfs | | 3.32 3.34 | one run each, spread unknown
in sun-storage-weblog/oltp/tables.csv, page Database, ZFS against UFS
25 % of UFS with the record size only | ZFS 10 U2, record size only | | 0.25 0.27 | not controlled
50 % of UFS tuned | ZFS 10 U2, tuned | | 0.5 0.53 | not controlled
75 % of UFS with build 44 | ZFS build 44, tuned | | 0.75 0.79 | not controlled
in sun-storage-weblog/nfs-extract/tables.csv, page tar over NFS, per file system of the server
ZFS serves NFS faster with the cache off | nfs/zfs | off | 0.7 0.72 | one run each, spread unknown
in sun-storage-weblog/nfs-extract/tables.csv, page tar over NFS from ZFS, per state of the disks' write cache and of the ZIL
the write cache helps ZFS | on | 0 | 0.58 0.59 | one run each, spread unknown
the write cache helps without a ZIL too | on | 1 | 0.89 0.9 | one run each, spread unknown
in sun-storage-weblog/nfs-heads/tables.csv, page Random reads of 8 KiB, per storage controller
the 7410 reads most at random | Sun Storage 7410 | | 27 28 | no claim about two systems
in fhgfs-over-zfs/storage-node/tables.csv, page storagebench, per size
2 GB faster than anything larger | 4294967296 | | 0.8 0.82 | one run each, spread unknown
2 GB faster than anything larger | 17179869184 | | 0.68 0.7 | one run each, spread unknown
in fhgfs-over-zfs/single-disk/tables.csv, page Creating files of 1 KiB
small files: ZFS somewhat above XFS | beegfs/zfs | QDR InfiniBand | 1.1 1.13 | one run each, spread unknown
in zfs-fdtree-flash/devices.csv, page Speed of the devices
the USB stick is the slowest | Transcend JetFlash 700 8 GB | write.throughput | 0.04 0.05 | one run each, spread unknown
"""
"""A heading for each source and figure; what the source says, x, series, lowest and highest ratio, claim or what is missing."""


def read_statements() -> Iterator[Statement]:
    where = title = ""
    for line in filter(None, STATEMENTS_TABLE.splitlines()):
        if line.startswith("in "):
            where, title = line.removeprefix("in ").split(", page ")
            continue
        says, x, series, ratios, words = (part.strip() for part in line.split("|"))
        low, high = map(float, ratios.split())
        yield Statement(where, says, title, x, series, (low, high), words)


STATEMENTS = list(read_statements())


@pytest.mark.thorough
@pytest.mark.parametrize(
    "statement", STATEMENTS, ids=[f"{statement.where}: {statement.says}, {statement.x}" for statement in STATEMENTS]
)
def it_says_what_the_sources_say(answer, statement):
    link = next(
        link for link in registry.shipped_studies()[statement.where.split("/")[0]].comparisons if link.title == statement.title
    )
    group = next(g for g in groups_of(answer(link.query)) if (g["x"], g["series"]) == (statement.x, statement.series))
    assert statement.ratio[0] <= group["verdict"]["ratio"] <= statement.ratio[1]
    assert statement.words in (group["claim"] or group["withheld"])


RATIO = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?: (?:to|and) (\d+(?:\.\d+)?))? times\b(?! for)")


SHARE = re.compile(r"(?:(\d+) (?:to|and) )?(\d+) % (faster|longer|slower|less)")


def ratios_in(sentence: str) -> Iterator[float]:
    for found in RATIO.finditer(sentence):
        yield from (float(text) for text in found.groups() if text)
    for *shares, word in SHARE.findall(sentence):
        sign = 1 if word in ("faster", "longer") else -1
        yield from (round(1 + sign * int(text) / 100, 2) for text in shares if text)


@pytest.mark.parametrize(
    ("sentence", "ratios"),
    [
        ("took 34 to 42 % less time", [0.66, 0.58]),
        ("6 and 21 % faster, 12 % slower", [1.06, 1.21, 0.88]),
        ("2.9 times as many a second, 52 % longer", [2.9, 1.52]),
    ],
)
def it_reads_the_ratios_of_a_sentence(sentence, ratios):
    assert [*ratios_in(sentence)] == ratios


@pytest.mark.thorough
@pytest.mark.parametrize("link", LINKS + ACROSS, ids=lambda link: link.title)
def it_says_of_a_link_only_what_the_page_says(answer, link):
    """Ratios are on the page, as rounded; *faster* and *slower* where something is claimed, *no difference* where none is seen."""
    data = answer(link.query)
    ratios = [group["verdict"]["ratio"] for group in groups_of(data) if group["verdict"] and group["verdict"]["ratio"]]
    for stated in ratios_in(link.says):
        digits = 2 if "%" in link.says and stated < 2 else len(f"{stated:g}".partition(".")[2])
        assert any(abs(ratio - stated) <= 0.51 * 10**-digits for ratio in ratios), (stated, ratios)
    claims = claims_of(data)
    for words in SCOPES:
        if words in link.says:
            assert any(claim.endswith(words) for claim in claims)
    if re.search(r"[Nn]o difference is seen", link.says):
        assert set(claims) == {NO_DIFFERENCE}
    if re.search(r"\b(one run each|one number each|open)\b", link.says, re.I):
        assert not claims
    assert ("open" in re.findall(r"\w+", link.says.lower())) == (data["design"] == "open")


def values_of(data: dict, panel: int = 0, **axes: str) -> list[float]:
    """The centres of the groups with these values of x or series."""
    return [group["center"] for group in data["panels"][panel]["groups"] if all(group[k] == v for k, v in axes.items())]


def of_ten_nodes(data: dict) -> list[str]:
    daos, nfs = (values_of(data, 1, series=name) for name in ("daos", "nfs"))
    assert data["panels"][1]["metrics"] == ["io500.rate"]
    return [
        f"{len(daos)} DAOS",
        f"at least {thousands(min(daos), floor)}",
        f"{len(nfs)} NFS",
        f"more than {thousands(max(nfs), ceil)}",
    ]


def of_easy_and_hard(data: dict) -> list[str]:
    hosts = {group["x"] for group in groups_of(data)}
    ratios = []
    for host in hosts:
        [easy], [hard] = (values_of(data, x=host, series=phase) for phase in ("ior-easy-write", "ior-hard-write"))
        ratios.append(hard / easy)
    return [f"{len(hosts)} systems", f"{median(ratios):.2g} times"]


def of_the_years(data: dict) -> list[str]:
    points = {group["x"]: [point["value"] for point in group["points"]] for group in groups_of(data)}
    spans = [max(values) / min(values) for year, values in points.items() if year >= "2019"]
    return [f"{median(points[year]):.0f} in {year}" for year in ("2019", "2025")] + [
        f"at least {floor(min(spans) / 100) * 100} times"
    ]


def against_btrfs(data: dict) -> list[str]:
    """The ratios of ext4 and xfs to btrfs."""
    ratios = {group["x"]: group["verdict"]["ratio"] for group in groups_of(data) if group["verdict"]}
    return [f"{ratios[name]:.3g}" for name in ("ext4", "xfs")]


def of_compressions(data: dict) -> list[str]:
    assert {group["x"] for group in groups_of(data)} == {"off", "lzo", "zstd-1", "zstd-3"}
    assert {group["n"] for group in groups_of(data)} == {9}
    return ["nine repetitions each", "zstd at two levels", "lzo"]


def thousands(value: float, rounded: Callable[[float], int]) -> str:
    return f"{rounded(value / 1000)}\N{NARROW NO-BREAK SPACE}000"


FINDINGS: dict[str, Callable[[dict], list[str]]] = {
    "Writing 512 MiB, per file system": against_btrfs,
    "Writing to btrfs, per compression": of_compressions,
    "Bandwidth against metadata, ten client nodes": of_ten_nodes,
    "Writing easily and hard, ten client nodes, 2025": of_easy_and_hard,
    "Score over the years": of_the_years,
}
"""By the title of its comparison, what a finding has to say: made from the data anew."""


@pytest.mark.thorough
@pytest.mark.parametrize("link", [link for link in LINKS if link.finding], ids=lambda link: link.title)
def it_finds_only_what_the_data_show(answer, link):
    """Every number of a finding follows from the figure; it says a claim of the figure in its words, or that nothing is claimed."""
    data = answer(link.query)
    parts = FINDINGS[link.title](data)
    assert [part for part in parts if part not in link.finding] == []
    said = set(NUMBER.findall(link.finding))
    assert said <= {number for part in (*parts, "2019", "2025", "ten") for number in NUMBER.findall(part)}
    claims = set(claims_of(data))
    assert any(claim in link.finding for claim in claims) if claims else "nothing is claimed" in link.finding
    assert ("open" in link.finding.lower()) == (data["design"] == "open")


@pytest.mark.thorough
def it_has_three_findings_on_the_front_page(first_start, answer):
    findings = Client().get("/").context["findings"]
    assert len(findings) == 3
    for finding in findings:
        assert_keeps_the_rules(answer(finding.query))


@pytest.mark.thorough
def it_has_at_most_a_third_of_open_figures_in_a_study_of_the_front_page(answer):
    for study in registry.front_page_studies().values():
        designs = [answer(link.query)["design"] for link in study.comparisons]
        if any(link.featured or link.finding for link in study.comparisons):
            assert designs.count("open") * 3 <= len(designs), study.name


@pytest.mark.thorough
@pytest.mark.parametrize(("figure", "address", "expected"), [(row[0], row[2], row[3]) for row in SHIPPED])
def it_draws_each_figure_of_the_gallery(client, first_start, figure, address, expected):
    groups = groups_of(answered(client, address))
    assert len(groups) == expected
    assert all(group["points"] or group["empty"] or group["unmeasured"] for group in groups)
