"""collectl in its brief form: CPU, all disks and all networks, a row an interval.

Sources: collectl's documentation, "Brief Data" and "Output Formats": cpu is the time that CPUs are busy, without waiting for I/O;
KB are 1024 bytes a second; disks and networks are totals. A head of two lines has the groups above their columns, and comes again.

Shapes of collectl (name | versions | units | traps):
    brief, with -oT or -oD or without a time | collectl 3, 4 | KB 1024 bytes | memory, NFS, Lustre and InfiniBand are not read,
        nor the verbose and plot forms

Source: collectl's documentation, Brief Data
"""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.series._clock import ReportTime, parse_date, seconds_of
from ingest.series._outputs import ReportReader, Reports, parse_columns

_GROUPS = lazy(r"# {0,40}(?:<-+[A-Za-z]{2,12}-+> {0,2}){1,12}\s*\Z")
_GROUP = lazy(r"<-+([A-Za-z]{2,12})-+>")
_WAITING = lazy(r"waiting for (\d{1,6}(?:\.\d{1,3})?) second samples?\.\.\.\s*\Z")
_COLUMNS = {
    "CPU": "cpu=cpu.busy sys=cpu.system inter=interrupt.rate ctxsw=switch.rate",
    "Disks": "KBRead=block.read.throughput*1024 Reads=block.read.rate KBWrit=block.write.throughput*1024 Writes=block.write.rate",
    "Network": "KBIn=net.receive.throughput*1024 PktIn=net.receive.packet.rate KBOut=net.transmit.throughput*1024 "
    "PktOut=net.transmit.packet.rate",
}
_STAMPS = ("Time", "Date")


class _Collectl(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "collectl", has_boot_report=False, counted=("-c", "-s", "-o"))
        self._interval = ""
        self._groups: list[tuple[str, int, int]] = []
        self._names: tuple[str, ...] = ()
        self._columns: tuple[PointColumn, ...] = ()
        self._positions: tuple[int, ...] = ()

    def leave(self) -> None:
        self._groups, self._names = [], ()
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        if _GROUPS.match(line):
            self._groups = [(group[1], group.start(), group.end()) for group in _GROUP.finditer(line)]
            return OWN
        if self._groups and line.startswith("#") and not line.startswith("##"):
            return self._header(line, number)
        if (waiting := _WAITING.match(line)) is not None:
            self.leave()
            self._interval = f"collectl {waiting[1]}"
            return OWN
        return self._row(line.split(), number) if self._names else NOT_OWN

    def _header(self, line: str, number: int) -> int:
        """The columns below the groups; those that are not read are named once."""
        names, columns, positions, unknown = list[str](), list[PointColumn](), list[int](), list[str]()
        text = " " + line[1:].rstrip()
        start = 0
        for name in text.split():
            start = text.index(name, start) + len(name)
            group = next((group for group, low, high in self._groups if low < start <= high), "")
            column = parse_columns(_COLUMNS[group]).get(name) if group in _COLUMNS else None
            if column is not None:
                columns.append(column)
                positions.append(len(names))
            elif name not in _STAMPS:
                unknown.append(f"{group} {name}".strip())
            names.append(name)
        if not columns:
            return NOT_OWN
        if not self._reports.is_begun or tuple(names) != self._names:
            self._reports.begin_output(number, command=self._interval)
            if unknown:
                self._reports.doubt(number, "unread", f"columns that are not read: {', '.join(unknown)[:200]}")
        self._names, self._columns, self._positions = tuple(names), tuple(columns), tuple(positions)
        return OWN

    def _row(self, words: list[str], number: int) -> int:
        stamps = [name for name in self._names if name in _STAMPS]
        stamp = self._time(words, stamps)
        if (stamps and stamp is None) or not words or not words[-1][0].isdecimal():
            self.leave()
            return NOT_OWN
        if len(words) != len(self._names):
            code = "short-row" if len(words) < len(self._names) else "long-row"
            self._reports.doubt(number, code, f"{len(words)} cells below a header of {len(self._names)}")
            return OWN
        if stamp is not None:
            self._reports.take_stamp(stamp)
        self._reports.begin_report(number)
        self._reports.add(self._names, "", self._columns, number, [words[index] for index in self._positions])
        return OWN

    @staticmethod
    def _time(words: list[str], stamps: list[str]) -> ReportTime | None:
        """The time of -oT, or of -oD with its date as YYYYMMDD."""
        if not stamps or len(words) < len(stamps):
            return None
        cells = dict(zip(stamps, words, strict=False))
        seconds = seconds_of(cells.get("Time", ""))
        if seconds is None:
            return None
        day = cells.get("Date", "")
        date = parse_date(f"{day[:4]}-{day[4:6]}-{day[6:]}", is_12_hour=False) if len(day) == 8 and day.isdecimal() else None
        return ReportTime(date, seconds)


SERIES = SeriesReader(
    "collectl", 1, Anchor(lazy(r"^# {0,40}<-{2,40}(?:CPU|Disks|Network)-{2,40}>", 8), "-cpu-|-disks-|-network-"), _Collectl
)
