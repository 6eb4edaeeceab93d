"""Frozen tables of runs and archives say of every run what it was, whether it gave a number or not."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from webapp.comparison.caveats import CAVEATS
from webapp.figures.stamp import stamp_of_record
from webapp.formats import captions, latex_table, tidy
from webapp.formatting import numbers
from webapp.models import Permalink, Run
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.record_figures import parse_record
from webapp.storage import load
from webapp.tests import frozen, making
from webapp.tests.recomputed import check

pytestmark = pytest.mark.django_db
MIB = 2**20
PATH = "run.txt"
CONFIG = {"os.family": "Linux", "pool.compression": "lz4"}
PARAMS = {"file_size": 2**30, "command": "bonnie++ -d /tank"}
ABOVE = {"reason": "too_fast", "bound": 2930 * MIB, "side": "above"}
KINDS = {
    "beyond a bound": (ABOVE, "1 faster than could be measured (above 2.86 GiB/s)"),
    "below a bound": ({"reason": "zero_time", "bound": 10 * MIB, "side": "below"}, "1 in no measurable time (below 10 MiB/s)"),
    "faster, by how much unknown": ({"reason": "too_fast"}, "1 faster than could be measured"),
    "failed": ({"reason": "failed", "raw": "1"}, "1 failed"),
    "failed with an error": ({"reason": "failed", "params": PARAMS | {"error": "no space left"}}, "1 failed: no space left"),
    "failed with a message": ({"reason": "failed", "raw": "write: No space left on device"}, "1 failed: no space left"),
    "not finished": ({"reason": "not_finished", "raw": "Writing..."}, "1 not finished"),
}


def records(values, *missing: dict, metric: str = "write.throughput", **other):
    """One run of one file: values in MiB/s, and what could not be measured."""
    other = {"metric": metric, "params": PARAMS, "config": CONFIG} | other
    every = list(making.file_records(PATH, PATH, [value * MIB for value in values], **other))
    found = [replace(record, run=1) if hasattr(record, "run") else record for record in every[:-1]]
    gone = [
        making.unmeasured_record(PATH, **({"metric": metric, "run": 1, "line": 50 + at} | one)) for at, one in enumerate(missing)
    ]
    return [*found, *gone, every[-1]]


def freeze_table(form: str, rows) -> Permalink:
    archive = making.archive(public=True, records=rows)
    run = Run.objects.filter(archive=archive).order_by("id")[0]
    draft = freeze.draft_run(run, "", "") if form == "run" else freeze.draft_archive(archive, "", "")
    return freeze.freeze_draft(draft, making.user(), frozen.SITE)


def page_text(client, link: Permalink) -> str:
    text = re.sub(r"<[^>]+>", " ", client.get(f"/p/{link.pk}").content.decode())
    return re.sub(r"\s+", " ", text.replace("&gt;", ">").replace("&lt;", "<"))


@pytest.mark.parametrize("values", [(), (100, 110)])
@pytest.mark.parametrize("form", ["run", "archive"])
@pytest.mark.parametrize("kind", KINDS)
def it_has_what_could_not_be_measured(client, kind, form, values):
    told, words = KINDS[kind]
    link = freeze_table(form, records(values, told))
    record = parse_record(link.record)
    [one] = record["unmeasured"]
    assert (one["reason"], one["bound"], one["side"]) == (told["reason"], told.get("bound"), told.get("side", ""))
    data, groups = (
        list(csv.DictReader(io.StringIO(tidy.to_tables(record, link.digest)[name]))) for name in ("data.csv", "groups.csv")
    )
    assert [row["reason"].partition(":")[0] for row in data] == [""] * len(values) + [told["reason"]]
    [group] = groups
    assert (group["n"], group["unmeasured"]) == (str(len(values) + 1), "1")
    assert bool(group["center"]) == bool(values or "bound" in told)
    text = page_text(client, link)
    assert words in text and f"{len(values) + 1} run" in record["caption"]
    assert words.partition(" (")[0] in captions.to_text(captions.make_caption(record, link.digest))
    table = latex_table.to_table(record, stamp_of_record(record, link.digest))
    if "bound" in told and not values:
        sign = {"above": ">", "below": "<"}[told["side"]]
        assert group["bound"] == told["side"]
        assert " ".join(f"{sign} {numbers.number(told['bound'] / MIB)}".split()) in text
        assert sign in table
    elif not values:
        assert words in table and words in json.dumps(record["figures"])
    assert client.get(f"/p/{link.pk}.svg").status_code == 200
    check(link)


def it_gives_every_repetition_of_a_run_its_own_reason():
    link = freeze_table("run", records([100], *(told for told, _ in KINDS.values())))
    [panel] = parse_record(link.record)["panels"]
    [group] = panel["groups"]
    assert sum(count["count"] for count in group["unmeasured"]) == len(group["missing"]) == len(KINDS)
    assert group["open"] == ["above", "below"] and (group["low"], group["high"]) == (10 * MIB, 2930 * MIB)
    check(link)


@pytest.mark.parametrize("form", ["run", "archive"])
def it_leaves_what_has_no_number_in_any_run_in_its_place(client, form):
    rows = [*records([100])[:-1], *records([], {"reason": "failed"}, metric="read.throughput")]
    link = freeze_table(form, rows)
    record = parse_record(link.record)
    assert sum(len(panel["groups"]) for panel in record["panels"]) == sum(len(panel["empty"]) for panel in record["panels"]) == 1
    assert "1 failed" in page_text(client, link) and [row.split(",")[2] for row in tables(record, link)] == [
        "metric",
        "write.throughput",
        "read.throughput",
    ]


def tables(record: dict, link: Permalink) -> list[str]:
    return tidy.to_tables(record, link.digest)["data.csv"].splitlines()


@pytest.mark.parametrize(
    ("told", "flag", "words"),
    [
        ({"native": "write bw of 2 jobs, computed over 10 s"}, "computed", "totals computed"),
        ({"params": PARAMS | {"error": "no space left"}}, "partial", "ended in an error: no space left"),
        ({"params": {"command": "dd"}, "tool": "dd"}, "maybe-cached", CAVEATS["maybe-cached"].label),
    ],
)
@pytest.mark.parametrize("form", ["run", "archive"])
def it_marks_the_doubts_of_values(client, form, told, flag, words):
    link = freeze_table(form, records([100, 110], **told))
    record = parse_record(link.record)
    assert [flag in group["flags"] for panel in record["panels"] for group in panel["groups"]] == [True]
    assert words in page_text(client, link) and flag in [one["id"] for one in record["flags"]]


def it_leaves_out_what_is_withdrawn_or_a_repetition():
    archive = making.archive(public=True, records=records([100], ABOVE, {"duplicate_of": "other.txt:1", **ABOVE}))
    [group] = value_tables.comparison_of_archive(archive)[0].groups
    assert (group.n, len(group.missing)) == (2, 1)
    load.withdraw(archive.pk, "The disk was broken.")
    assert value_tables.comparison_of_archive(archive)[0].all_places == []


def it_has_them_beside_curves():
    archive = making.archive(public=True, records=records([100], ABOVE, {"reason": "failed"}))
    run = Run.objects.get(archive=archive)
    [group] = value_tables.comparison_of_runs([run], "time")[0].groups
    assert (group.n, [count.reason for count in group.unmeasured]) == (3, ["too_fast", "failed"])


def it_tells_workloads_apart_by_their_options():
    rows = []
    for number, options in enumerate(({}, {"fio.thinktime": "100"}, {"fio.-e": "1", "fio.thinktime": "100"})):
        path = f"{number}.txt"
        rows += making.file_records(path, path, [1.0], params=PARAMS | options, config=CONFIG, tool="fio")
    link = freeze_table("archive", rows)
    groups = csv.DictReader(io.StringIO(tidy.to_tables(parse_record(link.record), link.digest)["groups.csv"]))
    named = [text for group in groups for text in group.values() if "thinktime" in str(text)]
    assert {text for text in named if "-e" in text} and {text for text in named if "-e" not in text}
    check(link)


def archive_of(host: str, values, more=(), **archive) -> int:
    config = {"host": host, "os.name": "Debian", "fs.type": "ext4", "cpu.model": "Xeon", "memory": 2**33}
    names = ("write.throughput", "random_read.rate", "write.rate")
    loads = [(name, {"file_size": 2**30, "block_size": 4096}) for name in names]
    found = [
        record
        for metric, params in loads
        for record in making.file_records(f"{metric}.txt", f"{host} {metric}", values, metric=metric, params=params, config=config)
    ]
    return making.archive(records=[*found, *more], name=f"{host}.tar", **archive).pk


def it_freezes_a_scorecard_with_its_lines_and_claims(client):
    sides = [f"archive:{archive_of(host, values, public=True)}" for host, values in (("a", [10, 11, 12.0]), ("b", [20, 21, 22.0]))]
    query = f"a={sides[0]}&b={sides[1]}"
    client.force_login(making.user("cy"))
    live = client.get(f"/versus.json?{query}").json()
    assert 'action="/versus/freeze"' in client.get(f"/versus?{query}").text
    answer = client.post("/versus/freeze", {"query": query, "title": "Before and after"})
    link = Permalink.objects.get()
    assert answer["Location"] == f"/p/{link.pk}"
    record = parse_record(link.record)
    assert (record["kind"], record["selection"], record["title"], record["card"]) == ("versus", query, "Before and after", live)
    tested = [line for line in live["lines"] if line["tested"]]
    assert len(record["panels"]) == len(record["figures"]) == len(tested) == len(live["lines"]) - 1 == 2
    assert len(record["values"]) == 12
    for line, panel in zip(tested, record["panels"], strict=True):
        groups = {group["x"]: group for group in panel["groups"]}
        assert list(groups) == sides
        for name, side in zip("ab", sides, strict=True):
            assert (groups[side]["center"], groups[side]["runs"], groups[side]["stat"]) == (
                *(line[name][key] for key in ("center", "n")),
                "geometric",
            )
        told = groups[sides[0]]["verdict"]
        assert (told["ratio"], told["low"], told["high"]) == (line["ratio"], line["low"], line["high"])
        assert (told["word"] or None, told["doubts"], told["withheld"] or None) == (line["claim"], line["doubts"], line["withheld"])
    assert (
        "each interval is of 95 % taken alone; untested numbers of the same runs, in the card of the record alone: 1"
        in record["caption"]
    )
    text = page_text(client, link)
    assert (
        "Sequential write, throughput" in text
        and "Random read, IOPS" in text
        and f'/versus?{query.replace("&", "&amp;")}"' in client.get(f"/p/{link.pk}").text
    )
    assert client.get(f"/p/{link.pk}/live")["Location"] == f"/versus?{query}"
    for ending in (".json", ".csv", ".svg", ".tex"):
        assert client.get(f"/p/{link.pk}{ending}").status_code == 200, ending
    check(link)
    again = client.post("/versus/freeze", {"query": query, "title": "Before and after"})
    assert again["Location"] == answer["Location"]


def it_freezes_private_values_of_a_scorecard_only_when_told_to(client):
    failed = making.unmeasured_record("f.txt", reason="failed", metric="read.throughput", params={}, config={"host": "b"})
    sides = [f"archive:{archive_of('a', [1.0, 2.0], public=True)}", f"archive:{archive_of('b', [3.0], [failed])}"]
    query = f"a={sides[0]}&b={sides[1]}"
    client.force_login(making.user("cy"))
    assert client.post("/versus/freeze", {"query": query}).status_code == 404
    client.force_login(making.user())
    assert "publish_points" in client.post("/versus/freeze", {"query": query}).text and not Permalink.objects.exists()
    assert client.post("/versus/freeze", {"query": query, "publish_points": "yes"}).status_code == 302
    check(Permalink.objects.get())


def it_freezes_no_scorecard_of_more_values_than_a_record_has(client, monkeypatch):
    monkeypatch.setattr(value_tables, "MAX_VALUES", 5)
    sides = [archive_of(host, values, public=True) for host, values in (("a", [10, 11.0]), ("b", [20, 21.0]))]
    client.force_login(making.user("cy"))
    answer = client.post("/versus/freeze", {"query": f"a=archive:{sides[0]}&b=archive:{sides[1]}"})
    assert answer.status_code == 400 and not Permalink.objects.exists()
