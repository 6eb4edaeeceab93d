"""The task: state is in the row, running again is harmless, whatever happened before."""
from __future__ import annotations

import pytest

import ingest
from ingest.errors import BrokenArchive
from webapp import receiving, tasks
from webapp.models import Archive, Measurement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def waiting(data: bytes = samples.dd(2.5, 2), name: str = "dd.txt") -> Archive:
    from webapp import blobs
    return receiving.receive(blobs.take_in([data]), making.user(), name, send=lambda pk: None)[0]


def values() -> list[tuple]:
    return list(Measurement.objects.order_by("line", "metric").values_list("line", "value", "raw"))


def test_it_reads_what_waits():
    archive = waiting()
    assert tasks.ingest_archive(archive.pk) == "read"
    archive.refresh_from_db()
    assert (archive.state, archive.measurements, archive.files_total) == ("read", 4, 1)


def test_a_message_that_comes_twice_does_nothing():
    archive = waiting()
    tasks.ingest_archive(archive.pk)
    before = values()
    assert tasks.ingest_archive(archive.pk) == "nothing-to-do"
    assert values() == before


def test_a_reading_that_was_cut_off_is_done_again_with_the_same_rows():
    archive = waiting()
    tasks.ingest_archive(archive.pk)
    before = values()
    Archive.objects.filter(pk=archive.pk).update(state="reading")
    assert tasks.ingest_archive(archive.pk) == "read"
    assert values() == before


def test_an_archive_that_is_gone_is_no_error():
    assert tasks.ingest_archive(4711) == "gone"


def test_one_deleted_while_it_was_read_is_no_error(monkeypatch):
    archive = waiting()

    def read(*args, **kwargs):
        receiving.delete(archive)
        return iter(())
    monkeypatch.setattr(ingest, "read", read)
    assert tasks.ingest_archive(archive.pk) == "gone"


@pytest.mark.parametrize(("error", "sentence"), [
    (BrokenArchive("The archive ends in the middle of a file."), "The archive ends in the middle of a file."),
    (ZeroDivisionError("x"), "a fault of ours (ZeroDivisionError)"),
])
def test_what_fails_says_why_and_keeps_the_bytes(monkeypatch, client, error, sentence):
    archive = waiting()

    def read(*args, **kwargs):
        raise error
    monkeypatch.setattr(ingest, "read", read)
    assert tasks.ingest_archive(archive.pk) == "failed"
    archive.refresh_from_db()
    assert archive.state == "failed" and sentence in archive.failure
    client.force_login(archive.owner)
    assert "It could not be read" in client.get(f"/archives/{archive.pk}").text


def test_a_failure_of_a_repeated_reading_keeps_what_was_read(monkeypatch):
    archive = waiting()
    tasks.ingest_archive(archive.pk)
    before = values()
    Archive.objects.filter(pk=archive.pk).update(state="received")
    monkeypatch.setattr(ingest, "read", lambda *a, **k: 1 / 0)
    assert tasks.ingest_archive(archive.pk) == "failed"
    assert values() == before


def test_one_that_kills_its_reader_is_not_tried_for_ever():
    archive = waiting()
    Archive.objects.filter(pk=archive.pk).update(state="reading", attempts=tasks.ATTEMPTS)
    assert tasks.ingest_archive(archive.pk) == "failed"
    archive.refresh_from_db()
    assert "cut off" in archive.failure


def test_the_same_bytes_after_a_failure_are_tried_again():
    archive = waiting()
    Archive.objects.filter(pk=archive.pk).update(state="failed", attempts=5)
    assert waiting().pk == archive.pk
    assert tasks.ingest_archive(archive.pk) == "read"
