"""What the embedded server is told of a segment of the log that is there, missing or damaged."""

from __future__ import annotations

import gzip
import subprocess

import pytest

from webapp.infrastructure import wal_archive

SEGMENT = bytes(range(256)) * 4000
NAME = "000000010000000000000001"


@pytest.mark.parametrize(
    ("kept", "code"),
    [
        (gzip.compress(SEGMENT), 0),
        (None, 1),  # the end of the archive
        (gzip.compress(SEGMENT)[:-100], 126),  # above 125 PostgreSQL ends the recovery
        (b"other", 126),
    ],
)
def test_a_damaged_segment_is_not_taken_for_the_end_of_the_archive(tmp_path, kept, code):
    source, target = tmp_path / "w a%l", tmp_path / "target"
    source.mkdir()
    if kept is not None:
        (source / f"{NAME}.gz").write_bytes(kept)
    (option,) = wal_archive.replay_options(source, "")
    command = option.removeprefix("restore_command=")
    # As PostgreSQL does.
    command = command.replace("%%", "\0").replace("%f", NAME).replace("%p", str(target)).replace("\0", "%")
    assert subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False).returncode == code
    assert code or target.read_bytes() == SEGMENT
