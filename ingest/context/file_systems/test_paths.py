"""Paths that a tool tested (`/lustre/scratch/...`, `/mnt/beegfs/x`): weak evidence of the file system.

Forms: the lines on which IOR and iozone print their path or command line, and lines `File System To Test:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LINE = lazy(
    r"^[^\n/:]{0,12}[ \t]*(?:(?P<path>Path|test filename|Test filename|File System To Test)[ \t]*:"
    r"[ \t]*(?P<value>\S[^\n]*)"
    r"|Command line(?: used)?[ \t]*:[ \t]*(?P<command>\S[^\n]*))$",
    re.MULTILINE,
)
_OPTION = lazy(r"(?:\A|\s)-[odfF][ ]?(/\S+)")
_NAMES = frozenset(
    (
        "lustre",
        "beegfs",
        "gpfs",
        "cephfs",
        "ceph",
        "glusterfs",
        "gluster",
        "orangefs",
        "btrfs",
        "zfs",
        "xfs",
        "ext2",
        "ext3",
        "ext4",
        "nfs",
        "ufs",
        "daos",
        "jfs",
        "reiserfs",
    )
)


def read(text: Text) -> Iterator[Clue]:
    """A clue of every line whose paths have folders with the name of one kind of file system."""
    for line, match in text.matches(_LINE):
        paths = _OPTION.findall(match["command"][:4000]) if match["command"] else [match["value"][:1000]]
        kinds = {kind for path in paths for kind in _kinds(path)}
        if len(kinds) == 1:
            yield Clue(line, "fs.type", kinds.pop(), match[0].strip(), kind="name", effect="labels", group="test path")


def _kinds(path: str) -> Iterator[str]:
    """File systems that folders of an absolute path, or words of another text, are named after."""
    for word in re.split(r"[/\s]", path)[:-1] if path.startswith("/") else re.split(r"[/\s]", path):
        name = word.lower().strip("0123456789_-") if word.lower() not in _NAMES else word.lower()
        if name not in _NAMES and name.endswith("cephfs"):
            name = "cephfs"
        kind = normalise.file_system_type(name) if name in _NAMES else None
        if kind:
            yield kind


READER = Reader(
    "test paths",
    1,
    Anchor(
        lazy(r"(?i)path[ \t]*:|test filename[ \t]*:|command line|File System To Test"),
        "path",
        "test filename",
        "command line",
        "file system to test",
    ),
    read,
)
