"""The sets that can be drawn of some rows, and the menus that lead to them. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import APART, DIMENSIONS, MACHINE, UNKNOWN, in_sentence, is_known_value, tool_of, value_label
from webapp.comparison.model import Offer
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.core_keys import configuration_classes, described_codes, known_core, option_values, populations
from webapp.comparison.sets.workloads import WorkloadKey, WorkloadKeys, label_workloads, within_tools
from webapp.comparison.summary.columns import (
    CONFIGURATION_INDEX,
    METRIC_INDEX,
    WORKLOAD_INDEX,
    Columns,
    occurring_codes,
    refine,
    renumber,
)
from webapp.comparison.summary.source import MAX_OFFERED

SEARCH = "q"


# One configuration for each group of a set: what outside of the core is known to differ is settled by the majority. Pure.


def settle(selection: Selection, rows: Columns, by_class: bool) -> tuple[Columns, tuple[str, ...]]:
    """One configuration in each group, and the dimensions that are known of some groups alone.

    Of every other dimension with several known values the one with most repetitions is kept, an unknown value joins it. What
    follows from an axis is settled for each of its values by itself. Options that mean the same everywhere are equal.
    """
    rows = one_workload_per_group(selection, rows)
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
    kept = np.ones(len(rows), bool)
    if len(occurring_codes(codes[~joins])) > 1:  # with a single value nothing is to be chosen
        (place, places), (cell, cells) = _cells(rows, place_axes(selection)), _cells(rows, selection.axes if axes else ())
        # A way for each value, before them one for the defaults; of equal ones the first.
        ways = int(codes.max()) + 2
        of, way = np.flatnonzero(~joins), (place * ways + codes + 1)[~joins]
        if axes:
            defaults = np.flatnonzero(is_default)
            of, way = np.append(of, defaults), np.append(way, place[defaults] * ways)
        answers = np.bincount(occurring_codes(way * cells + cell[of]) // cells, minlength=places * ways)
        order = np.lexsort((-np.arange(places * ways), np.bincount(way, rows.n[of], places * ways), answers))
        best = np.zeros(places, np.intp)
        best[order // ways] = order % ways  # the last one stays
        kept = joins | (codes + 1 == best[place]) | (bool(axes) & is_default & (best[place] == 0))
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
    return _most_repeated(selection, rows, populations(rows))


def one_workload_per_group(selection: Selection, rows: Columns) -> Columns:
    """The rows of one workload in each group: where tools stand beside each other, what they have in common leaves several."""
    if "tool" not in selection.axes:
        return rows
    return _most_repeated(selection, rows, WorkloadKeys(within_tools(selection), rows).codes[rows.indices[WORKLOAD_INDEX]])


def _most_repeated(selection: Selection, rows: Columns, population: np.ndarray) -> Columns:
    """The rows of one population in each group: those with most repetitions, of equal ones the first."""
    group, groups = _cells(rows, selection.axes)
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
    place, count = _cells(rows, places)
    size = int(classes.max(initial=0)) + 1
    pair, pairs = renumber(place * size + classes)  # a class in a place
    of_pair = np.zeros(pairs, np.intp)
    of_pair[pair] = place * size + classes
    values = rows.codes(selection.x) if selection.x in DIMENSIONS else np.zeros(len(rows), np.intp)
    width = int(values.max(initial=0)) + 1
    distinct = np.bincount(occurring_codes(pair * width + values) // width, minlength=pairs)
    best = np.zeros(count, np.intp)
    order = np.lexsort((-(of_pair % size), np.bincount(pair, rows.n, pairs), distinct))  # the best last
    best[of_pair[order] // size] = order
    return rows.take(pair == best[place])


def place_axes(selection: Selection) -> tuple[str, ...]:
    """The axes beside x whose values are whole systems: each has a set of its own."""
    return tuple(name for name in (selection.series, selection.facet) if name in core_keys.PLACES)


def _cells(rows: Columns, names: Iterable[str]) -> tuple[np.ndarray, int]:
    """A code for each row, equal where these dimensions agree, whatever the metric."""
    codes = refine(np.zeros(len(rows), np.intp), [(rows.codes(name), len(rows.dimensions.column(name).values)) for name in names])
    return codes, int(codes.max(initial=-1)) + 1


# The sets that rows fall into, and how much each of them answers. Chosen without a look at values. Pure.

REPETITIONS = 3
"""Repetitions from which a value of an axis counts as repeated."""
MAX_SETTLED = 6
"""Sets of which it is found out what they answer; the most promising ones."""
MAX_TIED = 200
"""Equally promising sets of which the one with the lowest hash is looked for."""
MAX_COUNTED_VALUES = 8
"""Values of an axis beyond which more of them make no set better."""
Rank = tuple[float, ...]
"""How much a set answers, larger ones more; empty without rows."""
GRID = 5
"""The place in a rank of the part of the grid that a set has."""


@dataclass(slots=True)
class CandidateSets:
    """The sets of some rows for some axes: `codes` has the set of each row, -1 for none. The other arrays have one entry a set.

    `workloads` codes of workload keys; `values`: values of the x axis, `repeated` of them
    those with enough repetitions, `cells` groups, `grid` the groups that a complete set of its values would have, `n`
    repetitions, `known` known core dimensions.
    """

    codes: np.ndarray
    workloads: np.ndarray
    values: np.ndarray
    repeated: np.ndarray
    cells: np.ndarray
    grid: np.ndarray
    n: np.ndarray
    known: np.ndarray

    def __len__(self) -> int:
        return len(self.n)


def find_sets(selection: Selection, rows: Columns, places: Sequence[str], by_class: bool) -> CandidateSets:
    """The sets of these rows: rows of one workload and, `by_class`, of one class; with `places`, of one class in each place."""
    usable = _usable(selection, rows)
    taken = rows.take(usable)
    workloads = WorkloadKeys(selection, rows).codes[taken.indices[WORKLOAD_INDEX]]
    merged = workloads
    if by_class and not places:
        classes = configuration_classes(rows.dimensions, selection.axes)
        merged = workloads * (int(classes.max(initial=0)) + 1) + classes[taken.indices[CONFIGURATION_INDEX]]
    sets, count = renumber(merged)
    codes = np.full(len(rows), -1, np.int32)
    codes[usable] = sets
    return _measure_sets(selection, taken, workloads, (codes, sets, count))


def _usable(selection: Selection, rows: Columns) -> np.ndarray:
    """A mask of the rows whose value of the x axis is known, of all rows where none is, and where everything is drawn.

    A name that many machines have (`localhost`, `vm`) counts as no host.
    """
    if selection.x not in DIMENSIONS or selection.control == "off":
        return np.ones(len(rows), bool)
    column, codes = rows.dimensions.column(selection.x), rows.codes(selection.x)
    known = codes != column.unknown_code
    if DIMENSIONS[selection.x].is_option:  # what another tool was not given says nothing
        known &= rows.dimensions.is_of_tool(tool_of(selection.x))[rows.indices[WORKLOAD_INDEX]]
    if selection.x == "host":
        known &= np.array([is_known_value("host", name) for name in column.values], bool)[codes]
    return known if known.any() else ~known


def _measure_sets(
    selection: Selection, taken: Columns, workloads: np.ndarray, numbered: tuple[np.ndarray, np.ndarray, int]
) -> CandidateSets:
    """`taken`: the rows that are in a set. `numbered`: the set of each row, that of each taken row, and the number of sets."""
    codes, sets, count = numbered
    x = taken.codes(selection.x) if selection.x in DIMENSIONS else np.zeros(len(taken), np.intp)
    cell_of, cell_count = renumber(taken.cells(selection.axes)[0] * count + sets)  # of one metric, x, series and facet
    cell_n = np.bincount(cell_of, taken.n, cell_count)
    cell_set, cell_x = np.zeros(cell_count, np.intp), np.zeros(cell_count, np.intp)
    cell_set[cell_of], cell_x[cell_of] = sets, x
    others, _ = taken.cells([name for name in selection.axes if name != selection.x])

    def count_distinct(of_set: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The number of distinct codes in each set."""
        size = int(codes.max(initial=0)) + 1
        return np.bincount(occurring_codes(of_set * size + codes) // size, minlength=count)

    repeated = cell_n >= REPETITIONS
    values = count_distinct(cell_set, cell_x)
    first = np.zeros(count, np.intp)
    first[sets[::-1]] = np.arange(len(taken))[::-1]
    known = np.zeros(count, np.intp)
    np.maximum.at(known, sets, known_core(taken.dimensions)[taken.indices[CONFIGURATION_INDEX]])
    return CandidateSets(
        codes,
        workloads[first],
        values,
        count_distinct(cell_set[repeated], cell_x[repeated]),
        cells=np.bincount(cell_set, minlength=count),
        grid=values * count_distinct(sets, others),
        n=np.bincount(sets, taken.n, count),
        known=known,
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
            keys.typicality[sets.workloads],
            sets.values > 1,
            np.minimum(sets.repeated, MAX_COUNTED_VALUES),
            np.minimum(sets.values, MAX_COUNTED_VALUES),
            sets.cells / np.maximum(1, sets.grid),
            keys.preference[sets.workloads],
            sets.n,
            sets.known,
        ],
        float,
    ).T


def best_set(selection: Selection, rows: Columns, sets: CandidateSets) -> int:
    """The number of the best set before its groups are settled; of equal ones the one with the lowest hash."""
    return most_promising(selection, rows, sets)[0][0]


def most_promising(selection: Selection, rows: Columns, sets: CandidateSets) -> list[tuple[int, Rank]]:
    """The sets with the highest rank, of equal ones those of known sizes, with the lowest hash; at most `MAX_SETTLED`.

    Each with the rank that no part of it exceeds: a part has no more of anything, but its grid may be complete.
    """
    ranks = _ranks(selection, rows, sets)
    order = np.lexsort(ranks.T[::-1])[::-1][:MAX_TIED]
    promising = [(tuple(rank), index) for rank, index in zip(ranks[order].tolist(), order.tolist(), strict=True)]
    promising = [(rank, index) for rank, index in promising if rank >= promising[:MAX_SETTLED][-1][0]]
    tied = {rank for rank, count in Counter(rank for rank, _ in promising).items() if count > 1}
    promising.sort(
        key=lambda item: ([-part for part in item[0]], _hash(selection, rows, sets, item[1]) if item[0] in tied else (), item[1])
    )
    return [(index, (*rank[:GRID], 1.0, *rank[GRID + 1 :])) for rank, index in promising[:MAX_SETTLED]]


def rank_of(selection: Selection, drawn: Columns) -> Rank:
    """What the drawn rows answer, to be compared with other sets."""
    return tuple(_ranks(selection, drawn, find_sets(selection, drawn, (), False))[0].tolist()) if len(drawn) else ()


def _hash(selection: Selection, rows: Columns, sets: CandidateSets, index: int) -> tuple[bool, str]:
    """Whether a size of the workload is unknown, and a digest of the workload, the hosts and the core dimensions of a set.

    The same for the same data in any database, whatever was read first: `APART` holds the number of an archive.
    """
    workload = dict(WorkloadKeys(selection, rows).keys[sets.workloads[index]])
    names = ("host", *core_keys.class_dimensions(selection.axes))
    configurations = occurring_codes(rows.indices[CONFIGURATION_INDEX][sets.codes == index])
    columns = [rows.dimensions.column(name) for name in names]
    alike = refine(
        np.zeros(len(configurations), np.intp), [(column.codes_of(configurations), len(column.values)) for column in columns]
    )
    distinct = configurations[np.unique(alike, return_index=True)[1]]
    texts = [[column.values[code] for code in column.codes_of(distinct).tolist()] for column in columns]
    is_apart = workload.pop(APART, UNKNOWN) != UNKNOWN
    return is_apart, hashlib.sha256(repr((workload, names, sorted(set(zip(*texts, strict=True))))).encode()).hexdigest()


# What the sentence above a figure offers: the metrics, axes, machines and workloads of which there is something to compare, each
# with the query that draws it.


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows without filters, the filters that each fails, and the `bits` of these by name."""

    rows: Columns
    failing: np.ndarray
    bits: Mapping[str, int]

    def query(self, selection: Selection, failed_bits: int, more: Mapping[str, str] = MappingProxyType({})) -> str:
        """The selection without the filters that a set fails, with these filters too."""
        failed = [name for name, bit in self.bits.items() if failed_bits & bit]
        kept = selection.changed(q="") if SEARCH in failed else selection
        dropped: dict[str, tuple[str, ...]] = {name: () for name in failed if kept.values(name)}
        return query_string(kept.narrowed({**dropped, **{name: (value,) for name, value in more.items()}}))

    def find(self, selection: Selection, groups: np.ndarray, by_class: bool) -> dict[int, int]:
        """For each code of `groups` (one a row, -1 for none) that has a set with several values of the x axis the filters that the
        nearest of these fails: fewest filters, then typical numbers, most values of the axis, and most values."""
        rows = self.rows
        if selection.x not in DIMENSIONS:
            return {}
        key = (Candidates, selection.named_axes, selection.pool, by_class)
        sets, settled = rows.cached(key, lambda: (find_sets(selection, rows, place_axes(selection), by_class), {}))
        used = np.flatnonzero((sets.codes >= 0) & (groups >= 0))
        if not len(used):
            return {}
        pairs, count = renumber(groups[used] * len(sets) + sets.codes[used])
        x = rows.codes(selection.x)[used]
        size = int(x.max()) + 1
        values = np.bincount(occurring_codes(pairs * size + x) // size, minlength=count)
        n = np.bincount(pairs, rows.n[used], count)
        failed, at = np.zeros(count, self.failing.dtype), np.zeros(count, np.intp)
        np.bitwise_or.at(failed, pairs, self.failing[used])
        at[pairs] = used
        dropped = np.array([int(bits).bit_count() for bits in failed])
        typicality = WorkloadKeys(selection, rows).typicality[sets.workloads[sets.codes[at]]]
        found: dict[int, int] = {}
        for pair in np.lexsort((-n, -values, -typicality, dropped)).tolist():
            group, place = int(groups[at[pair]]), (sets.codes[at[pair]], rows.indices[METRIC_INDEX][at[pair]])
            if group in found or values[pair] < 2:
                continue
            if place not in settled:
                of_set = rows.take((sets.codes == place[0]) & (rows.indices[METRIC_INDEX] == place[1]))
                drawn, _ = settle(selection, one_class_per_place(selection, of_set) if by_class else of_set, by_class)
                settled[place] = len(drawn.known(selection.x)) > 1
            if settled[place]:
                found[group] = int(failed[pair])
        return found


def offer_metrics(selection: Selection, of: Candidates, by_class: bool) -> list[Offer]:
    """The metrics with several values of the x axis in a set, in the order of the catalogue."""
    plain = selection.changed(series="") if selection.series == METRIC else selection
    found = {of.rows.dimensions.metrics[code]: one for code, one in of.find(plain, of.rows.indices[METRIC_INDEX], by_class).items()}
    return [
        Offer(METRICS[name].label, of.query(plain.changed(metrics=(name,)), found[name]), selection.metrics == (name,))
        for name in METRICS
        if name in found
    ]


def offer_axes(selections: Iterable[tuple[Selection, bool]], drawn: str, of: Candidates) -> Iterator[Offer]:
    """The x axes of these selections (each with whether its sets are classes) with several values in a set."""
    everywhere = np.zeros(len(of.rows), np.intp)
    for selection, by_class in selections:
        for one in of.find(selection, everywhere, by_class).values():
            yield Offer(in_sentence(DIMENSIONS[selection.x].label), of.query(selection, one), selection.x == drawn)


def offer_machines(selection: Selection, of: Candidates, drawn: Sequence[str]) -> list[Offer]:
    """The machines with several values of the x axis in a set, by name."""
    if core_keys.frees_machine((selection.x,)):
        return []
    alone = selection.changed(series="") if selection.series in core_keys.PLACES else selection
    machines, rows = of.rows.codes(MACHINE), of.rows
    found = {rows.dimensions.column(MACHINE).values[code]: (code, one) for code, one in of.find(alone, machines, True).items()}
    names = {text: name_machine(text, rows.take(machines == code)) for text, (code, _) in found.items()}
    several = Counter(names.values())
    return sorted(
        Offer(
            f"{names[text]}, machine {text}" if several[names[text]] > 1 else names[text],
            of.query(alone, one, {MACHINE: text}),
            [*drawn] == [text],
        )
        for text, (_, one) in found.items()
    )[:MAX_OFFERED]


def name_machine(text: str, rows: Columns) -> str:
    """The machine of these rows by its host, where that is a name of its own, else by its hardware and system."""
    names = [name for name in rows.known("host") if is_known_value("host", name)]
    names = names or [value_label(DIMENSIONS[name], known[0]) for name in ("cpu", "memory", "os") if (known := rows.known(name))]
    return ", ".join(names) or f"machine {text}"


def offer_workloads(
    selection: Selection, of: Candidates, by_class: bool, machines: Sequence[str]
) -> list[tuple[WorkloadKey, Offer]]:
    """The workloads of these machines with several values of the x axis in a set, the nearest first."""
    workloads = WorkloadKeys(selection, of.rows)
    column = of.rows.dimensions.column(MACHINE)
    is_here = np.isin(column.texts, machines)[of.rows.codes(MACHINE)] if by_class else np.ones(len(of.rows), bool)
    found = of.find(selection, np.where(is_here, workloads.codes[of.rows.indices[WORKLOAD_INDEX]], -1), by_class)
    ranked = [(workloads.keys[code], failed) for code, failed in found.items()][:MAX_OFFERED]
    labels = label_workloads([key for key, _ in ranked])
    return [
        (key, Offer(label, of.query(selection, one, filters), False))
        for (key, one), (label, filters) in zip(ranked, labels, strict=True)
    ]
