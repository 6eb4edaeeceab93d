"""The counts by which pool layouts are compared, from the contract's spelling: vdevs, disks, parity, redundancy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.lazy_regex import lazy

_VDEVS = lazy(r"(?P<section>special |dedup )?(?:(?P<count>\d{1,6}) x )?(?P<kind>[a-z]+\d*(?:c\d)?)\((?P<size>\d{1,6})\)")


@dataclass(frozen=True, slots=True)
class LayoutCounts:
    """`vdevs` and `disks` of data in all, without those of `special` and `dedup` and without spares; `parity`: disks that the
    weakest vdev, also of these, may lose without loss of data, None if unknown for the kind; `redundancy`: share of the raw space
    of the data vdevs used for copies and parity (0.5 for a mirror of two).
    """

    vdevs: int
    disks: int
    parity: int | None
    redundancy: float | None


def parse_layout(layout: str | None) -> LayoutCounts | None:
    """`4 x mirror(2)` -> 4 vdevs, 8 disks, parity 1, redundancy 0.5; None if a count is missing (bare `raidz2`)."""
    vdevs = disks = 0
    parities, redundant, known = list[int](), 0.0, True
    for group in (layout or "").split(" + "):
        match = _VDEVS.fullmatch(group)
        if not match:
            return None
        count, kind, size = int(match["count"] or 1), match["kind"], int(match["size"])
        if kind == "spare":
            continue
        if (parity := _parity_of(kind, size)) is None:
            known = False
        else:
            parities.append(parity)
        if match["section"]:
            continue  # holds metadata, small blocks or the table of deduplication
        # Single disks are spelled as one stripe(n): each is a vdev of its own.
        vdevs += count * size if kind == "stripe" else count
        disks += count * size
        redundant += _redundant_disks(kind, size, parity or 0) * count
    return LayoutCounts(vdevs, disks, min(parities) if known else None, redundant / disks if known and disks else None)


def _parity_of(kind: str, size: int) -> int | None:
    """Disks that one vdev may always lose, None if unknown. A raid10 of pairs survives one for certain."""
    if kind in ("stripe", "raid0", "linear", "single"):
        return 0
    if kind == "mirror":
        return max(0, size - 1)
    if match := re.fullmatch(r"(?:raidz|draid)([123])", kind):
        return int(match[1])
    # raid1 of btrfs keeps two copies on any number of disks, raid1c3 three; raid1 of md as many as there are disks.
    return {"raid1c3": 2, "raid1c4": 3, "raid5": 1, "raid6": 2, "raid10": 1}.get(kind, 1 if (kind, size) == ("raid1", 2) else None)


def _redundant_disks(kind: str, size: int, parity: int) -> float:
    """Number of disks of one vdev that store copies or parity."""
    if kind in ("raid1c3", "raid1c4"):
        return size * parity / (parity + 1)
    return size / 2 if kind == "raid10" else parity
