"""A pool of the machine says nothing of a file system beside it whose mount is known, on a disk, an image or an array."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import Measurement

POOL = """$ zpool status
  pool: tank
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  mirror-0  ONLINE       0     0     0
\t    sdb     ONLINE       0     0     0
\t    sdc     ONLINE       0     0     0

errors: No known data errors
$ zfs get compression,recordsize tank
NAME  PROPERTY     VALUE   SOURCE
tank  compression  lz4     local
tank  recordsize   1M      local
"""
MOUNTS = """$ cat /proc/mounts
/dev/sda2 / ext4 rw,relatime,discard 0 0
tank /tank zfs rw,relatime,xattr,noacl 0 0
{device} /mnt/bench {kind} rw,noatime 0 0
"""
RUN = """$ dd if=/dev/urandom of=/mnt/bench/file bs=1M count=64 conv=fsync
64+0 records in
64+0 records out
67108864 bytes (67 MB, 64 MiB) copied, 1.047 s, 64.1 MB/s
"""


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "f2fs"])
@pytest.mark.parametrize("device", ["/dev/loop0", "/dev/sdd1", "/dev/md0", "/dev/mapper/vg-bench"])
@pytest.mark.parametrize("is_beside", [True, False], ids=["beside the run", "around it"])
def test_a_pool_says_nothing_of_another_file_system(tmp_path, kind, device, is_beside):
    (tmp_path / "round-1").mkdir()
    (tmp_path / "mounts.txt").write_text(MOUNTS.format(device=device, kind=kind))
    (tmp_path / "zfs.txt").write_text("" if is_beside else POOL)
    (tmp_path / "round-1" / "transcript.txt").write_text((POOL if is_beside else "") + RUN)
    [config] = [one.config for one in ingest.read([tmp_path]) if isinstance(one, Measurement) and one.metric == "write.throughput"]
    assert config["fs.type"] == kind and config["pool.atime"] == "off"
    assert (
        not {"pool.name", "pool.layout", "pool.recordsize", "pool.log"} & config.keys() and config.get("pool.compression") != "lz4"
    )
