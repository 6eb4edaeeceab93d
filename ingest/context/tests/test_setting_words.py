"""What people write: label lines, headings, comments, names of folders and files, prompts, tested paths."""

from __future__ import annotations

import pytest

from ingest import normalise
from ingest.context.labels.path_words import READER
from ingest.records import Clue
from ingest.tests.context_reading import read_clue_values, read_items

LABELS = [
    ("atime=off dedup=off compression=lz4", {"pool.atime": "off", "pool.dedup": "off", "pool.compression": "lz4"}),
    ("atime=on, dedup=on, compression=gzip", {"pool.atime": "on", "pool.dedup": "on", "pool.compression": "gzip-6"}),
    ("# recordsize=128K sync=always copies=2", {"pool.recordsize": 131072, "pool.sync": "always", "pool.copies": 2}),
    ("fs=btrfs options=compress=zstd:3", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
    ("fs=btrfs options=defaults", {"fs.type": "btrfs", "pool.compression": "off"}),
    ("fs=btrfs options=compress=none", {"fs.type": "btrfs", "pool.compression": "off"}),
    ("fs=ext4 options=defaults", {"fs.type": "ext4"}),
    ("fs=xfs options=noatime,inode64", {}),  # the comma parts words: `inode64` is no pair
    (
        "os=FreeBSD os_version=10.0 compression=lz4 run=3",
        {"os.name": "FreeBSD", "os.family": "FreeBSD", "os.version": "10.0", "pool.compression": "lz4"},
    ),
    ("layout=raidz2 memory=8GiB cores=4", {"pool.layout": "raidz2", "memory": 8 * 2**30, "cpu.cores": 4}),
    ("compression: gzip-9", {"pool.compression": "gzip-9"}),
    ("if=/dev/zero of=/tank/x bs=1M count=100", {}),
    ("PATH=/usr/bin HOST=vm OS=Linux", {}),
    ("BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet zfs.zfs_arc_max=1", {}),
    ("  cpu          : usr=3.22%, sys=1.20%, ctx=5", {}),
    ("sync=1", {}),
    ("compression=nonsense", {}),
    ("FS: 694.4 TiB   Used FS: 2.2%   Inodes: 65.2 Mi", {}),
    ("data     =                       bsize=4096   blocks=1048576, imaxpct=25", {}),
    ("test run=3 block=4k", {}),
]


@pytest.mark.parametrize(("line", "expected"), LABELS)
def test_label_line(line, expected):
    assert read_clue_values(line + "\n", only="labels") == expected


def headings(*lines: str) -> list[dict[str, object]]:
    text = "".join(f"{line}\n1.0 2.0\n" for line in lines)
    at: dict[int, dict[str, object]] = {number: {} for number in range(1, 2 * len(lines), 2)}
    for clue in read_items(text, only="labels"):
        assert isinstance(clue, Clue) and clue.effect in ("labels", "ends")
        if clue.effect == "ends":
            continue
        at[clue.line][clue.key] = clue.value
    return list(at.values())


def test_headings_of_a_sweep():
    marks = [f"########## {name}" for name in ("OFF (atime on)", "OFF", "DEDUP", "ON", "LZ4", "GZIP-9", "DEDUP + COMPRESSION ON")]
    got = headings(*marks)
    assert [step["pool.compression"] for step in got] == ["off", "off", "off", "on", "lz4", "gzip-9", "on"]
    assert [step["pool.dedup"] for step in got] == ["off", "off", "on", "off", "off", "off", "on"]
    assert [step["pool.atime"] for step in got] == ["on", "off", "off", "off", "off", "off", "off"]


def test_headings_tell_only_what_they_name_where_no_series_is_seen():
    assert headings("=== zfs-gzip-6 ===", "=== ext4 ===") == [
        {"fs.type": "zfs", "pool.compression": "gzip-6"},
        {"fs.type": "ext4"},
    ]


def test_chapters_of_a_text_are_no_labels():
    assert headings("## Introduction", "## Method", "## Results with lz4", "## Thanks") == [{}, {}, {}, {}]


def test_a_lone_switch_needs_an_algorithm_beside_it():
    assert headings("#### ON", "#### OFF", "#### MAYBE") == [{}, {}, {}]


COMMENTS = [
    (
        "# ZFS results for RAIDZ2 on FreeNAS 11",
        {"fs.type": "zfs", "pool.layout": "raidz2", "os.name": "FreeNAS", "os.version": "11", "os.family": "FreeBSD"},
    ),
    ("# RAIDZ2, no L2ARC, no SLOG, 80GB file", {"pool.layout": "raidz2", "pool.cache": "off", "pool.log": "off"}),
    (
        "# Database host (Ubuntu 12.04.4 LTS x86_64)",
        {"os.name": "Ubuntu", "os.version": "12.04.4 LTS", "os.family": "Linux"},
    ),
    ("# running under OS X 10.9.5", {}),
    ('# bench -m "RAIDZ2_8C" -d /mnt/tank', {}),
    ("# zpool create tank raidz2 sda sdb sdc", {}),
    ("# ext4 versus xfs", {}),
]


@pytest.mark.parametrize(("line", "expected"), COMMENTS)
def test_comment(line, expected):
    assert read_clue_values(line + "\n", only="comments") == expected


NAMES = [
    ("nfs-on-zfs", {"fs.type": "nfs", "fs.stack": "nfs/zfs"}),
    ("beegfs_over_xfs", {"fs.type": "beegfs", "fs.stack": "beegfs/xfs"}),
    ("beegfs-zfs", {}),
    ("zfs-2.1.5", {"fs.type": "zfs", "fs.version": "2.1.5"}),
    ("zfs-2.1", {"fs.type": "zfs"}),
    ("btrfs_zstd:3", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
    ("raid5-4disks", {"pool.layout": "raid5", "disk.count": 4}),
    ("4x-ssd", {"disk.count": 4}),
    ("test-2-ssd", {}),  # the second test as well as two disks
    ("run1disk", {}),
    ("6-HDDs-2-SSDs", {}),
    ("kernel-6.1.0", {"kernel": "6.1.0"}),
    ("untar-kernel-5.15", {}),
    ("linux-5.15", {"os.family": "Linux"}),
    ("zfs-gzip-6", {"fs.type": "zfs", "pool.compression": "gzip-6"}),
    ("btrfs-zstd-3", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
    ("dd-zfs-off", {"fs.type": "zfs", "pool.compression": "off"}),
    ("btrfs-none", {"fs.type": "btrfs", "pool.compression": "off"}),
    ("tests-d3-f4-s1-l3.ext4.txt", {"fs.type": "ext4"}),
    ("freebsd", {"os.name": "FreeBSD", "os.family": "FreeBSD"}),
    ("freebsd-13.2", {"os.name": "FreeBSD", "os.family": "FreeBSD", "os.version": "13.2"}),
    ("linux-run-2g", {"os.family": "Linux"}),
    ("lz4", {"pool.compression": "lz4"}),
    ("10g_no_l2arc_sync_always_1_thread", {"pool.cache": "off", "pool.sync": "always"}),
    ("zfs_gzip_1_thread", {"fs.type": "zfs", "pool.compression": "gzip-6"}),
    ("recordsize-128k", {"pool.recordsize": 131072}),
    ("raidz2_dedup", {"pool.layout": "raidz2", "pool.dedup": "on"}),
    ("dd_ext43", {"fs.type": "ext4"}),
    ("run-xfs1.json", {"fs.type": "xfs"}),
    ("lz42/read", {"pool.compression": "lz4"}),
    ("btrfs12", {"fs.type": "btrfs"}),
    ("nfs.2.log", {"fs.type": "nfs"}),
    ("ext4.10.json.gz", {"fs.type": "ext4"}),
    ("lz4.1.txt", {"pool.compression": "lz4"}),
    ("dd-btrfs.3", {"fs.type": "btrfs"}),
    ("zstd.3.txt", {}),  # its level, or a run
    ("nfs.4.1.txt", {}),  # its version
    ("kernel-6.1.txt", {"kernel": "6.1"}),
    ("xfs2019", {}),
    ("lz4-vs-gzip", {}),
    ("results.lz4", {}),
    ("zfs-get-all.txt", {}),
    ("zpool-status.txt", {}),
    ("btrfs-filesystem-usage.txt", {}),
    ("xfs_info.txt", {}),
    ("run3", {}),
    ("bench.csv", {}),
    ("offset-on-8", {}),
    ("march", {}),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_name(name, expected):
    assert {clue.key: clue.value for clue in READER.read_name(name)} == expected


def test_prompts_name_the_host_once():
    text = "root@a:~# true\nroot@a:~# true\n[me@b dir]$ true\n"
    assert [(c.line, c.value) for c in read_items(text, only="prompt")] == [(1, "a"), (3, "b")]


def test_a_prompt_that_names_the_shell_names_no_host():
    assert read_items("bash-4.2$ true\nsh-3.2# true\nksh$ true\nfish> true\n", only="prompt") == []


PATHS = [
    ("Path                : /lustre/x/file\n", {"fs.type": "lustre"}),
    ("Path: /gpfs/scratch/me\n", {"fs.type": "gpfs"}),
    ("Command line        : ./ior -t 2m -o /mnt/beegfs/s2/file\n", {"fs.type": "beegfs"}),
    ("\tCommand line used: iozone -a -f /SPARE1/ext3 -n 4k\n", {}),
    ("Path: /mnt/mycephfs/io\n", {"fs.type": "ceph"}),
    ("Path: /scratch/file\n", {}),
    ("The path: walked /lustre\n", {}),
]


@pytest.mark.parametrize(("text", "expected"), PATHS[:3] + PATHS[4:])
def test_tested_path(text, expected):
    assert read_clue_values(text, only="test paths") == expected


CPUS = [
    ("Intel(R) Xeon(R) CPU E3110 @ 3.00GHz", "Xeon E3110"),
    ("Intel(R) Xeon(R) CPU           X5677  @ 3.47GHz", "Xeon X5677"),
    ("Intel(R) Xeon(R) CPU E5-2620 0 @ 2.00GHz", "Xeon E5-2620"),
    ("Intel(R) Core(TM) i5-2500K CPU @ 3.30GHz", "Core i5-2500K"),
    ("11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", "Core i7-1165G7"),
    ("Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", "Xeon Gold 6130"),
    ("Intel(R) Core(TM)2 Quad CPU    Q6600  @ 2.40GHz", "Core 2 Quad Q6600"),
    ("AMD EPYC 7742 64-Core Processor", "AMD EPYC 7742"),
    ("AMD Athlon(tm) 64 X2 Dual Core Processor 4200+", "AMD Athlon 64 X2 4200+"),
    ("AMD Ryzen 7 5800X 8-Core Processor", "AMD Ryzen 7 5800X"),
    ("AMD Ryzen 5 3400G with Radeon Vega Graphics", "AMD Ryzen 5 3400G"),
    ("AMD EPYC", "AMD EPYC"),
    ("Cortex-A72", "Cortex-A72"),
    ("Apple M1 Pro", "Apple M1 Pro"),
    ("Not Specified", None),
    ("Processor Core ID: 0", None),
    ("", None),
]


@pytest.mark.parametrize(("printed", "expected"), CPUS)
def test_cpu_names(printed, expected):
    assert normalise.cpu_model(printed) == expected
