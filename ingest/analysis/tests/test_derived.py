"""Derived facts: what follows, and what does not."""

from __future__ import annotations

import pytest

from ingest.analysis.cache_state import find_cache_state
from ingest.analysis.derived import DERIVED_QUANTITIES, TITLE, derive_quantities, find_from_memory
from ingest.open_keys import MEMORY_LIMIT
from ingest.records import Measurement
from ingest.tests.whole import read_file_records

GIB = 2**30


@pytest.mark.parametrize(
    ("tool", "metric", "params", "expected"),
    [
        ("bonnie++", "write.throughput", {"file_size": 16 * GIB}, 16 * GIB),
        ("bonnie++", "create_seq.rate", {"file_size": 16 * GIB}, None),
        ("iozone", "write.throughput", {"file_size": GIB, "processes": 4}, 4 * GIB),
        ("iozone", "write.throughput", {"file_size": GIB}, GIB),
        ("fio", "read.throughput", {"file_size": GIB, "processes": 2}, 2 * GIB),
        ("dd", "write.throughput", {"file_size": GIB, "processes": 4}, GIB),
        ("ior", "write.throughput", {"block_size": GIB, "segments": 2, "processes": 3}, 6 * GIB),
        ("ior", "write.throughput", {"block_size": GIB}, None),
        ("rsync", "copy.elapsed", {"total_size": 5}, 5),
        ("fdtree", "file_create.rate", {"total_size": 5}, None),
        ("fio", "read.throughput", {"file_size": True}, None),
    ],
)
def test_the_working_set_is_what_the_run_moves(tool, metric, params, expected):
    assert derive_quantities(tool, metric, params, {}).get("working_set") == expected


@pytest.mark.parametrize(
    ("config", "multiple"),
    [
        ({"memory": 8 * GIB, MEMORY_LIMIT: GIB}, 16.0),
        ({"memory": 8 * GIB, MEMORY_LIMIT: 64 * GIB}, 2.0),
        ({MEMORY_LIMIT: GIB}, 16.0),
        ({"memory": 8 * GIB, MEMORY_LIMIT: "max"}, 2.0),
        ({}, None),
    ],
)
def test_the_memory_that_a_control_group_leaves_counts(config, multiple):
    derived = derive_quantities("bonnie++", "read.throughput", {"file_size": 16 * GIB}, config)
    assert derived.get("working_set_over_memory") == multiple


def test_memory_and_disks_are_compared_with_it_only_where_they_are_told():
    params = {"file_size": 16 * GIB}
    assert derive_quantities("bonnie++", "read.throughput", params, {"memory": 8 * GIB, "disk.count": 4}) == {
        "working_set": 16 * GIB,
        "working_set_over_memory": 2.0,
        "data_per_disk": 4 * GIB,
    }
    assert derive_quantities("bonnie++", "read.throughput", params, {}) == {"working_set": 16 * GIB}


@pytest.mark.parametrize(
    ("tool", "metric", "command", "compression", "expected"),
    [
        ("dd", "write.throughput", "dd if=/dev/zero of=/tank/f", "lz4", "yes"),
        ("dd", "run.elapsed", "dd if=/dev/zero of=/tank/f", "lz4", "yes"),
        ("dd", "write.throughput", "dd if=/dev/zero of=/tank/f", "off", "no"),
        ("dd", "write.throughput", "dd if=/dev/urandom of=/tank/f", "lz4", "no"),
        ("dd", "read.throughput", "dd if=/tank/f of=/dev/null", "lz4", None),
        ("dd", "write.throughput", "dd if=/dev/zero of=/tank/f", None, None),
        ("bonnie++", "read.throughput", "", "gzip-6", "yes"),
        ("bonnie++", "delete_seq.rate", "", "gzip-6", None),
        ("iozone", "write.throughput", "", "gzip-6", None),
    ],
)
def test_zeros_on_a_compressing_pool(tool, metric, command, compression, expected):
    config = {"pool.compression": compression} if compression else {}
    assert derive_quantities(tool, metric, {"command": command}, config).get("zeros") == expected


@pytest.mark.parametrize(
    ("contents", "compression", "expected"),
    [
        ("zeros", "lz4", "yes"),
        ("repeated pattern", "zstd", "yes"),
        ("zeros", "off", "no"),
        ("random", "lz4", "no"),
        ("compressible 50 %", "lz4", "no"),
        (None, "lz4", None),
    ],
)
def test_zeros_follow_from_the_contents(contents, compression, expected):
    for metric in ("write.throughput", "random_read.latency"):
        derived = derive_quantities("fio", metric, {"contents": contents} if contents else {}, {"pool.compression": compression})
        assert derived.get("zeros") == expected


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        (["echo 3 > /proc/sys/vm/drop_caches"], "dropped"),
        (["echo 1 | sudo tee /proc/sys/vm/drop_caches"], "dropped"),
        (["echo 2 > /proc/sys/vm/drop_caches"], None),
        (["sysctl -w vm.drop_caches=3"], "dropped"),
        (["sudo purge"], "dropped"),
        (["purge-old-kernels"], None),
        (["sudo reboot"], "rebooted"),
        (["shutdown -h now"], None),
        (["zpool export tank", "zpool import tank"], "reimported"),
        (["zpool export tank"], None),
        (["zpool import tank"], None),
        (["zpool export other", "zpool import other"], None),
        (["umount /tank", "mount /dev/sdb1 /tank"], "remounted"),
        (["umount /boot", "mount /boot"], None),
        (["reboot", "sync; echo 3 > /proc/sys/vm/drop_caches"], "dropped"),
    ],
)
def test_what_is_done_to_the_caches(done, expected):
    found = find_cache_state([(text, at) for at, text in enumerate(done, 1)], "/tank/f")
    assert (found and found[0]) == expected


SUMMARY = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 2.5 s, 429 MB/s\n"
TRANSCRIPT = (
    "root@tank:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n"
    + SUMMARY
    + "root@tank:~# sync; echo 3 > /proc/sys/vm/drop_caches\n"
    "root@tank:~# dd if=/tank/f of=/dev/null bs=1M\n"
    + SUMMARY
    + "root@tank:~# dd if=/tank/f of=/dev/null bs=1M\n"
    + SUMMARY
    + "root@tank:~# zpool export tank && zpool import tank && dd if=/tank/f of=/dev/null bs=1M\n"
    + SUMMARY
)


def test_a_transcript_tells_the_caches_of_the_next_run_only():
    found = [
        r.cache for r in read_file_records("log.txt", TRANSCRIPT) if isinstance(r, Measurement) and r.metric.endswith("throughput")
    ]
    assert found == [None, ("dropped", "log.txt:5"), None, ("reimported", "log.txt:14")]


EXT4, ZFS = "/dev/sdb1 on /data type ext4 (rw)\n", "data on /data type zfs (rw,xattr,noacl)\n"
DROP, REBOOT = "echo 3 > /proc/sys/vm/drop_caches", "reboot"
REMOUNT, REIMPORT = "umount /data && mount /dev/sdb1 /data", "zpool export data; zpool import data"
READ = "dd if=/data/f of=/dev/null bs=1M"


@pytest.mark.parametrize(
    ("mounted", "done", "expected"),
    [
        (EXT4, [DROP], "no"),
        (EXT4, [f"sudo sh -c '{DROP}'", "sleep 5", "ls -l /data/f"], "no"),
        (EXT4, [REBOOT], "no"),
        (EXT4, [REMOUNT], "no"),
        (EXT4, ["umount -a", "mount -a"], "no"),
        (EXT4, [], None),
        (EXT4, ["echo 2 > /proc/sys/vm/drop_caches"], None),
        (EXT4, ["umount /data"], None),
        (EXT4, ["umount /home && mount /home"], None),
        (EXT4, ["umount /dev/sdc1 && mount /dev/sdc1 /home"], None),
        (EXT4, [REIMPORT.replace("data", "other")], None),
        (EXT4, [f"ssh other '{DROP}'", "ssh other reboot"], None),
        (EXT4, [f"\nroot@other:~# {DROP}"], None),
        (EXT4, [f"{DROP}\nbash: /proc/sys/vm/drop_caches: Permission denied"], None),
        (EXT4, [f"{REMOUNT}\numount: /data: target is busy."], None),
        (EXT4, [DROP, "md5sum /data/f"], None),
        (EXT4, [DROP, "tar cf /tmp/copy.tar /data"], None),
        (EXT4, [DROP, READ], None),
        (EXT4, [DROP, "dd if=/dev/zero of=/data/f bs=1M count=1024"], None),
        (EXT4, [DROP, "cat /home/other > /dev/null", READ.replace("/data/f", "/data/g")], "no"),
        (ZFS, [DROP], "maybe"),
        (ZFS, ["zfs umount data && zfs mount data"], None),
        (ZFS, [REIMPORT], "no"),
        (ZFS, ["zpool export -a", "zpool import -a"], "no"),
        (ZFS, ["zpool export data", "zpool status"], None),
        (ZFS, [REBOOT, DROP], "no"),
        (ZFS, [REIMPORT.replace("data", "other")], None),
        ("server:/export on /data type nfs4 (rw)\n", [REBOOT], "maybe"),
        ("", [DROP], "maybe"),
        ("", [REBOOT], "no"),
    ],
)
def test_a_read_is_from_the_device_where_its_caches_were_emptied(mounted, done, expected):
    written = "dd if=/dev/zero of=/data/f bs=1M count=1024"
    text = f"root@tank:~# mount\n{mounted}" + "".join(
        f"root@tank:~# {command}\n{SUMMARY if command.startswith('dd ') else ''}" for command in [written, *done, READ]
    )
    values = [record for record in read_file_records("log.txt", text) if isinstance(record, Measurement)]
    last = [value for value in values if value.run == values[-1].run]
    assert find_from_memory(last).get("read") == expected
    assert find_from_memory([value for value in values if value.run == 0]) == {}  # a write is another matter


FIO = """root@tank:~# mount
/dev/sdb1 on /data type ext4 (rw)
root@tank:~# echo 3 > /proc/sys/vm/drop_caches
root@tank:~# fio --name=j --filename=/data/f --rw={rw} --bs=1M --size=1G {more}
j: (g=0): rw={rw}, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process
{laid_out}
j: (groupid=0, jobs=1): err= 0: pid=1: Tue Nov 24 13:19:56 2026
  read: IOPS=1024, BW=1024MiB/s (1074MB/s)({moved}GiB/{msec}msec)
"""


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"rw": "read"}, {"read": "no"}),
        ({"rw": "randread"}, {"random_read": "no"}),
        ({"rw": "read", "laid_out": "j: Laying out IO file (1 file / 1024MiB)"}, {}),
        ({"rw": "randread", "more": "--time_based --runtime=60", "moved": 60, "msec": 60000}, {"random_read": "maybe"}),
    ],
)
def test_a_run_that_lays_out_its_file_or_reads_it_again_is_not_sure_to_read_the_device(told, expected):
    text = FIO.format(**{"more": "", "laid_out": "", "moved": 1, "msec": 1000} | told)
    values = [record for record in read_file_records("log.txt", text) if isinstance(record, Measurement)]
    assert values and find_from_memory(values) == expected


def test_direct_io_needs_no_transcript():
    assert derive_quantities("fio", "read.throughput", {"direct": "on"}, {})["cache_state"] == "direct"
    assert derive_quantities("fio", "read.throughput", {}, {}, "dropped")["cache_state"] == "dropped"


def test_every_fact_is_registered():
    all_of_it = derive_quantities(
        "bonnie++",
        "write.throughput",
        {"file_size": GIB, "direct": "on"},
        {"memory": GIB, "disk.count": 1, "pool.compression": "lz4"},
    )
    assert [*all_of_it, TITLE] == list(DERIVED_QUANTITIES)  # a title follows from the text around the run
