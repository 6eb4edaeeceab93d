"""The bytes of archives, kept by SHA-256 under POOLMARK_DATA/blobs before a row speaks of them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

_BLOCK = 1 << 20


class UploadTooLarge(Exception):
    """More bytes than the limit; `limit` in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


def folder() -> Path:
    return Path(settings.POOLMARK_DATA) / "blobs"


def path(sha256: str) -> Path:
    """Where the bytes of that digest lie, or would."""
    return folder() / sha256[:2] / sha256


@dataclass(slots=True)
class IncomingFile:
    """Bytes that are written and hashed and have no name yet."""

    file: Path
    sha256: str
    size: int

    def settle(self) -> None:
        """Give the bytes their name, atomically; what lies there already are the same bytes."""
        target = path(self.sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.file, target)
        _sync_folder(target.parent)

    def discard(self) -> None:
        self.file.unlink(missing_ok=True)


def read_blocks(stream) -> Iterable[bytes]:
    """A readable stream in blocks of 1 MiB."""
    return iter(lambda: stream.read(_BLOCK), b"")


def write_incoming(data: Iterable[bytes], limit: int | None = None) -> IncomingFile:
    """Write and hash blocks of bytes; on disk (fsync) when this returns. Raises TooLarge beyond `limit` bytes."""
    room = folder() / "incoming"
    room.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=room)
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(handle, "wb") as out:
            for block in data:
                size += len(block)
                if limit is not None and size > limit:
                    raise UploadTooLarge(limit)
                digest.update(block)
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return IncomingFile(Path(name), digest.hexdigest(), size)


def delete_blob(sha256: str) -> None:
    """Remove the bytes of a digest that no archive has any more."""
    path(sha256).unlink(missing_ok=True)


def _sync_folder(place: Path) -> None:
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
