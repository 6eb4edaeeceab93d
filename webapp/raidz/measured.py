"""Measured values beside what the model gives for the layout they were measured on; model values over a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median
from urllib.parse import parse_qsl, urlencode

from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import MODEL_PREFIX
from webapp.figures import naming
from webapp.figures.kind import kind_of
from webapp.figures.plain import Figure
from webapp.raidz.layouts import DiskGroup, Estimate, estimate, parse_layout
from webapp.raidz.parameters import Parameters, parse
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


# Model values over a comparison: `model=raidz:disks=12&iops=150` in the address of /compare.


def model_parameters(comparison: Comparison) -> Parameters | None:
    """The parameters of `model=`; None without it."""
    text = comparison.selection.model
    return parse(parse_qsl(text.removeprefix(MODEL_PREFIX), keep_blank_values=True)) if text else None


def add_model(comparison: Comparison, panel: Panel, figure: Figure) -> None:
    """Add what the model gives for its layout to every mark that has one, in the unit of the figure, and a note."""
    parameters = model_parameters(comparison)
    if parameters is None:
        return
    unit, factor = naming.panel_unit(comparison.selection, panel)
    found = 0
    for mark, group in zip(figure["groups"], panel.groups, strict=True):
        value = None if comparison.selection.normalise else group_value(comparison, group, parameters)
        if value is not None:
            mark["model"] = value / factor
            found += 1
    figure["notes"] += [_note(figure, parameters, unit, found, len(panel.groups)), *parameters.problems]


def group_value(comparison: Comparison, group: Group, parameters: Parameters) -> float | None:
    """What the model gives for a group in base units; None where its layout is unknown or the model has no such metric."""
    known = {**_fixed(comparison), **dict(zip(comparison.selection.named_axes, (group.x, group.series, group.facet), strict=True))}
    size = known.get("recordsize", "")
    return model_value(group.metric, known.get("layout"), parameters, int(size) if size.isdecimal() else None)


def _fixed(comparison: Comparison) -> Mapping[str, str]:
    """What all groups share, and what the address chooses one value of."""
    chosen = {name: values[0] for name, values in comparison.selection.filters if len(values) == 1}
    return {**chosen, **dict(comparison.fixed)}


def _note(figure: Figure, parameters: Parameters, unit: str, found: int, groups: int) -> str:
    texts = parameters.texts
    disks = f"disks of {texts['iops']} IOPS and {texts['rate']}/s"
    if not found:
        return (
            "The RAID-Z model says nothing about these groups: it needs a layout with a number of disks, such as 2 x raidz2(6), "
            f"and one of {', '.join(QUANTITIES)}."
        )
    where = "in JSON" if not kind_of(figure).has_model else "a dashed line across"
    some = "" if found == groups else f" ({found} of {groups} groups have a layout that it knows)"
    return f"Calculated, not measured: {where} is what the RAID-Z model gives for {disks}, in {unit}{some}."
