"""iostat of FreeBSD: the plain form with columns for each device, and -x.

Source: iostat(8) of FreeBSD: KB and MB are powers of 1024; ms/r, ms/w, ms/o, ms/t and svc_t are milliseconds.

Shapes of iostat-illumos (name | versions | units | traps):
    -x, -xn, -xne, with -T d and -T u | Solaris 10, 11, illumos | KB is 1024 bytes; ms | first report since boot

Shapes of iostat-freebsd (name | versions | units | traps):
    plain and -x | FreeBSD 6 to 14 | KB, MB are powers of 1024; ms | first report since boot

Source of iostat-illumos: iostat(8) of illumos
Source of iostat-freebsd: iostat(8) of FreeBSD
"""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.series._clock import parse_stamp
from ingest.series._outputs import ReportReader, Reports, parse_columns

# iostat of illumos and Solaris: -x and -xn, with -e, -T; and the plain form with its columns for each disk.
#
# Source: iostat(8) of illumos: kr/s and kw/s are KB of 1024 bytes, times are milliseconds.

_ILLUMOS_TITLE = lazy(r"[\s|]*extended (?:device statistics|disk statistics)\b")
_COLUMNS = (
    "r/s=disk.read.rate w/s=disk.write.rate kr/s=disk.read.throughput*1024 kw/s=disk.write.throughput*1024 "
    "Mr/s=disk.read.throughput*1048576 Mw/s=disk.write.throughput*1048576 wait=disk.queue.waiting actv=disk.queue.active "
    "wsvc_t=disk.wait.time/1000 asvc_t=disk.service.time/1000 svc_t=disk.latency/1000 %w=disk.wait.share %b=disk.util "
    "s/w=disk.error.soft.count h/w=disk.error.hard.count trn=disk.error.transport.count tot=disk.error.count"
)
_NAMES = frozenset(("device", "disk"))
_NEEDED = frozenset(("r/s", "w/s", "wait", "actv"))


class _IllumosIostat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "iostat")
        self._columns: tuple[PointColumn, ...] = ()
        self._count = 0
        self._is_last = False  # whether the device stands at the end
        self._seen: set[str] = set()
        self._is_new = True  # whether the next row begins a report

    def leave(self) -> None:
        self._columns = ()
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        if _ILLUMOS_TITLE.match(line):
            self._is_new = True
            return OWN if self._reports.is_begun else SHARED
        if (words[0] in _NAMES or words[-1] in _NAMES) and set(words) >= _NEEDED:
            return self._header(words, number)
        if not self._columns or not self._reports.is_begun:
            if (stamp := parse_stamp(line.strip())) is not None:
                self._reports.take_stamp(stamp, number)
                return SHARED
            return NOT_OWN
        figures = words[:-1] if self._is_last else words[1:]
        if len(words) > self._count and self._is_last:  # names with blanks, of -n with mounts
            figures = words[: self._count - 1]
        if len(figures) == self._count - 1 and all(map(_illumos_is_figure, figures)):
            device = " ".join(words[self._count - 1 :]) if self._is_last else words[0]
            if self._is_new or device in self._seen:
                self._seen.clear()
                self._reports.begin_report(number)
                self._is_new = False
            self._seen.add(device)
            self._reports.add(("x", device, self._columns), device, self._columns, number, figures)
            return OWN
        if (stamp := parse_stamp(line.strip())) is not None:
            self._reports.take_stamp(stamp, number)
            self._is_new = True
            return OWN
        if sum(map(_illumos_is_figure, words)) > len(words) // 2 > 1:
            self._reports.doubt(number, "short-row", f"{len(words)} cells below a header of {self._count}")
            return OWN
        self._columns = ()
        self._reports.end_output()
        return NOT_OWN

    def _header(self, words: list[str], number: int) -> int:
        known = parse_columns(_COLUMNS)
        self._is_last = words[-1] in _NAMES
        names = words[:-1] if self._is_last else words[1:]
        if any(name not in known for name in names):
            return NOT_OWN
        if not self._reports.is_begun:
            self._reports.begin_output(number)
            self._seen.clear()
        self._columns, self._count, self._is_new = tuple(known[name] for name in names), len(words), True
        return OWN


def _illumos_is_figure(word: str) -> bool:
    return word.replace(".", "", 1).isdecimal()


ILLUMOS = SeriesReader("iostat-illumos", 1, Anchor(lazy(r"\bwait[ \t]+actv\b"), "actv"), _IllumosIostat)


_EXTENDED = (
    "r/s=disk.read.rate w/s=disk.write.rate kr/s=disk.read.throughput*1024 kw/s=disk.write.throughput*1024 "
    "ms/r=disk.read.latency/1000 ms/w=disk.write.latency/1000 ms/o=disk.other.latency/1000 ms/t=disk.latency/1000 "
    "svc_t=disk.latency/1000 wait=disk.queue qlen=disk.queue %b=disk.util"
)
_DISK = "KB/t=disk.request.size*1024 tps=disk.rate MB/s=disk.throughput*1048576"
_CPU = "us=cpu.user ni=cpu.nice sy=cpu.system in=cpu.irq id=cpu.idle"
_TTY = "tin=tty.receive.rate tout=tty.transmit.rate"
_DEVICES = lazy(r"\s*(?:tty\s+)?((?:[a-z]{1,10}\d{1,4}\s+){1,40})(?:cpu)?\s*\Z")
_TITLE = lazy(r"\s*extended device statistics\s*\Z")
_Group = tuple[str, tuple[PointColumn, ...], tuple[int, ...]]


class _Iostat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "iostat", counted=("-c", "-n"))
        self._devices: list[str] = []
        self._groups: list[_Group] = []
        self._count = 0
        self._is_extended = False
        self._seen: set[str] = set()
        self._layout: tuple[object, ...] = ()

    def leave(self) -> None:
        self._groups = []
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        if _TITLE.match(line):
            self._seen.clear()
            return OWN if self._reports.is_begun else SHARED
        if words[0] == "device" and words[1:2] == ["r/s"] and "actv" not in words:
            return self._extended_header(words, number)
        if (devices := _DEVICES.match(line + " ")) is not None:
            self._devices = devices[1].split()
            return SHARED
        if self._devices and ("KB/t" in words or words[0] == "tin"):
            return self._plain_header(words, number)
        if self._groups and self._reports.is_begun:
            return self._row(words, number)
        return NOT_OWN

    def _begin(self, layout: tuple[object, ...], number: int) -> int:
        if not self._reports.is_begun or layout != self._layout:
            self._reports.begin_output(number)
        self._layout = layout
        self._seen.clear()
        return OWN

    def _extended_header(self, words: list[str], number: int) -> int:
        known = parse_columns(_EXTENDED)
        if any(name not in known for name in words[1:]):
            return NOT_OWN
        self._groups = [("", tuple(known[name] for name in words[1:]), tuple(range(1, len(words))))]
        self._count, self._is_extended = len(words), True
        return self._begin(tuple(words), number)

    def _plain_header(self, words: list[str], number: int) -> int:
        tty, cpu, disk = parse_columns(_TTY), parse_columns(_CPU), parse_columns(_DISK)
        groups: dict[str, tuple[list[PointColumn], list[int]]] = {}
        disks = 0
        for index, name in enumerate(words):
            if name in disk:
                disks += name == "KB/t"
                subject = self._devices[disks - 1] if 0 < disks <= len(self._devices) else None
                column = disk[name]
            else:
                found = tty.get(name) or cpu.get(name)
                subject, column = ("", found) if found else (None, disk["tps"])
            if subject is None:
                return NOT_OWN
            columns, positions = groups.setdefault(subject, ([], []))
            columns.append(column)
            positions.append(index)
        self._groups = [(subject, tuple(columns), tuple(positions)) for subject, (columns, positions) in groups.items()]
        self._count, self._is_extended = len(words), False
        return self._begin((tuple(self._devices), tuple(words)), number)

    def _row(self, words: list[str], number: int) -> int:
        figures = words[1:] if self._is_extended else words
        if len(words) != self._count or not all(map(_is_figure, figures)):
            if sum(map(_is_figure, words)) > len(words) // 2 > 1:
                self._reports.doubt(number, "short-row", f"{len(words)} cells below a header of {self._count}")
                if not self._is_extended:
                    self._reports.skip_report()
                return OWN
            self._groups = []
            self._reports.end_output()
            return NOT_OWN
        device = words[0] if self._is_extended else ""
        if not self._is_extended or not self._seen or device in self._seen:
            self._seen.clear()
            self._reports.begin_report(number)
        self._seen.add(device)
        for subject, columns, positions in self._groups:
            name = device or subject
            self._reports.add((self._layout, name), name, columns, number, [words[index] for index in positions])
        return OWN


def _is_figure(word: str) -> bool:
    return word.replace(".", "", 1).isdecimal()


SERIES = SeriesReader(
    "iostat-freebsd", 1, Anchor(lazy(r"\bKB/t[ \t]+tps\b|^[ \t]*device[ \t]+r/s[ \t]+w/s[ \t]+kr/s", 8), "kb/t|device"), _Iostat
)
