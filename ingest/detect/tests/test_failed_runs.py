"""Values of a run that ended in an error say so, and no others do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.keys import ERROR
from ingest.records import Measurement

DD = "$ dd if=/dev/urandom of=/t/x bs=1M count=5000\n{}"
DD += "3000+0 records in\n3000+0 records out\n3145728000 bytes (3.1 GB) copied, 20.{} s, 157 MB/s\n"
CP = "$ time cp -r /srv/a /mnt/b\n{}\nreal\t0m1{}.000s\nuser\t0m0.1s\nsys\t0m1.0s\n"


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (DD.format("dd: error writing '/t/x': No space left on device\n", 1) + DD.format("", 2), ["no space left", None]),
        (DD.format("", 1) + DD.format("dd: writing `/t/x': Input/output error\n", 2), [None, "I/O error"]),
        (CP.format("cp: error writing '/mnt/b/1': Disk quota exceeded\n" * 5, 1) + CP.format("", 2), ["quota exceeded", None]),
        (CP.format("cp: cannot create '/mnt/b': Read-only file system\n", 1), ["read-only file system"]),
        ("When I wrote more I got No space left on device, so:\n" + DD.format("", 1), [None]),
        (DD.format("", 1) + "[ 12.5] EXT4-fs (sda1): mounted filesystem\n", [None]),
    ],
)
def test_the_run_that_failed_is_marked(tmp_path: Path, text: str, errors: list[str | None]) -> None:
    (tmp_path / "log.txt").write_text(text)
    found = {m.line: m.params.get(ERROR) for m in read([tmp_path]) if isinstance(m, Measurement) and m.metric.endswith("elapsed")}
    assert list(found.values()) == errors
