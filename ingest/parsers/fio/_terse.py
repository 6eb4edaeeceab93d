"""fio's terse output, versions 2 to 5: one line a job, fields split by semicolons.

The fields are those of the fio documentation, "Terse output": five of the job, then for read, write and (2, 4, 5) trim:
KiB moved, KiB/s, IOPS, ms; slat, clat (min max mean deviation, us); 20 percentiles of clat; lat; bandwidth (min max
share mean deviation, KiB/s), in 5 followed by samples and IOPS (min max mean deviation samples). Then usr and sys CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.fio._command import FioCommand, pattern_moves
from ingest.parsers.fio._job import LATENCY_PARTS, NUMBER, STAT_NAMES, TOOL_NAME, FioJob, percentile_stat, to_base_unit
from ingest.records import NO_PARAMS, Doubt, Value

# The name of the version tells a line even behind a time stamp or a host name; version 2 has none and begins its line.
LINE = lazy(
    r"(?:^[\s>|#+]*(?=2;|[3-5];\d\.)|(?<![\w;.])(?=\d;fio-))([2-9]);(?:(?:fio-)?(\d[^;]{0,30}\.[^;]{0,30});)?"
    r"([^;]{0,200});(\d+);(\d+);(\d[^\n]*)$"
)
LIKE = lazy(
    r"(?<![\w;.])[3-9];fio-\d|^[\s>|#+]*(?:2;fio-\d|2;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d|"
    r"[3-5];\d\.[\d.]+;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d)"  # 2.0.x: the version without `fio-`
)
# As a spreadsheet or a script writes it again: other separators, quotes about the cells.
_AGAIN = lazy(r'(?<![\w;.])"?[3-9]"?([;,\t|])"?(?=fio-\d)')
# Cells in quotes, with what parts them inside; and what parts cells. A quote within a figure stays, and makes it none.
_CELLS = {mark: lazy(rf'(?:^|(?<=[{mark}]))"([^"]*)"(?=[{mark}]|\s*\Z)|[{mark}]') for mark in ";,\t|"}
_DECIMAL_COMMA = lazy(r"\d{1,15},\d{1,9}\Z")
_ALL = ("read", "write", "trim")
_SECTIONS = {"2": (41, _ALL), "3": (41, ("read", "write")), "4": (41, _ALL), "5": (47, _ALL)}
_SUMMARY = ("min", "max", "mean", "dev")


@dataclass(frozen=True, slots=True)
class TerseColumn:
    """What stands in one column: fio's name of it, and how its figures become values."""

    quantity: str
    name: str
    unit: str
    meant: str
    factor: float
    part: str = ""
    stat: str = "sample"


def _summary(quantity: str, name: str, unit: str, meant: str, factor: float, part: str) -> list[TerseColumn]:
    return [TerseColumn(quantity, f"{name} {stat}", unit, meant, factor, part, STAT_NAMES[stat]) for stat in _SUMMARY]


_BANDWIDTH = TerseColumn("throughput", "bandwidth", "B/s", "KiB/s", 1024)
_RATE = TerseColumn("rate", "iops", "1/s", "ops/s", 1)
_LATENCIES = [
    (_summary("latency", kind, "s", "us", 1e-6, LATENCY_PARTS[kind]), at) for kind, at in (("slat", 4), ("clat", 8), ("lat", 32))
]
_INTERVALS = _summary("throughput", "bw", "B/s", "KiB/s", 1024, "interval")
_INTERVALS_OF_RATE = _summary("rate", "iops", "1/s", "ops/s", 1, "interval")
_CPU = {part: TerseColumn("cpu", f"{part} cpu", "%", "%", 1, part) for part in ("user", "system")}


@lru_cache(200)
def _percentile(name: str) -> TerseColumn:
    return TerseColumn("latency", f"clat {name}%", "s", "us", 1e-6, LATENCY_PARTS["clat"], percentile_stat(name))


def is_terse_line(line: str) -> bool:
    """Whether the line is one of terse output, or begins like one."""
    return bool((";" in line and LIKE.search(line)) or ("fio-" in line and semicolons(line) != line))


def semicolons(line: str) -> str:
    """The line with fio's own separators and no quotes; a decimal comma stands in quotes where commas part the cells."""
    found = _AGAIN.search(line) if "fio-" in line else None
    if not found or (found[1] == ";" and '"' not in line):
        return line
    return _CELLS[found[1]].sub(lambda cell: ";" if cell[1] is None else cell[1], line[found.start() :])


def read_line(
    line: str, number: int, known: Mapping[str, tuple[str, dict[str, object], int]], shown: FioCommand | None = None
) -> Iterator[Value | Doubt]:
    """The figures of one terse line; `known`: options of jobs that the same file tells; `shown`: the command above it."""
    own = semicolons(line)
    found = LINE.search(own)
    if not found:
        yield Doubt(number, "cut", "a terse line of fio that ends before its first figure")
        return
    if found[1] not in _SECTIONS:
        yield Doubt(number, "unknown-version", f"terse version {found[1]}; none of its figures was taken")
        return
    width, directions = _SECTIONS[found[1]]
    fields = found[6].rstrip().split(";")
    if len(fields) > width + 1 and fields[width].endswith("%") and fields[width + 1].endswith("%"):
        directions = ("mixed",)  # unified_rw_reporting=1: the share of the CPU follows the first direction
    if len(fields) < width * len(directions) + 5:
        yield Doubt(number, "short-row", f"{len(fields) + 5} fields where version {found[1]} has more; none was taken")
        return
    if own is not line and not fields[width * len(directions)].endswith("%"):
        yield Doubt(number, "long-row", "the share of the processor does not stand in its column; none was taken")
        return
    told = shown.named(found[3]) if shown else None
    pattern: str | None
    if shown and told and told[0]:
        pattern, params, lines = told[0], told[2], shown.lines
    else:
        told = None
        pattern, params, where = known.get(found[3], (None, {}, 0))
        lines = (*((where,) if where else ()), *(shown.lines if shown and not pattern else ()))
    job = FioJob(found[3], number, found[2], pattern or None, found[4], None, dict(params), lines)
    if found[5] != "0":
        yield Doubt(number, "failed-run", f"job {job.name}: fio reports error {found[5]}")
    used = [d for at, d in enumerate(directions) if fields[at * width].strip("0")]
    if told and not all(d == "mixed" or pattern_moves(pattern, d) for d in used):  # that command was of another run
        pattern, job.pattern, job.params = None, None, {}
    if used and not pattern:
        yield Doubt(number, "no-command", f"job {job.name}: terse output does not tell the pattern")
    for at, direction in enumerate(directions):
        if direction in used:
            yield from _direction(job, direction, fields[at * width : (at + 1) * width], number)
    end = width * len(directions)
    cells = zip((_CPU["user"], _CPU["system"]), fields[end : end + 2], strict=True)
    yield from _values(job, used[0] if len(used) == 1 else "mixed", [(cpu, raw.rstrip("%")) for cpu, raw in cells], number)


def _direction(job: FioJob, direction: str, fields: list[str], number: int) -> Iterator[Value | Doubt]:
    if fields[3].isdecimal():
        job.params["runtime"] = int(fields[3]) / 1000
    cells = [(_BANDWIDTH, fields[1]), (_RATE, fields[2])]
    for columns, at in _LATENCIES:
        cells += _four(columns, fields[at : at + 4])
    for pair in fields[12:32]:
        name, _, raw = pair.partition("%=")
        if name.strip("0.,"):
            cells.append((_percentile(name.replace(",", ".")), raw))
    cells += _four(_INTERVALS, [fields[36], fields[37], fields[39], fields[40]])
    if len(fields) > 41:
        cells += _four(_INTERVALS_OF_RATE, fields[42:46])
    yield from _values(job, direction, cells, number)


def _four(columns: Sequence[TerseColumn], raws: list[str]) -> list[tuple[TerseColumn, str]]:
    """Least, greatest, mean and deviation, which are 0 where nothing was measured."""
    return list(zip(columns, raws, strict=True)) if any(raw.strip("0.,") for raw in raws) else []


@lru_cache(2000)
def _names(operation: str, direction: str, column: TerseColumn) -> tuple[str, str]:
    """The metric and fio's name of it: the same strings for all lines."""
    return f"{operation}.{column.quantity}", f"{direction} {column.name}"


def _values(job: FioJob, direction: str, cells: Sequence[tuple[TerseColumn, str]], number: int) -> Iterator[Value | Doubt]:
    """Figures of one direction; those of one part share their parameters."""
    told: dict[str, Mapping[str, Any]] = {}
    operation, run = job.operation(direction), (job.line, job.name)
    for column, raw in cells:
        if not NUMBER.match(raw) and not _DECIMAL_COMMA.match(raw):
            yield Doubt(number, "bad-number", f"{direction} {column.name}: {raw[:40]!r} is not a number")
            continue
        params = told.get(column.part) or told.setdefault(column.part, job.told(column.part))
        yield Value(
            number,
            TOOL_NAME,
            *_names(operation, direction, column),
            to_base_unit(float(raw.replace(",", ".")), column.factor),
            column.unit,
            raw,
            column.meant,
            run,
            job.version,
            column.stat,
            params,
            NO_PARAMS,
            "measured",
            None,
            job.started,
            None,
            job.depends,
        )
