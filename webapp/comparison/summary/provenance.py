"""Provenance."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest import derived, path_clues, targets_of
from ingest.records import NO_PARAMS
from webapp.comparison import caveats
from webapp.comparison.model import Group, Point
from webapp.comparison.summary import queries
from webapp.files.addresses import place_address
from webapp.http import isolation

# Lines of shown values in the uploaded files, and doubts about them from their runs and files.

MAX_LINKED, MAX_LOOKED_UP = 3000, 20_000
"""Values that get the address of their line, and values that are looked up at all; of more, the first of each group."""
MAX_CACHED = 10_000
"""Values in the cache."""


@dataclass(slots=True)
class ValueDoubts:
    """Ids of shown values of partial runs, of runs that wrote zeros, of runs below a title unlike that of other runs of
    their group, and of computed totals; and (title, caveat) of the archives. `failed`: how many groups this failed for."""

    partial: set[int] = field(default_factory=set)
    computed: set[int] = field(default_factory=set)
    zeros: set[int] = field(default_factory=set)
    unlike_titles: set[int] = field(default_factory=set)
    caveats: list[tuple[str, str]] = field(default_factory=list)
    failed: int = 0

    def add(self, measurement: int, value: ValueProvenance) -> None:
        """Add the doubts about one value."""
        if value.zeros:
            self.zeros.add(measurement)
        if value.partial:
            self.partial.add(measurement)
        if value.computed:
            self.computed.add(measurement)
        if value.unlike_title:
            self.unlike_titles.add(measurement)


class Observed(NamedTuple):
    """Where and when a value was measured: ids of its session, machine, archive and run, file and line, when the run started as
    printed, whether a person stated any key of its configuration, and whether the run did not end or wrote zeros.

    Of archives that were read before machines and sessions were known both are minus the id of the archive.
    """

    session: int
    machine: int
    archive: int
    run: int
    path: str
    line: str
    started_at: str | None
    stated: bool
    partial: bool = False
    zeros: bool = False
    round: str | None = None
    """The round that a manifest states, within its session."""
    error: str = ""
    """The error in which the run ended, in a few words."""
    target: tuple[str, ...] = ()
    """The devices, or the likely mount points, that the run read and wrote, as far as its command or output names them."""
    unanswered: str = ""
    """Its name, where a number in it may be a level of compression or that of a repetition."""
    from_memory: Mapping[str, str] = NO_PARAMS
    """Where caches had been emptied of what an operation reads, whether it came from memory: `no` or `maybe`."""


class ValueProvenance(NamedTuple):
    """The line of a value (FILE:LINE), the text and unit there, its address, doubts about the run (see `ValueDoubts`), and where it
    was observed."""

    place: str
    raw: str
    address: str
    zeros: bool
    partial: bool
    unlike_title: bool
    observed: Observed
    timed: bool = False
    """Whether numbers over time stand in its archive."""
    computed: bool = False
    """Whether it is a total that the tool did not print."""

    @property
    def archive(self) -> int:
        return self.observed.archive


_lock = threading.Lock()
"""For changes of the three that follow."""
_cache: dict[int, ValueProvenance] = {}
"""By measurement id. Entries of an archive are dropped once it was read again (`_readings`)."""
_readings: dict[int, str | None] = {}
"""By archive: when it was read, as known while its entries came into the cache."""
_caveats: tuple[int, dict[int, tuple[str, str] | None]] = (0, {})
"""A data version, and the (title, caveat) of archives at that version; None for archives without a caveat."""


def clear_cache() -> None:
    """For tests, whose rolled back transactions reuse ids and data versions."""
    global _cache, _readings, _caveats
    _cache, _readings, _caveats = {}, {}, (0, {})


def timed_runs(measurements: Iterable[int]) -> list[int]:
    """The runs of values whose lines have been attached, in the archives of which numbers over time stand. No query."""
    found = (_cache.get(measurement) for measurement in measurements)
    return list(dict.fromkeys(value.observed.run for value in found if value is not None and value.timed))


def attach_provenance(groups: Sequence[Group], version: int, every: bool = False) -> ValueDoubts:
    """Give the shown values their lines, and the groups the flags of their doubts. See `load_provenance`.

    Values of groups for which this fails stay without lines.
    """
    doubts = _load_isolated(groups, version, every)
    _flag_groups(groups, doubts)
    return doubts


def _load_isolated(groups: Sequence[Group], version: int, every: bool) -> ValueDoubts:
    try:
        return load_provenance(groups, version, every)
    except Exception as error:
        if isolation.is_database_unusable(error):
            raise
        isolation.log_failure("evidence", f"{len(groups)} groups")
    working = isolation.find_working("evidence of groups", groups, lambda some: load_provenance(some, version, every))
    doubts = load_provenance(working, version, every)
    doubts.failed += len(groups) - len(working)
    return doubts


def _flag_groups(groups: Sequence[Group], doubts: ValueDoubts) -> None:
    plain = (("partial", doubts.partial), ("titles", doubts.unlike_titles), ("computed", doubts.computed))
    for group in groups if doubts.zeros or any(found for _, found in plain) else ():
        ids = [point.id for point in group.points]
        flags = {name for name, found in plain if not found.isdisjoint(ids)}
        if not doubts.zeros.isdisjoint(ids) and derived.kind(group.metric) != derived.NAMES:
            flags.add("zeros")
        if not flags.issubset(group.flags):
            group.flags = caveats.order_caveats({*group.flags, *flags})


def load_provenance(groups: Sequence[Group], version: int, every: bool = False) -> ValueDoubts:
    """Set line, text and address of the shown values, and return the doubts about them.

    At most two queries for each `MAX_LOOKED_UP` values. Unless `every`, of very many values only the first of each group.
    """
    points = [point for group in groups for point in group.points]
    looked_up = points if every else _limit(groups, points, MAX_LOOKED_UP)
    linked = None if every or len(points) <= MAX_LINKED else {point.id for point in _limit(groups, points, MAX_LINKED)}
    doubts, archive_caveats = ValueDoubts(), set()
    for start in range(0, len(looked_up), MAX_LOOKED_UP):
        batch = looked_up[start : start + MAX_LOOKED_UP]
        values, batch_caveats, failed = _read_values(version, [point.id for point in batch])
        archive_caveats |= batch_caveats
        doubts.failed += sum(any(point.id in failed for point in group.points) for group in groups) if failed else 0
        for point in batch:
            value = values.get(point.id)
            if value is not None:
                if linked is None or point.id in linked:
                    point.place, point.raw, point.address = value.place, value.raw, value.address
                doubts.add(point.id, value)
    doubts.caveats = sorted(archive_caveats)
    return doubts


def read_observed(version: int, ids: Iterable[int]) -> dict[int, Observed]:
    """Where and when these measurements were observed, by id; without those that are gone.

    At most two queries for each `MAX_LOOKED_UP`, none for measurements of which the provenance was read before. Measurements of
    which it cannot be read are left out too; `attach_provenance` counts their groups.
    """
    wanted, observed = list(dict.fromkeys(ids)), dict[int, Observed]()

    def read(some: Sequence[int]) -> None:
        values, _, _ = _read_values(version, some)
        observed.update((measurement, values[measurement].observed) for measurement in some if measurement in values)

    for start in range(0, len(wanted), MAX_LOOKED_UP):
        isolation.find_working("evidence of values", wanted[start : start + MAX_LOOKED_UP], read)
    return observed


def _read_values(version: int, ids: Sequence[int]) -> tuple[Mapping[int, ValueProvenance], set[tuple[str, str]], set[int]]:
    """The provenance of these measurements, and maybe of others, by id; (title, caveat) of their archives; and the ids of those
    of which it could not be made. At most two queries, four where an archive was read again."""
    known, caveats = _open_cache(version)
    missing = list(dict.fromkeys(measurement for measurement in ids if measurement not in known))
    archives, failed = {known[measurement].archive for measurement in ids if measurement in known}, set[int]()
    if missing or not archives <= caveats.keys():
        rows = queries.read_facts(missing, list(archives))
        read_at = {row[1]: row[4] for row in rows if row[0] is None}
        if _drop_stale(read_at):
            return _read_values(version, ids)
        truncated = _find_truncated({row[7]: (row[8], row[9], row[10]) for row in rows if row[10]})
        read, failed = _make_values([row for row in rows if row[0] is not None], truncated)
        archives |= {value.archive for value in read.values()}
        caveats.update(dict.fromkeys(archives) | {row[1]: (row[2], row[3]) for row in rows if row[0] is None and row[3]})
        if len(missing) > MAX_CACHED:
            known = {**known, **read}
        else:
            with _lock:
                known.update(read)
    return known, {caveat for archive in archives if (caveat := caveats[archive])}, failed


def _open_cache(version: int) -> tuple[dict[int, ValueProvenance], dict[int, tuple[str, str] | None]]:
    """The cached values and the caveats at this version; other threads may put others in place of both meanwhile."""
    global _cache, _readings, _caveats
    with _lock:
        if _caveats[0] != version:
            _caveats = (version, {})
        if len(_cache) > MAX_CACHED:
            _cache, _readings = {}, {}
        return _cache, _caveats[1]


def _drop_stale(read_at: Mapping[int, str | None]) -> bool:
    """Note when archives were read; whether some of them were read again, whose values are not cached any more."""
    global _cache
    with _lock:
        stale = {archive for archive, at in read_at.items() if _readings.get(archive, at) != at}
        _readings.update(read_at)
        if stale:
            _cache = {pk: value for pk, value in _cache.items() if value.archive not in stale}
        return bool(stale)


def _make_values(rows: Iterable[tuple], truncated: set[int]) -> tuple[dict[int, ValueProvenance], set[int]]:
    """The provenance of values by id, and the ids of those of which it cannot be made; of these one is logged."""
    read, failed = dict[int, ValueProvenance](), set[int]()
    for row in rows:
        try:
            read[row[0]] = _make_provenance(row, row[7] in truncated)
        except Exception:
            if not failed:
                isolation.log_failure("evidence of a value", row[0])
            failed.add(row[0])
    return read, failed


def _make_provenance(row: tuple, partial: bool) -> ValueProvenance:
    _, archive, path, line, raw, raw_unit, zeros, run, _, _, _, apart, session, machine, started_at, stated, round_name = row[:17]
    timed, error, target, command, computed, from_memory = row[17:]
    partial = partial or bool(error)
    place = f"{path}:{line}"
    observed = Observed(
        session or -archive,
        machine or -archive,
        archive,
        run,
        path,
        line,
        started_at,
        bool(stated),
        partial,
        bool(zeros),
        round_name,
        error or "",
        targets_of(target, command),
        apart.removesuffix(path_clues.UNANSWERED) if apart and apart.endswith(path_clues.UNANSWERED) else "",
        json.loads(from_memory) if from_memory else NO_PARAMS,
    )
    text, address = f"{raw} {raw_unit}".strip(), place_address(archive, place)
    return ValueProvenance(place, text, address, bool(zeros), partial, bool(apart), observed, timed, bool(computed))


def _find_truncated(runs: Mapping[int, tuple[int, str, Sequence[str]]]) -> set[int]:
    """The runs whose output is truncated, of runs by id with (file, first line, lines at which the file was truncated).

    A truncation belongs to the last run of the file that begins before it; runs of a file have rising ids. Lines of
    spreadsheets are not numbers and have no order. At most one query.
    """
    numbered = [run for run, (_, line, _) in runs.items() if line.isdecimal()]
    if not numbered:
        return set()
    ends = {run: int(line) for run, file, line in queries.read_next_runs(numbered) if file == runs[run][0] and line.isdecimal()}
    return {
        run
        for run in numbered
        for line in runs[run][2]
        if line.isdecimal() and int(runs[run][1]) <= int(line) < ends.get(run, int(line) + 1)
    }


def _limit(groups: Iterable[Group], points: list[Point], limit: int) -> list[Point]:
    """The points; where they are more than the limit, the first of each group."""
    return points if len(points) <= limit else [group.points[0] for group in groups if group.points]
