"""The third stage: which rows are drawn together, as a controlled set, as systems as they stand, or as everything there is. Chosen
without a look at values. Pure.

Of the sets that the filters leave (`sets.candidate_sets`) the one is drawn that answers most once it is settled. The map of what
can be compared along other axes is made of the same sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np

from ingest.keys import PARAMS
from ingest.options import is_option
from webapp.claims.block_design import MIN_MACHINES
from webapp.claims.observations import AS_THEY_STAND, CONTROLLED, GEOMETRIC, MEDIAN, OPEN
from webapp.comparison.dimensions import (
    AGGREGATE,
    CONFIGURATION,
    DIMENSIONS,
    SOURCE,
    UNKNOWN,
    in_sentence,
    is_known_value,
    option_words,
    parse_quantity,
    tool_of,
    value_label,
    value_sort_key,
)
from webapp.comparison.model import ControlledSet, Group
from webapp.comparison.rows import Rows
from webapp.comparison.selection import METRIC, Links, Selection
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.candidate_sets import (
    GRID,
    REPETITIONS,
    CandidateSets,
    Rank,
    best_set,
    find_sets,
    most_promising,
    one_class_per_place,
    one_workload_per_group,
    place_axes,
    rank_of,
    settle,
)
from webapp.comparison.sets.core_keys import MAP_AXES, configuration_classes
from webapp.comparison.sets.workloads import WorkloadKey, WorkloadKeys
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns, cached_by, occurring_codes, renumber

MAX_SYSTEMS = 8
"""Systems beside each other beyond which none of them is what the others are compared with, unless it is named."""
MAX_MACHINES = 24
"""Machines that are drawn side by side without being asked for; a legend of more says nothing."""
USUAL_AXES = ("compression", "os", "fs", "cpu", "layout", "tool", "host")
DEFAULT_AXES = ("compression", "os", "fs", "cpu", "layout", "dedup", "host")
"""Axes of which one is taken where an address names none."""
FRONT_AXES = ("fs", "os", "layout", "compression", "cpu", "dedup", "host")
"""Axes of which one is taken where an address names nothing at all: what most people ask about comes first."""
PRESET_AXES = ("os", "compression", "cpu", "fs", "layout")
"""Axes of the links above a figure."""
MAX_SETS = 3
"""Sets of an axis that the map lists."""
MAX_NAMED = 5
"""Shared values that a set is described by."""
_BARE = ("off", "on")
"""Values that say nothing without the name of their dimension."""
_PLAIN_SIZES = ("file_size", "total_size")
"""Sizes that stand for themselves."""
_TELLING = ("record_size", "block_size", "threads", "processes", "nodes", "iodepth", "access", "part", "phase", "operation")
"""Parameters that a set is described by beside its sizes."""
_DESCRIBED = ("fs", "compression", "os", "os_version", "cpu")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ComparedSet:
    """The set that is drawn of some rows.

    `selection`: the address with its axes; `drawn`: with the baseline and the statistic too. `measured`: the drawn rows, none where
    all that is drawn are bounds.
    """

    rows: Rows
    selection: Selection
    drawn: Selection
    chosen: ChosenRows
    measured: Columns


def choose_set(rows: Rows) -> ComparedSet:
    """The set of the rows that is drawn, its axes and its baseline."""
    selection = choose_axes(name_front_axis(rows), rows.candidates)
    chosen = choose_rows(selection, rows.candidates if rows.is_drawn else rows.candidates.none())
    measured = chosen.rows if rows.candidates is rows.passing else chosen.rows.none()
    values = {row.texts[selection.x] for row in rows.absent.unmeasured} if selection.x in DIMENSIONS else ()
    baseline = choose_baseline(selection, chosen.design, chosen.rows, values)
    drawn = selection.changed(baseline=baseline, stat=selection.stat or (GEOMETRIC if baseline else MEDIAN))
    return ComparedSet(rows, selection, drawn, chosen, measured)


def name_front_axis(rows: Rows) -> Selection:
    """The selection; of a bare address with an axis: the first of which several machines have values, else that has three values
    with the repetitions of three sessions, else three repeated values, else several values."""
    selection = rows.selection
    if not rows.question.is_bare or not len(rows.candidates):
        return selection

    def rank(axis: str) -> tuple[bool, ...]:
        wanted = along(selection, axis)
        drawn = choose_rows(wanted, rows.candidates).rows
        runs = [n for text, n in drawn.counts(axis).items() if text != UNKNOWN]
        of_runs = [sum(n >= least for n in runs) >= 3 for least in (REPETITIONS**2, REPETITIONS)]
        return (with_machines(wanted, rows.candidates).series != wanted.series, *of_runs, len(runs) > 1)

    def find_best() -> str:
        ranks = {axis: rank(axis) for axis in FRONT_AXES}
        best = max(FRONT_AXES, key=ranks.__getitem__)  # the first of equal ones
        return best if any(ranks[best]) else ""

    axis = rows.candidates.cached((name_front_axis, selection), find_best)
    return selection.changed(x=axis) if axis else selection


def choose_axes(selection: Selection, rows: Columns) -> Selection:
    """The selection with an x axis: the one along which the rows have the set that answers most, else a usual one. Its baseline is
    spelt as the values of the axes are (`2GiB`, `2147483648`).

    Overlaid archives never share a group with the others: the first free axis becomes the source.
    """
    has_axis = selection.x or selection.series not in ("", METRIC)
    along_x = selection if has_axis else selection.changed(x=best_axis(selection, rows) or _varying_axis(rows))
    free = next((axis for axis in ("series", "facet", "x") if not getattr(along_x, axis)), "facet")
    placed = along_x.changed(**{free: SOURCE}) if along_x.overlay and SOURCE not in along_x.axes else along_x
    spelt = placed.changed(baseline=_spell_baseline(placed, rows)) if placed.baseline else placed
    return with_machines(spelt, rows)


def with_machines(selection: Selection, rows: Columns) -> Selection:
    """The selection with the machines as its series, by host where each has its own, where at least four hold several values of the
    axis: each has a ratio of its own then, and a claim can be about all of them."""
    is_free = not selection.series and len(selection.metrics) < 2 and intended_design(selection) == CONTROLLED
    if not is_free or core_keys.frees_machine(selection.axes) or not is_judged(selection, CONTROLLED):
        return selection
    by_machine = selection.changed(series=core_keys.MACHINE)
    if not _holds_machines(by_machine, rows):
        return selection
    drawn = choose_rows(by_machine, rows).rows
    if len(drawn.distinct(core_keys.MACHINE)) > MAX_MACHINES or not _holds_machines(by_machine, drawn):
        return selection
    pairs = {(row.texts[core_keys.MACHINE], row.texts["host"]) for row in drawn.rows}
    hosts = {host for _, host in pairs if host != UNKNOWN and is_known_value("host", host)}
    has_names = len(hosts) == len(pairs) == len(drawn.distinct(core_keys.MACHINE))
    return selection.changed(series="host") if has_names else by_machine


def _holds_machines(selection: Selection, rows: Columns) -> bool:
    """Whether of one workload at least four machines have several values of the axis, the baseline among them where it has one."""
    machines, column = rows.dimensions.column(core_keys.MACHINE), rows.dimensions.column(selection.x)
    if len(machines.values) < MIN_MACHINES:
        return False
    known = rows.take((rows.codes(core_keys.MACHINE) != machines.unknown_code) & (rows.codes(selection.x) != column.unknown_code))
    workloads = WorkloadKeys(selection, rows).codes[known.indices[WORKLOAD_INDEX]]
    places, count = renumber(workloads * len(machines.values) + known.codes(core_keys.MACHINE))  # a machine with a workload
    cells = occurring_codes(places * len(column.values) + known.codes(selection.x))
    several = np.bincount(cells // len(column.values), minlength=count) > 1
    if selection.baseline in column.values:
        at = cells % len(column.values) == column.values.index(selection.baseline)
        several &= np.bincount(cells[at] // len(column.values), minlength=count) > 0
    workload_of = np.zeros(count, np.intp)
    workload_of[places] = workloads
    return bool((np.bincount(workload_of[several]) >= MIN_MACHINES).any())


def _spell_baseline(selection: Selection, rows: Columns) -> str:
    """The baseline as a value of an axis; of a numeric axis the value of the same quantity."""
    axes = [axis for axis in (selection.x, selection.series) if axis in DIMENSIONS]
    values = {axis: rows.distinct(axis) for axis in axes}
    quantity = parse_quantity(selection.baseline)
    if quantity is None or any(selection.baseline in of_axis for of_axis in values.values()):
        return selection.baseline
    numeric = [text for axis in axes if DIMENSIONS[axis].numeric for text in values[axis]]
    return next((text for text in numeric if parse_quantity(text) == quantity), selection.baseline)


def _varying_axis(rows: Columns) -> str:
    """The first of the usual dimensions that has two known values, else the first of all."""
    return next((name for name in USUAL_AXES if len(rows.known(name)) > 1), USUAL_AXES[0])


def choose_baseline(selection: Selection, design: str, rows: Columns, unmeasured: Collection[str] = ()) -> str:
    """The value of the x axis that the others are compared with: the named one, else `off`, else the most repeated one.

    Empty where nothing is compared, and where many systems stand side by side. Nothing of it depends on a measured value.
    `unmeasured`: values of the axis of which there are runs without a number.
    """
    if selection.series in DIMENSIONS and selection.baseline in rows.distinct(selection.series):
        return selection.baseline
    values = rows.known(selection.x) if selection.x in DIMENSIONS else []
    if selection.baseline in (*values, *unmeasured, *selection.metrics) or not is_judged(selection, design):
        return selection.baseline
    if len(values) < 2 or (design == AS_THEY_STAND and len(values) > MAX_SYSTEMS):
        return ""
    if "off" in values:
        return "off"
    shared = _count_comparisons(selection, rows)
    runs = rows.counts(selection.x)
    return max(values, key=lambda text: (shared.get(text, 0), runs[text]))  # the first of equal ones


def _count_comparisons(selection: Selection, rows: Columns) -> dict[str, int]:
    """For each value of the x axis the groups beside its own, at the same series and facet."""
    others = [name for name in (selection.series, selection.facet) if name in DIMENSIONS]
    places = list(zip(*(rows.texts(name) for name in others), strict=True)) if others else [()] * len(rows)
    values_at: dict[tuple[str, ...], set[str]] = {}
    for place, x in zip(places, rows.texts(selection.x), strict=True):
        values_at.setdefault(place, set()).add(x)
    counts: dict[str, int] = {}
    for values in values_at.values():
        for x in values:
            counts[x] = counts.get(x, 0) + len(values) - 1
    return counts


def is_judged(selection: Selection, design: str) -> bool:
    """Whether groups are compared with a baseline without being asked: configurations or systems, on a plain axis."""
    if design == OPEN or selection.kind in ("scatter", "heat", "lines") or selection.x not in DIMENSIONS:
        return False
    return DIMENSIONS[selection.x].source == CONFIGURATION


def choose_rows(selection: Selection, rows: Columns) -> ChosenRows:
    """The rows of the set that is drawn; with `control=off` all rows of one workload."""
    name = intended_design(selection)
    if not len(rows):
        return ChosenRows(rows, name)
    if selection.x == AGGREGATE and selection.series in DIMENSIONS and selection.series not in core_keys.PLACES:
        # Percentiles are of the same runs: what is compared is the other axis, which chooses the set.
        selection = selection.changed(x=selection.series, series=AGGREGATE)
    return _choose_rows(selection, rows, name)


def intended_design(selection: Selection) -> str:
    """The design that is looked for."""
    if selection.control == "off":
        return OPEN
    return AS_THEY_STAND if selection.x in core_keys.PLACES else CONTROLLED


def places(groups: Iterable[Group]) -> int:
    """The most values that are drawn of one metric: of one alone nothing is compared."""
    drawn = Counter(metric for metric, *_ in {(group.metric, group.x, group.series, group.facet) for group in groups})
    return max(drawn.values(), default=0)


@cached_by(lambda selection, _: (selection.named_axes, selection.pool, selection.control))
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


@cached_by(lambda selection, name: (selection.named_axes, selection.pool, name))
def sets_of(selection: Selection, rows: Columns, name: str) -> CandidateSets:
    """The sets that a design of this name can be drawn from."""
    return find_sets(selection, rows, place_axes(selection), name == CONTROLLED)


def _draw_all(selection: Selection, rows: Columns) -> ChosenRows:
    """Every row of the workload that most groups have."""
    sets = find_sets(selection, rows, (), by_class=False)
    best = best_set(selection, rows, sets)
    workload = WorkloadKeys(selection, rows).keys[sets.workloads[best]]
    drawn = one_workload_per_group(selection, rows.take(sets.codes == best))
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


def along(selection: Selection, axis: str) -> Selection:
    """The selection with this x axis alone."""
    series = METRIC if len(selection.metrics) > 1 else ""
    return selection.changed(x=axis, series=series, facet="", baseline="", hold=(), kind="bars", sort="", control="")


def count_known(rows: Columns, axis: str) -> tuple[int, int]:
    """The known values of an axis that are repeated, and all of them, in whatever sets."""
    n = [count for text, count in rows.counts(axis).items() if text != UNKNOWN] if len(rows) else []
    return sum(count >= REPETITIONS for count in n), len(n)


def rank_answer(selection: Selection, rows: Columns, axis: str) -> tuple:
    """How much the best set along an axis answers, whatever the metric: one that is controlled before whole systems, most repeated
    values, most values; of whole systems, of which a run each claims nothing, most values. Empty where nothing compares.
    """
    values, rank = find_along(selection, rows, axis)
    if values < 2:
        return ()
    is_controlled = choose_rows(along(selection, axis), rows).design == CONTROLLED
    return (True, *rank[:GRID]) if is_controlled else (False, values)


def best_axis(selection: Selection, rows: Columns) -> str:
    """The axis of DEFAULT_AXES whose best set answers most; the first of equal ones; empty where none has two values."""
    found = [(axis, *find_along(selection, rows, axis)) for axis in DEFAULT_AXES]
    answering = [(axis, rank) for axis, values, rank in found if values > 1]
    # `max` keeps the first of equal ones; whole systems come after what can be controlled.
    return max(answering, key=lambda item: (item[0] not in core_keys.PLACES, item[1]), default=("", ()))[0]


def find_along(selection: Selection, rows: Columns, axis: str) -> tuple[int, tuple[float, ...]]:
    """The values that the best set along an axis has, and what it answers."""
    return _rank_along(along(selection, axis), rows) if len(rows) else (0, ())


@cached_by(lambda selection: (selection.x, selection.series, selection.pool))
def _rank_along(selection: Selection, rows: Columns) -> tuple[int, tuple[float, ...]]:
    if not may_compare(selection, rows):
        return min(1, len(rows.known(selection.x))), ()
    chosen = choose_rows(selection, rows)
    return len(chosen.rows.known(selection.x)), rank_of(selection, chosen.rows)


@cached_by(lambda selection: along(selection, ""))
def list_sets(selection: Selection, rows: Columns) -> list[ControlledSet]:
    """The sets of each axis with two values or more, most repeated values first."""
    return [found for axis in MAP_AXES for found in _sets_of_axis(along(selection, axis), rows)] if len(rows) else []


def find_set(selection: Selection, rows: Columns, axis: str, value: str) -> str:
    """The query of the set along an axis that has this value beside others, empty where there is none."""
    found = _sets_of_axis(along(selection, axis), rows, value)
    return found[0].query if found else ""


def _sets_of_axis(selection: Selection, rows: Columns, value: str = "") -> list[ControlledSet]:
    """The sets along x with two values or more, most repeated values first; with `value`, those that have it."""
    known = rows.known(selection.x)
    if len(known) < 2 or (value and value not in known):
        return []
    name = intended_design(selection)
    sets = sets_of(selection, rows, name)
    several = np.flatnonzero(sets.values > 1)
    if value:
        has = rows.codes(selection.x) == rows.dimensions.column(selection.x).values.index(value)
        several = np.intersect1d(several, sets.codes[has])
    order = np.lexsort((-sets.n[several], -sets.values[several], -sets.repeated[several]))  # of equal ones the first
    found = []
    for index in several[order][:MAX_SETS].tolist():
        drawn, _ = settle(selection, rows.take(sets.codes == index), name == CONTROLLED)
        drawn_values = drawn.known(selection.x)
        if len(drawn_values) > 1 and (not value or value in drawn_values):
            found.append(_describe_set(selection, rows, drawn))
    return found


def _describe_set(selection: Selection, rows: Columns, drawn: Columns) -> ControlledSet:
    axis = DIMENSIONS[selection.x]
    values = sorted(drawn.known(selection.x), key=lambda text: value_sort_key(axis, text))
    codes = drawn.codes(selection.x)
    runs = [int(drawn.n[codes == code].sum()) for code in np.unique(codes)]
    options = shared_filters(selection, rows, drawn, rows.dimensions.option_names)
    return ControlledSet(
        selection.x,
        axis.label,
        tuple(value_label(axis, value) for value in values),
        ", ".join([*_shared_labels(drawn, (*_DESCRIBED, "tool", *PARAMS), selection.x), *starmap(option_words, options.items())]),
        (min(runs), max(runs)),
        query=set_query(selection, rows, drawn),
        design=intended_design(selection),
        metric=selection.metrics[0] if selection.metrics else "",
    )


def _shared_labels(rows: Columns, names: Iterable[str], axis: str) -> list[str]:
    """What the rows share, in words: `on zfs`, `compression off`, `Debian 12`, `bonnie++`, `2 GiB`."""
    labels: dict[str, str] = {}
    for name in names:
        if len(labels) == MAX_NAMED:
            break
        if name != axis and len(texts := rows.distinct(name)) == 1 and texts[0] != UNKNOWN:
            label = value_label(DIMENSIONS[name], texts[0])
            if name == "fs":
                label = f"on {label}"
            elif name == "os_version" and "os" in labels:
                labels["os"] += f" {label}"
                continue
            elif name in PARAMS and (label == "1" or name not in (*_PLAIN_SIZES, *_TELLING)):
                continue
            elif label in _BARE or (name in PARAMS and name not in _PLAIN_SIZES and not label[:1].isalpha()):
                label = f"{in_sentence(DIMENSIONS[name].label)} {label}"
            labels[name] = label
    return list(labels.values())


def set_query(selection: Selection, rows: Columns, drawn: Columns) -> str:
    """The query that draws this set: its machine, class and workload as filters, as far as other rows differ in them."""
    names = [*core_keys.class_dimensions(selection.axes), "tool", "aggregate", "origin", *PARAMS, *rows.dimensions.option_names]
    if not core_keys.frees_machine(selection.axes):
        names.insert(0, core_keys.MACHINE)
    return Links(selection).with_filters(shared_filters(selection, rows, drawn, names))


def shared_filters(selection: Selection, rows: Columns, drawn: Columns, names: Sequence[str]) -> dict[str, str]:
    """(dimension: value) of the dimensions in which the drawn rows agree and the others do not."""
    varying = rows.varying_dimensions().difference(selection.axes)
    tools = drawn.distinct("tool")
    return {
        name: texts[0]
        for name in names
        if name in varying and len(texts := drawn.distinct(name)) == 1 and not (is_option(name) and tool_of(name) not in tools)
    }
