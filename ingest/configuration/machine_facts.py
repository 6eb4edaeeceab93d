"""What is known of the machines of an archive: a key read once holds for all runs of that host.

Only keys about the system and its operating system (`SHARED_KEYS`); disks are left out, since those of a run are the ones that it
measured. A key is filled where all evidence of that host agrees. Evidence and runs without a host belong to the one machine of
the archive; where something shows that there are several, to that of their top folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.configuration.clues import LocatedClue, are_compatible, drop_other_systems
from ingest.configuration.host_names import names_host, same_host, short_name
from ingest.keys import KEYS
from ingest.records import Clue

SHARED_KEYS = tuple(key for key, entry in KEYS.items() if entry.part in ("system", "os") and not key.startswith("disk."))
HARDWARE_KEYS = ("cpu.model", "memory", "arch", "cpu.cores")
_MACHINE_KEYS = (*HARDWARE_KEYS, "os.name")  # two values show two machines
_SHARED = frozenset(SHARED_KEYS)


@dataclass(slots=True)
class FileEvidence:
    """What is read from one file: `clues` with the host to which they belong, None for that of the file; `hosts` that it names.

    `unusable`: values that show a difference and are taken for no other file: names of folders, statements, typed tables.
    """

    path: str
    clues: list[tuple[str | None, Clue]] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    unusable: list[tuple[str, Any]] = field(default_factory=list)


class _Machine:
    """The evidence about one machine, or about what may be one. `facts`: the keys about which all of it agrees."""

    def __init__(self) -> None:
        self._first: dict[str, LocatedClue | None] = {}
        self._values: dict[str, Any] = {}
        self._contradictory: set[str] = set()
        self.hosts: set[str] = set()

    def add(self, key: str, value: Any, source: LocatedClue | None) -> None:
        """One piece of evidence; without a source it is only compared."""
        known = self._values.setdefault(key, value)
        if known != value and not is_same(key, known, value):
            self._contradictory.add(key)
        if source is not None and self._first.get(key) is None:
            self._first[key] = source

    def contradicts(self, keys: Iterable[str]) -> bool:
        """Whether evidence about any of these keys contradicts other."""
        return not self._contradictory.isdisjoint(keys)

    @property
    def is_several(self) -> bool:
        """Whether the evidence shows several machines."""
        return self.contradicts(_MACHINE_KEYS) or not _are_one_host(self.hosts)

    @property
    def facts(self) -> dict[str, LocatedClue]:
        """Nothing about the operating system where there are several."""
        several_systems = self.contradicts(("os.family", "os.name"))
        return {
            key: source
            for key in SHARED_KEYS
            if (source := self._first.get(key)) is not None
            and key not in self._contradictory
            and not (several_systems and KEYS[key].part == "os")
        }


class MachineFacts:
    """The facts about the machines of an archive, by host and folder."""

    def __init__(self, files: Iterable[FileEvidence]) -> None:
        evidence = list(files)
        self._depth = len(common_folder([file.path for file in evidence]))
        whole, folders, hosts = _Machine(), dict[str, _Machine](), dict[str, _Machine]()
        self._host_of = host_of = _hosts_of_files(evidence)
        for file in evidence:
            machines = [whole, folders.setdefault(self._top_folder(file.path), _Machine())]
            for machine in machines:
                machine.hosts |= file.hosts
            for host, key, value, source in _pieces(file, host_of[file.path]):
                for machine in machines:
                    machine.add(key, value, source)
                if host is not None:
                    machine = hosts.setdefault(short_name(host), _Machine())
                    machine.hosts.add(host)
                    machine.add(key, value, source)
        self._whole = None if whole.is_several else whole.facts
        self._by_folder = {folder: machine.facts for folder, machine in folders.items() if folder and not machine.is_several}
        self.contradictory = {host for host, machine in hosts.items() if machine.contradicts(HARDWARE_KEYS)}
        """Short names under which there are several machines."""
        self._by_host = {host: machine.facts for host, machine in hosts.items() if _are_one_host(machine.hosts)}

    def _top_folder(self, path: str) -> str:
        """The first folder below what all paths share; '' for files beside it."""
        parts = path.split("/")
        return parts[self._depth] if len(parts) > self._depth + 1 else ""

    def fill(self, chosen: dict[str, LocatedClue], path: str) -> None:
        """Add to the configuration of a value of the file `path` what is known of its machine."""
        facts = self._whole
        if facts is None:
            host = chosen["host"].clue.value if "host" in chosen else ""
            if host and short_name(str(host)) not in self._by_host and chosen["host"].clue.kind == "stated":
                host = self._host_of.get(path) or host  # the name that was entered stands for that which the file has
            facts = (
                self._by_host.get(short_name(host), {})
                if isinstance(host, str) and names_host(host)
                else self._by_folder.get(self._top_folder(path), {})
            )
        if facts.keys() <= chosen.keys():
            return
        facts = dict(facts)
        drop_other_systems(facts, chosen)
        other_parts = {
            KEYS[key].part
            for key, fact in facts.items()
            if key in chosen and not is_same(key, fact.clue.value, chosen[key].clue.value)
        }
        for key, fact in facts.items():
            if KEYS[key].part not in other_parts:
                chosen.setdefault(key, fact)


def is_same(key: str, first: Any, second: Any) -> bool:
    """Whether the values are compatible, whichever is the more detailed one."""
    return are_compatible(key, first, second) or are_compatible(key, second, first)


def gather(
    path: str, clues: Iterable[tuple[str | None, Clue]], printed: Mapping[tuple[str, Any], int], *, typed: bool
) -> FileEvidence:
    """The evidence of a file: its clues with their hosts, and what tools print; `typed`: that is a results table."""
    file = FileEvidence(path)
    for host, clue in clues:
        if clue.effect == "ends" or clue.value in (None, ""):
            continue
        if clue.key == "host" and isinstance(clue.value, str) and names_host(clue.value):
            file.hosts.add(clue.value)
        elif clue.key in _SHARED and clue.kind in ("stated", "name"):
            file.unusable.append((clue.key, clue.value))
        elif clue.key in _SHARED:
            file.clues.append((host if host is not None and names_host(host) else None, clue))
    for (key, value), line in printed.items():
        if key == "host" and names_host(str(value)):
            file.hosts.add(str(value))
        elif key in _SHARED and typed:
            file.unusable.append((key, value))
        elif key in _SHARED:
            file.clues.append((None, Clue(line, key, value, str(value))))
    return file


def _pieces(file: FileEvidence, host: str | None) -> Iterator[tuple[str | None, str, Any, LocatedClue | None]]:
    """(host, key, value, source) of the evidence of a file of that host."""
    for clue_host, clue in file.clues:
        yield clue_host or host, clue.key, clue.value, LocatedClue(file.path, clue)
    for key, value in file.unusable:
        yield host, key, value, None


def _hosts_of_files(files: list[FileEvidence]) -> dict[str, str | None]:
    """The host of each file: the one that it names, else the only one that its folder names, else the one around it."""
    named: dict[str, set[str]] = {}
    for file in files:
        for folder in _folders(file.path) if file.hosts else ():
            named.setdefault(folder, set()).update(file.hosts)
    return {
        file.path: _only_host(file.hosts or next((named[folder] for folder in _folders(file.path) if folder in named), set()))
        for file in files
    }


def _only_host(hosts: set[str]) -> str | None:
    return min(hosts) if hosts and _are_one_host(hosts) else None


def _are_one_host(hosts: set[str]) -> bool:
    names = sorted(hosts)
    return (
        all(same_host(first, second) for at, first in enumerate(names) for second in names[at + 1 :]) if len(names) < 20 else False
    )


def _folders(path: str) -> list[str]:
    """The folders around a file, nearest first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def common_folder(paths: list[str]) -> list[str]:
    """The folders that all paths share."""
    if not paths:
        return []
    first, last = min(paths).split("/")[:-1], max(paths).split("/")[:-1]
    count = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:count]
