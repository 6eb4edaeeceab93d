"""sysbench fileio: 0.4 (requests a second, transferred bytes) and 0.5 to 1.1 (reads/s, MiB/s, latency).

Its Kb, Mb and MiB are powers of 1024 (sb_fileio.c and sb_util.c, sb_print_value_size). Latencies of 0.5 and later are of
all events, fsync among them, so that only those of tests which do nothing but read are of that operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.records import Doubt, Value
from ingest.roles import Parser, Shape
from ingest.text import Text
from ingest.units import G, K, M, T

_M = r"^[\s>|#]*"
ANCHOR = re.compile(
    r"^[^\w\n]*(?:Extra file open flags:|Doing (?:sequential|random) [^\n]{3,30} test|(?:reads|writes|fsyncs)/s:)"
    r"|Requests/sec executed", re.M)
_BANNER = re.compile(_M + r"sysbench v?(\d+\.\d+[\w.-]*)")
_THREADS = re.compile(_M + r"Number of threads: (\d{1,6})\s*\Z")
_FILES = re.compile(_M + r"(\d{1,7}) files, (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] each\s*\Z")
_TOTAL = re.compile(_M + r"(\d+(?:\.\d+)?) ?([KMGT]?)i?[bB] total file size\s*\Z")
_BLOCK = re.compile(_M + r"Block size (\d+(?:\.\d+)?) ?([KMGT]?)i?[bB]\s*\Z")
_FLAGS = re.compile(_M + r"Extra file open flags: (\S+)\s*\Z")
_MIX = re.compile(_M + r"Read/Write ratio for combined random IO test: (\d+\.\d+)\s*\Z")
_ENGINE = re.compile(_M + r"Using ((?:a?synchronous|(?:slow|fast) mmaped|mmap\w*)) I/O mode\s*\Z")
_DOING = re.compile(_M + r"Doing ([a-z][a-z /()]{3,30}) test\s*\Z")
_OPERATIONS = {  # what a test reads and writes
    "sequential read": ("read", ""), "sequential write (creation)": ("", "write"), "sequential rewrite": ("", "rewrite"),
    "random read": ("random_read", ""), "random write": ("", "random_write"), "random r/w": ("random_read", "random_write"),
    "combined random r/w": ("random_read", "random_write"),
}
_NEW = re.compile(_M + r"(reads/s|writes/s|fsyncs/s|read, MiB/s|written, MiB/s):\s+(\S+)\s*\Z")
_NEWER = re.compile(_M + r"(read|write|fsync):\s+IOPS=(\S+)(?:\s+(\S+) MiB/s\s+\(\S+ MB/s\))?\s*\Z")
_SUM = re.compile(_M + r"Read \S+\s+Written \S+\s+Total transferred \S+\s+\((\d+(?:\.\d+)?)([KMGT]?b)/sec\)\s*\Z")
_REQUESTS = re.compile(_M + r"(\d+\.\d\d) Requests/sec executed\s*\Z")
_LATENCY = re.compile(_M + r"(min|avg|max|(?:approx\. +)?(\d\d)(?:th)? percentile):\s+(\d+\.\d\d)(?:ms)?\s*\Z")
_HALF = re.compile(_M + r"(?:(?:reads|writes|fsyncs)/s|read, MiB/s|written, MiB/s)\s*:|" + _M + r"Read \S+\s+Written ")
_TWO = re.compile(r"\d{1,12}\.\d\d\Z")
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
    taken: set[str] = field(default_factory=set)
    latencies: bool = False
    old: bool = False

    def tell(self, name: str, value: object, line: int) -> None:
        self.params[name], self.depends[name] = value, line

    @property
    def only(self) -> str:
        """The operation of a test that does but one; `mixed` of others."""
        return "".join(_OPERATIONS[self.doing]) if not all(_OPERATIONS[self.doing]) else "mixed"


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every file test, in line order."""
    run = _Run(1)
    for at, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        if found := _BANNER.match(line):
            run = _Run(at, found[1], depends={"version": at})
        elif _head(run, line, at):
            if run.taken:
                run = _Run(at)
                _head(run, line, at)
        else:
            for item in _figures(run, line, at):
                if isinstance(item, Value) and not run.doing:
                    yield Doubt(at, "no-command", "figures of sysbench without the line that names its test; not taken")
                elif isinstance(item, Value) and item.native in run.taken:
                    yield Doubt(at, "no-command", f"{item.native} again, without the lines that name another test; not taken")
                else:
                    run.taken |= {item.native} if isinstance(item, Value) else set()
                    yield item


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
        run.doing, run.depends["doing"] = found[1], at
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
    elif found := _SUM.match(line):
        run.old = True
        yield _value(run, at, "throughput", "Total transferred", found[1], _SIZE[found[2][:-1]], f"{found[2]}/sec")
    elif found := _REQUESTS.match(line):
        run.old = True
        yield _value(run, at, "rate", "Requests/sec", found[1], 1, "1/s")
    elif run.taken and (found := _LATENCY.match(line)):
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
        yield _value(run, at, quantity, native, raw, M if quantity == "throughput" else 1,
                     "MiB/s" if quantity == "throughput" else "1/s", operation)


def _value(run: _Run, at: int, quantity: str, native: str, raw: str, factor: float, unit: str, operation: str = "",
           stat: str = "sample") -> Value:
    operation = operation or (run.only if run.doing else "mixed")
    params = {name: value for name, value in run.params.items() if name != "ratio"}
    if "ratio" in run.params and run.doing.endswith("r/w"):
        params["mix"] = f"{run.params['ratio']} reads to a write"
    value = float(raw) / 1000 if unit == "ms" else float(raw) * factor
    base = {"throughput": "B/s", "rate": "1/s", "latency": "s"}[quantity]
    return Value(at, "sysbench", f"{operation}.{quantity}", native, value, base, raw, unit, run.start, run.version,
                 stat, params, depends=tuple(sorted(set(run.depends.values()))))


PARSER = Parser(
    name="sysbench",
    version=1,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape("fileio", "0.5 to 1.1", "MiB = 2^20 B, ms", "latencies are of all events, fsync among them: `mixed` but for reads"),
        Shape("fileio", "0.4", "Kb, Mb, Gb = powers of 1024 bytes, ms", "tells the sum of reads and writes: `mixed`"),
    ),
    source="sb_fileio.c, sb_timer.c and sb_util.c of sysbench 0.4.12 and 1.0.20 (file_print_stats, report_cumulative)",
    brief=True,
)
