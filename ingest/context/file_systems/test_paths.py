"""Paths and interfaces that a tool tested (`/lustre/scratch/...`, `/mnt/beegfs/x`, `api : DFS`): evidence of the file system.

Evidence: the lines on which IOR, mdtest and iozone print their path, interface or command line, and lines `File System To Test:`.
A folder's name is weak evidence. `nfs` is none: folders keep that name whatever is mounted there. DFS is the interface of
DAOS (IOR, src/aiori-DFS.c), which needs no mount point. Mentions: paths anywhere else, in settings or scripts for example.
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
    r"|(?i:api)[ \t]*:[ \t]*(?P<api>\S+)[ \t]*"
    r"|Command line(?: used)?[ \t]*:[ \t]*(?P<command>\S[^\n]*))$",
    re.MULTILINE,
)
_OPTION = lazy(r"(?:\A|\s)-[odfF][ ]?(/\S+)")
_INTERFACE = lazy(r"(?:\A|\s)['\"]?-a['\"]?[ ]?['\"]?(?P<api>\w+)")
_INTERFACES = {"DFS": "daos"}
_NAMES = frozenset(
    "lustre beegfs gpfs cephfs ceph glusterfs gluster orangefs btrfs zfs xfs ext2 ext3 ext4 ufs daos jfs reiserfs".split()
)


def read(text: Text) -> Iterator[Clue]:
    """A clue of every line with such an interface, or whose paths have folders with the name of one kind of file system.

    A file system known by the interface ends at the next command line or interface of another.
    """
    by_interface = False
    for line, match in text.matches(_LINE):
        kind, raw = _INTERFACES.get(_interface(match)), match[0].strip()
        if kind:
            yield Clue(line, "fs.type", kind, raw, effect="labels", group="test path")
        elif by_interface and not match["value"]:
            yield Clue(line, "fs.type", None, raw, effect="ends", group="test path")
        by_interface = kind is not None or (by_interface and match["value"] is not None)
        if kind or match["api"]:
            continue
        paths = _OPTION.findall(match["command"][:4000]) if match["command"] else [match["value"][:1000]]
        kinds = {kind for path in paths for kind in _kinds(path)}
        if len(kinds) == 1:
            yield Clue(line, "fs.type", kinds.pop(), raw, kind="name", effect="labels", group="test path")


def _interface(match: re.Match[str]) -> str:
    """The interface that a line names; empty for none."""
    if match["api"]:
        return match["api"]
    option = _INTERFACE.search(match["command"][:4000]) if match["command"] else None
    return option["api"] if option else ""


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
    2,
    Anchor(
        lazy(r"(?i)path[ \t]*:|test filename[ \t]*:|command line|File System To Test|\bapi[ \t]*:"),
        "api|path|test filename|command line|file system to test",
    ),
    read,
)
