"""The script of docs/running.md for a Slurm array reads each archive as one machine reads it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.tests import samples
from webapp.tests.serving import ROOT

pytestmark = pytest.mark.thorough


class Array:
    """The script with `tasks` tasks, a folder of archives and one of records."""

    def __init__(self, place: Path, tasks: int = 1000) -> None:
        text = re.search(r"```sh\n(#!/bin/sh\n#SBATCH.*?)```", (ROOT / "docs" / "running.md").read_text(), re.S)[1]
        assert "--array=0-999%" in text and "\ntasks=1000 " in text
        self.script = text.replace("tasks=1000", f"tasks={tasks}")
        self.archives, self.records = place / "archives", place / "records"
        self.archives.mkdir()
        self.records.mkdir()

    def add(self, name: str, data: bytes) -> None:
        path = self.archives / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def run(self, task: int) -> subprocess.CompletedProcess[str]:
        named = {"PATH": "/usr/bin:/bin", "ARCHIVES": str(self.archives), "RECORDS": str(self.records), "POOLMARK": str(ROOT)}
        env = {**named, "SLURM_ARRAY_TASK_ID": str(task)}
        return subprocess.run(["/bin/sh", "-c", self.script], env=env, capture_output=True, text=True, check=False)

    @property
    def made(self) -> list[str]:
        return sorted(str(path.relative_to(self.records)) for path in self.records.rglob("*") if path.is_file())


@pytest.fixture
def dd() -> list[bytes]:
    return [samples.tar({"a.txt": samples.dd(2.5 + number, 3)}) for number in range(2)]


def test_each_task_of_the_array_reads_its_archive(tmp_path, dd):
    array = Array(tmp_path)
    array.add("first/a b.tar", dd[0])
    array.add("second/a b.tar", dd[1])
    array.add("second.txt", b"nothing\n")
    for task in range(4):
        done = array.run(task)
        assert done.returncode == 0, done.stderr
    assert array.made == ["first/a b.tar.jsonl", "second.txt.jsonl", "second/a b.tar.jsonl"]
    for name in ("first/a b.tar", "second/a b.tar", "second.txt"):
        alone = subprocess.run([sys.executable, "-m", "ingest", array.archives / name], cwd=ROOT, capture_output=True, check=False)
        assert (array.records / f"{name}.jsonl").read_bytes() == alone.stdout
    assert (array.records / "first/a b.tar.jsonl").read_text().count('"type": "measurement"') == 4


def test_more_archives_than_tasks_are_all_read(tmp_path):
    array = Array(tmp_path, tasks=2)
    for name in "abc":
        array.add(name, b"nothing\n")
    assert [array.run(task).returncode for task in range(3)] == [0, 0, 1]
    assert array.made == ["a.jsonl", "b.jsonl", "c.jsonl"]


def test_a_reader_that_fails_is_named_and_the_next_archive_is_read(tmp_path, dd):
    array = Array(tmp_path, tasks=1)
    array.add("a.tar", dd[0])
    array.add("b.tar", dd[1])
    (array.records / "a.tar.jsonl.part").symlink_to("/dev/full")
    done = array.run(0)
    assert done.returncode == 1 and "not read (exit 3): ./a.tar\n" in done.stderr and "OSError" in done.stderr
    assert (array.records / "b.tar.jsonl").exists() and not (array.records / "a.tar.jsonl").exists()


@pytest.mark.parametrize(("to", "code"), [("/dev/full", 3), ("/dev/null", 0)])
def test_an_error_of_the_reader_is_not_said_to_be_an_archive_without_results(tmp_path, dd, to, code):
    (tmp_path / "a.tar").write_bytes(dd[0])
    with open(to, "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "ingest", tmp_path / "a.tar"], cwd=ROOT, stdout=out, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == code and (b"Traceback" in done.stderr) == bool(code)
