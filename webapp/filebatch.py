"""The values of one file by run, in memory or put aside in a temporary file until they become rows."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from ingest import scratch
from ingest.records import FileReport, Measurement, Warning
from webapp.dimensions import Place, Work

_NAMES = [one.name for one in fields(Measurement)]
_AT = _NAMES.index("config")  # here stand the two that measurements share across files: config and config_from
_before, _after = attrgetter(*_NAMES[:_AT]), attrgetter(*_NAMES[_AT + 2:])


@dataclass(slots=True)
class RunBatch:
    """Values of one execution on one configuration; beside each its workload and its shown parameters."""

    place: Place
    provenance: str
    """Where the keys of its configuration were read, as JSON."""
    values: list[tuple[Measurement, Work, Mapping[str, Any]]] = field(default_factory=list)
    shared: Mapping[str, Any] = field(default_factory=dict)
    """The shown parameters that every value of the run has alike; told by `settle`."""

    @property
    def key(self) -> tuple:
        """What tells it from the other runs of its file."""
        return run_key(self.values[0][0], self.place, self.provenance)

    def settle(self) -> None:
        first = self.values[0][2]
        others = [details for _, _, details in self.values if details is not first]
        self.shared = first if not others else {
            name: value for name, value in first.items()
            if all(name in details and _same(details[name], value) for details in others)
        }


def run_key(m: Measurement, at: Place, provenance: str) -> tuple:
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
    aside: Aside | None = None
    """Where its runs are while they are not in `runs`."""

    @property
    def count(self) -> int:
        """Values."""
        return self.aside.count if self.aside else sum([len(run.values) for run in self.runs.values()])

    @property
    def run_count(self) -> int:
        return self.aside.runs if self.aside else len(self.runs)

    def each_run(self) -> Iterable[RunBatch]:
        """The runs in order, wherever they are."""
        return self.aside.read() if self.aside else self.runs.values()

    def put_aside(self, attic: Attic) -> bool:
        """Let a temporary file hold the runs; whether it does. They are settled."""
        self.aside = attic.put(list(self.runs.values()))
        if self.aside:
            self.runs = {}
        return self.aside is not None

    def take_back(self) -> None:
        """Hold the runs again, to add to them."""
        self.runs, self.aside = {run.key: run for run in self.each_run()}, None

    @property
    def config_digest(self) -> str:
        """SHA-256 of the digests of the configurations that its values have, in order; '' without values."""
        if not self.configurations:
            return ""
        return hashlib.sha256(" ".join(self.configurations).encode()).hexdigest()


class Attic:
    """Runs in one temporary file, deleted with this object. What runs share across files stays in memory, one object each."""

    def __init__(self) -> None:
        self._scratch = scratch.Scratch()
        self._shared: list[Any] = []
        self._at: dict[int, int] = {}

    def put(self, runs: list[RunBatch]) -> Aside | None:
        """Where the runs are now; None where they cannot be written."""
        at = self._number
        place = self._scratch.put([
            (at(run.place), run.provenance, run.shared,
             [(_before(m), at(m.config), at(m.config_from), _after(m), at(did), at(details)) for m, did, details in run.values])
            for run in runs])
        return place and Aside(self, place, len(runs), sum([len(run.values) for run in runs]))

    def get(self, place: scratch.Place) -> list[RunBatch]:
        """The runs as they were."""
        kept = self._shared
        return [
            RunBatch(kept[at], provenance, [
                (Measurement(*before, kept[config], kept[told], *after), kept[did], kept[details])
                for before, config, told, after, did, details in values], shared)
            for at, provenance, shared, values in self._scratch.get(place)]

    def _number(self, what: Any) -> int:
        number = self._at.get(id(what))
        if number is None:
            number = self._at[id(what)] = len(self._shared)
            self._shared.append(what)  # held, so that its id stays its own
        return number


@dataclass(slots=True)
class Aside:
    """The runs of one file in an attic: how many, and of how many values."""

    attic: Attic
    place: scratch.Place
    runs: int
    count: int

    def read(self) -> list[RunBatch]:
        return self.attic.get(self.place)
