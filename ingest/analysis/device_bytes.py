"""Bytes that the disks moved around a run beside the bytes that its tool claims: from the device, or from memory."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from ingest.analysis.derived import BOTH_WAYS, NAMES, READ_FROM, WRITTEN_TO, kind, working_set
from ingest.detect.findings import FileFindings
from ingest.keys import WHOLE_PART
from ingest.records import MovedBytes, Value
from ingest.transcript.device_counters import Moved

_SMALL = frozenset(("seek", "fsync", "run"))
"""Operations that move little beside the others, or that are the whole run."""
_IDLE = 0.01
"""Of what the tools claim: the part below which a disk was not at work for them."""
_Run = tuple[str, Hashable]


def moved_by_runs(
    findings: FileFindings, originals: Mapping[int, str], disks_of: Callable[[Value], frozenset[str]]
) -> dict[_Run, MovedBytes]:
    """What the disks moved from the last reading of their counters before each run to the first one after it, with what all tools
    claim to have moved in between. `disks_of`: names of the disks that hold what a value was measured on, as far as known."""
    counters = findings.counters
    if len(counters) < 2 or not isinstance(findings.values, list | tuple):
        return {}
    places = [reading.line for reading in counters]
    between: dict[int, list[Value]] = defaultdict(list)
    for value in findings.values:
        if isinstance(value.line, int):
            between[bisect_left(places, value.line)].append(value)
    found: dict[_Run, MovedBytes] = {}
    for position, values in between.items():
        if not 0 < position < len(counters):
            continue
        moved = counters[position - 1].until(counters[position])
        claimed = _claimed([value for value in values if id(value) not in originals])
        if moved is not None and claimed is not None:
            place, disks = f"{findings.path}:{counters[position].line}", frozenset[str]().union(*map(disks_of, _firsts(values)))
            found |= dict.fromkeys({(value.tool, value.run) for value in values}, _of_target(moved, claimed, place, disks))
    runs = defaultdict[_Run, set[int]](set)
    for position, values in between.items():
        for value in values:
            runs[value.tool, value.run].add(position)
    return {run: moved for run, moved in found.items() if len(runs[run]) == 1}


def _firsts(values: Iterable[Value]) -> Iterable[Value]:
    """A value of each run."""
    return {(value.tool, value.run): value for value in values}.values()


def _of_target(moved: Mapping[str, Moved], claimed: tuple[int, int], place: str, disks: frozenset[str]) -> MovedBytes:
    """What the disks of the target moved, and the others; all where those of the target are unknown or not among the counted."""
    is_known = bool(disks) and disks <= moved.keys()
    own = [one for name, one in moved.items() if not is_known or name in disks]
    read, written = sum(one.read for one in own), sum(one.written for one in own)
    busy = sum(max(one.read, one.written) > _IDLE * max(claimed) for one in own)
    if not is_known:
        return MovedBytes(read, written, *claimed, place, busy=busy)
    others = [one for name, one in moved.items() if name not in disks]
    elsewhere = sum(one.read for one in others), sum(one.written for one in others)
    return MovedBytes(read, written, *claimed, place, *elsewhere, busy=busy)


def _claimed(values: Sequence[Value]) -> tuple[int, int] | None:
    """Bytes read and written in all; None where an operation moved an unknown number of bytes."""
    sizes: dict[tuple[_Run, str], int] = {}
    for (run, operation), of_operation in _by_operation(values).items():
        if operation in _SMALL or kind(f"{operation}.rate") == NAMES:
            continue
        if operation not in READ_FROM | WRITTEN_TO | BOTH_WAYS or (size := _size(of_operation)) is None:
            return None
        sizes[run, operation] = size
    read = sum(size for (_, operation), size in sizes.items() if operation in READ_FROM | BOTH_WAYS)
    written = sum(size for (_, operation), size in sizes.items() if operation in WRITTEN_TO | BOTH_WAYS)
    return (read, written) if read or written else None


def _by_operation(values: Iterable[Value]) -> dict[tuple[_Run, str], list[Value]]:
    found: dict[tuple[_Run, str], list[Value]] = defaultdict(list)
    for value in values:
        found[(value.tool, value.run), value.metric.partition(".")[0]].append(value)
    return found


def _size(values: Sequence[Value]) -> int | None:
    """Bytes of one operation of a run: of the total where one is printed, else of all its jobs or processes."""
    parts: dict[tuple[Any, Any], list[Value]] = defaultdict(list)
    for value in values:
        if value.stat in ("sample", "mean"):
            parts[value.params.get("job"), value.params.get("part")].append(value)
    chosen = [of_part for (_, part), of_part in parts.items() if part == WHOLE_PART]
    chosen = chosen or [of_part for (_, part), of_part in parts.items() if part is None] or list(parts.values())
    sizes = [_size_of_part(of_part) for of_part in chosen]
    return None if not sizes or None in sizes else sum(size for size in sizes if size is not None)


def _size_of_part(values: Sequence[Value]) -> int | None:
    """Throughput times elapsed time where both are printed, else the size of the data."""
    rate = next((value.value for value in values if value.metric.endswith(".throughput")), None)
    seconds = next((value.value for value in values if value.metric.endswith(".elapsed")), values[0].params.get("runtime"))
    if rate and isinstance(seconds, int | float):
        return round(rate * seconds)
    return working_set(values[0].tool, values[0].metric, values[0].params)
