"""Web processes that have shown every page of a database with a million rows of the summary, which `script/bench` makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from webapp.tests.serving import ROOT, Server, environment

MAX_BYTES = 450e6
"""Of a process alone: files that processes map are shared."""
ROUNDS = 6  # each goes to whichever process is free
ADDRESSES = """
/ /compare?metric=write.throughput&x=compression /compare?metric=write.throughput&x=host&control=off
/compare?metric=read.throughput&tool=iozone&x=record_size /compare?metric=seek.rate&x=os_family&series=compression
/compare.csv?metric=seek.rate&x=compression /compare?q=sequential+write+lz4 /compare?q=4k+random+read /archives /archives?q=batch
/archives/1 /systems /systems/1 /systems/1.json /configurations /configurations/5 /runs /runs/9 /studies /rankings /hardware /data
/versus?a=configuration:5&b=configuration:6 /versus?a=system:1&b=system:2 /versus?a=archive:1&b=system:2
/normal?a=system:1&metric=write.throughput /api/v1/measurements /api/v1/systems /api/v1/compare?metric=write.throughput&x=fs
""".split()
_FILL = """
import sys; sys.path[:0] = ["script", "."]
from pathlib import Path; from benches import growth; growth.filled(Path(sys.argv[1]), 20_000, 1_000_000)
"""


@pytest.fixture(scope="module")
def filled():
    folder = Path(tempfile.mkdtemp(prefix="pm-million-"))
    subprocess.run([sys.executable, "-c", _FILL, folder], cwd=ROOT, env=environment(folder), check=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_process_that_has_shown_every_page_stays_within_its_bound(filled):
    server = Server(filled)
    try:
        server.wait_ready()
        for address in ADDRESSES * ROUNDS:
            assert server.get(address)[0] == 200, address
        taken = {one.pid: _own_bytes(one) for one in server.family() if "gunicorn" in " ".join(one.cmdline())}
        assert len(taken) >= 2
        assert max(taken.values()) <= MAX_BYTES, taken
    finally:
        server.close()


def _own_bytes(one: psutil.Process) -> int:
    lines = Path(f"/proc/{one.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))
