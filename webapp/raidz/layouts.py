"""Groups of disks, the spelling of pool layouts as such groups, and formulas of their space, throughput and IOPS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

STRIPE, MIRROR, RAIDZ, DRAID, RAID = "stripe", "mirror", "raidz", "draid", "raid"
_GROUP = re.compile(r"(?:(\d{1,6}) x )?(stripe|mirror|raidz[123]|raid5|raid6|raid0)\((\d{1,6})\)", re.ASCII)
MAX_DISKS = 10_000


@dataclass(frozen=True, slots=True)
class DiskGroup:
    """`count` groups of `disks` disks each, of which `parity` hold parity (RAID-Z, dRAID, RAID-5, RAID-6).

    Of dRAID `disks` are the children of the vdev with its spares, `data` the data disks of one redundancy group.
    """

    kind: str
    disks: int
    parity: int = 0
    count: int = 1
    spares: int = 0
    data: int = 0

    @property
    def data_disks(self) -> int:
        """Data disks of one redundancy group: the columns over which a block is spread."""
        return self.data or self.disks - self.parity

    @property
    def active(self) -> int:
        """Disks of one group without its distributed spares."""
        return self.disks - self.spares

    @property
    def all_disks(self) -> int:
        return self.count * self.disks

    @property
    def survives(self) -> int:
        """Disks that each group may lose without loss of data."""
        return self.disks - 1 if self.kind == MIRROR else self.parity

    @property
    def name(self) -> str:
        """In the contract's spelling: `3 x raidz2(4)`; single disks are one stripe."""
        if self.kind == STRIPE:
            return f"stripe({self.all_disks})"
        kind = f"raid{self.parity + 4}" if self.kind == RAID else f"{self.kind}{self.parity or ''}"
        size = f"{self.data}d:{self.disks}c:{self.spares}s" if self.kind == DRAID else self.disks
        return f"{self.count} x {kind}({size})" if self.count > 1 else f"{kind}({size})"


def parse_layout(layout: str | None) -> list[DiskGroup] | None:
    """`4 x mirror(2)` -> its groups; None where a count is unknown, or where the model has no formula for a kind of group.

    Vdevs for metadata, deduplication and spares (`special mirror(2)`, `spare(1)`) are passed over: they hold no data blocks.
    """
    groups = []
    for part in (layout or "").split(" + "):
        if part.startswith(("special ", "dedup ", "spare(")):
            continue
        match = _GROUP.fullmatch(part)
        if not match or not 0 < int(match[3]) * int(match[1] or 1) <= MAX_DISKS:
            return None
        group = _of_kind(match[2], int(match[3]), int(match[1] or 1))
        if group.data_disks < 1:
            return None
        groups.append(group)
    return groups or None


def _of_kind(kind: str, disks: int, count: int) -> DiskGroup:
    if kind in ("stripe", "raid0"):
        return DiskGroup(STRIPE, 1, count=count * disks)
    if kind == "mirror":
        return DiskGroup(MIRROR, disks, count=count)
    return DiskGroup(RAIDZ if kind.startswith("raidz") else RAID, disks, int(kind[-1]) - (0 if "z" in kind else 4), count)


# Formulas: space, throughput and IOPS of groups of disks. Sizes in bytes, throughput in B/s, IOPS in 1/s.

SLOP_SHIFT, MIN_SLOP, MAX_SLOP = 5, 128 << 20, 128 << 30
"""Space that ZFS keeps back: 1/32 of the pool, at least 128 MiB (at most half of it), at most 128 GiB (OpenZFS 2.1 and later)."""


@dataclass(frozen=True, slots=True)
class ModelDisk:
    """One disk: `size` in bytes, `iops` of random I/O, sequential `rate` in B/s."""

    size: float
    iops: float
    rate: float


@dataclass(frozen=True, slots=True)
class Blocks:
    """How blocks lie on disks: `record` is their size in bytes, `sector` the smallest allocation (2^ashift), `chunk` the stripe
    unit of RAID-5 and RAID-6. `padding`: whether ZFS's padding and reserve count; without, only parity and copies do.
    """

    record: int
    sector: int
    chunk: int
    padding: bool = True


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the model gives for a pool. `share`: usable part of the raw space of its disks."""

    space: float
    share: float
    read_rate: float
    write_rate: float
    read_iops: float
    write_iops: float


def allocated_sectors(group: DiskGroup, sectors: int) -> int:
    """Sectors that a block of that many sectors takes with parity and padding (RAID-Z and dRAID).

    RAID-Z: parity for each row, then up to a multiple of parity + 1, so that no gap is too small to be used. dRAID: whole rows.
    """
    rows = -(-sectors // group.data_disks)
    if group.kind == DRAID:
        return rows * (group.data_disks + group.parity)
    total = sectors + group.parity * rows
    return -(-total // (group.parity + 1)) * (group.parity + 1)


def efficiency(group: DiskGroup, blocks: Blocks) -> float:
    """Share of the space of a group's active disks that holds data."""
    if group.kind in (STRIPE, MIRROR):
        return 1 / group.disks
    if group.kind == RAID or not blocks.padding:
        return group.data_disks / (group.data_disks + group.parity)
    sectors = -(-blocks.record // blocks.sector)
    return blocks.record / (allocated_sectors(group, sectors) * blocks.sector)


def columns(group: DiskGroup, blocks: Blocks) -> int:
    """Data disks that hold a part of one block."""
    if group.kind in (STRIPE, MIRROR):
        return 1
    unit = blocks.chunk if group.kind == RAID else blocks.sector
    return min(group.data_disks, -(-blocks.record // unit))


def read_ios(group: DiskGroup, blocks: Blocks) -> float:
    """I/Os of disks for one block that is read.

    In RAID-Z and dRAID parity counts too, although it is not read: a block of all columns then costs one I/O of every disk,
    the first approximation of the weblog and a lower bound of what a group gives.
    """
    extra = group.parity if group.kind in (RAIDZ, DRAID) else 0
    return columns(group, blocks) + extra


def write_ios(group: DiskGroup, blocks: Blocks) -> float:
    """I/Os of disks for one block that is written, none of them joined with others.

    RAID-5 and RAID-6 read old data and parity before they write, or the rest of the stripe where that is less.
    """
    if group.kind == MIRROR:
        return group.disks
    if group.kind == STRIPE:
        return 1
    touched = columns(group, blocks)
    if group.kind == RAID:
        return min(2 * (touched + group.parity), group.disks)
    return (group.data_disks if group.kind == DRAID else touched) + group.parity


def estimate(groups: Sequence[DiskGroup], disk: ModelDisk, blocks: Blocks) -> Estimate:
    """Everything that the model gives for a pool of these groups. Blocks are spread evenly over all disks."""
    space = read_rate = write_rate = read_iops = write_iops = 0.0
    for group in groups:
        active, share = group.count * group.active, efficiency(group, blocks)
        space += active * disk.size * share
        write_rate += active * disk.rate * share
        read_rate += active * disk.rate * (1 if group.kind == MIRROR else share)
        read_iops += active * disk.iops / read_ios(group, blocks)
        write_iops += active * disk.iops / write_ios(group, blocks)
    zfs = blocks.padding and all(group.kind != RAID for group in groups)
    usable = space - _reserve(space) if zfs else space
    raw = sum(group.all_disks for group in groups) * disk.size
    return Estimate(usable, usable / raw, read_rate, write_rate, read_iops, write_iops)


def _reserve(space: float) -> float:
    """Space that `zfs list` never shows as available."""
    return max(min(space / (1 << SLOP_SHIFT), MAX_SLOP), min(space / 2, MIN_SLOP))
