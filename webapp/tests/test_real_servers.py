"""DATABASE_URL and REDIS_URL switch to servers of one's own with no other change: a real PostgreSQL, a real Redis."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psycopg
import pytest
import redis as client

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests.serving import PATIENCE, Server, manage, redis_server

SEND = """
from webapp.accounts import sign_in_links
from webapp.archives.upload import receive
from webapp.files import blobs
from webapp.jobs.tasks import ingest_archive
line = b'268435456 bytes (268 MB, 256 MiB) copied, 2.5 s, 107 MB/s'
text = b'256+0 records in\\n256+0 records out\\n' + line + b'\\n'
print(receive(blobs.write_incoming([text]), sign_in_links.local_owner(), 'dd.txt', send=ingest_archive.delay)[0].pk)
"""


@pytest.fixture
def redis():
    with redis_server() as url:
        yield url


@pytest.fixture
def database(tmp_path_factory):
    """A PostgreSQL that is not Poolmark's own."""
    cluster = Cluster(Path(tempfile.mkdtemp(prefix="pm-db-")))
    cluster.start("fsync=off")
    yield cluster.url
    cluster.stop()


def it_uses_the_servers_that_the_variables_name(redis, database):
    data = Path(tempfile.mkdtemp(prefix="pm-real-"))
    named = {"DATABASE_URL": database, "REDIS_URL": redis}
    server = Server(data, "--empty", **named)
    try:
        server.wait_ready()
        assert not (data / "postgres").exists() and not (data / "queue").exists()
        told = manage(data, "shell", "-c", SEND, **named)
        assert told.returncode == 0, told.stderr
        archive = int(told.stdout.split()[-1])
        assert read_by_the_worker(database, archive), server.logs()
        assert client.Redis.from_url(redis).info("commandstats")["cmdstat_lpush"]["calls"] >= 1
    finally:
        server.close()


def read_by_the_worker(database: str, archive: int) -> bool:
    """Whether the archive comes to be read, with its two values."""
    end = time.monotonic() + PATIENCE
    with psycopg.connect(database, autocommit=True) as con:
        while time.monotonic() < end:
            row = con.execute("SELECT state, measurements FROM webapp_archive WHERE id = %s", [archive]).fetchone()
            if row == ("read", 2):
                return True
            time.sleep(0.1)
    return False
