"""Uploads in pieces, and requests that are sent again at the same time."""

from __future__ import annotations

import hashlib
import io
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from webapp.accounts import api_tokens
from webapp.files import blobs, pieces
from webapp.models import ApiAnswer, ApiUpload, Archive, UploadPiece
from webapp.tests import making

PATH = "/api/v1/uploads"


@pytest.fixture(autouse=True)
def unsent(monkeypatch):
    monkeypatch.setattr("webapp.api.pushes.send_archive", lambda pk: None)


def token(name: str = "ann", scope: str = "push") -> dict[str, str]:
    return {"Authorization": f"Bearer {api_tokens.make_token(making.user(name), 'test', [scope])}"}


@pytest.fixture
def ci(db):
    return Client(headers=token())


def begin(client: Client, data: bytes, headers=None, **facts):
    facts = {"name": "a.tar", "size": len(data), "sha256": hashlib.sha256(data).hexdigest()} | facts
    return client.post(PATH, facts, content_type="application/json", headers=headers)


def put(client: Client, address: str, data: bytes, first: int, last: int, *, cut: int | None = None):
    """Send bytes `first` to `last`; the connection breaks after `cut` of them."""
    body = data[first : last + 1]
    return client.generic(
        "PUT",
        address,
        CONTENT_LENGTH=str(len(body)),
        CONTENT_TYPE="application/octet-stream",
        HTTP_CONTENT_RANGE=f"bytes {first}-{last}/{len(data)}",
        **{"wsgi.input": io.BytesIO(body[:cut])},
    )


def files_below(area: str) -> list[Path]:
    return [path for path in (blobs.folder().parent / area).rglob("*") if path.is_file()]


def test_pieces_become_the_archive_that_one_push_would_be(ci, django_capture_on_commit_callbacks):
    data = bytes(range(256)) * 40
    begun = begin(ci, data, title="t", labels={"branch": "main"})
    address = begun["Location"]
    assert begun.status_code == 201 and begun.json()["url"] == address and begun.json()["received"] == 0
    for first, last, received in ((0, 99, 100), (50, 199, 200), (0, 150, 200), (200, len(data) - 1, len(data))):
        answer = put(ci, address, data, first, last)
        assert (answer.status_code, answer.json()["received"]) == (200, received)
        assert ci.get(address).json() == answer.json()
    with django_capture_on_commit_callbacks(execute=True):
        done = ci.post(f"{address}/finish")
    archive = Archive.objects.get()
    assert done.status_code == 201 and done.json()["id"] == archive.pk
    assert (archive.name, archive.title, archive.labels) == ("a.tar", "t", {"branch": "main"})
    assert blobs.path(archive.sha256).read_bytes() == data
    again = ci.post(f"{address}/finish", headers={"Accept": "text/plain"})
    assert (again.status_code, again.text) == (200, f"http://testserver/archives/{archive.pk}\n")
    shown = ci.get(address).json()
    assert (shown["archive"], shown["received"]) == (archive.pk, len(data))
    assert not files_below("pieces") and not UploadPiece.objects.exists()


def test_an_upload_that_is_cut_at_random_bytes_goes_on_a_hundred_times(ci, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 5000)
    dice = random.Random(50)
    for number in range(100):
        data = dice.randbytes(dice.randrange(1, 20_000))
        address = begin(ci, data).json()["url"]
        for _ in range(dice.randrange(1, 6)):
            received = ci.get(address).json()["received"]
            if received == len(data):
                break
            first, length = dice.randrange(received + 1), len(data)
            cut = dice.randrange(length - first)
            answer = put(ci, address, data, first, length - 1, cut=cut)
            assert answer.json()["received"] == max(received, first + cut)
        left = ci.get(address).json()["received"]
        if left < len(data):
            put(ci, address, data, left, len(data) - 1)
        done = ci.post(f"{address}/finish")
        assert done.status_code == 201, (number, done.text)
        assert blobs.path(hashlib.sha256(data).hexdigest()).read_bytes() == data
    assert Archive.objects.count() == 100


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 422),
        ("bytes 0-9/11", 422),
        ("bytes 0-10/10", 422),
        ("bytes 5-4/10", 422),
        ("bytes 0-9/*", 422),
        ("lines 0-9/10", 422),
        ("bytes 3-9/10", 416),
    ],
)
def test_other_ranges_are_refused(ci, header, status):
    address = begin(ci, b"0123456789").json()["url"]
    answer = ci.put(address, b"x", headers={"Content-Range": header} if header else {})
    assert answer.status_code == status and answer["Content-Type"] == "application/problem+json"
    assert ci.get(address).json()["received"] == 0


def test_a_gap_is_named(ci):
    address = begin(ci, b"0123456789").json()["url"]
    put(ci, address, b"0123456789", 0, 3)
    gap = put(ci, address, b"0123456789", 6, 9)
    assert gap.json()["detail"] == "Byte 4 is the next one, not 6: there is no gap between pieces."
    early = ci.post(f"{address}/finish")
    assert early.status_code == 409 and early.json()["detail"].startswith("4 of 10 bytes are there")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}])
def test_wrong_bytes_are_found_at_the_end_and_sent_again(ci, headers, django_capture_on_commit_callbacks):
    good, bad = b"0123456789", b"012345678x"
    address = begin(ci, good).json()["url"]
    put(ci, address, bad, 0, 9)
    answer = ci.post(f"{address}/finish", headers=headers)
    assert answer.status_code == 422 and hashlib.sha256(bad).hexdigest() in answer.json()["detail"]
    assert ci.get(address).json()["received"] == 0 and not files_below("pieces") and not Archive.objects.exists()
    put(ci, address, good, 0, 9)
    assert ci.post(f"{address}/finish", headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"size": 0}, 422),
        ({"size": 2**31 + 1}, 413),
        ({"sha256": "x" * 64}, 422),
        ({"name": ""}, 422),
        ({"labels": {"B": "x"}}, 422),
        ({"visibility": "public"}, 403),
        ({"visibility": "link"}, 422),
        ({"title": "x" * 201}, 422),
    ],
)
def test_what_would_be_refused_at_the_end_is_refused_at_once(ci, facts, status):
    assert begin(ci, b"1", **facts).status_code == status
    assert not ApiUpload.objects.exists()


def test_unfinished_uploads_count_against_the_quota(ci, settings):
    settings.POOLMARK_QUOTA_BYTES, settings.POOLMARK_QUOTA_ARCHIVES = 20, 2
    first = begin(ci, b"0123456789").json()["url"]
    assert begin(ci, b"0123456789x").status_code == 413
    assert begin(ci, b"x").status_code == 201
    assert begin(ci, b"y").status_code == 429
    assert ci.delete(first).status_code == 204 and ci.get(first).status_code == 404
    assert begin(ci, b"y").status_code == 201


def test_an_upload_is_its_owners_alone(ci):
    address = begin(ci, b"0123456789").json()["url"]
    bob = Client(headers=token("bob", "manage"))
    others = [bob.get(address), put(bob, address, b"0123456789", 0, 9), bob.post(f"{address}/finish"), bob.delete(address)]
    assert [answer.status_code for answer in others] == [404] * 4
    assert Client().get(address).status_code == 401


def test_it_is_forgotten_after_a_day_with_its_bytes_and_answers(ci):
    address = begin(ci, b"0123456789", headers={"Idempotency-Key": "k"}).json()["url"]
    put(ci, address, b"0123456789", 0, 4)
    kept = begin(ci, b"another").json()["url"]
    old = timezone.now() - timedelta(days=1, seconds=1)
    ApiUpload.objects.filter(received=5).update(created_at=old)
    ApiAnswer.objects.update(created_at=old)
    assert ci.get(address).status_code == 404 and files_below("pieces")
    assert pieces.forget_old() == 1
    assert not files_below("pieces") and ApiUpload.objects.count() == 1 and not ApiAnswer.objects.exists()
    assert ci.get(kept).status_code == 200


def test_the_reconciler_forgets_them(ci):
    begin(ci, b"0123456789")
    ApiUpload.objects.update(created_at=timezone.now() - timedelta(days=2))
    call_command("reconcile")
    assert not ApiUpload.objects.exists()


def test_pieces_are_not_without_number(ci, monkeypatch):
    monkeypatch.setattr(pieces, "MAX_PIECES", 2)
    address = begin(ci, b"0123456789").json()["url"]
    answers = [put(ci, address, b"0123456789", first, first) for first in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 409]


# Requests at the same time, each with a connection and a transaction of its own.


def at_once(act, n: int) -> list:
    def run(number: int):
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


@pytest.mark.django_db(transaction=True)
def test_of_requests_with_one_key_at_once_one_acts():
    headers = token() | {"Idempotency-Key": "one"}
    files = [b"same"] * 4 + [b"other"] * 2

    def push(number: int):
        file = SimpleUploadedFile("x", files[number])
        return Client(headers=headers).post("/api/v1/archives", {"file": file})

    answers = at_once(push, 6)
    made = [answer for answer in answers if answer.status_code == 201]
    assert made and {answer.status_code for answer in answers} <= {201, 409, 422}
    assert Archive.objects.count() == 1 and ApiAnswer.objects.count() == 1
    assert {answer.json()["id"] for answer in made} == {Archive.objects.get().pk}
    again = [push(number) for number in range(6)]
    assert sorted(answer.status_code for answer in again) in ([201] * 4 + [422] * 2, [201] * 2 + [422] * 4)


@pytest.mark.django_db(transaction=True)
def test_pieces_and_finishes_at_once_make_one_archive():
    headers, data = token(), b"0123456789" * 500
    address = begin(Client(headers=headers), data).json()["url"]
    half = len(data) // 2
    for first, last in ((0, half - 1), (half, len(data) - 1)):
        sent = at_once(lambda _, first=first, last=last: put(Client(headers=headers), address, data, first, last), 4)
        assert {answer.status_code for answer in sent} <= {200, 409} and any(answer.status_code == 200 for answer in sent)
    assert UploadPiece.objects.count() == 2
    done = at_once(lambda _: Client(headers=headers).post(f"{address}/finish"), 4)
    assert {answer.status_code for answer in done} <= {200, 201, 409}, [answer.text for answer in done]
    assert Archive.objects.get().sha256 == hashlib.sha256(data).hexdigest()
    assert not files_below("pieces")
