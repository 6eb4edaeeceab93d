"""Last night's backup on an empty machine, by the commands that an operator runs: the same exports, permalinks and log."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

import psycopg
import pytest

from webapp.backups import backup_folder
from webapp.infrastructure.embedded_postgres import Cluster, run_cluster
from webapp.tests.serving import PATIENCE, ROOT, environment, manage

pytestmark = [pytest.mark.server, pytest.mark.slow]

FREEZE = "from webapp.tests import frozen; frozen.frozen()"
WRITE = """
import sys
from webapp.tests import samples
number = 0
print("writing", flush=True)
while not sys.stdin.closed and number < 1000:
    number += 1
    samples.received(samples.tar({"run/dd.txt": samples.dd(number + 1, number + 2)}))
    print(number, flush=True)
"""
STATE = """
import json
from webapp.models import Collection, LogEntry, Permalink, Rendering
head = LogEntry.objects.order_by("-number").first()
print(json.dumps({
    "permalinks": dict(Permalink.objects.values_list("pk", "digest")),
    "files": sorted(Rendering.objects.values_list("of", "name", "sha256")),
    "head": [head.number, head.hash],
}))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A short path, for sockets."""
    made = Path(tempfile.mkdtemp(prefix="pm-"))
    yield made
    for name in ("old", "new", "other", "server"):
        Cluster(made / name)._await_previous()
    rmtree(made, ignore_errors=True)


def done(data: Path, *args: str, **more: str) -> str:
    ended = manage(data, *args, **more)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@contextmanager
def writer(data: Path, **more: str) -> Iterator[None]:
    """Archives that are taken in and read, one after another, while the block runs."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", WRITE],
        cwd=ROOT,
        env=environment(data, **more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().isdecimal():
            break
    try:
        yield
        assert process.poll() is None, "it ended before the backup did"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def state(data: Path, **more: str) -> dict:
    return json.loads(done(data, "shell", "--no-imports", "-c", STATE, **more).splitlines()[-1])


def exports(data: Path, **more: str) -> list[str]:
    return [done(data, "export", "--format", form, **more) for form in ("csv", "jsonl")]


def it_is_restored_with_the_same_exports_permalinks_and_log(place):
    old, new, target = place / "old", place / "new", place / "backups"
    with run_cluster(old) as url:
        more = {"POOLMARK_EMBEDDED_URL": url}
        done(old, "export", **more)  # makes the tables
        done(old, "shell", "--no-imports", "-c", FREEZE, **more)
        with writer(old, **more):
            done(old, "backup", str(target), **more)
        expected, frozen = exports(old, **more), state(old, **more)
        said = done(old, "backup", str(target), **more)
    assert "database: incremental" in said and expected[0].count("\n") > 2
    first, last = map(backup_folder.open_backup, backup_folder.list_backups(target))
    assert f"of which {len(last.blobs()) - len(first.blobs())} new" in said
    secret = (old / "secret-key").read_text()
    Cluster(old)._await_previous()
    rmtree(old)

    said = done(new, "restore", str(target))
    assert "1 permalinks have their digests, 1 entries of the log their hashes" in said
    assert exports(new) == expected and state(new) == frozen and (new / "secret-key").read_text() == secret
    Cluster(new)._await_previous()
    rmtree(new)

    # The one made while archives were read: whole archives, with their bytes.
    done(new, "restore", str(first.folder))
    ended = manage(new, "check_data")
    assert "archives: 0 problems" in ended.stdout and "log: 0 problems" in ended.stdout, ended.stdout + ended.stderr
    assert state(new)["head"] == frozen["head"]


def it_goes_from_the_embedded_database_to_another_server_and_back(place):
    old, other, new = place / "old", place / "other", place / "new"
    done(old, "export")
    done(old, "shell", "--no-imports", "-c", FREEZE)
    expected, frozen = exports(old), state(old)
    done(old, "backup", str(place / "dumps"), "--dump")
    with run_cluster(place / "server") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE elsewhere")
        elsewhere = {"DATABASE_URL": url.removesuffix("poolmark") + "elsewhere"}
        assert "is a copy" not in done(other, "restore", str(place / "dumps"), **elsewhere)
        assert exports(other, **elsewhere) == expected and state(other, **elsewhere) == frozen
        done(other, "backup", str(place / "more"), **elsewhere)
        assert backup_folder.open_backup(place / "more").is_dump
    done(new, "restore", str(place / "more"))
    assert exports(new) == expected and state(new) == frozen
