"""iozone's throughput mode: the children's throughput is the result; the parent's, minimum and maximum are parts of it.

`Children see throughput for  2 initial writers  =  170473.88 kB/sec`, as iozone.c prints it; with -O `ops/sec`, with -N
`usec/op`; mail in quoted-printable has `=3D` for `=`. Avg is an aggregate of the children: it is checked, not
recorded. Cluster mode prints the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import WORKER_OPERATIONS
from ingest.parsers.iozone._run_header import IozoneRun
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue, Value

_HOST = r"^[\s>|#/*]*(?:(?P<host>[\w.-]{1,253}):\s+)?"
_FILE = lazy(r"\.(?:txt|log|out|err|csv|dat|res|[oe]\d+)\Z")  # as grep prints it: no host
SEES = lazy(
    _HOST + r"(?P<who>Children|Parent) sees? throughput for\s+(?P<count>\d+)\s+(?P<what>[a-z][a-z -]*?)"
    r"\s*=(?:3D)?\s*(?P<raw>\S+)\s+(?P<unit>[^\s<]+)"
)
AMIDST = lazy(r"(?:Children|Parent) sees? throughput for\s+\d+\s+[a-z -]{5,30}\s=\s*\d")
_RUN_TOGETHER = lazy(
    r"(?:Children|Parent) sees? throughput for\s[^=]{4,40}=[^=]{4,40}\s"
    r"(?:(?:Children|Parent) sees? |(?:Min|Max|Avg) )throughput ",
    re.I,
)
# Beginnings of lines whose line ends were lost, and of the next command.
LINE_START = lazy(
    r"(?<!\S)(?=(?:Children|Parent) sees? throughput|(?:Min|Max|Avg) (?:throughput|latency) per |Min xfer|Child\[\d"
    r"|CPU utilization: Wall|Iozone: Perf|Version \$Rev|Contributors:|Run began:|Include (?:fsync|close) |O_DIRECT feature"
    r"|SYNC Mode|OPS Mode|Microseconds/op Mode|Auto Mode|Machine =|File size set|Record Size|Command line used|Output is in"
    r"|Time Resolution|Processor cache|File stride|Throughput test with|Each (?:process|thread) writes|iozone test complete"
    r"|(?<!used: )(?:sudo )?(?:[^\s/]*/){0,9}iozone(?:\.exe)? +-)",
    re.I,
)
HALF = lazy(_HOST + r"(?P<who>Children|Parent) sees? throughput\b")
PER = lazy(
    _HOST
    + r"(?P<who>Min|Max|Avg) (?:throughput|latency) per (?P<worker>process|thread)\s*=(?:3D)?\s*(?P<raw>\S+)\s+(?P<unit>[^\s<]+)"
)
XFER = lazy(_HOST + r"Min xfer\s*=(?:3D)?\s*(?P<raw>\d+(?:\.\d+)?)\s+(?P<unit>\S+)")
CHILD = lazy(
    _HOST + r"Child\[(?P<child>\d+)\] xfer count\s*=(?:3D)?\s*\S+ \S+,\s*(?:Throughput|Latency)\s*=(?:3D)?\s*"
    r"(?P<raw>\S+)\s+(?P<unit>[^\s,<]+)(?:,\s*wall=\s*\d[\d.]*,\s*cpu=\s*\d[\d.]*,\s*%=\s*(?P<cpu>\d[\d.]*))?",
    re.I,
)
CPU = lazy(r"^[\s>|#/*]*CPU utilization: Wall time\s+(\d+\.\d+)\s+CPU time\s+(\d+\.\d+)\s+CPU utilization\s+(\d+\.\d+)\s*%", re.I)
CPU_BEGINS = lazy(r"^[\s>|#/*]*CPU utilization: Wall time\b", re.I)
_OPEN = lazy(
    _HOST + r"(?:(?:(?:Children|Parent) sees? throughput for\s|(?:Min|Max|Avg) (?:throughput|latency) per )[^=]*(?:=\s*[\d.]*)?"
    r"|CPU utilization: Wall time[^%]*)\s*\Z",
    re.I,
)
_REST = lazy(r"[\s>|#/*]*((?:=\s*)?[\d.]*\s*(?:[kK]B(?:ytes)?/sec|ops/sec|usec/op)|[a-zA-Z ]*[\d. ]*[a-zA-Z ]*[\d.]+\s*%)\s*\Z")
_FIGURE = lazy(r"=\s*\d|utilization\s+\d[\d.]*\s*\Z")
_LINES = (
    "Children see throughput for",
    "Parent sees throughput for",
    "Min throughput per ",
    "Max throughput per ",
    "Avg throughput per ",
    "CPU utilization: Wall time",
    "CPU Utilization: Wall time",
    "Min xfer",
)
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_HUNDREDTHS = lazy(r"\d+\.\d\d\Z")  # CPU utilization, last on its line
_UNITS = {"kb/sec": "kbytes", "kbytes/sec": "kbytes", "ops/sec": "ops", "usec/op": "usec", "microseconds/op": "usec"}


@dataclass(slots=True)
class ThroughputBlock:
    """One operation of a throughput test. `figures`: line, part, text, unit and workers of each; `average`: of the Avg line.

    `wrapped_lines`: the first of two joined lines -> the second.
    """

    operation: str
    what: str
    count: int
    host: tuple[str, int] | None
    line: int
    children: float | None = None
    figures: list[tuple[int, str, str, str, str]] = field(default_factory=list)
    average: tuple[float, int] | None = None
    cpu: tuple[int, str, dict[str, float]] | None = None
    threaded: bool = False
    wrapped_lines: dict[int, int] = field(default_factory=dict)


def join_wrapped_line(line: str, below: str) -> tuple[str, bool] | None:
    """A line wrapped by a mailer joined with the next one, and whether its figure stands on the first; None for another line."""
    if not _OPEN.match(line) or not (rest := _REST.match(below)):
        return None
    return f"{line.rstrip()} {rest[1]}", bool(_FIGURE.search(line))


def split_joined_lines(line: str) -> list[str]:
    """The lines of an output whose line ends were lost; empty for another line."""
    if line.count("throughput") < 2 or not _RUN_TOGETHER.search(line):
        return []
    parts = [part for part in LINE_START.split(line) if part.strip()]
    return parts if len(parts) > 1 else []


def is_line_start(line: str) -> bool:
    """Whether a last line is the beginning of a line of a block, cut before its figure."""
    rest = line.strip().lstrip(">|#/* \t")
    return len(rest) > 2 and any(start.startswith(rest) or rest.startswith(start) for start in _LINES)


def open_block(line: str, number: int, block: ThroughputBlock | None) -> ThroughputBlock | Doubt | None:
    """The block that a Children or Parent line opens or continues; None for another line."""
    title = SEES.match(line)
    if not title:
        if HALF.match(line):
            return Doubt(number, "cut", "the line ends before its value and unit")
        if AMIDST.search(line):
            return Doubt(number, "unread", "the text before the throughput is unknown; the line was not recorded")
        return None
    what = " ".join(title["what"].split())
    if what not in WORKER_OPERATIONS:
        return Doubt(number, "unread", f"throughput of an unknown operation, {what!r}")
    host = (title["host"], number) if title["host"] and not _FILE.search(title["host"]) else None
    count = int(title["count"])
    if (
        title["who"] == "Parent"
        and block
        and (block.what, block.count, block.host and block.host[0]) == (what, count, host and host[0])
        and not any(part == "parent" for _, part, *_ in block.figures)
    ):
        return _take(block, number, "parent", title["raw"], title["unit"]) or block
    part = "parent" if title["who"] == "Parent" else ""
    fresh = ThroughputBlock(WORKER_OPERATIONS[what], what, count, host, number)
    return _take(fresh, number, part, title["raw"], title["unit"]) or fresh


def continue_block(block: ThroughputBlock | None, line: str, number: int) -> Doubt | bool:
    """Read a Min, Max, Avg, Min xfer or CPU line into the block; False for another line."""
    if match := PER.match(line):
        if block is None:
            return Doubt(number, "no-header", f"{match['who']} throughput without the line that names the operation")
        block.threaded |= match["worker"] == "thread"
        return _take(block, number, match["who"].lower(), match["raw"], match["unit"]) or True
    if match := CHILD.match(line):
        if block is None:
            return Doubt(number, "no-header", "a child's throughput without the line that names the operation")
        is_torn = match["cpu"] and not _HUNDREDTHS.match(match["cpu"])
        if match["cpu"] and not is_torn:
            block.figures.append((number, f"process {match['child']}", match["cpu"], "cpu", block.what))
        taken = _take(block, number, f"process {match['child']}", match["raw"], match["unit"])
        return taken or (Doubt(number, "cut", f"%= {match['cpu']} lacks decimals; not recorded") if is_torn else True)
    if XFER.match(line):
        return True  # bytes of the slowest when the first was done: not a result of the test
    if match := CPU.match(line):
        if block is None:
            return Doubt(number, "no-header", "CPU utilization without the line that names the operation")
        block.cpu = (number, match[3], {"wall_time": float(match[1]), "cpu_time": float(match[2])})
        return True
    if CPU_BEGINS.match(line):
        return Doubt(number, "cut", "the line of CPU utilization ends before its value")
    return False


def _take(block: ThroughputBlock, number: int, part: str, raw: str, unit: str) -> Doubt | None:
    if unit.lower() not in _UNITS:
        return Doubt(number, "unknown-unit", f"{raw[:40]} {unit[:40]}")
    if not _NUMBER.match(raw):
        return Doubt(number, "bad-number", f"{raw[:40]!r} is not a number")
    if part == "avg":
        block.average = (float(raw), number)
    else:
        block.figures.append((number, part, raw, _UNITS[unit.lower()], block.what))
    if not part:
        block.children = float(raw)
    return None


_NATIVE = {
    "": "Children see throughput for {}",
    "parent": "Parent sees throughput for {}",
    "min": "Min throughput per process ({})",
    "max": "Max throughput per process ({})",
}
_PART = {"parent": "parent", "min": "min process", "max": "max process"}


def _native(part: str, what: str) -> str:
    return _NATIVE.get(part, "Child throughput ({})").format(what)


def finish_block(run: IozoneRun, block: ThroughputBlock) -> Iterator[Found]:
    """The values of the block in line order, the check of its average last."""
    workers = "threads" if run.threaded or block.threaded else "processes"
    params = {**{k: v for k, v in run.sizes.items() if k != "processes"}, workers: block.count}
    figures = (item for figure in block.figures for item in _figure(run, block, params, figure))
    items = sorted([*figures, *_cpu(run, block, params)], key=_line)
    yield from items
    if block.average and block.children is not None:
        total = block.children if any(u == "usec" for *_, u, _ in block.figures) else block.average[0] * block.count
        if total and abs(total - block.children) > 0.005 * total + 0.01 * block.count:
            yield Doubt(
                block.average[1],
                "disagree",
                f"the average of {block.count} is {block.average[0]:.2f}, the children together {block.children:.2f}",
            )


def _line(item: Found) -> int:
    return int(item.line)


def _figure(
    run: IozoneRun, block: ThroughputBlock, params: dict[str, Any], figure: tuple[int, str, str, str, str]
) -> Iterator[Found]:
    number, part, raw, unit, what = figure
    native = f"Child CPU utilization ({what})" if unit == "cpu" else _native(part, what)
    is_missing = float(raw) == 0 and unit != "cpu"
    if not part and not is_missing:
        run.children.setdefault(block.operation, []).append((float(raw), number))
    value = run.value(
        number,
        block.operation,
        native,
        raw,
        params | ({"part": _PART.get(part, part)} if part else {}),
        unit=unit,
        configuration={"host": block.host} if block.host else {},
        depends=() if number == block.line else (block.line,),
    )
    if is_missing:
        if not part:
            run.zeros.setdefault(block.operation, []).append(number)
        yield MissingValue.instead_of(value, ZERO_TIME)
        yield Doubt(number, "unmeasured", f"{native}: iozone printed 0")
    else:
        yield value


def _cpu(run: IozoneRun, block: ThroughputBlock, params: dict[str, Any]) -> Iterator[Value]:
    """CPU utilization of the children in %, over 100 on several CPUs, with wall and CPU time."""
    if block.cpu is None:
        return
    number, raw, clocks = block.cpu
    run.children.setdefault(f"{block.operation} cpu", []).append((float(raw), number))
    halves = (half for pair in block.wrapped_lines.items() for half in pair if number in pair)
    native, depends = f"CPU utilization ({block.what})", (block.line, *halves)
    yield run.value(number, block.operation, native, raw, params | clocks, unit="cpu", depends=depends)
