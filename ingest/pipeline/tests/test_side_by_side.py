"""Several uploads read at once give what they give one after the other."""

from __future__ import annotations

import io
import shutil

import pytest

from ingest.errors import UnreadableInput
from ingest.pipeline import side_by_side
from ingest.tests.samples import FOLDER

SAMPLES = FOLDER


def _written(paths: list[str], count: int) -> tuple[bool, bytes]:
    out = io.BytesIO()
    return side_by_side.write_records(paths, out, count), out.getvalue()


@pytest.mark.thorough
def it_writes_the_same_lines_in_the_same_order():
    paths = [str(path) for path in sorted(SAMPLES.iterdir())[::4] if path.is_dir()]
    assert len(paths) > 5
    alone = _written(paths, 1)
    assert alone[0] and alone[1].count(b"\n") > 1000
    assert _written(paths, 2) == alone


def it_says_that_no_measurement_was_found(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text("nothing of note\n")
    found, lines = _written([str(tmp_path / name) for name in "abc"], 2)
    assert not found and lines.count(b'"status": "unrecognised"') == 3


def it_writes_what_comes_before_a_path_that_cannot_be_opened(tmp_path):
    shutil.copytree(SAMPLES / "dd", tmp_path / "dd")
    out = io.BytesIO()
    with pytest.raises(UnreadableInput, match="no such file"):
        side_by_side.write_records([str(tmp_path / "dd"), str(tmp_path / "missing")], out, 2)
    assert out.getvalue() == _written([str(tmp_path / "dd")], 1)[1]


def it_starts_no_processes_for_little(tmp_path):
    (tmp_path / "small").write_text("x")
    assert side_by_side.count_processes([str(tmp_path / "small")] * 3) == 1
