"""`zfs get` and `zpool get`, with or without title line, `-H`, `-o value`, of one property or all.

Source: zfs-get(8), zpool-get(8): NAME PROPERTY VALUE SOURCE, by `-H` separated with single tabs and without title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import names
from ingest.context._zfs import NAME, PROPERTIES, pool_of, value
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_SOURCE = r"(?:-|default|local|temporary|received|none|inherited(?: from \S+)?)"
_TOLD = (
    r"compression|dedup|atime|recordsize|sync|copies|ashift|version|type|feature@\w+|compressratio|dedupratio|used|available"
    r"|referenced|mountpoint|checksum|size|capacity|health|guid|free|allocated|fragmentation|freeing|leaked|multihost|checkpoint"
    r"|load_guid|autotrim|compatibility|primarycache|secondarycache|logbias|volsize|volblocksize|xattr|refcompressratio|written"
)
_ROW = re.compile(
    rf"^[ \t]*(?P<name>{NAME})(?:[ ]+|\t)(?P<prop>{_TOLD})(?:[ ]+|\t)(?P<value>\S+)"
    rf"(?:[ ]+|\t)(?P<source>{_SOURCE})[ \t]*$",
    re.MULTILINE,
)
_WIDE = re.compile(r"\S(?:[ ]{2,}|\t)\S")
_HEAD = re.compile(r"[ \t]*NAME[ \t]+PROPERTY[ \t]+VALUE[ \t]+SOURCE[ \t]*\Z")
_ANCHOR = re.compile(_ROW.pattern + r"|\bzfs[ \t]+get\b", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row; rows that follow each other for one data set are one dump."""
    last, group, told = 0, 0, ("", 0)
    for row in _ROW.finditer(text.body):
        line = text.line_at(row.start())
        if line > last + 1:
            if not _WIDE.search(row[0]) and not _HEAD.match(text.lines[line - 2] if line > 1 else ""):
                continue  # four words of prose; ZFS pads its columns with two blanks, and a title stands above
            group = line
        last = line
        yield from _row(row, line, group, told != (row["name"], group))
        told = (row["name"], group)
    yield from _bare_values(text)


def _row(row: re.Match[str], line: int, group: int, first: bool) -> Iterator[Clue]:
    dataset, prop, printed = row["name"], row["prop"], row["value"]
    if "@" in dataset:
        return
    raw = row[0].strip()
    if first:
        yield Clue(line, "pool.name", pool_of(dataset), raw, subject=pool_of(dataset), group=group)
    if prop == "type" and printed == "filesystem":
        yield Clue(line, "fs.type", "zfs", raw, subject=dataset, group=group)
    if prop == "feature@lz4_compress":
        yield from _effective(line, names.meaning_of_on(None, printed), raw, dataset, group)
    if (
        prop == "version" and "/" not in dataset and row["source"] in ("default", "local")
    ):  # of a pool; that of a data set has `-`
        yield from _effective(line, names.meaning_of_on(printed), raw, dataset, group)
    if prop in PROPERTIES and (spelled := value(prop, printed)) is not None:
        yield Clue(line, PROPERTIES[prop], spelled, raw, subject=dataset, group=group)


def _effective(line: int, meaning: str | None, raw: str, dataset: str, group: int) -> Iterator[Clue]:
    if meaning:
        yield Clue(line, "pool.compression_effective", meaning, raw, subject=dataset, group=group)


def _bare_values(text: Text) -> Iterator[Clue]:
    """`zfs get -H -o value compression tank` prints the value and nothing else: the command tells the rest."""
    for command in text.commands:
        if " get " not in command.text or command.last != command.first:
            continue
        asked = re.search(
            r"\bz(?:fs|pool)\s+get\s+(?:-H\w*\s+)?-\w*o\s*value\s+(?:-\w+\s+)*(\w+)\s+(\S+)\s*\Z", command.text
        )
        if asked and asked[1] in PROPERTIES:
            raw = text.lines[command.first - 1].strip()
            spelled = value(asked[1], raw)
            if spelled is not None:
                yield Clue(
                    command.first,
                    PROPERTIES[asked[1]],
                    spelled,
                    raw,
                    subject=asked[2].strip("'\""),
                    group=command.first,
                )


READER = Reader("zfs get", 1, _ANCHOR, read, "zfs-get(8), zpool-get(8)")
