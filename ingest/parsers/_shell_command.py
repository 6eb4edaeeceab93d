"""The command above an output that does not repeat it, at a prompt, in a job script or in a post.

    $ mpirun -np 64 ./ior -t 1m -b 64m -F \\
        -o /mnt/file

It applies up to the next prompt or heading; an output below that belongs to another run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.lazy_regex import lazy

# Continuation lines of a command echoed after `Command line used:` and wrapped by a mail program.

_MARGIN = " \t>|#+"
_LABEL = lazy(r"[A-Za-z][\w ()/-]{0,40}?\s*[:=](?:\s|\Z)|-- |\d+ tasks, ")  # what IOR and mdtest print after the command
_WORD = r"'?[\w./=:@,%+~-]+'?"
_CONTINUATION = lazy(rf"'?-{{1,2}}[A-Za-z]|'?\.{{0,2}}/|{_WORD}(?:\s+{_WORD})*\s+'?-{{1,2}}[A-Za-z]|{_WORD}\Z")
# Characters of a wrapped line at least, of a continuation line at most; continuation lines of a command at most.
_MIN_WRAPPED, _MAX_CONTINUATION, _MAX_LINES = 40, 120, 12


def read_wrapped_words(lines: Sequence[str], number: int) -> list[str]:
    """The words of each continuation line of the command on the 1-based line; empty where it was not wrapped."""
    continuations: list[str] = []
    previous = lines[number - 1]
    for line in lines[number : number + _MAX_LINES]:
        words = line.strip(_MARGIN)
        wrapped = len(previous.strip()) >= _MIN_WRAPPED or previous.strip()[-1:] == ":"
        if not (wrapped and words and len(line) <= _MAX_CONTINUATION and _CONTINUATION.match(words)) or _LABEL.match(words):
            break
        continuations.append(words)
        previous = line
    return continuations


# A heading that does not announce an output, or a prompt followed by another command.
COMMAND_ENDS = lazy(
    r"^[ \t]{0,3}#{1,6} (?!.*(?:(?i:output|result|example)|结果|输出))\S|"
    r"^[\s>|]*(?:\[[^\]\n]{1,80}\]|[\w.@:~/-]{0,80})[$#%] +[a-z.]"
)
_TASKS = lazy(r"\b(?:mpirun|mpiexec|orterun|prun|srun|aprun)\b.{0,300}?\s(?:--?np|-n|--ntasks)(?:=|\s+)(\d{1,7})(?=\s)")
_SHELL_SYNTAX = lazy(r"\s+(?:[0-9&]?>|\||&&|;|#)|[`;]|\s&\s*\Z|\s*\\\s*\Z")  # ends the command: redirection, pipe, list, comment
# Most lines over which backslashes break the command of a benchmark; of a copy, whose exclude patterns are many.
_BENCHMARK_LINES, _COPY_LINES = 10, 30


def command_pattern(tool: str) -> re.Pattern[str]:
    """A pattern of lines with a command of that program and options; prose and the tool's own `Command line` do not match."""
    return re.compile(rf"^(?!.*Command line).*?(?:^|[\s/`$\"'])(?:{tool})(?=\s+-{{1,2}}[A-Za-z])")


def join_continuations(
    lines: Sequence[str], number: int, command: str, margin: str | None, max_lines: int = _COPY_LINES
) -> tuple[str, int]:
    """The command on the 1-based line joined with its continuation lines (trailing backslashes), and the number of the last.

    `margin`: characters stripped from the ends of continuation lines, None for white space.
    """
    last = number
    while command.endswith("\\") and last < min(len(lines), number + max_lines):
        command = f"{command[:-1].rstrip()} {lines[last].strip(margin)}"
        last += 1
    return command, last


class ShellCommand(NamedTuple):
    """A program with its options, the tasks of its launcher, and the last line of the command."""

    text: str
    tasks: int | None
    last: int


def read_shell_command(pattern: re.Pattern[str], lines: Sequence[str], number: int) -> ShellCommand | None:
    """The command on the 1-based line; None without a match."""
    command, last = join_continuations(lines, number, lines[number - 1].rstrip(), None, _BENCHMARK_LINES)
    match = pattern.match(command)
    if not match:
        return None
    first = number - 1
    while first and number - first < _BENCHMARK_LINES and lines[first - 1].rstrip().endswith("\\"):
        first -= 1
    launcher = " ".join(line.rstrip(" \\") for line in lines[first : number - 1])
    tasks = _TASKS.search(f"{launcher} {command}")
    start = max(command.rfind(" ", 0, match.end()), command.rfind("`", 0, match.end())) + 1
    text = _SHELL_SYNTAX.split(command[start:], maxsplit=1)[0].strip()
    return ShellCommand(text, int(tasks[1]) if tasks else None, last)
