"""fdtree: a tree of directories and files made and removed; whole seconds, so a phase under one second has no rate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
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
    """One execution: its header, and the phases as they come. `failed`: the line of the first error of mkdir or dd."""

    line: int
    version: str | None = None
    start: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: list[int] = field(default_factory=list)
    times: dict[str, tuple[int, int]] = field(default_factory=dict)
    failed: int = 0
    errors: int = 0
    started_at: str | None = None
    checked: bool = False
    out: list[Value | Doubt] = field(default_factory=list)


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every run of fdtree in the text."""
    run: _Run | None = None
    for at, line in enumerate(text.lines, 1):
        if found := _START.search(line):
            if run:
                yield from _finish(run)
            run = _Run(at, found[1], found[2], {"path": found[2]})
            run.depends.append(at)
            continue
        if run is None:
            if not (_PHASE.match(line) or _RATE.match(line) or _HEADER[0][0].match(line)):
                continue
            run = _Run(at)
            run.out.append(Doubt(at, "no-header", "output of fdtree without the start line that tells version and place"))
        _see(run, line, at)
    if run:
        yield from _finish(run)


def _see(run: _Run, line: str, at: int) -> None:
    """One line inside a run."""
    if found := _PHASE.match(line):
        _time(run, found, at)
    elif found := _RATE.match(line):
        _rate(run, found, at)
    elif _BEGUN.match(line):
        run.out.append(Doubt(at, "cut", "a line of fdtree is broken off; nothing of it was taken"))
    elif found := _DATE.match(line):
        if run.started_at is None:
            run.started_at = _iso(found)
            run.depends.append(at)
    elif "KiB" in line or "director" in line:
        if not _header(run, line, at) and _FAILED.search(line):
            _error(run, at)
    elif _FAILED.search(line):
        _error(run, at)


def _error(run: _Run, at: int) -> None:
    if len(run.times) < 4:
        run.failed, run.errors = run.failed or at, run.errors + 1


def _header(run: _Run, line: str, at: int) -> bool:
    for pattern, names in _HEADER:
        if found := pattern.match(line):
            for name, raw in zip(names, found.groups(), strict=False):
                run.params[name] = int(raw) * (units.FDTREE_KIB if name in ("file_size", "total_size") else 1)
            run.depends.append(at)
            return True
    return False


def _time(run: _Run, found: re.Match[str], at: int) -> None:
    operation = _OPERATION[found[1], found[2]]
    begin, end, total = int(found[3]), int(found[4]), int(found[5])
    if operation in run.times:
        run.out.append(Doubt(at, "unread", "this phase was already there; a start line of fdtree is missing above it"))
        return
    run.times[operation] = (total, at)
    if total < 0:
        run.out.append(Doubt(at, "implausible", f"a phase of {total} s: the clock was set back; not taken"))
        return
    if total != end - begin:
        run.out.append(Doubt(at, "disagree", f"the phase ran from {begin} to {end} s, which are not {total} s"))
    if total == 0:
        run.out.append(Doubt(at, "zero-time", "the phase took less than one whole second"))
    native = f"{found[1]} {found[2]} TIME TOTAL"
    run.out.append(Value(at, "fdtree", f"{operation}.elapsed", native, float(total), "s", found[5], "s", run.line, run.version))


def _rate(run: _Run, found: re.Match[str], at: int) -> None:
    operation, counted = _RATES[found[1]]
    rate, native = int(found[2]), f"{found[1]} per second"
    if rate == 0:
        run.out.append(Doubt(at, "unmeasured", f"{native} = 0: the phase took less than one whole second, no rate was measured"))
        return
    seconds, count = run.times.get(operation, (0, 0))[0], run.params.get(counted)
    if seconds and count is not None:
        due = (count // units.FDTREE_KIB if counted == "total_size" else count) // seconds
        if due != rate:
            run.out.append(Doubt(at, "disagree", f"{native} = {rate}, but the totals and the time give {due}"))
    size = counted == "total_size"
    run.out.append(
        Value(
            at,
            "fdtree",
            f"{operation}.{'throughput' if size else 'rate'}",
            native,
            float(rate * (units.FDTREE_KIB if size else 1)),
            "B/s" if size else "1/s",
            found[2],
            "KiB/s" if size else "1/s",
            run.line,
            run.version,
        )
    )


def _finish(run: _Run) -> Iterator[Value | Doubt]:
    """The run is over: checks the tree, refuses figures after errors, gives every value the header's parameters."""
    out = run.out
    if run.failed:
        kept = [record for record in out if isinstance(record, Doubt) or int(record.line) < run.failed]
        yield Doubt(
            run.failed,
            "failed-run",
            f"{run.errors} commands of fdtree failed: {len(out) - len(kept)} figures after this line count "
            "work that was not done; they were not taken",
        )
        out = kept
    elif not run.times and not any(isinstance(r, Doubt) for r in out):
        yield Doubt(run.line, "cut", "fdtree started, but no phase ended")
    yield from _tree(run)
    params, depends = run.params, tuple(run.depends)
    for record in out:
        if isinstance(record, Value):
            record.params, record.depends, record.started_at = params, depends, run.started_at
        yield record


def _tree(run: _Run) -> Iterator[Doubt]:
    """The totals of the start line follow from its other figures (fdtree.bash, usage)."""
    p = run.params
    if {"levels", "dirs_per_dir", "dirs"} <= p.keys() and p["levels"] <= 40:
        due = sum(p["dirs_per_dir"] ** level for level in range(p["levels"] + 1))
        if due != p["dirs"]:
            yield Doubt(
                run.line,
                "disagree",
                f"{p['levels']} levels of {p['dirs_per_dir']} directories are {due}, not {p['dirs']}",
            )
    if {"dirs", "files_per_dir", "files"} <= p.keys() and p["dirs"] * p["files_per_dir"] != p["files"]:
        yield Doubt(
            run.line,
            "disagree",
            f"{p['dirs']} directories of {p['files_per_dir']} files do not hold {p['files']} files",
        )
    if {"file_size", "files", "total_size"} <= p.keys() and p["file_size"] * p["files"] != p["total_size"]:
        yield Doubt(run.line, "disagree", "the number of files times their size is not the total that the start line tells")


def _iso(found: re.Match[str]) -> str:
    """ISO 8601; with an offset only where `date` printed one that is sure."""
    _, _, clock, half, name, year = found.groups()
    if half:
        clock = f"{int(clock[:2]) % 12 + 12 * (half == 'PM'):02d}{clock[2:]}"
    zone = {"UTC": "+00:00", "GMT": "+00:00"}.get(name or "", "")
    return f"{year}-{_MONTHS[found[1]]:02d}-{int(found[2]):02d}T{clock}{zone}"


PARSER = Parser(
    brief=True,
    name="fdtree",
    version=3,
    anchor=Anchor(
        ANCHOR, "fdtree-0", "fdtree: starting", "create time", "remove time", "creates per second", "removals per second"
    ),
    parse=parse,
    shapes=(
        Shape(
            "run",
            "1.0.0 to 1.0.2",
            "KiB = 1024 B, whole seconds",
            "rate 0 is unmeasured; rates are printed even where every mkdir failed",
        ),
    ),
    source="fdtree.bash 1.0.2 (Lawrence Livermore National Laboratory)",
)
