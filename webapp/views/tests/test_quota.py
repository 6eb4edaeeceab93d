"""Quotas by person: bytes and archives within 24 hours, said before and when they are reached."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from webapp.files import blobs
from webapp.models import Archive
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few(settings, monkeypatch):
    """1 KiB and three archives within 24 hours."""
    settings.POOLMARK_QUOTA_BYTES, settings.POOLMARK_QUOTA_ARCHIVES = 1024, 3
    monkeypatch.setattr("webapp.views.archives.upload_form.send_archive", lambda pk: None)


def send(client, *bodies: bytes, accept="text/html", size: int | None = None):
    files = [SimpleUploadedFile(f"{number}.tar.gz", b"\x1f\x8b" + body) for number, body in enumerate(bodies)]
    heads = {} if size is None else {"CONTENT_LENGTH": str(size)}
    return client.post("/upload", {"files": files}, headers={"Accept": accept}, **heads)


def stored_bytes() -> int:
    return sum(1 for path in blobs.folder().rglob("*") if path.is_file())


def test_the_page_says_what_is_left(ann):
    send(ann, b"x" * 510)
    page = ann.get("/upload").text
    assert "Within 24 hours you may upload 1 KiB and 3 archives; left: 512 B, 2 archives." in page.replace("\u00a0", " ")


ANSWERED = {"text/html": "text/html", "application/json": "application/problem+json"}


@pytest.mark.parametrize("accept", ANSWERED)
def test_more_bytes_are_refused_in_the_form_asked_for_and_not_kept(ann, accept):
    answer = send(ann, b"x" * 1024, accept=accept)
    assert answer.status_code == 413 and answer["Content-Type"].startswith(ANSWERED[accept])
    said = "You may upload 1 KiB within 24 hours, and 1 KiB of these are left; this is more. It was not kept. Split it, or ask"
    assert said in (answer.json()["detail"] if "json" in accept else answer.text).replace("\u00a0", " ")
    assert not Archive.objects.exists() and stored_bytes() == 0


@pytest.mark.parametrize("accept", ANSWERED)
def test_a_fourth_archive_is_refused_and_says_when_there_is_room_again(ann, accept):
    for number in range(3):
        assert send(ann, b"%d" % number, accept="application/json").status_code == 201
    answer = send(ann, b"4", accept=accept)
    assert answer.status_code == 429 and answer["Content-Type"].startswith(ANSWERED[accept])
    assert 86_000 < int(answer["Retry-After"]) <= 86_401
    again = Archive.objects.earliest("uploaded_at").uploaded_at + timedelta(hours=24)
    assert f"There is room again from {again:%-d %B, %H:%M} UTC on" in answer.text
    assert Archive.objects.count() == stored_bytes() == 3


def test_of_several_those_that_fit_are_kept_and_the_others_named(ann):
    answer = send(ann, *(b"%d" % number for number in range(5)), accept="application/json")
    assert answer.status_code == 201 and len(answer.json()["archives"]) == 3
    assert [text.split(":")[0] for text in answer.json()["refused"]] == ["3.tar.gz", "4.tar.gz"]


def test_it_is_refused_before_its_body_is_read(ann, monkeypatch):
    monkeypatch.setattr("django.http.request.HttpRequest._load_post_and_files", lambda request: pytest.fail("it was read"))
    answer = ann.generic("POST", "/upload", b"", headers={"Accept": "application/json"}, CONTENT_LENGTH=str(2**25))
    assert answer.status_code == 413


def test_what_is_here_already_costs_nothing(ann):
    for _ in range(5):
        assert send(ann, b"same", accept="application/json").status_code == 201
    public = samples.received(b"\x1f\x8bpublic", "p.tar.gz", owner="bob", public=True)
    assert send(ann, b"public", accept="application/json").json()["archives"][0]["id"] == public.pk


def test_a_day_later_there_is_room_again(ann):
    for number in range(3):
        send(ann, b"%d" % number)
    Archive.objects.update(uploaded_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert send(ann, b"4", accept="application/json").status_code == 201


def test_others_and_staff_are_not_limited_by_it(ann, client):
    for number in range(3):
        send(ann, b"%d" % number)
    for user in (making.user("bob"), making.staff()):
        client.force_login(user)
        assert send(client, b"of %d" % user.pk, accept="application/json").status_code == 201
    for number in range(4):
        assert send(client, b"staff %d" % number, accept="application/json").status_code == 201
    assert "Within 24 hours" not in client.get("/upload").text
