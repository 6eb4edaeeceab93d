"""The bytes of archives, stored by SHA-256 before their row is made: below POOLMARK_DATA/blobs, or where POOLMARK_STORE says."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from webapp.files import stores
from webapp.files.stores import read_blocks

log = logging.getLogger(__name__)
_DAMAGED = ".damaged"


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


def _blocks_path(sha256: str) -> Path:
    """Where this host keeps the SHA-256 of each block of 1 MiB of the bytes, one after the other."""
    return Path(settings.POOLMARK_DATA) / "blocks" / sha256[:2] / sha256


def _keep_blocks(sha256: str, blocks: bytes) -> None:
    target = _blocks_path(sha256)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as part:
        part.write(blocks)
    os.replace(part.name, target)


def _read_blocks_of(sha256: str, file: Path) -> bytes:
    """The digests of the blocks; where there are none they are made of the bytes, once these have their digest. Raises
    DamagedBytes."""
    count = -(-file.stat().st_size // stores.BLOCK)
    with suppress(FileNotFoundError):
        kept = _blocks_path(sha256).read_bytes()
        if len(kept) == 32 * count:
            return kept
    whole, blocks = hashlib.sha256(), []
    with file.open("rb") as stream:
        for block in read_blocks(stream):
            whole.update(block)
            blocks.append(hashlib.sha256(block).digest())
    if whole.hexdigest() != sha256:
        _mark_damaged(sha256)
        raise stores.DamagedBytes(sha256)
    with suppress(OSError):  # a full disk stops no download
        _keep_blocks(sha256, b"".join(blocks))
    return b"".join(blocks)


def _mark_damaged(sha256: str) -> None:
    log.error("The bytes %s are damaged: restore them from a backup.", sha256)
    with suppress(OSError):
        mark = _blocks_path(sha256).with_suffix(_DAMAGED)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def list_damaged() -> list[str]:
    """The digests of bytes that were found damaged on this host, and not whole since."""
    return sorted(path.stem for path in (Path(settings.POOLMARK_DATA) / "blocks").glob(f"??/*{_DAMAGED}"))


def verify(sha256: str) -> None:
    """Compare all bytes with the digest where they are kept. Raises MissingBytes, DamagedBytes, StoreError."""
    try:
        stores.verify(key(sha256))
    except stores.DamagedBytes:
        _mark_damaged(sha256)
        raise
    _blocks_path(sha256).with_suffix(_DAMAGED).unlink(missing_ok=True)


def checked_blocks(sha256: str, file: Path) -> Callable[[range], Iterator[bytes]]:
    """Gives the bytes at some positions, each block of 1 MiB compared with its digest before it is given. Raises DamagedBytes,
    now or then. The file stays open, also where its name goes."""
    blocks, stream = _read_blocks_of(sha256, file), file.open("rb")

    def give(part: range) -> Iterator[bytes]:
        with stream:
            for number in range(part.start // stores.BLOCK, -(-part.stop // stores.BLOCK)):
                begin = number * stores.BLOCK
                stream.seek(begin)
                block = stream.read(stores.BLOCK)
                if hashlib.sha256(block).digest() != blocks[32 * number : 32 * number + 32]:
                    _mark_damaged(sha256)
                    raise stores.DamagedBytes(sha256)
                yield block[max(0, part.start - begin) : part.stop - begin]

    return give


@dataclass(slots=True)
class IncomingFile:
    """Bytes that are written and hashed, in a temporary file. `blocks`: SHA-256 of each MiB, one after the other."""

    file: Path
    sha256: str
    size: int
    is_sent: bool = False
    blocks: bytes = b""

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
        with suppress(OSError):  # made at the first download then
            _keep_blocks(self.sha256, self.blocks)
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
        digest, size, blocks, rest = hashlib.sha256(), 0, [], bytearray()
        try:
            with os.fdopen(handle, "wb") as out:
                for block in data:
                    size += len(block)
                    if limit is not None and size > limit:
                        raise UploadTooLarge(limit)
                    stores.check_space(len(block))
                    digest.update(block)
                    out.write(block)
                    rest += block
                    while len(rest) >= stores.BLOCK:
                        blocks.append(hashlib.sha256(rest[: stores.BLOCK]).digest())
                        del rest[: stores.BLOCK]
                out.flush()
                os.fsync(out.fileno())
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    blocks += [hashlib.sha256(rest).digest()] if rest else []
    return IncomingFile(Path(name), digest.hexdigest(), size, blocks=b"".join(blocks))


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
    for path in (_blocks_path(sha256), _blocks_path(sha256).with_suffix(_DAMAGED)):
        path.unlink(missing_ok=True)
