"""Several files as one deterministic tar: its bytes depend on paths and contents alone."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple, Protocol


class Stream(Protocol):
    """A binary stream."""

    def read(self, most: int, /) -> bytes: ...


class PackEntry(NamedTuple):
    """A file to pack: path inside the archive with slashes, size in bytes, the open stream or the file on disk."""

    path: str
    size: int
    source: Stream | Path


def pack(entries: list[PackEntry]) -> Iterator[bytes]:
    """The tar in blocks: sorted by path, no dates, owners or modes."""
    for entry in sorted(entries, key=lambda e: e.path):
        info = tarfile.TarInfo(entry.path)
        info.size, info.mode = entry.size, 0o644
        yield info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        yield from _body(entry)
        yield bytes(-entry.size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _body(entry: PackEntry) -> Iterator[bytes]:
    with entry.source.open("rb") if isinstance(entry.source, Path) else nullcontext(entry.source) as stream:
        remaining = entry.size
        while remaining:
            block = stream.read(min(remaining, 1 << 20))
            if not block:
                raise OSError(f"{entry.path} became shorter while it was read")
            remaining -= len(block)
            yield block


def list_folder_entries(folder: Path) -> list[PackEntry]:
    """Every regular file of a folder and below, by its path inside the folder; links are skipped."""
    entries = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            file = Path(parent) / name
            if file.is_file() and not file.is_symlink():
                entries.append(PackEntry(file.relative_to(folder).as_posix(), file.stat().st_size, file))
    return entries


def make_safe_names(paths: list[str]) -> list[str]:
    """Paths as a browser sent them -> paths inside an archive: relative, without `..`, unique."""
    taken: set[str] = set()
    names = []
    for path in paths:
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        name = "/".join(parts) or "file"
        stem, dot, end = name.rpartition(".")
        number = 2
        while name in taken:
            name, number = (f"{stem} ({number}).{end}" if dot else f"{end} ({number})"), number + 1
        taken.add(name)
        names.append(name)
    return names


def is_packed(name: str, head: bytes) -> bool:
    """Whether a file is a container or compressed, by its first bytes (512 suffice)."""
    magics = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
    return head.startswith(magics) or head[257:262] == b"ustar" or (not head.strip(b"\0") and name.endswith(".tar"))
