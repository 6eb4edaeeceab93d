"""Texts that only mention settings give no keys, and the same settings that were made or printed do."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import Measurement
from ingest.tests.mentions_check import FOLDER, keys_from_mentions, list_samples

RESULT = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n"


def test_no_key_is_taken_from_a_mention():
    assert keys_from_mentions() == []


COMMENTED = "# zfs set compression=zstd tank\nzfs set compression=lz4 tank\ndd if=/dev/urandom of=/tank/f bs=1M\n"


@pytest.mark.parametrize("above", ["#!/bin/sh\n", "The script:\n\n```\n#!/bin/bash -e\n", "root@nas:~# cat run.sh\n#! /bin/sh\n"])
def test_a_comment_of_a_script_is_no_command_of_root(tmp_path, above):
    end = "```\n" if "```" in above else ""
    assert "zstd" not in str(configuration(tmp_path, {"log.txt": f"{above}{COMMENTED}{end}{RESULT}"}))


def test_commands_behind_the_prompt_of_root_are_no_comments(tmp_path):
    text = f"# cat run.sh\n#!/bin/sh\necho\n# zfs set compression=zstd tank\n# dd if=/dev/urandom of=/tank/f bs=1M\n{RESULT}"
    assert "zstd" in str(configuration(tmp_path, {"log.txt": text}))


def test_every_kind_of_text_has_a_sample():
    assert len(list_samples()) >= 12


def configuration(folder, files):
    for name, content in files.items():
        (folder / name).write_text(content)
    return [record.config for record in ingest.read([folder]) if isinstance(record, Measurement)]


@pytest.mark.parametrize("sample", list_samples(), ids=lambda path: path.name)
def test_a_mention_configures_no_result_beside_it(sample, tmp_path):
    found = configuration(tmp_path, {"result.txt": RESULT, sample.name: sample.read_text()})
    assert found and not any(found)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"run.sh": "#!/bin/sh\nzpool create tank mirror sda sdb\n", "result.txt": RESULT}, "zfs"),
        ({"result.txt": f"user@host:~$ sudo mount -t xfs /dev/sdb1 /mnt/x\nuser@host:~$ dd of=/mnt/x/f\n{RESULT}"}, "xfs"),
        ({"result.txt": f"# ZFS, lz4\n{RESULT}"}, "zfs"),
        ({"result.sh": f"#!/bin/sh\n# ZFS, lz4\n{RESULT}"}, "zfs"),
        ({"result.txt": f"# For ZFS, we recommend lz4\n{RESULT}"}, None),
        ({"result.txt": f"# Example commands for ZFS\n{RESULT}"}, None),
    ],
)
def test_what_was_set_or_stands_for_results_is_evidence(files, kind, tmp_path):
    assert {config.get("fs.type") for config in configuration(tmp_path, files)} == {kind}


@pytest.mark.parametrize("line", [line for line in (FOLDER / "discussion.md").read_text().splitlines() if line.strip()])
def test_a_question_guess_plan_comparison_or_negation_configures_no_result_below_it(line, tmp_path):
    assert not any(configuration(tmp_path, {"result.txt": f"Mine:\n\n{line}\n\n{RESULT}"}))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Created with:\n```\nzpool create tank mirror /dev/sda /dev/sdb\n```", "zfs"),
        ("Should I have done this instead?\n```\nzpool create tank mirror /dev/sda /dev/sdb\n```", None),
        ("Maybe better:\n```\n# zpool create tank mirror sda sdb\n```", None),
        ("## Which file system? ext4", "ext4"),  # an answer behind the question
        ("## ext4, no RAID5", "ext4"),
        ("## ZFS without compression", "zfs"),
        ("## ZFS, not ext4", "zfs"),
        ("On the old XFS server:", "xfs"),  # a label of what follows
    ],
)
def test_an_answer_or_label_beside_a_negation_is_evidence(line, kind, tmp_path):
    assert {config.get("fs.type") for config in configuration(tmp_path, {"result.txt": f"Mine:\n\n{line}\n\n{RESULT}"})} == {kind}
