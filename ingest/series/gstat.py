"""gstat -b of FreeBSD: queue, operations and throughput of GEOM providers; `dT` is the measured interval.

Source: gstat(8): kBps are KiB a second, ms/r, ms/w, ms/d, ms/o milliseconds.

Shapes of gstat (name | versions | units | traps):
    batch mode, also -d, -o, -s | FreeBSD 8 to 14 | kBps is 1024 bytes; ms | times are the sums of dT
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.records import Doubt, FoundSeries
from ingest.series._outputs import Outputs, parse_columns

_INTERVAL = lazy(r"dT:\s{1,3}(\d{1,6})\.(\d{3})s\s+w:\s")
_COLUMNS = (
    "L(q)=disk.queue ops/s=disk.rate r/s=disk.read.rate kBps.r=disk.read.throughput*1024 ms/r=disk.read.latency/1000 "
    "w/s=disk.write.rate kBps.w=disk.write.throughput*1024 ms/w=disk.write.latency/1000 d/s=disk.discard.rate "
    "kBps.d=disk.discard.throughput*1024 ms/d=disk.discard.latency/1000 o/s=disk.flush.rate ms/o=disk.other.latency/1000 "
    "%busy=disk.util kB.r=disk.read.request.size*1024 kB.w=disk.write.request.size*1024 kB.d=disk.discard.request.size*1024"
)


class _Gstat:
    def __init__(self, context: SeriesContext) -> None:
        self._outputs = Outputs(context, "gstat")
        self._columns: tuple[PointColumn, ...] = ()
        self._time = 0
        self._has_output = False

    def leave(self) -> None:
        self._columns, self._has_output = (), False

    def feed(self, line: str, number: int) -> int:
        if (interval := _INTERVAL.match(line.strip())) is not None:
            if not self._has_output:
                output = self._outputs.begin(number)
                output.ticks, self._time, self._has_output = 1000, 0, True
            self._time += int(interval[1] + interval[2])
            return OWN
        words = line.replace("|", " ").split()
        if words and words[0] == "L(q)" and words[-1] == "Name":
            return self._header(words[:-1], number)
        if not self._columns or not self._has_output or not words[0].isdecimal():
            return NOT_OWN
        count = len(self._columns)
        if len(words) <= count:
            self._outputs.doubt(number, "short-row", f"{len(words)} cells below a header of {count + 1}")
            return OWN
        name = " ".join(words[count:])
        table = self._outputs.table((name, self._columns), name, self._columns)
        if table is not None:
            table.add(self._time, number, words[:count])
        return OWN

    def _header(self, names: list[str], number: int) -> int:
        known, part, columns = parse_columns(_COLUMNS), "", list[PointColumn]()
        for name in names:
            part = name[0] if name in ("r/s", "w/s", "d/s", "o/s") else part
            column = known.get(name) or known.get(f"{name}.{part}")
            if column is None:
                self._outputs.doubt(number, "unread", f"the column {name} is not known; these rows are not read")
                self._columns = ()
                return OWN
            columns.append(column)
        self._columns = tuple(columns)
        return OWN

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._outputs.finish()


SERIES = SeriesReader("gstat", 1, Anchor(lazy(r"L\(q\)[ \t]+ops/s"), "l(q)"), _Gstat)
