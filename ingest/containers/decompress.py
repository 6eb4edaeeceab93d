"""gzip, bzip2, xz and Zstandard -> the bytes in them, everything before the first damage included.

The readers of the standard library drop what they decoded last where they come upon damage. Here a step that fails is
taken once more in steps so small that nothing is lost. Sources are read from their beginning and must be seekable.
"""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ingest.containers.bzip2 import bunzip2
from ingest.containers.peek import Readable
from ingest.errors import Damaged

if TYPE_CHECKING:
    import zstandard

_IN, _OUT = 1 << 16, 1 << 18  # bytes of one step
_ZSTD_IN = 1 << 10  # a Zstandard block of 4 bytes gives 128 KiB, so that a step gives no more than 32 MiB
_FAILS = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
TRUNCATED, WRONG_SUM = "cut", "its checksum is wrong"


class Source(Readable, Protocol):
    """A file of packed bytes, read from any place."""

    def seek(self, to: int, /) -> object: ...
    def tell(self) -> int: ...


class DecompressedStream:
    """A stream of unpacked pieces. It raises nothing: it ends before damage, which `damage` tells ('' without any; CUT)."""

    def __init__(self, pieces: Iterator[bytes | None], source: Source | None = None) -> None:
        self._pieces, self._source, self._piece, self._at, self._gap = pieces, source, b"", 0, False
        self.damage, self.where = "", 0

    def seekable(self) -> bool:
        return False

    def read1(self, size: int) -> bytes:
        """The next bytes, at most `size`; none only at the end."""
        part = self.peek(1)[self._at : self._at + size] if self._at == len(self._piece) else self._piece[self._at : self._at + size]
        self._at += len(part)
        return part

    def read(self, size: int = -1) -> bytes:
        """The next bytes, fewer only at the end."""
        part = self.read1(size if size >= 0 else 1 << 62)
        if not part or len(part) == size:
            return part
        parts, missing = [part], size - len(part)
        while missing and (part := self.read1(missing if size >= 0 else 1 << 62)):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def peek(self, size: int) -> bytes:
        """The bytes to come, at least `size` unless the end is nearer; they are not used up."""
        while len(self._piece) - self._at < size and not self._gap and (more := self._next()):
            self._piece, self._at = (self._piece[self._at :] + more if self._at < len(self._piece) else more), 0
        return self._piece if self._at == 0 else self._piece[self._at :]

    def resume(self) -> bool:
        """At the end: whether something was read beyond a damaged place. It comes next."""
        gap, self._gap = self._gap, False
        return gap

    def _next(self) -> bytes:
        try:
            for piece in self._pieces:
                if piece is None:
                    self._gap = True
                    self._failed("a block is damaged")
                    return b""
                if piece:
                    return piece
        except Damaged as error:
            self._failed(str(error))
        except _FAILS as error:
            self._failed(_words(error))
        return b""

    def _failed(self, why: str) -> None:
        if not self.damage:
            self.damage, self.where = why, self._source.tell() if self._source else 0


def _words(error: Exception) -> str:
    """What a library says, without what it says of itself."""
    return (
        str(error).split("\n")[0].rpartition("decompressing data: ")[2].rpartition("decompressor error: ")[2][:120]
        or type(error).__name__
    )


def find_decompressor(head: bytes) -> Callable[[Source], Iterator[bytes | None]] | None:
    """What unpacks a compressed file that begins like this; None where it is none."""
    if head.startswith(b"\x1f\x8b\x08"):
        return gunzip
    if head.startswith(b"BZh") and head[3:4] in b"123456789" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return bunzip2
    if head.startswith(b"\xfd7zXZ\x00"):
        return unxz
    return unzstd if head.startswith(b"\x28\xb5\x2f\xfd") else None


def gunzip(source: Readable) -> Iterator[bytes]:
    """The members of a gzip file one after another (RFC 1952); zeros behind the last are padding."""
    data, wrong = source.read(_IN), False
    while data:
        if not data.startswith(b"\x1f\x8b"):
            raise Damaged("bytes that are not gzip's stand behind the end")
        while (start := _gzip_header(data)) is None:
            if not (more := source.read(_IN)):
                raise Damaged(TRUNCATED)
            data += more
        pieces, total, size = inflate(source, data[start:]), 0, 0
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                data = end.value
                break
            total, size = zlib.crc32(piece, total), size + len(piece)
            yield piece
        while len(data) < 8 and (more := source.read(_IN)):
            data += more
        if len(data) < 8:
            raise Damaged(TRUNCATED)
        wrong |= data[:8] != struct.pack("<LL", total, size & 0xFFFFFFFF)
        data = _without_zeros(source, data[8:])
    if wrong:
        raise Damaged(WRONG_SUM)


def _gzip_header(data: bytes) -> int | None:
    """Where the deflate stream begins; None where that is behind the end of the data."""
    if len(data) < 10:
        return None
    at, flags = 10, data[3]
    if flags & 4:
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    for flag in (8, 16):  # name, comment
        if flags & flag:
            at = data.find(b"\0", at) + 1 or len(data) + 1
    at += 2 if flags & 2 else 0
    return at if at <= len(data) else None


def _without_zeros(source: Readable, data: bytes) -> bytes:
    """The bytes that come next, at least some 64 KB where there are, without zeros before them."""
    data = data.lstrip(b"\0")
    while not data and (more := source.read(_IN)):
        data = more.lstrip(b"\0")
    return data + source.read(_IN) if 0 < len(data) < 18 else data


def inflate(source: Readable, data: bytes) -> Generator[bytes, None, bytes]:
    """Pieces of one deflate stream that begins with `data`; returns the bytes behind it that were read.

    Raises Damaged after the last byte that can be decoded.
    """
    unpack = zlib.decompressobj(-15)
    while not unpack.eof:
        if not data and not (data := source.read(_IN)):
            yield unpack.flush()
            if unpack.eof:
                break
            raise Damaged(TRUNCATED)
        before = unpack.copy()
        try:
            piece = unpack.decompress(data, _OUT)
        except zlib.error as error:
            yield from _up_to_error(before, data)
            raise Damaged(_words(error)) from None
        data = unpack.unconsumed_tail
        yield piece
    return unpack.unused_data


def _up_to_error(unpack: Any, data: bytes) -> Iterator[bytes]:
    for size in (4096, 64, 1):
        while data:
            before = unpack.copy()
            try:
                piece = unpack.decompress(data, size)
            except zlib.error:
                unpack = before
                break
            data = unpack.unconsumed_tail
            yield piece


def unxz(source: Source) -> Iterator[bytes]:
    """The streams of an xz file one after another; zeros between them are padding."""
    start = 0
    while True:
        start = yield from _xz_stream(source, start)
        source.seek(start)
        data = source.read(_IN)
        while data and not data.strip(b"\0"):
            start, data = start + len(data), source.read(_IN)
        if not data:
            return
        start += len(data) - len(data.lstrip(b"\0"))
        source.seek(start)
        if source.read(6) != b"\xfd7zXZ\x00":
            raise Damaged("bytes that are not xz's stand behind the end")


def _xz_stream(source: Source, start: int) -> Generator[bytes, None, int]:
    """Pieces of the stream that begins there; returns where it ends."""
    source.seek(start)
    unpack, read, given, piece = lzma.LZMADecompressor(lzma.FORMAT_XZ), start, 0, b""
    try:
        while not unpack.eof:
            data = source.read(_IN) if unpack.needs_input else b""
            read += len(data)
            if unpack.needs_input and not data:
                raise Damaged(TRUNCATED)
            piece = unpack.decompress(data, _OUT)
            given += len(piece)
            yield piece
    except lzma.LZMAError as error:
        end = source.tell()
        yield from _xz_again(source, start, given)
        source.seek(end)
        raise Damaged(_words(error)) from None
    return read - len(unpack.unused_data)


def _xz_again(source: Source, start: int, given: int) -> Iterator[bytes]:
    """What a stream holds behind its first `given` bytes, byte by byte up to the error."""
    source.seek(start)
    unpack, seen = lzma.LZMADecompressor(lzma.FORMAT_XZ), 0
    found = bytearray()
    try:
        while data := source.read(_IN) if unpack.needs_input else b"\0":
            piece = unpack.decompress(data if unpack.needs_input else b"", min(_OUT, given - seen) if seen < given else 1)
            if seen >= given:
                found += piece
            seen += len(piece)
    except (lzma.LZMAError, EOFError):
        pass
    yield bytes(found)


def unzstd(source: Source) -> Iterator[bytes]:
    """The frames of a Zstandard file one after another (RFC 8878)."""
    import zstandard

    unpack, data, whole = None, b"", True
    given = 0
    while data or (data := source.read(_ZSTD_IN)):
        if unpack is None:
            unpack, start, given = _zstd(), source.tell() - len(data), 0
        try:
            piece = unpack.decompress(data)
        except zstandard.ZstdError as error:
            end = source.tell()
            yield from _zstd_again(source, start, given)
            source.seek(end)
            raise Damaged(_words(error)) from None
        given += len(data)
        data, whole = (unpack.unused_data, True) if unpack.eof else (b"", False)
        unpack = None if whole else unpack
        yield piece
        if whole:
            data = _without_zeros(source, data)
    if not whole:
        raise Damaged(TRUNCATED)


def _zstd() -> zstandard.ZstdDecompressionObj:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()


def _zstd_again(source: Source, start: int, taken: int) -> Iterator[bytes]:
    """What the frame that begins there gives behind its first `taken` packed bytes, fed byte by byte up to the error."""
    import zstandard

    source.seek(start)
    unpack = _zstd()
    while taken > 0 and (data := source.read(min(taken, _ZSTD_IN))):
        unpack.decompress(data)
        taken -= len(data)
    try:
        while data := source.read(1):
            yield unpack.decompress(data)
    except zstandard.ZstdError:
        return
