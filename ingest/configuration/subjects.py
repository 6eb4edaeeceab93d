"""Where a value was measured, as far as its command tells, and what a clue's subject has to do with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import ShownCommand

_PATH_PARAMS = ("path", "directory", "test_dir", "target", "mount", "filename", "file_name", "out", "destination")
_BELOW = ("/mnt", "/Volumes", "/media")
_PATHS = frozenset(_PATH_PARAMS)
_OF_SYSTEM = lazy(r"/(?:tmp|root|var/tmp|dev/shm)(?:/|\Z)")  # where a system keeps its own, not what hangs beside it
_OF_DISKS = frozenset(("ext2", "ext3", "ext4", "xfs", "f2fs", "jfs", "reiserfs", "ufs", "ntfs", "hfs", "apfs", "tmpfs"))
_NO_DISK = lazy(r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|fd|shm|tty|pts|zvol|zd\d)")
_DISK = lazy(  # whole disks and their partitions, as Linux, the BSDs, macOS and SunOS call them
    r"/dev/(?:r?(?:[shv]d[a-z]{1,2}|xvd[a-z]|wd\d|sd\d|(?:a|n)?da\d+|nvd\d+|ad\d+|vtbd\d+|disk\d+)|nvme\d+n\d+|mmcblk\d+|r?dsk/c\d\w+"
    r"|gpt(?:id)?/\S+|disk/by-\S+)"
)
_MEASURES = lazy(r"(?:\A|[\s/])(?:dd|fio|hdparm|ioping|dcfldd|sg_dd|elbencho)\s")  # what `lsblk /dev/sda` shows is no run
_SYSTEM_POOL = lazy(r"(?:[rb]pool|zroot|syspool|boot-pool|freenas-boot|zones)(?:/|\Z)")


def measured_path(params: Mapping[str, Any], command: ShownCommand | None) -> str | None:
    """The absolute path that was written or read, None where nothing tells it."""
    for name in () if _PATHS.isdisjoint(params) else _PATH_PARAMS:
        told = params.get(name)
        if isinstance(told, str) and told.startswith("/"):
            return told
    line = params.get("command") or (command.text if command else None)
    return _target(str(line), command.cwd if command else None) if line else None


@lru_cache(4096)
def _target(line: str, cwd: str | None) -> str | None:
    """The operand that lies on the measured file system: dd's file that is no device, else the last path, else a disk."""
    try:
        words = shlex.split(line, comments=False)
    except ValueError:
        words = line.split()
    operands, disk = [], None
    for word in words[1:]:
        word = re.sub(r"^(?:if|of|-o|-f|-d|-F|-C|--directory|--filename)=?(?=[/.~\w])", "", word)
        if word.startswith("/") and not word.startswith(("/dev/", "/proc/", "/sys/", "/usr/bin", "/bin/")):
            operands.append(word)
        elif word.startswith("/dev/") and not _NO_DISK.match(word) and _MEASURES.search(line):
            disk = word
    if operands or disk:
        return operands[-1] if operands else disk
    return cwd if cwd and cwd.startswith("/") else None


def mount_point(subject: str) -> str:
    """A pool or data set is taken to be mounted under its own name; a mount point is one; a device has no place."""
    if subject.startswith("/dev/"):
        return ""
    return subject if subject.startswith("/") else "/" + subject


def covered_length(subject: str, path: str) -> int:
    """How much of the path the subject holds, in characters; -1 where it does not hold it.

    TrueNAS, macOS and some desktops mount pools below a folder of their own: `tank/bench` at /mnt/tank/bench.
    """
    if subject.startswith("/dev/"):
        return -1
    place = mount_point(subject).rstrip("/")
    if path == place or path.startswith(place + "/"):
        return len(place)
    if place and not subject.startswith("/"):
        for folder in _BELOW:
            if path == folder + place or path.startswith(folder + place + "/"):
                return len(folder + place)
    return -1


def keys_contradicting_label(clues: Mapping[str, Clue], path: str | None) -> list[str]:
    """Keys that tell of a pool where a heading says that the path, which no pool holds, lies on a disk's own file system.

    The version of a file system is told of pools and clusters only, wherever in the text that stands.
    """
    kind = clues.get("fs.type")
    if kind is None or kind.kind != "label" or kind.value not in _OF_DISKS:
        return []
    version = clues.get("fs.version")
    keys = ["fs.version"] if version and version.line != kind.line else []
    return keys + [
        key
        for key, clue in clues.items()
        if path is not None
        and clue.kind in ("dump", "command")
        and (key.startswith(("pool.", "disk.count")) and clue.subject and covered_length(clue.subject, path) < 0)
    ]


def keys_of_other_pools(clues: Mapping[str, Clue], pool: str) -> list[str]:
    """Keys that tell of another pool than the one of which a tool prints that it measured it."""
    return [
        key
        for key, clue in clues.items()
        if clue.kind in ("dump", "command")
        and clue.subject
        and (not clue.subject.startswith("/"))
        and clue.subject.split("/")[0] != pool.split("/")[0]
    ]


def is_disk(path: str | None) -> bool:
    """Whether a bare disk or its partition was measured: no file system and no pool has to do with that."""
    return path is not None and _DISK.match(path) is not None


def keys_of_file_systems(clues: Mapping[str, Clue], path: str | None) -> list[str]:
    """Keys that tell of file systems and pools, where a bare disk was measured."""
    if not is_disk(path):
        return []
    return [
        key
        for key, clue in clues.items()
        if clue.kind != "stated"
        and clue.subject != path
        and (key.startswith(("fs.", "pool.")) or (key == "disk.count" and clue.value != 1))
    ]


def matching_subjects(key: str, subjects: frozenset[str], path: str | None) -> Set[str]:
    """As `pick`; of the models of disks, that of the disk that was measured, or that of all where it was none of them."""
    if key != "disk.model":
        return pick(subjects, path)
    if not is_disk(path):
        return {""} if "" in subjects else subjects
    disk = _whole(path)
    return {subject for subject in subjects if subject and _whole(subject) == disk} or ({""} if subjects == {""} else set())


def _whole(device: str | None) -> str:
    """The disk of a partition: `/dev/sda` of /dev/sda1, /dev/disk2 of /dev/rdisk2s1."""
    found = _DISK.match(device or "")
    return re.sub(r"\A/dev/r(?=d|[sw]d\d)", "/dev/", found[0]) if found else ""


@lru_cache(4096)
def pick(subjects: frozenset[str], path: str | None) -> Set[str]:
    """Of the subjects that clues speak of, those that concern a value at `path`.

    Clues without a subject concern everybody. Where the path is known: the subject that holds the most of it; a known
    path that no subject holds is left with none of them, unless they are devices or pools that cannot be told apart
    from it. Where it is not known: the only subject, or the only one beside `/`, or the pool of which all others are
    data sets; otherwise none, since nothing tells which.
    """
    named = {subject for subject in subjects if subject}
    if not named:
        return {""}
    if path is not None:
        best = max(covered_length(subject, path) for subject in named)
        if best > 0 or (best == 0 and any(covered_length(s, path) == 0 for s in named)):
            return {s for s in named if covered_length(s, path) == best} | {""}
    elsewhere = {subject for subject in named if mount_point(subject) not in ("/", "")}
    devices = {subject for subject in named if mount_point(subject) == ""}
    if path is not None and elsewhere and all(subject.startswith("/") for subject in elsewhere):
        return {""} | devices
    if path is not None and _OF_SYSTEM.match(path) and not any(map(_SYSTEM_POOL.match, elsewhere)):
        return {""} | devices
    roots = {subject.strip("/").split("/")[0] for subject in elsewhere}
    if len(elsewhere) == 1 or (len(roots) == 1 and all(not s.startswith("/") for s in elsewhere)):
        shortest = min(elsewhere, key=lambda s: (s.count("/"), s))
        same = {s for s in elsewhere if mount_point(s) == mount_point(shortest)}
        return same | {""} | devices
    if len(roots) == 1:
        # `tank` of zpool and `/tank` of mount are one place.
        places = {mount_point(s) for s in elsewhere}
        if len(places) == 1:
            return elsewhere | {""} | devices
    return {""} | devices
