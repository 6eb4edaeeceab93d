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

Source: ioping.1 and ioping.c (print_size and print_int of the output) of ioping 1.3
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber, to_base_unit
from ingest.parsers.disks._ioping_run import (
    JSON_KEYS,
    RAW_ROW,
    SPREAD_STATS,
    IopingRun,
    begin_run,
    read_command_line,
    read_json,
    read_raw_row,
)
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue
from ingest.text.lines import Text

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
    rf"{_EDGE}(?:\d+(?:\.\d+)? ?[kMG]? )?requests completed in {_TIME},"
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
ANCHOR = Anchor(
    lazy(r"request=\d{1,9} time=|requests completed in (?!\S+ seconds)\d|min/avg/max/mdev = |\"ignored\"|\"mdev\""),
    'request=0|requests completed|mdev|"ignored"',
) | Anchor(lazy(r"^[^\S\n]{0,8}(?:\d{1,19}[ \t]{1,4}){7}(?:\d{1,19}[ \t]{1,4}\d{1,19}[ \t]{1,4})?\d{1,19}[^\S\n]*$", re.M))


def parse(text: Text) -> Iterator[Found]:
    """Every request and every closing statistic, in line order, those of JSON last."""
    scan = _IopingScan()
    for number, line in enumerate(text.lines, 1):
        scan.run.lines_since += line != "" and not line.isspace()
        if "ioping" in line and (command := _COMMAND.search(line)):
            scan.take_command(command[1].strip(), number)
        elif "time=" in line and (request := _REQUEST.match(line)):
            yield from _request(scan.running(number), request, number)
        elif "ioping statistics" in line and (title := _STATISTICS_TITLE.match(line)):
            scan.title = (title[1], number)
        elif "requests completed" in line and (completed := _COMPLETED.match(line)):
            yield from scan.read_completed(completed, number)
        elif "min/avg/max/mdev" in line and (spread := _SPREAD.match(line) or _OLD_SPREAD.match(line)):
            yield from _spread(scan.run, spread, number)
        elif (line[-1:].isdecimal() or line[-1:].isspace()) and (row := RAW_ROW.match(line)):
            yield from read_raw_row(row, number, scan.run, text.lines, scan.command)
        elif _is_cut(line):
            yield Doubt(number, "cut", f"this line of ioping is cut off: {line.strip()[:80]!r}")
    yield from scan.finish(text)


@dataclass(slots=True)
class _IopingScan:
    """One pass over the lines. `commands`: line and words of each command; `title`: path and line of the last `--- PATH`."""

    run: IopingRun = field(default_factory=lambda: IopingRun(0))
    commands: list[tuple[int, str]] = field(default_factory=list)
    title: tuple[str, int] = ("", -1)

    @property
    def command(self) -> str | None:
        """The words of the last command."""
        return self.commands[-1][1] if self.commands else None

    def take_command(self, command: str, number: int) -> None:
        self.commands.append((number, command))
        self.run = IopingRun(0, None, number)

    def running(self, number: int) -> IopingRun:
        """The run that has no statistics yet; if there is none, one that begins on this line."""
        if not self.run.start or self.run.completed:
            command_line, command = self.commands[-1] if self.commands else (0, None)
            self.run = begin_run(number, command, command_line)
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
        if any(word in text.body for word in JSON_KEYS):
            yield from read_json(text, self.commands)


def _is_cut(line: str) -> bool:
    """Whether the line begins like a request or a statistic; one like the latter of ping is not meant."""
    return bool("request" in line and _CUT_LINE.search(line)) or ("min/avg/max/mdev = " in line and not _PING_SPREAD.search(line))


def _request(run: IopingRun, request: re.Match[str], number: int) -> Iterator[Found]:
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


def _take_file_system(run: IopingRun, path: str, number: int) -> None:
    """The file system behind a path: `(ext4 /dev/sda1 20 GiB)`; a device has only its size there."""
    if match := _FILE_SYSTEM.search(path):
        if match[1] in ("device", "block"):
            run.params["ioping.target"] = "device"
        else:
            run.configuration["fs.type"] = (match[1], number)


def _completed(run: IopingRun, completed: re.Match[str], number: int) -> Iterator[Found]:
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


def _spread(run: IopingRun, spread: re.Match[str], number: int) -> Iterator[Found]:
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
    for stat, (raw, clock) in zip(SPREAD_STATS, pairs, strict=True):
        yield run.value(number, str(run.direction), "latency", "min/avg/max/mdev", _time(raw, clock), stat=stat)


def _last_digit(raw: str, clock: str) -> float:
    """One unit of the last printed digit, in seconds."""
    return 10.0 ** -len(raw.partition(".")[2]) * _SECONDS[clock]


def _time(raw: str, clock: str) -> PrintedNumber:
    return PrintedNumber(to_base_unit(float(raw), _SECONDS[clock]), "s", raw, clock)


PARSER = Parser(
    brief=True,
    name="ioping",
    commands=CommandReader("ioping", ("ioping",), read_command_line),
    version=8,
    anchor=ANCHOR,
    parse=parse,
)
