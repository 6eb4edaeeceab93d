"""Names of folders and files: `freebsd/lz4/run3`, `btrfs-zstd-3/`, `10g_no_l2arc_sync_always_1_thread`."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Reader
from ingest.records import Clue

# Files that are named after the command that wrote them say nothing of what was measured.
_COMMANDS = lazy(
    r"(?i)(?:z(?:fs|pool)|btrfs|lfs|beegfs)[-_. ](?:get|list|status|set|create|history|iostat|filesystem"
    r"|fi|subvolume|device|property|df|usage|show|stats?|ctl|version|events)(?:[-_ ][A-Za-z0-9]+)*"
    r"|xfs[-_]info|xfs[-_]db|zfs[-_]stats|dumpe2fs(?:-h)?"
)
_ENDINGS = lazy(r"(?i)(?:\.(?:txt|log|out|csv|json|jsonl|xls|xml|html|md|dat|gz|bz2|xz|zst|lz4|lzo|tar|tgz|zip|terse\d?|err))+\Z")


# `raid5-4disks`, `4x-ssd`, `8-drives`; one word alone behind a hyphen may as well number a run (`test-2-ssd`).
_DISKS = lazy(
    r"(?i)(?<![A-Za-z0-9.])(\d{1,3})(?:x?(?:disk|drive|hdd|ssd|nvme)s?|[-_x]{1,2}(?:disks|drives|hdds|ssds|nvmes)|x[-_](?:disk|drive|hdd|ssd|nvme))"
    r"(?![A-Za-z])"
)
_KERNEL = lazy(r"(?i)kernel[-_ ]?v?(\d\.\d{1,3}(?:\.\d{1,3})?(?:-rc\d{1,2})?)(?![\w.])")


def _counts(stem: str) -> Iterator[tuple[str, int]]:
    """How many disks a name tells, where it speaks of one kind of them."""
    told = _DISKS.findall(stem)
    if len(told) == 1 and int(told[0]) > 1:
        yield "disk.count", int(told[0])


def read_name(path: str) -> Iterator[Clue]:
    """Clues of every part of a path; the group tells the part's own path, so that deeper names can win."""
    prefix = ""
    parts = [part for part in path[:1000].split("/") if part and part != "."]
    for depth, part in enumerate(parts):
        prefix = f"{prefix}/{part}" if prefix else part
        stem = _ENDINGS.sub("", part) if depth == len(parts) - 1 else part
        kernel = _KERNEL.match(stem)
        counted = [*_counts(stem), *([("kernel", kernel[1])] if kernel else [])]
        for key, value in [*read_setting_words(_COMMANDS.sub(" ", stem)).items(), *counted]:
            yield Clue(0, key, value, part, kind="name", effect="shows", group=("path", prefix))


READER = Reader("path words", 6, None, None, read_name=read_name)
