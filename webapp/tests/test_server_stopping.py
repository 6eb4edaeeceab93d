"""Whatever ends the server, no process stays behind."""

from __future__ import annotations

import errno
import shutil
import signal
import socket
import time
from itertools import pairwise

import psutil
import pytest

from webapp.infrastructure import children
from webapp.infrastructure.children import LOG_LIMIT, Deaths, DiskRoom, bound_logs, revive
from webapp.infrastructure.embedded_postgres import StartError
from webapp.tests.serving import PATIENCE, Server, data_folder, left_of, manage


@pytest.fixture(scope="module")
def data():
    """One data folder for the module."""
    folder = data_folder()
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
def test_a_killed_child_is_started_again_with_a_message(server, word, name):
    killed = server.child(word)
    killed.kill()
    end = time.monotonic() + PATIENCE
    while not is_back(server, word, killed.pid):  # asked once more it may be between two processes: others follow a killed one
        assert time.monotonic() < end, server.said + server.logs()
        time.sleep(0.2)
    family = server.family()
    server.process.terminate()
    assert server.wait() == 0
    assert f"The {name} has ended (exit -9) and is started again in 0.5 s. See {server.data / 'log'}" in server.said
    assert left_of(family, 10) == []


def is_back(server, word, former):
    """Whether another process has taken the place of a killed one, and the site answers."""
    try:
        return server.child(word).pid != former and server.get("/healthz")[0] == 200
    except (AssertionError, OSError, psutil.Error):
        return False


class Dying:
    """A child that ends at once, whenever it is started."""

    name, log = "worker", "worker.log"

    def __init__(self):
        self.deaths, self.starts, self.ended = Deaths(), 0, 1
        self.deaths.started(0.0)

    def has_ended(self):
        return self.ended

    def clear(self):
        pass

    def start(self):
        self.starts += 1
        self.deaths.started(self.now)


def test_five_quick_deaths_are_the_end(capsys, tmp_path):
    """Pauses double; the fifth death within ten seconds of a start is said aloud, and everything is stopped."""
    child, times, room = Dying(), [], DiskRoom(tmp_path)
    for tick in range(1000):
        child.now = tick / 10
        before = child.starts
        if not revive(child, child.now, room):
            break
        times += [child.now] * (child.starts - before)
    assert child.starts == 4
    assert [round(later - sooner, 1) for sooner, later in pairwise([0.0, *times])] == [0.5, 1.1, 2.1, 4.1]
    assert "The worker has ended 5 times within 10 seconds of its start" in capsys.readouterr().err


def test_a_child_that_lived_for_long_is_started_again_for_ever(tmp_path):
    child, room = Dying(), DiskRoom(tmp_path)
    for death in range(50):
        child.now = 100.0 * death + 50
        assert revive(child, child.now, room)
        child.now += 1
        assert revive(child, child.now, room)
    assert child.starts == 50


def test_on_a_full_disk_nothing_is_given_up_and_it_goes_on_by_itself(monkeypatch, capsys, tmp_path):
    full = True
    monkeypatch.setattr(children, "_is_full", lambda place: full)
    child, room = Dying(), DiskRoom(tmp_path)
    for tick in range(6000):
        child.now = tick / 10
        assert revive(child, child.now, room)
    assert 20 < child.starts < 40
    said = capsys.readouterr().err
    assert said.count("No room on the disk of") == 1 and said.count("\n") < 8, said
    full = False
    assert not room.is_missing()
    assert "going on" in capsys.readouterr().err
    before = child.starts
    for tick in range(6000, 9000):  # what still ends has another cause
        child.now = tick / 10
        if not revive(child, child.now, room):
            break
    assert child.starts - before == 5
    assert "has ended 5 times" in capsys.readouterr().err


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), StartError("no lock file"), SystemExit("prepare failed")])
def test_a_start_on_a_full_disk_waits_and_one_that_fails_otherwise_does_not(monkeypatch, capsys, tmp_path, error):
    answers, pauses, full = [True, True, False], [], [True]
    monkeypatch.setattr(children, "_is_full", lambda place: full[0])
    monkeypatch.setattr(children.time, "sleep", pauses.append)

    def begin():
        if answers.pop(0):
            raise error

    DiskRoom(tmp_path).start(begin)
    assert len(pauses) == 2 and pauses[1] == 2 * pauses[0]
    assert "No room on the disk of" in capsys.readouterr().err
    answers[:], full[:] = [True, False], [False]
    with pytest.raises(type(error)):
        DiskRoom(tmp_path).start(begin)


def test_a_long_log_is_cut_and_its_end_kept(tmp_path):
    (tmp_path / "web.log").write_bytes(b"a" * 10 + b"b" * LOG_LIMIT)
    (tmp_path / "short.log").write_bytes(b"c" * 10)
    with open(tmp_path / "web.log", "ab") as child:
        bound_logs(tmp_path)
        child.write(b"next\n")
    assert (tmp_path / "web.log").read_bytes() == b"next\n"
    assert (tmp_path / "web.log.1").read_bytes() == b"b" * LOG_LIMIT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short.log", "web.log", "web.log.1"]


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
