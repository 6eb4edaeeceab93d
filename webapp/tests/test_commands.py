"""manage.py ingest and export: the way of an upload, and everything back out."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

import ingest
from webapp.formats.records import FIELDS
from webapp.infrastructure import readiness
from webapp.jobs import rereading
from webapp.jobs.tasks import ingest_archive
from webapp.management.commands import ingest as command
from webapp.models import Archive, BulkReread
from webapp.storage import load
from webapp.storage.tests.test_load import check_everything
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def run(*args, **options) -> str:
    out = StringIO()
    call_command(*args, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "sweep"
    (place / "lz4").mkdir(parents=True)
    (place / "lz4" / "dd.txt").write_bytes(samples.dd(2.5, 2))
    (place / "off.txt").write_bytes(samples.dd(3))
    return place


def test_a_folder_is_published_with_a_line_about_it(folder):
    line = run("ingest", str(folder))
    archive = Archive.objects.get()
    assert line == (
        f"sweep.tar: archive {archive.pk}, 2 files, 6 measurements, {archive.warnings} warnings, /archives/{archive.pk}\n"
    )
    assert archive.is_public and archive.owner.username == "owner"


def test_a_database_that_nothing_prepared_is_prepared(monkeypatch):
    """As script/server does it: where there is no table, even under DATABASE_URL."""
    done = []
    monkeypatch.setattr(readiness, "call_command", lambda *args, **_: done.append(args))
    monkeypatch.setenv("DATABASE_URL", "1")
    said: list[str] = []
    readiness.prepare_database(said.append)
    assert not done and not said
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA bare; SET LOCAL search_path TO bare")
        readiness.prepare_database(said.append)
        cursor.execute("SET LOCAL search_path TO public")
    assert done == [("migrate",)] and said == ["Preparing the database."]


@pytest.mark.parametrize(("served", "says"), [("1", "Restart script/server"), ("", "")])
def test_a_database_that_is_behind_is_brought_up_to_date_unless_a_server_may_use_it(monkeypatch, served, says):
    done = []
    monkeypatch.setattr(readiness, "_missing", lambda: (["0015_lists"], False))
    monkeypatch.setattr(readiness, "call_command", lambda *args, **_: done.append(args))
    monkeypatch.setenv("DATABASE_URL", served)
    if says:
        with pytest.raises(CommandError, match=says):
            run("export")
    else:
        run("export")
    assert done == ([] if says else [("migrate",)])


def test_a_database_that_does_not_answer_is_no_traceback(monkeypatch):
    def silent():
        raise OperationalError("connection refused")

    monkeypatch.setattr(readiness, "_missing", silent)
    with pytest.raises(CommandError, match="does not answer: connection refused"):
        run("export")


def test_a_second_time_it_is_here_already(folder):
    run("ingest", str(folder))
    assert "already uploaded" in run("ingest", str(folder))
    assert Archive.objects.count() == 1


def test_private_stays_private_until_it_is_ingested_without(folder):
    run("ingest", str(folder), "--private", "--user", "ann", "--title", "A sweep")
    archive = Archive.objects.get()
    assert (archive.is_public, archive.owner.username, str(archive)) == (False, "ann", "A sweep")
    run("ingest", str(folder), "--user", "ann")
    assert Archive.objects.get().is_public


def test_several_paths_are_several_archives(folder):
    run("ingest", str(folder), str(folder / "off.txt"))
    assert set(Archive.objects.values_list("name", flat=True)) == {"sweep.tar", "off.txt"}


@pytest.mark.django_db(transaction=True)
def test_several_are_read_at_the_same_time_and_told_in_their_order(tmp_path):
    paths = [tmp_path / f"{n}.txt" for n in range(6)]
    for n, path in enumerate(paths):
        path.write_bytes(samples.dd(n + 1))
    lines = run("ingest", *map(str, paths), "--jobs", "3").splitlines()
    assert [line.split(":")[0] for line in lines] == [path.name for path in paths]
    assert Archive.objects.filter(state="read").exclude(published_at=None).count() == 6
    check_everything()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_several_groups_are_read_again_at_a_time(tmp_path, monkeypatch):
    paths = [tmp_path / f"{n}.txt" for n in range(6)]
    for n, path in enumerate(paths):
        path.write_bytes(samples.dd(n + 1))
    run("ingest", *map(str, paths), "--jobs", "1")
    monkeypatch.setattr(rereading, "MAX_ARCHIVES", 2)
    lines = run("reread", "--jobs", "3").splitlines()
    assert lines[0].startswith("6 archives, ")
    assert [line.split(", ")[1].split(":")[0] for line in lines if line.startswith("archive ")] == [path.name for path in paths]
    assert BulkReread.objects.get().finished_at is not None
    check_everything()


def test_what_another_process_reads_is_waited_for(folder, monkeypatch):
    asked = []

    def reads(archive_id: int) -> str:
        asked.append(archive_id)
        return "busy" if len(asked) < 3 else ingest_archive(archive_id)

    monkeypatch.setattr(command, "RETRY_SECONDS", 0)
    monkeypatch.setattr(command, "ingest_archive", reads)
    run("ingest", str(folder))
    assert asked == [Archive.objects.get().pk] * 3
    assert Archive.objects.get().state == Archive.State.READ


def test_the_manifest_tells_about_the_archive(folder):
    (folder / "poolmark.toml").write_text(
        'title = "ZFS sweep"\nauthors = ["A. Author", "B. Author"]\nyear = 2026\nlicence = "CC0-1.0"\ndoi = "10.5/x"\n'
        'caveat = "A small virtual machine."\nstudy = "sweep-2026"\n'
    )
    run("ingest", str(folder))
    archive = Archive.objects.get()
    assert (str(archive), archive.authors, archive.year, archive.licence, archive.published_in, archive.caveat) == (
        "ZFS sweep",
        "A. Author, B. Author",
        2026,
        "CC0-1.0",
        "doi:10.5/x",
        "A small virtual machine.",
    )
    assert (archive.study, archive.notes.filter(code="bad-manifest").count()) == ("sweep-2026", 0)


def test_what_is_not_there_is_told_before_anything_is_read(folder):
    with pytest.raises(CommandError) as error:
        run("ingest", str(folder), "/no/such")
    assert error.value.returncode == 2 and not Archive.objects.exists()


def test_one_that_could_not_be_read_makes_the_command_fail(folder, monkeypatch):
    monkeypatch.setattr(ingest, "read", lambda *a, **k: 1 / 0)
    with pytest.raises(CommandError, match="1 of 1"):
        run("ingest", str(folder))


def exported() -> list[dict]:
    return [json.loads(line) for line in run("export", format="jsonl").splitlines()]


def test_what_went_in_comes_out(folder):
    run("ingest", str(folder))
    expected = [m for m in ingest.read([str(folder)]) if isinstance(m, making.Measurement)]
    found = exported()
    assert [list(record) for record in found] == [["type", *FIELDS]] * 6

    def bare(path):
        return path.removeprefix(f"{folder}/").removeprefix("sweep/")

    assert [{name: record[name] for name in FIELDS if name not in ("file", "config_from")} for record in found] == [
        {name: getattr(m, name) for name in FIELDS if name not in ("file", "config_from", "implied")} | {"implied": list(m.implied)}
        for m in expected
    ]
    assert [record["file"] for record in found] == [bare(m.file) for m in expected]


def test_every_kind_of_parameter_comes_back():
    params = {"file_size": 2**31, "command": 'x\ty \\ "z"', "list": [1, 2.5, None], "ok": True}
    records = [
        *making.file_records(
            "a",
            "a",
            [1.0],
            params=params,
            stat="p95",
            origin="reported",
            source_note="table 2",
            config={"memory": 16_267_444_224, "x.y": 1, "cpu.cores": "a"},
            started_at="2024-01-01T00:00:00+02:00",
        ),
    ]
    twin = next(r for r in records if isinstance(r, making.Measurement))
    records.append(replace(twin, metric="write.elapsed", params=params | {"timer": "time", "ok": False}, line="S!B7"))
    making.archive(public=True, records=records)
    found = exported()
    for record, given in zip(found, [twin, records[-1]], strict=True):
        expected = {name: getattr(given, name) for name in FIELDS if name != "unit"}
        assert {name: record[name] for name in FIELDS} == expected | {"unit": record["unit"], "implied": list(given.implied)}


def test_private_and_withdrawn_ones_stay_in():
    making.archive(records=making.file_records("a", "a", [1.0]))
    gone = making.archive(public=True, records=making.file_records("b", "b", [2.0]))
    load.withdraw(gone.pk, "wrong")
    assert exported() == []


def test_a_file_that_counts_elsewhere_says_so():
    making.archive(public=True, records=making.file_records("a", "a", [1.0]))
    making.archive(public=True, records=making.file_records("again/a", "a", [1.0]))
    assert [r["duplicate_of"] for r in exported()] == [None, "a:2"]


def test_csv_has_a_column_for_each_key_and_parameter(folder):
    run("ingest", str(folder))
    rows = list(csv.DictReader(StringIO(run("export"))))
    assert len(rows) == 6
    assert [float(row["value"]) for row in rows] == [record["value"] for record in exported()]
    assert {"config.os.family", "config.memory", "config_from"} <= rows[0].keys()
    assert any(name.startswith("params.") for name in rows[0])
