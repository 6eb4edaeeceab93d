"""Answers before Django makes a request of it: the same ones, for the same readers, never a stale one."""

from __future__ import annotations

import io

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.http.early_answers import with_early_answers
from webapp.http.page_cache import page_cache
from webapp.storage import load
from webapp.tests import making

pytestmark = pytest.mark.django_db
QUERY = "metric=write.throughput&x=compression"


class Site:
    """The early answers in front of an application that counts how often it is asked."""

    def __init__(self, client) -> None:
        self.client, self.asked = client, 0
        self.application = with_early_answers(self._django, close_connections=lambda: None)  # as the test client leaves it

    def _django(self, environ, start_response):
        self.asked += 1
        path = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"
        headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        response = self.client.generic(environ["REQUEST_METHOD"], path, headers=headers)
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.headers.items()))
        return [response.content]

    def get(self, path="/compare", query=QUERY, method="GET", **headers) -> tuple[str, dict[str, str], bytes]:
        """Status, headers and body."""
        said = []
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "HTTP_HOST": "localhost:8000",
            "wsgi.input": io.BytesIO(),
            **headers,
        }
        body = b"".join(self.application(environ, lambda *told: said.extend(told)))
        return said[0], dict(said[1]), body


@pytest.fixture
def site(client):
    making.archive(records=making.file_records("a.csv", "a", [1e8, 2e8], config={"pool.compression": "lz4"}), public=True)
    return Site(client)


def it_gives_what_django_gave(site):
    first = site.get()
    with CaptureQueriesContext(connection) as caught:
        assert site.get() == first
    assert site.asked == 1 and len(caught) == 1
    assert first[1]["X-Content-Type-Options"] == "nosniff" and "Content-Security-Policy" in first[1]


def it_answers_304(site):
    tag = site.get()[1]["ETag"]
    status, headers, body = site.get(HTTP_IF_NONE_MATCH=tag)
    assert (status, headers["ETag"], body, site.asked) == ("304 Not Modified", tag, b"", 1)
    assert "Cookie" in headers["Vary"] and "private" in headers["Cache-Control"]
    assert site.get(HTTP_IF_NONE_MATCH='"another"')[0] == "200 OK"


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br"])
def it_answers_304_for_a_packed_page(site, accepted):
    tag = site.get(HTTP_ACCEPT_ENCODING=accepted)[1]["ETag"]
    assert tag.startswith("W/")
    status, _, body = site.get(HTTP_ACCEPT_ENCODING=accepted, HTTP_IF_NONE_MATCH=tag)
    assert (status, body, site.asked) == ("304 Not Modified", b"", 1)


def it_is_never_stale(site):
    tag = site.get()[1]["ETag"]
    more = making.archive(records=making.file_records("b.csv", "b", [9e8], config={"pool.compression": "gzip-6"}), public=True)
    status, headers, body = site.get(HTTP_IF_NONE_MATCH=tag)
    assert status == "200 OK" and headers["ETag"] != tag and b"gzip-6" in body
    load.withdraw(more.pk, "wrong")
    assert b"gzip-6" not in site.get(HTTP_IF_NONE_MATCH=headers["ETag"])[2]


@pytest.mark.parametrize(
    "headers",
    [
        {"HTTP_COOKIE": "sessionid=abc"},
        {"HTTP_HOST": "127.0.0.1:8000"},
        {"HTTP_ACCEPT_ENCODING": "gzip"},
        {"HTTP_ACCEPT_ENCODING": "gzip, br"},
        {"HTTP_HX_REQUEST": "true"},
        {"method": "HEAD"},
        {"method": "POST"},
        {"path": "/systems"},
        {"query": ""},
        {"HTTP_IF_NONE_MATCH": 'W/"weak", "list"', "HTTP_HX_REQUEST": "true"},
    ],
)
def it_leaves_to_django_what_it_has_not_answered(site, headers):
    site.get()
    site.get(**headers)
    assert site.asked == 2


def it_tells_part_and_page_apart(site):
    page, part = site.get(), site.get(HTTP_HX_REQUEST="true")
    assert b"<html" in page[2] and b"<html" not in part[2]
    assert (site.get(), site.get(HTTP_HX_REQUEST="true")) == (page, part)
    assert site.get(HTTP_HX_REQUEST="true", HTTP_HX_HISTORY_RESTORE_REQUEST="true")[2] == page[2]
    assert site.asked == 2


def it_knows_the_same_fields_in_another_order(site):
    first = site.get()
    assert site.get(query="&".join(reversed(QUERY.split("&")))) == first and site.asked == 1


def it_never_answers_for_a_host_that_django_refuses(site, settings):
    settings.ALLOWED_HOSTS = ["poolmark.example"]
    for _ in range(2):
        assert site.get(HTTP_HOST="evil.example")[0].startswith("400")
    assert site.asked == 2


class Unreachable:
    """A cache whose server is away."""

    def __init__(self) -> None:
        self.asked = 0

    def get(self, key):
        self.asked += 1
        raise redis.ConnectionError("away")

    def set(self, *args):
        self.get(args)


@pytest.fixture
def away(monkeypatch, settings) -> Unreachable:
    settings.REDIS_URL = "redis://away"
    made = Unreachable()
    monkeypatch.setattr("webapp.http.page_cache.cache", made)
    monkeypatch.setattr("webapp.http.page_cache._retry_at", 0.0)
    return made


def it_makes_pages_without_a_cache_that_does_not_answer(site, away, monkeypatch, caplog):
    assert [site.get()[0] for _ in range(3)] == ["200 OK"] * 3
    assert (site.asked, away.asked, len(caplog.records)) == (3, 1, 1), "and does not ask it again at once"
    monkeypatch.setattr("webapp.http.page_cache._retry_at", 0.0)
    assert site.get()[0] == "200 OK" and away.asked == 2, "but later"


def it_makes_a_page_that_it_then_cannot_keep(site, away, monkeypatch):
    monkeypatch.setattr(away, "get", lambda key: None)
    monkeypatch.setattr(away, "set", lambda *args: Unreachable().get(args))
    assert [site.get()[0] for _ in range(2)] == ["200 OK"] * 2 and site.asked == 2


def it_hides_no_error_of_a_cache_in_this_process(site, away, settings):
    settings.REDIS_URL = ""
    with pytest.raises(redis.ConnectionError):
        site.get()


def it_goes_to_django_without_a_cache(site, settings):
    settings.PAGE_CACHE = False
    tag = site.get()[1]["ETag"]
    assert site.get()[0] == "200 OK" and site.asked == 2
    assert site.get(HTTP_IF_NONE_MATCH=tag)[0] == "304 Not Modified" and site.asked == 2


def it_leaves_a_broken_connection_to_django(site, monkeypatch):
    site.get()

    def broken():
        from django.db import OperationalError

        raise OperationalError("gone")

    monkeypatch.setattr("webapp.http.early_answers.data_version", broken)
    site.get()
    assert site.asked == 2


def it_stands_outside_of_all_other_middleware(settings):
    assert settings.MIDDLEWARE[0] == f"{page_cache.__module__}.{page_cache.__name__}"
