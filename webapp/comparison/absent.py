"""Groups without a number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison import caveats, compared_set, facets
from webapp.comparison import groups as grouping
from webapp.comparison.compared_set import OPEN, ChosenRows
from webapp.comparison.dimensions import APART, DIMENSIONS, MACHINE, UNKNOWN, is_known_value, value_label, value_sort_key
from webapp.comparison.model import EmptyPlace, Group, MissingRun, Panel, SummaryRow, UnmeasuredCount
from webapp.comparison.selection import METRIC, Links, Selection, filter_query
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import SAME_RUNS, WorkloadKey, WorkloadKeys, describe_differences, restrict
from webapp.comparison.summary.columns import METRIC_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.provenance import Observed
from webapp.comparison.summary.reader import UnmeasuredRow, UnmeasuredRun

# Groups that were not run with the workload of the figure: they keep their place on the axis and say what they have. Pure.

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


# Runs that gave no number, in the groups that they belong to: they count, and their bounds take part in centre and claims.

MAX_ROWS = 2_000
"""Rows of runs without a number that are looked at for one figure."""
FAILED = ("failed", "not_finished")
"""Reasons of runs that printed too little to tell every size and count of their workload."""


def bounded_rows(selection: Selection, rows: Sequence[UnmeasuredRow]) -> Columns:
    """The rows with a bound that pass the filters, as rows of the summary without values."""
    bounded = [_summary(row) for row in rows[:MAX_ROWS] if row.bound is not None]
    return facets.RowFilter(selection).passing(Columns(bounded)) if bounded else Columns([])


def failed_rows(rows: Columns, observed: Mapping[int, Observed]) -> list[UnmeasuredRow]:
    """The runs that printed numbers of these rows and ended in an error, as rows of runs without a number."""
    found: dict[tuple[int, str], tuple[SummaryRow, list[UnmeasuredRun]]] = {}
    for row in rows.rows if any(seen.error for seen in observed.values()) else ():
        for measurement in row.ids:
            if (seen := observed.get(measurement)) is not None and seen.error:
                run = UnmeasuredRun(seen.archive, seen.run, seen.session, seen.machine, -measurement)
                found.setdefault((id(row), seen.error), (row, []))[1].append(run)
    return [
        UnmeasuredRow(row.metric, row.configuration, row.workload, row.texts, FAILED[0], None, "", tuple(runs), error)
        for (_, error), (row, runs) in found.items()
    ]


def attach_unmeasured(
    selection: Selection, chosen: compared_set.ChosenRows, panels: list[Panel], rows: Sequence[UnmeasuredRow]
) -> None:
    """Give each group its runs without a number; where it has no other, a group at their bound or an empty place.

    Adds panels where no run of a metric, or at a value of the facet, gave a number and some have a bound.
    """
    if not rows or not len(chosen.rows):
        return
    belonging = _belonging(selection, chosen, rows[:MAX_ROWS])
    _add_panels(selection, panels, belonging)
    for panel in panels:
        found: dict[tuple[str, str, str], list[UnmeasuredRow]] = {}
        for row in belonging:
            if row.metric in panel.metrics and _text(row, selection.facet) == panel.title:
                series = row.metric if selection.series == METRIC else _text(row, selection.series)
                found.setdefault((row.metric, _text(row, selection.x), series), []).append(row)
        groups = {(group.metric, group.x, group.series): group for group in panel.groups}
        for key, missing in found.items():
            _add_to_panel(selection, panel, groups.get(key), key, missing)


def _add_panels(selection: Selection, panels: list[Panel], rows: Iterable[UnmeasuredRow]) -> None:
    """Add the panels, and the metrics of panels, of which no run gave a number and some have a bound; in the order of all."""
    shown = {(panel.title, metric) for panel in panels for metric in panel.metrics}
    absent = dict.fromkeys((_text(row, selection.facet), row.metric) for row in rows if row.bound is not None)
    for title, metric in absent.keys() - shown:
        unit, better = METRICS[metric].unit, METRICS[metric].better
        shared = [panel for panel in panels if selection.series == METRIC and (panel.title, panel.unit) == (title, unit)]
        if shared:
            shared[0].metrics = tuple(sorted((*shared[0].metrics, metric), key=selection.metrics.index))
        else:
            panels.append(Panel(title, (metric,), unit, better, [], [], []))
    if not absent.keys() <= shown:
        facet = DIMENSIONS.get(selection.facet)
        panels.sort(key=lambda panel: (value_sort_key(facet, panel.title), selection.metrics.index(panel.metrics[0])))


def _summary(row: UnmeasuredRow) -> SummaryRow:
    """A row of the summary without values."""
    return SummaryRow(row.metric, row.configuration, row.workload, len(row.runs), row.texts)


def _text(row: UnmeasuredRow, axis: str) -> str:
    return row.texts[axis] if axis in DIMENSIONS else ""


def _belonging(selection: Selection, chosen: compared_set.ChosenRows, rows: Sequence[UnmeasuredRow]) -> list[UnmeasuredRow]:
    """The rows that pass the filters, with the workload of the figure and of its class."""
    summaries = [_summary(row) for row in rows]
    row_of = {id(summary): row for summary, row in zip(summaries, rows, strict=True)}
    passing = facets.RowFilter(selection).passing(Columns(summaries))
    if not len(passing):
        return []
    keys = WorkloadKeys(selection, passing)
    workloads = [keys.keys[code] for code in keys.codes[passing.indices[WORKLOAD_INDEX]].tolist()]
    rows_with_keys = [(row_of[id(row)], key) for row, key in zip(passing.rows, workloads, strict=True)]
    of_workload = [row for row, key in rows_with_keys if _is_of_workload(row, key, chosen.workload)]
    if chosen.design == compared_set.CONTROLLED:
        shared, options = _shared_values(selection, chosen), _shared_options(selection, chosen)
        of_workload = [row for row in of_workload if _is_alike(row, shared) and _has_options(row, options)]
    return [row for row in of_workload if _text(row, selection.x) != UNKNOWN]


def _is_of_workload(row: UnmeasuredRow, key: WorkloadKey, drawn: WorkloadKey) -> bool:
    """Whether the row has the drawn workload; of a run that failed, whether all that it printed agrees."""
    if key == drawn or row.reason not in FAILED or row.bound is not None:
        return key == drawn
    wanted = dict(drawn)
    return all(value in (UNKNOWN, wanted.get(name)) for name, value in key if name != APART)


def _shared_values(selection: Selection, chosen: compared_set.ChosenRows) -> dict[str, set[str]]:
    """The values that the drawn rows have in each dimension in which groups are alike."""
    names = core_keys.compared_dimensions(selection.axes, chosen.rows.dimensions.names, chosen.rows.dimensions.chosen_names)
    if not core_keys.frees_machine(selection.axes):
        names.append(MACHINE)
    return {name: set(chosen.rows.distinct(name)) for name in names if name not in core_keys.SAME_EVERYWHERE}


@dataclass(frozen=True, slots=True)
class _SharedOption:
    """The values in force that drawn rows have of an option; `or_default`: each may have its own default instead; `or_unknown`:
    nothing need be recorded."""

    values: frozenset[str]
    or_default: bool
    or_unknown: bool


def _shared_options(selection: Selection, chosen: compared_set.ChosenRows) -> dict[str, _SharedOption]:
    """What the drawn rows have of each option that means the same everywhere, and is no axis."""
    shared = {}
    for name in core_keys.SAME_EVERYWHERE.keys() & set(chosen.rows.dimensions.names) - set(selection.axes):
        found = {core_keys.option_in_force(name, row.texts) for row in chosen.rows.rows}
        follows = any(core_keys.default_follows(name, axis) for axis in selection.axes)
        are_defaults = any(is_default for _, is_default in found)
        shared[name] = _SharedOption(frozenset(text for text, _ in found), follows and are_defaults, not follows)
    return shared


def _has_options(row: UnmeasuredRow, shared: dict[str, _SharedOption]) -> bool:
    """Whether the options of a row are those of the drawn ones, or its own defaults like theirs."""
    for name, option in shared.items():
        text, is_default = core_keys.option_in_force(name, row.texts)
        is_unknown = row.texts[name] == UNKNOWN and name not in core_keys.CORE
        if text not in option.values and not (is_default and option.or_default) and not (is_unknown and option.or_unknown):
            return False
    return True


def _is_alike(row: UnmeasuredRow, shared: dict[str, set[str]]) -> bool:
    """Whether a row has a value of the drawn ones in each dimension; outside the core an unknown one fits too."""
    for name, values in shared.items():
        text = row.texts[name]
        is_core = name in core_keys.CORE or name == MACHINE
        if text not in values and (is_core or (text != UNKNOWN and values != {UNKNOWN})):
            return False
    return True


def _add_to_panel(
    selection: Selection, panel: Panel, group: Group | None, key: tuple[str, str, str], rows: Sequence[UnmeasuredRow]
) -> None:
    metric, x, series = key
    counts, runs = count_reasons(rows), list_runs(rows)
    bounds = [count for count in counts if count.bound is not None]
    if group is None and bounds:
        configurations = len({row.configuration for row in rows if row.bound is not None})
        group = Group(x, series, panel.title, metric, 0, configurations, 0.0, None, None, "none", [])
        panel.groups.append(group)
    if group is None:
        panel.empty.append(EmptyPlace(metric, x, series, panel.title, (), counts, missing=runs))
    else:
        group.unmeasured, group.missing = counts, runs
        known = {name for row in rows if row.bound is not None for name in caveats.row_caveats(_summary(row))}
        group.flags = caveats.order_caveats(({*group.flags} - {"single"}) | known)
    _extend_axes(selection, panel, x, series)


def _extend_axes(selection: Selection, panel: Panel, x: str, series: str) -> None:
    if x not in panel.xs:
        panel.xs = grouping.extended_xs(selection, panel.xs, {x})
    if series not in panel.series:
        by_metric, dimension = selection.series == METRIC, DIMENSIONS.get(selection.series)
        order_of = panel.metrics.index if by_metric else lambda text: value_sort_key(dimension, text)
        panel.series = sorted([*panel.series, series], key=order_of)
    order = {name: position for position, name in enumerate(panel.xs)}
    names = {name: position for position, name in enumerate(panel.series)}
    panel.groups.sort(key=lambda group: (order[group.x], names[group.series]))


def count_reasons(rows: Iterable[UnmeasuredRow]) -> tuple[UnmeasuredCount, ...]:
    """The number of runs for each reason, bound and error."""
    counts: dict[tuple[str, float | None, str, str], int] = {}
    for row in rows:
        key = (row.reason, row.bound, row.side if row.bound is not None else "", row.error)
        counts[key] = counts.get(key, 0) + len(row.runs)
    return tuple(UnmeasuredCount(reason, count, bound, side, error) for (reason, bound, side, error), count in counts.items())


def list_runs(rows: Iterable[UnmeasuredRow]) -> tuple[MissingRun, ...]:
    """Each run with its machine, session, configuration and bound."""
    return tuple(
        MissingRun(
            run.machine, run.session, row.bound, row.side if row.bound is not None else "", row.error, row.configuration, run.id
        )
        for row in rows
        for run in row.runs
    )
