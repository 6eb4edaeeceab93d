"""The text of a file as numbered lines."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload

from ingest import line_shapes
from ingest.text.sections import Sections, find_sections

_PART_SIZE = 1 << 20  # characters of a long text that are split into lines at once
_LONG_LINE = 1 << 16  # characters of a line of which the last copy is kept


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """A command in a transcript. Its output is lines `first` to `last` (empty if last < first)."""

    line: int
    text: str
    last: int
    prompt: str = ""
    host: str | None = None
    cwd: str | None = None

    @property
    def first(self) -> int:
        return self.line + 1


def split_parts(body: str) -> Iterator[str]:
    """A long text in parts of whole lines; joined by line feeds they are the text."""
    start = 0
    while (end := body.find("\n", start + _PART_SIZE)) >= 0:
        yield body[start:end]
        start = end + 1
    yield body[start:]


class LazyLines(Sequence[str]):
    """The lines of a long text, split on access: a list of them takes several times the memory of the text."""

    __slots__ = ("_last", "body", "starts")

    def __init__(self, body: str) -> None:
        self.body = body
        self._last: tuple[int, str] = -1, ""
        self.starts = array("I" if len(body) < 1 << 32 else "Q", [0])
        start = body.find("\n") + 1
        while start:
            self.starts.append(start)
            start = body.find("\n", start) + 1

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        start = self.starts[index]
        if start == self._last[0]:
            return self._last[1]
        end = self.body.find("\n", start)
        line = self.body[start:end] if end >= 0 else self.body[start:]
        if len(line) > _LONG_LINE:
            self._last = start, line  # who reads a thousand results on it does not copy it a thousand times
        return line

    def __iter__(self) -> Iterator[str]:
        for part in split_parts(self.body):
            yield from part.split("\n")

    def number(self, offset: int) -> int:
        """The 1-based line of `body[offset]`."""
        return bisect_right(self.starts, offset)


class LinesWithGaps(LazyLines):
    """The lines of a file of which stretches were skipped: blank lines, each stretch a single line feed in `body`.

    `gaps`: (1-based line of `body` that stands for a stretch, lines of the file in it), in order.
    """

    __slots__ = ("_gaps", "_last_lines", "_missing", "_places")

    def __init__(self, body: str, gaps: Sequence[tuple[int, int]]) -> None:
        super().__init__(body)
        self._gaps = dict(gaps)
        self._places = [line for line, _ in gaps]
        # Lines missing from `body` up to the end of each gap, and the number in the file of that gap's last line.
        self._missing = list(accumulate([count - 1 for _, count in gaps]))
        self._last_lines = [line + missing for line, missing in zip(self._places, self._missing, strict=True)]

    def __len__(self) -> int:
        return len(self.starts) + (self._missing[-1] if self._missing else 0)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        gap = bisect_right(self._last_lines, index)
        if gap < len(self._places) and index + 1 > self._last_lines[gap] - self._gaps[self._places[gap]]:
            return ""
        return super().__getitem__(index - (self._missing[gap - 1] if gap else 0))

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(super().__iter__(), 1):
            yield line
            for _ in range(self._gaps.get(number, 1) - 1):
                yield ""

    def number(self, offset: int) -> int:
        """The 1-based line of the file of `body[offset]`; the first line of a skipped stretch."""
        return self.file_line(super().number(offset))

    def file_line(self, line: int) -> int:
        """The line of the file for a line of `body`."""
        gap = bisect_right(self._places, line - 1)
        return line + (self._missing[gap - 1] if gap else 0)


def _shapes_of(body: str) -> list[str]:
    return line_shapes.fold_digits(body).split("\n")


class Text:
    """One file, cleaned for reading.

    `lines[i]` is line i + 1 as displayed: decoded, without terminal escapes, without text that a carriage return overwrote,
    without a prefix that every line carries (mail quoting, host or time stamps). Line numbers are those of the uploaded file
    (counted by line feeds). `body`: the lines joined by line feeds. `commands`: those of the transcript, in line order.
    `path_used`: `path` was read, so that the results may not be reused for equal bytes elsewhere. `hosts`: line -> the host
    named by its prefix. `origins`: if lines were inside strings, the line of the file for each line here
    (`ingest.text.mail`). `unstripped`: the lines with their prefixes, such as the times of a log.
    """

    __slots__ = (
        "_distinct_lines", "_distinct_shapes", "_path", "_sections", "_shapes", "_starts", "body", "commands", "hosts", "lines",
        "name", "origins", "path_used", "unstripped",
    )  # fmt: skip

    def __init__(self, path: str, lines: Sequence[str], body: str = "", commands: list[ShownCommand] | None = None) -> None:
        self.name = path.rpartition("/")[2]
        self.lines = lines
        self.body = body
        self.commands: list[ShownCommand] = [] if commands is None else commands
        self.hosts: dict[int, str] = {}
        self.path_used = False
        self.unstripped = lines
        self.origins: Sequence[int] | None = None
        self._path = path
        self._starts: Sequence[int] | None = None
        self._shapes: list[str] | None = None
        self._distinct_shapes: frozenset[str] = frozenset()
        self._distinct_lines: str | None = ""
        self._sections: Sections | None = None

    @property
    def distinct_lines(self) -> str | None:
        """One line of each shape, a line feed before each, digits written 0; None if they are too long in total."""
        if self._distinct_lines == "":
            shapes_of_parts = [self._line_shapes()] if isinstance(self.lines, list) else map(_shapes_of, split_parts(self.body))
            self._distinct_lines = line_shapes.distinct_shapes(shapes_of_parts)
        return self._distinct_lines

    @property
    def shapes(self) -> frozenset[str]:
        """The shapes in `distinct_lines`; empty if the lines are no list."""
        if not self._distinct_shapes and isinstance(self.lines, list):
            self._distinct_shapes = frozenset(self._line_shapes())
        return self._distinct_shapes

    @property
    def sections(self) -> Sections:
        """The tree of the headings; of a long log, only the text itself."""
        if self._sections is None:
            self._sections = find_sections(self)
        return self._sections

    def find_lines(self, test: Callable[[str], object]) -> Iterator[int]:
        """Indices of the lines that satisfy `test`, in order. It is called once per shape, with a line whose digits are all 0, and
        so must not distinguish digits.
        """
        if not isinstance(self.lines, list):
            return (index for index, line in enumerate(self.lines) if test(line_shapes.fold_digits(line)))
        return line_shapes.matching_lines(self._line_shapes(), self.shapes, test)

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        r"""(1-based number, match) of each line that a pattern matches from its beginning.

        The pattern must not distinguish digits: `raidz\d?`, not `raidz[123]?`, which does not match a shape.
        """
        match, lines = pattern.match, self.lines
        for index in self.find_lines(match):
            result = match(lines[index])
            if result:
                yield index + 1, result

    def replace_lines(self, lines: list[str]) -> None:
        """Replace the lines by others."""
        self.lines, self.body = lines, "\n".join(lines)
        self._starts, self._shapes, self._distinct_shapes, self._distinct_lines = None, None, frozenset(), ""
        self._sections = None

    def _line_shapes(self) -> list[str]:
        """The shape of each line."""
        if self._shapes is None:
            self._shapes = _shapes_of(self.body)
        return self._shapes

    @property
    def path(self) -> str:
        """The path inside the upload. Use `name` if the base name suffices: reading the path disables the cache of results."""
        self.path_used = True
        return self._path

    def line_at(self, offset: int) -> int:
        """The 1-based line of `body[offset]`."""
        if isinstance(self.lines, LazyLines):
            return self.lines.number(offset)
        return bisect_right(self._starts or self._offsets(), offset)

    def offset(self, index: int) -> int:
        """Offset of `lines[index]` in `body`, if the lines are a list."""
        return (self._starts or self._offsets())[index]

    def _offsets(self) -> Sequence[int]:
        self._starts = list(accumulate([len(line) + 1 for line in self.lines[:-1]], initial=0))
        return self._starts

    def command_for(self, line: int) -> ShownCommand | None:
        """The command on the line, or whose output includes it; None if there is none."""
        index = bisect_right(self.commands, line, key=lambda c: c.line) - 1
        if index < 0:
            return None
        command = self.commands[index]
        return command if line <= max(command.last, command.line) else None
