"""Scripts for rented servers and small boards: the disk lines of bench.sh and its relatives (superbench.sh,
freevps), of LemonBench, nench.sh and yabs.sh; the table of PiBenchmarks.

bench.sh and nench.sh run GNU dd three times with conv=fdatasync; the former shows the rate that dd prints, the latter
divides it by 2^20. yabs.sh runs fio (randrw half and half, libaio, 64 deep, 2 jobs, direct) and shows the KiB/s of its
terse output divided by 1000 or 10^6, under the names MB/s and GB/s; the operations per second beside them agree.

Shapes of vps-scripts (name | versions | units | traps):
    bench.sh, I/O Speed | all | MB = 10^6 B, as dd prints | one run of dd or three, whose mean is only checked
    superbench.sh, I/O Speed( 1.0GB ) | all | MB = 10^6 B, as dd prints | as bench.sh
    LemonBench, disk speed | all | MB = 10^6 B, as dd prints | operations per second are computed from the seconds
    nench.sh, dd | all | MiB = 2^20 B | the mean of the three runs is only checked
    yabs.sh, fio | all | MB/s = 1000 KiB/s, GB/s = 10^6 KiB/s | totals of reads and writes are not measurements
    Storage.sh of PiBenchmarks, table and line of fio | all | hdparm's MB = 2^20 B, dd's 10^6 B, fio's and iozone's KB = 2^10 B
        | the score is not a measurement; the tools' output above it repeats the same values

Source: bench.sh (io_test), superbench.sh, LemonBench (Function_DiskTest), nench.sh (dd_benchmark), yabs.sh (format_speed,
disk_test), Storage.sh of PiBenchmarks; fio HOWTO, terse output: KiB/s
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.plugin_api import Anchor, Parser
from ingest.records import BELOW, FAILED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.spill import by_line
from ingest.text.lines import Text

# The table with which Storage.sh of PiBenchmarks ends: what hdparm, dd, fio and iozone printed, and a score.

ROW_PATTERN = r"^[ \t>|]*(?:HDParm|DD|FIO|IOZone)[ \t|]+(?:Cached )?(?:Disk (?:Read|Write)|\dk (?:random )?(?:read|write))[ \t|]"
_ROW = lazy(
    r"[\s>|]*(HDParm|DD|FIO|IOZone)[ \t|]+((?:Cached )?Disk Read|Disk Write|4k (?:random )?(?:read|write))[ \t|]+(\S.*?)[ \t|]*\Z"
)
_ROW_START = lazy(ROW_PATTERN)
_FIRST_ROW = lazy(r"[\s>|]*HDParm[ \t|]+Disk ")
_MAX_DISTANCE = 2  # lines from one row of a table to the next
_FIO_LINE = lazy(r"4k Rand(Write|Read): (\d{1,9}) IOPS \((\d{1,9}) KB/s\)")
_RATE = lazy(r"(\d{1,9}(?:\.\d{1,3})?) ([kKMG]B)/s(?:ec)?\Z")
_IOPS_AND_RATE = lazy(r"(\d{1,9}(?:\.\d{1,3})?) IOPS \((\d{1,9}(?:\.\d{1,3})?) KB/s\)\Z")
_TOOLS = {
    "HDParm": ("hdparm", units.HDPARM, {}),
    "DD": ("dd", units.DD_GNU, {"block_size": 4096, "fsync": "fsync"}),
    "FIO": ("fio", {"KB": 1024}, {"block_size": 4096, "iodepth": 64, "direct": "on"}),
    "IOZone": ("iozone", {"KB": 1024}, {"record_size": 4096, "direct": "on", "fsync": "on"}),
}
_OPERATIONS = {
    "Disk Read": "read",
    "Cached Disk Read": "cached_read",
    "Disk Write": "write",
    "4k read": "read",
    "4k write": "write",
    "4k random read": "random_read",
    "4k random write": "random_write",
}
# Lines of those tools above the table, with the same figure, where the whole log was kept.
_TOOL_LINES = {
    "HDParm": r"Timing [^\n]{0,40} reads:[^\n]*= *%s [kMG]B/sec",
    "DD": r"\bcopied,[^\n]* %s [kMG]B/s",
    "FIO": r"\biops *= *%s\b|4k Rand[^\n]* %s IOPS \(",
    "IOZone": r"^ *\d+ +4 +(?:\d+ +)*%s(?: |$)",
}
_MAX_LOG = 120  # lines of the longest log


def read_rows(lines: Sequence[str]) -> Iterator[Found]:
    """The figures of every such table."""
    first_line = last_line = 0
    for number, line in enumerate(lines, 1):
        if "FIO results - 4k" in line:
            for name, iops, raw in _FIO_LINE.findall(line):
                yield from _values(lines, number, number, ("FIO", f"4k random {name.lower()}"), (iops, raw, "KB"))
            continue
        if ("Disk " in line or "4k " in line) and _ROW_START.match(line):
            is_of_same_table = number - last_line <= _MAX_DISTANCE and not _FIRST_ROW.match(line)
            first_line, last_line = first_line if is_of_same_table else number, number
            yield from _row(lines, number, first_line)


def _row(lines: Sequence[str], number: int, first_line: int) -> Iterator[Found]:
    """The values of a row; `first_line`: of its table. What the tool itself printed above is the same measurement."""
    row = _ROW.match(lines[number - 1])
    label, name, result = row.groups() if row else ("", "", "")
    rate, iops_and_rate = _RATE.match(result), _IOPS_AND_RATE.match(result)
    tool, factors, tool_params = _TOOLS.get(label, ("", {}, {}))
    iops = None
    if label == "FIO" and iops_and_rate:
        iops, raw, unit = iops_and_rate[1], iops_and_rate[2], "KB"
    elif label != "FIO" and rate and rate[2] in factors:
        raw, unit = rate[1], rate[2]
    else:
        code = "bad-number" if re.search(r"\d", result) else "unmeasured"
        if code == "unmeasured" and tool and result:
            metric, native, run = f"{_OPERATIONS[name]}.throughput", f"{label} {name}", (first_line, tool)
            params = {**tool_params, "command": "PiBenchmarks"}
            yield MissingValue(number, tool, metric, native, "B/s", result, run=run, reason=FAILED, params=params)
        yield Doubt(
            number, code, f"{name or 'a row of PiBenchmarks'}: {result[:40]!r} is not a value of its test; nothing was recorded"
        )
        return
    yield from _values(lines, number, first_line, (label, name), (iops, raw, unit))


def _values(
    lines: Sequence[str], number: int, first_line: int, names: tuple[str, str], printed: tuple[str | None, str, str]
) -> Iterator[Value]:
    """Rate and throughput of a test. `names`: tool and test, as in the table; `printed`: operations a second, rate, unit."""
    (label, name), (iops, raw, unit) = names, printed
    tool, factors, tool_params = _TOOLS[label]
    log_line = _find_log_line(lines, first_line, label, iops or raw)
    native, operation = f"{label} {name}", _OPERATIONS[name]
    figures = [(f"{operation}.throughput", native, PrintedNumber(float(raw) * factors[unit], "B/s", raw, _raw_unit(label, unit)))]
    if iops:
        figures.append((f"{operation}.rate", f"{native} IOPS", PrintedNumber(float(iops), "1/s", iops, "ops/s")))
    params = {**tool_params, "command": "PiBenchmarks"}
    for metric, native_name, figure in figures:
        yield Value(
            line=number,
            tool=tool,
            metric=metric,
            native=native_name,
            value=figure.value,
            unit=figure.unit,
            raw=figure.raw,
            raw_unit=figure.raw_unit,
            run=(first_line, tool),
            params=params,
            same_as=log_line,
            depends=(log_line,) if log_line else (),
        )


def _raw_unit(label: str, unit: str) -> str:
    return f"{unit}/s" if label == "DD" else f"{unit}/sec" if label == "HDParm" else "KiB/s"


def _find_log_line(lines: Sequence[str], first_line: int, label: str, raw: str) -> int | None:
    """The nearest line above the table on which the tool itself printed that figure, None if there is none."""
    figure = re.escape(raw).replace(r"\.", "[.,]")
    pattern = re.compile(_TOOL_LINES[label].replace("%s", figure), re.I)  # dd prints the locale's decimal mark
    spellings = (raw, raw.replace(".", ",")) if label == "DD" else (raw,)
    for number in range(first_line - 1, max(0, first_line - _MAX_LOG), -1):
        line = lines[number - 1]
        if any(map(line.__contains__, spellings)) and pattern.search(line):
            return number
    return None


ANCHOR = lazy(
    r"I/O [Ss]peed ?(?:\((?:\dst run| ?\d)|:)|\d[MG]B-\d{1,4}[KM] Block[^\S\n]|\bdd: sequential write speed"
    r"|Block Size[^\n]{1,40}\(IOPS\)|FIO results - \dk|" + ROW_PATTERN,
    re.M,
)
_RUN_NAME = r"\bI/O [Ss]peed ?\((1st run|2nd run|3rd run| ?\d{1,4}(?:\.\d{1,2})? ?[MG]B? ?)\)\s*:\s*"
_RUN = lazy(_RUN_NAME + r"(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")
_SINGLE_RUN = lazy(r"\bI/O [Ss]peed\s*:\s*(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")  # bench.sh of freevps.us runs dd once
_RUN_START = lazy(_RUN_NAME + r"(?=\S)")
_MEAN = lazy(r"\b(?:I/O [Ss]peed ?\(average\)|Average I/O [Ss]peed)\s*:\s*(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")
_LEMON_ROW = lazy(r"^[\s>|]*(\d{1,5}[MG]B-(\d{1,4})([KM]) Block)[\s|]+(\S.*?)[\s|]*\Z")
_LEMON_CELLS = lazy(r"\s*\|\s*|(?<=\))\s+|\s{2,}")
_LEMON_CELL = lazy(
    r"(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s \((?:\d{1,9}(?:\.\d{1,3})? IOPS)?,? ?(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}) ?s\)+\Z"
)
_LEMON_START = lazy(r"^[\s>|]*\d{1,5}[MG]B-\d{1,4}[KM] Block[\s|]+\S")
_NENCH_TITLE = lazy(r"\bdd: sequential write speed")
_NENCH_RUN = lazy(r"^[\s>|]*(1st run|2nd run|3rd run|average):\s*(\d{1,6}\.\d{1,3}) MiB/s\s*\Z")
_YABS_TITLES = lazy(r"Block Size\s*\|\s*(\w{2,5})\s+\(IOPS\)(?:\s*\|\s*(\w{2,5})\s+\(IOPS\))?")
_YABS_ROW = lazy(r"^[\s>]*((?:Rand)?[Rr]ead|(?:Rand)?[Ww]rite|Total)\s*\|(.*)$")
_YABS_CELL = lazy(r"\s*(\d{1,6}\.\d\d) ([KMG]B)/s\s+\((\d{1,9}(?:\.\d)?)(k?)\)\s*\Z")
_BLOCK_SIZE = lazy(r"(\d{1,5})([km])\Z")
_YABS_KIB = {"KB": 1, "MB": 1000, "GB": 10**6}
_YABS_MAX_ROWS = 6  # lines of a table below its titles
_YABS_PARAMS = {"processes": 2, "iodepth": 64, "direct": "on", "command": "yabs.sh"}


@dataclass(slots=True)
class _DdSeries:
    """The runs of dd of one report so far: rates in MB/s, as the script adds them up; line of the title, 0 if there is none."""

    script: str
    rates: list[float] = field(default_factory=list)
    title_line: int = 0


def parse(text: Text) -> Iterator[Found]:
    """Every figure that such a script shows, in line order."""
    yield from by_line(chain(_server_scripts(text), read_rows(text.lines)))


def _server_scripts(text: Text) -> Iterator[Found]:
    series: _DdSeries | None = None
    for number, line in enumerate(text.lines, 1):
        if "I/O " in line and "peed" in line:
            series = series if series and series.script == "bench.sh" and "1st" not in line else _DdSeries("bench.sh")
            yield from _bench(series, line, number)
        elif " Block" in line and _LEMON_START.match(line):
            yield from _lemon(line, number)
        elif _NENCH_TITLE.search(line):
            series = _DdSeries("nench.sh", title_line=number)
        elif series and series.title_line and (run := _NENCH_RUN.match(line)):
            yield from _nench(series, run, number)
        elif "Block Size" in line and (titles := _YABS_TITLES.search(line)):
            yield from _yabs(text.lines, [size for size in titles.groups() if size], number)


def _dd_rate(raw: str, unit: str) -> PrintedNumber:
    """A rate as dd prints it."""
    return PrintedNumber(float(raw) * units.DD_GNU[unit], "B/s", raw, f"{unit}/s")


def _in_script_mb(raw: str, unit: str) -> float:
    """A rate in the MB of bench.sh, which adds up the figures of dd and takes a GB for 1024 MB."""
    return float(raw) * (1024 if unit == "GB" else 1)


def _bench(series: _DdSeries, line: str, number: int) -> Iterator[Found]:
    """A line of bench.sh or superbench.sh: one run of dd, or the mean of several."""
    if run := _RUN.search(line):
        name, raw, unit = run.groups()
        series.rates.append(_in_script_mb(raw, unit))
        native, script = run[0].split(":")[0].strip(), "bench.sh" if "run" in name else "superbench.sh"
        yield _dd_write(number, native, _dd_rate(raw, unit), script)
    elif (run := _SINGLE_RUN.search(line)) and not _MEAN.search(line):
        yield _dd_write(number, "I/O speed", _dd_rate(run[1], run[2]), "bench.sh")
    elif mean := _MEAN.search(line):
        raw, unit = mean.groups()
        yield from _mean(series, number, _in_script_mb(raw, unit), _dd_rate(raw, unit))
    elif _RUN_START.search(line):
        yield Doubt(number, "bad-number", "a run of dd whose rate cannot be read")


def _lemon(line: str, number: int) -> Iterator[Found]:
    """A row of LemonBench: the summary of dd for writing and for reading. Its operations are computed from the seconds, by some
    versions wrongly (`0.06 IOPS`)."""
    row = _LEMON_ROW.match(line)
    cells = _LEMON_CELLS.split(row[4]) if row else []
    if row is None or len(cells) > 2:
        yield Doubt(number, "bad-number", "this row of LemonBench is cut off or cannot be read; nothing in it was recorded")
        return
    test, size, letter, _ = row.groups()
    params = {"part": test, "block_size": int(size) * (1024 if letter == "K" else 2**20), "direct": "on", "command": "LemonBench"}
    for operation, printed in zip(("write", "read"), [*cells, ""], strict=False):
        yield from _lemon_cell(number, f"{test}, {operation} speed", operation, printed, params)


def _lemon_cell(number: int, native: str, operation: str, printed: str, params: dict[str, Any]) -> Iterator[Found]:
    cell = _LEMON_CELL.match(printed)
    if cell is None:
        if printed and not re.search(r"\d", printed):
            metric = f"{operation}.throughput"
            yield MissingValue(number, "dd", metric, native, "B/s", printed, run=number, reason=FAILED, params=params)
        yield Doubt(number, "bad-number", f"{native}: {printed[:40]!r} is cut off or no result of dd; nothing in it was recorded")
        return
    rate, unit, seconds = cell.groups()
    yield _value(number, f"{operation}.throughput", native, _dd_rate(rate, unit), params=params)
    elapsed = _value(number, f"{operation}.elapsed", native, PrintedNumber(float(seconds), "s", seconds, "s"), params=params)
    if float(seconds) > 0:
        yield elapsed
    else:
        digit = 10.0 ** -len(seconds.partition(".")[2])
        yield MissingValue.instead_of(elapsed, ZERO_TIME, digit, BELOW)
        yield Doubt(number, "zero-time", f"{native}: {seconds} s is too short for its decimals; the rate was recorded")


def _nench(series: _DdSeries, run: re.Match[str], number: int) -> Iterator[Found]:
    name, raw = run.groups()
    rate = PrintedNumber(float(raw) * 2**20, "B/s", raw, "MiB/s")
    if name == "average":
        yield from _mean(series, number, float(raw), rate)
        return
    series.rates.append(float(raw))
    yield _dd_write(number, f"dd: sequential write speed, {name}", rate, series.script, title_line=series.title_line)


def _mean(series: _DdSeries, number: int, mean: float, printed: PrintedNumber) -> Iterator[Found]:
    """The mean: compared with the runs where they are shown, else a value. `mean`: in the unit of the rates of the series."""
    rates = series.rates
    if not rates:
        yield _dd_write(number, "average", printed, series.script, title_line=series.title_line, stat="mean")
    elif abs(sum(rates) / len(rates) - mean) > 0.03 * mean + 1:
        message = f"the mean of the runs above is {sum(rates) / len(rates):.1f}, not {printed.raw} {printed.raw_unit}"
        yield Doubt(number, "disagree", message)
    series.rates, series.title_line = [], 0


def _dd_write(line: int, native: str, rate: PrintedNumber, script: str, *, title_line: int = 0, stat: str = "sample") -> Value:
    params = {"fsync": "fdatasync", "command": script}
    return _value(line, "write.throughput", native, rate, params=params, title_line=title_line, stat=stat)


def _value(
    line: int,
    metric: str,
    native: str,
    number: PrintedNumber,
    *,
    params: dict[str, Any],
    tool: str = "dd",
    run: Hashable = None,
    title_line: int = 0,
    stat: str = "sample",
) -> Value:
    """A value of a tool that a script runs; each line of dd is a run of its own."""
    return Value(
        line=line,
        tool=tool,
        metric=metric,
        native=native,
        value=number.value,
        unit=number.unit,
        raw=number.raw,
        raw_unit=number.raw_unit,
        run=run or line,
        stat=stat,
        params=params,
        depends=(title_line,) if title_line else (),
    )


def _yabs(lines: Sequence[str], sizes: list[str], title_line: int) -> Iterator[Found]:
    """The rows below a line of block sizes but that of totals, which are sums of the two others. A table with Randread too is of
    another script, whose tests run one after another."""
    is_warned, is_own = False, any(line.lstrip(" >").startswith("Rand") for line in lines[title_line : title_line + _YABS_MAX_ROWS])
    for number in range(title_line + 1, min(title_line + _YABS_MAX_ROWS, len(lines) + 1)):
        row = _YABS_ROW.match(lines[number - 1])
        if not row or row[1] == "Total":
            continue
        cells = row[2].rstrip(" |").split("|")
        for size, text in zip(sizes, cells, strict=False):
            cell, block_size, native = _YABS_CELL.match(text), _BLOCK_SIZE.match(size), f"{row[1]} {size}"
            if not cell or not block_size or len(cells) != len(sizes):
                yield Doubt(number, "bad-number", f"{native}: {text.strip()[:40]!r} is not a rate with its operations per second")
                continue
            if not is_warned:
                is_warned = True
                yield Doubt(number, "mislabelled-unit", "yabs.sh calls thousands of KiB/s MB/s, and millions GB/s")
            size_in_bytes = int(block_size[1]) * (1024 if block_size[2] == "k" else 2**20)
            yield from _yabs_cell(cell, (number, title_line), native, size_in_bytes, is_own)


def _yabs_cell(cell: re.Match[str], lines: tuple[int, int], native: str, block_size: int, is_own: bool) -> Iterator[Value]:
    """Throughput and rate of a cell. `lines`: its own and that of the titles. `is_own`: of the other script."""
    rate, unit, operations, kilo = cell.groups()
    line, title_line = lines
    operation = native.split()[0].lower().replace("rand", "random_") if is_own else f"random_{native.split()[0].lower()}"
    raw_unit = f"{_YABS_KIB[unit]} KiB/s".removeprefix("1 ")
    throughput = PrintedNumber(float(rate) * _YABS_KIB[unit] * 1024, "B/s", rate, raw_unit)
    iops = PrintedNumber(float(operations) * (1000 if kilo else 1), "1/s", operations + kilo, "ops/s")
    params, run = {"block_size": block_size, **({} if is_own else _YABS_PARAMS)}, (title_line, block_size)
    for metric, name, number in ((f"{operation}.throughput", native, throughput), (f"{operation}.rate", f"{native} IOPS", iops)):
        yield _value(line, metric, name, number, params=params, tool="fio", run=run, title_line=title_line)


PARSER = Parser(
    name="vps-scripts",
    version=10,
    anchor=Anchor(
        ANCHOR,
        "fio results - 0k|i/o speed|mb-0|gb-0|sequential write speed|block size|disk read|disk write|0k read|0k write|0k random",
    ),
    parse=parse,
    brief=True,
)
