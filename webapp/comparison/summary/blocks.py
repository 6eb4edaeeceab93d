"""Counts of the summary's rows from blocks of a log: of each metric in a set of scopes, and row by row.

Where a metric has many rows, they are in a file (`column_files`), and only blocks that are younger are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from webapp.comparison.summary import column_files, queries
from webapp.comparison.summary.columns import renumber
from webapp.http.process_cache import MB, ProcessCache

ScopeSet = tuple[int, ...]
"""Scopes of the summary whose rows are merged."""
MIN_FILED = 4_000
"""Rows of a metric in a scope from which they are kept in a file."""
_SHARE = 8
"""A file is written anew when more than an eighth of its rows have changed."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The rows of a metric in some scopes at a data version: an array of three lines, configurations, workloads and counts, in the
    order of the first two. `blocks`: what they were made from. `filed`: how many of them a file has, `changed` since then."""

    version: int
    blocks: frozenset[str]
    rows: np.ndarray
    filed: int = 0
    changed: int = 0


_entries = ProcessCache(24 * MB, lambda entries: 200 + entries.rows.nbytes * entries.rows.flags.writeable)

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


def read_entries(
    version: int, sets: Sequence[ScopeSet], names: Iterable[str], *, many: bool = False
) -> dict[tuple[ScopeSet, str], Entries]:
    """The rows of each metric in each set of scopes, merged over its scopes; no entry where there are none.

    A query where this version of them is new to this process; two where a metric is. `many`: whether it is worth to look for files.
    """
    name_of = {metric: name for name, metric in metric_ids(names).items()}
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
        queries.read_count_blocks(sorted(scopes), sorted(metrics), sorted(seen)), key=itemgetter(2)
    ):
        if (scope, metric) in found:
            found[scope, metric].append(tuple(block))
    result = {}
    for key, of_key in found.items():
        result[key] = _entries.put(key, _fold(version, key, known[key], of_key))
    return result


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


def occurring(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ids in the order in which they first occur, and for each id its place among these."""
    lowest = ids.min(initial=np.iinfo(np.int64).max) if len(ids) else 0
    codes, count = renumber(ids - lowest)
    first = np.zeros(count, np.intp)
    first[codes[::-1]] = np.arange(len(ids))[::-1]
    order = np.argsort(first, kind="stable")
    rank = np.empty(count, np.intp)
    rank[order] = np.arange(count)
    return ids[first[order]], rank[codes]
