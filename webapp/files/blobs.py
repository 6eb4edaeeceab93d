"""The bytes of archives, stored by SHA-256 before their row is made: below POOLMARK_DATA/blobs, or where POOLMARK_STORE says."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from webapp.files import stores
from webapp.files.stores import read_blocks

__all__ = ["read_blocks"]


class DiskFull(Exception):
    """The disk had no room for the bytes; nothing of them is left."""


class UploadTooLarge(Exception):
    """More bytes than the limit; `limit` in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


def folder() -> Path:
    """Where bytes arrive, and stay unless they go to a bucket or to another folder."""
    store = stores.current()
    root = store.root if isinstance(store, stores.FolderStore) else Path(settings.POOLMARK_DATA)
    return root / "blobs"


def key(sha256: str) -> str:
    return stores.make_key("blobs", sha256)


def path(sha256: str) -> Path:
    """The path of the bytes of that digest in a folder, whether they exist or not."""
    return folder() / sha256[:2] / sha256


@contextmanager
def local_path(sha256: str) -> Iterator[Path]:
    """A file with the bytes, until the context ends. Raises MissingBytes, DamagedBytes or StoreError of `stores`."""
    with stores.local(key(sha256)) as file:
        yield file


@dataclass(slots=True)
class IncomingFile:
    """Bytes that are written and hashed, in a temporary file."""

    file: Path
    sha256: str
    size: int
    is_sent: bool = False

    def send_ahead(self) -> None:
        """Send the bytes to a store on another host, so that `settle` takes no time; where there is none, nothing."""
        store = stores.current()
        if store.is_remote:
            copy = self.file.with_name(f"{self.file.name}.sent")
            os.link(self.file, copy)
            try:
                store.put(key(self.sha256), copy)
            finally:
                copy.unlink(missing_ok=True)
            self.is_sent = True

    def settle(self) -> None:
        """Keep the bytes, atomically; what is kept already under their digest are the same bytes."""
        store = stores.current()
        if self.is_sent and store.size(key(self.sha256)) == self.size:
            self.discard()
        else:
            store.put(key(self.sha256), self.file)

    def discard(self) -> None:
        self.file.unlink(missing_ok=True)


def write_incoming(data: Iterable[bytes], limit: int | None = None) -> IncomingFile:
    """Write and hash blocks of bytes; on disk (fsync) when this returns. Raises UploadTooLarge beyond `limit` bytes, DiskFull."""
    incoming = folder() / "incoming"
    with _disk_full(incoming):
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
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    return IncomingFile(Path(name), digest.hexdigest(), size)


@contextmanager
def _disk_full(place: Path) -> Iterator[None]:
    """Raise DiskFull for what fails in the block because the disk of the place has no room or no inode left."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"The disk of {place} has no space left") from error
        raise


def delete_blob(sha256: str) -> None:
    """Delete the bytes of a digest. The caller makes sure that no archive has them."""
    stores.delete(key(sha256))
