"""The version of OpenZFS: `zfs version`, /sys/module/zfs/version, the message of the loaded module, modinfo, arc_summary.

Source: zfs-version(8), modinfo(8); module/os/linux/zfs/zfs_ioctl_os.c ("ZFS: Loaded module v%s%s, ZFS pool version %s").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_VERSION = r"\d+\.\d+\.\d+(?:\.\d+)*(?:[-_~+][\w.~+-]*)?"
_KMOD = lazy(rf"^[ \t]*(?:zfs-kmod-v?({_VERSION}(?:-FreeBSD_\w+)?))[ \t]*$", re.MULTILINE)
_TOOL = lazy(rf"^[ \t]*(?:zfs-v?({_VERSION}(?:-FreeBSD_\w+)?))[ \t]*$", re.MULTILINE)
_LOADED = lazy(rf"ZFS: Loaded module v({_VERSION})(?: \(DEBUG mode\))?, ZFS pool version", re.MULTILINE)
_SUMMARY = lazy(rf"^[ \t]*(?:ZFS version:|Linux \S+)[ \t]{{2,}}({_VERSION})[ \t]*$", re.MULTILINE)
_MODINFO = lazy(rf"^[ \t]*filename:[ \t]+\S*/zfs\.ko\S*[ \t]*\n[ \t]*version:[ \t]+({_VERSION})[ \t]*$", re.MULTILINE)
_FILE = lazy(rf"^[ \t]*({_VERSION})[ \t]*$", re.MULTILINE)
_SAVED = lazy(r"(?:sys[/_-]module[/_-])?\bzfs[/_-]version(?:\.txt)?\Z")
_ANCHOR = lazy(
    r"^[ \t]*zfs-(?:kmod-)?v?\d|ZFS: Loaded module|ZFS version:|/zfs\.ko|^[ \t]*(?:Linux \S+[ \t]+)?\d+\.\d{1,3}\.\d", re.MULTILINE
)


def read(text: Text) -> Iterator[Clue]:
    """The version of the module; where the text has none, that of the tools."""
    matches = [match for form in (_KMOD, _LOADED, _MODINFO) for match in form.finditer(text.body)]
    matches = matches or list(_TOOL.finditer(text.body))
    if "ZFS Subsystem Report" in text.body or "ARC " in text.body:
        matches += _SUMMARY.finditer(text.body)
    for match in matches:
        yield line_clue(text, text.line_at(match.start()), "fs.version", match[1])
    for command in text.commands:
        if "/sys/module/zfs/version" in command.text and command.first <= command.last:
            version = _FILE.match(text.lines[command.first - 1])
            if version:
                yield line_clue(text, command.first, "fs.version", version[1])
    if "version" in text.name and len(text.lines) <= 3 and _SAVED.search(text.path):
        for match in _FILE.finditer(text.body):
            yield line_clue(text, text.line_at(match.start()), "fs.version", match[1])


READER = Reader(
    "zfs version",
    2,
    Anchor(_ANCHOR, "zfs-|zfs: loaded|zfs version:|/zfs.ko|.0.0|.00.0|.000.0"),
    read,
    "zfs-version(8), modinfo(8)",
)
