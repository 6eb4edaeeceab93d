"""The last stage: judged groups in the order and with the words of their author, labelled, with flags, choices and the map of sets.

No claim depends on anything here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.catalogue import METRICS, NEITHER
from ingest.options import is_option
from webapp.claims.observations import MACHINES, SYSTEM, SYSTEMS
from webapp.claims.states import name_unrecorded
from webapp.comparison import compared_set, facets, omissions
from webapp.comparison.compared_set import ComparedSet
from webapp.comparison.dimensions import (
    CONFIGURATION,
    DERIVED_DIMENSIONS,
    DIMENSIONS,
    NO_WORDS,
    UNKNOWN,
    AuthorWords,
    Level,
    comparable,
    is_open,
    value_label,
)
from webapp.comparison.judged import Judged
from webapp.comparison.model import Comparison, ControlledSet, DifferingDimension, Offer, Panel
from webapp.comparison.rows import Rows, overlay_choices
from webapp.comparison.selection import METRIC, Links, Selection, dimension_position, filter_query
from webapp.comparison.sets import candidate_sets, workloads
from webapp.comparison.sets.core_keys import IDENTIFIERS, MACHINE, MAP_AXES
from webapp.comparison.summary.columns import Columns, cached_by, occurring_codes
from webapp.http import isolation

_UNDESCRIPTIVE = frozenset(IDENTIFIERS) - {"host"}
"""Dimensions of configurations that tell a reader nothing: ids, but not the name of the machine."""
WIDE_SCOPES = (SYSTEM, MACHINES, SYSTEMS)
"""Scopes of claims that go beyond the sessions that were measured."""
MAX_DIFFERING, MAX_LINKS = 12, 6
"""Values of a differing dimension that are listed, and that get a link."""
MAX_TRIED = 2
"""Metrics beside the usual ones of which the set along an axis is looked for: those with most values of it."""


def make_comparison(judged: Judged) -> Comparison:
    """Everything that page, JSON, CSV and permalink show of judged groups."""
    groups, compared, rows = judged.groups, judged.groups.compared, judged.groups.compared.rows
    chosen = compared.chosen
    selection, arranged = arrange(compared.selection, judged.panels)
    # Where all that is drawn are bounds, no row with values describes it.
    are_bounds = compared.measured is not chosen.rows and any(panel.groups for panel in judged.panels)
    described = chosen.rows if are_bounds else groups.usable
    panels = _label_panels(selection, compared, arranged, described)
    tools = described.distinct("tool")
    shown = [group for panel in panels for group in panel.groups]
    is_lone = rows.search is not None and compared_set.places(shown) < 2
    differs = find_differences(selection, groups.usable, rows.all.varying_dimensions())
    steps = omissions.SelectionSteps(
        all=rows.all,
        passing=rows.passing,
        drawn=chosen if compared.measured is chosen.rows else replace(chosen, rows=compared.measured, of_workload=0),
        matched=groups.matched,
        normalised=groups.usable,
        caveats=judged.lines.caveats,
        without_lines=judged.lines.failed,
        missing=rows.source.scopes.missing,
        originals=rows.originals,
        missing_studies=rows.source.scopes.missing_studies,
        overlays=rows.source.scopes.overlays,
        own=rows.source.scopes.own,
        withdrawn=rows.count_withdrawn(),
        left_out=groups.left_out,
        unrecorded_state=_find_unrecorded_state(judged, panels, described),
    )
    return Comparison(
        selection=selection,
        panels=panels,
        flags=omissions.list_flags(selection, steps, shown, differs),
        differs=differs,
        facets=[facet for facet in rows.facets if facet.active or facet.wanted or facets.is_at_hand(facet.name, tools)],
        metrics=facets.metric_choices(selection, rows.available, rows.count_passing()),
        axes=[
            axis for axis in facets.axis_choices(selection, rows.candidates) if axis.chosen or facets.is_at_hand(axis.text, tools)
        ],
        runs=sum(group.runs for group in shown),
        configurations=_count_configurations(selection, described, any(panel.hidden for panel in panels)),
        method=judged.method,
        overlays=overlay_choices(selection, rows.source.scopes),
        recorded=(
            *rows.all.dimensions.open_names,
            *(name for name in facets.differing_options(rows.all) if facets.is_at_hand(name, tools)),
        ),
        drawn=compared.drawn.changed(words=selection.words, strange=selection.strange),
        design=chosen.design if compared_set.places(shown) > 1 else None,
        sought=compared_set.intended_design(selection),
        workload=chosen.workload if shown else (),
        tool_versions=tuple(described.known("tool_version")),
        fixed=_fixed(described),
        unrecorded=chosen.unrecorded,
        left_out=groups.left_out,
        answers=_find_answers(rows, selection) if rows.question.presets else {},
        sets=_list_sets(rows, selection) if rows.question.names_nothing or not shown or is_lone else [],
        search=rows.search,
        is_map=not rows.is_drawn,
        offers=_find_offers(rows, selection, chosen) if rows.question.presets and rows.is_drawn else {},
    )


def _find_unrecorded_state(judged: Judged, panels: Sequence[Panel], rows: Columns) -> Sequence[str]:
    """What nothing recorded before the runs, where a claim goes beyond these."""
    scopes = {group.verdict.scope for panel in panels for group in panel.groups if group.verdict is not None}
    if scopes.isdisjoint(WIDE_SCOPES) and not any(whole.claim for panel in panels for whole in panel.overall):
        return ()
    return name_unrecorded((seen.state for seen in judged.groups.observed.by_id.values()), bool(rows.known("fs")))


def _list_sets(rows: Rows, selection: Selection) -> Sequence[ControlledSet]:
    """The map of what passes the filters; of all runs of the metrics where nothing does."""
    found = compared_set.list_sets(selection, rows.passing)
    return found or compared_set.list_sets(selection.changed(filters=(), q=""), rows.all)


def _find_offers(rows: Rows, selection: Selection, chosen: compared_set.ChosenRows) -> dict[str, Sequence[Offer]]:
    """The menus, computed once for each data version; a page without them where that fails."""
    return rows.passing.cached(
        (list_offers, selection),
        lambda: isolation.run_isolated("menus", selection.metrics, lambda: list_offers(rows, selection, chosen), dict),
    )


def list_offers(rows: Rows, selection: Selection, chosen: compared_set.ChosenRows) -> dict[str, Sequence[Offer]]:
    """What has something to compare in the place of each part of the address; filters that leave nothing of it are dropped."""
    of, machines = rows.unfiltered(selection.metrics), chosen.rows.distinct(MACHINE)
    by_class = chosen.design == compared_set.CONTROLLED
    along = [compared_set.along(selection, axis) for axis in MAP_AXES]
    ways = [(one, compared_set.intended_design(one) == compared_set.CONTROLLED) for one in along]
    workloads_here = candidate_sets.offer_workloads(selection, of, by_class, machines)
    return {
        "metric": candidate_sets.offer_metrics(selection, rows.unfiltered(rows.offered), by_class),
        "x": list(candidate_sets.offer_axes(ways, selection.x, of)),
        "machine": candidate_sets.offer_machines(selection, of, machines),
        "workload": [offer._replace(is_drawn=key == chosen.workload) for key, offer in workloads_here],
    }


def _find_answers(rows: Rows, selection: Selection) -> dict[str, tuple[str, ...]]:
    """The metrics with which something can be compared along each usual axis: those of the address, else the one whose set answers
    most, of equal ones a usual one.

    No entry where nothing can be.
    """
    answers: dict[str, tuple[str, ...]] = {}
    is_free = rows.question.names_nothing and not rows.question.selection.metrics
    usual = {selection.metrics: rows.passing} | {(name,): rows.passing_of(name) for name in rows.others}
    more = {(name,): rows.passing_of(name) for name in rows.offered if is_free and METRICS[name].better != NEITHER}
    for axis in compared_set.PRESET_AXES:
        richest = sorted(more, key=lambda metrics: compared_set.count_known(more[metrics], axis), reverse=True)[:MAX_TRIED]
        best: tuple = ()
        for metrics, passing in (usual | {metrics: more[metrics] for metrics in richest}).items():
            if is_free or not best:
                answer = compared_set.rank_answer(selection.changed(metrics=metrics), passing, axis)
                if answer > best:
                    answers[axis], best = metrics, answer
    return answers


def _label_panels(selection: Selection, compared: ComparedSet, panels: Sequence[Panel], rows: Columns) -> Sequence[Panel]:
    """The panels with their workload and what their groups share in words; those of one unit share the top of their axes."""
    fixed, chosen = _fixed(rows), compared.chosen
    differing = compared.rows.passing.varying_dimensions() if chosen.rows.dimensions.option_names else ()
    workload = workloads.workload_title(chosen.workload, rows.known("tool_version"), list(filter(is_option, differing)))
    defaults = workloads.default_words(selection, rows) if chosen.design == compared_set.CONTROLLED else []
    ends: dict[str, list[float]] = {}
    for panel in panels if selection.facet else ():
        ends.setdefault(panel.unit, []).extend(max(group.center, group.high or 0.0) for group in panel.groups)
    return [
        replace(
            panel,
            workload=workload,
            subtitle=workloads.subtitle(fixed, selection.axes, panel.groups, defaults),
            top=max(ends.get(panel.unit, ()), default=0.0),
        )
        for panel in panels
    ]


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
    return rows.cached(_fixed, lambda: tuple(_shared_values(rows)))


def _shared_values(rows: Columns) -> Iterator[tuple[str, str]]:
    for name in rows.dimensions.names:
        if DIMENSIONS[name].source == CONFIGURATION and name not in _UNDESCRIPTIVE:
            texts = rows.distinct(name)
            if len(texts) == 1 and texts != [UNKNOWN]:
                yield name, texts[0]


def arrange(selection: Selection, panels: Sequence[Panel]) -> tuple[Selection, Sequence[Panel]]:
    """The selection with the author's words that were used, and the panels with their axes in that order, and without the groups
    that are not shown.

    Not used, and said to be so: a name that is another value's; hiding the baseline, or everything.
    """
    words = selection.words
    if words is NO_WORDS or words == NO_WORDS:
        return selection, panels
    axes = (selection.x, METRIC if _shows_metrics(selection, panels) else selection.series)
    refused_labels = _misleading_labels(words, {axis: _values(panels, at) for at, axis in enumerate(axes)})
    refused_hidden = _unhidable(words, axes, panels)
    used = replace(
        words,
        labels=tuple(label for label in words.labels if label not in refused_labels),
        hidden=tuple(level for level in words.hidden if level not in refused_hidden),
    )
    refused = replace(NO_WORDS, labels=tuple(refused_labels), hidden=tuple(refused_hidden)).pairs()
    arranged = [_hide(_order(panel, axes, used), axes, used) for panel in panels]
    return selection.changed(words=used, strange=(*selection.strange, *refused)), arranged


def _shows_metrics(selection: Selection, panels: Sequence[Panel]) -> bool:
    """Whether the series are metrics: chosen, or since several are drawn together."""
    return selection.series == METRIC or (
        not selection.series and any(name in METRICS for panel in panels for name in panel.series)
    )


def _values(panels: Sequence[Panel], at: int) -> list[str]:
    return list(dict.fromkeys(value for panel in panels for value in (panel.series if at else panel.xs)))


def _usual_label(axis: str, value: str) -> str:
    if axis == METRIC:
        return METRICS[value].label.split(",")[0] if value in METRICS else value
    return value_label(DIMENSIONS[axis], value)


def _misleading_labels(words: AuthorWords, values: dict[str, list[str]]) -> list[tuple[Level, str]]:
    """Names that another value of the same axis has, by its configuration or by the author."""
    refused: list[tuple[Level, str]] = []
    taken: dict[str, set[str]] = {}
    for label in words.labels:
        (axis, value), name = label
        if value not in values.get(axis, ()):
            continue
        others = (text for other in values[axis] if other != value for text in (other, _usual_label(axis, other)))
        known = taken.setdefault(axis, set())
        if comparable(name) in known or comparable(name) in map(comparable, others):
            refused.append(label)
        known.add(comparable(name))
    return refused


def _unhidable(words: AuthorWords, axes: tuple[str, str], panels: Sequence[Panel]) -> list[Level]:
    """The baseline; every hidden level where otherwise nothing is left of a panel."""
    if any(
        not any(not _is_hidden(words, axes, group.x, group.series) for group in panel.groups) for panel in panels if panel.groups
    ):
        return [level for level in words.hidden if level[0] in axes]
    baselines = {(axis, panel.baseline) for panel in panels if panel.baseline for axis in axes}
    return [level for level in words.hidden if level in baselines]


def _is_hidden(words: AuthorWords, axes: tuple[str, str], x: str, series: str) -> bool:
    return words.hides(axes[0], x) or words.hides(axes[1], series)


def _order(panel: Panel, axes: tuple[str, str], words: AuthorWords) -> Panel:
    if not words.order:
        return panel
    ordered = _ordered(panel.xs, axes[0], words), _ordered(panel.series, axes[1], words)
    xs, series = ({value: at for at, value in enumerate(values)} for values in ordered)
    groups = sorted(panel.groups, key=lambda group: (xs[group.x], series[group.series]))
    return replace(panel, xs=ordered[0], series=ordered[1], groups=groups)


def _ordered(values: Iterable[str], axis: str, words: AuthorWords) -> list[str]:
    return sorted(values, key=lambda value: words.position(axis, value))


def _hide(panel: Panel, axes: tuple[str, str], words: AuthorWords) -> Panel:
    if not words.hidden:
        return panel
    hidden_xs = [x for x in panel.xs if words.hides(axes[0], x)]
    hidden_series = [name for name in panel.series if words.hides(axes[1], name)]
    return replace(
        panel,
        hidden=[group for group in panel.groups if _is_hidden(words, axes, group.x, group.series)],
        groups=[group for group in panel.groups if not _is_hidden(words, axes, group.x, group.series)],
        empty=[place for place in panel.empty if not _is_hidden(words, axes, place.x, place.series)],
        hidden_xs=hidden_xs,
        hidden_series=hidden_series,
        xs=[x for x in panel.xs if x not in hidden_xs],
        series=[name for name in panel.series if name not in hidden_series],
        overall=[row for row in panel.overall if row.name not in (*hidden_xs, *hidden_series)],
    )


def find_differences(selection: Selection, rows: Columns, candidates: frozenset[str] | None = None) -> list[DifferingDimension]:
    """Every dimension, no axis, in which rows of one metric differ; those that differ between groups first.

    `candidates`: a superset of the dimensions in which rows differ, where the caller knows one.
    """
    if not len(rows):
        return []
    links = Links(selection)
    return [_with_links(selection, links, difference) for difference in _find_differences(selection.axes, rows, candidates)]


@dataclass(frozen=True, slots=True)
class _Difference:
    """A dimension in which rows differ. `links`: (label, filter, the filter as part of a query) of the values with a link.
    `common`: every group has one of the values, so that it can be held equal."""

    name: str
    labels: tuple[str, ...]
    between: bool
    common: bool
    links: tuple[tuple[str, dict[str, str], str], ...]


@cached_by(lambda axes, candidates: (axes, candidates))
def _find_differences(axes: tuple[str, ...], rows: Columns, candidates: Collection[str] | None) -> list[_Difference]:
    group, metric_of_group = rows.cells(axes)
    skipped = {*axes, *IDENTIFIERS, *(name for axis in axes for name in DERIVED_DIMENSIONS.get(axis, ()))}
    differences = []
    for name in rows.dimensions.names:
        if name in skipped or not (candidates is None or name in candidates):
            continue
        if len(rows.dimensions.column(name).values) > 1:
            values, between = _differing_values(name, rows, group, metric_of_group)
            if values:
                common = _has_common_value(group, rows.codes(name), metric_of_group)
                differences.append(_make_difference(name, values, between, common=common))
    return sorted(differences, key=lambda difference: not difference.between)


def _has_common_value(group: np.ndarray, codes: np.ndarray, metric_of_group: np.ndarray) -> bool:
    """Whether all groups of a metric, of which there are several, have a value in common."""
    size = int(codes.max()) + 1
    pairs = occurring_codes(group * size + codes)
    groups, found = pairs // size, pairs % size
    of_metrics = (metric_of_group[groups] == metric for metric in np.unique(metric_of_group))
    return any(np.bincount(found[of]).max() == len(np.unique(groups[of])) > 1 for of in of_metrics if of.any())


def _make_difference(name: str, values: Sequence[str], between: bool, *, common: bool) -> _Difference:
    labels = tuple(value_label(DIMENSIONS[name], value) for value in values[:MAX_DIFFERING])
    filters = [{name: value} for value in values[:MAX_LINKS]]
    links = [(f"only {label}", only, filter_query(only)) for label, only in zip(labels[:MAX_LINKS], filters, strict=True)]
    return _Difference(name, labels, between, common, tuple(links))


def _differing_values(name: str, rows: Columns, group: np.ndarray, metric_of_group: np.ndarray) -> tuple[list[str], bool]:
    """The values of a dimension in which rows of one metric differ, and whether they do so between groups."""
    column = rows.dimensions.column(name)
    size = len(column.values)
    pairs = occurring_codes(group * size + rows.codes(name))
    groups, codes = pairs // size, pairs % size
    if is_open(name):  # where it is not recorded it may be anything
        groups, codes = groups[codes != column.unknown_code], codes[codes != column.unknown_code]
    differing, between = np.zeros(size, bool), False
    for metric in range(len(rows.dimensions.metrics)):
        of_metric = metric_of_group[groups] == metric
        distinct, group_count = np.unique(codes[of_metric]), len(np.unique(groups[of_metric]))
        if len(distinct) > 1:
            differing[distinct] = True
            between |= int(of_metric.sum()) < group_count * len(distinct)  # a group lacks a value that another has
    return column.texts[differing].tolist(), between


def _with_links(selection: Selection, links: Links, difference: _Difference) -> DifferingDimension:
    queries = [(label, links.with_filters(only, query)) for label, only, query in difference.links]
    if difference.common and difference.name not in selection.hold:
        queries.insert(0, ("hold equal", links.with_hold(_held_with(selection, difference.name))))
    queries.append(("one figure each", links.with_facet(difference.name)))
    label = DIMENSIONS[difference.name].label
    return DifferingDimension(difference.name, label, difference.labels, difference.between, tuple(queries))


def _held_with(selection: Selection, name: str) -> tuple[str, ...]:
    """The held dimensions and this one, in the order of DIMENSIONS."""
    if not selection.hold:
        return (name,)
    return tuple(sorted({name, *selection.hold}, key=dimension_position))
