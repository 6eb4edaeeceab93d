"""When runs of transcripts began: what `date` printed before them. No time of a clock that was set compares with others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime

from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import Doubt, MissingValue, Value
from ingest.spill import SpilledValues
from ingest.text.mentions import is_prose_name
from ingest.transcript.clock import STEP, ClockTime

_SHOWS_FILE = lazy(r"(?:sudo\s+)?(?:cat|less|more|head|tail|grep|zcat|tac|sed|awk|bat|jq)\b")


class ClockTimes:
    """The times of the runs of one upload. `enter` chooses the file whose values `start_of` is asked about."""

    def __init__(self, findings_list: Sequence[FileFindings]) -> None:
        self._times: dict[str, list[ClockTime]] = {}
        self._hosts: dict[str, frozenset[str]] = {}
        self._valid_until: dict[str, str | None] = {}
        """Of each file in which the clock was set: the last time before that."""
        for findings in findings_list:
            if findings.commands:
                self._hosts[findings.path] = frozenset(command.host for command in findings.commands if command.host)
                self._read(findings)
        self._are_one_machine = len(frozenset().union(*self._hosts.values())) <= 1
        self._current: Sequence[ClockTime] = ()
        self._lines: list[int] = []
        self._commands: list[tuple[int, str | None]] = []
        self._limit: tuple[str | None] | None = None
        self._at: tuple[int, tuple[str | None, bool]] = 0, (None, False)

    def _read(self, findings: FileFindings) -> None:
        times = [*findings.clock, *_printed_times(findings)] if findings.clock or len(findings.commands) > 1 else []
        times = sorted(times, key=lambda time: time.line)
        times = times if is_prose_name(findings.path.rpartition("/")[2]) else _mark_steps(times)  # sections stand in any order
        first_set = next((time for time in times if time.is_set), None)
        if findings.clock or first_set is not None:
            self._times[findings.path] = times
        if first_set is not None:
            known = [time.time for time in times if time.line < first_set.line and time.time]
            self._valid_until[findings.path] = min(known, default=None)
            message = "the clock of the machine was set here; times after it order runs no longer, and separate no sessions."
            findings.doubts = [*findings.doubts, Doubt(first_set.line, "clock-set", message)]

    @property
    def is_plain(self) -> bool:
        """Whether runs of the file began when its tools say."""
        return not self._current and self._limit is None

    def enter(self, findings: FileFindings) -> None:
        self._current = self._times.get(findings.path, ())
        self._lines = [time.line for time in self._current]
        self._commands = [(command.line, command.host) for command in findings.commands] if self._current else []
        limits = [
            limit for path, limit in self._valid_until.items() if path != findings.path and self._is_same_clock(findings, path)
        ]
        self._at = 0, (None, False)
        self._limit = (None if None in limits else min(limit for limit in limits if limit),) if limits else None

    def _is_same_clock(self, findings: FileFindings, path: str) -> bool:
        """Whether a file may be of the machine whose clock was set in another."""
        ones, others = self._hosts.get(findings.path), self._hosts[path]
        if ones and others:
            return not ones.isdisjoint(others)
        return self._are_one_machine or findings.path.rpartition("/")[0] == path.rpartition("/")[0]

    def start_of(self, value: Value | MissingValue) -> str | None:
        """When the run of a value began, as its tool or else `date` says; None where that is of a clock that was set."""
        started = value.started_at
        if self._current and isinstance(value.line, int):
            latest, is_set = self._clock_at(value.line)
            started = None if is_set else started or latest
        if started is not None and self._limit is not None and (self._limit[0] is None or not _is_before(started, self._limit[0])):
            return None
        return started

    def _clock_at(self, line: int) -> tuple[str | None, bool]:
        """What the clock of a line's machine showed last, and whether it was set before."""
        if line != self._at[0]:
            index = bisect_right(self._commands, line, key=lambda command: command[0]) - 1
            host = self._commands[index][1] if index >= 0 else None
            before = self._current[: bisect_right(self._lines, line)]
            own = [time for time in before if time.host is None or host is None or time.host == host]
            self._at = line, (own[-1].time if own else None, any(time.is_set for time in own))
        return self._at[1]


def _printed_times(findings: FileFindings) -> Iterator[ClockTime]:
    """The times that tools printed about runs of a transcript; not those in a file that a command shows."""
    if isinstance(findings.values, SpilledValues):
        return
    lines = [command.line for command in findings.commands]
    last: tuple[str, object] | None = None
    items: list[Value | MissingValue] = [*findings.values, *findings.missing]
    for value in items:
        if value.started_at is None or (value.started_at, value.run) == last or not isinstance(value.line, int):
            continue
        last = value.started_at, value.run
        index = bisect_right(lines, value.line) - 1
        if index >= 0 and not _SHOWS_FILE.match(findings.commands[index].text):
            yield ClockTime(value.line, value.started_at, findings.commands[index].host)


def _mark_steps(times: Sequence[ClockTime]) -> list[ClockTime]:
    """The times in line order; a time before an earlier one shows that the clock was set."""
    latest: dict[tuple[str | None, bool], datetime] = {}
    marked = []
    for time in times:
        moment = _parse(time.time)
        if moment is not None:
            kind = time.host, moment.tzinfo is None
            if kind in latest and latest[kind] - moment > STEP:
                time = time._replace(is_set=True)
            latest[kind] = moment
        marked.append(time)
    return marked


def _parse(time: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(time) if time and re.search(r"\d[T ]\d", time) else None
    except ValueError:
        return None


def _is_before(time: str, other: str) -> bool:
    one, another = _parse(time), _parse(other)
    return one is not None and another is not None and (one.tzinfo is None) == (another.tzinfo is None) and one < another
