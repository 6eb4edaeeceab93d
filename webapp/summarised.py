"""The rows of the summary with their dimensions, as pages need them; kept in the process until the data change.

What is kept never outlives its truth: the key holds the data version and the scopes, and configurations and workloads
are rows that never change under their id.
"""
from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

from django.db import connection

from ingest.keys import KEYS
from webapp import summaries
from webapp.axes import SOURCE, texts_of_configuration, texts_of_workload
from webapp.comparison import Row, Texts
from webapp.summaries import Fold

Key = tuple[str, int, int]
"""Metric, configuration and workload."""
MOST_ROWS, MOST_VALUES, MOST_DIMENSIONS = 200_000, 200_000, 50_000
"""Bounds of what a process keeps: rows without values, values, and rows of either dimension table."""
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


_metrics, _rows, _folds = Kept(64), Kept(MOST_ROWS), Kept(MOST_VALUES)
_configurations, _workloads = Kept(MOST_DIMENSIONS), Kept(MOST_DIMENSIONS)


def forget() -> None:
    """Forget everything: for tests, whose rolled back data give their versions back."""
    for kept in (_metrics, _rows, _folds, _configurations, _workloads):
        kept.clear()


_METRICS = """
SELECT m.name, sum(s.n)::bigint FROM webapp_summary s JOIN webapp_metricname m ON m.id = s.metric_id
WHERE s.scope = ANY(%s) GROUP BY m.name
"""


def metrics(version: int, scopes: Sequence[int]) -> dict[str, int]:
    """How many values each metric has in the scopes."""
    key = (version, tuple(scopes))
    found = _metrics.get(key)
    if found is None:
        with connection.cursor() as cursor:
            cursor.execute(_METRICS, [list(scopes)])
            found = _metrics.put(key, dict(cursor.fetchall()))
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


def folds(version: int, scopes: Sequence[int], keys: Iterable[Key]) -> dict[Key, Fold]:
    """The values of the keys, those of several scopes put together; what has gone meanwhile is missing. One query."""
    of = (version, tuple(scopes))
    found = {key: _folds.get((of, key)) for key in keys}
    missing = [key for key, fold in found.items() if fold is None]
    if missing:
        read: dict[Key, Fold] = {}
        with connection.cursor() as cursor:
            cursor.execute(_VALUES, [*([key[i] for key in missing] for i in range(3)), list(scopes)])
            for name, configuration, workload, *facts, histogram in cursor.fetchall():
                key, fold = (name, configuration, workload), Fold(*facts, read_json(histogram) if histogram else None)
                read[key] = summaries.merge(read[key], fold) if key in read else fold
        for key, fold in read.items():
            found[key] = _folds.put((of, key), fold, len(fold.values) + 1)
    return {key: fold for key, fold in found.items() if fold is not None}


def filled(row: Row, fold: Fold) -> Row:
    """A row of its own with the values."""
    return Row(row.metric, row.configuration, row.workload, fold.n, row.texts, fold.values, fold.ids, fold.mean, fold.m2,
               fold.low, fold.high, fold.histogram)


def sourced(row: Row, source: str, n: int) -> Row:
    """The row as one of another source, with its count."""
    texts = row.texts
    told = Texts(texts.configuration, {**texts.workload, SOURCE: source}) if isinstance(texts, Texts) else texts
    return Row(row.metric, row.configuration, row.workload, n, told)
