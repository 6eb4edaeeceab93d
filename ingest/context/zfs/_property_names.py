"""What ZFS calls its properties, and what the registry of keys calls them.

Source: zfsprops(7), zpoolprops(7), zpool-features(7); the column heads from lib/libzfs (zfs_prop.c, zpool_prop.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy

PROPERTY_KEYS = {
    "compression": "pool.compression",
    "compress": "pool.compression",
    "dedup": "pool.dedup",
    "atime": "pool.atime",
    "recordsize": "pool.recordsize",
    "recsize": "pool.recordsize",
    "sync": "pool.sync",
    "copies": "pool.copies",
    "ashift": "pool.ashift",
}
# Every key that a pool or data set carries: what `zpool destroy` ends.
POOL_KEYS = (
    "pool.name",
    "pool.layout",
    "pool.compression",
    "pool.compression_effective",
    "pool.dedup",
    "pool.atime",
    "pool.recordsize",
    "pool.sync",
    "pool.copies",
    "pool.ashift",
    "pool.log",
    "pool.cache",
)
BOOT_POOLS = frozenset(("rpool", "bpool", "zroot", "freenas-boot", "boot-pool", "syspool", "zones-boot"))
_DEDUP = lazy(r"(?:on|off|verify|(?:sha256|sha512|skein|edonr|blake3)(?:,verify)?)\Z")
OMITTED_ROWS = lazy(  # what people put in the place of rows that they left out
    r"(?i)[ \t]*(?:\.{2,}|\u2026|[\W_]{0,30}(?:snip|snipped|cut|trim+ed|truncated|omitted|etc)\b[^\n]{0,60})[ \t]*\Z"
)
_STAND_IN = lazy(r"(?:replacing|spare)-\d+\Z")
_PATH = lazy(r"(?<![\w.:/-])/([A-Za-z][\w.:%@-]*(?:/[\w.:%@-]+){0,20})(?P<ends>(?=[/\s\"'`;)]|\Z))?")
DATASET_NAME = r"[A-Za-z][A-Za-z0-9_.:%-]*(?:/[A-Za-z0-9_.:%/@-]*)?"


def parse_property(prop: str, text: str) -> Any:
    """The registry's value of a property as ZFS prints it; None where the text is none that ZFS would print."""
    text = text.strip().lower()
    match PROPERTY_KEYS.get(prop):
        case "pool.compression":
            return normalise.compression(text)
        case "pool.dedup":
            return text if _DEDUP.match(text) else None
        case "pool.atime":
            return text if text in ("on", "off") else None
        case "pool.recordsize":
            return normalise.parse_size(text)
        case "pool.sync":
            return text if text in ("standard", "always", "disabled") else None
        case "pool.copies":
            return int(text) if text in ("1", "2", "3") else None
        case "pool.ashift":
            return int(text) if re.fullmatch(r"9|1[0-6]", text) else None  # 0: chosen by the pool for each vdev, not told
    return None


def pool_name(dataset: str) -> str:
    """`tank` of `tank/backup@monday`."""
    return dataset.partition("/")[0].partition("@")[0]


class DatasetPaths:
    """The folders of the paths that a text names: a data set is mounted at its name unless told otherwise, a volume is not."""

    def __init__(self, body: str) -> None:
        self._body = body

    @cached_property
    def names(self) -> frozenset[str]:
        """All of them, without the slash in front."""
        found = set[str]()
        for path in _PATH.finditer(self._body):
            folder = path[1] if path["ends"] is not None else path[1].rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)


def without_boot_pools(pools: Iterable[str]) -> set[str]:
    """The pools that may have been measured: those a system boots from only where a listing shows no other."""
    found = set(pools)
    return found - BOOT_POOLS or found


VDEV_SECTIONS = {"logs": "log", "log": "log", "cache": "cache", "spares": "spare", "special": "special", "dedup": "dedup"}


class VdevTree:
    """The vdevs of one pool, from rows of (indent, name) below the row of the pool."""

    def __init__(self, base: int, rows: list[tuple[int, str]]):
        self.vdevs: dict[str, list[tuple[str, int]]] = {}
        self.leaves: dict[str, list[str]] = {}
        self.standing: dict[str, list[str]] = {}  # the disks below `replacing-0` or `spare-1`, which stands for one
        self._base, self._rows = base, rows
        self._lost = False  # the blanks that told which disks stand below one that is being replaced
        self._read()

    def layout(self, part: str = "data") -> str | None:
        """Layout of the data vdevs, of the `log` or the `cache`; None where there are none."""
        if self._lost:
            kinds = {kind for kind, _ in self.vdevs.get(part, ())}
            return kinds.pop() if len(kinds) == 1 and len(self.vdevs[part]) == 1 and "disk" not in kinds else None
        return normalise.spell_layout(self.vdevs.get(part, ()))

    def disks(self) -> int | None:
        """Number of data disks; None where a vdev is a plain file, which is no disk, or the blanks are lost that tell it."""
        leaves = self.leaves.get("data", [])
        if not leaves or self._lost or any(leaf.startswith("/") and not leaf.startswith("/dev/") for leaf in leaves):
            return None
        return len(leaves)

    def _read(self) -> None:
        part, rows, at = "data", self._rows, 0
        flat = len(rows) > 1 and (all(indent <= self._base for indent, _ in rows) or self._is_torn())
        self._lost = any(
            _STAND_IN.match(name) and (flat or after <= indent) for (indent, name), (after, _) in pairwise([*rows, (-1, "")])
        )
        while at < len(rows):
            indent, name = rows[at]
            at += 1
            if name in VDEV_SECTIONS and (flat or indent <= self._base):
                part = VDEV_SECTIONS[name]
                continue
            kind = normalise.vdev_kind(name)
            members = list(self._members(at, indent, flat)) if kind or not flat else []
            at += self._below(at, indent, flat) if members else 0
            self._add(part, kind, name, members)

    def _is_torn(self) -> bool:
        """Whether a vdev of others has none below it, since the blanks before some rows were lost."""
        return any(
            normalise.vdev_kind(name) and not name.startswith("indirect-") and below <= indent and under not in VDEV_SECTIONS
            for (indent, name), (below, under) in pairwise(self._rows)
        )

    def _add(self, part: str, kind: str | None, name: str, members: list[str]) -> None:
        if name.startswith("indirect-"):
            return
        vdevs, leaves = self.vdevs.setdefault(part, []), self.leaves.setdefault(part, [])
        if kind and members:
            vdevs.append((kind, len(members)))
        else:  # a disk, or one that is being replaced and stands for one disk
            vdevs.append(("disk", 1))
        leaves += members if kind and members else [name]

    def _below(self, at: int, indent: int, flat: bool) -> int:
        """How many rows from `at` on stand below a vdev of that indent."""
        count = 0
        for deeper, name in self._rows[at:]:
            if (normalise.vdev_kind(name) or name in VDEV_SECTIONS) if flat else deeper <= indent:
                break
            count += 1
        return count

    def _members(self, at: int, indent: int, flat: bool) -> Iterator[str]:
        below = self._rows[at : at + self._below(at, indent, flat)]
        nearest = min((deeper for deeper, _ in below), default=0)
        stand_in = ""
        for deeper, name in below:
            if flat or deeper == nearest:
                stand_in = name if _STAND_IN.match(name) else ""
                yield name
            elif stand_in and not name.isdecimal():  # a number is what is left of a disk that is gone
                self.standing.setdefault(stand_in, []).append(name)
