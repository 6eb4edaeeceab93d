"""What the listings of disks share: models joined, and how many disks there are.

A listing shows the disks of the machine; how many hold the data, a pool's own listing tells better. So the number is
given as a label: it decides only where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.records import Clue
from ingest.text import Text


def models(found: list[tuple[str, int]], text: Text) -> Iterator[Clue]:
    kinds = sorted({model for model, _ in found})
    if 1 <= len(kinds) <= 8:
        line = found[0][1]
        yield Clue(line, "disk.model", " + ".join(kinds), text.lines[line - 1].strip(), group=line)


def model_of(printed: str) -> str:
    """Without what stands for nothing: `ATA` as the vendor of every SATA disk, the firmware in the last column."""
    words = re.sub(r"\s+", " ", printed).strip().removeprefix("ATA ")
    return "" if words.lower() in ("unknown", "(null)", "disk") else words


def listed(text: Text, disks: list[tuple[str, int]], group: int) -> Iterator[Clue]:
    if not disks:
        return
    yield from models([(model, line) for model, line in disks if model], text)
    line = disks[0][1]
    yield Clue(line, "disk.count", len(disks), text.lines[line - 1].strip(), kind="label", effect="shows", group=group)
