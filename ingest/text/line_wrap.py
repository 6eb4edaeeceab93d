"""Joins lines that a terminal wrapped at its last column.

Text copied from a terminal (or from `script`, `screen`, a web console) has a line feed wherever a line reached the last
column, inside words and numbers too. A wrap is detected by a line that a tool is known to print (`WideLine`: mostly table
titles) which is broken at the column that no line exceeds; then every line around it that fills this column was wrapped.
`Text.origins` has the line of the file at which each joined line begins, and `JoinedLines` the line of each number.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.records import Doubt
from ingest.text.commands import find_commands
from ingest.text.lines import Text

NARROWEST, WIDEST = 60, 250  # columns of a terminal
_USUAL_WIDTH = 80
_MAX_STRIPPED = 10  # blanks at the end of a wrapped line that copying may have removed
_MAX_PARTS = 60  # of one line

Parts = Sequence[tuple[int, int]]  # (offset in the joined line, 1-based line of the file) of each part


@dataclass(frozen=True, slots=True)
class WideLine:
    """A line that a terminal may wrap. `begins`: its beginning (also searched in lines whose digits are all 0); `whole`: the
    complete line, which no part of it together with another line may match.
    """

    begins: re.Pattern[str]
    whole: re.Pattern[str]


class JoinedLines:
    """The joined lines of a text: 1-based number -> (the line, its parts)."""

    def __init__(self, lines: Mapping[int, tuple[str, Parts]]) -> None:
        self._lines = lines
        self._ends: dict[int, int] = {}  # line -> end of the number that was last searched for in it

    def place(self, line: int, raw: str) -> int | None:
        """The line of the file on which the next such number of a joined line begins; None for any other line."""
        joined = self._lines.get(line)
        if joined is None:
            return None
        line_text, parts = joined
        pattern = re.compile(rf"(?<![\w.]){re.escape(raw)}(?![\w.])|{re.escape(raw)}")
        match = pattern.search(line_text, self._ends.get(line, 0)) or pattern.search(line_text)
        self._ends[line] = match.end() if match else 0
        return max(number for start, number in parts if start <= (match.start() if match else 0))


def join_wrapped_lines(text: Text, wide: Sequence[WideLine], doubts: list[Doubt]) -> JoinedLines | None:
    """Join wrapped lines in place, and renumber the doubts accordingly. None if nothing was wrapped."""
    if not isinstance(text.lines, list) or text.hosts:
        return None
    for width in _widths(text, wide):
        if joins := _find_joins(text.lines, width, wide, {command.line for command in text.commands}):
            origins = text.origins or range(1, len(text.lines) + 1)
            lines, starts, joined = _join(text.lines, width, joins, origins)
            doubts[:] = [
                replace(doubt, line=bisect_right(starts, doubt.line)) if isinstance(doubt.line, int) else doubt for doubt in doubts
            ]
            text.origins = array("q", [origins[start - 1] for start in starts])
            text.replace_lines(lines)
            text.commands = find_commands(text)
            return JoinedLines(joined)
    return None


def _join(
    lines: Sequence[str], width: int, joins: Mapping[int, int], origins: Sequence[int]
) -> tuple[list[str], list[int], dict[int, tuple[str, Parts]]]:
    """(the new lines, the old number of the first part of each, the content of `JoinedLines`)."""
    joined: list[str] = []
    starts: list[int] = []
    parts_by_line: dict[int, tuple[str, Parts]] = {}
    index = 0
    while index < len(lines):
        last = joins.get(index, index)
        parts = lines[index : last + 1]
        joined.append("".join([*(part.ljust(width) for part in parts[:-1]), parts[-1]]))
        starts.append(index + 1)
        if last > index:
            parts_by_line[len(joined)] = (
                joined[-1],
                [(width * part_index, origins[index + part_index]) for part_index in range(len(parts))],
            )
        index = last + 1
    return joined, starts, parts_by_line


def _widths(text: Text, wide: Sequence[WideLine]) -> Iterator[int]:
    """Candidate columns of the terminal: the widest line, and 80, if a known line that fills it may begin there."""
    widest = max(map(len, text.shapes), default=0)
    for width in dict.fromkeys((widest, _USUAL_WIDTH)):
        if NARROWEST <= width <= min(WIDEST, widest):
            full = [shape for shape in text.shapes if len(shape) == width]
            candidates = [known for known in wide if any(map(known.begins.match, full))]
            if candidates and any(len(line) == width and _is_incomplete(line, candidates) for line in text.lines):
                yield width


def _is_incomplete(line: str, wide: Sequence[WideLine]) -> bool:
    """Whether a known line begins here and is not complete."""
    return any(known.begins.match(line) and not known.whole.fullmatch(line) for known in wide)


def _find_joins(lines: list[str], width: int, wide: Sequence[WideLine], commands: set[int]) -> dict[int, int]:
    """Index of the first line of each wrapped line -> index of its last. Only stretches of lines not longer than the width that
    contain a proven wrap are joined.
    """
    joins: dict[int, int] = {}
    start = 0
    for end in [index for index, line in enumerate(lines) if len(line) > width] + [len(lines)]:
        if any(_is_proof(lines, index, end, width, wide) for index in range(start, end - 1) if len(lines[index]) == width):
            joins |= _joins_of_stretch(lines, start, end, width, wide, commands)
        start = end + 1
    return joins


def _is_proof(lines: list[str], index: int, end: int, width: int, wide: Sequence[WideLine]) -> bool:
    """Whether the line, which fills the width, and the following ones together are a known line."""
    for known in wide:
        if known.begins.match(lines[index]) and not known.whole.fullmatch(lines[index]):
            line, last = lines[index], index
            while len(lines[last]) == width and last + 1 < min(end, index + _MAX_PARTS) and not _is_new(lines[last + 1], wide):
                last += 1
                line += lines[last]
                if known.whole.fullmatch(line):
                    return True
    return False


def _is_new(line: str, wide: Sequence[WideLine]) -> bool:
    """Whether a line cannot continue another: it is blank, or begins as known lines do."""
    return not line.strip() or any(known.begins.match(line) for known in wide)


def _joins_of_stretch(
    lines: list[str], start: int, end: int, width: int, wide: Sequence[WideLine], commands: set[int]
) -> dict[int, int]:
    joins: dict[int, int] = {}
    index = start
    while index < end:
        last = index
        while last + 1 < min(end, index + _MAX_PARTS) and _is_wrapped(lines, last, width, wide, commands):
            last += 1
        if last > index:
            joins[index] = last
        index = last + 1
    return joins


def _is_wrapped(lines: list[str], index: int, width: int, wide: Sequence[WideLine], commands: set[int]) -> bool:
    """Whether the line was wrapped: it fills the width, or did so and is part of a known line, and the next line continues it."""
    line, next_line = lines[index], lines[index + 1]
    if index + 2 in commands or _is_new(next_line, wide):
        return False
    if len(line) == width:
        return re.sub(r"\d", "0", line) != re.sub(r"\d", "0", next_line)  # rows of a table that is just as wide
    if width - _MAX_STRIPPED <= len(line) < width:
        joined = line.ljust(width) + next_line
        return any(known.begins.match(line) and known.whole.fullmatch(joined) and not known.whole.fullmatch(line) for known in wide)
    return False
