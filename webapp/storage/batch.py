"""The records of one archive, gathered by file and run, before any of it becomes a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ingest import host_names
from ingest.keys import RANK, WHOLE_PART, is_identity, needed_params
from ingest.records import Evidence, FileReport, Measurement, Record, SeriesRecord, Unmeasured, Warning, is_stated
from webapp.formatting.printed_times import month_of
from webapp.storage import sessions
from webapp.storage.configuration_rows import ConfigurationRow, WorkloadRow, find_apart, make_configuration_row, make_workload_row
from webapp.storage.pg_copy import replace_unstorable, to_json
from webapp.storage.series import SeriesBatch
from webapp.storage.spill import FileBatch, RunBatch, RunSpill, run_key

MAX_RELOADS = 3  # of spilled runs of one file; after these its values stay in memory until all are there
MAX_IN_MEMORY = 50_000  # values in memory before any is spilled, some 25 MB
MIN_SPILLED = 10_000  # values of an unfinished file that are spilled together
MAX_TEXTS = 4_000  # cached texts of workloads, and of details; caches with more are cleared when values are spilled


class Batch:
    """Gathers records. Each configuration and parameter dict is processed once: the reader shares equal ones."""

    def __init__(self, archive_id: int) -> None:
        self.archive_id = archive_id
        """Part of the workloads of which a needed size is unknown."""
        self.files: dict[str, FileBatch] = {}
        self.archive_warnings: list[Warning] = []
        """Warnings that belong to no file."""
        self.evidence: list[Evidence] = []
        self.series = SeriesBatch()
        self.configurations: dict[str, ConfigurationRow] = {}
        self.workloads: dict[str, WorkloadRow] = {}
        self.metrics: set[str] = set()
        self.provenances: dict[str, bool] = {}
        """By their text: whether a person stated any key."""
        self.measurements = 0
        """Number of values."""
        self.rank_values = 0
        """Number of those that are of single ranks."""
        self.unmeasured = self.unmeasured_rows = 0
        """Number of values that could not be measured, without those that repeat another record, and with them."""
        self.warnings = 0
        """Number of warnings."""
        self._spill = RunSpill()
        self._gathered = 0  # values so far
        self._file_start = 0  # values gathered when the current file began
        self._spill_start = 0  # values gathered when the current file began, or when runs of it were last spilled
        self._run: RunBatch
        # Caches by identity of the dict; the dict stays referenced, so that no other can get its id.
        self._configurations: dict[tuple[int, frozenset[str], str], tuple[Mapping, ConfigurationRow]] = {}
        self._provenances: dict[tuple[int, int, tuple[str, ...]], tuple[Mapping, Mapping, str]] = {}
        self._workloads: dict[tuple, tuple[Mapping, WorkloadRow, Mapping[str, Any]]] = {}
        self._places: dict[tuple[str, bool], tuple[str, bool]] = {}
        # Caches by the text of equal parameters.
        self._equal_params: dict[tuple, tuple[WorkloadRow, Mapping[str, Any]]] = {}
        self._equal_workloads: dict[str, WorkloadRow] = {}
        self._equal_details: dict[str, Mapping[str, Any]] = {}

    @classmethod
    def from_records(cls, records: Iterable[Record], archive_id: int) -> Batch:
        """Every record of the archive."""
        batch = cls(archive_id)
        batch.gather(records)
        return batch

    @property
    def found(self) -> dict[str, int]:
        """Numbers of different hosts, operating systems and configurations so far, as columns of `Archive`."""
        rows = [row.columns for row in self.configurations.values()]
        hosts = {str(row["host"]) for row in rows if host_names.names_host(row["host"] or "")}  # one spelling of each
        systems = {row["os.name"] or row["os.family"] for row in rows} - {None}
        return {"hosts": len(hosts), "systems": len(systems), "configurations": len(rows)}

    def gather(self, records: Iterable[Record]) -> None:
        """Add every record. Values of one run come together and share their dicts, so that most go where the last one went."""
        last: Measurement | None = None
        add: Callable[[Measurement], None]
        gathered = 0
        for m in records:
            if type(m) is not Measurement:
                self._gathered = gathered
                self._add_other(m)
                last = None  # its run may have been spilled
                continue
            if (
                last is None
                or m.config is not last.config
                or m.config_from is not last.config_from
                or m.params_from is not last.params_from
                or m.run != last.run
                or m.file != last.file
                or m.started_at != last.started_at
                or m.source_note != last.source_note
            ):
                self._gathered = gathered
                self._run = self._find_run(m)
                add = self._run.open_part(*self._find_workload(m)).append
            elif (
                m.params is not last.params
                or m.stat != last.stat
                or m.tool != last.tool
                or m.tool_version != last.tool_version
                or m.origin != last.origin
                or (m.metric != last.metric and needed_params(m.tool, m.metric) != needed_params(last.tool, last.metric))
            ):
                add = self._run.open_part(*self._find_workload(m)).append
            add(m)
            gathered, last = gathered + 1, m
        self._gathered = gathered
        self._finish()

    def _add_other(self, record: Record) -> None:
        if isinstance(record, FileReport):
            file = self._find_file(record.file)
            file.report = record
            self._finish_file(file)
        elif isinstance(record, Unmeasured):
            run, (workload, details) = self._find_run(record), self._find_workload(record)
            run.unmeasured.append((workload, details, record))
            self.unmeasured += record.duplicate_of is None
            self.unmeasured_rows += 1
        elif isinstance(record, Warning):
            self.warnings += 1
            (self._find_file(record.file).warnings if record.file else self.archive_warnings).append(record)
        elif isinstance(record, Evidence):
            self.evidence.append(record)
        elif isinstance(record, SeriesRecord):
            self._find_file(record.file)
            self.series.add(record)

    def _finish_file(self, file: FileBatch) -> None:
        """Spill the file's values beyond `MAX_IN_MEMORY`; as a rule no more of them follow its report."""
        self._file_start = self._spill_start = self._gathered
        if self._gathered > MAX_IN_MEMORY and file.runs:
            self._spill_runs(file, is_complete=True)
        file.spilled_keys = None

    def _spill_runs(self, file: FileBatch, is_complete: bool) -> None:
        self._finish_runs(file)
        if file.spill_runs(self._spill, is_complete):
            self._workloads.clear()  # it references the parameters of every value
            self._equal_params.clear()
            for texts in (self._equal_workloads, self._equal_details):
                if len(texts) > MAX_TEXTS:
                    texts.clear()  # runs keep one object each: workloads in `workloads`, details in the spill

    def _finish(self) -> None:
        """Finish the runs in memory, once every record is added.

        Warnings about what is no file of the archive (a skipped entry) become warnings of the archive.
        """
        for path in [path for path, file in self.files.items() if file.report is None and not file.run_count]:
            self.archive_warnings.extend(self.files.pop(path).warnings)
        self.measurements = self._gathered
        for file in self.files.values():
            self._finish_runs(file)
            self.rank_values += file.rank_count

    def _finish_runs(self, file: FileBatch) -> None:
        for position, run in enumerate(file.runs.values(), sum([part.runs for part in file.spilled])):
            run.find_shared()
            if (time := sessions.find_run_time(run)) is not None:
                file.times[position] = time
            self.metrics.update([m.metric for _, _, values in run.parts for m in values])
            self.metrics.update([missing.metric for _, _, missing in run.unmeasured])

    def _find_file(self, path: str) -> FileBatch:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = FileBatch(path)
        return file

    def _find_run(self, record: Measurement | Unmeasured) -> RunBatch:
        file = self._find_file(record.file)
        configuration = self._find_configuration(record.config, record.chosen, record.origin)
        provenance = self._find_provenance(record, configuration.others)
        key = run_key(record, configuration, provenance)
        if file.may_have_spilled(key):
            file.reload()
        run = file.runs.get(key)
        if run is None:
            self._make_room(file)
            run = file.runs[key] = RunBatch(configuration, provenance)
            file.placed.append(self._place(configuration.digest, self.provenances[provenance]))
        if type(record) is Measurement and (not file.configurations or file.configurations[-1] != configuration.digest):
            file.configurations.append(configuration.digest)
        return run

    def _make_room(self, file: FileBatch) -> None:
        """Before a new run: spill the file's runs where they are too many; as a rule those before are complete."""
        in_memory = self._gathered - self._spill_start
        if file.runs and in_memory >= MIN_SPILLED and self._file_start + in_memory > MAX_IN_MEMORY and file.reloads < MAX_RELOADS:
            self._spill_runs(file, is_complete=False)
            self._spill_start = self._gathered

    def _find_configuration(self, config: Mapping[str, Any], chosen: frozenset[str], origin: str) -> ConfigurationRow:
        cached = self._configurations.get((id(config), chosen, origin))
        if cached is None:
            row = make_configuration_row(config, chosen, origin)
            # Two configurations may share their row and differ in what it does not hold (exact memory, other open keys, state).
            first = self.configurations.setdefault(row.digest, row)
            row = first if (first.exact, first.others, first.state) == (row.exact, row.others, row.state) else row
            cached = self._configurations[id(config), chosen, origin] = (config, row)
        return cached[1]

    def _find_provenance(self, record: Measurement | Unmeasured, others: Mapping[str, Any]) -> str:
        """The row of `Provenance` as JSON: its columns `told`, `others` and `implied`."""
        config_from, params_from = record.config_from, record.params_from
        key = id(config_from), id(params_from) if params_from else 0, record.implied
        cached = self._provenances.get(key)
        if cached is None:
            places = {**config_from, **params_from}
            text = to_json([places, others, list(record.implied)])
            cached = self._provenances[key] = (config_from, params_from, text)
            self.provenances[text] = any(map(is_stated, places.values()))
        return cached[2]

    def _place(self, configuration: str, stated: bool) -> tuple[str, bool]:
        """The pair, the same object each time."""
        pair = configuration, stated
        return self._places.setdefault(pair, pair)

    def _find_workload(self, record: Measurement | Unmeasured) -> tuple[WorkloadRow, Mapping[str, Any]]:
        """The workload of a value and its descriptive parameters; equal ones are one object each."""
        month = month_of(record.started_at)
        # The needed sizes depend on the metric; where some are unknown, so does the workload on the place.
        apart = find_apart(self.archive_id, record)
        key = (id(record.params), record.tool, record.tool_version, record.stat, record.origin, month, apart)
        cached = self._workloads.get(key)
        if cached is None:
            # By repr, since 1, 1.0 and True are equal and not the same parameter.
            text_key = (repr(record.params), *key[1:])
            equal = self._equal_params.get(text_key)
            if equal is None:
                equal = self._equal_params[text_key] = self._split_params(record, month, apart)
            cached = self._workloads[key] = (record.params, *equal)
        return cached[1], cached[2]

    def _split_params(
        self, record: Measurement | Unmeasured, month: str | None, apart: str | None
    ) -> tuple[WorkloadRow, Mapping[str, Any]]:
        """The workload of the registered parameters, and the other parameters. The part of a single rank is in neither: each rank
        would be a workload of its own. A total over jobs is no part of the workload's, but what a run without parts is."""
        registered: dict[str, Any] = {}
        details: dict[str, Any] = {}
        for name, value in record.params.items():
            if name != "part":
                (registered if is_identity(name) else details)[name] = value
            elif RANK not in record.params:
                (details if value == WHOLE_PART else registered)[name] = value
        return self._make_workload(record, registered, month, apart), self._equal_details.setdefault(repr(details), details)

    def _make_workload(
        self, record: Measurement | Unmeasured, params: dict[str, Any], month: str | None, apart: str | None
    ) -> WorkloadRow:
        head = record.tool, record.tool_version, record.stat, record.origin
        text = repr((*head, params, month, apart))
        workload = self._equal_workloads.get(text)
        if workload is None:
            workload = make_workload_row(head, params, month, apart)
            workload = self._equal_workloads[text] = self.workloads.setdefault(workload.digest, workload)
        return workload


def unique_paths(paths: Iterable[str]) -> dict[str, str]:
    """Path -> path as it can be stored, still distinct after what the database cannot keep was replaced."""
    taken: set[str] = set()
    stored: dict[str, str] = {}
    for path in paths:
        name, number = replace_unstorable(path), 2
        while name in taken:
            name, number = f"{replace_unstorable(path)} ({number})", number + 1
        taken.add(name)
        stored[path] = name
    return stored
