"""When a run was and how long it took, as far as its values say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ingest import derived
from ingest.keys import RANK, RUN_BOOT, RUN_SECONDS
from ingest.records import Measurement
from webapp.formatting.printed_times import parse_named_time
from webapp.storage.spill import RunBatch, RunTime

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
        for m in values if RANK not in details else ():
            kind = _kind(m.metric)
            if kind == _OTHER:
                continue
            seconds = m.value
            if kind == _RATE:
                size = derived.working_set(workload.tool, m.metric, workload.params)
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
