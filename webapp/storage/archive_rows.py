"""The bulk rows of an archive that are there: their ids, their summary, their deletion. `bulk_insert` writes them."""

from __future__ import annotations

import heapq
import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from ingest.keys import KEYS
from webapp.models import Archive, Profile
from webapp.models.sql import fetch_row, fetch_rows
from webapp.storage.batch import Batch
from webapp.storage.configuration_rows import ConfigurationRow
from webapp.storage.deduplication import FileKey
from webapp.storage.pg_copy import cell, to_json
from webapp.storage.spill import RunBatch
from webapp.storage.summary_writer import Aggregate, SummaryKey, aggregate

# Counts of an archive as a whole, made while its rows are inserted, so that its pages need not count.

IDENTIFYING_KEYS = ("os.family", "os.name", "cpu.model", "fs.type")
"""A run without any of these keys is unplaced: nothing says where it was made."""
_LISTED_KEYS = (("os.name", "os.family"), ("fs.stack", "fs.type"), ("cpu.model",), ("host",))
"""Keys of which the first known one stands in lists of archives."""
_MAX_LISTED = 1000
"""Configurations of an archive whose values stand there, the most measured ones."""


class ConfigurationGroup(NamedTuple):
    """Configurations with the same missing keys, `os.family` and `fs.type`."""

    family: str | None
    fs: str | None
    missing_keys: frozenset[str]
    runs: int
    measurements: int

    def get(self, key: str) -> Any:
        """The value of `os.family` and `fs.type`; of any other key True where there is a value. None where there is none."""
        return {"os.family": self.family, "fs.type": self.fs}.get(key, None if key in self.missing_keys else True)


@dataclass(frozen=True, slots=True)
class ArchiveProfile:
    """Number of configurations, keys in which they differ, groups of them, warnings by code, and by key the runs for which
    it is stated."""

    configurations: int = 0
    differing_keys: tuple[str, ...] = ()
    groups: tuple[ConfigurationGroup, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)
    stated: Mapping[str, int] = field(default_factory=dict)

    @property
    def unplaced_runs(self) -> int:
        """Runs without any of IDENTIFYING_KEYS."""
        return sum(group.runs for group in self.groups if group.missing_keys.issuperset(IDENTIFYING_KEYS))


def read_profile(archive: Archive) -> ArchiveProfile:
    """The counts of the latest reading; empty before the first. One query."""
    columns = Profile.objects.filter(archive=archive).values_list("told", flat=True).first()
    if columns is None:
        return ArchiveProfile()
    groups = tuple(
        ConfigurationGroup(family, fs, frozenset(missing_keys), runs, n) for family, fs, missing_keys, runs, n in columns["groups"]
    )
    return ArchiveProfile(columns["configurations"], tuple(columns["apart"]), groups, columns["notes"], columns["stated"])


@dataclass(slots=True)
class _ConfigurationCounts:
    row: ConfigurationRow
    first_run: int
    runs: int = 0
    measurements: int = 0
    tools: set[str] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ProfileCounter:
    """Counts the runs of one archive while they become rows."""

    configurations: dict[int, _ConfigurationCounts] = field(default_factory=dict)
    """By id of the configuration."""
    provenances: Counter[str] = field(default_factory=Counter)

    def add(self, configuration: int, run_id: int, run: RunBatch, count: int) -> None:
        """Add a run with `count` values. Run ids rise. A run of which every value is a duplicate is no run of its own."""
        counts = self.configurations.get(configuration)
        if counts is None:
            counts = self.configurations[configuration] = _ConfigurationCounts(run.configuration, run_id)
        counts.runs += any(value.duplicate_of is None for _, _, values in run.parts for value in values)
        counts.measurements += count
        counts.tools.add(run.head.tool)
        for workload, _, _ in (*run.parts, *run.unmeasured):
            counts.origins.add(workload.origin)
        self.provenances[run.provenance] += 1

    def configuration_lines(self, archive_id: int) -> Iterator[str]:
        """Rows of ArchiveConfiguration for COPY."""
        for pk, counts in sorted(self.configurations.items()):
            is_placed = any(counts.row.columns[key] is not None for key in IDENTIFYING_KEYS)
            yield (
                f"{archive_id}\t{pk}\t{counts.runs}\t{counts.measurements}\t{counts.first_run}\t{'t' if is_placed else 'f'}"
                f"\t{cell(to_json(sorted(counts.tools)))}\t{cell(to_json(sorted(counts.origins)))}"
            )

    def profile_line(self, archive_id: int, batch: Batch) -> str:
        """The row of Profile for COPY."""
        columns = [counts.row.columns for counts in self.configurations.values()]
        groups: dict[tuple, list[int]] = {}
        for counts in self.configurations.values():
            values = counts.row.columns
            missing_keys = tuple(key for key in KEYS if values[key] is None)
            group = groups.setdefault((values["os.family"], values["fs.type"], missing_keys), [0, 0])
            group[0] += counts.runs
            group[1] += counts.measurements
        codes = Counter(warning.code for file in batch.files.values() for warning in file.warnings)
        codes.update(warning.code for warning in batch.archive_warnings)
        return f"{archive_id}\t" + cell(
            to_json(
                {
                    "configurations": len(columns),
                    "apart": self._find_differing_keys(),
                    "groups": [[family, fs, list(missing), *counts] for (family, fs, missing), counts in groups.items()],
                    "notes": dict(codes),
                    "stated": self._count_stated(),
                    "listed": self._list_values(),
                }
            )
        )

    def _list_values(self) -> list[list[str]]:
        """The tools, and the values of each of `_LISTED_KEYS`."""
        most = heapq.nlargest(_MAX_LISTED, self.configurations.values(), key=lambda counts: counts.measurements)
        found = [{tool for one in most for tool in one.tools}]
        for keys in _LISTED_KEYS:
            found.append({next(filter(None, (one.row.columns[key] for key in keys)), "") for one in most} - {""})
        return [sorted(values) for values in found]

    def _find_differing_keys(self) -> list[str]:
        """Keys in which configurations differ; of open ones those with several known values."""
        rows = [counts.row for counts in self.configurations.values()]
        registered = [key for key in KEYS if len({row.columns[key] for row in rows}) > 1]
        values: dict[str, set[str]] = {}
        for row in rows:
            for name, value in row.open.items():
                values.setdefault(name, set()).add(str(value))
        return registered + sorted(name for name, known in values.items() if len(known) > 1)

    def _count_stated(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for provenance, runs in self.provenances.items():
            if '"stated"' in provenance:
                counts.update({key: runs for key, source in json.loads(provenance)[0].items() if source == "stated"})
        return counts


@dataclass(slots=True)
class InsertedRows:
    """Ids `first` to `end - 1` of the new measurements, the keys of the files, and the values that count with their ids."""

    first: int
    end: int
    file_keys: set[FileKey] = field(default_factory=set)
    # Arrays of values and of ids, 8 bytes each: a list of pairs takes seven times as much.
    counted: dict[SummaryKey, tuple[array, array]] = field(default_factory=lambda: defaultdict(lambda: (array("d"), array("q"))))

    def aggregate(self, without: Sequence[tuple[int, int]] = ()) -> dict[SummaryKey, Aggregate]:
        """The archive's own summary; measurements in the ranges of ids (first, beyond) are left out."""
        summary = {}
        for key, (value_array, id_array) in self.counted.items():
            values, ids = value_array.tolist(), id_array.tolist()
            if without:
                pairs = [
                    (value, pk)
                    for value, pk in zip(values, ids, strict=True)
                    if not any(first <= pk < beyond for first, beyond in without)
                ]
                values, ids = [value for value, _ in pairs], [pk for _, pk in pairs]
            if ids:
                summary[key] = aggregate(values, ids)
        return summary


class FileIds(NamedTuple):
    """A file with measurements: its path, the id of the first, and their number."""

    path: str
    first: int
    measurements: int


def id_range(archive_id: int) -> tuple[int, int]:
    """First id of the archive's measurements and the one after the last; no other archive has ids between."""
    first, beyond = fetch_row(
        "SELECT min(first_measurement), max(first_measurement + measurements) FROM webapp_file"
        " WHERE archive_id = %s AND measurements > 0",
        [archive_id],
    )
    return (first, beyond) if first is not None else (0, 0)


def read_file_ids(archive_id: int) -> list[FileIds]:
    """The archive's files with measurements, in the order of their ids."""
    rows = fetch_rows(
        "SELECT path, first_measurement, measurements FROM webapp_file WHERE archive_id = %s AND measurements > 0"
        " ORDER BY first_measurement",
        [archive_id],
    )
    return [FileIds(*row) for row in rows]


def find_summary_keys(first: int, beyond: int) -> set[SummaryKey]:
    """The summary keys of the measurements of these ids, whether they count or not."""
    rows = fetch_rows(
        "SELECT DISTINCT m.metric_id, r.configuration_id, m.workload_id FROM webapp_measurement m"
        " JOIN webapp_run r ON r.id = m.run_id WHERE m.id >= %s AND m.id < %s",
        [first, beyond],
    )
    return set(rows)


def delete_rows(archive_id: int) -> None:
    """Delete every bulk row of the archive. The caller updates `duplicate_of` of other archives' files."""
    first, beyond = id_range(archive_id)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_measurement WHERE id >= %s AND id < %s", [first, beyond])
        for table in (
            "webapp_compressedvalues",
            "webapp_timeseries",
            "webapp_seriesconfiguration",
            "webapp_unmeasuredvalue",
            "webapp_run",
            "webapp_session",
            "webapp_provenance",
            "webapp_note",
            "webapp_evidencerow",
            "webapp_file",
            "webapp_archiveconfiguration",
            "webapp_profile",
        ):
            cursor.execute(f"DELETE FROM {table} WHERE archive_id = %s", [archive_id])  # noqa: S608 names and conditions are constants of the code; values are parameters
