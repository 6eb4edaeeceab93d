"""Values of finished files put aside in a temporary file, once an archive gave more of them than memory shall hold.

They come back equal to what they were, at most `CHUNK_SIZE` of them at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any, overload

from ingest.records import Value
from ingest.spill.tempfile import SpillFile, SpillLocation

HELD = 50_000  # values of one archive that stay in memory: some 25 MB
CHUNK_SIZE = 10_000  # values that are written, and read anew, at once
LOOKED = 8_000  # values read anew to compare runs that stay in memory: the same few are compared with many
_NONE: Mapping[int, int | str] = MappingProxyType({})
value_as_row = attrgetter(*[one.name for one in fields(Value)])


class ValueSpill:
    """Where the values of one archive are: the first `HELD` in the findings, the others in the temporary file."""

    def __init__(self) -> None:
        self._held = self._aside = 0
        self.scratch = SpillFile()
        self._last: tuple[SpillLocation | list[Value] | None, list[Value]] = None, []
        self._looked: deque[tuple[Any, int]] = deque()
        self._looking = 0

    def put(self, values: Sequence[Value]) -> Sequence[Value]:
        """The values of one file as the findings shall keep them: as they are while there is room."""
        if isinstance(values, SpilledValues):
            self._aside += len(values)
            return values
        self._held += len(values)
        if self._held <= HELD or not values:
            return values
        shelved = self.begun()
        shelved.add(values)
        if shelved.in_memory:
            return values  # what cannot be written stays in memory
        self._aside += len(values)
        return shelved

    @property
    def room(self) -> int:
        """How many values of a file that is being read memory shall hold."""
        return max(HELD - self._held, CHUNK_SIZE)

    def begun(self) -> SpilledValues:
        """What shall take the values of the next file, which is `put` when it has them all."""
        return SpilledValues(self, self._aside)

    def close(self) -> None:
        """Deletes the temporary file. Nothing on the shelf can be read any more."""
        self.forget()
        self.scratch.close()

    def load(self, chunk: SpillLocation | list[Value]) -> list[Value]:
        """The values written together; the last are kept, since they are often asked for again at once."""
        if isinstance(chunk, list):
            return chunk
        if self._last[0] is not chunk:
            self._last = None, []  # never two at once
            self._last = chunk, [Value(*row) for row in self.scratch.get(chunk)]
        return self._last[1]

    def forget(self) -> None:
        """Nothing is compared any more: hold none of the values that were read anew for it."""
        self._last = None, []
        self._looked.clear()
        self._looking = 0

    def looked_at(self, run: Any, count: int) -> None:
        """A run holds so many values that were read anew; those that were looked at longest ago have to `forget` theirs."""
        self._looked.append((run, count))
        self._looking += count
        while self._looking > LOOKED:
            oldest, fewer = self._looked.popleft()
            self._looking -= fewer
            oldest.forget()


class SpilledValues(Sequence[Value]):
    """The values of one file on the shelf. How many there are, and the first and the last, are told without reading."""

    __slots__ = ("_chunks", "_count", "_first", "_shelf", "ends", "same")

    def __init__(self, shelf: ValueSpill, before: int) -> None:
        self._shelf, self._first, self._count = shelf, -before - 1, 0
        self._chunks: tuple[SpillLocation | list[Value], ...] = ()
        self.ends: tuple[int, int] = (0, 0)
        """What stands for the first and for the last value (see `hash_value`)."""
        self.same: Mapping[int, int | str] = _NONE
        """Position -> line of the value of this file that shows the same."""

    def add(self, values: Sequence[Value]) -> None:
        """Further values. All calls but the last give whole multiples of `CHUNK_SIZE`."""
        if not values:
            return
        if same := {at: value.same_as for at, value in enumerate(values, self._count) if value.same_as is not None}:
            self.same = {**self.same, **same}
        self.ends = (self.ends[0] if self._count else hash_value(values[0])), hash_value(values[-1])
        for at in range(0, len(values), CHUNK_SIZE):
            # As rows: a third of what it takes to write the objects. What the rows share is still shared when they come back.
            part = values[at : at + CHUNK_SIZE]
            self._chunks += (self._shelf.scratch.put([value_as_row(value) for value in part]) or list(part),)
        self._count += len(values)

    @property
    def in_memory(self) -> bool:
        """Whether none could be written."""
        return all(isinstance(chunk, list) for chunk in self._chunks)

    @property
    def names(self) -> range:
        """What stands for each value where those in memory are told by identity, which is never negative."""
        return range(self._first, self._first - self._count, -1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Value]:
        for _, values in self.pieces():
            yield from values

    @overload
    def __getitem__(self, at: int) -> Value: ...
    @overload
    def __getitem__(self, at: slice) -> list[Value]: ...

    def __getitem__(self, at: int | slice) -> Value | list[Value]:
        return list(self)[at] if isinstance(at, slice) else self.some([range(self._count)[at]], None)[0]

    def pieces(self) -> Iterator[tuple[int, list[Value]]]:
        """(position of the first, values): those that were written together."""
        for at, chunk in enumerate(self._chunks):
            yield at * CHUNK_SIZE, self._shelf.load(chunk)

    def compared(self) -> None:
        """No run of any file on the shelf is compared any more."""
        self._shelf.forget()

    def looked_at(self, run: Any) -> None:
        self._shelf.looked_at(run, len(run.places))

    def single_out(self, places: Sequence[int]) -> SpillLocation | None:
        """Where the values at these places were written by themselves; None where they could not be."""
        return self._shelf.scratch.put([value_as_row(value) for value in self.some(places, None)])

    def some(self, places: Sequence[int], alone: SpillLocation | None) -> list[Value]:
        """The values at these places, in order, read from where they were written by themselves if they were."""
        if alone is not None:
            return [Value(*row) for row in self._shelf.scratch.get(alone)]
        found: list[Value] = []
        for number, group in groupby(places, lambda at: at // CHUNK_SIZE):
            every = self._shelf.load(self._chunks[number])
            found += [every[at - number * CHUNK_SIZE] for at in group]
        return found


def hash_value(value: Value) -> int:
    """What tells the first or the last value of a file from those of others, as a rule."""
    return hash((value.line, value.metric, value.raw))


def value_ids(values: Sequence[Value]) -> Sequence[int]:
    """A number for each value that no other value of the archive has while its values are held."""
    return values.names if isinstance(values, SpilledValues) else [id(value) for value in values]


def pieces(values: Sequence[Value]) -> Iterator[tuple[Sequence[int] | None, Sequence[Value]]]:
    """Values of a file that are in memory together, in order, and their names where these are not their identities."""
    if isinstance(values, SpilledValues):
        for at, part in values.pieces():
            yield values.names[at : at + len(part)], part
    elif values:
        yield None, values
