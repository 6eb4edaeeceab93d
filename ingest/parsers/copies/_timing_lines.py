"""Timings that shells and time(1) print on a single line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.lazy_regex import lazy
from ingest.parsers.copies._timing import Timing

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
