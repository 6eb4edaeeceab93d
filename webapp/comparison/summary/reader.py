"""The rows of the summary with their dimensions, as pages need them; kept in the process until the data change.

What is kept never outlives its truth: the key holds the data version and the scopes, and configurations and workloads
are rows that never change under their id.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison.dimensions import SOURCE, configuration_texts, workload_texts
from webapp.comparison.model import Facet, SummaryRow, Texts
from webapp.comparison.summary import blocks, dimension_blocks, queries
from webapp.comparison.summary.blocks import ScopeSet
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOADS, Columns, RowDimensions
from webapp.http.process_cache import ProcessCache
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

RowKey = tuple[str, int, int]
"""Metric, configuration and workload."""
MOST_ROWS, MOST_SIFTED, MOST_DIMENSIONS = 400_000, 400_000, 50_000
"""Bounds of what a process keeps: rows and their values, references to rows, and rows of either dimension table."""


_metrics, _withdrawn = ProcessCache(64), ProcessCache(64)
_rows_cache = ProcessCache(MOST_ROWS, lambda shelf: shelf.weight)
_columns = ProcessCache(MOST_SIFTED, lambda columns: len(columns) + 1)
_sifted = ProcessCache(MOST_SIFTED, lambda sifted: len(sifted.rows) + len(sifted.passing) + 1)
_configurations, _workloads = ProcessCache(MOST_DIMENSIONS), ProcessCache(MOST_DIMENSIONS)


def clear_cache() -> None:
    """Forget everything: for tests, whose rolled back data give their versions back."""
    blocks.clear_cache()
    for cache in (_metrics, _rows_cache, _columns, _sifted, _withdrawn, _configurations, _workloads):
        cache.clear()


def count_metrics(version: int, sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """How many values and how many rows each metric has, in each set of scopes. At most two queries."""
    found = [_metrics.get((version, scopes)) for scopes in sets]
    missing = [scopes for scopes, one in zip(sets, found, strict=True) if one is None]
    if missing:
        told = zip(missing, blocks.count_metrics(missing), strict=True)
        new = {scopes: _metrics.put((version, scopes), one) for scopes, one in told}
        found = [new[scopes] if one is None else one for scopes, one in zip(sets, found, strict=True)]
    return found


class MetricRows:
    """The rows of one metric in some scopes, in the order of their ids. A row is made when somebody looks at it."""

    def __init__(self, metric: str, ids: Sequence[tuple[int, int]], n: Sequence[int], texts: tuple[Sided, Sided]) -> None:
        self.metric, self.ids, self.n, self.texts = metric, ids, n, texts
        self.made: dict[int, SummaryRow] = {}

    def row(self, at: int) -> SummaryRow:
        """The row of that place; the same one each time."""
        found = self.made.get(at)
        if found is None:
            configuration, workload = self.ids[at]
            texts = Texts(self.texts[0][configuration], self.texts[1][workload])
            # Two threads may come here together: both take the one that was there first.
            found = self.made.setdefault(at, SummaryRow(self.metric, configuration, workload, self.n[at], texts))
        return found

    @property
    def weight(self) -> int:
        """Rows and the values that they hold."""
        return len(self.ids) + sum(len(row.ids) for row in list(self.made.values())) + 1


Sided = Mapping[int, Mapping[str, str]]
"""The texts of configurations, or of workloads, by id."""


def shelves(version: int, sets: Sequence[ScopeSet], names: Sequence[str]) -> list[list[MetricRows]]:
    """Per set the rows of each metric, with dimensions and counts. At most 3 queries."""
    found = {(scopes, name): _rows_cache.get((version, scopes, name)) for scopes in sets for name in names}
    missing = list(dict.fromkeys(scopes for (scopes, _), one in found.items() if one is None))
    if missing:
        wanted = sorted({name for (_, name), one in found.items() if one is None})
        there = {name for counts in count_metrics(version, missing) for name in counts}
        told: dict[tuple[ScopeSet, str], blocks.Counted] = {(scopes, name): ([], [], []) for scopes in missing for name in wanted}
        told |= blocks.read_rows(missing, there.intersection(wanted))
        texts = read_texts({c for some, _, _ in told.values() for c in some}, {w for _, some, _ in told.values() for w in some})
        for (scopes, name), (configurations, workloads, n) in told.items():
            if found.get((scopes, name)) is None:
                made = MetricRows(name, list(zip(configurations, workloads, strict=True)), n, texts)
                found[scopes, name] = _rows_cache.put((version, scopes, name), made)
    return [[shelf for name in names if (shelf := found[scopes, name]) is not None] for scopes in sets]


def read_rows(version: int, sets: Sequence[ScopeSet], names: Sequence[str]) -> list[list[SummaryRow]]:
    """Per set one row per metric, configuration and workload, with dimensions and counts. At most 3 queries."""
    return [[shelf.row(at) for shelf in some for at in range(len(shelf.ids))] for some in shelves(version, sets, names)]


def read_columns(version: int, scopes: ScopeSet, names: tuple[str, ...]) -> Columns:
    """The same rows of one set by columns; those that nobody looks at are never made."""
    found = _columns.get((version, scopes, names))
    if found is None:
        [some] = shelves(version, [scopes], names)
        made = _by_columns(some)
        found = _columns.put((version, scopes, names), made)
    return found


def _by_columns(some: Sequence[MetricRows]) -> Columns:
    texts = [
        ({at: shelf.texts[side][at] for at in dict.fromkeys(pair[side] for pair in shelf.ids)})
        for shelf in some
        for side in (CONFIGURATION_INDEX, WORKLOADS)
    ]
    sides = RowDimensions(
        (shelf.metric for shelf in some),
        *([one for told in texts[side::2] for one in told.values()] for side in (CONFIGURATION_INDEX, WORKLOADS)),
    )
    lines, places = [], [(shelf, at) for shelf in some for at in range(len(shelf.ids))]
    for side in (CONFIGURATION_INDEX, WORKLOADS):
        lines.append(sides.places(side, (shelf.texts[side][pair[side]] for shelf in some for pair in shelf.ids)))
    metric = {name: at for at, name in enumerate(sides.metrics)}
    lines.append(np.repeat([metric[shelf.metric] for shelf in some], [len(shelf.ids) for shelf in some]).astype(np.intp))
    n = np.fromiter((n for shelf in some for n in shelf.n), np.int64, len(places))

    def row(at: int) -> SummaryRow:
        shelf, place = places[at]
        return shelf.row(place)

    return Columns.made_when_asked(row, sides, np.array(lines, np.intp).reshape(3, -1), n)


def read_texts(wanted: Iterable[int], works: Iterable[int]) -> tuple[Sided, Sided]:
    """The texts of configurations and workloads by id. At most one query, but for rare cases of blocks (`dimensionblocks`)."""
    configurations = {at: _configurations.get(at) for at in wanted}
    workloads = {at: _workloads.get(at) for at in works}
    missing = [sorted(at for at, texts in known.items() if texts is None) for known in (configurations, workloads)]
    for side, row in dimension_blocks.read_dimension_rows(*missing):
        if side == CONFIGURATION_INDEX:
            configurations[row["id"]] = _configurations.put(row["id"], configuration_texts(row))
        else:
            workloads[row["id"]] = _workloads.put(row["id"], workload_texts(row, row["params"]))
    return configurations, workloads


def read_withdrawn(version: int, scopes: ScopeSet, names: Sequence[str]) -> list[tuple[SummaryRow, str]]:
    """Values of these metrics that were taken out of the scopes, alone or with their file, as rows with the reason.

    At most three queries.
    """
    key = (version, scopes, tuple(names))
    found = _withdrawn.get(key)
    if found is None:
        told = queries.withdrawn(scopes, names)
        configurations, workloads = read_texts({c for _, c, _, _, _ in told}, {w for _, _, w, _, _ in told})
        found = _withdrawn.put(
            key, [(SummaryRow(name, c, w, n, Texts(configurations[c], workloads[w])), reason) for name, c, w, reason, n in told]
        )
    return found


def read_json(value: str | dict) -> dict:
    """A JSON column as the cursor gives it, which depends on who set up the connection."""
    return json.loads(value) if isinstance(value, str) else value


_IDS = operator.attrgetter("ids")


def fill_values(version: int, asked: Sequence[tuple[ScopeSet, list[SummaryRow]]]) -> list[list[SummaryRow]]:
    """The rows of each set, which are ours, with their values; those of several scopes put together. At most one query.

    The same list where every row has values. What has gone meanwhile is left out: a reader never sees half of a change.
    """
    missing = [
        ((at, row.metric, row.configuration, row.workload), row)
        for at, (_, rows) in enumerate(asked)
        for row in rows
        if not row.ids
    ]
    if missing:
        found = _folds([scopes for scopes, _ in asked], [key for key, _ in missing])
        for key, row in missing:
            if key in found:
                _put_in(row, found[key])
        for at, name in {key[:2] for key, _ in missing}:
            _weigh((version, asked[at][0], name))
    return [rows if all(map(_IDS, rows)) else [row for row in rows if row.ids] for _, rows in asked]


def _folds(sets: Sequence[ScopeSet], keys: Sequence[tuple[int, str, int, int]]) -> dict[tuple[int, str, int, int], Aggregate]:
    metric = blocks.metric_ids(name for _, name, _, _ in keys)
    asked = [
        (at, scope, metric[name], configuration, workload)
        for at, (number, name, configuration, workload) in enumerate(keys)
        for scope in sets[number]
        if name in metric
    ]
    found: dict[tuple[int, str, int, int], Aggregate] = {}
    for at, n, mean, m2, low, high, values, ids, histogram in queries.values(asked):
        fold = Aggregate(n, mean, m2, low, high, values, ids, read_json(histogram) if histogram else None)
        found[keys[at]] = summary_writer.merge(found[keys[at]], fold) if keys[at] in found else fold
    return found


def _put_in(row: SummaryRow, fold: Aggregate) -> None:
    """Ids last: by them another thread sees that the row is whole."""
    row.n, row.mean, row.m2, row.low, row.high = fold.n, fold.mean, fold.m2, fold.low, fold.high
    row.values, row.histogram = fold.values, fold.histogram
    row.ids = fold.ids


def _weigh(key: tuple) -> None:
    """Values count as the rows do, where the rows are kept still."""
    made = _rows_cache.get(key)
    if made is not None:
        _rows_cache.put(key, made)


def with_source(row: SummaryRow, source: str) -> SummaryRow:
    """A copy of the row as one of another source."""
    made = row.copy()
    made.texts = Texts(row.texts.configuration, {**row.texts.workload, SOURCE: source})
    return made


@dataclass(frozen=True, slots=True)
class FilteredRows:
    """The rows of some metrics, those that pass the filters, what can be chosen, and in what any of the rows differ."""

    rows: Columns
    passing: Columns
    facets: list[Facet]
    varying: frozenset[str]


def cached_filtered_rows(key: tuple, make: Callable[[], FilteredRows]) -> FilteredRows:
    """What has been sifted by this key before, else what `make` gives."""
    found = _sifted.get(key)
    return found if found is not None else _sifted.put(key, make())
