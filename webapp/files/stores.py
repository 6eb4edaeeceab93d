"""Where bytes are kept: below a folder, or in an S3 bucket (`bucket.py`). The last part of every key is the SHA-256 of the bytes:
what lies there never changes, the same bytes lie there once, and each reader can check them."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from django.conf import settings

# Free space of the folders that uploads, database and queue need.


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


def check_space(wanted: int) -> None:
    """Raise NoSpace unless `wanted` bytes fit and `POOLMARK_RESERVE` stays free for the database and what is being read."""
    free = free_bytes()
    if free - wanted < settings.POOLMARK_RESERVE:
        raise NoSpace(free)


BLOCK = 1 << 20
BUCKET = "s3://"
AREAS = ("blobs", "bulk")
"""First parts of keys: bytes of archives, and the public data as files."""
_BORROWED = "borrowed-"
_LEFT_BEHIND = 24 * 3600  # seconds


class StoreError(OSError):
    """The store does not answer, or refuses; what is asked again later may succeed."""


class MissingBytes(FileNotFoundError):
    """There are no bytes of this digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"its bytes ({digest}) are missing")


class DamagedBytes(OSError):
    """The bytes are not those of the digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"its bytes have not the digest {digest}")


class Store(Protocol):
    """Bytes by key. Methods that read raise MissingBytes, DamagedBytes or StoreError."""

    name: str
    is_remote: bool

    def size(self, key: str) -> int | None:
        """Bytes under the key, None where there are none."""

    def put(self, key: str, file: Path) -> None:
        """Keep the bytes of a file, which is gone afterwards. Bytes of the same digest that are there already stay, unless they
        are damaged."""

    def local(self, key: str) -> AbstractContextManager[Path]:
        """A file with the bytes, until the context ends; only to be read."""

    def verify(self, key: str) -> None:
        """Read all bytes where they are kept and compare them with the digest."""

    def delete(self, key: str) -> None: ...

    def keys(self) -> Iterator[str]:
        """All keys, in no order."""

    def names(self) -> Iterator[str]:
        """The names of all that is below the root, whatever it is, in order. Raises ValueError where there is no such place."""

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of one of `names`."""

    def check(self) -> None:
        """Write a few bytes."""


def digest_of(key: str) -> str:
    return key.rsplit("/", 1)[-1]


def make_key(area: str, digest: str) -> str:
    return f"{area}/{digest[:2]}/{digest}"


def read_blocks(stream) -> Iterable[bytes]:
    """A readable stream in blocks of 1 MiB."""
    return iter(lambda: stream.read(BLOCK), b"")


def sync_folder(target: Path) -> None:
    """Put the names in a folder on disk."""
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


class FolderStore:
    """Bytes below a folder of this host, or of a file system that all hosts mount."""

    is_remote = False

    def __init__(self, root: Path) -> None:
        self.root, self.name = root, str(root)

    def path(self, key: str) -> Path:
        return self.root / key

    def size(self, key: str) -> int | None:
        try:
            return self.path(key).stat().st_size
        except FileNotFoundError:
            return None

    def put(self, key: str, file: Path) -> None:
        target = self.path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.stat().st_dev != target.parent.stat().st_dev:
            file = self._copy_beside(file, target)
        else:
            _sync_file(file)
        os.replace(file, target)
        sync_folder(target.parent)

    def _copy_beside(self, file: Path, target: Path) -> Path:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as out, file.open("rb") as source:
                shutil.copyfileobj(source, out, BLOCK)
                out.flush()
                os.fsync(out.fileno())
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        file.unlink()
        return Path(name)

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        path = self.path(key)
        if not path.exists():
            raise MissingBytes(digest_of(key))
        yield path

    @contextmanager
    def borrowed(self, key: str) -> Iterator[Path]:
        """As `local`, by a link of its own, which stays when the file is moved to another store meanwhile; the file itself where
        the file system has no links."""
        folder = self.root / "blobs" / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=_BORROWED) as place:
            path = Path(place) / digest_of(key)
            try:
                os.link(self.path(key), path)
            except FileNotFoundError:
                raise MissingBytes(digest_of(key)) from None
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP):
                    raise
                path = self.path(key)
            yield path

    def verify(self, key: str) -> None:
        with self.local(key) as path, path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest_of(key):
                raise DamagedBytes(digest_of(key))

    def delete(self, key: str) -> None:
        self.path(key).unlink(missing_ok=True)

    def keys(self) -> Iterator[str]:
        for area in AREAS:
            for path in (self.root / area).glob("??/*"):
                if not path.name.startswith("."):
                    yield path.relative_to(self.root).as_posix()

    def names(self) -> Iterator[str]:
        if not self.root.is_dir():
            raise ValueError(f"There is no folder {self.root}")
        yield from sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())

    def blocks(self, name: str) -> Iterator[bytes]:
        try:
            with (self.root / name).open("rb") as stream:
                yield from read_blocks(stream)
        except FileNotFoundError:
            raise MissingBytes(digest_of(name)) from None

    def check(self) -> None:
        folder = self.root / "blobs" / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"poolmark")
            file.flush()


def current() -> Store:
    """The store of POOLMARK_STORE; by default the data folder."""
    return find_store(settings.POOLMARK_STORE)


def in_use() -> list[Store]:
    """The current store, and the one before it while its bytes are moved."""
    before = [find_store(settings.POOLMARK_STORE_BEFORE)] if settings.POOLMARK_STORE_BEFORE else []
    return [current(), *before]


def sweep() -> None:
    """Delete links in folders that processes which died a day ago or before had borrowed."""
    folders = [store.root for store in in_use() if isinstance(store, FolderStore)]
    for root in {Path(settings.POOLMARK_DATA), *folders}:
        for place in (root / "blobs" / "incoming").glob(f"{_BORROWED}*"):
            with suppress(FileNotFoundError):
                if place.stat().st_mtime < time.time() - _LEFT_BEHIND:
                    shutil.rmtree(place)


def find_store(address: str) -> Store:
    """The store of `s3://BUCKET/PREFIX`, or of a folder ('': the data folder). Raises ValueError."""
    return _make(address, Path(settings.POOLMARK_DATA))


@lru_cache(32)
def _make(address: str, data: Path) -> Store:
    if not address.startswith(BUCKET):
        return FolderStore(Path(address).resolve() if address else data)
    from webapp.files.bucket import BucketStore  # only what uses a bucket has its package

    return BucketStore(address, data / "cache" / "store")


@contextmanager
def local(key: str) -> Iterator[Path]:
    """A file with the bytes, from the first store in use that has them. Raises MissingBytes, DamagedBytes, StoreError."""
    with ExitStack() as stack:
        try:
            path = stack.enter_context(_lend(key))
        except MissingBytes:  # moved to the other store meanwhile, or missing
            path = stack.enter_context(_lend(key))
        yield path


def _lend(key: str) -> AbstractContextManager[Path]:
    """A file that stays while it is used, also where bytes are moved from one store in use to the other."""
    store = _first_with(key)
    return store.borrowed(key) if isinstance(store, FolderStore) and settings.POOLMARK_STORE_BEFORE else store.local(key)


def _first_with(key: str) -> Store:
    first, *others = in_use()
    return next((store for store in (first, *others) if store.size(key) is not None), first) if others else first


def exists(key: str) -> bool:
    return any(store.size(key) is not None for store in in_use())


def verify(key: str) -> None:
    """Compare the bytes with the digest where they are kept. Raises MissingBytes, DamagedBytes, StoreError."""
    try:
        _first_with(key).verify(key)
    except FileNotFoundError:  # moved to the other store meanwhile, or missing
        _first_with(key).verify(key)


def delete(key: str) -> None:
    for store in in_use():
        store.delete(key)
