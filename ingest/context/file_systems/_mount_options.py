"""Options of mounted file systems as keys: atime and compression of `pool.`, all others of `mount.`.

Source: mount(8), ext4(5), xfs(5), btrfs(5), nfs(5), f2fs.rst, mount_ufs(8) of SunOS, mount(8) of FreeBSD, NetBSD and OpenBSD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value

_ATIME = {"noatime": "off", "relatime": "relatime", "strictatime": "on", "atime": "on", "lazytime": None}
_NAME = lazy(r"[A-Za-z_][\w.+-]{0,60}(?: [A-Za-z][\w-]{1,30})?\Z")
# Names of options that are keys of `pool.`
_OF_POOLS = lazy(r"(?:no|rel|norel|strict|nostrict)?atime\Z|compress(?:ion|_algorithm)?\Z")
_NOT_KEPT = lazy(r"(?i)x-|comment\Z|fsid |mounted by |defaults\Z|remount\Z|update\Z")  # what mount(8) does, and notes for programs
_SWITCHES = """
ac acl auto auto_da_alloc autodefrag barrier bh block_validity checkpoint_merge checksum crc cto datacow datasum dax dcache
delalloc dev devices diratime discard exec extent_cache flush_merge flushoncommit forcedirectio grpid grpquota ikeep
init_itable inline_data inline_dentry inline_xattr inode64 intr journal_checksum largefiles largeio lazytime lock logging
mand mballoc mbcache nbmand prefetch_block_bitmaps quota rdirplus recovery reservation resvport setuid sharecache
space_cache ssd suid sync tail treelog user user_xattr usrquota uuid wsync xattr
"""
_BOOLEANS = frozenset(_SWITCHES.split())  # options that `no` before them switches off
_STATES = {"0": "off", "1": "on", "none": "off", "flush": "on"}  # values of those options: barrier=0, of reiserfs barrier=flush
_OTHER_NAMES = {
    "asynchronous": "async", "synchronous": "sync", "with quotas": "quota", "read-only": "ro", "nfs exported": "nfs-exported",
    "soft dependencies": "soft-updates", "softdep": "soft-updates", "nfsvers": "vers", "uquota": "usrquota",
    "gquota": "grpquota", "pquota": "prjquota", "barriers": "barrier", "nobarriers": "nobarrier",
}  # fmt: skip
_OTHER_FORMS: Mapping[str, tuple[str, str]] = {
    "inode32": ("inode64", "off"), "dioread_lock": ("dioread_nolock", "off"),
    "journaled soft-updates": ("soft-updates", "journaled"), "compress-force": ("compress-force", "on"),
    "tcp": ("proto", "tcp"), "udp": ("proto", "udp"), "nfsv2": ("vers", "2"), "nfsv3": ("vers", "3"), "nfsv4": ("vers", "4"),
}  # fmt: skip
_BSD_KINDS = ("ufs", "ffs", "hammer", "hammer2", "hfs", "apfs", "")


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


def mount_properties(kind: str, words: Iterable[str]) -> dict[str, Any]:
    """`mount.OPTION` -> value of the options of a file system of that kind ('' if unknown), atime and compression aside.

    Options without a value are `on`, those that a `no` switches off `off`. Of an option that stands twice the last is valid.
    """
    properties: dict[str, Any] = {}
    for word in words:
        name, _, printed = word.strip().partition("=")
        if _NAME.match(name) and not printed.startswith('"') and not _NOT_KEPT.match(name) and not _OF_POOLS.match(name):
            name, printed = _property(kind, name, printed)
            if (value := spell_open_value(f"mount.{name}", printed)) is not None:
                properties[f"mount.{name}"] = value
    minor = properties.get("mount.minorversion")
    if minor is not None and properties.get("mount.vers") == 4:
        properties["mount.vers"] = f"4.{minor}"
    return properties


def _property(kind: str, name: str, printed: str) -> tuple[str, str]:
    """Name and value of one option as they are stored."""
    name = _OTHER_NAMES.get(name.lower(), name)
    if name in _OTHER_FORMS and (not printed or name == "compress-force"):
        return _OTHER_FORMS[name]
    if name == "async" and kind not in _BSD_KINDS:
        return "sync", "off"  # of the BSDs it is a third state: metadata is written later, too
    if printed:
        return name, _STATES.get(printed, printed) if name in _BOOLEANS else printed
    if name.startswith("no") and name[2:] in _BOOLEANS:
        return name[2:], "off"
    return name.replace(" ", "-"), "on"
