"""ioping: the latency of single requests, and what its closing statistics make of them.

    4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=3.98 ms
    3 requests completed in 4.29 ms, 12 KiB read, 699 iops, 2.73 MiB/s
    min/avg/max/mdev = 121.6 us / 1.43 ms / 3.98 ms / 1.80 ms

Up to 0.9 a request reads `4.0 kb from . (ext4 /dev/sda1): request=1 time=0.2 ms` and the last line `= 0.1/0.2/0.3/0.1 ms`.
Requests stand at random offsets unless -L is given. Latencies of printed requests are the repetitions: then the last
line is checked and not recorded. Warm-up requests count for nothing (ioping.1, -a), nor do those that -t and -T leave
out of the statistics; `(fast)` and `(slow)` only mark what stands far from the average.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.parsers.disks._ioping_raw import JSON_KEYS, RAW_ROW, read_json, read_raw_row
from ingest.parsers.disks._ioping_run import SPREAD_STATS, IopingRun, begin_run, value
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
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
_BEGUN = lazy(r"(?:<<<|>>>|from|to) [^\n]{1,300}: (?:ioping )?request=\d|requests completed in ")
_COMPLETED = lazy(
    rf"{_EDGE}(?:\d+(?:\.\d+)? ?[kMG]? )?requests completed in {_TIME},"
    rf"(?: {_SIZE} ?(read|written)?,)? (\d+(?:\.\d+)?) ?([kMG]?) iops, {_SIZE}/s\s*$"
)
_TOTALS = lazy(rf"{_EDGE}--- ([^\n]{{1,300}}) ioping statistics ---\s*$")
_SPREAD = lazy(rf"{_EDGE}min/avg/max/mdev = {_TIME} / {_TIME} / {_TIME} / {_TIME}\s*$")
_OLD_SPREAD = lazy(rf"{_EDGE}min/avg/max/mdev = {_NUMBER}/{_NUMBER}/{_NUMBER}/{_NUMBER} (us|ms|s)\s*$")
_PING = lazy(r"\brtt min/avg/max/mdev = ")  # ping(8)
_PLACE = lazy(r"\((\w+) (?:/\S+|\S+:\S*|\S+)(?: [\d.]+ \w+)?\)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hour": 3600.0}
_BYTES = {"B": 1, "bytes": 1, **{unit: 1024**at for at, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)}}
_BYTES |= {unit: 1024**at for at, unit in enumerate(("kb", "mb", "gb", "tb"), 1)}
_MEANT = {1024**at: f"{letter}iB/s" for at, letter in enumerate("KMGT", 1)}
_COUNTS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
_APART = 2  # written lines from the requests completed to their spread, the requests generated between them
ANCHOR = Anchor(
    lazy(r"request=\d{1,9} time=|requests completed in \d|min/avg/max/mdev = |\"ignored\"|\"mdev\""),
    "request=0",
    "requests completed",
    "mdev",
    '"ignored"',
) | Anchor(lazy(r"^[^\S\n]{0,8}(?:\d{1,19}[ \t]{1,4}){7}(?:\d{1,19}[ \t]{1,4}\d{1,19}[ \t]{1,4})?\d{1,19}[^\S\n]*$", re.M))


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every request and every closing statistic, in line order, those of JSON last."""
    run, command, command_line = IopingRun(0), None, 0
    shown: list[tuple[int, str]] = []
    totals = ("", -1)
    for number, line in enumerate(text.lines, 1):
        run.since += line != "" and not line.isspace()
        if "ioping" in line and (found := _COMMAND.search(line)):
            command, command_line = found[1].strip(), number
            run = IopingRun(0, None, number)
            shown.append((number, command))
        elif "time=" in line and (found := _REQUEST.match(line)):
            run = run if run.start and not run.completed else begin_run(number, command, command_line)
            yield from _request(run, found, number)
        elif "ioping statistics" in line and (found := _TOTALS.match(line)):
            totals = (found[1], number)
        elif "requests completed" in line and (found := _COMPLETED.match(line)):
            run = run if run.start and not run.completed else begin_run(number, command, command_line)
            if number - totals[1] == 1:
                _tells_place(run, *totals)
            yield from _completed(run, found, number)
        elif "min/avg/max/mdev" in line and (spread := _SPREAD.match(line) or _OLD_SPREAD.match(line)):
            yield from _spread(run, spread, number)
        elif (line[-1:].isdecimal() or line[-1:].isspace()) and (raw := RAW_ROW.match(line)):
            yield from read_raw_row(raw, number, run, text.lines, command)
        elif ("request" in line and _BEGUN.search(line)) or ("min/avg/max/mdev = " in line and not _PING.search(line)):
            yield Doubt(number, "cut", f"a line of ioping that breaks off: {line.strip()[:80]!r}")
    if run.start and not run.completed:
        yield Doubt(len(text.lines), "cut", f"the run that begins on line {run.start} ends without its statistics")
    if any(word in text.body for word in JSON_KEYS):
        yield from read_json(text, shown)


def _request(run: IopingRun, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    size, unit, arrow, place, count, raw, clock, mark = found.groups()
    direction = "write" if arrow in (">>>", "to") else "read"
    run.directions.add(direction)
    run.printed = True
    run.params["block_size"] = round(float(size) * _BYTES[unit])
    _tells_place(run, place, number)
    if mark == "warmup":
        return
    if mark in ("too fast", "too slow"):
        yield Doubt(number, "unmeasured", f"ioping leaves request {count} out of its statistics: {mark}")
        return
    seconds = _exact(raw, clock)
    run.times.append(seconds)
    yield value(run, direction, "latency", f"request={count} time", (seconds, "s", raw, clock), number)


def _tells_place(run: IopingRun, place: str, number: int) -> None:
    """What stands behind the path: `(ext4 /dev/sda1 20 GiB)`; of a device only its size."""
    if (where := _PLACE.search(place)) and where[1] not in ("device", "block"):
        run.told["fs.type"] = (where[1], number)


def _completed(run: IopingRun, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    raw, _, _, _, word, rate, letter, volume, unit = found.groups()
    run.completed, run.since = number, 0
    seen = next(iter(run.directions)) if len(run.directions) == 1 else None
    mixed = len(run.directions) > 1 or (run.command is not None and run.direction is None)
    told = {"read": "read", "written": "write"}.get(word or "")
    direction = "mixed" if mixed else told or seen or run.direction
    if direction is None:
        yield Doubt(number, "no-command", "neither the line nor a command tells whether requests read or wrote")
        direction = "transfer"
    run.direction = direction
    if raw == "0":
        yield Doubt(number, "unmeasured", "no request was completed: none counts for the statistics")
        run.printed = True
        return
    count = (float(rate) * _COUNTS[letter], "1/s", rate, f"{letter}/s" if letter else "1/s")
    yield value(run, direction, "rate", "iops", count, number)
    figure = (float(volume) * _BYTES[unit], "B/s", volume, _MEANT.get(_BYTES[unit], "B/s"))
    yield value(run, direction, "throughput", f"{unit}/s", figure, number)


def _spread(run: IopingRun, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    cells = found.groups()
    pairs = list(zip(cells[::2], cells[1::2], strict=True)) if len(cells) == 8 else [(raw, cells[4]) for raw in cells[:4]]
    if not run.completed or run.since > _APART:
        yield Doubt(number, "no-header", "min/avg/max/mdev without the line of completed requests")
        return
    if run.printed:
        own, shown = sum(run.times) / max(1, len(run.times)), _exact(*pairs[1])
        if run.times and abs(own - shown) > 0.01 * shown + _digit(*pairs[1]):
            yield Doubt(number, "disagree", f"an average of {shown:g} s, the requests above make {own:g} s")
        return
    for stat, (raw, clock) in zip(SPREAD_STATS, pairs, strict=True):
        figure = (_exact(raw, clock), "s", raw, clock)
        yield value(run, str(run.direction), "latency", "min/avg/max/mdev", figure, number, stat)


def _digit(raw: str, clock: str) -> float:
    """What the last printed digit is worth, in seconds."""
    return 10.0 ** -len(raw.partition(".")[2]) * _SECONDS[clock]


def _exact(raw: str, clock: str) -> float:
    """Seconds; small units divide, which rounds correctly (18 us is 1.8e-05 s)."""
    factor = _SECONDS[clock]
    return float(raw) * factor if factor >= 1 else float(raw) / round(1 / factor)


PARSER = Parser(
    brief=True,
    name="ioping",
    version=5,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "requests and statistics",
            "0.6 to 1.3",
            "KiB, kb = 1024 B; k of iops = 1000; ns to s",
            "warm-up, too fast and too slow requests are left out; `generated` tells the pace that was asked for",
        ),
        Shape("raw statistics (-B, -p, -P)", "0.7 to 1.3", "ns, B/s", "a row is taken where its columns prove each other"),
        Shape("JSON (-J)", "1.2 and 1.3", "ns, B/s", "an ignored request counts for nothing"),
        Shape("statistics alone (-q, -R)", "0.6 to 1.3", "as above", "min, avg, max and mdev are recorded only here"),
    ),
    source="ioping.1 and ioping.c (print_size and print_int of the output) of ioping 1.3",
)
