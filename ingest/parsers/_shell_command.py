"""The command above an output that does not repeat it, at a prompt, in a job script or in a post.

    $ mpirun -np 64 ./ior -t 1m -b 64m -F \\
        -o /mnt/file

It holds up to the next prompt or heading: what stands below that is of another run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.lazy_regex import lazy

# A heading, unless it speaks of the output, or a prompt with some other command behind it.
COMMAND_ENDS = lazy(
    r"^[ \t]{0,3}#{1,6} (?!.*(?:(?i:output|result|example)|结果|输出))\S|"
    r"^[\s>|]*(?:\[[^\]\n]{1,80}\]|[\w.@:~/-]{0,80})[$#%] +[a-z.]"
)
_TASKS = lazy(r"\b(?:mpirun|mpiexec|orterun|prun|srun|aprun)\b.{0,300}?\s(?:--?np|-n|--ntasks)(?:=|\s+)(\d{1,7})(?=\s)")
_BEHIND = lazy(r"\s+(?:[0-9&]?>|\||&&|;|#)|[`;]|\s&\s*\Z|\s*\\\s*\Z")  # where the shell goes on with something else
_MOST, _LONGEST = 10, 30  # lines of a command that backslashes break: of a benchmark, and of a copy with what it leaves out


def command_pattern(tool: str) -> re.Pattern[str]:
    """A line that may hold a command of that program, with options: no prose, and not what the program echoes itself."""
    return re.compile(rf"^(?!.*Command line).*?(?:^|[\s/`$\"'])(?:{tool})(?=\s+-{{1,2}}[A-Za-z])")


def join_continuations(lines: Sequence[str], number: int, words: str, margin: str | None, most: int = _LONGEST) -> tuple[str, int]:
    """The command on the 1-based line with the lines into which backslashes break it, at `most`, and the last of them.

    `margin`: signs before those lines (None: blanks).
    """
    last = number
    while words.endswith("\\") and last < min(len(lines), number + most):
        words = f"{words[:-1].rstrip()} {lines[last].strip(margin)}"
        last += 1
    return words, last


def read_shell_command(command: re.Pattern[str], lines: Sequence[str], number: int) -> tuple[str, int | None, int] | None:
    """Of the command on the 1-based line: the program with its options, the tasks of its launcher, and the last line of it."""
    words, last = join_continuations(lines, number, lines[number - 1].rstrip(), None, _MOST)
    found = command.match(words)
    if not found:
        return None
    above = number - 1
    while above and number - above < _MOST and lines[above - 1].rstrip().endswith("\\"):
        above -= 1
    launched = " ".join(line.rstrip(" \\") for line in lines[above : number - 1])
    tasks = _TASKS.search(f"{launched} {words}")
    start = max(words.rfind(" ", 0, found.end()), words.rfind("`", 0, found.end())) + 1
    return _BEHIND.split(words[start:], maxsplit=1)[0].strip(), int(tasks[1]) if tasks else None, last
