"""Names of folders and files as evidence: `freebsd/lz4/run3`, `btrfs-zstd-3/`, `10g_no_l2arc_sync_always_1_thread`.

Forms: words of `read_setting_words` anywhere in a name, also with the number of a run (`ext43`, `lz41`), a number of disks
(`raid5-4disks`), `kernel-6.1` at the start of a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Reader
from ingest.records import Clue

# Names of files with the output of a command: its words are no settings.
_COMMANDS = lazy(
    r"(?i)(?:z(?:fs|pool)|btrfs|lfs|beegfs)[-_. ](?:get|list|status|set|create|history|iostat|filesystem"
    r"|fi|subvolume|device|property|df|usage|show|stats?|ctl|version|events)(?:[-_ ][A-Za-z0-9]+)*"
    r"|xfs[-_]info|xfs[-_]db|zfs[-_]stats|dumpe2fs(?:-h)?"
)
_ENDINGS = lazy(  # and before them the number of a run: `ext4.1.log`
    r"(?i)(?:(?:(?<=[a-z])(?<!zstd|gzip|zlib)|(?<=ext\d)|(?<=lz4))\.\d{1,2})?"
    r"(?:\.(?:txt|log|out|csv|json|jsonl|xls|xml|html|md|dat|gz|bz2|xz|zst|lz4|lzo|tar|tgz|zip|terse\d?|err))*\Z"
)


# `raid5-4disks`, `4x-ssd`, `8-drives`; one word alone behind a hyphen may as well number a run (`test-2-ssd`).
_DISKS = lazy(
    r"(?i)(?<![A-Za-z0-9.])(\d{1,3})(?:x?(?:disk|drive|hdd|ssd|nvme)s?|[-_x]{1,2}(?:disks|drives|hdds|ssds|nvmes)|x[-_](?:disk|drive|hdd|ssd|nvme))"
    r"(?![A-Za-z])"
)
# The third run on ext4, no file system of that name.
_NUMBERED = lazy(
    r"(?i)(?<![A-Za-z0-9])(ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|nilfs2|reiserfs|lz4|lzjb|zle|lzo)(?=\d{1,2}(?![A-Za-z0-9]))"
)
_KERNEL = lazy(r"(?i)kernel[-_ ]?v?(\d\.\d{1,3}(?:\.\d{1,3})?(?:-rc\d{1,2})?)(?![\w.])")


def _disk_count(stem: str) -> Iterator[tuple[str, int]]:
    """The number of disks in a name; nothing where it has several such numbers."""
    counts = _DISKS.findall(stem)
    if len(counts) == 1 and int(counts[0]) > 1:
        yield "disk.count", int(counts[0])


def read_name(path: str) -> Iterator[Clue]:
    """Clues of every part of a path, on line 0; the group holds the path of the part, so that deeper names take precedence."""
    prefix = ""
    parts = [part for part in path[:1000].split("/") if part and part != "."]
    for depth, part in enumerate(parts):
        prefix = f"{prefix}/{part}" if prefix else part
        stem = _ENDINGS.sub("", part) if depth == len(parts) - 1 else part
        kernel = _KERNEL.match(stem)
        numbers = [*_disk_count(stem), *([("kernel", kernel[1])] if kernel else [])]
        for key, value in [*read_setting_words(_NUMBERED.sub(r"\1 ", _COMMANDS.sub(" ", stem))).items(), *numbers]:
            yield Clue(0, key, value, part, kind="name", group=("path", prefix))


READER = Reader("path words", 11, None, None, read_name=read_name)
