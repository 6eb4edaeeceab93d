"""Where a value was measured: the mount point that holds its path and the devices below it, as listings of mounts tell.

Evidence about a device, a mount point or a pool speaks only of what was measured on it (`subjects`). A partition and its disk
are one device.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ingest.lazy_regex import lazy

MEMBERS = "block.devices"  # the devices of a pool, a mounted file system or an array, separated by blanks; not identity
VIRTUAL = lazy(r"(?:loop|ram|zram|dm-|md|zd|sr|fd|mtdblock|nbd|zvol/|mapper/)")
_PARTITION = lazy(  # the disk of a partition or slice
    r"(?:r(?=disk\d|[sw]d\d))?(?P<disk>(?:[shv]|xv)d[a-z]{1,3}|nvme\d+|mmcblk\d+|md\d+|(?:a?da|nvd|nda|vtbd|wd|sd|disk|mfid)\d+|c\d+(?:t\w+)?d\d+)"
    r"(?:n\d+)?(?:[ps]?\d+)?[a-h]?\Z"
)
_NAMESPACE = lazy(r"(nvme\d{1,4}n\d{1,4})(?:p\d{1,4})?\Z")
_VOLUME = lazy(r"(?!(?:mapper|disk|zvol|md|block|cciss|ufs|label|gpt|gptid|diskid|r?dsk)/)([\w.+-]+)/([\w.+-]+)\Z")
_NO_DEVICE = lazy(r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|fd|shm|tty|pts|zvol|zd\d)")
ON_ROOT = lazy(  # folders of the root file system where nothing else is mounted on them
    r"/(?:tmp|var|root|home|usr|opt|srv|etc|bin|sbin|Users|private|export/home)(?:/|\Z)|/[^/]*(?:\.\w+|(?:file|te?mp)\d*)\Z|/\Z"
)
MOUNTED = lazy(r"/(?:mnt|media|run|Volumes|net|dev|proc|sys)(?:/|\Z)")  # folders of mounts, rarely of the root file system
_ON_VOLUMES = ("zd", "zvol/")  # devices that may be volumes of a pool
SEVERAL = "*"  # a mount point that is none of those known
_NO_DISK = frozenset(
    ("nfs", "cifs", "smbfs", "lustre", "ceph", "glusterfs", "beegfs", "gpfs", "orangefs", "9p", "sshfs", "afs", "tmpfs")
)


def device_name(device: str) -> str:
    """The device without the folder of device files; a logical volume as device mapper names it."""
    name = re.sub(r"\A(?:/dev/)?(?:r?dsk/|disk/(?!by-))?", "", device)
    volume = _VOLUME.match(name) if device.startswith("/dev/") else None
    return f"mapper/{'-'.join(part.replace('-', '--') for part in volume.groups())}" if volume else name


@lru_cache(10_000)
def disk_of(device: str) -> str:
    """The disk of a device or partition, without /dev/: `sda` of /dev/sda1, `nvme0` of /dev/nvme0n1p2."""
    name = device_name(device)
    partition = _PARTITION.match(name)
    return partition["disk"] if partition else name


def whole_disk(name: str) -> str:
    """The disk of a partition, with the namespace of NVMe: `sda` of sda1, `nvme0n2` of nvme0n2p1."""
    namespace = _NAMESPACE.match(name)
    return namespace[1] if namespace else disk_of(name)


def is_disk_name(name: str) -> bool:
    """Whether it is the kernel's name of a disk or partition, as listings of disks have it; not that of an array or volume."""
    return _PARTITION.match(name) is not None and not VIRTUAL.match(name)


def is_device(path: str | None) -> bool:
    """Whether a bare device was measured, without file system or pool."""
    return path is not None and path.startswith("/dev/") and _NO_DEVICE.match(path) is None


def covers(folder: str, path: str) -> bool:
    """Whether the path is the folder, or in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _are_one_device(one: str, other: str) -> bool:
    """Whether one is the other or its whole disk; two partitions of a disk are two devices."""
    return one == other or whole_disk(one) == other or whole_disk(other) == one


@dataclass(frozen=True, slots=True)
class MeasuredPlace:
    """`path`: the measured path; `mount`: the known mount point that holds it; each '' or None if unknown.

    `devices`: names of what was measured, or lies below the mount point, members of arrays included. `elsewhere`: names of devices
    that are known to hold other mounts alone, and of pools that are mounted elsewhere. `kind`: of file system, as the listing of
    mounts has it. `pool`: the one at the path by its name. `is_new`: whether the lines above the value created the file system.
    `apart`: the devices themselves that are mounted in other folders than the one that holds the path.
    """

    path: str | None = None
    mount: str = ""
    devices: tuple[str, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    kind: str = ""
    pool: str = ""
    is_new: bool = False
    apart: frozenset[str] = frozenset()

    def is_on(self, device: str) -> bool:
        """Whether a file system on that device may be the one measured."""
        name = device_name(device)
        if self.devices:
            return any(_are_one_device(name, own) for own in self.devices)
        return not (self.is_remote or any(_are_one_device(name, other) for other in self.elsewhere))

    def is_in(self, folder: str) -> bool:
        """Whether a folder that holds the path, or is the only one known, is on the file system measured."""
        if folder == "/":
            return self.mount == "/" or (not self.mount and (self.path is None or ON_ROOT.match(self.path) is not None))
        if self.path is None:
            return not self.mount or covers(self.mount, folder)
        return len(folder) >= len(self.mount)

    def may_be_of_pool(self) -> bool:
        """Whether a pool may hold the path at another place than its name says."""
        on_volume = any(name.startswith(_ON_VOLUMES) for name in self.devices)
        return not self.mount or self.kind in ("zfs", "") or on_volume

    @property
    def is_remote(self) -> bool:
        """Whether no disk of this machine was measured."""
        return self.kind in _NO_DISK


UNKNOWN = MeasuredPlace()


def disks_below(place: MeasuredPlace) -> frozenset[str]:
    """The whole disks of what was measured; empty where they are unknown, or are not on this machine."""
    if place.is_remote or place.mount == SEVERAL:
        return frozenset()
    return frozenset(whole_disk(name) for name in place.devices if is_disk_name(name))
