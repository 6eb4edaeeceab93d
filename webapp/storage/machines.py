"""The machines of an archive: which of its runs were made on which.

A machine is a host of an archive. Archives of one owner share it where a serial number, a machine id or the name, short or full,
agrees (`localhost`, `vm` and what installers give identify nothing), and no known hardware contradicts; or where the owner says
so. Where several machines of the owner fit and none fits better, it is of its archive alone.

Runs without such a name belong to the only host of the archive, where there is exactly one and no known hardware contradicts.
Otherwise they are of one machine, unless their hardware shows several: then each top folder is one, and in a folder that still has
several each of the values in which they differ.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, takewhile
from types import MappingProxyType
from typing import Any

from ingest import host_names
from webapp.models.sql import fetch_rows
from webapp.storage.configuration_rows import ConfigurationRow, MachineRow, PlacedConfiguration, json_digest
from webapp.storage.pg_copy import replace_unstorable
from webapp.storage.spill import FileBatch

STATED = "machine"
"""Key of a statement about all runs of a host of an archive (its `path`, '' for those without): the name of their machine."""
IDS = "machine."
"""Prefix of the open keys whose values identify a machine."""
HARDWARE_KEYS = ("arch", "cpu.cores", "cpu.model", "memory")
"""What archives have to agree about; memory is the nominal size in bytes."""
SEPARATING_KEYS = ("arch", "cpu.model", "memory")
"""Two known values of one of these show two machines."""


_KNOWN = ("ids", *HARDWARE_KEYS)
_OF_OWNER = """SELECT digest, name, known::text FROM webapp_machine WHERE owner_id = %s
    AND (split_part(name, '.', 1) = ANY(%s) OR known -> 'ids' ?| %s) ORDER BY id"""


class OwnMachines:
    """The machines of an owner which may be those of an archive: the ones of the archives that were placed before it."""

    def __init__(self, owner_id: int) -> None:
        self.owner_id = owner_id
        self._machines: dict[str, MachineRow] = {}

    def read(self, names: Iterable[str], ids: Iterable[str]) -> None:
        """Make those known that have one of these names or ids."""

    def join(self, archive_id: int, host: str, known: Mapping[str, list[Any]], taken: Container[str]) -> MachineRow:
        """The one that fits a host of an archive, which is one of them from now on; none of `taken`, those of its other hosts."""
        name = host if host_names.identifies(host) else ""
        hardware = [[key, str(value)] for key in HARDWARE_KEYS for value in known.get(key, ())]
        digest = json_digest(["owner", self.owner_id, name, hardware, *(() if name else known["ids"])])
        own = MachineRow(digest, self.owner_id, None, name, known=known)
        others = [one for one in self._machines.values() if one.digest not in taken]
        fitting = [one for one in others if _is_same(one, name, known) and not _contradict(one.known, known)]
        agreeing = [_count_equal(one.known, known) + (one.name == name) for one in fitting]
        best = [one for one, count in zip(fitting, agreeing, strict=True) if count == max(agreeing)]
        if any(_contradict(one.known, other.known) for one, other in combinations(best, 2)):
            return MachineRow(json_digest(["archive", archive_id, host]), None, archive_id, name)
        found = best[0] if best else own
        merged = {key: values for key in _KNOWN if (values := _merge(found.known.get(key, []), known.get(key, [])))}
        row = replace(found, known=merged, has_grown=found.has_grown or (found is not own and merged != found.known))
        self._machines[row.digest] = row
        return row

    def enter(self, name: str, known: Mapping[str, list[Any]]) -> MachineRow:
        """The one that the owner calls so, of several the one that is likest; its hardware is left as others show it."""
        named = [one for one in self._machines.values() if one.name and host_names.same_host(one.name, name)]
        if named:
            return max(named, key=lambda one: (not _contradict(one.known, known), _count_equal(one.known, known)))
        row = MachineRow(json_digest(["owner", self.owner_id, name.lower(), STATED]), self.owner_id, None, name)
        return self._machines.setdefault(row.digest, row)


class StoredMachines(OwnMachines):
    """Those of all archives of the owner."""

    def read(self, names: Iterable[str], ids: Iterable[str]) -> None:
        """One query; none without names and ids."""
        names, ids = [host_names.short_name(name) for name in names], list(ids)
        if not (names or ids):
            return
        for digest, name, known in fetch_rows(_OF_OWNER, [self.owner_id, names, ids]):
            self._machines.setdefault(digest, MachineRow(digest, self.owner_id, None, name, known=json.loads(known)))


def _is_same(machine: MachineRow, name: str, known: Mapping[str, list[Any]]) -> bool:
    by_name = name and machine.name and host_names.same_host(machine.name, name)
    return bool(by_name) or not set(machine.known.get("ids", ())).isdisjoint(known.get("ids", ()))


def _contradict(first: Mapping[str, list[Any]], second: Mapping[str, list[Any]]) -> bool:
    pairs = ((first.get(key), second.get(key)) for key in HARDWARE_KEYS)
    return any(a and b and not any(_refines(one, other) or _refines(other, one) for one in a for other in b) for a, b in pairs)


def _refines(one: Any, other: Any) -> bool:
    """Whether they are equal, or one says more: `EPYC 7302` than `EPYC`."""
    return bool(one == other) or str(one).startswith(f"{other} ")


def _count_equal(first: Mapping[str, list[Any]], second: Mapping[str, list[Any]]) -> int:
    return sum(not set(first.get(key, ())).isdisjoint(second.get(key, ())) for key in _KNOWN)


def _merge(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    return sorted({*first, *second})


@dataclass(slots=True)
class ArchiveMachines:
    """The machine of each configuration of an archive; of some of them it depends on the folder of the file."""

    _by_configuration: dict[str, MachineRow] = field(default_factory=dict)
    _by_folder: dict[tuple[str, str], MachineRow] = field(default_factory=dict)
    _depth: int = 0

    def find(self, configuration: str, path: str) -> MachineRow:
        """The machine of the runs in a file on the configuration with this digest."""
        machine = self._by_configuration.get(configuration)
        return machine if machine is not None else self._by_folder[configuration, _top_folder(path, self._depth)]


def find_machines(
    archive_id: int,
    own: OwnMachines,
    configurations: Mapping[str, ConfigurationRow],
    files: Iterable[FileBatch],
    entered: Mapping[str, str] = MappingProxyType({}),
) -> ArchiveMachines:
    """The machines of the runs of one archive. `configurations`: by digest; `entered`: name of a machine by host, see STATED."""
    files = list(files)
    hosts = _find_hosts(configurations)
    unnamed = {digest: row for digest, row in configurations.items() if digest not in hosts}
    members: dict[str, list[ConfigurationRow]] = {}
    for digest, host in hosts.items():
        members.setdefault(host, []).append(configurations[digest])
    if len(members) == 1 and "" not in entered:
        ((host, rows),) = members.items()
        joined = _find_fitting(unnamed, rows)
        rows.extend(unnamed[digest] for digest in joined)
        hosts.update(dict.fromkeys(joined, host))
        unnamed = {digest: row for digest, row in unnamed.items() if digest not in hosts}
    is_one = not find_contradictory_keys(unnamed.values())
    known = {host: _known(rows) for host, rows in members.items()}
    if unnamed and (is_one or "" in entered):
        known[""] = _known(unnamed.values())
    shared = {one for one, count in Counter(one for facts in known.values() for one in facts["ids"]).items() if count > 1}
    for facts in known.values():  # an image that was copied has the id of the first
        facts["ids"] = [one for one in facts["ids"] if one not in shared]
    own.read({*known, *entered.values()} - {""}, [one for facts in known.values() for one in facts["ids"]])
    made = {host: own.enter(entered[host], facts) for host, facts in known.items() if host in entered}
    for host, facts in known.items():
        if host not in made:
            is_shared = host or facts["ids"]
            taken = {machine.digest for machine in made.values()}
            made[host] = own.join(archive_id, host, facts, taken) if is_shared else _make_unnamed(archive_id)
    by_configuration = {digest: made[host] for digest, host in hosts.items()}
    if is_one or "" in entered:
        return ArchiveMachines(by_configuration | dict.fromkeys(unnamed, made.get("", _make_unnamed(archive_id))))
    depth = _common_depth([file.path for file in files])
    return ArchiveMachines(by_configuration, _split_by_folder(archive_id, unnamed, files, depth), depth)


def place_configurations(
    machines: ArchiveMachines, configurations: Mapping[str, ConfigurationRow], files: Iterable[FileBatch]
) -> Iterator[PlacedConfiguration]:
    """Every configuration that a run is on, on its machine, each once."""
    seen = set[tuple[str, bool, str]]()
    for file in files:
        for digest, stated in set(file.placed):
            machine = machines.find(digest, file.path)
            if (key := (digest, stated, machine.digest)) not in seen:
                seen.add(key)
                yield PlacedConfiguration(configurations[digest], machine, stated)


def find_contradictory_keys(rows: Iterable[ConfigurationRow]) -> list[str]:
    """The keys that show that these configurations are of several machines."""
    rows = list(rows)
    return [key for key in SEPARATING_KEYS if len({row.columns[key] for row in rows} - {None}) > 1]


def machine_host(host: str) -> str:
    """The name of a host by which its machine is known in an archive; '' where it identifies none."""
    return host.strip().rstrip(".").lower() if host_names.identifies(host) else ""


def _find_hosts(configurations: Mapping[str, ConfigurationRow]) -> dict[str, str]:
    """Digest -> host of the configurations with a name that identifies one; with its domain where exactly one is known."""
    named = {digest: host for digest, row in configurations.items() if (host := machine_host(row.columns["host"] or ""))}
    full: dict[str, set[str]] = {}
    for host in named.values():
        if host_names.short_name(host) != host:
            full.setdefault(host_names.short_name(host), set()).add(host)
    return {digest: min(names) if len(names := full.get(host, set())) == 1 else host for digest, host in named.items()}


def _find_fitting(unnamed: Mapping[str, ConfigurationRow], rows: Iterable[ConfigurationRow]) -> list[str]:
    """Digests of the configurations that contradict neither those of the host (`rows`) nor each other."""
    known = {key: {row.columns[key] for row in rows} - {None} for key in HARDWARE_KEYS}
    fitting = {
        digest: row
        for digest, row in unnamed.items()
        if all(row.columns[key] is None or not known[key] or row.columns[key] in known[key] for key in HARDWARE_KEYS)
    }
    doubtful = [key for key in find_contradictory_keys(fitting.values()) if not known[key]]
    return [digest for digest, row in fitting.items() if all(row.columns[key] is None for key in doubtful)]


def _known(rows: Iterable[ConfigurationRow]) -> dict[str, list[Any]]:
    """All values of hardware keys, and of those that identify a machine, by key; the latter as `ids`."""
    rows = list(rows)
    known = {key: sorted({row.columns[key] for row in rows if row.columns[key] is not None}) for key in HARDWARE_KEYS}
    ids = sorted({str(value) for row in rows for key, value in row.others.items() if key.startswith(IDS)})
    return {key: values for key, values in known.items() if values} | {"ids": ids}


def _make_unnamed(archive_id: int, folder: str = "", *values: Any) -> MachineRow:
    return MachineRow(json_digest(["archive", archive_id, "", folder, values]), None, archive_id, folder=replace_unstorable(folder))


def _split_by_folder(
    archive_id: int, unnamed: Mapping[str, ConfigurationRow], files: Iterable[FileBatch], depth: int
) -> dict[tuple[str, str], MachineRow]:
    """The machine of each (configuration, top folder)."""
    folders: dict[str, set[str]] = {}
    for file in files:
        here = {digest for digest, _ in set(file.placed)} & unnamed.keys()
        if here:
            folders.setdefault(_top_folder(file.path, depth), set()).update(here)
    split: dict[tuple[str, str], MachineRow] = {}
    for folder, digests in folders.items():
        differing = find_contradictory_keys(unnamed[digest] for digest in digests)
        for digest in digests:
            values = [unnamed[digest].columns[key] for key in differing]
            split[digest, folder] = _make_unnamed(archive_id, folder, *values)
    return split


def _top_folder(path: str, depth: int) -> str:
    """The first folder below what all paths share (`depth` folders); '' for files beside it."""
    parts = path.split("/")
    return parts[depth] if len(parts) > depth + 1 else ""


def _common_depth(paths: list[str]) -> int:
    """The number of folders that all paths share."""
    folders = [path.split("/")[:-1] for path in paths]
    return sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False)))
