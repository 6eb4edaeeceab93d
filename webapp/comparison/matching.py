"""All else equal: of held dimensions only those values count that every group has; and in what the groups still differ.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.comparison.dimensions import DERIVED_DIMENSIONS, DIMENSIONS, value_label
from webapp.comparison.model import DifferingDimension
from webapp.comparison.selection import Links, Selection, filter_query
from webapp.comparison.summary.columns import METRICS, Columns, occurring_codes

MOST_VALUES, MOST_LINKS = 12, 6
NEVER = ("configuration", "system")


def hold_equal(selection: Selection, rows: Columns) -> Columns:
    """The rows whose values of the held dimensions are met in every group of their metric. All, where none is held."""
    if not selection.hold or not len(rows):
        return rows
    return rows.keep((hold_equal, selection.axes, selection.hold), lambda: _held(selection, rows))


def _held(selection: Selection, rows: Columns) -> Columns:
    cell, _ = rows.cells(selection.axes)
    stratum, _ = rows.cells(selection.hold)
    cells, strata = cell.max() + 1, stratum.max() + 1
    # In how many groups a stratum, which is of one metric, is met; and how many groups its metric has.
    met = np.bincount(np.unique(stratum * cells + cell) // cells, minlength=strata)
    metric = np.zeros(strata, np.intp)
    metric[stratum] = rows.columns[METRICS]
    groups = np.bincount(np.unique(rows.columns[METRICS] * cells + cell) // cells, minlength=len(rows.sides.metrics))
    return rows.take((met == groups[metric])[stratum])


def find_differences(selection: Selection, rows: Columns, among: frozenset[str] | None = None) -> list[DifferingDimension]:
    """Every dimension besides the chosen ones in which rows of one metric differ; those between groups first.

    `among`: the dimensions in which anything differs, where that is known.
    """
    if not len(rows):
        return []
    links = Links(selection)
    return [
        _offered(selection, links, one)
        for one in rows.keep((find_differences, selection.axes, among), lambda: _differing(selection.axes, rows, among))
    ]


@dataclass(frozen=True, slots=True)
class _Difference:
    """A dimension in which rows differ. `only`: (label, value as a filter, the same as a query has it) of those with a link."""

    name: str
    labels: tuple[str, ...]
    between: bool
    only: tuple[tuple[str, dict[str, str], str], ...]


def _differing(axes: tuple[str, ...], rows: Columns, among: Collection[str] | None) -> list[_Difference]:
    """Those between groups first."""
    cell, metric_of = rows.cells(axes)
    skipped = {*axes, *NEVER, *(name for axis in axes for name in DERIVED_DIMENSIONS.get(axis, ()))}
    names = [name for name in DIMENSIONS if name not in skipped and (among is None or name in among)]
    found = [(name, *_differs(name, rows, cell, metric_of)) for name in names if len(rows.sides.codes(name).values) > 1]
    return [_found(name, values, between) for name, values, between in sorted(found, key=lambda one: not one[2]) if values]


def _found(name: str, values: Sequence[str], between: bool) -> _Difference:
    labels = tuple(value_label(DIMENSIONS[name], value) for value in values[:MOST_VALUES])
    filters = [{name: value} for value in values[:MOST_LINKS]]
    return _Difference(
        name,
        labels,
        between,
        tuple((f"only {label}", one, filter_query(one)) for label, one in zip(labels[:MOST_LINKS], filters, strict=True)),
    )


def _differs(name: str, rows: Columns, cell: np.ndarray, metric_of: np.ndarray) -> tuple[list[str], bool]:
    """The values in which rows of one metric differ, and whether they do so between groups."""
    codes = rows.sides.codes(name)
    met = occurring_codes(cell * len(codes.values) + rows.code(name))  # which values each cell has
    cells, values_met = met // len(codes.values), met % len(codes.values)
    every, between = np.zeros(len(codes.values), bool), False
    for metric in range(len(rows.sides.metrics)):
        some = metric_of[cells] == metric
        told, groups = np.unique(values_met[some]), len(np.unique(cells[some]))
        if len(told) > 1:
            every[told] = True
            between |= int(some.sum()) < groups * len(told)  # a group lacks a value that another has
    return codes.texts[every].tolist(), between


def _offered(selection: Selection, links: Links, one: _Difference) -> DifferingDimension:
    queries = [(label, links.only(value, text)) for label, value, text in one.only]
    if one.name not in selection.hold:
        queries.insert(0, ("hold equal", links.holding(_with(selection, one.name) if selection.hold else (one.name,))))
    queries.append(("one figure each", links.one_each(one.name)))
    return DifferingDimension(one.name, DIMENSIONS[one.name].label, one.labels, one.between, tuple(queries))


def _with(selection: Selection, name: str) -> tuple[str, ...]:
    return tuple(one for one in DIMENSIONS if one == name or one in selection.hold)
