"""sar of sysstat: its reports as text, and those of the same file that sadf prints as CSV.

Shapes of pidstat (name | versions | units | traps):
    text reports, also of -h, -t, -d, -r, -u, -w, -s, -v | sysstat 9 to 12 | kB is 1024 bytes; iodelay is in clock ticks of
        1/100 s | a process is named by its number and its command

Shapes of sar (name | versions | units | traps):
    all reports as text, live or from a file | sysstat 8 to 12 | kB is 1024 bytes, a sector 512 | a date like 05/06/26 could be
        two: then there is no start

Shapes of mpstat (name | versions | units | traps):
    text reports, also of -P, -N, -I, -A | sysstat 8 to 12 | % | Average: rows are checked and are no points

Source of pidstat: pidstat(1), pidstat.c of sysstat
Source of sar: sar(1), pr_stats.c of sysstat
Source of mpstat: mpstat(1), mpstat.c of sysstat
"""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, SeriesContext, SeriesReader
from ingest.series._sysstat_text import TimedReports

# pidstat of sysstat: CPU, memory, I/O and context switches of processes.


def is_pidstat(names: tuple[str, ...]) -> bool:
    """Whether pidstat prints this header."""
    return ("PID" in names or "TID" in names) and names[-1] == "Command"


def open_pidstat(context: SeriesContext) -> TimedReports:
    return TimedReports(context, "pidstat", is_pidstat, every_row=False)


PIDSTAT = SeriesReader(
    "pidstat", 2, Anchor(lazy(r"\b(?:UID|USER)[ \t]+(?:PID|TGID)[ \t][^\n]{3,200}Command"), "command"), open_pidstat
)


_OTHERS = frozenset(("PID", "TID", "TGID", "NODE", "CORE"))
_INTERRUPTS = lazy(r"(?:[\w-]+/s\Z)")


def is_sar(names: tuple[str, ...]) -> bool:
    """Whether sar prints this header, and not mpstat or pidstat, whose reports look alike."""
    if _OTHERS & set(names):
        return False
    if names[0] == "CPU" and "%irq" in names:
        return "%steal" in names and names.index("%steal") < names.index("%irq")
    return names[0] != "CPU" or "%idle" in names or not _INTERRUPTS.match(names[1] if len(names) > 1 else "") or "total/s" in names


def open_sar(context: SeriesContext) -> TimedReports:
    return TimedReports(context, "sar", is_sar)


SERIES = SeriesReader(
    "sar",
    2,
    Anchor(
        lazy(
            r"%iowait|%idle|rxpck/s|rxerr/s|kbmemfree|kbswpfree|kbhugfree|pgpgin/s|pswpin/s|cswch/s|bread/s|runq-sz|dentunusd|"
            r"totsck|tcp\dsck|areq-sz|avgrq-sz|intr/s|MBfsfree|scall/s|retrans/s|idgm\d?/s|irec\d?/s|%scpu|%sio|rcvin/s|total/s"
        ),
        "%iowait|%idle|rxpck/s|rxerr/s|kbmemfree|kbswpfree|kbhugfree|pgpgin/s|pswpin/s|cswch/s|bread/s|runq-sz|dentunusd|"
        "totsck|tcp0sck|areq-sz|avgrq-sz|intr/s|mbfsfree|scall/s|retrans/s|idgm|irec|%scpu|%sio|rcvin/s|total/s",
    ),
    open_sar,
)


# mpstat of sysstat: CPU time by CPU and node, interrupts and soft interrupts by CPU.

_SUBJECTS = frozenset(("CPU", "NODE", "CORE"))


def is_mpstat(names: tuple[str, ...]) -> bool:
    """Whether mpstat prints this header."""
    return names[0] in _SUBJECTS and "PID" not in names and not is_sar(names)


def open_mpstat(context: SeriesContext) -> TimedReports:
    return TimedReports(context, "mpstat", is_mpstat)


MPSTAT = SeriesReader(
    "mpstat",
    2,
    Anchor(
        lazy(r"\b(?:CPU|NODE|CORE)[ \t]+%us(?:e)?r\b[^\n]{0,80}%irq|\bCPU[ \t]+intr/s|\bCPU[ \t]+[\w-]{1,12}/s[^\n]*[A-Z]{3}/s"),
        "%irq|intr/s|/s",
    ),
    open_mpstat,
)
