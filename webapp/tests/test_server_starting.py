"""The first start, the second, two copies side by side, and real servers in place of our own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests.serving import Server, manage

DD = "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"


@pytest.fixture
def folder():
    """Makes short data folders: they hold sockets."""
    made = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="pm-")))
        return made[-1]

    yield make
    for one in made:
        shutil.rmtree(one, ignore_errors=True)


@pytest.fixture
def start():
    """Starts servers that end with the test."""
    started = []

    def begin(*args, **more) -> Server:
        started.append(Server(*args, **more))
        return started[-1]

    yield begin
    for one in started:
        one.close()


def test_the_first_start_prints_a_sign_in_link_and_the_second_does_not(folder, start):
    data = folder()
    first = start(data).wait_ready()
    link = f"http://127.0.0.1:{first.port}/sign-in/"
    assert link in first.said
    path = first.said.split(link)[1].split()[0]
    assert first.get(f"/sign-in/{path}")[0] == 200
    assert (data / "secret-key").stat().st_mode & 0o077 == 0
    first.close()
    second = start(data).wait_ready()
    assert "/sign-in/" not in second.said


def test_two_copies_run_side_by_side_and_know_nothing_of_each_other(folder, start, tmp_path):
    one, other = start(folder()), start(folder())
    one.wait_ready(), other.wait_ready()
    run = tmp_path / "dd.txt"
    run.write_text(f"$ dd if=/dev/zero of=f bs=1M count=1\n1+0 records in\n1+0 records out\n{DD}")
    done = manage(one.data, "ingest", str(run))
    assert done.returncode == 0, done.stdout + done.stderr
    assert manage(one.data, "export", "--format", "jsonl").stdout.count("\n") == 2  # throughput and elapsed
    assert manage(other.data, "export", "--format", "jsonl").stdout == ""


def test_a_data_folder_with_a_long_path_has_its_socket_elsewhere(folder, start):
    data = folder() / ("long" * 20) / ("name" * 10)
    one = start(data).wait_ready()
    assert one.get("/healthz")[0] == 200


def test_database_and_numbers_of_processes_are_chosen_by_variables(folder, start):
    theirs, data = Cluster(folder()), folder()
    theirs.start("fsync=off")
    try:
        one = start(data, DATABASE_URL=theirs.url, POOLMARK_READERS="1", POOLMARK_WEB_PROCESSES="3").wait_ready()
        assert one.get("/healthz")[0] == 200
        assert not (data / "postgres").exists()
        assert "--concurrency=1" in one.child("queues=celery").cmdline()
        assert len(one.child("gunicorn").children()) == 3
        one.close()
    finally:
        theirs.stop()


def test_a_number_that_is_none_is_refused_before_anything_starts(folder, start):
    data = folder()
    one = start(data, POOLMARK_READERS="many")
    assert one.wait() == 1
    assert "POOLMARK_READERS is many" in one.said and not (data / "postgres").exists()
