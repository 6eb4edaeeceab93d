"""The values of a run, or of a whole archive, as a comparison that can be frozen: what their pages show as tables.

One figure for each metric of an archive (a place for each configuration), one for each unit of a run (a place for each
metric). Values of unlike workloads are never one group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import NamedTuple

from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from webapp.comparison import aggregates
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, configuration_texts, value_label, workload_texts
from webapp.comparison.model import Comparison, Group, Panel, Point, SummaryRow, Texts
from webapp.comparison.selection import Selection
from webapp.formatting.months import MONTH
from webapp.models import Archive, Configuration, Run, Withdrawal, Workload
from webapp.permalinks import queries

MAX_VALUES = 2000
"""Values of a table that is frozen as it is; of more, a comparison of what matters is the better figure."""
_SELECTION = Selection(x="configuration", series="tool")
"""Two dimensions whose values are their own labels; what the axes are called is told by `AXES`."""
AXES = {"run": ("Metric", "Workload"), "archive": ("Configuration", "Workload")}
_NOT_SHOWN = {"system", "configuration"}


class TooManyValues(Exception):
    """More values than a frozen table holds."""


class _Value(NamedTuple):
    id: int
    value: float
    metric: str
    workload: int
    configuration: int


def comparison_of_run(run: Run) -> tuple[Comparison, str]:
    """The comparison of a run's values, and the query of the live one nearest to it."""
    found = _values(queries.read_run_values(run.pk, MAX_VALUES + 1), run.archive_id)
    names = _workload_labels({one.workload for one in found})

    def at(one: _Value) -> tuple[str, str, str]:
        return METRICS[one.metric].unit, METRICS[one.metric].label, names[one.workload]

    return _comparison(found, at), f"archive={run.archive_id}"


def comparison_of_archive(archive: Archive) -> tuple[Comparison, str]:
    """The comparison of an archive's values, and the query of the live one nearest to it."""
    found = _values(queries.read_archive_values(archive.pk, MAX_VALUES + 1), archive.pk)
    configurations = _labels(_configuration_texts({one.configuration for one in found}))
    names = _workload_labels({one.workload for one in found})

    def at(one: _Value) -> tuple[str, str, str]:
        return one.metric, configurations[one.configuration] or "all", names[one.workload]

    return _comparison(found, at), f"archive={archive.pk}"


def _values(rows: Sequence[tuple], archive: int) -> list[_Value]:
    """Those of the rows that are not withdrawn. Raises TooMany."""
    found = [_Value(*row) for row in rows]
    if len(found) > MAX_VALUES:
        raise TooManyValues
    away = [(one.first, one.beyond) for one in Withdrawal.objects.active().filter(archive=archive)]
    return [one for one in found if not any(first <= one.id < beyond for first, beyond in away)]


def _comparison(found: Sequence[_Value], at: Callable[[_Value], tuple[str, str, str]]) -> Comparison:
    cells: dict[str, dict[tuple[str, str, str], list[_Value]]] = {}
    for one in found:
        panel, x, series = at(one)
        cells.setdefault(panel, {}).setdefault((x, series, one.metric), []).append(one)
    panels = [_panel(groups) for groups in cells.values()]
    groups = [group for panel in panels for group in panel.groups]
    method = aggregates.describe_method("median", groups) if groups else ""
    return Comparison(_SELECTION, panels, [], [], [], [], [], [], len(found), len({one.configuration for one in found}), method)


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


def _group(x: str, series: str, metric: str, found: Sequence[_Value]) -> Group:
    made = Group(
        x,
        series,
        "",
        metric,
        len(found),
        len({one.configuration for one in found}),
        0.0,
        None,
        None,
        "none",
        [Point(one.value, one.id, one.configuration) for one in found],
    )
    rows: dict[tuple[int, int], list[_Value]] = {}
    for one in found:
        rows.setdefault((one.configuration, one.workload), []).append(one)
    told = [_row(metric, *key, some) for key, some in rows.items()]
    aggregates.set_summary(made, aggregates.summarise("median", told, aggregates.group_by_configuration(told)))
    return made


def _row(metric: str, configuration: int, workload: int, found: Sequence[_Value]) -> SummaryRow:
    values = [one.value for one in found]
    mean = fmean(values)
    return SummaryRow(
        metric,
        configuration,
        workload,
        len(values),
        Texts({}, {}),
        values,
        [one.id for one in found],
        mean,
        fsum((value - mean) ** 2 for value in values),
        min(values),
        max(values),
    )


def _workload_labels(wanted: set[int]) -> dict[int, str]:
    """What tells these workloads apart; runs of several months are one workload."""
    first: dict[tuple, int] = {}
    same: dict[int, int] = {}
    texts: dict[int, dict[str, str]] = {}
    for row in Workload.objects.filter(pk__in=wanted).order_by("pk").values():
        alike = (row["tool"], row["tool_version"], row["stat"], row["origin"], repr(sorted(row["params"].items())))
        at = same[row["id"]] = first.setdefault(alike, row["id"])
        texts.setdefault(at, workload_texts(row, row["params"]) | {MONTH: UNKNOWN})
    found = _labels(texts)
    return {pk: found[at] for pk, at in same.items()}


def _labels(told: Mapping[int, Mapping[str, str]]) -> dict[int, str]:
    """What tells these configurations or workloads apart, in words; '' where there is one only, numbered where alike."""
    names = [name for name in DIMENSIONS if name not in _NOT_SHOWN and len({one.get(name) for one in told.values()}) > 1]
    found = {
        pk: ", ".join(_said(name, one[name]) for name in names if one.get(name, UNKNOWN) != UNKNOWN) for pk, one in told.items()
    }
    taken: dict[str, int] = {}
    for pk in sorted(found):
        taken[found[pk]] = taken.get(found[pk], 0) + 1
        if len(found) > 1 and (taken[found[pk]] > 1 or not found[pk]):
            found[pk] = f"{found[pk]} (no. {pk})".strip()
    return found


def _said(name: str, text: str) -> str:
    """A value that says what it is of, where it would not by itself: `record size 4 KiB`, but `lz4`."""
    dimension = DIMENSIONS[name]
    text = value_label(dimension, text)
    return f"{dimension.label.lower()} {text}" if name in PARAMS or dimension.numeric else text


def _configuration_texts(wanted: Iterable[int]) -> dict[int, Mapping[str, str]]:
    return {row["id"]: configuration_texts(row) for row in Configuration.objects.filter(pk__in=wanted).values()}
