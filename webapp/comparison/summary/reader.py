"""Rows of the summary with their dimensions, as columns; cached in the process until the data change.

A cache of rows is known by the blocks of counts that it was made from: a change of one metric leaves what is known of the others.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from webapp.comparison.dimensions import SOURCE, ConfigurationTexts
from webapp.comparison.summary import blocks, dimension_tables, queries
from webapp.comparison.summary.blocks import ScopeSet
from webapp.comparison.summary.columns import Columns, RowDimensions
from webapp.comparison.summary.row import AbsentRows, SummaryRow, Texts, UnmeasuredRow, UnmeasuredRun, set_aggregate
from webapp.http.process_cache import MB, ProcessCache
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

TextsById = Mapping[int, Mapping[str, str]]
"""The dimensions of configurations, or of workloads, by id."""
MAX_ROWS = 1_000_000
"""Rows of the metrics that are searched together."""
_ABSENT_BYTES = 200

_metrics_cache = ProcessCache(64)
_absent_cache = ProcessCache(8 * MB, lambda absent: absent.weight * _ABSENT_BYTES)
_columns_cache = ProcessCache(32 * MB, lambda columns: columns.nbytes + columns.dimensions.nbytes)
_made_from: ProcessCache = ProcessCache(1_000)
"""What the columns of a data version, some scopes and metrics were made from."""


def count_metrics(version: int, sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """(values, rows) of each metric, in each set of scopes. At most two queries."""
    counts = {scopes: _metrics_cache.get((version, scopes)) for scopes in sets}
    missing = [scopes for scopes in sets if counts[scopes] is None]
    if missing:
        for scopes, counted in zip(missing, blocks.count_metrics(missing), strict=True):
            counts[scopes] = _metrics_cache.put((version, scopes), counted)
    return [counts[scopes] for scopes in sets]


def prefetch(
    version: int, sets: Sequence[ScopeSet], names: Iterable[str], more: tuple[Iterable[int], Iterable[int]] = ((), ())
) -> None:
    """Read what columns of each of these metrics and sets of scopes are made from, in at most four queries; what follows finds it.

    `more`: configurations and workloads whose dimensions will be needed too; where rows have to be read, they are in one query.
    """
    wanted = [(scopes, (name,)) for scopes in sets for name in names]
    if all(_made_from.get((version, scopes, of_one)) is not None for scopes, of_one in wanted):
        return
    entries = _read_entries(version, sets, names)
    ids = [[np.fromiter(some, np.int64)] for some in more]
    for line, of_line in enumerate(ids):
        of_line += [one.rows[line] for one in entries.values()]
    dimension_tables.read_rows([blocks.occurring(np.concatenate(of_line))[0] for of_line in ids])


def _read_entries(version: int, sets: Sequence[ScopeSet], names: Iterable[str]) -> dict[tuple[ScopeSet, str], blocks.Entries]:
    counted = count_metrics(version, sets)
    existing = {name for counts in counted for name in counts}
    many = max((rows for counts in counted for _, rows in counts.values()), default=0) >= blocks.MIN_FILED
    return blocks.read_entries(version, sets, existing.intersection(names), many=many)


def read_columns(version: int, scopes: ScopeSet, names: tuple[str, ...]) -> Columns:
    """The rows of one set as columns; each row is made on first access. At most five queries."""
    of = (version, scopes, names)
    made_from = _made_from.get(of)
    columns = None if made_from is None else _columns_cache.get(made_from)
    if columns is None:
        entries = {name: one for (_, name), one in _read_entries(version, [scopes], names).items()}
        ordered = [(name, entries[name]) for name in names if name in entries]
        made_from = _made_from.put(of, (scopes, names, tuple(one.blocks for _, one in ordered)))
        columns = _columns_cache.get(made_from)
        if columns is None:
            columns = _make_columns({name: one.rows for name, one in ordered})
            columns.key = made_from
            _columns_cache.put(made_from, columns)
    return columns


def _make_columns(entries: Mapping[str, np.ndarray]) -> Columns:
    """Columns from configurations, workloads and counts of each metric."""
    sizes = [rows.shape[1] for rows in entries.values()]
    indices = np.zeros((3, sum(sizes)), np.int32)
    ids = []
    for line in range(2):
        of_line = [rows[line] for rows in entries.values()]
        distinct, codes = blocks.occurring(np.concatenate(of_line) if of_line else np.zeros(0, np.int64))
        indices[line] = codes
        ids.append(distinct)
    indices[2] = np.repeat(np.arange(len(sizes)), sizes)
    n = np.concatenate([rows[2] for rows in entries.values()]) if entries else np.zeros(0, np.int64)
    parts = dimension_tables.read_rows(ids)
    dimensions = RowDimensions(entries, parts)

    @lru_cache(None)
    def make_row(index: int) -> SummaryRow:
        configuration, workload, metric = indices[:, index].tolist()
        texts = Texts(parts[0].texts(configuration), parts[1].texts(workload))
        return SummaryRow(dimensions.metrics[metric], int(ids[0][configuration]), int(ids[1][workload]), int(n[index]), texts)

    return Columns.lazy(make_row, dimensions, indices, n)


def read_rows(version: int, sets: Sequence[ScopeSet], names: Sequence[str]) -> list[list[SummaryRow]]:
    """Per set one row per metric, configuration and workload, with dimensions and counts. At most four queries."""
    prefetch(version, sets, names)
    return [[row for name in names for row in read_columns(version, scopes, (name,)).rows] for scopes in sets]


def read_texts(configuration_ids: Iterable[int], workload_ids: Iterable[int]) -> tuple[Mapping[int, ConfigurationTexts], TextsById]:
    """The dimensions of configurations and workloads by id. At most two queries, one more for open keys."""
    ids = [np.array(sorted(set(some)), np.int64) for some in (configuration_ids, workload_ids)]
    parts = dimension_tables.read_rows(ids)
    made: list[Any] = [{pk: part.texts(at) for at, pk in enumerate(some.tolist())} for some, part in zip(ids, parts, strict=True)]
    return made[0], made[1]


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
        prefetch(version, sets, [*names, *others], (ids[0], ids[1]))
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


def fill_values(sets: Sequence[tuple[ScopeSet, list[SummaryRow]]]) -> list[list[SummaryRow]]:
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


def with_source(row: SummaryRow, source: str) -> SummaryRow:
    """A copy of the row with another value of the dimension `source`."""
    copy = row.copy()
    copy.texts = texts_of_source(row.texts, source)
    return copy


def texts_of_source(texts: Texts, source: str) -> Texts:
    return Texts(texts.configuration, {**texts.workload, SOURCE: source})
