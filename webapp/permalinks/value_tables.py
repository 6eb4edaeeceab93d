"""The values of a run or an archive as a comparison that can be frozen.

An archive has a figure for each metric (x: configuration), a run one for each unit (x: metric). Values of different
workloads are never in one group.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import NamedTuple

from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from ingest.records import NO_PARAMS
from webapp.comparison import aggregates
from webapp.comparison.dimensions import (
    DIMENSIONS,
    MACHINE,
    STATED,
    UNKNOWN,
    configuration_texts,
    is_open,
    open_texts,
    value_label,
    workload_texts,
)
from webapp.comparison.model import Comparison, Group, Panel, Point, SummaryRow, Texts
from webapp.comparison.selection import Selection
from webapp.curves.run_labels import label_runs, read_spans
from webapp.formatting.printed_times import MONTH
from webapp.models import Archive, Configuration, OpenProperties, Run, Withdrawal, Workload
from webapp.permalinks import queries

MAX_VALUES = 2000
"""Limit of values in a frozen table."""
_SELECTION = Selection(x="configuration", series="tool")
"""Two dimensions whose values are their own labels; `AXES` has the axis labels."""
AXES = {"run": ("Metric", "Workload"), "archive": ("Configuration", "Workload")}
_HIDDEN_DIMENSIONS = {"system", "configuration", MACHINE, STATED}


class TooManyValues(Exception):
    """More than MAX_VALUES values."""


class RunsWithoutValues(Exception):
    """Of some of the runs no value counts; the text names them."""


class _Value(NamedTuple):
    id: int
    value: float
    metric: str
    workload: int
    configuration: int
    run: int


def comparison_of_run(run: Run) -> tuple[Comparison, str]:
    """The comparison of a run's values, and the query of the closest live comparison."""
    values = _values(queries.read_run_values([run.pk], MAX_VALUES + 1), [run.archive_id])
    names = _workload_labels({value.workload for value in values})

    def place_of(value: _Value) -> tuple[str, str, str]:
        return METRICS[value.metric].unit, METRICS[value.metric].label, names[value.workload]

    return _comparison(values, place_of), f"archive={run.archive_id}"


def comparison_of_runs(runs: Sequence[Run], kind: str) -> tuple[Comparison, str]:
    """The comparison of the values of several runs, a series for each, and the query of the closest live comparison drawn as that
    kind. Raises TooManyValues, and RunsWithoutValues where some of the runs have none."""
    places = {run.pk: place for place, run in enumerate(runs)}
    values = _values(queries.read_run_values(places, MAX_VALUES + 1), {run.archive_id for run in runs})
    values.sort(key=lambda value: places[value.run])
    known = {value.run for value in values}
    if known and (without := [str(pk) for pk in places if pk not in known]):
        raise RunsWithoutValues(", ".join(without))
    names = _workload_labels({value.workload for value in values})
    labels = label_runs(runs, read_spans(runs), with_tools=False).own

    def place_of(value: _Value) -> tuple[str, str, str]:
        workload, run = names[value.workload], labels[value.run]
        series = workload if f", {run}, " in f", {workload}, " else ", ".join(filter(None, (workload, run)))
        return METRICS[value.metric].unit, METRICS[value.metric].label, series

    archives = "&".join(f"archive={pk}" for pk in dict.fromkeys(run.archive_id for run in runs))
    return _comparison(values, place_of), f"{archives}&kind={kind}"


def comparison_of_archive(archive: Archive) -> tuple[Comparison, str]:
    """The comparison of an archive's values, and the query of the closest live comparison."""
    values = _values(queries.read_archive_values(archive.pk, MAX_VALUES + 1), [archive.pk])
    configurations = _labels(_configuration_texts({value.configuration for value in values}))
    names = _workload_labels({value.workload for value in values})

    def place_of(value: _Value) -> tuple[str, str, str]:
        return value.metric, configurations[value.configuration] or "all", names[value.workload]

    return _comparison(values, place_of), f"archive={archive.pk}"


def _values(rows: Sequence[tuple], archives: Iterable[int]) -> list[_Value]:
    """The rows that are not withdrawn. Raises TooManyValues."""
    values = [_Value(*row) for row in rows]
    if len(values) > MAX_VALUES:
        raise TooManyValues
    away = [(one.first, one.beyond) for one in Withdrawal.objects.active().filter(archive__in=archives)]
    return [one for one in values if not any(first <= one.id < beyond for first, beyond in away)]


def _comparison(values: Sequence[_Value], place_of: Callable[[_Value], tuple[str, str, str]]) -> Comparison:
    cells: dict[str, dict[tuple[str, str, str], list[_Value]]] = {}
    for value in values:
        panel, x, series = place_of(value)
        cells.setdefault(panel, {}).setdefault((x, series, value.metric), []).append(value)
    panels = [_panel(groups) for groups in cells.values()]
    groups = [group for panel in panels for group in panel.groups]
    method = aggregates.describe_method("median", groups) if groups else ""
    return Comparison(
        _SELECTION,
        panels,
        [],
        [],
        [],
        [],
        [],
        [],
        len(values),
        len({value.configuration for value in values}),
        method,
        drawn=_SELECTION.changed(stat="median"),
    )


def _panel(cells: Mapping[tuple[str, str, str], Sequence[_Value]]) -> Panel:
    groups = [_group(x, series, metric, values) for (x, series, metric), values in cells.items()]
    metrics = tuple(dict.fromkeys(group.metric for group in groups))
    first = METRICS[metrics[0]]
    return Panel(
        "",
        metrics,
        first.unit,
        first.better,
        list(dict.fromkeys(group.x for group in groups)),
        list(dict.fromkeys(group.series for group in groups)),
        groups,
    )


def _group(x: str, series: str, metric: str, values: Sequence[_Value]) -> Group:
    group = Group(
        x,
        series,
        "",
        metric,
        len(values),
        len({value.configuration for value in values}),
        0.0,
        None,
        None,
        "none",
        [Point(value.value, value.id, value.configuration) for value in values],
    )
    group.stat = "median"
    by_workload: dict[tuple[int, int], list[_Value]] = {}
    for value in values:
        by_workload.setdefault((value.configuration, value.workload), []).append(value)
    summary_rows = [_row(metric, *key, some) for key, some in by_workload.items()]
    aggregates.set_summary(group, aggregates.summarise("median", summary_rows, aggregates.group_by_configuration(summary_rows)))
    return group


def _row(metric: str, configuration: int, workload: int, values_read: Sequence[_Value]) -> SummaryRow:
    values = [one.value for one in values_read]
    mean = fmean(values)
    return SummaryRow(
        metric,
        configuration,
        workload,
        len(values),
        Texts({}, {}),
        values,
        [one.id for one in values_read],
        mean,
        fsum((value - mean) ** 2 for value in values),
        min(values),
        max(values),
    )


def _workload_labels(wanted: set[int]) -> dict[int, str]:
    """Distinguishing labels of workloads by id; workloads that differ only in the month share a label."""
    first: dict[tuple, int] = {}
    representative: dict[int, int] = {}
    texts: dict[int, dict[str, str]] = {}
    for row in Workload.objects.filter(pk__in=wanted).order_by("pk").values():
        identity = (row["tool"], row["tool_version"], row["stat"], row["origin"], repr(sorted(row["params"].items())))
        first_pk = representative[row["id"]] = first.setdefault(identity, row["id"])
        texts.setdefault(first_pk, workload_texts(row, row["params"]) | {MONTH: UNKNOWN})
    found = _labels(texts)
    return {pk: found[first_pk] for pk, first_pk in representative.items()}


def _labels(texts: Mapping[int, Mapping[str, str]]) -> dict[int, str]:
    """Labels of the dimensions in which the items differ; '' for a single item, with the id where labels are equal."""
    names = [name for name in DIMENSIONS if name not in _HIDDEN_DIMENSIONS and len({row.get(name) for row in texts.values()}) > 1]
    names += _differing_open_keys(texts.values())
    labels = {
        pk: ", ".join(_describe_value(name, row[name]) for name in names if (name in row or is_open(name)) and row[name] != UNKNOWN)
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


def _describe_value(name: str, text: str) -> str:
    """The label of a value, with the dimension's name where needed: `record size 4 KiB`, but `lz4`."""
    dimension = DIMENSIONS[name]
    text = value_label(dimension, text)
    return f"{dimension.label.lower()} {text}" if name in PARAMS or is_open(name) or dimension.numeric else text


def _configuration_texts(wanted: Iterable[int]) -> dict[int, Mapping[str, str]]:
    rows = Configuration.objects.filter(pk__in=wanted).values()
    sets = dict(OpenProperties.objects.filter(pk__in={row["open_id"] for row in rows}).values_list("pk", "values"))
    return {row["id"]: configuration_texts(row, open_texts(sets.get(row["open_id"], NO_PARAMS))) for row in rows}
