"""Free-text search over the values of configurations and workloads. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webapp.comparison.dimensions import APART, DIMENSIONS, SOURCE, UNKNOWN, value_label

_WORDS = re.compile(r'"([^"]+)"|(\S+)')
_IDS = ("system", "configuration", APART, SOURCE)
"""Dimensions that are not searched: their values are ids."""


def parse_search(q: str) -> frozenset[str]:
    """The words and "quoted phrases" of a search, in lower case."""
    return frozenset((phrase or word).lower() for phrase, word in _WORDS.findall(q))


@lru_cache(50_000)
def _searchable_text(name: str, text: str) -> str:
    """A value as it is searched: as stored (17179869184) and as shown (16 GiB, 16GiB), in lower case, each on a line."""
    if text == UNKNOWN or name in _IDS:
        return ""
    shown = value_label(DIMENSIONS[name], text).replace("\u00a0", " ")
    return "\n".join(dict.fromkeys((text, shown, shown.replace(" ", "")))).lower()


def searchable_texts(name: str, values: Sequence[str]) -> list[str]:
    """The values of a dimension as they are searched; empty for ids and unknown values."""
    return [_searchable_text(name, text) for text in values]
