"""A real standby that stops replaying: what was withdrawn, made private or deleted since is not served from it."""

from __future__ import annotations

import json
import re
import time
import urllib.error

import psycopg
import pytest

from webapp.tests import samples
from webapp.tests.servers import postgres, standby
from webapp.tests.serving import PATIENCE, Server, manage

LAG = 1  # seconds
ACTS = {1: "withdraw", 2: "unpublish", 3: "delete"}


def status_of(server: Server, path: str) -> int:
    try:
        return server.get(path)[0]
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def lag_of(server: Server) -> float:
    return float(re.search(rb"^poolmark_replica_lag_seconds (\S+)", server.get("/metrics")[1], re.M)[1])


def until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.1)


@pytest.mark.timeout(600)
def test_a_standby_that_stopped_replaying_is_not_asked(tmp_path):
    sources = []
    for number in ACTS:
        sources.append(tmp_path / f"{number}.tar")
        sources[-1].write_bytes(samples.tar({"a.txt": samples.dd(1.5 + number)}))
    data = tmp_path / "data"
    with postgres(tmp_path / "first") as (first, url):
        made = manage(data, "ingest", *map(str, sources), DATABASE_URL=url)
        assert made.returncode == 0, made.stderr
        with standby(first, tmp_path / "second") as (_, replica):
            server = Server(
                data, "--empty", DATABASE_URL=url, DATABASE_REPLICA_URL=replica, POOLMARK_REPLICA_LAG=str(LAG), POOLMARK_ROLES="web"
            )
            try:
                server.wait_ready()
                pages = {number: [f"/archives/{number}{rest}" for rest in ("", "/download", "/raw/a.txt")] for number in ACTS}
                assert {status_of(server, path) for paths in pages.values() for path in paths} == {200}
                with psycopg.connect(replica, autocommit=True) as connection:
                    connection.execute("SELECT pg_wal_replay_pause()")
                    for number, act in ACTS.items():
                        told = manage(data, "archive", act, str(number), "--reason", "why", DATABASE_URL=url)
                        assert told.returncode == 0, told.stderr
                    time.sleep(LAG + 1)  # the bound, and the second for which a process goes by what it found
                    for number, paths in pages.items():
                        assert {status_of(server, path) for path in paths} <= {404, 410}, (number, paths)
                    listed = server.get("/archives")[1].decode()
                    assert [number for number in (2, 3) if f'/archives/{number}"' in listed] == []
                    answer = json.loads(server.get("/readyz")[1])
                    assert answer["status"] == "ok" and answer["checks"]["replica"].endswith(": the primary answers for it")
                    assert lag_of(server) > LAG
                    connection.execute("SELECT pg_wal_replay_resume()")
                    until(lambda: lag_of(server) == 0)
                    assert json.loads(server.get("/readyz")[1])["checks"]["replica"] == "ok"
                assert status_of(server, "/archives/2/download") in (404, 410)
            finally:
                server.close()
