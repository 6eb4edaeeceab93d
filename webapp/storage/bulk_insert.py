"""The bulk rows of an archive: files, runs, measurements, warnings and evidence, by COPY."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from webapp.storage import derived_facts, profile
from webapp.storage.batch import Batch, unique_paths
from webapp.storage.deduplication import GREATEST, LEAST, FileKey
from webapp.storage.dimensions import DimensionIds
from webapp.storage.pg_copy import cell, copy_lines, find_special, reserve_ids, to_json
from webapp.storage.spill import FileBatch, RunBatch
from webapp.storage.summary_writer import Aggregate, SummaryKey, fold

_MEASUREMENT = (
    "id",
    "run_id",
    "workload_id",
    "metric_id",
    "value",
    "repetition",
    "counted",
    "line",
    "raw",
    "raw_unit",
    "native",
    "duplicate_of",
    "details",
)
_RUN = (
    "id",
    "archive_id",
    "file_id",
    "configuration_id",
    "tool",
    "tool_version",
    "first_line",
    "started_at",
    "source_note",
    "details",
    "provenance_id",
    "config_exact",
    "derived",
    "first_measurement",
    "measurements",
)
_SHARE = ("archive_id", "configuration_id", "runs", "measurements", "first_run", "placed", "tools", "origins")
_PROVENANCE = ("id", "archive_id", "told")
_FILE = (
    "id",
    "archive_id",
    "path",
    "sha256",
    "size",
    "format",
    "parser",
    "parser_version",
    "status",
    "first_measurement",
    "measurements",
    "warnings",
    "config_digest",
)
_NONE = "\\N"
_NOTE = ("archive_id", "file_id", "path", "line", "code", "message")
_EVIDENCE = ("archive_id", "path", "line", "key", "value", "raw", "kind", "scope")


@dataclass(slots=True)
class InsertedRows:
    """What went in: ids `first` to `end - 1` of measurements, and the values that count with their ids by summary key."""

    first: int
    end: int
    file_keys: set[FileKey] = field(default_factory=set)
    # Values and their ids, 8 bytes each, where pairs would take seven times as much.
    counted: dict[SummaryKey, tuple[array, array]] = field(default_factory=lambda: defaultdict(lambda: (array("d"), array("q"))))

    def fold(self, without: Sequence[tuple[int, int]] = ()) -> dict[SummaryKey, Aggregate]:
        """The archive's own summary, leaving out ranges of ids (first, beyond)."""
        folds = {}
        for key, (counted, places) in self.counted.items():
            values, ids = counted.tolist(), places.tolist()
            if without:
                left = [(value, at) for value, at in zip(values, ids, strict=True) if not any(a <= at < b for a, b in without)]
                values, ids = [value for value, _ in left], [at for _, at in left]
            if ids:
                folds[key] = fold(values, ids)
        return folds


class _Names(dict):
    """Metric, unit and native name, of which there are few -> the id of the metric, its cell, and the cells of the others."""

    def __init__(self, metrics: dict[str, int]) -> None:
        self._metrics = metrics

    def __missing__(self, key: tuple[str, str, str]) -> tuple[int, str, str]:
        metric, unit, native = key
        pk = self._metrics[metric]
        made = self[key] = pk, f"{pk}\t", f"{cell(unit)}\t{cell(native)}"
        return made


def insert(archive_id: int, batch: Batch, known: DimensionIds) -> InsertedRows:
    """COPY every row of the batch; ids rise in the order of the records. Other archives are not looked at here."""
    files = list(batch.files.values())
    first_file, first_told, first_run, first = reserve_ids(
        webapp_file=len(files),
        webapp_provenance=len(batch.provenances),
        webapp_run=sum(file.run_count for file in files),
        webapp_measurement=batch.measurements,
    )
    rows = InsertedRows(first, first + batch.measurements)
    paths = unique_paths(batch.files)
    copy_lines("webapp_file", _FILE, _file_lines(archive_id, files, first_file, rows, paths))
    ids = {file.path: first_file + at for at, file in enumerate(files)}
    told = {text: first_told + at for at, text in enumerate(batch.provenances)}
    copy_lines("webapp_provenance", _PROVENANCE, (f"{at}\t{archive_id}\t{cell(text)}" for text, at in told.items()))
    tally = profile.ProfileCounter()
    copy_lines("webapp_run", _RUN, _run_lines(archive_id, files, ids, told, first_run, first, known, tally))
    copy_lines("webapp_archiveconfiguration", _SHARE, tally.lines(archive_id))
    copy_lines("webapp_profile", ("archive_id", "told"), [tally.line(archive_id, batch)])
    copy_lines("webapp_measurement", _MEASUREMENT, _measurement_lines(files, first_run, rows, known))
    copy_lines("webapp_note", _NOTE, _note_lines(archive_id, batch, ids, paths))
    copy_lines("webapp_evidencerow", _EVIDENCE, _evidence_lines(archive_id, batch, paths))
    return rows


def _evidence_lines(archive_id: int, batch: Batch, paths: dict[str, str]) -> Iterator[str]:
    for e in batch.evidence:
        value = e.value if isinstance(e.value, str) else to_json(e.value)
        line = e.line if type(e.line) is int else cell(str(e.line))
        yield (
            f"{archive_id}\t{cell(paths.get(e.file, e.file))}\t{line}\t{cell(e.key)}\t{cell(value)}\t{cell(e.raw)}"
            f"\t{e.kind}\t{e.scope}"
        )


def _file_lines(archive_id: int, files: list[FileBatch], at: int, rows: InsertedRows, paths: dict[str, str]) -> Iterator[str]:
    first = rows.first
    for file_id, file in enumerate(files, at):
        report, count = file.report, file.count
        if report is None:
            told = "\t0\t\t\t\\N\tparsed"
        else:
            if count:
                rows.file_keys.add((report.sha256, file.config_digest))
            version = "\\N" if report.parser_version is None else report.parser_version
            told = (
                f"{report.sha256}\t{report.size}\t{cell(report.format or '')}\t{cell(report.parser or '')}\t{version}"
                f"\t{report.status}"
            )
        yield (
            f"{file_id}\t{archive_id}\t{cell(paths[file.path])}\t{told}\t{first}\t{count}\t{len(file.notes)}\t{file.config_digest}"
        )
        first += count


def _run_lines(
    archive_id: int,
    files: list[FileBatch],
    ids: dict[str, int],
    told: dict[str, int],
    run_id: int,
    first: int,
    known: DimensionIds,
    tally: profile.ProfileCounter,
) -> Iterator[str]:
    facts, shown, exact = derived_facts.FactDeriver(), _ParameterCells(), _ParameterCells()
    for file in files:
        for run in file.each_run():
            head, count, configuration = run.head, run.count, known.configurations[run.place.digest]
            details = run.parts[0][1]
            tally.add(configuration, run_id, run, count)
            line = head.line if type(head.line) is int else cell(str(head.line))
            yield (
                f"{run_id}\t{archive_id}\t{ids[file.path]}\t{configuration}\t{cell(head.tool)}"
                f"\t{cell(_version(run))}\t{line}\t{cell(head.started_at)}\t{cell(head.source_note)}"
                f"\t{shown.of(details) if run.shared is details else cell(to_json(run.shared))}"
                f"\t{told[run.provenance]}\t{exact.of(run.place.exact)}"
                f"\t{cell(facts.as_json(run))}\t{first}\t{count}"
            )
            run_id, first = run_id + 1, first + count


class _ParameterCells:
    """Shown parameters, or what a configuration's row does not hold, as cells, by identity: a `Batch` has one object of equal
    ones, and holds it."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, details: Mapping[str, Any]) -> str:
        known = self._known.get(id(details))
        if known is None:
            known = self._known[id(details)] = cell(to_json(details))
        return known


def _version(run: RunBatch) -> str | None:
    # Values of one workload have one version.
    versions = [values[0].tool_version for _, _, values in run.parts]
    return versions[0] if versions[0] is not None else next((version for version in versions if version is not None), None)


def _measurement_lines(files: list[FileBatch], run_id: int, rows: InsertedRows, known: DimensionIds) -> Iterator[str]:
    at, names, counted = rows.first, _Names(known.metrics), rows.counted
    for file in files:
        for run in file.each_run():
            configuration, shared = known.configurations[run.place.digest], run.shared
            odd = find_special("".join([m.raw for _, _, values in run.parts for m in values]))
            for did, details, values in run.parts:
                # What values of one workload have alike is worked out once for them.
                work, arrays = known.workloads[did.digest], dict[int, tuple]()
                before, after = f"\t{run_id}\t{work}\t", f"\t\\N\t{_own(details, shared)}"
                for m in values:
                    metric, number, told = names[m.metric, m.raw_unit, m.native]
                    value, twin = float(m.value), m.duplicate_of
                    line, raw = m.line if isinstance(m.line, int) else cell(m.line), cell(m.raw) if odd else m.raw
                    if twin is None and (LEAST <= value <= GREATEST or value == 0 or LEAST <= -value <= GREATEST):
                        adds = arrays.get(metric)
                        if adds is None:
                            both = counted[metric, configuration, work]
                            adds = arrays[metric] = both[0].append, both[1].append
                        adds[0](value)
                        adds[1](at)
                        yield f"{at}{before}{number}{value!r}\t{m.repetition}\tt\t{line}\t{raw}\t{told}{after}"
                    else:
                        again = after if twin is None else f"\t{cell(twin)}\t{_own(details, shared)}"
                        yield f"{at}{before}{number}{value!r}\t{m.repetition}\tf\t{line}\t{raw}\t{told}{again}"
                    at += 1
            run_id += 1


def _own(details: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """The cell of the shown parameters of a value that its run does not have alike."""
    if len(details) == len(shared):
        return "\\N"
    return cell(to_json({name: one for name, one in details.items() if name not in shared}))


def _note_lines(archive_id: int, batch: Batch, ids: dict[str, int], paths: dict[str, str]) -> Iterator[str]:
    for file in [*batch.files.values(), None]:
        for note in batch.loose if file is None else file.notes:
            line = note.line if type(note.line) is int else cell(str(note.line or ""))
            yield (
                f"{archive_id}\t{ids.get(note.file, _NONE)}\t{cell(paths.get(note.file, note.file or ''))}\t{line}"
                f"\t{cell(note.code)}\t{cell(note.message)}"
            )


def id_range(archive_id: int) -> tuple[int, int]:
    """First id of the archive's measurements and the one after the last; nobody else's stand between."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(first_measurement), max(first_measurement + measurements) FROM webapp_file"
            " WHERE archive_id = %s AND measurements > 0",
            [archive_id],
        )
        first, end = cursor.fetchone()
    return (first, end) if first is not None else (0, 0)


def find_summary_keys(first: int, end: int) -> set[SummaryKey]:
    """The summary keys of the measurements of these ids, whether they count or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT m.metric_id, r.configuration_id, m.workload_id FROM webapp_measurement m"
            " JOIN webapp_run r ON r.id = m.run_id WHERE m.id >= %s AND m.id < %s",
            [first, end],
        )
        return set(cursor.fetchall())


def delete_rows(archive_id: int) -> None:
    """Delete every bulk row of the archive. Links of other archives' files to these are set anew by the caller."""
    first, end = id_range(archive_id)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_measurement WHERE id >= %s AND id < %s", [first, end])
        for table in (
            "webapp_run",
            "webapp_provenance",
            "webapp_note",
            "webapp_evidencerow",
            "webapp_file",
            "webapp_archiveconfiguration",
            "webapp_profile",
        ):
            cursor.execute(f"DELETE FROM {table} WHERE archive_id = %s", [archive_id])
