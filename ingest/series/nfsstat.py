"""nfsstat of Linux with an interval (-Z, --sleep) or called again and again: calls of each operation.

With an interval the figures are calls since the report before, else calls since boot; where neither a command nor figures
that went down more than once show which, nothing is recorded. A single report is no curve. Source: nfsstat(8) of nfs-utils.

Shapes of nfsiostat (name | versions | units | traps):
    default form | nfs-utils 1.2 to 2.6 | kB is 1024 bytes; ms | first report since the mount

Shapes of nfsstat (name | versions | units | traps):
    lists (-l) and tables, with -Z or repeated | nfs-utils 1.1 to 2.6 | calls | since boot, with -Z since the report before; one
        alone is no curve

Source of nfsiostat: nfsiostat(8) of nfs-utils
Source of nfsstat: nfsstat(8) of nfs-utils
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import parse_stamp
from ingest.series._outputs import ReportReader, Reports

# nfsiostat of nfs-utils: operations of each NFS mount; the first report counts since the mount.
#
# Source: nfsiostat(8), nfs-iostat.py: kB are 1024 bytes, times milliseconds.

_MOUNT = lazy(r"(\S{1,300}:\S{1,300}) mounted on (\S{1,300}):\s*\Z")
_TITLES = lazy(r"(read|write):\s+(?:ops/s|kB/s)\b")
_NFSIOSTAT_NAMES = lazy(r"ops/s|kB/s|kB/op|retrans|avg RTT \(ms\)|avg exe \(ms\)|avg queue \(ms\)|errors")
_METRICS = {
    "ops/s": ("rate", 1, 1),
    "kB/s": ("throughput", 1024, 1),
    "kB/op": ("request.size", 1024, 1),
    "avg RTT (ms)": ("round_trip.latency", 1, 1000),
    "avg exe (ms)": ("latency", 1, 1000),
    "avg queue (ms)": ("queue.latency", 1, 1000),
}
_NFSIOSTAT_PERCENT = lazy(r"\s*\(\d+(?:\.\d+)?%\)")


class _Nfsiostat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "nfsiostat")
        self._mounts: set[str] = set()
        self._mount = ""
        self._pending = ""  # what the next row of figures is
        self._names: list[str] = []

    def leave(self) -> None:
        self._pending = self._mount = ""
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        if mount := _MOUNT.match(line.strip()):
            return self._begin_mount(mount[2], number)
        if not self._mount:
            return NOT_OWN
        stripped = line.strip()
        if stripped.startswith("op/s"):
            self._pending, self._names = "all", stripped.split()[:1]
            return OWN
        if titles := _TITLES.match(stripped):
            self._pending, self._names = titles[1], _NFSIOSTAT_NAMES.findall(stripped)
            return OWN
        figures = _NFSIOSTAT_PERCENT.sub("", stripped).split()
        if not self._pending or not figures or not figures[0].replace(".", "", 1).isdecimal():
            return NOT_OWN
        if self._pending == "all":
            self._reports.add((self._mount, "all"), self._mount, (PointColumn("nfs.mount.rate", "op/s"),), number, figures[:1])
        elif len(figures) != len(self._names):
            code = "short-row" if len(figures) < len(self._names) else "long-row"
            self._reports.doubt(number, code, f"{len(figures)} figures below {len(self._names)} titles")
        else:
            self._add(figures, number)
        self._pending = ""
        return OWN

    def _begin_mount(self, mount: str, number: int) -> int:
        if not self._reports.is_begun:
            self._reports.begin_output(number)
            self._mounts = {mount}
            self._reports.begin_report(number)
        elif mount in self._mounts:
            self._mounts = set()
            self._reports.begin_report(number)
        self._mounts.add(mount)
        self._mount, self._pending = mount, ""
        return OWN

    def _add(self, figures: list[str], number: int) -> None:
        columns, cells = list[PointColumn](), list[str]()
        for name, figure in zip(self._names, figures, strict=True):
            if name in _METRICS:
                quantity, multiplier, divisor = _METRICS[name]
                columns.append(PointColumn(f"nfs.mount.{self._pending}.{quantity}", name, multiplier, divisor))
                cells.append(figure)
        self._reports.add((self._mount, self._pending, tuple(columns)), self._mount, columns, number, cells)


NFSIOSTAT = SeriesReader("nfsiostat", 1, Anchor(lazy(r"\S:\S+ mounted on \S+:[ \t]*$", 8), " mounted on "), _Nfsiostat)


_LISTED = lazy(r"\s*(nfs v[234] (?:client|server)|nfs v4 (?:servop|cback|ops)|rpc \w{1,12})\s+(\w{1,30}):\s+(\d{1,18})\s*\Z")
_RULE = lazy(r"\s*-{5,}(?: -+)*\s*\Z")
_TITLE = lazy(r"(Client|Server) nfs (v[234](?: operations)?):?\s*\Z|(Client|Server) (rpc|packet) stats:\s*\Z")
_FIGURES = lazy(r"\s*\d{1,18}\s+\d{1,3}%(?:\s+\d{1,18}\s+\d{1,3}%)*\s*\Z|\s*\d{1,18}(?:\s+\d{1,18})*\s*\Z")
_NAMES = lazy(r"\s*[a-z][a-z0-9_-]{1,29}(?:\s+[a-z][a-z0-9_-]{1,29})*\s*\Z")
_COMMAND = lazy(r"(?:^|[#$%>] |\bsudo )nfsstat\b")
_PERCENT = lazy(r"\s+\d{1,3}%")
_SLEEPS = lazy(r"\s(?:-\w*Z\d*|--sleep)\b")
_CALLS = (PointColumn("nfs.operation.count", "calls"),)
_TOTALS = (PointColumn("nfs.operation.total", "calls"),)


class _Nfsstat:
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "nfsstat", has_boot_report=False)
        self._last: dict[str, int] = {}
        self._section = ""
        self._names: list[str] = []
        self._decreases: set[tuple[int, int]] = set()  # (output, report) in which a figure is less than in the one before
        self._is_unread = False  # whether nothing of the section was read yet
        self._line = 0

    def leave(self) -> None:
        self._section = ""

    def feed(self, line: str, number: int) -> int:
        if _COMMAND.search(line) is not None:
            self._section = ""
            if _SLEEPS.search(line) or _SLEEPS.search(self._reports.command):
                self._reports.end_output()
            return SHARED
        if listed := _LISTED.match(line):
            self._take(f"{listed[1]} {listed[2]}", listed[3], number)
            return OWN
        if (stamp := parse_stamp(line.strip())) is not None:
            self._reports.take_stamp(stamp, number)
            self._section = ""
            return OWN if self._reports.is_begun else SHARED
        if title := _TITLE.match(line.strip()):
            self._section, self._names = f"{title[1] or title[3]} {title[2] or title[4]}".lower(), []
            self._is_unread = True
            return OWN
        if not self._section:
            return OWN if self._reports.is_begun and _RULE.match(line) else NOT_OWN
        return self._row(line, number)

    def _row(self, line: str, number: int) -> int:
        """Names, or calls below them, of a section; any other line ends it."""
        if _FIGURES.match(line) and self._names:
            figures = _PERCENT.sub("", line).split()
            if len(figures) != len(self._names):
                self._reports.doubt(number, "short-row", f"{len(figures)} cells below a header of {len(self._names)}")
            else:
                for name, figure in zip(self._names, figures, strict=True):
                    self._take(f"{self._section} {name}", figure, number)
            self._names, self._is_unread = [], False
            return OWN
        if _NAMES.match(line):
            self._names = line.split()
            return OWN
        if self._names or self._is_unread:
            message = f"a row of {self._section} that is not names or calls: the section is not read further"
            self._reports.doubt(number, "unread", message)
        self._section = ""
        return NOT_OWN

    def _take(self, subject: str, figure: str, number: int) -> None:
        if self._reports.begin_report_of(subject, number):
            self._last.clear()
            self._line = self._line or number
        if int(figure) < self._last.get(subject, 0):
            self._decreases.add((len(self._reports.outputs), self._reports.report))
        self._last[subject] = int(figure)
        is_interval = _SLEEPS.search(self._reports.command) is not None
        self._reports.add(subject, subject, _CALLS if is_interval else _TOTALS, number, [figure])

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        if not self._line:
            return
        if self._reports.report == 1 and len(self._reports.outputs) == 1:
            yield Doubt(self._line, "unread", "A single report of nfsstat counts since boot: it is no curve, and is not recorded.")
        elif "nfsstat" not in self._reports.command and len(self._decreases) < 2:  # a single one is a restart
            message = "Whether these are calls since boot or in an interval (-Z) is not shown: they were not recorded."
            yield Doubt(self._line, "unknown-unit", message)
        else:
            for item in self._reports.finish():
                if isinstance(item, FoundSeries) and "nfsstat" not in self._reports.command:
                    item.metric = _CALLS[0].metric
                yield item


SERIES = SeriesReader(
    "nfsstat",
    1,
    Anchor(lazy(r"^[ \t]*nfs v\d (?:client|server|servop|cback|ops)[ \t]|^(?:Client|Server) nfs v\d", 8), "nfs v0"),
    _Nfsstat,
)
