"""A run of mdtest: what its banner, its command and its lines before the summary tell."""

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
_SIZED = {"-w": "file_size", "-e": "read_bytes", "-z": "levels", "-b": "dirs_per_dir", "-I": "files_per_dir"}


@dataclass(slots=True)
class MdtestRun:
    """One run; `half`: a row that the next line may complete."""

    start: int
    version: str | None = None
    started: str | None = None
    started_line: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    quantity: str = "rate"
    iterations: int | None = None
    columns: list[tuple[str, str]] = field(default_factory=list)
    titles: int = 0
    torn: int = 0  # line of the titles of which it was told that they break off
    single: list[tuple[int, str, str, str]] = field(default_factory=list)
    summed: bool = False
    repeated: bool = False
    announced: bool = False
    finished: bool = False
    shown_at: int = 0  # line of a command that the text shows above an output without head
    half: tuple[str, list[tuple[str, int]]] | None = None  # a row that the next line may complete
    shown: str = ""  # the titles of the columns as printed
    told: dict[tuple[Hashable, ...], dict[str, Any]] = field(default_factory=dict)  # parameters that figures have alike, made once
    last: tuple[int, ...] = ()


def read_run_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> None:
    """Takes what a line that is none of the summary tells of the run; the command may go on below."""
    run.told = {}
    if banner := BANNER.match(line):
        run.version = banner[1]
        run.params |= {"processes": int(banner[2]), "nodes": int(banner[3])}
        run.start = run.start or number
        run.depends["banner"] = number
    elif started := STARTED.match(line):
        run.started = _moment(started[1])
        run.depends["started"] = number
    elif _FINISHED.match(line):
        run.finished = True
    elif command := ECHOED_COMMAND.match(line):
        more = read_wrapped_words(lines, number)
        _take_command(run, " ".join([*([command[1]] if command[1] else []), *more]))
        run.depends |= {f"command {at}": at for at in range(number, number + len(more) + 1)}
    elif items := _ITEMS.match(line):
        kinds = {"files": ("files",), "directories": ("dirs",)}.get(items[3], ("files", "dirs"))
        run.params |= dict.fromkeys(kinds, int(items[2])) | {"processes": int(items[1])}
        run.depends["items"] = number
    elif not (run.version or run.summed) and (found := shell.read_shell_command(SHELL_COMMAND, lines, number)):
        words, tasks, last = found
        run.params, run.shown_at = {"processes": tasks} if tasks is not None else {}, number
        _take_command(run, words)
        run.depends = {f"command {at}": at for at in range(number, last + 1)}
    elif run.shown_at and not run.version and shell.COMMAND_ENDS.match(line):
        run.params, run.depends, run.shown_at, run.repeated = {}, {}, 0, False


def _moment(printed: str) -> str | None:
    """`11/21/2026 04:39:10`, month first (mdtest.c: strftime "%m/%d/%Y %T")."""
    try:
        return datetime.strptime(printed, "%m/%d/%Y %H:%M:%S").isoformat()
    except ValueError:
        return None


def _take_command(run: MdtestRun, command: str) -> None:
    words = [word.strip("'\"") for word in command.split()]
    if not any(word.endswith("mdtest") for word in words[:1]):
        return
    run.params["command"] = command
    run.params["access"] = "directory per task" if "-u" in words else "shared directory"
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in _SIZED and following.isdecimal():
            run.params[_SIZED[word]] = int(following)
        elif word == "-i" and following.isdecimal():
            run.repeated = int(following) > 1
        elif word == "-a" and following.isalnum():
            run.params["api"] = following
        elif word == "-y":
            run.params["fsync"] = "on"
