"""What a process keeps, within bounds."""
from __future__ import annotations

from collections import OrderedDict
from threading import Lock


class Kept:
    """A bounded store: the least recently used goes first. Weights are numbers of rows or values."""

    def __init__(self, most: int) -> None:
        self._most, self._weight, self._lock = most, 0, Lock()
        self._found: OrderedDict = OrderedDict()

    def get(self, key):
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key, value, weight: int = 1):
        with self._lock:
            self._weight += weight - self._found.pop(key, (None, 0))[1]
            self._found[key] = (value, weight)
            while self._weight > self._most and len(self._found) > 1:
                self._weight -= self._found.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        with self._lock:
            self._found.clear()
            self._weight = 0
