"""Properties as `zfs get` and `zpool get` print them.

Forms: rows NAME PROPERTY VALUE SOURCE, below a title or with columns padded as ZFS does (or tabs of `-H`); rows below a title
without SOURCE (`-o property,value`); values alone, below a command with `-o value`.
Source: zfs-get(8), zpool-get(8): `-H` separates the columns with single tabs and leaves out the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue
from ingest.context.zfs._property_names import DATASET_NAME, PROPERTY_KEYS, DatasetPaths, parse_property, pool_name
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_SOURCE = r"(?:-|default|local|temporary|received|none|inherited(?: from(?: \S+)?)?)"
_PROPERTY_NAMES = (
    r"compression|dedup|atime|recordsize|sync|copies|ashift|version|type|feature@\w+|compressratio|dedupratio|used|available"
    r"|referenced|mountpoint|checksum|size|capacity|health|guid|free|allocated|fragmentation|freeing|leaked|multihost|checkpoint"
    r"|load_guid|autotrim|compatibility|primarycache|secondarycache|logbias|volsize|volblocksize|xattr|refcompressratio|written"
)
_MARK = r"(?:#[ \t]*)?"  # output kept as a comment below its command; a backslash ends lines of a wiki
_ROW = lazy(
    rf"^[ \t]*{_MARK}(?P<name>{DATASET_NAME})(?:[ ]+|\t)(?P<prop>{_PROPERTY_NAMES})(?:[ ]+|\t)(?P<value>\S+)"
    rf"(?:[ ]+|\t)(?P<source>{_SOURCE})[ \t]*\\?[ \t]*$",
    re.MULTILINE,
)
_WIDE = lazy(r"\S(?:[ ]{2,}|\t)\S")
_HEAD = lazy(rf"[ \t]*{_MARK}NAME[ \t]+PROPERTY[ \t]+VALUE[ \t]+SOURCE[ \t]*\\?[ \t]*\Z")
_TITLES = lazy(r"^[ \t]*(?P<name>NAME[ \t]+)?PROPERTY[ \t]+VALUE[ \t]*$", re.MULTILINE)  # -o property,value
_PAIR = lazy(r"[ \t]*(?P<prop>[a-z][\w@:.-]*)(?:[ ]+|\t)(?P<value>\S+(?: \S+)*)[ \t]*\Z")
_NAMED_PAIR = lazy(rf"[ \t]*(?P<name>{DATASET_NAME})(?:[ ]+|\t){_PAIR.pattern[6:]}")
_ASKED = lazy(r"\bz(?:fs|pool)\s+get\s+(?:\S+\s+)*?[\w@,:.]+\s+(?P<name>[A-Za-z][\w./:%-]*)\s*\Z")
_VDEV = lazy(r"(?:root|mirror|raidz[123]?|draid\d?[\w:]*|spare|replacing|log|special|dedup)-\d+\Z")  # vdevs have properties, too
_OF_VDEVS = lazy(r"\bzpool\s+get\s+(?:-\S+\s+)*\S+\s+(?P<name>[A-Za-z][\w.:-]*)\s+\S")
_ANCHOR = (
    Anchor(_ROW, " -", "\t-", "default", "local", "temporary", "received", "none", "inherited")
    | Anchor(_TITLES, "property")
    | Anchor(lazy(r"\bzfs[ \t]+get\b"), "get")
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row of all forms; rows that follow each other for one data set are one dump."""
    last, group, previous = 0, 0, ("", 0)
    vdev_lines, folders = _vdev_lines(text), DatasetPaths(text.body)
    for row in _ROW.finditer(text.body):
        line = text.line_at(row.start())
        if line > last + 1:
            if not _WIDE.search(row[0]) and not _HEAD.match(text.lines[line - 2] if line > 1 else ""):
                continue  # four words of prose: ZFS pads its columns with two blanks, or has a title above
            group = line
        last = line + row["source"].endswith(" from")  # the rest of the source was wrapped into the next line
        if line in vdev_lines:
            yield from _vdev_row(text, row, line, group)
            continue
        first = previous != (row["name"], group)
        yield from _dataset_row(row, line, group, first)
        if first and row["name"] in folders.names:
            yield Clue(line, "fs.type", "zfs", row[0].strip(), subject=row["name"], group=group)
        previous = (row["name"], group)
    for head in _TITLES.finditer(text.body):
        yield from _pairs(text, text.line_at(head.start()), _NAMED_PAIR if head["name"] else _PAIR)
    yield from _bare_values(text)


def _pairs(text: Text, head: int, form: re.Pattern[str]) -> Iterator[Clue]:
    """Rows without a source below a title line; without a name, the data set is that of the command."""
    command = text.command_for(head)
    asked = _ASKED.search(command.text) if command else None
    previous = ""
    for line in range(head + 1, len(text.lines) + 1):
        row = form.match(text.lines[line - 1])
        if not row:
            break
        name = row.groupdict().get("name") or (asked["name"] if asked else "")
        value = parse_property(row["prop"], row["value"]) if row["prop"] in PROPERTY_KEYS else None
        if value is None or "@" in name:
            continue
        if name not in ("", previous):
            yield Clue(line, "pool.name", pool_name(name), row[0].strip(), subject=pool_name(name), group=head)
            previous = name
        yield Clue(line, PROPERTY_KEYS[row["prop"]], value, row[0].strip(), subject=name, group=head)


def _vdev_lines(text: Text) -> set[int]:
    """Lines of every listing, rows without a gap, that names a vdev."""
    lines: set[int] = set()
    listing: list[int] = []
    names_vdev = False
    for row in _ROW.finditer(text.body) if "-0" in text.body else ():
        line = text.line_at(row.start())
        if listing and line > listing[-1] + 1:
            lines.update(listing if names_vdev else ())
            listing, names_vdev = [], False
        listing.append(line)
        names_vdev = names_vdev or _VDEV.match(row["name"]) is not None
    return lines | set(listing if names_vdev else ())


def _vdev_row(text: Text, row: re.Match[str], line: int, group: int) -> Iterator[Clue]:
    """The ashift of a top-level vdev (`zpool get ashift tank all-vdevs`); the pool is that of the command."""
    ashift = parse_property(row["prop"], row["value"]) if row["prop"] == "ashift" and _VDEV.match(row["name"]) else None
    if ashift is not None:
        command = text.command_for(line)
        asked = _OF_VDEVS.search(command.text) if command else None
        yield Clue(line, "pool.ashift", ashift, row[0].strip(), subject=asked["name"] if asked else "", group=group)


def _dataset_row(row: re.Match[str], line: int, group: int, first: bool) -> Iterator[Clue]:
    """Clues of a row of a pool or data set, none of a snapshot; `first`: also the pool's name."""
    dataset, prop, printed = row["name"], row["prop"], row["value"]
    if "@" in dataset:
        return
    raw = row[0].strip()
    if first:
        yield Clue(line, "pool.name", pool_name(dataset), raw, subject=pool_name(dataset), group=group)
    if f"{prop} {printed}" == "type filesystem" or prop in ("recordsize", "atime") or (prop == "mountpoint" and printed[0] == "/"):
        yield Clue(line, "fs.type", "zfs", raw, subject=dataset, group=group)
    if effective := _meaning_of_on(row):
        yield Clue(line, "pool.compression_effective", effective, raw, subject=dataset, group=group)
    if prop in PROPERTY_KEYS and (value := parse_property(prop, printed)) is not None:
        yield Clue(line, PROPERTY_KEYS[prop], value, raw, subject=dataset, group=group)


def _meaning_of_on(row: re.Match[str]) -> str | None:
    """The algorithm that `compression=on` selects in the pool, from its version or features."""
    if row["prop"] == "feature@lz4_compress":
        return normalise.meaning_of_on(None, row["value"])
    if row["prop"] == "version" and "/" not in row["name"] and row["source"] in ("default", "local"):
        return normalise.meaning_of_on(row["value"])  # of a pool; the version of a data set has the source `-`
    return None


def _bare_values(text: Text) -> Iterator[Clue]:
    """Values of `zfs get -H -o value compression,sync tank`, one a line; properties and data set are those of the command."""
    for command in text.commands:
        if " get " not in command.text or command.last < command.first:
            continue
        asked = re.search(r"\bz(?:fs|pool)\s+get\s+(?:-H\w*\s+)?-\w*o\s*value\s+(?:-\w+\s+)*([\w,]+)\s+(\S+)\s*\Z", command.text)
        props = asked[1].split(",") if asked else []
        output = range(command.first, command.last + 1)
        while output and not text.lines[output[-1] - 1].strip():
            output = output[:-1]
        if not asked or len(props) != len(output):
            continue
        subject = asked[2].strip("'\"")
        for prop, line in zip(props, output, strict=True):
            if prop in PROPERTY_KEYS and (value := parse_property(prop, text.lines[line - 1].strip())) is not None:
                yield line_clue(text, line, PROPERTY_KEYS[prop], value, subject=subject, group=command.first)


READER = Reader("zfs get", 6, _ANCHOR, read, "zfs-get(8), zpool-get(8)")
