"""Series as bytes to be stored: frames of compressed columns, exact, of some three bytes a point."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.spill import columns
from ingest.spill.points import SeriesPoints

FRAME = 1 << 16  # points of one frame
_HEAD = struct.Struct("<qq")  # of values: multiplier, divisor; of times: ticks in a second, 0
_FRAME = struct.Struct("<IBI")  # points, decimals, bytes


class PackedSeries(NamedTuple):
    """`times`: None where the output has none; seconds since the first point once they are unpacked."""

    points: int
    times: bytes | None
    values: bytes
    lines: bytes


class PointBlock(NamedTuple):
    """Some points: seconds since the first one (None without times), values in the base unit, lines."""

    times: list[float] | None
    values: list[float]
    lines: list[int]


class _Writer:
    """Columns of one series, frame by frame."""

    def __init__(self, first: int, second: int, *, ordered: bool) -> None:
        self._parts = [_HEAD.pack(first, second)]
        self._pending: list[int] = []
        self._decimals = 0
        self._ordered = ordered

    def add(self, numbers: Sequence[int], decimals: int = 0) -> None:
        if decimals != self._decimals:
            self.flush()
            self._decimals = decimals
        self._pending += numbers
        if len(self._pending) >= FRAME:
            self.flush()

    def flush(self) -> None:
        if self._pending:
            data = columns.encode(self._pending, ordered=self._ordered)
            self._parts += [_FRAME.pack(len(self._pending), self._decimals, len(data)), data]
            self._pending = []

    def finish(self) -> bytes:
        self.flush()
        return b"".join(self._parts)


def pack(points: SeriesPoints, ticks: int) -> PackedSeries:
    """The bytes of a series, whose clock has so many ticks in a second."""
    column = points.column
    values = _Writer(column.multiplier, points.divisor, ordered=False)
    lines, times = _Writer(0, 0, ordered=True), _Writer(ticks, 0, ordered=True)
    has_times = True
    for part_times, digits, decimals, part_lines in points.integers():
        values.add(digits, decimals)
        lines.add(part_lines)
        has_times = part_times is not None
        if part_times is not None:
            times.add([time - points.first_time for time in part_times])
    return PackedSeries(points.count, times.finish() if has_times else None, values.finish(), lines.finish())


def unpack(packed: PackedSeries) -> Iterator[PointBlock]:
    """The points of a series, some at once, in order."""
    multiplier, divisor = _HEAD.unpack_from(packed.values)
    ticks = _HEAD.unpack_from(packed.times)[0] if packed.times is not None else 1
    times = _Reader(packed.times) if packed.times is not None else None
    lines = _Reader(packed.lines)
    for digits, decimals in _frames(packed.values):
        scale = divisor * 10**decimals
        numbers = [number * multiplier / scale for number in digits] if multiplier != 1 else [number / scale for number in digits]
        count = len(digits)
        seconds = [time / ticks for time in times.take(count)] if times is not None else None
        yield PointBlock(seconds, numbers, lines.take(count))


def _frames(data: bytes) -> Iterator[tuple[list[int], int]]:
    place = _HEAD.size
    while place < len(data):
        _, decimals, size = _FRAME.unpack_from(data, place)
        place += _FRAME.size
        yield columns.decode(data[place : place + size]), decimals
        place += size


class _Reader:
    """The numbers of a column, so many at a time."""

    def __init__(self, data: bytes) -> None:
        self._frames = _frames(data)
        self._pending: list[int] = []

    def take(self, count: int) -> list[int]:
        while len(self._pending) < count:
            self._pending += next(self._frames)[0]
        taken, self._pending = self._pending[:count], self._pending[count:]
        return taken
