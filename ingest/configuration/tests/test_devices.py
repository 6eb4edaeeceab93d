"""Settings of several devices: those of what was measured hold."""

from __future__ import annotations

import pytest

from ingest.configuration.places import disk_of
from ingest.keys import KEYS
from ingest.open_keys import is_identity
from ingest.records import Measurement, Warning
from ingest.tests.whole import read_measurements, read_upload

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 4 s, 268 MB/s\n"
DD_ON = "root@nas:~# dd if=/dev/zero of={0}/x bs=1M count=1024\n" + DD
HDPARM = "root@nas:~# hdparm -t {0}\n\n{0}:\n Timing buffered disk reads: 450 MB in  3.00 seconds = 149.85 MB/sec\n"
LIKE = "/sys/block/sda/queue/scheduler:[none] bfq\n/sys/block/sdb/queue/scheduler:[none] bfq\n"
UNLIKE = LIKE.replace("[none] bfq", "none [bfq]", 1) + "/sys/block/sdc/queue/scheduler:[none] bfq\n"
LOOPS = "/sys/block/loop0/queue/scheduler:[mq-deadline] none\n/sys/block/dm-0/queue/scheduler:none\n"
STATUS = """  pool: tank
 state: ONLINE
config:

        NAME        STATE     READ WRITE CKSUM
        tank        ONLINE       0     0     0
          mirror-0  ONLINE       0     0     0
            {0}     ONLINE       0     0     0
            {1}     ONLINE       0     0     0

errors: No known data errors
"""
MOUNT = "/dev/{0} on /tank type ext4 (rw,relatime)\n"
MDSTAT = "md0 : active raid1 sdc1[1] sdb1[0]\n      976630464 blocks super 1.2 [2/2] [UU]\n"
CASES = [
    ("like disks", LIKE, DD_ON.format("/tank"), "none"),
    ("unlike disks", UNLIKE, DD_ON.format("/tank"), None),
    ("loop devices beside like disks", LIKE + LOOPS, DD_ON.format("/tank"), "none"),
    ("a bare disk", UNLIKE, HDPARM.format("/dev/sda"), "bfq"),
    ("a partition", UNLIKE, HDPARM.format("/dev/sdb1"), "none"),
    ("a bare disk that is not listed", LIKE, HDPARM.format("/dev/sdz"), None),
    ("the pool's disks", UNLIKE + STATUS.format("sdb", "sdc"), DD_ON.format("/tank"), "none"),
    ("a pool of unlike disks", UNLIKE + STATUS.format("sda", "sdc"), DD_ON.format("/tank"), None),
    ("a pool with a disk that is not listed", UNLIKE + STATUS.format("sdb", "sdz"), DD_ON.format("/tank"), None),
    (
        "two pools",
        UNLIKE + STATUS.format("sda", "sdc").replace("tank", "lake") + STATUS.format("sdb", "sdc"),
        DD_ON.format("/tank"),
        "none",
    ),
    ("the disk of a file system", UNLIKE + MOUNT.format("sda1"), DD_ON.format("/tank"), "bfq"),
    ("the disks of an array", UNLIKE + MDSTAT + MOUNT.format("md0"), DD_ON.format("/tank"), "none"),
    ("an array itself", UNLIKE + MDSTAT, HDPARM.format("/dev/md0"), "none"),
    ("a pool on loop devices", LIKE + LOOPS + STATUS.format("loop0", "loop0"), DD_ON.format("/tank"), "mq-deadline"),
]


@pytest.mark.parametrize(("shown", "run", "scheduler"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_scheduler(shown, run, scheduler):
    """The same from lines of the transcript and from a file beside it, and no warning either way."""
    for files in ({"log.txt": shown + "\n" + run}, {"state.txt": shown, "log.txt": run}):
        records = read_upload(files)
        configs = [record.config for record in records if isinstance(record, Measurement)]
        assert {config.get("block.scheduler") for config in configs} == {scheduler}
        assert not [record for record in records if isinstance(record, Warning) and record.code == "conflict"]
        assert not any("@" in key or key == "block.devices" for config in configs for key in config)


def test_the_source_is_the_first_that_agrees():
    record = read_measurements({"log.txt": "x\n" + LIKE + DD_ON.format("/tank")})[0]
    assert record.config_from["block.scheduler"] == "log.txt:2"


def test_a_command_changes_only_its_disk():
    changed = "root@nas:~# echo bfq > /sys/block/sdb/queue/scheduler\n"
    content = LIKE + HDPARM.format("/dev/sdb") + changed + HDPARM.format("/dev/sda") + HDPARM.format("/dev/sdb")
    records = read_measurements({"log.txt": content})
    assert [record.config.get("block.scheduler") for record in records] == ["none", "none", "bfq"]
    assert [record.chosen for record in records] == [set(), set(), {"block.scheduler"}]


def test_a_nearer_label_is_about_all_disks():
    listing = "/dev/sda:\n write-caching =  1 (on)\n/dev/sdb:\n write-caching =  1 (on)\n"
    files = {"state.txt": listing, "a.txt": "write cache off:\n" + DD, "b.txt": DD}
    records = {record.file: record.config for record in read_measurements(files)}
    assert [records[name]["block.write_cache"] for name in ("a.txt", "b.txt")] == ["off", "on"]


@pytest.mark.parametrize(
    ("device", "disk"),
    [
        ("/dev/sda1", "sda"),
        ("/dev/nvme0n1p2", "nvme0"),
        ("/dev/nvme0", "nvme0"),
        ("/dev/ada0p2", "ada0"),
        ("/dev/da1s1a", "da1"),
        ("/dev/dsk/c0t1d0s0", "c0t1d0"),
        ("c0t1d0", "c0t1d0"),
        ("/dev/md0", "md0"),
        ("/dev/md127p1", "md127"),
        ("/dev/rdisk2s1", "disk2"),
        ("/dev/mapper/vg-data", "mapper/vg-data"),
        ("/dev/disk/by-id/ata-X", "disk/by-id/ata-X"),
        ("/dev/mmcblk0p1", "mmcblk0"),
    ],
)
def test_disk_of(device, disk):
    assert disk_of(device) == disk


SYSCTL = (
    "fs.dentry-state = {0}\t81236\t45\t0\nfs.file-nr = {0}\t0\t9223372036854775807\nkernel.random.entropy_avail = {0}\n"
    "kernel.random.uuid = {0}\nkernel.pty.nr = {0}\nkernel.ns_last_pid = {0}\nvm.dirty_ratio = {1}\nvm.swappiness = 60\n"
    "net.netfilter.nf_conntrack_count = {0}\nvm.stat_interval = 1\nfs.inode-nr = {0}\t123\n"
)


def _identity(record: Measurement) -> dict[str, object]:
    keys = [key for key in record.config if key in KEYS or is_identity(key) or key in record.chosen]
    return {key: record.config[key] for key in keys}


def test_counters_of_sysctl_distinguish_nothing():
    """Two listings an hour apart are of one configuration; those that differ in one setting are of two."""
    files = {
        "a/sysctl.txt": SYSCTL.format(1000, 20),
        "b/sysctl.txt": SYSCTL.format(2222, 20),
        "c/sysctl.txt": SYSCTL.format(3333, 5),
        **{f"{name}/dd.txt": DD for name in "abc"},
    }
    records = {record.file[0]: record for record in read_measurements(files)}
    a, b, c = (_identity(records[name]) for name in "abc")
    assert a == b == {"sysctl.vm.dirty_ratio": 20, "sysctl.vm.swappiness": 60} and c == a | {"sysctl.vm.dirty_ratio": 5}
    assert records["a"].config["sysctl.kernel.pty.nr"] == 1000


def test_counters_of_two_listings_give_no_warning():
    files = {"before-sysctl.txt": SYSCTL.format(1000, 20), "after-sysctl.txt": SYSCTL.format(2222, 5), "dd.txt": DD}
    records = read_upload(files)
    conflicts = [record.message for record in records if isinstance(record, Warning) and record.code == "conflict"]
    assert [message.split()[0] for message in conflicts] == ["sysctl.vm.dirty_ratio"]
    config = next(record.config for record in records if isinstance(record, Measurement))
    assert "sysctl.kernel.pty.nr" not in config and config["sysctl.vm.swappiness"] == 60


def test_copies_of_a_machines_folders_are_about_the_folder_around_them():
    files = {
        "one/sys/block/sda/queue/scheduler": "[none] bfq\n",
        "one/etc/sysctl.d/10-x.conf": "vm.dirty_ratio = 5\n",
        "one/etc/system": "set zfs:zil_disable=1\n",
        "one/proc/sys/vm/swappiness": "10\n",
        "one/dd.txt": DD,
        "two/sys/block/sda/queue/scheduler": "none [bfq]\n",
        "two/dd.txt": DD,
    }
    records = {record.file[:3]: record for record in read_measurements(files)}
    assert records["one"].config == {
        "block.scheduler": "none",
        "sysctl.vm.dirty_ratio": 5,
        "sysctl.vm.swappiness": 10,
        "system.zfs.zil_disable": 1,
    }
    assert records["one"].chosen == {"sysctl.vm.dirty_ratio", "system.zfs.zil_disable"}
    assert records["two"].config == {"block.scheduler": "bfq"}


def test_what_runs_precedes_the_file_that_sets_it():
    files = {
        "etc/modprobe.d/zfs.conf": "options zfs zfs_arc_max=1024 zfs_flags=1\n",
        "state.txt": "/sys/module/zfs/parameters/zfs_arc_max:2048\n/sys/module/zfs/parameters/zfs_flags:1\n",
        "dd.txt": DD,
    }
    record = read_measurements(files)[0]
    assert record.config == {"module.zfs.zfs_arc_max": 2048, "module.zfs.zfs_flags": 1}
    assert record.chosen == {"module.zfs.zfs_flags"}
