"""Caches in the memory of a process, bounded and shared by its threads; Django's LocMemCache would pickle what is read back."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from cachetools import LRUCache


class ProcessCache:
    """cachetools' LRUCache under a lock. A value larger than the bound is kept alone instead of being refused."""

    def __init__(self, maxsize: int, getsizeof: Callable[..., int] | None = None) -> None:
        self._entries: LRUCache = LRUCache(maxsize, getsizeof and (lambda value: min(getsizeof(value), maxsize)))
        self._lock = Lock()

    def get(self, key):
        with self._lock:
            return self._entries.get(key)

    def put(self, key, value):
        """Keep the value, whose size is asked now, and give it back."""
        with self._lock:
            self._entries[key] = value
        return value

    def values(self) -> list:
        with self._lock:
            return list(self._entries.values())

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
