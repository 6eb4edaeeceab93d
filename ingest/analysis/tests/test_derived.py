"""Derived facts: what follows, and what does not."""

from __future__ import annotations

import pytest

from ingest.analysis.cache_state import find_cache_state
from ingest.analysis.derived import DERIVED_QUANTITIES, TITLE, derive_quantities
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
