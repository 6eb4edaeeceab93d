"""Free-text search over the values of configurations and workloads. Plain Python."""
from __future__ import annotations

import re
from collections.abc import Mapping

from webapp.axes import DIMENSIONS, SOURCE, UNKNOWN, label_of

_WORDS = re.compile(r'"([^"]+)"|(\S+)')
_IDS = ("system", "configuration", SOURCE)
"""Dimensions whose values are ids: nobody means them by a word."""


class Search:
    """The words and "quoted phrases" of a search; a letter's case does not matter."""

    def __init__(self, q: str) -> None:
        self.words = frozenset((phrase or word).lower() for phrase, word in _WORDS.findall(q))

    def found(self, texts: Mapping[str, str]) -> frozenset[str]:
        """Those of the words that stand somewhere in the values: as written (17179869184) or as shown (16 GiB, 16GiB)."""
        if not self.words:
            return frozenset()
        hay = _haystack(texts)
        return frozenset(word for word in self.words if word in hay)


def _haystack(texts: Mapping[str, str]) -> str:
    """Every known value, lower case, one a line, so that no word is found across two of them."""
    found = []
    for name, text in texts.items():
        if text == UNKNOWN or name in _IDS:
            continue
        shown = label_of(DIMENSIONS[name], text).replace("\u00a0", " ")
        found += dict.fromkeys((text, shown, shown.replace(" ", "")))
    return "\n".join(found).lower()
