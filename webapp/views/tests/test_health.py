"""/readyz, /metrics and /status, and uploads to a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError

from webapp.files import blobs, stores
from webapp.files.stores import StoreError
from webapp.infrastructure import checks
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive, Permalink
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(monkeypatch):
    monkeypatch.setattr(stores, "free_bytes", lambda: 1000)


@pytest.fixture
def ann(django_user_model):
    return django_user_model.objects.create_user("ann")


def test_ready_where_everything_works(client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "ok", "checks": dict.fromkeys(("database", "queue", "space", "store"), "ok")},
    )


def test_a_full_disk_is_not_ready(client, full):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "uploads are refused" in answer.json()["checks"]["space"]
    assert client.get("/healthz").status_code == 200  # it is alive, and pages are answered


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("database", DatabaseError("connection refused\nis it running?"), "DatabaseError: connection refused"),
        ("queue", OSError(errno.ENOSPC, "No space left on device"), "OSError: [Errno 28] No space left on device"),
        ("store", PermissionError(errno.EACCES, "Permission denied"), "PermissionError"),
    ],
)
def test_each_check_says_what_failed(client, monkeypatch, name, error, words):
    def fail():
        raise error

    monkeypatch.setitem(checks._CHECKS, name, fail)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"][name].startswith(words)
    assert client.get("/status").status_code == 503


def test_a_database_that_cannot_be_written_is_not_ready(client):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
    answer = client.get("/readyz")
    assert "can be read and not be written" in answer.json()["checks"]["database"]


def test_metrics_count_archives_by_state(client):
    making.archive(public=True, records=[])
    text = client.get("/metrics").text
    assert 'poolmark_archives{kind="read"} 1.0' in text
    assert 'poolmark_ready{kind="database"} 1.0' in text
    assert "poolmark_free_bytes" in text and "poolmark_public_measurements 0.0" in text


def test_status_shows_the_head_of_the_log(client):
    assert "Nothing has been frozen" in client.get("/status").text


@pytest.mark.parametrize("address", ["/metrics", "/status"])
def test_a_setting_closes_them(client, settings, django_user_model, address):
    settings.POOLMARK_STATUS = "staff"
    assert client.get(address).status_code == 404
    settings.POOLMARK_METRICS_TOKEN = "a-long-token"
    assert client.get(address, headers={"Authorization": "Bearer wrong"}).status_code == 404
    expected = 200 if address == "/metrics" else 404
    assert client.get(address, headers={"Authorization": "Bearer a-long-token"}).status_code == expected
    client.force_login(django_user_model.objects.create_user("sue", is_staff=True))
    assert client.get(address).status_code == 200


def upload(client, **headers):
    return client.post("/upload", {"files": SimpleUploadedFile("a.txt", b"x" * 5000)}, headers=headers)


def test_an_upload_without_room_is_refused_with_a_page(client, ann, full):
    client.force_login(ann)
    answer = upload(client)
    assert answer.status_code == 507
    assert "The disk of this site is full" in answer.text
    assert not Archive.objects.exists()


def test_and_with_json_where_that_was_asked_for(client, ann, full):
    client.force_login(ann)
    answer = upload(client, Accept="application/json")
    assert answer.status_code == 507
    assert answer.json()["detail"].startswith("The disk of this site is full: 1\u202f000")


def test_the_body_of_a_refused_upload_is_not_read(client, ann, full, monkeypatch):
    client.force_login(ann)

    def read(*_):
        raise AssertionError("the body was read")

    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.parse", read)
    assert upload(client).status_code == 507


def test_a_disk_that_fills_while_bytes_are_written(client, ann, monkeypatch):
    """Nothing of them is left."""

    def write(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    client.force_login(ann)
    monkeypatch.setattr(blobs.os, "fsync", write)
    answer = upload(client)
    assert (answer.status_code, Archive.objects.count()) == (507, 0)
    assert not list((blobs.folder() / "incoming").iterdir())


def test_a_disk_that_is_full_elsewhere_answers_507(client, monkeypatch):
    client.raise_request_exception = False

    def fail():
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("webapp.views.site.health.checks.run_checks", fail)
    answer = client.get("/readyz")
    assert answer.status_code == 507
    assert "The disk of this site is full" in answer.text


def test_a_store_that_does_not_answer_is_said_with_when_to_try_again(client, monkeypatch):
    client.raise_request_exception = False

    def fail():
        raise StoreError("the bucket does not answer")

    monkeypatch.setattr("webapp.views.site.health.checks.run_checks", fail)
    answer = client.get("/readyz")
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert "The storage of this site cannot be used: the bucket does not answer" in answer.text


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("failing", ["mkstemp", "replace", "mkdir"])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_folder_that_cannot_be_written_is_said_and_is_no_bug(client, ann, monkeypatch, number, failing, accept):
    def fail(*args, **_):
        raise OSError(number, os.strerror(number), "/srv/data/blobs")

    client.raise_request_exception = False
    client.force_login(ann)
    with monkeypatch.context() as patched:
        patched.setattr({"mkstemp": blobs.tempfile, "replace": os, "mkdir": Path}[failing], failing, fail)
        answer = upload(client, Accept=accept)
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert os.strerror(number) in answer.text and "/srv" not in answer.text and "bug" not in answer.text
    assert not Archive.objects.exists()


def test_freezing_without_room_is_refused_with_words(client, monkeypatch):
    archive = samples.received(samples.dd(1.0, 1.5), "dd.txt")
    client.force_login(archive.owner)
    monkeypatch.setattr(stores, "free_bytes", lambda: 1000)
    answer = client.post(f"/archives/{archive.pk}/freeze", {"publish_points": "yes"})
    assert answer.status_code == 507
    assert "The disk of this site is full" in answer.text
    assert not Permalink.objects.exists()


def test_reading_without_room_waits_and_is_no_attempt(full):
    archive = making.archive()
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED)
    assert ingest_archive(archive.pk) == "waiting"
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == (Archive.State.RECEIVED, 0)
