"""Which workloads are drawn: never two in one group, beside each other only those unlike in sizes and versions.

Pure. A *mark* is a workload as a comparison sees it: (dimension, value) of everything that may not differ in a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.keys import PARAMS
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.selection import Links, Selection, filter_query
from webapp.comparison.summary.columns import WORKLOADS, Columns, mask_codes, sum_by_code

WORKLOAD_DIMENSIONS = ("tool", "tool_version", "aggregate", "origin", *PARAMS)
LOOSE = frozenset(("tool_version", "origin", *(name for name in PARAMS if DIMENSIONS[name].numeric)))
"""What may differ between groups of one figure, told to the reader: versions, origins, sizes and counts."""
MOST = 24
ORDINARY = ("sample", "mean", "median", "p50")
"""Kinds of numbers that tell how a run went, the best known first: what a reader who names none expects to see."""
EXTREMES, SPREADS = ("min", "max"), ("stddev", "variance", "cv", "range")

WorkloadKey = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class DrawnRows:
    """The rows that are drawn, the workload that most of them have, and in what the others differ from it."""

    best: WorkloadKey
    rows: Columns
    differing: tuple[str, ...] = ()


class WorkloadKeys:
    """The mark of each workload of some rows, worked out once: `of[i]` is the place in `marks` of workload i."""

    def __init__(self, selection: Selection, rows: Columns) -> None:
        free = {*selection.axes, *selection.pool}
        names = tuple(name for name in WORKLOAD_DIMENSIONS if name not in free)
        if names not in rows.sides.kept:
            rows.sides.kept[names] = self._made(names, rows)
        self.marks, self.of = rows.sides.kept[names]

    @staticmethod
    def _made(names: Sequence[str], rows: Columns) -> tuple[list[WorkloadKey], np.ndarray]:
        known: dict[WorkloadKey, int] = {}
        columns = [rows.sides.codes(name).texts[rows.sides.codes(name).of].tolist() for name in names]
        told = [tuple(zip(names, texts, strict=True)) for texts in zip(*columns, strict=True)]
        of = np.array([known.setdefault(mark, len(known)) for mark in told], np.intp)
        return list(known), of

    def totals(self, rows: Columns) -> dict[WorkloadKey, int]:
        """How many values of each mark there are among these rows."""
        if not len(rows):
            return {}
        counts = np.bincount(self.of, rows.per(WORKLOADS, rows.n), len(self.marks))
        met = np.bincount(self.of[rows.present(WORKLOADS)], minlength=len(self.marks))
        return {self.marks[at]: int(counts[at]) for at in np.flatnonzero(met).tolist()}


Cell = dict[WorkloadKey, int]
"""A place of the figure: how many values of each mark it has."""


def choose_workloads(selection: Selection, rows: Columns) -> DrawnRows:
    """Each group gets one workload: the one that fills most groups, and where it is missing the most similar other."""
    if not len(rows):
        return DrawnRows((), rows)
    return rows.keep((choose_workloads, selection.axes, selection.pool), lambda: _drawn(selection, rows))


def _drawn(selection: Selection, rows: Columns) -> DrawnRows:
    marks, (cell_of, metric_of) = WorkloadKeys(selection, rows), rows.cells(selection.axes)
    pair = cell_of * len(marks.marks) + marks.of[rows.columns[WORKLOADS]]
    cells = _cells(marks, pair, rows.n)
    best = _most(cells.values())
    leading = {
        metric: _leading(best, [some for cell, some in cells.items() if metric_of[cell] == metric])
        for metric in {metric_of[cell] for cell in cells}
    }
    # Tools have parameters of their own: where tools are compared, all of them may differ, but not the kind of number.
    loose = frozenset(WORKLOAD_DIMENSIONS) - {"aggregate"} if "tool" in selection.axes else LOOSE
    place = {mark: at for at, mark in enumerate(marks.marks)}
    kept: set[int] = set()
    differing: set[str] = set()
    for cell, some in cells.items():
        first = leading[metric_of[cell]]
        mark = first if first in some else _nearest(first, some, loose)
        if mark is not None:
            kept.add(cell * len(place) + place[mark])
            differing |= _differing(first, mark)
    return DrawnRows(best, rows.take(mask_codes(pair, kept)), tuple(name for name in WORKLOAD_DIMENSIONS if name in differing))


def _cells(marks: WorkloadKeys, pair: np.ndarray, n: np.ndarray) -> dict[int, Cell]:
    """Cell -> how many values of each mark. `pair` has the cell and the mark of each row."""
    found: dict[int, Cell] = {}
    for one, count in sum_by_code(pair, n):
        cell, mark = divmod(one, len(marks.marks))
        found.setdefault(cell, {})[marks.marks[mark]] = int(count)
    return found


def _most(cells: Iterable[Cell]) -> WorkloadKey:
    """Of the marks of the most telling kind of number the one of most cells, then of most values."""
    filled: Counter = Counter()
    values: Counter = Counter()
    for some in cells:
        for mark, count in some.items():
            filled[mark] += 1
            values[mark] += count
    return max(filled, key=lambda mark: (_telling(mark), filled[mark], _known(mark), values[mark], mark))


def _telling(mark: WorkloadKey) -> int:
    """0 to 3: how far from its runs a number stands, spreads farthest; they have the unit of the metric and not its meaning."""
    kind = dict(mark).get("aggregate", ORDINARY[0])
    return 0 if kind in SPREADS else 1 if kind in EXTREMES else 3 if kind in ORDINARY else 2


def _known(mark: WorkloadKey) -> int:
    """Where kinds of numbers fill as many cells, a repetition goes before a mean, a mean before a median."""
    kind = dict(mark).get("aggregate", ORDINARY[0])
    return -ORDINARY.index(kind) if kind in ORDINARY else -len(ORDINARY)


def _leading(best: WorkloadKey, cells: Sequence[Cell]) -> WorkloadKey:
    """The mark that a metric is drawn with: the best one, else of the same tool where there is one."""
    if any(best in some for some in cells):
        return best
    same = [{mark: count for mark, count in some.items() if mark[0] == best[0]} for some in cells]
    return _most(same if any(same) else cells)


def _nearest(first: WorkloadKey, some: Cell, loose: frozenset[str]) -> WorkloadKey | None:
    """The mark that differs in the fewest things, all of them such as may differ; None where there is none."""
    close = [mark for mark in some if _differing(first, mark) <= loose]
    return min(close, key=lambda mark: (len(_differing(first, mark)), -some[mark], mark), default=None)


@lru_cache(10_000)
def _differing(one: WorkloadKey, other: WorkloadKey) -> frozenset[str]:
    return frozenset(name for (name, a), (_, b) in zip(one, other, strict=True) if a != b)


def list_workloads(selection: Selection, rows: Columns, shown: DrawnRows) -> list[tuple[str, str, int, bool]]:
    """(label, query, values, drawn) of every workload that passes the filters, the drawn ones first."""
    if not len(rows):
        return []
    links = Links(selection)
    told = rows.keep((list_workloads, selection.axes, selection.pool), lambda: _listed(selection, rows, shown))
    return [(label, links.only(part, text), count, seen) for label, part, text, count, seen in told]


def _listed(selection: Selection, rows: Columns, shown: DrawnRows) -> list[tuple[str, dict[str, str], str, int, bool]]:
    """(label, that of it in which any of all differ, the same as a query has it, values, drawn) of each."""
    marks = WorkloadKeys(selection, rows)
    counts, seen = marks.totals(rows), marks.totals(shown.rows)
    ordered = sorted(counts, key=lambda mark: (mark not in seen, -counts[mark], mark))
    differing = {some[0][0] for some in zip(*ordered, strict=True) if len(set(some)) > 1}
    parts = [_part(mark, differing) for mark in ordered[:MOST]]
    return [
        (_label(mark, differing), part, filter_query(part), counts[mark], mark in seen)
        for mark, part in zip(ordered, parts, strict=False)
    ]


def workload_query(selection: Selection, mark: WorkloadKey, names: Iterable[str]) -> str:
    """The query of the same comparison with these parts of the workload filtered to those of the mark."""
    return Links(selection).only(_part(mark, set(names)))


def _label(mark: WorkloadKey, differing: set[str]) -> str:
    told = dict(mark)
    words = [" ".join(told[name] for name in ("tool", "tool_version") if told.get(name, UNKNOWN) != UNKNOWN)]
    if told.get("aggregate") not in (None, "sample"):
        words.append(told["aggregate"])
    words += [
        f"{DIMENSIONS[name].label.lower()} {value_label(DIMENSIONS[name], value)}"
        for name, value in mark
        if name in PARAMS and value != UNKNOWN and (name in differing or len(words) < 6)
    ]
    return ", ".join(word for word in words if word)


def _part(mark: WorkloadKey, names: set[str]) -> dict[str, str]:
    return {name: value for name, value in mark if name in names}
