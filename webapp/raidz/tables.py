"""The tables of the model's page: layouts of the same disks beside each other, and one layout over its widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.raidz.layouts import DRAID, MIRROR, RAID, RAIDZ, STRIPE, DiskGroup
from webapp.raidz.model import Estimate, estimate
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


def over_widths(parameters: Parameters, kind: str = RAIDZ, parity: int | None = None) -> list[LayoutRow]:
    """One row for each number of groups: the widest that this number allows, the widest first."""
    wanted = parameters["parity"] if parity is None else parity
    rows = (make_row(parameters, f"RAID-Z{wanted}", kind, width, wanted) for width in widths(parameters["disks"], wanted))
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
