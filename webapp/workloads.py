"""Which workloads are drawn: never two in one group, beside each other only those unlike in sizes and versions.

Pure. A *mark* is a workload as a comparison sees it: (dimension, value) of everything that may not differ in a group.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.keys import PARAMS
from webapp.axes import DIMENSIONS, UNKNOWN, label_of
from webapp.cells import Cells
from webapp.comparison import Row
from webapp.selection import Selection, query_of

FIXED = ("tool", "tool_version", "aggregate", "origin", *PARAMS)
LOOSE = frozenset(("tool_version", "origin", *(name for name in PARAMS if DIMENSIONS[name].numeric)))
"""What may differ between groups of one figure, told to the reader: versions, origins, sizes and counts."""
MOST = 40
ORDINARY = ("sample", "mean", "median", "p50")
"""Kinds of numbers that tell how a run went, the best known first: what a reader who names none expects to see."""
EXTREMES, SPREADS = ("min", "max"), ("stddev", "variance", "cv", "range")

Mark = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Drawn:
    """The rows that are drawn, the workload that most of them have, and in what the others differ from it."""

    best: Mark
    rows: list[Row]
    differing: tuple[str, ...] = ()


class Marks:
    """The mark of each workload, worked out once."""

    def __init__(self, selection: Selection) -> None:
        free = {*selection.axes, *selection.pool}
        self._names = [name for name in FIXED if name not in free]
        self._known: dict[int, Mark] = {}

    def of(self, row: Row) -> Mark:
        found = self._known.get(row.workload)
        if found is None:
            found = self._known[row.workload] = tuple((name, row.texts[name]) for name in self._names)
        return found


def drawn(selection: Selection, rows: Sequence[Row]) -> Drawn:
    """Each group gets one workload: the one that fills most groups, and where it is missing the most similar other."""
    marks, axes = Marks(selection), selection.axes
    cells = _cells(marks, Cells(axes), rows)
    if not cells:
        return Drawn((), [])
    best = _most(cells.values())
    leading = {metric: _leading(best, [some for cell, some in cells.items() if cell[0] == metric])
               for metric in {cell[0] for cell in cells}}
    # Tools have parameters of their own: where tools are compared, all of them may differ, but not the kind of number.
    loose = frozenset(FIXED) - {"aggregate"} if "tool" in axes else LOOSE
    kept: list[Row] = []
    differing: set[str] = set()
    for cell, some in cells.items():
        first = leading[cell[0]]
        mark = first if first in some else _nearest(first, some, loose)
        if mark is not None:
            kept += some[mark]
            differing |= _differing(first, mark)
    return Drawn(best, kept, tuple(name for name in FIXED if name in differing))


def _cells(marks: Marks, of: Cells, rows: Sequence[Row]) -> dict[tuple, dict[Mark, list[Row]]]:
    """(metric, values of the axes) -> mark -> rows. Sorted by workload first: a mark is long, and is compared once."""
    found: dict[tuple, dict[int, list[Row]]] = {}
    some: dict[int, Row] = {}
    for row in rows:
        some.setdefault(row.workload, row)
        found.setdefault((row.metric, of.of(row)), {}).setdefault(row.workload, []).append(row)
    out: dict[tuple, dict[Mark, list[Row]]] = {}
    for cell, by_workload in found.items():
        told = out.setdefault(cell, {})
        for workload, alike in by_workload.items():
            told.setdefault(marks.of(some[workload]), []).extend(alike)
    return out


def _most(cells: Iterable[dict[Mark, list[Row]]]) -> Mark:
    """Of the marks of the most telling kind of number the one of most cells, then of most values."""
    filled: Counter = Counter()
    values: Counter = Counter()
    for some in cells:
        for mark, rows in some.items():
            filled[mark] += 1
            values[mark] += sum(row.n for row in rows)
    return max(filled, key=lambda mark: (_telling(mark), filled[mark], _known(mark), values[mark], mark))


def _telling(mark: Mark) -> int:
    """0 to 3: how far from its runs a number stands, spreads farthest; they have the unit of the metric and not its meaning."""
    kind = dict(mark).get("aggregate", ORDINARY[0])
    return 0 if kind in SPREADS else 1 if kind in EXTREMES else 3 if kind in ORDINARY else 2


def _known(mark: Mark) -> int:
    """Where kinds of numbers fill as many cells, a repetition goes before a mean, a mean before a median."""
    kind = dict(mark).get("aggregate", ORDINARY[0])
    return -ORDINARY.index(kind) if kind in ORDINARY else -len(ORDINARY)


def _leading(best: Mark, cells: Sequence[dict[Mark, list[Row]]]) -> Mark:
    """The mark that a metric is drawn with: the best one, else of the same tool where there is one."""
    if any(best in some for some in cells):
        return best
    same = [{mark: rows for mark, rows in some.items() if mark[0] == best[0]} for some in cells]
    return _most(same if any(same) else cells)


def _nearest(first: Mark, some: dict[Mark, list[Row]], loose: frozenset[str]) -> Mark | None:
    """The mark that differs in the fewest things, all of them such as may differ; None where there is none."""
    close = [mark for mark in some if _differing(first, mark) <= loose]
    return min(close, key=lambda mark: (len(_differing(first, mark)), -sum(row.n for row in some[mark]), mark),
               default=None)


def _differing(one: Mark, other: Mark) -> set[str]:
    return {name for (name, a), (_, b) in zip(one, other, strict=True) if a != b}


def listed(selection: Selection, rows: Sequence[Row], shown: Drawn) -> list[tuple[str, str, int, bool]]:
    """(label, query, values, drawn) of every workload that passes the filters, the drawn ones first."""
    marks = Marks(selection)
    of_workload: Counter = Counter()
    some = {}
    for row in rows:
        of_workload[row.workload] += row.n
        some[row.workload] = row
    counts: Counter = Counter()
    for workload, n in of_workload.items():
        counts[marks.of(some[workload])] += n
    seen = {marks.of(some[workload]) for workload in {row.workload for row in shown.rows}}
    ordered = sorted(counts, key=lambda mark: (mark not in seen, -counts[mark], mark))
    values: dict[str, set[str]] = {}
    for mark in ordered:
        for name, value in mark:
            values.setdefault(name, set()).add(value)
    differing = {name for name, found in values.items() if len(found) > 1}
    return [(_label(mark, differing), _query(selection, mark, differing), counts[mark], mark in seen)
            for mark in ordered[:MOST]]


def only(selection: Selection, mark: Mark, names: Iterable[str]) -> str:
    """The query of the same comparison with these parts of the workload filtered to those of the mark."""
    return _query(selection, mark, set(names))


def _label(mark: Mark, differing: set[str]) -> str:
    told = dict(mark)
    words = [" ".join(told[name] for name in ("tool", "tool_version") if told.get(name, UNKNOWN) != UNKNOWN)]
    if told.get("aggregate") not in (None, "sample"):
        words.append(told["aggregate"])
    words += [f"{DIMENSIONS[name].label.lower()} {label_of(DIMENSIONS[name], value)}" for name, value in mark
              if name in PARAMS and value != UNKNOWN and (name in differing or len(words) < 6)]
    return ", ".join(word for word in words if word)


def _query(selection: Selection, mark: Mark, names: set[str]) -> str:
    return query_of(selection.narrowed({name: [value] for name, value in mark if name in names}))
