"""Outputs of several hosts in one file, each line prefixed with its host (pdsh, clush): splits them by host.

The lines of hosts that answer at once come in any order. Each host's lines are read separately, with those of the others
blank, so that no table continues on a line of another host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ingest.records import Clue, Doubt, MissingValue, Value
from ingest.text.lines import Text
from ingest.transcript.hosts import BANNER

_MAX_HOSTS = 200
_MAX_CHARACTERS = 1 << 26  # of all copies; a larger text is not split


def split_by_host(text: Text) -> list[tuple[Text, frozenset[int]]]:
    """(text, its lines whose results are ignored, since another text has them too) for each host."""
    hosts = [host for host, _ in groupby(text.hosts.values())]
    names = dict.fromkeys(hosts)
    if len(hosts) == len(names) or len(names) > _MAX_HOSTS or len(names) * len(text.body) > _MAX_CHARACTERS:
        return [(text, frozenset())]
    first = next(iter(names))
    shared = frozenset(range(1, len(text.lines) + 1)).difference(text.hosts)
    return [(_text_of_host(text, name), frozenset() if name == first else shared) for name in names]


def _text_of_host(text: Text, name: str) -> Text:
    """The text with the lines of other hosts blank."""
    lines = [line if text.hosts.get(number, name) == name else "" for number, line in enumerate(text.lines, 1)]
    filtered = Text(text.path, lines, "\n".join(lines), text.commands)
    filtered.hosts = text.hosts
    return filtered


def find_host_changes(text: Text, items: Iterable[Value | MissingValue | Clue | Doubt]) -> Iterator[Clue]:
    """A clue at each line at which the lines of a host begin, if they have results."""
    covered: set[int] = set()
    for line in sorted({item.line for item in items if isinstance(item.line, int) and item.line in text.hosts}):
        host, start = text.hosts[line], line
        while start not in covered and text.hosts.get(start - 1) == host:
            start -= 1
        if start not in covered:
            yield Clue(start, "host", host, f"{host}:", kind="name", effect="labels", group=BANNER)
        covered.update(range(start, line + 1))
