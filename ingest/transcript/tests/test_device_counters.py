"""Readings of what disks have moved, in every form that shows it."""

from __future__ import annotations

import pytest

from ingest.text.lines import ShownCommand, Text
from ingest.transcript.device_counters import DeviceCounters, Moved, read_counters

KERNEL = """\
$ cat /proc/diskstats
   7       0 loop0 44 0 700 12 0 0 0 0 0 20 12 0 0 0 0 0 0
   8       0 sda 1000 5 2048 700 3000 9 4096 900 0 500 1600 0 0 0 0 0 0
   8       1 sda1 990 5 2040 690 2990 9 4090 890 0 490 1590 0 0 0 0 0 0
 259       0 nvme0n1 10 0 200 1 20 0 400 2 0 3 3
 253       0 dm-0 1000 0 2048 700 3000 0 4096 900 0 500 1600 0 0 0 0
   9       0 md0 1000 0 2048 0 3000 0 4096 0 0 0 0 0 0 0 0
"""
SYSSTAT = """\
$ iostat -d
Linux 6.1.0 (tank1) \t11/27/26 \t_x86_64_\t(8 CPU)

Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd
nvme0n1          17.60        10.00        20.00         0.00       1024       2048          0
sda               1.00         1.00         1.00         0.00         16         32          0
"""
FREEBSD = """\
$ iostat -x -I
                        extended device statistics
device           r/i         w/i         kr/i         kw/i qlen   tsvc_t/i      sb/i
ada0           100.0       200.0       1024.0       2048.0    0       12.1       3.0
pass0            0.0         0.0          0.0          0.0    0        0.0       0.0
"""

ILLUMOS = """\
$ iostat -x -n -I
                    extended device statistics
    r/i    w/i   kr/i   kw/i wait actv wsvc_t asvc_t  %w  %b device
 1000.0 2000.0 1024.0 2048.0  0.0  0.0    0.0    0.2   0   0 c1t0d0
   10.0   20.0   16.0   32.0  0.0  0.0    0.0    0.2   0   0 c0t5000C500A1B2C3D4d0
    0.0    0.0    0.0    0.0  0.0  0.0    0.0    0.0   0   0 rpool
"""


def _readings(body: str) -> list[DeviceCounters]:
    return read_counters(Text("log.txt", body.split("\n"), body))


@pytest.mark.parametrize(
    ("body", "disks"),
    [
        (KERNEL, {"sda": Moved(2048 * 512, 4096 * 512), "nvme0n1": Moved(200 * 512, 400 * 512)}),
        (SYSSTAT, {"nvme0n1": Moved(1024 * 1024, 2048 * 1024), "sda": Moved(16 * 1024, 32 * 1024)}),
        (
            ILLUMOS,
            {"c1t0d0": Moved(1024 * 1024, 2048 * 1024), "c0t5000C500A1B2C3D4d0": Moved(16 * 1024, 32 * 1024)},
        ),
        # Where people show one device alone.
        (
            "$ grep sda1 /proc/diskstats\n   8 1 sda1 990 5 2040 690 2990 9 4090 890 0 490 1590\n",
            {"sda1": Moved(2040 * 512, 4090 * 512)},
        ),
        (
            "$ grep md0 /proc/diskstats\n   9 0 md0 990 5 2040 690 2990 9 4090 890 0 490 1590\n",
            {"md0": Moved(2040 * 512, 4090 * 512)},
        ),
        (FREEBSD, {"ada0": Moved(1024 * 1024, 2048 * 1024)}),
    ],
)
def test_whole_disks_alone_are_counted(body: str, disks: dict[str, Moved]) -> None:
    (reading,) = _readings(body)
    assert reading.disks == disks


def test_the_counters_of_one_device_are_named_by_the_command() -> None:
    stat = "    1000        5     2048      700     3000        9     4096      900        0      500     1600\n"
    commands = [ShownCommand(1, "cat /sys/block/sda/stat", 2), ShownCommand(3, "cat /sys/block/sda/stat /sys/block/sdb/stat", 5)]
    body = f"$ {commands[0].text}\n{stat}$ {commands[1].text}\n{stat}{stat}"
    found = read_counters(Text("log.txt", body.split("\n"), body, commands))
    moved = Moved(2048 * 512, 4096 * 512)
    assert [reading.disks for reading in found] == [{"sda": moved}, {"sda": moved, "sdb": moved}]


def test_what_was_moved_between_two_readings_is_their_difference() -> None:
    before, after = _readings(KERNEL + KERNEL.replace(" 2048 ", " 4048 ").replace(" 400 ", " 401 "))
    assert before.until(after) == {"sda": Moved(2000 * 512, 0), "nvme0n1": Moved(0, 512)}


@pytest.mark.parametrize("change", [(" 2048 ", " 2047 "), ("nvme0n1", "nvme1n1"), (" nvme0n1 ", " dm-1 ")])
def test_counters_that_went_back_and_other_disks_tell_nothing(change: tuple[str, str]) -> None:
    before, after = _readings(KERNEL + KERNEL.replace(*change))
    assert before.until(after) is None


@pytest.mark.parametrize(
    "body", ["$ cat /proc/diskstats\ncat: /proc/diskstats: No such file or directory\n", "diskstats\n8 0 sda\n", ""]
)
def test_what_is_no_reading_gives_none(body: str) -> None:
    assert _readings(body) == []
