"""What is pushed as one file: an archive as it is, or folders and several files as a .tar.gz whose bytes depend on paths and
contents alone, so that the server knows the same files again."""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Callable

from poolmark.errors import UsageError

BLOCK = 1 << 20
Tell = Callable[[str, int, int], object]
"""Progress: what is done, how much of it, out of how much."""


def silent(what: str, done: int, total: int) -> None:
    """Progress that is not shown."""


@dataclass(frozen=True)
class Package:
    """One file to send. `skipped`: paths that are no regular files, such as links."""

    path: Path
    name: str
    size: int
    sha256: str
    skipped: Sequence[str] = field(default=())

    def whole(self) -> Iterator[bytes]:
        """All bytes."""
        return self.blocks(0, self.size)

    def blocks(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to before `end`."""
        with self.path.open("rb") as file:
            file.seek(start)
            while start < end and (block := file.read(min(BLOCK, end - start))):
                start += len(block)
                yield block


@contextmanager
def packed(paths: Sequence[Path], name: str = "", tell: Tell = silent) -> Iterator[Package]:
    """The file to send for these paths; what was packed is deleted afterwards. Raises UsageError."""
    if len(paths) == 1 and paths[0].is_file():
        size, sha256 = _digest(paths[0])
        yield Package(paths[0], name or paths[0].name, size, sha256)
        return
    entries, skipped = list_entries(paths)
    with tempfile.NamedTemporaryFile(prefix="poolmark-", suffix=".tar.gz") as file:
        _write(file, entries, tell)
        file.flush()
        size, sha256 = _digest(Path(file.name))
        first = paths[0].resolve().name or "files"
        yield Package(Path(file.name), name or (f"{first}.tar.gz" if len(paths) == 1 else "files.tar.gz"), size, sha256, skipped)


def list_entries(paths: Sequence[Path]) -> tuple[list[tuple[str, Path]], list[str]]:
    """(name inside the archive, file) of every regular file, sorted by name; the paths that were left out. Raises UsageError.

    Names begin below the folder that all paths have in common: those of folders above it say nothing of what was measured
    and would be read as if they did.
    """
    found: dict[str, Path] = {}
    skipped: list[str] = []
    given = [Path(os.path.abspath(path)) for path in paths]
    base = os.path.commonpath([path.parent for path in given]) if given else ""
    for path, whole in zip(paths, given):
        if not whole.exists():
            raise UsageError(f"{path} does not exist: check the path.")
        for file in [whole] if whole.is_file() else sorted(_files_below(whole)):
            if file != whole and (file.is_symlink() or not file.is_file()):
                skipped.append(os.path.relpath(file))
            else:
                found[file.relative_to(base).as_posix()] = file
    if not found:
        raise UsageError(f"There is no file in {', '.join(map(str, paths))}: give files, or a folder with some.")
    return sorted(found.items()), skipped


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        links = [one for one in folders if Path(parent, one).is_symlink()]
        yield from (Path(parent, name) for name in [*names, *links])


def _refuse(error: OSError) -> None:
    raise UsageError(f"{error.filename} cannot be read ({error.strerror}): change its permissions, or leave it out.") from error


def _write(target: IO[bytes], entries: Sequence[tuple[str, Path]], tell: Tell) -> None:
    """The entries as .tar.gz, without dates, owners and modes."""
    total, done = sum(file.stat().st_size for _, file in entries), 0
    with (
        gzip.GzipFile("", "wb", 6, target, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, file in entries:
            try:
                with file.open("rb") as source:
                    entry = tarfile.TarInfo(name)
                    entry.size, entry.mode = os.fstat(source.fileno()).st_size, 0o644
                    tar.addfile(entry, source)
            except OSError as error:
                raise UsageError(f"{file} cannot be read ({error}): wait until it is written, or leave it out.") from error
            done += entry.size
            tell("packing", done, total)


def _digest(path: Path) -> tuple[int, str]:
    """(size in bytes, SHA-256) of a file."""
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}): change its permissions, or leave it out.") from error
    return size, digest.hexdigest()
