"""The logs of fio: bandwidth, IOPS and latencies over the time of a job, one file for each kind and job.

Sources: fio's documentation, "Log File Formats": time in ms since the job began, value, direction (0 read, 1 write, 2 trim),
block size, then offset or priority. Bandwidth is KiB/s. Latencies are ns since fio 3.0 (2.99), microseconds before; the log
does not print the version: it is taken from fio's output in the same folder, or from what only newer versions print.

Shapes of fio-logs (name | versions | units | traps):
    _bw, _iops, _lat, _clat, _slat logs, of every I/O or averaged, with offset, priority, issue time | fio 2, fio 3 | KiB/s;
        1/s; latency ns since 3.0, before µs | where neither a newer form nor fio's output beside it prints the version,
        latencies are not recorded

Source: fio's documentation, Log File Formats
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn, PointTable
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import from_epoch
from ingest.series._outputs import Outputs

_NAME = lazy(r"(?:(?P<job>.*?)[_.-])?(?P<kind>bw|iops|slat|clat|lat)(?:\.(?P<number>\d{1,6}))?(?:\.log|\.txt|\.csv)?\Z")
_ROW = lazy(r"\s*(\d{1,16}), ?(\d{1,18}), ?([012]), ?(\d{1,12})((?:, ?(?:0x)?[\da-fA-F]{1,20}){0,3})\s*\Z")
_BOTH = lazy(r"\s*(\d{1,16}), ?(\d{1,18}), ?\d{1,18}, ?([012]), ?(\d{1,12})((?:, ?(?:0x)?[\da-fA-F]{1,20}){2,3})\s*\Z")
_NEARLY = lazy(r"\s*\d{1,16}, ?\S")
_DIRECTIONS = ("read", "write", "trim")
_METRICS = {
    "bw": ("throughput", 1024, 1),
    "iops": ("rate", 1, 1),
    "slat": ("submission.latency", 1, 10**9),
    "clat": ("completion.latency", 1, 10**9),
    "lat": ("latency", 1, 10**9),
}
_MAX_HELD = 1000  # rows
_EPOCH = 10**12  # ms: a Unix time, of log_unix_epoch
_TICKS = 1000


class _FioLog:
    def __init__(self, context: SeriesContext) -> None:
        self._outputs = Outputs(context, "fio")
        match = _NAME.match(context.name)
        assert match is not None  # the file's name matched
        self._kind = match["kind"]
        self._subject = ".".join(part for part in (match["job"], match["number"]) if part)
        self._tables: dict[str, PointTable | None] = {}
        self._is_new = False  # whether only fio 3 prints such rows
        self._is_epoch = False
        self._has_priority = True  # whether the fifth field of every row can be one
        self._rows = 0
        self._columns = 0
        self._has_greatest: bool | None = None  # None: the rows so far may be of either form
        self._held: list[tuple[str, int]] = []  # those rows, with their lines

    def leave(self) -> None:
        """Nothing is pending between rows."""

    def feed(self, line: str, number: int) -> int:
        if self._has_greatest is None:
            is_row, is_both = _ROW.match(line) is not None, _BOTH.match(line) is not None
            if is_row and is_both and len(self._held) < _MAX_HELD:
                self._held.append((line, number))
                return OWN
            if is_row or is_both:
                self._decide(is_both and not is_row, number)
        return self._feed_row(line, number)

    def _decide(self, has_greatest: bool, number: int) -> None:
        """Read the rows held back: with log_window_value=both the greatest value of each window stands after the average."""
        self._has_greatest = has_greatest
        if has_greatest:
            self._outputs.doubt(number, "unread", "log_window_value=both: the greatest value of each window is not read.")
        held, self._held = self._held, []
        for line, number_held in held:
            self._feed_row(line, number_held)

    def _feed_row(self, line: str, number: int) -> int:
        row = (_BOTH if self._has_greatest else _ROW).match(line)
        if row is None:
            if (self._rows or self._held) and _NEARLY.match(line):
                self._outputs.doubt(number, "short-row", "a row that is not time, value, direction and block size")
                return OWN
            return NOT_OWN
        self._rows += 1
        more = row[5].count(",")
        if self._rows == 1:
            output = self._outputs.begin(number)
            output.ticks = _TICKS
            self._is_epoch = int(row[1]) >= _EPOCH
            output.began = None if self._is_epoch else 0
            self._columns = more
            if self._is_epoch:
                output.start = lambda time: from_epoch(time // _TICKS, time % _TICKS * 1000)
        if more != self._columns:
            code = "short-row" if more < self._columns else "long-row"
            self._outputs.doubt(number, code, f"{4 + more} fields where other rows have {4 + self._columns}")
            return OWN
        # No I/O takes longer than the job so far, of which whole ms are printed: as microseconds, such a latency would.
        self._is_new |= more > 1 or "0x" in row[5] or (self._kind.endswith("lat") and int(row[2]) > (int(row[1]) + 1) * 1000)
        self._has_priority &= row[5][1:].strip() in ("0", "1")
        direction = row[3]
        if direction not in self._tables:
            name, multiplier, divisor = _METRICS[self._kind]
            column = PointColumn(f"io.{_DIRECTIONS[int(direction)]}.{name}", self._kind, multiplier, divisor)
            self._tables[direction] = self._outputs.table(direction, self._subject, (column,))
        table = self._tables[direction]
        if table is not None:
            table.add(int(row[1]), number, (row[2],))
        return OWN

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        if self._held:
            self._decide(False, self._held[0][1])
        is_open = self._kind.endswith("lat") and not self._is_new and not self._is_epoch
        if is_open and self._has_priority:
            is_open = False
            message = "fio's version is not shown; the fifth field is read as the priority, which fio 3 prints: latencies are ns."
            self._outputs.doubt(self._outputs.current.line, "unknown-version", message)
        for item in self._outputs.finish():
            if is_open and isinstance(item, FoundSeries):
                item.unit_tool = "fio"
            yield item


SERIES = SeriesReader(
    "fio-logs",
    3,
    Anchor(lazy(r"^[ \t]*\d{1,16}, ?\d{1,18}, ?\d, ?\d{1,12}(?:,|[ \t]*$)", 8), "0, 0|0,0,0")
    | Anchor(lazy(r"^[ \t]*\d{1,16}, \d{1,18}, \d{1,18}, \d, \d{1,12}(?:,|[ \t]*$)", 8), "0, 0"),
    _FioLog,
    names=_NAME,
)
