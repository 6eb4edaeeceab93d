"""The version of OpenZFS: `zfs version`, /sys/module/zfs/version, the message of the loaded module, modinfo, arc_summary.

Source: zfs-version(8), modinfo(8); module/os/linux/zfs/zfs_ioctl_os.c ("ZFS: Loaded module v%s%s, ZFS pool version %s").

Source of arc_summary: arc_summary(1), zfs-stats(1)
Source of zpool history: zpool-history(8)
Source of zfs version: zfs-version(8), modinfo(8)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue, open_clues
from ingest.context.commands._command_effects import command_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import Text

# `arc_summary` and `zfs-stats`: system, host, architecture, installed memory in the head; parameters of the modules.
#
# ZFS Subsystem Report                            Sun Jan 05 12:00:00 2020     Linux 5.3.0-26-generic
# 0.8.1-1ubuntu14.3     Machine: pond (x86_64)                                   0.8.1-1ubuntu14.3
#
# Solaris Porting Layer (SPL):             spl_taskq_thread_dynamic                                       1
#
# Tunables:             zfs_arc_max                                           8589934592
#
# Source: OpenZFS cmd/arc_summary (get_kstats, print_header, section_spl, section_tunables, format_raw_line; `-a` prints
# `name=value`, `-d` a line `# description` above each): `uname` system and release, node name and machine; on the right the
# versions of module and tools, which `zfs_version` reads. Before 0.8 the head of the parameters was `ZFS Tunables:`, and in
# FreeBSD `ZFS Tunable (sysctl):`. zfs-stats(1) of FreeBSD: `Real Installed`.

_ARC_HEAD = lazy(
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
_ARC_ANCHOR = lazy(r"ZFS Subsystem Report|Real Installed:")


def read_arc(text: Text) -> Iterator[Clue | Doubt]:
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
    for match in _ARC_HEAD.finditer(text.body):
        first = text.line_at(match.start("family"))
        for key, name in (("os.family", "family"), ("kernel", "release"), ("host", "host"), ("arch", "arch")):
            if match[name]:
                line = text.line_at(match.start(name))
                yield line_clue(text, line, key, match[name], group=first)
    for match in _INSTALLED.finditer(text.body):
        line, size = text.line_at(match.start()), normalise.parse_size(f"{match[1]} {match[2]}")
        if size:
            yield Clue(line, "memory", size, match[0].strip(), group=line)


ARC = Reader("arc_summary", 2, Anchor(_ARC_ANCHOR, "zfs subsystem report|real installed:"), read_arc)


# `zpool history`: the commands that created and changed a pool, each with its time.
#
# Source: zpool-history(8): `History for 'POOL':`, then a line `YYYY-MM-DD.hh:mm:ss COMMAND` for each; `-l` adds user, host and
# zone in brackets, `-i` internal events, which are left out. The last command that sets a key decides.

_HEAD = lazy(r"^[ \t]*History for '[^'\n]{1,80}':[ \t]*$", re.MULTILINE)
_LINE = lazy(r"[ \t]*\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d (?P<command>(?:zpool|zfs) [^\n\[]{1,2000}?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\Z")
_EVENT = lazy(r"[ \t]*(?:\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d .*)?\Z")


def read_history(text: Text) -> Iterator[Clue]:
    """Clues of the settings at the end of each history, on the lines of the last commands that set them."""
    for head in _HEAD.finditer(text.body):
        last: dict[tuple[str, str], Clue] = {}
        for number in range(text.line_at(head.end()) + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            if not _EVENT.match(line):
                break
            if entry := _LINE.match(line):
                for clue in command_clues(number, entry["command"]):
                    last[clue.subject, clue.key] = clue
        for clue in sorted(last.values(), key=lambda clue: (clue.line, clue.key)):
            if clue.value is not None and clue.effect == "sets":
                yield Clue(clue.line, clue.key, clue.value, clue.raw, subject=clue.subject, group=clue.group, by_person=True)


HISTORY = Reader("zpool history", 2, Anchor(_HEAD, "history for '"), read_history)


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


READER = Reader("zfs version", 2, Anchor(_ANCHOR, "zfs-|zfs: loaded|zfs version:|/zfs.ko|.0.0|.00.0|.000.0"), read)
