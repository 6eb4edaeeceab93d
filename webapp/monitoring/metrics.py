"""Counters for Prometheus, shared by all processes of a host through files in `PROMETHEUS_MULTIPROC_DIR` (webapp/settings.py).

What the database knows (archives by state, waiting, permalinks) is read when it is scraped, and has no counter.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client import values as counter_values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

_FILE_BYTES = 1 << 18
"""Of each file, more than its counters need."""


class _AllocatedDict(MmapedDict):
    """A mapped file without holes: a write to one ends the process (SIGBUS) where the disk is full."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        if not read_mode and hasattr(os, "posix_fallocate"):
            with open(filename, "ab") as file:
                os.posix_fallocate(file.fileno(), 0, _FILE_BYTES)
        super().__init__(filename, read_mode)


counter_values.MmapedDict = _AllocatedDict  # type: ignore[misc]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REQUESTS = Counter("poolmark_requests", "Answered requests, by the first part of their address", ["part", "method", "status"])
SECONDS = Histogram(
    "poolmark_request_seconds",
    "Time from the request to the end of its answer",
    ["part"],
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30),
)
READ = Counter("poolmark_archives_read", "Readings of archives", ["outcome"])
FILES = Counter("poolmark_files_read", "Files of archives that were read", ["tool", "status"])
REFUSED = Counter("poolmark_uploads_refused", "Uploads that were not taken", ["reason"])
SIGN_INS_REFUSED = Counter("poolmark_sign_ins_refused", "Sign-ins that were not tried after many failures", ["kind"])
FROZEN = Counter("poolmark_permalinks_frozen", "Comparisons, runs and archives that were frozen")
ERRORS = Counter("poolmark_log_errors", "Messages of level ERROR or above in the logs", ["logger"])


class ErrorCounter(logging.Handler):
    """Counts what is logged as an error, by the first two parts of the logger's name."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        ERRORS.labels(".".join(record.name.split(".")[:2])).inc()


def expose(gauges: Iterable[tuple[str, str, dict[str, float] | float]]) -> bytes:
    """The text that Prometheus reads: the counters of all processes, then the gauges (name, help, value or values by `kind`)."""
    counted = CollectorRegistry()
    MultiProcessCollector(counted)
    current = CollectorRegistry()
    for name, text, value in gauges:
        if isinstance(value, dict):
            gauge = Gauge(name, text, ["kind"], registry=current)
            for kind, number in value.items():
                gauge.labels(kind).set(number)
        else:
            Gauge(name, text, registry=current).set(value)
    return generate_latest(counted) + generate_latest(current)
