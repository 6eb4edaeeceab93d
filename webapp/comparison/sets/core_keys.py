"""Which dimensions make two configurations alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from webapp.comparison.dimensions import (
    APART,
    CONFIGURATION,
    DIMENSIONS,
    MACHINE,
    SOURCE,
    STATED,
    UNKNOWN,
    is_open,
)
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, Columns, RowDimensions, cached_by, refine

# Codes of configurations: the class for some axes, the machine, and the population of one bar. Pure.


def configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    """The class of each configuration: equal where the core dimensions agree, and the machine unless an axis frees it.

    An unknown core dimension of a freed machine equals that of the same machine alone. Along file systems the default of each
    equals an option that is off.
    """
    key = (configuration_classes, axes)
    if key not in dimensions.cache:
        dimensions.cache[key] = _configuration_classes(dimensions, axes)
    return dimensions.cache[key]


def _configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    machines = machine_codes(dimensions)
    freed = any(axis in HARDWARE for axis in axes)
    columns = []
    for name in class_dimensions(axes):
        column = dimensions.column(name)
        codes = column.codes
        is_unknown = codes == column.unknown_code
        if name in SAME_EVERYWHERE and any(default_follows(name, axis) for axis in axes):
            codes = np.where(option_values(dimensions, name).is_default | (column.texts[codes] == "off"), 0, codes + 1)
        if freed and column.unknown_code >= 0:
            codes = np.where(is_unknown, len(column.values) + 1 + machines, codes)
        columns.append((codes, int(codes.max(initial=0)) + 1))
    return refine(np.zeros(len(machines), np.intp) if freed else machines, columns)


@dataclass(frozen=True, slots=True)
class OptionValues:
    """An option of each configuration: the code of its value in force, which is the default where nothing is recorded; whether
    it is the file system's own default; and whether it is known, by its value or by a listing without it."""

    values: tuple[str, ...]
    codes: np.ndarray
    is_default: np.ndarray
    is_known: np.ndarray


def option_values(dimensions: RowDimensions, name: str) -> OptionValues:
    """What the configurations say about an option that means the same everywhere."""
    key = (option_values, name)
    if key not in dimensions.cache:
        dimensions.cache[key] = _option_values(dimensions, name)
    return dimensions.cache[key]


def _option_values(dimensions: RowDimensions, name: str) -> OptionValues:
    columns = ((other, dimensions.column(other)) for other in (name, "fs", "fs_version", "kernel", "atime"))
    described = {other: column.texts[column.codes] for other, column in columns}
    recorded = described[name]
    defaults = np.array(
        [
            own_default(name, fs, version if fs == "zfs" else kernel)
            for fs, version, kernel in zip(described["fs"], described["fs_version"], described["kernel"], strict=True)
        ],
        object,
    )
    is_recorded = recorded != UNKNOWN
    if name in CORE:
        in_force, is_default, is_known = recorded, is_recorded & (recorded == defaults), np.ones(len(recorded), bool)
    else:
        is_listed = _is_listed(dimensions, name, described)
        in_force = np.where(is_recorded, recorded, defaults)
        is_default, is_known = in_force == defaults, is_recorded | (is_listed & (defaults != UNKNOWN))
    values = tuple(sorted(set(in_force.tolist())))
    return OptionValues(values, np.searchsorted(np.array(values, str), in_force.astype(str)), is_default, is_known)


def _is_listed(dimensions: RowDimensions, name: str, described: Mapping[str, np.ndarray]) -> np.ndarray:
    """Where an option that is not recorded was not set: a listing has others, or the file system cannot have it."""
    is_zfs = described["fs"] == "zfs"
    if name == "sync" or name.startswith("zpool."):
        return (described["fs"] != UNKNOWN) & ~is_zfs
    if not name.startswith("mount."):
        return np.zeros(len(is_zfs), bool)
    is_listed = is_zfs | (described["atime"] != UNKNOWN)  # which stands in every listing of mounted file systems
    for other in dimensions.open_names:
        if other.startswith("mount."):
            column = dimensions.column(other)
            is_listed = is_listed | (column.codes != column.unknown_code)
    return is_listed


def machine_codes(dimensions: RowDimensions) -> np.ndarray:
    """The machine of each configuration; one whose machine is unknown is a machine of its own."""
    column, own = dimensions.column(MACHINE), dimensions.column("configuration")
    if column.unknown_code < 0:
        return column.codes
    return np.where(column.codes == column.unknown_code, len(column.values) + own.codes, column.codes)


def described_codes(dimensions: RowDimensions) -> tuple[tuple[str, ...], np.ndarray]:
    """The dimensions of configurations that have several values, but the identifiers, and a line of codes for each of them."""
    if described_codes not in dimensions.cache:
        described = [name for name in dimensions.names if DIMENSIONS[name].source == CONFIGURATION]
        names = [name for name in described if name not in IDENTIFIERS and len(dimensions.column(name).values) > 1]
        codes = np.array([dimensions.column(name).codes for name in names], np.int32)
        dimensions.cache[described_codes] = tuple(names), codes.reshape(len(names), dimensions.size(CONFIGURATION_INDEX))
    return dimensions.cache[described_codes]


def populations(rows: Columns) -> np.ndarray:
    """A code for each row, equal where the machine and every dimension of the configuration but the identifiers agree."""
    occurring = np.flatnonzero(rows.occurring(CONFIGURATION_INDEX))
    lines = described_codes(rows.dimensions)[1][:, occurring]
    varying = lines[lines.min(axis=1, initial=2**31 - 1) != lines.max(axis=1, initial=-1)]
    codes = np.zeros(rows.dimensions.size(CONFIGURATION_INDEX), np.intp)
    codes[occurring] = refine(machine_codes(rows.dimensions)[occurring], [(line, int(line.max()) + 1) for line in varying])
    return codes[rows.indices[CONFIGURATION_INDEX]]


def known_core(dimensions: RowDimensions) -> np.ndarray:
    """The number of known core dimensions of each configuration."""
    if known_core not in dimensions.cache:
        columns = [dimensions.column(name) for name in CORE]
        dimensions.cache[known_core] = np.sum([column.codes != column.unknown_code for column in columns], axis=0)
    return dimensions.cache[known_core]


# Which dimensions make two configurations alike, and what may differ along an axis because it follows from it. Pure.

CORE = tuple("os_family os os_version arch cpu cores memory disk disks fs stack layout compression network".split())
"""Dimensions that every comparison has to know: where one side alone has a value, the two are not alike."""
IDENTIFIERS = ("configuration", "system", "host", MACHINE, STATED, APART)
"""Dimensions that name something instead of describing it; `machine` is compared by itself."""
PLACES = ("host", MACHINE, "system", SOURCE)
"""Axes whose values are whole systems, which stand beside each other as they are."""
HARDWARE = ("cpu", "cores", "memory", "disk", "arch")
"""Axes of which a value is, as a rule, a machine of its own."""
FILE_SYSTEM_AXES = ("fs", "stack", "fs_version")
OS_AXES = frozenset(("os_family", "os", "os_version", "kernel"))


@dataclass(frozen=True, slots=True)
class Following:
    """`names` may differ along `axis`; `lacking` may be unknown for some of its values, known ones are equal. `settings`: open
    keys may differ too, as far as no person set them."""

    axis: str
    names: tuple[str, ...]
    settings: bool
    reason: str
    lacking: tuple[str, ...] = ()


_OS = ("os_family", "os", "os_version", "kernel", "arch", "fs_version")
_FS = ("fs", "stack", "fs_version")
_NOT_OF_ALL = ("layout", "recordsize", "dedup", "copies", "ashift", "log", "cache", "compression_effective")
"""What only some file systems can be set to."""
REMOTE = ("beegfs", "lustre", "nfs", "cephfs", "glusterfs", "gpfs", "orangefs", "cifs")
"""File systems whose disks are other machines'."""
IN_MEMORY = ("tmpfs", "ramfs")
_ONLY_OF = dict.fromkeys(_NOT_OF_ALL, ("zfs",)) | {
    "layout": ("zfs", "btrfs", "bcachefs"),
    "compression": ("zfs", "btrfs", "bcachefs", "f2fs", "ntfs", "apfs"),
    "network": REMOTE,
    "stack": REMOTE,
}
"""The file systems of which a dimension can be asked for; of all others it says nothing."""


def is_asked_for(name: str, texts: Mapping[str, str]) -> bool:
    """Whether a dimension is unknown of a configuration that can have a value: no record size on ext4, no layout of one disk."""
    fs, namespace = texts["fs"], name.partition(".")[0]
    if name in ("disk", "disks") or (name == "layout" and texts["disks"] == "1"):
        can_have = name != "layout" and fs not in (*REMOTE, *IN_MEMORY)
    else:
        can_have = fs in _ONLY_OF.get(name, ("zfs",) if namespace in ("zfs", "zpool") else (fs,))
    return can_have and texts.get(name, UNKNOWN) == UNKNOWN


FOLLOWING = {
    row.axis: row
    for row in (
        Following("os", _OS, True, "a system brings its kernel, its spelling of the architecture and its file system's version"),
        Following("os_family", _OS, True, "as for the operating system"),
        Following("os_version", ("kernel", "fs_version"), True, "a version of the system brings its kernel"),
        Following("kernel", ("os_version", "fs_version"), True, "a kernel brings its file systems"),
        Following("fs", _FS, True, "a file system has its own version, and may lack what another can be set to", _NOT_OF_ALL),
        Following("stack", _FS, True, "as for the file system", _NOT_OF_ALL),
        Following("fs_version", (), True, "a version brings its defaults"),
        Following("compression", ("compression_effective",), False, "it is what the setting means"),
        Following("layout", ("disks", "system"), False, "more disks make another layout"),
        Following("disks", ("layout", "system"), False, "another number of disks makes another layout"),
        Following("cpu", ("cores", "arch", *IDENTIFIERS), False, "a processor has its cores, and is in a machine of its own"),
        Following("cores", ("cpu", *IDENTIFIERS), False, "a number of cores is that of a processor"),
        Following("arch", ("cpu", "cores", *IDENTIFIERS), False, "an architecture is that of a processor"),
        Following("memory", IDENTIFIERS, False, "a machine has its name"),
        Following("disk", IDENTIFIERS, False, "a machine has its name"),
    )
}
"""By axis. Of an axis without a row nothing follows."""
ANY = ""


@dataclass(frozen=True, slots=True)
class Option:
    """An option that means the same with every file system.

    `defaults`: (names of file systems, version since which, value), of which the first that fits is the documented default; the
    version is that of ZFS itself, of others that of the kernel.
    """

    name: str
    reason: str
    defaults: tuple[tuple[str, str, str], ...]

    @property
    def label(self) -> str:
        """Its name without the namespace."""
        return self.name.rpartition(".")[2]


_NO_UPDATES = "reads that update the access time write"
_WAITS = "a write waits for the device"
_CACHE = "data in the device's own cache may be lost, and no write waits for it"
_TRIM = "freed blocks are discarded beside the work"
_QUOTA = "each change of a file is accounted to somebody"
_OFF, _ON, _ZERO = ((ANY, "", "off"),), ((ANY, "", "on"),), ((ANY, "", "0"),)
SAME_EVERYWHERE = {
    option.name: option
    for option in (
        # zfsprops(7), mount(8): relatime since Linux 2.6.30; the BSDs' and SunOS' own file systems update every time.
        Option("atime", _NO_UPDATES, (("zfs ufs ffs hammer hammer2 hfs", "", "on"), (ANY, "2.6.30", "relatime"), (ANY, "", "on"))),
        Option("mount.diratime", _NO_UPDATES, _ON),
        Option("mount.lazytime", "access times are kept in memory", _OFF),
        Option("sync", _WAITS, ((ANY, "", "standard"),)),
        Option("mount.sync", _WAITS, _OFF),
        Option("mount.dirsync", _WAITS, _OFF),
        Option("mount.async", "no write waits, not even of metadata", _OFF),  # of the BSDs
        # ext4(5), xfs(5), btrfs(5); ext3 has them on since Linux 3.1; of reiserfs distributions differ.
        Option("mount.barrier", _CACHE, (("ext3", "3.1", "on"), ("ext3", "", "off"), ("reiserfs", "", UNKNOWN), *_ON)),
        Option("mount.fsync_mode", _CACHE, ((ANY, "", "posix"),)),  # f2fs.rst: nobarrier is a mode there
        # ext4(5), btrfs(5): others keep their metadata in order too, allocate late and have a journal or copy on write
        Option("mount.data", "data are written in the journal, or in no order", ((ANY, "", "ordered"),)),
        Option("mount.delalloc", "blocks are allocated at each write", _ON),
        Option("mount.journal_async_commit", "a commit does not wait for its blocks", _OFF),
        Option("ext4.has_journal", "no change of metadata is written twice", _ON),
        Option("mount.datacow", "blocks are overwritten in place, without checksums", _ON),
        # zfs(4): the flush that a barrier is, by the names of Linux and FreeBSD
        Option("module.zfs.zfs_nocacheflush", _CACHE, _ZERO),
        Option("module.zfs.zil_nocacheflush", _CACHE, _ZERO),
        Option("system.zfs.zfs_nocacheflush", _CACHE, _ZERO),
        Option("sysctl.vfs.zfs.cache_flush_disable", _CACHE, _ZERO),
        Option("sysctl.vfs.zfs.nocacheflush", _CACHE, _ZERO),
        Option("sysctl.vfs.zfs.zil_nocacheflush", _CACHE, _ZERO),
        Option("sysctl.vfs.zfs.bio_flush_disable", _CACHE, _ZERO),
        # btrfs(5), f2fs.rst, zpoolprops(7)
        Option("mount.discard", _TRIM, (("btrfs", "6.2", "async"), ("f2fs", "", "on"), *_OFF)),
        Option("zpool.autotrim", _TRIM, _OFF),
        Option("mount.dax", "files bypass the cache of the system", _OFF),
        Option("mount.quota", _QUOTA, _OFF),
        Option("mount.usrquota", _QUOTA, _OFF),
        Option("mount.grpquota", _QUOTA, _OFF),
        Option("mount.prjquota", _QUOTA, _OFF),
        # zfsprops(7): `on` since OpenZFS 2.2; others compress only where it was set, or never
        Option("compression", "less reaches the device", (("zfs", "2.2", "on"), *_OFF)),
    )
}
"""Options that mean the same with every system and file system: they are equal, or they are a difference. One that is its file
system's own default follows along an axis that brings defaults, and the subtitle names it."""
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_NEWEST = (10**9,)


def default_follows(name: str, axis: str) -> bool:
    """Whether an option may be each file system's own default along the axis, one of the core along that of file systems alone."""
    return axis in FILE_SYSTEM_AXES or (name not in CORE and axis in FOLLOWING and FOLLOWING[axis].settings)


@lru_cache(5_000)
def own_default(name: str, fs: str, version: str) -> str:
    """The default of an option for a file system and the version that it goes by; unknown where none is documented.

    An unknown kernel counts as the newest. An unknown version of ZFS counts as the oldest: before 2.2 a person set `on`.
    """
    match = _VERSION.search(version)
    known = tuple(map(int, match[0].split("."))) if match else () if fs == "zfs" else _NEWEST
    for systems, since, value in SAME_EVERYWHERE[name].defaults:
        if (not systems or fs in systems.split()) and (not since or tuple(map(int, since.split("."))) <= known):
            return value
    return UNKNOWN


def option_in_force(name: str, texts: Mapping[str, str]) -> tuple[str, bool]:
    """(value of an option, whether it is the file system's own default) by the dimensions of a configuration; the default where
    nothing is recorded, but for options of the core."""
    default = own_default(name, texts["fs"], texts["fs_version" if texts["fs"] == "zfs" else "kernel"])
    text = texts[name] if texts[name] != UNKNOWN or name in CORE else default
    return text, text == default and text != UNKNOWN


def following(axes: Iterable[str]) -> frozenset[str]:
    """The registered dimensions that follow from any of the axes."""
    return frozenset(name for axis in axes if axis in FOLLOWING for name in FOLLOWING[axis].names)


def lacking(axes: Iterable[str]) -> frozenset[str]:
    """The registered dimensions that may be unknown for some values of an axis."""
    return frozenset(name for axis in axes if axis in FOLLOWING for name in FOLLOWING[axis].lacking)


def follows(name: str, axis: str, chosen: Collection[str] = ()) -> bool:
    """Whether a dimension may differ along an axis. `chosen`: open keys that a person set, which never follow."""
    row = FOLLOWING.get(axis)
    if row is None or name in SAME_EVERYWHERE or name in chosen:
        return False
    return row.settings if is_open(name) else name in row.names


def may_lack(name: str, axes: Iterable[str], chosen: Collection[str] = ()) -> bool:
    """Whether a dimension may be unknown for some values of an axis; not what a person set, or what means the same everywhere."""
    return (
        name not in chosen
        and name not in SAME_EVERYWHERE
        and any(row.settings if is_open(name) else name in row.lacking for axis in axes if (row := FOLLOWING.get(axis)))
    )


def frees_machine(axes: Iterable[str]) -> bool:
    """Whether values of an axis may be of several machines."""
    return any(axis in HARDWARE or axis in PLACES for axis in axes)


def class_dimensions(axes: Iterable[str]) -> tuple[str, ...]:
    """The core dimensions in which all groups agree; without the axes and what follows from them."""
    axes = tuple(axes)
    free = {*axes, *following(axes), *lacking(axes)}
    return tuple(name for name in CORE if name not in free and name in DIMENSIONS)


def compared_dimensions(axes: Iterable[str], names: Iterable[str], chosen: Collection[str] = ()) -> list[str]:
    """Those of the dimensions of configurations that are no axis and do not follow from one."""
    axes = tuple(axes)
    skipped = {*axes, *IDENTIFIERS}
    return [
        name
        for name in names
        if name not in skipped
        and DIMENSIONS[name].source == CONFIGURATION
        and not any(follows(name, axis, chosen) for axis in axes)
    ]


MAP_AXES = tuple("compression os fs cpu layout dedup recordsize atime sync os_version kernel memory host".split())
"""Axes of the map: registered keys; parameters of a workload are no axis of their own accord."""


@dataclass(frozen=True, slots=True)
class SharedOption:
    """The values in force that rows have of an option; `or_default`: each may have its own default instead; `or_unknown`: nothing
    need be recorded."""

    values: frozenset[str]
    or_default: bool
    or_unknown: bool


@dataclass(frozen=True, slots=True)
class Likeness:
    """What rows that are drawn together share: the values of each dimension in which groups are alike, and each option that means
    the same everywhere and is no axis."""

    values: Mapping[str, set[str]]
    options: Mapping[str, SharedOption]

    def includes(self, texts: Mapping[str, str]) -> bool:
        """Whether a configuration has a value of theirs in each dimension, outside the core an unknown one fits too, and their
        options, or its own defaults like theirs."""
        for name, values in self.values.items():
            is_core = name in CORE or name == MACHINE
            if texts[name] not in values and (is_core or (texts[name] != UNKNOWN and values != {UNKNOWN})):
                return False
        for name, option in self.options.items():
            text, is_default = option_in_force(name, texts)
            is_unknown = texts[name] == UNKNOWN and name not in CORE
            if text not in option.values and not (is_default and option.or_default) and not (is_unknown and option.or_unknown):
                return False
        return True


@cached_by(lambda axes: axes)
def likeness_of(axes: tuple[str, ...], rows: Columns) -> Likeness:
    """What the rows share."""
    names = compared_dimensions(axes, rows.dimensions.names, rows.dimensions.chosen_names)
    names += [] if frees_machine(axes) else [MACHINE]
    options = {}
    for name in SAME_EVERYWHERE.keys() & set(rows.dimensions.names) - set(axes):
        found = {option_in_force(name, row.texts) for row in rows.rows}
        is_followed = any(default_follows(name, axis) for axis in axes)
        are_defaults = any(is_default for _, is_default in found)
        options[name] = SharedOption(frozenset(text for text, _ in found), is_followed and are_defaults, not is_followed)
    return Likeness({name: set(rows.distinct(name)) for name in names if name not in SAME_EVERYWHERE}, options)


def find_unlike(axes: tuple[str, ...], rows: Columns, drawn: Columns) -> dict[str, tuple[str, str]]:
    """The compared dimensions in which no row can have a value of the drawn ones: a value as it is recorded, and one in force."""
    found = {}
    for name in compared_dimensions(axes, drawn.dimensions.names, drawn.dimensions.chosen_names):
        recorded, theirs, ours = rows.distinct(name), _in_force(rows, name), _in_force(drawn, name)
        if UNKNOWN not in (*theirs, *ours) and not set(theirs) & set(ours):
            found[name] = recorded[0], theirs[0]
    return found


def _in_force(rows: Columns, name: str) -> list[str]:
    """The distinct values of a dimension; of an option that means the same everywhere those in force."""
    if name in SAME_EVERYWHERE:
        return sorted({option_in_force(name, row.texts)[0] for row in rows.rows})
    return rows.distinct(name)
