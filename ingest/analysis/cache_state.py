"""Caches before a run, from the transcript: the commands between the run before and this one.

Linux Documentation/admin-guide/sysctl/vm.rst (drop_caches: 1 and 3 free the page cache, 2 does not); purge(8) of macOS;
zpool-export(8): exporting a pool drops its part of the ARC.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from ingest.configuration.subjects import covered_length
from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand

_DROPPED = lazy(
    r"echo\s+[\"']?[13][\"']?\s*(?:>|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*/proc/sys/vm/drop_caches"
    r"|vm\.drop_caches\s*=\s*[13]\b|^(?:sudo\s+)?(?:/usr/sbin/)?purge$"
)
_REBOOTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:reboot\b|shutdown\s+-[a-z]*[ri]|init\s+6\b|systemctl\s+reboot\b)")
_UNMOUNTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:(zpool\s+export)|umount|zfs\s+u(?:n)?mount)\s+(?:-\w+\s+)*(\S+)")
_MOUNTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:zpool\s+import|mount|zfs\s+mount)\b")
_SEPARATORS = lazy(r"&&|\|\||[;\n]|\bdo\b|\bthen\b")
_LOOP = lazy(r"\b(?:for|while|until|seq|xargs|repeat|foreach)\b")


class FileCommands:
    """The commands of one file, and which of them are runs."""

    def __init__(self, commands: Sequence[ShownCommand], lines: Iterable[int | str]) -> None:
        self.commands = commands
        self._lines = [command.line for command in commands]
        self._index = -1
        self._cache: dict[tuple[str, str | None], tuple[str, int] | None] = {}  # of the command at `_index`, the last asked for
        indices = (self._index_of(line) for line, _ in groupby(lines) if isinstance(line, int))
        self.runs = array("l", (index for index, _ in groupby(indices) if index is not None))
        if any(after < before for before, after in pairwise(self.runs)):
            self.runs = array("l", sorted(self.runs))

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


def find_cache_state(commands: Iterable[tuple[str, int]], path: str | None) -> tuple[str, int] | None:
    """(state, line) after the last of these simple commands that affects the caches of `path`; None if there is none."""
    state: tuple[str, int] | None = None
    pending: str | None = None
    for text, line in commands:
        if _DROPPED.search(text):
            state = "dropped", line
        elif _REBOOTED.match(text):
            state = "rebooted", line
        elif match := _UNMOUNTED.match(text):
            pending = ("reimported" if match[1] else "remounted") if _concerns(match[2], path) else pending
        elif pending and _MOUNTED.match(text):
            state, pending = (pending, line), None
    return state


def _concerns(subject: str, path: str | None) -> bool:
    """Whether the pool, data set or mount point contains the path; True if unknown."""
    return path is None or subject.startswith("/dev/") or covered_length(subject, path) >= 0
