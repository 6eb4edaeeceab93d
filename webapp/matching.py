"""All else equal: of held dimensions only those values count that every group has; and in what the groups still differ.

Pure.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from webapp.axes import CONFIGURATION, DERIVED, DIMENSIONS, label_of, order
from webapp.cells import Cells, varying
from webapp.comparison import Differs, Row
from webapp.selection import Selection, query_of

MOST_VALUES, MOST_LINKS = 12, 6
NEVER = ("configuration", "system")


def held(selection: Selection, rows: Sequence[Row]) -> list[Row]:
    """The rows whose values of the held dimensions are met in every group of their metric. All, where none is held."""
    if not selection.hold:
        return list(rows)
    met: dict[str, dict[tuple, set[tuple]]] = {}
    cells, strata = Cells(selection.axes), Cells(selection.hold)
    for row in rows:
        met.setdefault(row.metric, {}).setdefault(cells.of(row), set()).add(strata.of(row))
    common = {metric: set.intersection(*cells.values()) for metric, cells in met.items()}
    return [row for row in rows if strata.of(row) in common[row.metric]]


@dataclass(slots=True)
class _Cell:
    """The configurations and workloads of a group, each once."""

    metric: str
    configurations: dict[int, Mapping[str, str]] = field(default_factory=dict)
    workloads: dict[int, Mapping[str, str]] = field(default_factory=dict)


def differing(selection: Selection, rows: Sequence[Row], among: Collection[str] | None = None) -> list[Differs]:
    """Every dimension besides the chosen ones in which rows of one metric differ; those between groups first.

    `among`: the dimensions in which anything differs, where that is known.
    """
    groups: dict[tuple, _Cell] = {}
    cells, among = Cells(selection.axes), varying(rows) if among is None else among
    for row in rows:
        key = (row.metric, cells.of(row))
        cell = groups.get(key) or groups.setdefault(key, _Cell(row.metric))
        cell.configurations[id(row.texts.configuration)] = row.texts.configuration
        cell.workloads[id(row.texts.workload)] = row.texts.workload
    skipped = {*selection.axes, *NEVER, *(name for axis in selection.axes for name in DERIVED.get(axis, ()))}
    found = [_differs(selection, name, groups.values()) for name in DIMENSIONS if name in among and name not in skipped]
    return sorted((one for one in found if one is not None), key=lambda one: not one.between)


def _differs(selection: Selection, name: str, groups: Iterable[_Cell]) -> Differs | None:
    dimension = DIMENSIONS[name]
    sets: dict[str, list[frozenset[str]]] = {}
    for cell in groups:
        sides = cell.configurations if dimension.source == CONFIGURATION else cell.workloads
        sets.setdefault(cell.metric, []).append(frozenset([texts[name] for texts in sides.values()]))
    unlike = {metric: some for metric, some in sets.items() if len(frozenset().union(*some)) > 1}
    if not unlike:
        return None
    every = frozenset().union(*(one for some in unlike.values() for one in some))
    values = sorted(every, key=lambda text: order(dimension, text))
    between = any(len(set(some)) > 1 for some in unlike.values())
    queries = [(f"only {label_of(dimension, value)}", query_of(selection.having(name, [value])))
               for value in values[:MOST_LINKS]]
    if name not in selection.hold:
        queries.insert(0, ("hold equal", query_of(selection.changed(hold=_with(selection, name)))))
    queries.append(("one figure each", query_of(selection.changed(facet=name))))
    return Differs(name, dimension.label, tuple(label_of(dimension, value) for value in values[:MOST_VALUES]), between,
                   tuple(queries))


def _with(selection: Selection, name: str) -> tuple[str, ...]:
    return tuple(one for one in DIMENSIONS if one == name or one in selection.hold)
