"""One execution of ioping, in whichever form its output is, with the parameters that its command line gives (ioping.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.options import command_params, read_command
from ingest.plugin_api import CommandOptions
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents, json_fault_warnings

_SIZE = lazy(r"(\d+)((?i:k|m|g|t|sector|page|))(?i:i?b)?\Z")
_DEFAULT_SIZE, _LINEAR_SIZE = 4096, 256 * 1024  # bytes of a request (ioping.1, -s and -L)
_SIZE_FACTORS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "sector": 512, "page": 4096}
SPREAD_STATS = ("min", "mean", "max", "stddev")
_SWITCHES = {"-D": ("direct", "on"), "-C": ("access", "cached"), "-Y": ("sync_mode", "sync")}


@dataclass(slots=True)
class IopingRun:
    """One execution.

    `start`, `command_line`, `completed`: the lines of its first output, of its command and of its statistics, 0 if not shown.
    `directions`: those of its requests so far. `direction`: that of its command, later of its statistics; None if unknown,
    or if the command asks for both. `printed`: requests were printed one by one, also where all of them were for warming up.
    `times`: theirs, in seconds. `lines_since`: lines with text since `completed`. `configuration`: keys that the output states,
    each with its value and line.
    """

    start: int
    command: str | None = None
    command_line: int = 0
    directions: set[str] = field(default_factory=set)
    printed: bool = False
    times: list[float] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, tuple[Any, int]] = field(default_factory=dict)
    direction: str | None = None
    completed: int = 0
    lines_since: int = 0

    def total_direction(self, printed: str | None = None) -> str | None:
        """The direction of its statistics: `mixed` for both, else that which they print, or that of requests or command."""
        if len(self.directions) > 1 or (self.command is not None and self.direction is None):
            return "mixed"
        return printed or next(iter(self.directions), self.direction)

    def value(self, line: int, direction: str, quantity: str, native: str, number: PrintedNumber, *, stat: str = "sample") -> Value:
        """A value of this run; the pattern of requests is part of the metric where it is known to be random."""
        is_random = self.params.get("pattern") == "random" and direction in ("read", "write")
        depends = {self.command_line, self.start, self.completed, *(source for _, source in self.configuration.values())} - {
            0,
            line,
        }
        return Value(
            line=line,
            tool="ioping",
            metric=f"random_{direction}.{quantity}" if is_random else f"{direction}.{quantity}",
            native=native,
            value=number.value,
            unit=number.unit,
            raw=number.raw,
            raw_unit=number.raw_unit,
            run=self.start,
            stat=stat,
            params=dict(self.params),
            printed_config=dict(self.configuration),
            depends=tuple(sorted(depends)),
        )


def begin_run(start: int, command: str | None, command_line: int) -> IopingRun:
    """A run that begins on line `start`, with the parameters of its command; without one its pattern is unknown."""
    run = IopingRun(start, command, command_line)
    if command is None:
        run.params["pattern"] = "unknown"
        return run
    options = read_command("ioping", f"ioping {command}")
    is_linear = "-L" in options
    run.params |= {"command": f"ioping {command}", "pattern": "sequential" if is_linear else "random"}
    run.params |= command_params("ioping", f"ioping {command}")
    if size := _SIZE.match(options.get("-s", "")):
        run.params["block_size"] = int(size[1]) * _SIZE_FACTORS[size[2].lower()]
    elif "-s" not in options:
        run.params["block_size"] = _LINEAR_SIZE if is_linear else _DEFAULT_SIZE
    run.params |= {name: value for option, (name, value) in _SWITCHES.items() if option in options}
    if "-G" not in options:
        run.direction = "write" if "-W" in options else "read"
    return run


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output."""
    return [CommandOptions(begin_run(0, command.partition("ioping ")[2], 0).params)]


# ioping's raw statistics (-B, -p, -P).

RAW_ROW = lazy(r"^\s{0,8}((?:\d{1,19}[ \t]{1,4}){7}\d{1,19}(?:[ \t]{1,4}\d{1,19}[ \t]{1,4}\d{1,19})?)\s*$")
_BATCH = lazy(r"(?:^|\s)(?:-[A-Z]*B|-{1,2}batch\b)")
_PERIODS = lazy(r"(?:^|\s)(?:-[A-Zkq]*[pP]\b|-{1,2}print-(?:count|interval)\b)")
_NS_PER_SECOND = 10**9


def nanoseconds(raw: str) -> PrintedNumber:
    """A time in seconds that was printed in nanoseconds."""
    return PrintedNumber(float(raw) / _NS_PER_SECOND, "s", raw, "ns")


def read_raw_row(row: re.Match[str], number: int, current: IopingRun, lines: Sequence[str], command: str | None) -> Iterator[Found]:
    """The values of a row on line `number`. `current`: the run whose output it stands in."""
    words = row[1].split()
    cells = [int(word) for word in words]
    if not _is_consistent(cells):
        if command and (_BATCH.search(command) or _PERIODS.search(command)):
            code, why = ("unmeasured", "no request") if not cells[0] else ("bad-number", "columns that contradict each other")
            yield Doubt(number, code, f"a row of raw statistics with {why}; nothing in it was recorded")
        return
    if current.printed or (command and _is_total_of_periods(command, lines, number)):
        return  # its requests or periods are recorded
    run = begin_run(number, command, current.command_line)
    direction = run.total_direction()
    if direction is None:
        yield Doubt(number, "no-command", "neither the row nor a command shows whether it read or wrote")
        direction = "transfer"
    yield run.value(number, direction, "rate", "iops", PrintedNumber(float(cells[2]), "1/s", words[2], "1/s"))
    yield run.value(number, direction, "throughput", "bps", PrintedNumber(float(cells[3]), "B/s", words[3], "B/s"))
    for stat, word in zip(SPREAD_STATS, words[4:8], strict=True):
        yield run.value(number, direction, "latency", "min/avg/max/mdev", nanoseconds(word), stat=stat)


def _is_consistent(cells: list[int]) -> bool:
    """Whether mean and rate follow from requests and time, and no figure is outside of what the others allow."""
    count, time, rate, bytes_, least, mean, most, spread = cells[:8]
    if not count or not time or not least <= mean <= most or spread > most or bytes_ < rate:
        return False
    if len(cells) == 10 and (cells[8] < count or cells[9] < least):
        return False
    return abs(time / count - mean) <= 1 and abs(count * _NS_PER_SECOND / time - rate) <= 1


def _is_total_of_periods(command: str, lines: Sequence[str], number: int) -> bool:
    """Whether the row is the last of a run that prints its periods (-p, -P) and at its end all of them together (-B)."""
    if not (_BATCH.search(command) and _PERIODS.search(command)):
        return False
    next_line = next((line for line in lines[number : number + 3] if line.strip() and line != lines[number - 1]), "")
    return not RAW_ROW.match(next_line)


# ioping's JSON (-J): a list of objects with `io` (a request) or `stat` and `load`, times in nanoseconds (ioping.1).

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
        elif fs_type and fs_type.value in ("device", "block"):
            self.run.params["ioping.target"] = "device"


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
