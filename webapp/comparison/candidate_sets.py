"""The sets that rows fall into, and how much each of them answers. Chosen without a look at values. Pure.

A *set* has one workload, one machine and one class of configurations (`core_keys`), or one workload where the axis is of whole
systems.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.classes import configuration_classes, known_core
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns, renumber
from webapp.comparison.workload_filter import WorkloadKeys

REPETITIONS = 3
"""Repetitions from which a value of an axis counts as repeated."""
MAX_SETTLED = 6
"""Sets of which it is found out what they answer; the most promising ones."""
MAX_TIED = 200
"""Equally promising sets of which the one with the lowest hash is looked for."""
MAX_COUNTED_VALUES = 8
"""Values of an axis beyond which more of them make no set better."""


@dataclass(slots=True)
class CandidateSets:
    """The sets of some rows for some axes: `codes` has the set of each row, -1 for none. The other arrays have one entry a set.

    `values`: values of the x axis, `repeated` of them those with enough repetitions, `cells` groups, `grid` the groups that
    a complete set of its values would have, `n` repetitions, `known` known core dimensions, `first_row` the position of a row.
    """

    codes: np.ndarray
    workloads: np.ndarray
    values: np.ndarray
    repeated: np.ndarray
    cells: np.ndarray
    grid: np.ndarray
    n: np.ndarray
    known: np.ndarray
    first_row: np.ndarray

    def __len__(self) -> int:
        return len(self.n)


def find_sets(selection: Selection, rows: Columns, places: Sequence[str], by_class: bool) -> CandidateSets:
    """The sets of these rows: rows of one workload and, `by_class`, of one class; with `places`, of one class in each place."""
    workload_keys = WorkloadKeys(selection, rows)
    workloads = workload_keys.codes[rows.indices[WORKLOAD_INDEX]]
    if by_class:
        classes = configuration_classes(rows.dimensions, selection.axes)[rows.indices[CONFIGURATION_INDEX]]
    else:
        classes = np.zeros(len(rows), np.intp)
    usable = _usable(selection, rows)
    merged = np.zeros(len(rows), np.intp) if places else classes
    codes, count = renumber(workloads * (int(merged.max(initial=0)) + 1) + merged)
    codes = np.where(usable, codes, -1)
    known = known_core(rows.dimensions)[rows.indices[CONFIGURATION_INDEX]]
    return _measure_sets(selection, rows, codes, count, (workloads, known))


def _usable(selection: Selection, rows: Columns) -> np.ndarray:
    """A mask of the rows whose value of the x axis is known, of all rows where none is, and where everything is drawn."""
    if selection.x not in DIMENSIONS or selection.control == "off":
        return np.ones(len(rows), bool)
    known = rows.codes(selection.x) != rows.dimensions.column(selection.x).unknown_code
    return known if known.any() else ~known


def _measure_sets(
    selection: Selection, rows: Columns, codes: np.ndarray, count: int, of_rows: tuple[np.ndarray, np.ndarray]
) -> CandidateSets:
    taken = np.flatnonzero(codes >= 0)
    sets, n = codes[taken], rows.n[taken]
    cells, _ = rows.cells(selection.axes)  # of one metric, x, series and facet
    x = rows.codes(selection.x)[taken] if selection.x in DIMENSIONS else np.zeros(len(taken), np.intp)
    cell_of, cell_count = renumber(cells[taken] * count + sets)
    cell_n = np.bincount(cell_of, n, cell_count)
    cell_set, cell_x = np.zeros(cell_count, np.intp), np.zeros(cell_count, np.intp)
    cell_set[cell_of], cell_x[cell_of] = sets, x
    width = int(x.max(initial=0)) + 1

    def count_values(mask: np.ndarray) -> np.ndarray:
        return np.bincount(np.unique(cell_set[mask] * width + cell_x[mask]) // width, minlength=count)

    others, _ = rows.cells([name for name in selection.axes if name != selection.x])
    span = int(others.max(initial=0)) + 1
    rows_of_grid = np.bincount(np.unique(sets * span + others[taken]) // span, minlength=count)
    values = count_values(np.ones(cell_count, bool))
    first = np.zeros(count, np.intp)
    first[sets[::-1]] = taken[::-1]
    workloads, known = of_rows
    known_in_set = np.zeros(count, np.intp)
    np.maximum.at(known_in_set, sets, known[taken])
    return CandidateSets(
        codes,
        workloads[first],
        values,
        count_values(cell_n >= REPETITIONS),
        np.bincount(cell_set, minlength=count),
        values * rows_of_grid,
        np.bincount(sets, n, count),
        known_in_set,
        first,
    )


def _ranks(selection: Selection, rows: Columns, sets: CandidateSets) -> np.ndarray:
    """How much each set answers: a line for each set, to be compared as a tuple, larger ones are better. Nothing of it depends on a
    measured value.

    Sets with runs first, then typical numbers (a sample before a maximum, a maximum before a deviation), sets with something to
    compare, most values with repetitions (of more than eight, eight count), most values, the completest grid, the more usual kind
    of number, most repetitions, most known core dimensions.
    """
    keys = WorkloadKeys(selection, rows)
    return np.array(
        [
            sets.n > 0,
            [keys.typicality(code) for code in sets.workloads],
            sets.values > 1,
            np.minimum(sets.repeated, MAX_COUNTED_VALUES),
            np.minimum(sets.values, MAX_COUNTED_VALUES),
            sets.cells / np.maximum(1, sets.grid),
            [keys.preference(code) for code in sets.workloads],
            sets.n,
            sets.known,
        ],
        float,
    ).T


def best_set(selection: Selection, rows: Columns, sets: CandidateSets) -> int:
    """The number of the best set before its groups are settled; of equal ones the one with the lowest hash."""
    return most_promising(selection, rows, sets)[0]


def most_promising(selection: Selection, rows: Columns, sets: CandidateSets) -> list[int]:
    """The numbers of the sets with the highest rank, of equal ones those with the lowest hash; at most `MAX_SETTLED`."""
    ranks = _ranks(selection, rows, sets)
    order = np.lexsort(ranks.T[::-1])[::-1]
    least = tuple(ranks[order[min(MAX_SETTLED, len(order)) - 1]])
    promising: list[tuple[tuple[float, ...], str, int]] = []
    for index in order.tolist():
        rank = tuple(ranks[index])
        if rank < least or len(promising) >= MAX_TIED:
            break
        promising.append((tuple(-part for part in rank), _hash(selection, rows, sets, index), index))
    return [index for _, _, index in sorted(promising)[:MAX_SETTLED]]


def rank_of(selection: Selection, drawn: Columns) -> tuple[float, ...]:
    """What the drawn rows answer, to be compared with other sets."""
    sets = find_sets(selection, drawn, (), False) if len(drawn) else None
    return tuple(_ranks(selection, drawn, sets)[0]) if sets is not None and len(sets) else ()


def _hash(selection: Selection, rows: Columns, sets: CandidateSets, index: int) -> str:
    """A digest of the workload, the host and the core dimensions of a set, the same for the same data in any database."""
    configuration = rows.indices[CONFIGURATION_INDEX][sets.first_row[index]]
    names = ("host", *core_keys.class_dimensions(selection.axes))
    columns = [(name, rows.dimensions.column(name)) for name in names]
    core = [(name, column.values[column.codes[configuration]]) for name, column in columns]
    return hashlib.sha256(repr((WorkloadKeys(selection, rows).keys[sets.workloads[index]], core)).encode()).hexdigest()
