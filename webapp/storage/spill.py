"""The values of one file by run, in memory or put aside in a temporary file until they become rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from ingest import SpillFile
from ingest.records import FileReport, Measurement, Warning
from webapp.storage.dimensions import ConfigurationRow, WorkloadRow

_NAMES = [one.name for one in fields(Measurement)]
_AT = _NAMES.index("config")  # here stand the two that measurements share across files: config and config_from
_before, _after = attrgetter(*_NAMES[:_AT]), attrgetter(*_NAMES[_AT + 2 :])


Part = tuple[WorkloadRow, Mapping[str, Any], list[Measurement]]
"""Values that follow each other and have their workload and their shown parameters alike."""


@dataclass(slots=True)
class RunBatch:
    """Values of one execution on one configuration, in order."""

    place: ConfigurationRow
    provenance: str
    """Where the keys of its configuration were read, as JSON."""
    parts: list[Part] = field(default_factory=list)
    shared: Mapping[str, Any] = field(default_factory=dict)
    """The shown parameters that every value of the run has alike; told by `settle`."""

    @property
    def key(self) -> tuple:
        """What tells it from the other runs of its file."""
        return run_key(self.head, self.place, self.provenance)

    @property
    def head(self) -> Measurement:
        """The first value."""
        return self.parts[0][2][0]

    @property
    def count(self) -> int:
        """Values."""
        return sum([len(values) for _, _, values in self.parts])

    def goes_on(self, did: WorkloadRow, details: Mapping[str, Any]) -> list[Measurement]:
        """Where the next values go if they have that workload and those shown parameters."""
        if not self.parts or self.parts[-1][0] is not did or self.parts[-1][1] is not details:
            self.parts.append((did, details, []))
        return self.parts[-1][2]

    def settle(self) -> None:
        """Tell `shared`, once every value is there."""
        first = self.parts[0][1]
        others = [details for _, details, _ in self.parts if details is not first]
        self.shared = (
            first
            if not others
            else {
                name: value
                for name, value in first.items()
                if all(name in details and _same(details[name], value) for details in others)
            }
        )


def run_key(m: Measurement, at: ConfigurationRow, provenance: str) -> tuple:
    """What the values of one run have alike."""
    return m.run, at.digest, id(at), provenance, m.started_at, m.source_note


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


@dataclass(slots=True)
class FileBatch:
    """One file: its report where there is one, its runs in the order of their first value, its warnings."""

    path: str
    report: FileReport | None = None
    runs: dict[tuple, RunBatch] = field(default_factory=dict)
    notes: list[Warning] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    aside: list[SpilledRuns] = field(default_factory=list)
    """Where its first runs are that are not in `runs`."""
    gone: set[int] | None = None
    """Hashes of the keys of those runs while more values are to come; None where nobody knows them."""
    mixed: int = 0
    """How often runs that were put aside went on. Of a file that mixes them, values are put aside once all are there."""

    @property
    def count(self) -> int:
        """Values."""
        if not self.runs and not self.aside:
            return 0
        return sum([part.count for part in self.aside]) + sum([run.count for run in self.runs.values()])

    @property
    def run_count(self) -> int:
        return sum([part.runs for part in self.aside]) + len(self.runs)

    def each_run(self) -> Iterator[RunBatch]:
        """The runs in order, wherever they are; in memory are those that were put aside together."""
        for part in self.aside:
            yield from part.read()
        yield from self.runs.values()

    def put_aside(self, attic: RunSpill, more: bool = False) -> bool:
        """Let a temporary file hold the runs; whether it does. They are settled. `more`: values of others are to come."""
        part = attic.put(list(self.runs.values()))
        if part is None:
            return False
        self.gone = {*(self.gone or ()), *map(hash, self.runs)} if more else None
        self.aside.append(part)
        self.runs = {}
        return True

    def may_hold_aside(self, key: tuple) -> bool:
        """Whether the run of that key may be among those that were put aside."""
        return bool(self.aside) and (self.gone is None or hash(key) in self.gone)

    def take_back(self) -> None:
        """Hold the runs again, to add to them."""
        self.runs, self.aside, self.gone, self.mixed = {run.key: run for run in self.each_run()}, [], None, self.mixed + 1

    @property
    def config_digest(self) -> str:
        """SHA-256 of the digests of the configurations that its values have, in order; '' without values."""
        if not self.configurations:
            return ""
        return hashlib.sha256(" ".join(self.configurations).encode()).hexdigest()


class RunSpill:
    """Runs in one temporary file, deleted with this object. What runs share across files stays in memory, one object each."""

    def __init__(self) -> None:
        self._scratch = SpillFile()
        self._shared: list[Any] = []
        self._at: dict[int, int] = {}

    def put(self, runs: list[RunBatch]) -> SpilledRuns | None:
        """Where the runs are now; None where they cannot be written."""
        at = self._number
        place = self._scratch.put(
            [
                (
                    at(run.place),
                    run.provenance,
                    run.shared,
                    [
                        (at(did), at(details), [(_before(m), at(m.config), at(m.config_from), _after(m)) for m in values])
                        for did, details, values in run.parts
                    ],
                )
                for run in runs
            ]
        )
        return place and SpilledRuns(self, place, len(runs), sum([run.count for run in runs]))

    def get(self, place: tuple[int, int]) -> list[RunBatch]:
        """The runs as they were."""
        kept = self._shared
        return [
            RunBatch(
                kept[at],
                provenance,
                [
                    (
                        kept[did],
                        kept[details],
                        [Measurement(*(*before, kept[config], kept[told], *after)) for before, config, told, after in values],
                    )
                    for did, details, values in parts
                ],
                shared,
            )
            for at, provenance, shared, parts in self._scratch.get(place)
        ]

    def _number(self, what: Any) -> int:
        number = self._at.get(id(what))
        if number is None:
            number = self._at[id(what)] = len(self._shared)
            self._shared.append(what)  # held, so that its id stays its own
        return number


@dataclass(slots=True)
class SpilledRuns:
    """The runs of one file in an attic: how many, and of how many values."""

    attic: RunSpill
    place: tuple[int, int]
    runs: int
    count: int

    def read(self) -> list[RunBatch]:
        return self.attic.get(self.place)
