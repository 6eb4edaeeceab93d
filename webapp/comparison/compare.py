"""Selection -> Comparison. Reads the summary; the table of measurements only for lines of shown values and exact statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webapp.claims.observations import GEOMETRIC, MEDIAN
from webapp.comparison import aggregates, compared_set, facets, judged, omissions
from webapp.comparison import groups as grouping
from webapp.comparison.absent import attach_unmeasured, bounded_rows, failed_rows, set_empty_places
from webapp.comparison.compared_set import USUAL_METRICS, choose_axes, choose_baseline, choose_metric
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, SOURCE, UNKNOWN
from webapp.comparison.groups import find_differences, hold_equal, merge_months
from webapp.comparison.judged import find_rows, withhold_contradicted
from webapp.comparison.model import Comparison, ControlledSet, Group, Panel, SummaryRow
from webapp.comparison.question import ComparisonScopes, accepted_scopes, find_originals, is_bare, names_nothing, select_scopes
from webapp.comparison.rows import (
    RowSource,
    count_metrics,
    count_passing,
    count_withdrawn,
    fill_values,
    filter_rows,
    overlay_choices,
    row_key,
    search_metrics,
)
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.sets import core_keys, workloads
from webapp.comparison.summary import provenance, queries, reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.reader import FilteredRows, RowKey
from webapp.http import isolation
from webapp.http.data_version import data_version

NO_NUMBER = "no run gave a number"
_UNDESCRIPTIVE = frozenset(core_keys.IDENTIFIERS) - {"host"}
"""Dimensions of configurations that tell a reader nothing: ids, but not the name of the machine."""


def compare(
    selection: Selection,
    viewer,
    *,
    exact: bool = False,
    most: int | None = grouping.MAX_POINTS,
    version: int | None = None,
    only: frozenset[RowKey] | None = None,
    presets: bool = False,
) -> Comparison:
    """The comparison that a reader may see. In a process that has nothing of it cached at most nine queries, with a search eleven.

    `exact`: read every value, however many there are; else at most `most` of a group are shown (None: all that the
    summary has). `version`: the data version, where the caller knows it. `only`: the rows of the summary that take part,
    None for all. `presets`: find out what can be compared along the usual axes.
    """
    version = data_version() if version is None else version
    source, is_drawn = find_source(selection, viewer, version, only)
    available = count_metrics(version, source.scopes)

    selection, search = search_metrics(source, selection, available)
    selection = choose_metric(selection, available)
    others = tuple(name for name in USUAL_METRICS if name in available and name not in selection.metrics)
    others = others if presets and names_nothing(selection) else ()
    absent = source.read_absent(selection.metrics, others)  # first: it reads the other rows too, all of them in one query
    passing_by_metric = count_passing(source, selection, available)
    filtered = filter_rows(source, selection)
    # Where no run gave a number, those with a bound are drawn at it.
    candidates = filtered.passing if len(filtered.passing) else bounded_rows(selection, absent.unmeasured)
    selection = choose_axes(selection, candidates)

    chosen = compared_set.choose_rows(selection, candidates if is_drawn else candidates.none())
    measured = chosen if candidates is filtered.passing else replace(chosen, rows=chosen.rows.none(), of_workload=0)
    drawn = _resolve(selection, chosen, absent.unmeasured)
    matched = _fill_values(source, hold_equal(selection, measured.rows), exact)
    values = judged.read_observed_values(matched, version, chosen.design)
    kept, left_out = judged.leave_out(matched, values)
    normalised = grouping.normalise(drawn, kept)
    merged = merge_months(drawn, kept)

    panels = grouping.make_panels(
        drawn, normalised if merged is kept else grouping.normalise(drawn, merged), None if exact else most
    )
    missing = [*failed_rows(matched, values.by_id), *absent.unmeasured]
    attach_unmeasured(selection, chosen, panels, grouping.normalise_bounds(selection, missing))
    grouping.unify_statistics(drawn, panels)
    set_empty_places(selection, chosen, panels)
    judged.judge_groups(drawn, chosen, panels, values)
    sums = find_rows(selection, chosen, candidates)
    if sums:
        withhold_contradicted(drawn, panels, fill_values(source.version, source.scopes, sums))
    every = [group for panel in panels for group in panel.groups]
    described = normalised if measured is chosen or not every else chosen.rows
    method = describe_method(drawn, panels, every)
    doubts = provenance.attach_provenance(every, version, every=exact or most is None)
    selection = omissions.arrange(selection, panels)
    drawn = drawn.changed(words=selection.words, strange=selection.strange)
    groups = [group for panel in panels for group in panel.groups]
    _label_panels(selection, chosen, panels, described)

    differs = find_differences(selection, normalised, filtered.rows.varying_dimensions())
    originals = {} if len(candidates) or not selection.archives else find_originals(selection.archives, viewer)
    steps = omissions.SelectionSteps(
        all=filtered.rows,
        passing=filtered.passing,
        drawn=measured,
        matched=matched,
        normalised=normalised,
        caveats=doubts.caveats,
        without_lines=doubts.failed,
        missing=source.scopes.missing,
        originals=originals,
        missing_studies=source.scopes.missing_studies,
        overlays=source.scopes.overlays,
        own=source.scopes.own,
        withdrawn=count_withdrawn(source, selection),
        left_out=left_out,
    )
    return Comparison(
        selection=selection,
        panels=panels,
        flags=omissions.list_flags(selection, steps, groups, differs),
        differs=differs,
        facets=filtered.facets,
        workloads=workloads.list_workloads(selection, filtered.passing, chosen.rows),
        metrics=facets.metric_choices(selection, available, passing_by_metric, bool(originals)),
        axes=facets.axis_choices(selection, candidates),
        runs=sum(group.runs for group in groups),
        configurations=_count_configurations(selection, described, any(panel.hidden for panel in panels)),
        method=method,
        overlays=overlay_choices(selection, source.scopes),
        recorded=filtered.rows.dimensions.open_names,
        drawn=drawn,
        design=chosen.design if compared_set.places(groups) > 1 else None,
        sought=compared_set.intended_design(selection),
        workload=chosen.workload if groups else (),
        tool_versions=tuple(described.known("tool_version")),
        fixed=_fixed(described),
        unrecorded=chosen.unrecorded,
        left_out=left_out,
        answers=_find_answers(source, selection, filtered.passing, others) if presets else {},
        sets=_list_sets(selection, filtered) if names_nothing(selection) or not groups else [],
        search=search,
        is_map=not is_drawn,
    )


def _list_sets(selection: Selection, filtered: FilteredRows) -> list[ControlledSet]:
    """The map of what passes the filters; of all runs of the metrics where nothing does."""
    if len(filtered.passing):
        return compared_set.list_sets(selection, filtered.passing)
    return compared_set.list_sets(selection.changed(filters=(), q=""), filtered.rows)


def find_source(selection: Selection, viewer, version: int, only: frozenset[RowKey] | None = None) -> tuple[RowSource, bool]:
    """(the rows that an address is about, whether any may be drawn).

    Where it names no runs these are those of accepted archives, as far as they have the metrics; a bare address draws no others.
    """
    scopes = select_scopes(selection, viewer)
    if names_nothing(selection):
        accepted, *_ = reader.count_metrics(version, [accepted_scopes().base, *scopes.sets])  # of both in one query
        if accepted and (not selection.metrics or any(metric in accepted for metric in selection.metrics)):
            return RowSource(version, replace(scopes, base=accepted_scopes().base), only), True
    return RowSource(version, scopes, only), not is_bare(selection)


def _find_answers(source: RowSource, selection: Selection, rows: Columns, others: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The metrics with which something can be compared along each usual axis: the chosen ones, else one of the others.

    No entry where nothing can be.
    """
    axes = compared_set.PRESET_AXES
    answers = {axis: selection.metrics for axis in axes if compared_set.count_values(selection, rows, axis) > 1}
    for metric in others if len(answers) < len(axes) else ():
        of_metric = filter_rows(source, selection.changed(metrics=(metric,))).passing
        for axis in axes:
            if axis not in answers and compared_set.count_values(selection.changed(metrics=(metric,)), of_metric, axis) > 1:
                answers[axis] = (metric,)
    return answers


def _resolve(selection: Selection, chosen: compared_set.ChosenRows, missing: Sequence[reader.UnmeasuredRow]) -> Selection:
    """The selection with the baseline and the statistic that are drawn."""
    values = {row.texts[selection.x] for row in missing} if selection.x in DIMENSIONS else set()
    baseline = choose_baseline(selection, chosen.design, chosen.rows, values)
    return selection.changed(baseline=baseline, stat=selection.stat or (GEOMETRIC if baseline else MEDIAN))


def _label_panels(selection: Selection, chosen: compared_set.ChosenRows, panels: Sequence[Panel], rows: Columns) -> None:
    """Give each panel its workload and what its groups share in words."""
    fixed = _fixed(rows)
    workload = workloads.workload_title(chosen.workload, rows.known("tool_version"))
    defaults = workloads.default_words(selection, rows) if chosen.design == compared_set.CONTROLLED else []
    for panel in panels:
        panel.workload, panel.subtitle = workload, workloads.subtitle(fixed, selection.axes, panel.groups, defaults)
    if selection.facet:
        for unit in {panel.unit for panel in panels}:
            alike = [panel for panel in panels if panel.unit == unit]
            ends = [max(group.center, group.high or 0.0) for panel in alike for group in panel.groups]
            for panel in alike:
                panel.top = max(ends, default=0.0)


def _count_configurations(selection: Selection, rows: Columns, partly: bool) -> int:
    """The configurations of the rows; `partly`: of those that the author shows."""
    if not partly:
        return rows.cached("configurations", lambda: len({row.configuration for row in rows.rows}))
    words, axes = selection.words, [axis for axis in (selection.x, selection.series) if axis in DIMENSIONS]
    shown = (
        row
        for row in rows.rows
        if not words.hides(METRIC, row.metric) and not any(words.hides(axis, row.texts[axis]) for axis in axes)
    )
    return len({row.configuration for row in shown})


def _fixed(rows: Columns) -> tuple[tuple[str, str], ...]:
    """(dimension, value) of the known values of configurations that all rows share."""
    shared = []
    for name in rows.dimensions.names:
        if (
            DIMENSIONS[name].source == CONFIGURATION
            and name not in _UNDESCRIPTIVE
            and len(texts := rows.distinct(name)) == 1
            and texts != [UNKNOWN]
        ):
            shared.append((name, texts[0]))
    return tuple(shared)


def find_row_keys(selection: Selection, viewer, version: int) -> tuple[Selection, list[RowKey]]:
    """The selection with the metric, axes and baseline of its comparison, and the keys of the rows that this is made of.

    Those of the baseline come first, then those of the drawn set: any part of them is drawn alike and compared with the same
    baseline, whereas another set and another baseline may be the best of other rows.
    """
    source, is_drawn = find_source(selection, viewer, version)
    available = count_metrics(version, source.scopes)
    selection = choose_metric(search_metrics(source, selection, available)[0], available)
    absent = source.read_absent(selection.metrics)
    usual = [*source.read_columns(selection.metrics).rows, *(row for row, _ in absent.withdrawn)]
    every = {*map(row_key, usual), *map(row_key, absent.unmeasured)}
    selection = isolation.run_isolated(
        "axes",
        query_string(selection),
        lambda: choose_axes(selection, filter_rows(source, selection).passing),
        lambda: selection,
    )
    selection, ranks = isolation.run_isolated(
        "drawn set",
        query_string(selection),
        lambda: _rank_drawn(selection, filter_rows(source, selection).passing, absent.unmeasured) if is_drawn else (selection, {}),
        lambda: (selection, dict[RowKey, int]()),
    )
    return selection, sorted(every, key=lambda key: (ranks.get(key, 2), key))


def _rank_drawn(
    selection: Selection, rows: Columns, missing: Sequence[reader.UnmeasuredRow]
) -> tuple[Selection, dict[RowKey, int]]:
    """The selection with the baseline of the drawn set, and 0 for each row of the baseline, 1 for the other drawn ones."""
    chosen = compared_set.choose_rows(selection, rows)
    selection = selection.changed(baseline=_resolve(selection, chosen, missing).baseline)
    axes = [axis for axis in (selection.x, selection.series) if axis in DIMENSIONS]
    ranks = {
        row_key(row): int(selection.baseline not in [row.texts[axis] for axis in axes] + [row.metric]) for row in chosen.rows.rows
    }
    return selection, ranks


def _fill_values(source: RowSource, columns: Columns, exact: bool) -> Columns:
    """The rows with their values; with `exact`, every value instead of a histogram."""
    rows = columns.rows
    if not columns.has_values:
        rows = fill_values(source.version, source.scopes, rows)
        columns.has_values = rows is columns.rows
    if exact:
        rows = [_read_every_value(row, source.scopes) if row.histogram else row for row in rows]
    return columns.with_rows(rows)


def _read_every_value(row: SummaryRow, scopes: ComparisonScopes) -> SummaryRow:
    """A copy of the row with every value in the place of the histogram. One query."""
    of_source = scopes.sources.get(row.texts[SOURCE])
    included, excluded = (of_source, []) if of_source else (scopes.base, list(scopes.overlays))
    pairs = queries.read_every_value(row.metric, row.configuration, row.workload, included, excluded)
    return row.with_values(pairs)


def describe_method(selection: Selection, panels: Sequence[Panel], groups: Sequence[Group]) -> str:
    """How centres, intervals and verdicts were computed, for the caption; empty without groups."""
    if not groups:
        return ""
    sentences = (
        aggregates.describe_method(selection.stat, groups) if any(group.runs for group in groups) else NO_NUMBER,
        "open end: the value lies beyond what could be measured" if any(group.bound for group in groups) else "",
        judged.describe_tests(panels),
    )
    return "; ".join(sentence for sentence in sentences if sentence)
