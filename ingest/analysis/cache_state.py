"""Caches before a run, as far as a transcript tells: what was done between the run before and this one.

Linux Documentation/admin-guide/sysctl/vm.rst (drop_caches: 1 and 3 free the page cache, 2 does not); purge(8) of macOS;
zpool-export(8): an exported pool takes its part of the ARC with it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ingest.configuration.subjects import covered_length
from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand

_DROPPED = lazy(
    r"echo\s+[\"']?[13][\"']?\s*(?:>|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*/proc/sys/vm/drop_caches"
    r"|vm\.drop_caches\s*=\s*[13]\b|^(?:sudo\s+)?(?:/usr/sbin/)?purge$"
)
_REBOOTED = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:reboot\b|shutdown\s+-[a-z]*[ri]|init\s+6\b|systemctl\s+reboot\b)")
_OUT = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:(zpool\s+export)|umount|zfs\s+u(?:n)?mount)\s+(?:-\w+\s+)*(\S+)")
_IN = lazy(r"^(?:sudo\s+)?(?:/sbin/)?(?:zpool\s+import|mount|zfs\s+mount)\b")
_PARTS = lazy(r"&&|\|\||[;\n]|\bdo\b|\bthen\b")
_LOOP = lazy(r"\b(?:for|while|until|seq|xargs|repeat|foreach)\b")


class FileCommands:
    """The commands of one file, and which of them are runs."""

    def __init__(self, commands: Sequence[ShownCommand], lines: Iterable[int | str]) -> None:
        self.commands = commands
        self._lines = [command.line for command in commands]
        self._told: dict[tuple[int, str, str | None], tuple[str, int] | None] = {}
        self.runs = sorted({at for line in set(lines) if isinstance(line, int) and (at := self._at(line)) is not None})

    def before(self, line: int | str, tool: str, path: str | None) -> tuple[str, int] | None:
        """(state, line of the command that made it) of the run whose value stands on that line; None if not told.

        States: `dropped`, `rebooted`, `reimported` (pool exported and imported), `remounted`.
        """
        own = self._at(line) if isinstance(line, int) else None
        if own is None:
            return None
        asked = own, tool, path
        if asked not in self._told:
            self._told[asked] = self._before(own, tool, path)
        return self._told[asked]

    def _before(self, own: int, tool: str, path: str | None) -> tuple[str, int] | None:
        earlier = bisect_right(self.runs, own - 1) - 1
        first = self.runs[earlier] + 1 if earlier >= 0 else 0
        between = [(part, command.line) for command in self.commands[first:own] for part in parts(command.text)]
        between += [(part, self.commands[own].line) for part in _before_the_tool(self.commands[own].text, tool)]
        return find_cache_state(between, path)

    def _at(self, line: int) -> int | None:
        at = bisect_right(self._lines, line) - 1
        if at < 0 or line > max(self.commands[at].last, self.commands[at].line) or not self.commands[at].text:
            return None
        return at


def parts(text: str) -> list[str]:
    """The simple commands of a command line."""
    return [part.strip() for part in _PARTS.split(text) if part.strip()]


def _before_the_tool(text: str, tool: str) -> list[str]:
    """What the line does before it calls the tool. Where it calls the tool several times, only a loop does it for each."""
    called = list(re.finditer(rf"(?<![\w./-]){re.escape(tool)}(?![\w+])", text))
    if not called or (len(called) > 1 and not _LOOP.search(text)):
        return []
    return parts(text[: called[0].start()])


def find_cache_state(done: Iterable[tuple[str, int]], path: str | None) -> tuple[str, int] | None:
    """What the last of these simple commands that concerns the caches of `path` did, and its line."""
    state: tuple[str, int] | None = None
    gone: str | None = None
    for text, line in done:
        if _DROPPED.search(text):
            state = "dropped", line
        elif _REBOOTED.match(text):
            state = "rebooted", line
        elif out := _OUT.match(text):
            gone = ("reimported" if out[1] else "remounted") if _concerns(out[2], path) else gone
        elif gone and _IN.match(text):
            state, gone = (gone, line), None
    return state


def _concerns(subject: str, path: str | None) -> bool:
    """Whether the pool, data set or mount point holds the path; what cannot be told is taken to."""
    return path is None or subject.startswith("/dev/") or covered_length(subject, path) >= 0
