"""One test of sysbench fileio: what it did, by its own lines, its command or its figures, and with which parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.units import G, K, M, T

EDGE = r"^[\s>|#]*"
_THREADS = lazy(EDGE + r"Number of threads: (\d{1,6})\s*\Z")
_FILES = lazy(EDGE + r"(\d{1,7}) files, (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] each\s*\Z")
_TOTAL = lazy(EDGE + r"(\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] total file size\s*\Z")
_BLOCK = lazy(EDGE + r"Block size (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB]\s*\Z")
_FLAGS = lazy(EDGE + r"Extra file open flags: (\S+)\s*\Z")
_RATIO = lazy(EDGE + r"Read/Write ratio for combined random IO test: (\d+\.\d+)\s*\Z")
_ENGINE = lazy(EDGE + r"Using ((?:a?synchronous|(?:slow|fast) mmaped|mmap\w*)) I/O mode\s*\Z")
_TEST = lazy(EDGE + r"Doing ([a-z][a-z /()]{3,30}) test\s*\Z")
COMMAND = lazy(r"\bsysbench\b(?=.{0,400}--file-test-mode[= ](?P<mode>(?:seq|rnd)(?:rd|wr|rewr|rw))\b).{0,400}\s\"?run\b")
_MODE = lazy(r"--file-test-mode[= ]((?:seq|rnd)(?:rd|wr|rewr|rw))\b")
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
    if flags := _FLAGS.match(line):
        if "direct" in flags[1]:
            run.set_param("direct", "on", number)
    elif ratio := _RATIO.match(line):
        run.depends["mix"], run.params["ratio"] = number, ratio[1]
    elif test := _TEST.match(line):
        run.is_named, run.test = True, ""
        if test[1] in OPERATIONS:
            run.test, run.depends["doing"] = test[1], number
    else:
        return False
    return True


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
        _take_command(run, lines[command_line - 1], command_line)
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


def _take_command(run: SysbenchRun, command: str, number: int) -> None:
    """Take the parameters of a command that the output itself does not print."""
    run.depends = {key: line for key, line in run.depends.items() if not key.startswith("doing")}
    run.depends["doing"] = number
    for option, digits, letter in _OPTION.findall(command):
        name = _OPTION_PARAMS[option]
        if name not in run.params and not (letter and name in ("threads", "files")):
            run.set_param(name, parse_bytes(digits, letter), number)
