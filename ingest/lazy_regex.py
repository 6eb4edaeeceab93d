"""Patterns that are compiled on first use.

There are over a thousand, of which a file of one tool needs a few dozen; compiling all of them would take most of the
start-up time (`script/bench parse`).
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_ATTRIBUTES = ("flags", "groups", "groupindex")
_patterns: list[_LazyPattern] = []


class _LazyPattern:
    """Proxy for a compiled pattern, equal to it (`match.re == PATTERN`). Each attribute is cached in its slot on first access."""

    __slots__ = ("_compiled", "_given", "pattern", *_METHODS, *_ATTRIBUTES)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._given = pattern, flags
        self._compiled: re.Pattern[str] | re.Pattern[bytes] | None = None

    def __getattr__(self, name: str) -> object:
        if name not in self.__slots__:
            raise AttributeError(name)
        compiled = self._compiled = re.compile(self.pattern, self._given)
        for attribute in (*_METHODS, *_ATTRIBUTES):
            setattr(self, attribute, getattr(compiled, attribute))
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return self is other or (self._compiled is not None and other == self._compiled)

    __hash__ = object.__hash__


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile` deferred to the first use, for module-level patterns. Errors in a pattern show then (a test compiles all)."""
    _patterns.append(_LazyPattern(pattern, flags))
    return cast(re.Pattern[AnyStr], _patterns[-1])


def compile_all() -> int:
    """Compile every pattern, for a process that is about to fork. Returns their number."""
    return sum(pattern.flags is not None for pattern in _patterns)
