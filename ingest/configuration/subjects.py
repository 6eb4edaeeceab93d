"""The path that was measured, if the command has one, and its relation to the subject of a clue."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.open_keys import OF_FILE_SYSTEMS
from ingest.records import Clue
from ingest.state import OF_FILE_SYSTEMS as STATE_OF_FILE_SYSTEMS
from ingest.text.lines import ShownCommand

_PATH_PARAMS = ("path", "directory", "test_dir", "target", "mount", "filename", "file_name", "out", "destination")
_MOUNT_ROOTS = ("/mnt", "/Volumes", "/media")
_PATHS = frozenset(_PATH_PARAMS)
_SYSTEM_FOLDER = lazy(r"/(?:tmp|root|var/tmp|dev/shm)(?:/|\Z)")  # folders of the system disk
_DISK_FILE_SYSTEMS = frozenset(("ext2", "ext3", "ext4", "xfs", "f2fs", "jfs", "reiserfs", "ufs", "ntfs", "hfs", "apfs", "tmpfs"))
_NO_DISK = lazy(r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|fd|shm|tty|pts|zvol|zd\d)")
_DISK = lazy(  # disks and their partitions, as Linux, the BSDs, macOS and SunOS name them
    r"/dev/(?:r?(?:[shv]d[a-z]{1,2}|xvd[a-z]|wd\d|sd\d|(?:a|n)?da\d+|nvd\d+|ad\d+|vtbd\d+|disk\d+)|nvme\d+n\d+|mmcblk\d+|r?dsk/c\d\w+"
    r"|gpt(?:id)?/\S+|disk/by-\S+)"
)
_MEASURES = lazy(r"(?:\A|[\s/])(?:dd|fio|hdparm|ioping|dcfldd|sg_dd|elbencho)\s")  # `lsblk /dev/sda` is no run
_SYSTEM_POOL = lazy(r"(?:[rb]pool|zroot|syspool|boot-pool|freenas-boot|zones)(?:/|\Z)")


def measured_path(params: Mapping[str, Any], command: ShownCommand | None) -> str | None:
    """The absolute path that was written or read, None if unknown."""
    for name in () if _PATHS.isdisjoint(params) else _PATH_PARAMS:
        value = params.get(name)
        if isinstance(value, str) and value.startswith("/"):
            return value
    line = params.get("command") or (command.text if command else None)
    return _target(str(line), command.cwd if command else None) if line else None


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
        elif word.startswith("/dev/") and not _NO_DISK.match(word) and _MEASURES.search(line):
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


def is_disk(path: str | None) -> bool:
    """Whether a bare disk or its partition was measured, without file system or pool."""
    return path is not None and _DISK.match(path) is not None


def keys_of_file_systems(clues: Mapping[str, Clue], path: str | None) -> list[str]:
    """Keys about file systems and pools, if a bare disk was measured."""
    if not is_disk(path):
        return []
    return [
        key
        for key, clue in clues.items()
        if clue.kind != "stated"
        and clue.subject != path
        and (
            key.startswith(("fs.", "pool.", *OF_FILE_SYSTEMS))
            or key in STATE_OF_FILE_SYSTEMS
            or (key == "disk.count" and clue.value != 1)
        )
    ]


def matching_subjects(key: str, subjects: frozenset[str], path: str | None) -> Set[str]:
    """As `matching_paths`; for disk models, the disk that was measured, or '' (all disks) if it is none of them."""
    if key != "disk.model":
        return matching_paths(subjects, path)
    if not is_disk(path):
        return {""} if "" in subjects else subjects
    disk = _disk_of(path)
    return {subject for subject in subjects if subject and _disk_of(subject) == disk} or ({""} if subjects == {""} else set())


def _disk_of(device: str | None) -> str:
    """The disk of a partition: `/dev/sda` of /dev/sda1, /dev/disk2 of /dev/rdisk2s1."""
    match = _DISK.match(device or "")
    return re.sub(r"\A/dev/r(?=d|[sw]d\d)", "/dev/", match[0]) if match else ""


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


@lru_cache(4096)
def matching_paths(subjects: frozenset[str], path: str | None) -> Set[str]:
    """The subjects of clues that apply to a value at `path`.

    Clues without a subject always apply. If the path is known: the subject that contains the longest part of it; none of the
    others, unless they are devices or pools that may be the same. If it is unknown: the only subject, or the only one besides
    `/`, or the pool of which all others are data sets; else none.
    """
    if not subjects or subjects == {""}:
        return {""}
    if path is not None:
        by_folder = _by_folder(subjects)
        ends = (len(path), *(at for at in range(len(path) - 1, -1, -1) if path[at] == "/"))
        for end in ends:
            if covering := by_folder.get(path[:end]):
                return covering | {""}
    subjects_with_name = {subject for subject in subjects if subject}
    mounted = {subject for subject in subjects_with_name if mount_point(subject) not in ("/", "")}
    devices = {subject for subject in subjects_with_name if mount_point(subject) == ""}
    if path is not None and mounted and all(subject.startswith("/") for subject in mounted):
        return {""} | devices
    if path is not None and _SYSTEM_FOLDER.match(path) and not any(map(_SYSTEM_POOL.match, mounted)):
        return {""} | devices
    roots = {subject.strip("/").split("/")[0] for subject in mounted}
    if len(mounted) == 1 or (len(roots) == 1 and all(not subject.startswith("/") for subject in mounted)):
        shortest = min(mounted, key=lambda subject: (subject.count("/"), subject))
        same = {subject for subject in mounted if mount_point(subject) == mount_point(shortest)}
        return same | {""} | devices
    if len(roots) == 1:
        # `tank` of zpool and `/tank` of mount are the same file system.
        places = {mount_point(subject) for subject in mounted}
        if len(places) == 1:
            return mounted | {""} | devices
    return {""} | devices
