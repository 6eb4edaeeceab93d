"""The figures and tables of the model's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webapp.figures.plain import Figure, Mark, Series
from webapp.formatting import numbers
from webapp.raidz.layouts import DRAID, MIRROR, RAID, RAIDZ, STRIPE, DiskGroup, Estimate, estimate
from webapp.raidz.measured import MeasuredPoint
from webapp.raidz.parameters import Parameters

MAX_WIDTHS = 60


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """A layout of the disks: `left` of them belong to no group. `label`: as people call it."""

    label: str
    group: DiskGroup
    left: int
    estimate: Estimate

    @property
    def terabytes(self) -> float:
        return self.estimate.space / 1e12

    @property
    def percent(self) -> float:
        return self.estimate.share * 100


def layouts(parameters: Parameters) -> list[LayoutRow]:
    """Every kind of layout that the disks allow at the width of the address."""
    width = parameters["width"]
    groups = [("Stripe", STRIPE, 1, 0), ("Mirror of 2", MIRROR, 2, 0), ("Mirror of 3", MIRROR, 3, 0)]
    groups += [(f"RAID-Z{parity}", RAIDZ, width, parity) for parity in (1, 2, 3)]
    groups += [(f"RAID-{parity + 4}", RAID, width, parity) for parity in (1, 2)]
    rows = [row for label, kind, size, parity in groups if (row := make_row(parameters, label, kind, size, parity))]
    return rows + [row for parity in (1, 2, 3) if (row := _draid(parameters, parity))]


def make_row(parameters: Parameters, label: str, kind: str, width: int, parity: int) -> LayoutRow | None:
    """The disks in as many groups of that width as there are; None where they are too few, or the group has no data disk."""
    disks = parameters["disks"]
    if width > disks or width <= parity or (kind == RAID and width < parity + 2):
        return None
    group = DiskGroup(kind, width, parity, disks // width)
    return LayoutRow(label, group, disks % width, estimate([group], parameters.disk, parameters.blocks))


def _draid(parameters: Parameters, parity: int) -> LayoutRow | None:
    """One dRAID vdev of all disks, whose redundancy groups have the width of the address; vdevs have at most 255 children."""
    disks, spares, data = parameters["disks"], parameters["spares"], parameters["width"] - parity
    if data < 1 or disks > 255 or disks - spares < data + parity:
        return None
    group = DiskGroup(DRAID, disks, parity, 1, spares, data)
    return LayoutRow(f"dRAID{parity}", group, 0, estimate([group], parameters.disk, parameters.blocks))


def over_widths(parameters: Parameters) -> list[LayoutRow]:
    """One row for each number of groups: the widest that this number allows, the widest first."""
    parity = parameters["parity"]
    rows = (make_row(parameters, f"RAID-Z{parity}", RAIDZ, width, parity) for width in widths(parameters["disks"], parity))
    return [row for row in rows if row][:MAX_WIDTHS]


def widths(disks: int, parity: int) -> Iterator[int]:
    """Widths that leave fewest disks over, falling: 100, 50, 33, 25 ... of 100 disks."""
    last = 0
    for groups in range(1, disks + 1):
        width = disks // groups
        if width <= parity:
            return
        if width != last:
            yield width
        last = width


# The figures of the model's page: numbers over the width of a group, measured points over them.

_CURVES = (
    ("Stripe", STRIPE, 1, 0, "dash"),
    ("Mirror of 2", MIRROR, 2, 0, "rect"),
    ("RAID-Z1", RAIDZ, 0, 1, "triangle"),
    ("RAID-Z2", RAIDZ, 0, 2, "rectRot"),
    ("RAID-Z3", RAIDZ, 0, 3, "star"),
    ("RAID-6", RAID, 0, 2, "cross"),
)
MOST_PLACES = 40
_TB, _MIB = 10**12, 1 << 20


class _Quantity(NamedTuple):
    title: str
    unit: str
    get: Callable[[Estimate], float]
    metric: str
    factor: float
    """Base units of the metric in one of `unit`."""
    scale: str = "linear"


_QUANTITIES = (
    _Quantity("Usable space", "TB", lambda made: made.space / _TB, "", _TB),
    _Quantity("Random reads", "blocks/s", lambda made: made.read_iops, "random_read.rate", 1, "log"),
    _Quantity("Random writes, not aggregated", "blocks/s", lambda made: made.write_iops, "random_write.rate", 1, "log"),
    _Quantity("Streaming reads", "MiB/s", lambda made: made.read_rate / _MIB, "read.throughput", _MIB),
    _Quantity("Streaming writes", "MiB/s", lambda made: made.write_rate / _MIB, "write.throughput", _MIB),
)


def figures(parameters: Parameters, points: Sequence[MeasuredPoint]) -> list[Figure]:
    """Each quantity over the width of a group; over it the measured points of pools with as many disks."""
    alike = [point for point in points if point.disks == parameters["disks"] and point.width]
    return [
        _figure(parameters, quantity, [point for point in alike if point.row.metric == quantity.metric]) for quantity in _QUANTITIES
    ]


def _figure(parameters: Parameters, quantity: _Quantity, points: Sequence[MeasuredPoint]) -> Figure:
    shown = [(float(point.width or 1), point.measured / quantity.factor, _name_point(point)) for point in points]
    places = sorted({*_thinned(list(widths(parameters["disks"], 1))), *(int(x) for x, _, _ in shown)})
    series: list[Series] = []
    marks: list[Mark] = []
    for style, (name, kind, size, parity, marker) in enumerate(_CURVES):
        curve = [
            (at, quantity.get(row.estimate))
            for at, width in enumerate(places)
            if (row := make_row(parameters, name, kind, size or width, parity))
        ]
        if curve:
            marks += [_mark(at, len(series), value) for at, value in curve]
            series.append({"name": name, "style": style, "marker": marker})
    return {
        "kind": "lines",
        "title": quantity.title,
        "subtitle": _subtitle(parameters),
        "unit": quantity.unit,
        "better": "higher is better",
        "scale": quantity.scale,
        "x": {
            "label": "disks of a group",
            "values": [str(width) for width in places],
            "numbers": [float(width) for width in places],
            "scale": "log" if len(places) > 1 and places[-1] > 4 * places[0] else "linear",
        },
        "series": series,
        "groups": marks,
        "notes": [],
        "legend": "Layout",
        "measured": shown,
    }


def _thinned(values: list[int]) -> list[int]:
    """At most some forty of them, both ends included."""
    step = -(-len(values) // MOST_PLACES)
    return values[::step] + values[-1:]


def _subtitle(parameters: Parameters) -> str:
    blocks = f"recordsize {numbers.size(parameters['recordsize'])}, ashift {parameters['ashift']}"
    return f"{numbers.count(parameters['disks'])} disks of {parameters.texts['size']}, {blocks}; calculated"


def _mark(x: int, series: int, value: float) -> Mark:
    return {
        "x": x,
        "series": series,
        "center": value,
        "low": None,
        "high": None,
        "n": 0,
        "configurations": 0,
        "points": [],
        "verdict": "",
        "flags": [],
    }


def _name_point(point: MeasuredPoint) -> str:
    """`tank, 2 x raidz1(6), fio: 812 (0.9× of the model)`"""
    where = ", ".join(part for part in (point.row.host, point.row.layout, point.row.tool) if part)
    return f"{where}: {numbers.quantity(point.measured, point.row.metric)}, {numbers.ratio(point.ratio)} of the model"


def describe(figure: Figure) -> str:
    """What a screen reader reads in place of a figure; the tables have its numbers."""
    ends = [
        f"{series['name']} {numbers.number(values[0])} to {numbers.number(values[-1])}"
        for at, series in enumerate(figure["series"])
        if (values := [mark["center"] for mark in figure["groups"] if mark["series"] == at])
    ]
    places = figure["x"]["values"]
    return f"{figure['title']} in {figure['unit']}, from groups of {places[0]} to groups of {places[-1]} disks: {'; '.join(ends)}."
