"""Kinds of figures. Each module of this package that draws one registers it; nothing else lists them.

`webapp/drawing/kinds/` draws a kind in a picture, `static/js/marks/` on a page, each in a file of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from webapp.comparison import selection
from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection
from webapp.figures import scales
from webapp.figures.plain import Figure
from webapp.figures.scales import Scale


@dataclass(frozen=True)
class FigureKind:
    """`name` is the value of `kind=` in addresses, `label` its name where it is offered, in the order of `place`.

    `make`: the figure of a panel, None where it cannot be drawn; `describe_lack` says why. `values`: the axis of values; `across`:
    the level axis of a kind that has numbers there, too. `rows`: what stands below each other, `x`, `series` or nothing.
    `has_legend`: whether colours tell series apart; `is_filled`: whether patterns can, too. `has_runs`: whether every run is a dot.
    `has_model`: whether the line of a model can stand across a mark. `mark`: what a group is called, where it is no bar, line or
    point.
    """

    name: str
    label: str
    place: int
    make: Callable[[Selection, Panel], Figure | None]
    describe_lack: Callable[[Selection, Panel], str] = lambda selection, panel: ""
    values: Callable[[Mapping[str, Any]], Scale] = scales.from_zero
    across: Callable[[Mapping[str, Any]], Scale] | None = None
    rows: str = ""
    has_legend: bool = True
    has_runs: bool = True
    is_filled: bool = False
    has_model: bool = True
    mark: str = ""


KINDS: dict[str, FigureKind] = {}
"""Name -> kind, in the order in which they are offered."""


def register(kind: FigureKind) -> FigureKind:
    """Offer a kind, and let addresses name it."""
    known = sorted([*KINDS.values(), kind], key=lambda one: one.place)
    KINDS.clear()
    KINDS.update({one.name: one for one in known})
    selection.KINDS[:] = [*KINDS, *selection.CURVES]
    return kind


def kind_of(figure: Mapping[str, Any]) -> FigureKind:
    """The kind of a figure: bars in older records, which have none."""
    return KINDS.get(figure.get("kind") or "bars", CURVES)


CURVES = FigureKind("", "", 0, lambda selection, panel: None)
"""What is made beside comparisons: curves over an axis of numbers (`webapp.curves`)."""
