"""A stream of bytes -> numbered lines."""
from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a transcript shows. Its output is lines `first` to `last` (empty where last < first)."""

    line: int
    text: str
    first: int
    last: int
    prompt: str = ""
    host: str | None = None
    cwd: str | None = None


@dataclass(slots=True)
class Text:
    """One file, cleaned for reading.

    `lines[i]` is line i + 1 as a person would see it: decoded, without terminal escapes, without what a carriage
    return overwrote, without a prefix that every line carries (mail quoting, host or time stamps). Line numbers are
    those of the file as uploaded (counted by line feeds). `body` is the lines joined by line feeds.
    `commands` are those of the transcript, in line order.
    """

    path: str
    lines: list[str]
    body: str = ""
    commands: list[Command] = field(default_factory=list)
    _starts: list[int] | None = None

    def line_at(self, offset: int) -> int:
        """The 1-based line in which `body[offset]` stands."""
        if self._starts is None:
            starts, at = [], 0
            for line in self.lines:
                starts.append(at)
                at += len(line) + 1
            self._starts = starts
        return bisect_right(self._starts, offset)

    def command_for(self, line: int) -> Command | None:
        """The command whose output holds the line, or that stands on it."""
        at = bisect_right(self.commands, line, key=lambda c: c.line) - 1
        if at < 0:
            return None
        command = self.commands[at]
        return command if line <= max(command.last, command.line) else None
