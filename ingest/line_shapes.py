"""Line shapes: a line with every ASCII digit written 0. A pattern that does not distinguish digits matches all lines of a shape
or none.

Logs repeat a few shapes thousands of times, so such a pattern is searched in one line of each shape.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress

_ZEROS = bytes(48 if 48 <= c <= 57 else c for c in range(256))
_MAX_CHARACTERS = 4 << 20  # of distinct lines; a longer text is searched itself
_MAX_CACHED, _MAX_LINE = 2000, 160  # shapes whose answers are cached; characters of the longest of them


def fold_digits(text: str) -> str:
    """The text with every ASCII digit replaced by 0."""
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS).decode("utf-8", "surrogatepass")


def distinct_shapes(parts: Iterable[Iterable[str]]) -> str | None:
    """The distinct lines, a line feed before each; None if they exceed `_MAX_CHARACTERS`."""
    seen: dict[str, None] = {}
    size = 0
    for part in parts:
        before = len(seen)
        seen.update(dict.fromkeys(part))
        size += sum(map(len, list(seen)[before:])) if len(seen) > before else 0
        if size > _MAX_CHARACTERS:
            return None
    return "\n" + "\n".join(seen)


def matching_lines(shapes: Sequence[str], distinct: frozenset[str], test: Callable[[str], object]) -> Iterator[int]:
    """Indices of the lines whose shape satisfies `test`; `distinct`: the set of `shapes`."""
    passes = _answer_cache(test).passing(distinct) if len(distinct) <= _MAX_CACHED else dict.fromkeys(filter(test, distinct), True)
    return compress(range(len(shapes)), map(passes.__contains__, shapes)) if passes else iter(())


class _AnswerCache:
    """The answers of one test for short shapes; files of one tool consist of the same shapes."""

    def __init__(self, test: Callable[[str], object]) -> None:
        self._test = test
        self._known: set[str] = set()
        self._passed: set[str] = set()

    def passing(self, shapes: frozenset[str]) -> Collection[str]:
        """The shapes that pass the test."""
        if len(self._known) + len(shapes) > 2 * _MAX_CACHED:
            self._known.clear()
            self._passed.clear()
        long = []
        for shape in shapes.difference(self._known):
            passes = self._test(shape)
            if len(shape) > _MAX_LINE:
                long += [shape] if passes else []
                continue
            self._known.add(shape)
            if passes:
                self._passed.add(shape)
        passed = shapes.intersection(self._passed)
        return passed.union(long) if long else passed


@lru_cache(200)
def _answer_cache(test: Callable[[str], object]) -> _AnswerCache:
    return _AnswerCache(test)
