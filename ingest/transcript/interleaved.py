"""Outputs of several hosts in one file, each line with its host in front (pdsh, clush): which lines are whose.

Hosts that answer at once are written in any order. Each host's lines are then read by themselves, the others' blank, so
that no table goes on with a line of another host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ingest.records import Clue, Doubt, Value
from ingest.text.lines import Text
from ingest.transcript.hosts import BANNER

_MOST = 200  # hosts, and
_LONGEST = 1 << 26  # characters read in all, beyond which the text is read as it stands


def split_by_host(text: Text) -> list[tuple[Text, frozenset[int]]]:
    """The texts to read, and the lines of each on which nothing is taken, since another of them gives it."""
    turns = [host for host, _ in groupby(text.hosts.values())]
    names = dict.fromkeys(turns)
    if len(turns) == len(names) or len(names) > _MOST or len(names) * len(text.body) > _LONGEST:
        return [(text, frozenset())]
    first = next(iter(names))
    shared = frozenset(range(1, len(text.lines) + 1)).difference(text.hosts)
    return [(_only(text, name), frozenset() if name == first else shared) for name in names]


def _only(text: Text, name: str) -> Text:
    lines = [line if text.hosts.get(at, name) == name else "" for at, line in enumerate(text.lines, 1)]
    one = Text(text.path, lines, "\n".join(lines), text.commands)
    one.hosts = text.hosts
    return one


def find_host_changes(text: Text, items: Iterable[Value | Clue | Doubt]) -> Iterator[Clue]:
    """A clue where the lines of a host begin among which something was found."""
    told: set[int] = set()
    for line in sorted({item.line for item in items if isinstance(item.line, int) and item.line in text.hosts}):
        host, start = text.hosts[line], line
        while start not in told and text.hosts.get(start - 1) == host:
            start -= 1
        if start not in told:
            yield Clue(start, "host", host, f"{host}:", kind="name", effect="labels", group=BANNER)
        told.update(range(start, line + 1))
