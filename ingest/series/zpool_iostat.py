"""zpool iostat: the reports as curves of pools and vdevs, with -l, -q, -v, -p, -T, -y.

Source: zpool-iostat(8); zpool_main.c of OpenZFS: K, M, G are powers of 1024, also of operations; times have a unit, with -p
they are nanoseconds; a vdev stands two blanks below its parent.

Shapes of zpool-iostat-series (name | versions | units | traps):
    reports with and without -v, -l, -q, -p, -T, -H | illumos, FreeBSD, OpenZFS | K, M, G are powers of 1024; times with a unit,
        with -p ns | the first report is the average since boot unless -y was given

Shapes of zpool-iostat-histograms (name | versions | units | traps):
    -w with an interval | OpenZFS 0.7 to 2.3 | counts; K, M, G are powers of 1024 | the first report counts since the import;
        histograms of request sizes (-r) are no series

Source of zpool-iostat-series: zpool-iostat(8) of OpenZFS
Source of zpool-iostat-histograms: zpool-iostat(8) of OpenZFS
"""

from __future__ import annotations

import re

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import Number, PointColumn, parse_number
from ingest.series._clock import parse_stamp
from ingest.series._outputs import ReportReader, Reports

_GROUPS = lazy(r"\s*capacity\s+operations\s+bandwidth((?:\s+\w+){0,16})\s*\Z")
_TITLES = lazy(r"( *)(?:pool|name)\s+(?:alloc|used)\s+(?:free|avail)\s+read\s+write\s+read\s+write((?:\s+\w+){0,32})\s*\Z")
_RULE = lazy(r"\s*-{2,}(?:\s+-+){6,}\s*\Z")
_COMMAND = lazy(r"(?:^|[#$%>] |\bsudo )zpool iostat\b([^|]*)\Z")
_TABBED = lazy(r"\S[^\t]{0,200}(?:\t\S+){6,40}\Z")
_COUNT = lazy(r"(\d{1,18}(?:[.,]\d{1,3})?)([KMGTPEZ]?)\Z")
_TIME = lazy(r"(\d{1,18}(?:[.,]\d{1,3})?)(ns|us|ms|s|m|h)?\Z")
_POWERS = {letter: power for power, letter in enumerate(("", "K", "M", "G", "T", "P", "E", "Z"))}
_DECIMALS = {"ns": 9, "us": 6, "ms": 3, "s": 0, None: 9}
_MINUTES = {"m": 60, "h": 3600}
_UNNUMBERED = lazy(r"(?:mirror|raidz[123]?|spare|replacing)\Z")
_SECTIONS = frozenset(("logs", "cache", "special", "dedup", "spares"))


def parse_count(cell: str) -> Number | None:
    """A count or size with its suffix."""
    match = _COUNT.match(cell)
    if not match:
        return parse_number(cell)
    digits, decimals = parse_number(match[1]) or (0, 0)
    return digits * 1024 ** _POWERS[match[2]], decimals


def _parse_time(cell: str) -> Number | None:
    """A time in seconds; bare figures, of -p, are nanoseconds."""
    match = _TIME.match(cell)
    if not match:
        return parse_number(cell)
    digits, decimals = parse_number(match[1]) or (0, 0)
    if match[2] in _MINUTES:
        return digits * _MINUTES[match[2]], decimals
    if match[2] is None and digits and decimals:
        raise ValueError
    return digits, decimals + _DECIMALS[match[2]]


_FIRST = (
    PointColumn("pool.allocated", "alloc"),
    PointColumn("pool.free", "free"),
    PointColumn("disk.read.rate", "operations read"),
    PointColumn("disk.write.rate", "operations write"),
    PointColumn("disk.read.throughput", "bandwidth read"),
    PointColumn("disk.write.throughput", "bandwidth write"),
)
_PAIRS = {
    "total_wait": ("disk.read.latency", "disk.write.latency"),
    "disk_wait": ("pool.read.wait.disk", "pool.write.wait.disk"),
    "syncq_wait": ("pool.read.wait.sync", "pool.write.wait.sync"),
    "asyncq_wait": ("pool.read.wait.async", "pool.write.wait.async"),
    "syncq_read": ("pool.read.sync.pending", "pool.read.sync.active"),
    "syncq_write": ("pool.write.sync.pending", "pool.write.sync.active"),
    "asyncq_read": ("pool.read.async.pending", "pool.read.async.active"),
    "asyncq_write": ("pool.write.async.pending", "pool.write.async.active"),
    "scrubq_read": ("pool.scrub.pending", "pool.scrub.active"),
    "trimq_write": ("pool.trim.pending", "pool.trim.active"),
    "rebuildq_write": ("pool.rebuild.pending", "pool.rebuild.active"),
}
_WAITS = ("total_wait", "disk_wait", "syncq_wait", "asyncq_wait")
_QUEUES = ("syncq_read", "syncq_write", "asyncq_read", "asyncq_write")
_QUEUE_OF = {"scrub": "scrubq_read", "trim": "trimq_write", "rebuild": "rebuildq_write"}
_SINGLE = {"scrub": "pool.wait.scrub", "trim": "pool.wait.trim", "rebuild": "pool.wait.rebuild"}


def _columns(groups: list[str]) -> tuple[PointColumn, ...] | None:
    """The columns of a report with these groups beyond the first three; None if one is not known."""
    columns = list(_FIRST)
    for group in groups:
        if group in _PAIRS:
            is_time = group.endswith("_wait")
            parse = _parse_time if is_time else parse_count
            columns += [PointColumn(metric, f"{group} {metric.split('.')[1]}", parse=parse) for metric in _PAIRS[group]]
        elif group in _SINGLE:
            columns.append(PointColumn(_SINGLE[group], f"{group} wait", parse=_parse_time))
        else:
            return None
    return tuple(columns)


def _groups_of_options(command: str, cells: int) -> list[str]:
    """The groups beyond the first six cells of a row without titles (-H): OpenZFS 0.8 added trim, 2.2 rebuild."""
    letters = "".join(re.findall(r"\s-([a-zA-Z]+)", command))
    for added in (("scrub", "trim", "rebuild"), ("scrub", "trim"), ("scrub",)):
        groups = [*_WAITS, *added] if "l" in letters else []
        if "q" in letters:
            groups += [*_QUEUES, *(_QUEUE_OF[name] for name in added)]
        if groups and cells == len(_FIRST) + sum(2 if group in _PAIRS else 1 for group in groups):
            return groups
    return []


class _ZpoolIostat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "zpool iostat", counted=("-c",))
        self._context = context
        self._columns: tuple[PointColumn, ...] | None = None
        self._groups: list[str] = []
        self._indent = 0
        self._names: set[str] = set()
        self._parents: list[tuple[int, str]] = []
        self._pool = ""
        self._counts: dict[str, int] = {}  # of vdevs of the pool whose name is only their kind
        self._in_rows = self._is_tabbed = False
        self._command = ""

    def leave(self) -> None:
        self._in_rows = False
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        stripped = line.strip()
        if (command := _COMMAND.search(line)) is not None:
            self._command = "zpool iostat" + command[1]
            self._reports.end_output()
            self._in_rows, self._groups = False, []
            self._is_tabbed = bool(re.search(r"\s-[a-zA-Z]*H", command[1]))
            self._columns = _FIRST if self._is_tabbed else None
            return SHARED
        if (groups := _GROUPS.match(line)) is not None:
            self._groups = groups[1].split()
            return OWN
        if (titles := _TITLES.match(line)) is not None:
            return self._titles(titles, number)
        if _RULE.match(line):
            self._pool = ""
            return OWN if self._in_rows else SHARED
        if (self._in_rows or not self._reports.is_begun) and (stamp := parse_stamp(stripped)) is not None:
            self._reports.take_stamp(stamp, number)
            self._names.clear()
            self._pool = ""
            return OWN if self._in_rows else SHARED
        if self._is_tabbed and "\t" in line and _TABBED.match(line):
            if not self._reports.is_begun:
                self._columns = _columns(_groups_of_options(self._command, line.count("\t"))) or _FIRST
            return self._row(line, line.split("\t"), number)
        if self._in_rows:
            return self._row(line, stripped.split(), number)
        return NOT_OWN

    def _titles(self, titles: re.Match[str], number: int) -> int:
        self._columns = _columns(self._groups)
        if self._columns is None or (titles[2].split() and not self._groups):
            self._reports.doubt(number, "unread", "columns that are not known; the first seven are read")
            self._columns = _FIRST
        self._indent, self._in_rows, self._pool = len(titles[1]), True, ""
        self._names.clear()
        return OWN

    def _row(self, line: str, words: list[str], number: int) -> int:
        columns = self._columns
        if len(words) < 2 or columns is None:
            self._in_rows = False
            return NOT_OWN
        name, cells = words[0], words[1:]
        if name in _SECTIONS and (not cells or set(cells) == {"-"}):
            return OWN
        figures = sum(1 for cell in cells if cell == "-" or cell[0].isdigit())
        if figures * 2 <= len(cells) or figures < 3:
            self._in_rows = False
            return NOT_OWN
        if len(cells) < len(columns):
            self._reports.doubt(number, "short-row", f"{name}: {len(cells)} cells below {len(columns)} columns")
            return OWN
        name = self._place(name, len(line) - len(line.lstrip(" ")), number)
        if not self._pool:
            self._reports.doubt(number, "no-header", f"{name}: a row without the row of its pool")
            return OWN
        key = (self._pool, *(parent for _, parent in self._parents), name, columns)
        self._reports.add(key, name, columns, number, cells[: len(columns)], parse_count)
        return OWN

    def _place(self, name: str, indent: int, number: int) -> str:
        """Begin the next report where a pool comes again and remember its vdevs; without indentation (-H) a name that is new in a
        report is a vdev of its pool. Returns the name, with a number where several vdevs of a pool have the same: ZFS on Linux
        0.6 prints `mirror` for each of them.
        """
        if indent <= self._indent and (not self._is_tabbed or not self._names or name in self._names or self._pool == ""):
            if not self._reports.is_begun:
                self._reports.begin_output(number, command=self._command or self._context.command(number))
                self._names = {name}
                self._reports.begin_report(number)
            elif name in self._names or not self._names:
                self._names.clear()
                self._reports.begin_report(number)
            self._names.add(name)
            self._pool, self._parents, self._counts = name, [], {}
            return name
        while self._parents and self._parents[-1][0] >= indent:
            self._parents.pop()
        if _UNNUMBERED.match(name):
            count = self._counts[name] = self._counts.get(name, 0) + 1
            name = f"{name} {count}"
        self._parents.append((indent, name))
        return name


SERIES = SeriesReader(
    "zpool-iostat-series",
    2,
    Anchor(lazy(r"^ *(?:pool|name)[ \t]+(?:alloc|used)[ \t]+(?:free|avail)[ \t]+read[ \t]+write\b", re.M), "alloc|used")
    | Anchor(lazy(r"\bzpool iostat[^\S\n][^\n]{0,100}?-[a-zA-Z]{0,6}H"), "zpool iostat"),
    _ZpoolIostat,
    also_parsed=True,
)


# zpool iostat -w: requests by their latency. A point is the count of one class of latency in one report.
#
# The subject is the pool or vdev and the upper bound of the class. Source: zpool-iostat(8): with an interval, counts are of the
# interval; the first report counts since the pool was imported. K, M, G of counts are powers of 1024.

_HISTOGRAM_GROUPS = lazy(r"\s*(\S+)\s+total_wait\s+disk_wait((?:\s+\w+){0,8})\s*\Z")
_HISTOGRAM_TITLES = lazy(r"\s*latency\s+((?:(?:read|write|scrub|trim|rebuild)\s*){4,12})\Z")
_HISTOGRAM_COMMAND = lazy(r"(?:^|[#$%>] |\bsudo )zpool iostat\b")
_HISTOGRAM_RULE = lazy(r"\s*-{5,}(?:\s+-+)*\s*\Z")
_CLASS = lazy(r"\s*(\d{1,4}(?:ns|us|ms|s|m|h))((?:\s+(?:\d{1,18}(?:[.,]\d{1,2})?[KMGTPE]?|-)){4,12})\s*\Z")
_KINDS = {"total_wait": "total", "disk_wait": "disk", "syncq_wait": "sync", "asyncq_wait": "async"}


class _Histograms(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "zpool iostat", counted=("-c",))
        self._vdev = ""
        self._groups: list[str] = []
        self._columns: tuple[PointColumn, ...] = ()

    def leave(self) -> None:
        self._columns = ()

    def feed(self, line: str, number: int) -> int:
        if _HISTOGRAM_COMMAND.search(line) is not None:
            self._reports.end_output()
            self._vdev, self._columns = "", ()
            return SHARED
        if groups := _HISTOGRAM_GROUPS.match(line):
            self._vdev, self._groups = groups[1], ["total_wait", "disk_wait", *groups[2].split()]
            self._columns = ()
            return OWN
        if self._vdev and (titles := _HISTOGRAM_TITLES.match(line)):
            return self._titles(titles[1].split(), number)
        if self._columns and (row := _CLASS.match(line)):
            cells = row[2].split()
            if len(cells) != len(self._columns):
                self._reports.doubt(number, "short-row", f"{len(cells)} cells below {len(self._columns)} columns")
                return OWN
            self._reports.add(
                (self._vdev, row[1], self._columns), f"{self._vdev} {row[1]}", self._columns, number, cells, parse_count
            )
            return OWN
        if (stamp := parse_stamp(line.strip())) is not None:
            self._reports.take_stamp(stamp, number)
            return OWN if self._reports.is_begun else SHARED
        return OWN if self._vdev and _HISTOGRAM_RULE.match(line) else NOT_OWN

    def _titles(self, titles: list[str], number: int) -> int:
        columns = list[PointColumn]()
        pairs = [group for group in self._groups if group in _KINDS]
        for at, title in enumerate(titles):
            if title in ("read", "write") and at // 2 < len(pairs):
                columns.append(PointColumn(f"pool.{title}.wait.{_KINDS[pairs[at // 2]]}.count", f"{pairs[at // 2]} {title}"))
            elif title in ("scrub", "trim", "rebuild"):
                columns.append(PointColumn(f"pool.wait.{title}.count", title))
            else:
                self._reports.doubt(number, "unread", "a histogram with columns that are not known")
                return OWN
        self._columns = tuple(columns)
        self._reports.begin_report_of(self._vdev, number)
        return OWN


HISTOGRAM = SeriesReader("zpool-iostat-histograms", 1, Anchor(lazy(r"\btotal_wait[ \t]+disk_wait[ \t]"), "total_wait"), _Histograms)
