"""The members of a zip archive, by its directory; where that is lost or damaged, by the headers before each file.

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
from ingest.containers.decompress import TRUNCATED, WRONG_SUM, DecompressedStream, inflate, unxz, unzstd
from ingest.errors import Damaged

_LOCAL, _ENTRY, _DESCRIPTOR = b"PK\3\4", b"PK\1\2", b"PK\7\x08"
_HEADER = struct.Struct("<4s5H3L2H")
_BLOCK, _SEARCH, _LONGEST_NAME = 1 << 18, 1 << 20, 1 << 16
_FAILS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    OSError,
    ValueError,
    EOFError,
    KeyError,
    IndexError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    OverflowError,
)
_STORED, _DEFLATED, _OTHERS = 0, 8, {12: bunzip2, 93: unzstd, 95: unxz}
_KNOWN = {0, 1, 6, 8, 9, 10, 12, 14, 93, 95, 98}


class FileSection:
    """A stretch of a file as a file of its own; others may read the same file in between."""

    def __init__(self, source: BinaryIO, start: int, size: int) -> None:
        self._source, self._start, self._size, self._at = source, start, size, 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, to: int) -> None:
        self._at = to

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        self._source.seek(self._start + self._at)
        data = self._source.read(max(min(size, self._size - self._at), 0))
        self._at += len(data)
        return data


class ZipMember:
    """One file: `why` it cannot be unpacked, else what is in it. `end`: where its bytes end, once they are read."""

    def __init__(self, name: str, why: str | None, pieces: Iterator[bytes | None] | None, at: int) -> None:
        self.name, self.why, self.end, self.at = name, why, at + 4, at
        self.stream = DecompressedStream(pieces or iter(()))
        self.is_folder = False


class ZipReader:
    """`members` of an archive. `total`: how many the directory tells, None without one; `lost`: of these, those that are
    not there at all; `damage`: what is wrong with the archive itself, '' if nothing."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._size = source.seek(0, 2)
        self.total: int | None = None
        self.lost, self.damage, self.where = 0, "", self._size

    def members(self) -> Iterator[ZipMember]:
        """Each in turn; it must be read before the next is asked for."""
        self._source.seek(0)
        try:
            packed = zipfile.ZipFile(self._source)
            listed = packed.infolist()
        except _FAILS as error:
            self.damage = "its directory is damaged" if self._find(_ENTRY, 0) is not None else TRUNCATED
            yield from self._scanned({})
            if not isinstance(error, zipfile.BadZipFile) and not self.damage:
                self.damage = str(error)
            return
        self.total, done, missing = len([info for info in listed if not _is_folder(info)]), dict[int, int](), 0
        for info in listed:
            member = self._listed(packed, info)
            if member is None:
                missing += 1
                continue
            if not member.is_folder:
                yield member
            done[member.at] = member.end
        if missing:
            found = 0
            for member in self._scanned(done):
                found += 1
                yield member
            self.lost, self.damage = max(missing - found, 0), "the place of a file is not where its directory tells"

    def _listed(self, packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> ZipMember | None:
        """None where no file begins at the place that the directory tells."""
        at = info.header_offset
        self._source.seek(max(at, 0))
        head = self._source.read(_HEADER.size)
        if at < 0 or len(head) < _HEADER.size or not head.startswith(_LOCAL):
            return None
        mode, why = info.external_attr >> 16, None
        if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            why = "a link" if stat.S_ISLNK(mode) else "no regular file"
        elif info.flag_bits & 1:
            why = "encrypted"
        start = at + _HEADER.size + sum(_HEADER.unpack(head)[-2:])
        pieces = None
        if why is None and info.compress_type in (_STORED, _DEFLATED, *_OTHERS):
            part = FileSection(self._source, start, info.compress_size)
            pieces = _checked(_unpacked(part, info.compress_type), info.CRC, info.file_size)
        elif why is None:
            pieces = _by_library(packed, info)
        member = ZipMember(info.orig_filename, why, pieces, at)
        member.end, member.is_folder = start + info.compress_size, _is_folder(info)
        return member

    def _scanned(self, done: dict[int, int]) -> Iterator[ZipMember]:
        """Those whose headers stand in the archive, but for those at the places that are `done` (place -> end)."""
        at, whole = 0, True
        while (found := self._find(_LOCAL, at)) is not None:
            at = found
            if at in done:
                at = max(done[at], at + 4)
                continue
            member = self._at(at)
            if member is None:
                at += 4
                continue
            if not member.is_folder:
                yield member
                while member.stream.read(_BLOCK):
                    pass
                whole = not member.stream.damage
            at = max(member.end, at + 4)
        if self.damage == TRUNCATED and whole and self._find(_ENTRY, 0) is not None:
            self.damage = "its directory is damaged"

    def _at(self, at: int) -> ZipMember | None:
        self._source.seek(at)
        head = self._source.read(_HEADER.size)
        if len(head) < _HEADER.size:
            return None
        _, version, flags, method, _, _, told, packed, size, named, extra = _HEADER.unpack(head)
        rest = self._source.read(named + extra)
        if version & 0xFF > 70 or method not in _KNOWN or len(rest) < named:
            return None
        name = _name(rest[:named], bool(flags & 0x800))
        packed, size = _sizes(rest[named:], packed, size)
        start = at + _HEADER.size + named + extra
        why = "encrypted" if flags & 1 else None if method in (_STORED, _DEFLATED, *_OTHERS) else "a compression that is not read"
        member = ZipMember(name, why, None, at)
        member.end, member.is_folder = start, name.endswith("/") and not packed and not flags & 8
        if flags & 8 and not packed:
            if method == _STORED:
                packed = self._until_descriptor(start) - start
                member.stream = DecompressedStream(_unpacked(FileSection(self._source, start, packed), method))
                member.end = start + packed
            elif why is None:
                member.stream = DecompressedStream(
                    self._described(member, FileSection(self._source, start, self._size - start), method, start)
                )
        elif why is None:
            pieces = _unpacked(FileSection(self._source, start, packed), method)
            member.stream = DecompressedStream(_checked(pieces, told, size))
            self._source.seek(start + packed)
            follows = self._source.read(2)
            member.end = start + packed if method == _STORED or follows in (b"PK", b"") else start
        return member

    def _described(self, member: ZipMember, part: FileSection, method: int, start: int) -> Iterator[bytes | None]:
        """What is in a member whose sizes and sum stand behind it."""
        if method != _DEFLATED:
            yield from _unpacked(part, method)
            return
        pieces, total, size = inflate(part, b""), 0, 0
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                packed = part.tell() - len(end.value)
                break
            total, size = zlib.crc32(piece, total), size + len(piece)
            yield piece
        member.end = start + packed
        self._source.seek(member.end)
        behind, told = self._source.read(16), struct.pack("<L", total)
        if not behind.startswith((_DESCRIPTOR + told, told)):
            raise Damaged(WRONG_SUM if len(behind) > 7 else TRUNCATED)

    def _until_descriptor(self, start: int) -> int:
        """Where the bytes of a stored file end whose size stands behind them."""
        at = start
        while (found := self._find(_DESCRIPTOR, at)) is not None:
            self._source.seek(found + 8)
            if self._source.read(4) == struct.pack("<L", found - start & 0xFFFFFFFF):
                return found
            at = found + 4
        ends = [end for end in (self._find(_LOCAL, start), self._find(_ENTRY, start)) if end is not None]
        return min(ends, default=self._size)

    def _find(self, mark: bytes, at: int) -> int | None:
        """Where the mark stands next."""
        while True:
            self._source.seek(at)
            data = self._source.read(_SEARCH)
            place = data.find(mark)
            if place >= 0:
                return at + place
            if len(data) < _SEARCH:
                return None
            at += len(data) - len(mark) + 1


def has_zip_trailer(source: BinaryIO, head: bytes) -> bool:
    """Whether a file that does not begin as an archive ends as one without a comment: its beginning was lost, or is a program."""
    if head.startswith(b"PK") or not source.seekable():
        return False
    size = source.seek(0, 2)
    source.seek(max(size - 22, 0))
    end = source.read(22)
    source.seek(0)
    return len(end) == 22 and end.startswith(b"PK\5\6") and end.endswith(b"\0\0")


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.filename.endswith("/") and not info.file_size


def _unpacked(part: FileSection, method: int) -> Iterator[bytes | None]:
    if method == _DEFLATED:
        yield from inflate(part, b"")
    elif method in _OTHERS:
        yield from _OTHERS[method](part)
    else:
        while piece := part.read(_BLOCK):
            yield piece


def _checked(pieces: Iterator[bytes | None], told: int, size: int) -> Iterator[bytes | None]:
    """The pieces; raises Damaged behind them where they have another sum or size."""
    total = read = 0
    for piece in pieces:
        total, read = zlib.crc32(piece or b"", total), read + len(piece or b"")
        yield piece
    if read < size & 0xFFFFFFFF:
        raise Damaged(TRUNCATED)
    if total != told:
        raise Damaged(WRONG_SUM)


def _by_library(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with packed.open(info) as source:
            assert isinstance(source, zipfile.ZipExtFile)
            while piece := source.read1(_BLOCK):
                yield piece
    except Damaged:
        raise
    except Exception as error:  # whatever a damaged file makes of the library
        raise Damaged(str(error).split("\n")[0][:120]) from None


def _name(name: bytes, is_utf8: bool) -> str:
    return name.decode("utf-8", "surrogateescape") if is_utf8 else name.decode("cp437")


def _sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """(packed, unpacked) size, from the extra field where they are beyond 4 GiB."""
    while len(extra) >= 4 and 0xFFFFFFFF in (packed, size):
        kind, length = struct.unpack("<2H", extra[:4])
        if kind == 1 and length >= 16 and len(extra) >= 20:
            size, packed = struct.unpack("<2Q", extra[4:20])
            break
        extra = extra[4 + length :]
    return packed, size
