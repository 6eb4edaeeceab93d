"""Properties of ZFS and their keys in the registry; names of pools, data sets and vdevs; the tree of vdevs in a listing.

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
# Every key that a pool or data set may have: those that `zpool destroy` ends.
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
OMITTED_ROWS = lazy(  # `...`, `[snip]` in the place of rows that people left out
    r"(?i)[ \t]*(?:\.{2,}|\u2026|[\W_]{0,30}(?:snip|snipped|cut|trim+ed|truncated|omitted|etc)\b[^\n]{0,60})[ \t]*\Z"
)
_STAND_IN = lazy(r"(?:replacing|spare)-\d+\Z")
_PATH = lazy(r"(?<![\w.:/-])/([A-Za-z][\w.:%@-]*(?:/[\w.:%@-]+){0,20})(?P<ends>(?=[/\s\"'`;)]|\Z))?")
DATASET_NAME = r"[A-Za-z][A-Za-z0-9_.:%-]*(?:/[A-Za-z0-9_.:%/@-]*)?"


def parse_property(prop: str, text: str) -> Any:
    """The registry's value of a property as ZFS prints it; None of a text that ZFS would not print."""
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
            return int(text) if re.fullmatch(r"9|1[0-6]", text) else None  # 0: the pool chooses it for each vdev
    return None


def pool_name(dataset: str) -> str:
    """`tank` of `tank/backup@monday`."""
    return dataset.partition("/")[0].partition("@")[0]


class DatasetPaths:
    """Folders in the paths of a text, as a sign that a data set is a file system: it is mounted at its name, a volume is not."""

    def __init__(self, body: str) -> None:
        self._body = body

    @cached_property
    def names(self) -> frozenset[str]:
        """The folders and their parents, without the slash in front."""
        names = set[str]()
        for path in _PATH.finditer(self._body):
            folder = path[1] if path["ends"] is not None else path[1].rpartition("/")[0]
            while folder and folder not in names:
                names.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(names)


def without_boot_pools(pools: Iterable[str]) -> set[str]:
    """The pools of a listing without those that systems boot from; all of them where there is no other."""
    names = set(pools)
    return names - BOOT_POOLS or names


VDEV_SECTIONS = {"logs": "log", "log": "log", "cache": "cache", "spares": "spare", "special": "special", "dedup": "dedup"}


class VdevTree:
    """The vdevs of one pool, from rows of (indent, name) below the row of the pool, whose indent is `base`.

    `vdevs`: section -> (kind, members) of each vdev; `leaves`: section -> names of its disks; `stand_ins`: `replacing-0` or
    `spare-1`, which counts as one disk -> the disks below it.
    """

    def __init__(self, base: int, rows: list[tuple[int, str]]):
        self.vdevs: dict[str, list[tuple[str, int]]] = {}
        self.leaves: dict[str, list[str]] = {}
        self.stand_ins: dict[str, list[str]] = {}
        self._base, self._rows = base, rows
        self._indents_lost = False  # it is unknown which disks belong to a stand-in
        self._read()

    def layout(self, section: str = "data") -> str | None:
        """Layout of the data vdevs, of the `log` or the `cache`; None where there are none or the rows are ambiguous."""
        vdevs = self.vdevs.get(section, [])
        if self._indents_lost:
            return vdevs[0][0] if len(vdevs) == 1 and vdevs[0][0] != "disk" else None
        return normalise.spell_layout(vdevs)

    def disk_count(self) -> int | None:
        """Number of data disks; None where there are none, a vdev is a plain file, or the rows are ambiguous."""
        leaves = self.leaves.get("data", [])
        if not leaves or self._indents_lost or any(leaf.startswith("/") and not leaf.startswith("/dev/") for leaf in leaves):
            return None
        return len(leaves)

    def _read(self) -> None:
        section, rows, index = "data", self._rows, 0
        flat = len(rows) > 1 and (all(indent <= self._base for indent, _ in rows) or self._is_torn())
        self._indents_lost = any(
            _STAND_IN.match(name) and (flat or after <= indent) for (indent, name), (after, _) in pairwise([*rows, (-1, "")])
        )
        while index < len(rows):
            indent, name = rows[index]
            index += 1
            if name in VDEV_SECTIONS and (flat or indent <= self._base):
                section = VDEV_SECTIONS[name]
                continue
            kind = normalise.vdev_kind(name)
            members = list(self._members(index, indent, flat)) if kind or not flat else []
            index += self._count_below(index, indent, flat) if members else 0
            self._add(section, kind, name, members)

    def _is_torn(self) -> bool:
        """Whether a vdev that needs members has none below it: the blanks before some rows were lost."""
        return any(
            normalise.vdev_kind(name) and not name.startswith("indirect-") and below <= indent and under not in VDEV_SECTIONS
            for (indent, name), (below, under) in pairwise(self._rows)
        )

    def _add(self, section: str, kind: str | None, name: str, members: list[str]) -> None:
        if name.startswith("indirect-"):
            return
        vdevs, leaves = self.vdevs.setdefault(section, []), self.leaves.setdefault(section, [])
        if kind and members:
            vdevs.append((kind, len(members)))
        else:  # a disk, or a stand-in
            vdevs.append(("disk", 1))
        leaves += members if kind and members else [name]

    def _count_below(self, start: int, indent: int, flat: bool) -> int:
        """Number of rows from `start` on that are members of a vdev of that indent."""
        count = 0
        for row_indent, name in self._rows[start:]:
            if (normalise.vdev_kind(name) or name in VDEV_SECTIONS) if flat else row_indent <= indent:
                break
            count += 1
        return count

    def _members(self, start: int, indent: int, flat: bool) -> Iterator[str]:
        """Names of the members of a vdev; the disks of its stand-ins go into `stand_ins`."""
        below = self._rows[start : start + self._count_below(start, indent, flat)]
        nearest = min((row_indent for row_indent, _ in below), default=0)
        stand_in = ""
        for row_indent, name in below:
            if flat or row_indent == nearest:
                stand_in = name if _STAND_IN.match(name) else ""
                yield name
            elif stand_in and not name.isdecimal():  # a number is the id of a disk that is gone
                self.stand_ins.setdefault(stand_in, []).append(name)
