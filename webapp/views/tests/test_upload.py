"""Uploading: what becomes one archive, what is here already, what is refused."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.files import blobs
from webapp.models import Archive
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The broker's place: ids that were sent."""
    ids: list[int] = []
    monkeypatch.setattr("webapp.views.archives.upload_form.send_archive", ids.append)
    return ids


def send(client, *files: tuple[str, bytes], paths=None, **headers):
    data = {"files": [SimpleUploadedFile(name, body) for name, body in files]}
    if paths:
        data["paths"] = paths
    return client.post("/upload", data, headers=headers)


def test_it_needs_an_account(client):
    assert client.get("/upload").url == "/sign-in?next=/upload"
    assert send(client, ("a.txt", b"x")).status_code == 302
    assert not Archive.objects.exists()


def test_the_page_has_a_form_that_works_without_a_script(ann):
    page = ann.get("/upload").text
    assert 'enctype="multipart/form-data"' in page and "multiple" in page and 'name="files"' in page


def test_bytes_lie_under_their_digest_before_anything_is_read(ann, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        response = send(ann, ("dd.txt", samples.dd(2.5)))
    archive = Archive.objects.get()
    assert response.url == f"/archives/{archive.pk}"
    assert blobs.path(archive.sha256).read_bytes() == samples.dd(2.5)
    assert (archive.state, archive.is_public) == ("received", False)
    assert (archive.owner.username, archive.name) == ("ann", "dd.txt")
    assert sent == [archive.pk]


def test_every_packed_file_is_an_archive_and_loose_files_are_one_together(ann):
    send(ann, ("one.tar", samples.tar({"a": b"1"})), ("b.txt", b"bb"), ("two.zip", b"PK\x03\x04..."), ("a.txt", b"aa"))
    names = set(Archive.objects.values_list("name", flat=True))
    assert names == {"one.tar", "two.zip", "2-files.tar"}
    together = Archive.objects.get(name="2-files.tar")
    assert blobs.path(together.sha256).read_bytes() == samples.tar({"a.txt": b"aa", "b.txt": b"bb"})


def test_a_folder_keeps_its_paths_and_its_name(ann):
    send(ann, ("x.txt", b"1"), ("y.txt.gz", b"\x1f\x8b2"), paths=["sweep/lz4/x.txt", "sweep/y.txt.gz"])
    archive = Archive.objects.get()
    assert archive.name == "sweep.tar"
    assert blobs.path(archive.sha256).read_bytes() == samples.tar({"lz4/x.txt": b"1", "y.txt.gz": b"\x1f\x8b2"})


def test_the_same_bytes_again_lead_to_the_archive_that_is_here(ann, sent):
    first, again = (send(ann, ("dd.txt", samples.dd(2.5)), ("e.txt", b"e")) for _ in range(2))
    assert first.url == again.url and Archive.objects.count() == 1
    page = ann.get(again.url).text
    assert "You already uploaded this archive, on " in page and f'<a href="{first.url}">' in page


def test_a_public_archive_of_another_account_is_named(ann, client, sent):
    public = samples.received(samples.dd(2.5), "dd.txt", owner="bob")
    page = ann.get(send(ann, ("dd.txt", samples.dd(2.5))).url).text
    assert "This archive is already public here: " in page and f'<a href="/archives/{public.pk}">' in page and "by bob" in page


def test_bytes_that_another_published_lead_there_and_private_ones_do_not(client):
    samples.received(samples.dd(2.5), "dd.txt", owner="bob", public=False)
    client.force_login(making.user("ann"))
    send(client, ("dd.txt", samples.dd(2.5)))
    assert Archive.objects.count() == 2
    public = samples.received(samples.dd(3), "dd3.txt", owner="bob", public=True)
    assert send(client, ("dd.txt", samples.dd(3))).url == f"/archives/{public.pk}"


def test_a_script_gets_addresses(ann):
    tars = [(f"{name}.tar", samples.tar({name: b"1"})) for name in "ab"]
    answer = send(ann, *tars, Accept="application/json")
    assert answer.status_code == 201
    assert [a["name"] for a in answer.json()["archives"]] == ["a.tar", "b.tar"]
    assert answer.json()["location"] == "/archives?mine=1"


def test_too_much_is_refused_with_the_limit_and_leaves_nothing(ann, settings, data_folder):
    settings.POOLMARK_UPLOAD_LIMIT = 100
    response = send(ann, ("a.txt", b"x" * 101))
    assert response.status_code == 413 and "at most" in response.text
    assert not Archive.objects.exists()
    assert [p for p in data_folder.rglob("*") if p.is_file()] == []


def test_no_file_is_said(ann):
    assert "No file was sent" in ann.post("/upload").text


def test_an_empty_file_is_an_archive_too(ann):
    ann.post("/upload", {"files": SimpleUploadedFile("a.txt", b""), "x": io.StringIO("")})
    assert Archive.objects.count() <= 1
