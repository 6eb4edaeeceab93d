"""The records of one archive, gathered by file and run, before any of it becomes a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ingest.keys import PARAMS
from ingest.records import Evidence, FileReport, Measurement, Record, Warning
from webapp.formatting.months import month_of
from webapp.storage.dimensions import ConfigurationRow, WorkloadRow, make_configuration_row, make_workload_row
from webapp.storage.pg_copy import clean, to_json
from webapp.storage.spill import FileBatch, RunBatch, RunSpill, run_key

MIXED = 3  # times that runs of a file may go on after they were put aside
HELD, TOGETHER = 50_000, 10_000  # values that stay in memory, some 25 MB; beyond them, so many of one file
MANY = 4_000  # texts of workloads, and of details: more of them are let go, whatever is made anew for it


class Batch:
    """Gathers records. Equal configurations and parameters are worked out once: the reader shares their dicts."""

    def __init__(self) -> None:
        self.files: dict[str, FileBatch] = {}
        self.loose: list[Warning] = []
        self.evidence: list[Evidence] = []
        self.places: dict[str, ConfigurationRow] = {}
        self.works: dict[str, WorkloadRow] = {}
        self.metrics: set[str] = set()
        self.provenances: dict[str, None] = {}
        self.measurements = 0
        self._attic, self._held = RunSpill(), 0
        self._taken = self._since = 0  # values so far; how many they were when a file began, or when some of it were put aside
        self.warnings = 0
        self._run: RunBatch
        # By identity of the dict; the dict stays referenced, so that no other can take its place in memory.
        self._places: dict[int, tuple[Mapping, ConfigurationRow]] = {}
        self._froms: dict[int, tuple[Mapping, str]] = {}
        self._works: dict[tuple, tuple[Mapping, WorkloadRow, Mapping[str, Any]]] = {}
        self._equal: dict[tuple, tuple[WorkloadRow, Mapping[str, Any]]] = {}
        self._told: dict[str, WorkloadRow] = {}
        self._details: dict[str, Mapping[str, Any]] = {}

    @classmethod
    def of(cls, records: Iterable[Record]) -> Batch:
        """Every record of one archive."""
        batch = cls()
        batch._gather(records)
        batch._settle()
        return batch

    def _gather(self, records: Iterable[Record]) -> None:
        """Values of one run come together and share their dicts, so that most go where the one before went."""
        last: Measurement | None = None
        add: Callable[[Measurement], None]
        taken = 0
        for m in records:
            if type(m) is not Measurement:
                self._taken = taken
                self._add_other(m)
                last = None  # its run may have been put aside
                continue
            if (
                last is None
                or m.config is not last.config
                or m.config_from is not last.config_from
                or m.run != last.run
                or m.file != last.file
                or m.started_at != last.started_at
                or m.source_note != last.source_note
            ):
                self._taken = taken
                self._run = self._run_of(m)
                add = self._run.goes_on(*self._work(m)).append
            elif (
                m.params is not last.params
                or m.stat != last.stat
                or m.tool != last.tool
                or m.tool_version != last.tool_version
                or m.origin != last.origin
            ):
                add = self._run.goes_on(*self._work(m)).append
            add(m)
            taken, last = taken + 1, m
        self._taken = taken

    def _add_other(self, record: Record) -> None:
        if isinstance(record, FileReport):
            file = self._file(record.file)
            file.report = record
            self._finished(file)
        elif isinstance(record, Warning):
            self.warnings += 1
            (self._file(record.file).notes if record.file else self.loose).append(record)
        elif isinstance(record, Evidence):
            self.evidence.append(record)

    def _finished(self, file: FileBatch) -> None:
        """Every value of the file is in, as a rule: beyond `HELD` values a temporary file holds them."""
        self._held = self._since = self._taken
        if self._held > HELD and file.runs:
            self._put_aside(file)
        file.gone = None

    def _put_aside(self, file: FileBatch, more: bool = False) -> bool:
        for run in file.runs.values():
            run.settle()
            self.metrics.update([m.metric for _, _, values in run.parts for m in values])
        done = file.put_aside(self._attic, more)
        if done:
            self._works.clear()  # or else they would hold the parameters of every value
            self._equal.clear()
            for texts in (self._told, self._details):
                if len(texts) > MANY:
                    texts.clear()  # what runs hold stays one object: workloads in `works`, details in the attic
        return done

    def _settle(self) -> None:
        """Once every record is in.

        Warnings of what is no file of the archive (an entry that was skipped) belong to the archive as a whole.
        """
        for path in [path for path, file in self.files.items() if file.report is None and not file.run_count]:
            self.loose.extend(self.files.pop(path).notes)
        self.measurements = self._taken
        for file in self.files.values():
            for run in file.runs.values():
                run.settle()
                self.metrics.update([m.metric for _, _, values in run.parts for m in values])

    def _file(self, path: str) -> FileBatch:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = FileBatch(path)
        return file

    def _run_of(self, record: Measurement) -> RunBatch:
        file = self._file(record.file)
        at, provenance = self._place(record.config), self._from(record.config_from)
        key = run_key(record, at, provenance)
        if file.may_hold_aside(key):
            file.take_back()
        run = file.runs.get(key)
        if run is None:
            self._make_room(file)
            run = file.runs[key] = RunBatch(at, provenance)
        if not file.configurations or file.configurations[-1] != at.digest:
            file.configurations.append(at.digest)
        return run

    def _make_room(self, file: FileBatch) -> None:
        """Before a new run of a file that has too many: those before are done with, as a rule."""
        new = self._taken - self._since
        if file.runs and new >= TOGETHER and self._held + new > HELD and file.mixed < MIXED:
            self._put_aside(file, more=True)
            self._since = self._taken

    def _place(self, config: Mapping[str, Any]) -> ConfigurationRow:
        known = self._places.get(id(config))
        if known is None:
            found = make_configuration_row(config)
            # Two configurations may share their row and differ in what it does not hold (exact memory).
            twin = self.places.setdefault(found.digest, found)
            known = self._places[id(config)] = (config, twin if twin.exact == found.exact else found)
        return known[1]

    def _from(self, config_from: Mapping[str, str]) -> str:
        known = self._froms.get(id(config_from))
        if known is None:
            known = self._froms[id(config_from)] = (config_from, to_json(dict(config_from)))
            self.provenances[known[1]] = None
        return known[1]

    def _work(self, record: Measurement) -> tuple[WorkloadRow, Mapping[str, Any]]:
        month = month_of(record.started_at)
        key = (id(record.params), record.tool, record.tool_version, record.stat, record.origin, month)
        known = self._works.get(key)
        if known is None:
            # Equal ones are one object, so that what follows from them is worked out once; 1, 1.0 and True are not equal.
            like = (repr(record.params), *key[1:])
            equal = self._equal.get(like)
            if equal is None:
                equal = self._equal[like] = self._told_and_shown(record, month)
            known = self._works[key] = (record.params, *equal)
        return known[1], known[2]

    def _told_and_shown(self, record: Measurement, month: str | None) -> tuple[WorkloadRow, Mapping[str, Any]]:
        told: dict[str, Any] = {}
        details: dict[str, Any] = {}
        for name, value in record.params.items():
            (told if name in PARAMS else details)[name] = value
        return self._equal_work(record, told, month), self._details.setdefault(repr(details), details)

    def _equal_work(self, record: Measurement, params: dict[str, Any], month: str | None) -> WorkloadRow:
        told = repr((record.tool, record.tool_version, record.stat, record.origin, params, month))
        did = self._told.get(told)
        if did is None:
            did = make_workload_row(record.tool, record.tool_version, record.stat, record.origin, params, month)
            did = self._told[told] = self.works.setdefault(did.digest, did)
        return did


def unique_paths(paths: Iterable[str]) -> dict[str, str]:
    """Path -> path as it can be stored, still distinct after what the database cannot keep was replaced."""
    taken: set[str] = set()
    stored: dict[str, str] = {}
    for path in paths:
        name, again = clean(path), 2
        while name in taken:
            name, again = f"{clean(path)} ({again})", again + 1
        taken.add(name)
        stored[path] = name
    return stored
