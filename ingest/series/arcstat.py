"""arcstat of OpenZFS: hits, misses and size of the ARC, a row an interval.

Source: cmd/arcstat of OpenZFS: counts are divided by the interval; counts scale by 1000, sizes by 1024; the first row counts since
the module was loaded.

Shapes of arcstat (name | versions | units | traps):
    default and chosen fields | OpenZFS 0.6 to 2.3 | counts 1000, sizes 1024 | first row since the module was loaded
"""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader
from ingest.points import CellParser, Number, PointColumn, parse_number
from ingest.series._clock import ReportTime, seconds_of
from ingest.series._outputs import ReportReader, Reports, parse_columns

_KINDS = {"": "arc", "d": "arc.demand", "p": "arc.prefetch", "m": "arc.metadata", "l2": "arc.l2"}
_COLUMNS = " ".join(
    [
        *(
            f"{short}{name}={prefix}.{metric}"
            for short, prefix in _KINDS.items()
            for name, metric in (
                ("read", "read.rate"),
                ("hits", "hit.rate"),
                ("hit", "hit.rate"),
                ("miss", "miss.rate"),
                ("mis", "miss.rate"),
                ("hit%", "hit.share"),
                ("h%", "hit.share"),
                ("miss%", "miss.share"),
                ("m%", "miss.share"),
            )
        ),
        "arcsz=arc.size size=arc.size c=arc.target.size avail=arc.available free=memory.free mfu=arc.mfu.rate mru=arc.mru.rate "
        "mfug=arc.mfu.ghost.rate mrug=arc.mru.ghost.rate l2size=arc.l2.size l2asize=arc.l2.allocated.size "
        "l2bytes=arc.l2.read.throughput dread=arc.demand.read.rate pread=arc.prefetch.read.rate "
        "ddread=arc.demand.data.read.rate ddh%=arc.demand.data.hit.share dmread=arc.demand.metadata.read.rate "
        "dmh%=arc.demand.metadata.hit.share",
    ]
)
_SCALED = lazy(r"(\d{1,12}(?:\.\d{1,2})?)([KMGTPE])\Z")


def _parser(base: int) -> CellParser:
    def parse(cell: str) -> Number | None:
        match = _SCALED.match(cell)
        if not match:
            return parse_number(cell)
        digits, decimals = parse_number(match[1]) or (0, 0)
        return digits * base ** ("KMGTPE".index(match[2]) + 1), decimals

    return parse


_parse_count, _parse_size = _parser(1000), _parser(1024)
_SIZES = ("size", "available", "memory.free", "throughput")


class _Arcstat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "arcstat")
        self._names: tuple[str, ...] = ()
        self._columns: tuple[PointColumn, ...] = ()
        self._positions: tuple[int, ...] = ()

    def leave(self) -> None:
        self._names = ()
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        if "time" in words and any(word.endswith("%") or word in ("arcsz", "size") for word in words):
            return self._header(tuple(words), number)
        if not self._names:
            return NOT_OWN
        time = self._names.index("time")
        seconds = seconds_of(words[time]) if time < len(words) else None
        if seconds is None:
            self.leave()
            return NOT_OWN
        if len(words) != len(self._names):
            code = "short-row" if len(words) < len(self._names) else "long-row"
            self._reports.doubt(number, code, f"{len(words)} cells below a header of {len(self._names)}")
            return OWN
        self._reports.take_stamp(ReportTime(None, seconds))
        self._reports.begin_report(number)
        self._reports.add(self._names, "", self._columns, number, [words[index] for index in self._positions])
        return OWN

    def _header(self, names: tuple[str, ...], number: int) -> int:
        known = parse_columns(_COLUMNS)
        if not any(name in known for name in names):
            return NOT_OWN
        if not self._reports.is_begun or names != self._names:
            self._reports.begin_output(number)
            unknown = [name for name in names if name not in known and name != "time"]
            if unknown:
                self._reports.doubt(number, "unread", f"columns that are not known: {', '.join(unknown)[:200]}")
        self._positions = tuple(index for index, name in enumerate(names) if name in known)
        self._columns = tuple(
            known[names[index]]._replace(parse=_parse_size if known[names[index]].metric.endswith(_SIZES) else _parse_count)
            for index in self._positions
        )
        self._names = names
        return OWN


SERIES = SeriesReader(
    "arcstat", 1, Anchor(lazy(r"\btime\b[^\n]{0,80}(?:\bmiss%|\bddh%|\barcsz\b|\bhit%)"), "miss%|ddh%|arcsz|hit%"), _Arcstat
)
