"""Timings that shells and time(1) print.

bash, ksh93: `real\t0m1.035s` in three lines (bash.1, TIMEFORMAT); POSIX -p: `real 0.20`; BusyBox: `real 0m 0.17s`;
Solaris time, ptime, timex: `real 2.7` or `real 1:02.3`; BSD time.1, mksh, OpenBSD ksh: one line `0.00 real 0.00 user
0.00 sys`; GNU time.1: `0.00user 0.06system 0:00.13elapsed 50%CPU`, -v a block, -f any format; csh.1, tcsh.1: `0.007u
4.455s 4:14.75 1.7%`; zsh (zshparam.1, TIMEFMT): `cmd 0.05s user 0.05s system 80% cpu 0.124 total`; fish: `Executed in`;
PowerShell: the TimeSpan of Measure-Command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.parsers.copies._timing import (
    CLOCK,
    CSH_TIMING,
    LINE_EDGE,
    SHELL_CLOCK,
    PrintedTime,
    Timing,
    guess_timer,
    read_broken_zsh,
    read_csh,
    read_one_line,
)
from ingest.plugin_api import Anchor
from ingest.text.lines import Text

_NOTE = r"(?:[ \t]{1,80}(?:<[-=]|-{2,}|#|//|=>|\u2190|\(|[:;]-?[()DP](?!\S))[^\n]{0,80})?"  # a remark after a figure
_WORD_AND_FIGURE = lazy(LINE_EDGE + rf"(real|user|sys)[ \t]+({CLOCK}){_NOTE}\s*(?:[|`]+\s*)?\Z")
_WORD = lazy(r"[\s>|]{0,24}(real|user|sys)\s*\Z")  # of a table torn into its cells: the figure is on the next line
_FIGURE = lazy(r"[\s>|]{0,24}(\d{1,9}m ?\d{1,2}[.,]\d{2,3}s)\s*\Z")
_TYPED = lazy(LINE_EDGE + r"(real|user|sys)[ \t]{0,4}:[ \t]{0,8}(\d[\dhm:.,]{0,20}s)\s*(?:[|`]+\s*)?\Z")  # typed by a person
_BASH = lazy("\n".join(rf"{word}\t(([0-9]{{1,9}})m([0-9]{{1,2}}\.[0-9]{{3}})s)" for word in ("real", "user", "sys")) + r"\Z")
_WHOLE_SECONDS = lazy(r"(?:(?:\d+h ?)?\d+m ?)?\d+s")
_TIMED = lazy(r"(?:^|[\s;`])time[ \t]+\S")
_ZSH_BEGINS = lazy(r"\d(?:[.,]\d+)?s user(?:\s|\Z)(?!.*\btotal\b)")
_ZSH_USER = lazy(r"\d[.,]\d{2,3}s\s*\Z")
_TORN_CLOCK = lazy(r"\d+m ?[\d.,]*\Z")  # shells that print minutes also print the s of the seconds
_CUT = lazy(
    LINE_EDGE + r"real(?:\s+\d[\dhm:.,]*(?:m [\d.,]*)?)?\s*\Z|^\s*\d+\.\d+user(?:\s+\d[\d.:]*\w*)*[^%]{0,20}\Z|"
    r"\d[.,]\d+s user(?!.*\btotal\b)|\d[.,]\d+s u(?:se?)?\Z|^\s*\d+\.\d\du(?:se)?\Z|"
    r"(?<![\w.])\d+\.\d{2,3}u \d+\.?\d*(?:s(?: [\d:.]*(?: [\d.]*)?)?)?\Z|"
    r"^\s*(?:User time \([^)]*|System time \([^)]*|Elapsed \(wall[^)]*(?:\) time \([^)]*)?)(?:\):?\s*)?\Z"
)
_FISH = lazy(LINE_EDGE + r"(Executed in|usr time|sys time)\s+([\d.,]{1,16}) (hours|mins|secs|millis|micros)\b")
_VERBOSE = lazy(
    r'^\s*(?:Command being timed: "(?P<command>.*)"|User time \(seconds\): (?P<user>[\d.]+)|'
    r"System time \(seconds\): (?P<sys>[\d.]+)|Percent of CPU this job got: (?P<cpu>\d+|\?)%|"
    r"Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): (?P<elapsed>[\d:.]+)|Exit status: (?P<exit>\d+))" + _NOTE + r"\s*\Z"
)
_VERBOSE_LABELS = ("Command being timed", "User time (s", "System time (s", "Elapsed (wall")
_VERBOSE_OTHER = lazy(
    r"\s*(?:Average|Maximum|Major|Minor|Voluntary|Involuntary|Swaps|File system|Socket|Signals|Page size)\b[\w ()/]{0,50}: \d"
)
_TOTAL_SECONDS = lazy(r"^\s*Total(Seconds|Milliseconds)\s*:\s*(\d{1,9}(?:[.,]\d{1,9})?)\s*\Z")
_MEASURE_COMMAND = lazy(r"\bMeasure-Command\s*(?:-Expression\s*)?\{\s*([^\n]{1,200}?)\s*\}")
_FISH_UNIT = {"hours": 3600.0, "mins": 60.0, "secs": 1.0, "millis": 1e-3, "micros": 1e-6}
ANCHOR = Anchor(
    lazy(
        r"real|user time|User time|s user|Executed in|TIMEFORMAT|TIMEFMT|set time|"
        r"TIME[= ]['\"]|time[^\S\n]+(?:-[apvq][^\S\n]+)*(?:-f|--format)|"
        r"sys[ \t]+\d|user[ \t]+\d|TotalSeconds|Elapsed \(wall|System time \(s"
    ),
    "real|user|sys |sys\t|executed in|timeformat|timefmt|set time|time='|time=\"|time '|time \"|-f|totalseconds|"
    "elapsed (wall|system time (s",
) | Anchor(lazy(r"\duser|\du \d|\ds u(?:se?)?[^\S\n]*$|\du(?:se)?[^\S\n]*$", re.M), "0u|0s u")
_QUANTITIES = {"real": "elapsed", "user": "user", "sys": "sys"}


def find_timings(text: Text) -> Iterator[Timing]:
    """Every timing in a fixed format, in line order."""
    lines, after = text.lines, 0
    for index in text.find_lines(_may_begin):
        if index < after:
            continue
        timing, after = _read_shell_timing(lines, index)
        if timing is None:
            timing, after = _read_labelled_timing(lines, index)
        if timing and timing.times:
            yield timing


def _read_shell_timing(lines: Sequence[str], index: int) -> tuple[Timing | None, int]:
    """The timing that begins on `lines[index]` as a shell or BSD time prints it, and the index after it."""
    line = lines[index]
    if "real" in line or "user" in line or "sys" in line:
        if match := _WORD_AND_FIGURE.match(line) or _TYPED.match(line):
            timing, after = _read_three_lines(lines, index, match.re)
        else:
            timing, after = read_one_line(line, index + 1), index + 1
        if timing is None and _WORD.match(line):
            timing, after = _read_six_lines(lines, index)
        if timing is None and _ZSH_BEGINS.search(line):
            timing = read_broken_zsh(lines, index)
        return timing, after
    if _ZSH_USER.search(line):
        return read_broken_zsh(lines, index), index + 1
    return (read_csh(line, index + 1) if "u " in line else None), index + 1


def _read_labelled_timing(lines: Sequence[str], index: int) -> tuple[Timing | None, int]:
    """The timing that begins on `lines[index]` as GNU time -v, fish or PowerShell prints it, and the index after it."""
    line = lines[index]
    if any(label in line for label in _VERBOSE_LABELS):
        return _read_verbose(lines, index)
    if "Executed in" in line:
        return _read_fish(lines, index)
    return (_read_measure_command(lines, index) if "TotalSeconds" in line else None), index + 1


def _may_begin(line: str) -> bool:
    """Whether a timing may begin on a line, or on one that differs from it in digits only."""
    if "Executed in" in line or "TotalSeconds" in line or any(label in line for label in _VERBOSE_LABELS):
        return True
    if "real" in line or "user" in line or "sys" in line:
        return bool(
            _WORD_AND_FIGURE.match(line)
            or _TYPED.match(line)
            or _WORD.match(line)
            or read_one_line(line, 0)
            or _ZSH_BEGINS.search(line)
        )
    return ("u " in line and CSH_TIMING.search(line) is not None) or _ZSH_USER.search(line) is not None


def find_cut_timing(lines: Sequence[str]) -> int:
    """The number of the last line with text where it is an incomplete timing, else 0."""
    last = next((n for n in range(len(lines), max(0, len(lines) - 20), -1) if lines[n - 1].strip()), 0)
    return last if last and _CUT.search(lines[last - 1][-400:]) else 0


def _read_bash(lines: Sequence[str], index: int) -> Timing | None:
    """The three lines of bash where they are unchanged: a fast case of `_read_three_lines`."""
    match = _BASH.match("\n".join(lines[index : index + 3]))
    if not match:
        return None
    timing = Timing(index + 1, "bash", last_line=index + 3)
    groups = match.groups()
    for place, (native, quantity) in enumerate(_QUANTITIES.items()):
        raw, minutes, seconds = groups[3 * place : 3 * place + 3]
        seconds_in_all = round(int(minutes) * 60.0 + float(seconds), 9)
        timing.times[quantity] = PrintedTime(index + 1 + place, native, raw, seconds_in_all)
    return timing


def _read_three_lines(lines: Sequence[str], index: int, pattern: re.Pattern[str]) -> tuple[Timing | None, int]:
    """`real`, `user` and `sys` on lines of their own that match the pattern, in this order, with blank lines between."""
    if bash := _read_bash(lines, index):
        return bash, index + 3
    timing, expected, place = Timing(index + 1, "posix"), ["real", "user", "sys"], index
    while place < len(lines) and expected and place < index + 6:
        if not lines[place].strip(" \t>"):
            place += 1
            continue
        match = pattern.match(lines[place])
        if not match or match[1] not in expected:
            break
        raw = match[2].strip()
        first = next((time.raw for time in timing.times.values()), raw)
        damaged = _TORN_CLOCK.match(raw) or ("m" in first and "m" not in raw)  # the three are printed alike
        timing.add(_QUANTITIES[match[1]], place + 1, match[1], raw, None if damaged else parse_duration(raw))
        expected = expected[expected.index(match[1]) + 1 :]
        place += 1
    raws = [time.raw for time in timing.times.values()]
    certain = any(map(SHELL_CLOCK.fullmatch, raws)) or _is_retyped(lines, index, raws)
    if not raws or not (timing.is_complete or certain):
        return None, index + 1
    timing.timer = guess_timer(raws[0])
    return timing, place


def _is_retyped(lines: Sequence[str], index: int, raws: list[str]) -> bool:
    """Whether the timing is a lone `real 2m52s`, typed right below the timed command."""
    return len(raws) == 1 and index > 0 and bool(_WHOLE_SECONDS.fullmatch(raws[0]) and _TIMED.search(lines[index - 1]))


def _read_six_lines(lines: Sequence[str], index: int) -> tuple[Timing | None, int]:
    """`real`, `user` and `sys`, each with its figure on the next line; None where one of the six is missing."""
    shown = [(place, lines[place]) for place in range(index, min(index + 18, len(lines))) if lines[place].strip(" \t>")][:6]
    words = [match[1] for _, line in shown[::2] if (match := _WORD.match(line))]
    figures = [(place, match[1]) for place, line in shown[1::2] if (match := _FIGURE.match(line))]
    if words != ["real", "user", "sys"] or len(figures) != 3:
        return None, index + 1
    timing = Timing(index + 1, guess_timer(figures[0][1]))
    for word, (place, raw) in zip(words, figures, strict=True):
        timing.add(_QUANTITIES[word], place + 1, word, raw, parse_duration(raw))
    return timing, figures[-1][0] + 1


def _read_verbose(lines: Sequence[str], index: int) -> tuple[Timing | None, int]:
    """GNU time -v: a block of `Label: value` lines."""
    timing, place = Timing(index + 1, "gnu"), index
    while place < len(lines) and place < index + 30:
        line = lines[place]
        if place > index and "Command being timed" in line:
            break
        match = _VERBOSE.match(line)
        name = match.lastgroup if match else None
        if match and name:
            if name in timing.times:
                break
            _add_verbose(timing, name, match[name], line, place + 1)
        elif line.strip() and not _VERBOSE_OTHER.match(line):
            break
        place += 1
        if name == "exit":
            break
    return timing, place


def _add_verbose(timing: Timing, name: str, raw: str, line: str, number: int) -> None:
    """Add the value of a line of GNU time -v; `name`: its group in _VERBOSE."""
    if name in ("user", "sys", "elapsed"):
        native = line.strip().rsplit(": ", 1)[0]
        timing.add(name, number, native, raw, parse_duration(raw))
        return
    timing.evidence.append(number)
    if name == "command":
        timing.command = raw
    elif name == "cpu":
        timing.cpu = raw
    else:
        timing.exit_status = int(raw[:9])


def _read_measure_command(lines: Sequence[str], index: int) -> Timing | None:
    """PowerShell's Measure-Command: a list of one time span in several units, of which the seconds are taken."""
    seconds = _TOTAL_SECONDS.match(lines[index])
    milliseconds = _TOTAL_SECONDS.match(lines[index + 1]) if index + 1 < len(lines) else None
    if not seconds or not milliseconds or milliseconds[1] != "Milliseconds":
        return None
    timing = Timing(index + 1, "powershell")
    timing.add("elapsed", index + 1, "TotalSeconds", seconds[2], parse_plain_number(seconds[2]))
    for number in range(index, max(0, index - 16), -1):
        if command := _MEASURE_COMMAND.search(lines[number - 1]):
            timing.evidence, timing.command = [number], command[1]
            break
    return timing


def _read_fish(lines: Sequence[str], index: int) -> tuple[Timing | None, int]:
    """The lines of fish, each time with its own unit."""
    timing, place = Timing(index + 1, "fish"), index
    names = {"Executed in": "elapsed", "usr time": "user", "sys time": "sys"}
    while place < len(lines) and (match := _FISH.match(lines[place])):
        seconds = parse_plain_number(match[2])
        seconds = None if seconds is None else round(seconds * _FISH_UNIT[match[3]], 9)
        timing.add(names[match[1]], place + 1, match[1], match[2], seconds)
        place += 1
    return timing, max(place, index + 1)
