"""Bytes that the disks moved around a run beside the bytes that its tool claims: from the device, or from memory."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from ingest.analysis.derived import BOTH_WAYS, NAMES, READ_FROM, WRITTEN_TO, kind, working_set
from ingest.detect.findings import FileFindings
from ingest.keys import WHOLE_PART
from ingest.records import MovedBytes, Value

_SMALL = frozenset(("seek", "fsync", "run"))
"""Operations that move little beside the others, or that are the whole run."""
_Run = tuple[str, Hashable]


def moved_by_runs(findings: FileFindings, originals: Mapping[int, str]) -> dict[_Run, MovedBytes]:
    """What the disks moved from the last reading of their counters before each run to the first one after it, with what all tools
    claim to have moved in between."""
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
            place = f"{findings.path}:{counters[position].line}"
            found |= dict.fromkeys({(value.tool, value.run) for value in values}, MovedBytes(*moved, *claimed, place))
    runs = defaultdict[_Run, set[int]](set)
    for position, values in between.items():
        for value in values:
            runs[value.tool, value.run].add(position)
    return {run: moved for run, moved in found.items() if len(runs[run]) == 1}


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
