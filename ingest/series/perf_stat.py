"""perf stat -I: counts of events in each interval, as text and with -x.

Source: perf-stat(1): time in seconds since the begin, count, unit, event; `<not counted>` and `<not supported>` are no numbers.

Shapes of perf-stat (name | versions | units | traps):
    -I, with and without -x | perf 3.10 to 6 | counts in the interval; msec | time since the begin of perf
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.records import Doubt, FoundSeries
from ingest.series._outputs import Outputs

_TITLE = lazy(r"#\s+time\s+(?:\S+\s+)?counts\s+unit\s+events\s*\Z")
_ROW = lazy(r"\s*(\d{1,9})\.(\d{9})\s+(<not \w+>|[\d.,']{1,30})\s+(?:(msec|nsec|usec|Joules|MiB)\s+)?(\S{1,200})(?:\s.*)?\Z")
_CSV = lazy(r"\s*(\d{1,9})\.(\d{9})([,;|])(<not \w+>|[\d.]{1,30})\3(msec|nsec|usec|)\3([^,;|]{1,200})\3")
_GROUPED = lazy(r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?\Z")
_UNITS = {"msec": 10**3, "usec": 10**6, "nsec": 10**9}
_TICKS = 10**9


class _PerfStat:
    def __init__(self, context: SeriesContext) -> None:
        self._outputs = Outputs(context, "perf stat")
        self._in_rows = False
        self._last = 0

    def leave(self) -> None:
        self._in_rows = False

    def feed(self, line: str, number: int) -> int:
        if _TITLE.match(line):
            if not self._in_rows:
                self._begin(number)
            return OWN
        if csv := _CSV.match(line):
            seconds, fraction, _, count, unit, event = csv.groups()
        elif self._in_rows and (row := _ROW.match(line)):
            seconds, fraction, count, unit, event = row.groups()
        else:
            return NOT_OWN
        time = int(seconds) * _TICKS + int(fraction)
        if not self._in_rows or time < self._last:
            self._begin(number)
        self._last = time
        if count.startswith("<"):
            return OWN
        if unit and unit not in _UNITS:
            self._outputs.doubt(number, "unknown-unit", f"{event}: the unit {unit} is not known here")
            return OWN
        if _GROUPED.match(count):
            count = count.replace(",", "").replace("'", "")
        metric = "perf.event.time" if unit else "perf.event.count"
        column = PointColumn(metric, event, 1, _UNITS[unit] if unit else 1)
        table = self._outputs.table((event, metric), event, (column,))
        if table is not None:
            table.add(time, number, (count,))
        return OWN

    def _begin(self, number: int) -> None:
        output = self._outputs.begin(number)
        output.ticks, output.began, self._in_rows, self._last = _TICKS, 0, True, 0

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._outputs.finish()


SERIES = SeriesReader(
    "perf-stat",
    1,
    Anchor(lazy(r"#[ \t]+time[ \t]+(?:\S+[ \t]+)?counts[ \t]+unit[ \t]+events"), "counts unit events|counts")
    | Anchor(lazy(r"\d\.\d{9}[,;|][^,;|\n]{1,30}[,;|](?:msec|nsec|usec)?[,;|][\w./:-]{2,60}[,;|]"), ".000000000"),
    _PerfStat,
)
