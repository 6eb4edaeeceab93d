"""Rows of the summary with their dimensions, cached in the process until the data change.

Cache keys hold the data version and the scopes; configurations and workloads are rows that never change under their id.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from webapp.comparison.dimensions import SOURCE, ConfigurationTexts, configuration_texts, open_texts, workload_texts
from webapp.comparison.summary import blocks, queries
from webapp.comparison.summary.blocks import ScopeSet
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, METRIC_INDEX, WORKLOAD_INDEX, Columns, RowDimensions
from webapp.comparison.summary.row import AbsentRows, SummaryRow, Texts, UnmeasuredRow, UnmeasuredRun, set_aggregate
from webapp.http.process_cache import ProcessCache
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

TextsById = Mapping[int, Mapping[str, str]]
"""The dimensions of configurations, or of workloads, by id."""
MAX_ABSENT = 200_000
"""Rows of withdrawn values and values that could not be measured, in the cache of these."""
MAX_ROWS, MAX_FILTERED, MAX_DIMENSIONS, MAX_COUNTS = 400_000, 400_000, 50_000, 1_000_000
"""Sizes of the caches: rows and their values, references to rows, rows of either dimension table, and rows that are counted."""


class MetricRows:
    """The rows of one metric in some scopes, in the order of their ids. A row is made on first access."""

    def __init__(self, metric: str, ids: Sequence[tuple[int, int]], n: Sequence[int], texts: tuple[TextsById, TextsById]) -> None:
        self.metric, self.ids, self.n, self.texts = metric, ids, n, texts
        self.made: dict[int, SummaryRow] = {}

    def row(self, position: int) -> SummaryRow:
        """The row of that position; the same object each time."""
        row = self.made.get(position)
        if row is None:
            configuration, workload = self.ids[position]
            texts = Texts(self.texts[0][configuration], self.texts[1][workload])
            # Of two threads that come here together both return the row of the first.
            row = self.made.setdefault(position, SummaryRow(self.metric, configuration, workload, self.n[position], texts))
        return row

    @property
    def weight(self) -> int:
        """The number of rows and of the values read for them."""
        return len(self.ids) + sum(len(row.ids) for row in list(self.made.values())) + 1


_metrics_cache = ProcessCache(64)
_absent_cache = ProcessCache(MAX_ABSENT, lambda absent: absent.weight)
_rows_cache = ProcessCache(MAX_ROWS, lambda metric_rows: metric_rows.weight)
_columns_cache = ProcessCache(MAX_FILTERED, lambda columns: len(columns) + 1)
_configurations_cache, _workloads_cache = ProcessCache(MAX_DIMENSIONS), ProcessCache(MAX_DIMENSIONS)
_open_cache = ProcessCache(MAX_DIMENSIONS)
_counts_cache = ProcessCache(MAX_COUNTS, lambda columns: len(columns) + 1)


def count_metrics(version: int, sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """(values, rows) of each metric, in each set of scopes. At most two queries."""
    counts = {scopes: _metrics_cache.get((version, scopes)) for scopes in sets}
    missing = [scopes for scopes in sets if counts[scopes] is None]
    if missing:
        for scopes, counted in zip(missing, blocks.count_metrics(missing), strict=True):
            counts[scopes] = _metrics_cache.put((version, scopes), counted)
    return [counts[scopes] for scopes in sets]


def read_metric_rows(
    version: int, sets: Sequence[ScopeSet], names: Sequence[str], more: tuple[Iterable[int], Iterable[int]] = ((), ())
) -> list[list[MetricRows]]:
    """The rows of each metric in each set of scopes, with dimensions and counts. At most 3 queries.

    `more`: configurations and workloads whose dimensions will be needed too; where rows have to be read, they are in one query.
    """
    cached = {(scopes, name): _rows_cache.get((version, scopes, name)) for scopes in sets for name in names}
    missing = list(dict.fromkeys(scopes for (scopes, _), rows in cached.items() if rows is None))
    if missing:
        wanted = sorted({name for (_, name), rows in cached.items() if rows is None})
        counted = _read_counted_rows(version, missing, wanted)
        texts = read_texts(
            {*more[0], *(configuration for configurations, _, _ in counted.values() for configuration in configurations)},
            {*more[1], *(workload for _, workloads, _ in counted.values() for workload in workloads)},
        )
        for (scopes, name), (configurations, workloads, n) in counted.items():
            if cached.get((scopes, name)) is None:
                made = MetricRows(name, list(zip(configurations, workloads, strict=True)), n, texts)
                cached[scopes, name] = _rows_cache.put((version, scopes, name), made)
    return [[rows for name in names if (rows := cached[scopes, name]) is not None] for scopes in sets]


def _read_counted_rows(
    version: int, sets: Sequence[ScopeSet], names: Sequence[str]
) -> dict[tuple[ScopeSet, str], blocks.CountedRows]:
    """Ids and counts of the rows of each set and metric, empty lists where there are none."""
    existing = {name for counts in count_metrics(version, sets) for name in counts}
    counted: dict[tuple[ScopeSet, str], blocks.CountedRows] = {(scopes, name): ([], [], []) for scopes in sets for name in names}
    return counted | blocks.read_rows(sets, existing.intersection(names))


def read_rows(version: int, sets: Sequence[ScopeSet], names: Sequence[str]) -> list[list[SummaryRow]]:
    """Per set one row per metric, configuration and workload, with dimensions and counts. At most 3 queries."""
    return [
        [metric_rows.row(position) for metric_rows in by_metric for position in range(len(metric_rows.ids))]
        for by_metric in read_metric_rows(version, sets, names)
    ]


def read_columns(version: int, scopes: ScopeSet, names: tuple[str, ...]) -> Columns:
    """The rows of one set as columns; each row is made on first access. At most 3 queries."""
    columns = _columns_cache.get((version, scopes, names))
    if columns is None:
        [by_metric] = read_metric_rows(version, [scopes], names)
        columns = _columns_cache.put((version, scopes, names), _make_columns(by_metric))
    return columns


def _make_columns(by_metric: Sequence[MetricRows]) -> Columns:
    tables, indices = [], []
    for line in (CONFIGURATION_INDEX, WORKLOAD_INDEX):
        ids = [pair[line] for rows in by_metric for pair in rows.ids]
        found = {entry: rows.texts[line][entry] for rows in by_metric for entry in dict.fromkeys(pair[line] for pair in rows.ids)}
        positions = {entry: position for position, entry in enumerate(found)}  # each id has an object of its own
        tables.append(list(found.values()))
        indices.append(np.fromiter(map(positions.__getitem__, ids), np.intp, len(ids)))
    dimensions = RowDimensions((rows.metric for rows in by_metric), *tables)
    indices.append(np.repeat(dimensions.metric_positions(rows.metric for rows in by_metric), [len(rows.ids) for rows in by_metric]))
    places = [(rows, position) for rows in by_metric for position in range(len(rows.ids))]
    n = np.fromiter((n for rows in by_metric for n in rows.n), np.int64, len(places))

    def make_row(index: int) -> SummaryRow:
        rows, position = places[index]
        return rows.row(position)

    return Columns.lazy(make_row, dimensions, np.array(indices, np.intp).reshape(3, -1), n)


def read_counts(version: int, scopes: ScopeSet, names: tuple[str, ...]) -> Columns:
    """The rows of many metrics as columns for counting: as `read_columns`, in arrays alone, so that a million rows take a
    second to read and 32 MB to keep. At most 4 queries."""
    columns = _counts_cache.get((version, scopes, names))
    if columns is None:
        entries = {name: rows for (_, name), rows in blocks.read_arrays([scopes], names).items()}
        columns = _counts_cache.put((version, scopes, names), _count_columns(entries))
    return columns


def _count_columns(entries: dict[str, np.ndarray]) -> Columns:
    """Columns from configurations, workloads and counts of each metric. Empties `entries`, and works in place, for memory."""
    sizes = {name: rows.shape[1] for name, rows in entries.items()}
    ends = np.cumsum([0, *sizes.values()])
    indices = np.empty((3, ends[-1]), np.intp)
    for first, end, name in zip(ends, ends[1:], sizes, strict=False):
        indices[:, first:end] = entries.pop(name)
    n = indices[METRIC_INDEX].copy()
    indices[METRIC_INDEX] = np.repeat(np.arange(len(sizes)), list(sizes.values()))
    ids: list[list[int]] = []
    for line in (CONFIGURATION_INDEX, WORKLOAD_INDEX):
        distinct, inverse = np.unique(indices[line], return_inverse=True)
        indices[line] = inverse.reshape(-1)
        ids.append(distinct.tolist())
    texts = read_texts(*ids)
    dimensions = RowDimensions(sizes, *([texts[line][entry] for entry in ids[line]] for line in range(2)))

    @lru_cache(None)
    def make_row(index: int) -> SummaryRow:
        configuration, workload, metric = indices[:, index].tolist()
        pair = ids[CONFIGURATION_INDEX][configuration], ids[WORKLOAD_INDEX][workload]
        return SummaryRow(dimensions.metrics[metric], *pair, int(n[index]), Texts(texts[0][pair[0]], texts[1][pair[1]]))

    return Columns.lazy(make_row, dimensions, indices, n)


def read_texts(configuration_ids: Iterable[int], workload_ids: Iterable[int]) -> tuple[Mapping[int, ConfigurationTexts], TextsById]:
    """The dimensions of configurations and workloads by id. At most two queries, see `blocks`; one more for open keys."""
    configurations = {configuration: _configurations_cache.get(configuration) for configuration in configuration_ids}
    workloads = {workload: _workloads_cache.get(workload) for workload in workload_ids}
    missing = [sorted(entry for entry, texts in known.items() if texts is None) for known in (configurations, workloads)]
    with_open: list[tuple[int, int, ConfigurationTexts]] = []
    for line, row in blocks.read_dimension_rows(*missing):
        if line != CONFIGURATION_INDEX:
            workloads[row["id"]] = _workloads_cache.put(row["id"], workload_texts(row, row["params"]))
            continue
        texts = configurations[row["id"]] = configuration_texts(row)
        if row.get("open_id") is None:
            _configurations_cache.put(row["id"], texts)
        else:
            with_open.append((row["id"], row["open_id"], texts))
    open_sets = _read_open_sets({open_id for _, open_id, _ in with_open})
    for configuration, open_id, texts in with_open:
        texts.open = open_sets[open_id]
        _configurations_cache.put(configuration, texts)
    return configurations, workloads


def _read_open_sets(ids: Iterable[int]) -> dict[int, Mapping[str, str]]:
    """The open keys of these rows of open properties, the same object each time. One query where one is not cached."""
    sets = {open_id: _open_cache.get(open_id) for open_id in ids}
    missing = [open_id for open_id, texts in sets.items() if texts is None]
    for open_id, values in queries.read_open_properties(missing) if missing else ():
        sets[open_id] = _open_cache.put(open_id, open_texts(read_json(values)))
    return sets


def read_absent(version: int, sets: Sequence[ScopeSet], names: Sequence[str], others: Sequence[str] = ()) -> AbsentRows:
    """The values of these metrics in any of the sets of scopes that were withdrawn, alone or with their file, and those that
    could not be measured.

    At most two queries; where the usual rows of these metrics and of `others` are not cached, they are read with them.
    """
    scopes = tuple(sorted({scope for scope_set in sets for scope in scope_set}))
    key = (version, scopes, tuple(names))
    absent = _absent_cache.get(key)
    if absent is None:
        withdrawn, unmeasured = queries.read_absent(scopes, names)
        ids = [{row[line] for row in (*withdrawn, *unmeasured)} for line in (1, 2)]
        read_metric_rows(version, sets, [*names, *others], (ids[0], ids[1]))
        configurations, workloads = read_texts(*ids)

        absent = AbsentRows([], [])
        for name, configuration, workload, reason, n in withdrawn:
            texts = Texts(configurations[configuration], workloads[workload])
            absent.withdrawn.append((SummaryRow(name, configuration, workload, n, texts), reason))
        for row in unmeasured:
            absent.unmeasured.append(_make_unmeasured(row, Texts(configurations[row[1]], workloads[row[2]])))
        _absent_cache.put(key, absent)
    return absent


def _make_unmeasured(row: tuple, texts: Texts) -> UnmeasuredRow:
    metric, configuration, workload, reason, bound, side, machine, archives, runs, sessions, ids = row
    places = tuple(
        UnmeasuredRun(archive, run, session or -archive, machine or -archive, pk)
        for archive, run, session, pk in zip(archives, runs, sessions, ids, strict=True)
    )
    return UnmeasuredRow(metric, configuration, workload, texts, reason, bound=bound, side=side or "", runs=places)


def read_json(value: str | dict) -> dict:
    """A JSON column, which cursors of some connections return as text."""
    return json.loads(value) if isinstance(value, str) else value


_ids = operator.attrgetter("ids")


def fill_values(version: int, sets: Sequence[tuple[ScopeSet, list[SummaryRow]]]) -> list[list[SummaryRow]]:
    """The rows of each set with their values, merged over its scopes. At most one query.

    Changes the rows, which this module made; returns the same list where every row has values. Rows deleted meanwhile
    are omitted: a reader never sees half of a change.
    """
    missing = [
        ((number, row.metric, row.configuration, row.workload), row)
        for number, (_, rows) in enumerate(sets)
        for row in rows
        if not row.ids
    ]
    if missing:
        aggregates = _read_aggregates([scopes for scopes, _ in sets], [key for key, _ in missing])
        for key, row in missing:
            if key in aggregates:
                set_aggregate(row, aggregates[key])
        for number, name in {key[:2] for key, _ in missing}:
            _update_weight((version, sets[number][0], name))
    return [rows if all(map(_ids, rows)) else [row for row in rows if row.ids] for _, rows in sets]


def _read_aggregates(
    sets: Sequence[ScopeSet], keys: Sequence[tuple[int, str, int, int]]
) -> dict[tuple[int, str, int, int], Aggregate]:
    """Aggregates by (number of a set, metric, configuration, workload), merged over the scopes of the set."""
    metric_ids = blocks.metric_ids(name for _, name, _, _ in keys)
    rows = queries.read_values(
        (position, scope, metric_ids[name], configuration, workload)
        for position, (number, name, configuration, workload) in enumerate(keys)
        for scope in sets[number]
        if name in metric_ids
    )
    merged: dict[tuple[int, str, int, int], Aggregate] = {}
    for position, n, mean, m2, low, high, values, ids, histogram in rows:
        key = keys[position]
        aggregate = Aggregate(n, mean, m2, low, high, values=values, ids=ids, histogram=read_json(histogram) if histogram else None)
        merged[key] = summary_writer.merge(merged[key], aggregate) if key in merged else aggregate
    return merged


def _update_weight(key: tuple) -> None:
    """Count the values of cached rows."""
    rows = _rows_cache.get(key)
    if rows is not None:
        _rows_cache.put(key, rows)


def with_source(row: SummaryRow, source: str) -> SummaryRow:
    """A copy of the row with another value of the dimension `source`."""
    copy = row.copy()
    copy.texts = texts_of_source(row.texts, source)
    return copy


def texts_of_source(texts: Texts, source: str) -> Texts:
    return Texts(texts.configuration, {**texts.workload, SOURCE: source})
