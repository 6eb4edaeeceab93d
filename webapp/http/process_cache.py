"""Caches in the memory of a process, bounded and shared by its threads; Django's LocMemCache would pickle its values."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from cachetools import LRUCache


class ProcessCache:
    """cachetools' LRUCache with a lock. A value larger than the bound is stored alone instead of being refused."""

    def __init__(self, maxsize: int, getsizeof: Callable[..., int] | None = None) -> None:
        self._entries: LRUCache = LRUCache(maxsize, getsizeof and (lambda value: min(getsizeof(value), maxsize)))
        self._lock = Lock()

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
