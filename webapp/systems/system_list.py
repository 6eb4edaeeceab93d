"""The list of systems as it is shown: its columns, and what its rows differ in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.formatting import numbers
from webapp.systems.system_index import ListedSystem

PARTS = ("cores", "memory", "disks", "arch")
LABELS = {"cpu": "CPU", "cores": "Cores", "memory": "Memory", "disks": "Disks", "arch": "Architecture"}


@dataclass(frozen=True, slots=True)
class DescribedSystem:
    """A row: the system, what differs from others with the same processor, and its cells."""

    system: ListedSystem
    apart: str
    cells: Sequence[tuple[str, str]]
    """(name of the column, text)."""

    @property
    def name(self) -> str:
        return self.system.cpu or "CPU unknown"

    @property
    def others(self) -> Sequence[tuple[str, int]]:
        """The other spellings of its processor, each with a system that has it."""
        return [(spelling, pk) for spelling, pk in self.system.spellings if spelling != self.system.cpu]


def describe_disks(system: ListedSystem) -> str:
    """`12 × WD40EFRX`, `12 disks`, `WD40EFRX`; empty where nothing is known."""
    if system.disk and system.disks:
        return f"{system.disks} {numbers.TIMES} {system.disk}"
    return system.disk or (f"{system.disks} disk{'' if system.disks == 1 else 's'}" if system.disks else "")


def describe_part(system: ListedSystem, name: str) -> str:
    """A part as text, with its unit where it stands alone; empty where it is unknown."""
    if name == "cores":
        return f"{system.cores} core{'' if system.cores == 1 else 's'}" if system.cores else ""
    if name == "memory":
        return numbers.size(system.memory) if system.memory else ""
    return describe_disks(system) if name == "disks" else system.arch


def describe_system(system: ListedSystem) -> str:
    """A system in a line: its processor and what else is known."""
    parts = [text for name in PARTS if (text := describe_part(system, name))]
    return ", ".join([system.cpu or "CPU unknown", *parts])


def searched_text(system: ListedSystem) -> str:
    """What a search of the list looks at."""
    return "\n".join([*(spelling for spelling, _ in system.spellings), *(describe_part(system, name) for name in PARTS)])


def split_parts(systems: Sequence[ListedSystem]) -> tuple[list[str], list[str]]:
    """The parts in which the systems differ, those with most values first; and as texts those that all have alike."""
    values = {name: {describe_part(system, name) for system in systems} for name in PARTS}
    differ = [name for name in PARTS if len(values[name]) > 1]
    alike = [
        text if name in ("cores", "disks") else f"{LABELS[name].lower()} {text}"
        for name in PARTS
        if len(values[name]) == 1
        for text in values[name]
        if text
    ]
    return sorted(differ, key=lambda name: -len(values[name])), alike


def describe_systems(
    shown: Sequence[ListedSystem], listed: Sequence[ListedSystem], columns: Sequence[str]
) -> list[DescribedSystem]:
    """The rows of a page. `listed`: every system of the list, among which those with the same processor are distinguished."""
    same_cpu: dict[str | None, list[ListedSystem]] = {system.cpu: [] for system in shown}
    for system in listed:
        if system.cpu in same_cpu:
            same_cpu[system.cpu].append(system)
    differing = {cpu: split_parts(systems)[0] for cpu, systems in same_cpu.items()}
    rows = []
    for system in shown:
        apart = ", ".join(text for name in differing[system.cpu] if (text := describe_part(system, name)))
        if not apart and differing[system.cpu]:
            known = any(describe_part(system, name) for name in PARTS)
            apart = f"{LABELS[differing[system.cpu][0]].lower()} unknown" if known else "nothing else recorded"
        rows.append(DescribedSystem(system, apart, [(name, _cell(system, name)) for name in columns]))
    return rows


def _cell(system: ListedSystem, name: str) -> str:
    """A part as it stands in its column."""
    return str(system.cores or "") if name == "cores" else describe_part(system, name)
