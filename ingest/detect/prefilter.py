"""Finds which anchors match a text without searching most of them.

Searching some sixty patterns in every file would cost as much as all other reading. Three things make it cheap:

- Literals: every match of an anchor contains one of its literals. If none of them is in the text, the anchor is not searched.
- Line shapes: lines that differ only in digits are searched once, every digit written 0 (`Text.distinct_lines`).
- A cache: files of one tool consist of the same shapes. For each it keeps which anchors may match in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import ahocorasick

from ingest import line_shapes
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor
from ingest.text.lines import Text, split_parts

_MAX_CACHED, _MAX_LINE = 2000, 160  # shapes in the cache; characters of the longest of them
_OTHER_DIGITS = lazy(r"[^\D0]")


class Prefilter:
    """A sequence of anchors, None for plug-ins that read every text, and a cache by line shape."""

    def __init__(self, anchors: Sequence[Anchor | None]) -> None:
        self._all = (1 << len(anchors)) - 1
        self._always = sum(1 << index for index, anchor in enumerate(anchors) if anchor is None)
        self._cache: dict[str, int] = {}  # shape -> a bit for each anchor that may match in it
        alternatives = [
            (1 << index, *alternative) for index, anchor in enumerate(anchors) if anchor for alternative in anchor.alternatives
        ]
        self._patterns = [(bit, pattern) for bit, pattern, _ in alternatives]
        # Literal, or '' for patterns without any -> a bit for each of these patterns.
        patterns_by_literal: dict[str, int] = {}
        for index, (_, _, literals) in enumerate(alternatives):
            for literal in literals or ("",):
                patterns_by_literal[literal] = patterns_by_literal.get(literal, 0) | 1 << index
        self._without_literals = patterns_by_literal.pop("", 0)
        self._literals = ahocorasick.Automaton()
        for literal, bits in patterns_by_literal.items():
            self._literals.add_word(literal, bits)
        self._literals.make_automaton()

    def matching(self, text: Text) -> Iterator[int]:
        """Indices of the anchors that match somewhere in the text, in order."""
        if text.distinct_lines is None:
            matched = 0
            for part in split_parts(text.body):
                matched |= self._search(line_shapes.fold_digits(part), self._all & ~matched)
        elif text.shapes and len(text.shapes) <= _MAX_CACHED:
            matched = self._search_shapes(text.distinct_lines, text.shapes)
        else:
            matched = self._search(text.distinct_lines, self._all)
        return (index for index in range(self._all.bit_length()) if matched >> index & 1)

    def _search_shapes(self, distinct_lines: str, shapes: Collection[str]) -> int:
        """As `_search`, with the cache: new shapes are searched for all anchors, others only for those that may match in them."""
        cache, new_shapes, candidates = self._cache, [], 0
        for shape in shapes:
            bits = cache.get(shape)
            if bits is None:
                new_shapes.append(shape)
            else:
                candidates |= bits
        matched = self._search("\n".join(new_shapes), self._all) if new_shapes else 0
        if candidates & ~matched:
            matched |= self._search(distinct_lines, candidates & ~matched)
        if len(cache) + len(new_shapes) > _MAX_CACHED:
            cache.clear()
        for shape in shapes:
            if len(shape) <= _MAX_LINE:
                cache[shape] = cache.get(shape, matched) & matched
        return matched

    def _search(self, lines: str, requested: int) -> int:
        """A bit for each of the requested anchors that matches in the lines."""
        matched, candidates = self._always & requested, self._without_literals
        for _, bits in self._literals.iter(fold_case(lines)) if self._literals else ():
            candidates |= bits
        while candidates:
            bit, pattern = self._patterns[(candidates & -candidates).bit_length() - 1]
            candidates &= candidates - 1
            if requested & bit and not matched & bit and pattern.search(lines):
                matched |= bit
        return matched


def fold_case(text: str) -> str:
    """The text in lower case; characters outside ASCII that patterns treat as a digit, an i or an s are replaced by these."""
    lower = text.lower()
    if lower.isascii():
        return lower
    return _OTHER_DIGITS.sub("0", lower.replace("i\u0307", "i").replace("\u0131", "i").replace("\u017f", "s"))
