"""The rows of the summary with their dimensions, as pages need them; kept in the process until the data change.

What is kept never outlives its truth: the key holds the data version and the scopes, and configurations and workloads
are rows that never change under their id.
"""
from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from django.db import connection

from ingest.keys import KEYS
from webapp import summaries
from webapp.axes import SOURCE, texts_of_configuration, texts_of_workload
from webapp.comparison import Facet, Row, Texts
from webapp.summaries import Fold

Key = tuple[str, int, int]
"""Metric, configuration and workload."""
MOST_ROWS, MOST_SIFTED, MOST_DIMENSIONS = 400_000, 400_000, 50_000
"""Bounds of what a process keeps: rows and their values, references to rows, and rows of either dimension table."""
_COLUMNS = [key.column for key in KEYS.values()]


class Kept:
    """A bounded store: the least recently used goes first. Weights are numbers of rows or values."""

    def __init__(self, most: int) -> None:
        self._most, self._weight, self._lock = most, 0, Lock()
        self._found: OrderedDict = OrderedDict()

    def get(self, key):
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key, value, weight: int = 1):
        with self._lock:
            self._weight += weight - self._found.pop(key, (None, 0))[1]
            self._found[key] = (value, weight)
            while self._weight > self._most and len(self._found) > 1:
                self._weight -= self._found.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        with self._lock:
            self._found.clear()
            self._weight = 0


_metrics, _rows, _sifted = Kept(64), Kept(MOST_ROWS), Kept(MOST_SIFTED)
_configurations, _workloads = Kept(MOST_DIMENSIONS), Kept(MOST_DIMENSIONS)


def forget() -> None:
    """Forget everything: for tests, whose rolled back data give their versions back."""
    for kept in (_metrics, _rows, _sifted, _configurations, _workloads):
        kept.clear()


_METRICS = """
SELECT m.name, sum(s.n)::bigint, count(*) FROM webapp_summary s JOIN webapp_metricname m ON m.id = s.metric_id
WHERE s.scope = ANY(%s) GROUP BY m.name
"""


def metrics(version: int, scopes: Sequence[int]) -> dict[str, tuple[int, int]]:
    """How many values and how many rows each metric has in the scopes."""
    key = (version, tuple(scopes))
    found = _metrics.get(key)
    if found is None:
        with connection.cursor() as cursor:
            cursor.execute(_METRICS, [list(scopes)])
            found = _metrics.put(key, {name: (n, rows) for name, n, rows in cursor.fetchall()})
    return found


_ROWS = """
SELECT m.name, s.configuration_id, s.workload_id, sum(s.n)::bigint
FROM webapp_summary s JOIN webapp_metricname m ON m.id = s.metric_id
WHERE s.scope = ANY(%s) AND m.name = ANY(%s) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


def rows(version: int, scopes: Sequence[int], names: Sequence[str]) -> list[Row]:
    """One row per metric, configuration and workload, with dimensions and counts, without values. At most 3 queries."""
    found = {name: _rows.get((version, tuple(scopes), name)) for name in names}
    missing = [name for name, rows in found.items() if rows is None]
    if missing:
        told: dict[str, list[tuple[int, int, int]]] = {name: [] for name in missing}
        with connection.cursor() as cursor:
            cursor.execute(_ROWS, [list(scopes), missing])
            for name, configuration, workload, n in cursor.fetchall():
                told[name].append((configuration, workload, n))
        texts = _texts({pair[:2] for pairs in told.values() for pair in pairs})
        for name, pairs in told.items():
            made = [Row(name, c, w, n, texts[c, w]) for c, w, n in pairs]
            found[name] = _rows.put((version, tuple(scopes), name), made, len(made) + 1)
    return [row for name in names for row in found[name] or ()]


def _texts(pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Texts]:
    pairs = list(pairs)
    configurations = _dimension(_configurations, {c for c, _ in pairs}, _read_configurations)
    workloads = _dimension(_workloads, {w for _, w in pairs}, _read_workloads)
    return {(c, w): Texts(configurations[c], workloads[w]) for c, w in pairs}


def _dimension(kept: Kept, ids: set[int], read) -> dict[int, dict[str, str]]:
    found = {at: kept.get(at) for at in ids}
    missing = sorted(at for at, texts in found.items() if texts is None)
    for at, texts in (read(missing) if missing else ()):
        found[at] = kept.put(at, texts)
    return found


def _read_configurations(ids: list[int]) -> Iterable[tuple[int, dict[str, str]]]:
    names = ("id", "system_id", *_COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(names)} FROM webapp_configuration WHERE id = ANY(%s)", [ids])
        return [(row[0], texts_of_configuration(dict(zip(names, row, strict=True)))) for row in cursor.fetchall()]


def _read_workloads(ids: list[int]) -> Iterable[tuple[int, dict[str, str]]]:
    names = ("id", "tool", "tool_version", "stat", "origin", "params")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(names)} FROM webapp_workload WHERE id = ANY(%s)", [ids])
        told = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [(one["id"], texts_of_workload(one, read_json(one["params"]))) for one in told]


def read_json(value: str | dict) -> dict:
    """A JSON column as the cursor gives it, which depends on who set up the connection."""
    return json.loads(value) if isinstance(value, str) else value


_VALUES = """
SELECT m.name, s.configuration_id, s.workload_id, s.n, s.mean, s.m2, s.low, s.high, s.values, s.ids, s.histogram
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS k(metric, configuration, workload)
JOIN webapp_metricname m ON m.name = k.metric
JOIN webapp_summary s ON s.metric_id = m.id AND s.configuration_id = k.configuration AND s.workload_id = k.workload
WHERE s.scope = ANY(%s)
"""


def filled(version: int, scopes: Sequence[int], rows: Sequence[Row]) -> list[Row]:
    """The rows, which are ours, with their values; those of several scopes put together. At most one query.

    What has gone meanwhile is left out: a reader never sees half of a change.
    """
    missing = {(row.metric, row.configuration, row.workload): row for row in rows if not row.ids}
    if missing:
        for key, fold in _folds(scopes, list(missing)).items():
            _put_in(missing[key], fold)
        for name in {row.metric for row in missing.values()}:
            _weigh((version, tuple(scopes), name))
    return [row for row in rows if row.ids]


def _folds(scopes: Sequence[int], keys: list[Key]) -> dict[Key, Fold]:
    found: dict[Key, Fold] = {}
    with connection.cursor() as cursor:
        cursor.execute(_VALUES, [*([key[i] for key in keys] for i in range(3)), list(scopes)])
        for name, configuration, workload, *facts, histogram in cursor.fetchall():
            key, fold = (name, configuration, workload), Fold(*facts, read_json(histogram) if histogram else None)
            found[key] = summaries.merge(found[key], fold) if key in found else fold
    return found


def _put_in(row: Row, fold: Fold) -> None:
    """Ids last: by them another thread sees that the row is whole."""
    row.n, row.mean, row.m2, row.low, row.high = fold.n, fold.mean, fold.m2, fold.low, fold.high
    row.values, row.histogram = fold.values, fold.histogram
    row.ids = fold.ids


def _weigh(key: tuple) -> None:
    """Values count as the rows do, where the rows are kept still."""
    made = _rows.get(key)
    if made is not None:
        _rows.put(key, made, sum(len(row.ids) for row in made) + len(made) + 1)


def sourced(row: Row, source: str) -> Row:
    """A copy of the row as one of another source."""
    made = row.copy()
    made.texts = Texts(row.texts.configuration, {**row.texts.workload, SOURCE: source})
    return made


@dataclass(frozen=True, slots=True)
class Sifted:
    """The rows of some metrics, those that pass the filters, what can be chosen, and in what any of the rows differ."""

    rows: list[Row]
    passing: list[Row]
    facets: list[Facet]
    varying: frozenset[str]


def sifted(key: tuple, make: Callable[[], Sifted]) -> Sifted:
    """What has been sifted by this key before, else what `make` gives."""
    found = _sifted.get(key)
    return found if found is not None else _sifted.put(key, made := make(), len(made.rows) + len(made.passing) + 1)
