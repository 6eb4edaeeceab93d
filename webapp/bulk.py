"""The bulk rows of an archive: files, runs, measurements, warnings and evidence, by COPY."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import connection

from ingest.records import Measurement, Warning
from webapp import deriving
from webapp.batch import Batch, FileBatch, RunBatch, unique_paths
from webapp.copying import cell, copy_lines, reserve_ids, to_json
from webapp.counting import FileKey
from webapp.dimensions import Known
from webapp.summaries import Fold, Key, fold

_MEASUREMENT = ("id", "run_id", "workload_id", "metric_id", "value", "repetition", "counted", "line", "raw", "raw_unit",
                "native", "duplicate_of", "details")
_RUN = ("id", "archive_id", "file_id", "configuration_id", "tool", "tool_version", "first_line", "started_at",
        "source_note", "details", "config_from", "config_exact", "derived", "first_measurement",
        "measurements")
_FILE = ("id", "archive_id", "path", "sha256", "size", "format", "parser", "parser_version", "status",
         "first_measurement", "measurements", "warnings", "config_digest")
_NOTE = ("archive_id", "file_id", "path", "line", "code", "message")
_EVIDENCE = ("archive_id", "path", "line", "key", "value", "raw", "kind", "scope")


@dataclass(slots=True)
class Rows:
    """What went in: ids `first` to `end - 1` of measurements, and the counted values of each file by summary key."""

    first: int
    end: int
    file_keys: set[FileKey] = field(default_factory=set)
    counted: dict[int, dict[Key, tuple[list[float], list[int]]]] = field(default_factory=dict)

    def fold(self, without: set[int]) -> dict[Key, Fold]:
        """The archive's own summary, leaving out whole files by id."""
        together: dict[Key, tuple[list[float], list[int]]] = {}
        for file_id, groups in self.counted.items():
            if file_id in without:
                continue
            for key, (values, ids) in groups.items():
                had = together.get(key)
                if had is None:
                    together[key] = (values, ids)
                else:
                    together[key] = (had[0] + values, had[1] + ids)
        return {key: fold(values, ids) for key, (values, ids) in together.items()}


def insert(archive_id: int, batch: Batch, known: Known) -> Rows:
    """COPY every row of the batch; ids rise in the order of the records. Other archives are not looked at here."""
    files = list(batch.files.values())
    first_file = reserve_ids("webapp_file", len(files)) if files else 0
    first_run = reserve_ids("webapp_run", sum(len(file.runs) for file in files) or 1)
    first = reserve_ids("webapp_measurement", batch.measurements or 1)
    rows = Rows(first, first + batch.measurements)
    paths = unique_paths(batch.files)
    copy_lines("webapp_file", _FILE, _file_lines(archive_id, files, first_file, rows, paths))
    ids = {file.path: first_file + at for at, file in enumerate(files)}
    copy_lines("webapp_run", _RUN, _run_lines(archive_id, files, ids, first_run, first, known))
    copy_lines("webapp_measurement", _MEASUREMENT, _measurement_lines(files, ids, first_run, rows, known))
    copy_lines("webapp_note", _NOTE, _note_lines(archive_id, batch, ids, paths))
    copy_lines("webapp_evidencerow", _EVIDENCE, (
        _join(archive_id, cell(paths.get(e.file, e.file)), e.line, cell(e.key), cell(_text(e.value)), cell(e.raw),
              cell(e.kind), cell(e.scope)) for e in batch.evidence))
    return rows


def _text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)


def _join(*cells: object) -> str:
    return "\t".join(map(str, cells))


def _file_lines(archive_id: int, files: list[FileBatch], at: int, rows: Rows, paths: dict[str, str]) -> Iterator[str]:
    first = rows.first
    for file_id, file in enumerate(files, at):
        report, count = file.report, file.count
        if count and report is not None:
            rows.file_keys.add((report.sha256, file.config_digest))
        yield _join(
            file_id, archive_id, cell(paths[file.path]), report.sha256 if report else "", report.size if report else 0,
            cell(report.format or "") if report else "", cell(report.parser or "") if report else "",
            report.parser_version if report and report.parser_version is not None else "\\N",
            report.status if report else "parsed", first, count, len(file.notes), file.config_digest)
        first += count


def _run_lines(archive_id: int, files: list[FileBatch], ids: dict[str, int], run_id: int, first: int,
               known: Known) -> Iterator[str]:
    for file in files:
        for run in file.runs.values():
            head = run.values[0][0]
            yield _join(
                run_id, archive_id, ids[file.path], known.configurations[run.place.digest], cell(head.tool),
                cell(_version(run)), cell(str(head.line)), cell(head.started_at), cell(head.source_note),
                cell(to_json(run.shared_details())), cell(run.config_from), cell(to_json(run.place.exact)),
                cell(to_json(deriving.of_run(run))), first,
                len(run.values))
            run_id += 1
            first += len(run.values)


def _version(run: RunBatch) -> str | None:
    return next((m.tool_version for m, _, _ in run.values if m.tool_version is not None), None)


def _measurement_lines(files: list[FileBatch], ids: dict[str, int], run_id: int, rows: Rows,
                       known: Known) -> Iterator[str]:
    at = rows.first
    for file in files:
        groups = rows.counted.setdefault(ids[file.path], {})
        for run in file.runs.values():
            shared, configuration = run.shared_details(), known.configurations[run.place.digest]
            for m, did, details in run.values:
                key = (known.metrics[m.metric], configuration, known.workloads[did.digest])
                counted = m.duplicate_of is None and m.value - m.value == 0
                if counted:
                    group = groups.get(key)
                    if group is None:
                        groups[key] = ([float(m.value)], [at])
                    else:
                        group[0].append(float(m.value))
                        group[1].append(at)
                own = "\\N" if len(details) == len(shared) else cell(
                    to_json({name: value for name, value in details.items() if name not in shared}))
                yield _measurement_line(at, run_id, key, m, counted, own)
                at += 1
            run_id += 1


def _measurement_line(at: int, run_id: int, key: Key, m: Measurement, counted: bool, own: str) -> str:
    return (f"{at}\t{run_id}\t{key[2]}\t{key[0]}\t{float(m.value)!r}\t{m.repetition}\t{'t' if counted else 'f'}\t"
            f"{cell(str(m.line))}\t{cell(m.raw)}\t{cell(m.raw_unit)}\t{cell(m.native)}\t{cell(m.duplicate_of)}\t{own}")


def _note_lines(archive_id: int, batch: Batch, ids: dict[str, int], paths: dict[str, str]) -> Iterator[str]:
    notes: list[Warning] = [note for file in batch.files.values() for note in file.notes] + batch.loose
    for note in notes:
        line = "" if note.line is None else str(note.line)
        yield _join(archive_id, ids.get(note.file, "\\N"), cell(paths.get(note.file, note.file or "")), cell(line),
                    cell(note.code), cell(note.message))


def id_range(archive_id: int) -> tuple[int, int]:
    """First id of the archive's measurements and the one after the last; nobody else's stand between."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(first_measurement), max(first_measurement + measurements) FROM webapp_file"
                       " WHERE archive_id = %s AND measurements > 0", [archive_id])
        first, end = cursor.fetchone()
    return (first, end) if first is not None else (0, 0)


def keys_between(first: int, end: int) -> set[Key]:
    """The summary keys of the measurements of these ids, whether they count or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT m.metric_id, r.configuration_id, m.workload_id FROM webapp_measurement m"
            " JOIN webapp_run r ON r.id = m.run_id WHERE m.id >= %s AND m.id < %s", [first, end])
        return set(cursor.fetchall())


def delete(archive_id: int) -> None:
    """Delete every bulk row of the archive. Links of other archives' files to these are set anew by the caller."""
    first, end = id_range(archive_id)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_measurement WHERE id >= %s AND id < %s", [first, end])
        for table in ("webapp_run", "webapp_note", "webapp_evidencerow", "webapp_file"):
            cursor.execute(f"DELETE FROM {table} WHERE archive_id = %s", [archive_id])


