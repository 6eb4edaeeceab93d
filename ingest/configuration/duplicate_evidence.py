"""One run, one configuration: what is known of a run holds for its duplicates, such as the CSV line beside the report.

Runs are linked while duplicates are searched. A key that is unknown for one run of a group is taken from the others. Where two of
them contradict each other, each keeps its own values, nothing of that part of the configuration is shared, and one warning shows
both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.configuration.clues import LocatedClue, are_compatible, drop_other_systems
from ingest.configuration.host_names import names_host, same_host
from ingest.keys import KEYS
from ingest.open_keys import OF_FILE_SYSTEMS, is_identity
from ingest.records import Doubt

Chosen = Mapping[str, LocatedClue]
_Run = tuple[str, Any]  # path, run
_PARTS_OF_HOST = ("shown", "system", "os")  # not shared by runs that name two hosts


class DuplicateEvidence:
    """Groups of duplicate runs of one archive, and what their members know together."""

    def __init__(self) -> None:
        self._known: dict[_Run, tuple[int | str, Chosen]] = {}  # line and configuration of a run's own evidence
        self._parents: dict[_Run, _Run] = {}
        self._shared: dict[_Run, Chosen] = {}
        self._warned: set[tuple[str, str]] = set()

    def __bool__(self) -> bool:
        return bool(self._shared)

    def knows(self, path: str, run: Any) -> bool:
        """Whether the run was added."""
        return (path, run) in self._known

    def add(self, path: str, run: Any, line: int | str, chosen: Chosen) -> None:
        """The configuration of a run's own evidence."""
        self._known[path, run] = line, chosen

    def link(self, first: _Run, second: _Run) -> None:
        """Two runs, which were both added, are one."""
        a, b = self._root(first), self._root(second)
        if a != b:
            self._parents[b] = a

    def _root(self, run: _Run) -> _Run:
        while (parent := self._parents.get(run, run)) != run:
            self._parents[run] = self._parents.get(parent, parent)
            run = parent
        return run

    def share(self) -> Iterator[tuple[str, Doubt]]:
        """End the search: find what the runs of each group know together. Warnings with their files."""
        groups: dict[_Run, list[_Run]] = {}
        for run in self._known:
            groups.setdefault(self._root(run), []).append(run)
        merged: dict[tuple[int, ...], tuple[Chosen, list[tuple[str, int, int]]]] = {}
        for runs in groups.values():
            configurations = [self._known[run][1] for run in runs]
            key = tuple(map(id, configurations))
            if key not in merged:
                merged[key] = _merge(configurations)
            shared, conflicts = merged[key]
            if any(shared.keys() - chosen.keys() for chosen in configurations):
                self._shared.update(dict.fromkeys(runs, shared))
            yield from self._doubts(runs, conflicts)
        self._known.clear()
        self._parents.clear()

    def _doubts(self, runs: list[_Run], conflicts: list[tuple[str, int, int]]) -> Iterator[tuple[str, Doubt]]:
        """One warning for two files that contradict each other."""
        if not conflicts:
            return
        _, first, second = conflicts[0]
        (path, _), (other_path, _) = runs[first], runs[second]
        if (path, other_path) in self._warned:
            return
        self._warned.add((path, other_path))
        (line, chosen), (other_line, other) = self._known[runs[first]], self._known[runs[second]]
        values = "; ".join(
            f"{key} is {chosen[key].clue.value} ({chosen[key].reference}) and {other[key].clue.value} ({other[key].reference})"
            for key, *pair in conflicts
            if pair == [first, second]
        )
        message = f"The same run as {path}:{line}, but {values}; each copy keeps its own."
        yield other_path, Doubt(other_line, "disagree", message[:600])

    def of_run(self, path: str, run: Any) -> Chosen | None:
        """What is known of a run and its duplicates together, None if that is nothing new. One object for equal groups."""
        return self._shared.get((path, run))

    def complete(self, chosen: dict[str, LocatedClue], path: str, run: Any) -> None:
        """Add to the configuration of a value what the duplicates of its run know."""
        shared = self.of_run(path, run)
        if shared is None or shared.keys() <= chosen.keys():
            return
        others = dict(shared)
        drop_other_systems(others, chosen)
        for key, source in others.items():
            chosen.setdefault(key, source)


def _merge(configurations: list[Chosen]) -> tuple[Chosen, list[tuple[str, int, int]]]:
    """(what the configurations tell together, (key, first, second) of the contradictions to show, as indices)."""
    first: dict[str, int] = {}
    conflicts: list[tuple[str, int, int]] = []
    contradictory, unshared = set[str](), set[str]()
    for index, chosen in enumerate(configurations):
        for key, source in chosen.items():
            earlier = first.setdefault(key, index)
            value, other = configurations[earlier][key].clue.value, source.clue.value
            if earlier == index or value == other or _is_same(key, value, other):
                continue
            if key not in KEYS and not is_identity(key):
                unshared.add(key)  # a counter, for one, which differs on every reading
                continue
            contradictory.update(_PARTS_OF_HOST if key == "host" else (_part(key),))
            if key not in ("host", "pool.name"):
                conflicts.append((key, earlier, index))
    shared = {
        key: configurations[index][key] for key, index in first.items() if _part(key) not in contradictory and key not in unshared
    }
    return shared, sorted(conflicts, key=lambda conflict: conflict[1:])


def _part(key: str) -> str:
    """The part of the configuration to which a key belongs; a pool's name to that of the pool, `sysctl.` to the system."""
    if key in KEYS:
        return "pool" if key == "pool.name" else KEYS[key].part
    return "pool" if key.startswith(OF_FILE_SYSTEMS) else "os"


def _is_same(key: str, first: Any, second: Any) -> bool:
    if key == "host":
        return not names_host(str(first)) or not names_host(str(second)) or same_host(str(first), str(second))
    return are_compatible(key, first, second) or are_compatible(key, second, first)
