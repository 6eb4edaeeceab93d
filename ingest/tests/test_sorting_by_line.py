"""What is sorted in a file is what is sorted at once, and memory holds a part."""

from __future__ import annotations

import random
import sqlite3

import pytest

from ingest import spill
from ingest.records import Doubt, Value


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    monkeypatch.setattr(spill, "MAX_IN_MEMORY", 10)
    monkeypatch.setattr(spill, "SORTED_CHUNK_SIZE", 3)


def _items(count: int) -> list[Value | Doubt]:
    dice = random.Random(count)
    return [
        Doubt(dice.randrange(1, 40), "cut", str(at))
        if at % 5 == 0
        else Value(dice.randrange(1, 40), "dd", "write.throughput", "MB/s", 1.0, "B/s", str(at), "MB/s", at)
        for at in range(count)
    ]


@pytest.mark.parametrize("full_after", [0, 1, 3, 1000])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 95, 300])
def it_keeps_the_order_of_lines_and_of_what_stands_on_one(monkeypatch, count, full_after):
    written, write = [], spill._write_sorted
    monkeypatch.setattr(
        spill,
        "_write_sorted",
        lambda file, chunk, number: len(written) < full_after and not written.append(len(chunk)) and write(file, chunk, number),
    )
    items = _items(count)
    assert list(spill.by_line(iter(items))) == sorted(items, key=lambda item: item.line)
    assert sum(written) == (min(count, 3 * full_after) if count >= 10 else 0) and max(written, default=0) <= 3


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT", "COMMIT"])
def it_keeps_in_memory_what_a_full_disk_does_not_take(monkeypatch, statement):
    class Full(sqlite3.Connection):
        def execute(self, sql, *arguments):
            if sql.startswith(statement):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(sql, *arguments)

        def executemany(self, sql, rows):
            cursor = super().executemany(sql, rows)
            if sql.startswith(statement):
                raise sqlite3.OperationalError("database or disk is full")
            return cursor

        def commit(self):
            if statement == "COMMIT":
                raise sqlite3.OperationalError("database or disk is full")
            super().commit()

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *names, **options: connect(*names, **options, factory=Full))
    items = _items(95)
    assert list(spill.by_line(iter(items))) == sorted(items, key=lambda item: item.line)


def it_holds_one_line_of_what_it_reads_back(monkeypatch):
    read, loads = [], spill.pickle.loads
    monkeypatch.setattr(spill.pickle, "loads", lambda data: read.append(data) or loads(data))
    items = sorted(_items(95), key=lambda item: item.line)
    found = spill.by_line(iter(items))
    assert [next(found) for _ in range(3)] == items[:3] and len(read) <= 3
    assert list(found) == items[3:]


def it_keeps_shared_what_the_values_of_a_line_share():
    params = {"threads": 1}
    items = [Value(at // 3, "dd", "write.throughput", "", 1.0, "B/s", str(at), "", at, params=params) for at in range(30)]
    first, second, *_ = spill.by_line(items)
    assert first.params is second.params
