"""Points of series: rows of tables while they are read, then compressed columns, in a temporary file where there are many.

A value is exact: the printed decimal, times the factor of its unit, to the nearest float.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, compress
from operator import sub
from typing import NamedTuple, final

from ingest.lazy_regex import lazy
from ingest.records import PointChunk
from ingest.spill import SpillFile

# Columns of integers as compressed bytes: differences, zigzag, bytes of equal weight together, zstd.

_LEVEL = 3
_PLANES = 8  # bytes of an integer
_PLAIN, _DIFFERENCES = b"p", b"d"


def encode_column(values: Sequence[int], *, ordered: bool = False) -> bytes:
    """The bytes of integers of 64 bits, by their differences where these are shorter. `ordered`: they are known to be."""
    candidates = [_DIFFERENCES + _compress(_differences(values))]
    if not ordered:
        candidates.append(_PLAIN + _compress(values))
    return min(candidates, key=len)


def decode_column(data: bytes) -> list[int]:
    """The integers of `encode_column`."""
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


MISSING = -(1 << 62)  # in place of a number that a row does not have
MAX_PENDING = 200_000  # cells of all tables that are kept as text
_MAX_INTEGER = 1 << 60
_MAX_DOUBTS = 100  # of one table; a table of garbage needs no more
_INTEGERS = lazy(r"(?:-?\d{1,17}\n)+")
_TWO_DECIMALS = lazy(r"(?:-?\d{1,14}\.\d\d\n)+")
_NUMBER = lazy(r"-?\d{1,18}(?:[.,]\d{1,9})?")

Number = tuple[int, int]  # digits, decimals: 1.25 is (125, 2)
CellParser = Callable[[str], Number | None]
"""Digits and decimals of a cell; None if it is missing. Raises ValueError where the cell is no number."""


def parse_number(cell: str) -> Number | None:
    """A plain number; `-` is missing."""
    if not _NUMBER.fullmatch(cell):
        if cell in ("-", "--", ""):
            return None
        raise ValueError
    whole, _, decimals = cell.replace(",", ".").partition(".")
    return int(whole + decimals), len(decimals)


class PointColumn(NamedTuple):
    """A column of a table. A value is the printed number times `multiplier` / `divisor`. `native`: the tool's name of it.

    `decimals`: of every number of the tool in this column, if it is known: fewer of them are a damaged number.
    """

    metric: str
    native: str
    multiplier: int = 1
    divisor: int = 1
    suffix: str = ""  # of the subject
    decimals: int | None = None
    parse: CellParser | None = None  # None: that of the table


@final
@dataclass(slots=True)
class _Stored:
    """Rows of a table, compressed: a column of times (or none), of lines, and of each column with its decimals."""

    times: bytes | None
    lines: bytes
    cells: list[tuple[bytes, int]]


@dataclass(slots=True)
class ColumnState:
    """What is known of a column so far: number of points, time and line of the first, least and greatest digits."""

    count: int = 0
    first_time: int = 0
    first_line: int = 0
    last_time: int = 0
    least: float = float("inf")
    greatest: float = float("-inf")


@final
@dataclass(slots=True)
class PointTable:
    """Rows of one table: a time, a line and a cell for each column."""

    store: PointStore
    columns: tuple[PointColumn, ...]
    parse: CellParser = parse_number
    has_times: bool = True
    times: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    rows: list[Sequence[str]] = field(default_factory=list)
    chunks: list[int | _Stored] = field(default_factory=list)
    states: list[ColumnState] = field(default_factory=list)
    bad_cells: list[tuple[int, str, str]] = field(default_factory=list)
    """(line, native name, cell) of what is no number."""

    def add(self, time: int, line: int, cells: Sequence[str]) -> None:
        """Add a row; `cells` are as many as the columns."""
        self.times.append(time)
        self.lines.append(line)
        self.rows.append(cells)
        self.store.count(len(cells))

    def flush(self) -> None:
        """Compress the rows that are kept as text."""
        if not self.rows:
            return
        times, lines, rows = self.times, self.lines, self.rows
        self.times, self.lines, self.rows = [], [], []
        self.states = self.states or [ColumnState() for _ in self.columns]
        stored = _Stored(encode_column(times, ordered=True) if self.has_times else None, encode_column(lines, ordered=True), [])
        for column, state, cells in zip(self.columns, self.states, zip(*rows, strict=True), strict=True):
            digits, decimals = self._digits(column, cells, lines)
            self._update(state, digits, decimals, times, lines)
            stored.cells.append((encode_column(digits), decimals))
        self.chunks.append(self.store.put(stored))

    def _digits(self, column: PointColumn, cells: Sequence[str], lines: Sequence[int]) -> tuple[list[int], int]:
        """The digits of a column's cells, all with the same number of decimals."""
        joined = "\n".join(cells) + "\n"
        if (column.parse or self.parse) is parse_number:
            if column.decimals in (None, 2) and _TWO_DECIMALS.fullmatch(joined):
                return list(map(int, joined.replace(".", "").split())), 2
            if column.decimals in (None, 0) and _INTEGERS.fullmatch(joined):
                return list(map(int, joined.split())), 0
        numbers = [self._number(column, cell, line) for cell, line in zip(cells, lines, strict=True)]
        decimals = max([number[1] for number in numbers if number], default=0)
        digits = [number[0] * 10 ** (decimals - number[1]) if number else MISSING for number in numbers]
        if any(number != MISSING and abs(number) >= _MAX_INTEGER for number in digits):
            for index, number in enumerate(digits):
                if number != MISSING and abs(number) >= _MAX_INTEGER:
                    digits[index] = MISSING
                    self._complain(lines[index], column, cells[index])
        return digits, decimals

    def _number(self, column: PointColumn, cell: str, line: int) -> Number | None:
        try:
            number = (column.parse or self.parse)(cell)
        except ValueError:
            self._complain(line, column, cell)
            return None
        if number and column.decimals is not None and number[1] != column.decimals:
            self._complain(line, column, cell)
            return None
        return number

    def _complain(self, line: int, column: PointColumn, cell: str) -> None:
        if len(self.bad_cells) < _MAX_DOUBTS:
            self.bad_cells.append((line, column.native, cell[:40]))

    def _update(self, state: ColumnState, digits: list[int], decimals: int, times: list[int], lines: list[int]) -> None:
        present = [index for index, number in enumerate(digits) if number != MISSING] if MISSING in digits else range(len(digits))
        if not present:
            return
        if not state.count:
            state.first_time, state.first_line = times[present[0]], lines[present[0]]
        state.count += len(present)
        state.last_time = times[present[-1]]
        scale = 10**decimals
        kept = digits if len(present) == len(digits) else [digits[index] for index in present]
        state.least = min(state.least, min(kept) / scale)
        state.greatest = max(state.greatest, max(kept) / scale)

    def points(self, index: int) -> SeriesPoints:
        """The points of one column, once all rows are flushed."""
        return SeriesPoints(self, index)


@final
class SeriesPoints:
    """The points of one series, read chunk by chunk."""

    __slots__ = ("_divisor", "_index", "_table", "count", "first_time", "last_time")

    def __init__(self, table: PointTable, index: int, divisor: int | None = None) -> None:
        self._table, self._index = table, index
        self._divisor = divisor or table.columns[index].divisor
        state = table.states[index]
        self.count, self.first_time, self.last_time = state.count, state.first_time, state.last_time

    def divided_by(self, divisor: int) -> SeriesPoints:
        """The same points where another divisor than the column's is true."""
        return SeriesPoints(self._table, self._index, divisor)

    @property
    def column(self) -> PointColumn:
        return self._table.columns[self._index]

    @property
    def divisor(self) -> int:
        """As in `PointColumn`, or the one that was found to be true."""
        return self._divisor

    def integers(self) -> Iterator[tuple[list[int] | None, list[int], int, list[int]]]:
        """Times, digits with their decimals, and lines of some points at once, in order."""
        for place in self._table.chunks:
            stored = self._table.store.get(place)
            data, decimals = stored.cells[self._index]
            digits, lines = decode_column(data), decode_column(stored.lines)
            times = decode_column(stored.times) if stored.times is not None else None
            if MISSING in digits:
                present = [number != MISSING for number in digits]
                digits, lines = list(compress(digits, present)), list(compress(lines, present))
                times = list(compress(times, present)) if times is not None else None
            if digits:
                yield times, digits, decimals, lines

    def chunks(self) -> Iterator[PointChunk]:
        """All points in order; times as the tool's clock has them (see `PointTable`)."""
        multiplier = self.column.multiplier
        for times, digits, decimals, lines in self.integers():
            divisor = self._divisor * 10**decimals
            values = [number * multiplier / divisor for number in digits] if multiplier != 1 else [n / divisor for n in digits]
            yield PointChunk(times, values, lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeriesPoints) and list(self.chunks()) == list(other.chunks())

    __hash__ = None  # type: ignore[assignment]


class PointStore:
    """All tables of one file, within a limit of memory."""

    def __init__(self, file: SpillFile | None = None) -> None:
        self.tables: list[PointTable] = []
        self._file = file or SpillFile()
        self._pending = 0
        self._has_spilled = False

    def new_table(self, names: Iterable[PointColumn], parse: CellParser = parse_number, has_times: bool = True) -> PointTable:
        """An empty table."""
        table = PointTable(self, tuple(names), parse, has_times)
        self.tables.append(table)
        return table

    def count(self, cells: int) -> None:
        """So many cells were added to a table."""
        self._pending += cells
        if self._pending >= MAX_PENDING:
            self._has_spilled = True
            self.flush()

    def flush(self) -> None:
        """Compress what is kept as text."""
        for table in self.tables:
            table.flush()
        self._pending = 0

    def put(self, stored: _Stored) -> int | _Stored:
        """Keep it in memory while the file is short, else in the temporary file; in memory, too, if the disk is full."""
        if not self._has_spilled:
            return stored
        return self._file.put((stored.times, stored.lines, stored.cells)) or stored

    def get(self, place: int | _Stored) -> _Stored:
        """What was put there."""
        return place if isinstance(place, _Stored) else _Stored(*self._file.get(place))


# Series as bytes to be stored: frames of compressed columns, exact, of some three bytes a point.

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
            data = encode_column(self._pending, ordered=self._ordered)
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
        yield decode_column(data[place : place + size]), decimals
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
