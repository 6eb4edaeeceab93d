"""ioping for programs: raw statistics (-B, -p, -P) and JSON (-J).

    99 10970974 9024 36961531 90437 110818 358872 30756 100 12516420

are the requests in the statistics, their time, requests and bytes per second, the least, mean and greatest time and its
standard deviation, all requests and the whole time, times in nanoseconds (ioping.1, RAW STATISTICS; up to 0.9 without the
last two). Such a row proves itself: the mean is time by requests, the rate requests by time. JSON is a list of objects
with `io` (a request) or `stat` and `load` (ioping.1, JSON OUTPUT), times in nanoseconds as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.parsers.disks._ioping_run import SPREAD_STATS, IopingRun, begin_run, value
from ingest.records import Doubt, Value
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents

RAW_ROW = lazy(r"^\s{0,8}((?:\d{1,19}[ \t]{1,4}){7}\d{1,19}(?:[ \t]{1,4}\d{1,19}[ \t]{1,4}\d{1,19})?)\s*$")
JSON_KEYS = ('"ignored"', '"mdev"')
_BATCH = lazy(r"(?:^|\s)(?:-[A-Z]*B|-{1,2}batch\b)")
_PERIODS = lazy(r"(?:^|\s)(?:-[A-Zkq]*[pP]\b|-{1,2}print-(?:count|interval)\b)")
_NANO = 10**9
_ZONE = lazy(r"([+-]\d\d)(\d\d)\Z")


def read_raw_row(
    found: re.Match[str], number: int, above: IopingRun, lines: Sequence[str], command: str | None
) -> Iterator[Value | Doubt]:
    """The values of a row. `above`: the run in which it stands."""
    words = found[1].split()
    cells = [int(word) for word in words]
    if not _proves_itself(cells):
        if command and (_BATCH.search(command) or _PERIODS.search(command)):
            code, why = ("unmeasured", "no request") if not cells[0] else ("bad-number", "columns that contradict each other")
            yield Doubt(number, code, f"a row of raw statistics with {why}; nothing of it was taken")
        return
    if above.printed or (command and _sums_up(command, lines, number)):
        return  # what is printed one by one, or by periods, as well
    run = begin_run(number, command, above.command_line)
    direction = _direction(run, set())
    if direction is None:
        yield Doubt(number, "no-command", "neither the row nor a command tells whether requests read or wrote")
    direction = direction or "transfer"
    yield value(run, direction, "rate", "iops", (float(cells[2]), "1/s", words[2], "1/s"), number)
    yield value(run, direction, "throughput", "bps", (float(cells[3]), "B/s", words[3], "B/s"), number)
    for stat, word in zip(SPREAD_STATS, words[4:8], strict=True):
        yield value(run, direction, "latency", "min/avg/max/mdev", _nanoseconds(word), number, stat)


def _proves_itself(cells: list[int]) -> bool:
    count, time, rate, bytes_, least, mean, most, spread = cells[:8]
    if not count or not time or not least <= mean <= most or spread > most or bytes_ < rate:
        return False
    if len(cells) == 10 and (cells[8] < count or cells[9] < least):
        return False
    return abs(time / count - mean) <= 1 and abs(count * _NANO / time - rate) <= 1


def _sums_up(command: str, lines: Sequence[str], number: int) -> bool:
    """Whether it is the last row of a run that prints periods and, as -B has it, all of them together in the end."""
    if not (_BATCH.search(command) and _PERIODS.search(command)):
        return False
    after = next((line for line in lines[number : number + 3] if line.strip() and line != lines[number - 1]), "")
    return not RAW_ROW.match(after)


def _nanoseconds(raw: str) -> tuple[float, str, str, str]:
    return float(raw) / _NANO, "s", raw, "ns"


def _direction(run: IopingRun, seen: set[str]) -> str | None:
    """read or write, mixed for both; None where nothing tells."""
    if len(seen) > 1 or (run.command is not None and run.direction is None):
        return "mixed"
    return next(iter(seen)) if seen else run.direction


def read_json(text: Text, commands: list[tuple[int, str]]) -> Iterator[Value | Doubt]:
    """The values of every JSON output. `commands`: lines and words of the ioping commands that the text shows."""
    requests = [at for at, line in enumerate(text.lines, 1) if '"request"' in line]
    run, place, since, ended, last = IopingRun(0), None, 0, 0, 0
    for document in find_documents(text, "timestamp"):
        root = document.root
        if not root.get("target", "path") or not (root.get("io") or root.get("stat")):
            if root.get("target", "path") or root.get("io", "request") or root.get("stat", "mdev"):
                yield Doubt(root.line, "short-row", "an object of ioping without target, request or statistics; it was not taken")
            continue
        shown = next(((line, words) for line, words in reversed(commands) if line <= root.line), None)
        where = root.text("target", "path")
        if ended or not run.start or where != place or (shown and shown[0] > run.start):
            run = begin_run(root.line, shown[1] if shown else None, shown[0] if shown else 0)
            run.times, place, since, ended = [], where, ended, 0
        _tell(run, root)
        if root.get("io"):
            yield from _request(run, root, document)
        else:
            run.printed = any(since < line <= document.last for line in requests)
            yield from _statistics(run, root, document)
            ended = document.last
        for line, message in document.faults[:5]:
            yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")
        last = document.last
    if run.start and not ended:
        yield Doubt(last, "cut", f"the run that begins on line {run.start} ends without its statistics")


def _tell(run: IopingRun, root: LocatedValue) -> None:
    kind = root.get("target", "fstype")
    if kind and isinstance(kind.value, str) and kind.value not in ("", "device", "block"):
        run.told["fs.type"] = (kind.value, kind.line)


def _request(run: IopingRun, root: LocatedValue, document: LocatedDocument) -> Iterator[Value | Doubt]:
    parts = {name: root.get("io", name) for name in ("request", "operation", "time", "ignored")}
    size, direction = root.text("io", "size"), root.text("io", "operation")
    clock, count = parts["time"], root.text("io", "request")
    if clock is None or any(part is None for part in parts.values()) or direction not in ("read", "write") or not _whole(clock.raw):
        yield Doubt(root.line, "short-row", "a request that lacks its number, operation, time or mark; it was not taken")
        return
    run.directions.add(direction)
    if size and _whole(size):
        run.params["block_size"] = int(size)
    if parts["ignored"] and parts["ignored"].value is True:
        if run.times or count != "1":
            yield Doubt(clock.line, "unmeasured", f"ioping leaves request {count} out of its statistics")
        return
    run.times.append(float(clock.raw) / _NANO)
    yield _value(run, direction, "latency", f"request={count} time", _nanoseconds(clock.raw), clock.line, document)


def _statistics(run: IopingRun, root: LocatedValue, document: LocatedDocument) -> Iterator[Value | Doubt]:
    names = ("iops", "bps", "min", "avg", "max", "mdev")
    found = [node for name in names if (node := root.get("stat", name)) and isinstance(node.value, float)]
    if len(found) < len(names) or root.get("stat", "count") is None:
        yield Doubt(root.line, "short-row", "statistics that lack some of their figures; none was taken")
        return
    if root.text("stat", "count") == "0":
        yield Doubt(root.line, "unmeasured", "no request was completed: none counts for the statistics")
        return
    direction = _direction(run, run.directions)
    if direction is None:
        yield Doubt(root.line, "no-command", "neither requests nor a command tell whether requests read or wrote")
    direction = direction or "transfer"
    rate, volume, *spread = found
    yield _value(run, direction, "rate", "iops", (float(rate.raw), "1/s", rate.raw, "1/s"), rate.line, document)
    yield _value(run, direction, "throughput", "bps", (float(volume.raw), "B/s", volume.raw, "B/s"), volume.line, document)
    if run.printed:
        mean = sum(run.times) / max(1, len(run.times))
        if run.times and abs(mean - float(spread[1].raw) / _NANO) > 0.01 * mean:
            yield Doubt(spread[1].line, "disagree", f"an average of {spread[1].raw} ns, the requests above make {mean:g} s")
        return
    for stat, node in zip(SPREAD_STATS, spread, strict=True):
        yield _value(run, direction, "latency", "min/avg/max/mdev", _nanoseconds(node.raw), node.line, document, stat)


def _value(
    run: IopingRun,
    direction: str,
    quantity: str,
    native: str,
    figure: tuple[float, str, str, str],
    line: int,
    document: LocatedDocument,
    stat: str = "sample",
) -> Value:
    out = value(run, direction, quantity, native, figure, line, stat)
    first = run.start if document.root.get("stat") else document.root.line
    out.depends = tuple(sorted({*out.depends, *range(first, document.last + 1)} - {line}))
    moment = document.root.text("localtime")
    out.started_at = _ZONE.sub(r"\1:\2", moment) if moment else None
    return out


def _whole(raw: str | None) -> bool:
    return raw is not None and raw.isdecimal() and raw.isascii()
