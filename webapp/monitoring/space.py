"""Free space of the folders that uploads, database and queue need."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from django.conf import settings


class NoSpace(OSError):
    """The disk has no room for what is to be written, found before anything was: a full disk (ENOSPC). `free`: bytes left."""

    def __init__(self, free: int) -> None:
        super().__init__(errno.ENOSPC, f"no room on the disk, {free} bytes left")
        self.free = free


def free_bytes() -> int:
    """Bytes that the data folder can still take."""
    folder = Path(settings.POOLMARK_DATA)
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def check(wanted: int) -> None:
    """Raise NoSpace unless `wanted` bytes fit and `POOLMARK_RESERVE` stays free for the database and what is being read."""
    free = free_bytes()
    if free - wanted < settings.POOLMARK_RESERVE:
        raise NoSpace(free)
