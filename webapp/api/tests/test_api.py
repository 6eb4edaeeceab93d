"""The API by requests: who asks, problems, pages of lists, ETags, HEAD."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from webapp.accounts import api_tokens
from webapp.http.problems import COMMON
from webapp.models import ApiToken, ApiUpload, Archive, RequestCount

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(django_user_model):
    return django_user_model.objects.create_user("ann")


@pytest.fixture
def archives(ann):
    """A public one, and a private one of ann's."""
    now = timezone.now()
    common = {"size": 3, "owner": ann, "state": "read", "read_at": now}
    return [
        Archive.objects.create(sha256="1" * 64, name="public.log", published_at=now, **common),
        Archive.objects.create(sha256="2" * 64, name="private.log", **common),
    ]


def bearer(user, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_tokens.make_token(user, 'test', scopes or ['read'])}"}


def test_without_a_token_what_is_public_is_shown_and_with_one_what_is_ones_own(client, ann, archives):
    public, private = archives
    assert [row["id"] for row in client.get("/api/v1/archives").json()["items"]] == [public.pk]
    assert client.get(f"/api/v1/archives/{private.pk}").status_code == 404
    signed = Client(headers=bearer(ann))
    assert [row["id"] for row in signed.get("/api/v1/archives").json()["items"]] == [private.pk, public.pk]
    shown = signed.get(f"/api/v1/archives/{private.pk}").json()
    assert shown["state"] == "read"
    assert shown["visibility"] == "private"
    assert shown["url"] == f"http://testserver/archives/{private.pk}"


def test_a_session_signs_nobody_in(client, ann, archives):
    client.force_login(ann)
    assert client.get(f"/api/v1/archives/{archives[1].pk}").status_code == 404


@pytest.mark.parametrize("change", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now() - timedelta(days=1)}])
def test_a_token_ends(ann, change):
    headers = bearer(ann)
    assert Client(headers=headers).get("/api/v1/archives").status_code == 200
    ApiToken.objects.update(**change)
    assert Client(headers=headers).get("/api/v1/archives").status_code == 401


def test_the_token_of_a_blocked_account_ends(ann):
    headers = bearer(ann)
    ann.is_active = False
    ann.save()
    assert Client(headers=headers).get("/api/v1/archives").status_code == 401


@pytest.mark.parametrize("text", ["Bearer", "Bearer x", "Basic YTpi", "Bearer poolmark_" + "x" * 43, "poolmark_", "\x7f"])
def test_a_wrong_token_is_refused_even_where_none_is_needed(client, text):
    response = client.get("/api/v1/archives", headers={"Authorization": text})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_each_scope_includes_those_before_it_and_the_text_of_a_token_is_not_stored(ann):
    text = api_tokens.make_token(ann, "ci", ["push"])
    token = api_tokens.find_token(text)
    assert token.scopes == ["read", "push"]
    assert len(text) == len("poolmark_") + 43
    assert text not in str(ApiToken.objects.values().get())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/v1/archives/1", 404),
        ("get", "/api/v1/archives/9999999999999999999999", 404),
        ("get", "/api/v1/nothing", 404),
        ("get", "/api/nothing", 404),
        ("get", "/api/v1/", 404),
        ("delete", "/api/v1/archives", 405),
        ("get", "/api/v1/archives?limit=x", 422),
        ("get", "/api/v1/archives?limit=0", 422),
        ("get", "/api/v1/archives?cursor=x", 404),
        ("get", "/api/v1/archives?mine=1", 401),
        ("get", "/api/v1/configurations?study=a%00b", 422),
    ],
)
def test_every_error_is_a_problem(client, method, path, status):
    response = getattr(client, method)(path)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert {"type", "title", "status", "detail", "instance"} <= set(problem)
    assert (problem["status"], problem["instance"]) == (status, path.partition("?")[0])
    assert ("errors" in problem) == (status == 422 or "cursor" in path)


@pytest.mark.parametrize("body", ["[null, null]", "null", '"title"', "1", "{"])
def test_a_body_is_an_object(client, ann, archives, body):
    """Where all of its fields may be left out, too."""
    address = f"/api/v1/archives/{archives[1].pk}"
    response = client.patch(address, body, content_type="application/json", headers=bearer(ann, "manage"))
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("runs?tool=dd&tool=", "query.tool"),
        ("runs?q=" + "a" * 201, "query.q"),
        ("runs?cursor=", "query.cursor"),
        ("runs?limit=x&limit=1", "query.limit"),
        ("studies?limit=2&limit=1", "query.limit"),
        ("archives?cursor=", "query.cursor"),
    ],
)
def test_what_is_empty_or_too_long_is_refused(client, archives, query, place):
    response = client.get(f"/api/v1/{query}")
    assert response.status_code == 422
    assert [error["place"] for error in response.json()["errors"]] == [place]


@pytest.mark.parametrize("text", ["", "%20", "%09%1F"])
def test_a_search_for_blanks_is_none(client, archives, text):
    assert client.get(f"/api/v1/runs?q={text}").json() == client.get("/api/v1/runs").json()


def test_names_of_secrets_are_kept_without_nul(ann):
    body = {"name": "a.tar", "size": 1, "sha256": "0" * 64, "publish_anyway": ["a  b\0", "c"]}
    assert Client(headers=bearer(ann, "push")).post("/api/v1/uploads", body, "application/json").status_code == 201
    assert ApiUpload.objects.get().wanted["publish_anyway"] == ["a  b", "c"]


def test_a_fault_is_a_problem(client, monkeypatch):
    monkeypatch.setattr("webapp.api.archives.list_page", lambda *_: 1 / 0)
    client.raise_request_exception = False
    response = client.get("/api/v1/archives")
    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")


def test_pages_are_followed_by_next(ann, archives):
    client, found, address = Client(headers=bearer(ann)), [], "/api/v1/archives?limit=1"
    while address:
        page = client.get(address).json()
        found += [row["id"] for row in page["items"]]
        address = page["next"]
    assert found == [archives[1].pk, archives[0].pk]


def test_what_the_reader_has_is_not_sent_again(client, archives):
    first = client.get("/api/v1/archives")
    assert client.get("/api/v1/archives", headers={"If-None-Match": first["ETag"]}).status_code == 304
    Archive.objects.update(title="changed")
    assert client.get("/api/v1/archives", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_head_is_get_without_its_body(client, archives):
    whole, head = client.get("/api/v1/archives"), client.head("/api/v1/archives")
    assert head.content == b""
    assert head["Content-Length"] == str(len(whole.content))
    assert head["ETag"] == whole["ETag"]


def test_every_call_declares_its_problems(client):
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for operations in document["paths"].values():
        for operation in operations.values():
            assert {str(status) for status in COMMON} <= set(operation["responses"])


def test_the_page_of_the_api_loads_nothing_from_elsewhere(client):
    page = client.get("/api/v1/docs")
    assert "/api/v1/archives" in page.content.decode()
    assert "default-src 'none'" in page["Content-Security-Policy"]


def test_requests_of_a_minute_are_counted_for_each_reader(client, ann, settings):
    settings.POOLMARK_API_REQUESTS = 3
    signed = Client(headers=bearer(ann))
    left = [client.get("/api/v1/archives")["RateLimit"].partition(";t=")[0] for _ in range(3)]
    assert left == ['"minute";r=2', '"minute";r=1', '"minute";r=0']
    refused = client.get("/api/v1/archives")
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert 0 < int(refused["Retry-After"]) <= 60
    assert signed.get("/api/v1/archives").status_code == 200
    assert signed.get("/api/v1/archives")["RateLimit-Policy"] == '"minute";q=3;w=60'
    RequestCount.objects.update(minute=0)  # long ago
    assert client.get("/api/v1/archives").status_code == 200


def test_guesses_of_tokens_are_counted(client, settings):
    settings.POOLMARK_API_REQUESTS = 2
    wrong = {"Authorization": f"Bearer poolmark_{'x' * 43}"}
    assert [client.get("/api/v1/archives", headers=wrong).status_code for _ in range(3)] == [401, 401, 429]


def test_a_counter_that_fails_refuses_nobody(client, monkeypatch):
    def fail(*_):
        raise DatabaseError

    monkeypatch.setattr("webapp.http.request_queries.fetch_row", fail)
    assert client.get("/api/v1/archives").status_code == 200


def test_other_sites_may_read_what_is_public_and_nothing_else(client, ann, archives):
    assert client.get("/api/v1/archives")["Access-Control-Allow-Origin"] == "*"
    assert client.get("/api/v1/archives/0")["Access-Control-Allow-Origin"] == "*"
    etag = client.get("/api/v1/archives")["ETag"]
    assert client.get("/api/v1/archives", headers={"If-None-Match": etag})["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in Client(headers=bearer(ann)).get("/api/v1/archives")
    asked = client.options("/api/v1/archives", headers={"Origin": "https://other.example", "Access-Control-Request-Method": "GET"})
    assert asked.status_code == 204
    assert {"GET", "HEAD", "OPTIONS"} <= set(asked["Allow"].split(", "))
    assert "Authorization" not in asked["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in asked
    assert client.options("/api/v1/nothing").status_code == 404
