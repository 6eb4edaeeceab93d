"""sysbench fileio: 0.4 (requests a second, transferred bytes) and 0.5 to 1.1 (reads/s, MiB/s, latency).

Its Kb, Mb and MiB are powers of 1024 (sb_fileio.c and sb_util.c, sb_print_value_size). Latencies of 0.5 and later are of
all events, fsync among them, so that only those of tests which do nothing but read are of that operation.

People quote results without the line that names the test. Its command tells it where it stands above; else what was read
and written does: `rndrw` is the only test that does both. Of what does but one, the pattern stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text
from ingest.units import G, K, M, T

_M = r"^[\s>|#]*"
ANCHOR = lazy(
    r"^[^\w\n]*(?:Extra file open flags:|Doing (?:sequential|random) [^\n]{3,30} test|(?:reads|writes|fsyncs)/s:"
    r"|(?:read|written), MiB/s:)"
    r"|Requests/sec executed|Written \S{1,20} +Total transferred \S{1,20} +\(",
    re.M,
)
_BANNER = lazy(_M + r"sysbench v?(\d+\.\d+[\w.-]*)")
_THREADS = lazy(_M + r"Number of threads: (\d{1,6})\s*\Z")
_FILES = lazy(_M + r"(\d{1,7}) files, (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] each\s*\Z")
_TOTAL = lazy(_M + r"(\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] total file size\s*\Z")
_BLOCK = lazy(_M + r"Block size (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB]\s*\Z")
_FLAGS = lazy(_M + r"Extra file open flags: (\S+)\s*\Z")
_MIX = lazy(_M + r"Read/Write ratio for combined random IO test: (\d+\.\d+)\s*\Z")
_ENGINE = lazy(_M + r"Using ((?:a?synchronous|(?:slow|fast) mmaped|mmap\w*)) I/O mode\s*\Z")
_DOING = lazy(_M + r"Doing ([a-z][a-z /()]{3,30}) test\s*\Z")
_COMMAND = lazy(r"\bsysbench\b(?=.{0,400}--file-test-mode[= ](?P<mode>(?:seq|rnd)(?:rd|wr|rewr|rw))\b).{0,400}\s\"?run\b")
_MODE = lazy(r"--file-test-mode[= ]((?:seq|rnd)(?:rd|wr|rewr|rw))\b")
_LISTED = 20  # lines over which a list of commands is looked for
_MODES = {
    "seqrd": "sequential read",
    "seqwr": "sequential write (creation)",
    "seqrewr": "sequential rewrite",
    "rndrd": "random read",
    "rndwr": "random write",
    "rndrw": "random r/w",
}
_ASKED = lazy(r"--(num-threads|threads|file-num|file-total-size|file-block-size)[= ](\d{1,12})([KMGT]?)\b")
_ASKED_AS = {
    "num-threads": "threads",
    "threads": "threads",
    "file-num": "files",
    "file-total-size": "total_size",
    "file-block-size": "block_size",
}
_BOTH, _EITHER = "random r/w", "reads or writes"
_OPERATIONS = {  # what a test reads and writes
    "sequential read": ("read", ""),
    "sequential write (creation)": ("", "write"),
    "sequential rewrite": ("", "rewrite"),
    "random read": ("random_read", ""),
    "random write": ("", "random_write"),
    "random r/w": ("random_read", "random_write"),
    "combined random r/w": ("random_read", "random_write"),
    "reads": ("read", ""),
    "writes": ("", "write"),
    _EITHER: ("read", "write"),  # told by the figures alone
}
_NEW = lazy(_M + r"(reads/s|writes/s|fsyncs/s|read, MiB/s|written, MiB/s):\s+(\S+)\s*\Z")
_NEWER = lazy(_M + r"(read|write|fsync):\s+IOPS=(\S+)(?:\s+(\S+) MiB/s\s+\(\S+ MB/s\))?\s*\Z")
_SUM = lazy(r"\bRead (\d\S{0,19}) +Written (\d\S{0,19}) +Total transferred \S{1,20} +\((\d+(?:\.\d+)?)([KMGT]?b)/sec\)")
_REQUESTS = lazy(_M + r"(\d+\.\d\d) Requests/sec executed\s*\Z")
_LATENCY = lazy(_M + r"(min|avg|max|(?:approx\. +)?(\d\d)(?:th)? percentile):\s+(\d+\.\d\d)(?:ms)?\s*\Z")
_HALF = lazy(_M + r"(?:(?:reads|writes|fsyncs)/s|read, MiB/s|written, MiB/s)\s*:|" + _M + r"Read \S+\s+Written ")
_BEGINS = lazy(r"(?:File operations|Operations performed):")
_NOTHING = lazy(r"0(?:\.0+)?[KMGT]?b?\Z")
_ORDER = {"reads/s": 0, "read": 0, "writes/s": 1, "write": 1, "fsyncs/s": 2, "fsync": 2, "read, MiB/s": 3, "written, MiB/s": 4}
_THROUGHPUT = 3  # from there on sysbench 1.0 leaves a blank line and a title before
_AHEAD = 9  # lines over which 1.0 and 1.1 spread what was read and written
_TWO = lazy(r"\d{1,12}\.\d\d\Z")
_SIZE = {"": 1, "K": K, "M": M, "G": G, "T": T}
_STAT = {"min": "min", "avg": "mean", "max": "max"}


@dataclass
class _Run:
    """One test under construction; `depends`: the lines that told its parameters."""

    start: int
    version: str | None = None
    doing: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    old: bool = False
    named: bool = False  # by its own line, known or not
    raw: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)  # zeros as well

    def goes_on(self, line: str) -> bool:
        """Whether a figure may be of this test: of results quoted without heads, another one of the same name is of the next,
        and so is one that sysbench prints above those before it."""
        found = None if self.named else _NEW.match(line) or _NEWER.match(line)
        if not found:
            return True
        if found[1] not in self.seen and any(_ORDER[found[1]] < _ORDER[name] for name in self.seen):
            return False
        return self.seen.setdefault(found[1], found[2]) == found[2]

    def tell(self, name: str, value: object, line: int) -> None:
        self.params[name], self.depends[name] = value, line

    @property
    def only(self) -> str:
        """The operation of a test that does but one; `mixed` of others."""
        return "".join(_OPERATIONS[self.doing]) if not all(_OPERATIONS[self.doing]) else "mixed"


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every file test, in line order."""
    run, asked = _Run(1), 0
    for at, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        if found := _BANNER.match(line):
            run = _Run(at, found[1], depends={"version": at})
        elif _COMMAND.search(line):
            asked = at if len(_modes(text.lines, at)) == 1 else 0
        elif _head(run, line, at):
            if run.raw:
                run = _Run(at)
                _head(run, line, at)
            asked = 0 if run.named else asked
        else:
            summed = _SUM.search(line)
            if run.raw and (_BEGINS.search(line) or (summed and summed[3] != run.raw.get("Total transferred"))):
                run = _Run(at)
            if not run.goes_on(line):
                run = _Run(at)
                run.goes_on(line)
            if not run.doing and not run.named:
                asked = _guess(run, text.lines, at, asked)
            yield from _taken(run, line, at)


def _taken(run: _Run, line: str, at: int) -> Iterator[Value | Doubt]:
    for item in _figures(run, line, at):
        if not isinstance(item, Value):
            yield item
        elif not run.doing:
            yield Doubt(at, "no-command", "figures of sysbench without the line that names its test; not taken")
        elif item.native not in run.raw:
            run.raw[item.native] = item.raw
            yield item
        elif run.raw[item.native] != item.raw:
            yield Doubt(at, "no-command", f"{item.native} again, without the lines that name another test; not taken")


def _guess(run: _Run, lines: Sequence[str], at: int, asked: int) -> int:
    """What a run without its own line does: by the command on line `asked`, if any, else by its figures; the command left."""
    read = written = ""
    if found := _SUM.search(lines[at - 1]):
        read, written = found[1], found[2]
        run.depends["doing"] = at
    elif _NEW.match(lines[at - 1]) or _NEWER.match(lines[at - 1]):
        read, written = _ahead(run, lines, at)
    if not read and not written:
        return asked
    did = [bool(rate and not _NOTHING.match(rate)) for rate in (read, written)]
    mode = _MODES.get(found["mode"], "") if asked and (found := _COMMAND.search(lines[asked - 1])) else ""
    if mode and not any(does and not operation for does, operation in zip(did, _OPERATIONS[mode], strict=True)):
        run.doing = mode
        _by_command(run, lines[asked - 1], asked)
    elif all(did):
        run.doing = _BOTH
    else:
        run.doing = _EITHER if not read or not written else "reads" if _NOTHING.match(written) else "writes"
        run.params["pattern"] = "unknown"
    return 0


def _modes(lines: Sequence[str], at: int) -> set[str]:
    """What the commands do that stand together down to line `at`: of a list of tests any may be the one of the results below."""
    modes = set(_MODE.findall(lines[at - 1]))
    for line in reversed(lines[max(0, at - 1 - _LISTED) : at - 1]):
        if line.strip() and not line.lstrip().startswith("#") and "sysbench" not in line:
            break
        if _COMMAND.search(line):
            modes.update(_MODE.findall(line))
    return modes


def _ahead(run: _Run, lines: Sequence[str], at: int) -> tuple[str, str]:
    """Rates of reads and writes among the lines from this one on, as far as they stand as sysbench prints them."""
    told, last, blank = dict[str, str](), 0, False
    for number, line in enumerate(lines[at - 1 : at - 1 + _AHEAD], at):
        found = _NEW.match(line) or _NEWER.match(line)
        if not found:
            if (rest := line.strip(" \t>|#")) and rest != "Throughput:":
                break
            blank = blank or not rest
            continue
        place = _ORDER[found[1]]
        if place < last or told.get(found[1], found[2]) != found[2] or (blank and place < _THROUGHPUT):
            break
        last = place
        if _TWO.match(found[2]):
            told[found[1]] = found[2]
            run.depends[f"doing {found[1]}"] = number
    rates = [
        [told[name] for name in names if name in told]
        for names in (("reads/s", "read", "read, MiB/s"), ("writes/s", "write", "written, MiB/s"))
    ]
    return rates[0][0] if rates[0] else "", rates[1][0] if rates[1] else ""


def _by_command(run: _Run, line: str, at: int) -> None:
    run.depends = {key: line for key, line in run.depends.items() if not key.startswith("doing")}
    run.depends["doing"] = at
    for name, number, letter in _ASKED.findall(line):
        key = _ASKED_AS[name]
        if key not in run.params and not (letter and key in ("threads", "files")):
            run.tell(key, _octets(number, letter), at)


def _head(run: _Run, line: str, at: int) -> bool:
    """Whether the line tells what the test does."""
    if found := _THREADS.match(line):
        run.tell("threads", int(found[1]), at)
    elif found := _FILES.match(line):
        run.tell("files", int(found[1]), at)
    elif found := _TOTAL.match(line):
        run.tell("total_size", _octets(found[1], found[2]), at)
    elif found := _BLOCK.match(line):
        run.tell("block_size", _octets(found[1], found[2]), at)
    elif found := _FLAGS.match(line):
        if "direct" in found[1]:
            run.tell("direct", "on", at)
    elif found := _MIX.match(line):
        run.depends["mix"], run.params["ratio"] = at, found[1]
    elif found := _ENGINE.match(line):
        run.tell("engine", found[1], at)
    elif (found := _DOING.match(line)) and found[1] in _OPERATIONS:
        run.doing, run.depends["doing"], run.named = found[1], at, True
    elif found:
        run.named, run.doing = True, ""
    else:
        return False
    return True


def _octets(number: str, letter: str) -> int:
    return round(float(number) * _SIZE[letter])


def _figures(run: _Run, line: str, at: int) -> Iterator[Value | Doubt]:
    reads, writes = _OPERATIONS.get(run.doing, ("read", "write"))
    if found := _NEW.match(line):
        name = found[1].partition("/")[0].partition(",")[0]
        operation = {"reads": reads, "read": reads, "writes": writes, "written": writes, "fsyncs": "fsync"}[name]
        quantity = "throughput" if "MiB" in found[1] else "rate"
        yield from _figure(run, at, operation, quantity, found[1], found[2])
    elif found := _NEWER.match(line):
        operation = {"read": reads, "write": writes, "fsync": "fsync"}[found[1]]
        yield from _figure(run, at, operation, "rate", f"{found[1]} IOPS", found[2])
        if found[3]:
            yield from _figure(run, at, operation, "throughput", f"{found[1]} MiB/s", found[3])
    elif found := _SUM.search(line):
        run.old = True
        yield _value(run, at, "throughput", "Total transferred", found[3], _SIZE[found[4][:-1]], f"{found[4]}/sec")
    elif found := _REQUESTS.match(line):
        run.old = True
        yield _value(run, at, "rate", "Requests/sec", found[1], 1, "1/s")
    elif run.raw and (found := _LATENCY.match(line)):
        operation = run.only if run.old or not _OPERATIONS.get(run.doing, ("", "w"))[1] else "mixed"
        stat = f"p{found[2]}" if found[2] else _STAT[found[1]]
        if float(found[3]) == 0:
            yield Doubt(at, "unmeasured", f"latency {found[1]}: 0.00 ms is shorter than its two decimals tell")
        else:
            yield _value(run, at, "latency", f"latency {found[1]}", found[3], 1e-3, "ms", operation, stat)
    elif _HALF.match(line):
        yield Doubt(at, "cut", "a figure of sysbench that breaks off or cannot be read; it was not taken")


def _figure(run: _Run, at: int, operation: str, quantity: str, native: str, raw: str) -> Iterator[Value | Doubt]:
    if not _TWO.match(raw):
        yield Doubt(at, "bad-number", f"{native}: {raw[:40]!r} is no figure with two decimals")
    elif float(raw) == 0:
        if operation and operation != "fsync":
            yield Doubt(at, "unmeasured", f"{native}: sysbench printed 0")
    elif not operation:
        yield Doubt(at, "disagree", f"{native}: {raw}, though this test does nothing of the kind; it was not taken")
    else:
        yield _value(
            run,
            at,
            quantity,
            native,
            raw,
            M if quantity == "throughput" else 1,
            "MiB/s" if quantity == "throughput" else "1/s",
            operation,
        )


def _value(
    run: _Run, at: int, quantity: str, native: str, raw: str, factor: float, unit: str, operation: str = "", stat: str = "sample"
) -> Value:
    operation = operation or (run.only if run.doing else "mixed")
    params = {name: value for name, value in run.params.items() if name != "ratio"}
    if "ratio" in run.params and run.doing.endswith("r/w"):
        params["mix"] = f"{run.params['ratio']} reads to a write"
    value = float(raw) / 1000 if unit == "ms" else float(raw) * factor
    base = {"throughput": "B/s", "rate": "1/s", "latency": "s"}[quantity]
    return Value(
        at,
        "sysbench",
        f"{operation}.{quantity}",
        native,
        value,
        base,
        raw,
        unit,
        run.start,
        run.version,
        stat,
        params,
        depends=tuple(sorted(set(run.depends.values()))),
    )


PARSER = Parser(
    name="sysbench",
    version=4,
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
        Shape("fileio", "0.4", "Kb, Mb, Gb = powers of 1024 bytes, ms", "tells the sum of reads and writes: `mixed`"),
        Shape("fileio, quoted", "all", "as above", "without the line that names the test: told by its command or by what was done"),
    ),
    source="sb_fileio.c, sb_timer.c and sb_util.c of sysbench 0.4.12 and 1.0.20 (file_print_stats, report_cumulative)",
    brief=True,
)
