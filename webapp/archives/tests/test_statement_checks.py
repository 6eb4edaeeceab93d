"""Combinations that cannot be are asked about, and no others."""

from __future__ import annotations

import pytest

from webapp.archives.statement_preview import find_questions


@pytest.mark.parametrize(
    ("config", "question"),
    [
        ({"fs.type": "ext4", "pool.compression": "lz4"}, "ext4 cannot compress. Is the file system right?"),
        ({"fs.type": "xfs", "pool.compression": "on"}, "xfs cannot compress."),
        ({"fs.type": "ufs", "pool.dedup": "on"}, "ufs cannot deduplicate."),
        ({"fs.type": "ext3", "pool.recordsize": 131072}, "ext3 has none. Is the file system right?"),
        ({"fs.type": "btrfs", "pool.copies": 2}, "Copies is a property of ZFS; btrfs has none."),
        ({"fs.type": "xfs", "pool.ashift": 12}, "ashift is a property of ZFS"),
        ({"fs.type": "ext4", "pool.layout": "2x raidz2(6)"}, "2x raidz2(6) is a layout of ZFS, not of ext4."),
        (
            {"fs.type": "btrfs", "pool.compression": "gzip-6"},
            "btrfs has no gzip-6, only lzo, zlib, zstd. Is the compression right?",
        ),
        ({"fs.type": "zfs", "pool.compression": "zlib-3"}, "zfs has no zlib-3"),
        ({"fs.type": "zfs", "pool.compression": "lzo"}, "zfs has no lzo"),
        ({"os.family": "Linux", "os.name": "FreeBSD"}, "The OS family of FreeBSD is FreeBSD, not Linux."),
        ({"os.family": "SunOS", "os.name": "Debian"}, "The OS family of Debian is Linux, not SunOS."),
    ],
)
def test_what_cannot_be_is_asked_about_once(config, question):
    (found,) = find_questions(config, config)
    assert question in found
    for key in config:
        assert find_questions(config, [key]) == [found]
        assert find_questions({name: value for name, value in config.items() if name != key}, config) == []
    assert find_questions(config, ["host"]) == []


@pytest.mark.parametrize(
    "config",
    [
        {"fs.type": "ext4", "pool.compression": "off", "pool.dedup": "off"},
        {"fs.type": "ext4", "fs.stack": "ext4/zfs", "pool.compression": "lz4", "pool.recordsize": 131072},
        {"fs.type": "ext4", "pool.layout": "raid5(4)"},
        {"fs.type": "lustre", "pool.compression": "lz4", "pool.layout": "raidz2(10)"},
        {"fs.type": "btrfs", "pool.compression": "zstd-3", "pool.layout": "raid1(2)"},
        {"fs.type": "btrfs", "pool.compression": "on"},
        {"fs.type": "zfs", "pool.compression": "gzip-9", "pool.recordsize": 2**20, "pool.copies": 2, "pool.layout": "raidz1(3)"},
        {"fs.type": "zfs", "pool.compression": "zstd-fast-10"},
        {"os.family": "Linux", "os.name": "TrueNAS"},
        {"os.family": "FreeBSD", "os.name": "TrueNAS"},
        {"os.family": "Linux", "os.name": "A system of my own"},
        {},
    ],
)
def test_what_can_be_is_not(config):
    assert find_questions(config, config) == []
