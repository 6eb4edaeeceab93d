"""Captions of nothing but settings above results."""

from __future__ import annotations

import pytest

from ingest.context.labels.captions import read_caption
from ingest.tests.whole import printed_config, read_measurements

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 4 s, 268 MB/s\n"
UBUNTU = {"os.name": "Ubuntu", "os.family": "Linux"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// Ubuntu 16.04 / Linux 4.4.0:", {**UBUNTU, "os.version": "16.04", "kernel": "4.4.0"}),
        ("With kernel 2.6.18-164.el5:", {"kernel": "2.6.18-164.el5", "os.family": "Linux"}),
        ("2.6.31-rc4 vanilla:", {"kernel": "2.6.31-rc4", "os.family": "Linux"}),
        ("2.4.19", {"kernel": "2.4.19", "os.family": "Linux"}),
        ("XFS on the same box:", {"fs.type": "xfs"}),
        ("2.6.19.1, ext3:", {"kernel": "2.6.19.1", "os.family": "Linux", "fs.type": "ext3"}),
        ("Under 2.5.75:", {"kernel": "2.5.75", "os.family": "Linux"}),
        (
            "*FreeBSD 9.1-RELEASE, ZFS, 6 disk raidz2:*",
            {
                "os.name": "FreeBSD",
                "os.version": "9.1-RELEASE",
                "os.family": "FreeBSD",
                "fs.type": "zfs",
                "disk.count": 6,
                "pool.layout": "raidz2(6)",
            },
        ),
        (
            "ZFS mirror (2x WD Red 4TB), lz4:",
            {"fs.type": "zfs", "pool.layout": "mirror(2)", "disk.count": 2, "pool.compression": "lz4"},
        ),
        ("4 x 2TB mirror", {"pool.layout": "mirror", "disk.count": 4}),
        ("RAID-Z2, 8 disks, no compression", {"pool.layout": "raidz2(8)", "disk.count": 8, "pool.compression": "off"}),
        ("btrfs (compress=zstd)", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
        ("SSD - btrfs - zstd:7", {"fs.type": "btrfs", "pool.compression": "zstd-7"}),
        (
            "\u201cDecompression results for zstd-9 with recordsize 1M\u201d",
            {"pool.compression": "zstd-9", "pool.recordsize": 1 << 20},
        ),
        ('"Compression speed with lz4":', {"pool.compression": "lz4"}),
        ("[zfs, recordsize=1M]", {"fs.type": "zfs", "pool.recordsize": 1 << 20}),
        (
            "zfs, sync disabled, noatime, dedup off, ashift 12",
            {"fs.type": "zfs", "pool.sync": "disabled", "pool.atime": "off", "pool.dedup": "off", "pool.ashift": 12},
        ),
        ("Native ZFS on Linux 0.6.2, no compression:", {"fs.type": "zfs", "fs.version": "0.6.2", "pool.compression": "off"}),
        ("ext4 on mdadm RAID5:", {"fs.type": "ext4", "pool.layout": "raid5"}),
        ("compression off", {"pool.compression": "off"}),
        ("Results with kernel 2.6.13:", {"kernel": "2.6.13", "os.family": "Linux"}),
        ("bonnie++ results on xfs", {"fs.type": "xfs"}),
        ("iozone tests for ZFS mirror, lz4:", {"fs.type": "zfs", "pool.layout": "mirror", "pool.compression": "lz4"}),
        ("Results:", {}),
        ("Results on the old disk:", {}),
        ("Pool: RAID-Z1, 5x 4TB; ZIL on Optane", {"pool.layout": "raidz1(5)", "disk.count": 5, "pool.log": "nvme"}),
        ("- **Pool:** mirror of 2 SSDs, lz4", {"pool.layout": "mirror(2)", "disk.count": 2, "pool.compression": "lz4"}),
        ("Zpool: 3 x mirror(2)", {"pool.layout": "3 x mirror(2)", "disk.count": 6}),
        ("2 x raidz2(6)", {"pool.layout": "2 x raidz2(6)", "disk.count": 12}),
        ("2 x raidz2 (12 disks)", {"pool.layout": "raidz2"}),
        ("Pool: tank", {}),
        ("Pool: raidz2 or mirror", {}),
        ("BeeGFS 7.3.2", {"fs.type": "beegfs", "fs.version": "7.3.2"}),
        ("With GPFS 5.1.2:", {"fs.type": "gpfs", "fs.version": "5.1.2"}),
        ("raw ext4 filesystem", {"fs.type": "ext4"}),
        ("encrypted device of a raw partition, xfs on top", {"fs.type": "xfs"}),
        ("xfs in an LVM volume", {"fs.type": "xfs"}),
        ("before as ntfs", {"fs.type": "ntfs"}),
        ("formatted as jfs:", {"fs.type": "jfs"}),
        ("6x 4TB HGST Deskstar NAS Raidz2", {"disk.count": 6, "disk.model": "HGST Deskstar NAS", "pool.layout": "raidz2(6)"}),
        ("4 x 3TB WD Red in RAIDZ1:", {"disk.count": 4, "disk.model": "WD Red", "pool.layout": "raidz1(4)"}),
        ("2x 2TB WD drives, xfs", {"disk.count": 2, "fs.type": "xfs"}),
        ("before ext4:", {}),
        ("moved as ext4 to xfs", {}),
        ("encrypted ext4 lost:", {}),
        ("Test 1 - recordsize 8K", {"pool.recordsize": 8192}),
        ("Run #2: lz4", {"pool.compression": "lz4"}),
        ("test3: lz4, atime off", {"pool.compression": "lz4", "pool.atime": "off"}),
        ("Benchmark 2 (ZFS, lz4)", {"fs.type": "zfs", "pool.compression": "lz4"}),
        ("Run 3: 128k random writes", {}),
        ("Test 1 - lz4 wins", {}),
        ("Config: lz4", {}),
        # One word that is not understood, two values of one key, rows and labels that others read
        ("ZFS mirror was slower:", {}),
        ("ext4 and xfs", {}),
        ("2.5.3 MB/s", {}),
        ("lz4, gzip-6", {}),
        ("HDD", {}),
        ("Arch : x86_64 (64 Bit)", {}),
        ("Kernel : 5.10.0", {}),
        ("compression=lz4 atime=off", {}),
        ("zfs 12", {}),
        ("2.1.1. Hardware", {}),
        ("2.4.1 ZFS", {}),
        ("2.6.32 ext4", {}),
        ("2.1.11-1", {}),
        ("2.2.0-1", {}),
    ],
)
def test_words_of_a_caption(line, expected):
    assert read_caption(line) == expected


def configurations(text):
    return [printed_config(one) for one in read_measurements({"post.txt": text}) if one.metric.endswith("throughput")]


def test_before_and_after_are_captions_of_their_own():
    assert configurations(f"before as NTFS:\n```\n{DD}```\nand after as EXT3\n```\n{DD}```\n") == [
        {"fs.type": "ntfs"},
        {"fs.type": "ext3"},
    ]


def test_a_caption_may_be_underlined():
    assert configurations(f"2.4.19\n======\n{DD}\n2.5.59\n======\n{DD}") == [
        {"kernel": "2.4.19", "os.family": "Linux"},
        {"kernel": "2.5.59", "os.family": "Linux"},
    ]


def test_a_caption_holds_for_the_results_below_it_up_to_the_next():
    text = f"compression off\n<pre>\n{DD}</pre>\n\nZFS on Linux 0.8.3, lz4\n\n{DD}\n// Linux 4.4.0, ext4\n{DD}"
    assert configurations(text) == [
        {"pool.compression": "off"},
        {"fs.type": "zfs", "fs.version": "0.8.3", "pool.compression": "lz4"},
        {"kernel": "4.4.0", "os.family": "Linux", "fs.type": "ext4"},
    ]


def test_a_caption_that_is_not_understood_ends_what_it_names_otherwise():
    text = f"Results for ZFS with mirror of 2 disks, lz4:\n{DD}\nResults after we had moved to xfs:\n{DD}\nResults once more\n{DD}"
    mirror = {"fs.type": "zfs", "pool.layout": "mirror(2)", "disk.count": 2, "pool.compression": "lz4"}
    assert configurations(text) == [mirror, {}, {}]


def test_a_heading_of_a_disks_own_file_system_is_not_the_pool_that_was_shown():
    status = (
        "$ zpool status\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
        "\ttank        ONLINE       0     0     0\n\t  mirror-0  ONLINE       0     0     0\n"
        "\t    sda     ONLINE       0     0     0\n"
        "\t    sdb     ONLINE       0     0     0\n\nerrors: No known data errors\n"
    )
    runs = "".join(
        f"=== {words} ===\n$ dd if=/dev/zero of={path} bs=1M count=1024\n{DD}"
        for words, path in (("zfs at /tank", "/tank/a"), ("ext4 at /", "/a"), ("xfs in the same pool", "/tank/vol/a"))
    )
    pools = [(one.get("fs.type"), one.get("pool.layout")) for one in configurations(status + runs)]
    assert pools == [("zfs", "mirror(2)"), ("ext4", None), ("xfs", "mirror(2)")]


def test_a_line_within_a_paragraph_is_no_caption():
    assert configurations(f"We ran it again on\nFreeBSD 9.1, ZFS\nand saw no change.\n\n{DD}") == [{}]


def test_a_list_of_file_systems_is_no_caption():
    assert configurations(f"Tested:\n\n- ext4\n- xfs\n\n{DD}") == [{}]


def test_a_caption_that_is_not_understood_ends_the_one_before():
    text = f"ext3\n```\n{DD}```\n\nreiser4 /w the wonderful plugin\n```\n{DD}```\n\nreiser4 w/ gzip compression\n```\n{DD}```\n"
    assert [one.get("fs.type") for one in configurations(text)] == ["ext3", None, "reiser4"]


def test_a_step_of_the_same_test_ends_no_caption():
    text = f"ext3\n```\n{DD}```\n\nNow reading it:\n```\n{DD}```\n"
    assert [one.get("fs.type") for one in configurations(text)] == ["ext3", "ext3"]


def test_numbered_steps_are_captions():
    text = f"Numbers:\n\nTest 1 - recordsize 8K\n\n{DD}\nTest 2 - recordsize 1M, lz4\n\n{DD}"
    assert configurations(text) == [{"pool.recordsize": 8192}, {"pool.recordsize": 1 << 20, "pool.compression": "lz4"}]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("zfs set compression=lz4 tank", {"pool.compression": "lz4"}),
        ("sudo zpool create -f tank mirror sda sdb", {"pool.name": "tank", "pool.layout": "mirror(2)"}),
        ("zfs create -o compression=off -o recordsize=16k tank/db", {"pool.compression": "off", "pool.recordsize": 16384}),
        # Words of prose around it, or an example's
        ("zfs set compression=lz4 tank is what I did not run", {}),
        ("zpool create tank mirror DISK1 DISK2", {}),
        ("zpool create is a command with many options", {}),
    ],
)
def test_a_command_alone_in_plain_text_is_told(line, expected):
    found = configurations(f"How it was set up.\n\n{line}\n\n{DD}")[0]
    assert {key: found.get(key) for key in expected} == expected and (expected or not found)


def test_a_pool_made_in_several_ways_in_plain_text_is_told_by_none():
    assert configurations(f"zpool create t raidz da0 da1 da2\n\nzpool create t mirror da0 da1\n\n{DD}") == [{}]


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("Core i7-920, 12GB RAM, FreeBSD 8.0", {"cpu.model": "Core i7-920", "memory": 12 << 30, "os.version": "8.0"}),
        ("Xeon E5-2670 v2, 64 GB RAM, Ubuntu 14.04:", {"cpu.model": "Xeon E5-2670 v2", "memory": 64 << 30, "os.version": "14.04"}),
        ("Core i7-920, 12GB RAM, and it was slow", {}),
        ("Intel boards, RAM prices, news", {}),
    ],
)
def test_a_system_in_one_line_above_results(line, keys):
    found = configurations(f"{line}\n\n{DD}")[0]
    assert {key: found.get(key) for key in keys} == keys and (keys or not found)


FENCED = "```\n" + DD + "```\n\n"


@pytest.mark.parametrize(
    ("heading", "layout"), [("# NVMe Optane M10", None), ("# Results of the second run", "raidz2"), ("# zpool status", "raidz2")]
)
def test_a_heading_of_another_store_ends_what_the_one_before_told(heading, layout):
    text = f"# Notes\n\n# Main pool, raidz2\n\n{FENCED}{heading}\n\n{FENCED}"
    found = [one.config.get("pool.layout") for one in read_measurements({"notes.md": text}) if one.metric.endswith(".elapsed")]
    assert found == ["raidz2", layout]


def test_comments_of_a_script_and_the_title_of_a_page_end_nothing():
    script = f"# raidz2, no L2ARC\n{DD}# now the big one\n{DD}"
    page = f"# My raidz2\n\n{FENCED}## Results\n\n{FENCED}```\n# and again\n{DD}```\n"
    for text in (script, page):
        assert {one.config.get("pool.layout") for one in read_measurements({"notes.md": text})} == {"raidz2"}


@pytest.mark.parametrize(
    ("heading", "kind"), [("SSHFS:", "sshfs"), ("JuiceFS:", "juicefs"), ("MergerFS:", "mergerfs"), ("Gluster:", "glusterfs")]
)
def test_a_file_system_of_fuse_is_not_the_one_above_it(heading, kind):
    found = [one.config.get("fs.type") for one in read_measurements({"notes.md": f"NFS:\n{DD}\n{heading}\n{DD}"})]
    assert found == ["nfs", "nfs", kind, kind]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Before (recordsize=128k, compression off):", {"pool.recordsize": 131072, "pool.compression": "off"}),
        ("VM (Debian 12, virtio, ext4):", {"os.name": "Debian", "os.version": "12", "os.family": "Linux", "fs.type": "ext4"}),
        ("And on the box upstairs (NVMe, XFS) for comparison:", {"fs.type": "xfs"}),
        ("**Vorher (zwei Platten, btrfs, zstd-3):**", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
        ("The box upstairs, which may be (or was it ext4?):", {}),
        ("What I expected of it (ext4 or XFS, I do not know which):", {}),
        ("Read (see the notes of the day):", {}),
    ],
)
def test_settings_in_brackets_above_an_output(line, expected):
    found = configurations(f"{line}\n\n```\n{DD}```\n")[0]
    assert {key: value for key, value in found.items() if value != "off" or key in expected} == expected
