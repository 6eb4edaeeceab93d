"""Queues of block devices in the listings of util-linux: lsblk with SCHED, RQ-SIZE, RA or ROTA (`lsblk -t`), blockdev.

Forms: rows of lsblk below a title line with these columns, partitions left out; rows of `blockdev --report`; the number that
`blockdev --getra DEVICE` prints. blockdev counts read-ahead in sectors of 512 bytes, lsblk in KiB.
Evidence: these listings. Mentions: none.
Source: lsblk(8), blockdev(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LSBLK = lazy(r"^[ \t]*NAME(?=[ \t])[^\n]*[ \t](?:SCHED|RQ-SIZE|ROTA)(?=[ \t]|$)[^\n]*$", re.MULTILINE)
_ROW = lazy(r"[ \t]*([A-Za-z][\w!.-]*)[ \t]+\S")
_PARTITION = lazy(r"[ \t]*[\u2500-\u257f|`]")
_KEYS = {
    "SCHED": "scheduler",
    "RQ-SIZE": "nr_requests",
    "RA": "read_ahead_kb",
    "ROTA": "rotational",
    "PHY-SEC": "physical_block_size",
    "LOG-SEC": "logical_block_size",
}
_REPORT = lazy(
    r"^[ \t]*r[ow][ \t]+(?P<ahead>\d+)[ \t]+(?P<sector>\d+)[ \t]+\d+[ \t]+(?:\d+|N/A)[ \t]+\d+"
    r"[ \t]+(?P<device>/dev/[\w/.-]+)[ \t]*$",
    re.MULTILINE,
)
_GET = lazy(r"(?:sudo[ \t]+)?(?:/s?bin/)?blockdev[ \t]+--getra[ \t]+(/dev/[\w/.-]+)[ \t]*\Z")
_ANCHOR = (
    Anchor(_LSBLK, "sched|rq-size|rota")
    | Anchor(lazy(r"^[ \t]*r[ow][ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+[^\n]+/dev/", re.MULTILINE), "/dev/")
    | Anchor(lazy(r"\bblockdev[ \t]+--getra[ \t]"), "--getra")
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row."""
    for head in _LSBLK.finditer(text.body):
        yield from _listed(text, text.line_at(head.start()), [(match[0], match.end()) for match in re.finditer(r"\S+", head[0])])
    for row in _REPORT.finditer(text.body):
        line, raw = text.line_at(row.start("ahead")), row[0].strip()
        yield from open_clues(line, "block.read_ahead_kb", int(row["ahead"][:9]) // 2, raw, subject=row["device"])
        yield from open_clues(line, "block.logical_block_size", row["sector"], raw, subject=row["device"])
    for command in text.commands:
        asked = _GET.match(command.text)
        printed = text.lines[command.first - 1].strip() if asked and command.first <= command.last else ""
        if asked and re.fullmatch(r"\d{1,9}", printed):
            yield from open_clues(command.first, "block.read_ahead_kb", int(printed) // 2, printed, subject=asked[1])


def _listed(text: Text, head: int, columns: list[tuple[str, int]]) -> Iterator[Clue]:
    """Clues of the rows below a title line, up to one of another form; a cell may be empty, as SCHED is of some devices."""
    for line in range(head + 1, len(text.lines) + 1):
        row = text.lines[line - 1]
        if _PARTITION.match(row):
            continue
        named = _ROW.match(row)
        if not named:
            return
        for title, cell in _cells(row, columns):
            if title in _KEYS:
                subject = f"/dev/{named[1].replace('!', '/')}"
                yield from open_clues(line, f"block.{_KEYS[title]}", cell, row.strip(), subject=subject)


def _cells(row: str, columns: list[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """(title, cell): by order where no cell is empty, else those of numbers, which lsblk aligns with the end of their title."""
    words = list(re.finditer(r"\S+", row))
    if len(words) == len(columns):
        yield from ((title, word[0]) for (title, _), word in zip(columns, words, strict=True))
        return
    by_end = {word.end(): word[0] for word in words}
    yield from (
        (title, by_end[end]) for title, end in columns if title not in ("SCHED", "NAME") and by_end.get(end, "").isdecimal()
    )


READER = Reader("device queues", 1, _ANCHOR, read, "lsblk(8), blockdev(8)")
