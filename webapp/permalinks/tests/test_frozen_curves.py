"""Curves and distributions as permalinks: what the record holds, its files, and the check of its bundle."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from webapp.curves.address import CurveQuery
from webapp.curves.comparisons import draw_runs
from webapp.curves.queries import read_runs
from webapp.curves.tests.test_compared import OF_DEPTHS, dd, log, store_depths
from webapp.curves.tests.test_distributions_page import fio
from webapp.formats.canonical import canonical_json
from webapp.http import isolation
from webapp.models import Archive, Collection, DataVersion, File, Permalink, Run
from webapp.permalinks import freeze, record_figures, sources
from webapp.permalinks.bundles import permalink_bundle, verify
from webapp.storage import withdrawals
from webapp.storage.tests.test_series import read
from webapp.tests import frozen as tests_frozen
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


@pytest.fixture
def depths(tmp_path) -> list[Run]:
    return store_depths(tmp_path)


QUERY = "metric=write.throughput&x=compression&control=off"


def frozen(client, address: str, fields: dict) -> tuple[Permalink, dict]:
    answer = client.post(address, {"title": "Curves", **fields})
    assert answer.status_code == 302, answer.content.decode()[:2000]
    link = Permalink.objects.get()
    return link, json.loads(bytes(link.record))


def unpacked(link, tmp_path) -> Path:
    folder = tmp_path / "bundle"
    for path, data, _ in permalink_bundle.unzip_bundle(link):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


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
    folder = unpacked(link, tmp_path)
    rows = list(csv.DictReader(io.StringIO((folder / "points.csv").read_bytes().decode())))
    points = [row for row in rows if row["mark"] == "point"]
    curves = told["figures"][0]["curves"]
    assert [float(row["value"]) for row in points] == [value for curve in curves for value in curve["v"]]
    assert [int(row["line"]) for row in points] == [line for curve in curves for line in curve["lines"]]
    assert {told["files"][row["file"]]["path"] for row in points} == {"rep0/log_bw.1.log"}
    assert {row["x_unit"] for row in points} == {"s"}
    made = verify.made_anew(told, link.digest)
    assert made["points.csv"] == (folder / "points.csv").read_bytes()
    curves[0]["v"][3] += 1
    assert verify.made_anew(told, link.digest)["points.csv"] != made["points.csv"]
    assert verify.check_bundle(str(folder), "")[0] == []


@pytest.mark.parametrize(("kind", "canvas"), [("time", "time"), ("cdf", ""), ("percentiles", "lines"), ("load", "scatter")])
def test_every_file_is_there(ann, runs, depths, kind, canvas):
    drawn = depths if kind in ("percentiles", "load") else runs
    link, told = frozen(ann, "/series/freeze", {"query": "&".join(f"run={run.pk}" for run in drawn), "kind": kind})
    assert [figure["kind"] for figure in told["figures"]] == [canvas or kind]
    page = ann.get(f"/p/{link.pk}")
    assert page.status_code == 200
    assert [name for name in ("time", "lines", "scatter") if f"figure-canvas-{name}" in page.text] == ([canvas] if canvas else [])
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("json", b"{"), ("csv", b"value_number")):
        answer = ann.get(f"/p/{link.pk}.{ending}")
        assert answer.status_code == 200 and answer.content.startswith(start), (ending, answer.content[:80])
    assert rb"\includegraphics" in ann.get(f"/p/{link.pk}.tex?form=figure").content


def test_runs_that_cannot_be_read_are_not_frozen(ann, client, tmp_path):
    making.archive(records=read(tmp_path, {"dd.txt": dd(5.0), "log_bw.1.log": log(1)}), public=False, owner=making.user("other"))
    assert ann.post("/series/freeze", {"query": f"run={Run.objects.get().pk}"}).status_code == 404
    assert not Permalink.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        f"{OF_DEPTHS}&kind=percentiles",
        f"{OF_DEPTHS}&kind=load&aggregate=p99",
        "metric=random_read.latency&x=aggregate&series=iodepth&kind=lines&scale=log&control=off",
    ],
    ids=["over load", "load-latency", "profile"],
)
def test_frozen_percentiles_pass_the_check_of_their_bundle(ann, depths, tmp_path, capsys, query):
    link, told = frozen(ann, "/compare/freeze", {"query": query})
    assert len(told["figures"]) == len(told["panels"]) == 1 and told["figures"][0]["groups"]
    tests_frozen.with_plain_pictures(link)
    folder = unpacked(link, tmp_path)
    digest = verify.digest_of(folder / "manifest.json")
    assert verify.main([digest, str(folder)]) == verify.COVERED, capsys.readouterr().out
    assert permalink_bundle.check_permalink(link)[0] == []
    made = tmp_path / "collection"
    place = made / verify.place_of(1, {"id": link.pk})
    place.parent.mkdir(parents=True)
    shutil.copytree(folder, place)
    (made / "collection.json").write_text(json.dumps({"figures": [{"id": link.pk, "digest": link.digest}]}))
    assert verify.check_figures(str(made))[0] == []


@pytest.mark.parametrize("kind", ["time", "cdf", "percentiles"])
def test_a_figure_beside_the_values_is_marked_and_known_without_the_mark_too(ann, runs, depths, kind):
    """Records frozen before there was a mark have none."""
    _, told = frozen(ann, "/compare/freeze", {"query": f"{OF_DEPTHS if kind == 'percentiles' else QUERY}&kind={kind}"})
    assert [figure.pop("beside") for figure in told["figures"]] == [True]
    assert verify.figure_problems(told) == []
    assert freeze.Draft(told, 0, []).beside >= {"percentiles" if kind == "percentiles" else "curves"}


@pytest.mark.parametrize("legend", ["Compression", "Percentile"])
def test_the_server_finds_a_drawn_centre_that_no_group_has(ann, runs, legend):
    """The names of dimensions are the archive's: one may be called as the percentiles over load are."""
    link, told = frozen(ann, "/compare/freeze", {"query": QUERY})
    assert permalink_bundle.check_permalink(link)[0] == []
    told["figures"][0]["legend"] = legend
    told["figures"][0]["groups"][0]["center"] *= 1.5
    forged = Permalink(pk=link.pk, record=canonical_json(told), digest=link.digest)
    assert any("no group has the drawn centre" in problem for problem in permalink_bundle.check_permalink(forged)[0])


def test_curves_of_runs_without_a_value_are_not_frozen(ann, runs):
    withdrawals.withdraw_file(runs[0].archive_id, "rep0/dd.txt", "The disk was broken.", making.user("ann"))
    answer = ann.post("/series/freeze", {"query": f"run={runs[0].pk}", "kind": "time"})
    assert answer.status_code == 400 and "None of the values here counts" in answer.text
    for other in (runs[1], runs[2]):
        answer = ann.post("/series/freeze", {"query": f"run={runs[0].pk}&run={other.pk}", "kind": "time"})
        assert answer.status_code == 400 and f"Of run {runs[0].pk} no value counts" in answer.text
    assert not Permalink.objects.exists()


@pytest.mark.parametrize("part", ["with_addresses", "draw_beside"])
def test_a_figure_that_cannot_be_drawn_has_a_note_in_its_place(ann, runs, monkeypatch, part):
    link, _ = frozen(ann, "/compare/freeze", {"query": f"{QUERY}&kind=cdf"})
    monkeypatch.setattr(record_figures, part, lambda *_: 1 / 0)
    drawn, table = record_figures.draw_record(record_figures.parse_record(link.record))
    assert drawn.notes == [isolation.FAILURE_NOTE] and len(table.rows) == 2
    page = ann.get(f"/p/{link.pk}").text
    assert page.count(isolation.FAILURE_NOTE) == 1 and 'id="figure-0"' in page and "<table" in page


def test_freezing_asks_the_database_as_often_for_many_runs_as_for_two(ann, runs):
    counts = []
    for some in (runs[:2], runs):
        with CaptureQueriesContext(connection) as asked:
            ann.post("/series/freeze", {"query": "&".join(f"run={run.pk}" for run in some), "kind": "time", "title": str(some)})
        counts.append(len(asked))
    assert Permalink.objects.count() == 2 and counts[0] == counts[1]


def test_runs_are_named_by_what_differs_between_them(ann, depths):
    _, told = frozen(ann, "/series/freeze", {"query": "&".join(f"run={run.pk}" for run in depths), "kind": "percentiles"})
    names = [value["label"] for panel in told["panels"] for value in panel["series"]["values"]]
    for depth in (1, 4, 16):
        assert any(f"queue depth {depth}" in name.split(", ") for name in names)
    assert all(name.count("queue depth") == 1 and "run " not in name for name in names)


def private(tmp_path, files: dict[str, bytes]) -> list[Run]:
    making.archive(records=read(tmp_path, files), owner="ann")
    return list(Run.objects.order_by("id"))


CURVE, DISTRIBUTION = "every drawn point of the curves with its line number", "every drawn point of the curves, path and digest"
PERCENTILES = "every drawn percentile with its load"


@pytest.mark.parametrize(("kind", "said"), [("time", CURVE), ("cdf", DISTRIBUTION), ("percentiles", PERCENTILES)])
def test_the_confirmation_names_all_that_becomes_public(ann, tmp_path, kind, said):
    files = {"a/fio.txt": fio(4, 1000, 46, 2737).encode(), "a/randread_lat.1.log": log(1000)}
    [run] = private(tmp_path, files)
    fields = {"query": f"run={run.pk}", "kind": kind, "load": "profile" if kind == "percentiles" else ""}
    page = ann.post("/series/freeze", fields).text
    assert "This publishes private values" in page and "plotted values" not in page
    assert [text for text in (CURVE, DISTRIBUTION, PERCENTILES) if text in page] == [said]
    assert ("path and digest of the files" in page) == (kind != "percentiles")
    back = {"time": f"/series?run={run.pk}", "cdf": f"/series/distribution?kind=cdf&run={run.pk}"}
    load = f"/series/distribution?kind=percentiles&load=profile&run={run.pk}"
    assert back.get(kind, load) in map(html.unescape, re.findall(r'class="button" href="([^"]*)"', page))
    plain = ann.post(f"/runs/{run.pk}/freeze").text
    assert "plotted values, each" in plain and "drawn" not in plain.split("it would show")[1].split("</p>")[0]


def test_the_length_of_a_round_is_kept(ann, runs):
    address = f"/series/distribution?run={runs[0].pk}&kind=cdf&round=0.5"
    [width] = re.findall(r'<input type="hidden" name="round" value="([^"]*)"', ann.get(address).text)
    _, told = frozen(ann, "/series/freeze", {"query": f"run={runs[0].pk}", "kind": "cdf", "round": width})
    assert any("mean of the points of 0.5 s" in note for note in told["figures"][-1]["notes"])


@pytest.mark.parametrize("how", ["a file is gone", "read again"])
def test_curves_are_drawn_again_where_their_archive_is_read_meanwhile(runs, monkeypatch, how):
    usual, drawn, tries = sources.add_files, [], []

    def add_files(found, ids):
        tries.append(ids)
        if len(tries) == 1 and how == "a file is gone":
            raise sources.SourcesChanged
        if len(tries) == 1:
            Archive.objects.update(read_at=timezone.now())
            DataVersion.objects.update(number=F("number") + 1)
        usual(found, ids)

    def draw():
        drawn.append(draw_runs(read_runs([runs[0].pk]), CurveQuery((runs[0].pk,)), "time"))
        return drawn[-1]

    monkeypatch.setattr(sources, "add_files", add_files)
    draft = freeze.draft_curves(draw, "", "")
    assert len(drawn) == len(tries) == 2 and draft.content["figures"][0]["kind"] == "time"


def test_a_collection_has_no_empty_box_and_each_id_once(ann, runs, depths):
    links = []
    for query in (f"{QUERY}&kind=time", f"{QUERY}&kind=cdf", f"{QUERY}&kind=histogram", f"{OF_DEPTHS}&kind=percentiles"):
        links.append(ann.post("/compare/freeze", {"query": query}).url.removeprefix("/p/"))
    ann.post("/collections/new", {"add": links})
    page = ann.get(ann.post("/collections/new", {"do": "freeze", "title": "All"}).url).text
    assert (
        Collection.objects.get()
        and page.count("<figure") == page.count("<canvas") + page.count('<svg class="drawn drawn-wide') == 4
    )
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    named = re.findall(r'<svg class="drawn drawn-wide[^>]* aria-labelledby="([^"]+)"', page)
    assert len(named) == 2 and set(named) <= {*ids}
