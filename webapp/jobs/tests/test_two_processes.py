"""Two web processes, each with a cache of its own or one Redis for both: neither ever shows what is no longer so, a part
for the page, or anything of an archive that is not public."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from webapp.tests import samples
from webapp.tests.serving import Server, data_folder, manage, redis_server

QUERY = "metric=write.elapsed&x=compression&control=off"
ASKED = 12  # enough that both processes answer
PART = {"HX-Request": "true"}


@pytest.fixture
def data():
    folder = data_folder()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["no Redis", "one Redis"])
def named(request):
    """The variables of the copy."""
    if request.param == "no Redis":
        yield {}
    else:
        with redis_server() as url:
            yield {"REDIS_URL": url}


class Copy:
    """A running copy with two web processes, and what is done to its data from outside."""

    def __init__(self, data: Path, named: dict[str, str]) -> None:
        self.data, self.named = data, named
        self.server = Server(data, "--empty", **named)

    def ingest(self, file: Path, *options: str) -> None:
        done = manage(self.data, "ingest", str(file), *options, **self.named)
        assert done.returncode == 0, done.stderr

    def do(self, code: str) -> str:
        """Python with `one(NAME)` for an archive; its last line of output."""
        done = manage(self.data, "shell", "--no-imports", "-c", _BEGIN + code, **self.named)
        assert done.returncode == 0, done.stderr
        return (done.stdout.split() or [""])[-1]

    def shown(self, headers: dict[str, str] | None = None) -> list[tuple[str, float]]:
        """(compression, seconds) of what the answers hold, whichever process gives them: all are the same."""
        bodies = set()
        for at in range(ASKED):
            _, page = self.server.get(f"/compare?{QUERY}", {**(headers or {}), **(PART if at % 2 else {})})
            assert (b"<html" in page) == (at % 2 == 0), "a part is never the page"
            bodies.add(self.server.get(f"/compare.csv?{QUERY}", headers)[1])
        assert len(bodies) == 1
        rows = csv.DictReader(bodies.pop().decode().splitlines())
        return sorted((row["x"], float(row["value"])) for row in rows)


_BEGIN = """
from webapp.accounts import sign_in_links
from webapp.archives import statements
from webapp.files import blobs
from webapp.storage import load
from webapp.models import Archive
from webapp.jobs.tasks import ingest_archive
one = lambda name: Archive.objects.get(name=name)
"""
_SIGNED_IN = """
from django.test import Client
client = Client()
client.force_login(sign_in_links.local_owner())
print(client.cookies["sessionid"].value)
"""


def test_no_process_shows_what_is_no_longer_so(data, named, tmp_path):
    for name, seconds in (("first", 4.0), ("second", 8.0), ("secret", 16.0)):
        (tmp_path / name).write_bytes(samples.dd(seconds))
    copy = Copy(data, named)
    try:
        copy.server.wait_ready()
        assert copy.shown() == []
        copy.ingest(tmp_path / "first")
        assert copy.shown() == [("~", 4.0)]
        copy.ingest(tmp_path / "second")
        assert copy.shown() == [("~", 4.0), ("~", 8.0)]
        copy.ingest(tmp_path / "secret", "--private")
        owner = {"Cookie": f"sessionid={copy.do(_SIGNED_IN)}"}
        for _ in range(2):
            assert [seconds for _, seconds in copy.shown(owner)] == [4.0, 8.0, 16.0]
            assert [seconds for _, seconds in copy.shown()] == [4.0, 8.0]
        copy.do(
            "statements.add_statements(one('first').pk, sign_in_links.local_owner(), {'pool.compression': 'lz4'}, [statements.StatementScope()], ingest_archive)"  # noqa: E501
        )
        assert copy.shown() == [("lz4", 4.0), ("~", 8.0)]
        # As if the parsers of today read another number there.
        copy.do(f"blobs.path(one('first').sha256).write_bytes({samples.dd(5.0)!r})")
        again = manage(data, "reread", copy.do("print(one('first').pk)"), **named)
        assert again.returncode == 0, again.stderr
        assert copy.shown() == [("lz4", 5.0), ("~", 8.0)]
        copy.do("load.unpublish(one('first').pk)")
        assert copy.shown() == [("~", 8.0)]
        copy.do("load.withdraw(one('second').pk, 'A bad disk.')")
        assert copy.shown() == []
    finally:
        copy.server.close()
