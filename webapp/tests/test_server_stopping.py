"""Whatever ends the server, no process stays behind."""

from __future__ import annotations

import shutil
import signal
import socket
import tempfile
import time
from pathlib import Path

import pytest

from webapp.tests.serving import Server, left_of, manage


@pytest.fixture(scope="module")
def data():
    """One data folder for the module, so that only its first start makes a cluster. A short path: it holds a socket."""
    folder = Path(tempfile.mkdtemp(prefix="pm-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(data):
    one = Server(data)
    try:
        yield one.wait_ready()
    finally:
        one.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_and_is_no_failure(server, number):
    assert server.get("/healthz")[0] == 200
    family = server.family()
    assert len(family) >= 11  # PostgreSQL and its own, worker and two, drawing worker, reconciler, gunicorn and two
    server.process.send_signal(number)
    assert server.wait() == 0, server.said
    assert left_of(family, 10) == []


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("postgres", "database"),
        ("queues=celery", "worker"),
        ("queues=drawing", "drawing worker"),
        ("reconcile", "reconciler"),
        ("gunicorn", "web server"),
    ],
)
def test_a_killed_child_stops_everything_with_a_message(server, word, name):
    family = server.family()
    server.child(word).kill()
    assert server.wait() == 1
    assert f"The {name} has ended" in server.said and str(server.data / "log") in server.said
    assert left_of(family) == []


def test_a_killed_supervisor_takes_everything_along_and_the_next_start_works(server):
    family = server.family()
    server.process.kill()
    server.wait()
    again = Server(server.data)  # at once: the old database may still be stopping
    try:
        again.wait_ready()
        assert left_of(family) == []
        assert again.get("/healthz")[0] == 200
    finally:
        again.close()


def test_a_signal_in_the_middle_of_the_start_stops_what_was_started(data):
    one = Server(data)
    try:
        while not [p for p in one.family() if "postgres" in p.name()]:
            assert one.process.poll() is None, one.said
        family = one.family()
        one.process.terminate()
        assert one.wait() == 0, one.said
        assert left_of(family, 10) == []
    finally:
        one.close()


def test_a_port_in_use_is_said_with_a_way_out(data):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        one = Server(data, port=port)
        assert one.wait() == 1
        assert f"port {port}" in one.said and f"--port {port + 1}" in one.said
        one.close()


def test_a_second_copy_is_refused_and_commands_use_the_database_while_it_runs_and_while_it_does_not(server):
    second = Server(server.data)
    assert second.wait() == 1
    assert "another copy uses" in second.said and "POOLMARK_DATA" in second.said
    second.close()
    assert server.get("/healthz")[0] == 200
    while_running = manage(server.data, "export", "--format", "jsonl")
    assert while_running.returncode == 0, while_running.stderr
    family = server.family()
    server.process.terminate()
    assert server.wait() == 0 and left_of(family) == []
    without = manage(server.data, "export", "--format", "jsonl")
    assert without.returncode == 0, without.stderr
    assert without.stdout == while_running.stdout
    end = time.monotonic() + 30  # nobody waits for the last checkpoint
    while (running := (server.data / "postgres" / "postmaster.pid").exists()) and time.monotonic() < end:
        time.sleep(0.1)
    assert not running
