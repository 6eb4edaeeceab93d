"""How much of a configuration is known, and which command would print the rest. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.keys import KEYS
from ingest.toml_tables import read_table
from webapp.comparison.sets.core_keys import IN_MEMORY, REMOTE

Get = Callable[[str], Any]
"""Key -> value of a configuration, None where it is unknown."""

NO_DISKS = (*REMOTE, *IN_MEMORY)


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Keys that one command prints (completeness.toml)."""

    keys: Sequence[str]
    commands: Mapping[str, str]
    fs: Sequence[str] = ()
    place: str = ""

    def command_for(self, family: str | None) -> str:
        return self.commands.get(family or "", self.commands["other"])

    def concerns(self, fs: str | None) -> bool:
        """Whether it is about machines with this file system."""
        if self.place:
            return fs in REMOTE if self.place == "remote" else fs not in NO_DISKS
        return not self.fs or fs in self.fs


EVIDENCE_ITEMS = tuple(EvidenceItem(**table) for table in read_table(__file__)["items"])


@dataclass(slots=True)
class MissingEvidence:
    """Keys that are unknown for a number of measurements, and the command that would print them."""

    command: str
    keys: tuple[str, ...]
    measurements: int = 0

    @property
    def labels(self) -> str:
        names = [KEYS[key].label for key in self.keys]
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True, slots=True)
class Completeness:
    """`percent` of the applicable keys are known, counted by measurement; None without a measurement."""

    percent: int | None
    missing: list[MissingEvidence]


def applicable_items(get: Get) -> list[EvidenceItem]:
    """The items that concern a configuration: those of a file system only where it is the one in use, and
    no layout of a single disk."""
    items = [item for item in EVIDENCE_ITEMS if item.concerns(get("fs.type"))]
    return [item for item in items if item.keys != ["pool.layout"] or get("disk.count") != 1 or get("pool.layout") is not None]


def measure_completeness(configurations: Sequence[tuple[Get, int]]) -> Completeness:
    """Of configurations, each with the number of measurements on it."""
    known = total = 0
    missing: dict[tuple[str, tuple[str, ...]], MissingEvidence] = {}
    for get, count in configurations:
        for item in applicable_items(get):
            unknown = tuple(key for key in item.keys if get(key) is None)
            total += count * len(item.keys)
            known += count * (len(item.keys) - len(unknown))
            if unknown:
                command = item.command_for(get("os.family"))
                missing.setdefault((command, unknown), MissingEvidence(command, unknown)).measurements += count
    return Completeness(known * 100 // total if total else None, list(missing.values()))


def find_missing_keys(configurations: Iterable[tuple[Get, int]]) -> list[str]:
    """The keys that apply to some configuration and are unknown there, in the order of the registry."""
    missing = {key for get, _ in configurations for item in applicable_items(get) for key in item.keys if get(key) is None}
    return [key for key in KEYS if key in missing]
