"""Properties of ZFS and their keys in the registry; names of pools, data sets and vdevs; the tree of vdevs in a listing.

Source: zfsprops(7), zpoolprops(7), zpool-features(7); the column heads from lib/libzfs (zfs_prop.c, zpool_prop.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.state import OF_FILE_SYSTEMS as STATE_OF_POOLS

PROPERTY_KEYS = {
    "compression": "pool.compression", "compress": "pool.compression", "dedup": "pool.dedup", "atime": "pool.atime",
    "recordsize": "pool.recordsize", "recsize": "pool.recordsize", "sync": "pool.sync", "copies": "pool.copies",
    "ashift": "pool.ashift",
}  # fmt: skip
_DATASET_PROPERTIES = """
aclinherit aclmode acltype atime available canmount casesensitivity checksum clones compression compressratio context copies
createtxg creation dedup defaultgroupobjquota defaultgroupquota defaultprojectobjquota defaultprojectquota defaultuserobjquota
defaultuserquota defcontext defer_destroy devices direct dnodesize effectivequota encryption encryptionroot exec
filesystem_count filesystem_limit fscontext guid iscsioptions ivsetguid jailed keychangedate keyformat keyguid keylocation
keysource keystatus logbias logicalreferenced logicalused longname mlslabel mounted mountpoint multilevel nbmand normalization
objsetid origin overlay pbkdf2iters pbkdf2salt prefetch prevsnap primarycache quota readonly receive_resume_token recordsize
redact_snaps redacted redundant_metadata refcompressratio referenced refquota refreservation rekeydate relatime remaptxg
reservation rootcontext rstchown secondarycache setuid shadow shareiscsi sharenfs sharesmb snapdev snapdir snapshot_count
snapshot_limit snapshots_changed special_small_blocks sync type used usedbychildren usedbydataset usedbyrefreservation
usedbysnapshots userrefs utf8only version volblocksize volmode volsize volthreading vscan written xattr zoned zoned_uid
"""
_POOL_PROPERTIES = """
allocated altroot ashift autoexpand autoreplace autotrim available bcloneratio bclonesaved bcloneused bootfs bootsize
cachefile capacity checkpoint clustered comment compatibility dedup_table_quota dedup_table_size dedupcached dedupditto
dedupratio dedupsaved dedupused delegation expandsize failmode fragmentation free freeing guid health last_scrubbed_txg
lastscrub leaked listshares listsnapshots load_guid maxblocksize maxdnodesize multihost readonly scrubinterval size tname
usable used version
"""
DATASET_PROPERTIES, POOL_PROPERTIES = frozenset(_DATASET_PROPERTIES.split()), frozenset(_POOL_PROPERTIES.split())
# Column heads, which the commands take for the names, too, where they differ.
_COLUMN_HEADS = {
    "avail": "available", "case": "casesensitivity", "compress": "compression", "dnsize": "dnodesize",
    "encroot": "encryptionroot", "fscount": "filesystem_count", "fslimit": "filesystem_limit",
    "lrefer": "logicalreferenced", "lused": "logicalused", "ratio": "compressratio", "rdonly": "readonly",
    "recsize": "recordsize", "redund_md": "redundant_metadata", "refer": "referenced", "refratio": "refcompressratio",
    "refreserv": "refreservation", "reserv": "reservation", "rsnaps": "redact_snaps", "sscount": "snapshot_count",
    "sslimit": "snapshot_limit", "usedchild": "usedbychildren", "usedds": "usedbydataset",
    "usedrefreserv": "usedbyrefreservation", "usedsnap": "usedbysnapshots", "volblock": "volblocksize",
    "volthread": "volthreading",
}  # fmt: skip
_POOL_COLUMN_HEADS = {
    "alloc": "allocated", "avail": "available", "bclone_ratio": "bcloneratio", "bclone_saved": "bclonesaved",
    "bclone_used": "bcloneused", "cap": "capacity", "ckpoint": "checkpoint", "ddtquota": "dedup_table_quota",
    "ddtsize": "dedup_table_size", "dedup": "dedupratio", "dedup_saved": "dedupsaved", "dedup_used": "dedupused",
    "expand": "autoexpand", "expandsz": "expandsize", "frag": "fragmentation", "listsnaps": "listsnapshots",
    "rdonly": "readonly", "replace": "autoreplace",
}  # fmt: skip
_NAME = lazy(r"[a-z][\w@:.-]{0,100}\Z")
_OF_USERS = lazy(r"(?:user|group|project)(?:obj)?(?:used|quota)@")  # a limit of one user, named after the person
_OF_DATASETS = "zfs.*"  # in a clue that ends every open key of a pool
_OF_POOLS = "zpool.*"
# Every key that a pool or data set may have: those that `zpool destroy` ends.
POOL_KEYS = (
    _OF_DATASETS, _OF_POOLS, "pool.name", "pool.layout", "pool.compression", "pool.compression_effective", "pool.dedup",
    "pool.atime", "pool.recordsize", "pool.sync", "pool.copies", "pool.ashift", "pool.log", "pool.cache",
    *sorted(STATE_OF_POOLS - {"state.created"}),
)  # fmt: skip
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


def is_of_pool(prop: str) -> bool | None:
    """Whether a property is one of pools; None where pools and data sets have one of that name, or it is unknown."""
    if prop.startswith(("feature@", "unsupported@")) or prop == "ashift":
        return True
    return None if (prop in POOL_PROPERTIES) == (prop in DATASET_PROPERTIES) else prop in POOL_PROPERTIES


def spell_property(prop: str, printed: str, of_pool: bool) -> tuple[str, Any]:
    """(key, value) of a property or column head: `pool.compression`, `zfs.primarycache`, `zpool.autotrim`. The value is None of a
    text that ZFS would not print; the key is `` of quotas of users and of what is no name of a property.
    """
    prop = (_POOL_COLUMN_HEADS if of_pool else _COLUMN_HEADS).get(prop, prop)
    if prop in PROPERTY_KEYS and of_pool == (prop == "ashift"):
        return PROPERTY_KEYS[prop], parse_property(prop, printed)
    if prop in PROPERTY_KEYS or _OF_USERS.match(prop) or not _NAME.match(prop):
        return "", None
    key = f"zpool.{prop}" if of_pool else f"zfs.{prop}"
    return key, spell_open_value(key, printed)


_PERCENT = lazy(r"(\d{1,3})%?\Z")


def pool_state(prop: str, printed: str) -> Iterator[tuple[str, Any]]:
    """(key, value) of the state of pools in a property or column: fill, fragmentation, missing devices."""
    prop = _POOL_COLUMN_HEADS.get(prop, prop)
    if prop in ("capacity", "fragmentation") and (percent := _PERCENT.match(printed)):
        yield f"state.{prop}", int(percent[1])
    elif prop == "health" and printed in ("DEGRADED", "FAULTED"):
        yield "state.degraded", "yes"


def fill_of_pool(name: str, used: str, available: str) -> Iterator[tuple[str, Any]]:
    """(key, value) of the fill of a pool, from the space that its first data set has used and may use."""
    taken, left = (normalise.parse_size(cell.replace(",", ".")) for cell in (used, available))
    if "/" not in name and "@" not in name and taken is not None and left is not None and taken + left > 0:
        yield "state.capacity", round(100 * taken / (taken + left))


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


VDEV_SECTIONS = {
    "logs": "log",
    "log": "log",
    "cache": "cache",
    "spares": "spare",
    "spare": "spare",
    "special": "special",
    "dedup": "dedup",
}


_FLASH = lazy(  # names of disks that tell their kind: of Linux and FreeBSD, and below /dev/disk/by-id
    r"(?:/dev/)?(?:disk/by-id/)?(?:(?P<nvme>nvme[-\d]|n(?:vd|da)\d)|(?:ata|scsi)-\w*(?i:SSD|ZeusRAM|ZeusIOPS))"
)


def spell_pool_layout(sections: Mapping[str, list[tuple[str, int]]]) -> str | None:
    """`4 x mirror(2) + special mirror(2)` from the (kind, members) of the vdevs of each section, without spares, which take no part
    in the work; None without data.
    """
    layout = normalise.spell_layout(sections.get("data", ()))
    if layout is None:
        return None
    parts = [layout]
    for section in ("special", "dedup"):
        spelled = normalise.spell_layout(sections.get(section, ()))
        parts += [f"{section} {part}" for part in spelled.split(" + ")] if spelled else []
    return " + ".join(parts)


def spell_devices(vdevs: list[tuple[str, int]], disks: list[str]) -> str | None:
    """`mirror(2) nvme`: the vdevs of log or cache, with the kind of their disks where all names show the same one."""
    layout = normalise.spell_layout(vdevs)
    names = [_FLASH.match(disk) for disk in disks]
    kinds = {name and ("nvme" if name["nvme"] else "ssd") for name in names}
    kind = kinds.pop() if len(kinds) == 1 else None
    return f"{layout} {kind}" if layout and kind else layout


class VdevTree:
    """The vdevs of one pool, from rows of (indent, name) below the row of the pool, whose indent is `base`.

    `vdevs`: section -> (kind, members) of each vdev; `leaves`: section -> names of its disks; `stand_ins`: `replacing-0` or
    `spare-1`, which counts as one disk -> the disks below it; `places`: disk -> section, except that of data, and vdev.
    """

    def __init__(self, base: int, rows: list[tuple[int, str]]):
        self.vdevs: dict[str, list[tuple[str, int]]] = {}
        self.leaves: dict[str, list[str]] = {}
        self.stand_ins: dict[str, list[str]] = {}
        self.places: dict[str, str] = {}
        self._base, self._rows = base, rows
        self._indents_lost = False  # it is unknown which disks belong to a stand-in
        self._read()

    def layout(self) -> str | None:
        """Layout of the pool; None where it has no data vdevs or the rows are ambiguous."""
        vdevs = self.vdevs.get("data", [])
        if self._indents_lost:
            return vdevs[0][0] if len(vdevs) == 1 and vdevs[0][0] != "disk" else None
        return spell_pool_layout(self.vdevs)

    def devices(self, section: str) -> str | None:
        """The vdevs of `log` or `cache` with the kind of their disks; None where there are none or the rows are ambiguous."""
        vdevs = self.vdevs.get(section, [])
        if self._indents_lost:
            return vdevs[0][0] if len(vdevs) == 1 and vdevs[0][0] != "disk" else None
        return spell_devices(vdevs, self.leaves.get(section, []))

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
        place = name if kind and members else ""
        for member in members if place else [name]:
            for leaf in (member, *self.stand_ins.get(member, ())):
                self.places[leaf] = "/".join(filter(None, (section if section != "data" else "", place)))

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
