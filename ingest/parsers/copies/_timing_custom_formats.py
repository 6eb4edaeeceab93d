"""Timings in a format that the text itself shows: bash's TIMEFORMAT, zsh's TIMEFMT, tcsh's `set time`, GNU time -f.

Fields: bash.1 (TIMEFORMAT: %[precision][l]R U S P), zshparam.1 (TIMEFMT: %[*mun]E U S, %P, %J the command), tcsh.1
(variable time: %E %U %S %P ...), GNU time.1 (%e %E %U %S %P, %C the command; also in the environment variable TIME).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.parsers.copies._timing_command import TIMER, has_loop
from ingest.parsers.copies._timing_output import Timing
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
MENTIONED = lazy(r"TIMEFORMAT|TIMEFMT|set time|time[^\S\n]+(?:-[apvq][^\S\n]+)*(?:-f|--format)|TIME[= ]")
_FIELDS = {
    "bash": {"R": "elapsed", "U": "user", "S": "sys"},
    "zsh": {"E": "elapsed", "U": "user", "S": "sys"},
    "tcsh": {"E": "elapsed", "U": "user", "S": "sys"},
    "gnu": {"e": "elapsed", "E": "elapsed", "U": "user", "S": "sys"},
}
_COMMAND = {"zsh": "J", "gnu": "C"}
_NATIVE = {"elapsed": "real", "user": "user", "sys": "sys"}
_PIECE = lazy(r"(%%|%[\d*mun]?l?[a-zA-Z])")
_NUMBER = r"(\d++(?::\d++){0,3}(?:m\d++)?(?:[.,]\d++)?(?:[mun]?s(?![A-Za-z]))?)"
_SCALE = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_LONGEST, _MOST_LINES = 300, 8


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a format: its pattern and the quantities of its groups in order (`command` among them)."""

    pattern: re.Pattern[str]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """What a shell was told to print after each timed command. `bare`: numbers alone, no word that tells them."""

    shell: str
    line: int
    lines: tuple[_Line, ...]
    bare: bool


def find_formatted_timings(text: Text) -> Iterator[Timing]:
    """Every timing in a format that the text shows, in line order."""
    if not MENTIONED.search(text.body):
        return
    current: TimeFormat | None = None
    at = 0
    while at < len(text.lines):
        line = text.lines[at]
        at += 1
        if "TIM" in line or "time" in line:
            found = _format_of(line, at)
            if found or re.search(r"\bunset\b.*\bTIMEF|\bunset time\b", line):
                current = found
                continue
        if current and line.strip() and _holds(text, current, at):
            timing = _match(text.lines, at, current)
            if timing and timing.parts:
                yield timing
                at = max(at, timing.last)


def _format_of(line: str, number: int) -> TimeFormat | None:
    found = _SET.search(line[:1000])
    if not found:
        return None
    name = next(name for name, content in found.groupdict().items() if content is not None)
    shell = {"env": "gnu"}.get(name[:-1], name[:-1])
    written = re.sub(r"\\([nt\\])", lambda m: {"n": "\n", "t": "\t", "\\": "\\"}[m[1]], found[name][:_LONGEST])
    lines = [_line(part, shell) for part in written.split("\n") if part.strip()]
    told = {group for part in lines for group in part.groups}
    if not told & {"elapsed", "user", "sys"} or len(lines) > _MOST_LINES:
        return None
    bare = not re.search(r"[A-Za-z]{2}|[=:]", _PIECE.sub(" ", written))
    return TimeFormat(shell, number, tuple(lines), bare)


def _line(written: str, shell: str) -> _Line:
    """The pattern of one line: every field stops where the text after it begins, so that matching stays linear."""
    pattern, groups = "", []
    pieces = [piece for piece in _PIECE.split(written.strip()) if piece]
    for piece, after in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece == "%%":
            pattern += "%"
        elif not _PIECE.fullmatch(piece):
            pattern += r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece))
        elif (quantity := _FIELDS[shell].get(piece[-1])) and quantity not in groups:
            groups.append(quantity)
            pattern += _NUMBER
        elif piece[-1] == _COMMAND.get(shell) and "command" not in groups:
            groups.append("command")
            pattern += r"(\S.{0,200}?)"
        elif not _PIECE.fullmatch(after):
            stop = re.escape(after[0]) if after and not after[0].isspace() and piece[-1] != "P" else ""
            pattern += rf"[^\s{stop}]*+"
    return _Line(re.compile(rf"^\s*{pattern}\s*\Z"), tuple(groups))


def _holds(text: Text, form: TimeFormat, number: int) -> bool:
    """Whether a line may be such output: of the command itself for time -f, after a timed command for bare numbers."""
    if form.shell != "gnu" and not form.bare:
        return True
    command = text.command_for(number)
    if command is None:
        above = text.lines[max(form.line - 1, number - 4) : number - 1]
        return not text.commands and (not form.bare or any(TIMER.search(line) for line in above))
    if number <= command.line or (form.shell == "gnu" and "TIME" not in command.text and form.line != command.line):
        return form.shell == "gnu" and not form.bare and "TIME" in text.lines[form.line - 1]
    last = next((n for n in range(command.last, command.line, -1) if text.lines[n - 1].strip()), 0)
    timed = form.shell == "tcsh" or TIMER.search(command.text)
    return not form.bare or (bool(timed) and (number == last or has_loop(command.text)))


def _match(lines: Sequence[str], number: int, form: TimeFormat) -> Timing | None:
    """The timing whose first line is this one; None where any line of the format does not follow."""
    out, at = Timing(number, form.shell, shaped=form.line), number
    for part in form.lines:
        while at <= len(lines) and at > number and not lines[at - 1].strip() and at < number + 2 * _MOST_LINES:
            at += 1
        found = part.pattern.match(lines[at - 1][:_LONGEST]) if at <= len(lines) else None
        if not found:
            return None
        for quantity, raw in zip(part.groups, found.groups(), strict=True):
            if quantity == "command":
                out.command = raw
                out.told.append(at)
            elif (seconds := _seconds(raw)) is None:
                return None
            else:
                native = quantity if form.shell == "gnu" else _NATIVE[quantity]
                out.add(quantity, at, native, raw, seconds)
        at += 1
    out.last = at - 1
    return out


def _seconds(raw: str) -> float | None:
    if raw[-2:] in _SCALE:
        read = parse_plain_number(raw[:-2])
        return None if read is None else round(read * _SCALE[raw[-2:]], 12)
    return parse_duration(raw)
