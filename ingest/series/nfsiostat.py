"""nfsiostat of nfs-utils: operations of each NFS mount; the first report counts since the mount.

Source: nfsiostat(8), nfs-iostat.py: kB are 1024 bytes, times milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, Anchor, SeriesContext, SeriesReader, Shape
from ingest.records import Doubt, FoundSeries
from ingest.series._reports import Reports
from ingest.spill.points import PointColumn

_MOUNT = lazy(r"(\S{1,300}:\S{1,300}) mounted on (\S{1,300}):\s*\Z")
_TITLES = lazy(r"(read|write):\s+(?:ops/s|kB/s)\b")
_NAMES = lazy(r"ops/s|kB/s|kB/op|retrans|avg RTT \(ms\)|avg exe \(ms\)|avg queue \(ms\)|errors")
_METRICS = {
    "ops/s": ("rate", 1, 1),
    "kB/s": ("throughput", 1024, 1),
    "kB/op": ("request.size", 1024, 1),
    "avg RTT (ms)": ("round_trip.latency", 1, 1000),
    "avg exe (ms)": ("latency", 1, 1000),
    "avg queue (ms)": ("queue.latency", 1, 1000),
}
_PERCENT = lazy(r"\s*\(\d+(?:\.\d+)?%\)")


class _Nfsiostat:
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
            self._pending, self._names = titles[1], _NAMES.findall(stripped)
            return OWN
        figures = _PERCENT.sub("", stripped).split()
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

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._reports.finish()


SERIES = SeriesReader(
    "nfsiostat",
    1,
    Anchor(lazy(r"\S:\S+ mounted on \S+:[ \t]*$", 8), " mounted on "),
    _Nfsiostat,
    (Shape("default form", "nfs-utils 1.2 to 2.6", "kB is 1024 bytes; ms", "first report since the mount"),),
    "nfsiostat(8) of nfs-utils",
)
