"""The numbers that people sort pool layouts by, read from the contract's spelling: vdevs, disks, parity, redundancy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.lazy_regex import lazy

_ONE = lazy(r"(?:(\d{1,6}) x )?([a-z]+\d*(?:c\d)?)\((\d{1,6})\)")


@dataclass(frozen=True, slots=True)
class LayoutCounts:
    """`vdevs` and `disks` in all; `parity`: disks that the weakest vdev may lose without loss of data, None where the
    kind does not tell; `redundancy`: share of the raw space that holds no data of its own (0.5 of a mirror of two)."""

    vdevs: int
    disks: int
    parity: int | None
    redundancy: float | None


def parse_layout(layout: str | None) -> LayoutCounts | None:
    """`4 x mirror(2)` -> 4 vdevs, 8 disks, parity 1, redundancy 0.5; None where a count is not told (bare `raidz2`)."""
    vdevs = disks = 0
    spare, lost, known = list[int](), 0.0, True
    for part in (layout or "").split(" + "):
        found = _ONE.fullmatch(part)
        if not found:
            return None
        times, kind, size = int(found[1] or 1), found[2], int(found[3])
        # Single disks are written as one stripe(n): each is a vdev of its own.
        vdevs += times * size if kind == "stripe" else times
        disks += times * size
        if (parity := _parity(kind, size)) is None:
            known = False
        else:
            spare.append(parity)
            lost += _redundant(kind, size, parity) * times
    return LayoutCounts(vdevs, disks, min(spare) if known else None, lost / disks if known and disks else None)


def _parity(kind: str, size: int) -> int | None:
    """How many disks one vdev may lose at least. A raid10 of pairs survives one for certain."""
    if kind in ("stripe", "raid0", "linear", "single"):
        return 0
    if kind == "mirror":
        return max(0, size - 1)
    if found := re.fullmatch(r"(?:raidz|draid)([123])", kind):
        return int(found[1])
    # Of btrfs raid1 keeps two copies on however many disks, raid1c3 three; of md raid1 as many as there are.
    return {"raid1c3": 2, "raid1c4": 3, "raid5": 1, "raid6": 2, "raid10": 1}.get(kind, 1 if (kind, size) == ("raid1", 2) else None)


def _redundant(kind: str, size: int, parity: int) -> float:
    """Disks' worth of one vdev that hold copies or parity."""
    if kind in ("raid1c3", "raid1c4"):
        return size * parity / (parity + 1)
    return size / 2 if kind == "raid10" else parity
