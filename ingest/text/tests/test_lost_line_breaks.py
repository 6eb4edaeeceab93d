"""Outputs whose line breaks were lost, or stand as `\\n` in a log; and forms of few programs that print like others."""

from __future__ import annotations

import pytest

from ingest import read
from ingest.records import Measurement

FLAT_DD = (
    "dd if=/dev/zero of=/tank/f bs=1M count=1024 1024+0 records in 1024+0 records out "
    "1073741824 bytes (1.1 GB) copied, 4.06 s, 264 MB/s\n"
)
TWO_FLAT_DDS = (
    "root@a:~# dd if=/dev/zero of=/t/f bs=1M count=64 64+0 records in 64+0 records out 67108864 bytes (67 MB, 64 MiB) copied, "
    "0.5 s, 134 MB/s root@a:~# dd if=/t/f of=/dev/null bs=1M 64+0 records in 64+0 records out "
    "67108864 bytes (67 MB, 64 MiB) copied, 0.25 s, 268 MB/s root@a:~# \n"
)
WRAPPED_FLAT_DD = (
    "$ dd if=/dev/md0 of=/dev/null bs=1M\n64+0 records in 64+0 records out 67108864 bytes (67 MB) copied,\n0.5 s, 134 MB/s\n"
    "\n$ dd if=/dev/zero of=/dev/md0 bs=1M count=64 64+0 records in\n64+0 records out 67108864 bytes (67 MB, 64\nMiB) copied, "
    "0.25 s, 268 MB/s\n"
)
LOGGED_DD = '[INFO] ["128+0 records in\\n128+0 records out\\n134217728 bytes (134 MB, 128 MiB) copied, 0.25 s, 537 MB/s\\n"]\n'
FLAT_HDPARM = (
    "/dev/sda: Timing cached reads: 4000 MB in 2.00 seconds = 2000.00 MB/sec "
    "Timing buffered disk reads: 300 MB in 3.00 seconds = 100.00 MB/sec\n"
)
POWERSHELL = (
    "PS C:\\> Measure-Command { cp big.iso D:\\ }\n\n\n"
    "Days              : 0\nSeconds           : 23\nTicks             : 234560000\n"
    "TotalMinutes      : 0.390933333333333\nTotalSeconds      : 23.456\nTotalMilliseconds : 23456\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        (FLAT_DD, {"write.elapsed": 4.06, "write.throughput": 1073741824 / 4.06}),
        (TWO_FLAT_DDS, {"write.elapsed": 0.5, "write.throughput": 134217728, "read.elapsed": 0.25, "read.throughput": 268435456}),
        (
            WRAPPED_FLAT_DD,
            {"read.elapsed": 0.5, "read.throughput": 134217728, "write.elapsed": 0.25, "write.throughput": 268435456},
        ),
        (
            "sent 1998 bytes  received 489279 bytes327518.00 bytes/sec\ntotal size is 182515746speedup is 371.51\n",
            {"copy.throughput": 327518},
        ),
        (LOGGED_DD, {"transfer.elapsed": 0.25, "transfer.throughput": 134217728 / 0.25}),
        (FLAT_HDPARM, {"cached_read.throughput": 2000 * 2**20, "read.throughput": 100 * 2**20}),
        (
            "$ time cp -a a b\nreal 1m12.500s user 0m0.100s sys 0m3.000s\n",
            {"copy.elapsed": 72.5, "copy.user": 0.1, "copy.sys": 3.0},
        ),
        (
            "$ time rm -rf d\nrm -rf d  0,05s user 1,02s system 98% cpu 1,085 total\n",
            {"remove.elapsed": 1.085, "remove.user": 0.05, "remove.sys": 1.02},
        ),
        (POWERSHELL, {"copy.elapsed": 23.456}),
        ("1. 1048576 bytes (1.0 MB) copied, 2.5 s, 419 kB/s\n", {"transfer.elapsed": 2.5, "transfer.throughput": 419430.4}),
        ("lz4 3 1048576 bytes (1.0 MB) copied, 2.5 s, 419 kB/s\n", {"transfer.elapsed": 2.5, "transfer.throughput": 419430.4}),
        ("1 048 57 bytes (1.0 MB) copied, 2 s, 524 kB/s\n", {}),
        ("TotalSeconds      : 23.456\n", {}),
        (
            "wrote 1048576 bytes  read 84 bytes  349553.33 bytes/sec\ntotal size is 1048000  speedup is 1.00\n",
            {"copy.throughput": 349553.33},
        ),
    ),
)
def it_reads_what_is_there(text, expected, tmp_path):
    (tmp_path / "file.txt").write_text(text)
    values = [one for one in read([tmp_path / "file.txt"]) if isinstance(one, Measurement)]
    assert {one.metric: pytest.approx(one.value) for one in values} == expected
    assert len(values) == len(expected)
