"""BeeGFS StorageBench: `beegfs-ctl --storagebench --status` (`fhgfs-ctl` before 2014).

It measures streaming throughput of the storage targets on the servers themselves (BeeGFS documentation, chapter
StorageBench). The aggregate over all targets is the result; the slowest, the fastest and each single target are parts
of it; the average is checked against them. Figures are KiB/s, 1024 bytes.

Shapes of storagebench (name | versions | units | traps):
    status report | BeeGFS 2 to 7, FhGFS | KiB/s = 1024 B/s | Avg is only checked; a status asked again is a duplicate

Source: BeeGFS documentation, Benchmarking a BeeGFS System, StorageBench
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"(?:Write|Read) benchmark results|Aggregate throughput:[^\S\n]+\d+[^\S\n]+[KMG]iB/s")
_COMMAND = lazy(r"((?:beegfs|fhgfs)-ctl\s+.*--storagebench\b.*)$")
_OPTION = lazy(r"--(blocksize|size|threads)=(\d+)([kKmMgGtT]?)\b")
_STATUS = lazy(r"^[\s>|]*(Running|Finished|Finishing|Stopping|Stopped|Didn't run|Error)\s*:\s*(\d+)", re.I)
_REPORT_TITLE = lazy(r"^[\s>|]*(Write|Read) benchmark results", re.I)
_SUMMARY_LINE = lazy(r"^[\s>|]*(Min|Max|Avg|Aggregate) throughput:\s+(\S+)\s+(\S+)(?:\s+(.*))?$")
_TARGETS_TITLE = lazy(r"^[\s>|]*List of all targets:")
_TARGET_LINE = lazy(r"^[\s>|]*(\d[\w-]{0,40})\s+(\d\S*)\s+(\S+B/s)\b(?:\s+(.*))?$")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_UNIT_FACTORS = {"KiB/s": 1024, "MiB/s": 1024**2, "GiB/s": 1024**3}
_SUMMARY_PARTS = {"Min": "min target", "Max": "max target", "Aggregate": ""}
_PARAM_NAMES = {"blocksize": "block_size", "size": "file_size", "threads": "threads"}


@dataclass(slots=True)
class _Report:
    """The last benchmark and the status report that is being read.

    `average`: the printed average of targets in B/s, with its line; `aggregate` and `targets` in B/s; `reported`: value and
    first line of each figure of this benchmark, by operation and native name.
    """

    params: dict[str, Any] = field(default_factory=dict)
    command_line: int = 0
    operation: str | None = None
    title_line: int = 0
    in_targets: bool = False
    targets: list[float] = field(default_factory=list)
    average: tuple[float, int] | None = None
    aggregate: float | None = None
    reported: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)


def parse(text: Text) -> Iterator[Found]:
    """The figures of every status report, in line order; the same status asked for again is a duplicate."""
    report = _Report()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if command := _COMMAND.search(line):
            yield from _end_report(report)
            _take_command(report, command[1], number)
        elif (status := _STATUS.match(line)) and status[2] != "0":
            yield from _status_warning(status, number)
        elif title := _REPORT_TITLE.match(line):
            yield from _end_report(report)
            report.operation, report.title_line, report.in_targets = title[1].lower(), number, False
        elif summary := _SUMMARY_LINE.match(line):
            yield from _summary(report, summary, number)
        elif _TARGETS_TITLE.match(line):
            report.in_targets = True
        elif report.in_targets and (target := _TARGET_LINE.match(line)):
            yield from _target(report, target, number)
        elif line.strip():
            report.in_targets = False
    yield from _end_report(report)


def _status_warning(status: re.Match[str], number: int) -> Iterator[Doubt]:
    """A warning if targets are not through, or failed. The match has the state and the number of targets."""
    if status[1].lower() in ("running", "stopping", "finishing"):
        yield Doubt(number, "estimated", "the benchmark is still running; these are its values so far")
    elif status[1].lower() == "error":
        yield Doubt(number, "failed-run", f"{status[2]} targets report an error")


def _take_command(report: _Report, command: str, number: int) -> None:
    """Take a command. One that starts a benchmark makes later reports new measurements."""
    if "--status" in command:
        return
    report.params, report.command_line, report.reported = {"command": command}, number, {}
    if "--odirect" in command:
        report.params["direct"] = "on"
    for name, digits, letter in _OPTION.findall(command):
        report.params[_PARAM_NAMES[name]] = int(digits) * 1024 ** " kmgt".index(letter.lower() or " ")


def _summary(report: _Report, summary: re.Match[str], number: int) -> Iterator[Found]:
    label, raw, unit, target = summary.groups()
    if report.operation is None:
        yield Doubt(number, "no-header", f"{label} throughput without the line that says whether it was read or written")
    elif unit not in _UNIT_FACTORS:
        yield Doubt(number, "unknown-unit", f"{label} throughput: {unit[:20]!r}")
    elif not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{label} throughput: {raw[:40]!r} is not a number")
    elif label == "Avg":
        report.average = (float(raw) * _UNIT_FACTORS[unit], number)
    else:
        throughput = PrintedNumber(float(raw) * _UNIT_FACTORS[unit], "B/s", raw, unit)
        if label == "Aggregate":
            report.aggregate = throughput.value
        yield _value(report, number, f"{label} throughput", throughput, part=_SUMMARY_PARTS[label], target=target)


def _target(report: _Report, line: re.Match[str], number: int) -> Iterator[Found]:
    name, raw, unit, target = line.groups()
    if report.operation is None or unit not in _UNIT_FACTORS or not _NUMBER.match(raw):
        yield Doubt(number, "unread", f"target {name}: {raw[:40]} {unit[:20]}")
        return
    throughput = PrintedNumber(float(raw) * _UNIT_FACTORS[unit], "B/s", raw, unit)
    report.targets.append(throughput.value)
    yield _value(report, number, f"target {name}", throughput, part=f"target {name}", target=target)


def _value(report: _Report, line: int, native: str, throughput: PrintedNumber, *, part: str, target: str | None) -> Value:
    """A value, a duplicate if the same figure was reported before. `target`: the name behind the figure."""
    key = (str(report.operation), native)
    value, first_line = report.reported.get(key, (None, None))
    if value != throughput.value:
        report.reported[key] = (throughput.value, line)
        first_line = None
    return Value(
        line=line,
        tool="storagebench",
        metric=f"{report.operation}.throughput",
        native=native,
        value=throughput.value,
        unit=throughput.unit,
        raw=throughput.raw,
        raw_unit=throughput.raw_unit,
        run=report.title_line,
        same_as=first_line,
        params={**report.params, **({"target": target} if target else {}), **({"part": part} if part else {})},
        depends=tuple(number for number in (report.command_line, report.title_line) if number),
    )


def _end_report(report: _Report) -> Iterator[Doubt]:
    """End a report: compare aggregate and average with the list of targets."""
    if report.targets and report.aggregate and abs(sum(report.targets) - report.aggregate) > 0.005 * report.aggregate:
        yield Doubt(report.title_line, "disagree", "the targets together do not make the aggregate")
    if report.targets and report.average:
        mean = sum(report.targets) / len(report.targets)
        if abs(mean - report.average[0]) > 0.005 * mean:
            yield Doubt(report.average[1], "disagree", "the average is not that of the targets listed")
    report.targets, report.average, report.aggregate, report.in_targets = [], None, None, False


PARSER = Parser(
    brief=True, name="storagebench", version=2, anchor=Anchor(ANCHOR, "benchmark results|aggregate throughput:"), parse=parse
)
