"""The bulk rows of an archive: files, sessions, runs, measurements, unmeasured values, warnings and evidence, by COPY."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from ingest.keys import RANK
from webapp.storage import archive_rows, derived_facts
from webapp.storage.archive_rows import FileIds, InsertedRows
from webapp.storage.batch import Batch, unique_paths
from webapp.storage.configuration_rows import DimensionIds
from webapp.storage.deduplication import MAX_COUNTED, MIN_COUNTED
from webapp.storage.machines import ArchiveMachines
from webapp.storage.pg_copy import RankValue, cell, copy_lines, find_special, pack, replace_unstorable, reserve_ids, to_json
from webapp.storage.series import CONFIGURATION_COLUMNS, SERIES_COLUMNS
from webapp.storage.sessions import find_sessions
from webapp.storage.spill import FileBatch, RunBatch

_MEASUREMENT = (
    "id", "run_id", "workload_id", "metric_id", "value", "repetition", "counted", "line", "raw", "raw_unit", "native",
    "duplicate_of", "details",
)  # fmt: skip
_UNMEASURED = (
    "id", "archive_id", "file_id", "run_id", "workload_id", "metric_id", "reason", "bound", "side", "repetition", "line", "raw",
    "native", "duplicate_of", "details",
)  # fmt: skip
_RUN = (
    "id", "archive_id", "file_id", "configuration_id", "tool", "tool_version", "first_line", "started_at", "source_note",
    "details", "provenance_id", "config_exact", "derived", "state", "first_measurement", "measurements", "rank_values",
    "session_id",
)  # fmt: skip
_SESSION = ("id", "archive_id", "machine_id", "number", "started", "ended", "separated_by")
_ARCHIVE_CONFIGURATION = ("archive_id", "configuration_id", "runs", "measurements", "first_run", "placed", "tools", "origins")
_PROVENANCE = ("id", "archive_id", "told", "others", "implied")
_FILE = (
    "id", "archive_id", "path", "sha256", "size", "format", "parser", "parser_version", "status", "first_measurement",
    "measurements", "rank_values", "warnings", "config_digest",
)  # fmt: skip
_COMPRESSED = ("archive_id", "run_id", "metric_id", "native", "raw_unit", "count", "low", "median", "high", "data")
_NULL = "\\N"
_NOTE = ("archive_id", "file_id", "path", "line", "code", "message")
_EVIDENCE = ("archive_id", "path", "line", "key", "value", "raw", "kind", "scope")


def insert(
    archive_id: int, batch: Batch, ids: DimensionIds, machines: ArchiveMachines, previous: Sequence[FileIds] = ()
) -> InsertedRows:
    """COPY every row of the batch; ids rise in the order of the records. Other archives are neither read nor changed.

    `machines`: on which its runs were made; `ids` has their configurations there. `previous`: the files of the rows that were
    deleted before. Where the same files have as many measurements again, these keep their ids, so that an archive read again
    has the same summary.
    """
    return _Insertion(archive_id, batch, ids, machines, previous).run()


class _MetricCells(dict):
    """Metric, unit and native name -> id of the metric, its cell, and the cells of unit and native name."""

    def __init__(self, metrics: dict[str, int]) -> None:
        self._metrics = metrics

    def __missing__(self, key: tuple[str, str, str]) -> tuple[int, str, str]:
        metric, unit, native = key
        pk = self._metrics[metric]
        cells = self[key] = pk, f"{pk}\t", f"{cell(unit)}\t{cell(native)}"
        return cells


class _ParameterCells:
    """Descriptive parameters, or the exact values of a configuration, as cells, cached by identity: a `Batch` keeps equal ones
    as one object."""

    def __init__(self) -> None:
        self._cells: dict[int, str] = {}

    def get(self, details: Mapping[str, Any]) -> str:
        text = self._cells.get(id(details))
        if text is None:
            text = self._cells[id(details)] = cell(to_json(details))
        return text


class _Insertion:
    """The rows of one archive as lines for COPY, table by table."""

    def __init__(
        self, archive_id: int, batch: Batch, ids: DimensionIds, machines: ArchiveMachines, previous: Sequence[FileIds]
    ) -> None:
        self._archive_id, self._batch, self._ids, self._machines = archive_id, batch, ids, machines
        self._files = list(batch.files.values())
        self._paths = unique_paths(batch.files)
        counts = [(self._paths[file.path], file.count) for file in self._files if file.count]
        is_alike = bool(counts) and counts == [(file.path, file.measurements) for file in previous]
        self._sessions = find_sessions(self._files, machines)
        first_file, first_provenance, self._first_run, first, self._first_unmeasured, first_session, self._first_series = (
            reserve_ids(
                webapp_file=len(self._files),
                webapp_provenance=len(batch.provenances),
                webapp_run=sum(file.run_count for file in self._files),
                webapp_measurement=0 if is_alike else batch.measurements,
                webapp_unmeasuredvalue=batch.unmeasured_rows,
                webapp_session=len(self._sessions.rows),
                webapp_seriesconfiguration=len(batch.series.configurations),
            )
        )
        if is_alike:
            first = previous[0].first
        self._session_ids = {(row.machine, row.number): pk for pk, row in enumerate(self._sessions.rows, first_session)}
        self._configurations = array("q")  # of the runs, in the order of their ids
        self._rows = InsertedRows(first, first + batch.measurements)
        self._file_ids = {file.path: pk for pk, file in enumerate(self._files, first_file)}
        self._provenance_ids = {text: pk for pk, text in enumerate(batch.provenances, first_provenance)}
        self._counter = archive_rows.ProfileCounter()

    def run(self) -> InsertedRows:
        """COPY table after table."""
        copy_lines("webapp_file", _FILE, self._file_lines())
        copy_lines("webapp_provenance", _PROVENANCE, self._provenance_lines())
        copy_lines("webapp_session", _SESSION, self._session_lines())
        copy_lines("webapp_run", _RUN, self._run_lines())
        copy_lines("webapp_archiveconfiguration", _ARCHIVE_CONFIGURATION, self._counter.configuration_lines(self._archive_id))
        copy_lines("webapp_profile", ("archive_id", "told"), [self._counter.profile_line(self._archive_id, self._batch)])
        copy_lines("webapp_measurement", _MEASUREMENT, self._measurement_lines())
        if self._batch.rank_values:
            copy_lines("webapp_compressedvalues", _COMPRESSED, self._rank_lines())
        if self._batch.unmeasured_rows:
            copy_lines("webapp_unmeasuredvalue", _UNMEASURED, self._unmeasured_lines())
        if self._batch.series:
            series, first = self._batch.series, self._first_series
            copy_lines("webapp_seriesconfiguration", CONFIGURATION_COLUMNS, series.configuration_lines(self._archive_id, first))
            copy_lines("webapp_timeseries", SERIES_COLUMNS, series.lines(self._archive_id, self._file_ids, first))
        copy_lines("webapp_note", _NOTE, self._warning_lines())
        copy_lines("webapp_evidencerow", _EVIDENCE, self._evidence_lines())
        return self._rows

    def _file_lines(self) -> Iterator[str]:
        first = self._rows.first
        for file in self._files:
            report, count = file.report, file.count
            if report is None:
                report_cells = "\t0\t\t\t\\N\tparsed"
            else:
                if count:
                    self._rows.file_keys.add((report.sha256, file.config_digest))
                version = "\\N" if report.parser_version is None else report.parser_version
                report_cells = (
                    f"{report.sha256}\t{report.size}\t{cell(report.format or '')}\t{cell(report.parser or '')}\t{version}"
                    f"\t{report.status}"
                )
            yield (
                f"{self._file_ids[file.path]}\t{self._archive_id}\t{cell(self._paths[file.path])}\t{report_cells}"
                f"\t{first}\t{count}\t{file.rank_count}\t{len(file.warnings)}\t{file.config_digest}"
            )
            first += count

    def _provenance_lines(self) -> Iterator[str]:
        for text, pk in self._provenance_ids.items():
            yield f"{pk}\t{self._archive_id}\t" + "\t".join(cell(to_json(column)) for column in json.loads(text))

    def _session_lines(self) -> Iterator[str]:
        for row in self._sessions.rows:
            started, ended = (cell(time.isoformat() if time else None) for time in (row.started, row.ended))
            yield (
                f"{self._session_ids[row.machine, row.number]}\t{self._archive_id}\t{self._ids.machines[row.machine]}\t{row.number}"
                f"\t{started}\t{ended}\t{row.separated_by}"
            )

    def _places(self, file: FileBatch) -> Iterator[tuple[int, int]]:
        """(configuration, session) of each run of a file."""
        numbers, known = self._sessions.numbers.get(file.path), dict[tuple[str, bool], tuple[int, int, str]]()
        for digest, stated in set(file.placed):
            machine = self._machines.find(digest, file.path).digest
            known[digest, stated] = self._ids.configurations[digest, machine, stated], self._session_ids[machine, 1], machine
        for position, pair in enumerate(file.placed):
            configuration, session, machine = known[pair]
            if numbers is not None and position in numbers:
                session = self._session_ids[machine, numbers[position]]
            yield configuration, session

    def _run_lines(self) -> Iterator[str]:
        """Also counts the runs for the archive's profile, and keeps their configurations."""
        run_id, first = self._first_run, self._rows.first
        facts, detail_cells, exact_cells = derived_facts.FactDeriver(), _ParameterCells(), _ParameterCells()
        for file in self._files:
            for run, (configuration, session) in zip(file.iterate_runs(), self._places(file), strict=True):
                self._configurations.append(configuration)
                head, count = run.head, run.count
                details, ranks = run.parts[0][1] if run.parts else run.shared, run.rank_count
                state = run.configuration.state
                self._counter.add(configuration, run_id, run, count - ranks)
                line = head.line if type(head.line) is int else cell(str(head.line))
                yield (
                    f"{run_id}\t{self._archive_id}\t{self._file_ids[file.path]}\t{configuration}\t{cell(head.tool)}"
                    f"\t{cell(_version(run))}\t{line}\t{cell(head.started_at)}\t{cell(head.source_note)}"
                    f"\t{detail_cells.get(details) if run.shared is details else cell(to_json(run.shared))}"
                    f"\t{self._provenance_ids[run.provenance]}\t{exact_cells.get(run.configuration.exact)}"
                    f"\t{cell(facts.as_json(run))}\t{exact_cells.get(state) if state else _NULL}"
                    f"\t{first}\t{count}\t{ranks}\t{session}"
                )
                run_id, first = run_id + 1, first + count

    def _measurement_lines(self) -> Iterator[str]:
        """Also collects the values that count."""
        pk, run_id, names, counted = self._rows.first, self._first_run, _MetricCells(self._ids.metrics), self._rows.counted
        for file in self._files:
            for run in file.iterate_runs():
                configuration, shared = self._configurations[run_id - self._first_run], run.shared
                must_escape = find_special("".join([m.raw for _, _, values in run.parts for m in values]))
                for workload_row, details, values in run.parts:
                    if RANK in details:
                        pk += len(values)
                        continue
                    # Cells that values of one workload have in common are made once for them.
                    workload, arrays = self._ids.workloads[workload_row.digest], dict[int, tuple]()
                    before, after = f"\t{run_id}\t{workload}\t", f"\t\\N\t{_own_details(details, shared)}"
                    for m in values:
                        metric, metric_cell, name_cells = names[m.metric, m.raw_unit, m.native]
                        value, duplicate_of = float(m.value), m.duplicate_of
                        line, raw = m.line if isinstance(m.line, int) else cell(m.line), cell(m.raw) if must_escape else m.raw
                        if duplicate_of is None and (
                            MIN_COUNTED <= value <= MAX_COUNTED or value == 0 or MIN_COUNTED <= -value <= MAX_COUNTED
                        ):
                            appends = arrays.get(metric)
                            if appends is None:
                                value_array, id_array = counted[metric, configuration, workload]
                                appends = arrays[metric] = value_array.append, id_array.append
                            appends[0](value)
                            appends[1](pk)
                            yield f"{pk}{before}{metric_cell}{value!r}\t{m.repetition}\tt\t{line}\t{raw}\t{name_cells}{after}"
                        else:
                            end = after if duplicate_of is None else f"\t{cell(duplicate_of)}\t{_own_details(details, shared)}"
                            yield f"{pk}{before}{metric_cell}{value!r}\t{m.repetition}\tf\t{line}\t{raw}\t{name_cells}{end}"
                        pk += 1
                run_id += 1

    def _rank_lines(self) -> Iterator[str]:
        """The values of single ranks, which have no line of their own among the measurements."""
        run_id, names = self._first_run, _MetricCells(self._ids.metrics)
        for file in self._files:
            if not file.rank_count:
                run_id += file.run_count
                continue
            for run in file.iterate_runs():
                for (metric, raw_unit, native), values in self._gather_ranks(run).items():
                    _, metric_cell, _ = names[metric, raw_unit, native]
                    ordered = sorted([one.value for one in values])
                    yield (
                        f"{self._archive_id}\t{run_id}\t{metric_cell}{cell(native)}\t{cell(raw_unit)}\t{len(values)}"
                        f"\t{ordered[0]!r}\t{median(ordered)!r}\t{ordered[-1]!r}\t\\\\x{pack(values).hex()}"
                    )
                run_id += 1

    def _gather_ranks(self, run: RunBatch) -> dict[tuple[str, str, str], list[RankValue]]:
        """The values of single ranks by metric, unit and native name."""
        gathered: dict[tuple[str, str, str], list[RankValue]] = defaultdict(list)
        offset = 0
        for workload_row, details, values in run.parts:
            if RANK in details:
                workload = self._ids.workloads[workload_row.digest]
                own = {name: value for name, value in details.items() if name not in run.shared}
                own_text = to_json(own) if own else None
                for at, m in enumerate(values, offset):
                    part, original = m.params.get("part"), m.duplicate_of
                    gathered[m.metric, m.raw_unit, m.native].append(
                        RankValue(
                            offset=at,
                            workload=workload,
                            line=replace_unstorable(str(m.line)),
                            value=float(m.value),
                            raw=replace_unstorable(m.raw),
                            repetition=m.repetition,
                            duplicate_of=original and replace_unstorable(original),
                            part=part and replace_unstorable(str(part)),
                            details=own_text,
                        )
                    )
            offset += len(values)
        return gathered

    def _unmeasured_lines(self) -> Iterator[str]:
        pk, run_id = self._first_unmeasured, self._first_run
        for file in self._files:
            for run in file.iterate_runs():
                for workload_row, details, m in run.unmeasured:
                    line = m.line if isinstance(m.line, int) else cell(m.line)
                    yield (
                        f"{pk}\t{self._archive_id}\t{self._file_ids[file.path]}\t{run_id}"
                        f"\t{self._ids.workloads[workload_row.digest]}\t{self._ids.metrics[m.metric]}\t{m.reason}"
                        f"\t{_NULL if m.bound is None else repr(m.bound)}\t{cell(m.side)}\t{m.repetition}\t{line}\t{cell(m.raw)}"
                        f"\t{cell(m.native)}\t{cell(m.duplicate_of)}\t{_own_details(details, run.shared)}"
                    )
                    pk += 1
                run_id += 1

    def _warning_lines(self) -> Iterator[str]:
        for warnings in [*(file.warnings for file in self._files), self._batch.archive_warnings]:
            for warning in warnings:
                line = warning.line if type(warning.line) is int else cell(str(warning.line or ""))
                yield (
                    f"{self._archive_id}\t{self._file_ids.get(warning.file, _NULL)}"
                    f"\t{cell(self._paths.get(warning.file, warning.file or ''))}\t{line}"
                    f"\t{cell(warning.code)}\t{cell(warning.message)}"
                )

    def _evidence_lines(self) -> Iterator[str]:
        for e in self._batch.evidence:
            value = e.value if isinstance(e.value, str) else to_json(e.value)
            line = e.line if type(e.line) is int else cell(str(e.line))
            yield (
                f"{self._archive_id}\t{cell(self._paths.get(e.file, e.file))}\t{line}\t{cell(e.key)}\t{cell(value)}"
                f"\t{cell(e.raw)}\t{e.kind}\t{e.scope}"
            )


def _version(run: RunBatch) -> str | None:
    # Values of one workload have one version.
    versions = [values[0].tool_version for _, _, values in run.parts] or [run.head.tool_version]
    return versions[0] if versions[0] is not None else next((version for version in versions if version is not None), None)


def _own_details(details: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """The cell of a value's descriptive parameters that are not those of its whole run."""
    if len(details) == len(shared):
        return "\\N"
    return cell(to_json({name: value for name, value in details.items() if name not in shared}))
