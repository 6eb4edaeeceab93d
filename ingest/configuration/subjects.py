"""The path that was measured, if the command has one, and its relation to the subject of a clue."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from posixpath import normpath
from typing import Any

from ingest.configuration.places import (
    MEMBERS,
    MOUNTED,
    ON_ROOT,
    SEVERAL,
    VIRTUAL,
    MeasuredPlace,
    covers,
    device_name,
    disk_of,
    is_device,
    is_disk_name,
)
from ingest.lazy_regex import lazy
from ingest.open_keys import OF_FILE_SYSTEMS
from ingest.records import Clue
from ingest.state import OF_FILE_SYSTEMS as STATE_OF_FILE_SYSTEMS
from ingest.text.lines import ShownCommand

_PATH_PARAMS = ("path", "directory", "test_dir", "target", "mount", "filename", "file_name", "out", "destination")
_OF_FILES = frozenset(("path", "directory", "test_dir", "filename", "file_name"))
_MOUNT_ROOTS = ("/mnt", "/Volumes", "/media")
_PATHS = frozenset(_PATH_PARAMS)
_SYSTEM_FOLDER = lazy(r"/(?:tmp|root|usr|var/tmp|dev/shm)(?:/|\Z)")  # folders of the system disk
_DISK_FILE_SYSTEMS = frozenset(("ext2", "ext3", "ext4", "xfs", "f2fs", "jfs", "reiserfs", "ufs", "ntfs", "hfs", "apfs", "tmpfs"))
_OF_DEVICES = ("block.", "raid.", "state.")
_ALL = frozenset(("",))
_MEASURES = lazy(r"(?:\A|[\s/])(?:dd|fio|hdparm|ioping|dcfldd|sg_dd|elbencho)\s")  # `lsblk /dev/sda` is no run
_SYSTEM_POOL = lazy(r"(?:[rb]pool|zroot|syspool|boot-pool|freenas-boot|zones)(?:/|\Z)")


def measured_path(params: Mapping[str, Any], command: ShownCommand | None) -> str | None:
    """The absolute path that was written or read, None if unknown. A relative one is below the folder of the prompt."""
    cwd = _folder(command) if command and command.cwd else ""
    for name in () if _PATHS.isdisjoint(params) else _PATH_PARAMS:
        value = params.get(name)
        if isinstance(value, str) and value.startswith("/"):
            return value
        if isinstance(value, str) and cwd and name in _OF_FILES and value[:1] not in ("", "~", "$", "-"):
            return normpath(f"{cwd}/{value}")
    line = params.get("command") or (command.text if command else None)
    return _target(str(line), command.cwd if command else None) if line else None


def _folder(command: ShownCommand) -> str:
    """The absolute folder of a prompt, '' if it is not known; `~` is a home, which is hardly ever a file system of its own."""
    cwd = command.cwd or ""
    if cwd == "~" or cwd.startswith("~/"):
        user = re.search(r"([\w.-]+)@", command.prompt)
        is_root = command.prompt.endswith("#") or (user is not None and user[1] == "root")
        return ("/root" if is_root else f"/home/{user[1] if user else ''}") + cwd[1:]
    return cwd if cwd.startswith("/") else ""


@lru_cache(4096)
def _target(line: str, cwd: str | None) -> str | None:
    """The operand on the measured file system: the file operand of dd that is no device, else the last path, else a disk."""
    try:
        words = shlex.split(line, comments=False)
    except ValueError:
        words = line.split()
    operands, disk = [], None
    for word in words[1:]:
        word = re.sub(r"^(?:if|of|-o|-f|-d|-F|-C|--directory|--filename)=?(?=[/.~\w])", "", word)
        if word.startswith("/") and not word.startswith(("/dev/", "/proc/", "/sys/", "/usr/bin", "/bin/")):
            operands.append(word)
        elif is_device(word) and _MEASURES.search(line):
            disk = word
    if operands or disk:
        return operands[-1] if operands else disk
    return cwd if cwd and cwd.startswith("/") else None


def mount_point(subject: str) -> str:
    """The default mount point of a pool or data set, its own name; a mount point itself; '' for a device."""
    if subject.startswith("/dev/"):
        return ""
    return subject if subject.startswith("/") else "/" + subject


def covered_length(subject: str, path: str) -> int:
    """Number of characters of the path that are in the subject, -1 if the path is not in it.

    TrueNAS, macOS and some desktops mount pools below a folder of their own: `tank/bench` at /mnt/tank/bench.
    """
    if subject.startswith("/dev/"):
        return -1
    mounted = mount_point(subject).rstrip("/")
    if path == mounted or path.startswith(mounted + "/"):
        return len(mounted)
    if mounted and not subject.startswith("/"):
        for folder in _MOUNT_ROOTS:
            if path == folder + mounted or path.startswith(folder + mounted + "/"):
                return len(folder + mounted)
    return -1


def keys_contradicting_label(clues: Mapping[str, Clue], path: str | None) -> list[str]:
    """Keys about a pool that does not contain the path, if a label says that the path is on a file system of a disk.

    The version of a file system is only valid with the type on the same line.
    """
    type_clue = clues.get("fs.type")
    if type_clue is None or type_clue.kind != "label" or type_clue.value not in _DISK_FILE_SYSTEMS:
        return []
    version = clues.get("fs.version")
    keys = ["fs.version"] if version and version.line != type_clue.line else []
    return keys + [
        key
        for key, clue in clues.items()
        if path is not None
        and clue.kind in ("dump", "command")
        and (key.startswith(("pool.", "disk.count", *OF_FILE_SYSTEMS)) and clue.subject and covered_length(clue.subject, path) < 0)
    ]


def keys_of_other_pools(clues: Mapping[str, Clue], pool: str) -> list[str]:
    """Keys about another pool than the one that the tool prints."""
    return [
        key
        for key, clue in clues.items()
        if clue.kind in ("dump", "command")
        and clue.subject
        and (not clue.subject.startswith("/"))
        and clue.subject.split("/")[0] != pool.split("/")[0]
    ]


def keys_of_file_systems(clues: Mapping[str, Clue], path: str | None) -> list[str]:
    """Keys about file systems and pools, if a bare device was measured."""
    if path is None or not is_device(path):
        return []
    return [
        key
        for key, clue in clues.items()
        if clue.kind != "stated"
        and device_name(clue.subject or "/") != device_name(path)
        and is_of_file_system(key)
        and (key, clue.value) != ("disk.count", 1)
    ]


@lru_cache(256)
def matching_subjects(key: str, subjects: frozenset[str], place: MeasuredPlace) -> frozenset[str]:
    """The subjects of clues about the key that speak of a value measured at that place."""
    if not subjects or subjects == {""}:
        return _ALL
    matching = matching_paths(subjects, place.path)
    if place.apart and is_of_file_system(key):
        matching = {subject for subject in matching if device_name(subject) not in place.apart}
    if key.startswith(_OF_DEVICES):  # `devices.settle` tells them apart
        return frozenset(subject for subject in matching if subject.startswith("/dev/") or holds(subject, place))
    if not key.startswith("disk."):
        return frozenset(subject for subject in matching if holds(subject, place))
    listings = {subject for subject in subjects if subject.startswith("/dev/")}
    return frozenset(subject for subject in matching - listings if holds(subject, place)) | _matching_listings(key, listings, place)


@lru_cache(4096)
def is_of_file_system(key: str) -> bool:
    """Whether the key describes a file system or pool."""
    return key.startswith(("fs.", "pool.", "disk.count", *OF_FILE_SYSTEMS)) or key in STATE_OF_FILE_SYSTEMS


def holds(subject: str, place: MeasuredPlace) -> bool:
    """Whether what is said of the subject, which may be that of the path alone, holds where other mounts and devices are known."""
    if subject.startswith("/dev/"):
        return place.is_on(subject)
    if not subject or subject.startswith("/"):
        return not subject or place.is_in(subject)
    if place.path is None or covered_length(subject, place.path) >= 0:
        return True
    if subject in place.elsewhere or (place.pool and subject.split("/")[0] != place.pool):
        return False
    is_beside = covered_length(subject.split("/")[0], place.path) >= 0 and not covers(place.path, mount_point(subject))
    return place.may_be_of_pool() and not is_beside


def _matching_listings(key: str, subjects: Set[str], place: MeasuredPlace) -> set[str]:
    """The listings of disks, each a device or several separated by blanks, all of whose disks were or may have been measured.

    Where a listing has several models, the devices of each are also listed alone.
    """
    disks = {subject: {disk_of(device) for device in subject.split()} for subject in subjects}
    arrays = {subject for subject, names in disks.items() if all(map(VIRTUAL.match, names)) and place.is_on(subject)}
    own = {disk_of(name) for name in place.devices if not (VIRTUAL.match(name) or name[0] == "/")}
    if own and all(map(is_disk_name, own)):
        of_own = {subject for subject, names in disks.items() if names == own}
        like = [(subject, names) for subject, names in disks.items() if names > own and key == "disk.model"]
        of_like = {subject for subject, names in like if not any(other < names for other in disks.values())}
        return arrays | (of_own or of_like)
    elsewhere = {disk_of(name) for name in place.elsewhere}
    if is_device(place.path):
        return arrays
    may_be = {subject for subject, names in disks.items() if not (place.is_remote or names & elsewhere)}
    if key == "disk.model":
        may_be = {subject for subject in may_be if not any(disks[subject] < disks[other] for other in may_be)}
        may_be = may_be if len({frozenset(disks[subject]) for subject in may_be}) == 1 else set()
    return arrays | may_be


@lru_cache(64)
def _by_folder(subjects: frozenset[str]) -> dict[str, set[str]]:
    """The subjects by each folder whose contents `covered_length` counts as in them, the outermost as ''."""
    found: dict[str, set[str]] = {}
    for subject in subjects:
        if not subject or subject.startswith("/dev/"):
            continue
        mounted = mount_point(subject).rstrip("/")
        roots = _MOUNT_ROOTS if mounted and not subject.startswith("/") else ()
        for folder in ("", *roots):
            found.setdefault(folder + mounted, set()).add(subject)
    return found


_ALWAYS, _NOWHERE = frozenset([""]), frozenset[str]()  # one object each, which thousands of places share


@lru_cache(512)
def matching_paths(subjects: frozenset[str], path: str | None) -> Set[str]:
    """The subjects of clues that apply to a value at `path`.

    Clues without a subject always apply. If the path is known: the subject that contains the longest part of it; none of the
    others, unless they are devices or pools that may be the same. If it is unknown: the only subject, or the only one besides
    `/`, or the pool of which all others are data sets; else none.
    """
    if not subjects or subjects == _ALWAYS:
        return _ALWAYS
    if path is not None:
        by_folder = _by_folder(subjects)
        ends = (len(path), *(at for at in range(len(path) - 1, -1, -1) if path[at] == "/"))
        for end in ends:
            if covering := by_folder.get(path[:end]):
                return covering | {""}
    mounted = {subject for subject in subjects if mount_point(subject) not in ("/", "")}
    unnamed = {"", *(subject for subject in subjects if subject.startswith("/dev/"))}
    if path is not None and (all(subject.startswith("/") for subject in mounted) or _is_of_system(path, mounted)):
        return unnamed
    points = {mount_point(subject) for subject in mounted}
    is_one = len({point.split("/")[1] for point in points}) == 1
    # `tank` of zpool and `/tank` of mount are the same file system.
    if is_one and (len(points) == 1 or not any(subject.startswith("/") for subject in mounted)):
        shortest = min(points, key=lambda point: (point.count("/"), point))
        return unnamed | {subject for subject in mounted if mount_point(subject) == shortest}
    return unnamed


def _is_of_system(path: str, pools: Iterable[str]) -> bool:
    """Whether the path is in a folder of the system disk, and none of the pools is on that."""
    return _SYSTEM_FOLDER.match(path) is not None and not any(map(_SYSTEM_POOL.match, pools))


class Mounts:
    """What is mounted where, and on which devices, by the listings of some scopes, added nearest first."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}  # by mount point; '' if unknown
        self._devices: dict[str, str] = {}  # by mount point, pool or array
        self._pools = frozenset[str]()
        self._points: dict[str, str] = {}  # where pools and data sets are mounted
        self._is_whole = False  # whether a listing has all mounts, as the kernel's and mount's have

    def add(self, clues: Iterable[Clue]) -> None:
        """Add the mounts, pools and arrays among the clues."""
        pools = set[str]()
        for clue in clues:
            if not clue.subject or clue.effect == "ends" or clue.value is None:
                continue
            self._is_whole |= clue.key == "mount.rw" and clue.subject == "/" and clue.raw[:2] != "/ "  # of findmnt
            if clue.key == "zfs.mountpoint":
                self._points.setdefault(clue.subject, str(clue.value))
            is_folder = clue.subject.startswith("/") and not clue.subject.startswith("/dev/")
            if clue.key == MEMBERS:
                self._devices.setdefault(clue.subject, str(clue.value))
            if not clue.subject.startswith("/"):
                pools.add(clue.subject)
            elif is_folder and (clue.kind != "command" or "mount" in clue.raw):  # no image on which one was made
                kind = clue.value if clue.key == "fs.type" or clue.value == "tmpfs" else ""
                self._kinds[clue.subject] = self._kinds.get(clue.subject) or kind
        self._pools |= pools

    def place_of(self, path: str | None, members: Clue | None) -> MeasuredPlace:
        """The place of a path. `members`: what the lines nearest to the value say about its devices."""
        paths = re.split(r":(?=/)", path) if path and ":/" in path else [path]
        mounts = {self._mount_of(one) for one in paths}
        mount, path = (mounts.pop(), paths[0]) if len(mounts) == 1 else (SEVERAL, None)
        point, name = self._data_set_at(path) if path is not None and mount in ("", "/") else ("", "")
        measured, mount = path, "" if name else mount
        path = f"/{name}{path[len(point) :]}" if name and path is not None else path  # where it would lie without a mount point
        names = matching_paths(self._pools, path)
        if path is not None and is_device(path):
            listed = " ".join(map(str, paths))
        elif members is not None and (members.subject == mount or not members.subject.startswith("/")):
            listed = str(members.value)
        else:
            listed = self._devices.get(mount) or next(filter(None, map(self._devices.get, sorted(names))), "")
        if path is None and members is not None and not members.subject:  # a partition, of which its tool speaks
            on = (folder for folder, names in self._devices.items() if folder in self._kinds and device_name(names) == listed)
            path = next(on, None)
            mount = path or f"/dev/{listed}"
        devices = self._with_members(listed.split())
        is_apart = mount not in ("", "/", SEVERAL) or (path is not None and mount != "/" and not ON_ROOT.match(path))
        own = {disk_of(name) for name in devices}
        is_image = bool(devices) and all(name.startswith("loop") for name in devices)  # lsblk does not tell where its file lies
        apart = {
            name
            for at, names in self._devices.items()
            if at in self._kinds and at != mount and (self._kinds[at] or not is_image)
            for name in names.split()
        }
        others = self._with_members(apart) if is_apart else []
        elsewhere = frozenset(name for name in others if disk_of(name) not in own) or _NOWHERE
        if measured is not None and not mount and self._points:
            elsewhere |= {name for name, point in self._points.items() if point[0] == "/" and not covers(point, measured)}
        pool = next((name.split("/")[0] for name in names if path is not None and name and covered_length(name, path) >= 0), "")
        kind, away = self._kinds.get(mount, ""), frozenset(apart.difference(devices) if measured is not None else ()) or _NOWHERE
        return MeasuredPlace(path, mount, tuple(devices), elsewhere, kind, pool if not mount else "", apart=away)

    def _data_set_at(self, path: str) -> tuple[str, str]:
        """The innermost mount point of a data set that holds the path, but for the root, and its name; two empty ones for none."""
        points = ((point, name) for name, point in self._points.items() if point[:1] == "/" != point and covers(point, path))
        return max(points, key=lambda one: len(one[0]), default=("", ""))

    def _mount_of(self, path: str | None) -> str:
        """The mount point that holds the path, or of an unknown path the only one but the root; '' if it is not known."""
        if path is None:
            known = ((folder, kind) for folder, kind in self._kinds.items() if kind or not self._pools)  # lsblk shows no pools
            apart = [folder for folder, kind in known if folder != "/" and kind != "tmpfs"][:2]
            return "" if not apart else apart[0] if len(apart) == 1 else SEVERAL
        ends = (len(path), *(at for at in range(len(path) - 1, 0, -1) if path[at] == "/")) if not is_device(path) else ()
        mount = next((path[:end] for end in ends if path[:end] in self._kinds), "/")
        is_on_root = ON_ROOT.match(path) or (self._is_whole and not MOUNTED.match(path))
        return mount if mount != "/" or ("/" in self._kinds and is_on_root) else ""

    def _with_members(self, devices: Iterable[str]) -> list[str]:
        """The names of the devices, of arrays among them also those of the members, of files those that hold them."""
        names: list[str] = []
        pending = [device_name(device) for device in devices]
        while pending and len(names) < 10_000:
            name = pending.pop(0)
            if name not in names:
                names.append(name)
                array = self._mount_of(name) if name.startswith("/") else f"/dev/{name}"  # a file is on what is mounted around it
                listed = self._devices.get(array) or self._devices.get(f"/dev/{disk_of(name)}", "")
                pending += [device_name(member) for member in listed.split()]
        return sorted(names)
