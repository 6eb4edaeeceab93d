"""Zip files that are unpacked within limits and have not a byte that belongs to none of their files: a reader that begins at the
other end, or at another header, would find what this one does not."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

_BLOCK = 1 << 20


class NotABundle(Exception):
    """What was dropped is no bundle; the text says why."""


class TooMuch(Exception):
    """What was dropped needs more than a check on the page may take; the text says of what."""


class Stopped(TooMuch):
    """The check took more, although there was not too much to count."""


def open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """Raises NotABundle."""
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise _no_zip(error) from error


def _no_zip(error: Exception) -> NotABundle:
    return NotABundle(f"The file cannot be unpacked: {error}. An evidence bundle is the .zip file of a permalink.")


def unpack(file: IO[bytes], archive: zipfile.ZipFile, folder: Path) -> list[str]:
    """Write the files of the archive below the folder; what has no place in a zip file of these files, a line each. Raises
    NotABundle."""
    _check_names([info.filename.removesuffix("/") for info in archive.infolist()])
    problems, at = [], 0
    try:
        for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
            if info.header_offset != at:
                problems.append(f"{abs(info.header_offset - at)} bytes before {info.filename} belong to no file, or to two")
            start, is_plain = _find_data(file, info)
            if not is_plain:
                problems.append(
                    f"{info.filename} is a link or a folder with bytes, or its two headers differ or say more than needed"
                )
            _write(file, info, start, folder / info.filename)
            at = start + info.compress_size
    except (RuntimeError, NotImplementedError, EOFError, OSError, ValueError, struct.error, zlib.error) as error:
        raise _no_zip(error) from error
    if archive.start_dir != at or not _ends_with_directory(file, archive):
        problems.append("bytes before, in or behind its directory belong to no file")
    return [f"changed: the .zip file: {problem}" for problem in problems]


def _check_names(names: list[str]) -> None:
    paths = [PurePosixPath(name) for name in names]
    if len(set(paths)) < len(paths):
        raise NotABundle("A path stands twice in the file.")
    if any(path.is_absolute() or ".." in path.parts or str(path) != name for path, name in zip(paths, names, strict=True)):
        raise NotABundle("The file names a path outside of its folder, or with needless parts.")


def _find_data(file: IO[bytes], info: zipfile.ZipInfo) -> tuple[int, bool]:
    """Where the bytes of an entry begin, and whether its local header says what the directory says, and no more."""
    expected = info.FileHeader()
    file.seek(info.header_offset)
    header = file.read(len(expected))
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise ValueError(f"{info.filename} has no header")
    mode, name_and_extra = stat.S_IFMT(info.external_attr >> 16), sum(struct.unpack("<2H", header[26:30]))
    is_kind = mode in (0, stat.S_IFDIR) and not info.compress_size if info.is_dir() else mode in (0, stat.S_IFREG)
    return info.header_offset + 30 + name_and_extra, is_kind and header == expected and not info.extra and not info.comment


def _ends_with_directory(file: IO[bytes], archive: zipfile.ZipFile) -> bool:
    """Whether the file ends with the entries of the directory, and the record of where it is."""
    infos = archive.infolist()
    size = sum(16 + len(info.FileHeader()) for info in infos)  # 46 bytes and the name, where a local header has 30
    file.seek(archive.start_dir + size)
    return file.read(23) == struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(infos), len(infos), size, archive.start_dir, 0)


def _write(file: IO[bytes], info: zipfile.ZipInfo, start: int, target: Path) -> None:
    """Raises ValueError where the bytes are not those of the size and checksum, or end before the entry does."""
    if info.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    size = crc = 0
    with target.open("xb") as out:
        for block in _inflate(file, info, start):
            size, crc = size + len(block), zlib.crc32(block, crc)
            if size > info.file_size:
                break
            out.write(block)
    if (size, crc) != (info.file_size, info.CRC):
        raise ValueError(f"{info.filename} has not its size and checksum")


def _inflate(file: IO[bytes], info: zipfile.ZipInfo, start: int) -> Iterator[bytes]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{info.filename} is compressed in another way than by Deflate")
    decoder, left = zlib.decompressobj(-15) if info.compress_type else None, info.compress_size
    file.seek(start)
    while left:
        block = file.read(min(left, _BLOCK))
        if not block or (decoder and decoder.eof):
            raise ValueError(f"{info.filename} ends before its entry, or behind it")
        left -= len(block)
        if decoder is None:
            yield block
            continue
        made = decoder.decompress(block, _BLOCK)
        while made:
            yield made
            made = decoder.decompress(decoder.unconsumed_tail, _BLOCK)
    if decoder and (not decoder.eof or decoder.unused_data):
        raise ValueError(f"{info.filename} ends before its entry, or behind it")
