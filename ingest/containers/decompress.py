"""gzip, bzip2, xz and Zstandard decompression that returns everything before the first damage.

The decompressors of the standard library discard their last output when they meet damage. Here a step that fails is
repeated in steps so small that nothing is lost. Sources are read from their beginning and must be seekable.
"""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ingest.containers.bzip2 import bunzip2
from ingest.containers.spool import Readable
from ingest.errors import Damaged

if TYPE_CHECKING:
    import zstandard

_READ_SIZE, _OUTPUT_SIZE = 1 << 16, 1 << 18  # bytes of one step
_ZSTD_READ_SIZE = 1 << 10  # a Zstandard block of 4 bytes gives 128 KiB, so that a step gives at most 32 MiB
_FAILS = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
TRUNCATED, WRONG_CHECKSUM = "cut", "its checksum is wrong"


class Source(Readable, Protocol):
    """A seekable file of packed bytes."""

    def seek(self, to: int, /) -> object: ...
    def tell(self) -> int: ...


class DecompressedStream:
    """A stream of decompressed pieces. It raises nothing: it ends at damage. `damage`: its description, TRUNCATED or '' if there is
    none; `offset`: its place in the source.
    """

    def __init__(self, pieces: Iterator[bytes | None], source: Source | None = None) -> None:
        self._pieces, self._source, self._piece, self._position, self._gap = pieces, source, b"", 0, False
        self.damage, self.offset = "", 0

    def seekable(self) -> bool:
        return False

    def read1(self, size: int) -> bytes:
        """The next bytes, at most `size`; empty only at the end."""
        part = (
            self.peek(1)[self._position : self._position + size]
            if self._position == len(self._piece)
            else self._piece[self._position : self._position + size]
        )
        self._position += len(part)
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
        """The next bytes without consuming them, at least `size` unless the end is nearer."""
        while len(self._piece) - self._position < size and not self._gap and (piece := self._next()):
            self._piece, self._position = (self._piece[self._position :] + piece if self._position < len(self._piece) else piece), 0
        return self._piece if self._position == 0 else self._piece[self._position :]

    def resume(self) -> bool:
        """At the end: whether the stream continues after a damaged block. The rest is then read next."""
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
            self._failed(_error_message(error))
        return b""

    def _failed(self, why: str) -> None:
        if not self.damage:
            self.damage, self.offset = why, self._source.tell() if self._source else 0


def _error_message(error: Exception) -> str:
    """The error message of a library without its own prefix."""
    return (
        str(error).split("\n")[0].rpartition("decompressing data: ")[2].rpartition("decompressor error: ")[2][:120]
        or type(error).__name__
    )


def find_decompressor(head: bytes) -> Callable[[Source], Iterator[bytes | None]] | None:
    """The decompressor of a compressed file that begins like this; None if it is not compressed."""
    if head.startswith(b"\x1f\x8b\x08"):
        return gunzip
    if head.startswith(b"BZh") and head[3:4] in b"123456789" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return bunzip2
    if head.startswith(b"\xfd7zXZ\x00"):
        return unxz
    return unzstd if head.startswith(b"\x28\xb5\x2f\xfd") else None


def gunzip(source: Readable) -> Iterator[bytes]:
    """The members of a gzip file one after another (RFC 1952); zeros after the last are padding."""
    data, wrong = source.read(_READ_SIZE), False
    while data:
        if not data.startswith(b"\x1f\x8b"):
            raise Damaged("the data after its end is not gzip")
        while (start := _gzip_header(data)) is None:
            if not (more := source.read(_READ_SIZE)):
                raise Damaged(TRUNCATED)
            data += more
        pieces, crc, size = inflate(source, data[start:]), 0, 0
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                data = end.value
                break
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            yield piece
        while len(data) < 8 and (more := source.read(_READ_SIZE)):
            data += more
        if len(data) < 8:
            raise Damaged(TRUNCATED)
        wrong |= data[:8] != struct.pack("<LL", crc, size & 0xFFFFFFFF)
        data = _skip_zeros(source, data[8:])
    if wrong:
        raise Damaged(WRONG_CHECKSUM)


def _gzip_header(data: bytes) -> int | None:
    """Offset of the deflate stream; None if it is after the end of the data."""
    if len(data) < 10:
        return None
    offset, flags = 10, data[3]
    if flags & 4:
        offset += 2 + int.from_bytes(data[offset : offset + 2], "little")
    for flag in (8, 16):  # name, comment
        if flags & flag:
            offset = data.find(b"\0", offset) + 1 or len(data) + 1
    offset += 2 if flags & 2 else 0
    return offset if offset <= len(data) else None


def _skip_zeros(source: Readable, data: bytes) -> bytes:
    """The next bytes without leading zeros, some 64 KB if available."""
    data = data.lstrip(b"\0")
    while not data and (more := source.read(_READ_SIZE)):
        data = more.lstrip(b"\0")
    return data + source.read(_READ_SIZE) if 0 < len(data) < 18 else data


def inflate(source: Readable, data: bytes) -> Generator[bytes, None, bytes]:
    """Pieces of one deflate stream that begins with `data`; returns the bytes after it that were read.

    Raises Damaged after the last byte that can be decoded.
    """
    decompressor = zlib.decompressobj(-15)
    while not decompressor.eof:
        if not data and not (data := source.read(_READ_SIZE)):
            yield decompressor.flush()
            if decompressor.eof:
                break
            raise Damaged(TRUNCATED)
        checkpoint = decompressor.copy()
        try:
            piece = decompressor.decompress(data, _OUTPUT_SIZE)
        except zlib.error as error:
            yield from _up_to_error(checkpoint, data)
            raise Damaged(_error_message(error)) from None
        data = decompressor.unconsumed_tail
        yield piece
    return decompressor.unused_data


def _up_to_error(decompressor: Any, data: bytes) -> Iterator[bytes]:
    """Output of the decompressor up to the damaged byte."""
    for size in (4096, 64, 1):
        while data:
            checkpoint = decompressor.copy()
            try:
                piece = decompressor.decompress(data, size)
            except zlib.error:
                decompressor = checkpoint
                break
            data = decompressor.unconsumed_tail
            yield piece


def unxz(source: Source) -> Iterator[bytes]:
    """The streams of an xz file one after another; zeros between them are padding."""
    start = 0
    while True:
        start = yield from _xz_stream(source, start)
        source.seek(start)
        data = source.read(_READ_SIZE)
        while data and not data.strip(b"\0"):
            start, data = start + len(data), source.read(_READ_SIZE)
        if not data:
            return
        start += len(data) - len(data.lstrip(b"\0"))
        source.seek(start)
        if source.read(6) != b"\xfd7zXZ\x00":
            raise Damaged("the data after its end is not xz")


def _xz_stream(source: Source, start: int) -> Generator[bytes, None, int]:
    """Pieces of the stream that begins at `start`; returns its end."""
    source.seek(start)
    decompressor, read, produced, piece = lzma.LZMADecompressor(lzma.FORMAT_XZ), start, 0, b""
    try:
        while not decompressor.eof:
            data = source.read(_READ_SIZE) if decompressor.needs_input else b""
            read += len(data)
            if decompressor.needs_input and not data:
                raise Damaged(TRUNCATED)
            piece = decompressor.decompress(data, _OUTPUT_SIZE)
            produced += len(piece)
            yield piece
    except lzma.LZMAError as error:
        end = source.tell()
        yield from _xz_up_to_error(source, start, produced)
        source.seek(end)
        raise Damaged(_error_message(error)) from None
    return read - len(decompressor.unused_data)


def _xz_up_to_error(source: Source, start: int, produced: int) -> Iterator[bytes]:
    """The content of a stream after its first `produced` bytes, byte by byte up to the error."""
    source.seek(start)
    decompressor, skipped = lzma.LZMADecompressor(lzma.FORMAT_XZ), 0
    content = bytearray()
    try:
        while data := source.read(_READ_SIZE) if decompressor.needs_input else b"\0":
            piece = decompressor.decompress(
                data if decompressor.needs_input else b"", min(_OUTPUT_SIZE, produced - skipped) if skipped < produced else 1
            )
            if skipped >= produced:
                content += piece
            skipped += len(piece)
    except (lzma.LZMAError, EOFError):
        pass
    yield bytes(content)


def unzstd(source: Source) -> Iterator[bytes]:
    """The frames of a Zstandard file one after another (RFC 8878)."""
    import zstandard

    decompressor, data, complete = None, b"", True
    consumed = 0
    while data or (data := source.read(_ZSTD_READ_SIZE)):
        if decompressor is None:
            decompressor, start, consumed = _zstd_decompressor(), source.tell() - len(data), 0
        try:
            piece = decompressor.decompress(data)
        except zstandard.ZstdError as error:
            end = source.tell()
            yield from _zstd_up_to_error(source, start, consumed)
            source.seek(end)
            raise Damaged(_error_message(error)) from None
        consumed += len(data)
        data, complete = (decompressor.unused_data, True) if decompressor.eof else (b"", False)
        decompressor = None if complete else decompressor
        yield piece
        if complete:
            data = _skip_zeros(source, data)
    if not complete:
        raise Damaged(TRUNCATED)


def _zstd_decompressor() -> zstandard.ZstdDecompressionObj:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()


def _zstd_up_to_error(source: Source, start: int, consumed: int) -> Iterator[bytes]:
    """The output of the frame that begins at `start` after its first `consumed` packed bytes, fed byte by byte up to the error."""
    import zstandard

    source.seek(start)
    decompressor = _zstd_decompressor()
    while consumed > 0 and (data := source.read(min(consumed, _ZSTD_READ_SIZE))):
        decompressor.decompress(data)
        consumed -= len(data)
    try:
        while data := source.read(1):
            yield decompressor.decompress(data)
    except zstandard.ZstdError:
        return
