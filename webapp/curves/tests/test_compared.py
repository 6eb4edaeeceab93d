"""Comparisons drawn as curves or distributions: of which runs, under which names, in every way out."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from types import SimpleNamespace

import pytest

from ingest.catalogue import METRICS
from ingest.series_catalogue import SERIES_METRICS
from webapp.comparison.selection import CURVES, Selection
from webapp.curves import address, comparisons, drawing, run_labels
from webapp.curves.address import MAX_RUNS
from webapp.curves.run_labels import read_spans
from webapp.curves.tests.test_distributions_page import fio
from webapp.models import Run, TimeSeries
from webapp.pages import curves_page
from webapp.storage.tests.test_series import read
from webapp.tests import making

pytestmark = pytest.mark.django_db


def dd(seconds: float) -> bytes:
    rate = f"{1073.741824 / seconds:.3g}"
    return f"# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1073741824 bytes (1.1 GB) copied, {seconds} s, {rate} MB/s\n".encode()


def log(first: int) -> bytes:
    return b"".join(f"{at * 100}, {first + at}, 1, 131072, 0\n".encode() for at in range(1, 41))


@pytest.fixture
def systems(tmp_path) -> list[Run]:
    """Three repetitions of dd with a log of fio beside each, on two configurations of one host."""
    for name, first in (("lz4", 1000), ("off", 5000)):
        folder = tmp_path / name
        folder.mkdir()
        files = {}
        for at in range(3):
            files |= {f"rep{at}/dd.txt": dd(first / 1000 + 10 + at), f"rep{at}/log_bw.1.log": log(first + 100 * at)}
        files["zfs.txt"] = f"# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  compression  {name}  local\n".encode()
        making.archive(records=read(folder, files), public=True)
    return list(Run.objects.order_by("id"))


QUERY = "metric=write.throughput&x=compression&control=off"


def asked(client, kind: str, query: str = QUERY) -> dict:
    answer = client.get(f"/compare.json?{query}&kind={kind}")
    assert answer.status_code == 200
    return json.loads(answer.content)


def test_the_runs_are_named_by_the_axes_of_the_comparison_and_repetitions_joined(client, systems):
    curves = asked(client, "time")["curves"]
    [figure] = curves["figures"]
    assert figure["kind"] == "time"
    assert sorted(series["name"] for series in figure["series"]) == ["lz4", "off"]
    assert figure["legend"] == "Compression"
    assert len({series["marker"] for series in figure["series"]}) == 2
    assert [set(curve["n"]) for curve in figure["curves"]] == [{3}, {3}]
    assert curves["query"].count("run=") == 6


@pytest.mark.parametrize("kind", ["cdf", "histogram"])
def test_distributions_count_the_points_of_every_run(client, systems, kind):
    [figure] = asked(client, kind)["curves"]["figures"]
    assert figure["kind"] == kind
    assert [curve["total"] for curve in figure["curves"]] == [120, 120]
    assert sorted(series["name"] for series in figure["series"]) == ["lz4", "off"]
    assert any("counted together (n = 3, 3)" in note for note in figure["notes"])


def test_the_picture_and_the_table_show_the_same_figure(client, systems):
    text = client.get(f"/compare.csv?{QUERY}&kind=time").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    curves = asked(client, "time")["curves"]["figures"][0]["curves"]
    assert [float(row["value"]) for row in rows] == [value for curve in curves for value in curve["v"]]
    svg = client.get(f"/compare.svg?{QUERY}&kind=time").content.decode()
    assert "s since the start" in svg or "begin of the tool" in svg
    assert client.get(f"/compare.png?{QUERY}&kind=time").content.startswith(b"\x89PNG")
    assert client.get(f"/compare.csv?{QUERY}").content.startswith(b"metric,")


@pytest.mark.parametrize("kind", CURVES)
def test_the_page_draws_it_keeps_the_table_and_leads_to_the_curves_alone(client, systems, kind):
    page = client.get(f"/compare?{QUERY}&kind={kind}").content.decode()
    assert f'<option value="{kind}" selected>' in page
    assert page.count('<section class="figure-table"') == 1
    if kind in ("percentiles", "load"):
        what = "Percentiles" if kind == "percentiles" else "Load-latency curves"
        assert f"{what} are of latencies; Sequential write, throughput is none. Bars are drawn instead." in page
        assert "figure-canvas-bars" in page
    else:
        assert ("figure-canvas-time" in page) == (kind == "time")
        assert re.search(r'href="/series(/distribution)?\?[^"]*run=\d+', page)


def test_kinds_of_curves_are_offered_where_numbers_over_time_stand(client, systems):
    page = client.get(f"/compare?{QUERY}").content.decode()
    assert '<option value="cdf">' in page
    beside = [json.loads(found) for found in re.findall(r'"beside":(\[[\d,]+\])', page)]
    assert sorted(run for some in beside for run in some) == [run.pk for run in systems]


def test_without_numbers_over_time_bars_are_drawn_and_the_reason_is_said(client, rows_of_two):
    page = client.get("/compare?metric=write.throughput&x=os&control=off&kind=time").content.decode()
    assert "No numbers over time stand beside these runs. Bars are drawn instead." in page
    assert "figure-canvas-bars" in page
    assert '<option value="cdf">' not in client.get("/compare?metric=write.throughput&x=os&control=off").content.decode()


def test_runs_at_one_place_of_the_axes_are_named_by_what_else_differs(depths):
    given = {run.pk: "lz4" for run in depths}
    labels = run_labels.label_runs(depths, read_spans(depths), with_tools=False, given=given, dimension="Compression")
    assert set(labels.own.values()) == {"lz4, queue depth 1", "lz4, queue depth 4", "lz4, queue depth 16"}


@pytest.fixture
def loaded(monkeypatch) -> list[TimeSeries]:
    """The series that are read from now on."""
    rows: list[TimeSeries] = []
    usual = TimeSeries.from_db.__func__

    def from_db(cls, *args):
        rows.append(usual(cls, *args))
        return rows[-1]

    monkeypatch.setattr(TimeSeries, "from_db", classmethod(from_db))
    return rows


def test_series_are_read_of_the_runs_that_are_drawn_alone(client, tmp_path, monkeypatch, loaded):
    monkeypatch.setattr(comparisons, "MAX_RUNS", 2)
    for name in ("lz4", "off", "zstd", "lzjb", "zle", "gzip-9"):
        folder = tmp_path / name
        folder.mkdir()
        zfs = f"# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  compression  {name}  local\n".encode()
        making.archive(records=read(folder, {"dd.txt": dd(11.0), "log_bw.1.log": log(1000), "zfs.txt": zfs}), public=True)
    archive_of = dict(Run.objects.values_list("pk", "archive_id"))

    def drawn(query: str) -> tuple[set[int], list[str]]:
        loaded.clear()
        curves = asked(client, "time", query)["curves"]
        return {archive_of[int(pk)] for pk in re.findall(r"run=(\d+)", curves["query"])}, curves["notes"]

    first, notes = drawn(QUERY)
    assert len(first) == 2 and {row.archive_id for row in loaded} == first
    assert any("Of 6 runs 2 are drawn" in note for note in notes)
    TimeSeries.objects.filter(archive__in=first).delete()
    second, notes = drawn(f"{QUERY}&scale=log")
    assert len(second) == 2 and not second & first and {row.archive_id for row in loaded} == second
    assert any("2 runs of 4 without numbers over time" in note for note in notes)


def test_points_are_read_of_few_more_series_than_are_drawn(client, systems, monkeypatch, loaded):
    monkeypatch.setattr(address, "MAX_PANELS", 2)
    monkeypatch.setattr(drawing, "MAX_PANELS", 2)
    rows = [row for row in TimeSeries.objects.all() if row.archive_id == systems[0].archive_id]
    for row in rows:
        for subject in "abcde":
            row.pk, row.subject = None, subject
            row.save()
    loaded.clear()
    figures = client.get(f"/series.json?run={systems[0].pk}").json()["figures"]
    assert len(figures) == 2
    assert len([row for row in loaded if "values" in row.__dict__]) == 2


@pytest.mark.parametrize("kind", ["time", "percentiles"])
def test_the_page_says_that_curves_failed_and_not_that_there_are_none(client, systems, monkeypatch, kind):
    monkeypatch.setattr(curves_page, "draw_compared", lambda comparison: 1 / 0)
    page = client.get(f"/compare?{QUERY}&kind={kind}").text
    assert "These curves cannot be drawn because of a bug in Poolmark, which has been logged. Bars are drawn instead." in page
    assert "No numbers over time" not in page and "No output" not in page and "figure-canvas-bars" in page


@pytest.fixture
def rows_of_two():
    for name in ("Debian", "FreeBSD"):
        config = {"os.name": name}
        making.archive(public=True, records=making.file_records(f"{name}.txt", name, [1.0, 2.0], config=config))


def test_of_many_runs_those_of_each_group_are_drawn_in_turn(client, tmp_path):
    for name, first in (("lz4", 3.0), ("off", 7.0)):
        folder = tmp_path / name
        folder.mkdir()
        files = {"zfs.txt": f"# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  compression  {name}  local\n".encode()}
        for at in range(20):
            files |= {f"rep{at}/dd.txt": dd(first + at / 10), f"rep{at}/log_bw.1.log": log(1000 + at)}
        making.archive(records=read(folder, files), public=True)
    curves = asked(client, "time")["curves"]
    assert curves["query"].count("run=") == MAX_RUNS
    assert [set(curve["n"]) for curve in curves["figures"][0]["curves"]] == [{12}, {12}]
    assert f"Of 40 runs {MAX_RUNS} are drawn, in turn from each group." in curves["notes"]


def test_a_comparison_as_curves_asks_little(client, systems, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        client.get(f"/compare?{QUERY}&kind=time")


def store_depths(tmp_path) -> list[Run]:
    """Runs of fio at three queue depths, with the percentiles that it prints."""
    files = {f"qd{depth}/fio.txt": fio(depth, 1000 * depth, 40 + depth, 1000 * depth).encode() for depth in (1, 4, 16)}
    made = making.archive(records=read(tmp_path, files), public=True)
    return list(Run.objects.filter(archive=made).order_by("id"))


@pytest.fixture
def depths(tmp_path) -> list[Run]:
    return store_depths(tmp_path)


OF_DEPTHS = "metric=random_read.latency&x=iodepth&control=off"


def of_csv(client, path: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(client.get(path).content.decode())))


def test_the_csv_of_percentiles_has_each_with_its_load(client, depths):
    rows = of_csv(client, f"/compare.csv?{OF_DEPTHS}&kind=percentiles")
    seconds = {float(row["queue_depth"]): float(row["seconds"]) for row in rows if row["percentile"] == "p99"}
    assert seconds == pytest.approx({1: 0.001, 4: 0.004, 16: 0.016})
    beside = of_csv(client, f"/series/distribution.csv?{'&'.join(f'run={run.pk}' for run in depths)}&kind=percentiles")
    assert len(rows) == 9 and sorted(map(str, rows)) == sorted(map(str, beside))


def test_a_load_latency_curve_joins_the_depths_of_each_group(client, tmp_path):
    files = {
        f"{engine}/qd{depth}/rep{rep}.txt": fio(depth, rate * depth + rep, 40 + depth, 1000 * depth)
        .replace("libaio", engine)
        .encode()
        for engine, rate in (("libaio", 1000), ("io_uring", 1500))
        for depth in (1, 4, 16)
        for rep in range(2)
    }
    making.archive(records=read(tmp_path, files), public=True)
    query = "metric=random_read.latency&x=iodepth&series=engine&aggregate=p99&control=off"
    [link] = re.findall(r'href="/compare\?([^"]*)"[^>]*>load-latency curve', client.get(f"/compare?{query}").text)
    assert "x=iodepth&series=engine&kind=load" in html.unescape(link)
    data = client.get(f"/compare.json?{query}&kind=load").json()["curves"]
    [figure] = data["figures"]
    assert figure["kind"] == "scatter" and figure["x"]["joined"] and figure["legend"] == "I/O engine"
    assert figure["x"]["values"] == ["depth 1", "depth 4", "depth 16"]
    names = [series["name"] for series in figure["series"]]
    places = {
        (names[mark["series"]], mark["x"]): (mark["n"], mark["across"]["center"], mark["center"]) for mark in figure["groups"]
    }
    assert places["libaio", 0] == (2, 1000.5, 1.0) and places["io_uring", 2] == (2, 24000.5, 16.0)
    svg = client.get(f"/compare.svg?{query}&kind=load").text
    assert "depth 16" in svg and len(re.findall(r'<path d="M[^"]*L[^"]*L[^"]*" class="n l\d"', svg)) == 2
    few = client.get(f"/compare?{query}&kind=load&iodepth=1&iodepth=4").text
    assert "A load-latency curve needs three levels of queue depth, threads or offered rate" in few


@pytest.mark.parametrize("kind", ["cdf", "histogram"])
def test_the_csv_of_distributions_has_their_corners(client, systems, kind):
    rows = of_csv(client, f"/compare.csv?{QUERY}&kind={kind}")
    [figure] = asked(client, kind)["curves"]["figures"]
    assert [float(row["x"]) for row in rows] == [x for curve in figure["curves"] for x in curve["t"]]
    assert {(row["kind"], row["x_unit"]) for row in rows} == {(kind, figure["x"]["label"])} and "seconds" not in rows[0]


VALUES = [300.0, 200.0, *[100.0] * 5]


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ([f"2026-11-24T1{at}:00:00" for at in range(7)], "steady in runs 3 to 7 of 7"),
        # 07:59, 08:00, ... UTC: by their texts the first would be the last
        (["2026-11-24T19:59:00+12:00", *(f"2026-11-24T1{at}:00:00+02:00" for at in range(6))], "steady in runs 3 to 7 of 7"),
        (["2026-11-24T09:00:00Z", *(f"2026-11-24T1{at}:00:00" for at in range(6))], ""),
        (["2026-11-24T10:00:00+02:00", "2026-11-24T08:00:00Z", *(f"2026-11-24T1{at}:00:00Z" for at in range(5))], ""),
    ],
    ids=["local", "offsets", "some without offset", "the same moment"],
)
def test_repeated_runs_are_in_the_order_of_their_moments(starts, said):
    points = [SimpleNamespace(id=at, value=value) for at, value in enumerate(VALUES)]
    group = SimpleNamespace(points=points, runs=7, machines=1, configurations=1, x="", series="", facet="", metric="write.rate")
    runs = {at: SimpleNamespace(started_at=start) for at, start in enumerate(starts)}
    notes = comparisons._describe_steadiness(Selection(x="", series=""), [group], {at: (at, "") for at in runs}, runs)
    assert said in " ".join(notes) and bool(notes) == bool(said)


def fio_of_jobs(*jobs: tuple[str, str]) -> bytes:
    """One output of fio with a group for each (job, rw)."""
    rates = {
        "read": "read: IOPS=1000, BW=3.9MiB/s (4.1MB/s)(39MiB/10001msec)",
        "write": "write: IOPS=900, BW=3.5MiB/s (3.7MB/s)(35MiB/10001msec)",
    }
    head = "".join(
        f"{job}: (g={at}): rw={rw}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n"
        for at, (job, rw) in enumerate(jobs)
    )
    groups = "".join(
        f"\n{job}: (groupid={at}, jobs=1): err= 0: pid=1{at}: Sat Nov 21 10:00:{at}0 2026\n  {rates[rw.removeprefix('rand')]}\n"
        f"    clat (usec): min=10, max=90, avg=5{at}.0, stdev= 3.0\n     lat (usec): min=11, max=91, avg=6{at}.0, stdev= 3.0\n"
        for at, (job, rw) in enumerate(jobs)
    )
    return f"{head}fio-3.33\nStarting {len(jobs)} processes\n{groups}".encode()


def store_jobs(tmp_path, logs: dict[str, bytes], *jobs: tuple[str, str]) -> None:
    for name in ("lz4", "off"):
        folder = tmp_path / name
        folder.mkdir()
        zfs = f"# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  compression  {name}  local\n".encode()
        making.archive(records=read(folder, {"fio.txt": fio_of_jobs(*jobs), "zfs.txt": zfs, **logs}), public=True)


JOBS = (("seq", "read"), ("rnd", "randread"), ("upd", "randwrite"))
LATENCY = "".join(f"{at * 100}, {at * 1000}, 0, 4096, 0, 0\n" for at in range(1, 41)).encode()
WRITES = "".join(f"{at * 100}, {at * 1000}, 1, 4096, 0, 0\n" for at in range(1, 41)).encode()
LOGS = {
    "seq_bw.1.log": LATENCY,
    "rnd_bw.2.log": LATENCY,
    "upd_bw.3.log": WRITES,
    "seq_lat.1.log": LATENCY,
    "rnd_clat.2.log": LATENCY,
    "rnd_iops.2.log": LATENCY,
    "upd_slat.3.log": WRITES,
}


@pytest.mark.parametrize("kind", ["time", "cdf", "histogram"])
@pytest.mark.parametrize(
    ("metric", "titles"),
    [
        ("read.throughput", ["Read throughput of a job: seq.1"]),
        ("read.latency", ["Time of a read of a job: seq.1"]),
        ("random_read.throughput", ["Read throughput of a job: rnd.2"]),
        ("random_read.latency", ["Time from submission to completion of a read: rnd.2"]),
        ("random_read.rate", ["Reads of a job: rnd.2"]),
        ("random_write.throughput", ["Write throughput of a job: upd.3"]),
        ("random_write.latency", []),
        ("random_write.rate", []),
        ("read.throughput&metric=read.rate", ["Read throughput of a job: seq.1"]),
    ],
)
def test_curves_are_of_the_quantity_the_operation_and_the_job_that_are_compared(client, tmp_path, kind, metric, titles):
    store_jobs(tmp_path, LOGS, *JOBS)
    query = f"metric={metric}&x=compression&control=off"
    curves = asked(client, kind, query)["curves"]
    assert [figure["title"] for figure in curves["figures"]] == titles
    page = client.get(f"/compare?{query}&kind={kind}").text
    assert ("Bars are drawn instead." in page) == (not titles)
    if "&" in metric:
        assert f"No numbers over time of {METRICS['read.rate'].label}." in curves["notes"]
    elif not titles:
        assert curves["notes"] == [
            f"Numbers over time stand beside these runs, but none of {METRICS[metric].label}. Bars are drawn instead."
        ]
        assert 'href="/series?run=' in page
        assert "none of " in client.get(f"/compare.svg?{query}&kind={kind}").text


@pytest.mark.parametrize("quantity", ["elapsed", "cpu", "size"])
def test_nothing_over_time_stands_for_what_has_no_course(quantity):
    known = set(SERIES_METRICS)
    assert not any(address.of_result(metric, "", known) for metric in METRICS.values() if metric.quantity == quantity)


def test_what_stands_for_a_result_is_of_its_quantity_and_direction():
    known = set(SERIES_METRICS)
    for metric in METRICS.values():
        for name in address.of_result(metric, "", known):
            assert name.endswith(f".{metric.quantity}")
            assert "write" not in name or "read" not in metric.operation
            assert "read" not in name or "write" not in metric.operation
