"""Names of folders and files: `freebsd/lz4/run3`, `btrfs-zstd-3/`, `10g_no_l2arc_sync_always_1_thread`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._words import told
from ingest.records import Clue
from ingest.roles import Reader

# Files that are named after the command that wrote them say nothing of what was measured.
_COMMANDS = re.compile(
    r"(?i)(?:z(?:fs|pool)|btrfs|lfs|beegfs)[-_. ](?:get|list|status|set|create|history|iostat|filesystem"
    r"|fi|subvolume|device|property|df|usage|show|stats?|ctl|version|events)(?:[-_ ][A-Za-z0-9]+)*"
    r"|xfs[-_]info|xfs[-_]db|zfs[-_]stats|dumpe2fs(?:-h)?"
)
_ENDINGS = re.compile(
    r"(?i)(?:\.(?:txt|log|out|csv|json|jsonl|xls|xml|html|md|dat|gz|bz2|xz|zst|lz4|lzo|tar|tgz|zip|terse\d?|err))+\Z"
)


def read_name(path: str) -> Iterator[Clue]:
    """Clues of every part of a path; the group tells the part's own path, so that deeper names can win."""
    prefix = ""
    parts = [part for part in path[:1000].split("/") if part and part != "."]
    for depth, part in enumerate(parts):
        prefix = f"{prefix}/{part}" if prefix else part
        stem = _ENDINGS.sub("", part) if depth == len(parts) - 1 else part
        for key, value in told(_COMMANDS.sub(" ", stem)).items():
            yield Clue(0, key, value, part, kind="name", effect="shows", group=("path", prefix))


READER = Reader("path words", 3, None, None, read_name=read_name)
