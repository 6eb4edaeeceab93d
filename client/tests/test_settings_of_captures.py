"""Recipes on ext4, xfs, btrfs and ZFS are read as exactly the settings that were given, n as planned: captured on loop devices
where root may mount them, else as `client.tests.loop_devices` recorded them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from client.tests.loop_devices import NAMES, can_capture, capture
from client.tests.running import manifest_of
from ingest import read
from ingest.keys import KEYS
from ingest.open_keys import is_identity, namespace_of
from ingest.records import Measurement, Unmeasured, Warning

RECORDED = Path(__file__).parent / "captures"
PLAIN = {"pool.compression": "off", "pool.atime": "off"}
ZFS = {"fs.type": "zfs", "pool.name": "tank", "pool.recordsize": 131072, "pool.atime": "on"}
GIVEN = {
    "tools-ext4": {"run": {"fs.type": "ext4", **PLAIN}},
    "tools-xfs": {"run": {"fs.type": "xfs", **PLAIN}},
    "tools-btrfs": {"run": {"fs.type": "btrfs", **PLAIN}},
    "tools-zfs": {"run": {**ZFS, "pool.compression": "off"}},
    "two-file-systems": {
        "ext4": {"fs.type": "ext4", **PLAIN},
        "xfs": {"fs.type": "xfs", **PLAIN},
        "btrfs": {"fs.type": "btrfs", **PLAIN},
        "btrfs-zstd": {"fs.type": "btrfs", **PLAIN, "pool.compression": "zstd-3"},
    },
    "btrfs-compression": {
        "none": {"fs.type": "btrfs", **PLAIN},
        "zstd-1": {"fs.type": "btrfs", **PLAIN, "pool.compression": "zstd-1"},
    },
    "zfs-compression": {"lzjb": {**ZFS, "pool.compression": "lzjb"}, "gzip": {**ZFS, "pool.compression": "gzip-6"}},
}
OF_ROOT = ("mount.discard=on", "mount.resuid", "mount.resv_strict")


def of_identity(record):
    """What distinguishes its configuration from others, as text."""
    own = {key: value for key, value in record.config.items() if key in KEYS or is_identity(key) or key in record.chosen}
    return json.dumps({key: value for key, value in own.items() if namespace_of(key) != "state"}, sort_keys=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_has_the_settings_that_were_given(tmp_path, name):
    archive = capture(name, tmp_path) if can_capture(name) else RECORDED / f"{name}.tar.xz"
    records = list(read([archive]))
    values = [record for record in records if isinstance(record, Measurement | Unmeasured)]
    found = {setting: {of_identity(one) for one in values if one.params["setting"] == setting} for setting in GIVEN[name]}
    assert {setting: len(configurations) for setting, configurations in found.items()} == dict.fromkeys(GIVEN[name], 1)
    assert len(set().union(*found.values())) == len(found)
    for setting, given in GIVEN[name].items():
        config = json.loads(found[setting].pop())
        assert {key: config.get(key) for key in given} == given, setting
        assert not [key for key, value in config.items() if key in OF_ROOT or f"{key}={value}" in OF_ROOT], setting
    capture_plan = manifest_of(archive)["capture"]
    planned = capture_plan["rounds"] * capture_plan["sessions"]
    counts = Counter(
        (one.params["setting"], one.tool, one.metric, one.stat, one.params.get("part"))
        for one in values
        if not one.duplicate_of and one.params.get("part") != "interval"
    )
    assert set(counts.values()) == {planned}, [key for key, count in counts.items() if count != planned]
    assert {one.params["session"] for one in values} == set(range(1, capture_plan["sessions"] + 1))
    doubts = {record.code for record in records if isinstance(record, Warning)}
    assert not doubts & {"conflict", "disagree", "other-host", "bad-manifest"}
