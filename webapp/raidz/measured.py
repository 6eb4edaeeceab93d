"""Measured values beside what the model gives for the very layout that they were measured on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median
from urllib.parse import urlencode

from webapp.raidz.layouts import DiskGroup, parse_layout
from webapp.raidz.model import Estimate, estimate
from webapp.raidz.parameters import Parameters
from webapp.raidz.queries import MeasuredRow, read_measured

QUANTITIES = {
    "read.throughput": "read_rate",
    "write.throughput": "write_rate",
    "random_read.rate": "read_iops",
    "random_write.rate": "write_iops",
}
"""Metric -> the number of an `Estimate` that it is compared with."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One workload on one configuration of one machine: the median of its runs, and the model's number for its layout."""

    row: MeasuredRow
    groups: list[DiskGroup]
    measured: float
    model: float

    @property
    def ratio(self) -> float:
        return self.measured / self.model

    @property
    def address(self) -> str:
        """The comparison page with these runs."""
        pairs = {"metric": self.row.metric, "x": "layout", "configuration": self.row.configuration, "tool": self.row.tool}
        return f"/compare?{urlencode(pairs)}&control=off"

    @property
    def disks(self) -> int:
        return sum(group.all_disks for group in self.groups)

    def parameters(self) -> dict[str, int]:
        """The parameters of the page that make it calculate this layout."""
        wide = {"width": self.width} if self.width and self.width > 1 else {}
        sized = {"recordsize": self.row.recordsize} if self.row.recordsize else {}
        return {"disks": self.disks, **wide, **sized}

    @property
    def width(self) -> int | None:
        """Disks of its groups, where all are alike."""
        sizes = {(group.kind, group.parity, group.disks) for group in self.groups}
        return self.groups[0].disks if len(sizes) == 1 else None


def model_value(metric: str, layout: str | None, parameters: Parameters, recordsize: int | None = None) -> float | None:
    """What the model gives for a metric on a layout; None where it says nothing about either.

    `recordsize` of the runs replaces that of the parameters, where it is known.
    """
    groups = parse_layout(layout)
    if groups is None or metric not in QUANTITIES:
        return None
    return _quantity(metric, estimate_layout(groups, parameters, recordsize))


def estimate_layout(groups: list[DiskGroup], parameters: Parameters, recordsize: int | None) -> Estimate:
    blocks = parameters.blocks if recordsize is None else replace(parameters.blocks, record=max(512, recordsize))
    return estimate(groups, parameters.disk, blocks)


def _quantity(metric: str, made: Estimate) -> float:
    return getattr(made, QUANTITIES[metric])


def points(parameters: Parameters, rows: Iterable[MeasuredRow] | None = None) -> list[MeasuredPoint]:
    """Every measured value on two disks or more in a layout that the model knows; those of most runs first."""
    made = []
    for row in read_measured() if rows is None else rows:
        groups = parse_layout(row.layout)
        if groups is None or not row.values or sum(group.all_disks for group in groups) < 2:
            continue
        model = _quantity(row.metric, estimate_layout(groups, parameters, row.recordsize))
        if model > 0:
            made.append(MeasuredPoint(row, groups, median(row.values), model))
    return made
