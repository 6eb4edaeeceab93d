"""The counts of the summary's rows: of each metric in a set of scopes, and row by row from a log in few blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import numpy as np

from webapp.comparison.summary import queries

ScopeSet = tuple[int, ...]
"""Scopes of the summary that are put together."""
Counted = tuple[list[int], list[int], list[int]]
"""Configuration, workload and number of values of each row, in the order of the ids."""

_metric_names: Mapping[int, str] = {}
"""Metrics by their number, which are only ever added. Never changed in place: other threads read it."""


def clear_cache() -> None:
    """Forget everything: for tests, whose rolled back metrics are others the next time."""
    global _metric_names
    _metric_names = {}


def _learn(rows: Iterable[tuple[int, str]]) -> None:
    global _metric_names
    _metric_names = {**_metric_names, **dict(rows)}


def _read_names() -> None:
    _learn(queries.metric_names())


def _named(ids: Iterable[int]) -> Mapping[int, str]:
    """The names of metrics. A query where one of them is new to this process."""
    if not _metric_names.keys() >= set(ids):
        _read_names()
    return _metric_names


def metric_ids(names: Iterable[str]) -> dict[str, int]:
    """The numbers of the metrics that have one. A query where one of them is new to this process."""
    wanted = set(names)
    if not wanted <= set(_metric_names.values()):
        _read_names()
    return {name: at for at, name in _metric_names.items() if name in wanted}


def count_metrics(sets: Sequence[ScopeSet]) -> list[dict[str, tuple[int, int]]]:
    """How many values and how many rows each metric has, in each set of scopes. A query, two where a metric is new."""
    # The names come along where this process has none yet.
    told = queries.counts(_every(sets), with_names=not _metric_names)
    for _, numbers, _, _, names in told:
        _learn(zip(numbers, names or (), strict=False))
    names = _named(metric for _, numbers, *_ in told for metric in numbers)
    found: list[dict[str, tuple[int, int]]] = [{} for _ in sets]
    for scope, *columns, _ in told:
        for scopes, counts in zip(sets, found, strict=True):
            if scope in scopes:
                for metric, n, rows in zip(*columns, strict=True):
                    before = counts.get(names[metric], (0, 0))
                    counts[names[metric]] = before[0] + n, before[1] + rows
    return found


def read_rows(sets: Sequence[ScopeSet], names: Iterable[str]) -> dict[tuple[ScopeSet, str], Counted]:
    """The rows of each metric in each set of scopes, those of several scopes put together; no entry where there are none.

    A query; two where a metric is new to this process.
    """
    of = {number: name for name, number in metric_ids(names).items()}
    if not of:
        return {}
    parts: dict[tuple[int, int], list[tuple[str, str, str]]] = {}
    for scope, metric, _, *columns in sorted(queries.count_blocks(_every(sets), list(of)), key=itemgetter(2)):
        parts.setdefault((scope, metric), []).append(tuple(columns))
    found = {}
    for scopes in sets:
        for metric, name in of.items():
            told = [_latest(parts[scope, metric]) for scope in scopes if (scope, metric) in parts]
            if told:
                found[scopes, name] = _together(told)
    return found


def _every(sets: Iterable[ScopeSet]) -> list[int]:
    return sorted({scope for scopes in sets for scope in scopes})


def _latest(blocks: Iterable[Sequence[str]]) -> np.ndarray:
    """The last entry of each row, but those that say it is gone, of blocks as arrays in text, the earliest first; in the order
    of the rows."""
    backwards = np.array(
        [np.fromstring(",".join([text[1:-1] for text in column]), np.int64, sep=",") for column in zip(*blocks, strict=True)]
    )[:, ::-1]
    _, last = np.unique(_keys(backwards), return_index=True)
    found = backwards[:, last]
    return found[:, found[2] > 0]


def _together(told: Sequence[np.ndarray]) -> Counted:
    """Rows of several scopes, each counted by the sum."""
    entries = told[0]
    if len(told) > 1:
        entries = np.concatenate(told, 1)
        _, first, place = np.unique(_keys(entries), return_index=True, return_inverse=True)
        sums = np.zeros(len(first), np.int64)
        np.add.at(sums, place.reshape(-1), entries[2])
        entries = np.array([*entries[:2, first], sums])
    return tuple(entries.tolist())


def _keys(entries: np.ndarray) -> np.ndarray:
    """A number for each configuration and workload, in their order."""
    return entries[0] * (entries[1].max(initial=0) + 1) + entries[1]
