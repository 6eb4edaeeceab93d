"""Lines that a terminal broke at its last column, put together again.

A copy out of a terminal (or of `script`, `screen`, a web console) has a line feed wherever a line came to its last
column, inside of words and figures too. What is in a text does not tell that by itself; but where a line that a tool is
known to print whole (`WideLine`: titles of tables, mostly) stands broken at the column beyond which no line goes, every
line around it that fills this column was broken as well. `Text.origins` tells where the joined lines begin in the file,
and `JoinedLines` on which of its lines each figure does.
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

NARROWEST, WIDEST = 60, 250  # columns of a terminal, or of what somebody pasted
_USUAL = 80
_STRIPPED = 10  # blanks at the end of a broken line that a copy may have lost
_PARTS = 60  # of one line

Parts = Sequence[tuple[int, int]]  # where in a joined line each part begins, and the line of the file (1-based) that it is


@dataclass(frozen=True, slots=True)
class WideLine:
    """A line that a tool prints and a terminal may break: how it begins (told of a line whose digits are all 0, too), and
    the whole of it, so told that no part of it together with another line could be taken for it."""

    begins: re.Pattern[str]
    whole: re.Pattern[str]


class JoinedLines:
    """The joined lines of a text: 1-based number -> the line and its parts."""

    def __init__(self, lines: Mapping[int, tuple[str, Parts]]) -> None:
        self._lines = lines
        self._ends: dict[int, int] = {}  # of the figure of a line that was looked for last

    def place(self, line: int, raw: str) -> int | None:
        """The line of the file on which the next such figure of a joined line begins; None for any other line."""
        joined = self._lines.get(line)
        if joined is None:
            return None
        row, parts = joined
        figure = re.compile(rf"(?<![\w.]){re.escape(raw)}(?![\w.])|{re.escape(raw)}")
        found = figure.search(row, self._ends.get(line, 0)) or figure.search(row)
        self._ends[line] = found.end() if found else 0
        return max(number for start, number in parts if start <= (found.start() if found else 0))


def join_wrapped_lines(text: Text, wide: Sequence[WideLine], doubts: list[Doubt]) -> JoinedLines | None:
    """Joins what was broken, in place, and has the doubts so far tell the lines of the new text; None in nearly all texts."""
    if not isinstance(text.lines, list) or text.hosts:
        return None
    for width in _widths(text, wide):
        if found := _joined(text.lines, width, wide, {command.line for command in text.commands}):
            origins = text.origins or range(1, len(text.lines) + 1)
            lines, starts, broken = _together(text.lines, width, found, origins)
            doubts[:] = [
                replace(doubt, line=bisect_right(starts, doubt.line)) if isinstance(doubt.line, int) else doubt for doubt in doubts
            ]
            text.origins = array("q", [origins[start - 1] for start in starts])
            text.become(lines)
            text.commands = find_commands(text)
            return JoinedLines(broken)
    return None


def _together(
    lines: Sequence[str], width: int, found: Mapping[int, int], origins: Sequence[int]
) -> tuple[list[str], list[int], dict[int, tuple[str, Parts]]]:
    """The new lines, the old number of each one's first part, and what `JoinedLines` holds."""
    out: list[str] = []
    starts: list[int] = []
    broken: dict[int, tuple[str, Parts]] = {}
    at = 0
    while at < len(lines):
        last = found.get(at, at)
        parts = lines[at : last + 1]
        out.append("".join([*(part.ljust(width) for part in parts[:-1]), parts[-1]]))
        starts.append(at + 1)
        if last > at:
            broken[len(out)] = out[-1], [(width * n, origins[at + n]) for n in range(len(parts))]
        at = last + 1
    return out, starts, broken


def _widths(text: Text, wide: Sequence[WideLine]) -> Iterator[int]:
    """The columns at which lines of the text may have been broken: its widest, and 80, where a known line may begin so."""
    widest = max(map(len, text.each), default=0)
    for width in dict.fromkeys((widest, _USUAL)):
        if NARROWEST <= width <= min(WIDEST, widest):
            full = [kind for kind in text.each if len(kind) == width]
            begun = [one for one in wide if any(map(one.begins.match, full))]
            if begun and any(len(line) == width and _is_part(line, begun) for line in text.lines):
                yield width


def _is_part(line: str, wide: Sequence[WideLine]) -> bool:
    """Whether a known line begins here that is not all of it."""
    return any(one.begins.match(line) and not one.whole.fullmatch(line) for one in wide)


def _joined(lines: list[str], width: int, wide: Sequence[WideLine], commands: set[int]) -> dict[int, int]:
    """All that was broken at that width, index of a line -> of its last part, in stretches of lines of which none is wider
    and one is known to be broken."""
    found: dict[int, int] = {}
    start = 0
    for end in [at for at, line in enumerate(lines) if len(line) > width] + [len(lines)]:
        if any(_is_proof(lines, at, end, width, wide) for at in range(start, end - 1) if len(lines[at]) == width):
            found |= _of_stretch(lines, start, end, width, wide, commands)
        start = end + 1
    return found


def _is_proof(lines: list[str], at: int, end: int, width: int, wide: Sequence[WideLine]) -> bool:
    """Whether the line, which fills the width, and what follows are together a line that a tool prints."""
    for one in wide:
        if one.begins.match(lines[at]) and not one.whole.fullmatch(lines[at]):
            line, last = lines[at], at
            while len(lines[last]) == width and last + 1 < min(end, at + _PARTS) and not _is_new(lines[last + 1], wide):
                last += 1
                line += lines[last]
                if one.whole.fullmatch(line):
                    return True
    return False


def _is_new(line: str, wide: Sequence[WideLine]) -> bool:
    """Whether a line cannot be the rest of another: it is blank, or begins as known lines do."""
    return not line.strip() or any(one.begins.match(line) for one in wide)


def _of_stretch(lines: list[str], start: int, end: int, width: int, wide: Sequence[WideLine], commands: set[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    at = start
    while at < end:
        last = at
        while last + 1 < min(end, at + _PARTS) and _goes_on(lines, last, width, wide, commands):
            last += 1
        if last > at:
            found[at] = last
        at = last + 1
    return found


def _goes_on(lines: list[str], at: int, width: int, wide: Sequence[WideLine], commands: set[int]) -> bool:
    """Whether the line was broken: it fills the width, or did so and is part of a known line, and what follows is no new one."""
    line, more = lines[at], lines[at + 1]
    if at + 2 in commands or _is_new(more, wide):
        return False
    if len(line) == width:
        return re.sub(r"\d", "0", line) != re.sub(r"\d", "0", more)  # rows of a table that is just as wide
    if width - _STRIPPED <= len(line) < width:
        whole = line.ljust(width) + more
        return any(one.begins.match(line) and one.whole.fullmatch(whole) and not one.whole.fullmatch(line) for one in wide)
    return False
