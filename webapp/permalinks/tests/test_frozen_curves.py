"""Curves and distributions as permalinks: what the record holds, its files, and the check of its bundle."""

from __future__ import annotations

import csv
import io
import json

import pytest

from webapp.curves.tests.test_compared import dd, log
from webapp.models import File, Permalink, Run
from webapp.permalinks.bundles import permalink_bundle, verify
from webapp.storage.tests.test_series import read
from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(tmp_path) -> list[Run]:
    """Two repetitions of dd on each of two configurations, with a log of fio beside each."""
    for name, first in (("lz4", 1000), ("off", 5000)):
        folder = tmp_path / name
        folder.mkdir()
        files = {"zfs.txt": f"# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  compression  {name}  local\n".encode()}
        for at in range(2):
            files |= {f"rep{at}/dd.txt": dd(first / 1000 + 10 + at), f"rep{at}/log_bw.1.log": log(first + 100 * at)}
        making.archive(records=read(folder, files), public=True)
    return list(Run.objects.order_by("id"))


QUERY = "metric=write.throughput&x=compression&control=off"


def frozen(client, address: str, fields: dict) -> tuple[Permalink, dict]:
    answer = client.post(address, {"title": "Curves", **fields})
    assert answer.status_code == 302, answer.content.decode()[:2000]
    link = Permalink.objects.get()
    return link, json.loads(bytes(link.record))


@pytest.mark.parametrize("kind", ["time", "histogram"])
def test_a_comparison_keeps_its_curves_beside_its_values(ann, runs, kind):
    link, told = frozen(ann, "/compare/freeze", {"query": f"{QUERY}&kind={kind}"})
    live = json.loads(ann.get(f"/compare.json?{QUERY}&kind={kind}").content)["curves"]
    assert [figure["kind"] for figure in told["figures"]] == [kind]
    assert [curve["v"] for curve in told["figures"][0]["curves"]] == [curve["v"] for curve in live["figures"][0]["curves"]]
    assert len(told["values"]) == 4 and len(told["panels"]) == 1
    logs = set(File.objects.filter(path__endswith=".log").values_list("path", flat=True))
    assert logs <= {file["path"] for file in told["files"].values()}
    assert permalink_bundle.check_permalink(link)[:2] == ([], 4)


def test_the_table_of_points_follows_from_the_record_and_a_changed_point_is_found(ann, runs, tmp_path):
    link, told = frozen(ann, "/series/freeze", {"query": f"run={runs[0].pk}&run={runs[2].pk}", "kind": "time"})
    assert {value["run"] for value in told["values"]} == {runs[0].pk, runs[2].pk}
    folder = tmp_path / "bundle"
    for path, data, _ in permalink_bundle.unzip_bundle(link):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    rows = list(csv.DictReader(io.StringIO((folder / "points.csv").read_bytes().decode())))
    points = [row for row in rows if row["mark"] == "point"]
    curves = told["figures"][0]["curves"]
    assert [float(row["value"]) for row in points] == [value for curve in curves for value in curve["v"]]
    assert [int(row["line"]) for row in points] == [line for curve in curves for line in curve["lines"]]
    assert {told["files"][row["file"]]["path"] for row in points} == {"rep0/log_bw.1.log"}
    made = verify.made_anew(told, link.digest)
    assert made["points.csv"] == (folder / "points.csv").read_bytes()
    curves[0]["v"][3] += 1
    assert verify.made_anew(told, link.digest)["points.csv"] != made["points.csv"]
    assert verify.check_bundle(str(folder), "")[0] == []


@pytest.mark.parametrize("kind", ["time", "cdf", "percentiles"])
def test_every_file_is_there(ann, runs, kind):
    fields = {"query": "&".join(f"run={run.pk}" for run in runs), "kind": kind}
    if kind == "percentiles":
        assert ann.post("/series/freeze", fields).status_code == 302  # no percentiles: the values of the runs are frozen
        return
    link, _ = frozen(ann, "/series/freeze", fields)
    page = ann.get(f"/p/{link.pk}")
    assert page.status_code == 200
    assert ("figure-canvas-time" in page.content.decode()) == (kind == "time")
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("json", b"{"), ("csv", b"value_number")):
        answer = ann.get(f"/p/{link.pk}.{ending}")
        assert answer.status_code == 200 and answer.content.startswith(start), (ending, answer.content[:80])
    assert rb"\addplot" in ann.get(f"/p/{link.pk}.tex?form=figure").content
    assert ann.get(f"/p/{link.pk}/figure.py").status_code == 400


def test_runs_that_cannot_be_read_are_not_frozen(ann, client, tmp_path):
    making.archive(records=read(tmp_path, {"dd.txt": dd(5.0), "log_bw.1.log": log(1)}), public=False, owner=making.user("other"))
    assert ann.post("/series/freeze", {"query": f"run={Run.objects.get().pk}"}).status_code == 404
    assert not Permalink.objects.exists()
