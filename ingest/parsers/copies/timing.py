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
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.parsers._shell_command import join_continuations
from ingest.parsers.copies._dd_command import join_wrapped_command
from ingest.parsers.copies._dd_output import RECORD_COUNT, parse_summary
from ingest.parsers.copies._timing import Timing, find_formatted_timings, time_lines
from ingest.parsers.copies._timing_command import (
    ENDED_STATUSES,
    TimedCommand,
    count_timers,
    has_loop,
    is_background,
    is_concurrent,
    may_be_timed,
    merge_concurrent,
    order_in_loop,
    parse_timed_command,
    shows_timed_command,
)
from ingest.parsers.copies._timing_output import ANCHOR, find_cut_timing, find_timings
from ingest.plugin_api import Parser
from ingest.records import ABOVE, BELOW, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import ShownCommand, Text

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
    plain_commands = _PlainCommands([index + 1 for index in text.find_lines(shows_timed_command)]) if timings else _PlainCommands()
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
    text: Text, timing: Timing, plain_commands: _PlainCommands, last_line: int
) -> tuple[TimedCommand | None, int, tuple[int, ...]]:
    """The timed command, the key of its run, and the lines that identified it; `last_line`: of the timing before."""
    summary = _find_summary(text.lines, timing.line, last_line)
    command = _find_command(text, timing, plain_commands, last_line)
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


# The command of a timing: by the timing itself, by the prompt above it, or by timed commands on plain lines above it.

_UNTIMED = lazy(r"^[^\n]{0,100}[$#%>]\s{1,4}(?=(?:sudo\s+)?(?:cp|rsync|tar|rm|find)\s+\S)")
_WAITS = lazy(r"(?:wait|fg|jobs|sleep|sync)\b")
_PROMPT = lazy(r"^[\s>+]*(?:[^\n]{0,100}?[$#%]\s+(?=\\?time\b|/|(?:for|while|until)\b))?")
_MAX_GAP, _MAX_COMMANDS = 6, 100  # lines from one command of a list to the next; commands of a list
_MAX_LOOP = 20  # lines from the head of a loop to its last timed command
_LOOP_LINE = lazy(r"(?:[^\n]*[;&|({]\s*)?(?:time\s+)?(?:for\s+\w+\s+in\b|for\s*\(\(|while\s|until\s)|\s*(?:do|done)\b")
_MAX_BLANK = 2  # lines between a timing and a command without `time`


@dataclass
class _PlainCommands:
    """Timed commands outside a transcript: their lines, and the timings below each.

    `series`: number of commands above -> timings before the next command. `answered`: line -> timings assigned so far.
    `whole`: number of commands above -> whether those timings are complete. `ends`: the last line of each timing.
    `loops`: line of a command -> the lines of its loop down to it, by number; empty where it is of none.
    """

    lines: list[int] = field(default_factory=list)
    answered: dict[int, int] = field(default_factory=dict)
    series: dict[int, list[Timing]] = field(default_factory=dict)
    whole: dict[int, set[bool]] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    loops: dict[int, dict[int, str]] = field(default_factory=dict)

    def add(self, timing: Timing) -> None:
        """Add a timing to those below the nearest command above it."""
        above = bisect_left(self.lines, timing.line)
        self.series.setdefault(above, []).append(timing)
        self.whole.setdefault(above, set()).add(timing.is_complete)
        self.ends.append(timing.last_line)

    def after_last(self, timing: Timing) -> list[Timing]:
        """The timings between the same two commands as this one."""
        return self.series[bisect_left(self.lines, timing.line)]

    def between(self, first: int, last: int) -> list[Timing]:
        """The timings between the commands on two lines."""
        places = range(bisect_left(self.lines, first) + 1, bisect_left(self.lines, last) + 1)
        return [timing for place in places for timing in self.series.get(place, ())]

    def next_position(self, line: int) -> int:
        """The 0-based position of a timing among those of the command line on a line; counts it."""
        self.answered[line] = self.answered.get(line, 0) + 1
        return self.answered[line] - 1

    def chain_above(self, number: int, joins: Callable[[int, int], bool]) -> list[int]:
        """The nearest line above a line, and those before it while each joins the next; at most `_MAX_COMMANDS`."""
        start = end = bisect_left(self.lines, number)
        start -= start > 0
        while 0 < start < end and end - start < _MAX_COMMANDS and joins(self.lines[start - 1], self.lines[start]):
            start -= 1
        return self.lines[start:end]


def _find_command(text: Text, timing: Timing, plain_commands: _PlainCommands, last_line: int) -> TimedCommand | None:
    """The command by the timing itself, by the prompt above it, or by timed commands on plain lines above it."""
    if timing.command:
        return parse_timed_command(timing.command, timing.line)
    prompt = text.command_for(timing.line)
    if loop := _find_loop(text.lines, timing, plain_commands, prompt.line if prompt else 0):
        return _find_in_loop(loop, timing, plain_commands)
    return _find_outside_loops(text, timing, plain_commands, prompt, last_line)


def _find_outside_loops(
    text: Text, timing: Timing, plain_commands: _PlainCommands, prompt: ShownCommand | None, last_line: int
) -> TimedCommand | None:
    """The command of a timing whose nearest timed command above is of no loop."""
    timers = count_timers(prompt.text) if prompt else 0
    if prompt and timers:
        position = plain_commands.next_position(prompt.line)
        if position < timers or has_loop(prompt.text):
            return _parse_or_merge(text.lines, prompt.line, prompt.text, position % timers)
        if is_concurrent(prompt.text):
            return None
    if prompt is None or not prompt.text or _WAITS.match(prompt.text):
        concurrent = _find_concurrent(text, timing, plain_commands)
        if concurrent:
            return concurrent
    if prompt is None and not text.commands and (listed := _find_listed(text.lines, timing, plain_commands)):
        return listed
    line = _find_plain_line(text.lines, timing, plain_commands.lines, prompt.line if prompt else 0, last_line)
    if line:
        return _parse_or_merge(text.lines, line, re.sub(r"^[\s>+]+", "", text.lines[line - 1]))
    if prompt and prompt.line > last_line and not timers and may_be_timed(prompt.text):
        return parse_timed_command(prompt.text, prompt.line)
    return None if prompt else _find_untimed(text.lines, timing.line, last_line)


def _find_loop(lines: Sequence[str], timing: Timing, plain_commands: _PlainCommands, first: int) -> dict[int, str]:
    """The commands of a loop down to the nearest timed one above, by line, if it begins on line `first` or below; else empty."""
    above = bisect_left(plain_commands.lines, timing.line)
    line = plain_commands.lines[above - 1] if above else 0
    if not line or line < max(first, timing.format_line):
        return {}
    if line not in plain_commands.loops:
        start, ended = line, bisect_left(plain_commands.ends, line)
        least = max(first, line - _MAX_LOOP, plain_commands.ends[ended - 1] + 1 if ended else 1)
        while start > least and lines[start - 2].strip():
            start -= 1
        block = {number: _PROMPT.sub("", lines[number - 1]).rstrip() for number in range(start, line + 1)}
        timed = set(plain_commands.lines[bisect_left(plain_commands.lines, start) : above])
        loop = {number: text for number, text in block.items() if number in timed or _LOOP_LINE.match(text)}
        is_loop = any(map(_LOOP_LINE.match, loop.values())) and any(re.search(r"\bdo\b", text) for text in loop.values())
        plain_commands.loops[line] = loop if is_loop else {}
    return plain_commands.loops[line]


def _find_in_loop(loop: Mapping[int, str], timing: Timing, plain_commands: _PlainCommands) -> TimedCommand | None:
    """The command of a loop whose timing it is, by its place among the timings below; None where their number does not show it."""
    lines, text, series = list(loop), "; ".join(loop.values()), plain_commands.after_last(timing)
    if is_concurrent(text):
        return merge_concurrent([text], lines[-1])
    order, position, count = order_in_loop(text), plain_commands.next_position(lines[-1]), len(series)
    if order is None:
        return None
    before, inside, after = order
    timers = len(before) + len(inside) + len(after)
    if timers > 1 and len(plain_commands.whole[bisect_left(plain_commands.lines, timing.line)]) > 1:
        return None  # a damaged timing may count twice, or not at all
    rounds = count - len(before) - len(after)
    if (before or after) and (rounds < 0 or (rounds and not inside) or (inside and rounds % len(inside))):
        return None
    if position < len(before):
        timer = before[position]
    elif position >= count - len(after):
        timer = after[position - count]
    elif inside:
        timer = inside[(position - len(before)) % len(inside)]
    else:
        return None
    command = parse_timed_command(text, lines[-1], timer)
    return _with_evidence(command, lines, series[:_MAX_COMMANDS] if timers > 1 else [])


def _find_plain_line(
    lines: Sequence[str], timing: Timing, command_lines: Sequence[int], prompt_line: int, last_line: int
) -> int | None:
    """The nearest timed command on a plain line above, if neither a timing nor a prompt separates it from this timing.

    The first command of the text may also be the prompt's own, and a loop has several timings.
    """
    above = bisect_left(command_lines, timing.line)
    if not above or command_lines[above - 1] < timing.format_line:  # a command before the format was set does not print in it
        return None
    line = command_lines[above - 1]
    if line > max(last_line, prompt_line):
        return line
    if line >= prompt_line and (has_loop(lines[line - 1]) or (line == command_lines[0] and line > last_line)):
        return line
    return None


def _parse_or_merge(lines: Sequence[str], line: int, command: str, position: int = 0) -> TimedCommand | None:
    """The command at a position of a command line with its continuation lines; what all have in common if concurrent."""
    if is_concurrent(command):
        return merge_concurrent([command], line)
    command, last = join_continuations(lines, line, command, " \t>")
    if last == line and "dd" in command:
        command, _ = join_wrapped_command(lines, line - 1, command)
    timed = parse_timed_command(command, line, position)
    if timed and last > line:
        timed.evidence = tuple(range(line + 1, last + 1))
    return timed


def _find_concurrent(text: Text, timing: Timing, plain_commands: _PlainCommands) -> TimedCommand | None:
    """The merged commands above that ran at once (all but the last with `&`), while timings of them are missing."""

    def run_at_once(first: int, second: int) -> bool:
        return is_background(text.lines[first - 1]) and not _has_wait(text.lines[first:second])

    chain = plain_commands.chain_above(timing.line, run_at_once)
    lines = chain[_count_finished(text, plain_commands, chain) :]
    if len(lines) < 2 and not (lines and is_background(text.lines[lines[0] - 1])):
        return None
    if plain_commands.next_position(lines[0]) >= sum(count_timers(text.lines[line - 1]) for line in lines):
        return None
    command = merge_concurrent([_PROMPT.sub("", text.lines[line - 1]) for line in lines], lines[-1])
    series = [*plain_commands.between(chain[0], chain[-1]), *plain_commands.after_last(timing)]
    return _with_evidence(command, chain, series)


def _count_finished(text: Text, plain_commands: _PlainCommands, chain: list[int]) -> int:
    """How many commands of a chain had all their timings before the rest of them began."""
    for position in range(len(chain) - 1, 0, -1):
        timings = len(plain_commands.between(chain[0], chain[position]))
        if timings and timings >= sum(count_timers(text.lines[line - 1]) for line in chain[:position]):
            return position
    return 0


def _find_listed(lines: Sequence[str], timing: Timing, plain_commands: _PlainCommands) -> TimedCommand | None:
    """The command at the timing's place in a list of commands, as scripts and posts show above as many timings."""

    def follows(first: int, second: int) -> bool:
        return second - first <= _MAX_GAP and not any(line.strip(" \t>") for line in lines[first : second - 1])

    chain = plain_commands.chain_above(timing.line, follows)
    if any(has_loop(lines[line - 1]) for line in chain):
        return None
    timers = [(line, position) for line in chain for position in range(count_timers(lines[line - 1]))]
    series = plain_commands.after_last(timing)
    if len(timers) < 2 or len(timers) != len(series):
        return None
    line, position = timers[plain_commands.next_position(chain[0])]
    text = _PROMPT.sub("", lines[line - 1])
    command = merge_concurrent([text], line) if is_concurrent(text) else parse_timed_command(text, line, position)
    return _with_evidence(command, chain, series)


def _with_evidence(command: TimedCommand | None, lines: list[int], timings: list[Timing]) -> TimedCommand | None:
    """The command, identified by those command lines and timings."""
    if command:
        command.evidence = (*lines, *time_lines(timings))
    return command


def _has_wait(lines: Sequence[str]) -> bool:
    """Whether the shell waits for background jobs in the first 100 lines."""
    return any(line.lstrip(" \t>$#").startswith("wait") for line in lines[:100])


def _find_untimed(lines: Sequence[str], line: int, last_line: int) -> TimedCommand | None:
    """A command right above its timing that was pasted without the word `time` (or run with csh's `set time`)."""
    above = range(line - 1, max(last_line, line - 2 - _MAX_BLANK), -1)
    number = next((n for n in above if lines[n - 1].strip()), None)
    match = _UNTIMED.match(lines[number - 1]) if number else None
    return parse_timed_command(lines[number - 1][match.end() :], number) if match and number else None


PARSER = Parser(wide=_WIDE, brief=True, name="time", version=21, anchor=ANCHOR, parse=parse)
