"""The page of distributions: what is counted, drawn and said of the points of fio's logs."""

from __future__ import annotations

import csv
import io
import json
import tarfile

import pytest
from django.urls import reverse

import ingest
from webapp.curves import percentiles
from webapp.models import Run
from webapp.tests import making

pytestmark = pytest.mark.django_db
FIO = """randread: (groupid=0, jobs=1): err= 0: pid=1: Tue Nov 24 18:11:43 2026
  read: IOPS={iops}, BW=11.7MiB/s (12.3MB/s)(70.3MiB/{seconds}001msec)
    clat percentiles (usec):
     | 50.000th=[   {p50}], 95.000th=[  873], 99.000th=[ {p99}]
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
"""


def fio(depth: int, iops: int, p50: int, p99: int, seconds: int = 6) -> str:
    head = f"randread: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}\n"
    return f"{head}fio-3.33\nStarting 1 process\n\n" + FIO.format(iops=iops, p50=p50, p99=p99, seconds=seconds)


@pytest.fixture
def upload(tmp_path):
    def store(files: dict[str, str], public: bool = True) -> list[Run]:
        path = tmp_path / "upload.tar"
        with tarfile.open(path, "w") as tar:
            for name, text in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
        making.archive(records=list(ingest.read([path], names={str(path): "upload.tar"})), public=public)
        return list(Run.objects.order_by("id"))

    return store


def log(latencies: list[int], step: int = 10) -> str:
    return "".join(f"{at * step}, {value}, 0, 4096, 0\n" for at, value in enumerate(latencies))


LATENCIES = [1000 * (at % 100 + 1) for at in range(600)]  # ns: 1 to 100 us, each six times


def test_the_cumulative_distribution_and_its_quantiles_are_exact(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    data = client.get(reverse("distribution-json"), {"run": run.pk, "metric": "io.read.latency"}).json()
    ((row,),) = data["tables"]
    assert (row["n"], row["lowest"], row["highest"]) == (600, 1.0, 100.0)
    assert row["quantiles"] == {"0.5": 50.0, "0.9": 90.0, "0.95": 95.0, "0.99": 99.0, "0.999": 100.0}
    (figure,) = data["figures"]
    (curve,) = figure["curves"]
    assert (figure["kind"], figure["x"]["label"], curve["total"]) == ("cdf", "\u00b5s", 600)
    at = dict(zip(curve["t"], curve["v"], strict=True))
    assert [at[value] for value in (1.0, 50.0, 99.0, 100.0)] == [1, 50, 99, 100]


def test_a_histogram_counts_every_point_once(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    query = {"run": run.pk, "metric": "io.read.latency", "kind": "histogram"}
    text = client.get(reverse("distribution-csv"), query).content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    steps = [float(row["share_percent"]) for row in rows][1:-1:2]
    assert sum(steps) == pytest.approx(100)
    assert {row["points"] for row in rows} == {"600"} and rows[0]["x_unit"] == "\u00b5s"


def test_only_points_of_the_time_that_is_asked_for_count(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    query = {"run": run.pk, "metric": "io.read.latency", "from": "1", "to": "1.99"}
    data = client.get(reverse("distribution-json"), query).json()
    assert data["tables"][0][0]["n"] == 100
    assert "Points from 1 s to 1.99 s." in data["notes"]


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (12, "cannot tell: 0 rounds of 12 s, at least 5 are needed"),
        (1, "steady from 0 to 6 s"),
        (0.05, "not reached in 120 rounds"),
    ],
)
def test_it_says_whether_a_series_is_steady(upload, client, rounds, said):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    data = client.get(reverse("distribution-json"), {"run": run.pk, "metric": "io.read.latency", "round": rounds}).json()
    assert data["tables"][0][0]["steady_state"] == said


def test_percentiles_lie_over_the_queue_depth_or_the_rate(upload, client):
    runs = upload({f"qd{depth}/fio.txt": fio(depth, 1000 * depth, 40 + depth, 1000 * depth) for depth in (1, 4, 16)})
    query = {"run": [run.pk for run in runs], "kind": "percentiles"}
    data = client.get(reverse("distribution-json"), query).json()
    (figure,) = data["figures"]
    assert (figure["kind"], figure["x"]["label"], figure["x"]["numbers"]) == ("lines", "Queue depth", [1, 4, 16])
    assert [series["name"] for series in figure["series"]] == ["p50", "p95", "p99"]
    assert [mark["center"] for mark in figure["groups"] if mark["series"] == 2] == pytest.approx([1.0, 4.0, 16.0])
    (figure,) = client.get(reverse("distribution-json"), query | {"load": percentiles.RATE}).json()["figures"]
    assert figure["x"]["numbers"] == [1000, 4000, 16000]
    text = client.get(reverse("distribution-csv"), query).content.decode()
    assert len(text.splitlines()) == 10 and "/raw/qd" in text


def test_the_page_has_the_picture_the_table_and_every_file(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    for kind in ("cdf", "histogram", "percentiles"):
        query = {"run": run.pk, "metric": "io.read.latency", "kind": kind, "scale": "log"}
        page = client.get(reverse("distribution"), query)
        assert page.status_code == 200 and b"<svg" in page.content
        assert b"SNIA SSS PTS 2.0.2" in page.content or kind == "percentiles"
        for ending in ("svg", "png", "csv", "json"):
            answer = client.get(reverse(f"distribution-{ending}"), query)
            assert answer.status_code == 200 and len(answer.content) > 100
            assert (
                client.get(reverse(f"distribution-{ending}"), query, headers={"If-None-Match": answer["ETag"]}).status_code == 304
            )


def test_what_is_not_understood_is_named(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)})
    page = client.get(reverse("distribution"), {"run": run.pk, "kind": "pie", "round": "-1", "load": "x", "colour": "red"})
    text = page.content.decode()
    for sentence in ("There is no kind=pie", "round=-1 is not a number of seconds", "There is no load=x", "There is no parameter"):
        assert sentence in text


def test_runs_of_private_archives_are_seen_by_nobody_else(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737), "a/randread_lat.1.log": log(LATENCIES)}, public=False)
    for name in ("", "-svg", "-png", "-csv", "-json"):
        assert client.get(reverse(f"distribution{name}"), {"run": run.pk}).status_code == 404


def test_a_page_without_runs_or_numbers_says_what_to_do(upload, client):
    (run,) = upload({"a/fio.txt": fio(1, 3000, 46, 2737)})
    assert "No run is chosen" in client.get(reverse("distribution")).content.decode()
    assert "--write_lat_log" in client.get(reverse("distribution"), {"run": run.pk}).content.decode()
    assert json.loads(client.get(reverse("distribution-json"), {"run": run.pk}).content)["figures"] == []


JOB = FIO.replace("randread:", "{job}:")


def jobs(*rows: tuple[str, int, int], depth: int = 4) -> str:
    """An output of several jobs of random reads, each with its own (name, p50, p99)."""
    heads = "".join(
        f"{name}: (g={at}): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}\n"
        for at, (name, *_) in enumerate(rows)
    )
    results = "".join(
        JOB.format(job=name, iops=3000, p50=p50, p99=p99, seconds=6).replace("groupid=0", f"groupid={at}")
        for at, (name, p50, p99) in enumerate(rows)
    )
    return f"{heads}fio-3.33\nStarting {len(rows)} processes\n\n{results}"


def test_the_profile_of_repetitions_is_one_line_with_their_range(upload, client):
    runs = upload({f"a/rep{at}.txt": fio(4, 3000 + at, 40 + at, 2000 + 100 * at) for at in range(3)})
    query = {"run": [run.pk for run in runs], "kind": "percentiles", "load": "profile"}
    (figure,) = client.get(reverse("distribution-json"), query).json()["figures"]
    assert figure["x"]["values"] == ["p50", "p95", "p99"] and figure["x"]["numbers"] == [0.30103, 1.30103, 2.0]
    assert figure["x"]["ticks"] == [[0.30103, "50 %"], [1.0, "90 %"], [2.0, "99 %"]]
    [*_, tail] = figure["groups"]
    assert {mark["n"] for mark in figure["groups"]} == {3} and len(figure["series"]) == 1
    assert (tail["low"], tail["center"], tail["high"]) == pytest.approx((2.0, 2.1, 2.2)) and len(tail["points"]) == 3
    assert "whiskers: lowest to highest" in figure["notes"][0]


def test_jobs_of_one_output_are_lines_of_their_own(upload, client):
    runs = upload({"a/fio.txt": jobs(("slow", 90, 9000), ("fast", 40, 2000))})
    query = {"run": [run.pk for run in runs], "kind": "percentiles", "load": "profile"}
    data = client.get(reverse("distribution-json"), query).json()
    (figure,) = data["figures"]
    assert {mark["n"] for mark in figure["groups"]} == {1}
    ends = {figure["series"][mark["series"]]["name"]: mark["center"] for mark in figure["groups"] if mark["x"] == 2}
    assert ends == {"slow": 9.0, "fast": 2.0}


def test_a_single_load_is_drawn_as_a_profile_and_refused_over_the_depth(upload, client):
    (run,) = upload({"a/fio.txt": fio(4, 3000, 40, 2000)})
    page = client.get(reverse("run", args=[run.pk])).text
    assert f"kind=percentiles&amp;load=profile&amp;run={run.pk}" in page
    (figure,) = client.get(reverse("distribution-json"), {"run": run.pk, "kind": "percentiles"}).json()["figures"]
    assert figure["x"]["label"] == "Percentile" and len(figure["groups"]) == 3
    refused = client.get(reverse("distribution-json"), {"run": run.pk, "kind": "percentiles", "load": "depth"}).json()
    assert refused["figures"] == [] and "these runs have no two values of queue depth" in refused["notes"][-1]
