"""Clues that contradict the one that was taken: each pair gives the warning `disagree` on the line of the one that was taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ingest.configuration.clues import LocatedClue, are_compatible
from ingest.open_keys import CONTROLLER
from ingest.records import Doubt
from ingest.state import is_state
from ingest.warning_codes import BY_HAND

_NAMES = frozenset(("host", "pool.name", CONTROLLER))  # names of things, not properties of the measured system
_READ = frozenset(("dump", "command"))
_EMPTY = frozenset({"", "-", "none", None})
_WORDS = re.compile(r"[a-z]+|\d+", re.I)


class Disagreements:
    """The contradictions of one upload. `add`: adds a warning to a file."""

    def __init__(self, add: Callable[[str, Doubt], None]) -> None:
        self._add = add
        self._seen: set[tuple[str, str, str]] = set()

    def compare_scopes(self, nearer: Mapping[str, LocatedClue], farther: Mapping[str, LocatedClue]) -> None:
        """Compare clues with those of a farther scope. A dump that is nearer than another dump is no contradiction: the farther
        one was made at another time, or for another file.
        """
        for key in sorted(nearer.keys() & farther.keys()):
            if not {nearer[key].clue.kind, farther[key].clue.kind} <= _READ:
                self.compare(nearer[key], [farther[key]])

    def compare(self, taken: LocatedClue, overruled: Iterable[LocatedClue]) -> None:
        """Warn if one of the overruled clues contradicts the one that was taken.

        Of the labels of one file that contradict the same line only the first gives a warning.
        """
        for other in overruled:
            if taken.clue.value == other.clue.value:
                continue
            pair = taken.clue.key, taken.file, other.reference
            if pair in self._seen or not _contradict(taken, other):
                continue
            self._seen.add(pair)
            place = taken if taken.file else other  # a statement of the review has no line
            if place.file:
                message = (
                    f"{taken.clue.key} is {taken.clue.value} ({_place(taken)}) and {other.clue.value} ({_place(other)}); "
                    "the first was used."
                )
                self._add(place.file, Doubt(max(place.clue.line, 1), "disagree", message))


def _place(source: LocatedClue) -> str:
    return BY_HAND if source.reference == "stated" else source.reference


def _contradict(taken: LocatedClue, other: LocatedClue) -> bool:
    """Whether two clues about one key tell values that cannot both be true."""
    key, first, second = taken.clue.key, taken.clue, other.clue
    if _is_change(taken, other) or _names_folder(other):
        return False
    if key in _NAMES or is_state(key) or first.value in _EMPTY or second.value in _EMPTY:
        return False
    if first.subject and second.subject and first.subject != second.subject and "stated" not in (first.kind, second.kind):
        return False
    if are_compatible(key, first.value, second.value) or are_compatible(key, second.value, first.value):
        return False
    return not _is_part(first.value, second.value)


def _is_change(taken: LocatedClue, other: LocatedClue) -> bool:
    """Whether a command changed the value between two lines of one file."""
    return taken.file == other.file and "sets" in (taken.clue.effect, other.clue.effect)


def _names_folder(source: LocatedClue) -> bool:
    """Whether the clue is the name of a folder, which is a theme more often than a claim about every file in it."""
    return source.clue.kind == "name" and source.clue.line == 0 and source.clue.raw != source.file.rpartition("/")[2]


def _is_part(first: Any, second: Any) -> bool:
    """Whether one text has all words of the other: `raidz2(7)` and `raidz2`, `5.4.0-42-generic` and `5.4`."""
    if not (isinstance(first, str) and isinstance(second, str)):
        return False
    words, others = (set(_WORDS.findall(text.lower())) for text in (first, second))
    return words <= others or others <= words
