"""Lines that differ in their digits only are of one kind: what a pattern finds in one of them it finds in all.

Logs repeat a few kinds of lines thousands of times. A pattern that does not tell digits apart is searched in one line of each
kind, every digit of which is written 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress

_ZEROS = bytes(48 if 48 <= c <= 57 else c for c in range(256))
_MOST = 4 << 20  # characters of distinct lines; a text of more is searched itself
_KEPT, _SHORT = 2000, 160  # kinds of lines whose answers to a question are kept; characters of the longest of them


def fold_digits(text: str) -> str:
    """The text with every digit of ASCII written 0."""
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS).decode("utf-8", "surrogatepass")


def distinct_shapes(parts: Iterable[Iterable[str]]) -> str | None:
    """One line of each kind, a line feed before each; None where they are too long to be of use."""
    seen: dict[str, None] = {}
    size = 0
    for part in parts:
        before = len(seen)
        seen.update(dict.fromkeys(part))
        size += sum(map(len, list(seen)[before:])) if len(seen) > before else 0
        if size > _MOST:
            return None
    return "\n" + "\n".join(seen)


def matching_lines(kinds: Sequence[str], each: frozenset[str], may: Callable[[str], object]) -> Iterator[int]:
    """Which of the lines are of a kind that passes; `each` holds every kind once."""
    passes = _asked(may).passing(each) if len(each) <= _KEPT else dict.fromkeys(filter(may, each), True)
    return compress(range(len(kinds)), map(passes.__contains__, kinds)) if passes else iter(())


class _AnswerCache:
    """What one question was answered for kinds of short lines: files of one tool are made of the same kinds."""

    def __init__(self, may: Callable[[str], object]) -> None:
        self._may = may
        self._known: set[str] = set()
        self._pass: set[str] = set()

    def passing(self, each: frozenset[str]) -> Collection[str]:
        """Those of the kinds that pass."""
        if len(self._known) + len(each) > 2 * _KEPT:
            self._known.clear()
            self._pass.clear()
        long = []
        for kind in each.difference(self._known):
            passes = self._may(kind)
            if len(kind) > _SHORT:
                long += [kind] if passes else []
                continue
            self._known.add(kind)
            if passes:
                self._pass.add(kind)
        found = each.intersection(self._pass)
        return found.union(long) if long else found


@lru_cache(200)
def _asked(may: Callable[[str], object]) -> _AnswerCache:
    return _AnswerCache(may)
