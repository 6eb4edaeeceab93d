"""Mounted file systems: `mount`, /proc/mounts, fstab, `findmnt`, `nfsstat -m`, `df -T`, of Linux, the BSDs, macOS and SunOS.

Source: mount(8), proc_mounts(5), df(1), btrfs(5), nfsstat(8); mount(8) of FreeBSD (`tank on /tank (zfs, local, noatime)`) and of
SunOS (`/export on tank/export read/write/setuid/devices/xattr/atime/dev=2d90007 on Thu ...`). File systems of the kernel (proc,
sysfs, tmpfs ...) and partitions that a machine boots from are left out.

Source of block devices: lsblk(8), diskutil(8)
Source of mount: mount(8), proc_mounts(5), df(1), findmnt(8), nfsstat(8)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from ingest import normalise
from ingest.context.file_systems._mount_options import mount_properties, parse_mount_options
from ingest.lazy_regex import lazy
from ingest.open_keys import is_identity
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# File systems and their disks as listings of block devices show them: `lsblk`, with FSTYPE (`-f`) or not; `diskutil info`.
#
# Source: lsblk(8) (columns as wide as their widest cell, texts left-aligned, `MOUNTPOINTS` since util-linux 2.37); diskutil(8),
# `Mount Point` above `File System Personality`. What is not mounted is left out.

_HEAD = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME(?=[^\n]*[ \t](?:FS)?TYPE\b)[^\n]*[ \t]MOUNTPOINTS?[^\n]*$", re.MULTILINE)
_ROW = lazy(r"[ \t]*(?P<tree>[\u2500-\u257f|`\- ]*)(?P<device>[A-Za-z][\w!.:+-]*)(?:[ \t]+\S.*)?\s*\Z")
_MAC = lazy(
    r"^[ \t]*Mount Point:[ \t]+(?P<folder>/[^\n]*?)[ \t]*\n(?:[ \t]*[^\n]*\n){0,3}?"
    r"[ \t]*(?P<raw>File System Personality:[ \t]+(?P<kind>[^\n]{2,40}?))[ \t]*$",
    re.MULTILINE,
)
_BLOCK_ANCHOR = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME(?=[ \t][^\n]*TYPE[ \t])[^\n]*MOUNTPOINT|File System Personality:", re.MULTILINE)
_BLOCK_SYSTEM_FOLDERS = lazy(r"/(?:boot|efi|dev|proc|sys|run|snap)(?:/|\Z)")
_NO_DATA_TYPES = ("tmpfs", "vfat", "9p", "virtiofs", "squashfs", "iso9660")


def read_block(text: Text) -> Iterator[Clue]:
    """A clue for every file system that is mounted where data may lie."""
    for head in _HEAD.finditer(text.body):
        yield from _listing(
            text, text.line_at(head.start()), {column[0]: column.start() for column in re.finditer(r"\S+", head[0])}
        )
    for match in _MAC.finditer(text.body):
        kind = normalise.file_system_type(re.sub(r"^(?:Case-sensitive |Journaled )+", "", match["kind"], flags=re.I).split(" ")[0])
        if kind:
            line = text.line_at(match.start("raw"))
            yield Clue(line, "fs.type", kind, match["raw"], subject=match["folder"], group=line)


def _listing(text: Text, head: int, columns: dict[str, int]) -> Iterator[Clue]:
    """Clues of the rows below a title line; `columns`: name -> where it begins."""
    mount_column = columns["MOUNTPOINT"] if "MOUNTPOINT" in columns else columns["MOUNTPOINTS"]
    disk, devices, first = "", dict[str, list[str]](), dict[str, int]()
    for line in range(head + 1, len(text.lines) + 1):
        row = text.lines[line - 1]
        if not (named := _ROW.match(row)):
            break
        name, folder = named["device"].replace("!", "/"), _cell(row, mount_column)
        disk = disk if named["tree"].strip() else name
        kind = _cell(row, columns["FSTYPE"]) if "FSTYPE" in columns else ""
        spelled = normalise.file_system_type(kind)
        if folder[:1] != "/" or _BLOCK_SYSTEM_FOLDERS.match(folder) or spelled in _NO_DATA_TYPES or (kind and not spelled):
            continue
        if spelled and folder not in first:
            yield Clue(line, "fs.type", spelled, row.strip(), subject=folder, group=head)
        first.setdefault(folder, line)
        devices.setdefault(folder, []).append(name if name.startswith(disk) else disk)  # a volume or array: its disks
    for folder, names in devices.items():
        line = first[folder]
        yield Clue(line, "block.devices", " ".join(dict.fromkeys(names)), text.lines[line - 1].strip(), subject=folder, group=head)


def _cell(row: str, start: int) -> str:
    """The word that begins right below a head; '' where the row is not aligned with it."""
    word = row[start:].split(" ", 1)[0]
    return word if row[start - 1 : start] == " " else ""


BLOCK = Reader("block devices", 4, Anchor(_BLOCK_ANCHOR, "mountpoint|file system personality"), read_block)


_TYPE = r"[a-z][a-z0-9_.+-]{1,30}"
_LINUX = lazy(rf"^[ \t]*(?P<device>\S+) on (?P<folder>/\S*) type (?P<type>{_TYPE}) \((?P<options>[^()\n]*)\)[^\n]*$", re.MULTILINE)
_BSD = lazy(
    r"^[ \t]*(?P<device>\S+) on (?P<folder>/\S*) \((?P<type>[a-z][a-z0-9_.+-]{1,15})(?P<options>(?:,[^()\n]*)?)\)[ \t]*$",
    re.MULTILINE,
)
_PROC = lazy(
    rf"^[ \t]*(?P<device>[^\s#]\S*)[ \t]+(?P<folder>/\S*)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"(?P<options>[a-z][\w,=:.@/+-]*)[ \t]+\d[ \t]+\d[ \t]*$",
    re.MULTILINE,
)
_IN_FORCE = lazy(r"(?!\s*(?:PART)?(?:UUID|LABEL)=).*[ \t]r[wo](?:,\S*)?[ \t]+0[ \t]+0\s*\Z")  # a row of /proc/mounts, not of fstab
_DF = lazy(
    rf"^[ \t]*(?P<device>\S+)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"\d[\d.,]*[KMGTPEi]{0,2}[ \t]+\d[\d.,]*[KMGTPEi]{0,2}[ \t]+"
    r"-?\d[\d.,]*[KMGTPEi]{0,2}[ \t]+(?:\d+%|-)[ \t]+(?P<options>)(?P<folder>/\S*)[ \t]*$",
    re.MULTILINE,
)
_FINDMNT = lazy(
    rf"^[ \t\u2500-\u257f|`-]*(?P<folder>/\S*)[ \t]+(?P<device>\S+)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"(?P<options>r[wo](?:,\S*)?)[ \t]*$",
    re.MULTILINE,
)
_SUNOS_OPTIONS = r"(?:remote/)?read(?:/write| only)(?P<options>(?:/\S+)?) on (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [^\n]*$"
_SUNOS = lazy(rf"^[ \t]*(?P<folder>/\S*) on (?P<device>\S+) {_SUNOS_OPTIONS}", re.MULTILINE)
_SUNOS_VERBOSE = lazy(rf"^[ \t]*(?P<device>\S+) on (?P<folder>/\S*) type (?P<type>{_TYPE}) {_SUNOS_OPTIONS}", re.MULTILINE)
_NFSSTAT = lazy(
    r"^[ \t]*(?P<folder>/\S*) from (?P<device>\S+:/\S*)[^\n]*\n[ \t]*Flags:[ \t]+(?P<options>[a-z][^\s,]*,\S+)[ \t]*$", re.MULTILINE
)
_NFSSTAT_BSD = lazy(r"^[ \t]*(?P<device>\S+:/\S*) on (?P<folder>/\S*)[ \t]*\n(?P<options>nfsv[234],\S+)[ \t]*$", re.MULTILINE)
_OWN_NAME = lazy(  # `df` without -T: a data set of ZFS mounted at its own name
    r"^[ \t]*(?P<device>[A-Za-z][\w.:-]{0,60}(?:/[\w.:/-]{1,80})?)[ \t]+(?:\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+){2}"
    r"-?\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+\d{1,3}%[ \t]+/(?P=device)[ \t]*$",
    re.MULTILINE,
)
_FORMS = (_LINUX, _BSD, _PROC, _DF, _FINDMNT, _SUNOS, _SUNOS_VERBOSE, _NFSSTAT, _NFSSTAT_BSD)
_ANCHOR = lazy(
    r" on /\S* (?:type [a-z]|\([a-z])|/(?<!\S/)\S*[ \t]+[a-z][\w.+-]*[ \t]+\S+[ \t]+\d[ \t]+\d|%[ \t]+/|-[ \t]+/"
    r"|/(?<!\S/)\S*[ \t]+\S+[ \t]+[a-z][\w.+-]*[ \t]+r[wo]|/(?<!\S/)\S* on \S+ (?:remote/)?read[ /]"
    r"|/(?<!\S/)\S* from \S+:/|^nfsv\d,",
    re.MULTILINE,
)
_SYSTEM_NAMES = frozenset(("dev", "proc", "sys", "run", "tmp", "boot", "home", "var", "usr", "opt", "root", "srv", "mnt", "media"))
_ZFS = lazy(r"(?i)\b(?:open)?zfs\b|\bzpool\b")
_DATA_SET = lazy(r"[A-Za-z][\w.:-]*/[\w.:/-]+\Z")
_SYSTEM_FOLDERS = lazy(r"/(?:boot|efi|dev|proc|sys|run|snap)(?:/|\Z)")


@dataclass(frozen=True, slots=True)
class _Row:
    """A mounted file system. `words`: its options; None where the listing has none, or where they need not be in force."""

    line: int
    raw: str
    form: re.Pattern[str]
    match: re.Match[str]
    group: int
    kind: str
    words: list[str] | None

    @property
    def folder(self) -> str:
        """Where it is mounted."""
        return self.match["folder"]


_Match = tuple[int, re.Match[str], re.Pattern[str]]  # line of the options, match, form


def read(text: Text) -> Iterator[Clue]:
    """Clues of every mounted file system that can hold data."""
    rows = list(_rows(text))
    listed: dict[tuple[object, str], dict[str, None]] = {}  # form, folder -> options that change performance
    for row in rows:
        if row.words is not None:
            options = filter(is_identity, mount_properties(row.kind, row.words))
            listed.setdefault((row.form, row.folder), {}).update(dict.fromkeys(options))
    for row in rows:
        yield from _mount_clues(row)
        yield from _option_clues(row, listed.get((row.form, row.folder), {}))
    yield from _plain_df_clues(text)
    yield from _fill_clues(text)


def _rows(text: Text) -> Iterator[_Row]:
    """File systems of all listings, by line."""
    matches = sorted(
        ((text.line_at(match.start("options")), match, form) for form in _FORMS for match in form.finditer(text.body)),
        key=itemgetter(0),
    )
    listing: list[_Match] = []
    for one in matches:
        if listing and one[0] > listing[-1][0] + 3:
            yield from _listed_rows(text, listing)
            listing = []
        listing.append(one)
    yield from _listed_rows(text, listing)


def _listed_rows(text: Text, listing: list[_Match]) -> Iterator[_Row]:
    """The rows of one listing. The options of fstab are not known to be in force."""
    of_fstab = _is_fstab(text, listing)
    for line, match, form in listing:
        kind = _kind(match, form)
        if kind is None or kind in ("vfat", "9p", "virtiofs") or _SYSTEM_FOLDERS.match(match["folder"]):
            continue
        in_force = form is not _DF and not (form is _PROC and of_fstab)
        words = _words(match, form) if in_force else None
        yield _Row(line, text.lines[line - 1].strip(), form, match, listing[0][0], kind, words=words)


def _is_fstab(text: Text, listing: list[_Match]) -> bool:
    """Whether a row is none of /proc/mounts, or the name of the file, or the command above the rows, is about fstab."""
    if "fstab" in text.name or any(form is _PROC and not _IN_FORCE.match(match[0]) for _, match, form in listing):
        return True
    command = text.command_for(listing[0][0]) if listing else None
    return command is not None and "fstab" in command.text


def _words(match: re.Match[str], form: re.Pattern[str]) -> list[str]:
    """The options of a row; `read only` and `read/write` of SunOS are `ro` and `rw`."""
    if form is _SUNOS or form is _SUNOS_VERBOSE:
        return ["ro" if "read only" in match[0] else "rw", *match["options"].split("/")]
    return match["options"].split(",")


def _kind(match: re.Match[str], form: re.Pattern[str]) -> str | None:
    """The kind of file system. SunOS prints it with -v only: without it, options that only UFS or NFS have show it, and names of
    data sets show ZFS.
    """
    if form is _NFSSTAT or form is _NFSSTAT_BSD:
        return "nfs"
    if form is not _SUNOS:
        return normalise.file_system_type(match["type"])
    device, options = match["device"], match["options"]
    if "/onerror=" in options and device.startswith("/dev/"):
        return "ufs"
    if ":/" in device and "remote/" in match[0]:
        return "nfs" if "/vers=" in options or "/proto=" in options else None
    return "zfs" if "/xattr/" in options and _DATA_SET.match(device) else None


def _plain_df_clues(text: Text) -> Iterator[Clue]:
    """Data sets in `df` without types, mounted at their own names.

    A name without a slash is that of a pool only where the text names ZFS or such a data set: a tmpfs, or the share of a
    hypervisor, may be mounted at its name, too.
    """
    rows = list(_OWN_NAME.finditer(text.body)) if "%" in text.body else []
    has_zfs = bool(rows) and (any("/" in row["device"] for row in rows) or _ZFS.search(text.body) is not None)
    for row in rows:
        device = row["device"]
        if device not in _SYSTEM_NAMES and (has_zfs or "/" in device):
            line, raw = text.line_at(row.start("device")), row[0].strip()
            yield Clue(line, "fs.type", "zfs", raw, subject=f"/{device}", group=line)
            yield Clue(line, "pool.name", device.partition("/")[0], raw, subject=f"/{device}", group=line)


_FILL = lazy(
    rf"^[ \t]*(?P<device>/dev/\S+|\S+:/\S*)[ \t]+(?:{_TYPE}[ \t]+)?(?:\d[\d.,]*[KMGTPE]?i?B?[ \t]+){{2}}-?\d[\d.,]*[KMGTPE]?i?B?"
    r"[ \t]+(?P<percent>\d{1,3})[ ]?%[ \t]+(?:\d\S*[ \t]+\d\S*[ \t]+\d+%[ \t]+)?(?P<folder>/[^\s]*)[ \t]*$",
    re.MULTILINE,
)
_DATA_SET_ROW = lazy(
    r"^[ \t]*(?!udev|\w*tmpfs|none|overlay|shm|run|dev|efivarfs|cgroup|map)[A-Za-z][\w.-]*(?:/\S*)?[ \t]+(?:zfs[ \t]+)?"
    r"(?:\d\S*[ \t]+){3}\d{1,3}%[ \t]+/",
    re.MULTILINE,
)
_OF_INODES = lazy(r"(?i)[ \t]i(?:nodes?|used|free|use%)|[ \t]ino")
_MOST_ROWS = 100


def _fill_clues(text: Text) -> Iterator[Clue]:
    """How full the file systems of `df` are, but for data sets, which share the space of their pool; nothing of inodes.

    Where there are data sets the root says nothing: it may seem to hold them.
    """
    has_data_sets = _DATA_SET_ROW.search(text.body) is not None
    for row in _FILL.finditer(text.body) if "%" in text.body else ():
        line = text.line_at(row.start("device"))
        head = next(
            (above for above in reversed(text.lines[max(0, line - _MOST_ROWS) : line - 1]) if not re.search(r"\d%", above)), ""
        )
        is_of_inodes = _OF_INODES.search(head) is not None and "apacit" not in head
        if not is_of_inodes and not (has_data_sets and row["folder"] == "/") and not _SYSTEM_FOLDERS.match(row["folder"]):
            raw = row[0].strip()
            yield Clue(line, "state.capacity", int(row["percent"]), raw, subject=row["folder"], group=line)
            if row["device"].startswith("/dev/") and not _DF.match(row[0]):
                yield Clue(line, "block.devices", row["device"].removeprefix("/dev/"), raw, subject=row["folder"], group=line)


def _mount_clues(row: _Row) -> Iterator[Clue]:
    """Clues of a row, open keys aside."""
    if row.kind == "tmpfs":  # a run there is none on the file system around it
        yield _clue(row, "block.devices", "tmpfs")
        return
    yield _clue(row, "fs.type", row.kind)
    if re.match(r"/dev/\w", row.match["device"]):
        yield _clue(row, "block.devices", row.match["device"].removeprefix("/dev/"))
    options = _words(row.match, row.form)
    if row.kind == "zfs":
        if re.fullmatch(r"[A-Za-z][\w.:-]*(?:/\S*)?", row.match["device"]):
            yield _clue(row, "pool.name", row.match["device"].partition("/")[0])
        if any(word.strip() == "noatime" for word in options):  # without it the property may be on or relatime
            yield _clue(row, "pool.atime", "off")
    elif row.form is not _DF:
        for key, value in parse_mount_options(row.kind, ",".join(options)):
            yield _clue(row, key, value)


def _option_clues(row: _Row, listed: Mapping[str, None]) -> Iterator[Clue]:
    """Open keys of a row; the value None of those in `listed` that only other rows of its folder have."""
    if row.words is not None and row.kind != "tmpfs":
        for key, value in {**listed, **mount_properties(row.kind, row.words)}.items():
            yield _clue(row, key, value)


def _clue(row: _Row, key: str, value: Any) -> Clue:
    return Clue(row.line, key, value, row.raw, subject=row.folder, group=row.group)


READER = Reader("mount", 9, Anchor(_ANCHOR), read)
