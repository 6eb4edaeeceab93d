"""fio's JSON and JSON+ output. Rates per second, `bw` in KiB/s, `bw_bytes` in B/s, `*_ns` in nanoseconds; before 3.0
latencies have no unit in their name and are microseconds (fio documentation, "JSON output")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ingest.parsers.fio._command import ALL_CLIENTS
from ingest.parsers.fio._groups import MAX_LISTED, Direction, JobGroups, find_starts
from ingest.parsers.fio._job import (
    LATENCY_PARTS,
    NUMBER,
    RATE,
    STAT_NAMES,
    FioColumn,
    FioJob,
    parse_date,
    percentile_stat,
)
from ingest.parsers.fio._options import JobOptions, beside, moved_directions, parse_options
from ingest.records import Doubt, Found, Value
from ingest.text.located_json import LocatedDocument, LocatedValue, json_fault_warnings

_DIRECTIONS = ("read", "write", "trim", "mixed")
_EXACT_BANDWIDTH = FioColumn("throughput", "bw_bytes", "B/s", "B/s")
_BANDWIDTH = FioColumn("throughput", "bw", "B/s", "KiB/s", 1024)
_CPU = tuple(FioColumn("cpu", key, "%", "%", part=part, native=key) for key, part in (("usr_cpu", "user"), ("sys_cpu", "system")))
_BANDWIDTH_SAMPLES = tuple(
    FioColumn("throughput", f"bw_{stat}", "B/s", "KiB/s", 1024, "interval", stat=STAT_NAMES[stat])
    for stat in ("min", "max", "mean", "dev")
)
_RATE_SAMPLES = tuple(
    FioColumn("rate", f"iops_{stat}", "1/s", "ops/s", 1, "interval", stat=STAT_NAMES[stat])
    for stat in ("min", "max", "mean", "stddev")
)


def read_document(document: LocatedDocument) -> Iterator[list[Found]]:
    """The values and warnings of each job of one JSON output, then a warning for each place that could not be read."""
    root = document.root
    version = (root.text("fio version") or "").removeprefix("fio-") or None
    global_options = _strings(root.get("global options"))
    head = tuple(node.line for node in (root.get("fio version"), root.get("time")) if node)
    nodes = (root.get("jobs") or root.get("client_stats") or LocatedValue(0, "", [])).items()
    report = _Report(nodes, global_options, document.last)
    ended = parse_date(root.text("time"))
    starts = find_starts(ended, report.seconds)
    for node in nodes:
        name, group = node.text("jobname"), report.group_of(node)
        if name is None:
            yield [Doubt(node.line, "short-row", "a job without a name; nothing in it was recorded")]
            continue
        given = node.get("job options")
        lines = [*_lines(given), *_lines(root.get("global options"))]
        options = parse_options(report.options(node, group), version, whole=lines[0] if lines and name != ALL_CLIENTS else 0)
        ran_beside = report.beside(options, name, group, version)
        job = FioJob(
            name,
            node.line,
            version,
            options.pattern,
            node.text("groupid") or "0",
            starts.get(group, ended),
            params=options.params | ran_beside,
            depends=(*head, *_lines(node.get("jobname")), *lines),
            implied=options.implied,
        )
        items = list(_job(job, node))
        if name == ALL_CLIENTS or ran_beside:
            report.add_lines(group, items)
        yield items if name == ALL_CLIENTS else report.groups.take(group, job, items, report.label(node, group))
    yield list(json_fault_warnings(document))


class _Report:
    """What has to be known of all jobs of a report before the first of them is read: which of them ran at once.

    Jobs of one group do; so do those behind `new_group` without a `stonewall`, but not one that waits for another (`wait_for`).
    """

    def __init__(self, nodes: list[LocatedValue], global_options: dict[str, str], last: int) -> None:
        self._global_options = global_options
        self._bases: dict[str, Hashable] = {}
        self._last: Hashable = ""
        counts, totalled = Counter[Direction](), set[Hashable]()
        self.seconds: dict[Hashable, float] = {}
        """The longest run time of each group."""
        self._common: dict[Hashable, dict[str, str]] = {}
        self._places: dict[Hashable, list[str]] = {}
        self._at_once: dict[Hashable, dict[str, dict[str, str]]] = {}
        lines, open_group, first = dict[Hashable, list[int]](), None, 0
        for node in nodes:
            group = self.group_of(node)
            if open_group is not None and len(nodes) <= MAX_LISTED:
                lines.setdefault(open_group, []).extend(range(first, node.line + 1))
            open_group, first = group, node.line
            runtimes = [section.text("runtime") or "" for way in _DIRECTIONS if (section := node.get(way))]
            seconds = [int(text) / 1000 for text in runtimes if text.isdecimal() and len(text) < 20]
            self.seconds[group] = max([self.seconds.get(group, 0.0), *seconds])
            if node.text("jobname") == ALL_CLIENTS:
                totalled.add(group)
                continue
            options = global_options | _strings(node.get("job options"))
            at_once = self._at_once.setdefault(group, {})
            if len(at_once) < MAX_LISTED:
                at_once[node.text("jobname") or ""] = options
            common = self._common.setdefault(group, options)
            self._common[group] = {key: value for key, value in common.items() if options.get(key) == value}
            self._places.setdefault(group, []).append(node.text("hostname") or "")
            moved = tuple(direction for direction in _DIRECTIONS if (section := node.get(direction)) and _is_used(section))
            if not moved and (node.text("error") or "0") != "0":
                moved = moved_directions(parse_options(options).pattern)
            counts.update((group, direction) for direction in moved)
        if open_group is not None:
            lines.setdefault(open_group, []).extend(range(first, last + 1))
        self.groups, self._lines = JobGroups(counts, totalled, lines), lines

    def add_lines(self, group: Hashable, items: list[Found]) -> None:
        """Have figures depend on the lines of all jobs: the sum over servers, and those of a job that ran beside others."""
        for item in items:
            if isinstance(item, Value):
                item.depends = (*item.depends, *self._lines.get(group, ()))

    def group_of(self, node: LocatedValue) -> Hashable:
        """The jobs with which the next one of the report ran."""
        number, options = node.text("groupid") or "0", self._global_options | _strings(node.get("job options"))
        if "wait_for" in options:
            return number, options["wait_for"]
        if number not in self._bases:
            is_at_once = self._bases and "new_group" in options and "stonewall" not in options
            self._bases[number] = self._last if is_at_once else number
        self._last = self._bases[number]
        return self._last

    def options(self, node: LocatedValue, group: Hashable) -> dict[str, str]:
        """The options of a job; of the sum over servers those that all of its jobs have, and their number."""
        if node.text("jobname") != ALL_CLIENTS:
            return self._global_options | _strings(node.get("job options"))
        common, places = self._common.get(group, self._global_options), self._places.get(group, [])
        processes = common.get("numjobs", "1") if "group_reporting" in common else "1"
        return common | {"numjobs": str(len(places) * int(processes) if processes.isdecimal() else len(places))}

    def beside(self, options: JobOptions, name: str, group: Hashable, version: str | None) -> dict[str, str]:
        """What ran beside a job in other directions."""
        at_once = self._at_once.get(group, {})
        return (
            beside(options, (parse_options(given, version, whole=1) for other, given in at_once.items() if other != name))
            if len(at_once) > 1
            else {}
        )

    def label(self, node: LocatedValue, group: Hashable) -> str:
        """What the part of one server is called; empty for jobs of one machine."""
        host, places = node.text("hostname"), self._places[group]
        return f"host {host}" if host and len(places) == len(set(places)) > 1 else ""


def _lines(node: LocatedValue | None) -> list[int]:
    """The lines of a value and, of an object, of its members."""
    if node is None:
        return []
    return [node.line, *(child.line for child in node.value.values())] if isinstance(node.value, dict) else [node.line]


def _strings(node: LocatedValue | None) -> dict[str, str]:
    if node is None or not isinstance(node.value, dict):
        return {}
    return {key: value.value for key, value in node.value.items() if isinstance(value.value, str)}


def _job(job: FioJob, node: LocatedValue) -> Iterator[Found]:
    error = node.get("error")
    if error is not None and (node.text("error") or "0") != "0":
        job.error = error.raw
        yield Doubt(node.line, "failed-run", f"job {job.name}: fio reports error {node.text('error')}")
    sections = {direction: section for direction in _DIRECTIONS if (section := node.get(direction)) and _is_used(section)}
    if job.error and error is not None and not sections:
        yield from job.without_results(error.line)
    if sections and job.pattern is None:
        yield Doubt(node.line, "no-command", f"job {job.name}: no option gives the access pattern")
    for direction, section in sections.items():
        yield from _direction(job, direction, section)
    if (syncs := node.get("sync")) and (table := syncs.get("lat_ns")):
        yield from _latencies(job, "fsync", table, _Latency("sync lat_ns", "ns", 10**9, LATENCY_PARTS["sync"]))
    for column in _CPU:
        if sections and (cell := node.get(column.name)) and NUMBER.match(cell.raw):
            direction = next(iter(sections)) if len(sections) == 1 else "mixed"
            yield job.value(cell.line, direction, column, float(cell.raw), cell.raw)


def _is_used(section: LocatedValue) -> bool:
    """Whether the direction moved anything."""
    return any((section.text(key) or "0").strip("0.") for key in ("io_bytes", "bw_bytes", "bw", "total_ios"))


@lru_cache(64)
def _lacks_bytes(version: str | None) -> bool:
    """Whether that version of fio may print no `bw_bytes`, which came with 3.2: a later output without it is damaged."""
    numbers = re.match(r"(\d+)\.(\d+)", version or "")
    return numbers is None or (int(numbers[1]), int(numbers[2])) < (3, 2)


def _direction(job: FioJob, direction: str, section: LocatedValue) -> Iterator[Found]:
    if (runtime := section.text("runtime")) and runtime.isdecimal():
        job.params["runtime"] = int(runtime) / 1000
        job.depends = (*job.depends, *_lines(section.get("runtime")))
    bandwidth = _EXACT_BANDWIDTH if section.get("bw_bytes") or not _lacks_bytes(job.version) else _BANDWIDTH
    if section.get(bandwidth.name) is None:
        yield Doubt(section.line, "short-row", f"{direction}: bw is missing")
    yield from _cell(job, direction, section.get(bandwidth.name), bandwidth)
    yield from _cell(job, direction, section.get("iops"), RATE)
    for kind in ("lat", "clat", "slat"):
        for suffix, unit, divisor in (("_ns", "ns", 10**9), ("", "us", 10**6)):
            if table := section.get(kind + suffix):
                yield from _latencies(job, direction, table, _Latency(kind + suffix, unit, divisor, LATENCY_PARTS[kind]))
                break
    for entry in (section.get("prios") or LocatedValue(0, "", [])).items():
        yield from _priority(job, direction, entry)
    if (section.text("bw_samples") or "1") != "0":
        yield from _samples(job, direction, section)


def _priority(job: FioJob, direction: str, entry: LocatedValue) -> Iterator[Found]:
    """Latencies of one priority (since 3.30): `prioclass` is a number or a name, `prio` a number."""
    priority_class, level = entry.get("prioclass"), entry.get("prio")
    if priority_class is None or level is None:
        yield Doubt(entry.line, "short-row", f"{direction}: latencies of an unnamed priority; not recorded")
        return
    name = f"prio {entry.text('prioclass')}/{entry.text('prio')}"
    job = replace(job, depends=(*job.depends, priority_class.line, level.line))
    for kind in ("clat", "lat"):
        if table := entry.get(f"{kind}_ns"):
            part = ", ".join(word for word in (LATENCY_PARTS[kind], name) if word)
            yield from _latencies(job, direction, table, _Latency(f"{kind} {name}", "ns", 10**9, part))


def _cell(job: FioJob, direction: str, cell: LocatedValue | None, column: FioColumn) -> Iterator[Found]:
    if cell is None:
        return
    if NUMBER.match(cell.raw):
        yield job.value(cell.line, direction, column, column.to_base_unit(float(cell.raw)), cell.raw)
    else:
        yield Doubt(cell.line, "bad-number", f"{direction} {column.name}: {cell.raw[:40]!r} is not a number")


class _Latency(NamedTuple):
    """One table of latencies: its native name, its unit, and the part of its values."""

    name: str
    unit: str
    divisor: int
    part: str


@lru_cache(1000)
def _latency_column(latency: _Latency, figure: str, stat: str) -> FioColumn:
    name = f"{latency.name} {figure}"
    return FioColumn("latency", name, "s", latency.unit, part=latency.part, stat=stat, divisor=latency.divisor)


def _latencies(job: FioJob, direction: str, table: LocatedValue, latency: _Latency) -> Iterator[Found]:
    if (table.text("N") or "1") == "0" or not any((table.text(stat) or "0").strip("0.") for stat in ("min", "max", "mean")):
        return
    for name in ("min", "max", "mean", "stddev"):
        yield from _cell(job, direction, table.get(name), _latency_column(latency, name, STAT_NAMES[name]))
    percentiles = table.get("percentile")
    for name, cell in percentiles.value.items() if percentiles and isinstance(percentiles.value, dict) else ():
        if NUMBER.match(name) and float(name) > 0 and cell.value is not None:
            yield from _cell(job, direction, cell, _latency_column(latency, name, percentile_stat(name)))


def _samples(job: FioJob, direction: str, section: LocatedValue) -> Iterator[Found]:
    """Bandwidth and rate over the sampling intervals; none if all are 0."""
    for columns in (_BANDWIDTH_SAMPLES, _RATE_SAMPLES):
        cells = [(column, section.get(column.name)) for column in columns]
        if any(cell and cell.raw.strip("0.") for _, cell in cells):
            for column, cell in cells:
                yield from _cell(job, direction, cell, column)
