"""A transcript that goes from one host to another: which of its clues speak of which host.

What a prompt's host tells of itself (system, processor, memory) holds for nobody else. Pools, file systems and disks may
be those of a server that another host measures (NFS, BeeGFS): they hold for a host that tells none of its own.
"""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ingest.records import Clue
from ingest.text import Command

_OWN = ("os.", "kernel", "arch", "cpu.", "memory")
_SHARED = ("pool.", "fs.", "disk.")


class Hosts:
    """The hosts of a transcript's prompts along its lines."""

    def __init__(self, commands: Sequence[Command]) -> None:
        turns: list[tuple[int, str]] = []
        for command in commands:
            if command.host and (not turns or turns[-1][1] != command.host):
                turns.append((command.line, command.host))
        self.lines = [line for line, _ in turns]
        self._names = [name for _, name in turns]
        self.names = dict.fromkeys(self._names)

    @property
    def several(self) -> bool:
        """Whether the transcript shows prompts of more than one host."""
        return len(self.names) > 1

    def at(self, line: int) -> str | None:
        """The host whose prompt stands last at or above the line; None above the first prompt."""
        at = bisect_right(self.lines, line) - 1
        return self._names[at] if at >= 0 else None

    def heard(self, host: str | None, clues: Iterable[Clue]) -> list[Clue]:
        """The clues that may hold for results under prompts of that host."""
        clues = list(clues)
        told = {family for clue in clues if (family := _family(clue.key)) and self.at(clue.line) == host}
        return [clue for clue in clues if self._holds(clue, host, told)]

    def _holds(self, clue: Clue, host: str | None, told: set[str]) -> bool:
        where = self.at(clue.line)
        if clue.effect == "labels" or where is None or where == host:
            return True
        family = _family(clue.key)
        return not clue.key.startswith(_OWN) and family not in told


def _family(key: str) -> str | None:
    """Pools, file systems and disks are one family: they describe one place together."""
    return "storage" if key.startswith(_SHARED) else None
