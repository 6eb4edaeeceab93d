"""A stream of bytes -> numbered lines."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload

from ingest import line_shapes

_AT_ONCE = 1 << 20  # characters of a long text that are cut into lines together


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """A command that a transcript shows. Its output is lines `first` to `last` (empty where last < first)."""

    line: int
    text: str
    first: int
    last: int
    prompt: str = ""
    host: str | None = None
    cwd: str | None = None


def split_parts(body: str) -> Iterator[str]:
    """A long text in parts of whole lines; joined by line feeds they are the text."""
    at = 0
    while (end := body.find("\n", at + _AT_ONCE)) >= 0:
        yield body[at:end]
        at = end + 1
    yield body[at:]


class LazyLines(Sequence[str]):
    """The lines of a long text, cut out when they are asked for: as a list they take several times the text's memory."""

    __slots__ = ("body", "starts")

    def __init__(self, body: str) -> None:
        self.body = body
        self.starts = array("I" if len(body) < 1 << 32 else "Q", [0])
        at = body.find("\n") + 1
        while at:
            self.starts.append(at)
            at = body.find("\n", at) + 1

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        start = self.starts[at]
        end = self.body.find("\n", start)
        return self.body[start:end] if end >= 0 else self.body[start:]

    def __iter__(self) -> Iterator[str]:
        for part in split_parts(self.body):
            yield from part.split("\n")

    def number(self, offset: int) -> int:
        """The 1-based line in which `body[offset]` stands."""
        return bisect_right(self.starts, offset)


class LinesWithGaps(LazyLines):
    """The lines of a file of which stretches were left out: blank ones, each stretch a single line feed in `body`.

    `gaps`: (line of `body`, 1-based, that stands for a stretch; lines of the file in it), in order.
    """

    __slots__ = ("_after", "_gaps", "_more", "_places")

    def __init__(self, body: str, gaps: Sequence[tuple[int, int]]) -> None:
        super().__init__(body)
        self._gaps = dict(gaps)
        self._places = [line for line, _ in gaps]
        # Lines that the file has more than `body`, up to the gap's last line, and that line's number in the file.
        self._more = list(accumulate([count - 1 for _, count in gaps]))
        self._after = [line + more for line, more in zip(self._places, self._more, strict=True)]

    def __len__(self) -> int:
        return len(self.starts) + (self._more[-1] if self._more else 0)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError(at)
        gap = bisect_right(self._after, at)
        if gap < len(self._places) and at + 1 > self._after[gap] - self._gaps[self._places[gap]]:
            return ""
        return super().__getitem__(at - (self._more[gap - 1] if gap else 0))

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(super().__iter__(), 1):
            yield line
            for _ in range(self._gaps.get(number, 1) - 1):
                yield ""

    def number(self, offset: int) -> int:
        """The 1-based line of the file in which `body[offset]` stands; of a stretch left out, the first."""
        return self.of_file(super().number(offset))

    def of_file(self, line: int) -> int:
        """The line of the file that is that line of `body`."""
        gap = bisect_right(self._places, line - 1)
        return line + (self._more[gap - 1] if gap else 0)


def _kinds(body: str) -> list[str]:
    return line_shapes.fold_digits(body).split("\n")


class Text:
    """One file, cleaned for reading.

    `lines[i]` is line i + 1 as a person would see it: decoded, without terminal escapes, without what a carriage
    return overwrote, without a prefix that every line carries (mail quoting, host or time stamps). Line numbers are
    those of the file as uploaded (counted by line feeds). `body` is the lines joined by line feeds.
    `commands` are those of the transcript, in line order. `asked`: somebody asked for the folders of the file, so that
    what was found may not hold for equal bytes elsewhere. `hosts`: line -> the host that its prefix named. `origins`: where
    lines stood in strings, the line of the file for each line here (`ingest.text.quoted_strings`).
    """

    __slots__ = ("_alike", "_each", "_kinds", "_path", "_starts", "asked", "body", "commands", "hosts", "lines", "name", "origins")

    def __init__(self, path: str, lines: Sequence[str], body: str = "", commands: list[ShownCommand] | None = None) -> None:
        self.name = path.rpartition("/")[2]
        self.lines = lines
        self.body = body
        self.commands: list[ShownCommand] = [] if commands is None else commands
        self.hosts: dict[int, str] = {}
        self.asked = False
        self.origins: Sequence[int] | None = None
        self._path = path
        self._starts: Sequence[int] | None = None
        self._kinds: list[str] | None = None
        self._each: frozenset[str] = frozenset()
        self._alike: str | None = ""

    @property
    def alike(self) -> str | None:
        """One line of each kind, a line feed before each, digits written 0; None where they are too many to be of use."""
        if self._alike == "":
            of_parts = [self._of_lines()] if isinstance(self.lines, list) else map(_kinds, split_parts(self.body))
            self._alike = line_shapes.distinct_shapes(of_parts)
        return self._alike

    @property
    def each(self) -> frozenset[str]:
        """The lines of `alike`; empty of a text whose lines are no list."""
        if not self._each and isinstance(self.lines, list):
            self._each = frozenset(self._of_lines())
        return self._each

    def where(self, may: Callable[[str], object]) -> Iterator[int]:
        """Indices of the lines that `may` passes, in order. It is given a line of their kind, every digit of which is 0,
        once for all of them, and so must not tell digits apart."""
        if not isinstance(self.lines, list):
            return (at for at, line in enumerate(self.lines) if may(line_shapes.fold_digits(line)))
        return line_shapes.matching_lines(self._of_lines(), self.each, may)

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        """The lines, 1-based, that a pattern matches from their beginning, each alone, with the match.

        It must not tell digits apart: `raidz\\d?`, where `raidz[123]?` would not match what stands for a kind of lines."""
        match, lines = pattern.match, self.lines
        for at in self.where(match):
            found = match(lines[at])
            if found:
                yield at + 1, found

    def become(self, lines: list[str]) -> None:
        """Take as many other lines for its own."""
        self.lines, self.body = lines, "\n".join(lines)
        self._starts, self._kinds, self._each, self._alike = None, None, frozenset(), ""

    def _of_lines(self) -> list[str]:
        """The kind of each line."""
        if self._kinds is None:
            self._kinds = _kinds(self.body)
        return self._kinds

    @property
    def path(self) -> str:
        """The path inside the upload. Who can do with the base name asks for `name`."""
        self.asked = True
        return self._path

    def line_at(self, offset: int) -> int:
        """The 1-based line in which `body[offset]` stands."""
        if isinstance(self.lines, LazyLines):
            return self.lines.number(offset)
        return bisect_right(self._starts or self._offsets(), offset)

    def offset(self, at: int) -> int:
        """Where `lines[at]` begins in `body`, of a text whose lines are a list."""
        return (self._starts or self._offsets())[at]

    def _offsets(self) -> Sequence[int]:
        self._starts = list(accumulate([len(line) + 1 for line in self.lines[:-1]], initial=0))
        return self._starts

    def command_for(self, line: int) -> ShownCommand | None:
        """The command whose output holds the line, or that stands on it."""
        at = bisect_right(self.commands, line, key=lambda c: c.line) - 1
        if at < 0:
            return None
        command = self.commands[at]
        return command if line <= max(command.last, command.line) else None
