"""A transcript that goes from one host to another: which of its clues speak of which host.

What a prompt's host tells of itself (system, processor, memory) holds for nobody else. Pools, file systems and disks may
be those of a server that another host measures (NFS, BeeGFS): they hold for a host that tells none of its own. Hosts that one
command was sent to (pdsh, Ansible) tell nothing of each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ingest.records import Clue
from ingest.text.lines import ShownCommand

_OWN = ("os.", "kernel", "arch", "cpu.", "memory")
_MOST = 10_000  # hosts of a range
BANNER = "banner"  # the group of clues that begin a host's part of an output of several
_SHARED = ("pool.", "fs.", "disk.")


class HostTimeline:
    """The hosts of a transcript's prompts, and of the banners in its outputs, along its lines."""

    def __init__(self, commands: Sequence[ShownCommand], clues: Sequence[Clue] = ()) -> None:
        banners = [clue for clue in clues if clue.group == BANNER]
        self.peers = {clue.value for clue in banners}
        turns: list[tuple[int, str]] = []
        prompts = list(_of_prompts(commands, banners))
        for line, host in sorted([*_above(prompts, clues), *prompts, *((clue.line, clue.value) for clue in banners)]):
            if not turns or turns[-1][1] != host:
                turns.append((line, host))
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

    def of_others(self, clues: Mapping[str, Clue], line: int, path: str | None) -> list[str]:
        """Keys that another host tells of its disks, where a bare device was measured: /dev/sda is each host's own."""
        if path is None or not path.startswith("/dev/"):
            return []
        disks = {key: self.at(clue.line) for key, clue in clues.items() if key.startswith("disk.") and clue.effect != "labels"}
        return [key for key, where in disks.items() if where not in (None, self.at(line)) and where not in self.peers]

    def _holds(self, clue: Clue, host: str | None, told: set[str]) -> bool:
        where = self.at(clue.line)
        if where is None or where == host:
            return True
        if where in self.peers and host in self.peers:
            return host in expand_host_list(where)
        if clue.effect == "labels":
            return clue.key != "host"
        family = _family(clue.key)
        return not clue.key.startswith(_OWN) and family not in told


def _of_prompts(commands: Sequence[ShownCommand], banners: Sequence[Clue]) -> Iterator[tuple[int, str]]:
    """The hosts of prompts that name one; a prompt that also stood above a banner ends it, whoever runs there."""
    first = banners[0].line if banners else 0
    above = {command.prompt for command in commands if command.line < first}
    for command in commands:
        if command.host or (command.host is not None and len(commands) > 1):
            yield command.line, command.host
        elif command.line > first and command.prompt in above:
            yield command.line, ""


def _above(prompts: Sequence[tuple[int, str]], clues: Sequence[Clue]) -> Iterator[tuple[int, str]]:
    """Hosts that `uname` names above the first prompt, where prompts name them too: what follows there is theirs."""
    first, names = prompts[0][0] if prompts else 0, {host.partition(".")[0]: host for _, host in prompts}
    return (
        (clue.line, names[short])
        for clue in clues
        if clue.line < first and clue.key == "host" and clue.effect == "shows"
        for short in [clue.value.partition(".")[0]]
        if short in names
    )


@lru_cache(1000)
def expand_host_list(hosts: str) -> frozenset[str]:
    """The hosts of a list as dshbak and clush print it: `node[01-04,7]`, `a,b`."""
    found: list[str] = []
    for one in re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", hosts):
        front, _, rest = one.partition("[")
        inside, _, behind = rest.partition("]")
        for part in inside.split(","):
            low, _, high = part.partition("-")
            numbers = low.isdecimal() and high.isdecimal() and int(high) - int(low) < _MOST
            span = [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)] if numbers else [part]
            found += [front + word + behind for word in span]
    return frozenset(found)


def _family(key: str) -> str | None:
    """Pools, file systems and disks are one family: they describe one place together."""
    return "storage" if key.startswith(_SHARED) else None
