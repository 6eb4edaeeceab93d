"""Mine against theirs: the rows of archives laid over the rest, each told from it by the dimension `source`."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from webapp import summaries, summarised
from webapp.axes import SOURCE
from webapp.comparison import Row
from webapp.summaries import Fold

_PREFIX = "archive "


@dataclass(frozen=True, slots=True)
class Scopes:
    """`base`: scopes of what is compared; `over`: archives laid over it, with their titles.

    `within`: those of them whose values are in the public scope too, and are taken out of it. `missing`: archives that
    were asked for and that this reader cannot see, or that do not exist.
    """

    base: tuple[int, ...]
    over: Mapping[int, str]
    within: frozenset[int]
    missing: tuple[int, ...] = ()


def metrics(version: int, scopes: Scopes) -> dict[str, int]:
    """How many values each metric has."""
    found = {name: n for name, (n, _) in summarised.metrics(version, scopes.base).items()}
    for archive in scopes.over:
        for name, (n, _) in summarised.metrics(version, (archive,)).items():
            found[name] = found.get(name, 0) + (0 if archive in scopes.within else n)
    return found


def size(version: int, scopes: Scopes) -> int:
    """How many rows there are of all metrics."""
    return sum(rows for base in (scopes.base, *((archive,) for archive in scopes.over))
               for _, rows in summarised.metrics(version, base).values())


def rows(version: int, scopes: Scopes, names: Sequence[str]) -> list[Row]:
    """The rows of all of it, without values; none twice."""
    base = summarised.rows(version, scopes.base, names)
    over = {archive: summarised.rows(version, (archive,), names) for archive in scopes.over}
    for archive in scopes.within:
        base = _without(base, over[archive])
    return [*base, *(summarised.sourced(row, f"{_PREFIX}{archive}") for archive, some in over.items() for row in some)]


def _key(row: Row) -> summarised.Key:
    return row.metric, row.configuration, row.workload


def _without(rows: Iterable[Row], part: Iterable[Row]) -> list[Row]:
    counts = {_key(row): row.n for row in part}
    found = []
    for row in rows:
        left = row.n - counts.get(_key(row), 0)
        if left == row.n:
            found.append(row)
        elif left > 0:
            found.append(Row(row.metric, row.configuration, row.workload, left, row.texts))
    return found


def archive_of(row: Row) -> int:
    """The archive that a row is laid over the rest from; 0 for the rest."""
    text = row.texts[SOURCE]
    return int(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else 0


def filled(version: int, scopes: Scopes, rows: Sequence[Row]) -> list[Row]:
    """The rows with their values. What has gone meanwhile is left out."""
    if not scopes.over:
        return summarised.filled(version, scopes.base, rows)
    by_archive: dict[int, list[Row]] = {}
    for row in rows:
        by_archive.setdefault(archive_of(row), []).append(row)
    found: dict[int, dict[summarised.Key, Row]] = {}
    for archive, some in by_archive.items():
        found[archive] = _whole(version, (archive,) if archive else scopes.base, some)
    for archive in scopes.within if 0 in found else ():
        _take_out(found[0], _whole(version, (archive,), by_archive[0]))
    out = []
    for row in rows:
        whole = found[archive_of(row)].get(_key(row))
        if whole is not None:
            made = whole.copy()
            made.texts = row.texts
            out.append(made)
    return out


def _whole(version: int, scopes: tuple[int, ...], rows: Sequence[Row]) -> dict[summarised.Key, Row]:
    """The rows of the scopes, with values, that have the keys of these."""
    keys = {_key(row) for row in rows}
    kept = [row for row in summarised.rows(version, scopes, sorted({row.metric for row in rows})) if _key(row) in keys]
    return {_key(row): row for row in summarised.filled(version, scopes, kept)}


def _take_out(rows: dict[summarised.Key, Row], part: Mapping[summarised.Key, Row]) -> None:
    for key, row in part.items():
        left = summaries.without(_fold(rows[key]), _fold(row)) if key in rows else None
        if left is None:
            rows.pop(key, None)
        else:
            rows[key] = Row(*key, left.n, row.texts, left.values, left.ids, left.mean, left.m2, left.low, left.high,
                            left.histogram)


def _fold(row: Row) -> Fold:
    return Fold(row.n, row.mean, row.m2, row.low, row.high, row.values, row.ids, row.histogram)
