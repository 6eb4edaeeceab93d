"""Permalinks made through the API."""

from __future__ import annotations

import pytest
from django.test import Client

from webapp.accounts import api_tokens
from webapp.models import LogEntry, Permalink, Run
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
PATH = "/api/v1/permalinks"


@pytest.fixture(autouse=True)
def unsent(monkeypatch):
    monkeypatch.setattr("webapp.api.compare_calls.render_permalink.delay", lambda name: None)


def client_of(name: str, scope: str = "manage") -> Client:
    return Client(headers={"Authorization": f"Bearer {api_tokens.make_token(making.user(name), 'test', [scope])}"})


def freeze(client: Client, address: str, headers=None, **more):
    return client.post(PATH, {"address": address} | more, content_type="application/json", headers=headers)


@pytest.fixture
def archive():
    return samples.received(samples.dd(2.5), "dd.txt", owner="ann")


def pages(archive) -> list[str]:
    run = Run.objects.filter(archive=archive).first()
    compare = f"/compare?archive={archive.pk}&metric=write.throughput"
    return [f"/archives/{archive.pk}", f"/runs/{run.pk}", compare, f"http://testserver{compare}"]


@pytest.mark.parametrize("number", range(4))
def test_what_a_page_shows_is_frozen_once(archive, number):
    address = pages(archive)[number]
    first, again = (freeze(client_of("ann"), address, title="T", headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201), first.text
    frozen = Permalink.objects.get()
    said = {"id": frozen.pk, "url": f"http://testserver/p/{frozen.pk}", "title": "T", "sha256": frozen.digest}
    assert first.json() == again.json() == said
    assert Client().get(first["Location"]).status_code == 200 == Client().get(f"/p/{frozen.pk}").status_code
    assert LogEntry.objects.filter(kind="freeze").count() == 1 and frozen.owner.username == "ann"


def test_a_card_is_frozen(archive):
    other = samples.received(samples.dd(5.0), "other.txt", owner="bob")
    answer = freeze(client_of("ann"), f"/versus?a=archive:{archive.pk}&b=archive:{other.pk}")
    assert answer.status_code == 201 and Permalink.objects.get().pk == answer.json()["id"]


def test_private_values_are_published_only_when_that_is_said():
    private = samples.received(samples.dd(2.5), "dd.txt", owner="ann", public=False)
    address = f"/archives/{private.pk}"
    asked = freeze(client_of("ann"), address)
    assert asked.status_code == 409 and "which only you can see now" in asked.json()["detail"]
    assert freeze(client_of("bob"), address, publish_points=True).status_code == 404
    assert not Permalink.objects.exists()
    assert freeze(client_of("ann"), address, publish_points=True).status_code == 201


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/archives/999999", 404),
        ("/runs/999999", 404),
        ("/versus?a=archive:999999&b=archive:999998", 404),
        ("/versus", 404),
        ("/upload", 404),
        ("/series?run=999999", 404),
        ("http://other.example.org/compare", 422),
        ("", 422),
        ("/compare?archive=999999", 422),
    ],
)
def test_what_cannot_be_frozen_is_said(address, status):
    answer = freeze(client_of("ann"), address)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), answer.text


def test_it_needs_the_scope_manage(archive):
    assert freeze(client_of("ann", "push"), f"/archives/{archive.pk}").status_code == 403
    assert freeze(Client(), f"/archives/{archive.pk}").status_code == 401
