"""The words of a search as chips: what each became, its other readings, and links that correct it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.comparison.dimensions import DERIVED_DIMENSIONS, DIMENSIONS, value_label
from webapp.comparison.model import Comparison, Reading, SearchResult, Word
from webapp.comparison.search import narrow_to, remove_word
from webapp.comparison.selection import Selection, query_string
from webapp.formatting import numbers
from webapp.formatting.visible_text import make_visible

MAX_TARGETS = 3
"""Dimensions that a chip names."""
_SHORT = {"os": "OS"}
"""Labels of dimensions that are shorter in a chip."""


@dataclass(frozen=True, slots=True)
class ReadingLink:
    """A reading of a word: dimension, value, number of measured values, and the query string that filters by it."""

    label: str
    value: str
    count: str
    query: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A word of a search. `targets`: the values that it equals; `others`: all readings, where there are more than that.

    `missing`: a sentence where it is in no row. `places`: the dimensions whose values contain it, where it equals none.
    `rest`: the query string without the word. `more`: readings that are not listed.
    """

    text: str
    targets: tuple[ReadingLink, ...]
    others: tuple[ReadingLink, ...]
    places: str
    missing: str
    rest: str
    more: int


def make_chips(comparison: Comparison) -> list[Chip]:
    """A chip for each word that the search explains."""
    result = comparison.search
    return [_make_chip(comparison.selection, result, word) for word in result.words] if result else []


def suggest_removals(chips: Sequence[Chip]) -> Sequence[Chip]:
    """The words to leave out where no run has all: those without a match, else any."""
    return [chip for chip in chips if chip.missing] or chips


def _make_chip(selection: Selection, result: SearchResult, word: Word) -> Chip:
    links = {
        reading: ReadingLink(
            _SHORT.get(reading.dimension, reading.label),
            value_label(DIMENSIONS[reading.dimension], reading.value),
            numbers.count(reading.count),
            query_string(narrow_to(selection, result, word, reading)),
        )
        for reading in word.readings
    }
    targets = tuple(links[reading] for reading in _choose_targets(word))
    labels = dict.fromkeys(link.label for link in links.values())
    return Chip(
        make_visible(word.text),
        targets,
        tuple(links.values()) if len(links) > len(targets) else (),
        "" if targets else ", ".join(list(labels)[:MAX_TARGETS]),
        _describe_missing(word),
        query_string(remove_word(selection, result, word)),
        word.more,
    )


def _choose_targets(word: Word) -> Sequence[Reading]:
    """The readings of the values that the word equals, else the only reading; derived dimensions beside their own are omitted."""
    equal = [reading for reading in word.readings if reading.equal]
    derived = {name for reading in equal for name in DERIVED_DIMENSIONS.get(reading.dimension, ())}
    chosen = [reading for reading in equal if reading.dimension not in derived]
    return chosen[:MAX_TARGETS] or (word.readings if len(word.readings) == 1 else ())


def _describe_missing(word: Word) -> str:
    """Where a word without a match is; empty for others."""
    if word.count:
        return ""
    return "only in runs that the filters leave out" if word.elsewhere else "found in no configuration or workload"
