"""Values of finished files put aside in a temporary file, once an archive gave more of them than memory shall hold.

They come back whole file by whole file, equal to what they were.
"""
from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from ingest.records import Value
from ingest.scratch import Place, Scratch

HELD = 100_000  # values of one archive that stay in memory: some 50 MB
LOOKED = 8_000  # values read anew to compare runs that stay in memory: the same few are compared with many
_row = attrgetter(*[one.name for one in fields(Value)])


class Shelf:
    """Where the values of one archive are: the first `HELD` in the findings, the others in the temporary file."""

    def __init__(self) -> None:
        self._held = self._aside = 0
        self.scratch = Scratch()
        self._last: tuple[Shelved, list[Value]] | None = None
        self._looked: deque[tuple[Any, int]] = deque()
        self._looking = 0

    def put(self, values: list[Value]) -> Sequence[Value]:
        """The values of one file as the findings shall keep them: as they are while there is room."""
        self._held += len(values)
        if self._held <= HELD or not values:
            return values
        # As rows: a third of what it takes to write the objects. What the rows share is still shared when they come back.
        place = self.scratch.put([_row(value) for value in values])
        if place is None:
            return values  # what cannot be written stays in memory
        shelved = Shelved(self, place, self._aside, values)
        self._aside += len(values)
        return shelved

    def close(self) -> None:
        """Deletes the temporary file. Nothing on the shelf can be read any more."""
        self._last = None
        self._looked.clear()
        self.scratch.close()

    def load(self, shelved: Shelved) -> list[Value]:
        """The values of one file; those of the last are kept, since they are often asked for again at once."""
        if self._last is None or self._last[0] is not shelved:
            self._last = None  # never two files at once
            self._last = shelved, [Value(*row) for row in self.scratch.get(shelved.place)]
        return self._last[1]

    def looked_at(self, run: Any, count: int) -> None:
        """A run holds so many values that were read anew; those that were looked at longest ago have to `forget` theirs."""
        self._looked.append((run, count))
        self._looking += count
        while self._looking > LOOKED:
            oldest, fewer = self._looked.popleft()
            self._looking -= fewer
            oldest.forget()


class Shelved(Sequence[Value]):
    """The values of one file on the shelf. How many there are, and the first and the last, are told without reading."""

    __slots__ = ("_shelf", "ends", "names", "place", "same")

    def __init__(self, shelf: Shelf, place: Place, before: int, values: list[Value]) -> None:
        self._shelf, self.place = shelf, place
        self.names = range(-before - 1, -before - 1 - len(values), -1)
        """What stands for each value where those in memory are told by identity, which is never negative."""
        self.ends = values[0], values[-1]
        self.same = {at: value.same_as for at, value in enumerate(values) if value.same_as is not None}
        """Position -> line of the value of this file that shows the same."""

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._shelf.load(self))

    def __getitem__(self, at):
        return self._shelf.load(self)[at]

    def looked_at(self, run: Any) -> None:
        self._shelf.looked_at(run, len(run.places))

    def single_out(self, places: Sequence[int]) -> Place | None:
        """Where the values at these places were written by themselves; None where they could not be."""
        every = self._shelf.load(self)
        return self._shelf.scratch.put([_row(every[at]) for at in places])

    def some(self, places: Sequence[int], alone: Place | None) -> list[Value]:
        """The values at these places, read from where they were written by themselves if they were."""
        if alone is not None:
            return [Value(*row) for row in self._shelf.scratch.get(alone)]
        every = self._shelf.load(self)
        return [every[at] for at in places]


def names_of(values: Sequence[Value]) -> Sequence[int]:
    """A number for each value that no other value of the archive has while its values are held."""
    return values.names if isinstance(values, Shelved) else [id(value) for value in values]
