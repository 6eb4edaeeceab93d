"""A transcript of several hosts: which of its clues apply to which host.

Clues about the system of a host (system, processor, memory) apply to no other. Pools, file systems and disks may be those of
a server that another host measures (NFS, BeeGFS): they apply to a host without clues of its own, unless the server has results
too, which they explain. Hosts to which one command was sent (pdsh, Ansible) share nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from ingest.lazy_regex import lazy
from ingest.open_keys import OF_FILE_SYSTEMS, OF_MACHINES
from ingest.records import Clue, Doubt, MissingValue, Value
from ingest.text.lines import ShownCommand, Text
from ingest.text.sections import Section, Sections

_OTHER_TERMINAL = lazy(r"(?:PS )?[A-Z]:\\|\[[~/]|-?\w{0,3}sh-\d|(?:\S+ )?[\u279c\u276f\u00bb]")  # of Windows, QNAP, shells, themes
_MACHINE = lazy(  # words for machines in headings
    r"(?i)\b(?:servers?|hosts?|machines?|box|nodes?|pc|desktop|laptop|notebook|workstation|nas|vm|vps|raspberry|synology|qnap|thinkpad"
    r"|macbook|mac|rechner|maschine|serveur|ordinateur|portable|poste|servidor|equipo|ordenador|computer)\b"
)
_PERSON = lazy(  # headings above what others write
    r"(?i)(?:accepted |best |\d{1,4} )?(?:answer|reply|comment|antwort|kommentar|réponse|commentaire|respuesta)s?\b|post(?:ed)? by "
    r"|\S+(?: \S+){0,3} (?:wrote|writes|said|commented|replied|answered|schrieb|schreibt|a écrit|escribió)\b"
)
_SYSTEM_KEYS = ("host", "os.", "kernel", "arch", "cpu.", "memory", "state.", *OF_MACHINES)
_MAX_RANGE = 10_000  # hosts of a range
BANNER = "banner"  # group of the clues that begin the part of one host in an output of several
_STORAGE_KEYS = ("pool.", "fs.", "disk.", *OF_FILE_SYSTEMS)


class HostTimeline:
    """The hosts of a transcript's prompts, and of the banners in its outputs, along its lines."""

    def __init__(
        self,
        commands: Sequence[ShownCommand],
        clues: Sequence[Clue] = (),
        sections: Sections | None = None,
        results: Sequence[int] = (),
    ) -> None:
        """`results`: the lines of results, in order: a prompt speaks of its section of `sections`."""
        self._results = results
        self._placed: dict[str | None, list[tuple[int, Clue]]] | None = None
        self._shared: list[tuple[str | None, tuple[int, Clue]]] = []
        banners = [clue for clue in clues if clue.group == BANNER]
        self.peers = {clue.value for clue in banners}
        prompts = list(_hosts_of_prompts(commands, banners))
        named: list[tuple[int, str | None]] = [*_hosts_above_prompts(prompts, clues), *prompts]
        named = sorted([*named, *((clue.line, clue.value) for clue in banners)], key=itemgetter(0))
        changes: list[tuple[int, str | None]] = []
        for line, host in _of_sections(named, sections, results) if sections else named:
            if not changes or changes[-1][1] != host:
                changes.append((line, host))
        self.lines = [line for line, _ in changes]
        self._names = [name for _, name in changes]
        self.names = dict.fromkeys(name for name in self._names if name is not None)
        self._measured = {self.host_at(line) for line in results}

    @property
    def has_several(self) -> bool:
        """Whether there are several hosts."""
        return len(self.names) > 1

    def host_at(self, line: int) -> str | None:
        """The host of the last prompt at or above the line, '' if it is unknown; None above the first prompt, and in sections
        without prompts and results.
        """
        index = bisect_right(self.lines, line) - 1
        return self._names[index] if index >= 0 else None

    def select(self, host: str | None, clues: Iterable[Clue]) -> list[Clue]:
        """Those of the clues, which are the same at each call, that may apply to results of that host."""
        if self._placed is None:
            self._placed = {}
            for place in enumerate(clues):
                self._placed.setdefault(self._host_of(place[1]), []).append(place)
            self._shared = [(at, place) for at, places in self._placed.items() for place in places if self._is_shared(at, place[1])]
        own = self._placed.get(host, [])
        families = {family for _, clue in own if (family := _family(clue.key))}
        others = [place for at, place in self._shared if at != host and self._applies(place[1], at, host, families)]
        return [clue for _, clue in sorted([*own, *others], key=itemgetter(0))]

    def keys_of_others(self, clues: Mapping[str, Clue], line: int, path: str | None) -> list[str]:
        """Disk keys of another host, if a bare device was measured: each host has its own /dev/sda."""
        if path is None or not path.startswith("/dev/"):
            return []
        disks = {key: self.host_at(clue.line) for key, clue in clues.items() if key.startswith("disk.") and clue.effect != "labels"}
        return [key for key, host in disks.items() if host not in (None, self.host_at(line)) and host not in self.peers]

    def _is_shared(self, host: str | None, clue: Clue) -> bool:
        """Whether a clue of that host may apply to others."""
        return host is None or host in self.peers or _crosses(clue)

    def _applies(self, clue: Clue, clue_host: str | None, host: str | None, own_families: set[str]) -> bool:
        """Whether a shared clue applies to that host; `own_families`: families of keys about which it has clues of its own."""
        if clue_host is not None and clue_host in self.peers and host in self.peers:
            return host in expand_host_list(clue_host)
        if clue_host is None:
            return True
        family = _family(clue.key)
        is_own = family in own_families or (family is not None and clue_host in self._measured)
        return _crosses(clue) and (clue.effect == "labels" or not is_own)

    def _host_of(self, clue: Clue) -> str | None:
        """The host of which a clue speaks: a label, of that of the next result."""
        index = bisect_left(self._results, clue.line) if clue.kind == "label" else len(self._results)
        return self.host_at(self._results[index] if index < len(self._results) else clue.line)


def _hosts_of_prompts(commands: Sequence[ShownCommand], banners: Sequence[Clue]) -> Iterator[tuple[int, str]]:
    """The hosts of prompts that name one; a prompt that also occurs above a banner ends the banner."""
    first = banners[0].line if banners else 0
    earlier_prompts = {command.prompt for command in commands if command.line < first}
    for command in commands:
        if command.host or (command.host is not None and len(commands) > 1):
            yield command.line, command.host
        elif (command.line > first and command.prompt in earlier_prompts) or _OTHER_TERMINAL.match(command.prompt):
            yield command.line, ""


def _of_sections(
    named: Sequence[tuple[int, str | None]], sections: Sections, results: Sequence[int]
) -> Iterator[tuple[int, str | None]]:
    """Line and host of each change, where the section of a prompt ends too: those behind it are of an unknown host."""
    lines, machines = [line for line, _ in named], _machines(named, sections, results)
    if not lines and not machines:
        return
    has_replies = any(_PERSON.match(section.title) for section in machines)
    for change in sorted({*lines, *(line for section in sections[1:] for line in (section.line, section.end))}):
        index = bisect_right(lines, change) - 1
        spoken_of = sections.speaking(lines[index], results, of_host=True) if index >= 0 else None
        section = sections.at(change)
        machine = next((one for one in section.chain if one in machines), None)
        is_reply = machine is not None and index >= 0 and lines[index] < machine.line and _PERSON.match(machine.title)
        if spoken_of is not None and spoken_of.line <= change < spoken_of.end and not is_reply:
            yield change, named[index][1]
        elif machine is not None:
            yield change, machines[machine]
        else:
            is_known = (index >= 0 or has_replies) and section.parent is not None
            has_results = is_known and section is sections.speaking(change, results, of_host=True)
            yield change, "" if has_results else None


def _machines(named: Sequence[tuple[int, str | None]], sections: Sections, results: Sequence[int]) -> dict[Section, str]:
    """The sections with results whose headings name one of several machines, with its host, or a name that is none."""
    measured = [section for section in sections[1:] if sections.speaking(section.line, results) is section]
    siblings = Counter(section.parent for section in measured)
    machines: dict[Section, str] = {}
    for section in measured if len(measured) > 1 else ():
        is_machine = siblings[section.parent] > 1 and _MACHINE.search(section.title)
        if (is_machine or _PERSON.match(section.title)) and len(machines) < _MAX_HOSTS:
            hosts = {host for line, host in named if section.line <= line < section.end}
            machines[section] = (hosts.pop() if len(hosts) == 1 else None) or f"?{section.line}"
    return machines


def _hosts_above_prompts(prompts: Sequence[tuple[int, str]], clues: Sequence[Clue]) -> Iterator[tuple[int, str]]:
    """Hosts that `uname` prints above the first prompt, if prompts name them too."""
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
    expanded: list[str] = []
    for item in re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", hosts):
        prefix, _, bracketed = item.partition("[")
        inside, _, suffix = bracketed.partition("]")
        for part in inside.split(","):
            low, _, high = part.partition("-")
            numbers = low.isdecimal() and high.isdecimal() and int(high) - int(low) < _MAX_RANGE
            words = [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)] if numbers else [part]
            expanded += [prefix + word + suffix for word in words]
    return frozenset(expanded)


def _crosses(clue: Clue) -> bool:
    """Whether what is said of one host may hold for another, whose storage it is."""
    return clue.kind != "label" and clue.key != "host" and (clue.effect == "labels" or not clue.key.startswith(_SYSTEM_KEYS))


def _family(key: str) -> str | None:
    """Pools, file systems and disks are one family, since they describe one storage; None for other keys."""
    return "storage" if key.startswith(_STORAGE_KEYS) else None


# Outputs of several hosts in one file, each line prefixed with its host (pdsh, clush): splits them by host.
#
# The lines of hosts that answer at once come in any order. Each host's lines are read separately, with those of the others
# blank, so that no table continues on a line of another host.

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
