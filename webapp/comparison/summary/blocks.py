"""Counts of the summary's rows from blocks of a log: of each metric in a set of scopes, and row by row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from webapp.comparison.summary import queries

# Reads rows of configurations and workloads: by blocks where many adjacent ones are needed, else by key.

Row = Mapping[str, Any]
"""A row by its columns."""
MAX_BY_KEY = 8
"""Rows that are read by key without a look at the blocks."""


def read_dimension_rows(configurations: Sequence[int], workloads: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """(0, row) of these configurations and (1, row) of these workloads, each once.

    One query; two where a needed block is not among those that are worth reading. An iterator, since a block has many
    long rows of which callers keep little.
    """
    missing = set(configurations), set(workloads)
    if max(map(len, missing)) > MAX_BY_KEY:
        yield from _take_missing(_parse_rows(queries.read_dimensions_by_blocks(*missing)), missing)
    if any(missing):
        yield from _take_missing(_parse_rows(queries.read_dimensions_by_key(*missing)), missing)


def _take_missing(rows: Iterable[tuple[int, Row]], missing: tuple[set[int], set[int]]) -> Iterator[tuple[int, Row]]:
    """(table, row) of the rows whose id is in `missing[table]` (0 configurations, 1 workloads); each id is removed from it."""
    for table, row in rows:
        if row["id"] in missing[table]:
            missing[table].remove(row["id"])
            yield table, row


def _parse_rows(records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Row]]:
    """(table, row) of every row; a record's JSON is a row or a list of rows."""
    for table, text in records:
        rows = json.loads(text)
        for row in rows if isinstance(rows, list) else [rows]:
            yield table, row


ScopeSet = tuple[int, ...]
"""Scopes of the summary whose rows are merged."""
CountedRows = tuple[list[int], list[int], list[int]]
"""Configurations, workloads and numbers of values of some rows, in the order of the ids."""

_metric_names: Mapping[int, str] = {}
"""Cache of metric names by id. Metrics are never removed. Replaced, never changed in place: other threads read it."""


def _add_names(rows: Iterable[tuple[int, str]]) -> None:
    global _metric_names
    _metric_names = {**_metric_names, **dict(rows)}


def _names_of(ids: Iterable[int]) -> Mapping[int, str]:
    """Names of metrics by id, of these at least. A query where one of them is not cached."""
    if not _metric_names.keys() >= set(ids):
        _add_names(queries.read_metric_names())
    return _metric_names


def metric_ids(names: Iterable[str]) -> dict[str, int]:
    """Ids of the metrics that have one. A query where one of them is not cached."""
    wanted = set(names)
    if not wanted <= set(_metric_names.values()):
        _add_names(queries.read_metric_names())
    return {name: metric for metric, name in _metric_names.items() if name in wanted}


def count_metrics(sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """(values, rows) of each metric, in each set of scopes. A query, two where a metric is new."""
    # The names come along where this process has none yet.
    counted = queries.read_counts(_all_scopes(sets), with_names=not _metric_names)
    for _, metrics, _, _, metric_names in counted:
        _add_names(zip(metrics, metric_names or (), strict=False))
    names = _names_of(metric for _, metrics, *_ in counted for metric in metrics)
    result: list[dict[str, tuple[int, int]]] = [{} for _ in sets]
    for scope, *columns, _ in counted:
        for scopes, counts in zip(sets, result, strict=True):
            if scope in scopes:
                for metric, n, rows in zip(*columns, strict=True):
                    previous = counts.get(names[metric], (0, 0))
                    counts[names[metric]] = previous[0] + n, previous[1] + rows
    return result


def read_rows(sets: Sequence[ScopeSet], names: Iterable[str]) -> dict[tuple[ScopeSet, str], CountedRows]:
    """The rows of each metric in each set of scopes, merged over its scopes; no entry where there are none.

    A query; two where a metric is new to this process.
    """
    return {key: tuple(entries.tolist()) for key, entries in read_arrays(sets, names).items()}


def read_arrays(sets: Sequence[ScopeSet], names: Iterable[str]) -> dict[tuple[ScopeSet, str], np.ndarray]:
    """As `read_rows`, as arrays of three lines."""
    name_of = {metric: name for name, metric in metric_ids(names).items()}
    if not name_of:
        return {}
    blocks: dict[tuple[int, int], list[tuple[str, str, str]]] = {}
    for scope, metric, _, *columns in sorted(queries.read_count_blocks(_all_scopes(sets), list(name_of)), key=itemgetter(2)):
        blocks.setdefault((scope, metric), []).append(tuple(columns))
    # Texts are given up one by one: a million rows have 20 MB of them.
    entries = {key: _latest_entries(blocks.pop(key)) for key in list(blocks)}
    result = {}
    for scopes in sets:
        for metric, name in name_of.items():
            by_scope = [entries[scope, metric] for scope in scopes if (scope, metric) in entries]
            if by_scope:
                result[scopes, name] = _merge_scopes(by_scope)
    return result


def _all_scopes(sets: Iterable[ScopeSet]) -> list[int]:
    return sorted({scope for scopes in sets for scope in scopes})


def _latest_entries(blocks: Iterable[Sequence[str]]) -> np.ndarray:
    """The last entry of each row in the blocks, the earliest block first, as three lines in the order of the rows.

    A block has three arrays as text. A row whose last entry counts 0 values has been deleted and is omitted.
    """
    backwards = np.array(
        [np.fromstring(",".join([text[1:-1] for text in column]), np.int64, sep=",") for column in zip(*blocks, strict=True)]
    )[:, ::-1]
    _, last = np.unique(_row_numbers(backwards), return_index=True)
    entries = backwards[:, last]
    return entries[:, entries[2] > 0]


def _merge_scopes(entries_by_scope: Sequence[np.ndarray]) -> np.ndarray:
    """The rows of several scopes, each with the sum of its counts."""
    entries = entries_by_scope[0]
    if len(entries_by_scope) > 1:
        entries = np.concatenate(entries_by_scope, 1)
        _, first, row = np.unique(_row_numbers(entries), return_index=True, return_inverse=True)
        sums = np.zeros(len(first), np.int64)
        np.add.at(sums, row.reshape(-1), entries[2])
        entries = np.array([*entries[:2, first], sums])
    return entries


def _row_numbers(entries: np.ndarray) -> np.ndarray:
    """A number for each pair of configuration and workload, in their order."""
    return entries[0] * (entries[1].max(initial=0) + 1) + entries[1]
