"""The workloads of rows: what must not differ within a figure, and the list of those that could be drawn.

Pure. A *workload key* has (dimension, value) of everything that must not differ within a figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from ingest.keys import PARAMS, is_share
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.links import Links, filter_query
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns

WORKLOAD_DIMENSIONS = ("tool", "tool_version", "aggregate", "origin", APART, *PARAMS)
SIZE = "size"
ACROSS_TOOLS = ("aggregate", "origin", "part", APART, SIZE, "access", "pattern", "direct", "threads", "processes")
"""What has to be equal where tools are compared, whose other parameters have nothing in common; no group mixes parts of a tool."""
SIZES = ("total_size", "file_size")
"""Parameters that tell how much data a tool wrote or read."""
COMPATIBLE_VERSIONS: dict[str, tuple[str, ...]] = {
    "bonnie++": ("1.0", "1.9 2."),
    "iozone": ("3.",),
    "ior": ("2.", "3. 4."),
    "mdtest": ("1.", "3. 4."),
    "fio": ("2.", "3."),
    "rsync": ("3.",),
    "dd": ("4. 5. 6. 7. 8. 9.",),
}
"""Ranges of versions by their first characters: releases of one range measure and print the same numbers. Of other tools, and
outside of the ranges, only equal versions are drawn together."""
MAX_LISTED = 24
TYPICAL = ("sample", "mean", "median", "p50")
"""Kinds of numbers that describe a typical run, in the order of preference where the selection names none."""
MEASURED = "measured"
PARENT = "parent"
"""The part of iozone's total over the wall time."""
SAME_RUNS = ("aggregate", "part")
"""In what workloads differ that may be other numbers of the same runs."""
EXTREMES, SPREADS = ("min", "max"), ("stddev", "variance", "cv", "range")

WorkloadKey = tuple[tuple[str, str], ...]
GroupCounts = dict[WorkloadKey, int]
"""The number of values of each workload in a group."""


def version_range(tool: str, version: str) -> str:
    """The range of COMPATIBLE_VERSIONS that a version is in; the version itself outside of all; `~` where it is unknown."""
    ranges = COMPATIBLE_VERSIONS.get(tool, ())
    return next((known for known in ranges if version.startswith(tuple(known.split()))), version)


class WorkloadKeys:
    """The distinct keys of the workloads of some rows: workload i has `keys[codes[i]]`.

    `typicality` of each key: 3 for typical kinds of numbers, 2 for others, 1 for extremes, 0 for spreads, which only share the
    metric's unit; 4 less for what one of several processes or nodes did: the whole comes before its parts. `preference`: 0 for
    measured numbers of the first kind in `TYPICAL`, negative for other kinds and for sums that are not over the wall time, and
    still less for other origins.
    """

    def __init__(self, selection: Selection, rows: Columns) -> None:
        names = _key_dimensions(selection.axes, selection.pool)
        cache = rows.dimensions.cache
        if names not in cache:
            cache[names] = self._compute(names, rows)
        self.keys, self.codes, self.typicality, self.preference = cache[names]

    @staticmethod
    def _compute(names: Sequence[str], rows: Columns) -> tuple[list[WorkloadKey], np.ndarray, np.ndarray, np.ndarray]:
        code_of: dict[WorkloadKey, int] = {}
        columns = [_texts(name, rows) for name in names]
        keys = [tuple(zip(names, texts, strict=True)) for texts in zip(*columns, strict=True)]
        codes = np.array([code_of.setdefault(key, len(code_of)) for key in keys], np.intp)
        kinds = [(key.get("aggregate", TYPICAL[0]), key.get("origin", MEASURED)) for key in map(dict, code_of)]
        shares = [is_share(dict(key).get("part", UNKNOWN)) for key in code_of]
        typicality = np.array([_typicality(kind) - 4 * share for (kind, _), share in zip(kinds, shares, strict=True)], np.intp)
        preference = [_preference(*kind) - _is_sum_of_rates(dict(key)) for kind, key in zip(kinds, code_of, strict=True)]
        return list(code_of), codes, typicality, np.array(preference, np.intp)

    def count_values(self, rows: Columns) -> GroupCounts:
        """The number of values of each workload among these rows."""
        if not len(rows):
            return {}
        counts = np.bincount(self.codes, rows.sum_weights(WORKLOAD_INDEX, rows.n), len(self.keys))
        occurrences = np.bincount(self.codes[rows.occurring(WORKLOAD_INDEX)], minlength=len(self.keys))
        return {self.keys[code]: int(counts[code]) for code in np.flatnonzero(occurrences).tolist()}


@lru_cache(1_000)
def _key_dimensions(axes: tuple[str, ...], pool: tuple[str, ...]) -> tuple[str, ...]:
    """The dimensions that must not differ within a figure."""
    return tuple(name for name in (ACROSS_TOOLS if "tool" in axes else WORKLOAD_DIMENSIONS) if name not in {*axes, *pool})


def _is_sum_of_rates(key: Mapping[str, str]) -> bool:
    """Whether the number may be iozone's *Children see*: rates of processes that did not run all the time, added up."""
    return key.get("tool") == "iozone" and key.get("part") == UNKNOWN and {key.get("processes"), key.get("threads")} != {UNKNOWN}


def _typicality(kind: str) -> int:
    return 0 if kind in SPREADS else 1 if kind in EXTREMES else 3 if kind in TYPICAL else 2


def _preference(kind: str, origin: str) -> int:
    rank = TYPICAL.index(kind) if kind in TYPICAL else len(TYPICAL)
    return -rank if origin == MEASURED else -rank - len(TYPICAL) - 1


def _texts(name: str, rows: Columns) -> list[str]:
    """The value of a dimension for each workload: of versions the range, of `size` the first known of SIZES."""
    if name == SIZE:
        sizes = zip(*(_texts(size, rows) for size in SIZES), strict=True)
        return [next((text for text in texts if text != UNKNOWN), UNKNOWN) for texts in sizes]
    column = rows.dimensions.column(name)
    texts: list[str] = column.texts[column.codes].tolist()
    if name != "tool_version":
        return texts
    return [version_range(tool, version) for tool, version in zip(_texts("tool", rows), texts, strict=True)]


def list_workloads(selection: Selection, rows: Columns, drawn: Columns) -> list[tuple[str, str, int, bool]]:
    """(label, query, values, drawn) of every workload that passes the filters, the drawn ones first."""
    if not len(rows):
        return []
    links = Links(selection)
    key = (list_workloads, selection.named_axes, selection.pool, selection.control)
    workloads = rows.cached(key, lambda: _list_workloads(selection, rows, drawn))
    return [(label, links.with_filters(filters, query), n, is_drawn) for label, filters, query, n, is_drawn in workloads]


def _list_workloads(selection: Selection, rows: Columns, drawn: Columns) -> list[tuple[str, dict[str, str], str, int, bool]]:
    """(label, filters that distinguish it from the others, these as part of a query, values, drawn) of each workload."""
    workloads = WorkloadKeys(selection, rows)
    counts, drawn_counts = workloads.count_values(rows), workloads.count_values(drawn)
    keys = sorted(counts, key=lambda key: (key not in drawn_counts, -counts[key], key))
    differing = {pairs[0][0] for pairs in zip(*keys, strict=True) if len(set(pairs)) > 1}
    listed = []
    for key in keys[:MAX_LISTED]:
        filters = restrict(key, differing)
        listed.append((_label(key, differing), filters, filter_query(filters), counts[key], key in drawn_counts))
    return listed


def _label(key: WorkloadKey, differing: set[str]) -> str:
    texts = dict(key)
    words = [texts.get("tool", "")]
    if texts.get("aggregate") not in (None, "sample"):
        words.append(texts["aggregate"])
    words += [
        f"{DIMENSIONS[name].label.lower()} {value_label(DIMENSIONS[name], value)}"
        for name, value in key
        if name in PARAMS and value != UNKNOWN and (name in differing or len(words) < 6)
    ]
    return ", ".join(word for word in words if word)


def restrict(key: WorkloadKey, names: set[str]) -> dict[str, str]:
    """The values of these dimensions; not of versions where the key has a range of them."""
    ranged = {"tool_version"} if dict(key).get("tool") in COMPATIBLE_VERSIONS else set()
    return {name: value for name, value in key if name in names - ranged and name in DIMENSIONS}
