"""filebench 1.3 to 1.5: the IO summary of a run and the breakdown by flow operation.

`IO Summary: 131982 ops, 13195.963 ops/s, (1200/2399 r/w), 316.2mb/s, 413us cpu/op, 62.5ms latency` (1.4),
`IO Summary: 40650 ops 677.467 ops/s 61/123 rd/wr 16.1mb/s 1.2ms/op` (1.5). A mb is 2^20 bytes (stats.c divides by
FB_MB, 1024 * 1024). What a run does is told by its personality; without it the figures are those of a mixed workload.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

ANCHOR = lazy(r"IO Summary:[^\S\n]+\d|Per-Operation Breakdown|\dops/s[ \t]+\d[\d.]*mb/s[ \t]+\d[\d.]*[mu]s/op")
MIB = 2**20
_VERSION = lazy(r"Filebench Version (\d[\w.-]*)")
_PERSONALITY = lazy(r"(?:^|[\s:])([A-Za-z][\w ./-]{1,40}?) Version (\d[\w.]*)\s{1,4}personality successfully loaded")
_LOADED = lazy(r"(?:\bload\s+|-f\s+(?:\S*/)?)([A-Za-z][\w-]*?)(?:\.f)?\s*$")
_SET = lazy(r"\bset \$(\w+)\s*=\s*(\d+)([kmg]?)\b")
_BREAKDOWN = lazy(r"Per-Operation Breakdown")
_FLOW = lazy(
    r"^[\s>|]*([A-Za-z][\w.-]*)\s+(?:(\d+)ops\s+)?(\S+?)ops/s\s+(\S+?)mb/s\s+(\S+?)(ms|us)/op"
    r"(?:\s+\S{1,20}us/op-cpu)?(?:\s+\[\s*(\d+(?:\.\d+)?)ms\s*-\s*(\d+(?:\.\d+)?)ms\s*\]|\s.*)?$"
)
_FLOW_LIKE = lazy(r"^[\s>|]*[A-Za-z][\w.-]*\s+\d+ops\b")
_SUMMARY = lazy(
    r"IO Summary:\s+(\d+) ops,?\s+(\S+) ops/s,?\s+\(?(\d+/\d+) (?:r/w|rd/wr)\)?,?\s+(\S+?)mb/s"
    r"(?:,?\s+(?:(\S+?)us cpu/op,\s+(\S+?)ms latency|(\S+?)ms/op))?"
)
_SUMMARY_LIKE = lazy(r"IO Summary:")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_SIZES = {"filesize": "file_size", "meanfilesize": "file_size", "iosize": "block_size", "meaniosize": "block_size"}
_COUNTS = {"nthreads": "threads", "nprocesses": "processes", "nfiles": "files"}
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
class _Run:
    start: int = 0
    version: str | None = None
    personality: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    inside: bool = False

    def operation(self) -> str:
        name = re.sub(r"[_.-]", " ", (self.personality or "").lower())
        return next((operation for pattern, operation in _OPERATIONS if pattern.search(name)), "mixed")


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Rates, throughput and latency of every run and of its flow operations, in line order."""
    run = _Run()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if _SUMMARY_LIKE.search(line):
            yield from _summary(run, line, number)
            run = _Run(number, run.version, run.personality, dict(run.params), dict(run.depends))
        elif _BREAKDOWN.search(line):
            run.inside = True
            run.depends["breakdown"] = number
        elif _FLOW_LIKE.match(line) and (run.inside or _FLOW.match(line)):  # people paste the rows without their title
            yield from _flow(run, line, number)
        else:
            _head(run, line, number)


def _head(run: _Run, line: str, number: int) -> None:
    if version := _VERSION.search(line):
        run.version = version[1]
        run.depends["version"] = number
    elif personality := _PERSONALITY.search(line):
        run.personality = personality[1].strip()
        run.depends["personality"] = number
    elif (loaded := _LOADED.search(line)) and ("filebench" in line or line.strip().startswith("load ")):
        run.personality = loaded[1]
        run.depends["personality"] = number
    for name, digits, letter in _SET.findall(line):
        size = int(digits) * 1024 ** " kmg".index(letter or " ")
        if name in _SIZES:
            run.params[_SIZES[name]] = size
        elif name in _COUNTS:
            run.params[_COUNTS[name]] = size


def _summary(run: _Run, line: str, number: int) -> Iterator[Value | Doubt]:
    found = _SUMMARY.search(line)
    if not found:
        yield Doubt(number, "short-row", f"an IO summary that cannot be read: {line.strip()[:100]!r}")
        return
    if run.personality is None:
        yield Doubt(number, "no-command", "the personality is not told; the figures are taken as a mixed workload")
    ops, rate, moved, throughput, cpu, latency, per_op = found.groups()
    extra = {"operations": int(ops)} | ({"cpu_per_operation_us": float(cpu)} if cpu and _NUMBER.match(cpu) else {})
    time = latency or per_op
    if time is None:
        yield Doubt(number, "cut", "the IO summary ends before its latency")
    if moved == "0/0" and time and time.strip("0.") == "":
        yield Doubt(number, "unmeasured", "IO Summary latency: nothing was read or written, and only that is timed here")
        time = None
    yield from _figures(run, number, "IO Summary", (rate, throughput, time, "ms"), extra)


def _flow(run: _Run, line: str, number: int) -> Iterator[Value | Doubt]:
    found = _FLOW.match(line)
    if not found:
        yield Doubt(number, "short-row", f"a flow operation that cannot be read: {line.strip()[:100]!r}")
        return
    name, ops, rate, throughput, latency, unit, *extremes = found.groups()
    if ops == "0":
        yield Doubt(number, "unmeasured", f"flow operation {name} was never run")
        return
    extra = {"part": name} | ({"operations": int(ops)} if ops else {})  # 1.3 and early 1.4 print no count
    yield from _figures(run, number, name, (rate, throughput, latency, unit), extra)
    for stat, raw in zip(("min", "max"), extremes, strict=True):
        if raw is not None:
            figure = (float(raw) / 1000, "s", raw, "ms")
            yield _value(run, number, "latency", f"{name} {stat}", figure, extra, stat)


def _figures(
    run: _Run, number: int, name: str, raws: tuple[str, str, str | None, str], extra: dict[str, Any]
) -> Iterator[Value | Doubt]:
    rate, throughput, latency, unit = raws
    for quantity, raw, factor, base, meant, label in (
        ("rate", rate, 1, "1/s", "ops/s", "ops/s"),
        ("throughput", throughput, MIB, "B/s", "MiB/s", "mb/s"),
        ("latency", latency, 1e-3 if unit == "ms" else 1e-6, "s", unit, f"{unit}/op"),
    ):
        if raw is None or (quantity == "throughput" and raw.strip("0.") == ""):
            continue  # an operation that moves no data has no throughput
        if not _NUMBER.match(raw):
            yield Doubt(number, "bad-number", f"{name} {label}: {raw[:40]!r} is not a number")
            continue
        if quantity == "rate" and float(raw) == 0:
            yield Doubt(number, "unmeasured", f"{name} {label}: 0, less than the last printed digit shows")
            continue
        value = float(raw) * factor if factor >= 1 else float(raw) / round(1 / factor)
        yield _value(run, number, quantity, f"{name} {label}", (value, base, raw, meant), extra)


def _value(
    run: _Run,
    number: int,
    quantity: str,
    native: str,
    figure: tuple[float, str, str, str],
    extra: dict[str, Any],
    stat: str = "sample",
) -> Value:
    told = {"pattern": run.personality.lower()} if run.personality else {"pattern": "unknown"}
    value, unit, raw, meant = figure
    return Value(
        line=number,
        tool="filebench",
        tool_version=run.version,
        metric=f"{run.operation()}.{quantity}",
        native=native,
        value=value,
        unit=unit,
        raw=raw,
        raw_unit=meant,
        run=run.start,
        stat=stat,
        params={**run.params, **told, **extra},
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
    version=7,
    anchor=Anchor(ANCHOR, "io summary:", "per-operation breakdown", "0ops/s"),
    parse=parse,
    shapes=(
        Shape(
            "IO summary, per-operation breakdown",
            "1.3 to 1.5",
            "mb = 2^20 B, ms and us per operation",
            "the operation follows from the personality",
        ),
    ),
    source="filebench documentation (wiki, Collecting metrics) and stats.c",
)
