"""Properties that options of mkfs.ext4, mkfs.xfs, mkfs.btrfs and newfs set.

Source: mke2fs(8), mkfs.xfs(8), mkfs.btrfs(8), newfs(8) of FreeBSD. Units differ between tools: xfs_info prints stripes in blocks,
mkfs.xfs takes bytes (su) or sectors (sunit), which are therefore properties of their own.
"""

from __future__ import annotations

import getopt
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ingest.context.file_systems._lustre import PARAMETER, parameter_key
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value

# Settings of Lustre that `lctl set_param` and `lfs setstripe` change.

_Change = tuple[str, str, Any]  # subject, key, new value; None where the key ends
_PARAMETER = lazy(rf"{PARAMETER}\Z")
_ONE_TARGET = lazy(r"(?:OST|MDT)[0-9a-f]{4}")
_VARIABLE = lazy(r"[$`*?\[\]]")
_SHORT = "c:S:s:i:o:p:E:L:C:dHx:W:z:y:F:N"
_LONG = ["stripe-count=", "count=", "stripe-size=", "size=", "stripe-index=", "index=", "offset=", "ost-list=", "ost=", "pool="]
_LONG += ["component-end=", "layout=", "overstripe-count=", "delete", "mode=", "extension-size="]
_NAMES = {
    "-c": "stripe_count", "--stripe-count": "stripe_count", "--count": "stripe_count", "-C": "stripe_count",
    "--overstripe-count": "stripe_count", "-S": "stripe_size", "-s": "stripe_size", "--stripe-size": "stripe_size",
    "--size": "stripe_size", "-p": "pool", "--pool": "pool", "-L": "pattern", "--layout": "pattern",
}  # fmt: skip
_PLACES = ("-i", "-o", "--stripe-index", "--index", "--offset", "--ost-list", "--ost")
_LAYOUT = ("stripe_count", "stripe_size", "pattern", "pool", "layout")


def set_param_changes(words: list[str]) -> Iterator[_Change]:
    """Parameters of all targets; one that is set for a single target ends, for the targets are not known to be alike."""
    words = [word for word in words[1:] if not re.fullmatch(r"-\w+|--\w+", word)]
    if words[:1] != ["set_param"]:
        return
    for name, value in _assignments(words[1:]):
        if (parameter := _PARAMETER.match(name)) and value != "clear":
            key = parameter_key(parameter["component"], parameter["name"])
            is_known = not _VARIABLE.search(value) and not _ONE_TARGET.search(parameter["target"])
            yield "", key, spell_open_value(key, value) if is_known else None


def _assignments(words: list[str]) -> Iterator[tuple[str, str]]:
    """(name, value) of `name=value` words, or of `name value`."""
    if len(words) == 2 and "=" not in words[0]:
        yield words[0], words[1]
        return
    for word in words:
        name, separator, value = word.partition("=")
        if separator:
            yield name, value


def setstripe_changes(words: list[str]) -> Iterator[_Change]:
    """The layout of new files in a folder, or of a new file. Options of components are one text, as they stand in the command."""
    if words[1:2] != ["setstripe"]:
        return
    try:
        options, operands = getopt.gnu_getopt(words[2:], _SHORT, _LONG)
    except getopt.GetoptError:
        return
    layout: dict[str, str] = {_NAMES[option]: value for option, value in options if option in _NAMES}
    if any(option in ("-E", "--component-end") for option, _ in options):
        layout = {"layout": " ".join(f"{option} {value}" for option, value in options if option not in _PLACES)}
    for path in operands:
        if path.startswith("/") and not _VARIABLE.search(path):
            for name in _LAYOUT:
                value = layout.get(name, "$")
                yield path, f"lustre.{name}", None if _VARIABLE.search(value) else spell_open_value(f"lustre.{name}", value)


_Property = tuple[str, str]  # key, printed value
_EXT_SHORT = "b:C:D:E:FG:g:I:i:J:KL:M:m:N:no:O:qr:ST:t:U:V:ve:z:cl:jd:"
_EXT_VALUES = {
    "-b": "block_size",
    "-C": "cluster_size",
    "-G": "flex_block_group_size",
    "-g": "blocks_per_group",
    "-I": "inode_size",
    "-i": "bytes_per_inode",
    "-T": "usage_type",
}
_EXT_EXTENDED = {"stride": "raid_stride", "stripe_width": "raid_stripe_width", "stripe-width": "raid_stripe_width"}
_EXT_PLACES = ("resize", "offset", "root_owner", "hash_seed", "desc_size")
_XFS_SHORT = "b:m:d:i:l:n:p:r:s:L:c:fKqNV"
_XFS_NAMES = {
    "-b size": "bsize", "-d agcount": "agcount", "-d su": "su", "-d sw": "sw", "-d sunit": "sunit_sectors",
    "-d swidth": "swidth_sectors", "-d extszinherit": "extszinherit", "-d cowextsize": "cowextsize",
    "-d daxinherit": "daxinherit", "-i size": "isize", "-i sparse": "sparse", "-i nrext64": "nrext64", "-i maxpct": "imaxpct",
    "-l size": "log_size", "-l version": "log_version", "-l su": "log_su", "-l sunit": "log_sunit_sectors",
    "-l lazy-count": "lazy-count", "-n size": "naming_bsize", "-n ftype": "ftype", "-n parent": "parent", "-s size": "sectsz",
    "-r extsize": "extsz",
}  # fmt: skip
_XFS_FLAGS = ("crc", "finobt", "rmapbt", "reflink", "bigtime", "inobtcount")  # of -m, called as xfs_info calls them
_BTRFS_SHORT = "A:b:d:fKl:L:m:Mn:O:qr:R:s:U:V"
_BTRFS_LONG = ["data=", "metadata=", "nodesize=", "sectorsize=", "csum=", "checksum=", "features=", "runtime-features=", "label="]
_BTRFS_LONG += ["force", "mixed", "nodiscard", "quiet", "rootdir=", "uuid=", "byte-count=", "leafsize=", "alloc-start="]
_BTRFS_VALUES = {
    "-d": "data", "--data": "data", "-m": "metadata", "--metadata": "metadata", "-n": "nodesize", "--nodesize": "nodesize",
    "-s": "sectorsize", "--sectorsize": "sectorsize", "--csum": "csum_type", "--checksum": "csum_type",
}  # fmt: skip
_BTRFS_FEATURES = ("-O", "--features", "-R", "--runtime-features")


def format_properties(program: str, kind: str, words: list[str]) -> Iterator[_Property]:
    """Open keys that a command's words (without its name) set; nothing of words that the command would refuse."""
    entry = _TOOLS.get("newfs" if program == "newfs" else kind)
    if entry is None:
        return
    short, long, read = entry
    try:
        options, _ = getopt.gnu_getopt(words, short, long)
    except getopt.GetoptError:
        return
    for option, argument in options:
        yield from read(option, argument)


def _of_ext(option: str, argument: str) -> Iterator[_Property]:
    if option in _EXT_VALUES:
        yield f"ext4.{_EXT_VALUES[option]}", argument
    elif option == "-j":
        yield "ext4.has_journal", "on"
    elif option == "-O":
        yield from _features("ext4", argument)
    elif option in ("-E", "-J"):
        for name, value in _pairs(argument):
            if option == "-J":
                yield from _journal(name, value)
            elif name not in _EXT_PLACES:
                yield f"ext4.{_EXT_EXTENDED.get(name, name)}", value or "on"


def _journal(name: str, value: str) -> Iterator[_Property]:
    """mke2fs -J: its size in MiB unless it has a unit, or another device."""
    if name == "size":
        yield "ext4.journal_size", f"{value}M" if value.isdecimal() else value
    elif name == "device":
        yield "ext4.journal_device", "external"


def _of_xfs(option: str, argument: str) -> Iterator[_Property]:
    for name, value in _pairs(argument):
        if option == "-m" and name in _XFS_FLAGS:
            yield f"xfs.{name}", value or "1"
        elif known := _XFS_NAMES.get(f"{option} {name}"):
            yield f"xfs.{known}", value or "1"
        elif (option, name) in (("-l", "logdev"), ("-l", "internal"), ("-r", "rtdev")):
            yield (
                f"xfs.{'realtime' if option == '-r' else 'log'}",
                "internal" if name == "internal" and value != "0" else "external",
            )


def _of_btrfs(option: str, argument: str) -> Iterator[_Property]:
    if option in _BTRFS_VALUES:
        yield f"btrfs.{_BTRFS_VALUES[option]}", argument.lower()
    elif option in ("-M", "--mixed"):
        yield "btrfs.mixed", "on"
    elif option in _BTRFS_FEATURES:
        yield from _features("btrfs", argument)


def _of_newfs(option: str, _argument: str) -> Iterator[_Property]:
    """Soft updates and journals of UFS, which mount shows as its options."""
    if option in ("-U", "-j"):
        yield "mount.soft-updates", "journaled" if option == "-j" else "on"
    elif option == "-J":
        yield "mount.gjournal", "on"


def _features(namespace: str, argument: str) -> Iterator[_Property]:
    """`bigalloc,^has_journal`: on and off."""
    for name, _ in _pairs(argument):
        yield f"{namespace}.{name.lstrip('^')}", "off" if name.startswith("^") else "on"


def _pairs(argument: str) -> Iterator[_Property]:
    """(name, value) of `size=64k,lazy-count=1`; the value is '' of a name alone."""
    for word in argument.split(","):
        name, _, value = word.partition("=")
        if name:
            yield name, value


_TOOLS: Mapping[str, tuple[str, list[str], Callable[[str, str], Iterator[_Property]]]] = {
    "ext2": (_EXT_SHORT, [], _of_ext),
    "ext3": (_EXT_SHORT, [], _of_ext),
    "ext4": (_EXT_SHORT, [], _of_ext),
    "xfs": (_XFS_SHORT, [], _of_xfs),
    "btrfs": (_BTRFS_SHORT, _BTRFS_LONG, _of_btrfs),
    "newfs": ("a:b:c:d:e:f:g:h:i:jJk:L:lm:nNo:O:p:r:s:S:tT:U", [], _of_newfs),
}
