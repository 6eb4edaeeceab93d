"""The map of controlled sets as one line each: `Compression: 9 values, 3 runs each`, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.comparison.model import ControlledSet
from webapp.formatting import numbers

MAX_NAMED = 3
"""Values up to which a line names them all."""


@dataclass(frozen=True, slots=True)
class MapLine:
    """A set: the `label` of its axis, its values in words, how often each was run, and what they share; `values`: all of them."""

    label: str
    named: str
    each: str
    shared: str
    values: str
    query: str


def list_lines(sets: Sequence[ControlledSet]) -> list[MapLine]:
    """A line for each set, in their order."""
    return [_line(found) for found in sets]


def _line(found: ControlledSet) -> MapLine:
    low, high = found.runs
    runs = numbers.count(low) if low == high else f"{numbers.count(low)} to {numbers.count(high)}"
    each = f"{runs} run{'' if runs == '1' else 's'} each"
    values = ", ".join(found.values)
    named = values if len(found.values) <= MAX_NAMED else f"{numbers.count(len(found.values))} values"
    return MapLine(found.label, named, each, found.fixed, values, found.query)
