"""ioping: the latency of single requests, and its closing statistics of them.

    4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=3.98 ms
    3 requests completed in 4.29 ms, 12 KiB read, 699 iops, 2.73 MiB/s
    min/avg/max/mdev = 121.6 us / 1.43 ms / 3.98 ms / 1.80 ms

Up to 0.9 a request reads `4.0 kb from . (ext4 /dev/sda1): request=1 time=0.2 ms` and the last line `= 0.1/0.2/0.3/0.1 ms`.
Requests stand at random offsets unless -L is given. Latencies of printed requests are the repetitions: then the last
line is checked and not recorded. Warm-up requests are not recorded (ioping.1, -a), nor are those that -t and -T leave
out of the statistics; `(fast)` and `(slow)` only mark requests far from the average.

Shapes of ioping (name | versions | units | traps):
    requests and statistics | 0.6 to 1.3 | KiB, kb = 1024 B; k of iops = 1000; ns to s | warm-up, too fast and too slow requests
        are left out; `generated` is the requested pace
    raw statistics (-B, -p, -P) | 0.7 to 1.3 | ns, B/s | a row is read where its columns confirm each other
    JSON (-J) | 1.2 and 1.3 | ns, B/s | an ignored request is not counted
    statistics alone (-q, -R) | 0.6 to 1.3 | as above | min, avg, max and mdev are recorded only here
    nench.sh, one line of a run | all | as above | its line of generated requests is that of completed ones: it sends them at once

Source: ioping.1 and ioping.c (print_size and print_int of the output) of ioping 1.3
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber, to_base_unit
from ingest.options import command_params, read_command
from ingest.plugin_api import Anchor, CommandOptions, CommandReader, Parser
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents, json_fault_warnings

_NUMBER = r"(\d+(?:\.\d+)?)"
_TIME = r"(\d+(?:\.\d+)?) ?(ns|us|ms|s|min|hour)"
_SIZE = r"(\d+(?:\.\d+)?) ?([KMGT]iB|[kmgt]b|bytes|B)"
_COMMAND = lazy(r"(?:(?:^|[\s;|&(/])ioping\s+(?=-)|(?:^|[$#%>;|&]\s*|sudo\s+)ioping\s+(?=[./~$]))([^\n|>]{1,300})")
_EDGE = r"^[\s>|#/*]*(?:[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d )?"  # quoted, in a comment, or after the time of -I
_REQUEST = lazy(
    rf"{_EDGE}{_SIZE} (<<<|>>>|from|to) ([^\n]{{1,300}}): (?:ioping )?request=(\d+) time={_TIME}"
    r"(?: \((warmup|too fast|too slow|fast|slow)\))?\s*$"
)
_CUT_LINE = lazy(r"(?:<<<|>>>|from|to) [^\n]{1,300}: (?:ioping )?request=\d|requests completed in (?!\S+ seconds)")
_COMPLETED = lazy(
    rf"{_EDGE}(?:generated )?(?:\d+(?:\.\d+)? ?[kMG]? )?requests (?:completed )?in {_TIME},"
    rf"(?: {_SIZE} ?(read|written)?,)? (\d+(?:\.\d+)?) ?([kMG]?) iops, {_SIZE}/s\s*$"
)
_STATISTICS_TITLE = lazy(rf"{_EDGE}--- ([^\n]{{1,300}}) ioping statistics ---\s*$")
_SPREAD = lazy(rf"{_EDGE}min/avg/max/mdev = {_TIME} / {_TIME} / {_TIME} / {_TIME}\s*$")
_OLD_SPREAD = lazy(rf"{_EDGE}min/avg/max/mdev = {_NUMBER}/{_NUMBER}/{_NUMBER}/{_NUMBER} (us|ms|s)\s*$")
_PING_SPREAD = lazy(r"\brtt min/avg/max/mdev = ")  # ping(8)
_FILE_SYSTEM = lazy(r"\((\w+) (?:/\S+|\S+:\S*|\S+)(?: [\d.]+ \w+)?\)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hour": 3600.0}
_UNIT_BYTES = {"B": 1, "bytes": 1, **{unit: 1024**power for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)}}
_UNIT_BYTES |= {unit: 1024**power for power, unit in enumerate(("kb", "mb", "gb", "tb"), 1)}
_RATE_UNITS = {1024**power: f"{letter}iB/s" for power, letter in enumerate("KMGT", 1)}
_COUNT_FACTORS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
_MAX_DISTANCE = 2  # lines with text from the completed requests to their spread; one of generated requests may stand between
_NENCH = {"ioping: seek rate": "-DR -w 5 .", "ioping: sequential read speed": "-DRL -w 5 ."}  # nench.sh keeps one line of each
ANCHOR = Anchor(
    lazy(r"request=\d{1,9} time=|requests completed in (?!\S+ seconds)\d|min/avg/max/mdev = |\"ignored\"|\"mdev\""),
    'request=0|requests completed|mdev|"ignored"',
) | Anchor(lazy(r"^[^\S\n]{0,8}(?:\d{1,19}[ \t]{1,4}){7}(?:\d{1,19}[ \t]{1,4}\d{1,19}[ \t]{1,4})?\d{1,19}[^\S\n]*$", re.M))


def parse(text: Text) -> Iterator[Found]:
    """Every request and every closing statistic, in line order, those of JSON last."""
    scan = _IopingScan()
    for number, line in enumerate(text.lines, 1):
        scan.run.lines_since += line != "" and not line.isspace()
        if "ioping" in line and scan.take_command(line, number):
            continue
        if "generated" in line and scan.run.start == scan.run.command_line == number - 1 and (made := _COMPLETED.match(line)):
            yield from _completed(scan.run, made, number)
        elif "time=" in line and (request := _REQUEST.match(line)):
            yield from _request(scan.running(number), request, number)
        elif "ioping statistics" in line and (title := _STATISTICS_TITLE.match(line)):
            scan.title = (title[1], number)
        elif "requests completed" in line and (completed := _COMPLETED.match(line)):
            yield from scan.read_completed(completed, number)
        elif "min/avg/max/mdev" in line and (spread := _SPREAD.match(line) or _OLD_SPREAD.match(line)):
            yield from _spread(scan.run, spread, number)
        elif (line[-1:].isdecimal() or line[-1:].isspace()) and (row := _RAW_ROW.match(line)):
            yield from _read_raw_row(row, number, scan.run, text.lines, scan.command)
        elif _is_cut(line):
            yield Doubt(number, "cut", f"this line of ioping is cut off: {line.strip()[:80]!r}")
    yield from scan.finish(text)


@dataclass(slots=True)
class _IopingScan:
    """One pass over the lines. `commands`: line and words of each command; `title`: path and line of the last `--- PATH`."""

    run: _IopingRun = field(default_factory=lambda: _IopingRun(0))
    commands: list[tuple[int, str]] = field(default_factory=list)
    title: tuple[str, int] = ("", -1)

    @property
    def command(self) -> str | None:
        """The words of the last command."""
        return self.commands[-1][1] if self.commands else None

    def take_command(self, line: str, number: int) -> bool:
        """Whether the line has a command, or is a title of nench.sh."""
        title, match = _NENCH.get(line.strip()), _COMMAND.search(line)
        if command := title or (match and match[1].strip()):
            self.commands.append((number, command))
            self.run = _begin_run(number, title, number) if title else _IopingRun(0, None, number)
            self.run.completed = number if title else 0
        return bool(command)

    def running(self, number: int) -> _IopingRun:
        """The run that has no statistics yet; if there is none, one that begins on this line."""
        if not self.run.start or self.run.completed:
            command_line, command = self.commands[-1] if self.commands else (0, None)
            self.run = _begin_run(number, command, command_line)
        return self.run

    def read_completed(self, completed: re.Match[str], number: int) -> Iterator[Found]:
        """Rate and bandwidth of all requests."""
        run = self.running(number)
        path, line = self.title
        if number - line == 1:
            _take_file_system(run, path, line)
        return _completed(run, completed, number)

    def finish(self, text: Text) -> Iterator[Found]:
        """A warning for a run that was cut, and the values of JSON."""
        if self.run.start and not self.run.completed:
            yield Doubt(len(text.lines), "cut", f"the run that begins on line {self.run.start} ends without its statistics")
        if any(word in text.body for word in _JSON_KEYS):
            yield from _read_json(text, self.commands)


def _is_cut(line: str) -> bool:
    """Whether the line begins like a request or a statistic; one like the latter of ping is not meant."""
    return bool("request" in line and _CUT_LINE.search(line)) or ("min/avg/max/mdev = " in line and not _PING_SPREAD.search(line))


def _request(run: _IopingRun, request: re.Match[str], number: int) -> Iterator[Found]:
    size, unit, arrow, path, ordinal, raw, clock, mark = request.groups()
    direction = "write" if arrow in (">>>", "to") else "read"
    run.directions.add(direction)
    run.printed = True
    run.params["block_size"] = round(float(size) * _UNIT_BYTES[unit])
    _take_file_system(run, path, number)
    if mark == "warmup":
        return
    if mark in ("too fast", "too slow"):
        yield Doubt(number, "unmeasured", f"ioping leaves request {ordinal} out of its statistics: {mark}")
        return
    latency = _time(raw, clock)
    run.times.append(latency.value)
    yield run.value(number, direction, "latency", f"request={ordinal} time", latency)


def _take_file_system(run: _IopingRun, path: str, number: int) -> None:
    """The file system behind a path: `(ext4 /dev/sda1 20 GiB)`; a device has only its size there."""
    if match := _FILE_SYSTEM.search(path):
        if match[1] in ("device", "block"):
            run.params["ioping.target"] = "device"
        else:
            run.configuration["fs.type"] = (match[1], number)


def _completed(run: _IopingRun, completed: re.Match[str], number: int) -> Iterator[Found]:
    raw, _, _, _, word, rate, letter, bandwidth, unit = completed.groups()
    run.completed, run.lines_since = number, 0
    direction = run.total_direction({"read": "read", "written": "write"}.get(word or ""))
    if direction is None:
        yield Doubt(number, "no-command", "neither the line nor a command shows whether it read or wrote")
        direction = "transfer"
    run.direction = direction
    iops = PrintedNumber(float(rate) * _COUNT_FACTORS[letter], "1/s", rate, f"{letter}/s" if letter else "1/s")
    factor = _UNIT_BYTES[unit]
    throughput = PrintedNumber(float(bandwidth) * factor, "B/s", bandwidth, _RATE_UNITS.get(factor, "B/s"))
    values = (
        run.value(number, direction, "rate", "iops", iops),
        run.value(number, direction, "throughput", f"{unit}/s", throughput),
    )
    if raw != "0":
        yield from values
        return
    yield from (MissingValue.instead_of(value, NOT_FINISHED) for value in values)
    yield Doubt(number, "unmeasured", "no request completed, so there are no statistics")
    run.printed = True


def _spread(run: _IopingRun, spread: re.Match[str], number: int) -> Iterator[Found]:
    """Least, mean, greatest time and deviation; where requests were printed, the mean is only compared with theirs."""
    cells = spread.groups()
    pairs = list(zip(cells[::2], cells[1::2], strict=True)) if len(cells) == 8 else [(raw, cells[4]) for raw in cells[:4]]
    if not run.completed or run.lines_since > _MAX_DISTANCE:
        yield Doubt(number, "no-header", "min/avg/max/mdev without the line of completed requests")
        return
    if run.printed:
        computed, printed = sum(run.times) / max(1, len(run.times)), _time(*pairs[1]).value
        if run.times and abs(computed - printed) > 0.01 * printed + _last_digit(*pairs[1]):
            yield Doubt(number, "disagree", f"an average of {printed:g} s, the requests above make {computed:g} s")
        return
    for stat, (raw, clock) in zip(_SPREAD_STATS, pairs, strict=True):
        yield run.value(number, str(run.direction), "latency", "min/avg/max/mdev", _time(raw, clock), stat=stat)


def _last_digit(raw: str, clock: str) -> float:
    """One unit of the last printed digit, in seconds."""
    return 10.0 ** -len(raw.partition(".")[2]) * _SECONDS[clock]


def _time(raw: str, clock: str) -> PrintedNumber:
    return PrintedNumber(to_base_unit(float(raw), _SECONDS[clock]), "s", raw, clock)


# One execution of ioping, in whichever form its output is, with the parameters that its command line gives (ioping.1).

_REQUEST_SIZE = lazy(r"(\d+)((?i:k|m|g|t|sector|page|))(?i:i?b)?\Z")
_DEFAULT_SIZE, _LINEAR_SIZE = 4096, 256 * 1024  # bytes of a request (ioping.1, -s and -L)
_SIZE_FACTORS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "sector": 512, "page": 4096}
_SPREAD_STATS = ("min", "mean", "max", "stddev")
_SWITCHES = {"-D": ("direct", "on"), "-C": ("access", "cached"), "-Y": ("sync_mode", "sync")}


@dataclass(slots=True)
class _IopingRun:
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


def _begin_run(start: int, command: str | None, command_line: int) -> _IopingRun:
    """A run that begins on line `start`, with the parameters of its command; without one its pattern is unknown."""
    run = _IopingRun(start, command, command_line)
    if command is None:
        run.params["pattern"] = "unknown"
        return run
    options = read_command("ioping", f"ioping {command}")
    is_linear = "-L" in options
    run.params |= {"command": f"ioping {command}", "pattern": "sequential" if is_linear else "random"}
    run.params |= command_params("ioping", f"ioping {command}")
    if size := _REQUEST_SIZE.match(options.get("-s", "")):
        run.params["block_size"] = int(size[1]) * _SIZE_FACTORS[size[2].lower()]
    elif "-s" not in options:
        run.params["block_size"] = _LINEAR_SIZE if is_linear else _DEFAULT_SIZE
    run.params |= {name: value for option, (name, value) in _SWITCHES.items() if option in options}
    if "-G" not in options:
        run.direction = "write" if "-W" in options else "read"
    return run


def _read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output."""
    return [CommandOptions(_begin_run(0, command.partition("ioping ")[2], 0).params)]


# ioping's raw statistics (-B, -p, -P).

_RAW_ROW = lazy(r"^\s{0,8}((?:\d{1,19}[ \t]{1,4}){7}\d{1,19}(?:[ \t]{1,4}\d{1,19}[ \t]{1,4}\d{1,19})?)\s*$")
_BATCH = lazy(r"(?:^|\s)(?:-[A-Z]*B|-{1,2}batch\b)")
_PERIODS = lazy(r"(?:^|\s)(?:-[A-Zkq]*[pP]\b|-{1,2}print-(?:count|interval)\b)")
_NS_PER_SECOND = 10**9


def _nanoseconds(raw: str) -> PrintedNumber:
    """A time in seconds that was printed in nanoseconds."""
    return PrintedNumber(float(raw) / _NS_PER_SECOND, "s", raw, "ns")


def _read_raw_row(
    row: re.Match[str], number: int, current: _IopingRun, lines: Sequence[str], command: str | None
) -> Iterator[Found]:
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
    run = _begin_run(number, command, current.command_line)
    direction = run.total_direction()
    if direction is None:
        yield Doubt(number, "no-command", "neither the row nor a command shows whether it read or wrote")
        direction = "transfer"
    yield run.value(number, direction, "rate", "iops", PrintedNumber(float(cells[2]), "1/s", words[2], "1/s"))
    yield run.value(number, direction, "throughput", "bps", PrintedNumber(float(cells[3]), "B/s", words[3], "B/s"))
    for stat, word in zip(_SPREAD_STATS, words[4:8], strict=True):
        yield run.value(number, direction, "latency", "min/avg/max/mdev", _nanoseconds(word), stat=stat)


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
    return not _RAW_ROW.match(next_line)


# ioping's JSON (-J): a list of objects with `io` (a request) or `stat` and `load`, times in nanoseconds (ioping.1).

_JSON_KEYS = ('"ignored"', '"mdev"')
_ZONE = lazy(r"([+-]\d\d)(\d\d)\Z")
_STATISTICS = ("iops", "bps", "min", "avg", "max", "mdev")


def _read_json(text: Text, commands: Sequence[tuple[int, str]]) -> Iterator[Found]:
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
    run: _IopingRun = field(default_factory=lambda: _IopingRun(0))
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
            yield from _json_request(self.run, document)
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
            self.run = _begin_run(root.line, command, command_line)
            self.path, self.previous_end, self.statistics_line = path, self.statistics_line, 0
        fs_type = root.get("target", "fstype")
        if fs_type and isinstance(fs_type.value, str) and fs_type.value not in ("", "device", "block"):
            self.run.configuration["fs.type"] = (fs_type.value, fs_type.line)
        elif fs_type and fs_type.value in ("device", "block"):
            self.run.params["ioping.target"] = "device"


def _json_request(run: _IopingRun, document: LocatedDocument) -> Iterator[Found]:
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
    latency = _nanoseconds(clock.raw)
    run.times.append(latency.value)
    yield _locate(run.value(clock.line, direction, "latency", f"request={ordinal} time", latency), run, document)


def _statistics(run: _IopingRun, document: LocatedDocument) -> Iterator[Found]:
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
        if run.times and abs(mean - _nanoseconds(spread[1].raw).value) > 0.01 * mean:
            yield Doubt(spread[1].line, "disagree", f"an average of {spread[1].raw} ns, the requests above make {mean:g} s")
        return
    for stat, cell in zip(_SPREAD_STATS, spread, strict=True):
        value = run.value(cell.line, direction, "latency", "min/avg/max/mdev", _nanoseconds(cell.raw), stat=stat)
        yield _locate(value, run, document)


def _locate(value: Value, run: _IopingRun, document: LocatedDocument) -> Value:
    """The value with the time of its object, and with the lines of the object, of statistics those of the whole run."""
    first = run.start if document.root.get("stat") else document.root.line
    value.depends = tuple(sorted({*value.depends, *range(first, document.last + 1)} - {int(value.line)}))
    local_time = document.root.text("localtime")
    value.started_at = _ZONE.sub(r"\1:\2", local_time) if local_time else None
    return value


def _is_integer(raw: str) -> bool:
    return raw.isdecimal() and raw.isascii()


PARSER = Parser(
    brief=True,
    name="ioping",
    commands=CommandReader("ioping", ("ioping",), _read_command_line),
    version=9,
    anchor=ANCHOR,
    parse=parse,
)
