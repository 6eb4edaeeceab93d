"""What was printed before: the first of those that print the same."""
from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any


class Prints:
    """Prints by hash. Those of what is not in memory are made again by `again` where two hashes are equal."""

    def __init__(self, again: Callable[[Any], Hashable]) -> None:
        self._again = again
        self._firsts: dict[int, list[tuple[Any, Hashable | None]]] = {}

    def first(self, item: Any, print_: Hashable, keep: bool) -> Any:
        """The item that came first with an equal print, maybe this one. `keep`: hold its print."""
        firsts = self._firsts.setdefault(hash(print_), [])
        for other, kept in firsts:
            if (self._again(other) if kept is None else kept) == print_:
                return other
        firsts.append((item, print_ if keep else None))
        return item
