"""Joins lines of fio's normal output that a mailer wrapped.

    j: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T)
    4096B-4096B, ioengine=libaio, iodepth=16

A line is joined with the next one or two only if it ends as no line of fio does, and is complete with them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.fio import _text_patterns as patterns
from ingest.records import Found, Value

_MAX_JOINED = 2  # lines joined to one
_MAX_DISTANCE = 4  # lines among which they stand, blank ones included
_MAX_LENGTH = 400
_MARGIN = " \t>|#+"
_NO_RANGE = sys.maxsize, sys.maxsize
_CUT_ENDS = ",=[:)"
_LINE_START = lazy(
    r"^[\s>|#+]*(?:\S[^\n]{0,200}?: \(g=\d+\): rw=|(?:slat|clat|lat|sync)(?: prio [\d/]{1,9})? \((?:nsec|usec|msec|sec)\)\s*: |"
    r"(?:bw \([^()]{1,12}\)|iops)\s*: |\|?\s*\d+\.\d+th=\[|(?:read|write|trim|mixed)\s*: (?:IOPS=|io=))"
)
_CUT_DATE = lazy(r": \(groupid=\d+, jobs=\d+\): err=.*pid=\d+:(?: \w{3}(?: \w{3}(?: +\d{1,2}(?: \d\d:\d\d:\d\d)?)?)?)?$")
_CUT_BANDWIDTH = lazy(r"^[\s>|#+]*(?:read|write|trim|mixed)\s*: IOPS=\S+ BW=\S+$")


class UnwrappedLine(NamedTuple):
    """A line as fio printed it; `starts`: offset in it and line number of each wrapped line, empty if it was not wrapped."""

    number: int
    line: str
    starts: tuple[tuple[int, int], ...] = ()


def join_wrapped_lines(lines: Sequence[str], skipped: Sequence[tuple[int, int]]) -> Iterator[UnwrappedLine]:
    """Every line that is not empty, without rules of tables at its end. `skipped`: first and last line of ranges, in order."""
    last_joined, ranges = 0, iter(skipped)
    first, last = next(ranges, _NO_RANGE)
    for number, line in enumerate(lines, 1):
        while number > last:
            first, last = next(ranges, _NO_RANGE)
        if number <= last_joined or number >= first:
            continue
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of a table
        if not line:
            continue
        if _is_wrapped(line) and (joined := _join(lines, number, line)):
            last_joined = joined.starts[-1][1]
            yield joined
        else:
            yield UnwrappedLine(number, line)


def _is_wrapped(line: str) -> bool:
    """Whether the line ends as no line of fio does: behind a comma, within brackets, before its date or its bandwidth."""
    if len(line) > _MAX_LENGTH:
        return False
    if line[-1] in _CUT_ENDS and line[-2:] != "],":
        return bool(_LINE_START.match(line) or _CUT_DATE.search(line)) and not _is_complete(line)
    if "pid=" in line:
        return bool(_CUT_DATE.search(line))
    return "BW=" in line and bool(_CUT_BANDWIDTH.match(line))


def _join(lines: Sequence[str], number: int, line: str) -> UnwrappedLine | None:
    """The line with the next ones, if they make it complete."""
    starts = [(0, number)]
    for below in range(number + 1, min(number + _MAX_DISTANCE, len(lines)) + 1):
        words = lines[below - 1].strip(_MARGIN)
        if not words:
            continue
        if (_LINE_START.match(words) and not words[0].isdigit()) or patterns.VERSION.match(words) or _is_complete(words):
            return None
        starts.append((len(line) + 1, below))
        line = f"{line} {words}"
        if _is_complete(line):
            return UnwrappedLine(number, line, tuple(starts))
        if len(starts) > _MAX_JOINED:
            return None
    return None


def _is_complete(line: str) -> bool:
    """Whether the line is one of fio's with everything that fio prints in it."""
    if direction := patterns.DIRECTION.match(line):
        return bool(patterns.NEW_RESULT.match(direction[2]) or patterns.OLD_RESULT.match(direction[2]))
    if job := patterns.JOB.search(line):
        return job[6] is not None
    if patterns.PERCENTILES_ROW.match(line):
        return line.count("[") == line.count("]")
    return bool(patterns.OPTIONS.match(line) or patterns.LATENCY.match(line) or patterns.SAMPLES.match(line))


def locate_values(items: Iterable[Found], joined: UnwrappedLine) -> Iterator[Found]:
    """The values of a joined line, each on the wrapped line that contains its figure."""
    offset = 0
    for item in items:
        if not isinstance(item, Value) or item.line != joined.number:
            yield item
            continue
        figure = re.compile(rf"(?<![\w.]){re.escape(item.raw)}(?![\d.])")
        match = figure.search(joined.line, offset) or figure.search(joined.line)
        offset = match.end() if match else offset
        start = match.start() if match else 0
        line = max(number for first, number in joined.starts if first <= start)
        yield replace(item, line=line, depends=(*item.depends, *(number for _, number in joined.starts)))
