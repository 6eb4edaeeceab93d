"""The script of docs/many-machines.md for a Slurm array reads each archive as one machine reads it."""

from __future__ import annotations

import re
import subprocess
import sys

from webapp.tests import samples
from webapp.tests.serving import ROOT


def test_each_task_of_the_array_reads_its_archive(tmp_path):
    script = re.search(r"```sh\n(#!/bin/sh\n#SBATCH.*?)```", (ROOT / "docs" / "many-machines.md").read_text(), re.S)[1]
    archives, records = tmp_path / "archives", tmp_path / "records"
    archives.mkdir()
    records.mkdir()
    for number in range(2):
        (archives / f"{number}.tar").write_bytes(samples.tar({"a.txt": samples.dd(2.5 + number, 3)}))
    (archives / "2.txt").write_text("nothing\n")
    named = {"PATH": "/usr/bin:/bin", "ARCHIVES": str(archives), "RECORDS": str(records), "POOLMARK": str(ROOT)}
    for task in range(4):
        done = subprocess.run(
            ["/bin/sh", "-c", script], env={**named, "SLURM_ARRAY_TASK_ID": str(task)}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in records.iterdir()) == ["0.tar.jsonl", "1.tar.jsonl", "2.txt.jsonl"]
    for path in sorted(archives.iterdir()):
        alone = subprocess.run([sys.executable, "-m", "ingest", path], cwd=ROOT, capture_output=True, check=False)
        assert (records / f"{path.name}.jsonl").read_bytes() == alone.stdout
    assert (records / "0.tar.jsonl").read_text().count('"type": "measurement"') == 4
