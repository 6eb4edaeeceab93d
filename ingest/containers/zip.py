"""The members of a zip archive, by its directory; if that is missing or damaged, by the local headers.

Format: PKWARE's APPNOTE.TXT, 4.3.7 (local header), 4.3.9 (data descriptor), 4.5.3 (sizes beyond 4 GiB).
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from ingest.containers.bzip2 import bunzip2
from ingest.containers.decompress import TRUNCATED, WRONG_CHECKSUM, DecompressedStream, inflate, unxz, unzstd
from ingest.errors import Damaged

_LOCAL_HEADER, _DIRECTORY_ENTRY, _DESCRIPTOR = b"PK\3\4", b"PK\1\2", b"PK\7\x08"
_HEADER = struct.Struct("<4s5H3L2H")
_BLOCK, _SEARCH = 1 << 18, 1 << 20
_FAILS = (
    zipfile.BadZipFile, zipfile.LargeZipFile, OSError, ValueError, EOFError, KeyError, IndexError, NotImplementedError,
    RuntimeError, struct.error, OverflowError,
)  # fmt: skip
_STORED, _DEFLATED, _OTHERS = 0, 8, {12: bunzip2, 93: unzstd, 95: unxz}
ENCRYPTED = "encrypted"
"""Reason why a member cannot be unpacked."""
_KNOWN_METHODS = {0, 1, 6, 8, 9, 10, 12, 14, 93, 95, 98}


class FileSection:
    """A section of a file as a file of its own; the file may be read elsewhere in between."""

    def __init__(self, source: BinaryIO, start: int, size: int) -> None:
        self._source, self._start, self._size, self._position = source, start, size, 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> None:
        self._position = position

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        self._source.seek(self._start + self._position)
        data = self._source.read(max(min(size, self._size - self._position), 0))
        self._position += len(data)
        return data


class ZipMember:
    """One file: `reason` why it cannot be unpacked, or its content as `stream`. `start`: offset of its header; `end`: end of its
    bytes, known after they were read.
    """

    def __init__(self, name: str, reason: str | None, pieces: Iterator[bytes | None] | None, start: int) -> None:
        self.name, self.reason, self.end, self.start = name, reason, start + 4, start
        self.stream = DecompressedStream(pieces or iter(()))
        self.is_folder = False


class ZipReader:
    """Iterates over the members of an archive. `total`: number in its directory, None without one; `missing`: number of these that
    are not in the archive; `damage`: what is wrong with the archive itself, '' if nothing.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._size = source.seek(0, 2)
        self.total: int | None = None
        self.missing, self.damage, self.offset = 0, "", self._size

    def members(self) -> Iterator[ZipMember]:
        """Each member in turn; it must be read before the next one."""
        self._source.seek(0)
        try:
            directory = zipfile.ZipFile(self._source)
            infos = directory.infolist()
        except _FAILS as error:
            self.damage = "its directory is damaged" if self._find(_DIRECTORY_ENTRY, 0) is not None else TRUNCATED
            yield from self._scan({})
            if not isinstance(error, zipfile.BadZipFile) and not self.damage:
                self.damage = str(error)
            return
        self.total, ends, misplaced = len([info for info in infos if not _is_folder(info)]), dict[int, int](), 0
        for info in infos:
            member = self._from_directory(directory, info)
            if member is None:
                misplaced += 1
                continue
            if not member.is_folder:
                yield member
            ends[member.start] = member.end
        if misplaced:
            recovered = 0
            for member in self._scan(ends):
                recovered += 1
                yield member
            self.missing, self.damage = max(misplaced - recovered, 0), "a file is not where the directory says"

    def _from_directory(self, directory: zipfile.ZipFile, info: zipfile.ZipInfo) -> ZipMember | None:
        """The member, None if no file begins at the offset in the directory."""
        offset = info.header_offset
        self._source.seek(max(offset, 0))
        head = self._source.read(_HEADER.size)
        if offset < 0 or len(head) < _HEADER.size or not head.startswith(_LOCAL_HEADER):
            return None
        mode, reason = info.external_attr >> 16, None
        if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            reason = "a link" if stat.S_ISLNK(mode) else "not a regular file"
        elif info.flag_bits & 1:
            reason = ENCRYPTED
        start = offset + _HEADER.size + sum(_HEADER.unpack(head)[-2:])
        pieces = None
        if reason is None and info.compress_type in (_STORED, _DEFLATED, *_OTHERS):
            section = FileSection(self._source, start, info.compress_size)
            pieces = _verified(_decompressed(section, info.compress_type), info.CRC, info.file_size)
        elif reason is None:
            pieces = _by_library(directory, info)
        member = ZipMember(info.orig_filename, reason, pieces, offset)
        member.end, member.is_folder = start + info.compress_size, _is_folder(info)
        return member

    def _scan(self, ends: dict[int, int]) -> Iterator[ZipMember]:
        """Members by their local headers, except those at the offsets in `ends` (offset -> end)."""
        offset, intact = 0, True
        while (header := self._find(_LOCAL_HEADER, offset)) is not None:
            offset = header
            if offset in ends:
                offset = max(ends[offset], offset + 4)
                continue
            member = self._from_local_header(offset)
            if member is None:
                offset += 4
                continue
            if not member.is_folder:
                yield member
                while member.stream.read(_BLOCK):
                    pass
                intact = not member.stream.damage
            offset = max(member.end, offset + 4)
        if self.damage == TRUNCATED and intact and self._find(_DIRECTORY_ENTRY, 0) is not None:
            self.damage = "its directory is damaged"

    def _from_local_header(self, offset: int) -> ZipMember | None:
        """The member at that offset, None if there is no valid header."""
        self._source.seek(offset)
        head = self._source.read(_HEADER.size)
        if len(head) < _HEADER.size:
            return None
        _, version, flags, method, _, _, crc, packed, size, name_length, extra_length = _HEADER.unpack(head)
        tail = self._source.read(name_length + extra_length)
        if version & 0xFF > 70 or method not in _KNOWN_METHODS or len(tail) < name_length:
            return None
        name = _name(tail[:name_length], bool(flags & 0x800))
        packed, size = _zip64_sizes(tail[name_length:], packed, size)
        start = offset + _HEADER.size + name_length + extra_length
        reason = (
            ENCRYPTED if flags & 1 else None if method in (_STORED, _DEFLATED, *_OTHERS) else "an unsupported compression method"
        )
        member = ZipMember(name, reason, None, offset)
        member.end, member.is_folder = start, name.endswith("/") and not packed and not flags & 8
        if flags & 8 and not packed:
            if method == _STORED:
                packed = self._until_descriptor(start) - start
                member.stream = DecompressedStream(_decompressed(FileSection(self._source, start, packed), method))
                member.end = start + packed
            elif reason is None:
                member.stream = DecompressedStream(
                    self._with_descriptor(member, FileSection(self._source, start, self._size - start), method, start)
                )
        elif reason is None:
            pieces = _decompressed(FileSection(self._source, start, packed), method)
            member.stream = DecompressedStream(_verified(pieces, crc, size))
            self._source.seek(start + packed)
            next_bytes = self._source.read(2)
            member.end = start + packed if method == _STORED or next_bytes in (b"PK", b"") else start
        return member

    def _with_descriptor(self, member: ZipMember, section: FileSection, method: int, start: int) -> Iterator[bytes | None]:
        """The content of a member whose sizes and checksum are after it."""
        if method != _DEFLATED:
            yield from _decompressed(section, method)
            return
        pieces, crc, size = inflate(section, b""), 0, 0
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                packed = section.tell() - len(end.value)
                break
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            yield piece
        member.end = start + packed
        self._source.seek(member.end)
        descriptor, packed_crc = self._source.read(16), struct.pack("<L", crc)
        if not descriptor.startswith((_DESCRIPTOR + packed_crc, packed_crc)):
            raise Damaged(WRONG_CHECKSUM if len(descriptor) > 7 else TRUNCATED)

    def _until_descriptor(self, start: int) -> int:
        """End of a stored file whose size is after it."""
        position = start
        while (found := self._find(_DESCRIPTOR, position)) is not None:
            self._source.seek(found + 8)
            if self._source.read(4) == struct.pack("<L", found - start & 0xFFFFFFFF):
                return found
            position = found + 4
        ends = [end for end in (self._find(_LOCAL_HEADER, start), self._find(_DIRECTORY_ENTRY, start)) if end is not None]
        return min(ends, default=self._size)

    def _find(self, signature: bytes, start: int) -> int | None:
        """Offset of the next occurrence of a signature."""
        while True:
            self._source.seek(start)
            data = self._source.read(_SEARCH)
            index = data.find(signature)
            if index >= 0:
                return start + index
            if len(data) < _SEARCH:
                return None
            start += len(data) - len(signature) + 1


def has_zip_trailer(source: BinaryIO, head: bytes) -> bool:
    """Whether a file that does not begin as a zip archive ends as one without a comment: its beginning is missing, or a program."""
    if head.startswith(b"PK") or not source.seekable():
        return False
    size = source.seek(0, 2)
    source.seek(max(size - 22, 0))
    end = source.read(22)
    source.seek(0)
    return len(end) == 22 and end.startswith(b"PK\5\6") and end.endswith(b"\0\0")


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.filename.endswith("/") and not info.file_size


def _decompressed(part: FileSection, method: int) -> Iterator[bytes | None]:
    if method == _DEFLATED:
        yield from inflate(part, b"")
    elif method in _OTHERS:
        yield from _OTHERS[method](part)
    else:
        while piece := part.read(_BLOCK):
            yield piece


def _verified(pieces: Iterator[bytes | None], crc: int, size: int) -> Iterator[bytes | None]:
    """The pieces; raises Damaged after them if their checksum or size is wrong."""
    computed = read = 0
    for piece in pieces:
        computed, read = zlib.crc32(piece or b"", computed), read + len(piece or b"")
        yield piece
    if read < size & 0xFFFFFFFF:
        raise Damaged(TRUNCATED)
    if computed != crc:
        raise Damaged(WRONG_CHECKSUM)


def _by_library(directory: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with directory.open(info) as source:
            assert isinstance(source, zipfile.ZipExtFile)
            while piece := source.read1(_BLOCK):
                yield piece
    except Damaged:
        raise
    except Exception as error:  # whatever a damaged file makes of the library
        raise Damaged(str(error).split("\n")[0][:120]) from None


def _name(name: bytes, is_utf8: bool) -> str:
    return name.decode("utf-8", "surrogateescape") if is_utf8 else name.decode("cp437")


def _zip64_sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """(packed, unpacked) size, from the extra field if they are beyond 4 GiB."""
    while len(extra) >= 4 and 0xFFFFFFFF in (packed, size):
        kind, length = struct.unpack("<2H", extra[:4])
        if kind == 1 and length >= 16 and len(extra) >= 20:
            size, packed = struct.unpack("<2Q", extra[4:20])
            break
        extra = extra[4 + length :]
    return packed, size
