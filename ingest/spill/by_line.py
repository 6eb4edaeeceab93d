"""Sorts the results of a parser by line: beyond `MOST` items, sorted parts are spilled to a temporary file and merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import chain, islice
from operator import attrgetter

from ingest.records import Found, Value
from ingest.spill.tempfile import SpillFile, SpillLocation
from ingest.spill.values import value_as_row

MOST, CHUNK_SIZE = 50_000, 2_000  # items sorted in memory; items of a chunk
_line = attrgetter("line")


def by_line(items: Iterable[Found]) -> Iterator[Found]:
    """The items, whose lines are numbers, sorted by line; the order within a line stays.

    The first item is yielded after all were read.
    """
    remaining = iter(items)
    part = sorted(islice(remaining, MOST), key=_line)
    if len(part) < MOST:
        yield from part
        return
    spill_file, runs, end = SpillFile(), list[list[Iterator[Found]]](), 0
    try:
        while part:
            # Each run has a chunk in memory: a part behind the last one belongs to its run.
            if not runs or int(part[0].line) < end:
                runs.append([])
            end = int(part[-1].line)
            runs[-1].append(_spill(spill_file, part))
            part = sorted(islice(remaining, MOST), key=_line)
        yield from merge(*map(chain.from_iterable, runs), key=_line)
    finally:
        spill_file.close()


def _spill(spill_file: SpillFile, part: list[Found]) -> Iterator[Found]:
    """Write a sorted part to the file; an iterator over it."""
    written = [
        spill_file.put([value_as_row(item) if type(item) is Value else item for item in part[start : start + CHUNK_SIZE]])
        for start in range(0, len(part), CHUNK_SIZE)
    ]
    locations = [place for place in written if place is not None]
    return _read(spill_file, locations) if len(locations) == len(written) else iter(part)


def _read(spill_file: SpillFile, locations: list[SpillLocation]) -> Iterator[Found]:
    for location in locations:
        for item in spill_file.get(location):
            yield Value(*item) if type(item) is tuple else item
