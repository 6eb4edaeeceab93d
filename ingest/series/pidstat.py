"""pidstat of sysstat: CPU, memory, I/O and context switches of processes."""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, SeriesContext, SeriesReader, Shape
from ingest.series._sysstat_text import TimedReports


def is_pidstat(names: tuple[str, ...]) -> bool:
    """Whether pidstat prints this header."""
    return ("PID" in names or "TID" in names) and names[-1] == "Command"


def open_pidstat(context: SeriesContext) -> TimedReports:
    return TimedReports(context, "pidstat", is_pidstat, every_row=False)


SERIES = SeriesReader(
    "pidstat",
    2,
    Anchor(lazy(r"\b(?:UID|USER)[ \t]+(?:PID|TGID)[ \t][^\n]{3,200}Command"), "command"),
    open_pidstat,
    (
        Shape(
            "text reports, also of -h, -t, -d, -r, -u, -w, -s, -v",
            "sysstat 9 to 12",
            "kB is 1024 bytes; iodelay is in clock ticks of 1/100 s",
            "a process is named by its number and its command",
        ),
    ),
    "pidstat(1), pidstat.c of sysstat",
)
