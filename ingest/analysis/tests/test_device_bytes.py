"""Bytes that the disks moved around a run beside those that its tool claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import derived, read
from ingest.records import Measurement

MIB = 2**20
MOUNTS = "$ cat /proc/mounts\n/dev/vda / {} rw,relatime 0 0\n"


def _counters(read_mib: float, written_mib: float) -> str:
    sectors = (round(1000 + mib * MIB / 512) for mib in (read_mib, written_mib))
    return "$ cat /proc/diskstats\n 254 0 vda 900 1 {} 7 800 2 {} 9 0 5 16 0 0 0 0 0 0\n".format(*sectors)


def _dd(operands: str, mib: int) -> str:
    return (
        f"$ dd {operands} bs=1M count={mib}\n{mib}+0 records in\n{mib}+0 records out\n{mib * MIB} bytes copied, 0.5 s, 128 MB/s\n"
    )


READ, WRITE = "if=/data/f of=/dev/null", "if=/dev/urandom of=/data/f"
BONNIE = (
    "$ bonnie++ -d /data\nVersion  1.97       ------Sequential Output------ --Sequential Input- --Random-\n"
    "Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
    "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
    "tank1            1G           80000  10 40000   8           120000   9 310.5   5\n"
)

FIO = (
    "$ fio jobs.fio\nfio-3.33\nStarting 2 processes\n\n"
    "a: (groupid=0, jobs=1): err= 0: pid=10: Fri Nov 27 12:00:00 2026\n"
    "  read: IOPS=64, BW=64.0MiB/s (67.1MB/s)(640MiB/10000msec)\n"
    "    clat (usec): min=10, max=20, avg=15.00, stdev= 1.00\n"
    "b: (groupid=1, jobs=1): err= 0: pid=11: Fri Nov 27 12:00:10 2026\n"
    "  read: IOPS=32, BW=32.0MiB/s (33.6MB/s)(320MiB/10000msec)\n"
    "    clat (usec): min=10, max=20, avg=15.00, stdev= 1.00\n"
)


def _states(folder: Path, file_system: str, *parts: str) -> list[dict[str, str]]:
    (folder / "log.txt").write_text(MOUNTS.format(file_system) + "".join(parts))
    runs: dict[int, list[Measurement]] = {}
    for record in read([folder]):
        if isinstance(record, Measurement):
            runs.setdefault(record.run, []).append(record)
    return [derived.find_from_memory(values) for values in runs.values()]


@pytest.mark.parametrize(
    ("file_system", "parts", "states"),
    [
        ("ext4", (_counters(0, 0), _dd(READ, 64), _counters(64, 0)), [{"read": "no"}]),
        ("ext4", (_counters(0, 0), _dd(READ, 64), _counters(0.25, 0)), [{"read": "yes"}]),
        ("ext4", (_counters(0, 0), _dd(READ, 64), _counters(40, 0)), [{"read": "maybe"}]),
        ("ext4", (_counters(0, 0), _dd(WRITE, 64), _counters(0, 64)), [{"write": "no"}]),
        ("ext4", (_counters(0, 0), _dd(WRITE, 64), _counters(9, 1)), [{"write": "yes"}]),
        # Commands that move little stand between, and several runs that all came from one of both.
        ("ext4", (_counters(0, 0), "$ sync\n$ df -k\n/ 1 2 3\n", _dd(READ, 64), _counters(64, 0)), [{"read": "no"}]),
        ("ext4", (_counters(0, 0), _dd(READ, 64), _dd(READ, 64), _counters(0, 0)), [{"read": "yes"}] * 2),
        ("ext4", (_counters(0, 0), _dd(READ, 64), _dd(READ, 64), _counters(64, 0)), [{"read": "maybe"}] * 2),
        ("ext4", (_counters(0, 0), _dd(WRITE, 64), _dd(READ, 64), _counters(0, 64)), [{"write": "no"}, {"read": "yes"}]),
        # A server, or what compresses, may have what no disk of this machine shows; many bytes still prove the device.
        ("nfs4", (_counters(0, 0), _dd(READ, 64), _counters(0, 0)), [{"read": "maybe"}]),
        ("zfs", (_counters(0, 0), _dd(READ, 64), _counters(0, 0)), [{"read": "maybe"}]),
        ("zfs", (_counters(0, 0), _dd(READ, 64), _counters(64, 0)), [{"read": "no"}]),
        # Nothing is known without both readings, of too few bytes, or after a reboot.
        ("ext4", (_counters(0, 0), _dd(READ, 64)), [{}]),
        ("ext4", (_dd(READ, 64), _counters(0, 0)), [{}]),
        ("ext4", (_counters(64, 0), _dd(READ, 64), _counters(0, 0)), [{}]),
        # The work of a time, in several jobs.
        ("ext4", (_counters(0, 0), FIO, _counters(960, 0)), [{"read": "no"}] * 2),
        ("ext4", (_counters(0, 0), FIO, _counters(640, 0)), [{"read": "maybe"}] * 2),
        ("ext4", (_counters(0, 0), FIO, _counters(30, 0)), [{"read": "yes"}] * 2),
        # What bonnie++ rewrites it reads and writes; its seeks move little.
        ("ext4", (_counters(0, 0), BONNIE, _counters(2050, 2048)), [{"write": "no", "rewrite": "no", "read": "no"}]),
        ("ext4", (_counters(0, 0), BONNIE, _counters(3, 2048)), [{"write": "no", "rewrite": "no", "read": "yes"}]),
    ],
)
def test_bytes_that_disks_moved_prove_device_or_memory(
    tmp_path: Path, file_system: str, parts: tuple[str, ...], states: list[dict[str, str]]
) -> None:
    assert _states(tmp_path, file_system, *parts) == states


def test_copies_on_mirrors_are_no_data_of_the_tool(tmp_path: Path) -> None:
    (tmp_path / "poolmark.toml").write_text('[configuration]\n"pool.layout" = "mirror(2)"\n')
    assert _states(tmp_path, "ext4", _counters(0, 0), _dd(WRITE, 64), _counters(0, 70)) == [{"write": "maybe"}]
    assert _states(tmp_path, "ext4", _counters(0, 0), _dd(WRITE, 64), _counters(0, 128)) == [{"write": "no"}]


@pytest.mark.parametrize("sync", ["", "\n$ sync"])
def test_counters_need_no_prompt(tmp_path: Path, sync: str) -> None:
    """As a script prints them: the name of the file stands somewhere above."""
    log = "== /proc/diskstats\n" + "\n".join(
        line
        for part in (_counters(0, 0), _dd(READ, 64), _counters(0, 0))
        for line in part.split("\n")
        if not line.startswith("$ cat")
    )
    assert _states(tmp_path, "ext4", sync.strip(), "\n", log) == [{"read": "yes"}]


DISK = "{} {} {} 900 1 {} 7 800 2 {} 9 0 5 16 0 0 0 0 0 0\n"
TWO_MOUNTS = "$ cat /proc/mounts\n/dev/sda1 / ext4 rw,relatime 0 0\n/dev/{} /data ext4 rw,relatime 0 0\n"


def _two(sda: tuple[float, float], sdb: tuple[float, float]) -> str:
    """Counters of two disks: MiB read and written by each."""
    sectors = [tuple(round(1000 + mib * MIB / 512) for mib in disk) for disk in (sda, sdb)]
    lines = (DISK.format(8, 16 * at, name, *disk) for at, (name, disk) in enumerate(zip(("sda", "sdb"), sectors, strict=True)))
    return f"$ cat /proc/diskstats\n{''.join(lines)}"


NOTHING = _two((0, 0), (0, 0))


@pytest.mark.parametrize(
    ("mounts", "parts", "states"),
    [
        # The disks of the target count alone.
        (TWO_MOUNTS.format("sdb1"), (NOTHING, _dd(READ, 64), _two((200, 5), (64, 0))), [{"read": "no"}]),
        (TWO_MOUNTS.format("sdb1"), (NOTHING, _dd(WRITE, 64), _two((0, 3), (0, 64))), [{"write": "no"}]),
        (TWO_MOUNTS.format("sdb1"), (NOTHING, _dd(READ, 64), _two((3, 0), (1, 0))), [{"read": "yes"}]),
        # What another disk moved meanwhile contradicts: the data may lie there.
        (TWO_MOUNTS.format("sdb1"), (NOTHING, _dd(READ, 64), _two((64, 0), (0, 0))), [{"read": "maybe"}]),
        # Unknown disks: nobody knows whose work several did; one alone did all, and none did any.
        ("", (NOTHING, _dd(READ, 64), _two((40, 0), (40, 0))), [{"read": "maybe"}]),
        ("", (NOTHING, _dd(READ, 64), _two((0, 0), (64, 0))), [{"read": "no"}]),
        (TWO_MOUNTS.format("mapper/data"), (NOTHING, _dd(READ, 64), _two((64, 0), (64, 0))), [{"read": "maybe"}]),
        (TWO_MOUNTS.format("mapper/data"), (NOTHING, _dd(READ, 64), _two((1, 0), (2, 0))), [{"read": "yes"}]),
        # A bare device is its own target.
        ("", (NOTHING, _dd("if=/dev/sdb of=/dev/null", 64), _two((90, 9), (64, 0))), [{"read": "no"}]),
        ("", (NOTHING, _dd("if=/dev/sdc of=/dev/null", 64), _two((90, 9), (64, 0))), [{"read": "maybe"}]),
    ],
)
def test_disks_of_others_prove_nothing(tmp_path: Path, mounts: str, parts: tuple[str, ...], states: list[dict[str, str]]) -> None:
    (tmp_path / "log.txt").write_text(mounts + "".join(parts))
    runs = {record.run: record for record in read([tmp_path]) if isinstance(record, Measurement)}
    assert [derived.find_from_memory([one]) for one in runs.values()] == states
