"""Combinations of configuration values that cannot be, about which a person is asked before they are saved. A closed list.

Sources: ext4(5), xfs(5), newfs(8), jfs_mkfs(8): no compression, no deduplication; btrfs(5): zlib, lzo, zstd; zfsprops(7): lz4,
lzjb, zle, gzip, zstd, zstd-fast; zpoolprops(7), zpoolconcepts(7): ashift, raidz, draid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ingest.keys import KEYS
from ingest.normalise import os_family

_PLAIN = frozenset({"ext2", "ext3", "ext4", "xfs", "ufs", "jfs"})
"""File systems without compression, deduplication or pools."""
_WITHOUT_DATA_SETS = _PLAIN | {"btrfs"}
_ONLY_ZFS_KEYS = ("pool.recordsize", "pool.copies", "pool.ashift")
_ALGORITHMS = {
    "btrfs": frozenset({"off", "on", "zlib", "lzo", "zstd"}),
    "zfs": frozenset({"off", "on", "lz4", "lzjb", "zle", "gzip", "zstd"}),
}

Question = tuple[frozenset[str], str]
"""The keys that do not fit together, and the question about them."""


def find_questions(config: Mapping[str, Any], changed: Iterable[str]) -> list[str]:
    """Questions about a flat configuration in which a changed key is one of those that do not fit together."""
    entered = frozenset(changed)
    return [text for rule in _RULES for keys, text in rule(config) if keys & entered]


def _own_file_system(config: Mapping[str, Any]) -> str | None:
    """The file system, unless it is on a volume of another one, whose properties may be those of the pool."""
    kind = config.get("fs.type")
    return kind if config.get("fs.stack", kind) == kind else None


def _without_compression(config: Mapping[str, Any]) -> Iterator[Question]:
    kind = _own_file_system(config)
    if kind not in _PLAIN:
        return
    for key, ability in (("pool.compression", "compress"), ("pool.dedup", "deduplicate")):
        if config.get(key, "off") != "off":
            yield frozenset({"fs.type", key}), f"{kind} cannot {ability}. Is the file system right?"


def _without_data_sets(config: Mapping[str, Any]) -> Iterator[Question]:
    kind = _own_file_system(config)
    if kind not in _WITHOUT_DATA_SETS:
        return
    for key in _ONLY_ZFS_KEYS:
        if key in config:
            yield frozenset({"fs.type", key}), f"{KEYS[key].label} is a property of ZFS; {kind} has none. Is the file system right?"
    layout = str(config.get("pool.layout", ""))
    if "raidz" in layout or "draid" in layout:
        yield frozenset({"fs.type", "pool.layout"}), f"{layout} is a layout of ZFS, not of {kind}. Is the file system right?"


def _foreign_algorithm(config: Mapping[str, Any]) -> Iterator[Question]:
    kind, compression = _own_file_system(config), config.get("pool.compression")
    known = _ALGORITHMS.get(kind or "")
    if known is not None and compression is not None and str(compression).partition("-")[0] not in known:
        names = ", ".join(sorted(known - {"off", "on"}))
        yield frozenset({"fs.type", "pool.compression"}), f"{kind} has no {compression}, only {names}. Is the compression right?"


def _foreign_system(config: Mapping[str, Any]) -> Iterator[Question]:
    name, family = config.get("os.name"), config.get("os.family")
    expected = os_family(str(name)) if name else None
    if expected is not None and family is not None and str(family).lower() != expected.lower():
        yield frozenset({"os.name", "os.family"}), f"The OS family of {name} is {expected}, not {family}. Is the OS family right?"


_RULES: tuple[Callable[[Mapping[str, Any]], Iterator[Question]], ...] = (
    _without_compression,
    _without_data_sets,
    _foreign_algorithm,
    _foreign_system,
)
