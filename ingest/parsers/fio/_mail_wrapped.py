"""Lines of fio's normal output that a mailer broke, put together again.

    j: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T)
    4096B-4096B, ioengine=libaio, iodepth=16

A line is joined with the next one or two only where it ends as no line of fio does, and is whole with them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.fio import _text_patterns as lines
from ingest.records import Doubt, Value

_MOST = 2  # further lines
_NEAR = 4  # among so many, since a blank line may stand between them
_LONGEST = 400
_MARGIN = " \t>|#+"
_NEVER = sys.maxsize, sys.maxsize
_ENDS = ",=[:)"
_OPEN = lazy(
    r"^[\s>|#+]*(?:\S[^\n]{0,200}?: \(g=\d+\): rw=|(?:slat|clat|lat|sync)(?: prio [\d/]{1,9})? \((?:nsec|usec|msec|sec)\)\s*: |"
    r"(?:bw \([^()]{1,12}\)|iops)\s*: |\|?\s*\d+\.\d+th=\[|(?:read|write|trim|mixed)\s*: (?:IOPS=|io=))"
)
_DATELESS = lazy(r": \(groupid=\d+, jobs=\d+\): err=.*pid=\d+:(?: \w{3}(?: \w{3}(?: +\d{1,2}(?: \d\d:\d\d:\d\d)?)?)?)?$")
_BANDLESS = lazy(r"^[\s>|#+]*(?:read|write|trim|mixed)\s*: IOPS=\S+ BW=\S+$")


class UnwrappedLine(NamedTuple):
    """A line as fio printed it; `starts`: where in it each of the broken lines begins, and the number of that line."""

    number: int
    line: str
    starts: tuple[tuple[int, int], ...] = ()


def join_wrapped_lines(text: Sequence[str], inside: Sequence[tuple[int, int]]) -> Iterator[UnwrappedLine]:
    """Every line that is not empty, without cells' rules at its end. `inside`: first and last lines to pass over, in order."""
    taken, skip = 0, iter(inside)
    first, last = next(skip, _NEVER)
    for number, line in enumerate(text, 1):
        while number > last:
            first, last = next(skip, _NEVER)
        if number <= taken or number >= first:
            continue
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of somebody's table
        if not line:
            continue
        if _goes_on(line) and (whole := _join(text, number, line)):
            taken = whole.starts[-1][1]
            yield whole
        else:
            yield UnwrappedLine(number, line)


def _goes_on(line: str) -> bool:
    """Whether the line ends as no line of fio does: behind a comma, within brackets, before its date or its bandwidth."""
    if len(line) > _LONGEST:
        return False
    if line[-1] in _ENDS and line[-2:] != "],":
        return bool(_OPEN.match(line) or _DATELESS.search(line)) and not _is_whole(line)
    if "pid=" in line:
        return bool(_DATELESS.search(line))
    return "BW=" in line and bool(_BANDLESS.match(line))


def _join(text: Sequence[str], number: int, line: str) -> UnwrappedLine | None:
    starts = [(0, number)]
    for at in range(number, min(number + _NEAR, len(text))):
        more = text[at].strip(_MARGIN)
        if not more:
            continue
        if (_OPEN.match(more) and not more[0].isdigit()) or lines.VERSION.match(more) or _is_whole(more):
            return None
        starts.append((len(line) + 1, at + 1))
        line = f"{line} {more}"
        if _is_whole(line):
            return UnwrappedLine(number, line, tuple(starts))
        if len(starts) > _MOST:
            return None
    return None


def _is_whole(line: str) -> bool:
    if found := lines.DIRECTION.match(line):
        return bool(lines.NEW.match(found[2]) or lines.OLD.match(found[2]))
    if found := lines.JOB.search(line):
        return found[6] is not None
    if lines.PERCENT_ROW.match(line):
        return line.count("[") == line.count("]")
    return bool(lines.OPTIONS.match(line) or lines.LATENCY.match(line) or lines.SAMPLES.match(line))


def locate_values(items: Iterator[Value | Doubt], whole: UnwrappedLine) -> Iterator[Value | Doubt]:
    """The values of a joined line, each on the broken line that holds its figure."""
    at = 0
    for item in items:
        if not isinstance(item, Value) or item.line != whole.number:
            yield item
            continue
        figure = re.compile(rf"(?<![\w.]){re.escape(item.raw)}(?![\d.])")
        found = figure.search(whole.line, at) or figure.search(whole.line)
        at = found.end() if found else at
        line = max(number for start, number in whole.starts if start <= (found.start() if found else 0))
        yield replace(item, line=line, depends=(*item.depends, *(number for _, number in whole.starts)))
