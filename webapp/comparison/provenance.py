"""What stands behind shown values: their lines, and the doubts that their runs and files tell of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webapp.comparison import queries
from webapp.comparison.model import Group, Point
from webapp.files.addresses import place_address

MOST_LINKED, MOST_ASKED = 3000, 20_000
"""Values with the address of their line, and values whose evidence is looked up at all; of more, the first of each group."""
MOST_KEPT = 10_000
"""Values of which a process keeps what stands behind them."""


@dataclass(slots=True)
class ValueDoubts:
    """Ids of the shown values of partial runs, of runs that wrote zeros, and of runs below a title unlike that of others that
    count as their repetitions; and (title, caveat) of their archives. `failed`: parts of it that could not be told."""

    partial: set[int]
    zeros: set[int]
    apart: set[int]
    caveats: list[tuple[str, str]]
    failed: int = 0


class ValueProvenance(NamedTuple):
    """What stands behind one value: its archive and line, what was read there, what its run is suspected of (see `ValueDoubts`)."""

    place: str
    raw: str
    address: str
    zeros: bool
    partial: bool
    apart: bool
    archive: int


_kept: dict[int, ValueProvenance] = {}
"""What stands behind values, by their ids: a reading writes it once, and another reading gives other ids."""
_caveats: tuple[int, dict[int, tuple[str, str] | None]] = (0, {})
"""The data version, and (title, caveat) of the archives that were asked for in it; None where there is no caveat."""


def clear_cache() -> None:
    """Forget everything: for tests, whose rolled back data give their versions back."""
    global _kept, _caveats
    _kept, _caveats = {}, (0, {})


def load_provenance(groups: Sequence[Group], version: int, every: bool = False) -> ValueDoubts:
    """Give every shown value its line, and tell what stands behind them; with `every` however many they are."""
    points = [point for group in groups for point in group.points]
    asked = points if every else _some(groups, points, MOST_ASKED)
    linked = None if every or len(points) <= MOST_LINKED else {point.id for point in _some(groups, points, MOST_LINKED)}
    found, caveats = ValueDoubts(set(), set(), set(), []), set()
    for at in range(0, len(asked), MOST_ASKED):
        some = asked[at : at + MOST_ASKED]
        facts, told = _facts(version, [point.id for point in some])
        caveats |= told
        for point in some:
            fact = facts.get(point.id)
            if fact is not None:
                place, raw, address, zeros, partial, apart, _ = fact
                if linked is None or point.id in linked:
                    point.place, point.raw, point.address = place, raw, address
                if zeros:
                    found.zeros.add(point.id)
                if partial:
                    found.partial.add(point.id)
                if apart:
                    found.apart.add(point.id)
    found.caveats = sorted(caveats)
    return found


def _facts(version: int, ids: Sequence[int]) -> tuple[Mapping[int, ValueProvenance], set[tuple[str, str]]]:
    """What stands behind the values of these ids, and maybe of others; and what their archives caution against.

    At most two queries.
    """
    global _kept, _caveats
    if _caveats[0] != version:
        _caveats = (version, {})
    if len(_kept) > MOST_KEPT:
        _kept = {}
    known, caveats = _kept, _caveats[1]
    missing = list(dict.fromkeys(at for at in ids if at not in known))
    archives = {known[at].archive for at in ids if at in known}
    if missing or not archives <= caveats.keys():
        rows = queries.facts(missing, list(archives))
        cut = _cut({row[7]: (row[8], row[9], row[10]) for row in rows if row[10]})
        read = {row[0]: _fact(row, row[7] in cut) for row in rows if row[0] is not None}
        archives |= {fact.archive for fact in read.values()}
        caveats.update(dict.fromkeys(archives) | {row[1]: (row[2], row[3]) for row in rows if row[0] is None})
        if len(missing) > MOST_KEPT:
            known = {**known, **read}
        else:
            known.update(read)
    return known, {caveat for archive in archives if (caveat := caveats[archive])}


def _fact(row: tuple, partial: bool) -> ValueProvenance:
    _, archive, path, line, raw, raw_unit, zeros, *_ = row
    place = f"{path}:{line}"
    return ValueProvenance(
        place, f"{raw} {raw_unit}".strip(), place_address(archive, place), bool(zeros), partial, bool(row[11]), archive
    )


def _cut(runs: Mapping[int, tuple[int, str, Sequence[str]]]) -> set[int]:
    """Those of the runs (id -> file, first line, lines where the file was cut) whose output was cut.

    No other run of the file begins between the run and the cut. Runs of a file have rising ids. Lines of spreadsheets
    are no numbers and tell no order. At most one query.
    """
    asked = [run for run, (_, line, _) in runs.items() if line.isdecimal()]
    if not asked:
        return set()
    ends = {run: int(line) for run, file, line in queries.next_runs(asked) if file == runs[run][0] and line.isdecimal()}
    return {
        run for run in asked for at in runs[run][2] if at.isdecimal() and int(runs[run][1]) <= int(at) < ends.get(run, int(at) + 1)
    }


def _some(groups: Iterable[Group], points: list[Point], most: int) -> list[Point]:
    return points if len(points) <= most else [group.points[0] for group in groups if group.points]
