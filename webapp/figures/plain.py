"""The plain data of a figure, from which browser, print, table and permalink draw without adding to it.

A figure is a dictionary that JSON can represent. Numbers are in the figure's unit; keys that a kind does not need are
absent. Keys of each kind beside `title unit better scale x series groups`:

bars      nothing more. Bars begin at zero; on a log scale, and where any group cannot be a bar, all are markers.
dots      nothing more. Categories are below each other; the axis need not begin at zero.
lines     `x.numbers`, `x.scale` (`log` where every number is above zero). Groups without a number are not drawn.
box       `box` of a group: [lowest, lower quartile, median, upper quartile, highest]; absent below five values, where the
          points are without a box. Points are always drawn (strip).
scatter   `across` of a group: its centre and interval along x, in `x.unit`; `x.better` in words.
heat      `series` are the rows, `x.values` the columns, each group a cell; `rows` is the label of the rows, `reach` the
          [lowest, highest] centre of all panels.
time      `curves` over `x.low` to `x.high` (seconds, or numbers of points) in the place of groups; `phases` in time. See
          `webapp.curves`, which makes them.
cdf       `curves` too: the share of points (%) up to each value of x, from `x.low` to `x.high`.
histogram `curves` too: the outline of bins over x, each as high as its share of the points (%).
ratio     centre and interval of a group are ratios to the baseline; `pairs` is the number of blocks within which they were
          compared, `word` the claim. The baseline is at 1.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

CURVE_LABELS = {
    "time": "Over time",
    "cdf": "Cumulative distribution",
    "histogram": "Histogram",
    "percentiles": "Percentiles over load",
    "load": "Load-latency curve",
}
"""Values of `kind=` in an address with their names, of kinds that are offered where numbers over time stand beside the runs."""
MAX_BARS = 300
"""Groups of one figure up to which bars are distinguishable and every run has room for a dot."""


class Axis(TypedDict):
    """The x axis: its label and its values. `numbers` (lines): the position of each value on a numeric axis. `configured`: the
    values as configurations have them, where the author has named any. `low`, `high` (time): its ends. `ticks` (percentiles): the
    position and the name of each. `joined` (scatter): a line joins the groups of a series in the order of x."""

    label: str
    values: list[str]
    configured: NotRequired[list[str]]
    numbers: NotRequired[list[float | None]]
    ticks: NotRequired[list[tuple[float, str]]]
    joined: NotRequired[bool]
    scale: NotRequired[str]
    unit: NotRequired[str]
    better: NotRequired[str]
    low: NotRequired[float]
    high: NotRequired[float]


class Series(TypedDict):
    """`style` is the number of the colour (0 to 7); `marker` the shape of its points. `configured`: the name as configurations
    have it, where the author has given another."""

    name: str
    style: int
    marker: str
    configured: NotRequired[str]


class XPosition(TypedDict):
    """Centre and interval of a mark of a scatter plot along x. `bound` and `open` as those of a mark."""

    center: float
    low: float | None
    high: float | None
    bound: NotRequired[str]
    open: NotRequired[list[str]]


class Mark(TypedDict):
    """One group. `x` and `series` are indices into the axis and the series; `points` pairs of value and address of its line, with a
    third part, `above` or `below`, where the value is a bound and the true one lies beyond; `open` has the sides that occur.

    `configuration`: the id of its configuration where it has one only; pages add it. `bound`: `above` or `below`, where the
    centre is a bound and the true value lies beyond it: the end is open. `parts`: the centres of its sessions or populations,
    which are too unlike for one bar: dots and a marker for each centre. `model`: what a model gives for it.
    `beside`: its runs in archives with numbers over time; pages add them.
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
    bound: NotRequired[str]
    open: NotRequired[list[str]]
    parts: NotRequired[list[float]]
    model: NotRequired[float]
    beside: NotRequired[list[int]]


class Empty(TypedDict):
    """A place without a mark, and what is printed there. `x` and `series` as those of a mark."""

    x: int
    series: int
    text: str


class CurvePoints(TypedDict):
    """A curve: times, values, and the lines of the file at `raw` that they were read from. `breaks`: indices of points that no line
    joins to the one before. Of several runs `low`, `high` (the ends of the band) and `n` (the runs that have a point there) in
    the place of lines. `total`: the points that there are."""

    series: int
    t: list[float]
    v: list[float]
    breaks: list[int]
    total: int
    raw: NotRequired[str]
    lines: NotRequired[list[int]]
    low: NotRequired[list[float]]
    high: NotRequired[list[float]]
    n: NotRequired[list[int]]


class TimePhase(TypedDict):
    """A named part of the time."""

    name: str
    start: float
    end: float


class Figure(TypedDict):
    """One panel. `better` names the good direction in words; `notes` are sentences printed beneath the figure.

    `subtitle`: what all groups share, and how many runs there are. `empty`: groups that were not run with the workload.
    `legend`: the name of the dimension of the series. `top`, `bottom`: the highest and the lowest value of all panels in this
    unit, where they share their scale. `measured` (lines of a model): position on x, value and name of each measured point.
    `beside` (of a record): it draws what stands beside the values of the record, not these. `barless`: markers stand in the place
    of bars, since those of another panel cannot be bars.
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
    subtitle: NotRequired[str]
    empty: NotRequired[list[Empty]]
    legend: NotRequired[str]
    top: NotRequired[float]
    bottom: NotRequired[float]
    reach: NotRequired[list[float]]
    rows: NotRequired[str]
    measured: NotRequired[list[tuple[float, float, str]]]
    curves: NotRequired[list[CurvePoints]]
    phases: NotRequired[list[TimePhase]]
    beside: NotRequired[bool]
    barless: NotRequired[bool]
