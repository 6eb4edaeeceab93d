"""Folders of copies that can be made again: which are kept, and how one is used while others delete."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

LIMIT = 2 * 2**30
UNFINISHED, BORROWED = ".unfinished-", ".borrowed-"
"""Beginnings of names of copies that are being written, and of further links to copies that are in use."""
_LEFT_BEHIND = 24 * 3600  # seconds; older ones are of processes that died


def borrow(copy: Path, link: Path) -> bool:
    """Make a second link to a copy, which stays when the first is pruned. False where there is no such copy."""
    try:
        os.utime(copy)
        os.link(copy, link)
    except FileNotFoundError:
        return False
    return True


def prune(folder: Path, keep: Path, ending: str = "", limit: int = LIMIT) -> None:
    """Delete the least recently used copies (names with that ending) beyond the limit, and what dead processes left."""
    files, total = sorted(_files(folder, ending), reverse=True), 0
    for used, size, path in files:
        if os.path.basename(path).startswith((UNFINISHED, BORROWED)):
            if used < time.time() - _LEFT_BEHIND:
                Path(path).unlink(missing_ok=True)
            continue
        total += size
        if total > limit and path != str(keep):
            Path(path).unlink(missing_ok=True)


def _files(folder: Path, ending: str) -> Iterator[tuple[float, int, str]]:
    """(last use, size, path) of each file."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ending):
                with contextlib.suppress(FileNotFoundError):
                    stat = entry.stat()
                    yield stat.st_mtime, stat.st_size, entry.path
