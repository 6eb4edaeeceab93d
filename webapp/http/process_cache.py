"""Caches in the memory of a process, bounded in bytes and shared by its threads: together by 300 MB (`test_process_cache`)."""

from __future__ import annotations

import gc
import sys
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, ClassVar

import numpy as np
from cachetools import LRUCache
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache

MB = 1 << 20
MAX_PAGES = 12 * MB
"""Of pages, where no Redis keeps them."""
_SAMPLE = 32
"""Referents of an object that are measured; the others are taken to be like them."""


def estimate_bytes(value: object) -> int:
    """The memory of a value and of all that it refers to, without what files that are mapped have.

    Within a factor of two where the entries of long lists are alike. What several entries refer to counts once.
    """
    total, seen = 0.0, set[int]()
    level: dict[int, tuple[Any, float]] = {id(value): (value, 1.0)}
    while level:
        following: dict[int, tuple[Any, float]] = {}
        seen.update(level)
        for one, weight in level.values():
            total += weight * sys.getsizeof(one, 64)
            referents = _referents(one)
            sample = referents[:: max(1, len(referents) // _SAMPLE) | 1]  # odd: of a dictionary keys and values
            for referent in sample:
                if id(referent) not in seen:
                    is_shared = id(referent) in following
                    following[id(referent)] = referent, 1.0 if is_shared else weight * len(referents) / len(sample)
        level = following
    return int(total)


def _referents(value: Any) -> list:
    if isinstance(value, (type, ModuleType)):
        return []
    if isinstance(value, FunctionType):
        return list(value.__closure__ or ())
    if isinstance(value, np.ndarray):
        return [value.base] if value.base is not None else value.ravel().tolist() if value.dtype.hasobject else []
    return gc.get_referents(value)


class ProcessCache:
    """The entries used last, as many as have `max_bytes` by `size_of`; each counts as 1 without `size_of`.

    A value larger than the bound is stored alone instead of being refused.
    """

    every: ClassVar[list[ProcessCache]] = []

    def __init__(self, max_bytes: int, size_of: Callable[[Any], int] | None = None) -> None:
        self.max_bytes = max_bytes
        self._entries: LRUCache = LRUCache(max_bytes, size_of and (lambda value: min(size_of(value), max_bytes)))
        self._lock = Lock()
        self.every.append(self)

    def get(self, key):
        with self._lock:
            return self._entries.get(key)

    def put(self, key, value):
        """Store the value, whose size is computed now, and return it."""
        with self._lock:
            self._entries[key] = value
        return value

    def values(self) -> list:
        with self._lock:
            return list(self._entries.values())

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()


class BoundedPages(LocMemCache):
    """Django's cache in the memory of a process, with at most `MAX_PAGES`; entries used last are kept."""

    _cache: OrderedDict[str, bytes]
    _expire_info: dict[str, float | None]

    def _set(self, key, value, timeout=DEFAULT_TIMEOUT) -> None:
        super()._set(key, value, timeout)  # type: ignore[misc]  # not in the stubs
        excess = sum(map(len, self._cache.values())) - MAX_PAGES
        while excess > 0:
            oldest, pickled = self._cache.popitem()
            del self._expire_info[oldest]
            excess -= len(pickled)
