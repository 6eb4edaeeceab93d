"""Excerpts of fio's output: results without the line that names their job, and sums over groups.

    host1: read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)
    | NVMe | write: io=2048.0MB, bw=334678KB/s, iops=83669, runt=6266msec |

The words before such a line (a file name by grep, a cell of a table) name the job, and may name its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.fio._job import FioColumn, FioJob, parse_suffixed
from ingest.parsers.fio._text_state import FioTextState, spell_unit, unit_factor
from ingest.records import Doubt, Found, Value

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
    job = _labelled_job(state, direction, number, label)
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
        yield job.value(number, total.direction, total.column(total.is_old, "group"), value, total.raw)


def read_group_total(state: FioTextState, match: re.Match[str], number: int) -> Iterator[Found]:
    """The sum over the jobs of a group: a duplicate if there is but one job."""
    total = _read_sum(*match.groups())
    group, group_line = state.group or ("", number)
    is_old = state.is_old or total.is_old
    value, job = total.value(is_old), state.group_jobs.get(group)
    if value is not None and not (state.group_jobs or state.options):
        yield _excerpt_total(state, total, number)
        return
    if job is None or value is None:
        yield Doubt(number, "no-header" if job is None else "unread", f"{total.title} of group {group} belongs to no job here")
        return
    reported = state.reported.get((group, total.direction), [])
    if not reported:
        yield Doubt(number, "no-header", f"{total.title} of group {group}: the line of the job itself is missing")
        return
    has_one_job = len(reported) == 1
    column = total.column(state.is_old, "" if has_one_job else "group")
    params = {} if has_one_job else {"processes": len(reported)}
    item = job.value(number, total.direction, column, value, total.raw, params=params)
    if has_one_job:
        (own,) = reported
        printed = total.raw + total.unit
        if own.printed != printed and abs(own.value - value) > 0.005 * own.value:
            yield Doubt(number, "disagree", f"{total.title} of group {group}: {printed}, the job's line says {own.printed}")
            return
        item.same_as = own.line
    item.depends = (*item.depends, group_line, *(own.line for own in reported))
    yield item


def _excerpt_total(state: FioTextState, total: _Sum, number: int) -> Value:
    """The sum of a group in a text that shows no job; the pattern is that of the command."""
    value = total.value(total.is_old) or 0.0
    job = state.command.make_job(total.direction, number, state.group[0] if state.group else "")
    if state.group is not None:
        group, line = state.group
        name = job.name if job.pattern else f"group {group}"
        job = FioJob(name, line, None, job.pattern, group, params=job.params, depends=(*job.depends, line))
    return job.value(number, total.direction, total.column(total.is_old, "group"), value, total.raw)
