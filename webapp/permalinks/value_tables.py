"""The values of a run or an archive as a comparison that can be frozen.

An archive has a figure for each metric (x: configuration), a run one for each unit (x: metric). Values of different
workloads are never in one group. What could not be measured stands in its group: at its bound, or as failed or not finished.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ingest.catalogue import METRICS
from ingest.keys import ERROR
from ingest.options import is_option
from ingest.records import FAILED, NO_PARAMS
from ingest.run_errors import find_error
from webapp.claims.observations import GEOMETRIC
from webapp.comparison import absent, aggregates, caveats
from webapp.comparison import groups as grouping
from webapp.comparison.dimensions import APART, DIMENSIONS, MACHINE, SOURCE, STATED, UNKNOWN, is_open, named_value
from webapp.comparison.judged import NO_NUMBER, describe_method, describe_tests, with_lines
from webapp.comparison.model import Comparison, EmptyPlace, Flag, Group, Panel, Point
from webapp.comparison.selection import Selection
from webapp.comparison.summary import provenance
from webapp.comparison.summary.provenance import ShownLines
from webapp.comparison.summary.reader import TextsById, read_texts
from webapp.comparison.summary.row import SummaryRow, Texts, UnmeasuredRow, UnmeasuredRun
from webapp.curves.run_labels import label_runs, read_spans
from webapp.formatting.printed_times import MONTH
from webapp.http.data_version import data_version
from webapp.models import Archive, Run, UnmeasuredValue, Withdrawal
from webapp.permalinks import queries
from webapp.scorecard.card import SHOWN, Card

MAX_VALUES = 2000
"""Limit of values in a frozen table."""
_SELECTION = Selection(x="configuration", series="tool", stat="median")
"""Two dimensions whose values are their own labels; `AXES` has the axis labels."""
AXES = {"run": ("Metric", "Workload"), "archive": ("Configuration", "Workload"), "versus": ("Side", "")}
_HIDDEN_DIMENSIONS = {"system", "configuration", MACHINE, STATED}


class TooManyValues(Exception):
    """More than MAX_VALUES values."""


class RunsWithoutValues(Exception):
    """Of some of the runs no value counts; the text names them."""


class _Value(NamedTuple):
    """A value, or what could not be measured, which is in `missing`."""

    id: int
    value: float
    metric: str
    workload: int
    configuration: int
    run: int
    missing: UnmeasuredRow | None = None


class _Texts(NamedTuple):
    """The dimensions of configurations and workloads, by id."""

    configurations: TextsById
    workloads: TextsById

    def of(self, configuration: int, workload: int) -> Texts:
        return Texts(self.configurations[configuration], self.workloads[workload])


def comparison_of_run(run: Run) -> tuple[Comparison, str]:
    """The comparison of a run's values, and the query of the closest live comparison. Raises TooManyValues."""
    values = _values(queries.read_run_values([run.pk], MAX_VALUES + 1), run=run.pk)
    texts = _read_texts(values)
    names = _workload_labels(texts.workloads)

    def place_of(value: _Value) -> tuple[str, str, str]:
        return METRICS[value.metric].unit, METRICS[value.metric].label, names[value.workload]

    return _comparison(values, texts, place_of), f"archive={run.archive_id}"


def comparison_of_runs(runs: Sequence[Run], kind: str) -> tuple[Comparison, str]:
    """The comparison of the values of several runs, a series for each, and the query of the closest live comparison drawn as that
    kind. Raises TooManyValues, and RunsWithoutValues where some of the runs have none."""
    places = {run.pk: place for place, run in enumerate(runs)}
    values = _values(queries.read_run_values(places, MAX_VALUES + 1), run__in=list(places))
    values.sort(key=lambda value: places[value.run])
    known = {value.run for value in values if value.missing is None}
    if known and (without := [str(pk) for pk in places if pk not in known]):
        raise RunsWithoutValues(", ".join(without))
    texts = _read_texts(values)
    names = _workload_labels(texts.workloads)
    labels = label_runs(runs, read_spans(runs), with_tools=False).own

    def place_of(value: _Value) -> tuple[str, str, str]:
        workload, run = names[value.workload], labels[value.run]
        series = workload if f", {run}, " in f", {workload}, " else ", ".join(filter(None, (workload, run)))
        return METRICS[value.metric].unit, METRICS[value.metric].label, series

    archives = "&".join(f"archive={pk}" for pk in dict.fromkeys(run.archive_id for run in runs))
    return _comparison(values, texts, place_of), f"{archives}&kind={kind}"


def comparison_of_archive(archive: Archive) -> tuple[Comparison, str]:
    """The comparison of an archive's values, and the query of the closest live comparison. Raises TooManyValues."""
    values = _values(queries.read_archive_values(archive.pk, MAX_VALUES + 1), archive=archive.pk)
    texts = _read_texts(values)
    configurations, names = _labels(texts.configurations), _workload_labels(texts.workloads)

    def place_of(value: _Value) -> tuple[str, str, str]:
        return value.metric, configurations[value.configuration] or "all", names[value.workload]

    return _comparison(values, texts, place_of), f"archive={archive.pk}"


def comparison_of_card(card: Card) -> Comparison:
    """The two sides of each line of a scorecard as a figure, but for other numbers of the same runs, which are not tested. Raises
    TooManyValues, also where not every value is known."""
    selection, names = Selection(x=SOURCE, baseline=card.b.text, stat=GEOMETRIC), (card.a.text, card.b.text)
    panels, every = [], 0
    for line in (line for line in card.lines if line.says != SHOWN):
        metric = METRICS[line.metric]
        verdict = (
            replace(line.own, word=line.claim, doubts=line.doubts, withheld=line.withheld, tests=card.judged) if line.own else None
        )
        sides = [replace(side, x=name, series="", facet="") for side, name in zip((line.a, line.b), names, strict=True)]
        groups = [side.changed(verdict=None) for side in sides if isinstance(side, Group)]
        if isinstance(sides[0], Group):
            groups[0] = groups[0].changed(verdict=verdict)
        every += sum(group.n for group in groups)
        if card.more or card.crowded or every > MAX_VALUES or any(len(group.points) < group.runs for group in groups):
            raise TooManyValues
        empty = [side for side in sides if isinstance(side, EmptyPlace)]
        baseline = card.b.text if verdict else ""
        title = f"{metric.label}, {line.label}"
        panels.append(
            Panel(
                title, (line.metric,), metric.unit, metric.better, names, ("",), groups, baseline, empty=empty, workload=line.label
            )
        )
    made = _with_lines(selection, panels, every)
    others = card.count(SHOWN)
    more = f"; untested numbers of the same runs, in the card of the record alone: {others}" if others else ""
    centre = "centres: geometric means, medians where a run has only a bound"
    said = [centre, describe_tests(made.panels), f"each interval is of 95 % taken alone{more}"]
    return replace(made, method="; ".join(filter(None, said)))


def _values(rows: Sequence[tuple], **of: Any) -> list[_Value]:
    """The values of these rows, and what could not be measured `of` the same runs, without what is withdrawn. Raises
    TooManyValues."""
    missing = UnmeasuredValue.objects.freezable().filter(**of)
    found = missing.select_related("metric", "run__configuration").order_by("id")[: MAX_VALUES + 1]
    values = [_Value(*row) for row in rows] + [_missing(one) for one in found]
    if len(values) > MAX_VALUES:
        raise TooManyValues
    archives = Run.objects.filter(pk__in={value.run for value in values}).values("archive")
    away = [(one.first, one.beyond) for one in Withdrawal.objects.active().filter(archive__in=archives)]
    return [one for one in values if one.missing or not any(first <= one.id < beyond for first, beyond in away)]


def _missing(one: UnmeasuredValue) -> _Value:
    run, configuration = one.run, one.run.configuration_id
    machine, session = run.configuration.machine_id or -run.archive_id, run.session_id or -run.archive_id
    error = (one.details or {}).get(ERROR) or run.details.get(ERROR) or find_error(one.raw)
    row = UnmeasuredRow(
        metric=one.metric.name,
        configuration=configuration,
        workload=one.workload_id,
        texts=Texts({}, {}),
        reason=one.reason,
        bound=one.bound,
        side=one.side or "",
        runs=(UnmeasuredRun(run.archive_id, run.pk, session, machine, one.pk),),
        error=str(error) if one.reason == FAILED else "",
    )
    return _Value(one.pk, 0.0, one.metric.name, one.workload_id, configuration, run=run.pk, missing=row)


def _read_texts(values: Iterable[_Value]) -> _Texts:
    ids = [(value.configuration, value.workload) for value in values]
    return _Texts(*read_texts({configuration for configuration, _ in ids}, {workload for _, workload in ids}))


def _comparison(values: Sequence[_Value], texts: _Texts, place_of: Callable[[_Value], tuple[str, str, str]]) -> Comparison:
    cells: dict[str, dict[tuple[str, str, str], list[_Value]]] = {}
    for value in values:
        panel, x, series = place_of(value)
        cells.setdefault(panel, {}).setdefault((x, series, value.metric), []).append(value)
    unified = grouping.unify_statistics(_SELECTION, [_panel(groups, texts) for groups in cells.values()])
    return _with_lines(_SELECTION, unified, len(values))


def _with_lines(selection: Selection, unified: Sequence[Panel], runs: int) -> Comparison:
    """The comparison of these panels, with the line of every value."""
    version = data_version()
    shown = [[point.id for point in group.points] for panel in unified for group in panel.groups]
    lines = provenance.read_lines(shown, version, every=True)
    panels = with_lines(unified, lines)
    groups = [group for panel in panels for group in panel.groups]
    missing = [run.configuration for panel in panels for group in panel.groups for run in group.missing]
    missing += [run.configuration for panel in panels for place in panel.empty for run in place.missing]
    return Comparison(
        selection=selection,
        panels=panels,
        flags=_flags(groups, lines, version),
        differs=[],
        facets=[],
        metrics=[],
        axes=[],
        runs=runs,
        configurations=len({*missing, *(point.configuration for group in groups for point in group.points)}),
        method=describe_method(selection, panels, groups) or NO_NUMBER,
        drawn=selection,
    )


def _flags(groups: Sequence[Group], lines: ShownLines, version: int) -> list[Flag]:
    """What is said of the doubts about the values, of the archives, and of runs that ended in an error."""
    seen = provenance.read_observed(version, [point.id for group in groups for point in group.points])
    failed = dict.fromkeys(f"{one.path}: the run ended in an error: {one.error}." for one in seen.values() if one.error)
    rows = [row for group in groups for of_one in group.by_configuration for row in of_one]
    links = {caveats.find_exceeded_link(row) for row in rows} - {""}
    of_studies = [f"{title}: {caveat}" for title, caveat in lines.caveats]
    return [*(Flag("caveat", text) for text in (*of_studies, *failed)), *caveats.caveat_flags(groups, links)]


def _panel(cells: Mapping[tuple[str, str, str], Sequence[_Value]], texts: _Texts) -> Panel:
    metrics = tuple(dict.fromkeys(metric for _, _, metric in cells))
    xs, series = list(dict.fromkeys(x for x, _, _ in cells)), list(dict.fromkeys(name for _, name, _ in cells))
    groups, empty = [], []
    for (x, name, metric), values in cells.items():
        rows = [value.missing for value in values if value.missing]
        counts, runs = absent.count_reasons(rows), absent.list_runs(rows)
        if len(rows) < len(values) or any(row.bound is not None for row in rows):
            groups.append(_group((x, name, metric), values, texts).changed(unmeasured=counts, missing=runs))
        else:
            empty.append(EmptyPlace(metric, x, name, "", (), counts, missing=runs))
    return Panel("", metrics, METRICS[metrics[0]].unit, METRICS[metrics[0]].better, xs, series=series, groups=groups, empty=empty)


def _group(place: tuple[str, str, str], every: Sequence[_Value], texts: _Texts) -> Group:
    x, series, metric = place
    values = [value for value in every if value.missing is None]
    points = [Point(value.value, value.id, value.configuration) for value in values]
    by_workload: dict[tuple[int, int], list[_Value]] = {}
    for value in values:
        by_workload.setdefault((value.configuration, value.workload), []).append(value)
    rows = [
        SummaryRow(metric, *key, len(some), texts.of(*key)).with_values([(one.value, one.id) for one in some])
        for key, some in by_workload.items()
    ]
    bounded = [SummaryRow(metric, *key, 1, texts.of(*key)) for key in {(one.configuration, one.workload) for one in every}]
    group = Group(
        x,
        series,
        "",
        metric,
        len(values),
        configurations=len({one.configuration for one in every}),
        points=points,
        stat=_SELECTION.stat,
        flags=caveats.order_caveats(caveats.group_caveats([*rows, *bounded])),
        by_configuration=aggregates.group_by_configuration(rows),
    )
    return aggregates.with_summary(group, aggregates.summarise("median", rows, group.by_configuration)) if rows else group


def _workload_labels(workloads: TextsById) -> dict[int, str]:
    """Distinguishing labels of workloads by id; workloads that differ only in the month share a label."""
    first: dict[frozenset, int] = {}
    representative: dict[int, int] = {}
    texts: dict[int, dict[str, str]] = {}
    for pk in sorted(workloads):
        row = {**workloads[pk], MONTH: UNKNOWN}
        first_pk = representative[pk] = first.setdefault(frozenset((row | {APART: UNKNOWN}).items()), pk)
        texts.setdefault(first_pk, row)
    found = _labels(texts)
    return {pk: found[first_pk] for pk, first_pk in representative.items()}


def _labels(texts: Mapping[int, Mapping[str, str]]) -> dict[int, str]:
    """Labels of the dimensions in which the items differ; '' for a single item, with the id where labels are equal."""
    names = [name for name in DIMENSIONS if name not in _HIDDEN_DIMENSIONS and len({row.get(name) for row in texts.values()}) > 1]
    names += _differing_open_keys(texts.values())
    options = {name for row in texts.values() for name in row if is_option(name)}
    names += sorted(name for name in options if len({row.get(name) for row in texts.values()}) > 1)
    labels = {
        pk: ", ".join(named_value(name, row[name]) for name in names if (name in row or is_open(name)) and row[name] != UNKNOWN)
        for pk, row in texts.items()
    }
    counts: dict[str, int] = {}
    for pk in sorted(labels):
        counts[labels[pk]] = counts.get(labels[pk], 0) + 1
        if len(labels) > 1 and (counts[labels[pk]] > 1 or not labels[pk]):
            labels[pk] = f"{labels[pk]} (no. {pk})".strip()
    return labels


def _differing_open_keys(rows: Collection[Mapping[str, str]]) -> list[str]:
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, text in getattr(row, "open", NO_PARAMS).items():
            values.setdefault(name, set()).add(text)
    return sorted(name for name, known in values.items() if len(known) > 1)
