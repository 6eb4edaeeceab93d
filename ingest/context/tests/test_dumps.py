"""Readers of what tools print about machines and file systems: our own samples, or what the format defines."""

from __future__ import annotations

import pytest

from ingest.keys import KEYS
from ingest.open_keys import namespace_of
from ingest.records import Clue
from ingest.tests.context_reading import read_clue_values, read_items
from ingest.tests.samples import FOLDER

SAMPLES = FOLDER / "context"
GIB = 2**30

MEASURED = {
    "uname-a.txt": {"os.family": "Linux", "host": "vm", "kernel": "6.18.44-fc-v509", "arch": "x86_64"},
    "os-release": {"os.name": "Debian", "os.version": "12", "os.family": "Linux"},
    "lscpu.txt": {"arch": "x86_64", "cpu.model": "AMD EPYC", "cpu.cores": 2},
    "free-m.txt": {"memory": 24105 * 2**20},
    "lsblk.txt": {"disk.count": 1},
    "df-T.txt": {"fs.type": {"ext4", "zfs"}, "pool.name": "tank"},
    "btrfs.mount.txt": {"fs.type": "btrfs", "pool.compression": "zstd-3", "pool.atime": "relatime"},
    "zpool-get-all.txt": {"pool.name": "tank", "pool.compression_effective": "lzjb"},
    "zpool-list.txt": {"pool.name": "tank", "fs.type": "zfs"},
    "zpool-status.txt": {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.layout": "stripe(1)",
        "pool.log": "off",
        "pool.cache": "off",
    },
    "zfs-get-all.txt": {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.recordsize": 131072,
        "pool.compression": "gzip-6",
        "pool.atime": "off",
        "pool.copies": 1,
        "pool.dedup": "off",
    },
    "btrfs-filesystem-show.txt": {"fs.type": "btrfs"},
    "btrfs-filesystem-usage.txt": {"fs.type": "btrfs", "pool.layout": "stripe(1)"},
    "xfs_info.txt": {"fs.type": "xfs"},
    "dumpe2fs-h.txt": {"fs.type": "ext4"},
}


@pytest.mark.parametrize("name", MEASURED)
def test_measured_file(name):
    assert read_clue_values((SAMPLES / name).read_bytes(), name) == MEASURED[name]


def test_every_raw_stands_on_its_line():
    for name in MEASURED:
        data = (SAMPLES / name).read_bytes()
        lines = data.decode().split("\n")
        for clue in read_items(data, name):
            assert isinstance(clue, Clue) and clue.raw in lines[clue.line - 1], (name, clue)


def test_mounts_are_told_of_their_folders():
    clues = [c for c in read_items((SAMPLES / "mount.txt").read_bytes(), only="mount") if c.key == "fs.type"]
    assert [(c.subject, c.value) for c in clues] == [("/", "ext4"), ("/tank", "zfs")]


MEMORY = [
    (
        "              total        used        free\nMem:       24683904     1137000    21817000\n",
        "f.txt",
        24683904 * 1024,
    ),
    ("              total        used        free\nMem:           62Gi       1.1Gi        21Gi\n", "f.txt", 62 * GIB),
    (
        "             total       used       free     shared\nMem:          7872       7700        172\n",
        "free.txt",
        None,
    ),
    (
        "             total       used       free     shared\nMem:          7872       7700        172\n",
        "free-m.txt",
        7872 * 2**20,
    ),
    (
        "             total       used       free     shared\nMem:            31         30          1\n",
        "free_g.txt",
        31 * GIB,
    ),
    ("MemTotal:       16316412 kB\nMemFree: 1 kB\n", "meminfo", 16316412 * 1024),
]


@pytest.mark.parametrize(("text", "path", "expected"), MEMORY)
def test_memory(text, path, expected):
    assert read_clue_values(text, path, "memory").get("memory") == expected


def test_memory_of_the_command_in_a_transcript():
    text = "root@vm:~# free -m\n              total  used  free\nMem:    2000   100  1900\nroot@vm:~# \n"
    assert read_clue_values(text, only="memory")["memory"] == 2000 * 2**20


def test_cpuinfo_counts_the_cores_of_all_sockets():
    one = "processor : {n}\nmodel name : Intel(R) Xeon(R) CPU E3110 @ 3.00GHz\nphysical id : {s}\ncpu cores : 2\n\n"
    text = "".join(one.format(n=n, s=n // 2) for n in range(4))
    assert read_clue_values(text, only="lscpu") == {"cpu.model": "Xeon E3110", "cpu.cores": 4}


MOUNTS = [
    ("/dev/sdb1 on /data type xfs (rw,noatime,inode64)\n", {"/data": {"fs.type": "xfs", "pool.atime": "off"}}),
    (
        "tank/a on /tank/a (zfs, local, noatime, nfsv4acls)\n",
        {"/tank/a": {"fs.type": "zfs", "pool.name": "tank", "pool.atime": "off"}},
    ),
    ("/dev/ada0p2 on / (ufs, local, journaled soft-updates)\n", {"/": {"fs.type": "ufs"}}),
    (
        "/dev/sdc /mnt btrfs rw,relatime,space_cache,subvolid=5 0 0\n",
        {"/mnt": {"fs.type": "btrfs", "pool.atime": "relatime", "pool.compression": "off"}},
    ),
    (
        "/dev/sdc /mnt btrfs rw,compress-force=zlib:9 0 0\n",
        {"/mnt": {"fs.type": "btrfs", "pool.compression": "zlib-9"}},
    ),
    ("10.0.0.2@o2ib:/scratch on /scratch type lustre (rw,flock)\n", {"/scratch": {"fs.type": "lustre"}}),
    ("srv:/export on /home type nfs4 (rw,relatime)\n", {"/home": {"fs.type": "nfs", "pool.atime": "relatime"}}),
    (
        "beegfs_nodev on /mnt/beegfs type beegfs (rw,relatime)\n",
        {"/mnt/beegfs": {"fs.type": "beegfs", "pool.atime": "relatime"}},
    ),
    ("proc on /proc type proc (rw)\ntmpfs on /run type tmpfs (rw)\n/dev/sda1 on /boot type ext2 (rw)\n", {}),
    ("a word on /some/path type setting (in brackets)\n", {}),
    (
        "Filesystem Type 1K-blocks Used Available Use% Mounted on\ntank zfs 4096272 112 4096160 1% /tank\n",
        {"/tank": {"fs.type": "zfs", "pool.name": "tank"}},
    ),
]


@pytest.mark.parametrize(("text", "expected"), MOUNTS)
def test_mounts(text, expected):
    got: dict[str, dict] = {}
    for clue in read_items(text, only="mount"):
        if not namespace_of(clue.key):
            got.setdefault(clue.subject, {})[clue.key] = clue.value
    assert got == expected


OTHERS = [
    (
        "disks",
        "NAME   SIZE TYPE MODEL\nsda  931.5G disk ST1000DM003-1CH162\n|-sda1 1G part \nsdb  931.5G disk ST1000DM003-1CH162\n",
        {"disk.model": "ST1000DM003-1CH162", "disk.count": 2},
    ),
    (
        "disks",
        '{"blockdevices": [{"name":"sda","type":"disk","model":"X25"},{"name":"loop0","type":"loop"}]}',
        {"disk.model": "X25", "disk.count": 1},
    ),
    ("disks", "Device Model:     WDC WD40EFRX-68N32N0\nSerial Number: x\n", {"disk.model": "WDC WD40EFRX-68N32N0"}),
    (
        "hardware",
        "hw.model: Intel(R) Core(TM) i5-2500K CPU @ 3.30GHz\nhw.physmem: 8556240896\nhw.ncpu: 4\n",
        {"cpu.model": "Core i5-2500K", "memory": 8556240896},
    ),
    (
        "hardware",
        "hw.model: MacBookPro11,1\nmachdep.cpu.brand_string: Apple M1\nhw.physicalcpu: 8\nhw.memsize: 17179869184\n",
        {"cpu.model": "Apple M1", "cpu.cores": 8, "memory": 16 * GIB},
    ),
    (
        "hardware",
        "The physical processor has 4 cores and 8 virtual processors (0-7)\n  The core has 2 virtual processors (0 4)\n"
        "  x86 (GenuineIntel 306C3 family 6 model 60 step 3 clock 3392 MHz)\n"
        "        Intel(r) Xeon(r) CPU E3-1230 v3 @ 3.30GHz\n",
        {"cpu.cores": 4, "cpu.model": "Xeon E3-1230 v3"},
    ),
    ("hardware", "Memory size: 8192 Megabytes\n", {"memory": 8 * GIB}),
    (
        "hardware",
        "CPU: AMD Opteron(tm) Processor 6128 (2000.07-MHz K8-class CPU)\nreal memory  = 68719476736 (65536 MB)\n"
        "FreeBSD/SMP: 2 package(s) x 8 core(s)\n",
        {"cpu.model": "AMD Opteron 6128", "memory": 64 * GIB, "cpu.cores": 16},
    ),
    (
        "raid",
        "/dev/md0:\n        Raid Level : raid6\n        Array Size : 1 (1 GiB)\n      Raid Devices : 8\n",
        {"pool.layout": "raid6(8)", "disk.count": 8, "raid.level": "raid6", "raid.devices": 8},
    ),
    (
        "raid",
        "md127 : active raid5 sdd1[4] sdc1[2] sdb1[1] sda1[0] sde1[5](S)\n",
        {"pool.layout": "raid5(4)", "disk.count": 4},
    ),
    ("cluster", "filesystem_summary:        86.6T       28.2T       58.4T  33% /lustre\n", {"fs.type": "lustre"}),
    ("cluster", "osd-zfs.scratch-OST0000.kbytesfree=1\n", {"fs.stack": "lustre/zfs"}),
    ("zfs version", "zfs-2.1.11-1\nzfs-kmod-2.1.9-1\n", {"fs.version": "2.1.9-1"}),
    (
        "zfs version",
        "[    5.1] ZFS: Loaded module v0.6.5.6-0ubuntu8, ZFS pool version 5000\n",
        {"fs.version": "0.6.5.6-0ubuntu8"},
    ),
    ("network", "Settings for eth0:\n\tSpeed: 10000Mb/s\n", {"network": "Ethernet 10 Gb/s"}),
    (
        "network",
        "\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 56\n\t\tBase lid: 1\n\t\tLink layer: InfiniBand\n",
        {"network": "InfiniBand 56 Gb/s"},
    ),
    ("job header", "SLURMD_NODENAME=node042\n", {"host": "node042"}),
    ("job header", "SLURM_JOB_NODELIST=node[001-004]\n", {}),
    (
        "file systems",
        "Filesystem features:      has_journal ext_attr resize_inode dir_index filetype\n",
        {"fs.type": "ext3"},
    ),
]


@pytest.mark.parametrize(("reader", "text", "expected"), OTHERS)
def test_other_tools(reader, text, expected):
    found = read_clue_values(text, only=reader, open_keys=None)
    assert {key: value for key, value in found.items() if key in expected or key in KEYS} == expected
