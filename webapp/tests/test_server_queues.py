"""Who waits for an archive does not wait for drawings: a worker for each, with Redis as without."""

from __future__ import annotations

import contextlib
import os
import shutil
import time

import pytest

from webapp.tests import samples
from webapp.tests.serving import Server, data_folder, manage, redis_server

_DRAWINGS = 5
_SEND = f"""
from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs.tasks import ingest_archive, render_permalink
from webapp.tests import making
for number in range({_DRAWINGS}):
    render_permalink.delay(f"none{{number}}")
upload.receive(blobs.write_incoming([{samples.dd(2.5, 2)!r}]), making.user(), "dd.txt", send=ingest_archive.delay)
"""


@pytest.fixture(params=["redis", "folder"])
def server(request):
    """A server that reads one archive at a time, and what its commands need to know to use the same broker."""
    data = data_folder()
    with redis_server() if request.param == "redis" else contextlib.nullcontext() as url:
        one = Server(data, POOLMARK_READERS="1", **({"REDIS_URL": url} if url else {}))
        try:
            yield one.wait_ready(), {"REDIS_URL": url} if url else {}
        finally:
            one.close()
            shutil.rmtree(data, ignore_errors=True)


def until(true) -> bool:
    end = time.monotonic() + 60
    while not true() and time.monotonic() < end:
        time.sleep(0.2)
    return true()


def test_an_archive_is_read_while_drawings_wait_and_they_are_made_by_a_worker_of_their_own(server):
    one, broker = server
    drawing = one.child("queues=drawing")
    log, reading = one.data / "log" / "drawing.log", one.data / "log" / "worker.log"
    assert drawing.nice() == min(19, 10 + os.nice(0))  # pages and archives first
    assert until(lambda: "ready." in log.read_text())
    drawing.suspend()
    sent = manage(one.data, "shell", "-c", _SEND, **broker)
    assert sent.returncode == 0, sent.stdout + sent.stderr
    assert until(lambda: "succeeded in" in reading.read_text()), one.logs()
    drawing.resume()
    assert until(lambda: log.read_text().count("succeeded in") == _DRAWINGS), one.logs()
    done = [line for line in reading.read_text().splitlines() if "succeeded in" in line]
    assert len(done) == 1 and done[0].endswith("'read'")
