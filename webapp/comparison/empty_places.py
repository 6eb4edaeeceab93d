"""Groups that were not run with the workload of the figure: they keep their place on the axis and say what they have. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison import groups as grouping
from webapp.comparison.designs import OPEN, ChosenRows
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, is_known_value, value_label
from webapp.comparison.labels import describe_differences
from webapp.comparison.links import Links, filter_query
from webapp.comparison.model import EmptyPlace, Panel
from webapp.comparison.selection import METRIC, Selection
from webapp.comparison.summary.columns import METRIC_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.workload_filter import SAME_RUNS, WorkloadKey, WorkloadKeys, restrict

MAX_PLACES = 12
"""Empty places of one panel."""
MAX_WORKLOADS = 3
"""Other workloads that a place names."""
ALONE = "each run counts alone"
OWN_COMMAND = "equal only within one command, table or file"
"""What follows from an unknown size that the tool needs."""


def set_empty_places(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel]) -> None:
    """Give each panel the groups that have runs of its metrics, but none of the workload. Extends the values of its axis."""
    if chosen.design == OPEN or chosen.alike is None or selection.x not in DIMENSIONS:
        return
    for panel in panels:
        panel.empty += _empty_places(selection, chosen, panel)
        added = {place.x for place in panel.empty} - set(panel.xs)
        if added:
            panel.xs = grouping.extended_xs(selection, panel.xs, added)


_Other = tuple[str, int, Mapping[str, str]]
"""Label, runs and filters of a workload that an empty place has; no filters where no address draws it."""


@dataclass(frozen=True, slots=True)
class _Has:
    """What an empty place has, and whether the drawn workload is among it, with other settings, or may be: what is known of it does
    not differ."""

    was_run: bool
    others: list[_Other]


def _empty_places(selection: Selection, chosen: ChosenRows, panel: Panel) -> list[EmptyPlace]:
    assert chosen.alike is not None
    groups = [(group.metric, group.x, group.series) for group in panel.groups]
    drawn = frozenset([*groups, *[(place.metric, place.x, place.series) for place in panel.empty]])
    key = (_find_places, selection.named_axes, selection.pool, panel.title, panel.metrics, drawn, chosen.workload)
    found = chosen.alike.cached(key, lambda: _find_places(selection, chosen, panel, drawn))
    links = Links(selection) if found else None
    return [
        EmptyPlace(metric, x, name, panel.title, tuple(_with_link(links, *one) for one in has.others), was_run=has.was_run)
        for (metric, x, name), has in found
    ]


def _with_link(links: Links | None, label: str, runs: int, filters: Mapping[str, str]) -> tuple[str, int, str]:
    return label, runs, links.with_filters(filters, filter_query(filters)) if links and filters else ""


def _find_places(
    selection: Selection, chosen: ChosenRows, panel: Panel, drawn: Collection[tuple[str, str, str]]
) -> list[tuple[tuple[str, str, str], _Has]]:
    """(metric, x, series) of each empty place, with what it has."""
    assert chosen.alike is not None
    rows = _rows_of_panel(selection, chosen.alike, panel)
    by_series = selection.series in DIMENSIONS
    series = rows.texts(selection.series) if by_series else [""] * len(rows)
    places: dict[tuple[str, str, str], list[int]] = {}
    metrics = [rows.dimensions.metrics[code] for code in rows.indices[METRIC_INDEX].tolist()]
    for position, (metric, x, name) in enumerate(zip(metrics, rows.texts(selection.x), series, strict=True)):
        key = (metric, x, metric if selection.series == METRIC else name)
        if is_known_value(selection.x, x) and key not in drawn and (not by_series or name in panel.series):
            places.setdefault(key, []).append(position)
    return [
        (key, _other_workloads(selection, chosen, _at(rows, positions))) for key, positions in sorted(places.items())[:MAX_PLACES]
    ]


def _rows_of_panel(selection: Selection, rows: Columns, panel: Panel) -> Columns:
    codes = [code for code, name in enumerate(rows.dimensions.metrics) if name in panel.metrics]
    mask = np.isin(rows.indices[-1], codes)
    if selection.facet in DIMENSIONS:
        values = rows.dimensions.column(selection.facet).values
        mask &= rows.codes(selection.facet) == (values.index(panel.title) if panel.title in values else -1)
    return rows.take(mask)


def _at(rows: Columns, positions: Sequence[int]) -> Columns:
    mask = np.zeros(len(rows), bool)
    mask[list(positions)] = True
    return rows.take(mask)


def _other_workloads(selection: Selection, chosen: ChosenRows, rows: Columns) -> _Has:
    """The workloads of a place, those nearest to the drawn one first: the label has what differs. Other statistics and parts of a
    run are named where nothing else is there; workloads of unknown sizes that read the same are one."""
    keys = WorkloadKeys(selection, rows)
    codes = keys.codes[rows.indices[WORKLOAD_INDEX]]
    differing = {code: _differing_dimensions(chosen.workload, keys.keys[code]) for code in np.unique(codes).tolist()}
    of_runs = [code for code, names in differing.items() if not names.intersection(SAME_RUNS)] or list(differing)
    found: dict[str, list[_Other]] = {}
    other: _Other
    was_run = False
    for code in sorted(of_runs, key=lambda code: (len(differing[code]), keys.keys[code])):
        key, names, of_key = keys.keys[code], differing[code], _at(rows, np.flatnonzero(codes == code).tolist())
        if names:
            label, is_other = describe_differences(key, chosen.workload, of_key)
            filters = restrict(key, names) | (
                {"tool_version": of_key.distinct("tool_version")[0]} if "tool_version" in names else {}
            )
            other = label, of_key.total, filters
        else:
            other, is_other = _other_settings(selection, chosen, of_key), False
        was_run |= not is_other
        found.setdefault(other[0], []).append(other)
    return _Has(was_run, [_joined(same) for same in found.values()][:MAX_WORKLOADS])


def _joined(same: list[_Other]) -> _Other:
    """Workloads that read the same as one; those of unknown sizes say what keeps them apart, and no address draws several."""
    label, runs, filters = same[0]
    runs = sum(count for _, count, _ in same)
    if APART in filters:
        label = f"{label}: {ALONE if runs == len(same) else OWN_COMMAND}"
    return label, runs, filters if len(same) == 1 else {}


def _other_settings(selection: Selection, chosen: ChosenRows, rows: Columns) -> _Other:
    """Rows of the drawn workload that are left out for their settings; the label names what differs.

    Rows that are in the set and not in the figure have no usable value.
    """
    if set(_row_keys(rows)) & set(_row_keys(chosen.rows)):
        return "no usable value, see the notes", rows.total, {}
    filters: dict[str, str] = {}
    shown: dict[str, str] = {}
    for name in core_keys.compared_dimensions(selection.axes, chosen.rows.dimensions.names, chosen.rows.dimensions.chosen_names):
        recorded, theirs, ours = rows.distinct(name), _in_force(rows, name), _in_force(chosen.rows, name)
        if UNKNOWN not in (*theirs, *ours) and not set(theirs) & set(ours):
            filters[name], shown[name] = recorded[0], theirs[0]
    words = [f"{DIMENSIONS[name].label} {value_label(DIMENSIONS[name], text)}" for name, text in shown.items()]
    return ", ".join(words[:MAX_WORKLOADS]) or "other settings", rows.total, filters


def _in_force(rows: Columns, name: str) -> list[str]:
    """The distinct values of a dimension; of an option that means the same everywhere those in force."""
    if name in core_keys.SAME_EVERYWHERE:
        return sorted({core_keys.option_in_force(name, row.texts)[0] for row in rows.rows})
    return rows.distinct(name)


def _row_keys(rows: Columns) -> Iterator[tuple[int, ...]]:
    """Configuration, workload and metric of each row."""
    return map(tuple, rows.indices.T.tolist())


def _differing_dimensions(drawn: WorkloadKey, other: WorkloadKey) -> set[str]:
    """The dimensions in which two workloads differ."""
    wanted = dict(drawn)
    return {name for name, value in other if wanted.get(name) != value}
