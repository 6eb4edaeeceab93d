"""A process of its own for the reading of one archive: whatever that does, the worker goes on.

The child writes the path of the file that it analyses into shared memory. Where it dies in a file, it is started again without that
file: at once where a limit ended it, after a second death in the same file otherwise.
"""

from __future__ import annotations

import ctypes
import logging
import math
import mmap
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from webapp.infrastructure.reading_limits import FileGuard, ReadingLimits
from webapp.jobs.forked import drop_inherited_connections
from webapp.monitoring import tracing

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Work = Callable[[FileGuard], Result]
MAX_SKIPPED = 5
"""Files of one archive that may end its reader; with more of them the archive has failed."""
_PR_SET_PDEATHSIG = 1
_LENGTH = 4  # bytes before the path


@dataclass(frozen=True, slots=True)
class Ended(Generic[Result]):
    """`result`: what the work returned, None where the process died. `signal_number`: what ended it, 0 where it was none;
    `is_late`: its wall time was over; `path`: of the file that it analysed then, '' for none."""

    result: Result | None
    signal_number: int = 0
    is_late: bool = False
    path: str = ""


def run_reader(work: Work[Result], limits: ReadingLimits) -> Ended[Result]:
    """Run `work` in child processes until one returns, or dies outside of files or in too many of them."""
    skipped: dict[str, str] = {}
    deaths: Counter[str] = Counter()
    while True:
        ended = _run_once(work, limits, skipped)
        if ended.result is not None or ended.is_late or not ended.path or len(skipped) >= MAX_SKIPPED:
            return ended
        deaths[ended.path] += 1
        if ended.signal_number == signal.SIGXCPU:
            skipped[ended.path] = f"Reading the file took more than {limits.cpu} s of CPU time"
        elif deaths[ended.path] == 2:
            skipped[ended.path] = f"Reading the file ended its process twice ({_name(ended.signal_number)})"


def _run_once(work: Work[Result], limits: ReadingLimits, skipped: dict[str, str]) -> Ended[Result]:
    """Fork, since a process of Celery's pool may have no children of `multiprocessing`."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    with mmap.mmap(-1, mmap.PAGESIZE) as shared, receiving:
        parent = os.getpid()
        child = os.fork()
        if not child:
            _run_child(lambda: _read(work, limits, skipped, shared, sending, parent))
        sending.close()
        result, is_late, code = None, False, 0
        try:
            is_late = not (receiving.poll(limits.wall) or _answers_when_starved(receiving, child, limits))
            if not is_late:
                with suppress(EOFError):
                    result = receiving.recv()
        finally:
            # Where it has ended already, it still is a zombie of this id.
            if result is None:
                os.kill(child, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return Ended(result, -code if code < 0 else 0, is_late, _current_path(shared))


def _answers_when_starved(receiving: Connection, child: int, limits: ReadingLimits) -> bool:
    """Whether a child whose wall time is over answers in what it gets for having had little CPU time."""
    end = time.monotonic() + limits.starved - limits.wall
    while time.monotonic() < end and _cpu_seconds(child) < limits.wall:
        if receiving.poll(0.1):
            return True
    return False


def _cpu_seconds(pid: int) -> float:
    """The CPU time of a process, infinite where the system does not say it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _run_child(act: Callable[[], None]) -> NoReturn:
    """Act, and end the process with nothing of what its parent would do at its end."""
    code = 1
    try:
        act()
        code = 0
    except BaseException:
        log.exception("the process of a reading failed")
    finally:
        with suppress(Exception):
            tracing.flush()
        os._exit(code)


def _read(
    work: Work[Result], limits: ReadingLimits, skipped: dict[str, str], shared: mmap.mmap, sending: Connection, parent: int
) -> None:
    """The child."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGXCPU, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    drop_inherited_connections()
    limits.apply_to_process()

    def note_path(path: str) -> None:
        data = path.encode(errors="surrogateescape")[: mmap.PAGESIZE - _LENGTH]
        shared[: _LENGTH + len(data)] = len(data).to_bytes(_LENGTH, "little") + data

    sending.send(work(FileGuard(skipped, note_path)))
    sending.close()


def _current_path(shared: mmap.mmap) -> str:
    length = int.from_bytes(shared[:_LENGTH], "little")
    return shared[_LENGTH : _LENGTH + length].decode(errors="surrogateescape")


def _name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return "without a signal"
