"""File systems as listings of block devices show them: `lsblk -f` or with the columns FSTYPE and MOUNTPOINT; `diskutil info`.

Source: lsblk(8) (columns as wide as their widest cell, texts left-aligned, `MOUNTPOINTS` since util-linux 2.37);
diskutil(8), `Mount Point` above `File System Personality`. What is not mounted is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_HEAD = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME(?=[ \t])[^\n]*[ \t]FSTYPE\b[^\n]*[ \t]MOUNTPOINTS?[^\n]*$", re.MULTILINE)
_ROW = lazy(r"[ \t]*[\u2500-\u257f|`\- ]*[A-Za-z][\w!.:+-]*(?:[ \t]+\S.*)?\s*\Z")
_MAC = lazy(
    r"^[ \t]*Mount Point:[ \t]+(?P<folder>/[^\n]*?)[ \t]*\n(?:[ \t]*[^\n]*\n){0,3}?"
    r"[ \t]*(?P<raw>File System Personality:[ \t]+(?P<kind>[^\n]{2,40}?))[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME[ \t][^\n]*\bFSTYPE\b|File System Personality:", re.MULTILINE)
_SYSTEM_FOLDERS = lazy(r"/(?:boot|efi|dev|proc|sys|run|snap)(?:/|\Z)")
_NO_DATA_TYPES = ("tmpfs", "vfat", "9p", "virtiofs", "squashfs", "iso9660")


def read(text: Text) -> Iterator[Clue]:
    """A clue for every file system that is mounted where data may lie."""
    for head in _HEAD.finditer(text.body):
        yield from _listing(
            text, text.line_at(head.start()), {column[0]: column.start() for column in re.finditer(r"\S+", head[0])}
        )
    for match in _MAC.finditer(text.body):
        kind = normalise.file_system_type(re.sub(r"^(?:Case-sensitive |Journaled )+", "", match["kind"], flags=re.I).split(" ")[0])
        if kind:
            line = text.line_at(match.start("raw"))
            yield Clue(line, "fs.type", kind, match["raw"], subject=match["folder"], group=line)


def _listing(text: Text, head: int, columns: dict[str, int]) -> Iterator[Clue]:
    """Clues of the rows below a title line; `columns`: name -> where it begins."""
    mount_column = columns["MOUNTPOINT"] if "MOUNTPOINT" in columns else columns["MOUNTPOINTS"]
    for line in range(head + 1, len(text.lines) + 1):
        row = text.lines[line - 1]
        if not _ROW.match(row):
            break
        kind, folder = normalise.file_system_type(_cell(row, columns["FSTYPE"])), _cell(row, mount_column)
        if kind and kind not in _NO_DATA_TYPES and folder.startswith("/") and not _SYSTEM_FOLDERS.match(folder):
            yield Clue(line, "fs.type", kind, row.strip(), subject=folder, group=head)


def _cell(row: str, start: int) -> str:
    """The word that begins right below a head; '' where the row is not aligned with it."""
    word = row[start:].split(" ", 1)[0]
    return word if row[start - 1 : start] == " " else ""


READER = Reader("block devices", 2, Anchor(_ANCHOR, "fstype|file system personality"), read, "lsblk(8), diskutil(8)")
