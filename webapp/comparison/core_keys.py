"""Which dimensions make two configurations alike, and what may differ along an axis because it follows from it. Pure.

Two configurations are of one *class* for an axis if they agree in every core dimension but the axis and what follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from webapp.comparison.dimensions import APART, CONFIGURATION, DIMENSIONS, MACHINE, SOURCE, STATED, is_open

CORE = (
    "os_family",
    "os",
    "os_version",
    "arch",
    "cpu",
    "cores",
    "memory",
    "disk",
    "disks",
    "fs",
    "stack",
    "layout",
    "compression",
    "network",
)
"""Dimensions that every comparison has to know: where one side alone has a value, the two are not alike."""
IDENTIFIERS = ("configuration", "system", "host", MACHINE, STATED, APART)
"""Dimensions that name something instead of describing it; `machine` is compared by itself."""
PLACES = ("host", MACHINE, "system", SOURCE)
"""Axes whose values are whole systems, which stand beside each other as they are."""
HARDWARE = ("cpu", "cores", "memory", "disk", "arch")
"""Axes of which a value is, as a rule, a machine of its own."""


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
_NOT_OF_ALL = ("layout", "recordsize", "dedup", "copies", "ashift", "log", "cache", "sync", "compression_effective")
"""What only some file systems can be set to."""
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
SAME_EVERYWHERE = frozenset(
    (
        "atime",
        "sync",
        "mount.noatime",
        "mount.relatime",
        "mount.atime",
        "mount.strictatime",
        "mount.nodiratime",
        "mount.sync",
        "mount.async",
        "mount.barrier",
        "mount.nobarrier",
        "mount.discard",
        "mount.nodiscard",
        "compression",
    )
)
"""Options that mean the same with every system and file system: they are equal, or they are a difference."""


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
    """Whether a dimension may be unknown for some values of an axis; not what a person set."""
    return name not in chosen and any(
        row.settings if is_open(name) else name in row.lacking for axis in axes if (row := FOLLOWING.get(axis))
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
