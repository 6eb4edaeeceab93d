"""What a parser found, by line, however much it is: beyond `MOST` items, sorted parts wait in a temporary file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice
from operator import attrgetter

from ingest.records import Doubt, Value
from ingest.spill.tempfile import SpillFile, SpillLocation
from ingest.spill.values import value_as_row

MOST, TOGETHER = 50_000, 2_000  # items that are sorted in memory; that are written, and read anew, at once
_line = attrgetter("line")


def by_line(items: Iterable[Value | Doubt]) -> Iterator[Value | Doubt]:
    """The items, whose lines are numbers, in the order of their lines; those of one line in the order in which they came.

    None is given before all have come.
    """
    left = iter(items)
    part = sorted(islice(left, MOST), key=_line)
    if len(part) < MOST:
        yield from part
        return
    scratch, parts = SpillFile(), list[Iterator[Value | Doubt]]()
    try:
        while part:
            parts.append(_aside(scratch, part))
            part = sorted(islice(left, MOST), key=_line)
        yield from merge(*parts, key=_line)
    finally:
        scratch.close()


def _aside(scratch: SpillFile, part: list[Value | Doubt]) -> Iterator[Value | Doubt]:
    written = [
        scratch.put([value_as_row(item) if type(item) is Value else item for item in part[at : at + TOGETHER]])
        for at in range(0, len(part), TOGETHER)
    ]
    places = [place for place in written if place is not None]
    return _read(scratch, places) if len(places) == len(written) else iter(part)


def _read(scratch: SpillFile, places: list[SpillLocation]) -> Iterator[Value | Doubt]:
    for place in places:
        for item in scratch.get(place):
            yield Value(*item) if type(item) is tuple else item
