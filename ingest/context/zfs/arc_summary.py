"""`arc_summary` and `zfs-stats`: system, host, architecture, installed memory in the head; parameters of the modules.

    ZFS Subsystem Report                            Sun Jan 05 12:00:00 2020
    Linux 5.3.0-26-generic                                   0.8.1-1ubuntu14.3
    Machine: pond (x86_64)                                   0.8.1-1ubuntu14.3

    Solaris Porting Layer (SPL):
            spl_taskq_thread_dynamic                                       1

    Tunables:
            zfs_arc_max                                           8589934592

Source: OpenZFS cmd/arc_summary (get_kstats, print_header, section_spl, section_tunables, format_raw_line; `-a` prints
`name=value`, `-d` a line `# description` above each): `uname` system and release, node name and machine; on the right the versions
of module and tools, which `zfs_version` reads. Before 0.8 the head of the parameters was `ZFS Tunables:`, and in FreeBSD
`ZFS Tunable (sysctl):`. zfs-stats(1) of FreeBSD: `Real Installed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue, open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import Text

_HEAD = lazy(
    r"^[ \t]*ZFS Subsystem Report\b[^\n]*\n[ \t]*(?P<family>Linux|FreeBSD) (?P<release>\S+)[^\n]*\n"
    r"(?:[ \t]*Machine: (?P<host>[A-Za-z0-9][\w.-]*) \((?P<arch>\w+)\))?",
    re.MULTILINE,
)
_INSTALLED = lazy(r"^[ \t]*Real Installed:[ \t]+(\d{1,6}(?:\.\d+)?)[ \t]+([KMGT]i?B)\b", re.MULTILINE)
_PARAMETERS = lazy(
    r"^[ \t]*(?:(?P<spl>Solaris Porting Layer \(SPL\)|SPL Tunables?)|(?:ZFS )?Tunables?)(?: \(\w+\))?:[ \t]*$", re.MULTILINE
)
_PARAMETER = lazy(r"[ \t]+(?P<name>[a-z]\w*(?:\.[\w.]+)?)(?:[ \t]{2,}|\t|=)(?P<value>\S.*)\Z")
_SELECTED = lazy(r"\[(\w+)\]")  # `cycle [fastest] scalar`: one of several
_BETWEEN = lazy(r"[ \t]*(?:#[^\n]*)?\Z")
_OF_SYSCTL = ("vfs.", "kern.", "vm.")
_ANCHOR = lazy(r"ZFS Subsystem Report|Real Installed:")


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of the first lines of every report, of `Real Installed:` and of the parameters."""
    yield from _clues_of_heads(text)
    yield from _parameters(text)


def _parameters(text: Text) -> Iterator[Clue]:
    """Parameters of the modules, and the settings of FreeBSD's kernel, below the title lines of their sections."""
    for head in _PARAMETERS.finditer(text.body):
        first = text.line_at(head.start())
        for number in range(first + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            row = _PARAMETER.match(line.rstrip())
            if row and ("." not in row["name"] or row["name"].startswith(_OF_SYSCTL)):
                selected = _SELECTED.search(row["value"])
                value = selected[1] if selected else row["value"]
                module = "sysctl" if "." in row["name"] else "module.spl" if head["spl"] else "module.zfs"
                yield from open_clues(number, f"{module}.{row['name']}", value, line.strip(), group=first)
            elif not _BETWEEN.match(line):
                break


def _clues_of_heads(text: Text) -> Iterator[Clue]:
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


READER = Reader("arc_summary", 2, Anchor(_ANCHOR, "zfs subsystem report|real installed:"), read, "arc_summary(1), zfs-stats(1)")
