"""fio's normal output, 1.x to 3.x.

3.x: `read: IOPS=7513, BW=29.4MiB/s (30.8MB/s)(31.9MiB/1086msec)`, binary units first. 2.x: `read : io=32640KB,
bw=33580KB/s, iops=8395, runt= 972msec`, where KB is 1024 bytes (kb_base=1024, the default). 1.x and 2.0 put a blank
behind a figure without suffix (`iops=211 , runt=`, `min=58 , max=2046K`: num2str), the first 1.x thousands commas into
it (`bw=1,288KiB/s`). 3.30 and later add a line for each priority: `clat prio 0/0 (usec): ...`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from ingest.parsers.fio import _partial_text as picked
from ingest.parsers.fio import _text_patterns as lines
from ingest.parsers.fio._command import FioCommand, pattern_moves
from ingest.parsers.fio._job import (
    LATENCY_PARTS,
    MIXED_PATTERNS,
    STAT_NAMES,
    FioJob,
    parse_date,
    parse_options,
    parse_size,
    parse_suffixed,
    percentile_stat,
    to_base_unit,
)
from ingest.parsers.fio._text_state import FioTextState, JobOptions, spell_unit, unit_factor
from ingest.records import Doubt, Value

_LONGEST = 2000
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}


def read_line(state: FioTextState, line: str, number: int) -> Iterator[Value | Doubt]:
    """The figures of one line."""
    if len(line) > _LONGEST:
        line = line[-_LONGEST:]  # progress that was not overwritten stands before the line itself
    if state.label and line.startswith(state.label):
        line = line[len(state.label) :]
    if "(g=" in line and (found := lines.OPTIONS.match(line)):
        _take_options(state, found, number)
    elif found := lines.VERSION.match(line):
        _take_version(state, found, number)
    elif found := lines.JOB.search(line):
        yield from _begin(state, found, number)
    elif (state.job or "PS=" in line or "bw=" in line) and (found := lines.DIRECTION.match(line) or lines.LABELLED.match(line)):
        yield from _moved(state, found, number)
    elif found := lines.STATUS.match(line):
        state.job, state.group, state.open, state.astray = None, (found[1], number), 0, False
        state.reports += 1
    elif ("bw=" in line or "aggrb=" in line) and (found := lines.TOTAL.match(line)):
        yield from picked.read_group_total(state, found, number)
    elif ("bw=" in line or "aggrb=" in line) and (found := lines.LABELLED_TOTAL.match(line)):
        yield from picked.read_labelled_total(state, found, number)
    elif (state.command.listens or "fio " in line or line[-1:] == "]" or "rw" in line) and state.command.take(line, number):
        state.job = None if state.picked else state.job
    elif state.job:
        if state.picked and not lines.DETAIL.match(line):
            state.job = None  # other words than fio's end what was picked out of one job
        yield from _detail(state, state.job, line, number) if state.job else ()
    elif not state.lost and (lines.SAMPLES.match(line) or lines.LATENCY.match(line)):
        state.lost = True
        yield Doubt(number, "no-header", "details of a job of fio without the line of its direction; they were not taken")


def _take_version(state: FioTextState, found: re.Match[str], number: int) -> None:
    if found[2] and not state.jobs:
        return
    state.version, state.version_line, state.astray = found[1] or found[2], number, False
    state.reported, state.by_group = {}, {}  # each run prints it once, before its jobs and behind their options
    if state.ran:
        state.jobs, state.by_place = {}, {}


def _moved(state: FioTextState, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    """A line with rate and bandwidth, behind its job, or alone, as posts quote it."""
    label, direction, rest = found.groups() if found.re == lines.LABELLED else ("", *found.groups())
    if label or ((state.job is None or (state.picked and direction in state.directions)) and not state.astray):
        yield from picked.begin_excerpt(state, direction, number, picked.job_name_of_label(label))
        state.label = found[0][: found.start(1) + len(label)].rstrip() if label and "|" not in label else ""
    if state.job is None:
        yield Doubt(number, "no-header", f"{direction}: a result without the line that names its job; it was not taken")
        return
    yield from _direction(state, state.job, direction, rest, number)


def _take_options(state: FioTextState, found: re.Match[str], number: int) -> None:
    given = {"rw": found[3], "ioengine": found[5], "iodepth": found[6]}
    sizes = {m for m in re.findall(r"(\d[\w.]*)", re.sub(r"\([RWT]\)", "", found[4] or "")) if parse_size(m)}
    if len(sizes) == 1:
        given["bs"] = sizes.pop()
    pattern, params = parse_options(given)
    if state.ran:
        state.by_place, state.ran = {}, False
    state.jobs[found[1]] = state.by_place[found[1], found[2]] = (pattern or "", params, number)
    state.command = FioCommand()  # what it tells, these lines tell better


def _begin(state: FioTextState, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    name, group, jobs, error, pid, date = found.groups()
    before, reports = state.running.get((name, pid), (0, state.reports))
    if reports < state.reports:
        state.superseded.append(before)
        state.reported = {key: told for key, told in state.reported.items() if key[0] != group}
    state.running[name, pid] = (number, state.reports)
    told, shown = state.command.named(name), state.command.lines
    state.told = bool(told and told[0])
    pattern: str | None
    if told and told[0]:
        pattern, params, where = told[0], told[2], shown
    else:
        pattern, params, line = state.by_place.get((name, group)) or state.jobs.get(name) or _glued(state, name, group)
        where = (line, *(shown if shown and not pattern else ()))
    state.job = FioJob(
        name,
        number,
        state.version,
        pattern or None,
        group,
        parse_date(date),
        params | {"processes": int(jobs)},
        tuple(n for n in (*where, number, state.version_line) if n),
    )
    state.open = state.open or number
    state.direction, state.directions, state.kind, state.group, state.lost = None, [], None, None, False
    state.direction_lines, state.picked, state.label, state.astray, state.ran = [], False, "", False, True
    state.by_group[group], state.base = state.job, state.job.depends
    if error != "0":
        yield Doubt(number, "failed-run", f"job {name}: fio reports error {error}")
    if not pattern:
        yield Doubt(number, "no-command", f"job {name}: the line with its options is missing, so the pattern is unknown")


def _glued(state: FioTextState, name: str, group: str) -> JobOptions | tuple[None, dict[str, object], int]:
    """The options of a job whose line of them stands behind other words without a break (`echo -n`)."""
    found = [told for (own, its), told in state.by_place.items() if its == group and own.endswith(name)]
    return found[0] if len(found) == 1 else (None, {}, 0)


def _direction(state: FioTextState, job: FioJob, direction: str, rest: str, number: int) -> Iterator[Value | Doubt]:
    if direction in state.directions:
        state.job, state.astray = None, True
        yield Doubt(number, "no-header", f"{direction} stands twice in one job: the line that names the second job is missing")
        return
    state.direction, state.kind, state.kinds = direction, None, set()
    new, old = lines.NEW.match(rest), lines.OLD.match(rest)
    if not new and not old:
        yield Doubt(number, "short-row", f"{direction}: the line does not hold rate, bandwidth and run time")
        return
    state.old = old is not None
    if state.told and not state.directions and not pattern_moves(job.pattern, direction) and direction != "mixed":
        job.pattern, job.params, state.told = None, {"processes": job.params["processes"]}, False
        yield Doubt(number, "no-command", f"job {job.name}: its command does not {direction}, so the pattern is unknown")
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
    rate = parse_suffixed(iops or "0")  # the first versions print none
    if rate is None:
        yield Doubt(number, "bad-number", f"{direction} IOPS: {iops[:40]!r}")
    elif rate > 0:
        yield job.value(number, direction, "rate", f"{direction} IOPS", (rate, "1/s", iops, "ops/s"))
    elif iops and parse_suffixed(bandwidth):
        yield Doubt(number, "unmeasured", f"{direction} IOPS: fio cuts off less than one operation a second to {iops}")
    factor, moved = unit_factor(unit, state.old), parse_suffixed(bandwidth)
    if factor is None or moved is None:
        code, what = ("unknown-unit", unit) if factor is None else ("bad-number", bandwidth)
        yield Doubt(number, code, f"{direction} BW: {what[:20]!r}")
        return
    if moved == 0:
        yield Doubt(number, "unmeasured", f"{direction} BW: fio prints 0 for a direction that moved nothing")
        return
    state.reported.setdefault((job.group, direction), []).append((moved * factor, bandwidth + unit, number))
    figure = (moved * factor, "B/s", bandwidth, spell_unit(unit, state.old))
    yield job.value(number, direction, "throughput", f"{direction} BW", figure)


def _detail(state: FioTextState, job: FioJob, line: str, number: int) -> Iterator[Value | Doubt]:
    direction = state.direction
    if lines.SYNC.match(line):
        state.direction, state.kind, state.kinds = "fsync", None, {"slat", "clat", "lat", "bw", "iops"}
        job.depends = (*job.depends, number)
    elif found := lines.CPU.match(line):
        if not state.directions:
            return  # its direction's line was not understood, which was said there
        where = "mixed" if job.pattern in MIXED_PATTERNS or len(state.directions) != 1 else state.directions[0]
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
            yield from _figure(job, direction, (kind, f"{kind} {name}th", percentile_stat(name)), raw, unit, number)
    elif (found := lines.SAMPLES.match(line)) and (yield from _belongs(state, "iops" if found[2] else "bw", number)):
        yield from _samples(job, str(direction), found, number, state.old)


def _belongs(state: FioTextState, kind: str, number: int) -> Generator[Doubt, None, bool]:
    """Whether a line of that kind is of the direction above it. A second one is of a lost direction."""
    if state.direction and kind not in state.kinds:
        state.kinds.add(kind)
        return True
    if not state.lost:
        yield Doubt(number, "no-header", f"{kind} without the line that names its direction")
    state.direction, state.lost = None, True
    return False


def _latency(job: FioJob, direction: str, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    kind = found[1] + (found[2] or "")
    for name, raw in zip(("min", "max", "avg", "stdev"), found.groups()[3:], strict=True):
        if name == "stdev" and _is_torn(raw):
            yield Doubt(number, "cut", f"{direction} {kind} stdev: {raw!r} lacks its decimals; it was not taken")
            continue
        yield from _figure(job, direction, (kind, f"{kind} {name}", STAT_NAMES[name]), raw, found[3], number)


def _figure(job: FioJob, direction: str, names: tuple[str, str, str], raw: str, unit: str, number: int) -> Iterator[Value | Doubt]:
    kind, native, stat = names
    read = parse_suffixed(raw)
    if read is None:
        yield Doubt(number, "bad-number", f"{direction} {native}: {raw[:40]!r} is not a number")
        return
    figure = (to_base_unit(read, _SECONDS[unit]), "s", raw, unit)
    yield job.value(number, direction, "latency", f"{direction} {native}", figure, part=_part(kind), stat=stat)


def _is_torn(raw: str) -> bool:
    """Whether a deviation, which stands last on its line and has two decimals at least (stat.c), is not whole."""
    return raw.isdecimal() or re.fullmatch(r"\d+\.\d?", raw) is not None


def _part(kind: str) -> str:
    """`clat prio 0/0` -> `completion, prio 0/0`."""
    name, _, priority = kind.partition(" ")
    return ", ".join(part for part in (LATENCY_PARTS[name], priority) if part)


def _samples(job: FioJob, direction: str, found: re.Match[str], number: int, old: bool) -> Iterator[Value | Doubt]:
    """Bandwidth and rate over the sampling intervals."""
    quantity, unit, meant, what = (
        ("rate", "1/s", "ops/s", "iops") if found[2] else ("throughput", "B/s", spell_unit(f"{found[1]}/s", old), "bw")
    )
    factor = 1 if found[2] else unit_factor(found[1], old) or 1
    for name, raw in zip(("min", "max", "avg", "stdev"), found.groups()[2:], strict=True):
        read = parse_suffixed(raw)
        if name == "stdev" and _is_torn(raw):
            yield Doubt(number, "cut", f"{direction} {what} stdev: {raw!r} lacks its decimals; it was not taken")
        elif read is None:
            yield Doubt(number, "bad-number", f"{direction} {what} {name}: {raw[:40]!r} is not a number")
        else:
            yield job.value(
                number,
                direction,
                quantity,
                f"{direction} {what} {name}",
                (read * factor, unit, raw, meant),
                part="interval",
                stat=STAT_NAMES[name],
            )
