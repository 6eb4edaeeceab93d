"""Statements of an owner: kept, resolved with the evidence, undone; the summary is right before and after."""

from __future__ import annotations

import pytest

from ingest.records import ARCHIVE, FILE, FOLDER, RUNS
from webapp.archives import statements
from webapp.archives.statements import InvalidStatement, StatementScope
from webapp.jobs import tasks
from webapp.models import Archive, Configuration, Run, Statement
from webapp.storage import load, summary_writer
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def two_folders(other=None, **more):
    return samples.received(samples.tar({"a/1.txt": samples.dd(2.5, 3), "b/2.txt": samples.dd(4)} | (other or {})), **more)


def tell(archive, told, *places):
    made = statements.add_statements(archive.pk, archive.owner, told, places or [StatementScope()], lambda pk: None)
    tasks.ingest_archive(archive.pk)
    return made


def carried(archive, column="cpu_model"):
    """File -> what its runs carry."""
    runs = Run.objects.filter(archive=archive).select_related("configuration", "file").order_by("id")
    return [(run.file.path, getattr(run.configuration, column)) for run in runs]


def total(scope):
    return sum(fold.n for fold in summary_writer.read(scope).values())


def test_every_run_carries_it_and_undoing_takes_it_away():
    archive = two_folders()
    before = summary_writer.read(0).keys()
    (made,) = tell(archive, {"cpu.model": "Intel(R) Xeon(R) CPU E3110 @ 3.00GHz"})
    assert carried(archive) == [("a/1.txt", "Xeon E3110"), ("a/1.txt", "Xeon E3110"), ("b/2.txt", "Xeon E3110")]
    assert {run.config_from["cpu.model"] for run in Run.objects.all()} == {"stated"}
    assert (total(0), total(archive.pk)) == (archive.measurements, archive.measurements)
    statements.undo_statement(archive.pk, made.pk, archive.owner, lambda pk: None)
    tasks.ingest_archive(archive.pk)
    assert {value for _, value in carried(archive)} == {None}
    assert summary_writer.read(0).keys() == before
    made.refresh_from_db()
    assert made.undone_by == archive.owner and made.raw.startswith("Intel(R)")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (StatementScope(ARCHIVE), [8, 8, 8]),
        (StatementScope(FOLDER, "a"), [8, 8, None]),
        (StatementScope(FILE, "b/2.txt"), [None, None, 8]),
        (StatementScope(RUNS, "a/1.txt", (6,)), [8, None, None]),
    ],
)
def test_it_holds_for_its_place(place, expected):
    archive = two_folders()
    tell(archive, {"cpu.cores": "8"}, place)
    assert [value for _, value in carried(archive, "cpu_cores")] == expected


def test_selected_runs_are_found_by_their_lines():
    archive = two_folders()
    first = [(run.file.path, run.first_line) for run in Run.objects.select_related("file").order_by("id")][1:]
    tell(archive, {"cpu.cores": "8"}, *statements.scopes_of_runs(first))
    assert [value for _, value in carried(archive, "cpu_cores")] == [None, 8, 8]


def test_the_later_holds_and_undoing_it_brings_the_earlier_back():
    archive = two_folders()
    tell(archive, {"cpu.cores": "4"})
    (later,) = tell(archive, {"cpu.cores": "8"})
    assert {value for _, value in carried(archive, "cpu_cores")} == {8}
    statements.undo_statement(archive.pk, later.pk, archive.owner, lambda pk: None)
    tasks.ingest_archive(archive.pk)
    assert {value for _, value in carried(archive, "cpu_cores")} == {4}


def test_the_same_again_is_no_new_statement():
    archive = two_folders()
    tell(archive, {"memory": "8 GiB"})
    assert tell(archive, {"memory": "8GiB"}) == []
    assert Statement.objects.count() == 1


def test_what_is_no_value_of_its_key_is_refused_whole():
    archive = two_folders()
    with pytest.raises(InvalidStatement) as caught:
        tell(archive, {"cpu.model": "Xeon E3110", "cpu.cores": "many"})
    assert caught.value.wrong == {"cpu.cores": "many"} and not Statement.objects.exists()


def test_what_is_stated_while_it_is_read_is_read_once_more(monkeypatch):
    archive = two_folders()
    real = load.store

    def meanwhile(*args):
        if not Statement.objects.filter(key="cpu.cores").exists():
            statements.add_statements(archive.pk, archive.owner, {"cpu.cores": "8"}, [StatementScope()], lambda pk: None)
        return real(*args)

    monkeypatch.setattr(load, "store", meanwhile)
    tell(archive, {"cpu.model": "Xeon E3110"})
    archive.refresh_from_db()
    assert archive.state == Archive.State.READ
    assert {value for _, value in carried(archive, "cpu_cores")} == {8}


def test_a_private_archive_stays_out_of_the_public_summary():
    archive = two_folders(public=False)
    tell(archive, {"cpu.model": "Xeon E3110"})
    assert total(0) == 0 and total(archive.pk) == archive.measurements


def test_a_stated_file_is_no_twin_of_one_that_is_not():
    one, two = two_folders(), two_folders({"notes.md": b"mine"}, owner="bob")
    assert two.files.filter(duplicate_of__isnull=False).count() == 2
    tell(two, {"cpu.model": "Xeon E3110"})
    assert two.files.filter(duplicate_of__isnull=False).count() == 0
    assert total(0) == one.measurements + two.measurements
    assert Configuration.objects.filter(cpu_model="Xeon E3110").exists()


def test_deleting_the_archive_deletes_its_statements():
    archive = two_folders()
    tell(archive, {"cpu.model": "Xeon E3110"})
    load.delete(archive.pk)
    assert not Statement.objects.exists()
    assert making.user("ann") == archive.owner
