"""Indexes by hash: the first of several equal items; which items occur in more than one place."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any


class FingerprintIndex:
    """Fingerprints by hash. If two hashes are equal, fingerprints that were not kept are computed again by `compute`."""

    def __init__(self, compute: Callable[[Any], Hashable]) -> None:
        self._compute = compute
        self._firsts: dict[int, list[tuple[Any, Hashable | None]]] = {}

    def first(self, item: Any, fingerprint: Hashable, keep: bool) -> Any:
        """The first item with an equal fingerprint, possibly this one. `keep`: keep its fingerprint in memory."""
        firsts = self._firsts.setdefault(hash(fingerprint), [])
        for other, kept in firsts:
            if (self._compute(other) if kept is None else kept) == fingerprint:
                return other
        firsts.append((item, fingerprint if keep else None))
        return item


class HashIndex:
    """Hashes of the items of many groups: 8 bytes for each item and each group."""

    def __init__(self) -> None:
        self._hashes, self._starts = array("q"), array("q", [0])

    def add(self, group: int, items: Iterable[Hashable]) -> None:
        """Add the items of a group. Group numbers must rise."""
        self._starts.extend([len(self._hashes)] * (group + 1 - len(self._starts)))
        self._hashes.extend(map(hash, items))
        self._starts.append(len(self._hashes))

    def shared(self, groups: Iterable[int]) -> dict[int, Sequence[int]]:
        """Group -> its hashes that occur more than once in these groups, in order.

        They are counted in a table of bytes, indexed by some bits of the hash. Colliding hashes pass too, so they are counted again
        by other bits, until hardly any are left that only collide.
        """
        wanted = [group for group in groups if group + 1 < len(self._starts)]
        candidates = _repeated(
            lambda: ((group, self._hashes[self._starts[group] : self._starts[group + 1]]) for group in wanted), 0
        )
        for shift in (20, 40):
            candidates = _repeated(candidates.items, shift)
        return candidates


def _repeated(groups: Callable[[], Iterable[tuple[int, Sequence[int]]]], shift: int) -> dict[int, Sequence[int]]:
    """Group -> its hashes whose bits above `shift` occur more than once."""
    mask = (1 << (4 * sum([len(hashes) for _, hashes in groups()])).bit_length()) - 1
    counts = bytearray(mask + 1)
    for _, hashes in groups():
        for value in hashes:
            index = value >> shift & mask
            if counts[index] < 2:
                counts[index] += 1
    return {
        group: repeated
        for group, hashes in groups()
        if (repeated := [value for value in hashes if counts[value >> shift & mask] > 1])
    }
