"""Series become rows of few bytes, come back exactly, and belong to the runs that they overlap or stand beside."""

from __future__ import annotations

import io
import json
import random
import tarfile
from operator import itemgetter

import pytest
from django.core.management import call_command
from django.urls import reverse

import ingest
from ingest.pipeline.side_by_side import RecordWriter
from ingest.records import SeriesRecord
from ingest.tests.samples import FOLDER
from webapp.models import Run, SeriesConfiguration, TimeSeries
from webapp.storage import load, series
from webapp.tests import making

pytestmark = pytest.mark.django_db
IOSTAT = (FOLDER / "iostat" / "x-t-m.txt").read_bytes()
VMSTAT = (FOLDER / "vmstat" / "t.txt").read_bytes()
DD = b"# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1073741824 bytes (1.1 GB) copied, 5.4 s, 199 MB/s\n"


def read_points(row: TimeSeries) -> series.StoredPoints:
    """All points of a series."""
    times, values, lines = list[float](), list[float](), list[int]()
    has_times = True
    for block in series.iter_blocks(row):
        has_times = block.t is not None
        times += block.t or ()
        values += block.v
        lines += block.lines
    return series.StoredPoints(times if has_times else None, values, lines)


def read(folder, files: dict[str, bytes]) -> list:
    path = folder / "upload.tar"
    with tarfile.open(path, "w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return list(ingest.read([path], names={str(path): "upload.tar"}))


def points(record: SeriesRecord) -> tuple[list | None, list, list]:
    times, values, lines = [], [], []
    for chunk in record.chunks():
        times, values, lines = (None if chunk[0] is None else times + chunk[0]), values + chunk[1], lines + chunk[2]
    return times, values, lines


def stored(row: TimeSeries) -> tuple[list | None, list, list]:
    found = read_points(row)
    return found.t, found.v, found.lines


def test_every_series_of_the_samples_comes_back_exactly(tmp_path):
    names = (
        "sar/cpu-memory-queue.txt",
        "iostat/without-clock.txt",
        "zpool-iostat/latencies-of-two-pools.txt",
        "fio-logs/log_bw.1.log",
    )
    records = read(tmp_path, {name: (FOLDER / name).read_bytes() for name in names})
    making.archive(records=records)
    rows = list(TimeSeries.objects.select_related("file", "configuration").order_by("id"))
    wanted = [record for record in records if isinstance(record, SeriesRecord)]
    assert len(rows) == len(wanted) > 100
    for row, record in zip(rows, wanted, strict=True):
        assert stored(row) == points(record)
        assert (row.file.path, row.first_line, row.tool, row.metric, row.subject, row.unit, row.started_at) == (
            record.file,
            record.line,
            record.tool,
            record.metric,
            record.subject,
            record.unit,
            record.started_at,
        )
        assert (row.configuration.config, row.configuration.config_from) == (dict(record.config), dict(record.config_from))
        assert row.points == len(points(record)[1])


def test_rereading_replaces_and_deleting_removes_them(tmp_path):
    archive = making.archive(records=read(tmp_path, {"iostat.txt": IOSTAT, "vmstat.txt": VMSTAT}))
    count = TimeSeries.objects.count()
    load.store(archive.pk, read(tmp_path, {"iostat.txt": IOSTAT}))
    assert 0 < TimeSeries.objects.count() < count
    load.delete(archive.pk)
    assert (TimeSeries.objects.count(), SeriesConfiguration.objects.count()) == (0, 0)


def test_many_series_are_spilled(tmp_path, monkeypatch):
    monkeypatch.setattr("webapp.storage.series.MAX_IN_MEMORY", 100)
    records = read(tmp_path, {"iostat.txt": IOSTAT})
    making.archive(records=records)
    wanted = [points(record) for record in records if isinstance(record, SeriesRecord)]
    assert [stored(row) for row in TimeSeries.objects.order_by("id")] == wanted


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("run/dd.txt", "run/iostat.txt"), {"run/iostat.txt"}),
        (("run/dd.txt", "other/iostat.txt"), set()),
        (("run/off.dd.txt", "run/off.iostat.txt", "run/lz4.iostat.txt", "run/lz4.dd.txt"), {"run/off.iostat.txt"}),
        (("a/dd.txt", "iostat.txt"), {"iostat.txt"}),
        (("dd.txt", "a/iostat.txt"), set()),
    ],
)
def test_series_without_a_common_time_stand_beside_the_nearest_run(tmp_path, files, found):
    making.archive(records=read(tmp_path, {name: DD if "dd" in name else IOSTAT for name in files}))
    run = Run.objects.select_related("file", "configuration").get(file__path=files[0])
    assert {row.file.path for row in series.for_run(run)} == found


@pytest.mark.parametrize(
    ("started", "is_found"),
    [("2026-11-24T13:07:01", True), ("2026-11-24T13:06:57", True), ("2026-11-24T12:00:00", False), ("2026-11-24T13:08:00", False)],
)
def test_series_belong_to_the_runs_that_they_overlap(tmp_path, started, is_found):
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "logs/iostat.txt": IOSTAT}))
    Run.objects.update(started_at=started)
    run = Run.objects.select_related("file", "configuration").get()
    assert bool(series.for_run(run)) is is_found


def test_pages_list_them_and_data_is_streamed(tmp_path, client):
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT}), public=True)
    run = Run.objects.get()
    page = client.get(reverse("run", args=[run.pk])).content.decode()
    assert "disk.read.throughput" in page and f"/runs/{run.pk}/series.csv" in page
    assert "disk.read.throughput" in client.get(reverse("archive", args=[run.archive_id])).content.decode()
    answer = client.get(reverse("run-series-json", args=[run.pk]))
    assert answer["ETag"] and answer["Content-Type"] == "application/json"
    data = json.loads(b"".join(answer.streaming_content))
    assert {one["metric"] for one in data["series"]} >= {"cpu.user", "disk.util"}
    util = next(one for one in data["series"] if one["metric"] == "disk.util")
    assert (util["t"], util["v"], util["lines"], util["subject"]) == ([0.0, 1.0], [16.8, 4.0], [16, 24], "vda")
    rows = b"".join(client.get(reverse("run-series-csv", args=[run.pk])).streaming_content).decode().split("\r\n")
    assert rows[0] == "tool,metric,subject,unit,started_at,t,v,file,line"
    assert "iostat,disk.util,vda,%,2026-11-24T13:07:00,1.0,4.0,run/iostat.txt,24" in rows
    not_modified = client.get(reverse("run-series-csv", args=[run.pk]), headers={"If-None-Match": answer["ETag"]})
    assert not_modified.status_code in (200, 304)


def exported() -> list[dict]:
    text = io.StringIO()
    call_command("export", format="series", stdout=text)
    return [json.loads(line) for line in text.getvalue().splitlines()]


def test_the_export_in_the_record_format_says_what_ingest_prints(tmp_path):
    archive = making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT}), public=True)
    out = io.BytesIO()
    RecordWriter().write(read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT}), out)
    printed = [record for line in out.getvalue().splitlines() if (record := json.loads(line))["type"] == "series"]
    found = exported()
    assert {one.pop("archive") for one in found} == {archive.pk}
    key = itemgetter("file", "line", "metric", "subject")
    assert sorted(found, key=key) == sorted(printed, key=key) and found


def test_series_of_private_archives_are_not_exported(tmp_path):
    making.archive(records=read(tmp_path, {"run/iostat.txt": IOSTAT}))
    assert exported() == []


def test_series_of_private_archives_are_seen_by_nobody_else(tmp_path, client):
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT}))
    run = Run.objects.get()
    assert client.get(reverse("run-series-csv", args=[run.pk])).status_code == 404
    assert client.get(reverse("run-series-json", args=[run.pk])).status_code == 404


@pytest.mark.thorough
def test_a_million_points_take_three_megabytes(tmp_path):
    chance = random.Random(7)
    log = "".join(f"{at}, {chance.randint(80_000, 180_000)}, 0, 4096\n" for at in range(1_000_000))
    making.archive(records=read(tmp_path, {"run_bw.1.log": log.encode()}))
    (row,) = TimeSeries.objects.all()
    assert row.points == 1_000_000
    assert len(row.times) + len(row.values) + len(row.lines) <= 3_000_000
    found = read_points(row)
    assert found.t[-1] == 999.999 and found.lines[-1] == 1_000_000 and found.v[0] == int(log[3 : log.index(",", 3)]) * 1024


@pytest.mark.parametrize("text", ["9999-12-31T23:59:58", "0001-01-01T00:00:00+00:00", "2026-11-24", "noon", "", None])
def test_a_moment_that_no_benchmark_had_is_none(text):
    assert series.parse_moment(text) is None


def test_seconds_beyond_any_run_are_bounded():
    noon = series.parse_moment("2026-11-24T12:00:00")
    assert (series.add_seconds(noon, 7) - noon).total_seconds() == 7
    assert series.add_seconds(noon, 1e300) > noon > series.add_seconds(noon, -1e300)


JOB = """{job}: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

{job}: (groupid=0, jobs=1): err= 0: pid=1: Sat Nov 21 10:00:00 2026
  read: IOPS=1000, BW=3.9MiB/s (4.1MB/s)(39MiB/10001msec)
"""
TWO_JOBS = JOB.format(job="seq") + JOB.format(job="rnd").split("\n\n")[1].replace("pid=1", "pid=2")
LOG = b"".join(b"%d, %d, 0, 4096, 0\n" % (at * 100, at * 10) for at in range(1, 41))


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"fio.txt": JOB.format(job="seq"), "rnd_bw.1.log": LOG}, {"fio.txt": []}),
        ({"fio.txt": JOB.format(job="seq"), "seq_bw.log": LOG, "rnd_bw.1.log": LOG}, {"fio.txt": ["seq"]}),
        ({"fio.txt": JOB.format(job="seq"), "seq_bw.1.log": LOG, "seq_bw.2.log": LOG}, {"fio.txt": ["seq.1", "seq.2"]}),
        ({"fio.txt": JOB.format(job="seq"), "log_bw.1.log": LOG}, {"fio.txt": ["log.1"]}),
        ({"nvme-read.txt": JOB.format(job="seq"), "read_bw.1.log": LOG}, {"nvme-read.txt": ["read.1"]}),
        (
            {"a.txt": JOB.format(job="seq"), "b.txt": JOB.format(job="rnd"), "seq_bw.1.log": LOG},
            {"a.txt": ["seq.1"], "b.txt": []},
        ),
        ({"fio.txt": TWO_JOBS, "seq_bw.1.log": LOG, "rnd_bw.2.log": LOG, "upd_bw.3.log": LOG}, {"fio.txt": ["rnd.2", "seq.1"]}),
        ({"dd.txt": DD.decode(), "fio.txt": JOB.format(job="seq"), "seq_bw.1.log": LOG}, {"dd.txt": [], "fio.txt": ["seq.1"]}),
        (
            {"a/fio.txt": JOB.format(job="seq"), "b/fio.txt": JOB.format(job="rnd"), "b/rnd_bw.1.log": LOG},
            {"a/fio.txt": [], "b/fio.txt": ["rnd.1"]},
        ),
    ],
    ids=[
        "another job",
        "no number",
        "two threads",
        "no job",
        "named as the file",
        "each its own",
        "a group of two",
        "dd",
        "folders",
    ],
)
def test_a_log_of_fio_is_of_the_run_of_its_job_alone(tmp_path, files, found):
    making.archive(
        records=read(tmp_path, {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()})
    )
    runs = list(Run.objects.select_related("file", "configuration"))
    subjects: dict[str, list[str]] = {run.file.path: [] for run in runs}
    for run, rows in series.for_runs(runs).items():
        path = next(one.file.path for one in runs if one.pk == run)
        subjects[path] += [row.subject for row in rows]
    assert {path: sorted(some) for path, some in subjects.items()} == found


def _fio(*jobs: tuple[str, int]) -> str:
    """An output of these jobs (name, threads reported together)."""
    head, result = JOB.format(job="seq").split("\n\n")
    results = [
        result.replace("seq", name).replace("jobs=1", f"jobs={threads}").replace("pid=1", f"pid={at}").replace("1000,", f"100{at},")
        for at, (name, threads) in enumerate(jobs, 1)
    ]
    return f"{head}\n\n{''.join(results)}"


@pytest.mark.parametrize(
    ("output", "logs", "found"),
    [
        (_fio(("seq", 1), ("rnd", 1)), "p.1 p.2", {"seq": ["p.1"], "rnd": ["p.2"]}),
        (_fio(("seq", 1), ("rnd", 1)), "seq.1 seq.2", {"seq": ["seq.1"], "rnd": ["seq.2"]}),
        (_fio(("seq", 2), ("rnd", 1)), "p.1 p.2 p.3", {"seq": ["p.1", "p.2"], "rnd": ["p.3"]}),
        (_fio(("seq", 2), ("rnd", 1)), "seq.1 seq.2 rnd.3", {"seq": ["seq.1", "seq.2"], "rnd": ["rnd.3"]}),
        (_fio(("seq", 1), ("seq", 1), ("rnd", 1)), "seq.1 seq.2 rnd.3", {"seq": ["seq.1"], "seq 2": ["seq.2"], "rnd": ["rnd.3"]}),
        (_fio(("seq", 1), ("rnd", 1)), "p", {"all jobs": ["p"]}),
        (_fio(("seq", 1), ("rnd", 1)), "log", {"all jobs": ["log"]}),
        (_fio(("rnd", 4)), "p.1 p.2 p.3 p.4", {"rnd": ["p.1", "p.2", "p.3", "p.4"]}),
        (_fio(("rnd", 4)), "other.1", {}),
        (_fio(("seq", 1), ("rnd", 1)), "seq.1 rnd.2 upd.3", {"seq": ["seq.1"], "rnd": ["rnd.2"]}),
        (_fio(("seq", 1), ("rnd", 1)), "seq.1 seq.2 rnd.3", {"seq": ["seq.1", "seq.2"], "rnd": ["rnd.3"]}),
        (_fio(("seq", 1), ("seq_2", 1)), "seq.1 seq_2.2", {"seq": ["seq.1"], "seq_2": ["seq_2.2"]}),
    ],
    ids=[
        "one prefix",
        "a prefix that is a job's name",
        "threads reported together",
        "names and threads",
        "two results of one name",
        "one log of all jobs",
        "one log of all jobs without a name",
        "threads of one job",
        "a log of another job",
        "a log of a third job",
        "more threads than the output shows",
        "a name within another",
    ],
)
def test_numbers_in_the_names_of_logs_are_those_of_threads(tmp_path, output, logs, found):
    files = {"fio.txt": output.encode()} | {
        f"{'_bw.'.join(name.split('.')) if '.' in name else f'{name}_bw'}.log": LOG for name in logs.split()
    }
    making.archive(records=read(tmp_path, files))
    runs = list(Run.objects.select_related("file", "configuration").order_by("pk"))
    subjects: dict[str, list[str]] = {}
    for run in runs:
        job = run.details["job"]
        subjects[f"{job} 2" if job in subjects else job] = sorted(row.subject for row in series.for_run(run))
    assert {job: some for job, some in subjects.items() if some} == found
