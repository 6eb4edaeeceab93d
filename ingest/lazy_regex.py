"""Patterns that are compiled when they are first used.

There are over a thousand, of which a file of one tool needs a few dozen: to compile all of them was more than half of what it
takes to start (`script/bench parse`).
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_FACTS = ("flags", "groups", "groupindex")
_all: list[_LazyPattern] = []


class _LazyPattern:
    """Stands for a pattern, and equals it (`found.re == PATTERN`). What was asked for once is found in its slot from then on."""

    __slots__ = ("_compiled", "_given", "pattern", *_METHODS, *_FACTS)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._given = pattern, flags
        self._compiled: re.Pattern[str] | re.Pattern[bytes] | None = None

    def __getattr__(self, name: str) -> object:
        if name not in self.__slots__:
            raise AttributeError(name)
        compiled = self._compiled = re.compile(self.pattern, self._given)
        for one in (*_METHODS, *_FACTS):
            setattr(self, one, getattr(compiled, one))
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return self is other or (self._compiled is not None and other == self._compiled)

    __hash__ = object.__hash__


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile`, put off until the first use, for patterns of a module. A fault in one shows then (a test uses them all)."""
    _all.append(_LazyPattern(pattern, flags))
    return cast(re.Pattern[AnyStr], _all[-1])


def compile_all() -> int:
    """For a process from which others are forked; how many there are."""
    return sum(one.flags is not None for one in _all)
