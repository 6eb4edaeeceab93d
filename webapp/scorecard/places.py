"""The lines of a scorecard before they are judged: which rows of both sides stand beside each other, and how alike they are. Pure;
looks at no value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ingest.keys import PARAMS
from webapp.claims.observations import CONTROLLED, GEOMETRIC
from webapp.comparison.compared_set import OPEN, ChosenRows, choose_rows, shared_filters
from webapp.comparison.dimensions import APART, DIMENSIONS, MACHINE, SOURCE, UNKNOWN, value_label
from webapp.comparison.selection import Selection, dimension_position, query_string
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.core_keys import described_codes
from webapp.comparison.sets.workloads import SAME_RUNS, WorkloadKey, WorkloadKeys
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow
from webapp.scorecard.sides import CardSide

A, B = "a", "b"
"""The sources of both sides: `a` is what is judged, `b` what it is compared with."""
MAX_MATCHED = 12
"""Dimensions in which the configurations of both sides are matched."""
MAX_NEAR = 8
"""Workloads of the first side to which the nearest one is looked for."""
UNKNOWN_OCTAVES = 8.0
"""How far a known size is from an unknown one."""
_TRANSFER, _PARALLEL = ("transfer_size", "record_size", "block_size"), ("threads", "processes", "iodepth", "nodes")
_SIZE = ("total_size", "file_size")
WEIGHTY = (*SAME_RUNS, "direct", "fsync", *_TRANSFER, *_PARALLEL, *_SIZE, "tool")
"""Parameters by which workloads are near, those first that matter most."""
MAX_TRIED = 6
"""Dimensions of which it is tried whether all else follows from them."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A line before it is judged: the comparison that draws it. `rows`: those of its workload; `every`: all rows of the metric."""

    selection: Selection
    chosen: ChosenRows
    rows: Columns
    every: Columns
    matched: tuple[tuple[str, str], ...]
    axis: str
    differs: tuple[str, ...]
    unmeasured: tuple[UnmeasuredRow, ...]
    beside: tuple[WorkloadKey, ...] = ()
    """Where the sides share no workload the nearest two, which stand beside each other without a ratio."""


def find_places(
    metric: str, measured: Sequence[SummaryRow], unmeasured: Sequence[UnmeasuredRow], *, whole: bool
) -> Iterable[LinePlace]:
    """The lines of one metric: a place for each workload that both sides were run with, and each configuration that both have.

    `whole`: whether the sides are whole archives or studies, which stand beside each other as they are.
    """
    # A side of which every run failed has its place too; those rows have no values.
    placeholders = [row.as_summary() for row in unmeasured]
    rows = Columns([*measured, *placeholders])
    if len(rows.distinct(SOURCE)) < 2:
        return
    selection = Selection((metric,), x=SOURCE, baseline=B, stat=GEOMETRIC)
    keys, axes = WorkloadKeys(selection, rows), dict[frozenset[int], str]()
    codes, sources = keys.codes[rows.indices[WORKLOAD_INDEX]], np.array(rows.texts(SOURCE), object)
    of_sides = [np.unique(codes[sources == side]) for side in (A, B)]
    both = np.intersect1d(of_sides[0], of_sides[1])
    if not len(both):
        near = find_nearest(selection, *(of_side(rows, side) for side in (A, B)))
        part = Columns([*near.own.rows, *near.published.rows])
        place = _make_place(selection.changed(pool=near.differing), part, rows, (), unmeasured, axes, whole=True)
        yield replace(place, beside=near.workloads)
    for code in both.tolist():
        of_workload = rows.take(codes == code)
        for matched, part in _match(of_workload):
            yield _make_place(selection, part, rows, matched, unmeasured, axes, whole=whole)


def distance(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[int, int, float, bool]:
    """How unlike two workloads of one operation are: direct or synchronous I/O, kind of number, octaves, tool."""
    ways = sum(_is_on(one, name) != _is_on(other, name) for name in ("direct", "fsync"))
    octaves = 0.0
    for size, other_size in zip(magnitudes(one), magnitudes(other), strict=True):
        if size and other_size:
            octaves += abs(math.log2(size / other_size))
        elif size or other_size:
            octaves += UNKNOWN_OCTAVES
    differing = sum(one.get(name) != other.get(name) for name in SAME_RUNS)
    return ways, differing, octaves, one.get("tool") != other.get("tool")


@dataclass(frozen=True, slots=True)
class Nearest:
    """Rows of one metric and those of other runs that are least unlike them, each of one workload on one configuration.

    `differing`: the parameters in which the workloads differ, by how much they matter.
    """

    own: Columns
    published: Columns
    workloads: tuple[WorkloadKey, WorkloadKey]
    differing: tuple[str, ...]


def usual_workloads(keys: WorkloadKeys, rows: Columns) -> list[int]:
    """The numbers of the workloads that describe typical runs of the whole, those with most runs first."""
    codes = keys.codes[rows.indices[WORKLOAD_INDEX]]
    n, every = np.bincount(codes, rows.n, len(keys.keys)), np.unique(codes)
    usual = every[np.lexsort((-n[every], -keys.preference[every], -keys.typicality[every]))].tolist()
    return [code for code in usual if keys.typicality[code] == keys.typicality[usual[0]]]


def find_nearest(asked: Selection, own: Columns, published: Columns) -> Nearest:
    """The usual workloads on both sides that are least unlike: the same kind of number, direct or buffered, whether the data fit in
    memory, octaves, the tool; of equally near ones those on the configurations most alike. Neither side may be empty."""
    keys, others = WorkloadKeys(asked, own), WorkloadKeys(asked, published)
    owns, codes = (side.codes[rows.indices[WORKLOAD_INDEX]] for side, rows in ((keys, own), (others, published)))
    mine = {one: _most_repeated(own.take(owns == one)) for one in usual_workloads(keys, own)[:MAX_NEAR]}
    works = {one: dict(keys.keys[one]) for one in mine}
    at: dict[tuple[int, str], list[int]] = {}
    for position, place in enumerate(zip(codes.tolist(), published.texts("memory"), strict=True)):
        at.setdefault(place, []).append(position)
    ranks = {}
    for code, memory in at:
        other = dict(others.keys[code])
        for one, work in works.items():
            ways, kinds, octaves, tool = distance(work, other)
            fits = {_fits(work, mine[one].texts["memory"]), _fits(other, memory)} == {True, False}
            ranks[one, (code, memory)] = kinds, ways, fits, octaves, tool
    one, _ = min(ranks, key=lambda pair: (ranks[pair], list(mine).index(pair[0])))
    lowest = min(ranks.values())
    found = np.sort([position for place in at if ranks[one, place] == lowest for position in at[place]])
    alike = _count_alike(mine[one], published)[found]
    best = int(found[np.lexsort((-published.n[found], -alike))[0]])  # of equal ones the first
    row = published.row(best)
    pair = keys.keys[one], others.keys[codes[best]]
    work, other = map(dict, pair)
    differing = {name for name in {*work, *other} if work.get(name, UNKNOWN) != other.get(name, UNKNOWN)} - {APART}
    differing -= {name for name in _PARALLEL if {work.get(name, UNKNOWN), other.get(name, UNKNOWN)} == {"1", UNKNOWN}}
    weighty = [name for name in WEIGHTY if name in differing]
    return Nearest(
        _on(own.take(owns == one), mine[one]),
        _on(published.take(codes == codes[best]), row),
        pair,
        (*weighty, *sorted(differing.difference(weighty), key=dimension_position)),
    )


def _on(rows: Columns, one: SummaryRow) -> Columns:
    """Those of the rows on its configuration."""
    return Columns(rows.take(rows.ids(CONFIGURATION_INDEX) == one.configuration).rows)


def _most_repeated(rows: Columns) -> SummaryRow:
    return rows.row(int(rows.n.argmax()))


def _count_alike(one: SummaryRow, others: Columns) -> np.ndarray:
    """The number of known core dimensions in which each row's configuration agrees with that of one."""
    alike = np.zeros(others.dimensions.size(CONFIGURATION_INDEX), np.intp)
    for name in core_keys.CORE:
        column, text = others.dimensions.column(name), one.texts[name]
        if text != UNKNOWN and text in column.values:
            alike += column.codes == column.values.index(text)
    return alike[others.indices[CONFIGURATION_INDEX]]


def _fits(work: Mapping[str, str], memory: str) -> bool | None:
    """Whether the data of a run fit in memory; None where size or memory are unknown."""
    size = magnitudes(work)[2]
    return size < int(memory) if size and memory.isdigit() else None


def _is_on(work: Mapping[str, str], name: str) -> bool:
    return work.get(name, UNKNOWN) not in (UNKNOWN, "off", "none")


def magnitudes(work: Mapping[str, str]) -> tuple[float, float, float]:
    """Bytes of a transfer, number of parallel ones, and size of a workload; an unknown number is 1, an unknown size 0.

    The block of a tool that also has transfers (IOR) is what each process moves in all.
    """
    return _magnitudes(*(tuple(work.get(name, UNKNOWN) for name in names) for names in (_TRANSFER, _PARALLEL, _SIZE)))


@lru_cache(10_000)
def _magnitudes(transfer: tuple[str, ...], parallel: tuple[str, ...], size: tuple[str, ...]) -> tuple[float, float, float]:
    known = [[float(text) for text in texts if text.isdigit() and int(text)] for texts in (transfer, parallel, size)]
    return next(iter(known[0]), 0.0), math.prod(known[1]), next(iter(known[2]), 0.0)


def _match(rows: Columns) -> Iterable[tuple[tuple[tuple[str, str], ...], Columns]]:
    """The rows of one workload in parts that hold both sides, each with the values in which its configurations are matched.

    By the dimensions in which the configurations of a side differ and of which both sides have values in common.
    """
    sources = np.array(rows.texts(SOURCE), object)
    sides = [of_side(rows, side) for side in (A, B)]
    names, _ = described_codes(rows.dimensions)
    shared = [
        name
        for name in (MACHINE, *names)
        if any(len(side.distinct(name)) > 1 for side in sides) and {*sides[0].known(name)} & {*sides[1].known(name)}
    ]
    shared = sorted(shared, key=lambda name: (name not in core_keys.CORE, name != MACHINE))[:MAX_MATCHED]
    if not shared:
        yield (), rows
        return
    texts = list(zip(*(rows.texts(name) for name in shared), strict=True))
    at: dict[tuple[str, ...], set[str]] = {}
    for values, source in zip(texts, sources.tolist(), strict=True):
        at.setdefault(values, set()).add(source)
    found = [values for values, of in at.items() if len(of) == 2]
    if not found:
        yield (), rows
        return
    for values in found:
        mask = np.array([text == values for text in texts], bool)
        yield tuple(zip(shared, values, strict=True)), rows.take(mask)


def _make_place(
    selection: Selection,
    rows: Columns,
    every: Columns,
    matched: tuple[tuple[str, str], ...],
    unmeasured: Sequence[UnmeasuredRow],
    axes: dict[frozenset[int], str],
    *,
    whole: bool,
) -> LinePlace:
    standing = choose_rows(selection, rows)
    differs = differing_settings(standing.rows)
    drawn, chosen = _along_axis(selection, standing, differs, axes)
    if drawn is selection and differs and not whole and len(standing.rows.distinct(MACHINE)) < 2:
        chosen = replace(standing, design=OPEN)
    return LinePlace(drawn, chosen, rows, every, matched, "" if drawn is selection else drawn.x, differs, tuple(unmeasured))


def _along_axis(
    selection: Selection, standing: ChosenRows, differs: Sequence[str], axes: dict[frozenset[int], str]
) -> tuple[Selection, ChosenRows]:
    """The same rows as values of the one dimension from which all else that differs follows, on one machine: a controlled set; as
    they stand where there is no such dimension. `axes`: those found before, by the configurations."""
    key = frozenset(row.configuration for row in standing.rows.rows)
    likely = [name for name in differs if name in core_keys.FOLLOWING] or differs
    tried = [axes[key]] if key in axes else likely[:MAX_TRIED] if len(standing.rows.distinct(MACHINE)) < 2 else []
    for axis in filter(None, tried):
        values = [of_side(standing.rows, side).distinct(axis) for side in (A, B)]
        if any(len(texts) != 1 for texts in values) or values[0] == values[1]:
            continue
        drawn = selection.changed(x=axis, baseline=values[1][0])
        chosen = choose_rows(drawn, standing.rows)
        if chosen.design == CONTROLLED and len(chosen.rows.distinct(axis)) == 2:
            axes[key] = axis
            return drawn, chosen
    axes[key] = ""
    return selection, standing


def of_side(rows: Columns, side: str) -> Columns:
    return rows.take(np.array(rows.texts(SOURCE), object) == side)


def differing_settings(rows: Columns) -> tuple[str, ...]:
    """The dimensions of configurations in which the rows differ, a value known on one side only among them."""
    names, codes = described_codes(rows.dimensions)
    codes = codes[:, rows.occurring(CONFIGURATION_INDEX)]
    differing = np.flatnonzero(codes.min(axis=1, initial=2**31 - 1) != codes.max(axis=1, initial=-1))
    return tuple(names[line] for line in differing.tolist())


def make_query(place: LinePlace, sides: tuple[CardSide, CardSide]) -> str:
    """The comparison that draws the two sides of a line; empty where no address of /compare does."""
    one, other = (side.selection for side in sides)
    names = {name for name, _ in (*one.filters, *other.filters) if one.values(name) != other.values(name)}
    sources = [(side.archives, side.studies) for side in (one, other)]
    base = Selection(place.selection.metrics, x=place.axis or SOURCE, filters=one.filters)
    if not names and sources[0] != sources[1]:
        archives, studies = (tuple(sorted({*before, *after})) for before, after in zip(*sources, strict=True))
        if not all(map(any, sources)) or (archives and studies):
            return ""
        base = base.changed(archives=archives, studies=studies, overlay=() if place.axis else archives)
        named = [*(f"archive {pk}" for pk in other.archives), *(f"study {name}" for name in other.studies)]
        base = base.changed(baseline=named[0] if len(named) == 1 else "")
    elif len(names) == 1 and sources[0] == sources[1]:
        [name] = names
        control = "" if place.axis or name in core_keys.PLACES else "off"
        base = base.changed(x=place.axis or name, control=control, archives=one.archives, studies=one.studies)
        base = base.having(name, {*one.values(name), *other.values(name)}).changed(baseline=min(other.values(name)))
    else:
        return ""
    distinguishing = [*core_keys.CORE, MACHINE, "tool", "aggregate", "origin", *PARAMS, *place.every.dimensions.option_names]
    if place.axis:
        base = base.changed(baseline=place.selection.baseline)
    filters = shared_filters(base, place.every, place.chosen.rows, distinguishing) | dict(place.matched)
    return query_string(base.narrowed({name: (text,) for name, text in filters.items() if name not in (SOURCE, base.x)}))


def list_differences(places: Iterable[LinePlace]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """(label, values of side a, of side b) of the dimensions in which any two sides of a line differ, core ones first."""
    values: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for place in places:
        by_side = [of_side(place.chosen.rows, side) for side in (A, B)]
        for name in place.differs:
            for rows, of in zip(by_side, values.setdefault(name, ({}, {})), strict=True):
                of.update(dict.fromkeys(value_label(DIMENSIONS[name], text) for text in rows.distinct(name)))
    order = sorted(values, key=lambda name: (name not in core_keys.CORE, dimension_position(name)))
    return [(DIMENSIONS[name].label, tuple(values[name][0]), tuple(values[name][1])) for name in order]
