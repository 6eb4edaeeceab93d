"""sysbench fileio: 0.4 (requests a second, transferred bytes) and 0.5 to 1.1 (reads/s, MiB/s, latency).

Its Kb, Mb and MiB are powers of 1024 (sb_fileio.c and sb_util.c, sb_print_value_size). Latencies of 0.5 and later are of
all events, fsync among them, so that only those of tests which do nothing but read are of that operation.

Results are often quoted without the line that names the test. Then the test is that of the command above, else it follows
from the figures: `rndrw` is the only test that both reads and writes. The pattern of one that does but one stays unknown.

Shapes of sysbench (name | versions | units | traps):
    fileio | 0.5 to 1.1 | MiB = 2^20 B, ms | latencies are of all events, fsync among them: `mixed` but for reads
    fileio prepare | all | MB and MiB = 2^20 B | the files are written one after the other
    fileio | 0.4 | Kb, Mb, Gb = powers of 1024 bytes, ms | prints the sum of reads and writes: `mixed`
    fileio, quoted | all | as above | without the line that names the test: known from its command or from what was done

Source: sb_fileio.c, sb_timer.c and sb_util.c of sysbench 0.4.12 and 1.0.20 (file_print_stats, report_cumulative)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber, to_base_unit
from ingest.options import open_params, read_command
from ingest.parsers._shell_command import join_continuations
from ingest.plugin_api import Anchor, CommandOptions, CommandReader, Parser
from ingest.records import BELOW, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.spill import by_line
from ingest.text.lines import Text
from ingest.units import G, K, M, T

# One test of sysbench fileio: what it did, by its own lines, its command or its figures, and with which parameters.

EDGE = r"^[\s>|#]*"
_THREADS = lazy(EDGE + r"Number of threads: (\d{1,6})\s*\Z")
_FILES = lazy(EDGE + r"(\d{1,7}) files, (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] each\s*\Z")
_TOTAL = lazy(EDGE + r"(\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] total file size\s*\Z")
_BLOCK = lazy(EDGE + r"Block size (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB]\s*\Z")
_FLAGS = lazy(EDGE + r"Extra file open flags: (\S[\w ()]{0,60}?)\s*\Z")
_RATIO = lazy(EDGE + r"Read/Write ratio for combined random IO test: (\d+\.\d+)\s*\Z")
_ENGINE = lazy(EDGE + r"Using ((?:a?synchronous|(?:slow|fast) mmaped|mmap\w*)) I/O mode\s*\Z")
_TEST = lazy(EDGE + r"Doing ([a-z][a-z /()]{3,30}) test\s*\Z")
COMMAND = lazy(r"\bsysbench\b(?=.{0,400}--file-test-mode[= ](?P<mode>(?:seq|rnd)(?:rd|wr|rewr|rw))\b).{0,400}\s\"?run\b")
_MODE = lazy(r"--file-test-mode[= ]((?:seq|rnd)(?:rd|wr|rewr|rw))\b")
# Lines of the head that show an option without a parameter of ours: the line, the option and its value (None: the number in it).
_OPTION_LINES: tuple[tuple[re.Pattern[str], str, str | None], ...] = (
    (lazy(EDGE + r"Periodic FSYNC enabled, calling fsync\(\) each (\d{1,9}) requests"), "file-fsync-freq", None),
    (lazy(EDGE + r"Calling fsync\(\) at the end of test, Enabled"), "file-fsync-end", "on"),
    (lazy(EDGE + r"Calling fsync\(\) after each write operation"), "file-fsync-all", "on"),
    (lazy(EDGE + r"Using checksums validation"), "validate", "on"),
    (lazy(EDGE + r"Merging requests up to (\S{1,12}?)i?B for sequential IO"), "file-merged-requests", None),
    (lazy(EDGE + r"Number of (?:IO requests|random requests for random IO): (\d{1,12})\s*\Z"), "events", None),
    (lazy(EDGE + r"Target transaction rate: (\d{1,12})/sec"), "rate", None),
    (lazy(EDGE + r"Warmup time: (\d{1,9})s"), "warmup-time", None),
)
_ENGINES = {"sync": "synchronous", "async": "asynchronous"}
_DECIMAL = lazy(r"\d{1,6}(?:\.\d{1,6})?")
_OPTION_WORDS = lazy(r"FSYNC|fsync\(\)|checksums|Merging|Number of|Target|Warmup")
_OFF_UNLESS_PRINTED = {"file-fsync-freq": "0", "file-fsync-end": "off"}
_MAX_LIST = 20  # lines above a command among which others are searched for
_TESTS_OF_MODES = {
    "seqrd": "sequential read",
    "seqwr": "sequential write (creation)",
    "seqrewr": "sequential rewrite",
    "rndrd": "random read",
    "rndwr": "random write",
    "rndrw": "random r/w",
}
_OPTION = lazy(r"--(num-threads|threads|file-num|file-total-size|file-block-size)[= ](\d{1,12})([KMGT]?)\b")
_OPTION_PARAMS = {
    "num-threads": "threads",
    "threads": "threads",
    "file-num": "files",
    "file-total-size": "total_size",
    "file-block-size": "block_size",
}
_READS_AND_WRITES, _READS_OR_WRITES = "random r/w", "reads or writes"
OPERATIONS = {  # read and write operation of each test
    "sequential read": ("read", ""),
    "sequential write (creation)": ("", "write"),
    "sequential rewrite": ("", "rewrite"),
    "random read": ("random_read", ""),
    "random write": ("", "random_write"),
    "random r/w": ("random_read", "random_write"),
    "combined random r/w": ("random_read", "random_write"),
    "reads": ("read", ""),
    "writes": ("", "write"),
    _READS_OR_WRITES: ("read", "write"),  # by its figures alone
}
FIGURE_LINE = lazy(EDGE + r"(reads/s|writes/s|fsyncs/s|read, MiB/s|written, MiB/s):\s+(\S+)\s*\Z")
IOPS_LINE = lazy(EDGE + r"(read|write|fsync):\s+IOPS=(\S+)(?:\s+(\S+) MiB/s\s+\(\S+ MB/s\))?\s*\Z")
TRANSFER_LINE = lazy(r"\bRead (\d\S{0,19}) +Written (\d\S{0,19}) +Total transferred \S{1,20} +\((\d+(?:\.\d+)?)([KMGT]?b)/sec\)")
_ZERO = lazy(r"0(?:\.0+)?[KMGT]?b?\Z")
_PRINT_ORDER = {
    "reads/s": 0,
    "read": 0,
    "writes/s": 1,
    "write": 1,
    "fsyncs/s": 2,
    "fsync": 2,
    "read, MiB/s": 3,
    "written, MiB/s": 4,
}
_FIRST_THROUGHPUT = 3  # of the order: sysbench 1.0 prints a blank line and a title before it
_MAX_LINES_AHEAD = 9  # lines that hold the rates of reads and writes in 1.0 and 1.1
TWO_DECIMALS = lazy(r"\d{1,12}\.\d\d\Z")
SIZE_FACTORS = {"": 1, "K": K, "M": M, "G": G, "T": T}


@dataclass(slots=True)
class SysbenchRun:
    """One test. `test`: a key of OPERATIONS, or empty if unknown; `is_named`: a line of its own names it, known or not.

    `depends`: the lines that give its parameters. `raw`: the figures recorded so far; `seen`: those read, with zeros.
    """

    start: int
    version: str | None = None
    test: str = ""
    params: dict[str, object] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    is_0_4: bool = False
    is_named: bool = False
    raw: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def accepts(self, line: str) -> bool:
        """Whether a figure may be of this test; the first of each name is remembered.

        In results quoted without their heads, a second figure of a name is of the next test, and so is one that sysbench prints
        above those read before.
        """
        figure = None if self.is_named else FIGURE_LINE.match(line) or IOPS_LINE.match(line)
        if not figure:
            return True
        name, raw = figure[1], figure[2]
        if name not in self.seen and any(_PRINT_ORDER[name] < _PRINT_ORDER[earlier] for earlier in self.seen):
            return False
        return self.seen.setdefault(name, raw) == raw

    def set_param(self, name: str, value: object, line: int) -> None:
        self.params[name], self.depends[name] = value, line

    @property
    def operation(self) -> str:
        """The operation of a test that does but one, else `mixed`."""
        return "".join(OPERATIONS[self.test]) if not all(OPERATIONS[self.test]) else "mixed"


def parse_bytes(number: str, letter: str) -> int:
    """Bytes of a printed size."""
    return round(float(number) * SIZE_FACTORS[letter])


_SETTINGS: tuple[tuple[re.Pattern[str], str, Callable[[re.Match[str]], object]], ...] = (
    (_THREADS, "threads", lambda match: int(match[1])),
    (_FILES, "files", lambda match: int(match[1])),
    (_TOTAL, "total_size", lambda match: parse_bytes(match[1], match[2])),
    (_BLOCK, "block_size", lambda match: parse_bytes(match[1], match[2])),
    (_ENGINE, "engine", lambda match: match[1]),
)


def take_setting(run: SysbenchRun, line: str, number: int) -> bool:
    """Take a line that sysbench prints before a test; whether it is one."""
    for pattern, name, read in _SETTINGS:
        if match := pattern.match(line):
            run.set_param(name, read(match), number)
            return True
    if _take_option_line(run, line, number):
        return True
    if flags := _FLAGS.match(line):
        if "direct" in flags[1]:
            run.set_param("direct", "on", number)
        words = flags[1].replace("directio", "direct").split()
        run.options["file-extra-flags"] = ",".join(word for word in words if word not in ("(none)", "0"))
        run.depends["flags"] = number
    elif ratio := _RATIO.match(line):
        run.depends["mix"], run.params["ratio"] = number, ratio[1]
    elif test := _TEST.match(line):
        run.is_named, run.test = True, ""
        if {"files", "block_size", "engine"} <= run.depends.keys():  # the whole head
            run.options = {**_OFF_UNLESS_PRINTED, **run.options}
        if test[1] in OPERATIONS:
            run.test, run.depends["doing"] = test[1], number
    else:
        return False
    return True


def _take_option_line(run: SysbenchRun, line: str, number: int) -> bool:
    for pattern, option, value in _OPTION_LINES if _OPTION_WORDS.search(line) else ():
        if match := pattern.match(line):
            run.options[option], run.depends[option] = value or match[1], number
            return True
    return False


def command_modes(lines: Sequence[str], number: int) -> set[str]:
    """The modes of the commands listed down to line `number`: results below several may be of any of them."""
    modes = set(_MODE.findall(lines[number - 1]))
    for line in reversed(lines[max(0, number - 1 - _MAX_LIST) : number - 1]):
        if line.strip() and not line.lstrip().startswith("#") and "sysbench" not in line:
            break
        if COMMAND.search(line):
            modes.update(_MODE.findall(line))
    return modes


def infer_test(run: SysbenchRun, lines: Sequence[str], number: int, command_line: int) -> int:
    """Infer the test of a run that is not named, from the command on `command_line` if it fits, else from its figures.

    Returns the line of the command that is still to be used, 0 for none.
    """
    reads = writes = ""
    if transfer := TRANSFER_LINE.search(lines[number - 1]):
        reads, writes = transfer[1], transfer[2]
        run.depends["doing"] = number
    elif FIGURE_LINE.match(lines[number - 1]) or IOPS_LINE.match(lines[number - 1]):
        reads, writes = _rates_below(run, lines, number)
    if not reads and not writes:
        return command_line
    did = [bool(rate and not _ZERO.match(rate)) for rate in (reads, writes)]
    command = COMMAND.search(lines[command_line - 1]) if command_line else None
    test = _TESTS_OF_MODES.get(command["mode"], "") if command else ""
    if test and not any(does and not operation for does, operation in zip(did, OPERATIONS[test], strict=True)):
        run.test = test
        run.depends = {key: line for key, line in run.depends.items() if not key.startswith("doing")} | {"doing": command_line}
    elif all(did):
        run.test = _READS_AND_WRITES
    else:
        run.test = _READS_OR_WRITES if not reads or not writes else "reads" if _ZERO.match(writes) else "writes"
        run.params["pattern"] = "unknown"
    return 0


def _rates_below(run: SysbenchRun, lines: Sequence[str], number: int) -> tuple[str, str]:
    """Rates of reads and writes among the lines from `number` on, as far as they stand in the order of one output."""
    raws, last_place, is_after_blank = dict[str, str](), 0, False
    for below, line in enumerate(lines[number - 1 : number - 1 + _MAX_LINES_AHEAD], number):
        figure = FIGURE_LINE.match(line) or IOPS_LINE.match(line)
        if not figure:
            if (words := line.strip(" \t>|#")) and words != "Throughput:":
                break
            is_after_blank = is_after_blank or not words
            continue
        name, raw = figure[1], figure[2]
        place = _PRINT_ORDER[name]
        if place < last_place or raws.get(name, raw) != raw or (is_after_blank and place < _FIRST_THROUGHPUT):
            break
        last_place = place
        if TWO_DECIMALS.match(raw):
            raws[name] = raw
            run.depends[f"doing {name}"] = below
    reads = next((raws[name] for name in ("reads/s", "read", "read, MiB/s") if name in raws), "")
    writes = next((raws[name] for name in ("writes/s", "write", "written, MiB/s") if name in raws), "")
    return reads, writes


def take_options(run: SysbenchRun, shown: str, command_line: int) -> None:
    """Take the options of the command above, where it is of the same test, unless the output shows them."""
    command = COMMAND.search(shown) if shown and not run.raw and "command" not in run.depends else None
    if command and run.test.endswith(_TESTS_OF_MODES.get(command["mode"], "?")):
        given = read_command("sysbench", shown)
        run.options, run.depends["command"] = {**given, **run.options}, command_line
        if mode := given.get("file-io-mode"):
            run.params.setdefault("engine", _ENGINES.get(mode, mode))
        if _DECIMAL.fullmatch(ratio := given.get("file-rw-ratio", "")):
            run.params.setdefault("ratio", f"{float(ratio):.2f}")
        if "direct" in given.get("file-extra-flags", ""):
            run.params["direct"] = "on"
        for option, digits, letter in _OPTION.findall(shown):
            name = _OPTION_PARAMS[option]
            if name not in run.params and not (letter and name in ("threads", "files")):
                run.set_param(name, parse_bytes(digits, letter), command_line)


ANCHOR = lazy(
    r"^[^\w\n]*(?:Extra file open flags:|Doing (?:sequential|random) [^\n]{3,30} test|(?:reads|writes|fsyncs)/s:"
    r"|(?:read|written), MiB/s:)"
    r"|Requests/sec executed|Written \S{1,20} +Total transferred \S{1,20} +\(|bytes written in",
    re.M,
)
_PREPARED = lazy(EDGE + r"(\d{1,18}) bytes written in (\d{1,9}\.\d\d) seconds \((\d{1,9}\.\d\d) M(?:i?B|b)/sec\)\.?\s*\Z")
_BANNER = lazy(EDGE + r"sysbench v?(\d+\.\d+[\w.-]*)")
_REQUESTS = lazy(EDGE + r"(\d+\.\d\d) Requests/sec executed\s*\Z")
_LATENCY = lazy(EDGE + r"(min|avg|max|(?:approx\. +)?(\d\d)(?:th)? percentile):\s+(\d+\.\d\d)(?:ms)?\s*\Z")
_CUT_LINE = lazy(EDGE + r"(?:(?:reads|writes|fsyncs)/s|read, MiB/s|written, MiB/s)\s*:|" + EDGE + r"Read \S+\s+Written ")
_FIGURES_TITLE = lazy(r"(?:File operations|Operations performed):")
_STAT_NAMES = {"min": "min", "avg": "mean", "max": "max"}


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every file test and of `prepare`, in line order."""
    return by_line(chain(_read_tests(text), _read_prepared(text)))


def _read_tests(text: Text) -> Iterator[Found]:
    run, command_line = SysbenchRun(1), 0
    shown = "", 0  # the command of the outputs below, and its line
    for number, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        if banner := _BANNER.match(line):
            run = SysbenchRun(number, banner[1], depends={"version": number})
        elif COMMAND.search(line):
            command_line = number if len(command_modes(text.lines, number)) == 1 else 0
            shown = line if command_line else "", number
        elif line.endswith("\\") and "sysbench" in line:
            shown = join_continuations(text.lines, number, line, None)[0], number
        elif take_setting(run, line, number):
            if run.raw:
                run = SysbenchRun(number)
                take_setting(run, line, number)
            command_line = 0 if run.is_named else command_line
        else:
            run = _run_of_figure(run, line, number)
            if not run.test and not run.is_named:
                command_line = infer_test(run, text.lines, number, command_line)
            take_options(run, *shown)
            if "command" in run.depends and not run.is_named:
                shown = "", 0  # a result without a head of its own is of the command right above alone
            yield from _new_figures(run, line, number)


def _read_prepared(text: Text) -> Iterator[Value]:
    """How fast `prepare` wrote the files of the tests, one after the other (sb_fileio.c, sb_create_files)."""
    for number, line in enumerate(text.lines, 1) if " bytes written in " in text.body else ():
        if prepared := _PREPARED.match(line):
            total, seconds, rate = prepared.groups()
            run = SysbenchRun(number, params={"total_size": int(total), "phase": "prepare"})
            yield _value(run, number, "write.elapsed", "seconds", PrintedNumber(float(seconds), "s", seconds, "s"))
            yield _value(run, number, "write.throughput", "MiB/sec", PrintedNumber(float(rate) * M, "B/s", rate, "MiB/s"))


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
        params=_params(run),
        depends=tuple(sorted(set(run.depends.values()))),
    )


def _params(run: SysbenchRun) -> dict[str, object]:
    params = {name: value for name, value in run.params.items() if name != "ratio"}
    params |= open_params("sysbench", run.options, run.version)
    if "ratio" in run.params and run.test.endswith("r/w"):
        params["mix"] = f"{run.params['ratio']} reads to a write"
    return params


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output: of one that runs a file test."""
    called = COMMAND.search(command)
    if called is None:
        return ()
    run = SysbenchRun(0, version, _TESTS_OF_MODES[called["mode"]])
    take_options(run, command, 0)
    return [CommandOptions(_params(run), operations=frozenset(filter(None, OPERATIONS[run.test])))]


PARSER = Parser(
    name="sysbench",
    commands=CommandReader("sysbench", ("sysbench",), read_command_line),
    version=7,
    anchor=Anchor(
        ANCHOR,
        "bytes written in|"
        "extra file open flags|doing sequential|doing random|reads/s:|writes/s:|fsyncs/s:|read, mib/s|written, mib/s|"
        "requests/sec executed|total transferred",
    ),
    parse=parse,
    brief=True,
)
