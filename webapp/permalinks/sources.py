"""Provenance of frozen values as JSON data: measurement, run, file, archive, configuration, workload and excerpt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO

from django.db.models import F

from webapp.files import swhids
from webapp.formats.citations.licences import licence_spdx
from webapp.models import Archive, Configuration, File, Run, UnmeasuredValue, Workload
from webapp.permalinks import queries
from webapp.permalinks.bundles import excerpts


class SourcesChanged(Exception):
    """An archive was re-ingested or deleted between two queries; a retry reads a consistent state."""


@dataclass(slots=True)
class FrozenSources:
    """Tables by id as text, `measurements` and `unmeasured` (runs without a number) by id as int. `private`: titles of archives
    that are not public."""

    measurements: dict[int, dict[str, Any]]
    unmeasured: dict[int, dict[str, Any]]
    runs: dict[str, dict[str, Any]]
    files: dict[str, dict[str, Any]]
    archives: dict[str, dict[str, Any]]
    configurations: dict[str, dict[str, Any]]
    workloads: dict[str, dict[str, Any]]
    private: list[str]
    last_read: datetime | None
    """When one of the archives was read last."""


_MEASUREMENT_FIELDS = ("run", "workload", "metric", "line", "raw", "raw_unit", "native", "measured", "repetition")


_RUN_COLUMNS = (
    "id", "file_id", "configuration_id", "tool", "tool_version", "session_id", "first_line", "started_at", "source_note", "details",
    "config_exact", "derived",
)  # fmt: skip
_RUN_JOINED = {"machine": F("configuration__machine_id"), "config_from": F("provenance__told")}


_UNMEASURED_FIELDS = ("line", "raw", "native", "reason", "repetition")


def read_sources(ids: Iterable[int], without_number: Collection[int] = ()) -> FrozenSources:
    """The provenance of these measurements and of runs without a number (`MissingRun.id`). Raises SourcesChanged where one is
    missing."""
    failed = {-pk for pk in without_number if pk < 0}
    wanted = list(dict.fromkeys([*ids, *failed]))
    measurements = {row[0]: dict(zip(_MEASUREMENT_FIELDS, row[1:], strict=True)) for row in queries.read_measurements(wanted)}
    rows = UnmeasuredValue.objects.select_related("metric").in_bulk({pk for pk in without_number if pk > 0})
    absent = {pk: _unmeasured(one) for pk, one in rows.items()}
    for pk in failed & measurements.keys():
        fields = ("run", "workload", "metric", "line", "raw", "native", "repetition")
        absent[-pk] = {name: measurements[pk][name] for name in fields} | {"reason": "failed"}
    every = [*measurements.values(), *absent.values()]
    runs = {run["id"]: run for run in Run.objects.filter(pk__in={one["run"] for one in every}).values(*_RUN_COLUMNS, **_RUN_JOINED)}
    files = File.objects.in_bulk({run["file_id"] for run in runs.values()})
    archives = Archive.objects.in_bulk({file.archive_id for file in files.values()})
    if len(measurements) < len(wanted) or len(absent) < len(set(without_number)) or len(runs) < len({one["run"] for one in every}):
        raise SourcesChanged
    return FrozenSources(
        measurements=measurements,
        unmeasured=absent,
        runs={str(pk): _run(run) for pk, run in runs.items()},
        files=_files(files, archives, runs, every),
        archives={str(pk): _archive(archive) for pk, archive in archives.items()},
        configurations=_configurations({run["configuration_id"] for run in runs.values()}),
        workloads=_workloads({one["workload"] for one in every}),
        private=sorted(str(archive) for archive in archives.values() if not archive.is_public),
        last_read=max((archive.read_at for archive in archives.values() if archive.read_at), default=None),
    )


def _unmeasured(one: UnmeasuredValue) -> dict[str, Any]:
    printed = {name: getattr(one, name) for name in _UNMEASURED_FIELDS}
    return {"run": one.run_id, "workload": one.workload_id, "metric": one.metric.name, **printed}


def _run(run: dict[str, Any]) -> dict[str, Any]:
    return {name.removesuffix("_id"): value for name, value in run.items() if name != "id"}


def _files(files: dict[int, File], archives: dict[int, Archive], runs: dict[int, dict], measurements: Iterable[dict]) -> dict:
    cited: dict[int, dict[str, dict[str, list[str]]]] = {pk: {} for pk in archives}
    for measurement in measurements:
        file = files[runs[measurement["run"]]["file_id"]]
        cited[file.archive_id].setdefault(file.path, {}).setdefault(measurement["line"], []).append(measurement["raw"])
    by_archive: dict[int, dict[str, File]] = {pk: {} for pk in archives}
    for file in files.values():
        by_archive[file.archive_id][file.path] = file
    lines, ids = {}, {}
    for pk, archive in archives.items():
        of_archive = by_archive[pk]
        lines[pk] = excerpts.read_excerpts(archive, cited[pk], partial(_keep_id, of_archive))
        ids[pk] = swhids.content_ids(archive, of_archive.values())
    return {
        str(pk): {
            "archive": file.archive_id,
            "path": file.path,
            "sha256": file.sha256,
            "swhid": ids[file.archive_id].get(file.path, ""),
            "format": file.format,
            "parser": file.parser,
            "parser_version": file.parser_version,
            "lines": lines[file.archive_id].get(file.path, {}),
        }
        for pk, file in files.items()
    }


def _keep_id(files: Mapping[str, File], path: str, stream: BinaryIO) -> None:
    swhids.keep_id(files[path].sha256, stream)


def _archive(archive: Archive) -> dict[str, Any]:
    return {
        "title": str(archive),
        "authors": archive.authors,
        "year": archive.year,
        "licence": archive.licence,
        "licence_spdx": licence_spdx(archive.licence),
        "published_in": archive.published_in,
        "caveat": archive.caveat,
        "sha256": archive.sha256,
    }


def _configurations(wanted: set[int]) -> dict[str, dict]:
    return {str(pk): row.known for pk, row in Configuration.objects.select_related("open").in_bulk(wanted).items()}


def _workloads(wanted: set[int]) -> dict[str, dict]:
    return {
        str(pk): {"tool": w.tool, "tool_version": w.tool_version, "stat": w.stat, "origin": w.origin, "params": w.params}
        for pk, w in Workload.objects.in_bulk(wanted).items()
    }


def add_files(found: FrozenSources, ids: Iterable[int]) -> None:
    """Add files that points of curves were read from, without lines. They are of archives that the sources have. Raises
    SourcesChanged where one is missing."""
    missing = [pk for pk in ids if str(pk) not in found.files]
    files = {pk: file for pk, file in File.objects.in_bulk(missing).items() if str(file.archive_id) in found.archives}
    if len(files) < len(missing):
        raise SourcesChanged
    archives = Archive.objects.in_bulk({file.archive_id for file in files.values()})
    found.files.update(_files(files, archives, {}, ()))
    read = [archive.read_at for archive in archives.values() if archive.read_at]
    found.last_read = max([*read, *filter(None, [found.last_read])], default=None)


def swhid_of(record: Mapping[str, Any], file: Mapping[str, Any]) -> str:
    """The SWHID of a file of a record with its archive as origin and the lines of its excerpt; '' where the record has none."""
    if not file.get("swhid"):
        return ""
    site = record["address"].rsplit("/p/", 1)[0]
    lines = sorted(int(line) for line in file["lines"] if line.isdecimal())
    return swhids.qualified(file["swhid"], f"{site}/archives/{file['archive']}", *(lines[:1] + lines[-1:]))
