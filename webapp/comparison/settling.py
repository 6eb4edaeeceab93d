"""One configuration for each group of a set: what outside of the core is known to differ is settled by the majority. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.classes import configuration_classes, described_codes, option_values, populations
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, Columns, refine, renumber


def settle(selection: Selection, rows: Columns, by_class: bool) -> tuple[Columns, tuple[str, ...]]:
    """One configuration in each group, and the dimensions that are known of some groups alone.

    Of every other dimension with several known values the one with most repetitions is kept, an unknown value joins it. What
    follows from an axis is settled for each of its values by itself. Options that mean the same everywhere are equal.
    """
    if np.count_nonzero(rows.occurring(CONFIGURATION_INDEX)) < 2:
        return rows, ()
    unrecorded = []
    if by_class:
        for name in _settled_dimensions(selection, rows):
            if name in core_keys.SAME_EVERYWHERE:
                rows, is_named = _keep_equal_option(selection, rows, name)
                unrecorded += [name] if is_named else []
                continue
            chosen = rows.dimensions.chosen_names
            axes = [axis for axis in selection.axes if core_keys.follows(name, axis, chosen)]
            scope = (*axes, *place_axes(selection))
            rows = _keep_majority(rows, name, scope)
            if not axes and not core_keys.may_lack(name, selection.axes, chosen):
                unrecorded.append(name)
    drawn = _one_configuration_per_group(selection, rows)
    return drawn, tuple(name for name in unrecorded if _is_known_in_part(drawn, name))


def _keep_equal_option(selection: Selection, rows: Columns, name: str) -> tuple[Columns, bool]:
    """The rows in which an option is equal, or each file system's own default along an axis that this follows; and whether it was
    set in some of them while others may have it or not.

    Along such an axis what is compared decides, and an option that is not recorded has its default. Elsewhere repetitions decide,
    and an unknown value joins.
    """
    option = option_values(rows.dimensions, name)
    of_rows = rows.indices[CONFIGURATION_INDEX]
    codes, is_default, is_known = option.codes[of_rows], option.is_default[of_rows], option.is_known[of_rows]
    axes = [axis for axis in selection.axes if core_keys.default_follows(name, axis)]
    joins = np.zeros(len(rows), bool) if axes else ~is_known
    (place, _), (cell, _) = _cells(rows, place_axes(selection)), _cells(rows, selection.axes)
    kept = np.zeros(len(rows), bool)
    for code in np.unique(place):
        here = place == code
        ways = [here & (joins | is_default)] if axes else []
        ways += [here & (joins | (codes == value)) for value in np.unique(codes[here & ~joins])]
        # `max` keeps the first of equal ones: the defaults.
        kept |= max(ways, key=lambda way: (len(np.unique(cell[way])) if axes else 0, rows.n[way].sum()), default=here)
    was_set = bool((kept & is_known & ~is_default).any())
    settled = _keep_majority(rows.take(kept), name, (*axes, *place_axes(selection)))
    return settled, was_set and bool((kept & joins).any())


def _settled_dimensions(selection: Selection, rows: Columns) -> list[str]:
    """The dimensions of configurations, no axes, in which the rows differ; registered ones first."""
    names, codes = described_codes(rows.dimensions)
    codes = codes[:, rows.occurring(CONFIGURATION_INDEX)]
    differing = np.flatnonzero(codes.min(axis=1) != codes.max(axis=1))
    axes = selection.axes
    return [names[line] for line in differing.tolist() if names[line] not in axes]


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
    group, groups = _cells(rows, selection.axes)
    population = populations(rows)
    pair, pairs = renumber(group * (int(population.max(initial=0)) + 1) + population)
    if pairs == groups:
        return rows
    n = np.bincount(pair, rows.n)
    order = np.lexsort((population, -n[pair], group))
    first = np.unique(group[order], return_index=True)[1]
    kept = population[order][first]
    return rows.take(population == kept[group])


def one_class_per_place(selection: Selection, rows: Columns) -> Columns:
    """The rows of one class in each place, the one that its place has most of; all rows where no axis is of places."""
    places = place_axes(selection)
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


def place_axes(selection: Selection) -> tuple[str, ...]:
    """The axes beside x whose values are whole systems: each has a set of its own."""
    return tuple(name for name in (selection.series, selection.facet) if name in core_keys.PLACES)


def _cells(rows: Columns, names: Iterable[str]) -> tuple[np.ndarray, int]:
    """A code for each row, equal where these dimensions agree, whatever the metric."""
    codes = refine(np.zeros(len(rows), np.intp), [(rows.codes(name), len(rows.dimensions.column(name).values)) for name in names])
    return codes, int(codes.max(initial=-1)) + 1
