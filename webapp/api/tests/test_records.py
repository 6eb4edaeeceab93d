"""Records and lists of the API: those of the export, page by page, filtered as comparisons are."""

from __future__ import annotations

import io
import json

import pytest
from django.test import Client

from ingest.tests.samples import FOLDER
from webapp.api import record_calls
from webapp.api.tests.test_api import bearer
from webapp.formats import export
from webapp.models import Archive, Configuration, Run
from webapp.storage import withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
IDS = ("id", "archive", "run", "session", "block", "configuration", "workload", "counted")


@pytest.fixture(scope="module")
def world(rows_of_module) -> dict[str, Archive]:
    both = samples.dd_by_compression(off=[2.5, 2.6, 2.4], lz4=[1.5, 1.4, 1.6])
    series = (FOLDER / "iostat" / "x-t-m.txt").read_bytes()
    found = {
        "several": samples.received(samples.tar({"a.txt": both, "b.txt": samples.dd(9, 3, damage=True), "io.txt": series})),
        "damaged": samples.received(samples.tar({"a.txt": samples.dd(4, damage=True), "gone.txt": samples.dd(7)})),
        "private": samples.received(samples.tar({"p.txt": samples.dd(5.5, 5.6)}), public=False),
    }
    withdrawals.withdraw_file(found["damaged"].pk, "gone.txt", "why", found["damaged"].owner)
    return found


def follow(client: Client, address: str) -> list[dict]:
    """The items of all pages."""
    found: list[dict] = []
    while address:
        answer = client.get(address)
        assert answer.status_code == 200, answer.content
        page = json.loads(b"".join(answer.streaming_content) if answer.streaming else answer.content)
        found += page["items"]
        address = page["next"]
    return found


def exported() -> list[dict]:
    out = io.StringIO()
    export.write_jsonl(out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("limit", [1, 3, 500])
@pytest.mark.parametrize("name", ["measurements", "unmeasured"])
def test_records_of_archives_are_those_of_the_export(client, world, name, limit):
    public = [archive for key, archive in world.items() if key != "private"]
    found = [one for archive in public for one in follow(client, f"/api/v1/archives/{archive.pk}/{name}?limit={limit}")]
    bare = [{key: value for key, value in one.items() if key not in IDS} for one in found]
    assert bare == [one for one in exported() if one["type"] == name.removesuffix("s")]
    assert all(one["session"] and one["run"] and one["archive"] for one in found)


@pytest.mark.parametrize("limit", [1, 4, 500])
def test_all_measurements_are_those_that_count(client, world, limit):
    found = follow(client, f"/api/v1/measurements?limit={limit}")
    assert len({one["id"] for one in found}) == len(found) > 6
    bare = [{key: value for key, value in one.items() if key not in IDS} for one in found]
    by_place = {(one["file"], one["line"], one["metric"]): one for one in exported() if one["type"] == "measurement"}
    assert all(one == by_place[one["file"], one["line"], one["metric"]] for one in bare)
    assert {one["archive"] for one in found} <= {world["several"].pk, world["damaged"].pk}


@pytest.mark.parametrize(
    ("query", "passes"),
    [
        ("metric=write.throughput", lambda one: one["metric"] == "write.throughput"),
        ("compression=lz4", lambda one: one["config"].get("pool.compression") == "lz4"),
        ("compression=lz4&compression=off", lambda one: one["config"].get("pool.compression") in ("lz4", "off")),
        ("archive={several}", lambda one: one["file"] in ("a.txt", "b.txt")),
        ("q=lz4", lambda one: one["config"].get("pool.compression") == "lz4"),
        ("memory=1TiB..", lambda one: False),
    ],
)
def test_filters_are_those_of_comparisons(client, world, query, passes):
    query = query.format(several=world["several"].pk)
    every = follow(client, "/api/v1/measurements")
    found = follow(client, f"/api/v1/measurements?{query}")
    kept = [one["id"] for one in every if passes(one) and ("archive=" not in query or one["archive"] == world["several"].pk)]
    assert [one["id"] for one in found] == kept
    counted = follow(client, f"/api/v1/metrics?{query}")
    assert sum(one["measurements"] for one in counted) == len(kept)
    configurations = follow(client, f"/api/v1/configurations?{query}")
    assert {one["id"] for one in configurations} == {one["configuration"] for one in found}
    assert sum(one["measurements"] for one in configurations) == len(kept)
    assert {one["id"] for one in follow(client, f"/api/v1/runs?{query}&limit=2")} == {one["run"] for one in found}
    systems = {one.system_id for one in Configuration.objects.filter(pk__in={one["configuration"] for one in found})}
    assert {one["id"] for one in follow(client, f"/api/v1/systems?{query}")} == systems


def test_blocks_are_those_of_the_bulk_files(client, monkeypatch):
    """Two settings in three rounds that nothing but names and times tells, and a fourth that a manifest states."""
    records = []
    for rep in (1, 2, 3, 4):
        for minute, setting in enumerate(("lz4", "off")):
            path, started = f"rep{rep}/{setting}.txt", f"2026-05-01T08:{rep * 5 + minute:02}:00+00:00"
            config, params = {"host": "h", "pool.compression": setting}, {"file_size": 2**30}
            stated = {"session": "a", "round": "9"} if rep == 4 else {}
            records += making.file_records(path, path, [1e8 + rep], config=config, started_at=started, params=params | stated)
    archives = [making.archive(public=True, records=records), making.archive(public=True, name="b.tar", records=records)]
    for most in (export.MAX_PLACED, 1):
        monkeypatch.setattr(export, "MAX_PLACED", most)
        record_calls._blocks.clear()
        out = io.StringIO()
        export.write_identified_jsonl([(archive.pk, False, False) for archive in archives], out)
        bulk = {one["id"]: one["block"] for one in map(json.loads, out.getvalue().splitlines())}
        assert len({*bulk.values()} - {None}) == (4 if most > 1 else 1)
        for archive in archives:
            found = follow(client, f"/api/v1/archives/{archive.pk}/measurements?limit=3")
            assert found and all(one["block"] == bulk[one["id"]] for one in found)
        of_both = "&".join(f"archive={archive.pk}" for archive in archives)
        found = follow(client, f"/api/v1/measurements?limit=3&{of_both}")
        assert found and all(one["block"] == bulk[one["id"]] for one in found)
        of_runs = {one["run"]: one["block"] for one in found}
        runs = follow(client, f"/api/v1/runs?limit=3&{of_both}")
        assert of_runs and of_runs.items() <= {one["id"]: one["block"] for one in runs}.items()


def test_blocks_of_a_page_take_as_many_queries_however_many_archives(client, django_assert_max_num_queries):
    records = [making.file_records("a.txt", f"a{number}", [number]) for number in range(1, 9)]
    archives = [making.archive(public=True, name=f"{number}.tar", records=one) for number, one in enumerate(records)]
    with django_assert_max_num_queries(3):
        found = record_calls.read_kept_blocks([archive.pk for archive in archives])
    assert found == {archive.pk: {} for archive in archives}
    with django_assert_max_num_queries(1):
        assert record_calls.read_kept_blocks([archive.pk for archive in archives]) == found


def test_ones_own_are_among_them(client, world):
    mine = Client(headers=bearer(making.user("ann")))
    private = world["private"].pk
    for name in ("measurements", "runs"):
        assert private in {one["archive"] for one in follow(mine, f"/api/v1/{name}")}
        assert private not in {one["archive"] for one in follow(client, f"/api/v1/{name}?archive={private}")}
    assert Run.objects.filter(archive=private).count() == len(follow(mine, f"/api/v1/runs?archive={private}"))


def test_files_warnings_and_series_of_an_archive(client, world):
    base = f"/api/v1/archives/{world['several'].pk}"
    files = follow(client, f"{base}/files?limit=2")
    assert [one["file"] for one in files] == ["a.txt", "b.txt", "io.txt"]
    assert sum(one["measurements"] for one in files) == world["several"].measurements
    warnings = follow(client, f"{base}/warnings?limit=1")
    assert len(warnings) == world["several"].warnings > 0
    assert {one["code"] for one in warnings} and all(one["message"] for one in warnings)
    series = follow(client, f"{base}/series?limit=7")
    assert len(series) > 7 and all(len(one["v"]) == len(one["lines"]) > 0 for one in series)


def test_sets_are_queries_of_comparisons(client, world):
    [one, *_] = follow(client, "/api/v1/sets?metric=write.throughput")
    assert one["axis"] == "compression"
    drawn = client.get(f"/api/v1/compare?{one['query']}").json()
    assert sorted(group["x"] for group in drawn["panels"][0]["groups"]) == sorted(one["values"])


def test_studies_are_listed(client, world):
    world["several"].__class__.objects.filter(pk=world["several"].pk).update(study="mine")
    [one] = follow(client, "/api/v1/studies")
    assert (one["name"], one["archive"]) == ("mine", world["several"].pk)


@pytest.mark.parametrize("query", ["metric=nothing", "metric=", "memory=much", "colour=red", "archive=x", "q=a&q=b"])
@pytest.mark.parametrize("name", ["measurements", "runs", "configurations", "systems", "metrics", "sets"])
def test_what_is_not_understood_is_named(client, name, query):
    answer = client.get(f"/api/v1/{name}?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["place"] == f"query.{query.partition('=')[0]}"
