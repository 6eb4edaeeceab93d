"""time, in every shell: elapsed, user and system time of a timed command.

Shapes of time (name | versions | units | traps):
    three lines | bash, ksh, POSIX -p, BusyBox, Solaris | seconds, 1m2.345s, 1m 2.34s, 1:02.3 | decimal comma
    one line | GNU, BSD, macOS, OpenBSD ksh, mksh | seconds, m:ss.cc | ?%CPU where nothing was measured
    csh line | csh, tcsh | seconds, m:ss.cc | set time: no word time in the command
    zsh line | zsh | seconds, h:mm:ss.cc | one line for each part of a pipe
    block | GNU time -v, fish, PowerShell's Measure-Command | seconds; hours to micros
    own format | bash TIMEFORMAT, zsh TIMEFMT, tcsh set time, GNU time -f | as the format says | only where the text shows the
        format

Source: bash.1, zshparam.1, tcsh.1, csh.1, ksh93.1, time.1 of GNU, FreeBSD, OpenBSD and illumos, POSIX time, BusyBox time.c,
fish time.rst, Measure-Command of PowerShell
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.parsers.copies._dd_output import RECORD_COUNT, parse_summary
from ingest.parsers.copies._timing import Timing, find_formatted_timings, time_lines
from ingest.parsers.copies._timing_command import ENDED_STATUSES, TimedCommand, shows_timed_command
from ingest.parsers.copies._timing_lookup import PlainCommands, find_command
from ingest.parsers.copies._timing_output import ANCHOR, find_cut_timing, find_timings
from ingest.plugin_api import Parser
from ingest.records import ABOVE, BELOW, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

_TOTAL = lazy(r"\btotal size is (\d[\d,.]{0,40})[kKMGTP]?\s{1,4}speedup is |\btotal size is .{1,60}speedup is ")
_FDTREE = lazy(r"^(?:-e )?\s*Directory removals per second\s+=")
_GNU_DIGIT = 0.01  # s: the last digit that GNU time prints
_STATUS_LINE = lazy(r"Command (?:exited with non-zero status (\d{1,3})|terminated by signal (\d{1,2}))\s*\Z")
_UNITS = {"us": 1e-6, "ms": 1e-3, "min": 60.0, "h": 3600.0}
_SUMMARY_LINES, _MAX_DISTANCE = 3, 6  # lines of a summary with text; lines between it and the timing


class _ToolSummary(NamedTuple):
    """A tool's own summary above a timing: where it begins, the sizes it prints and the line with them."""

    tool: str
    line: int
    sizes: dict[str, int]
    size_line: int


def parse(text: Text) -> Iterator[Found]:
    """Every timing of the text with its command, in line order."""
    timings = _collect(text)
    for timing in timings:
        timing.exit_status = timing.exit_status or _status_above(text.lines, timing.line)
    plain_commands = PlainCommands([index + 1 for index in text.find_lines(shows_timed_command)]) if timings else PlainCommands()
    for timing in timings:
        plain_commands.add(timing)
    last_line = 0
    previous: tuple[Timing, TimedCommand | None] | None = None
    for timing in timings:
        command, run, depends = _resolve(text, timing, plain_commands, last_line)
        if previous and _continues(previous[0], timing):
            command, depends = command or previous[1], (*depends, *time_lines([previous[0]]))
        previous = timing, command
        yield from _make_records(timing, command, run, depends)
        last_line = timing.last_line
    cut = find_cut_timing(text.lines)
    if cut > last_line and cut not in time_lines(timings):
        yield Doubt(cut, "cut", "a timing is cut off on this line; nothing on the line was recorded")


def _status_above(lines: Sequence[str], line: int) -> int:
    """The exit status that GNU time prints above the times, of a signal as the shell has it; 0 without one."""
    match = _STATUS_LINE.match(lines[line - 2].strip(" \t>|")) if line > 1 else None
    return 0 if match is None else int(match[1]) if match[1] else 128 + int(match[2])


def _collect(text: Text) -> list[Timing]:
    """The timings in fixed formats, and those in formats set by the text where no other is on their line."""
    fixed = list(find_timings(text))
    lines = set(time_lines(fixed))
    return sorted([*fixed, *(t for t in find_formatted_timings(text) if t.line not in lines)], key=lambda t: t.line)


def _continues(previous: Timing, timing: Timing) -> bool:
    """Whether it is the rest of the previous timing, of which a line is damaged or missing."""
    if timing.is_complete and previous.is_complete:
        return False
    distance = timing.line - previous.last_line
    return distance <= 1 or (distance == 2 and "sys" not in previous.times and "elapsed" not in timing.times)


def _make_records(timing: Timing, command: TimedCommand | None, run: int, depends: tuple[int, ...]) -> Iterator[Found]:
    """The doubts and measurements of a timing. Nothing is measured where GNU time prints ?% (no time passed), nor of a command
    that was ended from outside: it would have taken longer."""
    elapsed = timing.times.get("elapsed")
    is_too_short = timing.cpu == "?" and elapsed is not None and elapsed.seconds == 0
    if is_too_short:
        yield Doubt(timing.line, "unmeasured", "the command took less time than the clock of time can measure (?%CPU)")
    else:
        yield from _doubts(timing, command)
    params = {**(command.params if command else {}), "timer": _find_timer(timing, command)}
    if timing.cpu and timing.cpu != "?":
        params["cpu_percent"] = timing.cpu
    if command:
        params["command"] = command.text
    operation, tool = (command.operation, command.tool) if command else ("run", "time")
    format_line = (timing.format_line,) if timing.format_line else ()
    depends = tuple(dict.fromkeys([*depends, *format_line, *timing.evidence, *[time.line for time in timing.times.values()]]))
    for quantity, (line, native, raw, seconds) in sorted(timing.times.items(), key=lambda item: item[1].line):
        value = Value(
            line,
            tool,
            f"{operation}.{quantity}",
            native,
            seconds,
            "s",
            raw=raw,
            raw_unit=_find_unit(raw, seconds),
            run=run,
            params=params,
            depends=depends,
        )
        if is_too_short:
            yield MissingValue.instead_of(value, ZERO_TIME, _GNU_DIGIT, BELOW)
        elif timing.exit_status in ENDED_STATUSES:
            bound = seconds if quantity == "elapsed" else None
            yield MissingValue.instead_of(value, NOT_FINISHED, bound, None if bound is None else ABOVE)
        else:
            yield value


def _find_timer(timing: Timing, command: TimedCommand | None) -> str:
    """What timed the command: by name where it is a program of SunOS, whose format is also that of shells, else the format."""
    is_named = command and command.timer in ("ptime", "timex") and timing.timer in ("posix", "solaris")
    return command.timer if command and is_named else timing.timer


def _doubts(timing: Timing, command: TimedCommand | None) -> Iterator[Doubt]:
    """What is doubtful about a timing."""
    if command is None:
        yield Doubt(timing.line, "no-command", "the output does not show which command was timed")
    elif command.ambiguous:
        yield Doubt(timing.line, "ambiguous", "several commands ran at the same time, and it is unclear which one this timed")
    if not timing.is_complete:
        yield Doubt(timing.line, "cut", f"only {', '.join(sorted(timing.times))} of elapsed, user and sys present")
    if timing.exit_status:
        yield Doubt(timing.line, "failed-run", f"the timed command ended with status {timing.exit_status}")
    if "elapsed" in timing.times and timing.times["elapsed"].seconds == 0:
        yield Doubt(timing.times["elapsed"].line, "zero-time", "an elapsed time of zero was printed")


def _find_unit(raw: str, seconds: float) -> str:
    """The unit of a printed time: seconds, except those of fish (millis, mins) and zsh (ms, us)."""
    if raw[-2:] in ("ms", "us", "ns"):
        return raw[-2:]
    parsed = None if raw[-1:] == "s" else parse_plain_number(raw)
    if parsed is None or parsed == seconds:
        return "s"
    factor = seconds / parsed if parsed else 1.0
    return next((unit for unit, size in _UNITS.items() if abs(factor / size - 1) < 1e-6), "s")


def _resolve(
    text: Text, timing: Timing, plain_commands: PlainCommands, last_line: int
) -> tuple[TimedCommand | None, int, tuple[int, ...]]:
    """The timed command, the key of its run, and the lines that identified it; `last_line`: of the timing before."""
    summary = _find_summary(text.lines, timing.line, last_line)
    command = find_command(text, timing, plain_commands, last_line)
    if command is None and summary:
        command = TimedCommand(summary.tool, summary.line, summary.tool, "copy" if summary.tool == "rsync" else "run")
    run = timing.line
    if command and summary and summary.tool == command.tool:
        run = summary.line
        for key, value in summary.sizes.items():
            command.params.setdefault(key, value)
    evidence = [command.line, *command.evidence] if command and command.line != timing.line else []
    if summary:
        evidence += [summary.line, summary.size_line]
    return command, run, tuple(dict.fromkeys(evidence))


def _find_summary(lines: Sequence[str], line: int, last_line: int) -> _ToolSummary | None:
    """The summary of rsync, dd or fdtree directly above a timing."""
    shown = 0
    for number in range(line - 1, max(last_line, line - 1 - _MAX_DISTANCE), -1):
        if not lines[number - 1].strip(" \t>"):
            continue
        shown += 1
        if summary := _read_summary(lines, number, nearest=shown == 1):
            return summary
        if shown >= _SUMMARY_LINES:
            return None
    return None


def _read_summary(lines: Sequence[str], number: int, nearest: bool) -> _ToolSummary | None:
    """The summary that ends on a 1-based line. `nearest`: it is right above the timing, where counts of dd suffice."""
    line = lines[number - 1]
    if "total size is " in line and (match := _TOTAL.search(line)):
        total = re.sub(r"[.,]", "", match[1] or "")  # empty if damaged
        sent = next((n for n in range(number - 1, max(0, number - 3), -1) if " bytes/sec" in lines[n - 1]), number)
        return _ToolSummary("rsync", sent, {"total_size": int(total)} if total and line[match.end(1)] == " " else {}, number)
    if summary := parse_summary(line, number):
        return _ToolSummary("dd", number, {"file_size": summary.octets} if summary.octets else {}, number)
    if "per second" in line and _FDTREE.match(line):
        return _ToolSummary("fdtree", number, {}, number)
    if nearest and number > 1 and "+" in line and all(map(RECORD_COUNT.search, lines[number - 2 : number])):
        return _ToolSummary("dd", number, {}, number)
    return None


# Lines wider than many terminals, by which broken lines are found.
_WIDE = (
    WideLine(
        lazy(r"\s*\S.*\s\d+[.,]\d+s user\s"), lazy(r"\s*\S.*\s\d+[.,]\d+s user \d+[.,]\d+s system \d+% cpu [\d:.,]+ total\s*")
    ),
)

PARSER = Parser(wide=_WIDE, brief=True, name="time", version=21, anchor=ANCHOR, parse=parse)
