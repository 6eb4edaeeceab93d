"""Behind PgBouncer with transaction pooling, which gives each transaction another session: everything works, locks hold."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from webapp.tests.servers import pgbouncer, postgres
from webapp.tests.serving import PATIENCE, ROOT, Server, environment, manage, redis_server

SESSIONS = 2  # of the database, for two web processes of eight threads, two readers and what draws
ARCHIVES = 12
_SEND = """
from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs.tasks import send_archive
from webapp.tests import making, samples
for number in range({n}):
    data = samples.tar({{"a.txt": samples.dd(*[round(1 + number / 100 + at / 10000, 4) for at in range(300)])}})
    upload.receive(blobs.write_incoming([data]), making.user(f"u{{number}}"), "a.tar", public=True, send=send_archive)
"""
_LOCKED = """
from webapp.storage.locks import is_archive_locked, lock_archive
from webapp.bulk.queries import lock_public_data
from django.db import connection, transaction
from threading import Thread
found = []
with lock_archive(7) as mine, lock_public_data() as data:
    for _ in range(20):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        other = Thread(target=lambda: found.append(is_archive_locked(7)))
        other.start()
        other.join()
print(mine, data, set(found), is_archive_locked(7), connection.settings_dict["PORT"])
"""


@pytest.fixture
def place():
    folder = Path(tempfile.mkdtemp(prefix="pm-pool-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_a_site_behind_a_pooler_reads_archives_and_shows_pages(place):
    with postgres(place / "db") as (_, direct), pgbouncer(place / "pool", direct, SESSIONS) as pooled, redis_server() as queue:
        named = {"DATABASE_URL": pooled, "DATABASE_DIRECT_URL": direct, "REDIS_URL": queue}
        server = Server(place / "data", **named)
        try:
            server.wait_ready()
            sent = manage(place / "data", "shell", "--no-imports", "-c", _SEND.format(n=ARCHIVES), **named)
            assert sent.returncode == 0, sent.stderr
            assert wait_until_read(direct) == {"read": ARCHIVES}, server.logs()
            for page in (
                "/",
                "/archives",
                "/archives/1",
                "/compare?metric=write.elapsed&control=off",
                "/systems",
                "/data",
                "/status",
            ):
                assert server.get(page)[0] == 200, page
            ready = json.loads(server.get("/readyz")[1])
            assert ready["status"] == "ok", ready
        finally:
            server.close()
        # The locks, from a program whose ordinary connection is the pooled one.
        told = shell_through_the_pool(place / "data", _LOCKED, named)
        assert told.split()[:5] == ["True", "True", "{True}", "False", pooled.rpartition(":")[2].partition("/")[0]]


@pytest.mark.slow
def test_a_pooler_without_the_address_of_the_server_is_said(place):
    with postgres(place / "db") as (_, direct), pgbouncer(place / "pool", direct, SESSIONS) as pooled:
        said = "DATABASE_URL is a pooler: set DATABASE_DIRECT_URL"
        check = "from webapp.infrastructure import checks, readiness; print(checks.find_pooler(readiness.read_database_state()))"
        assert said in manage(place / "data", "shell", "--no-imports", "-c", check, DATABASE_URL=pooled).stdout
        assert said not in manage(place / "data", "shell", "--no-imports", "-c", check, DATABASE_URL=direct).stdout


def shell_through_the_pool(data: Path, code: str, named: dict[str, str]) -> str:
    """As a web process or a worker, which do not go through manage.py: that takes the direct connection for all."""
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        cwd=ROOT,
        env=environment(data, DJANGO_SETTINGS_MODULE="webapp.settings", **named),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_until_read(url: str) -> dict[str, int]:
    end, states = time.monotonic() + PATIENCE, {}
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < end and states != {"read": ARCHIVES}:
            states = dict(connection.execute("SELECT state, count(*) FROM webapp_archive GROUP BY 1").fetchall())
            time.sleep(0.2)
    return states
