"""Pools and arrays: by what their disks are called, of what was left out of a listing, of controllers, of arrays just made."""

from __future__ import annotations

import pytest

from ingest.keys import KEYS
from ingest.tests.context_reading import read_clue_values, read_items

STATUS = """  pool: tank
 state: ONLINE
config:

        NAME                                        STATE     READ WRITE CKSUM
        tank                                        ONLINE       0     0     0
          raidz1-0                                  ONLINE       0     0     0
            ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0AAA1  ONLINE       0     0     0
            ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0AAA2  ONLINE       0     0     0
            {third}

errors: No known data errors
"""
POOL = {"pool.name": "tank", "fs.type": "zfs"}
POLICY = {"raid.write_policy": "write back", "raid.read_policy": "read ahead", "raid.io_policy": "direct"}
WHOLE = POOL | {"pool.layout": "raidz1(3)", "disk.count": 3, "pool.log": "off", "pool.cache": "off"}
ON = "  ONLINE       0     0     0"
SHOWN = [
    (STATUS.format(third="ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0AAA3-part1" + ON), WHOLE | {"disk.model": "WDC WD40EFRX-68N32N0"}),
    (
        STATUS.format(third="nvme-Samsung_SSD_980_PRO_1TB_S5GXNX0R1_1" + ON),
        WHOLE | {"disk.model": "Samsung SSD 980 PRO 1TB + WDC WD40EFRX-68N32N0"},
    ),
    (STATUS.format(third="wwn-0x5000c500a1b2c3d4" + ON), WHOLE),
    (STATUS.format(third="..."), POOL | {"pool.layout": "raidz1"}),
    (STATUS.format(third="[snip]"), POOL | {"pool.layout": "raidz1"}),
    (
        "$ zpool get ashift tank all-vdevs\nNAME      PROPERTY  VALUE   SOURCE\nroot-0    ashift    0       -\n"
        "raidz2-0  ashift    12      -\nsda       ashift    9       -\nsdb       ashift    9       -\n",
        {"pool.ashift": 12},
    ),
    ("tank/data on /tank/data type zfs (rw,noatime,xattr,noacl)\n", POOL | {"pool.atime": "off"}),
    ("tank on /tank (zfs, local, noatime, nfsv4acls)\n", POOL | {"pool.atime": "off"}),
    ("tank on /tank (zfs, local, nfsv4acls)\n", POOL),
    ("Data+Metadata, RAID1: total=1.10GiB, used=837.74MiB\n", {"fs.type": "btrfs", "pool.layout": "raid1"}),
    (
        "Label: none  uuid: 5b4a836b-b294-403f-b8ca-e9b4ae74f9b0\n\n\tTotal devices 2 FS bytes used 7.40GiB\n\n"
        "\tdevid    1 size 1.82TiB used 7.03GiB path\n/dev/sdb\n\n\tdevid    2 size 1.82TiB used 7.03GiB path /dev/sdc\n",
        {"fs.type": "btrfs", "disk.count": 2},
    ),
    (
        "mdadm -C /dev/md0 -l 5 -n 3 /dev/sd[bcd]\nmdadm: Defaulting to version 1.2 metadata\nmdadm: array /dev/md0 started.\n",
        {"pool.layout": "raid5(3)", "disk.count": 3},
    ),
    ("mdadm -C /dev/md0 -l 5 -n 3 /dev/sd[bcd]\nmdadm: Defaulting to version 1.2 metadata\n", {}),
    ("## RAID0/1/5/10\n", {}),
    (
        "RAID Level          : Primary-5, Secondary-0, RAID Level Qualifier-3\nSize                : 10.914 TB\n"
        "Number Of Drives    : 5\nSpan Depth          : 1\n",
        {"pool.layout": "raid5(5)", "disk.count": 5},
    ),
    (
        "RAID Level          : Primary-1, Secondary-3, RAID Level Qualifier-0\nNumber Of Drives per span:2\nSpan Depth          : 4\n",  # noqa: E501
        {"pool.layout": "raid10(8)", "disk.count": 8},
    ),
    (
        "DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name\n"
        "0/0   RAID6 Optl  RW     Yes     RWBD  -   ON  65.489 TB data\n",
        {"pool.layout": "raid6"} | POLICY,
    ),
    (
        "0/0   RAID6 Optl  RW     Yes     RWBD  -   ON  65.489 TB a\n1/1   RAID1 Optl  RW     Yes     RWBD  -   ON  446.1 GB b\n",
        POLICY,
    ),
    (
        "u0    RAID-6    OK             -       -       64K     5587.9    RiW    ON\n\n"
        "p0    OK             u0   1.82 TB   SATA  0   -            WDC WD2003FYYS\n"
        "p1    OK             u0   1.82 TB   SATA  1   -            WDC WD2003FYYS\n"
        "p2    OK             u0   1.82 TB   SATA  2   -            WDC WD2003FYYS\n"
        "p3    OK             u0   1.82 TB   SATA  3   -            WDC WD2003FYYS\n",
        {"pool.layout": "raid6(4)", "disk.count": 4},
    ),
    (
        "   array A (SATA, Unused Space: 0  MB)\n\n      logicaldrive 1 (1.8 TB, RAID 1+0, OK)\n\n"
        "      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SATA, 1 TB, OK)\n"
        "      physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SATA, 1 TB, OK)\n"
        "      physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SATA, 1 TB, OK)\n"
        "      physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SATA, 1 TB, OK)\n"
        "      physicaldrive 1I:1:5 (port 1I:box 1:bay 5, SATA, 1 TB, OK, spare)\n",
        {"pool.layout": "raid10(4)", "disk.count": 4},
    ),
    (
        "      logicaldrive 1 (136.7 GB, RAID 1, OK)\n\n"
        "      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 146 GB, OK)\n"
        "      physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 146 GB, OK)\n\n   unassigned\n\n"
        "      physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS, 146 GB, OK)\n",
        {"pool.layout": "raid1(2)", "disk.count": 2},
    ),
    (
        "u0    RAID-1    OK             -       -       64K     1862.6    RiW    ON\n\n"
        "p0    OK             u0   1.82 TB   SATA  0   -            WDC WD2003FYYS\n"
        "p1    OK             u0   1.82 TB   SATA  1   -            WDC WD2003FYYS\n"
        "p2    OK             u1   1.82 TB   SATA  2   -            WDC WD2003FYYS\n",
        {"pool.layout": "raid1(2)", "disk.count": 2},
    ),
    (STATUS.format(third="ata-Hitachi_HDS5C3030ALA630" + ON), WHOLE),
    ("   RAID level                               : 6 Reed-Solomon\n", {"pool.layout": "raid6"}),
    ("Layout                      : RAID-10\n", {"pool.layout": "raid10"}),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_array(text: str, expected: dict[str, object]) -> None:
    """What each listing tells, and nothing else."""
    found = read_clue_values(text, open_keys=None)
    assert {key: value for key, value in found.items() if key in expected or key in KEYS} == expected


def test_rows_left_out_are_told_of():
    """A listing without some of its rows warns with the line at which they stood."""
    assert [one.line for one in read_items(STATUS.format(third="[snip]")) if getattr(one, "code", "") == "cut"] == [10]


@pytest.mark.parametrize(
    ("devices", "count"),
    [
        (("/dev/sda3", "/dev/nvme0n1p2"), 2),
        (("/dev/mapper/cryptdata01", "/dev/mapper/luks-2b7c"), 2),
        (("/dev/md127", "/dev/md126"), None),
        (("/dev/md/data", "/dev/sdc"), None),
        (("/dev/mapper/vg0-lxc", "/dev/mapper/vg0-tmp"), None),
        (("/dev/vg0/lxc", "/dev/vg0/tmp"), None),
        (("/dev/disk/by-id/ata-a", "/dev/disk/by-id/ata-b"), 2),
        (("/dev/loop0", "/dev/loop1"), None),
    ],
)
def test_what_btrfs_lies_on_is_counted_where_it_is_disks(devices, count):
    show = "Label: 'data'  uuid: 8a2b836b-b294-403f-b8ca-e9b4ae74f9b0\n\tTotal devices 2 FS bytes used 7.40GiB\n" + "".join(
        f"\tdevid    {number} size 1.82TiB used 7.03GiB path {device}\n" for number, device in enumerate(devices, 1)
    )
    assert read_clue_values(show).get("disk.count") == count
