"""What the disks of a machine have moved so far, wherever a text shows their counters: two of them around a run tell what it moved.

proc_diskstats of the Linux kernel (sectors are 512 bytes); iostat(1) of sysstat: the first report is since the boot; iostat(8) of
FreeBSD and iostat(8) of illumos: with `-I` kr/i and kw/i are totals in kB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.text.lines import Text

_DISKSTATS = lazy(r"[ \t]*\d+[ \t]+\d+ (?P<name>\S+)(?: \d+){2} (?P<read>\d+)(?: \d+){3} (?P<written>\d+)(?: \d+){4,13}\s*\Z")
_WHOLE_DISK = lazy(
    r"(?:[hsv]d[a-z]{1,3}|xvd[a-z]{1,2}|nvme\d+n\d+|mmcblk\d+|dasd[a-z]{1,3}|nbd\d+|rbd\d+|pmem\d+|(?:ada|da|nda|nvd|vtbd|ad)\d+"
    r"|c\d+(?:t\w+)?d\d+)\Z"
)
"""Not partitions, arrays, mapped devices and volumes, whose bytes are counted again on these."""
_READ, _WRITTEN = ("kB_read", "MB_read", "kr/i"), ("kB_wrtn", "MB_wrtn", "kw/i")
_FACTORS = {"kB_read": 1024, "MB_read": 2**20, "kr/i": 1024, "kB_wrtn": 1024, "MB_wrtn": 2**20, "kw/i": 1024}
_SIGNS = ("diskstats", "kB_read", "MB_read", "kr/i")
_APART = 30  # lines between two disks of one reading: partitions, arrays, volumes


class Moved(NamedTuple):
    """Bytes since the boot."""

    read: int
    written: int


class DeviceCounters(NamedTuple):
    """One reading: its first and last line, and what each disk has moved."""

    line: int
    last: int
    disks: Mapping[str, Moved]

    def until(self, later: DeviceCounters) -> Moved | None:
        """What the disks moved from here to a later reading; None where that is of other disks, or counted from another boot."""
        if self.disks.keys() != later.disks.keys() or not self.disks:
            return None
        moved = [(after.read - before.read, after.written - before.written) for before, after in _pairs(self, later)]
        if any(read < 0 or written < 0 for read, written in moved):
            return None
        return Moved(sum(read for read, _ in moved), sum(written for _, written in moved))


def _pairs(before: DeviceCounters, after: DeviceCounters) -> Iterator[tuple[Moved, Moved]]:
    return ((before.disks[name], after.disks[name]) for name in before.disks)


def read_counters(text: Text) -> list[DeviceCounters]:
    """Every reading of the text, by line."""
    if not any(sign in text.body for sign in _SIGNS):
        return []
    return sorted(
        (*_gather(_rows_of_kernel(text)), *_single_reports(text, _gather(_rows_of_iostat(text)))), key=lambda reading: reading.line
    )


_Row = tuple[int, str, Moved]


def _rows_of_kernel(text: Text) -> Iterator[_Row]:
    for number, line in enumerate(text.lines, 1):
        if (row := _DISKSTATS.match(" ".join(line.split()))) and _WHOLE_DISK.match(row["name"]):
            yield number, row["name"], Moved(512 * int(row["read"]), 512 * int(row["written"]))


def _rows_of_iostat(text: Text) -> Iterator[_Row]:
    titles: list[str] = []
    read = written = ""
    for number, line in enumerate(text.lines, 1):
        words = line.split()
        if any(title in words for title in _READ):
            titles = words
            read, written = (next((title for title in names if title in words), "") for names in (_READ, _WRITTEN))
        elif not words:
            titles = []
        elif titles and read and written and len(words) == len(titles):
            name = words[-1] if titles[-1].lower() == "device" else words[0]
            figures = words[titles.index(read)], words[titles.index(written)]
            if _WHOLE_DISK.match(name) and all(figure.replace(".", "", 1).isdecimal() for figure in figures):
                yield number, name, Moved(int(float(figures[0]) * _FACTORS[read]), int(float(figures[1]) * _FACTORS[written]))


def _gather(rows: Iterator[_Row]) -> list[DeviceCounters]:
    """Rows near each other as one reading; a disk that comes again begins the next one."""
    readings: list[tuple[int, int, dict[str, Moved]]] = []
    for number, name, moved in rows:
        if not readings or number > readings[-1][1] + _APART or name in readings[-1][2]:
            readings.append((number, number, {}))
        first, _, disks = readings[-1]
        readings[-1] = (first, number, disks)
        disks[name] = moved
    return [DeviceCounters(*reading) for reading in readings]


def _single_reports(text: Text, readings: list[DeviceCounters]) -> Iterator[DeviceCounters]:
    """Without those of commands that printed several: all but the first are of an interval."""
    commands = [text.command_for(reading.line) for reading in readings]
    for reading, command in zip(readings, commands, strict=True):
        if command is None or sum(other is command for other in commands) == 1:
            yield reading
