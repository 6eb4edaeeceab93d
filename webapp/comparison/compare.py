"""Selection and reader -> Comparison. Reads the summary, never the table of measurements but for the shown values' lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from statistics import fmean

from ingest import derived
from webapp.accounts import access
from webapp.comparison import aggregates, caveats, facets, matching, omissions, overlay, provenance, verdicts, workload_filter
from webapp.comparison import groups as grouping
from webapp.comparison.dimensions import SOURCE, UNKNOWN
from webapp.comparison.model import Comparison, Flag, Group, Panel, SummaryRow
from webapp.comparison.overlay import ComparisonScopes
from webapp.comparison.queries import every_value
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.summary import merge_months, reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.reader import FilteredRows, RowKey
from webapp.http import isolation
from webapp.http.data_version import data_version
from webapp.models import Archive
from webapp.models.summary import PUBLIC

USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
MOST_COUNTED = 10_000
"""Rows of the summary up to which the filters are tried on all metrics, not on the chosen ones alone."""
USUAL_AXES = ("compression", "os", "fs", "cpu", "layout", "tool", "host")


def select_scopes(selection: Selection, viewer) -> ComparisonScopes:
    """The scopes of the summary that the reader's selection concerns, and the archives laid over them. One query."""
    if not (viewer.is_authenticated or selection.archives or selection.overlay or selection.studies):
        return ComparisonScopes((PUBLIC,), {}, frozenset())
    named = {*selection.archives, *selection.overlay}
    told = access.find_comparison_archives(viewer, named, selection.studies, overlay.MAX_OFFERED_ARCHIVES)
    found = {a.pk: a for a in told if not a.is_withdrawn}
    over = {pk: _title(a) for pk, a in found.items() if pk in selection.overlay}
    if selection.archives or selection.studies:
        base = {pk for pk, a in found.items() if pk in selection.archives or (a.study and a.study in selection.studies)}
        within = set()
    else:
        base = {PUBLIC} | {pk for pk, a in found.items() if access.is_compared_by_default(viewer, a)}
        within = {pk for pk in over if found[pk].is_public}
    return ComparisonScopes(
        tuple(sorted(base - over.keys())),
        over,
        frozenset(within),
        tuple(sorted(named - {a.pk for a in told})),
        {pk: _title(a) for pk, a in found.items() if access.owns(viewer, a)},
        {a.pk: f"archive {a.pk} as a whole: {a.withdrawn_reason}" for a in told if a.is_withdrawn and a.pk in named},
    )


def _title(archive: Archive) -> str:
    """Its title, or its number where that cannot be told."""
    return isolation.run_isolated("title of an archive", archive.pk, lambda: str(archive), lambda: f"archive {archive.pk}")


def compare(
    selection: Selection,
    viewer,
    exact: bool = False,
    most: int | None = grouping.MAX_POINTS,
    version: int | None = None,
    only: frozenset[RowKey] | None = None,
) -> Comparison:
    """The comparison that the reader may see. At most eight queries.

    With `exact` every value is read, however many there are; else at most `most` of a group are shown (None: all that
    the summary holds). `version`: the data version, where it has been read already. `only`: the rows of the summary that
    take part, None for all.
    """
    version = data_version() if version is None else version
    scopes = select_scopes(selection, viewer)
    available = overlay.count_metrics(version, scopes)
    asked = with_metric(selection, available)
    left = None if only is not None else _left(version, scopes, asked, available)
    sifted = _sifted(version, scopes, asked, only)
    rows, passing = sifted.rows, sifted.passing
    selection = with_axes(asked, passing)
    shown = workload_filter.choose_workloads(selection, passing)
    held = matching.hold_equal(selection, shown.rows)
    full = _filled(version, scopes, held)
    if exact:
        full = [_exact(row, scopes) if row.histogram else row for row in full]
    matched = held.of(full)
    kept = matched.of(grouping.normalise_rows(selection, full))
    drawn = grouping.make_panels(selection, _without_months(selection, matched, kept), None if exact else most)
    verdicts.judge_groups(selection, drawn)
    groups = [group for panel in drawn for group in panel.groups]
    behind = _behind(groups, version, exact or most is None)
    _mark(groups, behind)
    steps = omissions.SelectionSteps(
        rows,
        passing,
        shown,
        matched,
        kept,
        behind.caveats,
        scopes.missing,
        scopes.over,
        _withdrawn(version, scopes, selection, only),
    )
    differs = matching.find_differences(selection, kept, sifted.varying)
    return Comparison(
        selection,
        drawn,
        omissions.list_flags(selection, steps, groups, differs) + _without_lines(behind),
        differs,
        sifted.facets,
        workload_filter.list_workloads(selection, passing, shown),
        facets.metric_choices(selection, available, left),
        facets.axis_choices(selection, passing),
        sum(group.runs for group in groups),
        kept.keep("configurations", lambda: len({row.configuration for row in kept.rows})),
        _method(selection, drawn, groups),
        overlay.overlay_choices(selection, scopes),
    )


def _filled(version: int, scopes: ComparisonScopes, held: Columns) -> list[SummaryRow]:
    """The rows with their values; the same list, without another look at each, once all of them are known to have some."""
    if held.filled:
        return held.rows
    full = overlay.fill_values(version, scopes, held.rows)
    held.filled = full is held.rows
    return full


def _without_months(selection: Selection, matched: Columns, kept: Columns) -> Columns:
    """What is drawn of `kept`, the normalised rows of `matched`: those of several months together where none is asked for."""
    together = merge_months.merge_months(selection, matched)
    return kept if together is matched else together.of(grouping.normalise_rows(selection, together.rows))


def _left(version: int, scopes: ComparisonScopes, asked: Selection, available: Mapping[str, int]) -> dict[str, int] | None:
    """What the filters leave of each metric; None where nothing is filtered, or where counting would be too much."""
    if not (asked.filters or asked.q) or overlay.count_rows(version, scopes) > MOST_COUNTED:
        return None
    passing = facets.RowFilter(asked).passing(_columns(version, scopes, tuple(sorted(available))))
    return dict.fromkeys(available, 0) | passing.by_metric()


def _columns(version: int, scopes: ComparisonScopes, names: tuple[str, ...]) -> Columns:
    """The rows of these metrics, by columns."""
    return Columns(overlay.read_rows(version, scopes, names)) if scopes.over else reader.read_columns(version, scopes.base, names)


def find_row_keys(selection: Selection, viewer, version: int) -> tuple[Selection, list[RowKey]]:
    """The selection with the metric and axes that the comparison takes, and the keys of the rows that it is made of."""
    scopes = select_scopes(selection, viewer)
    asked = with_metric(selection, overlay.count_metrics(version, scopes))
    rows = _columns(version, scopes, asked.metrics).rows
    away = reader.read_withdrawn(version, tuple(sorted({*scopes.base, *scopes.over})), asked.metrics)
    told = isolation.run_isolated(
        "axes", query_string(asked), lambda: with_axes(asked, _sifted(version, scopes, asked, None).passing), lambda: asked
    )
    return told, sorted({*map(_key, rows), *(_key(row) for row, _ in away)})


def _key(row: SummaryRow) -> RowKey:
    return row.metric, row.configuration, row.workload


def _sifted(version: int, scopes: ComparisonScopes, asked: Selection, only: frozenset[RowKey] | None) -> FilteredRows:
    """The rows of the chosen metrics through the filters; kept where nothing is laid over them and all take part."""

    def sift() -> FilteredRows:
        rows, sieve = _columns(version, scopes, asked.metrics), facets.RowFilter(asked)
        if only is not None:
            rows = Columns([row for row in rows.rows if _key(row) in only])
        failing = sieve.failing(rows)
        return FilteredRows(rows, rows.take(failing == 0), facets.make_facets(sieve, rows, failing), rows.varying())

    if scopes.over or only is not None:
        return sift()
    return reader.cached_filtered_rows((version, scopes.base, asked.metrics, asked.filters, asked.q), sift)


def _withdrawn(
    version: int, scopes: ComparisonScopes, selection: Selection, only: frozenset[RowKey] | None
) -> list[tuple[int, str]]:
    """(values, reason) of what passes the filters and was withdrawn; 0 values for archives asked for by their number."""
    counts: dict[str, int] = {}
    told = reader.read_withdrawn(version, tuple(sorted({*scopes.base, *scopes.over})), selection.metrics)
    if only is not None:
        told = [(row, reason) for row, reason in told if _key(row) in only]
    reasons = {id(row): reason for row, reason in told}
    for row in facets.RowFilter(selection).passing(Columns([row for row, _ in told])).rows if told else ():
        counts[reasons[id(row)]] = counts.get(reasons[id(row)], 0) + row.n
    return [(count, reason) for reason, count in counts.items()] + [(0, reason) for reason in scopes.gone.values()]


def _behind(groups: Sequence[Group], version: int, every: bool) -> provenance.ValueDoubts:
    """What stands behind the groups. Where that cannot be told of a group, its values stay without their lines."""
    try:
        return provenance.load_provenance(groups, version, every)
    except Exception as error:
        if isolation.is_transaction_broken(error):
            raise
        isolation.log_failure("evidence", f"{len(groups)} groups")
    good = isolation.find_working("evidence of groups", groups, lambda some: provenance.load_provenance(some, version, every))
    found = provenance.load_provenance(good, version, every)
    found.failed += len(groups) - len(good)
    return found


def _without_lines(behind: provenance.ValueDoubts) -> list[Flag]:
    if not behind.failed:
        return []
    return [
        Flag("without-lines", f"{isolation.FAILURE_NOTE} The lines behind some of the values, and doubts about them, are missing.")
    ]


def _mark(groups: Sequence[Group], behind: provenance.ValueDoubts) -> None:
    """Add to each group what the runs behind its values tell."""
    for group in groups if behind.partial or behind.zeros or behind.apart else ():
        ids = [point.id for point in group.points]
        told = set() if behind.partial.isdisjoint(ids) else {"partial"}
        if not behind.zeros.isdisjoint(ids) and derived.kind(group.metric) != derived.NAMES:
            told.add("zeros")
        if not behind.apart.isdisjoint(ids):
            told.add("titles")
        if not told.issubset(group.flags):
            group.flags = caveats.order_caveats({*group.flags, *told})


def _method(selection: Selection, panels: Sequence[Panel], groups: Sequence[Group]) -> str:
    if not groups:
        return ""
    return "; ".join(part for part in (aggregates.describe_method(selection.stat, groups), verdicts.describe_tests(panels)) if part)


def with_metric(selection: Selection, available: dict[str, int]) -> Selection:
    """A selection without a metric gets one that has values; several are told apart as series, one is not."""
    if not selection.metrics and available:
        usual = next((name for name in USUAL_METRICS if name in available), None)
        selection = selection.changed(metrics=(usual or max(sorted(available), key=available.__getitem__),))
    if len(selection.metrics) > 1 and not selection.series and selection.kind != "scatter":
        selection = selection.changed(series=METRIC)
    if len(selection.metrics) == 1 and selection.series == METRIC:
        selection = selection.changed(series="")  # what a second metric brought goes with it
    return selection


def with_axes(selection: Selection, rows: Columns) -> Selection:
    """One without axes is drawn per the first of the usual dimensions that has two known values.

    What is laid over the rest is never drawn as one group with it: it gets the first axis that is free.
    """
    if not (selection.x or selection.series not in ("", METRIC)):
        telling = (x for x in USUAL_AXES if len({*rows.values(x)} - {UNKNOWN}) > 1)
        selection = selection.changed(x=next(telling, USUAL_AXES[0]))
    if selection.overlay and SOURCE not in selection.axes:
        free = next((axis for axis in ("series", "facet", "x") if not getattr(selection, axis)), "facet")
        selection = selection.changed(**{free: SOURCE})
    return selection


def _exact(row: SummaryRow, scopes: ComparisonScopes) -> SummaryRow:
    """The row with every value, where the summary holds only a histogram."""
    of, made = overlay.overlaid_archive(row), row.copy()
    base, apart = ((of,), []) if of else (scopes.base, list(scopes.over))
    found = every_value(row.metric, row.configuration, row.workload, base, apart)
    made.values, made.ids = [value for value, _ in found], [at for _, at in found]
    made.n, made.histogram = len(found), None
    made.low, made.high, made.mean = min(made.values), max(made.values), fmean(made.values)
    made.m2 = fsum((value - made.mean) ** 2 for value in made.values)
    return made
