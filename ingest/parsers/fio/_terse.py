"""fio's terse output, versions 2 to 5: one line a job, fields split by semicolons.

The fields are those of the fio documentation, "Terse output": five of the job, then for read, write and (2, 4, 5) trim:
KiB moved, KiB/s, IOPS, ms; slat, clat (min max mean deviation, us); 20 percentiles of clat; lat; bandwidth (min max
share mean deviation, KiB/s), in 5 followed by samples and IOPS (min max mean deviation samples). Then usr and sys CPU.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.fio._command import FioCommand
from ingest.parsers.fio._job import (
    LATENCY_PARTS,
    NUMBER,
    RATE,
    STAT_NAMES,
    FioColumn,
    FioJob,
    percentile_stat,
)
from ingest.parsers.fio._options import JobOptions, moved_directions
from ingest.records import Doubt, Found

# The name of the version marks a line even behind a time stamp or a host name; version 2 has none and begins its line.
_LINE = lazy(
    r"(?:^[\s>|#+]*(?=2;|[3-5];\d\.)|(?<![\w;.])(?=\d;fio-))([2-9]);(?:(?:fio-)?(\d[^;]{0,30}\.[^;]{0,30});)?"
    r"([^;]{0,200});(\d+);(\d+);(\d[^\n]*)$"
)
_LINE_START = lazy(
    r"(?<![\w;.])[3-9];fio-\d|^[\s>|#+]*(?:2;fio-\d|2;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d|"
    r"[3-5];\d\.[\d.]+;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d)"  # 2.0.x: the version without `fio-`
)
# Lines rewritten by a spreadsheet or a script: other separators, cells in quotes.
_REWRITTEN = lazy(r'(?<![\w;.])"?[3-9]"?([;,\t|])"?(?=fio-\d)')
# Cells in quotes, which may contain separators; and separators. A quote within a figure stays, so that it is no number.
_CELLS = {mark: lazy(rf'(?:^|(?<=[{mark}]))"([^"]*)"(?=[{mark}]|\s*\Z)|[{mark}]') for mark in ";,\t|"}
_DECIMAL_COMMA = lazy(r"\d{1,15},\d{1,9}\Z")
_ALL_DIRECTIONS = ("read", "write", "trim")
_LAYOUTS = {"2": (41, _ALL_DIRECTIONS), "3": (41, ("read", "write")), "4": (41, _ALL_DIRECTIONS), "5": (47, _ALL_DIRECTIONS)}
_STATS = ("min", "max", "mean", "dev")


def _stat_columns(column: FioColumn) -> list[FioColumn]:
    """The columns of least, greatest, mean and deviation."""
    return [column._replace(name=f"{column.name} {stat}", stat=STAT_NAMES[stat]) for stat in _STATS]


_BANDWIDTH = FioColumn("throughput", "bandwidth", "B/s", "KiB/s", 1024)
_LATENCIES = [  # with the field in which the four columns begin
    (_stat_columns(FioColumn("latency", kind, "s", "us", part=LATENCY_PARTS[kind], divisor=10**6)), first)
    for kind, first in (("slat", 4), ("clat", 8), ("lat", 32))
]
_BANDWIDTH_SAMPLES = _stat_columns(FioColumn("throughput", "bw", "B/s", "KiB/s", 1024, "interval"))
_RATE_SAMPLES = _stat_columns(FioColumn("rate", "iops", "1/s", "ops/s", part="interval"))
_CPU = [FioColumn("cpu", f"{part} cpu", "%", "%", 1, part) for part in ("user", "system")]


@lru_cache(200)
def _percentile_column(name: str) -> FioColumn:
    part, stat = LATENCY_PARTS["clat"], percentile_stat(name)
    return FioColumn("latency", f"clat {name}%", "s", "us", part=part, stat=stat, divisor=10**6)


class _TerseLine(NamedTuple):
    """The cells of a terse line behind those of the job, with the directions that its layout has."""

    cells: list[str]
    width: int
    directions: tuple[str, ...]

    def section(self, direction: str) -> list[str]:
        """The cells of one direction."""
        first = self.directions.index(direction) * self.width
        return self.cells[first : first + self.width]

    def cpu(self) -> list[str]:
        """User's and system's share of the processor, behind the directions."""
        first = self.width * len(self.directions)
        return self.cells[first : first + 2]

    def used_directions(self) -> list[str]:
        """The directions that moved data."""
        return [direction for direction in self.directions if self.section(direction)[0].strip("0")]


def is_terse_line(line: str) -> bool:
    """Whether the line is one of terse output, or begins like one."""
    return bool((";" in line and _LINE_START.search(line)) or ("fio-" in line and _with_semicolons(line) != line))


def _with_semicolons(line: str) -> str:
    """The line with fio's own separators and no quotes; a decimal comma stands in quotes where commas separate the cells."""
    rewritten = _REWRITTEN.search(line) if "fio-" in line else None
    if not rewritten or (rewritten[1] == ";" and '"' not in line):
        return line
    return _CELLS[rewritten[1]].sub(lambda cell: ";" if cell[1] is None else cell[1], line[rewritten.start() :])


def read_line(
    line: str,
    number: int,
    options: Mapping[str, JobOptions],
    command: FioCommand | None = None,
    jobs: list[tuple[Hashable, FioJob]] | None = None,
) -> Iterator[Found]:
    """The figures of one terse line. `options`: of jobs by name, from lines of the same file; `command`: the one above it.
    Adds to `jobs` the job, with what identifies its command and group, where the command says how many jobs a group has."""
    semicolons = _with_semicolons(line)
    match = _LINE.search(semicolons)
    if not match:
        yield Doubt(number, "cut", "this terse line of fio ends before its first value")
        return
    version, error = match[1], match[5]
    if version not in _LAYOUTS:
        yield Doubt(number, "unknown-version", f"terse version {version} is not supported; nothing in it was recorded")
        return
    terse = _split_cells(match[6], *_LAYOUTS[version])
    if warning := _layout_warning(terse, version, number, is_rewritten=semicolons is not line):
        yield warning
        return
    used = terse.used_directions()
    job = _make_job(match, number, used, options, command)
    if error != "0":
        job.error = error
        if not used:
            yield from job.without_results(number)
        yield Doubt(number, "failed-run", f"job {job.name}: fio reports error {error}")
    if jobs is not None and command and (count := command.count_reports(job.group)) > 1:
        jobs.append(((command.first_line, job.group, count), job))
    if used and not job.pattern:
        yield Doubt(number, "no-command", f"job {job.name}: terse output does not give the access pattern")
    for direction in used:
        yield from _direction(job, direction, terse.section(direction), number)
    cpu = zip(_CPU, (raw.rstrip("%") for raw in terse.cpu()), strict=True)
    yield from _values(job, used[0] if len(used) == 1 else "mixed", list(cpu), number)


def split_runs(jobs: Sequence[tuple[Hashable, FioJob]]) -> list[tuple[Hashable, FioJob]]:
    """The jobs, each with the run of its command as group: several runs follow one command in a loop. None where lines lack."""
    by_command: dict[Hashable, list[FioJob]] = {}
    for key, job in jobs:
        by_command.setdefault(key, []).append(job)
    return [
        ((key, index // count), job)
        for key, of_command in by_command.items()
        if isinstance(key, tuple) and len(of_command) % (count := int(key[2])) == 0
        for index, job in enumerate(of_command)
    ]


def _split_cells(text: str, width: int, directions: tuple[str, ...]) -> _TerseLine:
    cells = text.rstrip().split(";")
    if len(cells) > width + 1 and cells[width].endswith("%") and cells[width + 1].endswith("%"):
        directions = ("mixed",)  # unified_rw_reporting=1: the share of the CPU follows the first direction
    return _TerseLine(cells, width, directions)


def _layout_warning(terse: _TerseLine, version: str, number: int, *, is_rewritten: bool) -> Doubt | None:
    """A warning if the cells do not fit the layout of the version, so that none can be taken."""
    cells, end = terse.cells, terse.width * len(terse.directions)
    if len(cells) < end + 5:
        return Doubt(number, "short-row", f"{len(cells) + 5} fields where version {version} has more; nothing was recorded")
    if is_rewritten and not cells[end].endswith("%"):
        return Doubt(number, "long-row", "CPU usage is not in its column; nothing was recorded")
    return None


def _make_job(
    match: re.Match[str], number: int, used: Sequence[str], options: Mapping[str, JobOptions], command: FioCommand | None
) -> FioJob:
    """The job with the pattern and parameters of its command, else of the line of its options, else unknown."""
    name, group = match[3], match[4]
    given = command.find_job(name) if command else None
    if command and given and given.pattern:
        lines = command.lines
        if not all(direction == "mixed" or direction in moved_directions(given.pattern) for direction in used):
            given = JobOptions(None, {})  # that command was of another run
    else:
        given = options.get(name, JobOptions(None, {}))
        lines = (*((given.line,) if given.line else ()), *(command.lines if command and not given.pattern else ()))
    params = dict(given.params)
    return FioJob(name, number, match[2], given.pattern or None, group, None, params=params, depends=lines, implied=given.implied)


def _direction(job: FioJob, direction: str, cells: list[str], number: int) -> Iterator[Found]:
    if cells[3].isdecimal():
        job.params["runtime"] = int(cells[3]) / 1000
    figures = [(_BANDWIDTH, cells[1]), (RATE, cells[2])]
    for columns, first in _LATENCIES:
        figures += _stat_cells(columns, cells[first : first + 4])
    for percentile in cells[12:32]:
        name, _, raw = percentile.partition("%=")
        if name.strip("0.,"):
            figures.append((_percentile_column(name.replace(",", ".")), raw))
    figures += _stat_cells(_BANDWIDTH_SAMPLES, [cells[36], cells[37], cells[39], cells[40]])
    if len(cells) > 41:
        figures += _stat_cells(_RATE_SAMPLES, cells[42:46])
    yield from _values(job, direction, figures, number)


def _stat_cells(columns: Sequence[FioColumn], raws: list[str]) -> list[tuple[FioColumn, str]]:
    """Least, greatest, mean and deviation; none if all are 0, as fio prints where nothing was measured."""
    return list(zip(columns, raws, strict=True)) if any(raw.strip("0.,") for raw in raws) else []


def _values(job: FioJob, direction: str, figures: Sequence[tuple[FioColumn, str]], number: int) -> Iterator[Found]:
    for column, raw in figures:
        if NUMBER.match(raw) or _DECIMAL_COMMA.match(raw):
            yield job.value(number, direction, column, column.to_base_unit(float(raw.replace(",", "."))), raw)
        else:
            yield Doubt(number, "bad-number", f"{direction} {column.name}: {raw[:40]!r} is not a number")
