"""Tools that describe one file system: btrfs `filesystem show`, `df`, `usage` and dump-super, xfs_info, dumpe2fs and tune2fs.

Source: btrfs-filesystem(8), xfs_info(8), dumpe2fs(8). Which ext it is follows from the features: ext4 has extents,
ext3 a journal without them (e2fsprogs, `ext2fs_features`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue
from ingest.context.file_systems._formats import btrfs_clues, ext_clues, ext_subject, last_folder, tool_operand, xfs_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_SHOW = lazy(
    r"^[ \t]*Label: (?:none|'[^'\n]*'|\S+)[ \t]+uuid: [0-9a-f-]{36}[ \t]*\n"
    r"(?:[ \t]*\n)?[ \t]*Total devices (\d{1,5}) ",
    re.MULTILINE,
)
_DEVICE = lazy(r"^[ \t]*devid[ \t]+\d+ size \S+ used \S+ path(?: |[ \t]*\n[ \t]*(?=/))(\S+)", re.MULTILINE)
_PROFILE = lazy(
    r"^[ \t]*Data(?:\+Metadata)?(?:,[ \t]?| +)"
    r"(single|dup|raid0|raid1(?:c[34])?|raid10|raid5|raid6|DUP|RAID0|RAID1(?:C[34])?|RAID10|RAID5|RAID6)"
    r":[ \t]*(?:Size:|total=)",
    re.MULTILINE,
)
_XFS = lazy(r"^[ \t]*meta-data=(\S+)[ \t]+isize=\d+", re.MULTILINE)
_EXT = lazy(r"^[ \t]*Filesystem features:[ \t]+(\S[^\n]*)$", re.MULTILINE)
# Devices on top of disks: a loop device, an array, a logical volume (`/dev/vg/lv`, `vg-lv` of the mapper, where names of encrypted
# disks have known beginnings).
_NO_DISK = lazy(
    r"/dev/(?:loop|md|dm-|drbd|z?ram|zd|rbd|nbd)\d|/dev/md/|/dev/(?!disk/|mapper/|block/|zvol/)[\w.+-]+/[\w.+-]+\Z"
    r"|/dev/zvol/|/dev/mapper/(?!(?:luks|crypt|dm_crypt|dmcrypt|enc)[\w.]*-)[\w.+]+-[\w.+-]+\Z"
)
_ANCHOR = lazy(
    r"^[ \t]*(?:Label: [^\n]*uuid: |Data(?:\+Metadata)?[, ][^\n]*:[ \t]*(?:Size:|total=)|meta-data=|Filesystem features:"
    r"|superblock: bytenr=|Node size:[ \t]+\d)",
    re.MULTILINE,
)
_SHORTEST = 10  # lines of a listing of tune2fs


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing; only that of `xfs_info` and `filesystem show` names its device."""
    yield from _btrfs(text)
    yield from btrfs_clues(text)
    for match in _XFS.finditer(text.body):
        line = text.line_at(match.start())
        subject = match[1] if match[1].startswith("/") else ""
        yield Clue(line, "fs.type", "xfs", match[0].strip(), subject=subject, group=line)
        yield from xfs_clues(text, line, subject)
    last = -_SHORTEST
    for match in _EXT.finditer(text.body):
        line = text.line_at(match.start())
        features = set(match[1].split())
        kind = "ext4" if {"extent", "extents"} & features else "ext3" if "has_journal" in features else "ext2"
        subject, folder = ext_subject(text, line), last_folder(text, line)
        yield Clue(line, "fs.type", kind, match[0].strip(), subject=subject, group=line)
        if folder and subject.startswith("/dev/"):
            yield Clue(line, "block.devices", subject.removeprefix("/dev/"), match[0].strip(), subject=folder, group=line)
        if line >= last + _SHORTEST:
            yield from ext_clues(text, line)
            last = line


def _btrfs(text: Text) -> Iterator[Clue]:
    """Type and number of disks of `filesystem show`; type and layout of `usage` and `df`, the layout only of a single listing."""
    for match in _SHOW.finditer(text.body):
        line, count_line = text.line_at(match.start()), text.line_at(match.start(1))
        device = _DEVICE.search(text.body, match.end(), match.end() + 400)
        subject = device[1] if device else ""
        yield line_clue(text, line, "fs.type", "btrfs", subject=subject)
        paths = _DEVICE.findall(text.body, match.end(), _next_listing(text, match.end()))
        if len(paths) == int(match[1]) and not any(map(_NO_DISK.match, paths)):
            yield line_clue(text, count_line, "disk.count", len(paths), subject=subject, group=line)
    profiles = list(_PROFILE.finditer(text.body))
    for match in profiles:
        line = text.line_at(match.start())
        yield Clue(line, "fs.type", "btrfs", match[0].strip(), subject=tool_operand(text, line, "btrfs"), group=line)
    if len(profiles) == 1:
        match = profiles[0]
        line = text.line_at(match.start())
        layout = _layout(match[1].lower(), text, match.end())
        if layout:
            yield Clue(line, "pool.layout", layout, match[0].strip(), subject=tool_operand(text, line, "btrfs"), group=line)


def _next_listing(text: Text, offset: int) -> int:
    """Offset of the next `filesystem show` in the body, or its end."""
    match = _SHOW.search(text.body, offset)
    return match.start() if match else len(text.body)


def _layout(profile: str, text: Text, offset: int) -> str | None:
    """`raid1(2)`, or `stripe(2)` of single devices, by the devices that `usage` lists below a profile; `raid1` of `df`."""
    devices = 0
    for row in text.body[offset : offset + 20_000].split("\n")[1:]:
        if not re.match(r"[ \t]+/\S+[ \t]+[\d.]+[KMGT]?i?B[ \t]*\Z", row):
            break
        devices += 1
    if profile == "single":
        return f"stripe({devices})" if devices else None
    return f"{profile}({devices})" if devices else profile


READER = Reader(
    "file systems", 5, Anchor(_ANCHOR, "uuid: |size:|total=|meta-data=|filesystem features:|superblock: bytenr=|node size:"), read
)
