"""`zfs get` and `zpool get`, with or without title line, `-H`, `-o value`, of one property or all.

Source: zfs-get(8), zpool-get(8): NAME PROPERTY VALUE SOURCE, by `-H` separated with single tabs and without title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context.zfs._property_names import DATASET_NAME, PROPERTY_KEYS, DatasetPaths, parse_property, pool_name
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_SOURCE = r"(?:-|default|local|temporary|received|none|inherited(?: from(?: \S+)?)?)"
_TOLD = (
    r"compression|dedup|atime|recordsize|sync|copies|ashift|version|type|feature@\w+|compressratio|dedupratio|used|available"
    r"|referenced|mountpoint|checksum|size|capacity|health|guid|free|allocated|fragmentation|freeing|leaked|multihost|checkpoint"
    r"|load_guid|autotrim|compatibility|primarycache|secondarycache|logbias|volsize|volblocksize|xattr|refcompressratio|written"
)
_MARK = r"(?:#[ \t]*)?"  # of an answer that was kept as a comment below its command; a backslash ends lines of a wiki
_ROW = lazy(
    rf"^[ \t]*{_MARK}(?P<name>{DATASET_NAME})(?:[ ]+|\t)(?P<prop>{_TOLD})(?:[ ]+|\t)(?P<value>\S+)"
    rf"(?:[ ]+|\t)(?P<source>{_SOURCE})[ \t]*\\?[ \t]*$",
    re.MULTILINE,
)
_WIDE = lazy(r"\S(?:[ ]{2,}|\t)\S")
_HEAD = lazy(rf"[ \t]*{_MARK}NAME[ \t]+PROPERTY[ \t]+VALUE[ \t]+SOURCE[ \t]*\\?[ \t]*\Z")
_TITLES = lazy(r"^[ \t]*(?P<name>NAME[ \t]+)?PROPERTY[ \t]+VALUE[ \t]*$", re.MULTILINE)  # -o property,value
_PAIR = lazy(r"[ \t]*(?P<prop>[a-z][\w@:.-]*)(?:[ ]+|\t)(?P<value>\S+(?: \S+)*)[ \t]*\Z")
_NAMED_PAIR = lazy(rf"[ \t]*(?P<name>{DATASET_NAME})(?:[ ]+|\t){_PAIR.pattern[6:]}")
_ASKED = lazy(r"\bz(?:fs|pool)\s+get\s+(?:\S+\s+)*?[\w@,:.]+\s+(?P<name>[A-Za-z][\w./:%-]*)\s*\Z")
_VDEV = lazy(r"(?:root|mirror|raidz[123]?|draid\d?[\w:]*|spare|replacing|log|special|dedup)-\d+\Z")  # vdevs have them, too
_OF_VDEVS = lazy(r"\bzpool\s+get\s+(?:-\S+\s+)*\S+\s+(?P<name>[A-Za-z][\w.:-]*)\s+\S")
_ANCHOR = (
    Anchor(_ROW, " -", "\t-", "default", "local", "temporary", "received", "none", "inherited")
    | Anchor(_TITLES, "property")
    | Anchor(lazy(r"\bzfs[ \t]+get\b"), "get")
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row; rows that follow each other for one data set are one dump."""
    last, group, told = 0, 0, ("", 0)
    of_vdevs, folders = _lines_of_vdevs(text), DatasetPaths(text.body)
    for row in _ROW.finditer(text.body):
        line = text.line_at(row.start())
        if line > last + 1:
            if not _WIDE.search(row[0]) and not _HEAD.match(text.lines[line - 2] if line > 1 else ""):
                continue  # four words of prose; ZFS pads its columns with two blanks, and a title stands above
            group = line
        last = line + row["source"].endswith(" from")  # the rest of the source was wrapped into the next line
        if line in of_vdevs:
            yield from _of_vdev(text, row, line, group)
            continue
        first = told != (row["name"], group)
        yield from _row(row, line, group, first)
        if first and row["name"] in folders.names:
            yield Clue(line, "fs.type", "zfs", row[0].strip(), subject=row["name"], group=group)
        told = (row["name"], group)
    for head in _TITLES.finditer(text.body):
        yield from _pairs(text, text.line_at(head.start()), _NAMED_PAIR if head["name"] else _PAIR)
    yield from _bare_values(text)


def _pairs(text: Text, head: int, form: re.Pattern[str]) -> Iterator[Clue]:
    """Rows without their source; where they do not name the data set, the command does."""
    command = text.command_for(head)
    asked = _ASKED.search(command.text) if command else None
    told = ""
    for line in range(head + 1, len(text.lines) + 1):
        row = form.match(text.lines[line - 1])
        if not row:
            break
        name = row.groupdict().get("name") or (asked["name"] if asked else "")
        spelled = parse_property(row["prop"], row["value"]) if row["prop"] in PROPERTY_KEYS else None
        if spelled is None or "@" in name:
            continue
        if name not in ("", told):
            yield Clue(line, "pool.name", pool_name(name), row[0].strip(), subject=pool_name(name), group=head)
            told = name
        yield Clue(line, PROPERTY_KEYS[row["prop"]], spelled, row[0].strip(), subject=name, group=head)


def _lines_of_vdevs(text: Text) -> set[int]:
    """Lines of every listing, rows without a gap, that names a vdev."""
    found: set[int] = set()
    listing: list[int] = []
    named, known = False, "-0" in text.body
    for row in _ROW.finditer(text.body) if known else ():
        line = text.line_at(row.start())
        if listing and line > listing[-1] + 1:
            found.update(listing if named else ())
            listing, named = [], False
        listing.append(line)
        named = named or _VDEV.match(row["name"]) is not None
    return found | set(listing if named else ())


def _of_vdev(text: Text, row: re.Match[str], line: int, group: int) -> Iterator[Clue]:
    """`zpool get ashift tank all-vdevs`: the pool stands in the command; of its vdevs those at the top decide."""
    shown = parse_property(row["prop"], row["value"]) if row["prop"] == "ashift" and _VDEV.match(row["name"]) else None
    if shown is not None:
        command = text.command_for(line)
        asked = _OF_VDEVS.search(command.text) if command else None
        yield Clue(line, "pool.ashift", shown, row[0].strip(), subject=asked["name"] if asked else "", group=group)


def _row(row: re.Match[str], line: int, group: int, first: bool) -> Iterator[Clue]:
    dataset, prop, printed = row["name"], row["prop"], row["value"]
    if "@" in dataset:
        return
    raw = row[0].strip()
    if first:
        yield Clue(line, "pool.name", pool_name(dataset), raw, subject=pool_name(dataset), group=group)
    if f"{prop} {printed}" == "type filesystem" or prop in ("recordsize", "atime") or (prop == "mountpoint" and printed[0] == "/"):
        yield Clue(line, "fs.type", "zfs", raw, subject=dataset, group=group)
    if prop == "feature@lz4_compress":
        yield from _effective(line, normalise.meaning_of_on(None, printed), raw, dataset, group)
    if prop == "version" and "/" not in dataset and row["source"] in ("default", "local"):  # of a pool; that of a data set has `-`
        yield from _effective(line, normalise.meaning_of_on(printed), raw, dataset, group)
    if prop in PROPERTY_KEYS and (spelled := parse_property(prop, printed)) is not None:
        yield Clue(line, PROPERTY_KEYS[prop], spelled, raw, subject=dataset, group=group)


def _effective(line: int, meaning: str | None, raw: str, dataset: str, group: int) -> Iterator[Clue]:
    if meaning:
        yield Clue(line, "pool.compression_effective", meaning, raw, subject=dataset, group=group)


def _bare_values(text: Text) -> Iterator[Clue]:
    """`zfs get -H -o value compression,sync tank` prints a value a line and nothing else: the command tells the rest."""
    for command in text.commands:
        if " get " not in command.text or command.last < command.first:
            continue
        asked = re.search(r"\bz(?:fs|pool)\s+get\s+(?:-H\w*\s+)?-\w*o\s*value\s+(?:-\w+\s+)*([\w,]+)\s+(\S+)\s*\Z", command.text)
        wanted = asked[1].split(",") if asked else []
        shown = range(command.first, command.last + 1)
        while shown and not text.lines[shown[-1] - 1].strip():
            shown = shown[:-1]
        if not asked or len(wanted) != len(shown):
            continue
        subject = asked[2].strip("'\"")
        for prop, line in zip(wanted, shown, strict=True):
            raw = text.lines[line - 1].strip()
            if prop in PROPERTY_KEYS and (spelled := parse_property(prop, raw)) is not None:
                yield Clue(line, PROPERTY_KEYS[prop], spelled, raw, subject=subject, group=command.first)


READER = Reader("zfs get", 6, _ANCHOR, read, "zfs-get(8), zpool-get(8)")
