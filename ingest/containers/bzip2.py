"""bzip2, block by block: each has a mark of 48 bits, at any bit offset, and its own checksum, so that damage affects single blocks.

Format: "BZh" and a digit, blocks, and an end mark with the checksum of all; streams may follow each other.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Iterator
from contextlib import suppress

from ingest.containers.spool import Readable
from ingest.errors import Damaged

_BLOCK_MARK, _END_MARK, _MARK_BITS = 0x314159265359, 0x177245385090, 48
_READ_SIZE, _MAX_BLOCK = 1 << 18, 4 << 20  # bytes; a block has at most 1 MB
_REVERSED = bytes([int(f"{byte:08b}"[::-1], 2) for byte in range(256)])


def _shifted_marks(mark: int) -> list[tuple[int, bytes]]:
    """For each bit offset of the mark within a byte: (offset, the whole bytes of the mark)."""
    shifted = []
    for shift in range(8):
        shifted_mark = (mark << (8 - shift)).to_bytes(7, "big")
        shifted.append((shift, shifted_mark[:6] if shift == 0 else shifted_mark[1:6]))
    return shifted


_SEARCH_KEYS = [(mark, shift, part) for mark in (_BLOCK_MARK, _END_MARK) for shift, part in _shifted_marks(mark)]


def _find_marks(data: bytes, start: int) -> list[tuple[int, bool]]:
    """(bit offset, whether it ends a stream) of each mark from byte `start` on, in order."""
    marks = []
    for mark, shift, key in _SEARCH_KEYS:
        index = data.find(key, start + (1 if shift else 0))
        while index >= 0:
            first_byte = index - (1 if shift else 0)
            if (
                int.from_bytes(data[first_byte : first_byte + 7].ljust(7, b"\0"), "big") >> (8 - shift) & (1 << _MARK_BITS) - 1
                == mark
            ):
                marks.append((first_byte * 8 + shift, mark == _END_MARK))
            index = data.find(key, index + 1)
    return sorted(marks)


def bunzip2(source: Readable) -> Iterator[bytes | None]:
    """The content of the blocks; None in place of damaged ones. Raises Damaged at the end of a truncated file."""
    scanner, combined = _MarkScanner(source), 0
    while (bits := scanner.next()) is not None:
        if isinstance(bits, int):  # the end of a stream: the combined checksum of its blocks
            if bits != combined:
                yield None
            combined = 0
            continue
        block, checksum = _decode_block(bits, scanner.more)
        combined = (combined << 1 | combined >> 31) & 0xFFFFFFFF ^ checksum
        if block is not None or scanner.more:
            yield block
    if not scanner.ended:
        raise Damaged("cut")


class _MarkScanner:
    """Reads from mark to mark. `more`: whether a mark followed the last block; `ended`: whether the last mark was an end mark."""

    def __init__(self, source: Readable) -> None:
        self._source, self._buffer, self._searched = source, b"", 0
        self._marks: list[tuple[int, bool]] = []
        self._last = -1
        self.more, self.ended = True, False

    def next(self) -> tuple[int, int] | int | None:
        """The bits of the next block, or the checksum at the end of a stream; None at the end."""
        while self.more:
            if self._marks and self._marks[0][1]:
                checksum = _read_bits(self._buffer, self._marks[0][0] + _MARK_BITS, 32)
                if checksum is not None:
                    self.ended = True
                    del self._marks[0]
                    return checksum
            elif len(self._marks) > 1:
                self.ended = False
                first = self._marks.pop(0)[0]
                return _slice_bits(self._buffer, first, self._marks[0][0])
            if not self._read():
                self.more = False
        if not self._marks:
            return None
        first, end = self._marks.pop()
        self.ended = False
        return None if end else _slice_bits(self._buffer, first, len(self._buffer) * 8)

    def _read(self) -> bool:
        """Whether there were more bytes. Drops bytes before the first mark, and a block that is too long."""
        drop = self._marks[0][0] // 8 if self._marks else max(len(self._buffer) - 8, 0)
        if len(self._buffer) - drop > _MAX_BLOCK:
            self._marks, drop = [], len(self._buffer) - 8
        self._buffer, self._searched = self._buffer[drop:], max(self._searched - drop - 7, 0)
        self._marks = [(bit - 8 * drop, end) for bit, end in self._marks]
        self._last -= 8 * drop
        data = self._source.read(_READ_SIZE)
        self._buffer += data
        self._marks += [mark for mark in _find_marks(self._buffer, self._searched) if mark[0] > self._last]
        self._last = self._marks[-1][0] if self._marks else self._last
        self._searched = len(self._buffer)
        return bool(data)


def _read_bits(data: bytes, first: int, count: int) -> int | None:
    bits = int.from_bytes(data[first // 8 : (first + count + 7) // 8], "big")
    return bits >> (-(first + count)) % 8 & (1 << count) - 1 if len(data) * 8 >= first + count else None


def _slice_bits(data: bytes, first: int, last: int) -> tuple[int, int]:
    """(the bits as a number, how many there are)."""
    number = int.from_bytes(data[first // 8 : (last + 7) // 8], "big") >> (-last) % 8
    return number & (1 << (last - first)) - 1, last - first


def _decode_block(bits: tuple[int, int], ended: bool = True) -> tuple[bytes | None, int]:
    number, count = bits
    if count < _MARK_BITS + 32:
        return None, 0
    checksum = number >> (count - _MARK_BITS - 32) & 0xFFFFFFFF
    if ended:
        number, count = (number << _MARK_BITS | _END_MARK) << 32 | checksum, count + _MARK_BITS + 32
    packed = b"BZh9" + (number << (-count) % 8).to_bytes((count + 7) // 8, "big")
    try:
        decompressor = bz2.BZ2Decompressor()
        content = decompressor.decompress(packed)
        return (content if decompressor.eof or _checksum(content) == checksum else None), checksum
    except OSError:
        return _decode_despite_error(packed, checksum), checksum


def _decode_despite_error(packed: bytes, checksum: int) -> bytes | None:
    """The content of a block that is intact though the bytes after it are not; None if the block is damaged."""
    content = bytearray()
    for size in (4096, 1):
        decompressor, data, produced = bz2.BZ2Decompressor(), packed, 0
        with suppress(OSError):
            while not decompressor.eof and (data or not decompressor.needs_input):
                piece = decompressor.decompress(data, len(content) - produced if produced < len(content) else size)
                content += piece if produced == len(content) else b""
                data, produced = b"", produced + len(piece)
    # The step that failed would have given one more byte; find it by the checksum.
    crc = zlib.crc32(content.translate(_REVERSED))
    last = [byte for byte in range(256) if _reversed_bits(zlib.crc32(_REVERSED[byte : byte + 1], crc)) == checksum]
    return bytes(content) if _reversed_bits(crc) == checksum else bytes(content) + bytes(last) if last else None


def _checksum(data: bytes) -> int:
    """bzip2's checksum: that of zlib with the bits of each byte, and of the result, in reverse order."""
    return _reversed_bits(zlib.crc32(data.translate(_REVERSED)))


def _reversed_bits(crc: int) -> int:
    return int.from_bytes(crc.to_bytes(4, "little").translate(_REVERSED), "big")
