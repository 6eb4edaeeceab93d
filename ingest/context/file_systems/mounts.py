"""Mounted file systems: `mount`, /proc/mounts, fstab, `findmnt`, `df -T`, of Linux, the BSDs, macOS and SunOS.

Source: mount(8), proc_mounts(5), df(1), btrfs(5); mount(8) of FreeBSD (`tank on /tank (zfs, local, noatime)`). File
systems of the kernel (proc, sysfs, tmpfs ...) and partitions that a machine boots from are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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
_OWN_NAME = lazy(  # `df` without -T: a data set of ZFS mounted at its own name
    r"^[ \t]*(?P<device>[A-Za-z][\w.:-]{0,60}(?:/[\w.:/-]{1,80})?)[ \t]+(?:\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+){2}"
    r"-?\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+\d{1,3}%[ \t]+/(?P=device)[ \t]*$",
    re.MULTILINE,
)
_FORMS = (_LINUX, _BSD, _PROC, _DF, _FINDMNT)
_ANCHOR = lazy(
    r" on /\S* (?:type [a-z]|\([a-z])|/(?<!\S/)\S*[ \t]+[a-z][\w.+-]*[ \t]+\S+[ \t]+\d[ \t]+\d|%[ \t]+/|-[ \t]+/"
    r"|/(?<!\S/)\S*[ \t]+\S+[ \t]+[a-z][\w.+-]*[ \t]+r[wo]"
)
_SYSTEM_NAMES = frozenset(("dev", "proc", "sys", "run", "tmp", "boot", "home", "var", "usr", "opt", "root", "srv", "mnt", "media"))
_ZFS = lazy(r"(?i)\b(?:open)?zfs\b|\bzpool\b")
_SYSTEM_FOLDERS = lazy(r"/(?:boot|efi|dev|proc|sys|run|snap)(?:/|\Z)")
_ATIME = {"noatime": "off", "relatime": "relatime", "strictatime": "on", "atime": "on", "lazytime": None}


def read(text: Text) -> Iterator[Clue]:
    """Clues of every mounted file system that can hold data."""
    rows = sorted(
        ((text.line_at(match.start()), match, form) for form in _FORMS for match in form.finditer(text.body)),
        key=itemgetter(0),
    )
    last, group = -9, 0
    for line, match, form in rows:
        group = group if line <= last + 3 else line
        last = line
        yield from _mount_clues(line, match, group, form is not _DF)
    yield from _plain_df_clues(text)


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


def _mount_clues(line: int, match: re.Match[str], group: int, has_options: bool) -> Iterator[Clue]:
    """Clues of a row; `has_options`: its options are complete, as the kernel lists them."""
    kind, folder = normalise.file_system_type(match["type"]), match["folder"]
    if kind is None or kind in ("tmpfs", "vfat", "9p", "virtiofs") or _SYSTEM_FOLDERS.match(folder):
        return
    raw = match[0].strip()
    yield Clue(line, "fs.type", kind, raw, subject=folder, group=group)
    if re.match(r"/dev/\w", match["device"]):
        yield Clue(line, "block.devices", match["device"].removeprefix("/dev/"), raw, subject=folder, group=group)
    if kind == "zfs":
        if re.fullmatch(r"[A-Za-z][\w.:-]*(?:/\S*)?", match["device"]):
            pool = match["device"].partition("/")[0]
            yield Clue(line, "pool.name", pool, raw, subject=folder, group=group)
        if "noatime" in re.split(r"[, ]+", match["options"]):  # without it the property may be on or relatime
            yield Clue(line, "pool.atime", "off", raw, subject=folder, group=group)
    elif has_options:
        for key, value in parse_mount_options(kind, match["options"]):
            yield Clue(line, key, value, raw, subject=folder, group=group)


def parse_mount_options(kind: str, options: str, complete: bool = True) -> Iterator[tuple[str, str]]:
    """atime and compression by the options of a file system of that kind.

    `complete`: the kernel lists them, so that of btrfs compression is off unless an option sets it.
    """
    words = [word.strip() for word in options.split(",")]
    atime = next((_ATIME[word] for word in reversed(words) if _ATIME.get(word)), None)
    if atime:
        yield "pool.atime", atime
    if kind in ("btrfs", "bcachefs", "f2fs"):
        algorithms = [word.partition("=")[2] for word in words if re.match(r"compress(?:ion|-force|_algorithm)?=", word)]
        compression = normalise.compression(algorithms[-1]) if algorithms else "off" if complete and kind == "btrfs" else None
        if not algorithms and ("compress" in words or "compress-force" in words):
            compression = "zlib-3"  # btrfs(5): the option without a value means zlib
        if compression:
            yield "pool.compression", compression


READER = Reader("mount", 5, Anchor(_ANCHOR), read, "mount(8), proc_mounts(5), df(1), findmnt(8)")
