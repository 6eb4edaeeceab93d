"""The command of a timing: by the timing itself, by the prompt above it, or by timed commands on plain lines above it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers._shell_command import join_continuations
from ingest.parsers.copies._dd_command import join_wrapped_command
from ingest.parsers.copies._timing import Timing, time_lines
from ingest.parsers.copies._timing_command import (
    TimedCommand,
    count_timers,
    has_loop,
    is_background,
    is_concurrent,
    may_be_timed,
    merge_concurrent,
    order_in_loop,
    parse_timed_command,
)
from ingest.text.lines import ShownCommand, Text

_UNTIMED = lazy(r"^[^\n]{0,100}[$#%>]\s{1,4}(?=(?:sudo\s+)?(?:cp|rsync|tar|rm|find)\s+\S)")
_WAITS = lazy(r"(?:wait|fg|jobs|sleep|sync)\b")
_PROMPT = lazy(r"^[\s>+]*(?:[^\n]{0,100}?[$#%]\s+(?=\\?time\b|/|(?:for|while|until)\b))?")
_MAX_DISTANCE, _MAX_COMMANDS = 6, 100  # lines from one command of a list to the next; commands of a list
_MAX_LOOP = 20  # lines from the head of a loop to its last timed command
_LOOP_LINE = lazy(r"(?:[^\n]*[;&|({]\s*)?(?:time\s+)?(?:for\s+\w+\s+in\b|for\s*\(\(|while\s|until\s)|\s*(?:do|done)\b")
_MAX_BLANK = 2  # lines between a timing and a command without `time`


@dataclass
class PlainCommands:
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


def find_command(text: Text, timing: Timing, plain_commands: PlainCommands, last_line: int) -> TimedCommand | None:
    """The command by the timing itself, by the prompt above it, or by timed commands on plain lines above it."""
    if timing.command:
        return parse_timed_command(timing.command, timing.line)
    prompt = text.command_for(timing.line)
    if loop := _find_loop(text.lines, timing, plain_commands, prompt.line if prompt else 0):
        return _find_in_loop(loop, timing, plain_commands)
    return _find_outside_loops(text, timing, plain_commands, prompt, last_line)


def _find_outside_loops(
    text: Text, timing: Timing, plain_commands: PlainCommands, prompt: ShownCommand | None, last_line: int
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


def _find_loop(lines: Sequence[str], timing: Timing, plain_commands: PlainCommands, first: int) -> dict[int, str]:
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


def _find_in_loop(loop: Mapping[int, str], timing: Timing, plain_commands: PlainCommands) -> TimedCommand | None:
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


def _find_concurrent(text: Text, timing: Timing, plain_commands: PlainCommands) -> TimedCommand | None:
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


def _count_finished(text: Text, plain_commands: PlainCommands, chain: list[int]) -> int:
    """How many commands of a chain had all their timings before the rest of them began."""
    for position in range(len(chain) - 1, 0, -1):
        timings = len(plain_commands.between(chain[0], chain[position]))
        if timings and timings >= sum(count_timers(text.lines[line - 1]) for line in chain[:position]):
            return position
    return 0


def _find_listed(lines: Sequence[str], timing: Timing, plain_commands: PlainCommands) -> TimedCommand | None:
    """The command at the timing's place in a list of commands, as scripts and posts show above as many timings."""

    def follows(first: int, second: int) -> bool:
        return second - first <= _MAX_DISTANCE and not any(line.strip(" \t>") for line in lines[first : second - 1])

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
