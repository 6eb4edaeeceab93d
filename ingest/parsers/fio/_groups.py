"""Jobs of one group run at once: what each of them did is a part, and the group's total is what the command did.

A total that fio does not print is computed: the bytes of all jobs over the run time of the longest, as `show_run_stats()` in
fio's stat.c does for the run status. Jobs behind a `stonewall` have a group of their own and run one after the other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ingest.keys import WHOLE_PART
from ingest.parsers.fio._job import FioColumn, FioJob
from ingest.parsers.fio._options import merge_params
from ingest.records import FAILED, Doubt, Found, MissingValue, Value
from ingest.text.located_json import LocatedDocument, LocatedValue

# States of a running job in JSON (--status-interval): each document contains the one before it, and more.
#
# Two documents show one run where their jobs have the same names, groups and options, began at the same time (the timestamp
# less the run time), and the later one ran longer and moved more. Runs one after the other begin apart; runs side by side on
# several machines end alike, by their run time or by their size.

_DIRECTIONS = ("read", "write", "trim", "mixed")
_TOLERANCE, _COARSE_TOLERANCE = 0.2, 1.5  # seconds, of `timestamp_ms` and of `timestamp`
_MIN_PROGRESS = 0.05  # seconds


class _RunState(NamedTuple):
    """One document. `jobs`: names, groups and options; `time`, `tolerance`, `runtime`, `planned`: seconds, `runtime` and
    `planned` the longest of the jobs; `moved`: bytes by job and direction."""

    jobs: tuple[object, ...]
    time: float
    tolerance: float
    runtime: float
    moved: tuple[float, ...]
    planned: float


def find_superseded(documents: Sequence[LocatedDocument]) -> list[int]:
    """The indexes of documents that the next one contains."""
    if len(documents) < 2:
        return []
    states = [_run_state(document.root) for document in documents]
    return [
        index
        for index, (earlier, later) in enumerate(itertools.pairwise(states))
        if earlier and later and _is_progress(earlier, later)
    ]


def _is_progress(earlier: _RunState, later: _RunState) -> bool:
    """Whether the later document is a state of the same run."""
    tolerance = max(earlier.tolerance, later.tolerance)
    is_same = earlier.jobs == later.jobs and abs((earlier.time - earlier.runtime) - (later.time - later.runtime)) <= tolerance
    is_longer = later.runtime >= earlier.runtime + _MIN_PROGRESS and earlier.runtime > tolerance
    is_complete = earlier.planned and earlier.runtime >= 0.97 * earlier.planned and later.runtime <= 1.03 * earlier.runtime
    if not is_same or not is_longer or is_complete or len(earlier.moved) != len(later.moved) or earlier.moved == later.moved:
        return False
    return all(before <= after for before, after in zip(earlier.moved, later.moved, strict=True))


def _run_state(root: LocatedValue) -> _RunState | None:
    jobs = (root.get("jobs") or LocatedValue(0, "", [])).items()
    exact, coarse = _whole_number(root.text("timestamp_ms")), _whole_number(root.text("timestamp"))
    if not jobs or not (exact or coarse):
        return None
    names: list[object] = [root.text("fio version")]
    planned = [_whole_number(root.text("global options", "runtime"))]
    runtimes, moved = [0.0], []
    for job in jobs:
        names.append((job.text("jobname"), job.text("groupid"), job.text("hostname"), _options(job.get("job options"))))
        planned.append(_whole_number(job.text("job options", "runtime")))
        for direction in _DIRECTIONS:
            section = job.get(direction) or LocatedValue(0, "", {})
            runtimes.append(_whole_number(section.text("runtime")))
            moved.append(_whole_number(section.text("io_bytes") or section.text("io_kbytes")))
    return _RunState(
        jobs=tuple(names),
        time=exact / 1000 or coarse,
        tolerance=_TOLERANCE if exact else _COARSE_TOLERANCE,
        runtime=max(runtimes) / 1000,
        moved=tuple(moved),
        planned=max(planned),
    )


def _options(node: LocatedValue | None) -> tuple[tuple[str, object], ...]:
    return tuple((key, value.value) for key, value in node.value.items()) if node and isinstance(node.value, dict) else ()


def _whole_number(text: str | None) -> float:
    """The number if it is digits only, else 0 (nothing, `60s`, `1.5`)."""
    return float(text) if text and text.isdecimal() and len(text) < 20 else 0.0


_SEVERAL = "all jobs"
MAX_LISTED = 64  # jobs of a group up to which the lines of all are listed
_MAX_LINES = 500  # of a group up to which each of its values names them all
_LONGEST = 1e9  # seconds; a run that took longer is none
_UNITS = {"throughput": "B/s", "rate": "1/s"}
Direction = tuple[Hashable, str]
"""A group and a direction."""
_Figure = Value | MissingValue


def directions_of(items: Iterable[Found]) -> list[str]:
    """The directions in which a job moved data, or failed to, by its throughputs."""
    figures = (item for item in items if not isinstance(item, Doubt))
    return list(dict.fromkeys(_operation(figure) for figure in figures if _is_result(figure, "throughput")))


def _operation(figure: _Figure) -> str:
    return figure.metric.partition(".")[0].removeprefix("random_")


def _is_result(figure: _Figure, quantity: str) -> bool:
    return figure.metric.endswith(quantity) and figure.stat == "sample" and figure.params.get("part") is None


def common_job(jobs: Sequence[FioJob], line: int) -> FioJob:
    """The whole of several jobs: name, pattern and options as far as all have them, the longest run time, any error."""
    first = jobs[0]
    params = merge_params(job.params for job in jobs)
    runtimes = [job.params["runtime"] for job in jobs if "runtime" in job.params]
    return FioJob(
        first.name if all(job.name == first.name for job in jobs) else _SEVERAL,
        line,
        first.version,
        first.pattern if all(job.pattern == first.pattern for job in jobs) else None,
        first.group,
        first.started,
        params=params | ({"runtime": max(runtimes)} if runtimes else {}),
        depends=first.depends,
        error=next((job.error for job in jobs if job.error), ""),
        implied={name: at for name, at in first.implied.items() if name in params and all(name in job.implied for job in jobs)},
    )


def find_starts(ended: str | None, seconds: Mapping[Hashable, float]) -> dict[Hashable, str]:
    """When each group of a report started: fio prints the time at which it reports, when all groups have ended one after the other.

    `seconds`: the longest run time of each group, in order. In whole seconds, as printed, so that no start precedes that of an
    earlier report. Without the groups of which no run time is known.
    """
    starts, remaining = dict[Hashable, str](), 0.0
    for group in reversed(seconds) if ended and ended > "1970" else ():
        remaining += seconds[group]
        if ended and seconds[group] and remaining < _LONGEST:
            started = datetime.fromisoformat(ended) - timedelta(seconds=remaining)
            starts[group] = started.isoformat(timespec="seconds")
    return starts


@dataclass(slots=True)
class _Sum:
    """What the jobs of a group did in one direction so far, by quantity: bytes or operations, lines of the figures, the last."""

    whole: FioJob
    count: int = 0
    longest: float = 0.0
    amounts: dict[str, float] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    last: dict[str, Value] = field(default_factory=dict)
    missing: MissingValue | None = None

    def add(self, figure: _Figure, quantity: str) -> None:
        if isinstance(figure, MissingValue):
            self.missing = figure if quantity == "throughput" else self.missing
        elif seconds := figure.params.get("runtime"):
            self.longest = max(self.longest, seconds)
            self.amounts[quantity] = self.amounts.get(quantity, 0.0) + figure.value * seconds
            self.lines.setdefault(quantity, []).append(int(figure.line))
            self.last[quantity] = figure


class JobGroups:
    """Makes the jobs of one report parts of their groups.

    `counts`: the number of jobs with a throughput by group and direction, known beforehand. `totalled`: the groups whose totals
    fio prints. `lines`: those that show which jobs a group has.
    """

    def __init__(
        self,
        counts: Mapping[Direction, int],
        totalled: Collection[Hashable] = (),
        lines: Mapping[Hashable, Sequence[int]] | None = None,
    ) -> None:
        self._counts, self._totalled, self._lines = counts, totalled, lines or {}
        self._sums: dict[Direction, _Sum] = {}
        self._positions = Counter[Hashable]()

    def take(self, group: Hashable, job: FioJob, items: list[Found], label: str = "") -> list[Found]:
        """The items of a job as those of a part, where it is one, with the computed totals behind the last job of the group.

        `label`: what the part is called, else its number in the group.
        """
        self._positions[group] += 1
        shared = [direction for direction in directions_of(items) if self._counts.get((group, direction), 0) > 1]
        if not shared:
            return items
        figures = [item for item in items if not isinstance(item, Doubt)]
        totals = [] if group in self._totalled else [total for way in shared for total in self._add((group, way), job, figures)]
        _label(figures, shared, label or f"job {self._positions[group]}")
        lines = self._lines.get(group, ())
        for figure in (*figures, *totals) if len(lines) <= _MAX_LINES else ():
            if isinstance(figure, Value):
                figure.depends = (*figure.depends, *lines)
        return items + totals

    def _add(self, key: Direction, job: FioJob, figures: Sequence[_Figure]) -> Iterator[_Figure]:
        total = self._sums.get(key)
        if total is None:
            total = self._sums[key] = _Sum(job)
        total.whole, total.count = common_job((total.whole, job), job.line), total.count + 1
        for figure in figures:
            quantity = figure.metric.rpartition(".")[2]
            if quantity in _UNITS and _operation(figure) == key[1] and _is_result(figure, quantity):
                total.add(figure, quantity)
        if total.count == self._counts[key]:
            yield from _totals(total, key[1])


def _totals(total: _Sum, direction: str) -> Iterator[_Figure]:
    """The totals of which every job of the group has its part; where a job failed before it had one, that there is none."""
    whole, count = total.whole, total.count
    whole.drop_implied("processes")
    whole.params["processes"], computed = count, {"computed": f"bytes of {count} jobs over the longest run time"}
    for quantity, last in total.last.items():
        if len(total.lines[quantity]) == count:
            native = f"{last.native}, computed over {count} jobs"
            column = FioColumn(quantity, "", _UNITS[quantity], last.raw_unit, part=WHOLE_PART, native=native)
            value = total.amounts[quantity] / total.longest
            item = whole.value(int(last.line), direction, column, value, last.raw, params=computed)
            item.depends = (*item.depends, *total.lines[quantity][:_MAX_LINES])
            yield item
    if (missing := total.missing) is not None:
        column = FioColumn("throughput", "", "B/s", "", part=WHOLE_PART, native=f"{missing.native} of {count} jobs")
        yield MissingValue.instead_of(whole.value(int(missing.line), direction, column, 0.0, missing.raw), FAILED)


def _label(figures: Iterable[_Figure], directions: Sequence[str], label: str) -> None:
    """Make figures of these directions, and the share of the processor, parts of that name; equal parameters stay one object."""
    labelled: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
    for figure in figures:
        if _operation(figure) in directions or figure.metric.endswith(".cpu"):
            if id(figure.params) not in labelled:
                part = figure.params.get("part")
                labelled[id(figure.params)] = figure.params, {**figure.params, "part": f"{label}, {part}" if part else label}
            figure.params = labelled[id(figure.params)][1]
