"""Chunk sizes, bitmaps and cache policies of software RAID and of RAID controllers."""

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_items

DETAIL = """/dev/md0:
           Version : 1.2
        Raid Level : raid5
      Raid Devices : 3
     Intent Bitmap : Internal
            Layout : left-symmetric
        Chunk Size : 512K
Consistency Policy : bitmap

    Number   Major   Minor   RaidDevice State
       0       8       17        0      active sync   /dev/sdb1
       1       8       33        1      active sync   /dev/sdc1
       3       8       49        2      active sync   /dev/sdd1
"""
MDSTAT = """Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sdd1[3] sdc1[1] sdb1[0]
      1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]
      bitmap: 0/8 pages [0KB], 65536KB chunk

unused devices: <none>
"""
STRIPE = "md1 : active raid0 sdc[1] sdb[0]\n      1953260544 blocks super 1.2 256k chunks\n"
MEGACLI = """RAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3
State               : Optimal
Strip Size          : 128 KB
Number Of Drives    : 8
Span Depth          : 1
Default Cache Policy: WriteBack, ReadAdaptive, Cached, Write Cache OK if Bad BBU
Current Cache Policy: WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU
Disk Cache Policy   : Disk's Default
"""
STORCLI = "0/0   RAID6 Optl  RW     Yes     NRWBC  -   ON  65.489 TB data\nStrip Size = 256 KB\nDisk Cache Policy = Disabled\n"
ARCCONF = """   RAID level                               : 6 Reed-Solomon
   Stripe-unit size                         : 256 KB
   Read-cache status                        : On
   Write-cache setting                      : On when protected by battery/ZMM
   Write-cache status                       : On
"""
SSACLI = """   Cache Ratio: 10% Read / 90% Write
   Drive Write Cache: Disabled
   Battery/Capacitor Status: OK
         Logical Drive: 1
            Strip Size: 256 KB
            Caching:  Enabled
"""
MD = {"raid.level": "raid5", "raid.chunk_size": 524288, "raid.layout": "left-symmetric", "raid.bitmap": "internal"}
CASES = [
    (
        DETAIL,
        "/dev/md0",
        MD | {"raid.devices": 3, "raid.consistency_policy": "bitmap", "block.devices": "/dev/sdb1 /dev/sdc1 /dev/sdd1"},
    ),
    (MDSTAT, "/dev/md0", MD | {"block.devices": "sdd1 sdc1 sdb1"}),
    (STRIPE, "/dev/md1", {"raid.chunk_size": 262144, "block.devices": "sdc sdb"}),
    (
        MEGACLI,
        "",
        {"raid.strip_size": 131072, "raid.write_policy": "write through", "raid.read_policy": "none", "raid.io_policy": "direct"}
        | {"raid.disk_cache": "default"},
    ),
    (
        STORCLI,
        "",
        {"raid.strip_size": 262144, "raid.write_policy": "write back", "raid.read_policy": "none", "raid.io_policy": "cached"}
        | {"raid.disk_cache": "off"},
    ),
    (ARCCONF, "", {"raid.strip_size": 262144, "raid.read_cache": "on", "raid.write_cache": "on"}),
    (
        SSACLI,
        "",
        {"raid.strip_size": 262144, "raid.write_cache": "on", "raid.disk_cache": "off", "raid.battery": "ok"}
        | {"raid.cache_ratio": "10% read / 90% write"},
    ),
    (
        MEGACLI + MEGACLI.replace("128 KB", "64 KB").replace("WriteThrough, R", "WriteBack, R"),
        "",
        {"raid.read_policy": "none", "raid.io_policy": "direct", "raid.disk_cache": "default"},
    ),
    ("Strip Size : 64 KB\nCaching: Enabled\n", "", {}),
]


@pytest.mark.parametrize(("content", "subject", "expected"), CASES)
def test_settings(content, subject, expected):
    clues = [clue for clue in read_items(content) if isinstance(clue, Clue) and clue.key.startswith(("raid.", "block."))]
    assert {clue.key: clue.value for clue in clues} == expected and {clue.subject for clue in clues} <= {subject}
