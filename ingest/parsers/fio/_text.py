"""fio's normal output, 1.x to 3.x.

3.x: `read: IOPS=7513, BW=29.4MiB/s (30.8MB/s)(31.9MiB/1086msec)`, binary units first. 2.x: `read : io=32640KB,
bw=33580KB/s, iops=8395, runt= 972msec`, where KB is 1024 bytes (kb_base=1024, the default). 1.x and 2.0 put a blank
behind a figure without suffix (`iops=211 , runt=`, `min=58 , max=2046K`: num2str), the first 1.x thousands commas into
it (`bw=1,288KiB/s`). 3.30 and later add a line for each priority: `clat prio 0/0 (usec): ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from ingest.parsers.fio import _excerpts, _text_state
from ingest.parsers.fio._command import ALL_CLIENTS, FioCommand
from ingest.parsers.fio._groups import MAX_LISTED
from ingest.parsers.fio._job import (
    LATENCY_PARTS,
    MIXED_PATTERNS,
    STAT_NAMES,
    FioColumn,
    FioJob,
    parse_date,
    parse_suffixed,
    percentile_stat,
)
from ingest.parsers.fio._options import JobOptions, beside, moved_directions, parse_options, parse_size
from ingest.parsers.fio._text_state import FioTextState, ReportedBandwidth, spell_unit, unit_factor
from ingest.records import BELOW, FAILED, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value

Items = Iterable[Found]

_MAX_LENGTH = 2000
_SAME_REPORT = 2  # seconds between the dates of jobs that fio prints one after the other
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
_RATE = FioColumn("rate", "IOPS", "1/s", "ops/s")


def read_line(state: FioTextState, line: str, number: int) -> Items:
    """The figures of one line, to be consumed before the next line is read."""
    if len(line) > _MAX_LENGTH or state.label:
        line = _without_prefix(state, line)
    if "(g=" in line and (options := _text_state.OPTIONS.match(line)):
        return _take_options(state, options, number)
    if version := _text_state.VERSION.match(line):
        return _take_version(state, version, number)
    if job := _text_state.JOB.search(line):
        return _begin_job(state, job, number)
    has_rate = state.job or "PS=" in line or "bw=" in line
    if has_rate and (direction := _text_state.DIRECTION.match(line) or _text_state.LABELLED_DIRECTION.match(line)):
        return _result(state, direction, number)
    if status := _text_state.RUN_STATUS.match(line):
        return _take_status(state, status[1], number)
    if "bw=" in line or "aggrb=" in line:
        if total := _text_state.GROUP_TOTAL.match(line):
            return _excerpts.read_group_total(state, total, number)
        if total := _text_state.LABELLED_GROUP_TOTAL.match(line):
            return _excerpts.read_labelled_total(state, total, number)
    return _read_other_line(state, line, number)


def _without_prefix(state: FioTextState, line: str) -> str:
    """The line without progress that was not overwritten, and without the label of the excerpt."""
    line = line[-_MAX_LENGTH:]
    return line[len(state.label) :] if state.label and line.startswith(state.label) else line


def _read_other_line(state: FioTextState, line: str, number: int) -> Items:
    """Lines of commands, the number of processes, and details of the current job."""
    if line.startswith("Starting ") and (started := _text_state.STARTING.match(line)):
        state.started_processes = sum(map(int, filter(None, started.groups())))
        state.starts_threads = bool(started[1]) and not started[2]
        state.header_lines = (*state.header_lines, number)
        return ()
    may_be_command = state.command.is_open or "fio " in line or line[-1:] == "]" or "rw" in line
    if may_be_command and state.command.take(line, number):
        state.job = None if state.is_excerpt else state.job
        state.is_report_over |= "fio " in line
    elif state.job:
        is_detail = _text_state.DETAIL.match(line) is not None
        if is_detail:
            state.shows_details, state.is_whole = True, _text_state.LAST_DETAIL.match(line) is not None
        if not state.is_excerpt or is_detail:
            return _read_detail(state, state.job, line, number)
        state.job = None  # other lines than fio's end an excerpt
    elif not state.is_direction_lost and (_text_state.SAMPLES.match(line) or _text_state.LATENCY.match(line)):
        state.is_direction_lost = True
        message = "the line with the direction of these fio details is missing; they were not recorded"
        return [Doubt(number, "no-header", message)]
    return ()


def _take_version(state: FioTextState, version: re.Match[str], number: int) -> Items:
    """Take a version. Each run prints it once, before its jobs and behind their options."""
    if version[2] and not state.options:
        return ()
    state.note_unreported()
    state.version, state.version_line, state.is_job_lost = version[1] or version[2], number, False
    state.reported, state.is_report_over, state.started_processes, state.starts_threads = {}, True, 0, False
    state.reported_processes, state.running = 0, {}
    if state.has_results:
        state.options, state.group_options = {}, {}
    return ()


def _take_options(state: FioTextState, match: re.Match[str], number: int) -> Items:
    name, group, pattern, sizes, engine, depth = match.groups()
    given = {"rw": pattern, "ioengine": engine, "iodepth": depth}
    options = _with_command(state, name, parse_options(given | _block_sizes(sizes or ""))._replace(line=number))
    if state.has_results:
        state.group_options, state.has_results, state.is_report_over, state.running = {}, False, True, {}
    if any(other.line < state.version_line for other in state.group_options.values()):
        state.group_options = {}  # of a run whose results are lost: the version stands below the lines of all jobs
    state.options[name] = state.group_options[name, group] = options
    state.command = FioCommand()  # these lines have more than a command
    return ()


def _with_command(state: FioTextState, name: str, options: JobOptions) -> JobOptions:
    """The options with those that only the command or job file above prints: the size, direct I/O, when it flushes."""
    job = state.command.find_job(name)
    if job is None or job.pattern != options.pattern:
        return options
    state.header_lines = state.command.lines
    printed = dict(options.params)
    if "fio.bssplit" in job.params:
        printed.pop("fio.bsrange", None)  # its least and greatest size
    if "fio.bs" in job.params:
        printed.pop("block_size", None)  # of the direction, where another one is of random accesses
    implied = {name: line for name, line in job.implied.items() if name not in printed}
    return options._replace(params=job.params | printed, implied=implied)


def _block_sizes(printed: str) -> dict[str, str]:
    """The option behind `(R) 4096B-4096B, (W) 4096B-65536B, (T) ...` or `4K-4K/4K-4K`, in bytes."""
    words = re.findall(r"(\d[\w.]*)(?:-(\d[\w.]*))?", re.sub(r"\([RWT]\)", "", printed))
    spans = [(parse_size(low), parse_size(high or low)) for low, high in words]
    if not spans or any(low is None or high is None for low, high in spans):
        return {}
    if all(low == high for low, high in spans):
        return {"bs": ",".join(str(low) for low, _ in spans)}
    return {"bsrange": ",".join(f"{low}-{high}" for low, high in spans)}


def _take_status(state: FioTextState, group: str, number: int) -> Items:
    """Take the run status, which ends the jobs of a group."""
    state.job, state.group, state.unfinished_line, state.is_job_lost = None, (group, number), 0, False
    state.status_count += 1
    state.reported_processes = 0
    state.is_report_over = True
    return ()


def _begin_job(state: FioTextState, match: re.Match[str], number: int) -> Iterator[Doubt]:
    name, group, processes, error, pid, date = match.groups()
    earlier_line, earlier_count = state.running.get((name, pid), (0, state.status_count))
    if earlier_count < state.status_count and pid != "0":  # the same process was reported before a run status; failed ones have 0
        state.superseded.append(earlier_line)
        state.reported = {key: reported for key, reported in state.reported.items() if key[0] != group}
    state.running[name, pid] = (number, state.status_count)
    options, lines = _find_options(state, name, group)
    ran_beside, other_lines = _find_beside(state, options, name, group)
    job = FioJob(
        name,
        number,
        state.version,
        options.pattern or None,
        group,
        parse_date(date),
        params=_with_threads(state, options.params) | ran_beside | {"processes": int(processes)},
        depends=tuple(line for line in (*lines, *state.header_lines, number, state.version_line, *other_lines) if line),
        implied={name: line for name, line in options.implied.items() if name != "processes"},
    )
    state.note_unfinished()
    state.begin_job(job, is_excerpt=False)
    state.reported_processes += job.params["processes"]
    state.group, state.label, state.is_job_lost, state.has_results = None, "", False, True
    if error != "0":
        job.error = f"err={error}"
        state.failed_jobs.append(job)
        yield Doubt(number, "failed-run", f"job {name}: fio reports error {error}")
    _take_report_job(state, job)
    if not job.pattern:
        yield Doubt(number, "no-command", f"job {name}: the line with its options is missing, so the pattern is unknown")


def _find_beside(state: FioTextState, options: JobOptions, name: str, group: str) -> tuple[dict[str, str], list[int]]:
    """What ran beside a job in other directions, with the lines that tell it; of long reports nothing."""
    given = state.group_options if 1 < len(state.group_options) <= MAX_LISTED else {}
    others = [other for (other_name, of_group), other in given.items() if of_group == group and other_name != name]
    ran_beside = beside(options, others)
    return ran_beside, [other.line for other in others] if ran_beside else []


def _with_threads(state: FioTextState, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a job with `thread`, where the run started threads alone."""
    return params | {"fio.thread": "1"} if state.starts_threads else params


def _take_report_job(state: FioTextState, job: FioJob) -> None:
    """Add a job to its report. The jobs of one report stand below each other and bear the same date."""
    before = state.report_jobs[-1][1].started if state.report_jobs else None
    if state.is_report_over or (before and job.started and not _is_same_moment(before, job.started)):
        state.report, state.is_report_over = state.report + 1, False
    if job.name == ALL_CLIENTS:
        state.totalled.add((state.report, job.group))
    else:
        state.report_jobs.append(((state.report, job.group), job))


def _is_same_moment(one: str, other: str) -> bool:
    return abs((datetime.fromisoformat(one) - datetime.fromisoformat(other)).total_seconds()) <= _SAME_REPORT


def _find_options(state: FioTextState, name: str, group: str) -> tuple[JobOptions, Sequence[int]]:
    """The options of a job with their lines: of the command above, else of the line of options."""
    command_lines = state.command.lines
    options = state.command.find_job(name)
    state.has_command_options = bool(options and options.pattern)
    if options and options.pattern:
        return options, command_lines
    options = state.group_options.get((name, group)) or state.options.get(name) or _find_joined_options(state, name, group)
    return options, (options.line, *(command_lines if command_lines and not options.pattern else ()))


def _find_joined_options(state: FioTextState, name: str, group: str) -> JobOptions:
    """The options of a job whose line follows other words without a line feed (`echo -n`); none if several jobs qualify."""
    found = [options for (own, own_group), options in state.group_options.items() if own_group == group and own.endswith(name)]
    return found[0] if len(found) == 1 else JobOptions(None, {})


def _result(state: FioTextState, match: re.Match[str], number: int) -> Iterator[Found]:
    """A line with rate and bandwidth, behind its job, or alone in an excerpt."""
    label, direction, rest = match.groups() if match.re == _text_state.LABELLED_DIRECTION else ("", *match.groups())
    has_no_job = state.job is None or (state.is_excerpt and direction in state.directions)
    if label or (has_no_job and not state.is_job_lost):
        yield from _excerpts.begin_excerpt(state, direction, number, _excerpts.job_name_of_label(label))
        state.label = match[0][: match.start(1) + len(label)].rstrip() if label and "|" not in label else ""
    if state.job is None:
        yield Doubt(number, "no-header", f"{direction}: the line that names the job of this result is missing; not recorded")
    elif direction in state.directions:
        state.job, state.is_job_lost = None, True
        yield Doubt(number, "no-header", f"{direction} appears twice in one job: the line that names the second job is missing")
    else:
        yield from _direction(state, state.job, direction, rest, number)


class _DirectionResult(NamedTuple):
    """A line of a direction as printed; the first versions print no rate."""

    iops: str | None
    bandwidth: str
    unit: str
    time: str
    clock: str
    is_old: bool


def _parse_result(text: str) -> _DirectionResult | None:
    if match := _text_state.NEW_RESULT.match(text):
        iops, bandwidth, unit, time, clock = match.groups()
        return _DirectionResult(iops, bandwidth, unit, time, clock, is_old=False)
    if match := _text_state.OLD_RESULT.match(text):
        bandwidth, unit, iops, time, clock = match.groups()
        return _DirectionResult(iops, bandwidth, unit, time, clock, is_old=True)
    return None


def _direction(state: FioTextState, job: FioJob, direction: str, rest: str, number: int) -> Iterator[Found]:
    state.direction, state.percentiles, state.kinds = direction, None, set()
    result = _parse_result(rest)
    if result is None:
        yield Doubt(number, "short-row", f"{direction}: the line has no rate, bandwidth and run time")
        return
    state.is_old = result.is_old
    is_first = not state.directions
    if state.has_command_options and is_first and direction not in moved_directions(job.pattern) and direction != "mixed":
        job.pattern, job.params, job.implied, state.has_command_options = None, {"processes": job.params["processes"]}, {}, False
        yield Doubt(number, "no-command", f"job {job.name}: its command does not {direction}, so the pattern is unknown")
    job.depends = (*(job.depends if is_first else state.job_depends), number)
    state.directions.append(direction)
    state.direction_lines.append(number)
    if (seconds := _SECONDS.get(result.clock)) is not None:
        job.params["runtime"] = round(float(result.time) * seconds, 9)
    yield from _iops(job, direction, result, number)
    yield from _bandwidth(state, job, direction, result, number)


def _iops(job: FioJob, direction: str, result: _DirectionResult, number: int) -> Iterator[Found]:
    if not result.iops:
        return
    rate = parse_suffixed(result.iops)
    if rate is None:
        yield Doubt(number, "bad-number", f"{direction} IOPS: {result.iops[:40]!r}")
    elif rate > 0:
        yield job.value(number, direction, _RATE, rate, result.iops)
    elif parse_suffixed(result.bandwidth):
        yield MissingValue.instead_of(job.value(number, direction, _RATE, rate, result.iops), ZERO_TIME, 1.0, BELOW)
        yield Doubt(number, "unmeasured", f"{direction} IOPS: fio cuts off less than one operation a second to {result.iops}")


def _bandwidth(state: FioTextState, job: FioJob, direction: str, result: _DirectionResult, number: int) -> Iterator[Found]:
    factor, bandwidth = unit_factor(result.unit, result.is_old), parse_suffixed(result.bandwidth)
    if factor is None:
        yield Doubt(number, "unknown-unit", f"{direction} BW: {result.unit[:20]!r}")
    elif bandwidth is None:
        yield Doubt(number, "bad-number", f"{direction} BW: {result.bandwidth[:20]!r}")
    elif bandwidth == 0:
        column = FioColumn("throughput", "BW", "B/s", spell_unit(result.unit, result.is_old))
        reason = FAILED if job.error else NOT_FINISHED
        yield MissingValue.instead_of(job.value(number, direction, column, 0.0, result.bandwidth), reason)
        yield Doubt(number, "unmeasured", f"{direction} BW: fio prints 0 for a direction that moved nothing")
    else:
        reported = ReportedBandwidth(bandwidth * factor, result.bandwidth + result.unit, number)
        state.reported.setdefault((job.group, direction), []).append(reported)
        column = FioColumn("throughput", "BW", "B/s", spell_unit(result.unit, result.is_old))
        yield job.value(number, direction, column, reported.value, result.bandwidth)


# Lines of fio's normal output below that of a direction: latencies, percentiles, samples, share of the processor.

_PER_SECOND = {"nsec": 10**9, "usec": 10**6, "msec": 1000, "sec": 1}
_STATS = ("min", "max", "avg", "stdev")
_CPU = (
    FioColumn("cpu", "use", "%", "%", part="user", native="cpu use"),
    FioColumn("cpu", "sys", "%", "%", part="system", native="cpu sys"),
)


def _read_detail(state: FioTextState, job: FioJob, line: str, number: int) -> Iterable[Found]:
    """The figures of a line below that of a direction."""
    if _text_state.SYNC_TITLE.match(line):
        state.direction, state.percentiles, state.kinds = "fsync", None, {"slat", "clat", "lat", "bw", "iops"}
        job.depends = (*job.depends, number)
    elif cpu := _text_state.CPU.match(line):
        return _cpu(state, job, cpu.groups(), number)
    elif latency := _text_state.LATENCY.match(line):
        kind = latency[1] + (latency[2] or "")
        return _stats(state, job, kind, _latency_columns(kind, latency[3]), latency.groups()[3:], number)
    elif title := _text_state.PERCENTILES_TITLE.match(line):
        kind = title[1] + (title[2] or "")
        refusal = _refuse_kind(state, f"{kind} percentiles", number)
        state.percentiles = (kind, title[3]) if refusal is None else None
        return refusal or ()
    elif state.direction and _text_state.PERCENTILES_ROW.match(line):
        return _percentiles(state, job, state.direction, line, number)
    elif samples := _text_state.SAMPLES.match(line):
        kind = "iops" if samples[2] else "bw"
        return _stats(state, job, kind, _sample_columns(samples[1], state.is_old), samples.groups()[2:], number)
    return ()


def _cpu(state: FioTextState, job: FioJob, raws: Sequence[str], number: int) -> Iterator[Value]:
    """User's and system's share of the processor, which is of the whole job and ends its direction."""
    if not state.directions:
        return  # the line of its direction could not be read, of which there is a warning
    is_mixed = job.pattern in MIXED_PATTERNS or len(state.directions) != 1
    for column, raw in zip(_CPU, raws, strict=True):
        value = job.value(number, "mixed" if is_mixed else state.directions[0], column, float(raw), raw)
        value.depends = (*state.job_depends, *state.direction_lines)
        yield value
    state.direction = None


def _refuse_kind(state: FioTextState, kind: str, number: int) -> list[Doubt] | None:
    """Warnings if a line of that kind is not of the current direction, None if it is. A second one is of a lost direction."""
    if state.direction and kind not in state.kinds:
        state.kinds.add(kind)
        return None
    warnings = [] if state.is_direction_lost else [Doubt(number, "no-header", f"{kind} without the line that names its direction")]
    state.direction, state.is_direction_lost = None, True
    return warnings


@lru_cache(1000)
def _latency_columns(kind: str, unit: str) -> tuple[FioColumn, ...]:
    return tuple(_latency_column(kind, name, unit, STAT_NAMES[name]) for name in _STATS)


@lru_cache(1000)
def _latency_column(kind: str, name: str, unit: str, stat: str) -> FioColumn:
    """The column of `clat` or, of one priority, `clat prio 0/0`, whose part is `completion, prio 0/0`."""
    latency, _, priority = kind.partition(" ")
    part = ", ".join(word for word in (LATENCY_PARTS[latency], priority) if word)
    return FioColumn("latency", f"{kind} {name}", "s", unit, part=part, stat=stat, divisor=_PER_SECOND[unit])


@lru_cache(100)
def _sample_columns(unit: str | None, is_old: bool) -> tuple[FioColumn, ...]:
    """Bandwidth in that unit over the sampling intervals; rate without a unit."""
    if unit is None:
        return tuple(FioColumn("rate", f"iops {name}", "1/s", "ops/s", 1, "interval", stat=STAT_NAMES[name]) for name in _STATS)
    raw_unit, factor = spell_unit(f"{unit}/s", is_old), unit_factor(unit, is_old) or 1
    return tuple(
        FioColumn("throughput", f"bw {name}", "B/s", raw_unit, factor, "interval", stat=STAT_NAMES[name]) for name in _STATS
    )


def _stats(
    state: FioTextState, job: FioJob, kind: str, columns: Sequence[FioColumn], raws: Sequence[str], number: int
) -> Iterator[Found]:
    """Least, greatest, mean and deviation; the deviation stands last on its line, so that it may be cut."""
    refusal = _refuse_kind(state, kind, number)
    if refusal is not None:
        yield from refusal
        return
    direction = str(state.direction)
    for column, raw in zip(columns[:3], raws, strict=False):
        yield _figure(job, direction, column, raw, number)
    raw = raws[3]
    if _is_cut_deviation(raw):
        yield Doubt(number, "cut", f"{direction} {columns[3].name}: {raw!r} lacks its decimals; not recorded")
    else:
        yield _figure(job, direction, columns[3], raw, number)


def _percentiles(state: FioTextState, job: FioJob, direction: str, line: str, number: int) -> Iterator[Found]:
    if state.percentiles is None:
        yield Doubt(number, "no-header", "percentiles without the line that names their kind and unit")
        return
    kind, unit = state.percentiles
    if not line.endswith(","):
        state.percentiles = None  # the last row of its kind
    for name, raw in _text_state.PERCENTILE.findall(line):
        column = _latency_column(kind, f"{name}th", unit, percentile_stat(name))
        yield _figure(job, direction, column, raw, number)


def _figure(job: FioJob, direction: str, column: FioColumn, raw: str, number: int) -> Found:
    figure = parse_suffixed(raw)
    if figure is None:
        return Doubt(number, "bad-number", f"{direction} {column.name}: {raw[:40]!r} is not a number")
    return job.value(number, direction, column, column.to_base_unit(figure), raw)


def _is_cut_deviation(raw: str) -> bool:
    """Whether a deviation, which has two decimals at least (stat.c), lacks some."""
    return raw.isdecimal() or re.fullmatch(r"\d+\.\d?", raw) is not None
