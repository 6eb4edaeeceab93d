"""Commands that change the configuration, in a transcript or a script: zpool, zfs, mount, mkfs, mdadm.

Source: zpool-create(8), zfs-set(8), zfs-create(8), mount(8), mkfs.btrfs(8), mke2fs(8), mdadm(8). A command that printed
an error changed nothing; a value that stands in a variable ends what was known without telling what came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context import _commands
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_NAMES = r"zpool|zfs|mount|umount|mkfs(?:\.\w+)?|mke2fs|newfs|mdadm|btrfs"
_ANCHOR = re.compile(rf"\b(?:{_NAMES})[ \t]+\S")
_SCRIPT_LINE = re.compile(rf"^[ \t]*(?:sudo[ \t]+)?(?:{_NAMES})[ \t]+\S[^\n]*$", re.MULTILINE)
_FAILED = re.compile(
    r"(?:cannot |invalid |usage:|missing |zpool: |zfs: |mount: |mkfs|umount: |internal error|[Pp]ermission denied"
    r"|must be superuser|bash: |.*command not found|.*: not found)"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every command, in line order. What was made on a device is told of the folder it is mounted on."""
    made: dict[str, dict[str, object]] = {}
    for line, command in _ran(text):
        if not _ANCHOR.search(command):
            continue
        for part in re.split(r"&&|\|\||;|\n", command[:4000]):
            for clue in _commands.clues(line, part.strip(), made):
                if clue.subject.startswith("/dev/") and clue.effect == "sets":
                    made.setdefault(clue.subject, {})[clue.key] = clue.value
                yield clue


def _ran(text: Text) -> Iterator[tuple[int, str]]:
    if text.commands:
        for command in text.commands:
            output = text.lines[command.first - 1 : min(command.last, command.first + 2)]
            if not any(_FAILED.match(line) for line in output):
                yield command.line, command.text
    elif text.body.startswith("#!") or re.search(r"\.(?:sh|bash|zsh|ksh|csh|tcsh)\Z", text.name):
        for match in _SCRIPT_LINE.finditer(text.body):
            yield text.line_at(match.start()), match[0].strip()


READER = Reader("command history", 1, _ANCHOR, read, "zpool-create(8), zfs-set(8), mount(8), mkfs(8), mdadm(8)")
