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
    found = dict(summarised.metrics(version, scopes.base))
    for archive in scopes.over:
        for name, count in summarised.metrics(version, (archive,)).items():
            found[name] = found.get(name, 0) + (0 if archive in scopes.within else count)
    return found


def rows(version: int, scopes: Scopes, names: Sequence[str]) -> list[Row]:
    """The rows of all of it, without values; none twice."""
    base = summarised.rows(version, scopes.base, names)
    over = {archive: summarised.rows(version, (archive,), names) for archive in scopes.over}
    for archive in scopes.within:
        base = _without(base, over[archive])
    return [*base, *(summarised.sourced(row, f"{_PREFIX}{archive}", row.n) for archive, some in over.items() for row in some)]


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
    """Copies of the rows with their values. What has gone meanwhile is left out."""
    folds: dict[int, dict[summarised.Key, Fold]] = {}
    keys: dict[int, list[summarised.Key]] = {}
    for row in rows:
        keys.setdefault(archive_of(row), []).append(_key(row))
    for archive, some in keys.items():
        folds[archive] = summarised.folds(version, (archive,) if archive else scopes.base, some)
    for archive in scopes.within if 0 in folds else ():
        _take_out(folds[0], summarised.folds(version, (archive,), keys[0]))
    found = []
    for row in rows:
        fold = folds[archive_of(row)].get(_key(row))
        if fold is not None:
            found.append(summarised.filled(row, fold))
    return found


def _take_out(folds: dict[summarised.Key, Fold], part: Mapping[summarised.Key, Fold]) -> None:
    for key, fold in part.items():
        left = summaries.without(folds[key], fold) if key in folds else None
        if left is None:
            folds.pop(key, None)
        else:
            folds[key] = left
