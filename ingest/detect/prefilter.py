"""Which of a row of anchors a text matches, found without searching most of them.

To search some sixty patterns in every file would cost as much as all the rest of reading. Three things make it cheap:

- Literals: beside an anchor stand words one of which every match holds. Where none of them is in the text, the anchor is
  not searched.
- Kinds of lines: lines that differ in their digits only are searched once, every digit written 0 (`Text.distinct_lines`).
- A cache: files of one tool are made of the same kinds of lines. For each it keeps which anchors may match in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import ahocorasick

from ingest import line_shapes
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor
from ingest.text.lines import Text, split_parts

_KEPT, _SHORT = 2000, 160  # kinds of lines in the cache; characters of the longest of them
_DIGITS = lazy(r"[^\D0]")


class Prefilter:
    """A row of anchors, None for what every text concerns, and a cache of what is known of kinds of lines."""

    def __init__(self, anchors: Sequence[Anchor | None]) -> None:
        self._all = (1 << len(anchors)) - 1
        self._always = sum(1 << at for at, anchor in enumerate(anchors) if anchor is None)
        self._known: dict[str, int] = {}  # a kind of lines -> a bit for each anchor that may match in it
        alternatives = [
            (1 << at, *alternative) for at, anchor in enumerate(anchors) if anchor for alternative in anchor.alternatives
        ]
        self._patterns = [(bit, pattern) for bit, pattern, _ in alternatives]
        # A literal, or the empty text for patterns without any -> a bit for each of those patterns.
        holders: dict[str, int] = {}
        for at, (_, _, literals) in enumerate(alternatives):
            for literal in literals or ("",):
                holders[literal] = holders.get(literal, 0) | 1 << at
        self._bare = holders.pop("", 0)
        self._literals = ahocorasick.Automaton()
        for literal, bits in holders.items():
            self._literals.add_word(literal, bits)
        self._literals.make_automaton()

    def matching(self, text: Text) -> Iterator[int]:
        """Places in the row of the anchors that match somewhere in the text, in order."""
        if text.distinct_lines is None:
            found = 0
            for part in split_parts(text.body):
                found |= self._in(line_shapes.fold_digits(part), self._all & ~found)
        elif text.shapes and len(text.shapes) <= _KEPT:
            found = self._in_kinds(text.distinct_lines, text.shapes)
        else:
            found = self._in(text.distinct_lines, self._all)
        return (at for at in range(self._all.bit_length()) if found >> at & 1)

    def _in_kinds(self, alike: str, each: Collection[str]) -> int:
        """The same by the cache: new kinds are searched, and the others only for what may match in them."""
        known, new, may = self._known, [], 0
        for kind in each:
            bits = known.get(kind)
            if bits is None:
                new.append(kind)
            else:
                may |= bits
        found = self._in("\n".join(new), self._all) if new else 0
        if may & ~found:
            found |= self._in(alike, may & ~found)
        if len(known) + len(new) > _KEPT:
            known.clear()
        for kind in each:
            if len(kind) <= _SHORT:
                known[kind] = known.get(kind, found) & found
        return found

    def _in(self, lines: str, asked: int) -> int:
        """A bit for each of the anchors asked for that matches in the lines."""
        found, may = self._always & asked, self._bare
        for _, bits in self._literals.iter(fold_case(lines)) if self._literals else ():
            may |= bits
        for at, (bit, pattern) in enumerate(self._patterns):
            if asked & bit and may >> at & 1 and not found & bit and pattern.search(lines):
                found |= bit
        return found


def fold_case(text: str) -> str:
    """The text in small letters; what patterns take for a digit, an i or an s beyond ASCII is written so."""
    low = text.lower()
    if low.isascii():
        return low
    return _DIGITS.sub("0", low.replace("i\u0307", "i").replace("\u0131", "i").replace("\u017f", "s"))
