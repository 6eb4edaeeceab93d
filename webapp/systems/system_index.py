"""The systems that a reader sees as one list: spellings of one processor merged, searched, filtered and sorted in memory.

A system is a row of few columns, and there are some for each hundred configurations: the list of all is kept by data version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ingest import normalise
from webapp.http.process_cache import ProcessCache
from webapp.models import System
from webapp.models.summary import PUBLIC
from webapp.systems import system_queries
from webapp.systems.cpu_spelling import group_spellings
from webapp.systems.system_queries import CountedSystem

MAX_SYSTEMS = 20_000
"""Systems that are listed, the most measured ones."""
_cache = ProcessCache(2)


@dataclass(frozen=True, slots=True)
class ListedSystem:
    """A system of the list. `ids`: the stored systems of these parts, the most measured first; `cpu`: the processor in the spelling
    with most measurements of all systems; `spellings`: how these name it, each with the system that does; `archs` likewise."""

    ids: tuple[int, ...]
    cpu: str | None
    spellings: tuple[tuple[str, int], ...]
    archs: tuple[str, ...]
    cores: int | None
    memory: int | None
    disk: str | None
    disks: int | None
    measurements: int
    configurations: int

    @property
    def pk(self) -> int:
        return self.ids[0]

    @property
    def arch(self) -> str:
        """The architecture in every recorded spelling."""
        return ", ".join(self.archs)


class _Public(NamedTuple):
    """What everybody sees: systems as stored and as listed, and how many measurements archives have. `cut`: there are more."""

    counted: list[CountedSystem]
    systems: list[ListedSystem]
    measurements: int
    cut: bool


class Totals(NamedTuple):
    """`systems` as the list counts them; `measurements` as the list of archives does, with those that are shown twice.

    `cut`: there are more systems and configurations, since no more than `MAX_SYSTEMS` are counted.
    """

    systems: int
    configurations: int
    measurements: int
    cut: bool


def read_systems(version: int, scopes: Sequence[int]) -> list[ListedSystem]:
    """The systems with measurements in these scopes, the most measured first. Without private scopes one query for each data
    version, else one more."""
    public = _read_public(version)
    private = [scope for scope in scopes if scope != PUBLIC]
    own = system_queries.read_private_systems(private) if private else []
    return merge_systems([*public.counted, *own]) if own else public.systems


def read_totals(version: int) -> Totals:
    """How much everybody sees. One query for each data version."""
    public = _read_public(version)
    return Totals(len(public.systems), sum(row.configurations for row in public.systems), public.measurements, public.cut)


def is_cut(version: int) -> bool:
    """Whether there are more public systems than are listed. One query for each data version."""
    return _read_public(version).cut


def _read_public(version: int) -> _Public:
    public = _cache.get(version)
    if public is None:
        counted, measurements = system_queries.read_counted_systems(MAX_SYSTEMS + 1)
        listed = counted[:MAX_SYSTEMS]
        public = _cache.put(version, _Public(listed, merge_systems(listed), measurements, len(counted) > MAX_SYSTEMS))
    return public


def clear_cache() -> None:
    _cache.clear()


def merge_systems(counted: Iterable[CountedSystem]) -> list[ListedSystem]:
    """One row for all systems of the same parts, by the class of their processor's spelling; the most measured first.

    A system of which the processor is unknown is like no other.
    """
    rows = sorted(counted, key=lambda row: (-row.measurements, row.pk))
    classes = group_spellings({row.cpu for row in rows if row.cpu})
    spelt: dict[str, Counter[str]] = {}
    groups: dict[tuple, list[CountedSystem]] = {}
    for row in rows:
        arch = normalise.architecture(row.arch) if row.arch else None
        parts = (classes[row.cpu], arch, row.cores, row.memory, row.disk, row.disks) if row.cpu else (row.pk,)
        groups.setdefault(parts, []).append(row)
        if row.cpu:
            spelt.setdefault(classes[row.cpu], Counter())[row.cpu] += row.measurements
    usual = {name: max(counts, key=lambda text: (counts[text], text)) for name, counts in spelt.items()}
    merged = [_merge(group, usual[classes[group[0].cpu]] if group[0].cpu else None) for group in groups.values()]
    return sorted(merged, key=lambda row: (-row.measurements, row.pk))


def _merge(rows: Sequence[CountedSystem], cpu: str | None) -> ListedSystem:
    first = rows[0]
    ids = tuple(dict.fromkeys(row.pk for row in rows))
    spellings = {row.cpu: row.pk for row in reversed(rows) if row.cpu}
    return ListedSystem(
        ids,
        cpu,
        tuple(reversed(spellings.items())),
        tuple(dict.fromkeys(row.arch for row in rows if row.arch)),
        first.cores,
        first.memory,
        first.disk,
        first.disks,
        sum(row.measurements for row in rows),
        sum(row.configurations for row in rows),
    )


def find_spellings(systems: Iterable[ListedSystem], pk: int) -> ListedSystem | None:
    """The row that has a stored system, with that system first; None where the reader does not see it."""
    row = next((row for row in systems if pk in row.ids), None)
    return row and replace(row, ids=(pk, *(other for other in row.ids if other != pk)))


def list_stored(system: System) -> ListedSystem:
    """A stored system by itself, without numbers of measurements."""
    [row] = merge_systems(
        [
            CountedSystem(
                system.pk,
                system.arch,
                system.cpu_model,
                system.cpu_cores,
                system.memory,
                system.disk_model,
                system.disk_count,
                0,
                0,
            )
        ]
    )
    return row
