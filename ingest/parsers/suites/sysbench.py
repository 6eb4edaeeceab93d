"""sysbench fileio: 0.4 (requests a second, transferred bytes) and 0.5 to 1.1 (reads/s, MiB/s, latency).

Its Kb, Mb and MiB are powers of 1024 (sb_fileio.c and sb_util.c, sb_print_value_size). Latencies of 0.5 and later are of
all events, fsync among them, so that only those of tests which do nothing but read are of that operation.

Results are often quoted without the line that names the test. Then the test is that of the command above, else it follows
from the figures: `rndrw` is the only test that both reads and writes. The pattern of one that does but one stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber, to_base_unit
from ingest.parsers.suites._sysbench_run import (
    COMMAND,
    EDGE,
    FIGURE_LINE,
    IOPS_LINE,
    OPERATIONS,
    SIZE_FACTORS,
    TRANSFER_LINE,
    TWO_DECIMALS,
    SysbenchRun,
    command_modes,
    infer_test,
    take_setting,
)
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import BELOW, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text
from ingest.units import M

ANCHOR = lazy(
    r"^[^\w\n]*(?:Extra file open flags:|Doing (?:sequential|random) [^\n]{3,30} test|(?:reads|writes|fsyncs)/s:"
    r"|(?:read|written), MiB/s:)"
    r"|Requests/sec executed|Written \S{1,20} +Total transferred \S{1,20} +\(",
    re.M,
)
_BANNER = lazy(EDGE + r"sysbench v?(\d+\.\d+[\w.-]*)")
_REQUESTS = lazy(EDGE + r"(\d+\.\d\d) Requests/sec executed\s*\Z")
_LATENCY = lazy(EDGE + r"(min|avg|max|(?:approx\. +)?(\d\d)(?:th)? percentile):\s+(\d+\.\d\d)(?:ms)?\s*\Z")
_CUT_LINE = lazy(EDGE + r"(?:(?:reads|writes|fsyncs)/s|read, MiB/s|written, MiB/s)\s*:|" + EDGE + r"Read \S+\s+Written ")
_FIGURES_TITLE = lazy(r"(?:File operations|Operations performed):")
_STAT_NAMES = {"min": "min", "avg": "mean", "max": "max"}


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every file test, in line order."""
    run, command_line = SysbenchRun(1), 0
    for number, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        if banner := _BANNER.match(line):
            run = SysbenchRun(number, banner[1], depends={"version": number})
        elif COMMAND.search(line):
            command_line = number if len(command_modes(text.lines, number)) == 1 else 0
        elif take_setting(run, line, number):
            if run.raw:
                run = SysbenchRun(number)
                take_setting(run, line, number)
            command_line = 0 if run.is_named else command_line
        else:
            run = _run_of_figure(run, line, number)
            if not run.test and not run.is_named:
                command_line = infer_test(run, text.lines, number, command_line)
            yield from _new_figures(run, line, number)


def _run_of_figure(run: SysbenchRun, line: str, number: int) -> SysbenchRun:
    """The run to which a line belongs: the current one, or one that begins here because figures are repeated."""
    transfer = TRANSFER_LINE.search(line)
    if run.raw and (_FIGURES_TITLE.search(line) or (transfer and transfer[3] != run.raw.get("Total transferred"))):
        run = SysbenchRun(number)
    if not run.accepts(line):
        run = SysbenchRun(number)
        run.accepts(line)
    return run


def _new_figures(run: SysbenchRun, line: str, number: int) -> Iterator[Found]:
    """The figures of a line that this run does not have yet."""
    for item in _figures(run, line, number):
        if isinstance(item, Doubt):
            yield item
        elif not run.test:
            yield Doubt(number, "no-command", "the line that names the test of these sysbench values is missing; not recorded")
        elif item.native not in run.raw:
            run.raw[item.native] = item.raw
            yield item
        elif run.raw[item.native] != item.raw:
            yield Doubt(number, "no-command", f"{item.native} again, without the lines that name another test; not recorded")


def _figures(run: SysbenchRun, line: str, number: int) -> Iterator[Found]:
    reads, writes = OPERATIONS.get(run.test, ("read", "write"))
    if figure := FIGURE_LINE.match(line):
        word = figure[1].partition("/")[0].partition(",")[0]
        operation = {"reads": reads, "read": reads, "writes": writes, "written": writes, "fsyncs": "fsync"}[word]
        quantity = "throughput" if "MiB" in figure[1] else "rate"
        yield from _rate(run, number, f"{operation}.{quantity}", figure[1], figure[2])
    elif figure := IOPS_LINE.match(line):
        operation = {"read": reads, "write": writes, "fsync": "fsync"}[figure[1]]
        yield from _rate(run, number, f"{operation}.rate", f"{figure[1]} IOPS", figure[2])
        if figure[3]:
            yield from _rate(run, number, f"{operation}.throughput", f"{figure[1]} MiB/s", figure[3])
    elif transfer := TRANSFER_LINE.search(line):
        run.is_0_4 = True
        raw, unit = transfer[3], transfer[4]
        throughput = PrintedNumber(float(raw) * SIZE_FACTORS[unit[:-1]], "B/s", raw, f"{unit}/sec")
        yield _value(run, number, f"{_total_operation(run)}.throughput", "Total transferred", throughput)
    elif requests := _REQUESTS.match(line):
        run.is_0_4 = True
        rate = PrintedNumber(float(requests[1]), "1/s", requests[1], "1/s")
        yield _value(run, number, f"{_total_operation(run)}.rate", "Requests/sec", rate)
    elif run.raw and (latency := _LATENCY.match(line)):
        yield from _latency(run, latency, number)
    elif _CUT_LINE.match(line):
        yield Doubt(number, "cut", "this value of sysbench is cut off or cannot be read; not recorded")


def _total_operation(run: SysbenchRun) -> str:
    """The operation of figures that sysbench 0.4 prints for reads and writes together."""
    return run.operation if run.test else "mixed"


def _latency(run: SysbenchRun, latency: re.Match[str], number: int) -> Iterator[Found]:
    name, percentile, raw = latency.groups()
    is_of_one_operation = run.is_0_4 or not OPERATIONS.get(run.test, ("", "w"))[1]
    operation = _total_operation(run) if is_of_one_operation else "mixed"
    stat = f"p{percentile}" if percentile else _STAT_NAMES[name]
    milliseconds = PrintedNumber(to_base_unit(float(raw), 1e-3), "s", raw, "ms")
    value = _value(run, number, f"{operation}.latency", f"latency {name}", milliseconds, stat=stat)
    if value.value:
        yield value
        return
    yield MissingValue.instead_of(value, ZERO_TIME, 1e-5, BELOW)
    yield Doubt(number, "unmeasured", f"latency {name}: 0.00 ms is too short for its two decimals")


def _rate(run: SysbenchRun, line: int, metric: str, native: str, raw: str) -> Iterator[Found]:
    """Operations or MiB a second, with two decimals; a test prints 0 for operations that it does not do."""
    operation, _, quantity = metric.partition(".")
    if not TWO_DECIMALS.match(raw):
        yield Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is not a value with two decimals")
    elif float(raw) == 0:
        if operation and operation != "fsync":
            factor, unit, raw_unit = (M, "B/s", "MiB/s") if quantity == "throughput" else (1, "1/s", "1/s")
            value = _value(run, line, metric, native, PrintedNumber(0.0, unit, raw, raw_unit))
            yield MissingValue.instead_of(value, ZERO_TIME, 0.01 * factor, BELOW)
            yield Doubt(line, "unmeasured", f"{native}: sysbench printed 0")
    elif not operation:
        yield Doubt(line, "disagree", f"{native}: {raw}, though this test does no such thing; not recorded")
    elif quantity == "throughput":
        yield _value(run, line, metric, native, PrintedNumber(float(raw) * M, "B/s", raw, "MiB/s"))
    else:
        yield _value(run, line, metric, native, PrintedNumber(float(raw), "1/s", raw, "1/s"))


def _value(run: SysbenchRun, line: int, metric: str, native: str, number: PrintedNumber, *, stat: str = "sample") -> Value:
    params = {name: value for name, value in run.params.items() if name != "ratio"}
    if "ratio" in run.params and run.test.endswith("r/w"):
        params["mix"] = f"{run.params['ratio']} reads to a write"
    return Value(
        line=line,
        tool="sysbench",
        metric=metric,
        native=native,
        value=number.value,
        unit=number.unit,
        raw=number.raw,
        raw_unit=number.raw_unit,
        run=run.start,
        tool_version=run.version,
        stat=stat,
        params=params,
        depends=tuple(sorted(set(run.depends.values()))),
    )


PARSER = Parser(
    name="sysbench",
    version=5,
    anchor=Anchor(
        ANCHOR,
        "extra file open flags",
        "doing sequential",
        "doing random",
        "reads/s:",
        "writes/s:",
        "fsyncs/s:",
        "read, mib/s",
        "written, mib/s",
        "requests/sec executed",
        "total transferred",
    ),
    parse=parse,
    shapes=(
        Shape("fileio", "0.5 to 1.1", "MiB = 2^20 B, ms", "latencies are of all events, fsync among them: `mixed` but for reads"),
        Shape("fileio", "0.4", "Kb, Mb, Gb = powers of 1024 bytes, ms", "prints the sum of reads and writes: `mixed`"),
        Shape(
            "fileio, quoted",
            "all",
            "as above",
            "without the line that names the test: known from its command or from what was done",
        ),
    ),
    source="sb_fileio.c, sb_timer.c and sb_util.c of sysbench 0.4.12 and 1.0.20 (file_print_stats, report_cumulative)",
    brief=True,
)
