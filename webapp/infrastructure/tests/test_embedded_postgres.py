"""The PostgreSQL of our own: what a command leaves behind, and who comes next."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from webapp.infrastructure.embedded_postgres import Cluster, run_cluster

pytestmark = pytest.mark.server


@pytest.fixture
def data():
    made = Path(tempfile.mkdtemp(prefix="pm-"))
    yield made
    Cluster(made)._await_previous()
    shutil.rmtree(made, ignore_errors=True)


def it_ends_without_being_waited_for_and_the_next_command_finds_what_was_committed(data):
    for number in range(3):
        with run_cluster(data) as address, psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (number integer)")
            assert [row[0] for row in connection.execute("SELECT number FROM kept ORDER BY 1")] == list(range(number))
            connection.execute("INSERT INTO kept VALUES (%s)", [number])
    Cluster(data)._await_previous()
    assert not (data / "postgres" / "postmaster.pid").exists()
    log = (data / "log" / "postgres.log").read_text()
    assert log.count("database system was shut down at") == 3  # each found a clean end, none had to recover


_HANGS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); signal.pause()"


def it_ends_a_previous_server_that_ignores_the_first_signal(data):
    folder = data / "postgres"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", _HANGS, str(folder)], stdout=subprocess.PIPE) as previous:
        previous.stdout.readline()  # it ignores SIGINT now
        (folder / "postmaster.pid").write_text(f"{previous.pid}\n")
        Cluster(data)._await_previous(seconds=0.3)
        has_ended = previous.poll()
        previous.kill()
    assert has_ended == -signal.SIGQUIT
