"""A run of mdtest, and the lines above its summary: banner, command, dates, items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers import _shell_command as shell
from ingest.parsers._wrapped_command import read_wrapped_words

BANNER = lazy(r"^[\s>|#+]*mdtest-(\d\S*) was launched with (\d+) total task\(s\) on (\d+) node(?:\(s\)|s)?")
STARTED = lazy(r"^[\s>|#+]*-- started at (\d\d/\d\d/\d{4} \d\d:\d\d:\d\d) --")
SHELL_COMMAND = shell.command_pattern("mdtest")
_FINISHED = lazy(r"^[\s>|#+]*-- finished at ")
ECHOED_COMMAND = lazy(r"^[\s>|#+]*Command line used:\s*(\S.*)?$")
_ITEMS = lazy(r"^[\s>|#+]*(\d+) tasks, (\d+) (files/directories|files|directories)\b")
_COUNT_OPTIONS = {"-w": "file_size", "-e": "read_bytes", "-z": "levels", "-b": "dirs_per_dir", "-I": "files_per_dir"}


@dataclass(slots=True)
class MdtestRun:
    """One run, and how far its summary was read."""

    start: int
    version: str | None = None
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)  # what was read -> its line
    is_finished: bool = False
    is_repeated: bool = False  # by the command (-i)
    command_line: int = 0  # of a command above an output without head
    single: list[tuple[int, str, str, str]] = field(default_factory=list)  # iterations: line, operation, seconds, rate
    has_summary: bool = False
    is_announced: bool = False  # a SUMMARY line stands above the titles
    quantity: str = "rate"
    iterations: int | None = None
    titles: int = 0
    titles_text: str = ""
    columns: list[tuple[str, str]] = field(default_factory=list)  # stat and part
    torn_titles: int = 0  # line of the titles whose end is known to be missing
    pending: tuple[str, list[tuple[str, int]]] | None = None  # a row that the next line may complete: operation, cells
    params_of: dict[tuple[Hashable, ...], dict[str, Any]] = field(default_factory=dict)  # shared by values with equal ones
    last_depends: tuple[int, ...] = ()  # of the value before


def read_run_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> None:
    """Read a line outside the summary into the run; a command may go on below it."""
    run.params_of = {}
    if banner := BANNER.match(line):
        run.version = banner[1]
        run.params |= {"processes": int(banner[2]), "nodes": int(banner[3])}
        run.start = run.start or number
        run.depends["banner"] = number
    elif started := STARTED.match(line):
        run.started = _parse_date(started[1])
        run.depends["started"] = number
    elif _FINISHED.match(line):
        run.is_finished = True
    elif command := ECHOED_COMMAND.match(line):
        rest = read_wrapped_words(lines, number)
        _set_command(run, " ".join([*([command[1]] if command[1] else []), *rest]))
        run.depends |= {f"command {line}": line for line in range(number, number + len(rest) + 1)}
    elif items := _ITEMS.match(line):
        kinds = {"files": ("files",), "directories": ("dirs",)}.get(items[3], ("files", "dirs"))
        run.params |= dict.fromkeys(kinds, int(items[2])) | {"processes": int(items[1])}
        run.depends["items"] = number
    else:
        _read_shell_line(run, lines, line, number)


def _read_shell_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> None:
    """A command above an output without head, or the line that ends its output."""
    has_head = run.version or run.has_summary
    if not has_head and (command := shell.read_shell_command(SHELL_COMMAND, lines, number)):
        words, tasks, last = command
        run.params, run.command_line = {"processes": tasks} if tasks is not None else {}, number
        _set_command(run, words)
        run.depends = {f"command {line}": line for line in range(number, last + 1)}
    elif run.command_line and not run.version and shell.COMMAND_ENDS.match(line):
        run.params, run.depends, run.command_line, run.is_repeated = {}, {}, 0, False


def _parse_date(printed: str) -> str | None:
    """`11/21/2026 04:39:10`, month first (mdtest.c: strftime "%m/%d/%Y %T"), in ISO 8601; None for another text."""
    try:
        return datetime.strptime(printed, "%m/%d/%Y %H:%M:%S").isoformat()
    except ValueError:
        return None


def _set_command(run: MdtestRun, command: str) -> None:
    words = [word.strip("'\"") for word in command.split()]
    if not any(word.endswith("mdtest") for word in words[:1]):
        return
    run.params["command"] = command
    run.params["access"] = "directory per task" if "-u" in words else "shared directory"
    for word, argument in zip(words, [*words[1:], ""], strict=True):
        if word in _COUNT_OPTIONS and argument.isdecimal():
            run.params[_COUNT_OPTIONS[word]] = int(argument)
        elif word == "-i" and argument.isdecimal():
            run.is_repeated = int(argument) > 1
        elif word == "-a" and argument.isalnum():
            run.params["api"] = argument
        elif word == "-y":
            run.params["fsync"] = "on"
