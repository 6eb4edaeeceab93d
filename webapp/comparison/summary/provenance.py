"""Provenance."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ingest import path_clues, targets_of
from ingest.records import NO_PARAMS
from webapp.claims.observations import Observed
from webapp.comparison.summary import queries
from webapp.files.addresses import place_address
from webapp.http import isolation

# Lines of shown values in the uploaded files, and doubts about them from their runs and files.

MAX_LINKED, MAX_LOOKED_UP = 3000, 20_000
"""Values that get the address of their line, and values that are looked up at all; of more, the first of each group."""
MAX_CACHED = 10_000
"""Values in the cache."""


@dataclass(frozen=True, slots=True)
class ObservedValues:
    """The values of a figure by id, each with machine, session, place and time.

    `known`: whether all of them were looked up. `too_many`: whether they were not because of their number.
    """

    by_id: Mapping[int, Observed] = field(default_factory=dict)
    known: bool = False
    too_many: bool = False


class ValueProvenance(NamedTuple):
    """The line of a value (FILE:LINE), the text and unit there, its address, whether its run wrote zeros, did not end, or stands
    below a title unlike that of other runs of its group, and where it was observed."""

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


@dataclass(frozen=True, slots=True)
class ShownLines:
    """What stands behind shown values: the provenance of each that was looked up, by id; `linked`: which of them get the address of
    their line, None for all; (title, caveat) of their archives; and the number of groups for which it could not be read."""

    by_id: Mapping[int, ValueProvenance]
    linked: frozenset[int] | None = None
    caveats: Sequence[tuple[str, str]] = ()
    failed: int = 0

    def is_linked(self, measurement: int) -> bool:
        """Whether a value gets the address of its line."""
        return self.linked is None or measurement in self.linked


_lock = threading.Lock()
"""For changes of the three that follow."""
_cache: dict[int, ValueProvenance] = {}
"""By measurement id. Entries of an archive are dropped once it was read again (`_readings`)."""
_readings: dict[int, str | None] = {}
"""By archive: when it was read, as known while its entries came into the cache."""
_caveats: tuple[int, dict[int, tuple[str, str] | None]] = (0, {})
"""A data version, and the (title, caveat) of archives at that version; None for archives without a caveat."""


def timed_runs(measurements: Iterable[int]) -> list[int]:
    """The runs of values whose lines have been attached, in the archives of which numbers over time stand. No query."""
    found = (_cache.get(measurement) for measurement in measurements)
    return list(dict.fromkeys(value.observed.run for value in found if value is not None and value.timed))


def read_lines(shown: Sequence[Sequence[int]], version: int, every: bool = False) -> ShownLines:
    """The lines of the shown values of some groups, by their ids; without those of groups for which it fails, see `_read_lines`."""
    try:
        return _read_lines(shown, version, every)
    except Exception as error:
        if isolation.is_database_unusable(error):
            raise
        isolation.log_failure("evidence", f"{len(shown)} groups")
    working = isolation.find_working("evidence of groups", shown, lambda some: _read_lines(some, version, every))
    lines = _read_lines(working, version, every)
    return replace(lines, failed=lines.failed + len(shown) - len(working))


def _read_lines(ids: Sequence[Sequence[int]], version: int, every: bool) -> ShownLines:
    """At most two queries for each `MAX_LOOKED_UP` values. Unless `every`, of very many values only the first of each group."""
    count = sum(map(len, ids))
    looked_up = [measurement for of_group in ids for measurement in (of_group if every or count <= MAX_LOOKED_UP else of_group[:1])]
    linked = None if every or count <= MAX_LINKED else frozenset(of_group[0] for of_group in ids if of_group)
    found: dict[int, ValueProvenance] = {}
    archive_caveats, failed_groups = set[tuple[str, str]](), 0
    for start in range(0, len(looked_up), MAX_LOOKED_UP):
        batch = looked_up[start : start + MAX_LOOKED_UP]
        values, batch_caveats, failed = _read_values(version, batch)
        archive_caveats |= batch_caveats
        failed_groups += sum(not failed.isdisjoint(of_group) for of_group in ids) if failed else 0
        found.update((measurement, value) for measurement in batch if (value := values.get(measurement)) is not None)
    return ShownLines(found, linked, sorted(archive_caveats), failed_groups)


def read_observed(version: int, ids: Iterable[int]) -> dict[int, Observed]:
    """Where and when these measurements were observed, by id; without those that are gone.

    At most two queries for each `MAX_LOOKED_UP`, none for measurements of which the provenance was read before. Measurements of
    which it cannot be read are left out too; `read_lines` counts their groups.
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
    timed, error, target, command, computed, from_memory, options_unknown, state = row[17:]
    partial = partial or bool(error)
    place = f"{path}:{line}"
    observed = Observed(
        session or -archive,
        machine or -archive,
        archive,
        run,
        path,
        line=line,
        started_at=started_at,
        stated=bool(stated),
        partial=partial,
        zeros=bool(zeros),
        round=round_name,
        error=error or "",
        target=targets_of(target, command),
        unanswered=apart.removesuffix(path_clues.UNANSWERED) if apart and apart.endswith(path_clues.UNANSWERED) else "",
        from_memory=json.loads(from_memory) if from_memory else NO_PARAMS,
        options_unknown=bool(options_unknown),
        state=json.loads(state) if state else NO_PARAMS,
    )
    text, address = f"{raw} {raw_unit}".strip(), place_address(archive, place)
    return ValueProvenance(
        place,
        text,
        address,
        bool(zeros),
        partial,
        unlike_title=bool(apart),
        observed=observed,
        timed=timed,
        computed=bool(computed),
    )


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
