"""Lines of fio's normal output below that of a direction: latencies, percentiles, samples, share of the processor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ingest.parsers.fio import _text_state
from ingest.parsers.fio._job import LATENCY_PARTS, MIXED_PATTERNS, STAT_NAMES, FioColumn, FioJob, parse_suffixed, percentile_stat
from ingest.parsers.fio._text_state import FioTextState, spell_unit, unit_factor
from ingest.records import Doubt, Found, Value

_PER_SECOND = {"nsec": 10**9, "usec": 10**6, "msec": 1000, "sec": 1}
_STATS = ("min", "max", "avg", "stdev")
_CPU = (
    FioColumn("cpu", "use", "%", "%", part="user", native="cpu use"),
    FioColumn("cpu", "sys", "%", "%", part="system", native="cpu sys"),
)


def read_detail(state: FioTextState, job: FioJob, line: str, number: int) -> Iterable[Found]:
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
