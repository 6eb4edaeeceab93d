"""The task: state is in the row, running again is harmless, whatever happened before."""

from __future__ import annotations

import errno

import psycopg
import pytest
from celery.signals import worker_init
from django.db import InternalError, OperationalError

import ingest
from ingest.detect import detect
from ingest.errors import BrokenArchive
from webapp.archives import upload
from webapp.jobs import reading, state, tasks
from webapp.models import Archive, Measurement
from webapp.storage import load
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def waiting(data: bytes = samples.dd(2.5, 2), name: str = "dd.txt") -> Archive:
    from webapp.files import blobs

    return upload.receive(blobs.write_incoming([data]), making.user(), name, send=lambda pk: None)[0]


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
        load.delete(archive.pk)
        upload.delete_unused_bytes(archive.sha256)
        return iter(())

    monkeypatch.setattr(ingest, "read", read)
    assert tasks.ingest_archive(archive.pk) == "gone"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (BrokenArchive("The archive ends in the middle of a file."), "The archive ends in the middle of a file."),
        (ZeroDivisionError("x"), "a bug in Poolmark (ZeroDivisionError)"),
    ],
)
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


def _from(cause: Exception, error: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (_from(psycopg.errors.DiskFull("full"), OperationalError("full")), "waiting"),
        (OSError(errno.ENOSPC, "No space left on device"), "waiting"),
        (_from(psycopg.errors.ReadOnlySqlTransaction("x"), InternalError("x")), "waiting"),
        (_from(psycopg.errors.AdminShutdown("x"), OperationalError("x")), "waiting"),
        (_from(psycopg.OperationalError("the connection is lost"), OperationalError("lost")), "waiting"),
        (_from(psycopg.errors.ProgramLimitExceeded("row too long"), OperationalError("row too long")), "failed"),
        (OSError(errno.EIO, "Input/output error"), "failed"),
    ],
)
def test_what_the_site_failed_at_waits_without_an_attempt(monkeypatch, error, outcome):
    archive = waiting()

    def store(*args):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(load, "store", store)
        for _ in range(state.MAX_ATTEMPTS + 2 if outcome == "waiting" else 1):
            assert tasks.ingest_archive(archive.pk) == outcome
    if outcome == "waiting":
        assert tasks.ingest_archive(archive.pk) == "read"


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
    Archive.objects.filter(pk=archive.pk).update(state="reading", attempts=state.MAX_ATTEMPTS)
    assert tasks.ingest_archive(archive.pk) == "failed"
    archive.refresh_from_db()
    assert "interrupted" in archive.failure


def test_the_same_bytes_after_a_failure_are_tried_again():
    archive = waiting()
    Archive.objects.filter(pk=archive.pk).update(state="failed", attempts=5)
    assert waiting().pk == archive.pk
    assert tasks.ingest_archive(archive.pk) == "read"


def test_it_tells_how_far_it_is(monkeypatch):
    """First files and values found so far, of which nobody knows how many there will be; then files whose records are made."""
    monkeypatch.setattr(reading, "_PROGRESS_SECONDS", 0)
    noted = []
    monkeypatch.setattr(load, "write_progress", lambda pk, **told: noted.append(told))
    archive = waiting(samples.tar({f"{at}/dd.txt": samples.dd(2.5 + at) for at in range(3)}), "three.tar")
    reading.read_batch(archive, reading.Progress(archive.pk))
    steps = [(told["files_done"], told["files_total"], told["measurements"]) for told in noted]
    each = steps[0][2]
    assert each > 0 and steps[:3] == [(at, 0, at * each) for at in (1, 2, 3)]
    assert steps[3:] == [(at, 3, 3 * each) for at in (0, 1, 2, 3)]


def test_it_tells_the_end_of_what_took_long_and_nothing_of_a_short_one(monkeypatch):
    noted = []
    monkeypatch.setattr(load, "write_progress", lambda pk, **told: noted.append(told["files_done"]))
    clock = [0.0]
    monkeypatch.setattr(reading, "monotonic", lambda: clock[0])
    long, short = reading.Progress(1), reading.Progress(2)
    short(3, 3, 3)
    assert noted == []
    for done, total in ((1, None), (2, None), (3, None), (0, 3), (1, 3), (2, 3), (3, 3)):
        clock[0] += 0.2
        long(done, total, 3)
    assert noted == [3, 0, 3], "of seven within 1.4 s"


def it_has_the_parsers_loaded_before_the_processes_that_read_are_forked():
    caches = detect._prefilter, detect._wide_lines
    for cache in caches:
        cache.cache_clear()
    worker_init.send(sender=None)
    assert [cache.cache_info().currsize for cache in caches] == [1, 1]
