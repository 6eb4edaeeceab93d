"""How much of a configuration is known, and which command would print the rest. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.keys import KEYS
from webapp.comparison.sets.core_keys import IN_MEMORY, REMOTE

Get = Callable[[str], Any]
"""Key -> value of a configuration, None where it is unknown."""

NO_DISKS = (*REMOTE, *IN_MEMORY)


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Keys that one command prints; `command` by os.family, '' for all others. `fs`: only with these file systems; `local`: not
    with those of servers."""

    keys: tuple[str, ...]
    command: Mapping[str, str]
    fs: tuple[str, ...] = ()
    local: bool = False

    def command_for(self, family: str | None) -> str:
        return self.command.get(family or "", self.command[""])


EVIDENCE_ITEMS = (
    EvidenceItem(("os.family", "kernel", "arch"), {"": "uname -a"}),
    EvidenceItem(
        ("os.name", "os.version"),
        {"": "cat /etc/os-release", "FreeBSD": "freebsd-version", "SunOS": "cat /etc/release", "Darwin": "sw_vers"},
    ),
    EvidenceItem(
        ("cpu.model", "cpu.cores"),
        {
            "": "lscpu",
            "FreeBSD": "sysctl hw.model hw.ncpu",
            "NetBSD": "sysctl hw.model hw.ncpu",
            "OpenBSD": "sysctl hw.model hw.ncpu",
            "SunOS": "psrinfo -pv",
            "Darwin": "system_profiler SPHardwareDataType",
        },
    ),
    EvidenceItem(
        ("memory",),
        {
            "": "free -b",
            "FreeBSD": "sysctl hw.physmem",
            "NetBSD": "sysctl hw.physmem64",
            "OpenBSD": "sysctl hw.physmem",
            "SunOS": "prtconf",
            "Darwin": "system_profiler SPHardwareDataType",
        },
    ),
    EvidenceItem(
        ("disk.model", "disk.count"),
        {
            "": "lsblk -d -o NAME,MODEL,SIZE",
            "FreeBSD": "camcontrol devlist",
            "SunOS": "iostat -En",
            "Darwin": "system_profiler SPStorageDataType",
        },
        local=True,
    ),
    EvidenceItem(("fs.type",), {"": "mount"}),
    EvidenceItem(("fs.version",), {"": "zfs version", "FreeBSD": "zpool get all"}, ("zfs",)),
    EvidenceItem(("pool.layout",), {"": "zpool status"}, ("zfs",)),
    EvidenceItem(("pool.layout",), {"": "btrfs filesystem usage /MOUNT"}, ("btrfs",)),
    EvidenceItem(
        ("pool.compression", "pool.recordsize", "pool.sync", "pool.dedup", "pool.atime", "pool.copies"),
        {"": "zfs get all"},
        ("zfs",),
    ),
    EvidenceItem(("pool.compression",), {"": "grep btrfs /proc/mounts"}, ("btrfs",)),
    EvidenceItem(("network",), {"": "ip link"}, REMOTE),
)
"""In the usual order of inspecting a machine. Log and cache devices are not requested: a pool may have none."""


@dataclass(slots=True)
class MissingEvidence:
    """Keys that are unknown for a number of measurements, and the command that would print them."""

    command: str
    keys: tuple[str, ...]
    measurements: int = 0

    @property
    def labels(self) -> str:
        names = [KEYS[key].label for key in self.keys]
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True, slots=True)
class Completeness:
    """`percent` of the applicable keys are known, counted by measurement; None without a measurement."""

    percent: int | None
    missing: list[MissingEvidence]


def applicable_items(get: Get) -> list[EvidenceItem]:
    """The items that concern a configuration: those of a file system only where it is the one in use, and
    no layout of a single disk."""
    kind = get("fs.type")
    items = [item for item in EVIDENCE_ITEMS if (not item.fs or kind in item.fs) and not (item.local and kind in NO_DISKS)]
    return [item for item in items if item.keys != ("pool.layout",) or get("disk.count") != 1 or get("pool.layout") is not None]


def measure_completeness(configurations: Sequence[tuple[Get, int]]) -> Completeness:
    """Of configurations, each with the number of measurements on it."""
    known = total = 0
    missing: dict[tuple[str, tuple[str, ...]], MissingEvidence] = {}
    for get, count in configurations:
        for item in applicable_items(get):
            unknown = tuple(key for key in item.keys if get(key) is None)
            total += count * len(item.keys)
            known += count * (len(item.keys) - len(unknown))
            if unknown:
                command = item.command_for(get("os.family"))
                missing.setdefault((command, unknown), MissingEvidence(command, unknown)).measurements += count
    return Completeness(known * 100 // total if total else None, list(missing.values()))


def find_missing_keys(configurations: Iterable[tuple[Get, int]]) -> list[str]:
    """The keys that apply to some configuration and are unknown there, in the order of the registry."""
    missing = {key for get, _ in configurations for item in applicable_items(get) for key in item.keys if get(key) is None}
    return [key for key in KEYS if key in missing]
