"""The values of one file by run, in memory or spilled to a temporary file until they become rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple

from ingest import SpillFile
from ingest.keys import RANK
from ingest.records import FileReport, Measurement, Unmeasured, Warning
from webapp.storage.configuration_rows import ConfigurationRow, WorkloadRow

_FIELDS = [field.name for field in fields(Measurement)]
_SHARED_FIELD = _FIELDS.index("config")  # the first of the two that measurements share across files: config and config_from
_fields_before, _fields_after = attrgetter(*_FIELDS[:_SHARED_FIELD]), attrgetter(*_FIELDS[_SHARED_FIELD + 2 :])


Part = tuple[WorkloadRow, Mapping[str, Any], list[Measurement]]
"""Consecutive values that share their workload and their descriptive parameters."""


MissingPart = tuple[WorkloadRow, Mapping[str, Any], Unmeasured]
"""A value that could not be measured, with its workload and descriptive parameters."""


@dataclass(slots=True)
class RunBatch:
    """Values of one execution on one configuration, in order; `unmeasured`: those that could not be measured."""

    configuration: ConfigurationRow
    provenance: str
    """Where the keys of its configuration were read, as JSON (see `Batch`)."""
    parts: list[Part] = field(default_factory=list)
    shared: Mapping[str, Any] = field(default_factory=dict)
    """The descriptive parameters that are equal in every value of the run; set by `find_shared`."""
    unmeasured: list[MissingPart] = field(default_factory=list)

    @property
    def key(self) -> tuple:
        """Identifies it among the runs of its file."""
        return run_key(self.head, self.configuration, self.provenance)

    @property
    def head(self) -> Measurement | Unmeasured:
        """The first value, of those that were measured if there are any."""
        return self.parts[0][2][0] if self.parts else self.unmeasured[0][2]

    @property
    def count(self) -> int:
        """Number of values."""
        return sum([len(values) for _, _, values in self.parts])

    @property
    def rank_count(self) -> int:
        """Number of values of single ranks."""
        return sum([len(values) for _, details, values in self.parts if RANK in details])

    def open_part(self, workload: WorkloadRow, details: Mapping[str, Any]) -> list[Measurement]:
        """The list to which the next values with this workload and these descriptive parameters are appended."""
        if not self.parts or self.parts[-1][0] is not workload or self.parts[-1][1] is not details:
            self.parts.append((workload, details, []))
        return self.parts[-1][2]

    def find_shared(self) -> None:
        """Set `shared`, once every value is there."""
        all_details = [details for _, details, _ in self.parts] + [details for _, details, _ in self.unmeasured]
        first = all_details[0]
        others = [details for details in all_details if details is not first]
        self.shared = (
            first
            if not others
            else {
                name: value
                for name, value in first.items()
                if all(name in details and _is_same(details[name], value) for details in others)
            }
        )


def run_key(m: Measurement | Unmeasured, configuration: ConfigurationRow, provenance: str) -> tuple:
    """What the values of one run have in common."""
    return m.run, configuration.digest, id(configuration), provenance, m.started_at, m.source_note


def _is_same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


class RunTime(NamedTuple):
    """When a run was: `started_at` as printed, its length in seconds where known (an upper estimate), the FILE:LINE of a
    reboot since the run before ('' without one), and the number of the boot that a manifest states."""

    started_at: str | None
    seconds: float | None
    reboot: str
    boot: int | None = None


@dataclass(slots=True)
class FileBatch:
    """One file: its report where there is one, its runs in the order of their first value, its warnings."""

    path: str
    report: FileReport | None = None
    runs: dict[tuple, RunBatch] = field(default_factory=dict)
    warnings: list[Warning] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    """Digests, in the order of the values."""
    spilled: list[SpilledRuns] = field(default_factory=list)
    """The runs before those in `runs`."""
    spilled_keys: set[int] | None = None
    """Hashes of the keys of spilled runs while more values are expected; None where they are not kept."""
    placed: list[tuple[str, bool]] = field(default_factory=list)
    """Of each run, in their order, spilled or not: digest of its configuration, and whether a person stated any key."""
    times: dict[int, RunTime] = field(default_factory=dict)
    """What outputs say about when runs were, by position among the runs of the file; set by `Batch`."""
    reloads: int = 0
    """How often spilled runs were read back, since another value of them came."""

    @property
    def count(self) -> int:
        """Number of values."""
        if not self.runs and not self.spilled:
            return 0
        return sum([part.count for part in self.spilled]) + sum([run.count for run in self.runs.values()])

    @property
    def rank_count(self) -> int:
        """Number of values of single ranks."""
        return sum([part.rank_count for part in self.spilled]) + sum([run.rank_count for run in self.runs.values()])

    @property
    def run_count(self) -> int:
        return sum([part.runs for part in self.spilled]) + len(self.runs)

    def iterate_runs(self) -> Iterator[RunBatch]:
        """The runs in order, spilled or not; those that were spilled together are in memory together."""
        for part in self.spilled:
            yield from part.read()
        yield from self.runs.values()

    def spill_runs(self, spill: RunSpill, is_complete: bool) -> bool:
        """Move the runs, whose `shared` is set, to the temporary file. False where it cannot be written.

        `is_complete`: no more values of the file are expected.
        """
        part = spill.put(list(self.runs.values()))
        if part is None:
            return False
        self.spilled_keys = None if is_complete else {*(self.spilled_keys or ()), *map(hash, self.runs)}
        self.spilled.append(part)
        self.runs = {}
        return True

    def may_have_spilled(self, key: tuple) -> bool:
        """Whether the run of that key may be among the spilled ones."""
        return bool(self.spilled) and (self.spilled_keys is None or hash(key) in self.spilled_keys)

    def reload(self) -> None:
        """Read the spilled runs back into memory, to add to them."""
        self.runs = {run.key: run for run in self.iterate_runs()}
        self.spilled, self.spilled_keys, self.reloads = [], None, self.reloads + 1

    @property
    def config_digest(self) -> str:
        """SHA-256 of the digests of the configurations of its values, in order; '' without values."""
        if not self.configurations:
            return ""
        return hashlib.sha256(" ".join(self.configurations).encode()).hexdigest()


class RunSpill:
    """Runs in one temporary file, deleted with this object. What runs share across files stays in memory, one object each."""

    def __init__(self) -> None:
        self._file = SpillFile()
        self._shared: list[Any] = []
        self._numbers: dict[int, int] = {}

    def put(self, runs: list[RunBatch]) -> SpilledRuns | None:
        """Write the runs; None where that is not possible."""
        number = self._number
        place = self._file.put(
            [
                (
                    number(run.configuration),
                    run.provenance,
                    run.shared,
                    [
                        (
                            number(workload),
                            number(details),
                            [(_fields_before(m), number(m.config), number(m.config_from), _fields_after(m)) for m in values],
                        )
                        for workload, details, values in run.parts
                    ],
                    number(run.unmeasured) if run.unmeasured else None,
                )
                for run in runs
            ]
        )
        if place is None:
            return None
        return SpilledRuns(self, place, len(runs), sum([run.count for run in runs]), sum([run.rank_count for run in runs]))

    def get(self, place: int) -> list[RunBatch]:
        """The runs as they were written."""
        objects = self._shared
        return [
            RunBatch(
                objects[configuration],
                provenance,
                [
                    (
                        objects[workload],
                        objects[details],
                        [
                            Measurement(*(*before, objects[config], objects[config_from], *after))
                            for before, config, config_from, after in values
                        ],
                    )
                    for workload, details, values in parts
                ],
                shared,
                [] if unmeasured is None else objects[unmeasured],
            )
            for configuration, provenance, shared, parts, unmeasured in self._file.get(place)
        ]

    def _number(self, shared: Any) -> int:
        number = self._numbers.get(id(shared))
        if number is None:
            number = self._numbers[id(shared)] = len(self._shared)
            self._shared.append(shared)  # referenced, so that no other object gets its id
        return number


@dataclass(slots=True)
class SpilledRuns:
    """Runs of one file that were spilled together: number of runs, of values and of values of single ranks, and their place in
    the temporary file."""

    spill: RunSpill
    place: int
    runs: int
    count: int
    rank_count: int

    def read(self) -> list[RunBatch]:
        return self.spill.get(self.place)
