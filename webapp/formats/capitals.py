"""Words of a title whose capitals no style of citation may change: `ZFS`, `RAID-Z`, `LZ4`, `FreeBSD`, `Linux`, `I/O`."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORD = re.compile(r"\w+(?:[-/+.]\w+)*")


def guard(title: str, wrap: Callable[[str], str], plain: Callable[[str], str] = str) -> str:
    """The title with `wrap` around words with capitals, except a first word that has one only as any sentence has; the rest is
    passed through `plain`."""
    parts: list[str] = []
    end = 0
    for match in _WORD.finditer(title):
        if _is_guarded(match[0], first=not parts):
            parts += [plain(title[end : match.start()]), wrap(match[0])]
            end = match.end()
        elif not parts:
            parts.append(plain(title[: match.end()]))
            end = match.end()
    return "".join([*parts, plain(title[end:])])


def _is_guarded(word: str, first: bool) -> bool:
    capitals = any(letter.isupper() for letter in word)
    return capitals and (not first or any(letter.isupper() or letter.isdigit() for letter in word[1:]))
