"""What an archive holds as a whole, counted while its rows go in, so that no page of it has to count them again.

Runs, warnings and provenances of an archive change only where it is read again, in the transaction that writes this.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.keys import KEYS
from webapp.models import Archive, Profile
from webapp.storage.batch import Batch
from webapp.storage.dimensions import ConfigurationRow
from webapp.storage.pg_copy import cell, to_json
from webapp.storage.spill import RunBatch

IDENTIFYING_KEYS = ("os.family", "os.name", "cpu.model", "fs.type")
"""A run of whose configuration none of these is told could not be placed."""


class ConfigurationGroup(NamedTuple):
    """Configurations of which the same keys are told: their `os.family` and `fs.type`, the keys that are not told."""

    family: str | None
    fs: str | None
    untold: frozenset[str]
    runs: int
    measurements: int

    def get(self, key: str) -> Any:
        """The value of a key as far as it matters: that of the family and the file system, of others whether one is told."""
        return {"os.family": self.family, "fs.type": self.fs}.get(key, None if key in self.untold else True)


@dataclass(frozen=True, slots=True)
class ArchiveProfile:
    """`apart`: keys in which the configurations differ. `notes`: warnings by code. `stated`: runs by key that carry a
    stated value of it."""

    configurations: int = 0
    apart: tuple[str, ...] = ()
    groups: tuple[ConfigurationGroup, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)
    stated: Mapping[str, int] = field(default_factory=dict)

    @property
    def unplaced_runs(self) -> int:
        """Runs of which nothing tells where they were made."""
        return sum(group.runs for group in self.groups if group.untold.issuperset(IDENTIFYING_KEYS))


def read_profile(archive: Archive) -> ArchiveProfile:
    """What was counted when the archive was read; nothing before. One query."""
    told = Profile.objects.filter(archive=archive).values_list("told", flat=True).first()
    if told is None:
        return ArchiveProfile()
    groups = tuple(ConfigurationGroup(family, fs, frozenset(untold), runs, n) for family, fs, untold, runs, n in told["groups"])
    return ArchiveProfile(told["configurations"], tuple(told["apart"]), groups, told["notes"], told["stated"])


@dataclass(slots=True)
class _Share:
    place: ConfigurationRow
    first_run: int
    runs: int = 0
    measurements: int = 0
    tools: set[str] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ProfileCounter:
    """Counts the runs of one archive while they become rows."""

    shares: dict[int, _Share] = field(default_factory=dict)
    provenances: Counter[str] = field(default_factory=Counter)

    def add(self, configuration: int, run_id: int, run: RunBatch, count: int) -> None:
        """One run of so many values; ids rise."""
        share = self.shares.get(configuration)
        if share is None:
            share = self.shares[configuration] = _Share(run.place, run_id)
        share.runs += 1
        share.measurements += count
        share.tools.add(run.head.tool)
        for did, _, _ in run.parts:
            share.origins.add(did.origin)
        self.provenances[run.provenance] += 1

    def lines(self, archive_id: int) -> Iterator[str]:
        """Rows of ArchiveConfiguration for COPY."""
        for pk, share in sorted(self.shares.items()):
            placed = any(share.place.columns[key] is not None for key in IDENTIFYING_KEYS)
            yield (
                f"{archive_id}\t{pk}\t{share.runs}\t{share.measurements}\t{share.first_run}\t{'t' if placed else 'f'}"
                f"\t{cell(to_json(sorted(share.tools)))}\t{cell(to_json(sorted(share.origins)))}"
            )

    def line(self, archive_id: int, batch: Batch) -> str:
        """The row of Profile for COPY."""
        columns = [share.place.columns for share in self.shares.values()]
        groups: dict[tuple, list[int]] = {}
        for share in self.shares.values():
            untold = tuple(key for key in KEYS if share.place.columns[key] is None)
            counts = groups.setdefault((share.place.columns["os.family"], share.place.columns["fs.type"], untold), [0, 0])
            counts[0] += share.runs
            counts[1] += share.measurements
        notes = Counter(note.code for file in batch.files.values() for note in file.notes)
        notes.update(note.code for note in batch.loose)
        return f"{archive_id}\t" + cell(
            to_json(
                {
                    "configurations": len(columns),
                    "apart": [key for key in KEYS if len({one[key] for one in columns}) > 1],
                    "groups": [[family, fs, list(untold), *counts] for (family, fs, untold), counts in groups.items()],
                    "notes": dict(notes),
                    "stated": self._stated(),
                }
            )
        )

    def _stated(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for text, runs in self.provenances.items():
            if '"stated"' in text:
                found.update({key: runs for key, place in json.loads(text).items() if place == "stated"})
        return found
