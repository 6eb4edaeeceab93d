"""Caches before a run, from the transcript: the commands between the run before and this one.

Linux Documentation/admin-guide/sysctl/vm.rst (drop_caches: 1 and 3 free the page cache, 2 does not); purge(8) of macOS;
zpool-export(8): exporting a pool drops its part of the ARC.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from posixpath import join, normpath

from ingest.configuration.subjects import covered_length, measured_path
from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS
from ingest.text.lines import ShownCommand, Text

_DROPPED = lazy(
    r"echo\s+[\"']?[13][\"']?\s*(?:>|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*/proc/sys/vm/drop_caches"
    r"|vm\.drop_caches\s*=\s*[13]\b|^(?:sudo\s+)?(?:/usr/sbin/)?purge$"
)
_REBOOTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:reboot\b|shutdown\s+-[a-z]*[ri]|init\s+6\b|systemctl\s+reboot\b)")
_UNMOUNTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:(zpool\s+export)|umount|zfs\s+u(?:n)?mount)\s+(?:-\w+\s+)*(\S+)")
_MOUNTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:zpool\s+import|mount|zfs\s+mount)\b")
_SEPARATORS = lazy(r"&&|\|\||[;\n]|\bdo\b|\bthen\b")
_LOOP = lazy(r"\b(?:for|while|until|seq|xargs|repeat|foreach)\b")
_ELSEWHERE = lazy(r"(?:sudo\s+)?(?:ssh|[pd]ssh|pdsh|clush|ansible)\b")
"""Runs the rest of its line on another host."""
_FRONT = lazy(r"(?:(?:sudo|doas|pfexec|time|nice|env|command|exec|\w+=\S*)\s+(?:-\w+\s+)*)+")
_KEEPS_CACHES = frozenset(
    ("sync", "sleep", "echo", "ls", "stat", "df", "du", "mount", "umount", "zpool", "lsblk", "date", "uname", "cd", "mkdir", "free")
)
"""Programs that neither read nor write the data of the paths that they are given."""
_FAILED = lazy(
    r"(?i).*(?:permission denied|cannot |can't |\bbusy\b|failed|not found|no such|must be|not permitted|usage:|not mounted|invalid)"
)
_LAID_OUT = lazy(r".{0,200}: Laying out IO file")
_LAYS_OUT = "fio: Laying out IO files"
"""Stands for the writing of its files before the work of a fio."""
_EMPTIES = lazy(r"drop_caches|\bpurge\b|reboot|shutdown|\binit\s+6|umount|unmount|zpool\s+export")
_FARTHEST = 1000  # commands before a run that are read
STRENGTHS = ("dropped", "remounted", "reimported", "rebooted")
"""What empties caches, from the page cache of the system alone to all memory."""


class FileCommands:
    """The commands of one file, and which of them are runs."""

    def __init__(self, commands: Sequence[ShownCommand], lines: Iterable[int | str]) -> None:
        self.commands = commands
        self._lines = [command.line for command in commands]
        self._index = -1
        self._cache: dict[tuple[str, str | None], tuple[str, int] | None] = {}  # of the command at `_index`, the last asked for
        self._are_emptied = any(_EMPTIES.search(command.text) for command in commands)
        self._emptied: tuple[tuple[int, str, str | None] | None, str | None] = None, None  # of the run that was last asked for
        indices = (self._index_of(line) for line, _ in groupby(lines) if isinstance(line, int))
        self.runs = array("l", (index for index, _ in groupby(indices) if index is not None))
        if any(after < before for before, after in pairwise(self.runs)):
            self.runs = array("l", sorted(self.runs))

    def shows(self, line: int | str) -> bool:
        """Whether the command is known whose output holds the line."""
        return isinstance(line, int) and self._index_of(line) is not None

    def before(self, line: int | str, tool: str, path: str | None) -> tuple[str, int] | None:
        """(state, line of the command) of the caches before the run whose value is on that line; None if unknown.

        States: `dropped`, `rebooted`, `reimported` (pool exported and imported), `remounted`.
        """
        index = self._index_of(line) if isinstance(line, int) else None
        if index is None:
            return None
        if index != self._index:
            self._index = index
            self._cache.clear()
        key = tool, path
        if key not in self._cache:
            self._cache[key] = self._before(index, tool, path)
        return self._cache[key]

    def _before(self, index: int, tool: str, path: str | None) -> tuple[str, int] | None:
        earlier_run = bisect_right(self.runs, index - 1) - 1
        first = self.runs[earlier_run] + 1 if earlier_run >= 0 else 0
        between = [
            (command_text, command.line) for command in self.commands[first:index] for command_text in split_command(command.text)
        ]
        between += [
            (command_text, self.commands[index].line) for command_text in _commands_before_tool(self.commands[index].text, tool)
        ]
        return find_cache_state(between, path)

    def emptied_by(self, line: int | str, tool: str, path: str | None) -> str | None:
        """The strongest of `STRENGTHS` that happened to the caches of the run's data since a command last read or wrote them; None
        if nothing is known to have happened."""
        index = self._index_of(line) if isinstance(line, int) and self._are_emptied else None
        if index is None:
            return None
        key = index, tool, path
        if self._emptied[0] != key:
            self._emptied = key, self._emptied_by(index, tool, path)
        return self._emptied[1]

    def _emptied_by(self, index: int, tool: str, path: str | None) -> str | None:
        run = self.commands[index]
        path = path or measured_path(NO_PARAMS, run)
        parts = [(text, run.line) for text in reversed(_commands_before_tool(run.text, tool))]
        for at in range(index - 1, max(index - _FARTHEST, 0) - 1, -1):
            command = self.commands[at]
            if _ELSEWHERE.match(command.text) or (command.host and run.host and command.host != run.host):
                continue
            position = bisect_right(self.runs, at) - 1
            if _touches(command, path, is_run=position >= 0 and self.runs[position] == at):
                break
            parts += [(text, command.line) for text in reversed(split_command(command.text))]
        happened = {state for state, _ in _states(reversed(parts), path, is_strict=True)}
        return max(happened, key=STRENGTHS.index, default=None)

    def _index_of(self, line: int) -> int | None:
        index = bisect_right(self._lines, line) - 1
        if index < 0 or line > max(self.commands[index].last, self.commands[index].line) or not self.commands[index].text:
            return None
        return index


def split_command(text: str) -> list[str]:
    """The simple commands of a command line."""
    return [part.strip() for part in _SEPARATORS.split(text) if part.strip()]


def _commands_before_tool(text: str, tool: str) -> list[str]:
    """The simple commands before the first call of the tool. None if it is called several times, unless in a loop."""
    calls = list(re.finditer(rf"(?<![\w./-]){re.escape(tool)}(?![\w+])", text))
    if not calls or (len(calls) > 1 and not _LOOP.search(text)):
        return []
    return split_command(text[: calls[0].start()])


def effective_commands(text: Text) -> list[ShownCommand]:
    """The commands of a text, without those about caches that printed an error; one more stands for files that fio laid out."""
    found = list[ShownCommand]()
    for command in text.commands:
        shown = text.lines[command.first - 1 : min(command.last, command.first + 20)]
        if any(map(_LAID_OUT.match, shown)):
            found.append(replace(command, text=_LAYS_OUT))
        is_about_caches = _DROPPED.search(command.text) or any(map(_UNMOUNTED.match, split_command(command.text)))
        has_failed = is_about_caches and any(map(_FAILED.match, shown[:3]))
        found.append(replace(command, text="") if has_failed else command)
    return found


def find_cache_state(commands: Iterable[tuple[str, int]], path: str | None) -> tuple[str, int] | None:
    """(state, line) after the last of these simple commands that affects the caches of `path`; None if there is none."""
    state = None
    for state in _states(commands, path):  # noqa: B007 the last one counts
        pass
    return state


def _states(commands: Iterable[tuple[str, int]], path: str | None, is_strict: bool = False) -> Iterator[tuple[str, int]]:
    """(state, line) of each that affects the caches of `path`. `is_strict`: only where it is sure to be the one of `path`."""
    pending: str | None = None
    for text, line in commands:
        if _DROPPED.search(text):
            yield "dropped", line
        elif _REBOOTED.match(text):
            yield "rebooted", line
        elif match := _UNMOUNTED.match(text):
            kind = "reimported" if match[1] else "remounted"
            is_kept = is_strict and "zfs" in match[0]  # unmounted data sets stay in the ARC
            pending = kind if not is_kept and _concerns(match[2], path, is_strict) else pending
        elif pending and _MOUNTED.match(text):
            yield pending, line
            pending = None


def _concerns(subject: str, path: str | None, is_strict: bool) -> bool:
    """Whether the pool, data set or mount point contains the path; if unknown True, unless `is_strict`."""
    if subject in ("-a", "--all"):
        return True
    if path is None or subject.startswith("/dev/"):
        return not is_strict
    return covered_length(subject, path) >= 0


def _touches(command: ShownCommand, path: str | None, is_run: bool) -> bool:
    """Whether a command may have read or written the data on `path`, after which they may be in memory."""
    if command.text == _LAYS_OUT:
        return True
    if path is None or (is_run and measured_path(NO_PARAMS, command) is None):
        return is_run
    for text in split_command(command.text):
        words = re.split(r"[\s=<>|]+", _FRONT.sub("", text, count=1) if _FRONT.match(text) else text)
        if words[0].rpartition("/")[2] in _KEEPS_CACHES:
            continue
        places = [normpath(join(command.cwd or "", word)) for word in words[1:] if word and not word.startswith("-")]
        if any(place.startswith(path) or path.startswith(f"{place}/") for place in places if place.startswith("/")):
            return True
    return False
