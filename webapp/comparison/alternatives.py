"""Words of a search that are values of one dimension: `zfs lz4 off` asks for lz4 beside off, which no run has together. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from webapp.comparison.controlled_sets import MAP_AXES
from webapp.comparison.search import CONTAINS, EQUALS, MAX_WORDS, match_values, split_search
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import Columns

_SHORTEST = 3
"""Letters from which on a word may stand for the only value that contains it."""


def as_filter(selection: Selection, rows: Columns) -> tuple[Selection, str]:
    """The selection with words that are different values of one dimension as its filter, and along that dimension where no axis is
    named; and the dimension. The same and `""` where there are no such words, or where they fit several dimensions.

    `rows`: what passes the other filters.
    """
    words = [text.lower() for text, _ in split_search(selection.q)]
    if not 2 <= len(words) <= MAX_WORDS:
        return selection, ""
    found = {name: values for name in MAP_AXES if not selection.values(name) and len(values := _values(rows, name, words)) > 1}
    most = max(map(len, found.values()), default=0)
    best = [(name, values) for name, values in found.items() if len(values) == most]
    if len(best) != 1 or _stand_together(rows, best[0][1]):
        return selection, ""
    [(name, values)] = best
    rest = " ".join(typed for text, typed in split_search(selection.q) if text.lower() not in values)
    axis = {} if any(selection.named_axes) else {"x": name}
    return selection.having(name, values.values()).changed(q=rest, **axis), name


def _values(rows: Columns, name: str, words: Iterable[str]) -> dict[str, str]:
    """Word -> the one value of the dimension that it stands for in these rows; no value has two words."""
    column, counts = rows.dimensions.column(name), np.bincount(rows.codes(name), minlength=len(rows.dimensions.column(name).values))
    found: dict[str, str] = {}
    for word in words:
        matches = np.where(counts > 0, match_values(rows.dimensions, name, word), 0)
        codes = np.flatnonzero(matches == EQUALS)
        if not len(codes) and len(word) >= _SHORTEST:
            codes = np.flatnonzero(matches == CONTAINS)
        if len(codes) == 1:
            found[word] = column.values[codes[0]]
    return found if len(set(found.values())) == len(found) else {}


def _stand_together(rows: Columns, words: Iterable[str]) -> bool:
    """Whether a value of any dimension contains two of the words (`lustre/zfs`): then they describe one thing."""
    pairs = list(combinations(words, 2))
    return any(
        bool(np.any((match_values(rows.dimensions, name, first) > 0) & (match_values(rows.dimensions, name, second) > 0)))
        for name in rows.dimensions.names
        for first, second in pairs
    )
