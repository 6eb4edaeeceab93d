"""Two sides over everything: which lines there are, what they say, and that they agree with the comparisons that draw them."""

from __future__ import annotations

import csv
import io
import json
import math
import random

import pytest
from django.contrib.auth.models import AnonymousUser

from webapp.claims.judge import judge
from webapp.claims.observations import AS_THEY_STAND, NO_DIFFERENCE, Contrast, Observation, Sample
from webapp.comparison.selection import parse
from webapp.http.data_version import data_version
from webapp.models import Archive, Configuration
from webapp.permalinks.freeze import draft_comparison, freeze_draft
from webapp.permalinks.frozen_addresses import find_origin
from webapp.scorecard import sides
from webapp.scorecard.card import BETTER, CANNOT_TELL, SHOWN, WORSE, make_card
from webapp.scorecard.sides import BadSide, parse_side, read_side
from webapp.storage import load, withdrawals
from webapp.tests import making
from webapp.views import versus

pytestmark = pytest.mark.django_db
HOST = {"host": "stor01", "os.family": "Linux", "os.name": "Debian", "os.version": "12", "fs.type": "ext4"} | {
    "cpu.model": "Xeon E3110",
    "cpu.cores": 2,
    "memory": 2**33,
    "arch": "x86_64",
}
LOADS = [
    ("write.throughput", {"file_size": 2**30}),
    ("read.throughput", {"file_size": 2**30}),
    ("random_read.latency", {"file_size": 2**30, "block_size": 4096}),
]


def archive(values, config=HOST, *, day="2026-03-01", loads=LOADS, **more):
    """A public archive of one session: `values` of each load."""
    records = [
        record
        for at, (metric, params) in enumerate(loads)
        for record in making.file_records(
            f"{metric}.txt", f"{metric} {values} {day} {config}", values, metric=metric, params=params, config=config,
            started_at=f"{day}T10:{at:02}:00", **more,
        )
    ]  # fmt: skip
    return making.archive(public=True, records=records).pk


def card(a, b, metrics=()):
    sides = [read_side(text, AnonymousUser(), data_version()) for text in (a, b)]
    return make_card(*sides, metrics)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("archive:12", {"archives": (12,)}),
        ("archive:12,9", {"archives": (9, 12)}),
        ("study:io500", {"studies": ("io500",)}),
        ("host:stor01", {"filters": (("host", ("stor01",)),)}),
        ("configuration:7", {"filters": (("configuration", ("7",)),)}),
        ("system:3", {"filters": (("system", ("3",)),)}),
        ("fs=zfs,os=Debian", {"filters": (("os", ("Debian",)), ("fs", ("zfs",)))}),
        ("fs=zfs,archive=4", {"filters": (("fs", ("zfs",)),), "archives": (4,)}),
        ("cpu=Xeon, 2 GHz,fs=zfs", {"filters": (("cpu", ("Xeon, 2 GHz",)), ("fs", ("zfs",)))}),
    ],
)
def test_a_side_is_read(text, query):
    selection = parse_side(text)
    assert {name: getattr(selection, name) for name in query} == query


@pytest.mark.parametrize("text", ["", "nothing", "archive:x", "archive:", "fs", "x=fs", "metric=write.throughput", "planet:7"])
def test_what_is_no_side_is_said(text):
    with pytest.raises(BadSide, match="names no side"):
        parse_side(text)


def test_there_is_a_line_for_each_metric_and_workload_that_both_have():
    a = archive([10.0, 11.0, 12.0])
    b = archive([20.0, 21.0, 22.0], loads=[*LOADS[:2], ("write.throughput", {"file_size": 2**32})])
    found = card(f"archive:{a}", f"archive:{b}")
    assert sorted(line.metric for line in found.lines) == ["read.throughput", "write.throughput"]
    assert "random_read.latency" in found.only_a
    assert all(line.a.n == line.b.n == 3 and line.own.ratio == pytest.approx(0.523, abs=1e-3) for line in found.lines)


def test_configurations_of_both_sides_are_matched_by_what_tells_them_apart():
    """lz4 beside lz4 and off beside off, never one beside the other."""
    sides = []
    for factor, _day in ((1.0, "2026-03-01"), (2.0, "2026-03-05")):
        records = [
            record
            for name, value in (("lz4", 30.0), ("off", 10.0))
            for record in making.file_records(
                f"{name}.txt", f"{name}{factor}", [factor * value] * 2, config=HOST | {"fs.type": "zfs", "pool.compression": name}
            )
        ]
        sides.append(making.archive(public=True, records=records).pk)
    found = card(f"archive:{sides[1]}", f"archive:{sides[0]}")
    assert sorted((dict(line.matched)["compression"], line.own.ratio) for line in found.lines) == [
        ("lz4", pytest.approx(2)),
        ("off", pytest.approx(2)),
    ]


def test_a_new_kernel_on_one_machine_is_a_controlled_line():
    a = archive([10.0, 11.0, 12.0], HOST | {"kernel": "6.8.0"})
    b = archive([20.0, 21.0, 22.0], HOST | {"kernel": "6.1.0"}, day="2026-02-01")
    for line in card(f"archive:{a}", f"archive:{b}").lines:
        assert (line.design, line.axis, line.says) == ("controlled", "kernel", CANNOT_TELL)
        assert "session and 6.8.0 are the same thing here; at least 3 sessions a side, booted by turns" in line.withheld
        assert "one session" not in line.withheld
    [(label, of_a, of_b)] = card(f"archive:{a}", f"archive:{b}").differs
    assert (label, of_a, of_b) == ("Kernel", ("6.8.0",), ("6.1.0",))


def test_two_machines_stand_as_they_are():
    other = HOST | {"host": "stor02", "cpu.model": "EPYC 7313"}
    a, b = archive([10.0, 11.0, 12.0]), archive([20.0, 21.0, 22.0], other)
    assert {line.design for line in card(f"archive:{a}", f"archive:{b}").lines} == {"as_they_stand"}
    assert {line.design for line in card("host:stor01", "host:stor02").lines} == {"as_they_stand"}


def test_runs_of_both_sides_are_compared_with_the_others_alone():
    """This upload against all earlier ones of its host: the host's runs without those of the upload."""
    earlier = [archive([10.0 + at], day=f"2026-01-0{at + 1}") for at in range(4)]
    new = archive([5.0], day="2026-03-01")
    for line in card(f"archive:{new}", "host:stor01").lines:
        assert (line.a.n, line.b.n) == (1, len(earlier))


@pytest.mark.parametrize(
    ("earlier", "new", "words"),
    [
        ([100.0, 101.0, 99.0, 100.5, 99.5], 70.0, {"worse than before", "better than before"}),
        ([100.0, 101.0, 99.0, 100.5, 99.5], 100.2, {"no difference seen"}),
        ([100.0, 101.0, 99.0], 70.0, {""}),
    ],
)
def test_a_new_session_is_judged_by_four_earlier_ones(earlier, new, words):
    before = [archive([value], day=f"2026-01-{at + 10}") for at, value in enumerate(earlier)]
    now = archive([new], day="2026-03-01")
    found = card(f"archive:{now}", f"archive:{','.join(map(str, before))}")
    assert {line.claim for line in found.lines} == words
    if len(words) > 1:
        assert {line.metric: line.says for line in found.lines} == {
            "write.throughput": WORSE,
            "read.throughput": WORSE,
            "random_read.latency": BETTER,
        }


def test_of_the_numbers_of_one_run_one_is_tested():
    loads = [
        ("random_read.rate", {"file_size": 2**30, "block_size": 4096}),
        ("random_read.throughput", {"file_size": 2**30, "block_size": 4096}),
    ]
    a, b = (archive([value, value + 1, value + 2], loads=loads, day=day) for value, day in ((1, "2026-01-01"), (5, "2026-02-01")))
    found = card(f"archive:{a}", f"archive:{b}")
    assert {line.metric: line.tested for line in found.lines} == {"random_read.throughput": True, "random_read.rate": False}
    assert next(line for line in found.lines if not line.tested).says == SHOWN
    [chosen] = card(f"archive:{a}", f"archive:{b}", ("random_read.rate",)).lines
    assert chosen.tested


def test_percentiles_are_shown_untested_unless_they_are_chosen():
    sides = []
    for factor in (1, 2):
        records = [
            record
            for stat, value in (("mean", 1.0), ("p99", 9.0))
            for record in making.file_records(
                f"{stat}.txt", f"{stat}{factor}", [factor * value], metric="random_read.latency", config=HOST, stat=stat
            )
        ]
        sides.append(making.archive(public=True, records=records).pk)
    found = card(f"archive:{sides[0]}", f"archive:{sides[1]}")
    assert {dict(line.workload)["aggregate"]: line.tested for line in found.lines} == {"mean": True, "p99": False}


@pytest.mark.parametrize("more", ["", "&metric=write.throughput", "&metric=read.throughput"])
def test_a_configuration_of_others_is_not_named(client, more):
    """Neither its host nor its system, whatever the address asks for."""
    public = archive([10.0, 11.0, 12.0])
    secret = HOST | {"host": "secret-host", "cpu.model": "Secret CPU"}
    making.archive(records=making.file_records("w.txt", "w", [1.0], params={"file_size": 2**30}, config=secret))
    [hidden] = Configuration.objects.filter(host="secret-host")
    [shown] = Configuration.objects.filter(archiveconfiguration__archive=public)
    for a, b in ((hidden.pk, shown.pk), (shown.pk, hidden.pk)):
        page = client.get(f"/versus?a=configuration:{a}&b=configuration:{b}{more}")
        assert page.status_code == 404 and "secret-host" not in page.text
        page = client.get(f"/versus?a=system:{hidden.system_id}&b=configuration:{shown.pk}{more}")
        assert page.status_code == 404 and "Secret CPU" not in page.text
    assert "&amp;b=configuration:" not in client.get(f"/versus?a=configuration:{hidden.pk}").text


def test_unlike_workloads_stand_beside_each_other_without_a_ratio():
    """64 MiB beside 128 MiB, not beside 8 GiB; and with direct I/O beside direct I/O."""
    mine = archive([10.0, 11.0, 12.0], loads=[("write.throughput", {"file_size": 2**26, "direct": "on"})])
    sizes = [(2**27, "on"), (2**33, "on"), (2**26, "off")]
    others = archive([20.0, 21.0, 22.0], loads=[("write.throughput", {"file_size": size, "direct": on}) for size, on in sizes])
    [line] = card(f"archive:{mine}", f"archive:{others}").lines
    assert (line.says, line.design, line.claim, line.own) == ("beside", "beside", "", None)
    assert dict(line.workload)["file_size"] == str(2**26) and dict(line.beside)["file_size"] == str(2**27)
    assert (line.a.center, line.b.center) == (pytest.approx(10.97, abs=0.01), pytest.approx(20.98, abs=0.01))
    assert "64\xa0MiB" in line.label and "beside" in line.label and "128\xa0MiB" in line.label


def test_runs_without_a_number_are_counted():
    a = archive([10.0, 11.0], loads=LOADS[:1])
    failed = making.unmeasured_record("f.txt", reason="failed", params={"file_size": 2**30}, config=HOST)
    b = making.archive(public=True, records=[failed, *making.file_records("r.txt", "r", [1.0], metric="read.throughput")]).pk
    [line] = card(f"archive:{a}", f"archive:{b}").lines
    assert line.says == CANNOT_TELL and "second side: 1 run without a number (failed)" in line.withheld and line.own is None


def test_private_runs_stay_with_their_owner(client):
    public = archive([10.0, 11.0, 12.0])
    private = making.archive(records=making.file_records("w.txt", "w", [1.0], params={"file_size": 2**30}, config=HOST)).pk
    assert client.get(f"/versus.json?a=archive:{private}&b=archive:{public}").status_code == 404
    client.force_login(making.user())
    assert client.get(f"/versus.json?a=archive:{private}&b=archive:{public}").status_code == 200


def test_the_nearest_published_runs_are_those_of_the_study_with_most_near_workloads(client, monkeypatch):
    mine = archive([10.0, 11.0, 12.0], loads=[("write.throughput", {"file_size": 2**26, "direct": "on"})])
    loads = {
        "far": [("write.throughput", {"file_size": 2**40, "direct": "on"})],
        "near": [("write.throughput", {"file_size": 2**27, "direct": "on"})],
        "buffered": [("write.throughput", {"file_size": 2**26, "direct": "off"})],
        "reads": [("read.throughput", {"file_size": 2**26, "direct": "on"})],
    }
    studies = {name: [archive([20.0 + at, 21.0], loads=of)] for at, (name, of) in enumerate(loads.items())}
    for names, chosen in ((list(loads), "near"), (["reads", "far"], "far"), (["reads"], "")):
        monkeypatch.setattr(versus, "read_accepted_archives", lambda _, names=names: {name: studies[name] for name in names})
        answer = client.get(f"/versus?a=archive:{mine}&b=nearest")
        if chosen:
            assert (answer.status_code, answer["Location"]) == (302, f"/versus?a=archive:{mine}&b=study:{chosen}")
        else:
            assert answer.status_code == 404 and "No published study" in answer.text
    assert f"/versus?a=archive:{mine}&amp;b=nearest" in client.get(f"/archives/{mine}").text


@pytest.mark.parametrize(
    ("a", "b", "status"), [("", "", 200), ("archive:999", "", 404), ("archive:999", "archive:999", 404), ("x", "y", 404)]
)
def test_the_page_says_what_to_write(client, a, b, status):
    page = client.get("/versus", {"a": a, "b": b})
    assert page.status_code == status and 'name="a"' in page.text


def groups_of(comparison):
    return {group["x"]: group for panel in comparison["panels"] for group in panel["groups"] if group["center"] is not None}


def test_lines_agree_with_the_comparisons_that_draw_them(client):
    """Centre, n, ratio, design, doubts, and the interval of one pair alone."""
    draw, compared = random.Random(7), 0
    for trial in range(12):
        changed = draw.choice([{}, {"kernel": "6.8"}, {"os.version": "13"}, {"host": "stor02"}, {"fs.type": "xfs"}])
        days = [f"2026-0{1 + at}-{1 + trial:02}" for at in range(2)]
        sides = [
            archive([draw.uniform(50, 60) for _ in range(draw.choice((1, 3, 5)))], HOST | {"kernel": "6.1"} | extra, day=day)
            for extra, day in zip(({}, changed), days, strict=True)
        ]
        page = client.get(f"/versus.json?a=archive:{sides[0]}&b=archive:{sides[1]}").json()
        assert len(page["lines"]) == len(LOADS)
        for line in page["lines"]:
            comparison = client.get(f"/compare.json?{line['query']}").json()
            groups = groups_of(comparison)
            assert len(groups) == 2 and comparison["design"] == line["design"]
            centers = {group["center"]: group for group in groups.values()}
            a, b = centers[line["a"]["center"]], centers[line["b"]["center"]]
            assert (a["n"], b["n"]) == (line["a"]["n"], line["b"]["n"])
            judged, is_turned = (a, False) if a["verdict"] else (b, True)
            assert judged["verdict"], line["query"]
            ends = [line["ratio"], line["low"], line["high"]]
            if is_turned:
                low, high = line["high"], line["low"]
                ends = [1 / line["ratio"], 1 / low if low else None, 1 / high if high else None]
            for found, wanted in zip(ends, (judged["verdict"][name] for name in ("ratio", "low", "high")), strict=True):
                assert found == (None if wanted is None else pytest.approx(wanted))
            compared += 1
    assert compared == 12 * len(LOADS)


def test_csv_has_a_row_for_each_line(client):
    a, b = archive([10.0, 11.0, 12.0]), archive([20.0, 21.0, 22.0], day="2026-02-01")
    rows = list(csv.DictReader(io.StringIO(client.get(f"/versus.csv?a=archive:{a}&b=archive:{b}").text)))
    lines = json.loads(client.get(f"/versus.json?a=archive:{a}&b=archive:{b}").text)["lines"]
    assert [(row["metric"], float(row["ratio"])) for row in rows] == [(line["metric"], line["ratio"]) for line in lines]


@pytest.mark.parametrize("between", [0.0, 0.02, 0.1])
def test_equal_systems_are_seldom_said_to_differ(between):
    """Cards of 12 lines of which nothing differs, but for the luck of each session: a word on at most 5 % of them, within two
    standard errors."""
    draw, cards, wrong = random.Random(11), 400, 0
    for _ in range(cards):
        questions = []
        for _ in range(12):
            sides = []
            for first, count in ((0, 1), (1, draw.choice((4, 6)))):
                sessions = [(first * 10 + at, draw.gauss(0, between)) for at in range(count)]
                sides.append(
                    Sample(
                        tuple(
                            Observation(math.exp(effect + draw.gauss(0, 0.03)), 1, 100 - session)
                            for session, effect in sessions
                            for _ in range(3)
                        )
                    )
                )
            questions.append(Contrast(sides[0], sides[1], AS_THEY_STAND, is_later=True))
        wrong += any(answer.claim not in (None, NO_DIFFERENCE) for answer in judge(questions))
    assert wrong / cards <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / cards)


def test_metrics_with_too_many_rows_are_named_and_the_others_compared(monkeypatch, client):
    """A card is bounded whatever its sides are: what it has no room for is said, never left out in silence."""
    one, other = archive([100e6, 101e6, 99e6]), archive([50e6, 51e6, 49e6], day="2026-04-01")
    monkeypatch.setattr("webapp.scorecard.card.MAX_ROWS", 4)
    of = card(f"archive:{one}", f"archive:{other}")
    assert {line.metric for line in of.lines}.isdisjoint(of.crowded)
    assert {line.metric for line in of.lines} | set(of.crowded) == {metric for metric, _ in LOADS}
    assert list(of.crowded.values()) == [2]
    assert json.loads(client.get(f"/versus.json?a=archive:{one}&b=archive:{other}").content)["metrics_left_out"] == of.crowded
    assert "too many configurations" in client.get(f"/versus?a=archive:{one}&b=archive:{other}").content.decode()
    monkeypatch.setattr("webapp.scorecard.card.MAX_ROWS", 1)
    assert not card(f"archive:{one}", f"archive:{other}").lines


def labelled(pk, **labels):
    Archive.objects.filter(pk=pk).update(labels=labels)
    return pk


def nights(values, *, first=10, **labels):
    """An archive of one session for each value, on the days from `first` on."""
    return [labelled(archive([value], day=f"2026-01-{at}"), **labels) for at, value in enumerate(values, first)]


def read_json(client, a, b, status=200, **more):
    answer = client.get("/versus.json", {"a": a, "b": b, **more})
    assert answer.status_code == status, answer.text
    return answer.json() if status == 200 else answer.text


def test_a_label_stands_for_the_other_archives_that_have_it(client):
    """Night by night: cannot tell, with what is missing, until the fifth session."""
    before = nights([100.0, 101.0, 99.0, 100.5], branch="main", kind="nightly")
    nights([70.0], first=20, branch="other")
    new = labelled(archive([70.0], day="2026-03-01"), branch="main")
    client.force_login(making.user())
    card = read_json(client, f"archive:{new}", "label:branch=main")
    assert card["archives"] == {"a": [new], "b": before} and not card["notes"]
    for line in card["lines"]:
        better = line["metric"] == "random_read.latency"
        assert line["claim"] == ("better than before" if better else "worse than before")
        assert (line["says"], line["better_is"]) == (("better", "less") if better else ("worse", "more"))
        assert (line["earlier_sessions"], line["a"]["sessions"], line["b"]["sessions"]) == (4, 1, 4)
        assert line["test"] == "prediction interval of 4 earlier sessions" and line["low"] < line["ratio"] < line["high"] < 1
    for text, found in (
        ("label:branch=main,kind=nightly", before),
        ("label:branch=main,branch=other", [*before, before[-1] + 1]),
        ("label:branch=main,kind=weekly", []),
    ):
        assert read_json(client, f"archive:{new}", text)["archives"]["b"] == found
    for pk in before[1:]:
        Archive.objects.filter(pk=pk).update(labels={})
    for line in read_json(client, f"archive:{new}", "label:branch=main")["lines"]:
        assert (line["claim"], line["says"], line["earlier_sessions"]) == (None, CANNOT_TELL, 1)
        assert "better or worse than before needs 4 earlier sessions and has 1" in line["withheld"]


def test_a_label_that_no_other_archive_has_is_no_error(client):
    """The first night: nothing beside it, said so."""
    new = labelled(archive([70.0]), branch="main")
    card = read_json(client, f"archive:{new}", "label:branch=main")
    assert (card["lines"], card["archives"]["b"]) == ([], []) and "has the label branch=main" in card["notes"][0]
    assert card["notes"][0] in client.get(f"/versus?a=archive:{new}&b=label:branch%3Dmain").text
    for text in ("label:", "label:branch", "label:=main"):
        assert "write label:NAME=VALUE" in read_json(client, f"archive:{new}", text, 404)


def test_a_side_of_nothing_but_copies_names_the_archive_that_had_them(client):
    first, copy, before = archive([1.0]), archive([1.0]), archive([2.0], day="2026-01-01")
    for a, b in ((copy, before), (before, copy)):
        card = read_json(client, f"archive:{a}", f"archive:{b}")
        assert card["lines"] == [] and f"count in archive {first}, which had them first" in card["notes"][0]
    assert card["notes"][0] in client.get(f"/versus?a=archive:{before}&b=archive:{copy}").text
    load.unpublish(first)
    assert read_json(client, f"archive:{copy}", f"archive:{before}")["lines"]


def test_a_label_stands_for_what_the_reader_may_compare(client):
    """The reader's own archives with it, else those of the new archive's owner; none that is private, withdrawn or unread."""
    public = labelled(archive([1.0], day="2026-01-01"), branch="main")
    private = labelled(making.archive(records=making.file_records("p.txt", "p", [1.0])).pk, branch="main")
    withdrawn = labelled(archive([2.0], day="2026-01-02"), branch="main")
    load.withdraw(withdrawn, "wrong disk", making.user())
    labelled(making.archive().pk, branch="main")
    labelled(making.archive(owner="bob", public=True, records=making.file_records("b.txt", "b", [1.0])).pk, branch="main")
    new = archive([3.0], day="2026-02-01")
    for user, found in ((None, [public]), ("ann", [public, private]), ("eve", [public])):
        client.logout()
        if user:
            client.force_login(making.user(user))
        assert read_json(client, f"archive:{new}", "label:branch=main")["archives"]["b"] == found


def test_of_a_label_the_newest_archives_are_compared(client, monkeypatch):
    monkeypatch.setattr(sides, "MAX_LABELLED", 2)
    before = nights([100.0, 101.0, 99.0], branch="main")
    new = archive([70.0], day="2026-03-01")
    card = read_json(client, f"archive:{new}", "label:branch=main")
    assert card["archives"]["b"] == before[1:] and "the newest 2 archives" in card["notes"][0]


def test_last_accepted_is_the_newest_accepted_archive_of_the_machine(client):
    first, last = nights([100.0, 101.0])
    elsewhere = archive([100.0], HOST | {"host": "stor02"}, day="2026-02-01")
    new = archive([70.0], day="2026-03-01")
    assert "No archive of this machine was accepted yet" in read_json(client, f"archive:{new}", "last-accepted")["notes"][0]
    for pk in (last, first, elsewhere, new):
        load.accept(pk, "")
    assert read_json(client, f"archive:{new}", "last-accepted")["archives"]["b"] == [last]
    assert "name an archive first" in read_json(client, "last-accepted", f"archive:{new}", 404)


def test_a_withdrawn_archive_is_named_with_its_reason(client):
    [gone], new = nights([100.0]), archive([70.0], day="2026-03-01")
    load.withdraw(gone, "wrong disk", making.user())
    answer = client.get("/versus", {"a": f"archive:{new}", "b": f"archive:{gone}"})
    assert answer.status_code == 404
    assert f"Withdrawn and not compared: archive {gone} as a whole: wrong disk" in answer.text


def test_a_permalink_stands_for_the_archives_of_its_values(client):
    """As they are now: what was withdrawn since is said."""
    before = nights([100.0, 101.0, 99.0, 100.5, 100.0])
    draft = draft_comparison(parse([("archive", str(pk)) for pk in before]), making.user(), "Nights", "Ann")
    link = freeze_draft(draft, making.user(), find_origin())
    new = archive([70.0], day="2026-03-01")
    for text in (f"permalink:{link.pk}", f"https://bench.example.org/p/{link.pk}", f"/p/{link.pk}.json"):
        card = read_json(client, f"archive:{new}", text)
        assert card["archives"]["b"] == before and not card["notes"]
    assert {line["claim"] for line in card["lines"]} == {"worse than before", "better than before"}
    load.withdraw(before[0], "wrong disk", making.user())
    withdrawals.withdraw_file(before[1], "write.throughput.txt", "cut", making.user())
    load.unpublish(before[2])
    card = read_json(client, f"archive:{new}", f"permalink:{link.pk}")
    assert card["archives"]["b"] == [before[1], *before[3:]]
    assert card["notes"] == [
        f"Archive {before[0]} of the permalink {link.pk} was withdrawn: wrong disk",
        f"Of archive {before[1]} a file or value was withdrawn.",
        f"1 of the 5 archives of the permalink {link.pk} cannot be compared: deleted, or not yours to see.",
    ]
    assert "There is no permalink" in read_json(client, f"archive:{new}", "permalink:nothing", 404)
