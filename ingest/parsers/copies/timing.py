"""time around a command, in every shell: the elapsed, user and system time of what was timed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.parsers._shell_command import join_continuations
from ingest.parsers.copies import _dd_output
from ingest.parsers.copies._dd_command import join_wrapped_command
from ingest.parsers.copies._timing_command import (
    TimedCommand,
    count_timers,
    has_loop,
    is_background,
    is_concurrent,
    may_be_timed,
    merge_concurrent,
    parse_timed_command,
    shows_timed_command,
)
from ingest.parsers.copies._timing_custom_formats import find_formatted_timings
from ingest.parsers.copies._timing_output import ANCHOR, Timing, find_cut_timing, find_timings
from ingest.plugin_api import Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

_TOTAL = lazy(r"\btotal size is (\d[\d,.]{0,40})[kKMGTP]?\s{1,4}speedup is |\btotal size is .{1,60}speedup is ")
_PASTED = lazy(r"^[^\n]{0,100}[$#%>]\s{1,4}(?=(?:sudo\s+)?(?:cp|rsync|tar|rm|find)\s+\S)")
_FDTREE = lazy(r"^(?:-e )?\s*Directory removals per second\s+=")
_UNITS = {"us": 1e-6, "ms": 1e-3, "min": 60.0, "h": 3600.0}
_RSYNC_LINES, _ABOVE, _ASIDES = 3, 6, 100
_WAITS = lazy(r"(?:wait|fg|jobs|sleep|sync)\b")
_FRONT = lazy(r"^[\s>+]*(?:[^\n]{0,100}?[$#%]\s+(?=\\?time\b|/))?")


@dataclass
class _PlainCommands:
    """Timed commands that plain lines show, for texts without prompts, and how many timings each has given."""

    lines: list[int] = field(default_factory=list)
    given: dict[int, int] = field(default_factory=dict)
    series: dict[int, list[Timing]] = field(default_factory=dict)

    def after(self, timing: Timing) -> list[Timing]:
        """The timings that stand between the same two commands as this one."""
        return self.series[bisect_left(self.lines, timing.line)]

    def between(self, first: int, last: int) -> list[Timing]:
        """The timings that stand between two of the commands."""
        places = range(bisect_left(self.lines, first) + 1, bisect_left(self.lines, last) + 1)
        return [timing for place in places for timing in self.series.get(place, ())]


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every timing of the text with the command that it belongs to."""
    plain = list(find_timings(text))
    known = {part[0] for timing in plain for part in timing.parts.values()}
    found = sorted([*plain, *(t for t in find_formatted_timings(text) if t.line not in known)], key=lambda t: t.line)
    shown = _PlainCommands([at + 1 for at in text.where(shows_timed_command)]) if found else _PlainCommands()
    for timing in found:
        shown.series.setdefault(bisect_left(shown.lines, timing.line), []).append(timing)
    before, last = 0, None
    for timing in found:
        command, run, depends = _command(text, timing, shown, before)
        torn = last is not None and _goes_on(last[0], timing)
        if torn and last:
            command, depends = command or last[1], (*depends, *(part[0] for part in last[0].parts.values()))
        last = timing, command
        idle = timing.cpu == "?" and not timing.parts.get("elapsed", (0, "", "", 1.0))[3]
        yield from _unmeasured(timing) if idle else _values(timing, command, run, depends)
        before = timing.last
    last_line = find_cut_timing(text.lines)
    if last_line > before and not any(part[0] == last_line for timing in found for part in timing.parts.values()):
        yield Doubt(last_line, "cut", "a timing breaks off in this line; nothing of the line was taken")


def _goes_on(last: Timing, timing: Timing) -> bool:
    """Whether it is the rest of the timing above, of which a line is damaged or broken in."""
    if timing.whole and last.whole:
        return False
    apart = timing.line - last.last
    return apart <= 1 or (apart == 2 and "sys" not in last.parts and "elapsed" not in timing.parts)


def _unmeasured(timing: Timing) -> Iterator[Doubt]:
    """GNU time prints ?% where no time passed on its clock: then none of its figures is a measurement."""
    yield Doubt(timing.line, "unmeasured", "less time passed than the clock of time can tell (?%CPU); nothing was recorded")


def _values(timing: Timing, command: TimedCommand | None, run: int, depends: tuple[int, ...]) -> Iterator[Value | Doubt]:
    if command is None:
        yield Doubt(timing.line, "no-command", "the output does not tell which command was timed")
    elif command.unsure:
        yield Doubt(timing.line, "ambiguous", "of commands that ran at the same time nothing tells which one this timed")
    if not timing.whole:
        yield Doubt(timing.line, "cut", f"only {', '.join(sorted(timing.parts))} of elapsed, user and sys are there")
    if timing.status:
        yield Doubt(timing.line, "failed-run", f"the timed command ended with status {timing.status}")
    if "elapsed" in timing.parts and timing.parts["elapsed"][3] == 0:
        yield Doubt(timing.parts["elapsed"][0], "zero-time", "an elapsed time of zero was printed")
    params = {**(command.params if command else {}), "timer": timing.timer}
    if timing.cpu and timing.cpu != "?":
        params["cpu_percent"] = timing.cpu
    if command:
        params["command"] = command.text
    operation, tool = (command.operation, command.tool) if command else ("run", "time")
    shaped = (timing.shaped,) if timing.shaped else ()
    depends = tuple(dict.fromkeys([*depends, *shaped, *timing.told, *(part[0] for part in timing.parts.values())]))
    for quantity, (line, native, raw, seconds) in sorted(timing.parts.items(), key=lambda part: part[1][0]):
        yield Value(
            line,
            tool,
            f"{operation}.{quantity}",
            native,
            seconds,
            "s",
            raw,
            _unit(raw, seconds),
            run,
            params=params,
            depends=depends,
        )


def _unit(raw: str, seconds: float) -> str:
    """The unit of a printed time: seconds, but for fish (millis, mins) and zsh (ms, us)."""
    if raw[-2:] in ("ms", "us", "ns"):
        return raw[-2:]
    read = None if raw[-1:] == "s" else parse_plain_number(raw)
    if read is None or read == seconds:
        return "s"
    factor = seconds / read if read else 1.0
    return next((unit for unit, size in _UNITS.items() if abs(factor / size - 1) < 1e-6), "s")


def _command(text: Text, timing: Timing, shown: _PlainCommands, before: int) -> tuple[TimedCommand | None, int, tuple[int, ...]]:
    """The timed command, the key of its run, and the lines that told it."""
    above = _above(text.lines, timing.line, before)
    out = _named(text, timing, shown, before)
    if out is None and above:
        out = TimedCommand(above[0], above[1], above[0], "copy" if above[0] == "rsync" else "run")
    run = above[1] if above and out and above[0] == out.tool else timing.line
    if out and above and above[0] == out.tool:
        for key, value in above[2].items():
            out.params.setdefault(key, value)
    told = tuple(
        dict.fromkeys([*([out.line, *out.beside] if out and out.line != timing.line else []), *(above[1::2] if above else [])])
    )
    return out, run, told


def _named(text: Text, timing: Timing, shown: _PlainCommands, before: int) -> TimedCommand | None:
    if timing.command:
        return parse_timed_command(timing.command, timing.line)
    prompt = text.command_for(timing.line)
    named = count_timers(prompt.text) if prompt else 0
    if prompt and named:
        nth = _turn(shown, prompt.line)
        if is_concurrent(prompt.text):
            return merge_concurrent([prompt.text], prompt.line) if nth < named or has_loop(prompt.text) else None
        if nth < named or has_loop(prompt.text):
            return _whole(text.lines, prompt.line, prompt.text, nth % named)
    if (prompt is None or not prompt.text or _WAITS.match(prompt.text)) and (several := _asides(text, timing, shown)):
        return several
    if prompt is None and not text.commands and (listed := _listed(text.lines, timing, shown)):
        return listed
    floor = max(before, prompt.line if prompt else 0)
    line = next(
        (
            n
            for n in _upwards(shown.lines, timing.line)
            if n >= timing.shaped  # what was timed before the format was set was not printed in it
            and (n > floor or ((n == shown.lines[0] or has_loop(text.lines[n - 1])) and (prompt is None or n >= prompt.line)))
        ),
        None,
    )
    if line is not None and (line > before or has_loop(text.lines[line - 1])):
        here = re.sub(r"^[\s>+]+", "", text.lines[line - 1])
        return merge_concurrent([here], line) if is_concurrent(here) else _whole(text.lines, line, here)
    if prompt and prompt.line > before and not named and may_be_timed(prompt.text):
        return parse_timed_command(prompt.text, prompt.line)
    return None if prompt else _pasted(text.lines, timing.line, before)


def _whole(lines: Sequence[str], line: int, command: str, nth: int = 0) -> TimedCommand | None:
    """What a command line times, with the lines that backslashes break it into; of dd with what mail or a terminal broke off."""
    command, last = join_continuations(lines, line, command, " \t>")
    out = parse_timed_command(
        join_wrapped_command(lines, line - 1, command)[0] if last == line and "dd" in command else command, line, nth
    )
    if out and last > line:
        out.beside = tuple(range(line + 1, last + 1))
    return out


def _asides(text: Text, timing: Timing, shown: _PlainCommands) -> TimedCommand | None:
    """The timed commands above that ran at the same time (all but the last with `&`), while fewer timings than commands came."""

    def at_once(one: int, two: int) -> bool:
        return is_background(text.lines[one - 1]) and not _waits(text.lines[one:two])

    chain = _upwards_while(shown.lines, timing.line, at_once)
    begun = _done(text, shown, chain)
    lines = chain[begun:]
    if len(lines) < 2 and not (lines and is_background(text.lines[lines[0] - 1])):
        return None
    if _turn(shown, lines[0]) >= sum(count_timers(text.lines[line - 1]) for line in lines):
        return None
    out = merge_concurrent([_FRONT.sub("", text.lines[line - 1]) for line in lines], lines[-1])
    return _beside(out, chain, [*shown.between(chain[0], chain[-1]), *shown.after(timing)])


def _done(text: Text, shown: _PlainCommands, chain: list[int]) -> int:
    """How many of the commands had all their timings before the rest of them began."""
    for at in range(len(chain) - 1, 0, -1):
        given = len(shown.between(chain[0], chain[at]))
        if given and given >= sum(count_timers(text.lines[line - 1]) for line in chain[:at]):
            return at
    return 0


def _listed(lines: Sequence[str], timing: Timing, shown: _PlainCommands) -> TimedCommand | None:
    """Commands with nothing between, as scripts and posts list them above all their timings: one each, in order."""

    def follows(one: int, two: int) -> bool:
        return two - one <= _ABOVE and not any(line.strip(" \t>") for line in lines[one : two - 1])

    block = _upwards_while(shown.lines, timing.line, follows)
    if any(has_loop(lines[line - 1]) for line in block):
        return None
    each = [(line, nth) for line in block for nth in range(count_timers(lines[line - 1]))]
    if len(each) < 2 or len(each) != len(shown.after(timing)):
        return None
    line, nth = each[_turn(shown, block[0])]
    here = _FRONT.sub("", lines[line - 1])
    return _beside(
        merge_concurrent([here], line) if is_concurrent(here) else parse_timed_command(here, line, nth), block, shown.after(timing)
    )


def _beside(out: TimedCommand | None, commands: list[int], series: list[Timing]) -> TimedCommand | None:
    """The command, told by all the command lines and all their timings."""
    if out:
        out.beside = (*commands, *(part[0] for timing in series for part in timing.parts.values()))
    return out


def _turn(shown: _PlainCommands, line: int) -> int:
    """How many timings the command line gave before this one."""
    shown.given[-line] = shown.given.get(-line, 0) + 1
    return shown.given[-line] - 1


def _waits(lines: Sequence[str]) -> bool:
    return any(line.lstrip(" \t>$#").startswith("wait") for line in lines[:100])


def _upwards_while(lines: list[int], below: int, joins: Callable[[int, int], bool]) -> list[int]:
    """The nearest of the lines above, and those before it as long as each joins the one behind it."""
    at = end = bisect_left(lines, below)
    at -= at > 0
    while 0 < at < end and end - at < _ASIDES and joins(lines[at - 1], lines[at]):
        at -= 1
    return lines[at:end]


def _pasted(lines: Sequence[str], line: int, before: int) -> TimedCommand | None:
    """A command right above its timing whose word `time` was not pasted (`set time`, or edited)."""
    number = next((n for n in range(line - 1, max(before, line - 1 - _RSYNC_LINES), -1) if lines[n - 1].strip()), None)
    found = _PASTED.match(lines[number - 1]) if number else None
    return parse_timed_command(lines[number - 1][found.end() :], number) if found and number else None


def _upwards(lines: list[int], below: int) -> Iterator[int]:
    """The latest of the lines above a line (only the nearest can be meant)."""
    at = bisect_left(lines, below) - 1
    if at >= 0:
        yield lines[at]


def _above(lines: Sequence[str], line: int, before: int) -> tuple[str, int, dict[str, int], int] | None:
    """The tool whose own summary stands directly above a timing: name, line, the sizes it tells, and the line that tells them."""
    seen = 0
    for number in range(line - 1, max(before, line - 1 - _ABOVE), -1):
        content = lines[number - 1]
        if not content.strip(" \t>"):
            continue
        seen += 1
        if found := _TOTAL.search(content):
            total = re.sub(r"[.,]", "", found[1] or "")  # none where damage is in it
            sent = next((n for n in range(number - 1, max(0, number - 3), -1) if " bytes/sec" in lines[n - 1]), number)
            return "rsync", sent, {"total_size": int(total)} if total and content[found.end(1)] == " " else {}, number
        if summary := _dd_output.parse_summary(content, number):
            return "dd", number, {"file_size": summary.octets} if summary.octets else {}, number
        if _FDTREE.match(content):
            return "fdtree", number, {}, number
        if seen == 1 and number > 1 and "+" in content and all(map(_dd_output.RECORD_COUNT.search, lines[number - 2 : number])):
            return "dd", number, {}, number  # of those that print no more than their records
        if seen >= _RSYNC_LINES:
            return None
    return None


# Lines wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*\S.*\s\d+[.,]\d+s user\s"), lazy(r"\s*\S.*\s\d+[.,]\d+s user \d+[.,]\d+s system \d+% cpu [\d:.,]+ total\s*")
    ),
)

PARSER = Parser(
    wide=_WIDE,
    brief=True,
    name="time",
    version=17,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "three lines",
            "bash, ksh, POSIX -p, BusyBox, Solaris",
            "seconds, 1m2.345s, 1m 2.34s, 1:02.3",
            "decimal comma",
        ),
        Shape("one line", "GNU, BSD, macOS, OpenBSD ksh, mksh", "seconds, m:ss.cc", "?%CPU where nothing was measured"),
        Shape("csh line", "csh, tcsh", "seconds, m:ss.cc", "set time: no word time in the command"),
        Shape("zsh line", "zsh", "seconds, h:mm:ss.cc", "one line for each part of a pipe"),
        Shape("block", "GNU time -v, fish, PowerShell's Measure-Command", "seconds; hours to micros", ""),
        Shape(
            "own format",
            "bash TIMEFORMAT, zsh TIMEFMT, tcsh set time, GNU time -f",
            "as the format says",
            "only where the text shows the format",
        ),
    ),
    source="bash.1, zshparam.1, tcsh.1, csh.1, ksh93.1, time.1 of GNU, FreeBSD, OpenBSD and illumos, "
    "POSIX time, BusyBox time.c, fish time.rst, Measure-Command of PowerShell",
)
