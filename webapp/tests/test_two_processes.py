"""Two web processes, each with a cache of its own and no Redis: neither ever shows what is no longer so."""
from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from webapp.tests import samples
from webapp.tests.serving import Server, manage

pytestmark = pytest.mark.server
PAGE = "/compare.csv?metric=write.elapsed&x=os_family"
ASKED = 24  # enough that both processes answer, and each of them twice or more


@pytest.fixture
def data():
    folder = Path(tempfile.mkdtemp(prefix="pm-two-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def shown(server: Server) -> set[tuple[str, ...]]:
    """The seconds that the answers hold, each set of them once."""
    found = set()
    for _ in range(ASKED):
        status, body = server.get(PAGE)
        assert status == 200
        found.add(tuple(sorted(row.split(",")[4] for row in body.decode().splitlines()[1:])))
    return found


def test_no_process_shows_what_is_no_longer_so(data, tmp_path):
    for name, seconds in (("first", 4.0), ("second", 8.0)):
        (tmp_path / name).write_bytes(samples.dd(seconds))
    server = Server(data)
    try:
        server.wait_ready()
        assert shown(server) == {()}
        assert manage(data, "ingest", str(tmp_path / "first")).returncode == 0
        assert shown(server) == {("4.0",)}
        assert manage(data, "ingest", str(tmp_path / "second")).returncode == 0
        assert shown(server) == {("4.0", "8.0")}
        gone = "from webapp import storing; from webapp.models import Archive; storing.{}(Archive.objects.get(name='{}').pk{})"
        assert manage(data, "shell", "--no-imports", "-c", gone.format("unpublish", "first", "")).returncode == 0
        assert shown(server) == {("8.0",)}
        assert manage(data, "shell", "--no-imports", "-c", gone.format("withdraw", "second", ", 'A bad disk.'")).returncode == 0
        assert shown(server) == {()}
    finally:
        server.close()
