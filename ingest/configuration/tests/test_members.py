"""A series of a device names its vdev only where the listings of its host leave no doubt."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import SeriesRecord

STATUS = """  pool: {pool}
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\t{pool}        ONLINE       0     0     0
\t  mirror-0  ONLINE       0     0     0
\t    sda     ONLINE       0     0     0
\t    sdb     ONLINE       0     0     0
\t  mirror-2  ONLINE       0     0     0
\t    sdc1    ONLINE       0     0     0
\t    sdd1    ONLINE       0     0     0
\tlogs
\t  nvme0n1p1 ONLINE       0     0     0

errors: No known data errors
"""
MDSTAT = "Personalities : [raid1]\nmd0 : active raid1 sdb[1] sda[0]\n      1048576 blocks [2/2] [UU]\n\nunused devices: <none>\n"
IOSTAT = """Linux 6.1.0 ({host}) \t2026-11-24 \t_x86_64_\t(2 CPU)

2026-11-24T13:07:00+0000
Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
{rows}
2026-11-24T13:07:01+0000
Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
{rows}"""


def iostat(*devices: str, host: str = "alpha") -> str:
    rows = "".join(f"{device}  1.00  0.00  4.00  0  4\n" for device in devices)
    return IOSTAT.format(host=host, rows=rows)


def vdevs(folder, files: dict[str, str]) -> dict[str, tuple[str, str] | None]:
    """Device -> vdev and the place of its evidence."""
    for name, text in files.items():
        path = folder / "up" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found: dict[str, tuple[str, str] | None] = {}
    for record in ingest.read([folder / "up"]):
        if isinstance(record, SeriesRecord) and record.metric == "disk.rate":
            place = record.config.get("block.vdev")
            found[record.subject] = (place, record.config_from["block.vdev"]) if place else None
    return found


def test_disks_partitions_and_logs_of_a_pool(tmp_path):
    files = {"status.txt": STATUS.format(pool="tank"), "iostat.txt": iostat("sda", "sdc", "nvme0n1", "sdx", "dm-0")}
    assert vdevs(tmp_path, files) == {
        "sda": ("tank/mirror-0", "status.txt:8"),
        "sdc": ("tank/mirror-2", "status.txt:11"),
        "nvme0n1": ("tank/log", "status.txt:14"),
        "sdx": None,
        "dm-0": None,
    }


def test_members_of_an_array(tmp_path):
    assert vdevs(tmp_path, {"mdstat": MDSTAT, "iostat.txt": iostat("sda", "sdc")}) == {"sda": ("md0", "mdstat:2"), "sdc": None}


def test_the_nearest_listing_decides(tmp_path):
    files = {"a/status.txt": STATUS.format(pool="one"), "b/status.txt": STATUS.format(pool="two"), "b/iostat.txt": iostat("sda")}
    assert vdevs(tmp_path, files) == {"sda": ("two/mirror-0", "b/status.txt:8")}


def test_listings_equally_near_that_disagree_leave_it_open(tmp_path):
    files = {"1.txt": STATUS.format(pool="one"), "2.txt": STATUS.format(pool="two"), "iostat.txt": iostat("sda")}
    assert vdevs(tmp_path, files) == {"sda": None}


@pytest.mark.parametrize(("host", "vdev"), [("alpha", ("tank/mirror-0", "status.txt:9")), ("beta", None)])
def test_a_listing_of_another_host_does_not_count(tmp_path, host, vdev):
    status = "root@alpha:~# zpool status\n" + STATUS.format(pool="tank") + "root@alpha:~# hostname\nalpha\n"
    assert vdevs(tmp_path, {"status.txt": status, "iostat.txt": iostat("sda", host=host)}) == {"sda": vdev}


def test_a_namespace_or_partition_is_not_taken_for_another(tmp_path):
    status = STATUS.format(pool="tank").replace("sdc1", "sda4").replace("sda ", "nvme0n2 ").replace("sdb ", "nvme0n3 ")
    status = status.replace("nvme0n1p1", "sde1")
    devices = ("nvme0n1", "nvme0n2", "nvme0n3", "sda", "sda1", "sda4")
    found = vdevs(tmp_path, {"status.txt": status, "iostat.txt": iostat(*devices)})
    assert {device: place and place[0] for device, place in found.items()} == {
        "nvme0n1": None,
        "nvme0n2": "tank/mirror-0",
        "nvme0n3": "tank/mirror-0",
        "sda": "tank/mirror-2",
        "sda1": None,
        "sda4": "tank/mirror-2",
    }
