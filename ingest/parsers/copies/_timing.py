"""One timed execution as a shell or time(1) prints it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.parsers.copies._timing_command import TIMER, has_loop
from ingest.text.lines import Text


class PrintedTime(NamedTuple):
    """A printed time: 1-based line, the name that the tool gives it, its text, seconds."""

    line: int
    native: str
    raw: str
    seconds: float


@dataclass(slots=True)
class Timing:
    """One timed execution: its times by quantity (`elapsed`, `user`, `sys`).

    `cpu`: percentage of CPU as printed. `format_line`: the line that set its format, 0 for a fixed format. `evidence`: lines of
    it without a time.
    """

    line: int
    timer: str
    times: dict[str, PrintedTime] = field(default_factory=dict)
    command: str | None = None
    cpu: str | None = None
    exit_status: int = 0
    last_line: int = 0
    format_line: int = 0
    evidence: list[int] = field(default_factory=list)

    def add(self, quantity: str, line: int, native: str, raw: str, seconds: float | None) -> None:
        """Add a time, unless its text is none (`seconds` is None)."""
        if seconds is not None:
            self.times[quantity] = PrintedTime(line, native, raw, seconds)
            self.last_line = max(self.last_line, line)

    def add_line(self, line: int, times: Iterable[tuple[str, str, str]]) -> None:
        """Add the times of one line: quantity, native name and text of each."""
        for quantity, native, raw in times:
            self.add(quantity, line, native, raw, parse_duration(raw))

    @property
    def is_complete(self) -> bool:
        """Whether all of elapsed, user and sys present, or all that its timer prints."""
        return len(self.times) == 3 or (self.timer == "powershell" and bool(self.times))


def time_lines(timings: Iterable[Timing]) -> list[int]:
    """The lines of all times of the timings."""
    return [time.line for timing in timings for time in timing.times.values()]


# Timings that shells and time(1) print on a single line.

LINE_EDGE = r"^[\s>|*#/+]{0,24}"
CLOCK = r"\d[\dhm:.,]{0,24}(?:m )?(?:[\d.,]{1,12})?s?"
SHELL_CLOCK = lazy(r"\d+m ?\d+[.,]\d+s")
_LINE = lazy(LINE_EDGE + rf"(?:\w[\w .()+/-]{{0,40}}:\s{{1,8}})?({CLOCK})\s+real\s+({CLOCK})\s+user\s+({CLOCK})\s+(sys(?:tem)?)\b")
_GNU = lazy(r"(?<![\w.',\ufffd*#?])(\d+\.\d+)user (\d+\.\d+)system ((?:\d+:){1,2}\d+(?:\.\d+)?)elapsed (\d+|\?)%CPU")
CSH_TIMING = lazy(r"(?<![\w.',\ufffd])(\d+\.\d+)u (\d+\.\d+)s ((?:\d+:){1,2}\d+(?:\.\d+)?) (\d+(?:\.\d+)?)%")
_ZSH = lazy(
    r"^(?:(.*?)\s{1,4})?(\d+(?:[.,]\d+)?)s user (\d+(?:[.,]\d+)?)s system (\d+)% cpu ((?:\d+:){0,2}\d+(?:[.,]\d+)?) total\b"
)
_COMMENT = lazy(r"^[\s>|]*(?:[#*%;$]{1,4}|//|--(?=\s))\s*")  # timings kept in the comments of a program
_JOINED = lazy(  # the three lines of bash, ksh and BusyBox joined into one; those of POSIX and ptime with slashes between them
    r"(?<![\w.])real\s+(\d+m ?\d+[.,]\d+s)[,;]?\s+user\s+(\d+m ?\d+[.,]\d+s)[,;]?\s+sys\s+(\d+m ?\d+[.,]\d+s)(?!\w)|"
    r"(?<![\w.])real\s+((?:\d+:){0,2}\d+\.\d+s?)\s*/\s*user\s+((?:\d+:){0,2}\d+\.\d+s?)\s*/\s*"
    r"sys\s+((?:\d+:){0,2}\d+\.\d+s?)(?![\w:])"
)


def guess_timer(raw: str) -> str:
    """The shell that prints elapsed times like this one."""
    if re.fullmatch(r"\d+m \d.*", raw):
        return "busybox"
    if SHELL_CLOCK.fullmatch(raw):
        return "bash" if re.search(r"[.,]\d{3}s", raw) else "ksh"
    return "solaris" if ":" in raw or re.fullmatch(r"\d+[.,]\d", raw) else "posix"


def read_one_line(line: str, number: int) -> Timing | None:
    """The timing in a line with the word user: of GNU time, BSD time, mksh, zsh, or three lines joined into one."""
    if match := _GNU.search(line):
        timing = Timing(number, "gnu", cpu=match[4])
        timing.add_line(number, (("user", "user", match[1]), ("sys", "system", match[2]), ("elapsed", "elapsed", match[3])))
        return timing
    if match := _LINE.match(line):
        timing = Timing(number, "ksh" if "m" in match[1] else "bsd")
        times = (("elapsed", "real", match[1]), ("user", "user", match[2]), ("sys", match[4], match[3]))
        timing.add_line(number, ((quantity, native, raw.strip()) for quantity, native, raw in times))
        return timing if timing.is_complete else None
    if "real" in line and (match := _JOINED.search(line)):
        elapsed, user, system = filter(None, match.groups())
        timing = Timing(number, guess_timer(elapsed))
        timing.add_line(number, (("elapsed", "real", elapsed), ("user", "user", user), ("sys", "sys", system)))
        return timing
    match = _ZSH.match(line) if "total" in line else None
    if not match:
        return None
    timing = Timing(number, "zsh", command=_clean_command(match[1] or "") or None, cpu=match[4])
    timing.add_line(number, (("user", "user", match[2]), ("sys", "system", match[3]), ("elapsed", "total", match[5])))
    return timing


def read_csh(line: str, number: int) -> Timing | None:
    """The timing of csh or tcsh in a line."""
    match = CSH_TIMING.search(line)
    if not match:
        return None
    timing = Timing(number, "tcsh" if re.search(r"\.\d{3}\Z", match[1]) else "csh", cpu=match[4])
    timing.add_line(number, (("user", "user", match[1]), ("sys", "system", match[2]), ("elapsed", "elapsed", match[3])))
    return timing


def read_broken_zsh(lines: Sequence[str], index: int) -> Timing | None:
    """The timing of zsh that mail broke over two lines, each time with its own line."""
    second = next((n for n in range(index + 1, min(index + 3, len(lines))) if lines[n].strip(" \t>")), 0)
    if not second or len(lines[second]) > 100 or not (" user" in lines[index] or lines[second].strip(" \t>").startswith("user")):
        return None
    if read_one_line(lines[second], second + 1):
        return None  # a complete line
    timing = read_one_line(lines[index].rstrip() + " " + lines[second].strip(" \t>"), index + 1)
    if timing is None:
        return None
    for quantity, time in list(timing.times.items()):
        on_first = re.search(rf"(?<![\d.,:]){re.escape(time.raw)}(?![\d:])", lines[index])
        timing.add(quantity, index + 1 if on_first else second + 1, time.native, time.raw, time.seconds)
    return timing


def _clean_command(command: str) -> str:
    """The command that zsh prints before the times, without comment marks and prose."""
    if command.count("`") % 2:
        command = command.rpartition("`")[2]  # a sentence with the line as inline code
    if command.endswith(":"):
        return ""  # a label
    mark = _COMMENT.match(command)
    if not mark:
        return command.strip()
    before, program, operands = command[mark.end() :].strip().rpartition(" ./")
    return f"./{operands}" if program and "/" not in before.split(" ", 1)[0] else f"{before}{program}{operands}"


# Timings in a format that the text sets itself: bash's TIMEFORMAT, zsh's TIMEFMT, tcsh's `set time`, GNU time -f.
#
# Fields: bash.1 (TIMEFORMAT: %[precision][l]R U S P), zshparam.1 (TIMEFMT: %[*mun]E U S, %P, %J the command), tcsh.1 (variable
# time: %E %U %S %P ...), GNU time.1 (%e %E %U %S %P, %C the command; also in the environment variable TIME).

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
