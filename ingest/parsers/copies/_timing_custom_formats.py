"""Timings in a format that the text sets itself: bash's TIMEFORMAT, zsh's TIMEFMT, tcsh's `set time`, GNU time -f.

Fields: bash.1 (TIMEFORMAT: %[precision][l]R U S P), zshparam.1 (TIMEFMT: %[*mun]E U S, %P, %J the command), tcsh.1
(variable time: %E %U %S %P ...), GNU time.1 (%e %E %U %S %P, %C the command; also in the environment variable TIME).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.parsers.copies._timing import Timing
from ingest.parsers.copies._timing_command import TIMER, has_loop
from ingest.text.lines import Text

_QUOTED = r"(?:\$?'(?P<{0}1>[^']*)'|\"(?P<{0}2>[^\"]*)\"|(?P<{0}3>[^\s;'\"]+))"
_SET = lazy(
    r"TIMEFORMAT="
    + _QUOTED.format("bash")
    + r"|\bTIMEFMT="
    + _QUOTED.format("zsh")
    + r"|\bset time ?= ?\( ?\d+ +"
    + _QUOTED.format("tcsh")
    + r"|(?:^|[\s;|&(])(?:/usr/bin/|\\|g|command )?time[^\S\n]+(?:-[apvq][^\S\n]+)*(?:-f|--format)[= ]?\s*"
    + _QUOTED.format("gnu")
    + r"|(?:^|[\s;])(?:export |setenv )?TIME[= ]"
    + _QUOTED.format("env")
)
_MAY_SET = lazy(r"TIMEFORMAT|TIMEFMT|set time|time[^\S\n]+(?:-[apvq][^\S\n]+)*(?:-f|--format)|TIME[= ]")
_FIELDS = {
    "bash": {"R": "elapsed", "U": "user", "S": "sys"},
    "zsh": {"E": "elapsed", "U": "user", "S": "sys"},
    "tcsh": {"E": "elapsed", "U": "user", "S": "sys"},
    "gnu": {"e": "elapsed", "E": "elapsed", "U": "user", "S": "sys"},
}
_COMMAND_FIELD = {"zsh": "J", "gnu": "C"}
_NATIVE = {"elapsed": "real", "user": "user", "sys": "sys"}
_FIELD = lazy(r"(%%|%[\d*mun]?l?[a-zA-Z])")
_NUMBER = r"(\d++(?::\d++){0,3}(?:m\d++)?(?:[.,]\d++)?(?:[mun]?s(?![A-Za-z]))?)"
_SCALE = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_MAX_LENGTH, _MAX_LINES = 300, 8  # of a format and of a line matched; lines of a format


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a format: its pattern and the quantities of its groups in order, `command` possibly among them."""

    pattern: re.Pattern[str]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """What a shell prints after each timed command. `line`: where it was set. `bare`: numbers without words."""

    shell: str
    line: int
    lines: tuple[_Line, ...]
    bare: bool


def find_formatted_timings(text: Text) -> Iterator[Timing]:
    """Every timing in a format that the text sets, in line order."""
    if not _MAY_SET.search(text.body):
        return
    current: TimeFormat | None = None
    number = 0
    while number < len(text.lines):
        line = text.lines[number]
        number += 1
        if "TIM" in line or "time" in line:
            time_format = _parse_format(line, number)
            if time_format or re.search(r"\bunset\b.*\bTIMEF|\bunset time\b", line):
                current = time_format
                continue
        if current and line.strip() and _may_be_output(text, current, number):
            timing = _match_lines(text.lines, number, current)
            if timing and timing.times:
                yield timing
                number = max(number, timing.last_line)


def _parse_format(line: str, number: int) -> TimeFormat | None:
    """The format that a line sets; None without one, or where it has no time in it."""
    match = _SET.search(line[:1000])
    if not match:
        return None
    name = next(name for name, content in match.groupdict().items() if content is not None)
    shell = {"env": "gnu"}.get(name[:-1], name[:-1])
    template = re.sub(r"\\([nt\\])", lambda m: {"n": "\n", "t": "\t", "\\": "\\"}[m[1]], match[name][:_MAX_LENGTH])
    lines = [_compile_line(part, shell) for part in template.split("\n") if part.strip()]
    quantities = {group for line_format in lines for group in line_format.groups}
    if not quantities & {"elapsed", "user", "sys"} or len(lines) > _MAX_LINES:
        return None
    bare = not re.search(r"[A-Za-z]{2}|[=:]", _FIELD.sub(" ", template))
    return TimeFormat(shell, number, tuple(lines), bare)


def _compile_line(template: str, shell: str) -> _Line:
    """The pattern of one line; an ignored field ends where the text after it begins, so that matching stays linear."""
    pattern, groups = "", []
    parts = [part for part in _FIELD.split(template.strip()) if part]
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        if part == "%%":
            pattern += "%"
        elif not _FIELD.fullmatch(part):
            pattern += r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))
        elif (quantity := _FIELDS[shell].get(part[-1])) and quantity not in groups:
            groups.append(quantity)
            pattern += _NUMBER
        elif part[-1] == _COMMAND_FIELD.get(shell) and "command" not in groups:
            groups.append("command")
            pattern += r"(\S.{0,200}?)"
        elif not _FIELD.fullmatch(following):
            stop = re.escape(following[0]) if following and not following[0].isspace() and part[-1] != "P" else ""
            pattern += rf"[^\s{stop}]*+"
    return _Line(re.compile(rf"^\s*{pattern}\s*\Z"), tuple(groups))


def _may_be_output(text: Text, time_format: TimeFormat, number: int) -> bool:
    """Whether a line may be output in the format.

    A format with words: any line. `time -f`: output of the command that has the option. Bare numbers: the last line of a timed
    command's output, or any line of a loop's.
    """
    gnu, bare = time_format.shell == "gnu", time_format.bare
    if not gnu and not bare:
        return True
    command = text.command_for(number)
    if command is None:
        above = text.lines[max(time_format.line - 1, number - 4) : number - 1]
        return not text.commands and (not bare or any(TIMER.search(line) for line in above))
    if number <= command.line or (gnu and "TIME" not in command.text and time_format.line != command.line):
        return gnu and not bare and "TIME" in text.lines[time_format.line - 1]
    last = next((n for n in range(command.last, command.line, -1) if text.lines[n - 1].strip()), 0)
    is_timed = time_format.shell == "tcsh" or TIMER.search(command.text)
    return not bare or (bool(is_timed) and (number == last or has_loop(command.text)))


def _match_lines(lines: Sequence[str], first: int, time_format: TimeFormat) -> Timing | None:
    """The timing that begins on a 1-based line; None where a line of the format does not match."""
    timing, number = Timing(first, time_format.shell, format_line=time_format.line), first
    for line_format in time_format.lines:
        while first < number <= len(lines) and not lines[number - 1].strip() and number < first + 2 * _MAX_LINES:
            number += 1
        match = line_format.pattern.match(lines[number - 1][:_MAX_LENGTH]) if number <= len(lines) else None
        if not match:
            return None
        for quantity, raw in zip(line_format.groups, match.groups(), strict=True):
            if quantity == "command":
                timing.command = raw
                timing.evidence.append(number)
            elif (seconds := _parse_seconds(raw)) is None:
                return None
            else:
                native = quantity if time_format.shell == "gnu" else _NATIVE[quantity]
                timing.add(quantity, number, native, raw, seconds)
        number += 1
    timing.last_line = number - 1
    return timing


def _parse_seconds(raw: str) -> float | None:
    """Seconds of a clock time or of a number with the suffix ms, us or ns; None where it is neither."""
    if raw[-2:] in _SCALE:
        parsed = parse_plain_number(raw[:-2])
        return None if parsed is None else round(parsed * _SCALE[raw[-2:]], 12)
    return parse_duration(raw)
