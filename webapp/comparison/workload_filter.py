"""Chooses the workloads that are drawn: one in each group, and side by side only such as differ in sizes and versions.

Pure. A *workload key* has (dimension, value) of everything that must not differ within a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.keys import PARAMS
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.links import Links, filter_query
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns, mask_codes, sum_by_code

WORKLOAD_DIMENSIONS = ("tool", "tool_version", "aggregate", "origin", *PARAMS)
MAY_DIFFER = frozenset(("tool_version", "origin", *(name for name in PARAMS if DIMENSIONS[name].numeric)))
"""What may differ between groups of one figure, with a notice: versions, origins, sizes and counts."""
MAX_LISTED = 24
TYPICAL = ("sample", "mean", "median", "p50")
"""Kinds of numbers that describe a typical run, in the order of preference where the selection names none."""
EXTREMES, SPREADS = ("min", "max"), ("stddev", "variance", "cv", "range")

WorkloadKey = tuple[tuple[str, str], ...]
GroupCounts = dict[WorkloadKey, int]
"""The number of values of each workload in a group."""


@dataclass(slots=True)
class DrawnRows:
    """The workload of most groups, the drawn rows, and the dimensions in which other groups' workloads differ from it."""

    leading: WorkloadKey
    rows: Columns
    differing: tuple[str, ...] = ()


class WorkloadKeys:
    """The distinct keys of the workloads of some rows: workload i has `keys[codes[i]]`."""

    def __init__(self, selection: Selection, rows: Columns) -> None:
        free = {*selection.axes, *selection.pool}
        names = tuple(name for name in WORKLOAD_DIMENSIONS if name not in free)
        cache = rows.dimensions.cache
        if names not in cache:
            cache[names] = self._compute(names, rows)
        self.keys, self.codes = cache[names]

    @staticmethod
    def _compute(names: Sequence[str], rows: Columns) -> tuple[list[WorkloadKey], np.ndarray]:
        code_of: dict[WorkloadKey, int] = {}
        columns = [rows.dimensions.column(name) for name in names]
        texts_by_workload = zip(*(column.texts[column.codes].tolist() for column in columns), strict=True)
        keys = [tuple(zip(names, texts, strict=True)) for texts in texts_by_workload]
        codes = np.array([code_of.setdefault(key, len(code_of)) for key in keys], np.intp)
        return list(code_of), codes

    def count_values(self, rows: Columns) -> GroupCounts:
        """The number of values of each workload among these rows."""
        if not len(rows):
            return {}
        counts = np.bincount(self.codes, rows.sum_weights(WORKLOAD_INDEX, rows.n), len(self.keys))
        occurrences = np.bincount(self.codes[rows.occurring(WORKLOAD_INDEX)], minlength=len(self.keys))
        return {self.keys[code]: int(counts[code]) for code in np.flatnonzero(occurrences).tolist()}


def choose_workloads(selection: Selection, rows: Columns) -> DrawnRows:
    """The rows of one workload in each group: the one that most groups have, where it is missing the most similar one."""
    if not len(rows):
        return DrawnRows((), rows)
    return rows.cached((choose_workloads, selection.axes, selection.pool), lambda: _choose_workloads(selection, rows))


def _choose_workloads(selection: Selection, rows: Columns) -> DrawnRows:
    workloads, (group_of_row, metric_of_group) = WorkloadKeys(selection, rows), rows.cells(selection.axes)
    # A code for each pair of group and workload.
    pairs = group_of_row * len(workloads.keys) + workloads.codes[rows.indices[WORKLOAD_INDEX]]
    groups = _count_by_group(workloads.keys, pairs, rows.n)
    leading = _most_frequent(groups.values())
    leading_by_metric = {
        metric: _leading_of_metric(leading, [counts for group, counts in groups.items() if metric_of_group[group] == metric])
        for metric in {metric_of_group[group] for group in groups}
    }
    # Tools have different parameters: where tools are compared, all may differ but the kind of number.
    may_differ = frozenset(WORKLOAD_DIMENSIONS) - {"aggregate"} if "tool" in selection.axes else MAY_DIFFER
    code_of = {key: code for code, key in enumerate(workloads.keys)}
    chosen_pairs: set[int] = set()
    differing: set[str] = set()
    for group, counts in groups.items():
        wanted = leading_by_metric[metric_of_group[group]]
        chosen = wanted if wanted in counts else _most_similar(wanted, counts, may_differ)
        if chosen is not None:
            chosen_pairs.add(group * len(code_of) + code_of[chosen])
            differing |= _differing_dimensions(wanted, chosen)
    drawn = rows.take(mask_codes(pairs, chosen_pairs))
    return DrawnRows(leading, drawn, tuple(name for name in WORKLOAD_DIMENSIONS if name in differing))


def _count_by_group(keys: Sequence[WorkloadKey], pairs: np.ndarray, n: np.ndarray) -> dict[int, GroupCounts]:
    """The counts of each group. `pairs` encodes group and workload of each row, `n` has its number of values."""
    groups: dict[int, GroupCounts] = {}
    for pair, count in sum_by_code(pairs, n):
        group, workload = divmod(pair, len(keys))
        groups.setdefault(group, {})[keys[workload]] = int(count)
    return groups


def _most_frequent(groups: Iterable[GroupCounts]) -> WorkloadKey:
    """Of the workloads with the most typical kind of number the one of most groups, then of most values."""
    group_counts: Counter = Counter()
    value_counts: Counter = Counter()
    for counts in groups:
        group_counts.update(counts.keys())
        value_counts.update(counts)
    return max(
        group_counts,
        key=lambda key: (_typicality(key), group_counts[key], _preference(key), value_counts[key], key),
    )


def _typicality(key: WorkloadKey) -> int:
    """3 for typical kinds of numbers, 2 for others, 1 for extremes, 0 for spreads, which only share the metric's unit."""
    kind = dict(key).get("aggregate", TYPICAL[0])
    return 0 if kind in SPREADS else 1 if kind in EXTREMES else 3 if kind in TYPICAL else 2


def _preference(key: WorkloadKey) -> int:
    """The rank of a kind of number in `TYPICAL`, 0 for the first, negative for the others."""
    kind = dict(key).get("aggregate", TYPICAL[0])
    return -TYPICAL.index(kind) if kind in TYPICAL else -len(TYPICAL)


def _leading_of_metric(leading: WorkloadKey, groups: Sequence[GroupCounts]) -> WorkloadKey:
    """The workload of a metric's groups: the leading one, else the most frequent one of the same tool, else of all."""
    if any(leading in counts for counts in groups):
        return leading
    same_tool = [{key: n for key, n in counts.items() if key[0] == leading[0]} for counts in groups]
    return _most_frequent(same_tool if any(same_tool) else groups)


def _most_similar(wanted: WorkloadKey, counts: GroupCounts, may_differ: frozenset[str]) -> WorkloadKey | None:
    """The workload of a group that differs in the fewest dimensions, all of `may_differ`; None where there is none."""
    allowed = [key for key in counts if _differing_dimensions(wanted, key) <= may_differ]
    return min(allowed, key=lambda key: (len(_differing_dimensions(wanted, key)), -counts[key], key), default=None)


@lru_cache(10_000)
def _differing_dimensions(key: WorkloadKey, other: WorkloadKey) -> frozenset[str]:
    return frozenset(name for (name, a), (_, b) in zip(key, other, strict=True) if a != b)


def list_workloads(selection: Selection, rows: Columns, drawn: DrawnRows) -> list[tuple[str, str, int, bool]]:
    """(label, query, values, drawn) of every workload that passes the filters, the drawn ones first."""
    if not len(rows):
        return []
    links = Links(selection)
    workloads = rows.cached((list_workloads, selection.axes, selection.pool), lambda: _list_workloads(selection, rows, drawn))
    return [(label, links.with_filters(filters, query), n, is_drawn) for label, filters, query, n, is_drawn in workloads]


def _list_workloads(selection: Selection, rows: Columns, drawn: DrawnRows) -> list[tuple[str, dict[str, str], str, int, bool]]:
    """(label, filters that distinguish it from the others, these as part of a query, values, drawn) of each workload."""
    workloads = WorkloadKeys(selection, rows)
    counts, drawn_counts = workloads.count_values(rows), workloads.count_values(drawn.rows)
    keys = sorted(counts, key=lambda key: (key not in drawn_counts, -counts[key], key))
    differing = {pairs[0][0] for pairs in zip(*keys, strict=True) if len(set(pairs)) > 1}
    listed = []
    for key in keys[:MAX_LISTED]:
        filters = _restrict(key, differing)
        listed.append((_label(key, differing), filters, filter_query(filters), counts[key], key in drawn_counts))
    return listed


def workload_query(selection: Selection, key: WorkloadKey, names: Iterable[str]) -> str:
    """The query of the same comparison with these dimensions filtered to the workload's values."""
    return Links(selection).with_filters(_restrict(key, set(names)))


def _label(key: WorkloadKey, differing: set[str]) -> str:
    texts = dict(key)
    words = [" ".join(texts[name] for name in ("tool", "tool_version") if texts.get(name, UNKNOWN) != UNKNOWN)]
    if texts.get("aggregate") not in (None, "sample"):
        words.append(texts["aggregate"])
    words += [
        f"{DIMENSIONS[name].label.lower()} {value_label(DIMENSIONS[name], value)}"
        for name, value in key
        if name in PARAMS and value != UNKNOWN and (name in differing or len(words) < 6)
    ]
    return ", ".join(word for word in words if word)


def _restrict(key: WorkloadKey, names: set[str]) -> dict[str, str]:
    """The values of these dimensions."""
    return {name: value for name, value in key if name in names}
