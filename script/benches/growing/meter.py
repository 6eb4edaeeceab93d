"""Measures CPU time of this process and the database server, and elapsed time."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from benches.common import spread_of

FEW = 5
_TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """CPU meter of this process and the database server; of this process only where /proc is missing."""

    def __init__(self, server: int) -> None:
        self.server = server

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        return time.process_time() + self.of_server()

    def of_server(self) -> float:
        """CPU seconds of the server's processes: running ones in nanoseconds, ended ones in clock ticks."""
        place, total = Path(f"/proc/{self.server}"), 0.0
        with contextlib.suppress(OSError):
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[13:15])) / _TICKS
            for child in [str(self.server), *(place / "task" / str(self.server) / "children").read_text().split()]:
                with contextlib.suppress(OSError):
                    total += int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) / 1e9
        return total

    def once(self, what: Callable[[], object]) -> tuple[float, float]:
        """(seconds of CPU, seconds of the clock)."""
        cpu, clock = self.cpu(), time.perf_counter()
        what()
        clock = time.perf_counter() - clock
        return self.cpu() - cpu, clock

    def several(self, what: Iterable[Callable[[], object]], scale: float = 1e3, seconds: float = 3.0) -> dict[str, list[float]]:
        """`cpu` and `clock` as [median, minimum, maximum], in milliseconds unless scaled otherwise. Of more than five no
        further one is begun after some `seconds`."""
        found: list[tuple[float, float]] = []
        begin = time.monotonic()
        for one in what:
            if len(found) >= FEW and time.monotonic() - begin > seconds:
                break
            found.append(self.once(one))
        return {name: spread_of([scale * one[at] for one in found], 3) for at, name in enumerate(("cpu", "clock"))}


def resident() -> float:
    """Memory of this process alone in megabytes, without files that processes share, once free memory is given back to the
    system, as a web process does after a request that took much."""
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0
