"""fio's normal output, 1.x to 3.x.

3.x: `read: IOPS=7513, BW=29.4MiB/s (30.8MB/s)(31.9MiB/1086msec)`, binary units first. 2.x: `read : io=32640KB,
bw=33580KB/s, iops=8395, runt= 972msec`, where KB is 1024 bytes (kb_base=1024, the default). 1.x and 2.0 put a blank
behind a figure without suffix (`iops=211 , runt=`, `min=58 , max=2046K`: num2str), the first 1.x thousands commas into
it (`bw=1,288KiB/s`). 3.30 and later add a line for each priority: `clat prio 0/0 (usec): ...`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from ingest.parsers import _fio_lines as lines
from ingest.parsers._fio_command import Command
from ingest.parsers._fio_job import MIXED, PARTS, STATS, Job, moment, options, percentile, read_size, scaled, suffixed
from ingest.records import Doubt, Value

_LONGEST = 2000
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}

@dataclass(slots=True)
class State:
    """What a pass over the lines remembers. `jobs`: options by job name, for terse lines of the same run too.

    `superseded`: lines of jobs that were reported while they ran (--status-interval); a later report holds them.
    `bare`: the text shows no job at all, only lines that somebody picked out of fio's output.
    """

    version: str | None = None
    version_line: int = 0
    open: int = 0
    jobs: dict[str, tuple[str, dict[str, object], int]] = field(default_factory=dict)
    job: Job | None = None
    direction: str | None = None
    directions: list[str] = field(default_factory=list)
    direction_lines: list[int] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    lost: bool = False
    base: tuple[int, ...] = ()
    kind: tuple[str, str] | None = None
    group: tuple[str, int] | None = None
    old: bool = False
    reports: int = 0
    running: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    superseded: list[int] = field(default_factory=list)
    reported: dict[tuple[str, str], list[tuple[float, str, int]]] = field(default_factory=dict)
    by_group: dict[str, Job] = field(default_factory=dict)
    bare: bool = False
    command: Command = field(default_factory=Command)


def read_line(state: State, line: str, number: int) -> Iterator[Value | Doubt]:
    """The figures of one line."""
    if len(line) > _LONGEST:
        line = line[-_LONGEST:]  # progress that was not overwritten stands before the line itself
    if "(g=" in line and (found := lines.OPTIONS.match(line)):
        _take_options(state, found, number)
    elif found := lines.VERSION.match(line):
        if found[2] and not state.jobs:
            return
        state.version, state.version_line = found[1] or found[2], number
        state.reported, state.by_group = {}, {}  # each run prints it once, before its jobs
    elif found := lines.JOB.search(line):
        yield from _begin(state, found, number)
    elif (state.job or "PS=" in line or "bw=" in line) and (found := lines.DIRECTION.match(line)):
        if state.bare and (state.job is None or found[1] in state.directions):
            yield from _begin_bare(state, found[1], number)
        if state.job is None:
            yield Doubt(number, "no-header", f"{found[1]}: a result without the line that names its job; it was not taken")
            return
        yield from _direction(state, state.job, found[1], found[2], number)
    elif found := lines.STATUS.match(line):
        state.job, state.group, state.open = None, (found[1], number), 0
        state.reports += 1
    elif (state.group or state.bare) and (found := lines.TOTAL.match(line)):
        yield from _total(state, found, number)
    elif not state.jobs and state.command.take(line, number):
        state.job = None if state.bare else state.job
    elif state.job:
        if state.bare and not line.lstrip(" \t>|#+").startswith(("lat", "clat", "slat", "|", "bw", "iops")):
            state.job = None  # other words than fio's end what was picked out of one job
        yield from _detail(state, state.job, line, number) if state.job else ()
    elif not state.lost and (lines.SAMPLES.match(line) or lines.LATENCY.match(line)):
        state.lost = True
        yield Doubt(number, "no-header", "details of a job of fio without the line of its direction; they were not taken")


def _factor(unit: str, old: bool) -> float | None:
    """Bytes of a unit as fio prints it: Ki, Mi are powers of 1024, k, M of 1000 since 3.0 (kb_base=1000), before of 1024.

    unit_base=1 prints bits.
    """
    found = lines.UNIT.match(unit)
    if not found:
        return None
    return (1024 if found[2] or old else 1000) ** " KMGT".index(found[1].upper() or " ") / (8 if found[3] == "bit" else 1)


def _meant(unit: str, old: bool) -> str:
    """The unit that fio means: what 2.x calls KB is KiB, what client mode calls Mi is MiB/s."""
    if not unit.endswith("/s"):
        return f"{unit}B/s"
    return unit[0].upper() + "iB/s" if old and len(unit) == len("KB/s") else unit


def _take_options(state: State, found: re.Match[str], number: int) -> None:
    given = {"rw": found[3], "ioengine": found[5], "iodepth": found[6]}
    sizes = {m for m in re.findall(r"(\d[\w.]*)", re.sub(r"\([RWT]\)", "", found[4] or "")) if read_size(m)}
    if len(sizes) == 1:
        given["bs"] = sizes.pop()
    pattern, params = options(given)
    state.jobs[found[1]] = (pattern or "", params, number)


def _begin(state: State, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    name, group, jobs, error, pid, date = found.groups()
    before, reports = state.running.get((name, pid), (0, state.reports))
    if reports < state.reports:
        state.superseded.append(before)
        state.reported = {key: told for key, told in state.reported.items() if key[0] != group}
    state.running[name, pid] = (number, state.reports)
    pattern, params, line = state.jobs.get(name, (None, {}, 0))
    state.job = Job(
        name,
        number,
        state.version,
        pattern or None,
        group,
        moment(date),
        params | {"processes": int(jobs)},
        tuple(n for n in (line, number, state.version_line) if n),
    )
    state.open = state.open or number
    state.direction, state.directions, state.kind, state.group, state.lost = None, [], None, None, False
    state.direction_lines = []
    state.by_group[group], state.base = state.job, state.job.depends
    if error != "0":
        yield Doubt(number, "failed-run", f"job {name}: fio reports error {error}")
    if not pattern:
        yield Doubt(
            number, "no-command", f"job {name}: the line with its options is missing, so the pattern is unknown"
        )


def _begin_bare(state: State, direction: str, number: int) -> Iterator[Doubt]:
    """A result that stands alone, as posts quote it: its job is not told, unless its command stands above."""
    state.job = state.command.job(direction, number)
    state.direction, state.directions, state.kind, state.lost = None, [], None, False
    state.direction_lines, state.base = [], state.job.depends
    if state.job.pattern is None:
        yield Doubt(number, "no-command", "the line that names the job is missing, so the pattern is unknown")


def _direction(state: State, job: Job, direction: str, rest: str, number: int) -> Iterator[Value | Doubt]:
    if direction in state.directions:
        state.job = None
        yield Doubt(
            number, "no-header", f"{direction} stands twice in one job: the line that names the second job is missing"
        )
        return
    state.direction, state.kind, state.kinds = direction, None, set()
    new, old = lines.NEW.match(rest), lines.OLD.match(rest)
    if not new and not old:
        yield Doubt(number, "short-row", f"{direction}: the line does not hold rate, bandwidth and run time")
        return
    state.old = old is not None
    job.depends = (*(state.base if state.directions else job.depends), number)
    state.directions.append(direction)
    state.direction_lines.append(number)
    if new:
        iops, bandwidth, unit, time, clock = new.groups()
    else:
        assert old is not None
        bandwidth, unit, iops, time, clock = old.groups()
    if (seconds := _SECONDS.get(clock)) is not None:
        job.params["runtime"] = round(float(time) * seconds, 9)
    rate = suffixed(iops or "0")  # the first versions print none
    if rate is None:
        yield Doubt(number, "bad-number", f"{direction} IOPS: {iops[:40]!r}")
    elif rate > 0:
        yield job.value(number, direction, "rate", f"{direction} IOPS", (rate, "1/s", iops, "ops/s"))
    elif iops and suffixed(bandwidth):
        yield Doubt(number, "unmeasured", f"{direction} IOPS: fio cuts off less than one operation a second to {iops}")
    factor, moved = _factor(unit, state.old), suffixed(bandwidth)
    if factor is None or moved is None:
        code, what = ("unknown-unit", unit) if factor is None else ("bad-number", bandwidth)
        yield Doubt(number, code, f"{direction} BW: {what[:20]!r}")
        return
    if moved == 0:
        yield Doubt(number, "unmeasured", f"{direction} BW: fio prints 0 for a direction that moved nothing")
        return
    state.reported.setdefault((job.group, direction), []).append((moved * factor, bandwidth + unit, number))
    figure = (moved * factor, "B/s", bandwidth, _meant(unit, state.old))
    yield job.value(number, direction, "throughput", f"{direction} BW", figure)


def _detail(state: State, job: Job, line: str, number: int) -> Iterator[Value | Doubt]:
    direction = state.direction
    if lines.SYNC.match(line):
        state.direction, state.kind, state.kinds = "fsync", None, {"slat", "clat", "lat", "bw", "iops"}
        job.depends = (*job.depends, number)
    elif found := lines.CPU.match(line):
        if not state.directions:
            return  # its direction's line was not understood, which was said there
        where = "mixed" if job.pattern in MIXED or len(state.directions) != 1 else state.directions[0]
        for part, raw in (("user", found[1]), ("system", found[2])):
            value = job.value(number, where, "cpu", f"cpu {part[:3]}", (float(raw), "%", raw, "%"), part=part)
            value.depends = (*state.base, *state.direction_lines)
            yield value
        state.direction = None
    elif found := lines.LATENCY.match(line):
        if (yield from _belongs(state, found[1] + (found[2] or ""), number)):
            yield from _latency(job, str(direction), found, number)
    elif found := lines.PERCENTILES.match(line):
        kind = found[1] + (found[2] or "")
        belongs = yield from _belongs(state, f"{kind} percentiles", number)
        state.kind = (kind, found[3]) if belongs else None
    elif direction and lines.PERCENT_ROW.match(line):
        if state.kind is None:
            yield Doubt(number, "no-header", "percentiles without the line that names their kind and unit")
            return
        kind, unit = state.kind
        if not line.endswith(","):
            state.kind = None  # the last row of its kind
        for name, raw in lines.PERCENT.findall(line):
            yield from _figure(job, direction, (kind, f"{kind} {name}th", percentile(name)), raw, unit, number)
    elif (found := lines.SAMPLES.match(line)) and (yield from _belongs(state, "iops" if found[2] else "bw", number)):
        yield from _samples(job, str(direction), found, number, state.old)


def _belongs(state: State, kind: str, number: int) -> Generator[Doubt, None, bool]:
    """Whether a line of that kind is of the direction above it. A second one is of a lost direction."""
    if state.direction and kind not in state.kinds:
        state.kinds.add(kind)
        return True
    if not state.lost:
        yield Doubt(number, "no-header", f"{kind} without the line that names its direction")
    state.direction, state.lost = None, True
    return False


def _latency(job: Job, direction: str, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    kind = found[1] + (found[2] or "")
    for name, raw in zip(("min", "max", "avg", "stdev"), found.groups()[3:], strict=True):
        yield from _figure(job, direction, (kind, f"{kind} {name}", STATS[name]), raw, found[3], number)


def _figure(
    job: Job, direction: str, names: tuple[str, str, str], raw: str, unit: str, number: int
) -> Iterator[Value | Doubt]:
    kind, native, stat = names
    read = suffixed(raw)
    if read is None:
        yield Doubt(number, "bad-number", f"{direction} {native}: {raw[:40]!r} is not a number")
        return
    yield job.value(
        number,
        direction,
        "latency",
        f"{direction} {native}",
        (scaled(read, _SECONDS[unit]), "s", raw, unit),
        part=_part(kind),
        stat=stat,
    )


def _part(kind: str) -> str:
    """`clat prio 0/0` -> `completion, prio 0/0`."""
    name, _, priority = kind.partition(" ")
    return ", ".join(part for part in (PARTS[name], priority) if part)


def _samples(job: Job, direction: str, found: re.Match[str], number: int, old: bool) -> Iterator[Value | Doubt]:
    """Bandwidth and rate over the sampling intervals."""
    quantity, unit, meant, what = (
        ("rate", "1/s", "ops/s", "iops") if found[2] else ("throughput", "B/s", _meant(f"{found[1]}/s", old), "bw")
    )
    factor = 1 if found[2] else _factor(found[1], old) or 1
    for name, raw in zip(("min", "max", "avg", "stdev"), found.groups()[2:], strict=True):
        read = suffixed(raw)
        if read is None:
            yield Doubt(number, "bad-number", f"{direction} {what} {name}: {raw[:40]!r} is not a number")
        else:
            yield job.value(
                number,
                direction,
                quantity,
                f"{direction} {what} {name}",
                (read * factor, unit, raw, meant),
                part="interval",
                stat=STATS[name],
            )


def _alone(state: State, found: re.Match[str], number: int) -> Value:
    """The sum of a group where the text shows no job at all: posts quote these lines alone. Only its command tells the pattern."""
    old = found[4] is not None
    raw, unit = found[2] or found[4], found[3] or found[5]
    job = state.command.job(found[1].lower(), number)
    if state.group is not None:
        group, line = state.group
        name = job.name if job.pattern else f"group {group}"
        job = Job(name, line, None, job.pattern, group, params=job.params, depends=(*job.depends, line))
    figure = ((suffixed(raw) or 0) * (_factor(unit, old) or 1), "B/s", raw, _meant(unit, old))
    return job.value(number, found[1].lower(), "throughput", f"{found[1]} bw", figure, part="group")


def _total(state: State, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    """The sum over the jobs of a group: the job's own figure again where there is but one."""
    group, line = state.group or ("", number)
    direction, raw, unit = found[1].lower(), found[2] or found[4], found[3] or found[5]
    job, factor, read = state.by_group.get(group), _factor(unit, state.old or found[4] is not None), suffixed(raw)
    if factor is not None and read is not None and not (state.by_group or state.jobs or state.version):
        yield _alone(state, found, number)
        return
    if job is None or factor is None or read is None:
        yield Doubt(number, "no-header" if job is None else "unread", f"{found[1]} of group {group} cannot be placed")
        return
    own = state.reported.get((group, direction), [])
    meant = _meant(unit, state.old)
    if not own:
        yield Doubt(number, "no-header", f"{found[1]} of group {group}: the line of the job itself is missing")
        return
    several = len(own) != 1
    value = job.value(
        number,
        direction,
        "throughput",
        f"{found[1]} bw",
        (read * factor, "B/s", raw, meant),
        part="group" if several else "",
        params={"processes": len(own)} if several else {},
    )
    if not several:
        if own[0][1] != raw + unit and abs(own[0][0] - read * factor) > 0.005 * own[0][0]:
            yield Doubt(
                number, "disagree", f"{found[1]} of group {group}: {raw}{unit}, the job's line says {own[0][1]}"
            )
            return
        value.same_as = own[0][2]
    value.depends = (*value.depends, line, *(where for *_, where in own))
    yield value
