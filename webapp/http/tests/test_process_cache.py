"""Caches of a process: what their values are taken to weigh, and that no cache has more than its bound."""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import get_resolver

from webapp.http import process_cache
from webapp.http.process_cache import ProcessCache, estimate_bytes


@dataclass(slots=True)
class Row:
    name: str
    values: list[float]
    more: dict[str, str]


def rows(n: int) -> list[Row]:
    return [Row(f"row {at}", [at + 0.5] * (at % 7), {"key": f"text of {at}"}) for at in range(n)]


def shared(n: int) -> list[tuple]:
    common = {f"key {at}": f"text {at}" for at in range(2000)}
    return [(at + 10**6, common) for at in range(n)]


def enclosed():
    array = np.zeros(50_000)
    return lambda: array


VALUES = {
    "objects": lambda: rows(5000),
    "a dictionary": lambda: {at: (str(at) * 5, [at + 0.5]) for at in range(20_000)},
    "what all entries share": lambda: shared(5000),
    "a view of an array": lambda: np.zeros(100_000)[50_000:],
    "an array of texts": lambda: np.array([f"text {at}" for at in range(20_000)], object),
    "what a function refers to": enclosed,
    "a set": lambda: {f"text {at}" for at in range(20_000)},
    "lists in lists": lambda: [[[f"text {at} {part}" for part in range(40)] for at in range(40)] for _ in range(40)],
}


@pytest.mark.parametrize("name", VALUES)
def it_estimates_memory_within_a_factor_of_two(name):
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        value = VALUES[name]()
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert used / 2 < estimate_bytes(value) < used * 2


def it_counts_no_bytes_of_a_mapped_file(tmp_path):
    np.zeros(100_000).tofile(tmp_path / "column")
    assert estimate_bytes(np.memmap(tmp_path / "column", float, "r")[5:]) < 10_000


def it_drops_what_was_used_longest_ago():
    kept = ProcessCache(1000, len)
    for at in range(10):
        kept.put(at, b"x" * 300)
        kept.get(0)
    assert [at for at in range(10) if kept.get(at)] == [0, 8, 9]
    ProcessCache.every.remove(kept)


def it_bounds_all_caches_together():
    """With every page imported: those of values by their bounds, functools' by entries, which are short texts."""
    get_resolver().url_patterns  # noqa: B018 imports the views
    short = {
        id(of): of.cache_parameters()["maxsize"] or 0
        for name, module in list(sys.modules.items())
        if name.startswith("webapp.")
        for of in vars(module).values()
        if type(of).__name__ == "_lru_cache_wrapper"
    }
    assert len(ProcessCache.every) > 10 and len(short) > 30
    assert (
        sum(one.max_bytes for one in ProcessCache.every) + process_cache.MAX_PAGES + 250 * sum(short.values())
        < 300 * process_cache.MB
    )


def it_keeps_pages_up_to_their_bound(monkeypatch):
    monkeypatch.setattr(process_cache, "MAX_PAGES", 100_000)
    for at in range(50):
        cache.set(f"page:{at}", b"x" * 9_000)
    assert [at for at in range(50) if cache.get(f"page:{at}")] == list(range(39, 50))
