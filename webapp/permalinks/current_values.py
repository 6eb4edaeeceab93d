"""Current values of a frozen record: read by run while the runs exist, else by file and line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.comparison.summary import blocks, reader
from webapp.comparison.summary.reader import read_json
from webapp.models import Archive
from webapp.permalinks import plate, queries

Place = tuple[str, str, str, str, str, str]
"""Digest of the archive, path, line, metric, native name, statistic."""


@dataclass(frozen=True, slots=True)
class CurrentValue:
    """A current value; `id` is 0 where no value of its run is withdrawn."""

    id: int
    value: float
    raw: str
    raw_unit: str
    configuration: int
    exact: Mapping[str, Any]


def read_current_values(
    record: Mapping[str, Any],
    places: Sequence[tuple[int, str, str]],
    public_archives: Mapping[str, Archive],
    withdrawn: Iterable[tuple[int, int]],
) -> dict[Place, list[CurrentValue]]:
    """Current values at the places of the record's values, possibly with others of the same runs or files, in the order of ids.

    An ingest writes a run and its values once and a re-ingest makes new runs: one that still exists has the values of the
    record. `places`: those of the record's values; `public_archives`: by digest; `withdrawn`: id ranges (first, end). Values
    of a run are only queried where a withdrawn range overlaps it. At most six queries.
    """
    digests = {int(pk): about["sha256"] for pk, about in record["archives"].items()}
    lines = sorted({line for *_, line in places})
    digest_of_run = {
        value["run"]: digests[archive]
        for value, (archive, *_) in zip(record["values"], places, strict=True)
        if digests[archive] in public_archives
    }
    found: dict[Place, list[CurrentValue]] = {}
    runs = {row[0]: row for row in queries.read_runs(digest_of_run) if row[1] == public_archives[digest_of_run[row[0]]].pk}
    # A re-ingest replaces all runs of an archive: where one is missing, values are looked up by line.
    reread = {digest for run, digest in digest_of_run.items() if run not in runs}
    unchanged = {run: runs[run] for run, digest in digest_of_run.items() if digest not in reread}
    touched = _runs_within(unchanged, withdrawn)
    for place, now in (
        *_unchanged_values(record, places, {run: row for run, row in unchanged.items() if run not in touched}, digest_of_run),
        *_values_of_runs(record, {run: unchanged[run] for run in touched}, digest_of_run, lines),
        *_values_of_files(record, places, {public_archives[digest].pk: digest for digest in reread}, digests, lines),
    ):
        found.setdefault(place, []).append(now)
    return found


def _runs_within(runs: Mapping[int, tuple], withdrawn: Iterable[tuple[int, int]]) -> set[int]:
    """The runs whose id range overlaps one of the ranges (first, end)."""
    ranges: list[list[int]] = []
    for first, beyond in sorted(withdrawn):
        if ranges and first <= ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], beyond)
        else:
            ranges.append([first, beyond])
    ends = [beyond for _, beyond in ranges]
    return {
        run
        for run, (_, _, first, count, *_) in runs.items()
        if (index := bisect_right(ends, first)) < len(ranges) and ranges[index][0] < first + count
    }


def _unchanged_values(
    record: Mapping[str, Any], places: Sequence[tuple[int, str, str]], runs: Mapping[int, tuple], digests: Mapping[int, str]
) -> Iterator[tuple[Place, CurrentValue]]:
    exact = {run: read_json(row[5]) if row[5] else {} for run, row in runs.items()}
    for value, (_, path, line) in zip(record["values"], places, strict=True):
        run = value["run"]
        if run in runs:
            stat = record["workloads"][str(value["workload"])]["stat"]
            yield (
                (digests[run], path, line, value["metric"], value["native"], stat),
                CurrentValue(0, value["measured"], value["raw"], value["raw_unit"], runs[run][4], exact[run]),
            )


def _metrics(record: Mapping[str, Any]) -> list[str]:
    return sorted({value["metric"] for value in record["values"]})


def _values_of_runs(
    record: Mapping[str, Any], runs: Mapping[int, tuple], digests: Mapping[int, str], lines: Sequence[str]
) -> Iterator[tuple[Place, CurrentValue]]:
    if not runs:
        return
    metrics = {number: name for name, number in blocks.metric_ids(_metrics(record)).items()}
    rows = queries.read_current_run_values([(run, row[2], row[2] + row[3]) for run, row in runs.items()], lines, list(metrics))
    _, works = reader.read_texts((), {row[4] for row in rows})
    paths = {run: plate.file_of_run(record, run)["path"] for run in runs}
    exact = {run: read_json(row[5]) if row[5] else {} for run, row in runs.items()}
    for run, line, metric, native, workload, at, value, raw, unit in rows:
        yield (
            (digests[run], paths[run], line, metrics[metric], native, works[workload]["aggregate"]),
            CurrentValue(at, value, raw, unit, runs[run][4], exact[run]),
        )


def _values_of_files(
    record: Mapping[str, Any],
    places: Iterable[tuple[int, str, str]],
    archives: Mapping[int, str],
    digests: Mapping[int, str],
    lines: Sequence[str],
) -> Iterator[tuple[Place, CurrentValue]]:
    if not archives:
        return
    archive_ids = {digest: pk for pk, digest in archives.items()}
    files = sorted({(archive_ids[digests[archive]], path) for archive, path, _ in places if digests[archive] in archive_ids})
    for row in queries.read_current_file_values(files, lines, _metrics(record)):
        archive, path, line, metric, native, stat, number, value, raw, unit, configuration, exact = row
        now = CurrentValue(number, value, raw, unit, configuration, read_json(exact) if exact else {})
        yield (archives[archive], path, line, metric, native, stat), now
