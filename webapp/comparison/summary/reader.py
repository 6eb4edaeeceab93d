"""Rows of the summary with their dimensions, as columns; cached in the process until the data change.

Rows are counted in blocks of a log. A cache of rows is known by the blocks that it was made from: a change of one metric leaves
what is known of the others. Where a metric has many rows, they are in a file (`column_files`), and only younger blocks are read.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from webapp.comparison.dimensions import SOURCE, ConfigurationTexts
from webapp.comparison.summary import column_files, dimension_tables, queries
from webapp.comparison.summary.columns import Columns, RowDimensions, occurring
from webapp.comparison.summary.row import AbsentRows, SummaryRow, Texts, UnmeasuredRow, UnmeasuredRun, set_aggregate
from webapp.http.process_cache import MB, ProcessCache
from webapp.storage.summary_writer import Aggregate, merge

ScopeSet = tuple[int, ...]
"""Scopes of the summary whose rows are merged."""
TextsById = Mapping[int, Mapping[str, str]]
"""The dimensions of configurations, or of workloads, by id."""
MAX_ROWS = 1_000_000
"""Rows of the metrics that are searched together."""
MIN_FILED = 4_000
"""Rows of a metric in a scope from which they are kept in a file."""
_SHARE = 8
"""A file is written anew when more than an eighth of its rows have changed."""
_ABSENT_BYTES = 200


@dataclass(frozen=True, slots=True)
class Entries:
    """The rows of a metric in some scopes at a data version: an array of three lines, configurations, workloads and counts, in the
    order of the first two. `blocks`: what they were made from. `filed`: how many of them a file has, `changed` since then."""

    version: int
    blocks: frozenset[str]
    rows: np.ndarray
    filed: int = 0
    changed: int = 0


_metrics_cache = ProcessCache(64)
_absent_cache = ProcessCache(8 * MB, lambda absent: absent.weight * _ABSENT_BYTES)
_columns_cache = ProcessCache(64 * MB, lambda columns: columns.nbytes + columns.dimensions.nbytes)
_entries = ProcessCache(24 * MB, lambda entries: 200 + entries.rows.nbytes * entries.rows.flags.writeable)
_made_from: ProcessCache = ProcessCache(1_000)
"""What the columns of a data version, some scopes and metrics were made from."""
_metric_names: Mapping[int, str] = {}
"""Cache of metric names by id. Metrics are never removed. Replaced, never changed in place: other threads read it."""


def count_metrics(version: int, sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """(values, rows) of each metric, in each set of scopes. At most two queries."""
    counts = {scopes: _metrics_cache.get((version, scopes)) for scopes in sets}
    missing = [scopes for scopes in sets if counts[scopes] is None]
    if missing:
        for scopes, counted in zip(missing, _read_counts(missing), strict=True):
            counts[scopes] = _metrics_cache.put((version, scopes), counted)
    return [counts[scopes] for scopes in sets]


def _read_counts(sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
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
    dimension_tables.read_rows([occurring(np.concatenate(of_line))[0] for of_line in ids])


def _read_entries(version: int, sets: Sequence[ScopeSet], names: Iterable[str]) -> dict[tuple[ScopeSet, str], Entries]:
    """The rows of each metric in each set of scopes, merged over its scopes; no entry where there are none.

    A query where this version of them is new to this process; two where a metric is.
    """
    counted = count_metrics(version, sets)
    existing = {name for counts in counted for name in counts}
    many = max((rows for counts in counted for _, rows in counts.values()), default=0) >= MIN_FILED
    name_of = {metric: name for name, metric in metric_ids(existing.intersection(names)).items()}
    scopes = _all_scopes(sets)
    known = {(scope, metric): _entries.get((scope, metric)) for scope in scopes for metric in name_of}
    stale = [key for key, one in known.items() if one is None or one.version != version]
    if stale:
        known |= _read_stale(version, stale, {key: known[key] or (_read_file(*key) if many else None) for key in stale})
    result = {}
    for of_set in sets:
        for metric, name in name_of.items():
            parts = [one for scope in of_set if (one := known[scope, metric]) is not None and one.rows.shape[1]]
            if parts:
                result[of_set, name] = _merge_scopes(parts)
    return result


def _read_stale(
    version: int, keys: Sequence[tuple[int, int]], known: Mapping[tuple[int, int], Entries | None]
) -> dict[tuple[int, int], Entries]:
    """The rows of these (scope, metric) at this version, from what is known of them and the blocks that are new."""
    seen = frozenset().union(*(one.blocks for one in known.values() if one is not None))
    found: dict[tuple[int, int], list[tuple]] = {key: [] for key in keys}
    scopes, metrics = ({key[part] for key in keys} for part in range(2))
    for scope, metric, *block in sorted(
        queries.read_count_blocks(sorted(scopes), sorted(metrics), sorted(seen)), key=operator.itemgetter(2)
    ):
        if (scope, metric) in found:
            found[scope, metric].append(tuple(block))
    return {key: _entries.put(key, _fold(version, key, known[key], of_key)) for key, of_key in found.items()}


def _fold(version: int, key: tuple[int, int], known: Entries | None, of_key: Sequence[tuple]) -> Entries:
    """`of_key`: (number, identity, configurations, workloads, counts) of each block, the last three None of blocks that were seen.

    Merged blocks have the entries of those that they replace, the latest of each row among them: applying them again over rows that
    had some of them gives the same. Where none of the known blocks is left, all of them are new: rows have been packed, and those
    deleted before that are in no block.
    """
    names = frozenset(identity for _, identity, *_ in of_key)
    new = [columns for _, _, *columns in of_key if columns[0] is not None]
    if known is None or not known.blocks & names:
        known, rows = Entries(version, names, np.zeros((3, 0), np.int64)), _latest_entries(new)
        rows = rows[:, rows[2] > 0]
    elif new:
        more = _latest_entries(new)
        known, rows = replace(known, changed=known.changed + more.shape[1]), _merge(known.rows, more)
    else:
        rows = known.rows
    size = rows.shape[1]
    entries = replace(known, version=version, blocks=names, rows=rows)
    if size >= MIN_FILED and (not known.filed or known.changed > known.filed // _SHARE):
        column_files.write(f"rows-{key[0]}-{key[1]}", sorted(names), [rows.reshape(-1)])
        filed = _read_file(*key)
        same = filed is not None and filed.blocks == names
        entries = replace(entries, rows=filed.rows if filed and same else rows, filed=size, changed=0)
    return entries


def _read_file(scope: int, metric: int) -> Entries | None:
    found = column_files.read(f"rows-{scope}-{metric}")
    if found is None:
        return None
    names, [rows] = found
    return Entries(-1, frozenset(names), rows.reshape(3, -1), filed=len(rows) // 3)


def _all_scopes(sets: Iterable[ScopeSet]) -> list[int]:
    return sorted({scope for scopes in sets for scope in scopes})


def _latest_entries(blocks: Sequence[Sequence[str]]) -> np.ndarray:
    """The last entry of each row in the blocks, the earliest block first, as three lines in the order of the rows.

    A block has three arrays as text. Rows whose last entry counts 0 values have been deleted.
    """
    if not blocks:
        return np.zeros((3, 0), np.int64)
    backwards = np.array(
        [np.fromstring(",".join([text[1:-1] for text in column]), np.int64, sep=",") for column in zip(*blocks, strict=True)]
    )[:, ::-1]
    return backwards[:, np.unique(_row_numbers(backwards), return_index=True)[1]]


def _merge(rows: np.ndarray, more: np.ndarray, *, add: bool = False) -> np.ndarray:
    """Rows with `more` ones, whose counts replace those of the same row, or are added; without those that count 0 then."""
    numbers, new = _row_numbers(rows), _row_numbers(more)
    at = np.searchsorted(numbers, new)
    is_known = np.append(numbers, -1)[at] == new
    merged = np.array(rows)
    merged[2, at[is_known]] = more[2, is_known] + (merged[2, at[is_known]] if add else 0)
    merged = np.insert(merged, at[~is_known], more[:, ~is_known], axis=1)
    return merged if merged[2].all() else merged[:, merged[2] > 0]


def _merge_scopes(parts: Sequence[Entries]) -> Entries:
    """The rows of several scopes, each with the sum of its counts."""
    if len(parts) == 1:
        return parts[0]
    first, *others = sorted(parts, key=lambda one: -one.rows.shape[1])
    rows = first.rows
    for other in others:
        rows = _merge(rows, other.rows, add=True)
    return Entries(first.version, frozenset().union(*(one.blocks for one in parts)), rows)


def _row_numbers(entries: np.ndarray) -> np.ndarray:
    """A number for each pair of configuration and workload, in their order."""
    return (entries[0] << 31) + entries[1]


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
        distinct, codes = occurring(np.concatenate(of_line) if of_line else np.zeros(0, np.int64))
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
    number_of = metric_ids(name for _, name, _, _ in keys)
    rows = queries.read_values(
        (position, scope, number_of[name], configuration, workload)
        for position, (number, name, configuration, workload) in enumerate(keys)
        for scope in sets[number]
        if name in number_of
    )
    merged: dict[tuple[int, str, int, int], Aggregate] = {}
    for position, n, mean, m2, low, high, values, ids, histogram in rows:
        key = keys[position]
        aggregate = Aggregate(n, mean, m2, low, high, values=values, ids=ids, histogram=read_json(histogram) if histogram else None)
        merged[key] = merge(merged[key], aggregate) if key in merged else aggregate
    return merged


def with_source(row: SummaryRow, source: str) -> SummaryRow:
    """A copy of the row with another value of the dimension `source`."""
    copy = row.copy()
    copy.texts = texts_of_source(row.texts, source)
    return copy


def texts_of_source(texts: Texts, source: str) -> Texts:
    return Texts(texts.configuration, {**texts.workload, SOURCE: source})
