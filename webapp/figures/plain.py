"""The plain data of a figure, from which browser, print, table and permalink draw; whoever draws adds nothing to it.

A figure is a dictionary that JSON can hold. Numbers are in the unit that it names; every key that a kind does not need
is absent. What each kind reads beside `title unit better scale x series groups`:

bars      nothing more. Bars begin at zero; on a log scale there is no bar, only the mark.
dots      nothing more. Categories lie below each other; the axis need not begin at zero.
lines     `x.numbers`, `x.scale` (`log` where every number is above zero). Groups without a number are not drawn.
box       `box` of a group: [lowest, lower quartile, median, upper quartile, highest]; absent below five values, where the
          points stand alone. Points are always drawn (strip).
scatter   `across` of a group: its centre and interval along x, in `x.unit`; `x.better` in words.
heat      `series` are the rows, `x.values` the columns, each group a cell; `rows` is what the rows
          are called, `reach` is [lowest, highest] centre of all panels.
ratio     centre, interval and points of a group are ratios to the baseline, a point for each matched pair; `pairs` is how
          many there are, `word` the verdict. 1 is the baseline's place.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

KIND_LABELS = {
    "bars": "Bars",
    "dots": "Dots",
    "lines": "Lines",
    "box": "Boxes and every run",
    "scatter": "Two metrics",
    "heat": "Heat map",
    "ratio": "Ratios to the baseline",
}
"""Values of `kind=` in an address with their names, in the order in which they are offered."""
MAX_BARS = 300
"""Groups of one figure up to which bars are told apart and every run has room for a dot."""


class Axis(TypedDict):
    """The x axis: its label and the names of its places. `numbers` (lines): the place of each on a numeric axis."""

    label: str
    values: list[str]
    numbers: NotRequired[list[float | None]]
    scale: NotRequired[str]
    unit: NotRequired[str]
    better: NotRequired[str]


class Series(TypedDict):
    """`style` is the number of the colour (0 to 7), by identity; `marker` the second channel."""

    name: str
    style: int
    marker: str


class XPosition(TypedDict):
    """Where a mark of a scatter stands along x."""

    center: float
    low: float | None
    high: float | None


class Mark(TypedDict):
    """One group. `x` and `series` are places in the lists above; `points` pairs of value and address of its line.

    `configuration`: the id of its configuration where it has one only; pages add it.
    """

    x: int
    series: int
    center: float
    low: float | None
    high: float | None
    n: int
    configurations: int
    points: list[list]
    verdict: str
    flags: list[str]
    box: NotRequired[list[float]]
    across: NotRequired[XPosition]
    word: NotRequired[str]
    pairs: NotRequired[int]
    configuration: NotRequired[int]


class Figure(TypedDict):
    """One panel. `better` says in words which direction is good; `notes` are sentences to be printed beneath.

    `top`: the highest value of all panels in this unit, where they share their scale.
    """

    kind: str
    title: str
    unit: str
    better: str
    scale: str
    x: Axis
    series: list[Series]
    groups: list[Mark]
    notes: list[str]
    top: NotRequired[float]
    reach: NotRequired[list[float]]
    rows: NotRequired[str]
