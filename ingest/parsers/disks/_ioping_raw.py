"""ioping's raw statistics (-B, -p, -P).

    99 10970974 9024 36961531 90437 110818 358872 30756 100 12516420

are the requests in the statistics, their time, requests and bytes per second, the least, mean and greatest time and its
standard deviation, all requests and the whole time, times in nanoseconds (ioping.1, RAW STATISTICS; up to 0.9 without the
last two). A row is recognised by its own figures: the mean is time by requests, the rate requests by time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber
from ingest.parsers.disks._ioping_run import SPREAD_STATS, IopingRun, begin_run
from ingest.records import Doubt, Found

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
