"""ioping's JSON (-J): a list of objects with `io` (a request) or `stat` and `load`, times in nanoseconds (ioping.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber, json_fault_warnings
from ingest.parsers.disks._ioping_run import SPREAD_STATS, IopingRun, begin_run, nanoseconds
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents

JSON_KEYS = ('"ignored"', '"mdev"')
_ZONE = lazy(r"([+-]\d\d)(\d\d)\Z")
_STATISTICS = ("iops", "bps", "min", "avg", "max", "mdev")


def read_json(text: Text, commands: Sequence[tuple[int, str]]) -> Iterator[Found]:
    """The values of every JSON output. `commands`: line and words of each ioping command that the text shows."""
    scan = _JsonScan(text, commands)
    for document in find_documents(text, "timestamp"):
        yield from scan.read_document(document)
    if scan.run.start and not scan.statistics_line:
        yield Doubt(scan.last, "cut", f"the run that begins on line {scan.run.start} ends without its statistics")


@dataclass(slots=True)
class _JsonScan:
    """One pass over the objects. A run ends with its statistics, or where the path changes or a command stands between.

    `last`: last line of the object before. `statistics_line`: that of the run's statistics, `previous_end`: of the run before's.
    """

    text: Text
    commands: Sequence[tuple[int, str]]
    request_lines: list[int] = field(default_factory=list)
    run: IopingRun = field(default_factory=lambda: IopingRun(0))
    path: str | None = None
    previous_end: int = 0
    statistics_line: int = 0
    last: int = 0

    def __post_init__(self) -> None:
        self.request_lines = [number for number, line in enumerate(self.text.lines, 1) if '"request"' in line]

    def read_document(self, document: LocatedDocument) -> Iterator[Found]:
        root = document.root
        if not root.get("target", "path") or not (root.get("io") or root.get("stat")):
            if root.get("target", "path") or root.get("io", "request") or root.get("stat", "mdev"):
                yield Doubt(root.line, "short-row", "an object of ioping without target, request or statistics; not recorded")
            return
        self._enter_run(root)
        if root.get("io"):
            yield from _request(self.run, document)
        else:
            self.run.printed = any(self.previous_end < line <= document.last for line in self.request_lines)
            yield from _statistics(self.run, document)
            self.statistics_line = document.last
        yield from json_fault_warnings(document)
        self.last = document.last

    def _enter_run(self, root: LocatedValue) -> None:
        """Begin another run if the object is not of the current one, and take the file system that the object names."""
        command_line, command = next((shown for shown in reversed(self.commands) if shown[0] <= root.line), (0, None))
        path = root.text("target", "path")
        if self.statistics_line or not self.run.start or path != self.path or command_line > self.run.start:
            self.run = begin_run(root.line, command, command_line)
            self.path, self.previous_end, self.statistics_line = path, self.statistics_line, 0
        fs_type = root.get("target", "fstype")
        if fs_type and isinstance(fs_type.value, str) and fs_type.value not in ("", "device", "block"):
            self.run.configuration["fs.type"] = (fs_type.value, fs_type.line)


def _request(run: IopingRun, document: LocatedDocument) -> Iterator[Found]:
    root = document.root
    clock, ignored = root.get("io", "time"), root.get("io", "ignored")
    size, direction, count = root.text("io", "size"), root.text("io", "operation"), root.get("io", "request")
    if clock is None or ignored is None or count is None or direction not in ("read", "write") or not _is_integer(clock.raw):
        yield Doubt(root.line, "short-row", "a request without its number, operation, time or mark; not recorded")
        return
    run.directions.add(direction)
    if size and _is_integer(size):
        run.params["block_size"] = int(size)
    ordinal = root.text("io", "request")
    if ignored.value is True:
        if run.times or ordinal != "1":
            yield Doubt(clock.line, "unmeasured", f"ioping leaves request {ordinal} out of its statistics")
        return
    latency = nanoseconds(clock.raw)
    run.times.append(latency.value)
    yield _locate(run.value(clock.line, direction, "latency", f"request={ordinal} time", latency), run, document)


def _statistics(run: IopingRun, document: LocatedDocument) -> Iterator[Found]:
    root = document.root
    cells = [cell for name in _STATISTICS if (cell := root.get("stat", name)) and isinstance(cell.value, float)]
    if len(cells) < len(_STATISTICS) or root.get("stat", "count") is None:
        yield Doubt(root.line, "short-row", "some values of these statistics are missing; none were recorded")
        return
    direction = run.total_direction()
    if direction is None:
        yield Doubt(root.line, "no-command", "neither the requests nor a command show whether it read or wrote")
        direction = "transfer"
    rate, bandwidth, *spread = cells
    number = PrintedNumber(float(rate.raw), "1/s", rate.raw, "1/s")
    values = [_locate(run.value(rate.line, direction, "rate", "iops", number), run, document)]
    number = PrintedNumber(float(bandwidth.raw), "B/s", bandwidth.raw, "B/s")
    values.append(_locate(run.value(bandwidth.line, direction, "throughput", "bps", number), run, document))
    if root.text("stat", "count") == "0":
        yield from (MissingValue.instead_of(value, NOT_FINISHED) for value in values)
        yield Doubt(root.line, "unmeasured", "no request completed, so there are no statistics")
        return
    yield from values
    if run.printed:
        mean = sum(run.times) / max(1, len(run.times))
        if run.times and abs(mean - nanoseconds(spread[1].raw).value) > 0.01 * mean:
            yield Doubt(spread[1].line, "disagree", f"an average of {spread[1].raw} ns, the requests above make {mean:g} s")
        return
    for stat, cell in zip(SPREAD_STATS, spread, strict=True):
        value = run.value(cell.line, direction, "latency", "min/avg/max/mdev", nanoseconds(cell.raw), stat=stat)
        yield _locate(value, run, document)


def _locate(value: Value, run: IopingRun, document: LocatedDocument) -> Value:
    """The value with the time of its object, and with the lines of the object, of statistics those of the whole run."""
    first = run.start if document.root.get("stat") else document.root.line
    value.depends = tuple(sorted({*value.depends, *range(first, document.last + 1)} - {int(value.line)}))
    local_time = document.root.text("localtime")
    value.started_at = _ZONE.sub(r"\1:\2", local_time) if local_time else None
    return value


def _is_integer(raw: str) -> bool:
    return raw.isdecimal() and raw.isascii()
