"""zpool iostat -w: requests by their latency. A point is the count of one class of latency in one report.

The subject is the pool or vdev and the upper bound of the class. Source: zpool-iostat(8): with an interval, counts are of the
interval; the first report counts since the pool was imported. K, M, G of counts are powers of 1024.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader, Shape
from ingest.records import Doubt, FoundSeries
from ingest.series._reports import Reports
from ingest.series._stamps import parse_stamp
from ingest.series.zpool_iostat import parse_count
from ingest.spill.points import PointColumn

_GROUPS = lazy(r"\s*(\S+)\s+total_wait\s+disk_wait((?:\s+\w+){0,8})\s*\Z")
_TITLES = lazy(r"\s*latency\s+((?:(?:read|write|scrub|trim|rebuild)\s*){4,12})\Z")
_COMMAND = lazy(r"(?:^|[#$%>] |\bsudo )zpool iostat\b")
_RULE = lazy(r"\s*-{5,}(?:\s+-+)*\s*\Z")
_CLASS = lazy(r"\s*(\d{1,4}(?:ns|us|ms|s|m|h))((?:\s+(?:\d{1,18}(?:[.,]\d{1,2})?[KMGTPE]?|-)){4,12})\s*\Z")
_KINDS = {"total_wait": "total", "disk_wait": "disk", "syncq_wait": "sync", "asyncq_wait": "async"}


class _Histograms:
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "zpool iostat", counted=("-c",))
        self._vdev = ""
        self._groups: list[str] = []
        self._columns: tuple[PointColumn, ...] = ()

    def leave(self) -> None:
        self._columns = ()

    def feed(self, line: str, number: int) -> int:
        if _COMMAND.search(line) is not None:
            self._reports.end_output()
            self._vdev, self._columns = "", ()
            return SHARED
        if groups := _GROUPS.match(line):
            self._vdev, self._groups = groups[1], ["total_wait", "disk_wait", *groups[2].split()]
            self._columns = ()
            return OWN
        if self._vdev and (titles := _TITLES.match(line)):
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
        return OWN if self._vdev and _RULE.match(line) else NOT_OWN

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

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._reports.finish()


SERIES = SeriesReader(
    "zpool-iostat-histograms",
    1,
    Anchor(lazy(r"\btotal_wait[ \t]+disk_wait[ \t]"), "total_wait"),
    _Histograms,
    (
        Shape(
            "-w with an interval",
            "OpenZFS 0.7 to 2.3",
            "counts; K, M, G are powers of 1024",
            "the first report counts since the import; histograms of request sizes (-r) are no series",
        ),
    ),
    "zpool-iostat(8) of OpenZFS",
)
