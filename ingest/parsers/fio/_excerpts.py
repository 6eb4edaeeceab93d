"""Excerpts of fio's output: results without the line that names their job, and sums over groups.

    host1: read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)
    | NVMe | write: io=2048.0MB, bw=334678KB/s, iops=83669, runt=6266msec |

The words before such a line (a file name by grep, a cell of a table) name the job, and may name its pattern.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ingest.keys import WHOLE_PART
from ingest.lazy_regex import lazy
from ingest.parsers.fio import _text_state
from ingest.parsers.fio._groups import MAX_LISTED, common_job
from ingest.parsers.fio._job import FioColumn, FioJob, parse_suffixed
from ingest.parsers.fio._options import moved_directions
from ingest.parsers.fio._text_state import FioTextState, spell_unit, unit_factor
from ingest.records import Doubt, Found, Value

# Joins lines of fio's normal output that a mailer wrapped.
#
# j: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T)     4096B-4096B, ioengine=libaio, iodepth=16
#
# A line is joined with the next one or two only if it ends as no line of fio does, and is complete with them.

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
        if (_LINE_START.match(words) and not words[0].isdigit()) or _text_state.VERSION.match(words) or _is_complete(words):
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
    if direction := _text_state.DIRECTION.match(line):
        return bool(_text_state.NEW_RESULT.match(direction[2]) or _text_state.OLD_RESULT.match(direction[2]))
    if job := _text_state.JOB.search(line):
        return job[6] is not None
    if _text_state.PERCENTILES_ROW.match(line):
        return line.count("[") == line.count("]")
    return bool(_text_state.OPTIONS.match(line) or _text_state.LATENCY.match(line) or _text_state.SAMPLES.match(line))


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


_PATTERN = lazy(r"(?i)(?<![a-z])(rand|seq)(?:om|uential)?(?:ly)?(?:[ _-]?(?:reads?|writes?|rw))?(?![a-z])")

_RESULT_WITH_TIME = lazy(r"(?:IOPS=\d|io=[^\S\n]*\d)[^\n]*?\d+ ?m?sec")  # with the run time: no two runs print the same


def mark_excerpts(values: Sequence[Value], lines: Sequence[str]) -> None:
    """Mark values without a job as duplicates where the same line stands in a report of the same text."""
    excerpts = [value for value in values if value.params.get("pattern") == "unknown" and value.same_as is None]
    if not excerpts or len(excerpts) == len(values):
        return
    reported = {
        result[0]: value.line
        for value in values
        if value.params.get("pattern") != "unknown" and (result := _RESULT_WITH_TIME.search(lines[int(value.line) - 1]))
    }
    for value in excerpts:
        result = _RESULT_WITH_TIME.search(lines[int(value.line) - 1])
        if result and (original := reported.get(result[0])) and original != value.line:
            value.same_as, value.depends = original, (*value.depends, int(original))


def job_name_of_label(label: str) -> str:
    """The name of the job in the words before its line."""
    return " ".join(label.replace("|", " ").strip(" \t>#+*:`-").split())


def _labelled_job(state: FioTextState, direction: str, number: int, label: str) -> FioJob:
    """The job of a line behind a label; where the label names another pattern than the command, that was of another run."""
    job = state.command.make_job(direction, number)
    words = {match[1].lower() for match in _PATTERN.finditer(label)}
    if len(words) == 1:
        pattern = ("rand" if words == {"rand"} else "") + direction
        if job.pattern != pattern:
            job = FioJob(label, number, pattern=pattern)
    elif words:
        job = FioJob(label, number)
    job.name, job.version = label or job.name, state.version
    job.run = number, job.name
    if state.version_line:
        job.depends = (*job.depends, state.version_line)
    return job


def begin_excerpt(state: FioTextState, direction: str, number: int, label: str = "") -> Iterator[Doubt]:
    """Begin the job of a result that stands alone: that of the command above, if there is one.

    Another direction behind the same label is of the same job.
    """
    is_same_job = bool(label) and state.is_excerpt and state.job is not None and state.job.name == label
    if is_same_job and direction not in state.directions:
        return
    job = (None if label or state.has_results else _header_job(state, direction, "0", number)) or _labelled_job(
        state, direction, number, label
    )
    state.begin_job(job, is_excerpt=True)
    state.has_command_options = False
    if job.pattern is None:
        yield Doubt(number, "no-command", "the line that names the job is missing, so the pattern is unknown")


class _Sum(NamedTuple):
    """The sum over a group as printed; `is_old`: in the form of 1.x and 2.x."""

    title: str
    raw: str
    unit: str
    is_old: bool

    @property
    def direction(self) -> str:
        return self.title.lower()

    def value(self, is_old: bool) -> float | None:
        """B/s, None if number or unit cannot be read."""
        factor, number = unit_factor(self.unit, is_old), parse_suffixed(self.raw)
        return None if factor is None or number is None else number * factor

    def column(self, is_old: bool, part: str) -> FioColumn:
        unit = spell_unit(self.unit, is_old)
        return FioColumn("throughput", "bw", "B/s", unit, part=part, native=f"{self.title} bw")


def _read_sum(title: str, bandwidth: str | None, unit: str, aggregate: str | None, old_unit: str) -> _Sum:
    """The sum of a match: bandwidth and unit of 3.x, or those of 1.x and 2.x."""
    return _Sum(title, bandwidth or aggregate or "", unit or old_unit, aggregate is not None)


def read_labelled_total(state: FioTextState, match: re.Match[str], number: int) -> Iterator[Value]:
    """The sum of a run behind its label, such as a cell of a table."""
    label, *cells = match.groups()
    total = _read_sum(*cells)
    value = total.value(total.is_old)
    if value is not None:
        job = _labelled_job(state, total.direction, number, job_name_of_label(label))
        yield job.value(number, total.direction, total.column(total.is_old, WHOLE_PART), value, total.raw)


def read_group_total(state: FioTextState, match: re.Match[str], number: int) -> Iterator[Found]:
    """The sum over the jobs of a group: a duplicate if there is but one job."""
    total = _read_sum(*match.groups())
    group, group_line = state.group or ("", number)
    is_old = state.is_old or total.is_old
    value, jobs = total.value(is_old), state.group_jobs(group)
    if value is None:
        yield Doubt(number, "unread", f"{total.title} of group {group}: no number with a unit")
        return
    reported = state.reported.get((group, total.direction), [])
    if reported and not jobs and state.options:
        yield Doubt(number, "no-header", f"{total.title} of group {group} belongs to no job here")
        return
    if not reported or not jobs:
        if jobs or state.options:
            yield Doubt(number, "cut", f"{total.title}: the lines of its jobs were left out; the sum was recorded")
        yield _excerpt_total(state, total, number)
        return
    if len(reported) == 1:
        (own,) = reported
        item = jobs[-1].value(number, total.direction, total.column(state.is_old, ""), value, total.raw)
        printed = total.raw + total.unit
        last_digit = (unit_factor(total.unit, is_old) or 0) / 10 ** len(total.raw.partition(".")[2])  # 1.x and 2.x cut off
        if own.printed != printed and abs(own.value - value) > 0.005 * own.value + last_digit:
            yield Doubt(number, "disagree", f"{total.title} of group {group}: {printed}, the job's line says {own.printed}")
            return
        item.same_as = own.line
    else:
        whole = common_job(jobs, group_line)
        params = {"processes": sum(job.params.get("processes", 1) for job in jobs)}
        item = whole.value(number, total.direction, total.column(state.is_old, WHOLE_PART), value, total.raw, params=params)
        item.depends = tuple({depend for job in jobs[:MAX_LISTED] for depend in job.depends})
        state.totalled.add((state.report, group))
    item.depends = (*item.depends, group_line, *(own.line for own in reported))
    yield item


def _header_job(state: FioTextState, direction: str, group: str, line: int) -> FioJob | None:
    """What the lines above the results, which fio prints first, say of a group's jobs; None where none of them is of the group."""
    options = {name: given for (name, own_group), given in state.group_options.items() if own_group == group}
    if not options:
        return None
    jobs = [
        FioJob(name, line, state.version, given.pattern, group, params=given.params, implied=given.implied)
        for name, given in options.items()
    ]
    job = common_job(jobs, line)
    if len(jobs) > 1:
        job.drop_implied("processes")
    job.depends = (
        line,
        *(given.line for given in options.values() if given.line),
        *((state.version_line,) if state.version_line else ()),
        *state.header_lines,
    )
    if direction not in moved_directions(job.pattern):
        job.pattern = None
    if "processes" not in job.params and len({own_group for _, own_group in state.group_options}) == 1 and state.started_processes:
        job.params["processes"] = state.started_processes
    return job


def _excerpt_total(state: FioTextState, total: _Sum, number: int) -> Value:
    """The sum of a group whose jobs the text does not show; the pattern is that of the options above, or of the command."""
    value = total.value(total.is_old) or 0.0
    group, line = state.group or ("", number)
    job = _header_job(state, total.direction, group or "0", line)
    if job is None:
        job = state.command.make_job(total.direction, number, group)
        if state.group is not None:
            name = job.name if job.pattern else f"group {group}"
            job = replace(job, name=name, line=line, group=group, depends=(*job.depends, line))
    return job.value(number, total.direction, total.column(total.is_old, WHOLE_PART), value, total.raw)
