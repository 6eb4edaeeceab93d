"""The values of a record as they stand today: those of the runs that it names while these are there, else by file and line."""

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
"""Digest of the archive, path, line, metric, name in the output, kind of number."""


@dataclass(frozen=True, slots=True)
class CurrentValue:
    """A value as it stands today; `id` is 0 where nothing of its run is withdrawn."""

    id: int
    value: float
    raw: str
    raw_unit: str
    configuration: int
    exact: Mapping[str, Any]


def read_current_values(
    told: Mapping[str, Any], places: Sequence[tuple[int, str, str]], present: Mapping[str, Archive], away: Iterable[tuple[int, int]]
) -> dict[Place, list[CurrentValue]]:
    """What stands today where the record's values were read, and maybe elsewhere in their runs or files, in the order of the ids.

    A reading writes a run with its values once, and another reading gives other ids: a run that is there still has the values
    of the record. `places` are those of its values; `present` are the public archives by their digest, `away` the ids that are
    withdrawn, first and beyond: only where they reach into a run are its values looked up. At most six queries.
    """
    digests = {int(pk): about["sha256"] for pk, about in told["archives"].items()}
    lines = sorted({line for *_, line in places})
    asked = {
        value["run"]: digests[archive]
        for value, (archive, *_) in zip(told["values"], places, strict=True)
        if digests[archive] in present
    }
    found: dict[Place, list[CurrentValue]] = {}
    runs = {row[0]: row for row in queries.read_runs(asked) if row[1] == present[asked[row[0]]].pk}
    # A reading replaces all runs of its archive: where one is gone, its values are found by their lines.
    again = {digest for run, digest in asked.items() if run not in runs}
    there = {run: runs[run] for run, digest in asked.items() if digest not in again}
    touched = _reached(there, away)
    for place, now in (
        *_as_told(told, places, {run: row for run, row in there.items() if run not in touched}, asked),
        *_of_runs(told, {run: there[run] for run in touched}, asked, lines),
        *_of_files(told, places, {present[digest].pk: digest for digest in again}, digests, lines),
    ):
        found.setdefault(place, []).append(now)
    return found


def _reached(runs: Mapping[int, tuple], away: Iterable[tuple[int, int]]) -> set[int]:
    """The runs in which some of these ids lie."""
    ranges: list[list[int]] = []
    for first, beyond in sorted(away):
        if ranges and first <= ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], beyond)
        else:
            ranges.append([first, beyond])
    ends = [beyond for _, beyond in ranges]
    return {
        run
        for run, (_, _, first, count, *_) in runs.items()
        if (at := bisect_right(ends, first)) < len(ranges) and ranges[at][0] < first + count
    }


def _as_told(
    told: Mapping[str, Any], places: Sequence[tuple[int, str, str]], runs: Mapping[int, tuple], digests: Mapping[int, str]
) -> Iterator[tuple[Place, CurrentValue]]:
    exact = {run: read_json(row[5]) if row[5] else {} for run, row in runs.items()}
    for value, (_, path, line) in zip(told["values"], places, strict=True):
        run = value["run"]
        if run in runs:
            stat = told["workloads"][str(value["workload"])]["stat"]
            yield (
                (digests[run], path, line, value["metric"], value["native"], stat),
                CurrentValue(0, value["measured"], value["raw"], value["raw_unit"], runs[run][4], exact[run]),
            )


def _metrics(told: Mapping[str, Any]) -> list[str]:
    return sorted({value["metric"] for value in told["values"]})


def _of_runs(
    told: Mapping[str, Any], runs: Mapping[int, tuple], digests: Mapping[int, str], lines: Sequence[str]
) -> Iterator[tuple[Place, CurrentValue]]:
    if not runs:
        return
    metrics = {number: name for name, number in blocks.metric_ids(_metrics(told)).items()}
    rows = queries.read_current_run_values([(run, row[2], row[2] + row[3]) for run, row in runs.items()], lines, list(metrics))
    _, works = reader.read_texts((), {row[4] for row in rows})
    paths = {run: plate.file_of_run(told, run)["path"] for run in runs}
    exact = {run: read_json(row[5]) if row[5] else {} for run, row in runs.items()}
    for run, line, metric, native, workload, at, value, raw, unit in rows:
        yield (
            (digests[run], paths[run], line, metrics[metric], native, works[workload]["aggregate"]),
            CurrentValue(at, value, raw, unit, runs[run][4], exact[run]),
        )


def _of_files(
    told: Mapping[str, Any],
    places: Iterable[tuple[int, str, str]],
    archives: Mapping[int, str],
    digests: Mapping[int, str],
    lines: Sequence[str],
) -> Iterator[tuple[Place, CurrentValue]]:
    if not archives:
        return
    at = {digest: pk for pk, digest in archives.items()}
    files = sorted({(at[digests[archive]], path) for archive, path, _ in places if digests[archive] in at})
    for row in queries.read_current_file_values(files, lines, _metrics(told)):
        archive, path, line, metric, native, stat, number, value, raw, unit, configuration, exact = row
        now = CurrentValue(number, value, raw, unit, configuration, read_json(exact) if exact else {})
        yield (archives[archive], path, line, metric, native, stat), now
