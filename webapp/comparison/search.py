"""Free-text search over the values of configurations and workloads. Plain Python.

A word matches a value that contains it, as stored or as shown, and a value that is its usual spelling (`"Debian GNU/Linux"`:
Debian; 65536MiB: 64 GiB). A row passes a search if each word matches one of its values.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np

from ingest import normalise
from ingest.keys import SIZE
from ingest.options import is_option
from webapp.comparison.dimensions import (
    APART,
    DERIVED_DIMENSIONS,
    DIMENSIONS,
    MACHINE,
    SOURCE,
    STATED,
    UNKNOWN,
    is_open,
    option_words,
    parse_quantity,
    value_label,
)
from webapp.comparison.model import Reading, SearchResult, Word
from webapp.comparison.selection import Selection, dimension_position
from webapp.comparison.sets.core_keys import MAP_AXES
from webapp.comparison.summary.columns import Columns, RowDimensions, dimension_index

MAX_WORDS = 12
"""Words of a search that are explained; every word takes part in the search."""
MAX_READINGS = 12
"""Readings that are listed of a word."""
_SHORTEST = 3
"""Letters from which on a word may stand for what contains it."""
CONTAINS, EQUALS = 1, 2
"""How a word matches a value; 0 where it does not."""
_LETTER = re.compile("[A-Za-z]")
"""A value of an option without one says nothing without its name."""
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
_NOT_SEARCHED = ("system", "configuration", MACHINE, STATED, APART, SOURCE)
"""Dimensions that are not searched: their values are ids, or say nothing without their name."""
_SPELLINGS: Mapping[str, Callable[[str], str | None]] = {
    "os": normalise.os_name,
    "fs": normalise.file_system_type,
    "compression": normalise.compression,
    "compression_effective": normalise.compression,
}
"""The usual spelling of a word in lower case as a value of these dimensions."""
_DERIVED = {name for names in DERIVED_DIMENSIONS.values() for name in names}


def split_search(q: str) -> Iterator[tuple[str, str]]:
    """(word or phrase without quotes, the same as typed), in their order."""
    for match in _WORDS.finditer(q):
        yield match[1] or match[2], match[0]


def join_words(words: Iterable[str]) -> str:
    """The words as a search."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def parse_search(q: str) -> frozenset[str]:
    """The words and "quoted phrases" of a search, in lower case."""
    return frozenset(text.lower() for text, _ in split_search(q))


def _searchable_text(name: str, text: str) -> str:
    """A value as it is searched: as stored (17179869184) and as shown (16 GiB, 16GiB), in lower case, each on a line."""
    if text == UNKNOWN or name in _NOT_SEARCHED or (is_option(name) and not _LETTER.search(text)):
        return ""
    shown = value_label(DIMENSIONS[name], text).replace("\u00a0", " ")
    return "\n".join(dict.fromkeys((text, shown, shown.replace(" ", "")))).lower()


def _searchable_texts(dimensions: RowDimensions, name: str) -> list[str]:
    """The values of a dimension as they are searched; empty for ids and unknown values. Cached with the dimensions."""
    texts = dimensions.cache.get((_searchable_texts, name))
    if texts is None:
        texts = [_searchable_text(name, text) for text in dimensions.column(name).values]
        dimensions.cache[_searchable_texts, name] = texts
    return texts


def match_values(dimensions: RowDimensions, name: str, word: str) -> np.ndarray:
    """For each value of a dimension 0, CONTAINS or EQUALS. `word` is in lower case."""
    texts = _searchable_texts(dimensions, name)
    # Two letters are a word of their own: `cp` is no part of `GCP`.
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search if len(word) < _SHORTEST else None
    matches = np.array([bool(whole(text)) if whole and word in text else word in text for text in texts], np.int8)
    for position in np.flatnonzero(matches).tolist():
        if word in texts[position].split("\n"):
            matches[position] = EQUALS
    matches[_find_spelled(name, dimensions.column(name).values, word)] = EQUALS
    return matches


def _find_spelled(name: str, values: Sequence[str], word: str) -> list[int]:
    """The positions of the values that the word spells in another way."""
    if is_open(name):
        return []
    if is_option(name):  # by its name, with or without its value: `zero_buffers`, `fdatasync=1`
        names = (name.lower(), name.partition(".")[2].lower())
        return [at for at, value in enumerate(values) if value != UNKNOWN and word in (*names, option_words(name, value).lower())]
    if DIMENSIONS[name].type == SIZE:
        number = None if word.isdigit() else parse_quantity(word)
        return [] if number is None else [at for at, value in enumerate(values) if parse_quantity(value) == number]
    spelled = _SPELLINGS[name](word) if name in _SPELLINGS else None
    return [] if spelled is None else [at for at, value in enumerate(values) if value == spelled]


def match_rows(columns: Columns, word: str) -> np.ndarray:
    """A mask of the rows that have the word. Each configuration and each workload is looked at once, however many rows it has."""
    masks = [np.zeros(columns.dimensions.size(line), bool) for line in range(2)]
    for name in columns.dimensions.names:
        column = columns.dimensions.column(name)
        matches = match_values(columns.dimensions, name, word)
        if matches.any():
            masks[dimension_index(name)] |= (matches > 0)[column.codes]
    return np.logical_or(*[mask[columns.indices[line]] for line, mask in enumerate(masks)])


def read_words(q: str, columns: Columns) -> list[Word]:
    """What the first words of a search may mean in these rows. Counts are numbers of values."""
    tokens = list(split_search(q))
    weights = [columns.sum_weights(line, columns.n) for line in range(2)]
    counts = {name: _count_values(columns, name, weights) for name in columns.dimensions.names}
    distinct = {text.lower(): text for text, _ in reversed(tokens)}
    words = []
    for word in list(dict.fromkeys(text.lower() for text, _ in tokens))[:MAX_WORDS]:
        readings = sorted(_read_word(columns, counts, word), key=_rank)
        words.append(
            Word(
                distinct[word],
                tuple(readings[:MAX_READINGS]),
                int(columns.n[match_rows(columns, word)].sum()) if readings else 0,
                " ".join(typed for text, typed in tokens if text.lower() != word),
                len(readings[MAX_READINGS:]),
            )
        )
    return words


def _count_values(columns: Columns, name: str, weights: Sequence[np.ndarray]) -> np.ndarray:
    """The number of values of each value of a dimension. `weights`: that of each configuration, and of each workload."""
    column = columns.dimensions.column(name)
    return np.bincount(column.codes, weights[dimension_index(name)], len(column.values))


def _read_word(columns: Columns, counts: Mapping[str, np.ndarray], word: str) -> Iterator[Reading]:
    for name, count in counts.items():
        values = columns.dimensions.column(name).values
        matches = match_values(columns.dimensions, name, word)
        for code in np.flatnonzero((matches > 0) & (count > 0)).tolist():
            yield Reading(name, DIMENSIONS[name].label, values[code], int(count[code]), bool(matches[code] == EQUALS))


def _rank(reading: Reading) -> tuple:
    """Sort key: equal values first, those of derived dimensions and open keys and options behind the others, then by count."""
    position = dimension_position(reading.dimension)
    is_extra = is_open(reading.dimension) or is_option(reading.dimension)
    return not reading.equal, is_extra, reading.dimension in _DERIVED, -reading.count, position, reading.value


def narrow_to(selection: Selection, result: SearchResult, word: Word, reading: Reading) -> Selection:
    """The selection with a filter by the reading in the place of the word, for a metric that has something."""
    if not result.count and result.metrics:
        selection = selection.changed(metrics=(result.metrics[0].metric,))
    return selection.having(reading.dimension, [reading.value]).changed(q=word.rest)


def remove_word(selection: Selection, result: SearchResult, word: Word) -> Selection:
    """The selection without a word of its search; where no metric has all words, the choice of one is open again."""
    return (selection if result.count or result.metrics else result.asked).changed(q=word.rest)


_EXAMPLE = ("os", "fs", "compression", "cpu", "layout", "memory", "tool")
"""Dimensions of an example, in the order of preference."""
_VAGUE = ("on", "off")


def find_example(columns: Columns) -> str:
    """A search with two known values of different dimensions that rows have together: those with most values. Else empty."""
    for first, second in ((a, b) for at, a in enumerate(_EXAMPLE) for b in _EXAMPLE[at + 1 :]):
        pairs = _count_pairs(columns, first, second)
        if pairs:
            texts, _ = max(pairs.items(), key=lambda item: (item[1], item[0]))
            return " ".join(texts)
    return ""


def _count_pairs(columns: Columns, *names: str) -> dict[tuple[str, ...], int]:
    """The number of values of each pair of words that stand for known values of two dimensions."""
    columns_of = [columns.dimensions.column(name) for name in names]
    codes = [columns.codes(name) for name in names]
    cells, rows = np.unique(codes[0] * len(columns_of[1].values) + codes[1], return_inverse=True)
    totals = np.bincount(rows.reshape(-1), columns.n, len(cells))
    pairs = {}
    for cell, total in zip(cells.tolist(), totals.tolist(), strict=True):
        at = divmod(cell, len(columns_of[1].values))
        texts = tuple(_quote(name, column.values[code]) for name, column, code in zip(names, columns_of, at, strict=True))
        if all(texts):
            pairs[texts] = int(total)
    return pairs


def _quote(name: str, text: str) -> str:
    """A value as a word of a search; empty where that is not possible, or where it says little."""
    word = value_label(DIMENSIONS[name], text).replace("\u00a0", "")
    if text in (UNKNOWN, *_VAGUE) or '"' in word or word != " ".join(word.split()) or not 0 < len(word) <= 40:
        return ""
    return f'"{word}"' if " " in word else word


# Words of a search that are values of one dimension: `zfs lz4 off` asks for lz4 beside off, which no run has together. Pure.


_FAMILIES = ("compression", "layout", "cpu")
"""Dimensions in which a word may stand for several values: `zstd` for each of its levels, `raidz2` for each width."""


def as_filter(selection: Selection, rows: Columns) -> tuple[Selection, list[Selection]]:
    """The selection with words that are different values of one dimension as its filter, and along that dimension where no axis is
    named; and the same for each of the words alone. The same and nothing where there are no such words, or where they fit several
    dimensions.

    `rows`: what passes the other filters.
    """
    words = [text.lower() for text, _ in split_search(selection.q)]
    if not 2 <= len(words) <= MAX_WORDS:
        return selection, []
    names = [name for name in (*MAP_AXES, "os_family") if not selection.values(name)]
    found = {name: values for name in names if len(values := _values(rows, name, words)) > 1}
    # As many as can be; of dimensions with as many the one whose values are the very words: Linux is every Linux.
    fits = {
        name: (len(values), sum(value.lower() in words for of_word in values.values() for value in of_word))
        for name, values in found.items()
    }
    most = max(fits.values(), default=(0, 0))
    best = [(name, values) for name, values in found.items() if fits[name] == most]
    if len(best) != 1 or _stand_together(rows, best[0][1]):
        return selection, []
    [(name, values)] = best
    rest = " ".join(typed for text, typed in split_search(selection.q) if text.lower() not in values)
    axis = {} if any(selection.named_axes) else {"x": name}
    asked = selection.changed(q=rest, **axis)
    return asked.having(name, sum(values.values(), ())), [asked.having(name, of_word) for of_word in values.values()]


def _values(rows: Columns, name: str, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Word -> the values of the dimension that it stands for in these rows; no value has two words."""
    column, counts = rows.dimensions.column(name), np.bincount(rows.codes(name), minlength=len(rows.dimensions.column(name).values))
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        matches = np.where(counts > 0, match_values(rows.dimensions, name, word), 0)
        codes = np.flatnonzero(matches == EQUALS)
        if not len(codes) and len(word) >= _SHORTEST:
            codes = np.flatnonzero(matches == CONTAINS)
        if len(codes) == 1 or (len(codes) and name in _FAMILIES):
            found[word] = tuple(column.values[code] for code in codes.tolist())
    every = sum(found.values(), ())
    return found if len(set(every)) == len(every) else {}


def _stand_together(rows: Columns, words: Iterable[str]) -> bool:
    """Whether a value of any dimension contains two of the words (`lustre/zfs`): then they describe one thing."""
    pairs = list(combinations(words, 2))
    return any(
        bool(np.any((match_values(rows.dimensions, name, first) > 0) & (match_values(rows.dimensions, name, second) > 0)))
        for name in rows.dimensions.names
        for first, second in pairs
    )


# Words that name an operation, a quantity, a percentile, an axis or a setting (`vocabulary.toml`). Pure.

SEPARATORS = frozenset(
    "vs vs. versus against or compared to than with and & + | on of the in at for per percentile a an is are".split()
)
"""Words that stand between what is asked for, and say nothing themselves."""
_PERCENTILE = re.compile(r"(?:p|p-)?(\d{1,2}(?:\.\d+)?)(?:%|th|st|nd|rd)?(?:-?(?:percentile|pct|ile))?")
_UNIT = re.compile(r"[kmgtp]i?b?")
_BARE = ("off", "disabled")
_OF_SYNC = ("standard", "always")
"""Values that are one of the setting before them; `always` of another setting is a word of the question."""
_USUAL = {
    "random": ("rate", "throughput", "latency"),
    "seek": ("rate",),
    "fsync": ("latency", "rate"),
    "copy": ("elapsed", "throughput"),
    "io500": ("score",),
}
"""The quantities of an operation, by the start of its name, in the order in which they are meant where none is named."""
_STREAMED = ("throughput", "rate", "elapsed", "latency")
_COUNTED = ("rate", "elapsed", "throughput", "latency", "score")
_LONGEST = 4
"""Words of a phrase."""


@lru_cache(1)
def _vocabulary() -> dict[str, dict[str, str]]:
    """The tables of vocabulary.toml, a phrase each; in the form in which they are looked up, but for regular expressions."""
    tables = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        name: table
        if name in ("spellings", "alone")
        else {_stem(one): what for many, what in table.items() for one in many.split(";")}
        for name, table in tables.items()
    }


def _stem(phrase: str) -> str:
    """A phrase however it is spelt: `Random-Writes`, `random_write` and `randomwrite` are one."""
    letters = re.sub(r"[\s_./-]", "", phrase)
    return letters[:-1] if len(letters) > 4 and letters.endswith("s") and not letters.endswith("ss") else letters


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the words of a search mean: metrics, the likeliest first, a kind of number, and the words that are left; the dimension
    along which, and (dimension, value) of settings. `instead`: other quantities of operations of which the one that is asked for
    was never measured, `is_named` then too."""

    metrics: tuple[str, ...]
    statistic: str
    rest: tuple[str, ...]
    is_named: bool = False
    instead: tuple[str, ...] = ()
    axis: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def without_separators(words: Sequence[str]) -> list[str]:
    """The words that say something, in the spelling of the vocabulary; a number and its unit are one."""
    text = " ".join(words)
    for pattern, spelling in _vocabulary()["spellings"].items():
        text = re.sub(pattern, spelling, text)
    stripped = (word.strip(",.;:?!()").lstrip("-") for word in text.split())
    return _join_sizes([word for word in stripped if word and word not in SEPARATORS])


def read_meaning(words: Sequence[str], metrics: Collection[str]) -> Meaning:
    """The meaning of words in lower case among the metrics that there are. Without any operation or quantity no metric is meant."""
    known = _vocabulary()
    operations, quantity, statistic, rest = list[str](), "", "", list[str]()
    left = list(words)
    while left:
        for count in range(min(_LONGEST, len(left)), 0, -1):
            phrase = _stem(" ".join(left[:count]))
            if found := _percentile(left[0]) if count == 1 else "":
                statistic = found
            elif phrase in known["statistics"]:
                statistic = known["statistics"][phrase]
            elif phrase in known["quantities"]:
                quantity = known["quantities"][phrase]
            elif phrase in known["operations"]:
                operations += known["operations"][phrase].split()
            else:
                continue
            del left[:count]
            break
        else:
            rest.append(left.pop(0))
    if statistic and not quantity and (statistic.startswith("p") or not operations):
        quantity = "latency"
    rest, axis, settings = _read_settings(rest)
    said = [word for word in rest if _stem(word) not in known["fillers"]]
    if not (operations or quantity or said or axis or settings) and words:
        quantity = "throughput"
    if quantity and not operations:
        operations = known["alone"].get(quantity, "write read").split()
    named, others = (
        tuple(dict.fromkeys(name for name in _name_metrics(operations, one) if name in metrics)) for one in (quantity, "")
    )
    return Meaning(named, statistic, tuple(said), bool(operations), () if named else others, axis, tuple(settings))


def _read_settings(words: Sequence[str]) -> tuple[list[str], str, list[tuple[str, str]]]:
    """The words without those that name a dimension, the one that is named alone, and (dimension, value) of `sync=disabled`,
    `recordsize 128k`."""
    axes, rest, alone, settings, name = _vocabulary()["axes"], list[str](), list[str](), list[tuple[str, str]](), ""
    for word in words:
        before, equals, value = word.partition("=")
        named = before if before in DIMENSIONS else axes.get(_stem(before), "")
        if name and _is_value(name, word):
            settings.append((name, word))
            continue
        name = ""
        if named and equals:
            settings.append((named, value))
        elif _stem(word) in axes:
            alone.append(name := axes[_stem(word)])
        else:
            rest.append(word)
    free = set(alone).difference(name for name, _ in settings)
    several = {name for name, _ in settings if len({value for other, value in settings if other == name}) > 1}
    return rest, next(iter(free or several)) if len(free or several) == 1 else "", settings


def _is_value(name: str, word: str) -> bool:
    bare = (*_BARE, *_OF_SYNC) if name == "sync" else () if name == "compression" else _BARE
    return word in bare or (DIMENSIONS[name].numeric and parse_quantity(word) is not None)


def _join_sizes(words: Sequence[str]) -> list[str]:
    """The words with a number and its unit as one: `2 gib` is `2gib`."""
    joined: list[str] = []
    for word in words:
        if joined and _UNIT.fullmatch(word) and joined[-1].replace(".", "").isdigit():
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _percentile(word: str) -> str:
    """`p99` of `p99`, `99%`, `99th`, `99.9th-percentile`; empty for other words, bare numbers among them."""
    match = _PERCENTILE.fullmatch(word)
    return f"p{match[1]}" if match and not word.replace(".", "").isdigit() else ""


def _name_metrics(operations: Collection[str], quantity: str) -> Iterator[str]:
    """The metrics of these operations: each operation's first quantity, then its second."""
    if quantity:
        yield from (f"{operation}.{quantity}" for operation in operations)
        return
    orders = [_usual_quantities(operation) for operation in operations]
    for at in range(max(map(len, orders), default=0)):
        yield from (f"{operation}.{order[at]}" for operation, order in zip(operations, orders, strict=True) if at < len(order))


def _usual_quantities(operation: str) -> tuple[str, ...]:
    for start, order in _USUAL.items():
        if operation.startswith(start):
            return order
    return _COUNTED if operation.startswith(("file_", "dir_", "tree_", "create", "stat", "delete", "transaction")) else _STREAMED
