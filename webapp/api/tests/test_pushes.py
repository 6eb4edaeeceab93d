"""Archives pushed, described, published and deleted through the API."""

from __future__ import annotations

import hashlib
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from ingest.tests.samples import FOLDER
from webapp.accounts import api_tokens
from webapp.accounts.audit import command_line_actor
from webapp.archives import lifecycle
from webapp.files import blobs
from webapp.http import request_queries
from webapp.models import ApiAnswer, Archive, AuditEntry
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
PATH = "/api/v1/archives"
BYTES = "application/octet-stream"


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The broker's place: ids that were sent."""
    ids: list[int] = []
    monkeypatch.setattr("webapp.api.pushes.send_archive", ids.append)
    return ids


def client_of(name: str, scope: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {api_tokens.make_token(making.user(name), 'test', [scope])}"})


@pytest.fixture
def ci():
    """Ann's, with a token that may push."""
    return client_of("ann", "push")


@pytest.fixture
def manager():
    """Ann's, with a token that may all."""
    return client_of("ann", "manage")


def push(client, *files: tuple[str, bytes], address=PATH, headers=None, **fields):
    return client.post(address, {"file": [SimpleUploadedFile(name, body) for name, body in files], **fields}, headers=headers)


def raw(client, body: bytes, media_type: str, **environ):
    """A request whose body the server reads to its end, whatever the headers say."""
    return client.generic("POST", PATH, CONTENT_TYPE=media_type, **environ | {"wsgi.input": io.BytesIO(body)})


def stored_files() -> int:
    return sum(1 for path in blobs.folder().rglob("*") if path.is_file())


def test_a_file_becomes_a_private_archive(ci, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = push(ci, ("dd.txt", samples.dd(2.5)), title=" lz4  beside off ", label=["branch=main", "ci=1"])
    archive, said = Archive.objects.get(), answer.json()
    assert answer.status_code == 201
    assert answer["Location"] == f"http://testserver/api/v1/archives/{archive.pk}"
    assert (said["id"], said["url"]) == (archive.pk, f"http://testserver/archives/{archive.pk}")
    assert (said["state"], said["visibility"], said["title"]) == ("queued", "private", "lz4 beside off")
    assert said["sha256"] == hashlib.sha256(samples.dd(2.5)).hexdigest() == archive.sha256
    assert said["labels"] == {"branch": "main", "ci": "1"} == archive.labels
    assert blobs.path(archive.sha256).read_bytes() == samples.dd(2.5)
    assert sent == [archive.pk] and archive.owner.username == "ann"
    assert ci.get(answer["Location"]).json() == said


@pytest.mark.parametrize("media_type", [BYTES, "application/json", "text/plain", "application/gzip"])
def test_bare_bytes_become_one_under_the_name_of_the_address(ci, media_type):
    answer = ci.post(f"{PATH}?name=runs%2Fx.json&label=branch%3Dmain&title=T", b'{"a": 1}', content_type=media_type)
    archive = Archive.objects.get()
    assert (answer.status_code, archive.name, archive.title, archive.labels) == (201, "x.json", "T", {"branch": "main"})
    assert blobs.path(archive.sha256).read_bytes() == b'{"a": 1}'


@pytest.mark.parametrize(
    ("body", "media_type", "name"),
    [
        ((FOLDER / "reframe" / "httpjson.json").read_bytes(), "application/json", "reframe.json"),
        ((FOLDER / "reframe" / "one-variable.json").read_bytes(), "application/json; charset=utf-8", "reframe.json"),
        (b'{"check_name": "a test"}', "application/json", "results.json"),
        (b"1", BYTES, "upload"),
    ],
)
def test_json_needs_no_name(ci, body, media_type, name):
    answer = ci.post(PATH, body, content_type=media_type)
    archive = Archive.objects.get()
    assert (answer.status_code, archive.name) == (201, name) and blobs.path(archive.sha256).read_bytes() == body


def test_several_files_are_one_archive(ci):
    answer = push(ci, ("b.tar.gz", b"\x1f\x8bbb"), ("a.txt", b"aa"))
    archive = Archive.objects.get()
    assert answer.status_code == 201 and archive.name == "2-files.tar"
    assert blobs.path(archive.sha256).read_bytes() == samples.tar({"a.txt": b"aa", "b.tar.gz": b"\x1f\x8bbb"})


def test_text_is_the_address_alone(ci):
    for status in (201, 200):
        answer = push(ci, ("dd.txt", samples.dd(2.5)), headers={"Accept": "text/plain"})
        assert (answer.status_code, answer["Content-Type"]) == (status, "text/plain; charset=utf-8")
        assert answer.text == f"http://testserver/archives/{Archive.objects.get().pk}\n"
    assert push(ci, ("x", b""), headers={"Accept": "text/plain"})["Content-Type"] == "application/problem+json"


def test_the_same_bytes_again_are_the_same_archive_with_what_is_new_of_its_labels(ci, sent):
    first = push(ci, ("dd.txt", samples.dd(2.5)), title="first", label=["branch=main", "job=1"])
    again = push(ci, ("other.txt", samples.dd(2.5)), title="second", label=["job=2", "host=a"])
    assert (first.status_code, again.status_code) == (201, 200) and again.json()["id"] == first.json()["id"]
    assert again.json()["title"] == "first" and again.json()["labels"] == {"branch": "main", "job": "2", "host": "a"}
    other = push(client_of("bob", "push"), ("dd.txt", samples.dd(2.5)))
    assert other.status_code == 201 and other.json()["id"] != first.json()["id"]
    assert stored_files() == 1


@pytest.mark.parametrize(
    ("files", "fields", "address", "headers", "said"),
    [
        ([], {}, PATH, {}, (422, "form.file")),
        ([("x", b"")], {}, PATH, {}, (422, "body")),
        ([("x", b"1")], {"label": "branch"}, PATH, {}, (422, "query.label")),
        ([("x", b"1")], {}, f"{PATH}?label=B%3D1", {}, (422, "query.label")),
        ([("x", b"1")], {"title": "t" * 201}, PATH, {}, (422, "form.title")),
        ([("x", b"1")], {"visibility": "all"}, PATH, {}, (422, "form.visibility")),
        ([("x", b"1")], {}, f"{PATH}?visibility=all", {}, (422, "query.visibility")),
        ([("x", b"1")], {"visibility": "link"}, PATH, {}, (422, "visibility")),
        ([("x", b"1")], {"visibility": "public"}, PATH, {}, (403, None)),
        ([("x", b"1")], {}, PATH, {"Content-Encoding": "gzip"}, (415, None)),
        ([("x", b"1")], {}, PATH, {"Idempotency-Key": "é"}, (422, "header.Idempotency-Key")),
        ([("x", b"1")], {}, PATH, {"Idempotency-Key": "k" * 256}, (422, "header.Idempotency-Key")),
    ],
)
def test_what_cannot_be_taken_is_a_problem_with_its_place(ci, files, fields, address, headers, said):
    status, place = said
    answer = push(ci, *files, address=address, headers=headers, **fields)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    places = [error["place"] for error in answer.json().get("errors", [])]
    assert places == ([place] if place else []) or places[0].endswith(place.rsplit(".")[-1])
    assert not Archive.objects.exists() and stored_files() == 0


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", "multipart/mixed; boundary=x"])
def test_other_forms_are_refused_with_what_to_do(ci, media_type):
    answer = ci.post(PATH, b"file=@x", content_type=media_type)
    assert answer.status_code == 415 and "curl -F file=@PATH" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body", [b"", b"x", b"--b\r\n", b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf']
)
def test_half_a_form_is_no_archive(ci, body):
    whole = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf and half\r\n--b--\r\n'
    answer = raw(ci, body, "multipart/form-data; boundary=b", CONTENT_LENGTH=str(len(whole)))
    assert answer.status_code == 400 and not Archive.objects.exists() and stored_files() == 0


def test_bare_bytes_that_end_too_soon_are_no_archive(ci):
    answer = raw(ci, b"1234", BYTES, CONTENT_LENGTH="5")
    assert answer.status_code == 400 and "nothing was kept" in answer.json()["detail"]
    assert not Archive.objects.exists() and stored_files() == 0


@pytest.mark.parametrize("kind", ["form", "bytes"])
def test_a_body_in_chunks_has_no_length(ci, kind):
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\n12345\r\n--b--\r\n'
    body, media_type = (form, "multipart/form-data; boundary=b") if kind == "form" else (b"12345", BYTES)
    chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
    answer = raw(ci, body, media_type, **chunked)
    assert answer.status_code == 201, answer.text
    assert blobs.path(Archive.objects.get().sha256).read_bytes() == b"12345"


def test_limits_are_those_of_the_page_and_in_its_words(ci, settings, monkeypatch):
    settings.POOLMARK_QUOTA_ARCHIVES, settings.POOLMARK_QUOTA_BYTES = 1, 30
    lifecycle.block_bytes(hashlib.sha256(b"bad").hexdigest(), "a virus", command_line_actor())
    blocked = push(ci, ("x", b"bad"))
    assert (blocked.status_code, blocked.json()["detail"]) == (403, "This archive is blocked: a virus")
    assert push(ci, ("x", b"1" * 31)).status_code == 413
    assert push(ci, ("x", b"1")).status_code == 201
    over = push(ci, ("x", b"2"))
    assert over.status_code == 429 and "There is room again from" in over.json()["detail"] and int(over["Retry-After"]) > 80_000
    settings.POOLMARK_UPLOAD_LIMIT, settings.POOLMARK_QUOTA_ARCHIVES, settings.POOLMARK_QUOTA_BYTES = 4, 9, 2**30
    for address, body, media_type in ((PATH, b"12345", BYTES), (PATH, b"1" * (2**24 + 5), BYTES)):
        answer = ci.post(address, body, content_type=media_type)
        assert answer.status_code == 413 and "at most. Split it" in answer.json()["detail"]
    settings.POOLMARK_RESERVE = 2**62
    full = push(ci, ("x", b"3"))
    assert full.status_code == 507 and full.json()["detail"].startswith("The disk of this site is full")
    assert Archive.objects.count() == 1 and stored_files() == 1


@pytest.mark.parametrize(("scope", "status"), [("", 401), ("read", 403)])
def test_only_a_token_that_may_push_pushes(scope, status):
    client = client_of("ann", scope) if scope else Client()
    assert push(client, ("x", b"1")).status_code == status
    assert client.post("/api/v1/uploads", {}, content_type="application/json").status_code == status


def test_a_token_that_pushes_reads_its_own_and_neither_publishes_nor_deletes(ci):
    pk = push(ci, ("x", b"1")).json()["id"]
    assert ci.get(f"{PATH}/{pk}").status_code == 200
    change = {"content_type": "application/json"}
    for answer in (
        ci.patch(f"{PATH}/{pk}", {"visibility": "public"}, **change),
        ci.patch(f"{PATH}/{pk}", {"title": "x"}, **change),
        ci.delete(f"{PATH}/{pk}"),
    ):
        assert answer.status_code == 403 and "manage" in answer.json()["detail"]
    assert Archive.objects.get().title == ""


def test_what_is_said_of_an_archive_changes_and_the_rest_stays(manager):
    pk = push(manager, ("x.txt", b"1"), title="t", description="d", label="a=1").json()["id"]
    said = manager.patch(f"{PATH}/{pk}", {"title": "new\0  one", "labels": {"b": "2"}}, content_type="application/json").json()
    assert (said["title"], said["description"], said["labels"]) == ("new one", "d", {"b": "2"})
    said = manager.patch(f"{PATH}/{pk}", {"title": ""}, content_type="application/json").json()
    assert (said["title"], said["labels"]) == ("x.txt", {"b": "2"})
    wrong = manager.patch(f"{PATH}/{pk}", {"labels": {"B": "2"}}, content_type="application/json")
    assert wrong.status_code == 422 and "is no name of a label" in wrong.text


def test_publishing_needs_a_licence_and_a_read_archive_and_is_in_the_audit_log(manager):
    archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
    address, json = f"{PATH}/{archive.pk}", {"content_type": "application/json"}
    assert manager.patch(address, {"visibility": "public"}, **json).json()["errors"][0]["place"] == "body.licence"
    said = manager.patch(address, {"visibility": "public", "licence": "cc-by-4.0"}, **json)
    assert (said.status_code, said.json()["visibility"]) == (200, "public")
    assert manager.patch(address, {"visibility": "private"}, **json).json()["visibility"] == "private"
    assert list(AuditEntry.objects.order_by("id").values_list("action", "who")) == [("publish", "ann"), ("unpublish", "ann")]
    waiting = push(manager, ("y", b"2")).json()["id"]
    early = manager.patch(f"{PATH}/{waiting}", {"visibility": "public", "licence": "CC0-1.0"}, **json)
    assert early.status_code == 409 and early["Retry-After"]


def test_a_push_is_published_at_once_unless_a_secret_is_in_it(manager):
    licence = {"visibility": "public", "licence": "CC-BY-4.0"}
    assert push(manager, ("x", b"1"), visibility="public").json()["errors"][0]["place"] == "licence"
    said = push(manager, ("x", b"1"), **licence)
    assert (said.status_code, said.json()["visibility"]) == (201, "public")
    assert Archive.objects.get().licence and AuditEntry.objects.get().who == "ann"
    key = b"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE" * 4
    secret = b"-----BEGIN OPENSSH PRIVATE KEY-----\n%s\n-----END OPENSSH PRIVATE KEY-----\n" % key
    refused = push(manager, ("key.txt", secret), **licence)
    assert refused.status_code == 422 and "secret" in refused.json()["detail"]
    assert Archive.objects.count() == 1


def test_an_archive_is_deleted_with_its_bytes_by_its_owner_alone(manager):
    pk = push(manager, ("x", b"1")).json()["id"]
    bob = client_of("bob", "manage")
    assert bob.delete(f"{PATH}/{pk}").status_code == 404
    Archive.objects.update(published_at="2026-01-01T00:00Z")
    assert bob.delete(f"{PATH}/{pk}").status_code == 403
    assert manager.delete(f"{PATH}/{pk}").status_code == 204
    assert manager.delete(f"{PATH}/{pk}").status_code == 404
    assert not Archive.objects.exists() and stored_files() == 0
    assert AuditEntry.objects.get().action == "delete"


def test_a_key_gives_the_first_answer_again(ci, sent):
    key = {"Idempotency-Key": "one"}
    first = push(ci, ("x", b"1"), headers=key)
    Archive.objects.update(state="read")
    again = push(ci, ("x", b"1"), headers=key)
    assert (first.status_code, again.status_code) == (201, 201) and first.json() == again.json()
    assert first["Location"] == again["Location"]
    assert push(ci, ("x", b"2"), headers=key).status_code == 422
    assert push(ci, ("x", b"1"), headers=key, title="other").status_code == 422
    assert push(client_of("ann", "push"), ("x", b"1"), headers=key).status_code == 200  # another token
    assert Archive.objects.count() == 1 and stored_files() == 1


def test_what_failed_is_tried_again_with_its_key(ci, settings):
    key = {"Idempotency-Key": "one"}
    settings.POOLMARK_QUOTA_ARCHIVES = 0
    assert push(ci, ("x", b"1"), headers=key).status_code == 429
    settings.POOLMARK_QUOTA_ARCHIVES = 1
    assert push(ci, ("x", b"1"), headers=key).status_code == 201
    assert ApiAnswer.objects.count() == 1


def test_five_megabytes_take_few_queries(ci, django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(request_queries, "_SWEEP", 10**9)  # every quarter of an hour a first request deletes old counts, too
    with django_assert_max_num_queries(23):
        assert push(ci, ("x.tar", b"0" * 5_000_000), headers={"Idempotency-Key": "k"}).status_code == 201
