"""The head of `arc_summary` and `zfs-stats`: system, host, architecture, installed memory.

    ZFS Subsystem Report                            Sun Jan 05 12:00:00 2020
    Linux 5.3.0-26-generic                                   0.8.1-1ubuntu14.3
    Machine: pond (x86_64)                                   0.8.1-1ubuntu14.3

Source: OpenZFS cmd/arc_summary (get_kstats, print_header): `uname` system and release, node name and machine; on the right
the versions of module and tools, which `zfs_version` reads. zfs-stats(1) of FreeBSD: `Real Installed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_HEAD = lazy(
    r"^[ \t]*ZFS Subsystem Report\b[^\n]*\n[ \t]*(?P<family>Linux|FreeBSD) (?P<release>\S+)[^\n]*\n"
    r"(?:[ \t]*Machine: (?P<host>[A-Za-z0-9][\w.-]*) \((?P<arch>\w+)\))?",
    re.MULTILINE,
)
_INSTALLED = lazy(r"^[ \t]*Real Installed:[ \t]+(\d{1,6}(?:\.\d+)?)[ \t]+([KMGT]i?B)\b", re.MULTILINE)
_ANCHOR = lazy(r"ZFS Subsystem Report|Real Installed:")


def read(text: Text) -> Iterator[Clue]:
    """Clues of the first lines of every report, and of `Real Installed:`."""
    for match in _HEAD.finditer(text.body):
        first = text.line_at(match.start("family"))
        for key, name in (("os.family", "family"), ("kernel", "release"), ("host", "host"), ("arch", "arch")):
            if match[name]:
                line = text.line_at(match.start(name))
                yield line_clue(text, line, key, match[name], group=first)
    for match in _INSTALLED.finditer(text.body):
        line, size = text.line_at(match.start()), normalise.parse_size(f"{match[1]} {match[2]}")
        if size:
            yield Clue(line, "memory", size, match[0].strip(), group=line)


READER = Reader("arc_summary", 1, Anchor(_ANCHOR, "zfs subsystem report", "real installed:"), read, "arc_summary(1), zfs-stats(1)")
