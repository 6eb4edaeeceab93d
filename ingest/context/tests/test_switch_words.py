"""Words for the disks' write cache, for ZFS's switches and for tuning, in names, headings, captions and label lines."""

from __future__ import annotations

import pytest

from ingest.context.labels._setting_words import read_setting_words
from ingest.context.labels.captions import read_caption
from ingest.tests.context_reading import read_clue_values
from ingest.tests.whole import read_measurements

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 4 s, 268 MB/s\n"
CACHE, ZIL = "block.write_cache", "system.zfs.zil_disable"
FLUSH, PREFETCH, TUNED = "system.zfs.zfs_nocacheflush", "system.zfs.zfs_prefetch_disable", "system.tuned"
WORDS = [
    ("write cache off", {CACHE: "off"}),
    ("write_cache_on", {CACHE: "on"}),
    ("write cache enable, zil_disable=1", {CACHE: "on", ZIL: 1}),
    ("no write cache", {CACHE: "off"}),
    ("wce=1", {CACHE: "on"}),
    ("wce_off", {CACHE: "off"}),
    ("wce", {}),
    ("write cache", {}),
    ("controller write cache off", {}),
    ("RAID write cache off", {}),
    ("zil_disable", {ZIL: 1}),
    ("zil_disable=0", {ZIL: 0}),
    ("ZIL disabled", {ZIL: 1}),
    ("no zil", {"pool.log": "off"}),
    ("nocacheflush", {FLUSH: 1}),
    ("zfs_nocacheflush=0", {"fs.type": "zfs", FLUSH: 0}),
    ("prefetch off", {PREFETCH: 1}),
    ("no-prefetch", {PREFETCH: 1}),
    ("prefetch_disable=0", {PREFETCH: 0}),
    ("vdev prefetch 8K", {}),
    ("l2arc_noprefetch=1", {}),
    ("tuned", {TUNED: "on"}),
    ("untuned", {TUNED: "off"}),
    ("not tuned", {TUNED: "off"}),
    ("fine-tuned", {}),
    ("tuned for databases", {}),
    ("tuned-adm", {}),
    ("prefetch off and prefetch on", {}),
    (
        "linux prefetch off",
        {"os.family": "Linux", "module.zfs.zfs_prefetch_disable": 1},
    ),
]


@pytest.mark.parametrize(("words", "expected"), WORDS)
def test_words(words, expected):
    assert read_setting_words(words) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nfs, disk write cache off:", {"fs.type": "nfs", CACHE: "off"}),
        ("ZFS, zil_disable=1", {"fs.type": "zfs", ZIL: 1}),
        ("Write cache enabled, prefetch off:", {CACHE: "on", PREFETCH: 1}),
        ("ZFS tuned:", {"fs.type": "zfs", TUNED: "on"}),
        ("We turned the write cache off:", {}),
    ],
)
def test_captions(line, expected):
    assert read_caption(line) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("fs=zfs wce=0 zil_disable=1\n" + DD, {"fs.type": "zfs", CACHE: "off", ZIL: 1}),
        ("== write cache off ==\n" + DD, {CACHE: "off"}),
        ("# write cache off, raidz2\n" + DD, {CACHE: "off", "pool.layout": "raidz2"}),
        ("untuned:\n" + DD, {TUNED: "off"}),
    ],
)
def test_lines_above_results(content, expected):
    assert read_clue_values(content, open_keys=None) == expected


def test_folders_that_differ_in_the_write_cache_are_of_two_configurations():
    records = read_measurements({"nfs-wce-on/dd.txt": DD, "nfs-wce-off/dd.txt": DD})
    assert {record.file[:7]: record.config for record in records if "off" not in record.file} == {
        "nfs-wce": {"fs.type": "nfs", CACHE: "on"}
    }
    assert {record.config[CACHE] for record in records} == {"on", "off"}
