"""When a run was and how long it took, as far as its values say."""

from __future__ import annotations

from functools import cache

from ingest import derived
from ingest.keys import RANK, RUN_BOOT, RUN_SECONDS
from ingest.records import Measurement
from webapp.storage.spill import RunBatch, RunTime

_REBOOTED = "rebooted"
"""The state of the caches after a reboot (`ingest.analysis.cache_state`)."""
_ELAPSED, _RATE, _OTHER = range(3)


def find_run_time(run: RunBatch) -> RunTime | None:
    """When the run was, as far as its values say; None where they say nothing."""
    head = run.head
    cache = head.cache if type(head) is Measurement else None
    reboot = cache[1] if cache is not None and cache[0] == _REBOOTED else ""
    if head.started_at is None and not reboot:
        return None
    details = next((details for _, details, _ in [*run.parts, *run.unmeasured]), {})
    seconds, boot = details.get(RUN_SECONDS), details.get(RUN_BOOT)
    if seconds is None and head.started_at is not None:
        seconds = estimate_seconds(run)
    return RunTime(head.started_at, seconds, reboot, boot)


def estimate_seconds(run: RunBatch) -> float | None:
    """The sum of the elapsed times of its values, else of amount over throughput; None where one of these is unknown.

    Phases may have run side by side, so this is an upper estimate.
    """
    elapsed, computed = list[float | None](), list[float | None]()
    for workload, details, values in run.parts:
        for metric in {m.metric for m in values} if RANK not in details else ():
            kind = _kind(metric)
            if kind == _ELAPSED:
                elapsed += [m.value for m in values if m.metric == metric]
            elif kind == _RATE:
                size = derived.working_set(workload.tool, metric, workload.params)
                rates = [m.value for m in values if m.metric == metric]
                computed.append(sum([size / rate for rate in rates]) if size and min(rates) > 0 else None)
    seconds = elapsed or computed
    known = [number for number in seconds if number is not None and number >= 0]
    return sum(known) if known and len(known) == len(seconds) else None


@cache
def _kind(metric: str) -> int:
    if metric.endswith(".elapsed"):
        return _ELAPSED
    return _RATE if metric.endswith(".throughput") or derived.kind(metric) == derived.NAMES else _OTHER
