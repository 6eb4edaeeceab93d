"""Who is answered by the read replica, and what is asked of the first server again. The replica of these tests is a second
connection to the same database on which every writing is refused, as a standby refuses it."""

from __future__ import annotations

import io
import logging
from urllib.parse import quote

import pytest
from django.conf import settings as made
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, connections

from webapp.http import read_replica
from webapp.http.early_answers import with_early_answers
from webapp.models import Rendering
from webapp.tests import frozen, making
from webapp.tests.serving import database_url

PAGE = "/compare"


def url(**other) -> str:
    """Of the test's own database, read only."""
    return f"{database_url(**other)}?options={quote('-c default_transaction_read_only=on')}"


@pytest.fixture
def reading():
    """Makes the application that sends each request to one of the two; the thread's own connection is there again at the end."""
    first, made_of = connections["default"], []

    def make(application, to: str = "") -> read_replica.ReplicaRouter:
        made_of.append(read_replica.ReplicaRouter(application, to or url()))
        return made_of[-1]

    yield make
    connections["default"] = first
    for one in made_of:
        if hasattr(one._local, "replica"):
            one._local.replica.close()


def ask(application, path: str = PAGE, method: str = "GET", cookie: str = "", query: str = "") -> tuple[str, dict[str, str], bytes]:
    """Status, headers, body."""
    said = []
    environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "HTTP_COOKIE": cookie,
        "HTTP_HOST": "localhost:8000",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "wsgi.input": io.BytesIO(),
        "wsgi.url_scheme": "http",
    }
    body = b"".join(application(environ, lambda *told: said.extend(told)))
    return said[0], dict(said[1]), body


def which(environ, start_response):
    """Says by whom it is answered."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        (only_reads,) = cursor.fetchone()
    start_response("200 OK", [])
    return [b"replica" if only_reads == "on" else b"first"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "method", "cookie", "by"),
    [
        (PAGE, "GET", "", b"replica"),
        (PAGE, "HEAD", "csrftoken=x", b"replica"),
        ("/p/abc.svg", "GET", "", b"replica"),
        (PAGE, "GET", "sessionid=x", b"first"),
        (PAGE, "POST", "", b"first"),
        ("/sign-in/abc", "GET", "", b"first"),
        ("/upload", "GET", "", b"first"),
        ("/healthz", "GET", "", b"first"),
        ("/readyz", "GET", "", b"first"),
        ("/metrics", "GET", "", b"first"),
        ("/status", "GET", "", b"first"),
    ],
)
def it_sends_strangers_who_read_to_the_replica(reading, path, method, cookie, by):
    application = reading(which)
    for _ in range(2):
        assert ask(application, path, method, cookie)[2] == by
        assert ask(application, PAGE, "POST")[2] == b"first", "and nobody after them"


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["404 Not Found", "500 Internal Server Error", "503 Service Unavailable"])
def it_asks_the_first_server_what_the_replica_does_not_know(reading, status):
    def unknown(environ, start_response):
        [by] = which(environ, lambda *told: None)
        start_response("200 OK" if by == b"first" else status, [])
        return [by]

    assert ask(reading(unknown)) == ("200 OK", {}, b"first")


@pytest.mark.django_db
def it_does_without_a_replica_that_does_not_answer(reading, caplog):
    application = reading(which, url(NAME="nobody"))
    with caplog.at_level(logging.WARNING, logger="webapp.http.read_replica"):
        assert [ask(application)[2] for _ in range(3)] == [b"first"] * 3
    assert [record.name for record in caplog.records] == ["webapp.http.read_replica"], "which is not asked again at once"


@pytest.mark.django_db(transaction=True)
def it_answers_the_same_pages_and_makes_files_on_the_first_server(reading, settings, caplog):
    link = frozen.frozen()
    plain = with_early_answers(WSGIHandler())
    settings.MIDDLEWARE = [*made.MIDDLEWARE, "webapp.http.read_replica.RetryOnPrimary"]
    application = reading(with_early_answers(WSGIHandler()))
    for path in (PAGE, "/", "/archives", f"/p/{link.pk}"):
        status, headers, body = ask(plain, path, query="metric=write.throughput")
        for _ in range(2):
            again = ask(application, path, query="metric=write.throughput")
            assert (again[0], again[1].get("ETag"), again[2]) == (status, headers.get("ETag"), body)
    before = Rendering.objects.count()
    with caplog.at_level(logging.WARNING, logger="django.request"):
        assert ask(application, f"/p/{link.pk}.pdf")[0] == "200 OK"
    connections["default"] = application._local.primary
    assert Rendering.objects.count() > before and not caplog.records
    tag = ask(application)[1]["ETag"]
    connections["default"] = application._local.primary
    making.archive(public=True, records=making.file_records("a.csv", "a", [1e8, 2e8]))
    assert ask(application)[1]["ETag"] != tag, "the version is read where the rows are"
