"""What reading an archive may cost: CPU and wall time, memory and values, by the archive's size; and the guard of each file."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from ingest.errors import OverLimit

# The memory limit of a reading: a file that needs more is not read, and the machine is not affected.

_STATM = Path("/proc/self/statm")  # Linux alone: elsewhere RLIMIT_DATA counts other memory, and no limit is set


@contextmanager
def limit_memory(extra: int) -> Iterator[None]:
    """Raise MemoryError in the block once the process grows by more than `extra` bytes."""
    if not _STATM.exists():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit_bytes = int(_STATM.read_text().split()[5]) * resource.getpagesize() + extra
    allowed = min((limit for limit in (before, hard) if limit != resource.RLIM_INFINITY), default=limit_bytes)
    resource.setrlimit(resource.RLIMIT_DATA, (min(limit_bytes, allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


MIB = 1 << 20
SMALL_SECONDS = 5.0
"""Wall time of a small archive as such; one that takes longer is read again with the large ones, so that no other one waits."""
_SMALL_STARVED = 3
"""Times as long where the machine is so busy that the process got less than that of CPU time: every other one waits too."""
_REPEAT = 1.0  # CPU seconds after which a file that goes on nevertheless is stopped again
_KILL_AFTER = 10  # CPU seconds between SIGXCPU, which ends the process, and SIGKILL


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Of the process that reads one archive; seconds. `values`: measurements that it may give. `starved`: wall time while it got
    less than `wall` of CPU time, where that is longer."""

    cpu: int
    wall: float
    values: int
    starved: float = 0.0

    def apply_to_process(self) -> None:
        """Limit this process by the kernel, for what no signal handler of Python can stop."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + self.cpu
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        if hard == resource.RLIM_INFINITY or hard > soft + _KILL_AFTER:
            resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + _KILL_AFTER))


def archive_limits(size: int, as_small: bool = False) -> ReadingLimits:
    """The limits of an archive of `size` bytes, as uploaded."""
    cpu = 2 * file_seconds(size)
    values = 2_000_000 + 2 * size
    if as_small:
        return ReadingLimits(int(cpu), SMALL_SECONDS, values, starved=_SMALL_STARVED * SMALL_SECONDS)
    return ReadingLimits(int(cpu), 4 * cpu, values)


def file_seconds(size: int) -> float:
    """CPU seconds in which a file of `size` bytes is read: some ten times what the slowest known one takes."""
    return settings.POOLMARK_READ_SECONDS * (1 + size / (3 * MIB))


class FileGuard:
    """The context in which `ingest` analyses each file: reports it as the current one, refuses the ones in `skipped` (path ->
    reason), and stops one that takes too long. CPU time is measured in the main thread alone, which alone gets signals."""

    def __init__(self, skipped: Mapping[str, str] | None = None, note_path: Callable[[str], None] = lambda path: None) -> None:
        self.skipped, self.note_path = skipped or {}, note_path

    @contextmanager
    def __call__(self, path: str, size: int) -> Iterator[None]:
        if reason := self.skipped.get(path):
            raise OverLimit(reason)
        self.note_path(path)
        try:
            if threading.current_thread() is threading.main_thread():
                with _cpu_timer(file_seconds(size)):
                    yield
            else:
                yield
        finally:
            self.note_path("")


@contextmanager
def _cpu_timer(seconds: float) -> Iterator[None]:
    """Raise OverLimit in the block once it has taken so many CPU seconds."""
    is_over = False

    def stop(number, frame):
        if not is_over:
            raise OverLimit(f"Reading the file took more than {seconds:.0f} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT)
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
