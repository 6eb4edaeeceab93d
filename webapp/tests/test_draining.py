"""A worker that is stopped with POOLMARK_DRAIN_SECONDS finishes the archive that it reads."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from webapp.tests.servers import postgres
from webapp.tests.serving import PATIENCE, Server, left_of, manage, redis_server

_SEND = """
from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs.tasks import send_archive
from webapp.tests import making, samples
data = samples.tar({f"{n}.txt": samples.dd(*[round(1 + n / 10 + at / 10000, 4) for at in range(2000)]) for n in range(5)})
upload.receive(blobs.write_incoming([data]), making.user(), "a.tar", send=send_archive)
"""


@pytest.mark.slow
def test_a_stopped_worker_finishes_what_it_reads():
    place = Path(tempfile.mkdtemp(prefix="pm-drain-"))
    try:
        with postgres(place / "db") as (_, url), redis_server() as queue:
            named = {"DATABASE_URL": url, "REDIS_URL": queue}
            server = Server(place / "data", POOLMARK_DRAIN_SECONDS=str(PATIENCE), **named)
            try:
                server.wait_ready()
                assert manage(place / "data", "shell", "--no-imports", "-c", _SEND, **named).returncode == 0
                wait_until_it_reads(url)
                family = server.family()
                server.process.terminate()
                assert server.wait() == 0 and left_of(family, 10) == []
            finally:
                server.close()
            with psycopg.connect(url) as connection:
                found = connection.execute("SELECT state, measurements FROM webapp_archive").fetchall()
            assert found == [("read", 20_000)], server.logs()
    finally:
        shutil.rmtree(place, ignore_errors=True)


def wait_until_it_reads(url: str) -> None:
    end = time.monotonic() + PATIENCE
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute("SELECT state FROM webapp_archive").fetchall() != [("reading",)]:
            assert time.monotonic() < end
            time.sleep(0.02)
