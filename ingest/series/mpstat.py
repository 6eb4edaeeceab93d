"""mpstat of sysstat: CPU time by CPU and node, interrupts and soft interrupts by CPU."""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, SeriesContext, SeriesReader, Shape
from ingest.series._sysstat_text import TimedReports
from ingest.series.sar import is_sar

_SUBJECTS = frozenset(("CPU", "NODE", "CORE"))


def is_mpstat(names: tuple[str, ...]) -> bool:
    """Whether mpstat prints this header."""
    return names[0] in _SUBJECTS and "PID" not in names and not is_sar(names)


def open_mpstat(context: SeriesContext) -> TimedReports:
    return TimedReports(context, "mpstat", is_mpstat)


SERIES = SeriesReader(
    "mpstat",
    2,
    Anchor(
        lazy(r"\b(?:CPU|NODE|CORE)[ \t]+%us(?:e)?r\b[^\n]{0,80}%irq|\bCPU[ \t]+intr/s|\bCPU[ \t]+[\w-]{1,12}/s[^\n]*[A-Z]{3}/s"),
        "%irq|intr/s|/s",
    ),
    open_mpstat,
    (Shape("text reports, also of -P, -N, -I, -A", "sysstat 8 to 12", "%", "Average: rows are checked and are no points"),),
    "mpstat(1), mpstat.c of sysstat",
)
