"""fdtree: creation and removal of a tree of directories and files. It counts whole seconds: a shorter phase has no rate.

Shapes of fdtree (name | versions | units | traps):
    run | 1.0.0 to 1.0.2 | KiB = 1024 B, whole seconds | rate 0 is unmeasured; rates are printed even where every mkdir failed

Source: fdtree.bash 1.0.2 (Lawrence Livermore National Laboratory)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser
from ingest.records import ABOVE, BELOW, FAILED, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"fdtree-\d|fdtree: starting at|(?:DIRECTORY|FILE) (?:CREATE|REMOVE) TIME|(?:creates|removals) per second")
_EDGE = r"^[\s>|#]{0,24}(?:-e )?\s{0,16}"  # quoted, in a table, or in a comment of a script
_START = lazy(r"\bfdtree(?:-(\d[\w.]{0,12}))?: starting at (\S+)")  # no version before 1.0.1
_HEADER = (
    (
        lazy(_EDGE + r"creating(?:/deleting)? (\d{1,6}) directory levels with (\d{1,9}) directories at each level"),
        ("levels", "dirs_per_dir"),
    ),
    (lazy(_EDGE + r"for a total of (\d{1,12}) directories"), ("dirs",)),
    (lazy(_EDGE + r"with (\d{1,9}) files of size (\d{1,12})KiB per directory"), ("files_per_dir", "file_size")),
    (lazy(_EDGE + r"for a total of (\d{1,12}) files and (\d{1,15})KiB"), ("files", "total_size")),
)
_PHASE = lazy(_EDGE + r"(DIRECTORY|FILE) (CREATE|REMOVE) TIME IN, OUT, TOTAL\s*= (-?\d{1,9}), (-?\d{1,9}), (-?\d{1,9})\s*\Z")
_RATE = lazy(_EDGE + r"(Directory creates|File creates|KiB|File removals|Directory removals) per second\s*=\s+(\d{1,15})\s*\Z")
_BEGUN = lazy(_EDGE + r"(?:(?:DIRECTORY|FILE) (?:CREA|REMO)|(?:Directory|File) (?:creates|removals) per|KiB per second)")
_FAILED = lazy(
    r"\b(?:mkdir|dd|rm|rmdir|fdtree[.\w]*): [^\n]{4,}|^\s*cannot (?:create|remove|open|stat) |^\s*failed to open |"
    r": (?:No such file or directory|No space left on device|Permission denied|Read-only file system)\s*\Z"
)
_DATE = lazy(
    r"^[\s>#]{0,8}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d{1,2}) "
    r"(\d\d:\d\d:\d\d)(?: ([AP]M))?(?: ([A-Z]{2,5}|[+-]\d{2,4})| )? (\d{4})\s*\Z"
)
_MONTHS = {
    name: n for n, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)
}
_OPERATION = {
    ("DIRECTORY", "CREATE"): "dir_create",
    ("FILE", "CREATE"): "file_create",
    ("FILE", "REMOVE"): "file_remove",
    ("DIRECTORY", "REMOVE"): "dir_remove",
}
_RATES = {
    "Directory creates": ("dir_create", "dirs"),
    "File creates": ("file_create", "files"),
    "KiB": ("file_create", "total_size"),
    "File removals": ("file_remove", "files"),
    "Directory removals": ("dir_remove", "dirs"),
}


@dataclass
class _Run:
    """One execution: the parameters of its header, and the phases so far (operation -> seconds).

    `start`: the words that begin it, where the text has them. `failed`: the line of the first error of mkdir, dd or rm, 0
    without one.
    """

    line: int
    start: str = ""
    version: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: list[int] = field(default_factory=list)
    seconds: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    errors: int = 0
    started_at: str | None = None
    records: list[Found] = field(default_factory=list)

    def value(self, number: int, metric: str, native: str, raw: str, factor: int, unit: tuple[str, str]) -> Value:
        """A figure of the run. `unit`: the base unit, and as printed."""
        value = float(int(raw) * factor)
        return Value(number, "fdtree", metric, native, value, unit[0], raw, unit[1], run=self.line, tool_version=self.version)


def parse(text: Text) -> Iterator[Found]:
    """Every run of fdtree in the text."""
    run: _Run | None = None
    for number, line in enumerate(text.lines, 1):
        if start := _START.search(line):
            if run:
                yield from _finish(run)
            run = _Run(number, start[0], start[1], {"path": start[2]}, [number])
            continue
        if run is None:
            if not (_PHASE.match(line) or _RATE.match(line) or _HEADER[0][0].match(line)):
                continue
            run = _Run(number)
            run.records.append(Doubt(number, "no-header", "fdtree's start line, with its version and directory, is missing"))
        _read_line(run, line, number)
    if run:
        yield from _finish(run)


def _read_line(run: _Run, line: str, number: int) -> None:
    """Read one line within a run."""
    if match := _PHASE.match(line):
        _add_time(run, match, number)
    elif match := _RATE.match(line):
        _add_rate(run, match, number)
    elif _BEGUN.match(line):
        run.records.append(Doubt(number, "cut", "this line of fdtree is cut off; nothing in it was recorded"))
    elif match := _DATE.match(line):
        if run.started_at is None:
            run.started_at = _iso_date(match)
            run.depends.append(number)
    elif not (("KiB" in line or "director" in line) and _read_header(run, line, number)) and _FAILED.search(line):
        _add_error(run, number)


def _add_error(run: _Run, number: int) -> None:
    """Count a failed command of a run whose phases are not complete."""
    if len(run.seconds) < len(_OPERATION):
        run.failed, run.errors = run.failed or number, run.errors + 1


def _read_header(run: _Run, line: str, number: int) -> bool:
    """Whether the line belongs to the header; its parameters are added."""
    for pattern, names in _HEADER:
        if match := pattern.match(line):
            for name, raw in zip(names, match.groups(), strict=False):
                run.params[name] = int(raw) * (units.FDTREE_KIB if name in ("file_size", "total_size") else 1)
            run.depends.append(number)
            return True
    return False


def _add_time(run: _Run, match: re.Match[str], number: int) -> None:
    """Add the elapsed time of a phase, in whole seconds, or what is wrong with it."""
    operation = _OPERATION[match[1], match[2]]
    begin, end, total = int(match[3]), int(match[4]), int(match[5])
    if operation in run.seconds:
        run.records.append(Doubt(number, "unread", "this phase was already there; a start line of fdtree is missing above it"))
        return
    run.seconds[operation] = total
    if total < 0:
        run.records.append(Doubt(number, "implausible", f"a phase of {total} s: the clock was set back; not recorded"))
        return
    if total != end - begin:
        run.records.append(Doubt(number, "disagree", f"the phase ran from {begin} to {end} s, which are not {total} s"))
    if total == 0:
        run.records.append(Doubt(number, "zero-time", "the phase took less than one second"))
    run.records.append(run.value(number, f"{operation}.elapsed", f"{match[1]} {match[2]} TIME TOTAL", match[5], 1, ("s", "s")))


def _add_rate(run: _Run, match: re.Match[str], number: int) -> None:
    """Add the rate of a phase, in bytes or operations per second; a rate of 0 was not measured."""
    operation, counted = _RATES[match[1]]
    rate, native, in_bytes = int(match[2]), f"{match[1]} per second", counted == "total_size"
    seconds, count = run.seconds.get(operation, 0), run.params.get(counted)
    factor, unit = (units.FDTREE_KIB, ("B/s", "KiB/s")) if in_bytes else (1, ("1/s", "1/s"))
    value = run.value(number, f"{operation}.{'throughput' if in_bytes else 'rate'}", native, match[2], factor, unit)
    if rate == 0:
        bound, side = _zero_rate_bound(seconds, count, factor)
        run.records.append(MissingValue.instead_of(value, ZERO_TIME, bound, side))
        what = "fewer of them than seconds" if seconds > 0 else "the phase took less than one second"
        run.records.append(Doubt(number, "unmeasured", f"{native} = 0: {what}, no rate was measured"))
        return
    if seconds and count is not None:
        expected = (count // units.FDTREE_KIB if in_bytes else count) // seconds
        if expected != rate:
            run.records.append(Doubt(number, "disagree", f"{native} = {rate}, but the totals and the time give {expected}"))
    run.records.append(value)


def _zero_rate_bound(seconds: int, count: int | None, factor: int) -> tuple[float | None, str | None]:
    """The bound of a rate that was printed as 0, and its side: above count / 1 s, since less than one second passed, or below one
    `factor` per second, since the division was cut off."""
    if seconds > 0:
        return float(factor), BELOW
    return (None, None) if count is None else (float(count), ABOVE)


def _finish(run: _Run) -> Iterator[Found]:
    """The records of a complete run with the parameters of its header; figures after an error are left out."""
    records = run.records
    if run.failed:
        lost = [record for record in records if not isinstance(record, Doubt) and int(record.line) >= run.failed]
        yield Doubt(
            run.failed,
            "failed-run",
            f"{run.errors} commands of fdtree failed: {len(lost)} values after this line count "
            "work that was not done; they were not recorded",
        )
        failed = {id(record): _failed(record) for record in lost}
        records = [failed.get(id(record), record) for record in records]
    elif not run.seconds and not any(isinstance(record, Doubt) for record in records):
        native = "DIRECTORY CREATE TIME TOTAL"  # of the first phase
        metric, raw = "dir_create.elapsed", run.start or ""
        if raw:
            yield MissingValue(
                run.line,
                "fdtree",
                metric,
                native,
                "s",
                raw,
                run=run.line,
                reason=NOT_FINISHED,
                tool_version=run.version,
                params=run.params,
            )
        yield Doubt(run.line, "cut", "fdtree started, but no phase ended")
    yield from _check_header(run)
    depends = tuple(run.depends)
    for record in records:
        if isinstance(record, Value):
            record.depends = depends
        if not isinstance(record, Doubt):
            record.params, record.started_at = run.params, run.started_at
        yield record


def _failed(record: Found) -> MissingValue:
    """A figure of a phase whose commands failed."""
    if isinstance(record, Value):
        return MissingValue.instead_of(record, FAILED)
    assert isinstance(record, MissingValue)
    return replace(record, reason=FAILED, bound=None, side=None)


def _check_header(run: _Run) -> Iterator[Doubt]:
    """Doubts where the totals of the header do not follow from its other figures (fdtree.bash, usage)."""
    p = run.params
    if {"levels", "dirs_per_dir", "dirs"} <= p.keys() and p["levels"] <= 40:
        dirs = sum(p["dirs_per_dir"] ** level for level in range(p["levels"] + 1))
        if dirs != p["dirs"]:
            message = f"{p['levels']} levels of {p['dirs_per_dir']} directories are {dirs}, not {p['dirs']}"
            yield Doubt(run.line, "disagree", message)
    if {"dirs", "files_per_dir", "files"} <= p.keys() and p["dirs"] * p["files_per_dir"] != p["files"]:
        message = f"{p['dirs']} directories of {p['files_per_dir']} files do not hold {p['files']} files"
        yield Doubt(run.line, "disagree", message)
    if {"file_size", "files", "total_size"} <= p.keys() and p["file_size"] * p["files"] != p["total_size"]:
        yield Doubt(run.line, "disagree", "the number of files times their size is not the total on the start line")


def _iso_date(match: re.Match[str]) -> str:
    """ISO 8601 of what `date` printed, with an offset only for UTC and GMT."""
    _, _, clock, half, name, year = match.groups()
    if half:
        clock = f"{int(clock[:2]) % 12 + 12 * (half == 'PM'):02d}{clock[2:]}"
    zone = {"UTC": "+00:00", "GMT": "+00:00"}.get(name or "", "")
    return f"{year}-{_MONTHS[match[1]]:02d}-{int(match[2]):02d}T{clock}{zone}"


PARSER = Parser(
    brief=True,
    name="fdtree",
    version=4,
    anchor=Anchor(ANCHOR, "fdtree-0|fdtree: starting|create time|remove time|creates per second|removals per second"),
    parse=parse,
)
