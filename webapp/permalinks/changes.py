"""Changes since a record was frozen: values corrected, gone or withdrawn, archives withdrawn or deleted.

The record never changes; its values are compared with the current rows of the database, matched by archive digest, path,
line, metric and native name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q

from webapp.accounts.public_log import Kind
from webapp.comparison.summary import reader
from webapp.comparison.summary.reader import read_json
from webapp.formatting import numbers as shown
from webapp.models import Archive, Configuration, LogEntry, Withdrawal
from webapp.permalinks import history, queries, record_figures

# Current values of a frozen record: read by run while the runs exist, else by file and line.

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
    metrics = {number: name for name, number in reader.metric_ids(_metrics(record)).items()}
    rows = queries.read_current_run_values([(run, row[2], row[2] + row[3]) for run, row in runs.items()], lines, list(metrics))
    _, works = reader.read_texts((), {row[4] for row in rows})
    paths = {run: record_figures.file_of_run(record, run)["path"] for run in runs}
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


CORRECTED, GONE, WITHDRAWN, ELSEWHERE = "corrected", "no longer read", "withdrawn", "on another configuration"


@dataclass(frozen=True, slots=True)
class ArchiveChange:
    """A change of an archive whose values the permalink contains."""

    title: str
    sentence: str
    reason: str = ""
    archive: str = ""
    """Key of the archive in the record."""


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value when frozen and now, as texts; `number` is its index in the record."""

    number: int
    kind: str
    place: str
    metric: str
    then: str
    now: str
    when: str = ""


@dataclass(slots=True)
class Changes:
    """All changes. `linked`: archives whose lines are public. `total`: number of values of the record."""

    archives: list[ArchiveChange]
    linked: set[int]
    total: int
    values: list[ValueChange] = field(default_factory=list)

    @property
    def sentences(self) -> list[str]:
        """`3 of 45 values were corrected on 4 May 2026`, one for each kind and day."""
        counts: dict[tuple[str, str], int] = {}
        for change in self.values:
            counts[change.kind, change.when] = counts.get((change.kind, change.when), 0) + 1
        return [_sentence(kind, when, count, self.total) for (kind, when), count in counts.items()]


def _sentence(kind: str, when: str, count: int, total: int) -> str:
    were = "was" if count == 1 else "were"
    head = f"{shown.count(count)} of {shown.count(total)} value{'' if total == 1 else 's'}"
    verb = {
        CORRECTED: f"{were} corrected",
        WITHDRAWN: f"{were} withdrawn",
        GONE: f"{'is' if count == 1 else 'are'} no longer read from {'its' if count == 1 else 'their'} line",
        ELSEWHERE: f"{'is' if count == 1 else 'are'} on another configuration now",
    }[kind]
    return f"{head} {verb}" + (f", on {when}" if when and kind in (GONE, ELSEWHERE) else f" on {when}" if when else "")


def find_changes(record: Mapping[str, Any]) -> Changes:
    """All changes since the record was frozen. At most nine queries, most of them answered by the process cache."""
    sums = {about["sha256"] for about in record["archives"].values()}
    there = list(Archive.objects.filter(Q(pk__in=map(int, record["archives"])) | Q(sha256__in=sums)).order_by("-pk"))
    archives, linked = _archive_changes(record, {archive.pk: archive for archive in there})
    changes = Changes(archives, linked, len(record["values"]))
    public_archives = {a.sha256: a for a in there if a.is_public and a.read_at is not None}
    if public_archives:
        changes.values = _value_changes(record, public_archives)
    return changes


def find_archive_changes(record: Mapping[str, Any]) -> tuple[list[ArchiveChange], set[int]]:
    """Changes of the archives, and the ids of the archives whose lines are public. One query."""
    return _archive_changes(record, Archive.objects.in_bulk([int(pk) for pk in record["archives"]]))


def find_changed_archives(record: Mapping[str, Any]) -> set[str]:
    """Keys of the archives that have changed."""
    return {change.archive for change in find_archive_changes(record)[0]}


def _archive_changes(record: Mapping[str, Any], archives: Mapping[int, Archive]) -> tuple[list[ArchiveChange], set[int]]:
    out, linked = [], set()
    gone = any(int(pk) not in archives for pk in record["archives"])
    log = history.reasons_by_archive(record) if gone else {}
    for pk, about in sorted(record["archives"].items(), key=lambda item: int(item[0])):
        archive = archives.get(int(pk))
        if archive is None:
            out += _changes_of_deleted(pk, about["title"], log.get(pk, []))
        elif archive.is_withdrawn:
            out.append(
                ArchiveChange(about["title"], f"was withdrawn on {_day(archive.withdrawn_at)}", archive.withdrawn_reason, pk)
            )
        elif not archive.is_public:
            out.append(ArchiveChange(about["title"], "is not public; only its frozen values are", archive=pk))
        else:
            linked.add(archive.pk)
    return out, linked


def _changes_of_deleted(pk: str, title: str, entries: Iterable[LogEntry]) -> list[ArchiveChange]:
    """What the log has of a deleted archive: each withdrawal with its reason, whatever came after it, and the deletion."""
    made = [
        ArchiveChange(title, f"{entry.place or 'the archive'} was {Kind(entry.kind).label} on {_day(entry.at)}", entry.reason, pk)
        for entry in entries
        if entry.kind != Kind.DELETE
    ]
    deleted = next((entry for entry in entries if entry.kind == Kind.DELETE), None)
    when, why = (f" on {_day(deleted.at)}", deleted.reason) if deleted else ("", "")
    return [*made, ArchiveChange(title, f"was deleted{when}", why, pk)]


def _day(moment: datetime | None) -> str:
    return f"{moment.day} {moment:%B %Y}" if moment else "an unknown day"


def _value_changes(record: Mapping[str, Any], public_archives: Mapping[str, Archive]) -> list[ValueChange]:
    """The frozen values of public archives that are corrected, withdrawn, gone or elsewhere now, in the record's order."""
    places = [record_figures.place_of_value(record, value) for value in record["values"]]
    withdrawals = _read_withdrawals(archive.pk for archive in public_archives.values())
    now = read_current_values(record, places, public_archives, [(first, beyond) for first, beyond, *_ in withdrawals])
    pairs = list(_pair_values(record, places, now, public_archives))
    moved_to = {value.configuration for number, _, value in pairs if value and not _same_configuration(record, number, value)}
    configurations = Configuration.objects.select_related("open").in_bulk(moved_to) if moved_to else {}
    return sorted(
        (
            change
            for number, archive, value in pairs
            if (change := _value_change(record, number, archive, value, withdrawals, configurations))
        ),
        key=lambda change: change.number,
    )


def _pair_values(record: Mapping, places: list, now: Mapping, public_archives: Mapping[str, Archive]) -> Iterable[tuple]:
    """(index, archive, current value or None) of every frozen value whose archive is public.

    Where several values share a line, metric and name, equal values are paired first, the others in order.
    """
    frozen: dict[tuple, list[int]] = {}
    for number, value in enumerate(record["values"]):
        archive, path, line = places[number]
        digest = record["archives"][str(archive)]["sha256"]
        if digest in public_archives:
            stat = record["workloads"][str(value["workload"])]["stat"]
            frozen.setdefault((digest, path, line, value["metric"], value["native"], stat), []).append(number)
    for key, numbers in frozen.items():
        remaining, unmatched = list(now.get(key, ())), []
        for number in numbers:
            same = next((candidate for candidate in remaining if candidate.value == record["values"][number]["measured"]), None)
            if same is None:
                unmatched.append(number)
            else:
                remaining.remove(same)
                yield number, public_archives[key[0]], same
        yield from (
            (number, public_archives[key[0]], remaining[index] if index < len(remaining) else None)
            for index, number in enumerate(unmatched)
        )


def _read_withdrawals(archives: Iterable[int]) -> list[tuple[int, int, str, str]]:
    """(first id, end id, day, reason) of the active withdrawals in these archives."""
    return [
        (withdrawal.first, withdrawal.beyond, _day(withdrawal.made_at), withdrawal.reason)
        for withdrawal in Withdrawal.objects.active().filter(archive__in=archives)
        if withdrawal.beyond > withdrawal.first
    ]


def _value_change(
    record: Mapping,
    number: int,
    archive: Archive,
    now: CurrentValue | None,
    withdrawals: list,
    configurations: Mapping[int, Configuration],
) -> ValueChange | None:
    value = record["values"][number]
    _, path, line = record_figures.place_of_value(record, value)
    then = f"{record_figures.printed_value(value)} ({shown.exact(value['measured'])} {value['unit']})"
    read = _day(archive.read_at) if archive.read_at else ""

    def changed(kind: str, text: str, when: str = read) -> ValueChange:
        return ValueChange(number, kind, f"{path}:{line}", value["metric"], then, now=text, when=when)

    if now is None:
        return changed(GONE, "nothing")
    withdrawal = next(((when, reason) for first, beyond, when, reason in withdrawals if first <= now.id < beyond), None)
    if withdrawal:
        return changed(WITHDRAWN, withdrawal[1], withdrawal[0])
    if now.value != value["measured"]:
        percent = f", {shown.number(100 * (now.value / value['measured'] - 1))} %" if value["measured"] else ""
        printed = record_figures.printed_value({"raw": now.raw, "raw_unit": now.raw_unit})
        return changed(CORRECTED, f"{printed} ({shown.exact(now.value)} {value['unit']}{percent})")
    if _same_configuration(record, number, now):
        return None
    differs = _configuration_differs(record, value, now, configurations)
    return changed(ELSEWHERE, differs) if differs else None


def _same_configuration(record: Mapping, number: int, now: CurrentValue) -> bool:
    run = record["runs"][str(record["values"][number]["run"])]
    return run["configuration"] == now.configuration and run["config_exact"] == now.exact


def _configuration_differs(record: Mapping, value: Mapping, now: CurrentValue, configurations: Mapping[int, Configuration]) -> str:
    run = record["runs"][str(value["run"])]
    then = {**record["configurations"][str(run["configuration"])], **run["config_exact"]}
    today = {**configurations[now.configuration].known, **now.exact}
    return "; ".join(
        f"{name}: {_value_text(then, name)} \u2192 {_value_text(today, name)}"
        for name in sorted({*then, *today})
        if then.get(name) != today.get(name)
    )


def _value_text(config: Mapping[str, Any], name: str) -> str:
    return str(config[name]) if name in config else "unknown"
