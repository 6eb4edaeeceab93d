"""fio's normal output, 2.x and 3.x.

3.x: `read: IOPS=7513, BW=29.4MiB/s (30.8MB/s)(31.9MiB/1086msec)`, binary units first. 2.x: `read : io=32640KB,
bw=33580KB/s, iops=8395, runt= 972msec`, where KB is 1024 bytes (kb_base=1024, the default).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from ingest.parsers._fio_job import MIXED, PARTS, STATS, Job, moment, options, percentile, read_size, scaled, suffixed
from ingest.records import Doubt, Value

_OPTIONS = re.compile(
    r"^[\s>|]*(\S.*?): \(g=(\d+)\): rw=(\w+), (?:bs=([^,]+(?:, \([WT]\)[^,]+)*)|.*?), .*?ioengine=(\w+), iodepth=(\d+)"
)
_VERSION = re.compile(r"^[\s>|]*fio-(\d\S*)\s*$")
_JOB = re.compile(
    r"(?:^|\])[\s>|]*([^\s\[\]][^\[\]]*?): \(groupid=(\d+), jobs=(\d+)\): err=\s*(\d+)\s*(?:\([^)]*\))?: pid=(\d+)"
    r"(?:: (\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}))?"
)
_DIRECTION = re.compile(r"^[\s>|]*(read|write|trim|mixed)\s*: (?=IOPS=|io=)(.*)$")
_NEW = re.compile(r"IOPS=(\S+?), BW=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s) \([^)]*\)\([^/)]*/(\d+)(\w+)\)")
_OLD = re.compile(r"io=\s*\S+,? bw=\s*(\d+(?:\.\d+)?)(\S*?B/s),? iops=\s*(\S+?),? runt=\s*(\d+)\s*(\w+)")
_LATENCY = re.compile(
    r"^[\s>|]*(slat|clat|lat|sync) \((nsec|usec|msec|sec)\)\s*: "
    r"min=\s*(\S+?), max=\s*(\S+?), avg=\s*(\S+?), stdev=\s*(\S+?)\s*$"
)
_PERCENTILES = re.compile(r"^[\s>|]*(clat|lat|slat|sync) percentiles \((nsec|usec|msec|sec)\):")
_PERCENT_ROW = re.compile(r"^[\s>]*\|\s*\d+\.\d+th=\[")
_PERCENT = re.compile(r"(\d+\.\d+)th=\[\s*([^\]\s]+)\s*\]")
_SAMPLES = re.compile(
    r"^[\s>|]*(?:bw \(\s*([kKMGT]?i?(?:B|bit))\s*/s\)|(iops)\s*): "
    r"min=\s*(\S+?), max=\s*(\S+?),(?: per=\S+?,)? avg=\s*(\S+?), stdev=\s*(\S+?)(?:,.*)?$"
)
_CPU = re.compile(r"^[\s>|]*cpu\s*: usr=(\d+\.\d+)%, sys=(\d+\.\d+)%")
_STATUS = re.compile(r"^[\s>|]*Run status group (\d+) \(all jobs\):")
_TOTAL = re.compile(
    r"^[\s>|]*(READ|WRITE|TRIM|MIXED): (?:bw=(\d+(?:\.\d+)?)(\S*?(?:B|bit)/s) \(|io=\s*\S+, aggrb=(\d+(?:\.\d+)?)(\S*?B/s),)"
)
_LONGEST = 2000
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
_SYNC = re.compile(r"^[\s>|]*fsync/fdatasync/sync_file_range:")
_UNIT = re.compile(r"([kKMGT]?)(i?)(B|bit)(?:/s)?\Z")


@dataclass(slots=True)
class State:
    """What a pass over the lines remembers. `jobs`: options by job name, for terse lines of the same run too.

    `superseded`: lines of jobs that were reported while they ran (--status-interval); a later report holds them.
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
    reported: dict[tuple[str, str], list[tuple[str, int]]] = field(default_factory=dict)
    by_group: dict[str, Job] = field(default_factory=dict)


def read_line(state: State, line: str, number: int) -> Iterator[Value | Doubt]:
    """The figures of one line."""
    if len(line) > _LONGEST:
        line = line[-_LONGEST:]  # progress that was not overwritten stands before the line itself
    if "(g=" in line and (found := _OPTIONS.match(line)):
        _take_options(state, found, number)
    elif found := _VERSION.match(line):
        state.version, state.version_line = found[1], number
    elif found := _JOB.search(line):
        yield from _begin(state, found, number)
    elif state.job and (found := _DIRECTION.match(line)):
        yield from _direction(state, state.job, found[1], found[2], number)
    elif found := _STATUS.match(line):
        state.job, state.group, state.open = None, (found[1], number), 0
        state.reports += 1
    elif state.group and (found := _TOTAL.match(line)):
        yield from _total(state, found, number)
    elif state.job:
        yield from _detail(state, state.job, line, number)


def _factor(unit: str, old: bool) -> float | None:
    """Bytes of a unit as fio prints it: Ki, Mi are powers of 1024, k, M of 1000 since 3.0 (kb_base=1000), before of 1024.

    unit_base=1 prints bits.
    """
    found = _UNIT.match(unit)
    if not found:
        return None
    return (1024 if found[2] or old else 1000) ** " KMGT".index(found[1].upper() or " ") / (8 if found[3] == "bit" else 1)


def _meant(unit: str, old: bool) -> str:
    """The unit that fio means: what 2.x calls KB is KiB."""
    return unit[0] + "iB/s" if old and len(unit) == len("KB/s") else unit


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


def _direction(state: State, job: Job, direction: str, rest: str, number: int) -> Iterator[Value | Doubt]:
    if direction in state.directions:
        state.job = None
        yield Doubt(
            number, "no-header", f"{direction} stands twice in one job: the line that names the second job is missing"
        )
        return
    state.direction, state.kind, state.kinds = direction, None, set()
    new, old = _NEW.match(rest), _OLD.match(rest)
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
        job.params["runtime"] = round(int(time) * seconds, 9)
    rate = suffixed(iops)
    if rate is None:
        yield Doubt(number, "bad-number", f"{direction} IOPS: {iops[:40]!r}")
    elif rate > 0:
        yield job.value(number, direction, "rate", f"{direction} IOPS", (rate, "1/s", iops, "ops/s"))
    factor = _factor(unit, state.old)
    if factor is None:
        yield Doubt(number, "unknown-unit", f"{direction} BW: {unit[:20]!r}")
        return
    state.reported.setdefault((job.group, direction), []).append((bandwidth + unit, number))
    figure = (float(bandwidth) * factor, "B/s", bandwidth, _meant(unit, state.old))
    yield job.value(number, direction, "throughput", f"{direction} BW", figure)


def _detail(state: State, job: Job, line: str, number: int) -> Iterator[Value | Doubt]:
    direction = state.direction
    if _SYNC.match(line):
        state.direction, state.kind, state.kinds = "fsync", None, {"slat", "clat", "lat", "bw", "iops"}
        job.depends = (*job.depends, number)
    elif found := _CPU.match(line):
        where = "mixed" if job.pattern in MIXED or len(state.directions) != 1 else state.directions[0]
        for part, raw in (("user", found[1]), ("system", found[2])):
            value = job.value(number, where, "cpu", f"cpu {part[:3]}", (float(raw), "%", raw, "%"), part=part)
            value.depends = (*state.base, *state.direction_lines)
            yield value
        state.direction = None
    elif found := _LATENCY.match(line):
        if (yield from _belongs(state, found[1], number)):
            yield from _latency(job, str(direction), found, number)
    elif found := _PERCENTILES.match(line):
        belongs = yield from _belongs(state, f"{found[1]} percentiles", number)
        state.kind = (found[1], found[2]) if belongs else None
    elif direction and _PERCENT_ROW.match(line):
        if state.kind is None:
            yield Doubt(number, "no-header", "percentiles without the line that names their kind and unit")
            return
        kind, unit = state.kind
        if not line.endswith(","):
            state.kind = None  # the last row of its kind
        for name, raw in _PERCENT.findall(line):
            yield from _figure(job, direction, (kind, f"{kind} {name}th", percentile(name)), raw, unit, number)
    elif (found := _SAMPLES.match(line)) and (yield from _belongs(state, "iops" if found[2] else "bw", number)):
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
    for name, raw in zip(("min", "max", "avg", "stdev"), found.groups()[2:], strict=True):
        yield from _figure(job, direction, (found[1], f"{found[1]} {name}", STATS[name]), raw, found[2], number)


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
        part=PARTS[kind],
        stat=stat,
    )


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
    """The sum of a group where the text shows no job at all: posts quote these lines alone. The pattern is not told."""
    assert state.group is not None
    group, line = state.group
    old = found[4] is not None
    raw, unit = found[2] or found[4], found[3] or found[5]
    job = Job(f"group {group}", line, group=group, depends=(line,))
    figure = (float(raw) * (_factor(unit, old) or 1), "B/s", raw, _meant(unit, old))
    return job.value(number, found[1].lower(), "throughput", f"{found[1]} bw", figure, part="group")


def _total(state: State, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    """The sum over the jobs of a group: the job's own figure again where there is but one."""
    assert state.group is not None
    group, line = state.group
    direction, raw, unit = found[1].lower(), found[2] or found[4], found[3] or found[5]
    job, factor = state.by_group.get(group), _factor(unit, state.old or found[4] is not None)
    if factor is not None and not (state.by_group or state.jobs or state.version):
        yield _alone(state, found, number)
        return
    if job is None or factor is None:
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
        (float(raw) * factor, "B/s", raw, meant),
        part="group" if several else "",
        params={"processes": len(own)} if several else {},
    )
    if not several:
        if own[0][0] != raw + unit:
            yield Doubt(
                number, "disagree", f"{found[1]} of group {group}: {raw}{unit}, the job's line says {own[0][0]}"
            )
            return
        value.same_as = own[0][1]
    value.depends = (*value.depends, line, *(where for _, where in own))
    yield value
