"""Mounted file systems: `mount`, /proc/mounts, fstab, `findmnt`, `df -T`, of Linux, the BSDs, macOS and SunOS.

Source: mount(8), proc_mounts(5), df(1), btrfs(5); mount(8) of FreeBSD (`tank on /tank (zfs, local, noatime)`). Kernel
file systems (proc, sysfs, tmpfs ...) hold no benchmark data and are passed over, as are the partitions a machine starts
from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_TYPE = r"[a-z][a-z0-9_.+-]{1,30}"
_LINUX = lazy(rf"^[ \t]*(?P<device>\S+) on (?P<at>/\S*) type (?P<type>{_TYPE}) \((?P<options>[^()\n]*)\)[^\n]*$", re.MULTILINE)
_BSD = lazy(
    r"^[ \t]*(?P<device>\S+) on (?P<at>/\S*) \((?P<type>[a-z][a-z0-9_.+-]{1,15})(?P<options>(?:,[^()\n]*)?)\)[ \t]*$",
    re.MULTILINE,
)
_PROC = lazy(
    rf"^[ \t]*(?P<device>[^\s#]\S*)[ \t]+(?P<at>/\S*)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"(?P<options>[a-z][\w,=:.@/+-]*)[ \t]+\d[ \t]+\d[ \t]*$",
    re.MULTILINE,
)
_DF = lazy(
    rf"^[ \t]*(?P<device>\S+)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"\d[\d.,]*[KMGTPEi]{0,2}[ \t]+\d[\d.,]*[KMGTPEi]{0,2}[ \t]+"
    r"-?\d[\d.,]*[KMGTPEi]{0,2}[ \t]+(?:\d+%|-)[ \t]+(?P<options>)(?P<at>/\S*)[ \t]*$",
    re.MULTILINE,
)
_FINDMNT = lazy(
    rf"^[ \t\u2500-\u257f|`-]*(?P<at>/\S*)[ \t]+(?P<device>\S+)[ \t]+(?P<type>{_TYPE})[ \t]+"
    r"(?P<options>r[wo](?:,\S*)?)[ \t]*$",
    re.MULTILINE,
)
_OWN_NAME = lazy(  # `df` without -T: only a data set of ZFS stands below the root by its own name
    r"^[ \t]*(?P<device>[A-Za-z][\w.:-]{0,60}(?:/[\w.:/-]{1,80})?)[ \t]+(?:\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+){2}"
    r"-?\d[\d.,]*[KMGTPEi]{0,2}B?[ \t]+\d{1,3}%[ \t]+/(?P=device)[ \t]*$",
    re.MULTILINE,
)
_FORMS = (_LINUX, _BSD, _PROC, _DF, _FINDMNT)
_ANCHOR = lazy(
    r" on /\S* (?:type [a-z]|\([a-z])|/(?<!\S/)\S*[ \t]+[a-z][\w.+-]*[ \t]+\S+[ \t]+\d[ \t]+\d|%[ \t]+/|-[ \t]+/"
    r"|/(?<!\S/)\S*[ \t]+\S+[ \t]+[a-z][\w.+-]*[ \t]+r[wo]"
)
_SYSTEMS_OWN = frozenset(("dev", "proc", "sys", "run", "tmp", "boot", "home", "var", "usr", "opt", "root", "srv", "mnt", "media"))
_ZFS = lazy(r"(?i)\b(?:open)?zfs\b|\bzpool\b")
_ELSEWHERE = lazy(r"/(?:boot|efi|dev|proc|sys|run|snap)(?:/|\Z)")
_SET = {"noatime": "off", "relatime": "relatime", "strictatime": "on", "atime": "on", "lazytime": None}


def read(text: Text) -> Iterator[Clue]:
    """Clues of every mounted file system that can hold data."""
    found = sorted(
        ((text.line_at(match.start()), match, form) for form in _FORMS for match in form.finditer(text.body)),
        key=lambda item: item[0],
    )
    last, group = -9, 0
    for line, match, form in found:
        group = group if line <= last + 3 else line
        last = line
        yield from _mounted(line, match, group, form is not _DF)
    own = list(_OWN_NAME.finditer(text.body)) if "%" in text.body else []
    zfs = bool(own) and (any("/" in match["device"] for match in own) or _ZFS.search(text.body) is not None)
    for match in own:
        # What tmpfs, virtiofs or a hypervisor's share is called is up to the user, and has no slash.
        if match["device"] not in _SYSTEMS_OWN and (zfs or "/" in match["device"]):
            line, raw, at = text.line_at(match.start("device")), match[0].strip(), f"/{match['device']}"
            yield Clue(line, "fs.type", "zfs", raw, subject=at, group=line)
            yield Clue(line, "pool.name", match["device"].partition("/")[0], raw, subject=at, group=line)


def _mounted(line: int, match: re.Match[str], group: int, has_options: bool) -> Iterator[Clue]:
    kind = normalise.file_system_type(match["type"])
    if kind is None or kind in ("tmpfs", "vfat", "9p", "virtiofs") or _ELSEWHERE.match(match["at"]):
        return
    raw, at = match[0].strip(), match["at"]
    yield Clue(line, "fs.type", kind, raw, subject=at, group=group)
    if kind == "zfs":
        if re.fullmatch(r"[A-Za-z][\w.:-]*(?:/\S*)?", match["device"]):
            pool = match["device"].partition("/")[0]
            yield Clue(line, "pool.name", pool, raw, subject=at, group=group)
        if "noatime" in re.split(r"[, ]+", match["options"]):  # without it the property may be on, or on by times (relatime)
            yield Clue(line, "pool.atime", "off", raw, subject=at, group=group)
    elif has_options:
        for key, value in parse_mount_options(kind, match["options"]):
            yield Clue(line, key, value, raw, subject=at, group=group)


def parse_mount_options(kind: str, given: str, complete: bool = True) -> Iterator[tuple[str, str]]:
    """What mount options tell. `complete`: as the kernel lists them, where an option not listed is not set."""
    words = [word.strip() for word in given.split(",")]
    atime = next((_SET[word] for word in reversed(words) if _SET.get(word)), None)
    if atime:
        yield "pool.atime", atime
    if kind in ("btrfs", "bcachefs", "f2fs"):
        asked = [word.partition("=")[2] for word in words if re.match(r"compress(?:ion|-force|_algorithm)?=", word)]
        spelled = normalise.compression(asked[-1]) if asked else "off" if complete and kind == "btrfs" else None
        if not asked and ("compress" in words or "compress-force" in words):
            spelled = "zlib-3"  # btrfs(5): the option without a value means zlib
        if spelled:
            yield "pool.compression", spelled


READER = Reader("mount", 4, Anchor(_ANCHOR), read, "mount(8), proc_mounts(5), df(1), findmnt(8)")
