"""The machines of an archive: which of its runs were made on which.

A machine is a host of an archive. Archives of one owner share it where the name identifies a machine (`localhost`, `vm` and what
installers give do not) and the same hardware is known of it in both; a host of which no hardware is known is of one archive.

Runs without such a name belong to the only host of the archive, where there is exactly one and no known hardware contradicts.
Otherwise they are of one machine, unless their hardware shows several: then each top folder is one, and in a folder that still has
several each of the values in which they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ingest import host_names
from webapp.storage.configuration_rows import ConfigurationRow, MachineRow, PlacedConfiguration, json_digest
from webapp.storage.pg_copy import replace_unstorable
from webapp.storage.spill import FileBatch

HARDWARE_KEYS = ("arch", "cpu.cores", "cpu.model", "memory")
"""What archives have to agree about; memory is the nominal size in bytes."""
SEPARATING_KEYS = ("arch", "cpu.model", "memory")
"""Two known values of one of these show two machines."""


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
    archive_id: int, owner_id: int, configurations: Mapping[str, ConfigurationRow], files: Iterable[FileBatch]
) -> ArchiveMachines:
    """The machines of the runs of one archive. `configurations`: by digest."""
    files = list(files)
    hosts = _find_hosts(configurations)
    unnamed = {digest: row for digest, row in configurations.items() if digest not in hosts}
    members: dict[str, list[ConfigurationRow]] = {}
    for digest, host in hosts.items():
        members.setdefault(host, []).append(configurations[digest])
    if len(members) == 1:
        ((host, rows),) = members.items()
        joined = _find_fitting(unnamed, rows)
        rows.extend(unnamed[digest] for digest in joined)
        hosts.update(dict.fromkeys(joined, host))
        unnamed = {digest: row for digest, row in unnamed.items() if digest not in hosts}
    made = {host: _make_host(archive_id, owner_id, host, rows) for host, rows in members.items()}
    by_configuration = {digest: made[host] for digest, host in hosts.items()}
    if not find_contradictory_keys(unnamed.values()):
        return ArchiveMachines(by_configuration | dict.fromkeys(unnamed, _make_unnamed(archive_id)))
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


def _find_hosts(configurations: Mapping[str, ConfigurationRow]) -> dict[str, str]:
    """Digest -> host of the configurations with a name that identifies one; with its domain where exactly one is known."""
    named = {
        digest: host.strip().rstrip(".").lower()
        for digest, row in configurations.items()
        if (host := row.columns["host"]) is not None and host_names.identifies(host)
    }
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


def _make_host(archive_id: int, owner_id: int, host: str, rows: Iterable[ConfigurationRow]) -> MachineRow:
    known = sorted({(key, str(row.columns[key])) for row in rows for key in HARDWARE_KEYS if row.columns[key] is not None})
    if known:
        return MachineRow(json_digest(["owner", owner_id, host, known]), owner_id, None, host)
    return MachineRow(json_digest(["archive", archive_id, host]), None, archive_id, host)


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
