"""filebench 1.3 to 1.5: the IO summary of a run and the breakdown by flow operation.

`IO Summary: 131982 ops, 13195.963 ops/s, (1200/2399 r/w), 316.2mb/s, 413us cpu/op, 62.5ms latency` (1.4),
`IO Summary: 40650 ops 677.467 ops/s 61/123 rd/wr 16.1mb/s 1.2ms/op` (1.5). A mb is 2^20 bytes (stats.c divides by
FB_MB, 1024 * 1024). The operation of a run follows from its personality; without it the figures are those of a mixed workload.

Shapes of filebench (name | versions | units | traps):
    IO summary, per-operation breakdown | 1.3 to 1.5 | mb = 2^20 B, ms and us per operation | the operation follows from the
        personality

Source: filebench documentation (wiki, Collecting metrics) and stats.c
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber, to_base_unit
from ingest.options import open_params
from ingest.plugin_api import Anchor, Parser
from ingest.records import BELOW, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

ANCHOR = lazy(r"IO Summary:[^\S\n]+\d|Per-Operation Breakdown|\dops/s[ \t]+\d[\d.]*mb/s[ \t]+\d[\d.]*[mu]s/op")
_MIB = 2**20
_VERSION = lazy(r"Filebench Version (\d[\w.-]*)")
_PERSONALITY = lazy(r"(?:^|[\s:])([A-Za-z][\w ./-]{1,40}?) Version (\d[\w.]*)\s{1,4}personality successfully loaded")
_LOAD_COMMAND = lazy(r"(?:\bload\s+|-f\s+(?:\S*/)?)([A-Za-z][\w-]*?)(?:\.f)?\s*$")
_SET_VARIABLE = lazy(r"\bset \$(\w{1,60})\s*=\s*([^\s<][^\s]{0,200})")
_SIZE = lazy(r"(\d{1,15})([kmg]?)\Z")
_RUN_COMMAND = lazy(r"^[\s>|]*(?:filebench> *)?(?:ps)?run(?: +(\d{1,7}))?\s*\Z")
_BREAKDOWN = lazy(r"Per-Operation Breakdown")
_FLOW = lazy(
    r"^[\s>|]*([A-Za-z][\w.-]*)\s+(?:(\d+)ops\s+)?(\S+?)ops/s\s+(\S+?)mb/s\s+(\S+?)(ms|us)/op"
    r"(?:\s+\S{1,20}us/op-cpu)?(?:\s+\[\s*(\d+(?:\.\d+)?)ms\s*-\s*(\d+(?:\.\d+)?)ms\s*\]|\s.*)?$"
)
_FLOW_START = lazy(r"^[\s>|]*[A-Za-z][\w.-]*\s+\d+ops\b")
_SUMMARY = lazy(
    r"IO Summary:\s+(\d+) ops,?\s+(\S+) ops/s,?\s+\(?(\d+/\d+) (?:r/w|rd/wr)\)?,?\s+(\S+?)mb/s"
    r"(?:,?\s+(?:(\S+?)us cpu/op,\s+(\S+?)ms latency|(\S+?)ms/op))?"
)
_SUMMARY_START = lazy(r"IO Summary:")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_SIZE_VARIABLES = {"filesize": "file_size", "meanfilesize": "file_size", "iosize": "block_size", "meaniosize": "block_size"}
_COUNT_VARIABLES = {"nthreads": "threads", "nprocesses": "processes", "nfiles": "files"}
_OPERATIONS = (
    (lazy(r"stream ?write|seq ?write|sequential ?write"), "write"),
    (lazy(r"stream ?read|seq ?read|sequential ?read"), "read"),
    (lazy(r"random ?rw"), "mixed"),
    (lazy(r"random ?read|\brread"), "random_read"),
    (lazy(r"random ?write|\brwrite"), "random_write"),
    (lazy(r"write ?fsync|sync ?write"), "sync_write"),
    (lazy(r"oltp|tpcso"), "transaction"),
    (lazy(r"create ?files|file ?create"), "file_create"),
    (lazy(r"remove ?files|delete ?files"), "file_remove"),
    (lazy(r"copy ?files"), "copy"),
)


@dataclass(slots=True)
class _FilebenchRun:
    """A run so far. `start`: line of the summary before it; `depends`: lines of its version, personality and breakdown."""

    start: int = 0
    version: str | None = None
    personality: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    in_breakdown: bool = False

    def operation(self) -> str:
        """The operation of the catalogue; `mixed` for personalities that are not known."""
        name = re.sub(r"[_.-]", " ", (self.personality or "").lower())
        return next((operation for pattern, operation in _OPERATIONS if pattern.search(name)), "mixed")


class _Subject(NamedTuple):
    """A summary or flow operation that was measured: its line, its name and its own parameters."""

    line: int
    name: str
    params: dict[str, Any]


def parse(text: Text) -> Iterator[Found]:
    """Rates, throughput and latency of every run and of its flow operations, in line order."""
    run = _FilebenchRun()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if _SUMMARY_START.search(line):
            yield from _summary(run, line, number)
            run = _FilebenchRun(number, run.version, run.personality, dict(run.params), dict(run.depends))
        elif _BREAKDOWN.search(line):
            run.in_breakdown = True
            run.depends["breakdown"] = number
        elif _FLOW_START.match(line) and (run.in_breakdown or _FLOW.match(line)):  # excerpts may lack the title
            yield from _flow(run, line, number)
        else:
            _take_settings(run, line, number)


def _take_settings(run: _FilebenchRun, line: str, number: int) -> None:
    """Take version, personality and variables from a line."""
    if version := _VERSION.search(line):
        run.version = version[1]
        run.depends["version"] = number
    elif personality := _PERSONALITY.search(line):
        run.personality = personality[1].strip()
        _set_open(run, "personality-version", personality[2])
        run.depends["personality"] = number
    elif (loaded := _LOAD_COMMAND.search(line)) and ("filebench" in line or line.strip().startswith("load ")):
        run.personality = loaded[1]
        run.depends["personality"] = number
    if run_command := _RUN_COMMAND.match(line):
        _set_open(run, "run", run_command[1] or "60")
    for name, value in _SET_VARIABLE.findall(line):
        size = _SIZE.match(value)
        held = _SIZE_VARIABLES.get(name) or _COUNT_VARIABLES.get(name)
        if held and size:
            run.params[held] = int(size[1]) * 1024 ** " kmg".index(size[2] or " ")
            run.params.pop(f"filebench.{name}", None)
        else:  # also a size that is a distribution
            _set_open(run, name, value)


def _set_open(run: _FilebenchRun, name: str, value: str) -> None:
    """Set a variable that no parameter of ours holds, to the value that is set last."""
    run.params.pop(f"filebench.{name}", None)
    run.params |= open_params("filebench", {name: value}, run.version)


def _summary(run: _FilebenchRun, line: str, number: int) -> Iterator[Found]:
    summary = _SUMMARY.search(line)
    if not summary:
        yield Doubt(number, "short-row", f"an IO summary that cannot be read: {line.strip()[:100]!r}")
        return
    if run.personality is None:
        yield Doubt(number, "no-command", "the personality is unknown; the values are recorded as a mixed workload")
    operations, rate, reads_and_writes, throughput, cpu, latency_1_4, latency_1_5 = summary.groups()
    params = {"operations": int(operations)} | ({"cpu_per_operation_us": float(cpu)} if cpu and _NUMBER.match(cpu) else {})
    latency = latency_1_4 or latency_1_5
    if latency is None:
        yield Doubt(number, "cut", "the IO summary ends before its latency")
    if reads_and_writes == "0/0" and latency and latency.strip("0.") == "":
        yield Doubt(
            number, "unmeasured", "IO Summary latency: nothing was read or written, and only reads and writes are timed here"
        )
        latency = None
    yield from _figures(run, _Subject(number, "IO Summary", params), rate, throughput, (latency, "ms"))


def _flow(run: _FilebenchRun, line: str, number: int) -> Iterator[Found]:
    flow = _FLOW.match(line)
    if not flow:
        yield Doubt(number, "short-row", f"a flow operation that cannot be read: {line.strip()[:100]!r}")
        return
    name, operations, rate, throughput, latency, unit, *extremes = flow.groups()
    if operations == "0":
        number_read = PrintedNumber(0.0, "1/s", rate, "ops/s")
        never = _value(run, _Subject(number, name, {"part": name}), "rate", "ops/s", number_read)
        yield MissingValue.instead_of(never, NOT_FINISHED)
        yield Doubt(number, "unmeasured", f"flow operation {name} never ran")
        return
    # 1.3 and early 1.4 print no count of operations.
    subject = _Subject(number, name, {"part": name} | ({"operations": int(operations)} if operations else {}))
    yield from _figures(run, subject, rate, throughput, (latency, unit))
    for stat, raw in zip(("min", "max"), extremes, strict=True):
        if raw is not None:
            yield _value(run, subject, "latency", stat, PrintedNumber(float(raw) / 1000, "s", raw, "ms"), stat=stat)


def _figures(run: _FilebenchRun, subject: _Subject, rate: str, throughput: str, latency: tuple[str | None, str]) -> Iterator[Found]:
    """The three figures of a subject as printed; `latency` with its unit."""
    line, name, _ = subject
    unit = latency[1]
    for quantity, raw, factor, base_unit, raw_unit, label in (
        ("rate", rate, 1, "1/s", "ops/s", "ops/s"),
        ("throughput", throughput, _MIB, "B/s", "MiB/s", "mb/s"),
        ("latency", latency[0], 1e-3 if unit == "ms" else 1e-6, "s", unit, f"{unit}/op"),
    ):
        if raw is None or (quantity == "throughput" and raw.strip("0.") == ""):
            continue  # an operation that moves no data has no throughput
        if not _NUMBER.match(raw):
            yield Doubt(line, "bad-number", f"{name} {label}: {raw[:40]!r} is not a number")
        elif quantity == "rate" and float(raw) == 0:
            value = _value(run, subject, quantity, label, PrintedNumber(0.0, base_unit, raw, raw_unit))
            yield MissingValue.instead_of(value, ZERO_TIME, 10.0 ** -len(raw.partition(".")[2]), BELOW)
            yield Doubt(line, "unmeasured", f"{name} {label}: 0, less than the last printed digit shows")
        else:
            number = PrintedNumber(to_base_unit(float(raw), factor), base_unit, raw, raw_unit)
            yield _value(run, subject, quantity, label, number)


def _value(
    run: _FilebenchRun, subject: _Subject, quantity: str, label: str, number: PrintedNumber, *, stat: str = "sample"
) -> Value:
    pattern = run.personality.lower() if run.personality else "unknown"
    return Value(
        line=subject.line,
        tool="filebench",
        tool_version=run.version,
        metric=f"{run.operation()}.{quantity}",
        native=f"{subject.name} {label}",
        value=number.value,
        unit=number.unit,
        raw=number.raw,
        raw_unit=number.raw_unit,
        run=run.start,
        stat=stat,
        params={**run.params, "pattern": pattern, **subject.params},
        depends=tuple(sorted(set(run.depends.values()))),
    )


# Lines wider than many terminals.
_WIDE = (
    WideLine(lazy(r"\s*\d+\.\d+: IO Summary:"), lazy(r"\s*\d+\.\d+: IO Summary:[^:]*(?:ms latency|ms/op)\s*")),
    WideLine(lazy(r"\w+\s+\d+ops\s+\d+ops/s\s"), lazy(r"\w+\s+\d+ops\s+\d+ops/s\s.*\[\s*[\d.]+ms -\s+[\d.]+ms\]\s*")),
)

PARSER = Parser(
    wide=_WIDE,
    brief=True,
    name="filebench",
    version=9,
    anchor=Anchor(ANCHOR, "io summary:|per-operation breakdown|0ops/s"),
    parse=parse,
)
