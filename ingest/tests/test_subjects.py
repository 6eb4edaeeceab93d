"""Results have the evidence of what they were measured on, and none of other devices, mounts, data sets and file systems."""

from __future__ import annotations

import pytest

from ingest.tests.mentions_check import SUBJECTS, faults_of_subjects, list_samples


@pytest.mark.parametrize("sample", list_samples(SUBJECTS), ids=lambda path: path.stem)
def test_results_have_the_keys_of_their_own_subject(sample):
    assert faults_of_subjects(sample) == ([], [])


def test_every_kind_of_subject_has_an_input():
    assert len(list_samples(SUBJECTS)) >= 30


def test_keys_of_other_subjects_are_found(tmp_path):
    """The check itself: a key that must not come, a wrong one, and a missing one."""
    text = "run.txt: !fs.type; pool.compression=lz4; os.name=Debian\n==> run.txt <==\n# ext4, gzip\n"
    text += "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n"
    (tmp_path / "input.txt").write_text(text)
    others, missing = faults_of_subjects(tmp_path / "input.txt")
    assert any("fs.type=ext4" in other for other in others) and any("os.name=Debian" in one for one in missing)
