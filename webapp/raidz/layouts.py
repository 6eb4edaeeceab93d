"""Groups of disks as the model knows them, and the contract's spelling of pool layouts as such groups."""

from __future__ import annotations

import re
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
