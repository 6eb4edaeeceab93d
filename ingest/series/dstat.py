"""The CSV of dstat and dool: groups of columns, their names, a row an update.

Source: dstat(1), dool: bytes a second, percent, counts; the first row is the average since boot; the time is `day-month time`
without year, which the head's date has.

Shapes of dstat (name | versions | units | traps):
    --output of dstat and dool | dstat 0.6 to 0.7, dool 1 | bytes, percent | first row since boot
"""

from __future__ import annotations

import csv

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import Number, PointColumn, parse_number
from ingest.series._clock import ReportTime, parse_date, parse_stamp, seconds_of
from ingest.series._outputs import ReportReader, Reports, parse_columns

_HEAD = lazy(r'"?(?:pcp-)?(?:dstat|dool)\b[^\n]{0,40}CSV', 2)
_TIME = lazy(r"(\d\d)-(\d\d) (\d\d:\d\d:\d\d)\Z")
_MONTH_TIME = lazy(r"([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d)\Z")
_EPOCH = lazy(r"(1\d{9})(?:\.\d{1,6})?\Z")
_FLOAT = lazy(r"(-?\d{1,17})(?:\.(\d{1,20}))?\Z")
_YEAR = lazy(r"\b(20\d\d)\b")
_CPU = "usr=cpu.user sys=cpu.system idl=cpu.idle wai=cpu.iowait hiq=cpu.irq siq=cpu.softirq stl=cpu.steal"
_GROUPS = (
    ("cpu", _CPU),
    ("dsk", "read=disk.read.throughput writ=disk.write.throughput"),
    ("io", "read=disk.read.rate writ=disk.write.rate"),
    ("net", "recv=net.receive.throughput send=net.transmit.throughput"),
    ("memory", "used=memory.used free=memory.free buff=memory.buffers cach=memory.cached avai=memory.available"),
    ("paging", "in=paging.in.throughput out=paging.out.throughput"),
    ("system", "int=interrupt.rate csw=switch.rate"),
    ("procs", "run=process.running blk=process.blocked new=process.create.rate"),
    ("load", "1m=load.1 5m=load.5 15m=load.15"),
    ("swap", "used=swap.used free=swap.free"),
)
_MAX_DECIMALS = 9


def _parse_float(cell: str) -> Number | None:
    """A float as Python prints it; beyond nine decimals it is the rounding of a division."""
    match = _FLOAT.match(cell)
    if not match:
        return parse_number(cell)
    decimals = match[2] or ""
    if len(decimals) <= _MAX_DECIMALS:
        return int(match[1] + decimals), len(decimals)
    number = round(float(cell) * 10**_MAX_DECIMALS)
    return number, _MAX_DECIMALS


class _Dstat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "dstat")
        self._groups: list[str] = []
        self._tables: list[tuple[str, tuple[PointColumn, ...], tuple[int, ...]]] = []
        self._time = -1
        self._width = 0
        self._year = ""
        self._command = ""
        self._is_open = False
        self._config: dict[str, tuple[object, int]] = {}

    def leave(self) -> None:
        self._is_open = False
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        if _HEAD.match(line):
            self._is_open, self._tables, self._groups, self._config = True, [], [], {}
            self._reports.end_output()
            return OWN
        if not self._is_open:
            return NOT_OWN
        cells = next(csv.reader([line.strip()]), [])
        if not cells:
            return OWN
        if cells[0] in ("Author:", "Host:", "Cmdline:"):
            return self._head(cells, number)
        if self._tables and len(cells) == self._width:
            return self._row(cells, number)
        if not self._groups:
            self._groups = cells
            return OWN
        if not self._tables:
            return self._header(cells, number)
        code = "short-row" if len(cells) < self._width else "long-row"
        self._reports.doubt(number, code, f"{len(cells)} fields below {self._width} columns")
        return OWN

    def _head(self, cells: list[str], number: int) -> int:
        if cells[0] == "Host:" and len(cells) > 1 and cells[1]:
            self._config["host"] = cells[1], number
        if cells[0] == "Cmdline:" and len(cells) > 1:
            self._command = "dstat " + " ".join(cells[1].split()[1:])
            date = cells[cells.index("Date:") + 1] if "Date:" in cells[:-1] else ""
            self._year = found[1] if (found := _YEAR.search(date)) else ""
        return OWN

    def _header(self, names: list[str], number: int) -> int:
        group, unknown = "", list[str]()
        tables: dict[str, tuple[list[PointColumn], list[int]]] = {}
        for index, name in enumerate(names):
            group = self._groups[index] if index < len(self._groups) and self._groups[index] else group
            if name in ("time", "epoch", "date/time"):
                self._time = index
                continue
            prefix, _, subject = group.partition("/")
            text = next((columns for key, columns in _GROUPS if key in prefix.lower().split()), "")
            column = parse_columns(text).get(name)
            if column is None:
                unknown.append(f"{group}: {name}")
                continue
            if prefix.endswith("cpu usage"):
                subject = "all" if prefix.startswith("total") else prefix.split()[0]
            columns, positions = tables.setdefault(f"{group}\0{subject}", ([], []))
            columns.append(column._replace(parse=_parse_float))
            positions.append(index)
        if unknown:
            self._reports.doubt(number, "unread", f"columns that are not known: {', '.join(unknown)[:200]}")
        self._tables = [(key.partition("\0")[2], tuple(columns), tuple(places)) for key, (columns, places) in tables.items()]
        self._width = len(names)
        self._reports.begin_output(number, self._config, self._command)
        return OWN

    def _row(self, cells: list[str], number: int) -> int:
        if self._time >= 0:
            stamp = self._stamp(cells[self._time].strip())
            if stamp is None:
                self._reports.doubt(number, "bad-number", f"time: {cells[self._time][:40]!r} is not a time")
                return OWN
            self._reports.take_stamp(stamp)
        self._reports.begin_report(number)
        for subject, columns, positions in self._tables:
            self._reports.add((subject, columns), subject, columns, number, [cells[index].strip() for index in positions])
        return OWN

    def _stamp(self, text: str) -> ReportTime | None:
        if match := _EPOCH.match(text):
            return parse_stamp(match[1])
        if match := _TIME.match(text):
            date = parse_date(f"{self._year}-{match[2]}-{match[1]}", is_12_hour=False) if self._year else None
            seconds = seconds_of(match[3])
        elif match := _MONTH_TIME.match(text):
            date, seconds = None, seconds_of(match[3])
        else:
            return parse_stamp(text)
        return None if seconds is None else ReportTime(date, seconds)


SERIES = SeriesReader("dstat", 1, Anchor(lazy(r"\b(?:dstat|dool)\b[^\n]{0,40}CSV", 2), "dstat|dool"), _Dstat)
