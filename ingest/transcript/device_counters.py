"""What the disks of a machine have moved so far, wherever a text shows their counters: two of them around a run tell what it moved.

iostats.rst and stat.rst of the Linux kernel's documentation (sectors are 512 bytes); iostat(1) of sysstat: the first report is
since the boot; iostat(8) of FreeBSD and iostat(8) of illumos: with `-I` kr/i and kw/i are totals in kB.
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
_PARTITION = lazy(r"(?:[hsv]d[a-z]{1,3}|xvd[a-z]{1,2}|dasd[a-z]{1,3})\d+\Z|(?:nvme\d+n\d+|mmcblk\d+|nbd\d+|rbd\d+)p\d+\Z")
_MAPPED = lazy(r"(?:dm-|md|zd|bcache|drbd)\d+\Z")
_KINDS = (_WHOLE_DISK, _PARTITION, _MAPPED)
"""Of one reading the first kind that it has: bytes of partitions, arrays, mapped devices and volumes are counted again on disks."""
_OF_ONE = lazy(r"/sys/(?:class/)?block/(?:\w+/)?(?P<name>[\w-]+)/stat\b")
_STAT = lazy(r"\s*\d+(?:\s+\d+){10,16}\s*\Z")
_READ, _WRITTEN = ("kB_read", "MB_read", "kr/i"), ("kB_wrtn", "MB_wrtn", "kw/i")
_FACTORS = {"kB_read": 1024, "MB_read": 2**20, "kr/i": 1024, "kB_wrtn": 1024, "MB_wrtn": 2**20, "kw/i": 1024}
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

    def until(self, later: DeviceCounters) -> dict[str, Moved] | None:
        """What each disk moved from here to a later reading; None where that is of other disks, or counted from another boot."""
        if self.disks.keys() != later.disks.keys() or not self.disks:
            return None
        pairs = {name: (before, later.disks[name]) for name, before in self.disks.items()}
        moved = {name: Moved(after.read - one.read, after.written - one.written) for name, (one, after) in pairs.items()}
        return None if any(one.read < 0 or one.written < 0 for one in moved.values()) else moved


def read_counters(text: Text) -> list[DeviceCounters]:
    """Every reading of the text, by line."""
    found = list[DeviceCounters]()
    if "diskstats" in text.body:
        found += _gather(_rows_of_kernel(text))
    if "/sys/" in text.body and _OF_ONE.search(text.body):
        found += _gather(_rows_of_one(text))
    if any(sign in text.body for sign in _READ):
        found += _single_reports(text, _gather(_rows_of_iostat(text)))
    return sorted(found, key=lambda reading: reading.line)


_Row = tuple[int, str, Moved]


def _rows_of_kernel(text: Text) -> Iterator[_Row]:
    for number, line in enumerate(text.lines, 1):
        if (row := _DISKSTATS.match(" ".join(line.split()))) and _kind(row["name"]) < len(_KINDS):
            yield number, row["name"], Moved(512 * int(row["read"]), 512 * int(row["written"]))


def _rows_of_one(text: Text) -> Iterator[_Row]:
    """`cat /sys/block/sda/stat`: the counters alone; the command names the device."""
    for command in text.commands:
        names = [match["name"] for match in _OF_ONE.finditer(command.text)]
        lines = [number for number in range(command.first, command.last + 1) if _STAT.match(text.lines[number - 1])]
        if names and len(names) == len(lines):
            for name, number in zip(names, lines, strict=True):
                figures = text.lines[number - 1].split()
                yield number, name, Moved(512 * int(figures[2]), 512 * int(figures[6]))


def _kind(name: str) -> int:
    return next((number for number, form in enumerate(_KINDS) if form.match(name)), len(_KINDS))


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
            if _kind(name) < len(_KINDS) and all(figure.replace(".", "", 1).isdecimal() for figure in figures):
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
    return [DeviceCounters(first, last, _of_first_kind(disks)) for first, last, disks in readings]


def _of_first_kind(disks: Mapping[str, Moved]) -> Mapping[str, Moved]:
    first = min(map(_kind, disks))
    return {name: moved for name, moved in disks.items() if _kind(name) == first}


def _single_reports(text: Text, readings: list[DeviceCounters]) -> Iterator[DeviceCounters]:
    """Without those of commands that printed several: all but the first are of an interval."""
    commands = [text.command_for(reading.line) for reading in readings]
    for reading, command in zip(readings, commands, strict=True):
        if command is None or sum(other is command for other in commands) == 1:
            yield reading
