"""Which rows are drawn together: a controlled set, systems as they stand, or everything. Chosen without a look at values. Pure.

Of the sets that the filters leave (`candidate_sets`) the one is drawn that answers most once it is settled (`settling`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.candidate_sets import CandidateSets, Rank, best_set, find_sets, most_promising, rank_of
from webapp.comparison.classes import configuration_classes
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, is_open
from webapp.comparison.model import Group
from webapp.comparison.selection import Selection
from webapp.comparison.settling import one_class_per_place, place_axes, settle
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, Columns
from webapp.comparison.workload_filter import WorkloadKey, WorkloadKeys

CONTROLLED, AS_THEY_STAND, OPEN = "controlled", "as_they_stand", "open"


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


def choose_rows(selection: Selection, rows: Columns) -> ChosenRows:
    """The rows of the set that is drawn; with `control=off` all rows of one workload."""
    name = intended_design(selection)
    if not len(rows):
        return ChosenRows(rows, name)
    key = (choose_rows, selection.named_axes, selection.pool, selection.control)
    return rows.cached(key, lambda: _choose_rows(selection, rows, name))


def intended_design(selection: Selection) -> str:
    """The design that is looked for."""
    if selection.control == "off":
        return OPEN
    return AS_THEY_STAND if selection.x in core_keys.PLACES else CONTROLLED


def places(groups: Iterable[Group]) -> int:
    """The most values that are drawn of one metric: of one alone nothing is compared."""
    drawn = Counter(metric for metric, *_ in {(group.metric, group.x, group.series, group.facet) for group in groups})
    return max(drawn.values(), default=0)


def _choose_rows(selection: Selection, rows: Columns, name: str) -> ChosenRows:
    if name == OPEN:
        return _draw_all(selection, rows)
    if name == CONTROLLED:
        chosen = _choose_set(selection, rows, name)
        if selection.x not in core_keys.HARDWARE or len(chosen.rows.known(selection.x)) > 1:
            return chosen
        standing = _choose_set(selection, rows, AS_THEY_STAND)
        return standing if len(standing.rows.known(selection.x)) > 1 else chosen
    return _choose_set(selection, rows, name)


def may_compare(selection: Selection, rows: Columns) -> bool:
    """Whether any set has several values of the x axis before its groups are settled; without one none has afterwards."""
    names = {intended_design(selection), *((AS_THEY_STAND,) if selection.x in core_keys.HARDWARE else ())}
    return len(rows.known(selection.x)) > 1 and any(bool((sets_of(selection, rows, name).values > 1).any()) for name in names)


def sets_of(selection: Selection, rows: Columns, name: str) -> CandidateSets:
    """The sets that a design of this name can be drawn from."""
    key = (sets_of, selection.named_axes, selection.pool, name)
    return rows.cached(key, lambda: find_sets(selection, rows, place_axes(selection), name == CONTROLLED))


def _draw_all(selection: Selection, rows: Columns) -> ChosenRows:
    """Every row of the workload that most groups have."""
    sets = find_sets(selection, rows, (), by_class=False)
    best = best_set(selection, rows, sets)
    workload = WorkloadKeys(selection, rows).keys[sets.workloads[best]]
    drawn = rows.take(sets.codes == best)
    return ChosenRows(drawn, OPEN, workload, rows, of_workload=WorkloadKeys(selection, rows).count_values(rows)[workload])


def _choose_set(selection: Selection, rows: Columns, name: str) -> ChosenRows:
    by_class = name == CONTROLLED
    sets = sets_of(selection, rows, name)
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
    highest: Rank = ()
    for index, limit in most_promising(selection, rows, sets):
        if limit <= highest:
            continue
        of_set = rows.take(sets.codes == index)
        drawn, unrecorded = settle(selection, one_class_per_place(selection, of_set) if by_class else of_set, by_class)
        rank = rank_of(selection, drawn)
        if rank > highest:  # the first of equal ones
            best, highest = (index, drawn, unrecorded), rank
    assert best is not None
    return best


def is_judged(selection: Selection, design: str) -> bool:
    """Whether groups are compared with a baseline without being asked: configurations or systems, on a plain axis."""
    if design == OPEN or selection.kind in ("scatter", "heat", "lines") or selection.x not in DIMENSIONS:
        return False
    dimension = DIMENSIONS[selection.x]
    return dimension.source == CONFIGURATION or is_open(selection.x)
