"""Columns of integers as compressed bytes: differences, zigzag, bytes of equal weight together, zstd."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import sub

_LEVEL = 3
_PLANES = 8  # bytes of an integer
_PLAIN, _DIFFERENCES = b"p", b"d"


def encode(values: Sequence[int], *, ordered: bool = False) -> bytes:
    """The bytes of integers of 64 bits, by their differences where these are shorter. `ordered`: they are known to be."""
    candidates = [_DIFFERENCES + _compress(_differences(values))]
    if not ordered:
        candidates.append(_PLAIN + _compress(values))
    return min(candidates, key=len)


def decode(data: bytes) -> list[int]:
    """The integers of `encode`."""
    import zstandard  # few uploads have series

    raw = zstandard.ZstdDecompressor().decompress(data[1:]) if len(data) > 1 else b""
    size = len(raw) // _PLANES
    joined = bytearray(len(raw))
    for plane in range(_PLANES):
        joined[plane::_PLANES] = raw[plane * size : (plane + 1) * size]
    column = array("Q")
    column.frombytes(joined)
    if sys.byteorder == "big":
        column.byteswap()
    values = [(value >> 1) ^ -(value & 1) for value in column]
    return list(accumulate(values)) if data[:1] == _DIFFERENCES else values


def _differences(values: Sequence[int]) -> list[int]:
    return [*values[:1], *map(sub, values[1:], values)]


def _compress(values: Sequence[int]) -> bytes:
    if not values:
        return b""
    import zstandard

    column = array("Q", [value << 1 if value >= 0 else (-value << 1) - 1 for value in values])
    if sys.byteorder == "big":
        column.byteswap()
    raw = column.tobytes()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(b"".join([raw[plane::_PLANES] for plane in range(_PLANES)]))
