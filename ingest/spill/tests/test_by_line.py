"""What is sorted in parts is what is sorted at once, and memory holds a part."""

from __future__ import annotations

import random

import pytest

from ingest.records import Doubt, Value
from ingest.spill import by_line, tempfile


def _items(count: int) -> list[Value | Doubt]:
    dice = random.Random(count)
    return [
        Doubt(dice.randrange(1, 40), "cut", str(at))
        if at % 5 == 0
        else Value(dice.randrange(1, 40), "dd", "write.throughput", "MB/s", 1.0, "B/s", str(at), "MB/s", at)
        for at in range(count)
    ]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 95, 300])
def it_keeps_the_order_of_lines_and_of_what_stands_on_one(monkeypatch, count, full):
    written = []
    put = tempfile.SpillFile.put
    monkeypatch.setattr(by_line, "MOST", 10)
    monkeypatch.setattr(by_line, "CHUNK_SIZE", 3)
    monkeypatch.setattr(
        tempfile.SpillFile, "put", lambda self, what: None if full else written.append(len(what)) or put(self, what)
    )
    items = _items(count)
    assert list(by_line.by_line(iter(items))) == sorted(items, key=lambda item: item.line)
    assert sum(written) == (count if count >= 10 and not full else 0) and max(written, default=0) <= 3


def it_holds_one_chunk_of_what_is_sorted_already(monkeypatch):
    read = []
    get = tempfile.SpillFile.get
    monkeypatch.setattr(by_line, "MOST", 10)
    monkeypatch.setattr(by_line, "CHUNK_SIZE", 3)
    monkeypatch.setattr(tempfile.SpillFile, "get", lambda self, place: read.append(place) or get(self, place))
    items = sorted(_items(95), key=lambda item: item.line)
    found = by_line.by_line(iter(items))
    assert [next(found) for _ in range(3)] == items[:3] and len(read) == 1
    assert list(found) == items[3:]
