"""Completeness: what is told of what applies, and what would tell the rest."""

from __future__ import annotations

import pytest

from ingest.keys import KEYS
from webapp.archives.completeness import EVIDENCE_ITEMS, find_missing_keys, measure_completeness

WHOLE = dict.fromkeys(KEYS, "x")


def of(*configurations):
    return measure_completeness([(config.get, count) for config, count in configurations])


def test_nothing_measured_has_no_score():
    assert of().percent is None


def test_everything_told_is_complete():
    assert of((WHOLE | {"fs.type": "zfs"}, 3)) == type(of())(100, [])


def test_a_command_is_named_with_the_keys_it_would_tell():
    config = WHOLE | {"fs.type": "zfs", "pool.recordsize": None, "pool.sync": None}
    (missing,) = of((config, 7)).missing
    assert (missing.command, missing.labels, missing.measurements) == ("zfs get all", "Record size of the data set and sync", 7)


@pytest.mark.parametrize(("family", "command"), [("Linux", "lscpu"), ("SunOS", "psrinfo -pv"), (None, "lscpu")])
def test_the_command_is_one_of_that_system(family, command):
    config = WHOLE | {"fs.type": "xfs", "os.family": family, "cpu.model": None}
    assert command in [missing.command for missing in of((config, 1)).missing]


def test_a_file_system_without_a_pool_is_not_asked_for_one():
    config = {"fs.type": "xfs"}
    assert not {key for key in find_missing_keys([(config.get, 1)]) if key.startswith("pool.")}
    assert "network" in find_missing_keys([({"fs.type": "lustre"}.get, 1)])


@pytest.mark.parametrize(
    ("config", "never"),
    [
        ({"fs.type": "ext4"}, "pool."),
        ({"fs.type": "xfs", "disk.count": 4}, "pool."),
        ({"fs.type": "btrfs"}, "pool.recordsize"),
        ({"fs.type": "btrfs", "disk.count": 1}, "pool.layout"),
        ({"fs.type": "zfs", "disk.count": 1}, "pool.layout"),
        ({"fs.type": "nfs"}, "disk."),
        ({"fs.type": "tmpfs"}, "disk."),
        ({"fs.type": "ext4"}, "network"),
        ({}, "pool."),
    ],
)
def test_what_a_file_system_cannot_have_is_never_asked_for(config, never):
    assert [key for key in find_missing_keys([(config.get, 1)]) if key.startswith(never)] == []


def test_the_score_counts_measurements():
    told = {"fs.type": "xfs"}
    full = WHOLE | {"fs.type": "xfs"}
    lone, nine_of_ten = of((told, 1)).percent, of((told, 1), (full, 9)).percent
    assert lone < 20 and nine_of_ten > 85


def test_items_name_registered_keys_and_a_command_for_everybody():
    assert all(key in KEYS for item in EVIDENCE_ITEMS for key in item.keys)
    assert all(item.commands["other"] for item in EVIDENCE_ITEMS)
