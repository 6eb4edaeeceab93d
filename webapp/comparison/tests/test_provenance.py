"""What stands behind the shown values: lines, and runs that were cut or wrote zeros."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser

from ingest.records import Warning
from webapp.comparison.compare import compare
from webapp.comparison.selection import parse
from webapp.comparison.summary import provenance
from webapp.formats import captions, tidy
from webapp.http.data_version import data_version
from webapp.models import Configuration, Machine, Run
from webapp.storage import load
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()
ALL = [("metric", "write.throughput"), ("x", "compression"), ("control", "off")]


def groups(query: str):
    return {g.x: g for g in compare(parse([tuple(part.split("=", 1)) for part in query.split("&")]), NOBODY).groups}


def it_leads_from_every_value_to_its_line():
    archive = making.archive(public=True, records=making.file_records("a b/run.txt", "x", [5.0, 7.0]))
    [group] = groups("metric=write.throughput&x=compression").values()
    assert [(p.value, p.place, p.raw, p.address) for p in group.points] == [
        (5.0, "a b/run.txt:2", "5.0 B/s", f"/archives/{archive.pk}/raw/a%20b/run.txt#L2"),
        (7.0, "a b/run.txt:3", "7.0 B/s", f"/archives/{archive.pk}/raw/a%20b/run.txt#L3"),
    ]


def it_follows_an_archive_that_is_read_again_with_the_same_ids():
    """Two archives, of which the process has shown both; one is read again, with its values on other lines."""
    first = making.archive(public=True, records=making.file_records("run.txt", "x", [5.0]))
    making.archive(public=True, records=making.file_records("run.txt", "y", [7.0]))
    query = "metric=write.throughput&x=compression"
    places = {point.value: (point.id, point.place) for point in groups(query)["lz4"].points}
    [record, *rest] = making.file_records("run.txt", "x", [5.0])
    load.store(first.pk, [replace(record, line=40), *rest])
    again = {point.value: (point.id, point.place) for point in groups(query)["lz4"].points}
    assert again == places | {5.0: (places[5.0][0], "run.txt:40")}


def it_leaves_out_the_run_that_stands_last_before_a_cut():
    """Two files; in one the output ends in the middle, after its second run."""

    def records():
        linux, bsd = {"os.name": "Linux"}, {"os.name": "FreeBSD"}
        whole = list(making.file_records("whole.txt", "whole", [5.0, 7.0], config=linux))
        cut = list(making.file_records("cut.txt", "cut", [5.0, 7.0], config=bsd))
        cut.insert(2, Warning("cut.txt", 9, "cut", "The output ends within a table."))
        return [*whole, *cut]

    making.archive(public=True, records=records())
    found = groups("metric=write.throughput&x=os")
    assert found["Linux"].flags == ("maybe-cached",)
    assert (found["FreeBSD"].flags, found["FreeBSD"].runs) == (("maybe-cached", "single"), 1), "the last run is left out"
    shown = compare(parse([("metric", "write.throughput"), ("x", "os")]), NOBODY)
    assert shown.left_out == {"impossible": 0, "partial": 1, "targets": 0}
    assert "1 run is left out: partial run." in {flag.sentence for flag in shown.flags}


@pytest.mark.parametrize(("second", "flags"), [("ANKER", ("titles",)), ("Pico 2", ())])
def it_marks_repetitions_below_titles_that_nothing_else_tells_apart(client, second, flags):
    [first, other] = [samples.dd(seconds) for seconds in (2.5, 5)]
    archive = samples.received(b"## Pico 1\n" + first + f"\n## {second}\n".encode() + other, "dd.txt")
    [group] = groups("metric=write.throughput&x=os").values()
    assert group.flags == (*flags, "maybe-cached") and len(group.points) == 2
    last = Run.objects.filter(archive=archive).latest("id")
    assert ("under different headings" in client.get("/compare?metric=write.throughput&x=os").text) is bool(flags)
    assert ("ANKER" in client.get(f"/runs/{last.pk}").text) is bool(flags)


@pytest.mark.parametrize(
    ("source", "compression", "flags"),
    [("/dev/zero", "lz4", ("zeros",)), ("/dev/urandom", "lz4", ()), ("/dev/zero", "off", ()), ("/tank/other", "lz4", ())],
)
def it_marks_zeros_on_a_compressing_pool(source, compression, flags):
    making.archive(
        public=True,
        records=making.file_records(
            "dd.txt",
            "dd",
            [5.0, 7.0],
            tool="dd",
            params={"command": f"dd if={source} of=/tank/f bs=1M count=1024"},
            config={"os.name": "Linux", "pool.compression": compression},
        ),
    )
    assert groups("metric=write.throughput&x=os")["Linux"].flags == ("maybe-cached", *flags)


def it_prints_the_marks_in_every_twin(client):
    making.archive(public=True, records=making.file_records("a.txt", "x", [5.0]))
    query = "metric=write.throughput&x=compression"
    told = client.get(f"/compare.json?{query}").json()
    assert told["panels"][0]["groups"][0]["flags"] == ["maybe-cached", "zeros", "single"]
    assert {
        "id": "single",
        "place": "group",
        "docs": "/honesty#single",
        "sentence": "The group: a single run (hollow mark), so the spread is unknown.",
    } in told["flags"]
    [line] = csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").content.decode()))
    assert line["group_flags"] == "maybe-cached zeros single"
    page = client.get(f"/compare?{query}").content.decode()
    assert "/honesty#single" in page and "/honesty#zeros" in page


def it_tells_the_caveat_of_an_archive_whatever_is_drawn_of_it():
    archive = making.archive(public=True, records=making.file_records("a.txt", "x", [5.0, 6.0]))
    archive.title, archive.caveat = "Loop devices", "All disks are files."
    archive.save()
    shown = compare(parse(ALL), NOBODY)
    assert ("caveat", "Loop devices: All disks are files.") in [(flag.id, flag.sentence) for flag in shown.flags]


def it_reads_only_what_it_has_not_seen_after_a_change(django_assert_num_queries):
    """Lines stay those of their values, whatever changes; the caveat of an archive may be another one."""
    archive = making.archive(public=True, records=making.file_records("a.txt", "x", [5.0, 6.0]))
    [group] = compare(parse(ALL), NOBODY).groups
    first = [point.place for point in group.points]
    making.archive(public=True, records=making.file_records("b.txt", "y", [7.0]))
    archive.title, archive.caveat = "Loop devices", "All disks are files."
    archive.save()
    shown = compare(parse(ALL), NOBODY)
    assert [point.place for point in shown.groups[0].points] == [*first, "b.txt:2"]
    assert [flag.sentence for flag in shown.flags if flag.id == "caveat"] == ["Loop devices: All disks are files."]
    load.store(archive.pk, making.file_records("c.txt", "z", [8.0]))
    assert [point.place for point in compare(parse(ALL), NOBODY).groups[0].points] == ["b.txt:2", "c.txt:2"]
    version = data_version()
    with django_assert_num_queries(0):
        provenance.read_lines([], version)
    with django_assert_num_queries(1):
        provenance.read_lines([[point.id for point in group.points] for group in shown.groups], version + 1)


def it_links_the_first_of_each_group_where_there_are_very_many(monkeypatch):
    monkeypatch.setattr(provenance, "MAX_LINKED", 3)
    making.archive(public=True, records=making.file_records("a.txt", "x", [float(at) for at in range(1, 9)]))
    [group] = groups("metric=write.throughput&x=compression").values()
    assert [bool(point.address) for point in group.points] == [True] + [False] * 7


def it_says_where_values_were_observed(django_assert_num_queries):
    config = {"os.family": "Linux", "host": "tank1", "arch": "x86_64", "pool.compression": "lz4"}
    records = list(making.file_records("a.txt", "a", [5.0, 7.0], config=config, started_at="2024-05-01T10:00"))
    records[1].config_from = dict.fromkeys(config, "stated")
    archive = making.archive(public=True, records=records)
    run, stated = Run.objects.order_by("id")
    ids = [run.first_measurement, stated.first_measurement, 10**9]
    version = data_version()
    with django_assert_num_queries(1):
        observed = provenance.read_observed(version, ids)
    machine = run.configuration.machine_id
    assert {measurement: value[:8] for measurement, value in observed.items()} == {
        ids[0]: (run.session_id, machine, archive.pk, run.pk, "a.txt", "2", "2024-05-01T10:00", False),
        ids[1]: (run.session_id, machine, archive.pk, stated.pk, "a.txt", "3", "2024-05-01T10:00", True),
    }
    with django_assert_num_queries(0):
        assert provenance.read_observed(version, ids[:2]) == observed


def it_takes_an_archive_for_one_session_until_it_is_read_again():
    archive = making.archive(public=True, records=making.file_records("a.txt", "a", [5.0]))
    Run.objects.update(session=None)
    Configuration.objects.update(machine=None, stated=None)
    [run] = Run.objects.all()
    [observed] = provenance.read_observed(data_version(), [run.first_measurement]).values()
    assert (observed.session, observed.machine, observed.stated) == (-archive.pk, -archive.pk, False)


def it_filters_by_machine_and_by_what_a_person_stated():
    def records(host, value, source):
        config = {"os.family": "Linux", "host": host, "arch": "x86_64", "pool.compression": "lz4"}
        [record, *others] = making.file_records("a.txt", host, [value], config=config)
        record.config_from = dict.fromkeys(config, source)
        return [record, *others]

    for host, value, source in (("tank1", 5.0, "a.txt:1"), ("tank2", 7.0, "stated")):
        making.archive(public=True, records=records(host, value, source))
    query = "metric=write.throughput&x=compression"
    machine = Machine.objects.get(name="tank2").pk
    assert groups(f"{query}&machine={machine}")["lz4"].center == 7.0
    assert groups(f"{query}&stated=no")["lz4"].center == 5.0
    assert groups(f"{query}&stated=yes")["lz4"].center == 7.0
    assert {name: group.center for name, group in groups("metric=write.throughput&x=machine").items()} == {
        str(row.pk): value for row, value in zip(Machine.objects.order_by("name"), (5.0, 7.0), strict=True)
    }


FIO_JOBS = """$ fio --name=w --rw=write --bs=1M --size=1G --numjobs=2 --directory=/tank
w: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
...
fio-3.33
Starting 2 processes

w: (groupid=0, jobs=1): err= 0: pid=1201: Mon Mar  2 09:10:00 2026
  write: IOPS=102, BW=102MiB/s (107MB/s)(1024MiB/10000msec); 0 zone resets
w: (groupid=0, jobs=1): err= 0: pid=1202: Mon Mar  2 09:10:00 2026
  write: IOPS=128, BW=128MiB/s (134MB/s)(1024MiB/8000msec); 0 zone resets
"""
FIO_TOTAL = """
Run status group 0 (all jobs):
  WRITE: bw=205MiB/s (215MB/s), 102MiB/s-128MiB/s (107MB/s-134MB/s), io=2048MiB (2147MB), run=8000-10000msec
"""


@pytest.mark.parametrize(
    ("files", "which"),
    [
        ({"tank/fio.txt": FIO_JOBS}, "The group"),
        (
            {"tank/fio.txt": FIO_JOBS, "vault/fio.txt": (FIO_JOBS + FIO_TOTAL).replace("numjobs=2", "numjobs=2 --direct=1")},
            "1 of 2 groups",
        ),
        ({"tank/fio.txt": FIO_JOBS + FIO_TOTAL}, ""),
    ],
)
def it_marks_a_computed_total_wherever_it_is_drawn(client, files, which):
    samples.received(samples.tar({name: text.encode() for name, text in files.items()}))
    query = "metric=write.throughput&x=direct&control=off"
    link = frozen.freeze(query)
    record = json.loads(bytes(link.record))
    mark = f"{which}: totals computed as the bytes of all jobs over the longest run time"
    answer = client.get(f"/compare.json?{query}").json()
    shown = {
        "page": client.get(f"/compare?{query}").content.decode(),
        "json": " ".join(flag["sentence"] for flag in answer["flags"]),
        "permalink": client.get(f"/p/{link.pk}").content.decode(),
        "caption": captions.to_text(captions.make_caption(record, link.digest)),
        "table": tidy.to_tables(record, link.digest)["flags.csv"],
    }
    assert {name for name, text in shown.items() if (mark if which else "totals computed") in text} == (
        set(shown) if which else set()
    )
    marked = [group for panel in record["panels"] for group in panel["groups"] if "computed" in group["flags"]]
    assert len(marked) == bool(which)
