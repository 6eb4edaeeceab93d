"""lockstat of illumos, Solaris and FreeBSD: events of kernel locks by kind, lock and caller, a report for each call.

Several calls make a curve, at the times printed between them. Source: lockstat(8) of illumos, lockstat(1) of FreeBSD: nsec is the
mean time of an event in nanoseconds; indv and cuml are shares of the report and not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader, Shape
from ingest.records import Doubt, FoundSeries
from ingest.series._reports import Reports
from ingest.series._stamps import parse_stamp
from ingest.spill.points import PointColumn

_TITLE = lazy(r"(\w[\w /+-]{2,60}): (\d{1,15}) events in (\d{1,6}\.\d{1,3}) seconds(?: \((\d{1,15}) events/sec\))?\s*\Z")
_HEADER = lazy(r"\s*(?:Count|ops/s)\s+(?:indv\s+)?(?:genr\s+)?(?:cuml\s+)?(?:rcnt\s+)?(?:nsec\s+)?\S")
_ROW = lazy(r"\s*(\d{1,15})\s+(?:\d{1,3}%\s+){1,3}(\d{1,9}\.\d\d)\s+(\d{1,15})\s+(\S.{0,120}?)\s{1,40}(\S+)\s*\Z")
_RULE = lazy(r"-{20,}\s*\Z")
_KINDS = ("hold", "block", "spin")  # in this order: `Spin lock hold` is a hold time
_RATE = {kind: PointColumn(f"lock.{kind}.rate", "events/sec") for kind in ("spin", "block", "hold", "event")}
_OF_ROW = {
    kind: (PointColumn(f"lock.{kind}.count", "Count"), PointColumn(f"lock.{kind}.latency", "nsec", divisor=10**9)) for kind in _RATE
}


class _Lockstat:
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
        if _RULE.match(stripped):
            return OWN
        row = _ROW.match(line)
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

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._reports.finish()


SERIES = SeriesReader(
    "lockstat",
    1,
    Anchor(lazy(r"\d events in \d{1,6}\.\d{1,3} seconds"), "events in "),
    _Lockstat,
    (
        Shape(
            "reports of contention and hold times",
            "illumos, Solaris, FreeBSD",
            "nsec",
            "a point for each call; -R, -h are not read",
        ),
    ),
    "lockstat(8) of illumos, lockstat(1) of FreeBSD",
)
