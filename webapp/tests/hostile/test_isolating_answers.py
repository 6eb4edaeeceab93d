"""One group, figure, permalink or plate that fails on purpose: everything else of the answer is there, with a note."""

from __future__ import annotations

import csv
import io
import json

import pytest

from webapp.comparison import absent, aggregates, caveats, compared_set, judged
from webapp.comparison import groups as grouping
from webapp.comparison.sets import workloads
from webapp.comparison.summary import provenance
from webapp.formats import tables
from webapp.http import isolation
from webapp.models import Archive, Permalink, StudyFigure
from webapp.pages import drawings
from webapp.permalinks import changes, record_figures, rendering
from webapp.studies import registry
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
QUERY = "metric=write.throughput&x=os"


@pytest.fixture
def five():
    """Five systems of one machine with two values each."""
    _store_five()


def _store_five(*more) -> None:
    records = [*more]
    for at in range(1, 6):
        config = {"os.name": f"System {at}", "host": "tank2"}
        records += making.file_records(f"{at}.txt", f"{at}", [1.0 * at, 2.0], config=config)
    making.archive(public=True, records=records)


def broken(monkeypatch, where, name: str, is_broken) -> None:
    """Let a function raise for some of its arguments."""
    usual = getattr(where, name)

    def function(*args, **named):
        if is_broken(*args):
            raise OverflowError("on purpose")
        return usual(*args, **named)

    monkeypatch.setattr(where, name, function)


FAULTS = {
    "computed": (grouping, "_make_group", lambda selection, at, *_: at[0] == "System 3"),
    "centre": (aggregates, "summarise", lambda stat, rows, of: rows[0].texts["os"] == "System 3"),
    "doubts": (caveats, "group_caveats", lambda rows: any(row.texts["os"] == "System 3" for row in rows)),
    "labelled": (drawings.naming, "x_label", lambda selection, x: x == "System 3"),
    "worded": (drawings.naming, "verdict_words", lambda group: group.x == "System 3"),
    "set": (compared_set, "settle", lambda selection, rows, by_class: "System 3" in rows.distinct("os")),
    "map": (compared_set, "_describe_set", lambda selection, rows, drawn: "System 3" in drawn.distinct("os")),
    "sample": (judged, "_make_sample", lambda group, *_: group.x == "System 3"),
    "claim": (judged, "_question", lambda selection, chosen, pair, *_: pair[0].x == "System 3"),
    "subtitle": (workloads, "subtitle", lambda fixed, axes, groups, *_: any(group.x == "System 3" for group in groups)),
    "place": (absent, "_rows_of_panel", lambda selection, rows, panel: "System 3" in rows.distinct("os")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_group_that_fails_is_left_out_of_the_page(client, five, monkeypatch, caplog, fault):
    broken(monkeypatch, *FAULTS[fault])
    page = client.get(f"/compare?{QUERY}")
    assert page.status_code == 200 and isolation.FAILURE_NOTE in page.text and "on purpose" in caplog.text
    for at in (1, 2, 4, 5):
        assert f'<th scope="row">System {at}</th>' in page.text
    assert '<th scope="row">System 3</th>' not in page.text


@pytest.mark.parametrize("fault", [name for name, (where, *_) in FAULTS.items() if where is not drawings.naming])
def test_a_group_that_fails_is_left_out_of_the_data(client, five, monkeypatch, fault):
    broken(monkeypatch, *FAULTS[fault])
    before = isolation.FAILURE_COUNTS.total()
    told = client.get(f"/compare.json?{QUERY}").json()
    assert {group["x"] for panel in told["panels"] for group in panel["groups"]} == {f"System {at}" for at in (1, 2, 4, 5)}
    [note] = [flag for flag in told["flags"] if flag["id"] == "left-out"]
    assert note["sentence"].startswith(isolation.FAILURE_NOTE) and "1 row of the summary, of write.throughput" in note["sentence"]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{QUERY}").text)))
    assert {row["x"] for row in rows} == {f"System {at}" for at in (1, 2, 4, 5)} and len(rows) == 8
    assert isolation.FAILURE_COUNTS.total() > before


@pytest.fixture
def smaller_set():
    """Three systems of another machine with another size: the best set of what is left without most of the five."""
    records = []
    for at in range(6, 9):
        config = {"os.name": f"System {at}", "host": "apex"}
        records += making.file_records(f"{at}.txt", f"{at}", [3.0, 2.0], config=config, params={"file_size": 2**31})
    making.archive(public=True, records=records)


@pytest.mark.parametrize("broken_at", range(1, 6))
def test_the_set_stays_where_a_group_of_it_fails(client, smaller_set, five, monkeypatch, broken_at):
    broken(monkeypatch, grouping, "_make_group", lambda selection, at, *_: at[0] == f"System {broken_at}")
    told = client.get(f"/compare.json?{QUERY}").json()
    rest = {f"System {at}" for at in range(1, 6)} - {f"System {broken_at}"}
    assert {group["x"] for panel in told["panels"] for group in panel["groups"] if group["runs"]} == rest
    [note] = [flag for flag in told["flags"] if flag["id"] == "left-out"]
    assert "1 row of the summary" in note["sentence"]


def test_rows_that_fail_together_cost_one_of_them(client, five, monkeypatch):
    broken(monkeypatch, absent, "with_unmeasured", lambda selection, chosen, *_: _has(chosen, "System 2", "System 4"))
    told = client.get(f"/compare.json?{QUERY}").json()
    found = {group["x"] for panel in told["panels"] for group in panel["groups"] if group["runs"]}
    assert len(found) == 4 and {"System 1", "System 3", "System 5"} < found


def _has(chosen, *systems: str) -> bool:
    return {*systems} <= {*chosen.rows.distinct("os")}


def test_a_run_without_a_number_that_fails_costs_nothing_else(client, monkeypatch):
    config = {"os.name": "System 9", "host": "tank2"}
    records = [*making.file_records("9.txt", "9", [5.0], config=config, metric="read.throughput")]
    records.insert(1, making.unmeasured_record("9.txt", config=config))
    _store_five(*records)
    broken(monkeypatch, absent, "_with_missing", lambda selection, panel, missing: any(place.x == "System 9" for place in missing))
    told = client.get(f"/compare.json?{QUERY}").json()
    groups = {group["x"]: group["runs"] for panel in told["panels"] for group in panel["groups"]}
    assert groups == {f"System {at}": 2 for at in range(1, 6)}
    assert "left-out" in [flag["id"] for flag in told["flags"]]


def test_a_group_that_cannot_be_written_is_left_out_of_the_data(client, five, monkeypatch):
    broken(monkeypatch, tables, "group_data", lambda group: group.x == "System 3")
    told = client.get(f"/compare.json?{QUERY}").json()
    assert {group["x"] for panel in told["panels"] for group in panel["groups"]} == {f"System {at}" for at in (1, 2, 4, 5)}
    broken(monkeypatch, tables, "_center", lambda group: group.x == "System 3")
    text = client.get(f"/compare.csv?{QUERY}").text
    assert "System 3" not in text and text.count("System 4") == 2


def test_a_fault_of_no_row_is_told_as_one(client, five, monkeypatch):
    broken(monkeypatch, tables, "query_string", lambda selection: True)
    client.raise_request_exception = False
    assert client.get(f"/compare.json?{QUERY}").status_code == 500


def test_the_good_way_costs_no_more_attempts(client, five, monkeypatch):
    calls = []
    broken(monkeypatch, grouping, "make_panels", lambda *_: calls.append(1))
    assert isolation.FAILURE_NOTE not in client.get(f"/compare?{QUERY}").text and len(calls) == 1


def test_several_groups_that_fail_are_all_found(client, five, monkeypatch):
    broken(monkeypatch, grouping, "_make_group", lambda selection, at, *_: at[0] in ("System 1", "System 2", "System 5"))
    told = client.get("/compare.json?metric=write.throughput").json()  # the axis is the one that all five choose
    assert {group["x"] for panel in told["panels"] for group in panel["groups"]} == {"System 3", "System 4"}


@pytest.mark.parametrize("which", ["one", "all"])
def test_values_stay_where_their_lines_cannot_be_told(client, five, monkeypatch, which):
    broken(monkeypatch, provenance, "_make_provenance", lambda row, partial: which == "all" or row[2] == "3.txt")
    told = client.get(f"/compare.json?{QUERY}").json()
    groups = {group["x"]: group["points"] for panel in told["panels"] for group in panel["groups"]}
    assert len(groups) == 5 and [point["address"] for point in groups["System 3"]] == ["", ""]
    assert (groups["System 4"][0]["address"] == "") is (which == "all")
    assert "without-lines" in [flag["id"] for flag in told["flags"]]
    page = client.get(f"/compare?{QUERY}").text
    assert '<th scope="row">System 3</th>' in page and isolation.FAILURE_NOTE in page


@pytest.fixture
def links() -> list[Permalink]:
    """Two permalinks on one archive."""
    samples.received(samples.tar({"run/dd.txt": samples.dd(2.5, 2.6, 2.4)}))
    return [frozen.freeze(title="First"), frozen.freeze("metric=write.throughput&x=os", title="Second")]


def _of(link: Permalink):
    return lambda told, *_: told.get("id") == link.pk


FIGURES = {
    "drawings": (record_figures, "draw_record"),
    "addresses": (record_figures, "_address"),
    "rows": (record_figures, "_drawing"),
}


@pytest.mark.parametrize("part", FIGURES)
def test_a_collection_shows_its_other_figures(ann, links, monkeypatch, part):
    for link in links:
        ann.post("/collections/new", {"add": link.pk})
    address = ann.post("/collections/new", {"do": "freeze", "title": "Both"}).url
    broken(monkeypatch, *FIGURES[part], _of(links[0]))
    page = ann.get(address)
    assert page.status_code == 200 and page.text.count(isolation.FAILURE_NOTE) == 1
    assert "Figure 1. First" in page.text and "Figure 2. Second" in page.text and page.text.count("<canvas") == 1


def test_a_permalink_keeps_table_and_record_without_its_figure(client, links, monkeypatch):
    broken(monkeypatch, record_figures, "_insert_addresses", lambda part, _: isinstance(part, dict) and "kind" in part)
    page = client.get(f"/p/{links[0].pk}")
    assert page.status_code == 200 and isolation.FAILURE_NOTE in page.text
    assert "Every value, with its line" in page.text and links[0].digest in page.text and "<canvas" not in page.text
    monkeypatch.undo()
    broken(monkeypatch, record_figures, "draw_record", lambda *_: True)
    page = client.get(f"/p/{links[0].pk}").text
    assert isolation.FAILURE_NOTE in page and links[0].digest in page


def test_a_permalink_whose_changes_cannot_be_told_is_shown(client, links, monkeypatch):
    broken(monkeypatch, changes, "find_changes", lambda *_: True)
    page = client.get(f"/p/{links[0].pk}")
    assert page.status_code == 200 and links[0].digest in page.text and "<canvas" in page.text


def test_a_study_shows_its_other_plates(client, links, monkeypatch):
    archive = Archive.objects.get()
    archive.study = "mine"
    archive.save()
    for link, query in zip(links, ("a=1", "b=2"), strict=True):
        StudyFigure.objects.create(study="mine", query=query, permalink=link)
    told = registry.Study("mine", "", tuple(registry.StudyLink(f"Plate {query}", query) for query in ("a=1", "b=2")))
    monkeypatch.setattr(registry, "find_study", lambda name: told)
    broken(monkeypatch, record_figures, "draw_record", _of(links[0]))
    page = client.get("/studies/mine")
    assert page.status_code == 200 and page.text.count(isolation.FAILURE_NOTE) == 1
    assert "Plate a=1" in page.text and "Plate b=2" in page.text and page.text.count("<canvas") == 1


@pytest.mark.parametrize("name", ["get_or_render", "describe_figures"])
def test_a_frame_whose_figure_cannot_be_drawn_tells_so(client, links, monkeypatch, name):
    broken(monkeypatch, rendering, name, lambda *_: True)
    page = client.get(f"/p/{links[0].pk}/embed")
    assert page.status_code == 200 and isolation.FAILURE_NOTE.removesuffix(".") in page.text and "First" in page.text
    told = client.get(f"/oembed?url=http://testserver/p/{links[0].pk}")
    assert told.status_code == 200 and json.loads(told.content)["title"] == "First"
