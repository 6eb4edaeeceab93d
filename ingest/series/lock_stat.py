"""/proc/lock_stat of Linux: contentions, acquisitions and times of each class of locks, counted since they were reset.

A single report is no curve; several are, at the times printed between them. Source: Documentation/locking/lockstat.rst of Linux:
all times are microseconds.

Shapes of lockstat (name | versions | units | traps):
    reports of contention and hold times | illumos, Solaris, FreeBSD | nsec | a point for each call; -R, -h are not read

Shapes of lock-stat (name | versions | units | traps):
    /proc/lock_stat, several times | Linux 2.6.23 to 6 | microseconds | counters since the last reset; one alone is no curve

Source of lockstat: lockstat(8) of illumos, lockstat(1) of FreeBSD
Source of lock-stat: Documentation/locking/lockstat.rst of Linux
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import parse_stamp
from ingest.series._outputs import ReportReader, Reports, parse_columns

# lockstat of illumos, Solaris and FreeBSD: events of kernel locks by kind, lock and caller, a report for each call.
#
# Several calls make a curve, at the times printed between them. Source: lockstat(8) of illumos, lockstat(1) of FreeBSD: nsec is
# the mean time of an event in nanoseconds; indv and cuml are shares of the report and not recorded.

_TITLE = lazy(r"(\w[\w /+-]{2,60}): (\d{1,15}) events in (\d{1,6}\.\d{1,3}) seconds(?: \((\d{1,15}) events/sec\))?\s*\Z")
_HEADER = lazy(r"\s*(?:Count|ops/s)\s+(?:indv\s+)?(?:genr\s+)?(?:cuml\s+)?(?:rcnt\s+)?(?:nsec\s+)?\S")
_LOCKSTAT_ROW = lazy(r"\s*(\d{1,15})\s+(?:\d{1,3}%\s+){1,3}(\d{1,9}\.\d\d)\s+(\d{1,15})\s+(\S.{0,120}?)\s{1,40}(\S+)\s*\Z")
_LOCKSTAT_RULE = lazy(r"-{20,}\s*\Z")
_KINDS = ("hold", "block", "spin")  # in this order: `Spin lock hold` is a hold time
_RATE = {kind: PointColumn(f"lock.{kind}.rate", "events/sec") for kind in ("spin", "block", "hold", "event")}
_OF_ROW = {
    kind: (PointColumn(f"lock.{kind}.count", "Count"), PointColumn(f"lock.{kind}.latency", "nsec", divisor=10**9)) for kind in _RATE
}


class _Lockstat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "lockstat", has_boot_report=False, has_interval=False)
        self._event = self._kind = ""
        self._is_counted = True  # whether the rows have counts, not rates (-R)

    def leave(self) -> None:
        self._event = ""

    def feed(self, line: str, number: int) -> int:
        stripped = line.strip()
        if title := _TITLE.match(stripped):
            return self._title(title[1], title[4], number)
        if (stamp := parse_stamp(stripped)) is not None:
            self._reports.take_stamp(stamp, number)
            return OWN if self._reports.is_begun else SHARED
        if not self._event:
            return NOT_OWN
        if _HEADER.match(line):
            self._is_counted = stripped.startswith("Count") and "nsec" in stripped
            return OWN
        if _LOCKSTAT_RULE.match(stripped):
            return OWN
        row = _LOCKSTAT_ROW.match(line)
        if row is None:
            return NOT_OWN
        if self._is_counted:
            subject = f"{row[4]} {row[5]}"
            self._reports.add((self._event, subject), f"{self._event}/{subject}", _OF_ROW[self._kind], number, [row[1], row[3]])
        return OWN

    def _title(self, event: str, rate: str | None, number: int) -> int:
        self._reports.begin_report_of(event, number)
        self._event = event
        self._kind = next((kind for kind in _KINDS if kind in event.lower()), "event")
        if rate is not None:
            self._reports.add((event, ""), event, (_RATE[self._kind],), number, [rate])
        return OWN


LOCKSTAT = SeriesReader("lockstat", 1, Anchor(lazy(r"\d events in \d{1,6}\.\d{1,3} seconds"), "events in "), _Lockstat)


_COLUMNS = (
    "con-bounces=lock.contention.bounce.total contentions=lock.contention.total waittime-min=lock.wait.least.time/1000000 "
    "waittime-max=lock.wait.greatest.time/1000000 waittime-total=lock.wait.time/1000000 "
    "waittime-avg=lock.wait.average.time/1000000 acq-bounces=lock.acquisition.bounce.total acquisitions=lock.acquisition.total "
    "holdtime-min=lock.hold.least.time/1000000 holdtime-max=lock.hold.greatest.time/1000000 "
    "holdtime-total=lock.hold.time/1000000 holdtime-avg=lock.hold.average.time/1000000"
)
_ROW = lazy(r"\s*(\S(?:.{0,200}?\S)?):((?:\s+\d{1,18}(?:\.\d{1,3})?){8,12})\s*\Z")
_VERSION = lazy(r"lock_stat version \d")
_RULE = lazy(r"\s*-{5,}\s*\Z")
_PLACE = lazy(r"\s*\S.{0,200}\s\d{1,18}\s+\[<[0-9a-fx]+>\]")  # who contended: only shown


class _LockStat:
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "lock_stat", has_boot_report=False)
        self._names: tuple[str, ...] = ()
        self._line = 0  # of the first report
        self._count = 0

    def leave(self) -> None:
        self._names = ()

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        if words[:2] == ["class", "name"] and "contentions" in words:
            return self._header(tuple(words[2:]), number)
        if self._names and (row := _ROW.match(line)):
            figures = row[2].split()
            if len(figures) != len(self._names):
                self._reports.doubt(number, "short-row", f"{len(figures)} cells below a header of {len(self._names)}")
                return OWN
            columns = tuple(parse_columns(_COLUMNS)[name] for name in self._names)
            self._reports.add(row[1], row[1], columns, number, figures)
            return OWN
        if (stamp := parse_stamp(line.strip())) is not None:
            self._reports.take_stamp(stamp, number)
            return OWN if self._reports.is_begun else SHARED
        if self._names and (_RULE.match(line) or _PLACE.match(line)):
            return OWN
        return OWN if _VERSION.match(line) else NOT_OWN

    def _header(self, names: tuple[str, ...], number: int) -> int:
        known = parse_columns(_COLUMNS)
        if any(name not in known for name in names):
            return NOT_OWN
        if not self._reports.is_begun:
            self._reports.begin_output(number)
        self._names = names
        self._line = self._line or number
        self._count += 1
        self._reports.begin_report(number)
        return OWN

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        if self._count == 1:
            message = "A single report of /proc/lock_stat counts since its reset: it is no curve, and its figures are not recorded."
            yield Doubt(self._line, "unread", message)
        elif self._count:
            yield from self._reports.finish()


SERIES = SeriesReader("lock-stat", 1, Anchor(lazy(r"class name[ \t]+con-bounces[ \t]+contentions"), "con-bounces"), _LockStat)
