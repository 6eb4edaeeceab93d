"""Archives with runs and numbers over time -> what is drawn, named and left out; who sees it; the page and its files."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.urls import reverse

from webapp.models import Run, TimeSeries
from webapp.storage.tests.test_series import DD, IOSTAT, VMSTAT, read
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
START = "2026-11-24T13:06:58"
LONG = b"".join(f"{at * 10}, {(at * 7919) % 5000 + 1}, 1, 4096, 0\n".encode() for at in range(20_000))


def fio_log(values, step=100) -> bytes:
    return b"".join(f"{(at + 1) * step}, {value}, 1, 131072, 0\n".encode() for at, value in enumerate(values))


def drawn(client, query: str, status: int = 200) -> dict:
    answer = client.get(f"/series.json?{query}")
    assert answer.status_code == status, answer.text[:500]
    return json.loads(answer.content) if status == 200 else {}


@pytest.fixture
def run(tmp_path) -> Run:
    """A run of dd with iostat and vmstat beside it, both with times, begun two seconds before dd."""
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT, "run/vmstat.txt": VMSTAT}), public=True)
    Run.objects.update(started_at=START)
    return Run.objects.get()


@pytest.fixture
def repeated(tmp_path) -> list[Run]:
    """Three runs of one configuration, each with a log of fio in its folder."""
    files = {}
    for at, values in enumerate(([1024, 2048, 4096], [2048, 2048, 2048], [3072, 1024, 1024])):
        files |= {f"rep{at}/dd.txt": DD, f"rep{at}/log_bw.1.log": fio_log(values)}
    making.archive(records=read(tmp_path, files), public=True)
    return list(Run.objects.order_by("id"))


def test_a_run_is_drawn_from_its_start_with_its_phase(client, run):
    data = drawn(client, f"run={run.pk}&metric=disk.write.throughput&metric=cpu.user")
    assert {figure["kind"] for figure in data["figures"]} == {"time"}
    assert {figure["x"]["label"] for figure in data["figures"]} == {"s since the start of the run"}
    for figure in data["figures"]:
        assert figure["phases"] == [{"name": "transfer", "start": 0.0, "end": 5.4}] or figure["phases"][0]["end"] == 5.4
        assert figure["groups"] == []
    units = {figure["title"].split(":")[0]: figure["unit"] for figure in data["figures"]}
    assert len(set(units.values())) == 2  # throughput and shares, each in figures of its own


def test_the_points_are_those_of_the_output_and_lead_to_their_lines(client, run):
    row = TimeSeries.objects.filter(metric="cpu.user", tool="iostat").first()
    [figure] = drawn(client, f"run={run.pk}&metric=cpu.user&tool=iostat&from=-1000&to=1000")["figures"]
    [curve] = figure["curves"]
    lines = IOSTAT.decode().splitlines()
    assert curve["raw"] == f"/archives/{row.archive_id}/raw/run/iostat.txt"
    assert len(curve["v"]) == row.points
    for value, line in zip(curve["v"], curve["lines"], strict=True):
        assert f"{value:.2f}" in lines[line - 1]


def test_no_point_is_the_average_since_boot(client, run):
    data = drawn(client, f"run={run.pk}&metric=cpu.user&tool=vmstat&from=-1000&to=1000")
    [curve] = data["figures"][0]["curves"]
    assert len(curve["t"]) == TimeSeries.objects.get(metric="cpu.user", tool="vmstat").points
    assert VMSTAT.decode().splitlines()[2] and min(curve["lines"]) > 3


def test_a_window_has_its_points_alone(client, run):
    [figure] = drawn(client, f"run={run.pk}&metric=cpu.user&tool=iostat&from=0&to=6")["figures"]
    assert (figure["x"]["low"], figure["x"]["high"]) == (0, 6)
    assert all(0 <= time <= 6 for time in figure["curves"][0]["t"])


def test_unknown_clocks_are_said(client, run):
    Run.objects.update(started_at=None)
    TimeSeries.objects.update(started_at=None)
    data = drawn(client, f"run={run.pk}&metric=cpu.user")
    assert "tool’s output" in data["figures"][0]["x"]["label"]
    assert any("clocks" in note and "not known" in note for note in data["notes"])
    assert data["figures"][0]["phases"] == []


def test_runs_are_laid_over_each_other_and_named(client, repeated):
    query = "&".join(f"run={run.pk}" for run in repeated)
    [figure] = drawn(client, f"{query}&metric=io.write.throughput")["figures"]
    assert len(figure["curves"]) == len(figure["series"]) == 3
    assert {series["name"] for series in figure["series"]} == {run.file.path for run in repeated}
    assert [curve["v"] for curve in figure["curves"]] == [[1, 2, 4], [2, 2, 2], [3, 1, 1]]


def test_repetitions_make_a_band(client, repeated):
    query = "&".join(f"run={run.pk}" for run in repeated)
    data = drawn(client, f"{query}&metric=io.write.throughput&bands=configuration")
    [curve] = data["figures"][0]["curves"]
    assert (curve["v"], curve["low"], curve["high"], curve["n"]) == ([2, 2, 2], [1, 1, 1], [3, 2, 4], [3, 3, 3])
    assert any("median of the runs" in note and "n = 3" in note for note in data["notes"])


def test_thinning_is_named_and_keeps_the_extremes(client, tmp_path):
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/log_bw.1.log": LONG}), public=True)
    run = Run.objects.get()
    data = drawn(client, f"run={run.pk}&metric=io.write.throughput&from=0&to=200")
    [curve] = data["figures"][0]["curves"]
    assert curve["total"] == 20_000
    assert len(curve["t"]) <= 1200
    assert max(curve["v"]) == pytest.approx(5000 / 1024, rel=1e-5)
    assert any(re.match(r"1 of \d+ points \(.*\) drawn", note) for note in data["notes"])
    closer = drawn(client, f"run={run.pk}&metric=io.write.throughput&from=10&to=11")
    assert not any("drawn" in note for note in closer["notes"])


def test_gaps_stay_gaps(client, tmp_path):
    log = b"".join(f"{at}, 1024, 1, 4096, 0\n".encode() for at in (*range(100, 1000, 100), *range(5000, 6000, 100)))
    making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/log_bw.1.log": log}), public=True)
    data = drawn(client, f"run={Run.objects.get().pk}")
    [curve] = data["figures"][0]["curves"]
    assert curve["breaks"] == [9]
    assert any("1 gap" in note for note in data["notes"])


@pytest.mark.parametrize(
    "query", ["", "metric=cpu.user&scale=log", "metric=no.such&subject=x", "from=500&to=600", "bands=configuration"]
)
@pytest.mark.parametrize("ending", ["", ".svg", ".png", ".csv", ".json"])
def test_every_form_answers_any_query(client, run, query, ending):
    answer = client.get(f"/series{ending}?run={run.pk}&{query}")
    assert answer.status_code == 200
    assert answer.content


def test_a_figure_of_nothing_teaches(client, run):
    TimeSeries.objects.all().delete()
    text = client.get(f"/series?run={run.pk}").text
    assert "iostat -xt 1" in text
    assert "No run is chosen" in client.get("/series").text
    assert client.get(f"/series.pdf?run={run.pk}").status_code == 404


def test_the_csv_has_what_is_drawn(client, run):
    rows = list(csv.DictReader(io.StringIO(client.get(f"/series.csv?run={run.pk}&metric=cpu.user&tool=iostat").text)))
    [curve] = drawn(client, f"run={run.pk}&metric=cpu.user&tool=iostat")["figures"][0]["curves"]
    assert [(float(row["seconds"]), float(row["value"]), int(row["line"])) for row in rows] == [
        *zip(curve["t"], curve["v"], curve["lines"], strict=True)
    ]


def test_private_and_withdrawn_runs_stay_hidden(client, tmp_path):
    for public in (True, False):
        making.archive(records=read(tmp_path, {"run/dd.txt": DD, "run/iostat.txt": IOSTAT}), public=public)
    shown, hidden = Run.objects.order_by("id")
    drawn(client, f"run={hidden.pk}", status=404)
    for name in ("run-series", "run"):
        assert client.get(reverse(name, args=[hidden.pk])).status_code == 404
    assert client.get(f"/archives/{hidden.archive_id}/series?file=run/iostat.txt").status_code == 404
    data = drawn(client, f"run={shown.pk}&run={hidden.pk}")
    assert any(f"not public: run {hidden.pk}" in note for note in data["notes"])
    assert all(f"/archives/{shown.archive_id}/" in curve["raw"] for figure in data["figures"] for curve in figure["curves"])
    TimeSeries.objects.all()[0].file.__class__.objects.filter(path="run/iostat.txt").update(withdrawn=True)
    assert drawn(client, f"run={shown.pk}")["figures"] == []


def test_pages_lead_to_curves(client):
    archive = samples.received(samples.tar({"run/dd.txt": DD, "run/iostat.txt": IOSTAT}))
    run = Run.objects.get()
    page = client.get(reverse("run", args=[run.pk])).text
    assert f"/series?run={run.pk}" in page
    assert 'class="drawn"' in page
    assert client.get(reverse("run-series", args=[run.pk])).url == f"/series?run={run.pk}"
    for address in (f"/archives/{archive.pk}", f"/archives/{archive.pk}/raw/run/iostat.txt"):
        [found, *_] = re.findall(r'href="(/archives/\d+/series\?[^"]*)"', client.get(address).text)
        moved = client.get(found.replace("&amp;", "&"))
        assert moved.url.startswith(f"/series?run={run.pk}&metric=")
        assert client.get(moved.url).status_code == 200
    assert client.get(f"/archives/{run.archive_id}/series?file=none").status_code == 404


def test_print_files_draw_the_same_figure(client, run, settings, tmp_path):
    settings.POOLMARK_DATA = str(tmp_path)
    pdf = client.get(f"/series.pdf?run={run.pk}&metric=cpu.user&tool=iostat&width=88")
    assert (pdf.status_code, pdf.content[:5]) == (200, b"%PDF-")
    assert client.get(f"/series.pdf?run={run.pk}&width=9000").status_code == 400
    for place in ("/series", "/series/distribution"):
        gone = client.get(f"{place}.tex?run={run.pk}&metric=cpu.user&font=serif")
        assert gone.status_code == 410 and f"{place}.pdf?run={run.pk}&amp;metric=cpu.user&amp;font=serif is the same" in gone.text
    part = client.get(f"/series.pdf?run={run.pk}&metric=cpu.user&part=1")
    assert part.status_code == 400 and "There is no part 1 of this figure" in part.text
