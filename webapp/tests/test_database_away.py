"""The database is killed under a running server, and is not there yet when one starts: a real PostgreSQL, a real server."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
import urllib.error
from pathlib import Path

import psutil
import pytest

from webapp.infrastructure import checks
from webapp.infrastructure.embedded_postgres import Cluster, StartError
from webapp.tests.servers import loopback, url_of
from webapp.tests.serving import Server, wait_for

PAGES = ("/", "/compare", "/compare.csv", "/archives", "/archives/1", "/systems", "/configurations", "/runs", "/studies", "/data")
PAGES += ("/log", "/permalinks", "/p/abc", "/c/abc", "/sitemap.xml", "/sign-in/abc", "/upload")

WITHOUT = ("/permalinks", "/upload")
"""What asks nobody where nobody has signed in."""


@pytest.fixture
def place():
    made = Path(tempfile.mkdtemp(prefix="pm-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def asked(server: Server, path: str, cookie: str = "") -> tuple[int, str, str]:
    """Status, Retry-After and text."""
    try:
        status, body = server.get(path, {"Cookie": cookie} if cookie else None)
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Retry-After", ""), error.read().decode()
    return status, "", body.decode()


def killed(cluster: Cluster) -> None:
    parent = psutil.Process(cluster.process.pid)
    family = [*parent.children(recursive=True), parent]
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    cluster.process.wait()
    psutil.wait_procs(family)
    cluster.process = None


def begun(cluster: Cluster, address: str) -> None:
    while True:
        try:
            return cluster.start(f"listen_addresses={address}", "fsync=off")
        except StartError:  # it is still being repaired
            cluster.process = None
            time.sleep(0.5)


def test_pages_say_that_the_database_is_away_and_come_back_by_themselves(place):
    cluster, address = Cluster(place / "db"), loopback()
    begun(cluster, address)
    server = Server(place / "data", DATABASE_URL=url_of(address))
    try:
        server.wait_ready()
        before = {page: asked(server, page)[0] for page in PAGES}
        assert 500 not in before.values()
        for _ in range(2):  # with connections that have just died, and without
            killed(cluster)
            for cookie in ("", "sessionid=abc"):
                for page in PAGES:
                    status, after, text = asked(server, page, cookie)
                    if status >= 500 or (before[page] == 200 and page not in WITHOUT):
                        assert (status, after) == (503, "30"), (page, text, server.logs())
                        assert "The database of this site does not answer" in text and "bug" not in text, page
            assert asked(server, "/healthz")[0] == 200
            assert asked(server, "/readyz")[0] == 503
            assert 'poolmark_ready{kind="database"} 0.0' in asked(server, "/metrics")[2]
            begun(cluster, address)
            wait_for(lambda: all(asked(server, page)[0] == before[page] for page in PAGES))
        assert "has ended" not in server.said
    finally:
        server.close()
        cluster.stop()


def test_a_start_waits_for_the_database_and_says_so(place):
    """With the address of two servers, as for a failover, of which one stays away."""
    cluster, address = Cluster(place / "db"), loopback()
    both = f"host={loopback()},{address}&port=5432,5432&target_session_attrs=read-write"
    server = Server(place / "data", DATABASE_URL=f"postgresql://postgres@/poolmark?{both}")
    try:
        wait_for(lambda: "Waiting for the database: " in server.said)
        assert server.process.poll() is None and "is ready" not in server.said
        begun(cluster, address)
        server.wait_ready()
        assert server.said.count("Waiting for the database: ") <= 3, server.said
    finally:
        server.close()
        cluster.stop()


def test_a_start_that_waits_ends_when_it_is_asked_to(place):
    server = Server(place / "data", DATABASE_URL=url_of(loopback()))
    try:
        wait_for(lambda: "Waiting for the database: " in server.said)
        server.process.terminate()
        assert server.wait() == 0
    finally:
        server.close()


@pytest.mark.parametrize("name", ["_connects", "_store"])
def test_a_start_waits_for_what_is_missing_with_growing_pauses(monkeypatch, name):
    answers, pauses, said = ["away"] * 6 + ["away too", ""], [], []
    for check in ("_connects", "_store"):
        monkeypatch.setattr(checks, check, (lambda: answers.pop(0)) if check == name else lambda: "")
    monkeypatch.setattr(checks.time, "sleep", pauses.append)
    checks.wait_for_site(said.append)
    kind = {"_connects": "database", "_store": "store"}[name]
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    assert said == [f"Waiting for the {kind}: away", f"Waiting for the {kind}: away too", said[-1]]
