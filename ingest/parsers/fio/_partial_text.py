"""Results that somebody picked out of fio's output: lines without the one that names their job, and sums over groups.

    host1: read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)
    | NVMe | write: io=2048.0MB, bw=334678KB/s, iops=83669, runt=6266msec |

What stands before such a line (the name of a file by grep, a cell of a table) names the job, and may tell its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.parsers.fio._job import FioJob, parse_suffixed
from ingest.parsers.fio._text_state import FioTextState, spell_unit, unit_factor
from ingest.records import Doubt, Value

_PATTERN = lazy(r"(?i)(?<![a-z])(rand|seq)(?:om|uential)?(?:ly)?(?:[ _-]?(?:reads?|writes?|rw))?(?![a-z])")

_TAIL = lazy(r"(?:IOPS=\d|io=[^\S\n]*\d)[^\n]*?\d+ ?m?sec")  # with the time that it ran: no two runs show it alike


def mark_excerpts(values: Sequence[Value], lines: Sequence[str]) -> None:
    """A line without its job that stands above or below the report from which somebody picked it tells nothing new."""
    alone = [value for value in values if value.params.get("pattern") == "unknown" and value.same_as is None]
    if not alone or len(alone) == len(values):
        return
    whole = {
        found[0]: value.line
        for value in values
        if value.params.get("pattern") != "unknown" and (found := _TAIL.search(lines[int(value.line) - 1]))
    }
    for value in alone:
        found = _TAIL.search(lines[int(value.line) - 1])
        if found and (twin := whole.get(found[0])) and twin != value.line:
            value.same_as, value.depends = twin, (*value.depends, int(twin))


def job_name_of_label(label: str) -> str:
    """The name of the job in what stands before its line."""
    return " ".join(label.replace("|", " ").strip(" \t>#+*:`-").split())


def _job(state: FioTextState, direction: str, number: int, label: str, group: str = "") -> FioJob:
    """The job of a line behind a label: where the label tells another pattern than the command, that was another run's."""
    job = state.command.job(direction, number, group)
    told = {found[1].lower() for found in _PATTERN.finditer(label)}
    if len(told) == 1:
        pattern = ("rand" if told == {"rand"} else "") + direction
        if job.pattern != pattern:
            job = FioJob(label, number, pattern=pattern)
    elif told:
        job = FioJob(label, number)
    job.name, job.version = label or job.name, state.version
    job.run = number, job.name
    if state.version_line:
        job.depends = (*job.depends, state.version_line)
    return job


def begin_excerpt(state: FioTextState, direction: str, number: int, label: str = "") -> Iterator[Doubt]:
    """A result that stands alone, as posts quote it: its job is not told, unless its command stands above."""
    same = bool(label) and state.picked and state.job is not None and state.job.name == label
    if same and direction not in state.directions:
        return
    state.job = _job(state, direction, number, label)
    state.direction, state.directions, state.kind, state.lost, state.picked = None, [], None, False, True
    state.direction_lines, state.base, state.told = [], state.job.depends, False
    if state.job.pattern is None:
        yield Doubt(number, "no-command", "the line that names the job is missing, so the pattern is unknown")


def _alone(state: FioTextState, found: re.Match[str], number: int) -> Value:
    """The sum of a group where the text shows no job at all: posts quote these lines alone. Only its command tells the pattern."""
    old = found[4] is not None
    raw, unit = found[2] or found[4], found[3] or found[5]
    job = state.command.job(found[1].lower(), number, state.group[0] if state.group else "")
    if state.group is not None:
        group, line = state.group
        name = job.name if job.pattern else f"group {group}"
        job = FioJob(name, line, None, job.pattern, group, params=job.params, depends=(*job.depends, line))
    figure = ((parse_suffixed(raw) or 0) * (unit_factor(unit, old) or 1), "B/s", raw, spell_unit(unit, old))
    return job.value(number, found[1].lower(), "throughput", f"{found[1]} bw", figure, part="group")


def read_labelled_total(state: FioTextState, found: re.Match[str], number: int) -> Iterator[Value]:
    """The sum of a run behind its label, as one cell of a row that somebody made of it."""
    label, sums, bandwidth, unit, aggregate, old_unit = found.groups()
    old = aggregate is not None
    raw, unit = bandwidth or aggregate, unit or old_unit
    factor, read = unit_factor(unit, old), parse_suffixed(raw)
    if factor is not None and read is not None:
        job = _job(state, sums.lower(), number, job_name_of_label(label))
        figure = (read * factor, "B/s", raw, spell_unit(unit, old))
        yield job.value(number, sums.lower(), "throughput", f"{sums} bw", figure, part="group")


def read_group_total(state: FioTextState, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    """The sum over the jobs of a group: the job's own figure again where there is but one."""
    group, line = state.group or ("", number)
    direction, raw, unit = found[1].lower(), found[2] or found[4], found[3] or found[5]
    job, factor, read = state.by_group.get(group), unit_factor(unit, state.old or found[4] is not None), parse_suffixed(raw)
    if factor is not None and read is not None and not (state.by_group or state.jobs):
        yield _alone(state, found, number)
        return
    if job is None or factor is None or read is None:
        yield Doubt(number, "no-header" if job is None else "unread", f"{found[1]} of group {group} cannot be placed")
        return
    own = state.reported.get((group, direction), [])
    meant = spell_unit(unit, state.old)
    if not own:
        yield Doubt(number, "no-header", f"{found[1]} of group {group}: the line of the job itself is missing")
        return
    several = len(own) != 1
    value = job.value(
        number,
        direction,
        "throughput",
        f"{found[1]} bw",
        (read * factor, "B/s", raw, meant),
        part="group" if several else "",
        params={"processes": len(own)} if several else {},
    )
    if not several:
        if own[0][1] != raw + unit and abs(own[0][0] - read * factor) > 0.005 * own[0][0]:
            yield Doubt(number, "disagree", f"{found[1]} of group {group}: {raw}{unit}, the job's line says {own[0][1]}")
            return
        value.same_as = own[0][2]
    value.depends = (*value.depends, line, *(where for *_, where in own))
    yield value
