"""Keys and values of an address that mean nothing here, each with the nearest name that does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import DERIVED_DIMENSIONS, DIMENSIONS, LONGEST_NAME, LONGEST_REASON, value_label
from webapp.comparison.facets import FOREIGN
from webapp.comparison.model import Comparison, Reading, SearchResult, Word
from webapp.comparison.search import narrow_to, remove_word
from webapp.comparison.selection import CHOICES, POOLABLE, SINGLE, Selection, encode_pair, query_pairs, query_string
from webapp.formatting import numbers
from webapp.formatting.visible_text import make_visible

# The words of a search as chips: what each became, its other readings, and links that correct it.

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
        text=make_visible(word.text),
        targets=targets,
        others=tuple(links.values()) if len(links) > len(targets) else (),
        places="" if targets else ", ".join(list(labels)[:MAX_TARGETS]),
        missing=_describe_missing(word),
        rest=query_string(remove_word(selection, result, word)),
        more=word.more,
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


KEYS = (
    *DIMENSIONS,
    *SINGLE,
    "metric",
    "hold",
    "pool",
    "price",
    "q",
    "archive",
    "overlay",
    "study",
    "setting",
    "order",
    "label",
    "hide",
    "reason",
)
_DIMENSION_KEYS = ("x", "series", "facet", "hold")
_EXPECTED = {
    "archive": "a number",
    "overlay": "a number",
    "model": "a model such as raidz:disks=12",
    "price": "VALUE:EUROS",
    "q": "words",
    "setting": "a name such as zfs.primarycache",
    "order": "DIMENSION:VALUE",
    "label": f"DIMENSION:VALUE:NAME with a name that no other value has, of at most {LONGEST_NAME} characters,",
    "hide": "DIMENSION:VALUE with a reason, and neither the baseline nor everything,",
    "reason": f"one text of at most {LONGEST_REASON} characters",
}


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of an address, what is wrong with it, and the nearest known part with the query that has it instead."""

    part: str
    problem: str
    nearest: str = ""
    query: str = ""


def list_unknown(comparison: Comparison) -> list[UnknownPart]:
    """Keys and values that were ignored, then values of filters that no run has."""
    selection = comparison.selection
    return [*(_ignored(selection, key, value) for key, value in selection.strange), *_unmet(comparison)]


def _ignored(selection: Selection, key: str, value: str) -> UnknownPart:
    part = make_visible(f"{key}={value}")
    if key not in KEYS and key not in DIMENSIONS:
        nearest = _nearest(key, KEYS)
        return UnknownPart(
            part, "no such key; ignored", nearest, _replaced(selection, key, value, nearest, value) if nearest else ""
        )
    if _is_repeated(selection, key, value):
        return UnknownPart(part, f"{key} has one value; the second is ignored")
    known = _known_values(key)
    nearest = _nearest(value, known)
    if known:
        return UnknownPart(
            part,
            f"no such {'dimension' if key in _DIMENSION_KEYS else 'value'}; ignored",
            f"{key}={nearest}" if nearest else "",
            _replaced(selection, key, value, key, nearest) if nearest else "",
        )
    expected = _EXPECTED.get(key, "a number or a range such as 8GiB..64GiB")
    return UnknownPart(part, f"{expected} is expected; ignored")


def _is_repeated(selection: Selection, key: str, value: str) -> bool:
    return key in SINGLE and value in _known_values(key) and getattr(selection, key) not in ("", value)


def _known_values(key: str) -> tuple[str, ...]:
    if key == "metric":
        return tuple(METRICS)
    if key == "pool":
        return POOLABLE
    return tuple(DIMENSIONS) if key in _DIMENSION_KEYS else tuple(CHOICES.get(key, ()))


def _nearest(text: str, known: Iterable[str]) -> str:
    by_lower = {name.lower(): name for name in known}
    return next((by_lower[name] for name in get_close_matches(text.lower(), list(by_lower), 1, 0.6)), "")


def _replaced(selection: Selection, key: str, value: str, new_key: str, new_value: str) -> str:
    """The query with this pair instead of the ignored one."""
    kept = [pair for pair in query_pairs(selection) if pair != (key, value)]
    return "&".join(encode_pair(*pair) for pair in [*kept, (new_key, new_value)])


def _unmet(comparison: Comparison) -> list[UnknownPart]:
    """Values of filters that no run of the metric has, known in no spelling: ranges say by themselves what they hold."""
    found = []
    for facet in comparison.facets:
        offered = {choice.text for choice in facet.choices if not choice.chosen or choice.n}
        for choice in facet.choices:
            if not choice.chosen or choice.n or ".." in choice.text or choice.text == "~" or choice.reason != FOREIGN:
                continue
            nearest = _nearest(choice.text, offered)
            selection = comparison.selection
            values = [value for value in selection.values(facet.name) if value != choice.text]
            dimension = DIMENSIONS[facet.name]
            found.append(
                UnknownPart(
                    make_visible(f"{facet.name}={choice.text}"),
                    "no run of this metric has it",
                    f"{facet.name}={value_label(dimension, nearest)}" if nearest else "",
                    query_string(selection.having(facet.name, [*values, nearest])) if nearest else "",
                )
            )
    return found
