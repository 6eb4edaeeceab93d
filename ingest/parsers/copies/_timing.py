"""One timed execution as a shell or time(1) prints it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.numbers import parse_duration


class PrintedTime(NamedTuple):
    """A printed time: 1-based line, the name that the tool gives it, its text, seconds."""

    line: int
    native: str
    raw: str
    seconds: float


@dataclass(slots=True)
class Timing:
    """One timed execution: its times by quantity (`elapsed`, `user`, `sys`).

    `cpu`: percentage of CPU as printed. `format_line`: the line that set its format, 0 for a fixed format. `evidence`: lines of
    it without a time.
    """

    line: int
    timer: str
    times: dict[str, PrintedTime] = field(default_factory=dict)
    command: str | None = None
    cpu: str | None = None
    exit_status: int = 0
    last_line: int = 0
    format_line: int = 0
    evidence: list[int] = field(default_factory=list)

    def add(self, quantity: str, line: int, native: str, raw: str, seconds: float | None) -> None:
        """Add a time, unless its text is none (`seconds` is None)."""
        if seconds is not None:
            self.times[quantity] = PrintedTime(line, native, raw, seconds)
            self.last_line = max(self.last_line, line)

    def add_line(self, line: int, times: Iterable[tuple[str, str, str]]) -> None:
        """Add the times of one line: quantity, native name and text of each."""
        for quantity, native, raw in times:
            self.add(quantity, line, native, raw, parse_duration(raw))

    @property
    def is_complete(self) -> bool:
        """Whether all of elapsed, user and sys present, or all that its timer prints."""
        return len(self.times) == 3 or (self.timer == "powershell" and bool(self.times))


def time_lines(timings: Iterable[Timing]) -> list[int]:
    """The lines of all times of the timings."""
    return [time.line for timing in timings for time in timing.times.values()]
