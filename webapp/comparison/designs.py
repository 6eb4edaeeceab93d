"""Which rows are drawn together: a controlled set, systems as they stand, or everything. Chosen without a look at values. Pure.

A *set* has one workload, one machine and one class of configurations (`core_keys`), or one workload where the axis is of whole
systems. Of the sets that the filters leave the one is drawn that answers most: see `_ranks`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, UNKNOWN, is_open
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns, RowDimensions, renumber
from webapp.comparison.workload_filter import WorkloadKey, WorkloadKeys

CONTROLLED, AS_THEY_STAND, OPEN = "controlled", "as_they_stand", "open"
REPETITIONS = 3
"""Repetitions from which a value of an axis counts as repeated."""
MAX_SETTLED = 6
"""Sets of which it is found out what they answer; the most promising ones."""
MAX_TIED = 200
"""Equally promising sets of which the one with the lowest hash is looked for."""
MAX_COUNTED_VALUES = 8
"""Values of an axis beyond which more of them make no set better."""


@dataclass(slots=True)
class ChosenRows:
    """The drawn rows, their design and workload (empty where nothing is drawn).

    `alike`: all rows that the set could have been drawn from, of every workload: they name what an empty place has instead.
    `unrecorded`: dimensions that are known of some groups alone. `of_workload`: the number of values of the workload.
    """

    rows: Columns
    design: str
    workload: WorkloadKey = ()
    alike: Columns | None = None
    unrecorded: tuple[str, ...] = ()
    of_workload: int = 0


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


def choose_rows(selection: Selection, rows: Columns) -> ChosenRows:
    """The rows of the set that is drawn; with `control=off` all rows of one workload."""
    name = intended_design(selection)
    if not len(rows):
        return ChosenRows(rows, name)
    key = (choose_rows, selection.axes, selection.pool, selection.control)
    return rows.cached(key, lambda: _choose_rows(selection, rows, name))


def intended_design(selection: Selection) -> str:
    """The design that is looked for."""
    if selection.control == "off":
        return OPEN
    return AS_THEY_STAND if selection.x in core_keys.PLACES else CONTROLLED


def _choose_rows(selection: Selection, rows: Columns, name: str) -> ChosenRows:
    if name == OPEN:
        return _draw_all(selection, rows)
    if name == CONTROLLED:
        chosen = _choose_set(selection, rows, name)
        if selection.x not in core_keys.HARDWARE or _count_values(chosen.rows, selection.x) > 1:
            return chosen
        standing = _choose_set(selection, rows, AS_THEY_STAND)
        return standing if _count_values(standing.rows, selection.x) > 1 else chosen
    return _choose_set(selection, rows, name)


def _count_values(rows: Columns, axis: str) -> int:
    return len([text for text in rows.distinct(axis) if text != UNKNOWN])


def _draw_all(selection: Selection, rows: Columns) -> ChosenRows:
    """Every row of the workload that most groups have."""
    sets = find_sets(selection, rows, (), by_class=False)
    best = _best(selection, rows, sets)
    workload = WorkloadKeys(selection, rows).keys[sets.workloads[best]]
    drawn = rows.take(sets.codes == best)
    return ChosenRows(drawn, OPEN, workload, rows, of_workload=WorkloadKeys(selection, rows).count_values(rows)[workload])


def _choose_set(selection: Selection, rows: Columns, name: str) -> ChosenRows:
    by_class = name == CONTROLLED
    sets = find_sets(selection, rows, _place_axes(selection), by_class)
    if not len(sets):
        return ChosenRows(rows.none(), name, alike=rows)
    keys = WorkloadKeys(selection, rows)
    best, drawn, unrecorded = best_settled(selection, rows, sets, by_class)
    workload = keys.keys[sets.workloads[best]]
    alike = rows
    if by_class:
        classes = configuration_classes(rows.dimensions, selection.axes)[rows.indices[CONFIGURATION_INDEX]]
        kept = np.unique(configuration_classes(drawn.dimensions, selection.axes)[drawn.indices[CONFIGURATION_INDEX]])
        alike = rows.take(np.isin(classes, kept))
    return ChosenRows(drawn, name, workload, alike, unrecorded, keys.count_values(rows)[workload])


def best_settled(selection: Selection, rows: Columns, sets: CandidateSets, by_class: bool) -> tuple[int, Columns, tuple[str, ...]]:
    """(number of the best set, its rows in their groups, dimensions known of some groups alone).

    What a set answers is known only when each group has one configuration: the most promising ones are settled and compared.
    """
    best: tuple[int, Columns, tuple[str, ...]] | None = None
    highest: tuple[float, ...] = ()
    for index in _most_promising(selection, rows, sets):
        of_set = rows.take(sets.codes == index)
        drawn, unrecorded = settle(selection, _one_class_per_place(selection, of_set) if by_class else of_set, by_class)
        if best is None or rank_of(selection, drawn) > highest:  # the first of equal ones
            best, highest = (index, drawn, unrecorded), rank_of(selection, drawn)
    assert best is not None
    return best


def _place_axes(selection: Selection) -> tuple[str, ...]:
    """The axes beside x whose values are whole systems: each has a set of its own."""
    return tuple(name for name in (selection.series, selection.facet) if name in core_keys.PLACES)


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
    known = _known_core(rows.dimensions)[rows.indices[CONFIGURATION_INDEX]]
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


def _best(selection: Selection, rows: Columns, sets: CandidateSets) -> int:
    """The number of the best set before its groups are settled; of equal ones the one with the lowest hash."""
    return _most_promising(selection, rows, sets)[0]


def _most_promising(selection: Selection, rows: Columns, sets: CandidateSets) -> list[int]:
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


def configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    """The class of each configuration: equal where the core dimensions agree, and the machine unless an axis frees it.

    An unknown core dimension of a freed machine equals that of the same machine alone.
    """
    key = (configuration_classes, axes)
    if key not in dimensions.cache:
        dimensions.cache[key] = _configuration_classes(dimensions, axes)
    return dimensions.cache[key]


def _configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    machines = machine_codes(dimensions)
    freed = any(axis in core_keys.HARDWARE for axis in axes)
    codes = np.zeros(len(machines), np.intp) if freed else machines
    for name in core_keys.class_dimensions(axes):
        column = dimensions.column(name)
        values = column.codes
        if freed and column.unknown_code >= 0:
            values = np.where(values == column.unknown_code, len(column.values) + machines, values)
        codes, _ = renumber(codes * (int(values.max(initial=0)) + 1) + values)
    return codes


def machine_codes(dimensions: RowDimensions) -> np.ndarray:
    """The machine of each configuration; one whose machine is unknown is a machine of its own."""
    column, own = dimensions.column(core_keys.MACHINE), dimensions.column("configuration")
    if column.unknown_code < 0:
        return column.codes
    return np.where(column.codes == column.unknown_code, len(column.values) + own.codes, column.codes)


def _known_core(dimensions: RowDimensions) -> np.ndarray:
    """The number of known core dimensions of each configuration."""
    counts = np.zeros(dimensions.size(CONFIGURATION_INDEX), np.intp)
    for name in core_keys.CORE:
        counts += dimensions.column(name).codes != dimensions.column(name).unknown_code
    return counts


def _one_class_per_place(selection: Selection, rows: Columns) -> Columns:
    """The rows of one class in each place, the one that its place has most of; all rows where no axis is of places."""
    places = _place_axes(selection)
    if not places:
        return rows
    classes = configuration_classes(rows.dimensions, selection.axes)[rows.indices[CONFIGURATION_INDEX]]
    place, _ = _cells(rows, places)
    mask = np.zeros(len(rows), bool)
    for code in np.unique(place):
        here = np.flatnonzero(place == code)
        values = rows.codes(selection.x)[here] if selection.x in DIMENSIONS else np.zeros(len(here), np.intp)
        options = []
        for kind in np.unique(classes[here]):
            of_kind = classes[here] == kind
            options.append((len(np.unique(values[of_kind])), int(rows.n[here][of_kind].sum()), -int(kind)))
        mask[here[classes[here] == -max(options)[2]]] = True
    return rows.take(mask)


def _cells(rows: Columns, names: Iterable[str]) -> tuple[np.ndarray, int]:
    """A code for each row, equal where these dimensions agree, whatever the metric."""
    codes = np.zeros(len(rows), np.intp)
    for name in names:
        codes = codes * len(rows.dimensions.column(name).values) + rows.codes(name)
    return renumber(codes)


def settle(selection: Selection, rows: Columns, by_class: bool) -> tuple[Columns, tuple[str, ...]]:
    """One configuration in each group, and the dimensions that are known of some groups alone.

    Of every other dimension with several known values the one with most repetitions is kept, an unknown value joins it. What
    follows from an axis is settled for each of its values by itself.
    """
    if not len(rows):
        return rows, ()
    unrecorded = []
    if by_class:
        for name in _settled_dimensions(selection, rows):
            chosen = rows.dimensions.chosen_names
            axes = [axis for axis in selection.axes if core_keys.follows(name, axis, chosen)]
            scope = (*axes, *_place_axes(selection))
            rows = _keep_majority(rows, name, scope)
            if not axes and not core_keys.may_lack(name, selection.axes, chosen):
                unrecorded.append(name)
    drawn = _one_configuration_per_group(selection, rows)
    return drawn, tuple(name for name in unrecorded if _is_known_in_part(drawn, name))


def _settled_dimensions(selection: Selection, rows: Columns) -> list[str]:
    """The dimensions of configurations, no axes, in which the rows differ; registered ones first."""
    skipped = {*selection.axes, *core_keys.IDENTIFIERS}
    varying = rows.varying_dimensions() | {name for name in rows.dimensions.open_names if len(rows.distinct(name)) > 1}
    return [
        name
        for name in rows.dimensions.names
        if name in varying and name not in skipped and DIMENSIONS[name].source == CONFIGURATION
    ]


def _keep_majority(rows: Columns, name: str, scope: Iterable[str]) -> Columns:
    """The rows that have, within each value of the axes of `scope`, the most frequent known value of a dimension or none."""
    column = rows.dimensions.column(name)
    place, places = _cells(rows, scope)
    codes, size = rows.codes(name), len(column.values)
    counts = np.bincount(place * size + codes, rows.n, places * size).reshape(places, size)
    if column.unknown_code >= 0:
        counts[:, column.unknown_code] = 0
    kept = counts.argmax(axis=1)
    mask = codes == kept[place]
    if column.unknown_code >= 0:
        mask |= codes == column.unknown_code
    return rows.take(mask)


def _is_known_in_part(rows: Columns, name: str) -> bool:
    """Whether the dimension is known of some rows and unknown of others."""
    texts = rows.distinct(name)
    return UNKNOWN in texts and len(texts) > 1


def _one_configuration_per_group(selection: Selection, rows: Columns) -> Columns:
    """The rows of one machine and one configuration in each group: those with most repetitions, of equal ones the first."""
    group, _ = _cells(rows, selection.axes)
    population = populations(rows.dimensions)[rows.indices[CONFIGURATION_INDEX]]
    pair, _ = renumber(group * (int(population.max(initial=0)) + 1) + population)
    n = np.bincount(pair, rows.n)
    order = np.lexsort((population, -n[pair], group))
    first = np.unique(group[order], return_index=True)[1]
    kept = population[order][first]
    return rows.take(population == kept[group])


def populations(dimensions: RowDimensions) -> np.ndarray:
    """A code for each configuration, equal where the machine and every dimension but the identifiers agree."""
    if populations not in dimensions.cache:
        codes = machine_codes(dimensions)
        for name in dimensions.names:
            if DIMENSIONS[name].source == CONFIGURATION and name not in core_keys.IDENTIFIERS:
                column = dimensions.column(name)
                if len(column.values) > 1:
                    codes, _ = renumber(codes * len(column.values) + column.codes)
        dimensions.cache[populations] = codes
    return dimensions.cache[populations]


def is_judged(selection: Selection, design: str) -> bool:
    """Whether groups are compared with a baseline without being asked: configurations or systems, on a plain axis."""
    if design == OPEN or selection.kind in ("scatter", "heat", "lines") or selection.x not in DIMENSIONS:
        return False
    dimension = DIMENSIONS[selection.x]
    return dimension.source == CONFIGURATION or is_open(selection.x)
