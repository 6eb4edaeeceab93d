"""The bytes of archives, stored by SHA-256 under POOLMARK_DATA/blobs before their row is made."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

_BLOCK = 1 << 20


class DiskFull(Exception):
    """The disk had no room for the bytes; nothing of them is left."""


class UploadTooLarge(Exception):
    """More bytes than the limit; `limit` in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


def folder() -> Path:
    return Path(settings.POOLMARK_DATA) / "blobs"


def path(sha256: str) -> Path:
    """The path of the bytes of that digest, whether they exist or not."""
    return folder() / sha256[:2] / sha256


@dataclass(slots=True)
class IncomingFile:
    """Bytes that are written and hashed, in a temporary file."""

    file: Path
    sha256: str
    size: int

    def settle(self) -> None:
        """Move the bytes to their path, atomically; a file there has the same bytes."""
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
    """Write and hash blocks of bytes; on disk (fsync) when this returns. Raises UploadTooLarge beyond `limit` bytes, DiskFull."""
    incoming = folder() / "incoming"
    incoming.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=incoming)
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
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return IncomingFile(Path(name), digest.hexdigest(), size)


def delete_blob(sha256: str) -> None:
    """Delete the bytes of a digest. The caller makes sure that no archive has them."""
    path(sha256).unlink(missing_ok=True)


def _sync_folder(target: Path) -> None:
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
