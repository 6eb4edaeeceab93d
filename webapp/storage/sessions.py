"""The sessions of an archive: all runs of one machine are one, unless printed or stated times or a reboot separate them.

Times separate where more than an hour lies between the end of a run and the start of the next one. The end is the start and the
length of the run; a run of unknown length may take up to `LONGEST`, but no longer than to the next start in its file. A reboot
separates the runs of its transcript before it from those after it; so do two boots that a manifest numbers, where their times are
known. Runs that print no time have that of a dated name, of their file or a folder; unlike days in names separate. Where a clock
was set, names tell nothing. A run of which neither is known belongs to the first session of
its machine. Times with and without an offset from UTC cannot be compared: where a machine has both, times separate nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from ingest import derived
from ingest.keys import RANK, RUN_BOOT, RUN_SECONDS
from ingest.records import Measurement
from ingest.warning_codes import CLOCK_SET
from webapp.formatting.printed_times import TimeInterval, parse_named_time, parse_printed_time
from webapp.storage.machines import ArchiveMachines
from webapp.storage.spill import FileBatch, RunBatch, RunTime

# When a run was and how long it took, as far as its values say.

_REBOOTED = "rebooted"
"""The state of the caches after a reboot (`ingest.analysis.cache_state`)."""
_ELAPSED, _RATE, _OTHER = range(3)
_PRINTED = (RUN_SECONDS, "runtime")
_PASSES = ("iterations", "repetitions")
"""Descriptive parameters with the number of passes that a printed mean is of."""
_LONGEST = 1e8  # seconds; a longer time is none of a run


def find_run_time(run: RunBatch) -> RunTime | None:
    """When the run was, as far as its values and the name of its file say; None where they say nothing."""
    head = run.head
    cache = head.cache if type(head) is Measurement else None
    reboot = cache[1] if cache is not None and cache[0] == _REBOOTED else ""
    is_timed = head.started_at is not None or parse_named_time(head.file) is not None
    if not is_timed and not reboot:
        return None
    every = [details for _, details, _ in [*run.parts, *run.unmeasured]]
    seconds = longest_printed(every)
    if seconds is None and is_timed:
        seconds = estimate_seconds(run)
    return RunTime(head.started_at, seconds, reboot, every[0].get(RUN_BOOT) if every else None)


def longest_printed(every: Iterable[Mapping[str, Any]]) -> float | None:
    """Seconds that a run took, as its manifest or else its tool says: the longest, as parts with times of their own (reads and
    writes of one job) ran side by side. None where neither says it. `every`: the descriptive parameters of its values."""
    for name in _PRINTED:
        known = [seconds for details in every if isinstance(seconds := details.get(name), int | float) and 0 <= seconds < _LONGEST]
        if known:
            return float(max(known))
    return None


def estimate_seconds(run: RunBatch) -> float | None:
    """The sum of the elapsed times of its phases, else of amounts over throughputs; None where one of these is unknown.

    Phases may have run side by side, so this is an upper estimate. A phase is a metric. It took as long as its whole, else as its
    longest part (a rank, a step of it). Of several statistics of the same passes only one counts.
    """
    phases: dict[tuple[int, str], dict[str, dict[str, list[float]]]] = {}
    for workload, details, values in run.parts:
        passes = next((details[name] for name in _PASSES if isinstance(details.get(name), int)), 1)
        part = str(workload.params.get("part") or "")
        sizes = dict[str, int | None]()
        for m in values if RANK not in details else ():
            kind = _kind(m.metric)
            if kind == _OTHER:
                continue
            seconds = m.value
            if kind == _RATE:
                if m.metric not in sizes:
                    sizes[m.metric] = derived.working_set(workload.tool, m.metric, workload.params)
                size = sizes[m.metric]
                seconds = size / m.value if size and m.value > 0 else math.nan
            times = phases.setdefault((kind, m.metric), {}).setdefault(part, {}).setdefault(m.stat, [])
            times.append(seconds * passes if m.stat == "mean" else seconds)
    kinds = [kind for kind, _ in phases]
    lengths = [_phase_seconds(parts) for (kind, _), parts in phases.items() if kind == min(kinds)]
    seconds = sum(lengths) if lengths else math.nan
    return None if math.isnan(seconds) else seconds


def _phase_seconds(parts: Mapping[str, Mapping[str, Sequence[float]]]) -> float:
    """Seconds of a phase by part and statistic; NaN where they are unknown."""
    chosen = [parts[""]] if "" in parts else parts.values()
    times = [stats.get("sample") or stats.get("mean") or (math.nan,) for stats in chosen]
    if any(not number >= 0 for of_part in times for number in of_part):
        return math.nan
    return max(sum(of_part) for of_part in times)


@cache
def _kind(metric: str) -> int:
    if metric.endswith(".elapsed"):
        return _ELAPSED
    return _RATE if metric.endswith(".throughput") or derived.kind(metric) == derived.NAMES else _OTHER


GAP = timedelta(hours=1)
"""Between two sessions there is more than this."""
LONGEST = timedelta(hours=12)
"""A run of unknown length takes at most this, so that runs of different nights are different sessions."""
_YEAR = 365 * 86400.0  # seconds; no run is taken to be longer, whatever its values say
BY_TIME, BY_REBOOT = "time", "reboot"


@dataclass(slots=True)
class SessionRow:
    """A session as a row: digest of its machine, its number there from 1 on, its first start and its last known end or start, and
    what separates it from the one before ('' of the first)."""

    machine: str
    number: int
    started: datetime | None = None
    ended: datetime | None = None
    separated_by: str = ""


@dataclass(slots=True)
class ArchiveSessions:
    """The sessions of an archive in the order of machines, and by path the numbers of those runs that are not of the first one."""

    rows: list[SessionRow]
    numbers: dict[str, dict[int, int]]


class _Run(NamedTuple):
    """A run by its file and its position there; `reboots`: number of those before it in its file; `is_first`: since the last;
    `time`: when it started; `seconds`: its length where known; `boot`: its number in the manifest."""

    path: str
    position: int
    reboots: int
    is_first: bool
    time: TimeInterval | None
    seconds: float | None
    boot: int | None
    named: date | None = None
    """The day in its name, where nothing else has its time."""


_Timed = tuple[TimeInterval, _Run]
_Session = tuple[SessionRow, list[_Run]]
"""A session with those of its runs of which a time or a reboot is known."""


def find_sessions(files: Iterable[FileBatch], machines: ArchiveMachines) -> ArchiveSessions:
    """The sessions of the runs of one archive."""
    by_machine: dict[str, list[_Run]] = {}
    files = list(files)
    was_set = any(warning.code == CLOCK_SET for file in files for warning in file.warnings)
    for file in files:
        digests = {pair: machines.find(pair[0], file.path).digest for pair in set(file.placed)}
        for digest in digests.values():
            by_machine.setdefault(digest, [])
        if file.times:
            for digest, run in _list_runs(file, [digests[pair] for pair in file.placed], not was_set):
                by_machine[digest].append(run)
    rows, numbers = list[SessionRow](), dict[str, dict[int, int]]()
    for digest, runs in sorted(by_machine.items()):
        sessions = _separate(digest, runs)
        rows += [row for row, _ in sessions]
        for row, members in sessions[1:]:
            for run in members:
                numbers.setdefault(run.path, {})[run.position] = row.number
    return ArchiveSessions(rows, numbers)


def _list_runs(file: FileBatch, machines: Sequence[str], has_names: bool) -> Iterator[tuple[str, _Run]]:
    """(machine, run) of the runs of a file that have a time or stand after a reboot. `machines`: that of each run.
    `has_names`: whether dates in names are times."""
    of_name = parse_named_time(file.path) if has_names else None
    has_reboots = any(known.reboot for known in file.times.values())
    seen, reboots, places = set[str](), dict[str, int](), set[tuple[str, str]]()
    for position in range(len(machines)) if has_reboots else sorted(file.times):
        machine, known = machines[position], file.times.get(position)
        is_first = False
        if known is not None and known.reboot and (machine, known.reboot) not in places:
            places.add((machine, known.reboot))
            is_first = machine in seen
            reboots[machine] = reboots.get(machine, 0) + is_first
        seen.add(machine)
        time = parse_printed_time(known.started_at) if known is not None else None
        named = of_name.earliest.date() if of_name is not None and time is None else None
        time = time or of_name
        if time is not None or reboots.get(machine):
            seconds, boot = (known.seconds, known.boot) if known is not None else (None, None)
            yield (
                machine,
                _Run(file.path, position, reboots.get(machine, 0), is_first, time, seconds=seconds, boot=boot, named=named),
            )


def _separate(machine: str, runs: Sequence[_Run]) -> list[_Session]:
    """The sessions of one machine."""
    timed = [(run.time, run) for run in runs if run.time is not None]
    others = [run for run in runs if run.time is None]
    if len({time.has_offset for time, run in timed if run.named is None}) > 1:
        timed, others = [], list(runs)
    elif len({time.has_offset for time, _ in timed}) > 1:  # names have no time zone
        timed, others = [one for one in timed if one[1].named is None], [run for run in runs if run.time is None or run.named]
    timed.sort(key=lambda pair: pair[0].earliest)
    sessions = _separate_by_time(machine, timed) or [(SessionRow(machine, 1), [])]
    counts = sorted({0, *(run.reboots for run in others)})
    sessions += [(SessionRow(machine, number, separated_by=BY_REBOOT), []) for number in range(len(sessions) + 1, len(counts) + 1)]
    for run in others:
        sessions[counts.index(run.reboots)][1].append(run)
    return sessions


def _separate_by_time(machine: str, timed: Sequence[_Timed]) -> list[_Session]:
    """The sessions of runs in the order of their times."""
    sessions: list[_Session] = []
    ended: datetime | None = None
    boot: int | None = None
    day: date | None = None
    for (time, run), latest_end in zip(timed, _latest_ends(timed), strict=True):
        is_later = ended is not None and time.earliest - ended > GAP
        is_other_boot = boot is not None and run.boot is not None and run.boot != boot
        is_other_day = None not in (day, run.named) and run.named != day
        day = run.named or day
        boot = run.boot if run.boot is not None else boot
        if ended is None or is_later or is_other_day or run.is_first or is_other_boot:
            reason = "" if ended is None else BY_TIME if is_later or is_other_day else BY_REBOOT
            sessions.append((SessionRow(machine, len(sessions) + 1, time.earliest, separated_by=reason), []))
            ended = latest_end
        row, members = sessions[-1]
        known_end = time.earliest + _length(run.seconds or 0.0)
        row.ended = known_end if row.ended is None else max(row.ended, known_end)
        ended = max(ended, latest_end)
        members.append(run)
    return sessions


def _latest_ends(timed: Sequence[_Timed]) -> list[datetime]:
    """The latest instant at which each run may have ended: one of unknown length before the next one of its file starts."""
    ends, following, together = list[datetime](), dict[str, datetime](), dict[tuple[str, TimeInterval], float]()
    for time, run in timed:  # `date` is printed once before several runs, of which each follows the one before
        together[run.path, time] = together.get((run.path, time), 0.0) + (run.seconds or 0.0)
    for time, run in reversed(timed):
        if run.seconds is not None:
            ends.append(time.latest + _length(together[run.path, time]))
        elif run.named is not None and time.earliest < time.latest:
            ends.append(time.latest)
        else:
            longest = time.latest + LONGEST
            ends.append(min(longest, max(time.latest, following.get(run.path, longest))))
        following[run.path] = time.earliest
    return ends[::-1]


def _length(seconds: float) -> timedelta:
    return timedelta(seconds=min(seconds, _YEAR))
