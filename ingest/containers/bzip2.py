"""bzip2, block by block: each has a mark of 48 bits, at any bit, and a checksum of its own, so that a damaged one costs itself.

Format: "BZh" and a digit, blocks, and an end mark with the checksum of all; streams may follow each other.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Iterator
from contextlib import suppress

from ingest.containers.peek import Readable
from ingest.errors import Damaged

_MARK, _END, _WIDE = 0x314159265359, 0x177245385090, 48  # of a block, of the end; bits
_IN, _LONGEST = 1 << 18, 4 << 20  # bytes read at once, and of a block, of which none is longer than 1 MB
_REVERSED = bytes([int(f"{byte:08b}"[::-1], 2) for byte in range(256)])


def _searched(mark: int) -> list[tuple[int, bytes]]:
    """For each place of the mark within a byte: (its first bit, the whole bytes in it)."""
    every = []
    for shift in range(8):
        spread = (mark << (8 - shift)).to_bytes(7, "big")
        every.append((shift, spread[:6] if shift == 0 else spread[1:6]))
    return every


_SEARCHED = [(mark, shift, part) for mark in (_MARK, _END) for shift, part in _searched(mark)]


def _marks(data: bytes, start: int) -> list[tuple[int, bool]]:
    """(first bit, whether it ends a stream) of each mark from that byte on, in order."""
    found = []
    for mark, shift, part in _SEARCHED:
        at = data.find(part, start + (1 if shift else 0))
        while at >= 0:
            first = at - (1 if shift else 0)
            if int.from_bytes(data[first : first + 7].ljust(7, b"\0"), "big") >> (8 - shift) & (1 << _WIDE) - 1 == mark:
                found.append((first * 8 + shift, mark == _END))
            at = data.find(part, at + 1)
    return sorted(found)


def bunzip2(source: Readable) -> Iterator[bytes | None]:
    """What the blocks hold; None in place of those that are damaged. Raises Damaged at the end of a file that was cut."""
    window, sums = _Window(source), 0
    while (bits := window.next()) is not None:
        if isinstance(bits, int):  # the end of a stream, and the sum of its blocks as it is told
            if bits != sums:
                yield None
            sums = 0
            continue
        block, told = _block(bits, window.more)
        sums = (sums << 1 | sums >> 31) & 0xFFFFFFFF ^ told
        if block is not None or window.more:
            yield block
    if not window.ended:
        raise Damaged("cut")


class _Window:
    """Goes from mark to mark. `more`: whether the last block was followed by a mark; `ended`: whether the last mark was an end."""

    def __init__(self, source: Readable) -> None:
        self._source, self._held, self._searched = source, b"", 0
        self._marks: list[tuple[int, bool]] = []
        self._last = -1
        self.more, self.ended = True, False

    def next(self) -> tuple[int, int] | int | None:
        """The bits of the next block, or the sum at the end of a stream; None at the end."""
        while self.more:
            if self._marks and self._marks[0][1]:
                told = _number(self._held, self._marks[0][0] + _WIDE, 32)
                if told is not None:
                    self.ended = True
                    del self._marks[0]
                    return told
            elif len(self._marks) > 1:
                self.ended = False
                first = self._marks.pop(0)[0]
                return _bits(self._held, first, self._marks[0][0])
            if not self._read():
                self.more = False
        if not self._marks:
            return None
        first, end = self._marks.pop()
        self.ended = False
        return None if end else _bits(self._held, first, len(self._held) * 8)

    def _read(self) -> bool:
        """Whether there were more bytes. Lets go of those that are done with, and of a block that does not end."""
        drop = self._marks[0][0] // 8 if self._marks else max(len(self._held) - 8, 0)
        if len(self._held) - drop > _LONGEST:
            self._marks, drop = [], len(self._held) - 8
        self._held, self._searched = self._held[drop:], max(self._searched - drop - 7, 0)
        self._marks = [(bit - 8 * drop, end) for bit, end in self._marks]
        self._last -= 8 * drop
        data = self._source.read(_IN)
        self._held += data
        self._marks += [mark for mark in _marks(self._held, self._searched) if mark[0] > self._last]
        self._last = self._marks[-1][0] if self._marks else self._last
        self._searched = len(self._held)
        return bool(data)


def _number(data: bytes, first: int, count: int) -> int | None:
    bits = int.from_bytes(data[first // 8 : (first + count + 7) // 8], "big")
    return bits >> (-(first + count)) % 8 & (1 << count) - 1 if len(data) * 8 >= first + count else None


def _bits(data: bytes, first: int, last: int) -> tuple[int, int]:
    """(the bits as a number, how many there are)."""
    number = int.from_bytes(data[first // 8 : (last + 7) // 8], "big") >> (-last) % 8
    return number & (1 << (last - first)) - 1, last - first


def _block(bits: tuple[int, int], ended: bool = True) -> tuple[bytes | None, int]:
    """(what a block holds, None where it is damaged; its checksum as it is told)."""
    number, count = bits
    if count < _WIDE + 32:
        return None, 0
    told = number >> (count - _WIDE - 32) & 0xFFFFFFFF
    if ended:
        number, count = (number << _WIDE | _END) << 32 | told, count + _WIDE + 32
    packed = b"BZh9" + (number << (-count) % 8).to_bytes((count + 7) // 8, "big")
    try:
        unpack = bz2.BZ2Decompressor()
        whole = unpack.decompress(packed)
        return (whole if unpack.eof or _sum(whole) == told else None), told
    except OSError:
        return _despite_error(packed, told), told


def _despite_error(packed: bytes, told: int) -> bytes | None:
    """A block whose own bytes are whole though what stands behind them is not; None where they are damaged."""
    found = bytearray()
    for size in (4096, 1):
        unpack, data, seen = bz2.BZ2Decompressor(), packed, 0
        with suppress(OSError):
            while not unpack.eof and (data or not unpack.needs_input):
                piece = unpack.decompress(data, len(found) - seen if seen < len(found) else size)
                found += piece if seen == len(found) else b""
                data, seen = b"", seen + len(piece)
    # The step that failed would have given one byte more; the checksum tells which.
    before = zlib.crc32(found.translate(_REVERSED))
    last = [byte for byte in range(256) if _told(zlib.crc32(_REVERSED[byte : byte + 1], before)) == told]
    return bytes(found) if _told(before) == told else bytes(found) + bytes(last) if last else None


def _sum(data: bytes) -> int:
    """bzip2's checksum: that of zlib with the bits of each byte, and of the result, in the other order."""
    return _told(zlib.crc32(data.translate(_REVERSED)))


def _told(crc: int) -> int:
    return int.from_bytes(crc.to_bytes(4, "little").translate(_REVERSED), "big")
