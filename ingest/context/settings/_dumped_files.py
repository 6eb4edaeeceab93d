"""Small files of /proc and /sys, as people show them.

Forms: `grep . PATH...` (`/sys/block/sda/queue/nr_requests:64`), also with ` = ` or `: `; `head` and `tail -n +1` of several files
(`==> PATH <==` above the content); `cat PATH...` behind a prompt, with one line of output for each file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand, Text

_PATH = (
    r"/(?:sys/(?:block|class/block|class/nvme|module|kernel/mm/transparent_hugepage|devices|fs/cgroup)/[\w.:!+@/-]*\w"
    r"|proc/sys/[\w./+@-]*\w|proc/cmdline)"
)
_PREFIXED = lazy(rf"^[ \t]*(?P<path>{_PATH})[ \t]*[:=][ \t]*(?P<value>\S[^\n]*)$", re.MULTILINE)
_HEADED = lazy(rf"^[ \t]*==> (?P<path>{_PATH}) <==[ \t]*\n(?P<value>[ \t]*(?!==>)\S[^\n]*)$", re.MULTILINE)
_CAT = lazy(r"(?:(?:sudo|doas|pfexec|run0)[ \t]+)?cat((?:[ \t]+/(?:sys|proc)/[^\s;|&<>$`]+)+)[ \t]*\Z")
_GLOB = lazy(r"[*?\[{]")
_MANY = "*"  # stands for the files that a pattern names
_CHOICE = lazy(r"(?:\A|\s)\[([\w-]+)\](?=\s|\Z)")


class ShownFile(NamedTuple):
    """The content of a file of one line; `path` holds `*` where a pattern names several files of the same content."""

    line: int
    path: str
    value: str


def shown_files(text: Text) -> Iterator[ShownFile]:
    """Every file of /proc and /sys that the text shows."""
    for form in (_PREFIXED, _HEADED):
        for match in form.finditer(text.body):
            yield ShownFile(text.line_at(match.start("value")), match["path"], match["value"].strip())
    for command in text.commands:
        paths = _CAT.match(command.text)
        if paths:
            yield from _printed_files(text, command, paths[1].split())


def _printed_files(text: Text, command: ShownCommand, paths: list[str]) -> Iterator[ShownFile]:
    rows = [(line, text.lines[line - 1].strip()) for line in range(command.first, min(command.last, command.first + 999) + 1)]
    rows = [(line, row) for line, row in rows if row]
    if any(row.startswith("cat:") for _, row in rows):
        return
    if len(paths) == 1 and _GLOB.search(paths[0]):
        if rows and len({row for _, row in rows}) == 1:
            yield ShownFile(rows[0][0], re.sub(r"[^/]*[*?\[{][^/]*", _MANY, paths[0]), rows[0][1])
    elif len(rows) == len(paths):
        yield from (ShownFile(line, path, row) for (line, row), path in zip(rows, paths, strict=True))


def chosen_word(value: str) -> str:
    """The word in brackets of `[mq-deadline] kyber none`; any other text as it is."""
    choice = _CHOICE.search(value)
    return choice[1] if choice else value
