"""iostat of illumos and Solaris: -x and -xn, with -e, -T; and the plain form with its columns for each disk.

Source: iostat(8) of illumos: kr/s and kw/s are KB of 1024 bytes, times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader, Shape
from ingest.records import Doubt, FoundSeries
from ingest.series._outputs import parse_columns
from ingest.series._reports import Reports
from ingest.series._stamps import parse_stamp
from ingest.spill.points import PointColumn

_TITLE = lazy(r"[\s|]*extended (?:device statistics|disk statistics)\b")
_COLUMNS = (
    "r/s=disk.read.rate w/s=disk.write.rate kr/s=disk.read.throughput*1024 kw/s=disk.write.throughput*1024 "
    "Mr/s=disk.read.throughput*1048576 Mw/s=disk.write.throughput*1048576 wait=disk.queue.waiting actv=disk.queue.active "
    "wsvc_t=disk.wait.time/1000 asvc_t=disk.service.time/1000 svc_t=disk.latency/1000 %w=disk.wait.share %b=disk.util "
    "s/w=disk.error.soft.count h/w=disk.error.hard.count trn=disk.error.transport.count tot=disk.error.count"
)
_NAMES = frozenset(("device", "disk"))
_NEEDED = frozenset(("r/s", "w/s", "wait", "actv"))


class _Iostat:
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
        if _TITLE.match(line):
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
        if len(figures) == self._count - 1 and all(map(_is_figure, figures)):
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
        if sum(map(_is_figure, words)) > len(words) // 2 > 1:
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

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._reports.finish()


def _is_figure(word: str) -> bool:
    return word.replace(".", "", 1).isdecimal()


SERIES = SeriesReader(
    "iostat-illumos",
    1,
    Anchor(lazy(r"\bwait[ \t]+actv\b"), "actv"),
    _Iostat,
    (Shape("-x, -xn, -xne, with -T d and -T u", "Solaris 10, 11, illumos", "KB is 1024 bytes; ms", "first report since boot"),),
    "iostat(8) of illumos",
)
