"""All else equal: keeps only values of held dimensions that every group has, and finds in what groups still differ. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison.dimensions import APART, DERIVED_DIMENSIONS, DIMENSIONS, is_open, value_label
from webapp.comparison.links import Links, filter_query
from webapp.comparison.model import DifferingDimension
from webapp.comparison.selection import Selection, dimension_position
from webapp.comparison.summary.columns import METRIC_INDEX, Columns, occurring_codes

MAX_VALUES, MAX_LINKS = 12, 6
"""Values of a differing dimension that are listed, and that get a link."""
IDENTIFIERS = ("configuration", "system", APART)
"""Dimensions whose values are ids, which always differ."""


def hold_equal(selection: Selection, rows: Columns) -> Columns:
    """The rows whose values of the held dimensions occur in every group of their metric; all rows where none is held."""
    if not selection.hold or not len(rows):
        return rows
    return rows.cached((hold_equal, selection.axes, selection.hold), lambda: _hold_equal(selection, rows))


def _hold_equal(selection: Selection, rows: Columns) -> Columns:
    group, _ = rows.cells(selection.axes)
    stratum, _ = rows.cells(selection.hold)  # rows of one metric with equal held dimensions
    groups, strata = group.max() + 1, stratum.max() + 1
    metric = rows.indices[METRIC_INDEX]
    groups_with_stratum = np.bincount(np.unique(stratum * groups + group) // groups, minlength=strata)
    groups_of_metric = np.bincount(np.unique(metric * groups + group) // groups, minlength=len(rows.dimensions.metrics))
    metric_of_stratum = np.zeros(strata, np.intp)
    metric_of_stratum[stratum] = metric
    return rows.take((groups_with_stratum == groups_of_metric[metric_of_stratum])[stratum])


def find_differences(selection: Selection, rows: Columns, candidates: frozenset[str] | None = None) -> list[DifferingDimension]:
    """Every dimension, no axis, in which rows of one metric differ; those that differ between groups first.

    `candidates`: a superset of the dimensions in which rows differ, where the caller knows one.
    """
    if not len(rows):
        return []
    differences = rows.cached(
        (find_differences, selection.axes, candidates), lambda: _find_differences(selection.axes, rows, candidates)
    )
    links = Links(selection)
    return [_with_links(selection, links, difference) for difference in differences]


@dataclass(frozen=True, slots=True)
class _Difference:
    """A dimension in which rows differ. `links`: (label, filter, the filter as part of a query) of the values with a link."""

    name: str
    labels: tuple[str, ...]
    between: bool
    links: tuple[tuple[str, dict[str, str], str], ...]


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
                differences.append(_make_difference(name, values, between))
    return sorted(differences, key=lambda difference: not difference.between)


def _make_difference(name: str, values: Sequence[str], between: bool) -> _Difference:
    labels = tuple(value_label(DIMENSIONS[name], value) for value in values[:MAX_VALUES])
    filters = [{name: value} for value in values[:MAX_LINKS]]
    links = [(f"only {label}", only, filter_query(only)) for label, only in zip(labels[:MAX_LINKS], filters, strict=True)]
    return _Difference(name, labels, between, tuple(links))


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
    if difference.name not in selection.hold:
        queries.insert(0, ("hold equal", links.with_hold(_held_with(selection, difference.name))))
    queries.append(("one figure each", links.with_facet(difference.name)))
    label = DIMENSIONS[difference.name].label
    return DifferingDimension(difference.name, label, difference.labels, difference.between, tuple(queries))


def _held_with(selection: Selection, name: str) -> tuple[str, ...]:
    """The held dimensions and this one, in the order of DIMENSIONS."""
    if not selection.hold:
        return (name,)
    return tuple(sorted({name, *selection.hold}, key=dimension_position))
