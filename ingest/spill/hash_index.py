"""What was printed before: the first of those that print the same; which of many things may be somewhere twice."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any


class FingerprintIndex:
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


class HashIndex:
    """What many groups have, by hash: 8 bytes for each thing and each group."""

    def __init__(self) -> None:
        self._hashes, self._starts = array("q"), array("q", [0])

    def add(self, group: int, things: Iterable[Hashable]) -> None:
        """What a group has. The numbers of groups rise."""
        self._starts.extend([len(self._hashes)] * (group + 1 - len(self._starts)))
        self._hashes.extend(map(hash, things))
        self._starts.append(len(self._hashes))

    def shared(self, groups: Iterable[int]) -> dict[int, Sequence[int]]:
        """Group -> the hashes of it that stand more than once in these groups, in order.

        They are told by counting in a table of bytes. Where two meet in it by chance, both are kept; so they are counted anew
        by other bits of theirs, until hardly any are left that meet by chance only.
        """
        wanted = [group for group in groups if group + 1 < len(self._starts)]
        left = _met_twice(lambda: ((group, self._hashes[self._starts[group] : self._starts[group + 1]]) for group in wanted), 0)
        for shift in (20, 40):
            left = _met_twice(left.items, shift)
        return left


def _met_twice(each: Callable[[], Iterable[tuple[int, Sequence[int]]]], shift: int) -> dict[int, Sequence[int]]:
    mask = (1 << (4 * sum([len(hashes) for _, hashes in each()])).bit_length()) - 1
    met = bytearray(mask + 1)
    for _, hashes in each():
        for one in hashes:
            at = one >> shift & mask
            if met[at] < 2:
                met[at] += 1
    return {group: kept for group, hashes in each() if (kept := [one for one in hashes if met[one >> shift & mask] > 1])}
