"""Groups that lack numbers: runs that gave none, whose bounds take part in centre and claims, and groups that were not run with the
workload of the figure, which keep their place on the axis and say what they have. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison import caveats, search
from webapp.comparison.compared_set import AS_THEY_STAND, CONTROLLED, OPEN, ChosenRows
from webapp.comparison.dimensions import (
    APART,
    DIMENSIONS,
    UNKNOWN,
    in_sentence,
    is_known_value,
    value_label,
    value_sort_key,
)
from webapp.comparison.model import EmptyPlace, Group, MissingRun, OtherWorkload, Panel, UnmeasuredCount
from webapp.comparison.rows import MAX_UNMEASURED
from webapp.comparison.selection import BY_VALUE, METRIC, Links, Selection, filter_query
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import (
    SAME_RUNS,
    WorkloadKey,
    WorkloadKeys,
    describe_differences,
    describe_ways,
    differing_dimensions,
    is_way,
    restrict,
)
from webapp.comparison.summary.columns import METRIC_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.provenance import Observed
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow, UnmeasuredRun
from webapp.formatting import numbers

FAILED = ("failed", "not_finished")
"""Reasons of runs that printed too little to tell every size and count of their workload."""
MAX_PLACES = 12
"""Empty places of one panel."""
MAX_WORKLOADS = 3
"""Other workloads that a place names."""
ALONE = "each run counts alone"
OWN_COMMAND = "equal only within one command, table or file"
"""What follows from an unknown size that the tool needs."""


COUNTED = ("cpu", "disk", "host", "system")
"""Axes whose values are things that can be counted."""


class _Place(NamedTuple):
    """Where a group stands, or would stand, in a panel."""

    metric: str
    x: str
    series: str


def failed_rows(rows: Columns, observed: Mapping[int, Observed]) -> list[UnmeasuredRow]:
    """The runs that printed numbers of these rows and ended in an error, as rows of runs without a number."""
    found: dict[tuple[int, str], tuple[SummaryRow, list[UnmeasuredRun]]] = {}
    for row in rows.rows if observed else ():
        for measurement in row.ids:
            if (seen := observed.get(measurement)) is not None and seen.error:
                run = UnmeasuredRun(seen.archive, seen.run, seen.session, seen.machine, -measurement)
                found.setdefault((id(row), seen.error), (row, []))[1].append(run)
    return [
        UnmeasuredRow(
            row.metric, row.configuration, row.workload, row.texts, FAILED[0], bound=None, side="", runs=tuple(runs), error=error
        )
        for (_, error), (row, runs) in found.items()
    ]


def with_unmeasured(
    selection: Selection, chosen: ChosenRows, panels: Sequence[Panel], rows: Sequence[UnmeasuredRow]
) -> Sequence[Panel]:
    """The panels with the runs without a number in their groups; where a group has no other, at their bound, or an empty place.

    With panels of their own where no run of a metric, or at a value of the facet, gave a number and some have a bound.
    """
    if not rows or not len(chosen.rows):
        return panels
    belonging = _belonging(selection, chosen, rows[:MAX_UNMEASURED])
    counted = []
    for panel in _with_bounded_panels(selection, panels, belonging):
        missing: dict[_Place, list[UnmeasuredRow]] = {}
        for row in belonging:
            if row.metric in panel.metrics and _text(row, selection.facet) == panel.title:
                series = row.metric if selection.series == METRIC else _text(row, selection.series)
                missing.setdefault(_Place(row.metric, _text(row, selection.x), series), []).append(row)
        counted.append(_with_missing(selection, panel, missing) if missing else panel)
    return counted


def _with_bounded_panels(selection: Selection, panels: Sequence[Panel], rows: Iterable[UnmeasuredRow]) -> Sequence[Panel]:
    """The panels, and those, or the metrics of panels, of which no run gave a number and some have a bound; in the order of all."""
    shown = {(panel.title, metric) for panel in panels for metric in panel.metrics}
    absent = dict.fromkeys((_text(row, selection.facet), row.metric) for row in rows if row.bound is not None)
    if absent.keys() <= shown:
        return panels
    extended = list(panels)
    for title, metric in absent:
        if (title, metric) in shown:
            continue
        unit, better = METRICS[metric].unit, METRICS[metric].better
        shared = [
            at for at, panel in enumerate(extended) if selection.series == METRIC and (panel.title, panel.unit) == (title, unit)
        ]
        if shared:
            metrics = sorted((*extended[shared[0]].metrics, metric), key=selection.metrics.index)
            extended[shared[0]] = replace(extended[shared[0]], metrics=tuple(metrics))
        else:
            extended.append(Panel(title, (metric,), unit, better, xs=[], series=[], groups=[]))
    facet = DIMENSIONS.get(selection.facet)
    return sorted(extended, key=lambda panel: (value_sort_key(facet, panel.title), selection.metrics.index(panel.metrics[0])))


def _text(row: UnmeasuredRow, axis: str) -> str:
    return row.texts[axis] if axis in DIMENSIONS else ""


def _belonging(selection: Selection, chosen: ChosenRows, rows: Sequence[UnmeasuredRow]) -> list[UnmeasuredRow]:
    """The rows that pass the filters, with the workload of the figure and of its class."""
    summaries = [row.as_summary() for row in rows]
    row_of = {id(summary): row for summary, row in zip(summaries, rows, strict=True)}
    passing = search.RowFilter(selection).passing(Columns(summaries))
    if not len(passing):
        return []
    keys = WorkloadKeys(selection, passing)
    workloads = [keys.keys[code] for code in keys.codes[passing.indices[WORKLOAD_INDEX]].tolist()]
    rows_with_keys = [(row_of[id(row)], key) for row, key in zip(passing.rows, workloads, strict=True)]
    of_workload = [row for row, key in rows_with_keys if _is_of_workload(row, key, chosen.workload)]
    if chosen.design == CONTROLLED:
        likeness = core_keys.likeness_of(selection.axes, chosen.rows)
        of_workload = [row for row in of_workload if likeness.includes(row.texts)]
    return [row for row in of_workload if _text(row, selection.x) != UNKNOWN or DIMENSIONS[selection.x].is_option]


def _is_of_workload(row: UnmeasuredRow, key: WorkloadKey, drawn: WorkloadKey) -> bool:
    """Whether the row has the drawn workload; of a run that failed, whether all that it printed agrees."""
    if key == drawn or row.reason not in FAILED or row.bound is not None:
        return key == drawn
    wanted = dict(drawn)
    return all(value in (UNKNOWN, wanted.get(name)) for name, value in key if name != APART)


def _with_missing(selection: Selection, panel: Panel, missing: Mapping[_Place, Sequence[UnmeasuredRow]]) -> Panel:
    """The panel with these runs without a number: in their groups, in new groups at their bound, or as empty places."""
    groups = {_Place(group.metric, group.x, group.series): group for group in panel.groups}
    empty = []
    for place, rows in missing.items():
        bounded = [row for row in rows if row.bound is not None]
        if place in groups or bounded:
            groups[place] = _with_runs(groups.get(place) or _group_at_bound(panel, place, bounded), rows, bounded)
        else:
            empty.append(EmptyPlace(*place, panel.title, (), count_reasons(rows), missing=list_runs(rows)))
    xs = reduce(lambda xs, place: extended_xs(selection, xs, {place.x}), missing, panel.xs)
    series = _extended_series(selection, panel, {place.series for place in missing})
    order = {name: position for position, name in enumerate(xs)}, {name: position for position, name in enumerate(series)}
    ordered = sorted(groups.values(), key=lambda group: (order[0][group.x], order[1][group.series]))
    return replace(panel, xs=xs, series=series, groups=ordered, empty=[*panel.empty, *empty])


def _group_at_bound(panel: Panel, place: _Place, bounded: Sequence[UnmeasuredRow]) -> Group:
    """A group without a number of its own; its centre follows from the bounds."""
    configurations = len({row.configuration for row in bounded})
    return Group(
        place.x,
        place.series,
        panel.title,
        place.metric,
        0,
        configurations=configurations,
    )


def _with_runs(group: Group, rows: Sequence[UnmeasuredRow], bounded: Sequence[UnmeasuredRow]) -> Group:
    """The group with its runs without a number."""
    known = {name for row in bounded for name in caveats.row_caveats(row.as_summary())}
    flags = caveats.order_caveats(({*group.flags} - {"single"}) | known)
    return group.changed(unmeasured=count_reasons(rows), missing=list_runs(rows), flags=flags)


def extended_xs(selection: Selection, xs: Sequence[str], more: Collection[str]) -> Sequence[str]:
    """The values of the x axis with those that have no number: by name, or behind the others where numbers order them."""
    added = {*more}.difference(xs)
    if not added:
        return xs
    axis = DIMENSIONS.get(selection.x)
    if selection.sort == BY_VALUE:
        return [*xs, *sorted(added, key=lambda text: value_sort_key(axis, text))]
    return sorted({*xs, *added}, key=lambda text: value_sort_key(axis, text))


def _extended_series(selection: Selection, panel: Panel, more: Collection[str]) -> Sequence[str]:
    """The series with those that have no number, in the order of the metrics or of the values."""
    if {*more} <= {*panel.series}:
        return panel.series
    by_metric, dimension = selection.series == METRIC, DIMENSIONS.get(selection.series)
    order_of = panel.metrics.index if by_metric else lambda text: value_sort_key(dimension, text)
    return sorted({*panel.series, *more}, key=order_of)


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
            run.machine,
            run.session,
            row.bound,
            row.side if row.bound is not None else "",
            row.error,
            configuration=row.configuration,
            id=run.id,
        )
        for row in rows
        for run in row.runs
    )


def with_empty_places(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel]) -> Sequence[Panel]:
    """The panels with the groups that have runs of their metrics, but none of the workload; systems as they stand are counted."""
    if chosen.design == OPEN or chosen.alike is None or selection.x not in DIMENSIONS:
        return panels
    if chosen.design == AS_THEY_STAND:
        return [replace(panel, others=_describe_others(selection, chosen, chosen.alike, panel)) for panel in panels]
    filled = []
    for panel in panels:
        empty = [*panel.empty, *_empty_places(selection, chosen, panel)]
        xs = extended_xs(selection, panel.xs, {place.x for place in empty})
        filled.append(replace(panel, xs=xs, empty=empty) if empty else panel)
    return filled


def _describe_others(selection: Selection, chosen: ChosenRows, alike: Columns, panel: Panel) -> str:
    """`5 CPUs were not run with filebench.`"""
    rows = _rows_of_panel(selection, alike, panel)
    others = {x for x in set(rows.texts(selection.x)) - set(panel.xs) if is_known_value(selection.x, x)}
    if not others:
        return ""
    tool = dict(chosen.workload).get("tool", UNKNOWN)
    of_tool = {x for x, other in zip(rows.texts(selection.x), rows.texts("tool"), strict=True) if other == tool}
    label = in_sentence(DIMENSIONS[selection.x].label)
    ending, verb = ("", "was") if len(others) == 1 else ("s", "were")
    noun = f"{label}{ending}" if selection.x in COUNTED else f"value{ending} of {label}"
    what = "this workload" if tool == UNKNOWN or others & of_tool else tool
    return f"{numbers.count(len(others))} {noun} {verb} not run with {what}."


@dataclass(frozen=True, slots=True)
class _Other:
    """Label, runs and filters of a workload that an empty place has; no filters where no address draws it."""

    label: str
    runs: int
    filters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Has:
    """What an empty place has, and whether the drawn workload is among it, with other settings, or may be: what is known of it does
    not differ. `lacks`: what the drawn workload has, in words, where the nearest one differs in options alone."""

    lacks: str
    was_run: bool
    others: Sequence[_Other]


def _empty_places(selection: Selection, chosen: ChosenRows, panel: Panel) -> list[EmptyPlace]:
    assert chosen.alike is not None
    groups: Sequence[Group | EmptyPlace] = (*panel.groups, *panel.empty)
    drawn = frozenset(_Place(one.metric, one.x, one.series) for one in groups)
    key = (_find_places, selection.named_axes, selection.pool, panel.title, panel.metrics, drawn, chosen.workload)
    found = chosen.alike.cached(key, lambda: _find_places(selection, chosen, panel, drawn))
    links = Links(selection) if found else None
    return [
        EmptyPlace(
            *place,
            panel.title,
            tuple(
                OtherWorkload(
                    other.label,
                    other.runs,
                    links.with_filters(other.filters, filter_query(other.filters)) if links and other.filters else "",
                )
                for other in has.others
            ),
            was_run=has.was_run,
            lacks=has.lacks,
        )
        for place, has in found
    ]


def _find_places(selection: Selection, chosen: ChosenRows, panel: Panel, drawn: Collection[_Place]) -> list[tuple[_Place, _Has]]:
    """Each empty place with what it has."""
    assert chosen.alike is not None
    rows = _rows_of_panel(selection, chosen.alike, panel)
    by_series = selection.series in DIMENSIONS
    series = rows.texts(selection.series) if by_series else [""] * len(rows)
    places: dict[_Place, list[int]] = {}
    metrics = [rows.dimensions.metrics[code] for code in rows.indices[METRIC_INDEX].tolist()]
    for position, (metric, x, name) in enumerate(zip(metrics, rows.texts(selection.x), series, strict=True)):
        key = _Place(metric, x, metric if selection.series == METRIC else name)
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
    differing = {code: differing_dimensions(chosen.workload, keys.keys[code]) for code in np.unique(codes).tolist()}
    of_runs = [code for code, names in differing.items() if not names.intersection(SAME_RUNS)] or list(differing)
    found: dict[str, list[_Other]] = {}
    was_run = False
    nearest = sorted(of_runs, key=lambda code: (len(differing[code]), keys.keys[code]))
    for code in nearest:
        key, names, of_key = keys.keys[code], differing[code], _at(rows, np.flatnonzero(codes == code).tolist())
        if names:
            label, is_other = describe_differences(key, chosen.workload, of_key)
            filters = restrict(key, names) | (
                {"tool_version": of_key.distinct("tool_version")[0]} if "tool_version" in names else {}
            )
            other = _Other(label, of_key.total, filters)
        else:
            other, is_other = _other_settings(selection, chosen, of_key), False
        was_run |= not is_other
        found.setdefault(other.label, []).append(other)
    unlike = differing[nearest[0]]
    lacks = describe_ways(chosen.workload, unlike) if unlike and all(map(is_way, unlike)) else ""
    return _Has(lacks, was_run, [_joined(same) for same in found.values()][:MAX_WORKLOADS])


def _joined(same: Sequence[_Other]) -> _Other:
    """Workloads that read the same as one; those of unknown sizes say what keeps them apart, and no address draws several."""
    first, runs = same[0], sum(other.runs for other in same)
    apart = f": {ALONE if runs == len(same) else OWN_COMMAND}" if APART in first.filters else ""
    return _Other(f"{first.label}{apart}", runs, first.filters if len(same) == 1 else {})


def _other_settings(selection: Selection, chosen: ChosenRows, rows: Columns) -> _Other:
    """Rows of the drawn workload that are left out for their settings; the label names what differs.

    Rows that are in the set and not in the figure have no usable value.
    """
    if set(_row_keys(rows)) & set(_row_keys(chosen.rows)):
        return _Other("no usable value, see the notes", rows.total, {})
    unlike = core_keys.find_unlike(selection.axes, rows, chosen.rows)
    words = [f"{DIMENSIONS[name].label} {value_label(DIMENSIONS[name], text)}" for name, (_, text) in unlike.items()]
    filters = {name: recorded for name, (recorded, _) in unlike.items()}
    return _Other(", ".join(words[:MAX_WORKLOADS]) or "other settings", rows.total, filters)


def _row_keys(rows: Columns) -> Iterator[tuple[int, ...]]:
    """Configuration, workload and metric of each row."""
    return map(tuple, rows.indices.T.tolist())
