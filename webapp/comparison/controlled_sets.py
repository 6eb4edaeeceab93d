"""The map of what can be compared: for each axis the sets with at least two values, and the axis that answers most. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ingest.keys import PARAMS
from webapp.comparison import candidate_sets, core_keys, designs, settling
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, value_label, value_sort_key
from webapp.comparison.links import Links
from webapp.comparison.model import ControlledSet
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.summary.columns import Columns

MAP_AXES = (
    "compression",
    "os",
    "fs",
    "cpu",
    "layout",
    "dedup",
    "recordsize",
    "atime",
    "sync",
    "os_version",
    "kernel",
    "memory",
    "host",
)
"""Axes of the map: registered keys; parameters of a workload are no axis of their own accord."""
DEFAULT_AXES = ("compression", "os", "fs", "cpu", "layout", "dedup", "host")
"""Axes of which one is taken where an address names none."""
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


def along(selection: Selection, axis: str) -> Selection:
    """The selection with this x axis alone."""
    series = METRIC if len(selection.metrics) > 1 else ""
    return selection.changed(x=axis, series=series, facet="", baseline="", hold=(), kind="bars", sort="", control="")


def count_values(selection: Selection, rows: Columns, axis: str) -> int:
    """The values that the best set along an axis has; 0 without rows."""
    return _find_along(selection, rows, axis)[0]


def best_axis(selection: Selection, rows: Columns) -> str:
    """The axis of DEFAULT_AXES whose best set answers most; the first of equal ones; empty where none has two values."""
    found = [(axis, *_find_along(selection, rows, axis)) for axis in DEFAULT_AXES]
    answering = [(axis, rank) for axis, values, rank in found if values > 1]
    # `max` keeps the first of equal ones; whole systems come after what can be controlled.
    return max(answering, key=lambda item: (item[0] not in core_keys.PLACES, item[1]), default=("", ()))[0]


def _find_along(selection: Selection, rows: Columns, axis: str) -> tuple[int, tuple[float, ...]]:
    if not len(rows):
        return 0, ()
    wanted = along(selection, axis)
    return rows.cached((_find_along, axis, wanted.series, wanted.pool), lambda: _rank_along(wanted, rows))


def _rank_along(selection: Selection, rows: Columns) -> tuple[int, tuple[float, ...]]:
    if not designs.may_compare(selection, rows):
        return min(1, len(rows.known(selection.x))), ()
    chosen = designs.choose_rows(selection, rows)
    return len(chosen.rows.known(selection.x)), candidate_sets.rank_of(selection, chosen.rows)


def list_sets(selection: Selection, rows: Columns) -> list[ControlledSet]:
    """The sets of each axis with two values or more, most repeated values first."""
    if not len(rows):
        return []
    return rows.cached(
        (list_sets, selection.metrics, selection.filters, selection.archives, selection.studies, selection.q),
        lambda: [found for axis in MAP_AXES for found in _sets_of_axis(along(selection, axis), rows)],
    )


def _sets_of_axis(selection: Selection, rows: Columns) -> list[ControlledSet]:
    if len(rows.known(selection.x)) < 2:
        return []
    name = designs.intended_design(selection)
    sets = designs.sets_of(selection, rows, name)
    several = np.flatnonzero(sets.values > 1)
    order = np.lexsort((-sets.n[several], -sets.values[several], -sets.repeated[several]))  # of equal ones the first
    found = []
    for index in several[order][:MAX_SETS].tolist():
        drawn, _ = settling.settle(selection, rows.take(sets.codes == index), name == designs.CONTROLLED)
        if len(drawn.known(selection.x)) > 1:
            found.append(_describe_set(selection, rows, drawn))
    return found


def _describe_set(selection: Selection, rows: Columns, drawn: Columns) -> ControlledSet:
    axis = DIMENSIONS[selection.x]
    values = sorted(drawn.known(selection.x), key=lambda text: value_sort_key(axis, text))
    codes = drawn.codes(selection.x)
    runs = [int(drawn.n[codes == code].sum()) for code in np.unique(codes)]
    return ControlledSet(
        selection.x,
        axis.label,
        tuple(value_label(axis, value) for value in values),
        ", ".join(_shared_labels(drawn, (*_DESCRIBED, "tool", *PARAMS), selection.x)),
        (min(runs), max(runs)),
        set_query(selection, rows, drawn),
        designs.intended_design(selection),
        selection.metrics[0] if selection.metrics else "",
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
                label = f"{DIMENSIONS[name].label.lower()} {label}"
            labels[name] = label
    return list(labels.values())


def set_query(selection: Selection, rows: Columns, drawn: Columns) -> str:
    """The query that draws this set: its machine, class and workload as filters, as far as other rows differ in them."""
    names = [*core_keys.class_dimensions(selection.axes), "tool", "aggregate", "origin", *PARAMS]
    if not core_keys.frees_machine(selection.axes):
        names.insert(0, core_keys.MACHINE)
    return Links(selection).with_filters(shared_filters(selection, rows, drawn, names))


def shared_filters(selection: Selection, rows: Columns, drawn: Columns, names: Sequence[str]) -> dict[str, str]:
    """(dimension: value) of the dimensions in which the drawn rows agree and the others do not."""
    varying = rows.varying_dimensions().difference(selection.axes)
    return {name: texts[0] for name in names if name in varying and len(texts := drawn.distinct(name)) == 1}
