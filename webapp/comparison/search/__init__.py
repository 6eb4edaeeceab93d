"""Which rows pass the filters and the words of a search, which metric the words mean, and what each of them may mean.

A word matches a value that contains it, as stored or as shown, and a value that is its usual spelling (`"Debian GNU/Linux"`:
Debian; 65536MiB: 64 GiB). A row passes a search if each word matches one of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ingest.catalogue import METRICS
from ingest.options import is_option
from webapp.comparison.dimensions import (
    DERIVED_DIMENSIONS,
    DIMENSIONS,
    UNKNOWN,
    find_spelled,
    is_open,
    searchable_text,
    value_label,
)
from webapp.comparison.model import FoundMetric, Reading, SearchResult, Word
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.search.vocabulary import Meaning, read_meaning, without_separators
from webapp.comparison.selection import METRIC, Selection, dimension_position, passes_filter, query_string
from webapp.comparison.sets.core_keys import MAP_AXES
from webapp.comparison.summary.columns import Columns, IdTexts, RowDimensions, dimension_index
from webapp.comparison.summary.source import USUAL_METRICS, RowSource, metric_rank
from webapp.models.summary import PUBLIC

MAX_WORDS = 12
"""Words of a search that are explained; every word takes part in the search."""
MAX_READINGS = 12
"""Readings that are listed of a word."""
_SHORTEST = 3
"""Letters from which on a word may stand for what contains it."""
CONTAINS, EQUALS = 1, 2
"""How a word matches a value; 0 where it does not."""
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
_DERIVED = {name for names in DERIVED_DIMENSIONS.values() for name in names}
DEFAULT_ORIGINS = ("measured", "reported")
"""Origins of a comparison whose selection names none."""
SEARCH = "q"
_IDS = ("configuration", "system")


def split_search(q: str) -> Iterator[tuple[str, str]]:
    """(word or phrase without quotes, the same as typed), in their order."""
    for match in _WORDS.finditer(q):
        yield match[1] or match[2], match[0]


def parse_search(q: str) -> frozenset[str]:
    """The words and "quoted phrases" of a search, in lower case."""
    return frozenset(text.lower() for text, _ in split_search(q))


def match_values(dimensions: RowDimensions, name: str, word: str) -> np.ndarray:
    """For each value of a dimension 0, CONTAINS or EQUALS. `word` is in lower case."""
    dimension, values = DIMENSIONS[name], dimensions.column(name).values
    if isinstance(values, IdTexts):  # many, and never searched
        return np.zeros(len(values), np.int8)
    texts = dimensions.cache.get((searchable_text, name))
    if texts is None:
        texts = dimensions.cache[searchable_text, name] = [searchable_text(dimension, text) for text in values]
    # Two letters are a word of their own: `cp` is no part of `GCP`.
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search if len(word) < _SHORTEST else None
    matches = np.array([bool(whole(text)) if whole and word in text else word in text for text in texts], np.int8)
    for position in np.flatnonzero(matches).tolist():
        if word in texts[position].split("\n"):
            matches[position] = EQUALS
    matches[find_spelled(dimension, values, word)] = EQUALS
    return matches


def match_rows(columns: Columns, word: str) -> np.ndarray:
    """A mask of the rows that have the word. Each configuration and each workload is looked at once, however many rows it has."""
    masks = [np.zeros(columns.dimensions.size(line), bool) for line in range(2)]
    for name in columns.dimensions.names:
        column = columns.dimensions.column(name)
        matches = match_values(columns.dimensions, name, word)
        if matches.any():
            masks[dimension_index(name)] |= (matches > 0)[column.codes]
    return np.logical_or(*[mask[columns.indices[line]] for line, mask in enumerate(masks)])


def join_words(words: Iterable[str]) -> str:
    """The words as a search."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


class RowFilter:
    """The filters and the search of a selection. Each distinct value of a dimension is tested once, however many rows have it."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._words = parse_search(selection.q)
        names = [name for name, _ in selection.filters]
        names += [] if selection.values("origin") else ["origin"]
        self.bits = {name: 1 << position for position, name in enumerate((SEARCH, *names))}
        """A bit for each filtered dimension, and for the search."""

    def failing(self, rows: Columns) -> np.ndarray:
        """The `bits` of the filters that each row fails, 0 where it passes. Derived and modelled values fail at `origin`."""
        # More filters than bits in a machine word need Python's integers.
        failing = np.zeros(len(rows), np.int64 if len(self.bits) < 63 else object)
        for name, bit in self.bits.items():
            if name != SEARCH:
                asked = self.selection.values(name)
                # Ids are many: where numbers are asked for, other numbers need not be parsed.
                is_plain = name in _IDS and all(text.isascii() and text.isdigit() for text in asked)
                plain = {str(int(text)) for text in asked} if is_plain else None
                values = rows.dimensions.column(name).values
                if plain and isinstance(values, IdTexts):
                    rejected = values.other_than(plain)
                else:
                    rejected = [text not in plain if plain else not self._accepts(name, text) for text in values]
                if any(rejected):
                    failing |= np.where(np.array(rejected)[rows.codes(name)], bit, 0).astype(failing.dtype)
        for word in self._words:
            failing |= np.where(match_rows(rows, word), 0, self.bits[SEARCH]).astype(failing.dtype)
        return failing

    def _accepts(self, name: str, text: str) -> bool:
        if name == "origin" and not self.selection.values(name):
            return text in DEFAULT_ORIGINS
        return passes_filter(self.selection, name, text)

    def passing(self, rows: Columns) -> Columns:
        """The rows that pass every filter."""
        return rows.take(self.failing(rows) == 0)


def find_metric(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult | None]:
    """The selection with a metric: where it names none, one that the search finds; what was found, None without a search.

    `available`: values by metric. Metrics other than the named ones are looked at only where those have nothing.
    """
    found, result = _search(source, selection, available) if selection.q else (selection, None)
    return choose_metric(found, available), result


def choose_metric(selection: Selection, available: Mapping[str, int]) -> Selection:
    """The selection with a metric: a usual one, else the one with most values. Several metrics become the series.

    `available`: values by metric.
    """
    if not selection.metrics and available:
        usual = next((name for name in USUAL_METRICS if name in available), None)
        selection = selection.changed(metrics=(usual or max(sorted(available), key=available.__getitem__),))
    if len(selection.metrics) > 1 and not selection.series and selection.kind != "scatter":
        selection = selection.changed(series=METRIC)
    if selection.series == METRIC and (len(selection.metrics) == 1 or selection.kind == "scatter"):
        selection = selection.changed(series="")  # a left-over of several metrics; a scatter plot has them along its axes
    return selection


def _search(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult]:
    """What the words mean in the language of the field; else as values alone; else what there is without those that nothing has."""
    words = [text.lower() for text, _ in split_search(selection.q)]
    meaning = read_meaning(without_separators(words), available)
    found = _search_meaning(source, selection, meaning, available)
    if found[1].count or found[1].metrics:
        return found
    columns, _ = source.read_all(available)
    lacking = [f"{name}={value}" for name, value in meaning.settings if not _has(columns, Selection().having(name, [value]))]
    lacking += [word for word in meaning.rest if not _has(columns, Selection(q=join_words([word])))]
    settings = tuple(pair for pair in meaning.settings if "=".join(pair) not in lacking)
    less = replace(
        meaning,
        metrics=meaning.metrics or meaning.instead,
        settings=settings,
        rest=tuple(word for word in meaning.rest if word not in lacking),
    )
    if less == meaning or not (less.metrics or (not less.is_named and (less.axis or settings or less.rest))):
        return found
    asked, without = _search_meaning(source, selection, less, available)
    listed = without.metrics or _list_found(without.asked, {name: without.count for name in asked.metrics if without.count})
    return selection, replace(found[1], lacking=tuple(lacking), without=listed)


def _has(columns: Columns, selection: Selection) -> bool:
    return len(RowFilter(selection).passing(columns)) > 0


def _search_meaning(
    source: RowSource, selection: Selection, meaning: Meaning, available: Mapping[str, int]
) -> tuple[Selection, SearchResult]:
    typed = selection.q
    if meaning.axis and not any(selection.named_axes):
        selection = selection.changed(x=meaning.axis)
    for name, value in meaning.settings:
        selection = selection.having(name, [*selection.values(name), value])
    meant = _search_meant(source, selection, meaning)
    if meant is not None or meaning.is_named:
        asked = selection.changed(metrics=(), q=join_words(meaning.rest))
        return meant or (selection, SearchResult(asked, typed, (), 0))
    words = [text.lower() for text, _ in split_search(typed)]
    asked, result = _search_values(
        source, selection if [*meaning.rest] == words else selection.changed(q=join_words(meaning.rest)), available
    )
    return asked, replace(result, typed=typed)


def _search_meant(source: RowSource, selection: Selection, meaning: Meaning) -> tuple[Selection, SearchResult] | None:
    """The metric that the words name (`4k random write`, `p99`); the other words are searched among its values. None where they
    name none, or none that has such values. A named metric yields to what is typed."""
    if not meaning.metrics:
        return None
    asked = selection.changed(metrics=(), q=join_words(meaning.rest))
    if meaning.statistic:
        asked = asked.having("aggregate", [meaning.statistic])
    asked, counts = _read_alternatives(asked, source.read_columns(tuple(sorted(meaning.metrics))))
    found = {name: count for name in meaning.metrics if (count := counts.get(name))}
    if not found:
        return None
    chosen = asked.changed(metrics=(next(iter(found)),))
    words, count = _explain_words(asked, source.read_columns(chosen.metrics)), found[chosen.metrics[0]]
    return chosen, SearchResult(asked, selection.q, words, count, _list_found(asked, found) if len(found) > 1 else ())


def _list_found(asked: Selection, found: Mapping[str, int]) -> tuple[FoundMetric, ...]:
    return tuple(
        FoundMetric(name, METRICS[name].label, count, query_string(asked.changed(metrics=(name,)))) for name, count in found.items()
    )


def _search_values(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult]:
    if selection.metrics:
        columns = source.read_columns(selection.metrics)
        asked, counts = _read_alternatives(selection, columns)
        count = sum(counts.values()) if asked is selection else RowFilter(asked).passing(columns).total
        if count or source.only is not None:
            return asked, SearchResult(asked, selection.q, _explain_words(asked, columns), count)
    columns, not_searched = source.read_all(available)
    asked, counts = _read_alternatives(selection, columns)
    found = {name: count for name, count in sorted(counts.items(), key=metric_rank) if count and name in METRICS}
    metrics = _list_found(asked, found)
    if selection.metrics or not found:
        return selection, SearchResult(selection, selection.q, _explain_words(selection, columns), 0, metrics, not_searched)
    chosen = choose_metric(asked, found)
    words, count = _explain_words(asked, source.read_columns(chosen.metrics)), sum(found[name] for name in chosen.metrics)
    return chosen, SearchResult(asked, selection.q, words, count, metrics, not_searched)


def _read_alternatives(selection: Selection, columns: Columns) -> tuple[Selection, dict[str, int]]:
    """The selection with words that are values of one dimension as a filter, where a metric has all of them; values by metric."""
    asked, alone = as_filter(selection, RowFilter(selection.changed(q="")).passing(columns))
    if alone:
        totals = [RowFilter(one).passing(columns).total_by_metric() for one in alone]
        counts = {metric: sum(one[metric] for one in totals) for metric in totals[0] if all(one[metric] for one in totals)}
        if counts:
            return asked, counts
    return selection, RowFilter(selection).passing(columns).total_by_metric()


def _explain_words(selection: Selection, columns: Columns) -> tuple[Word, ...]:
    """The words among the rows that pass the filters; of those that are nowhere there, how many values fail the filters."""
    words = read_words(selection.q, RowFilter(selection.changed(q="")).passing(columns))
    if all(word.count for word in words):
        return tuple(words)
    counts = {word.text: word.count for word in read_words(selection.q, columns)}
    return tuple(word if word.count else replace(word, elsewhere=counts[word.text]) for word in words)


def find_public_example(version: int) -> str:
    """A search that public archives answer: two words that stand for values of different dimensions. Empty where none are."""
    source = RowSource(version, ComparisonScopes((PUBLIC,), {}, frozenset()))
    selection = choose_metric(Selection(), source.count_metrics())
    return find_example(RowFilter(selection).passing(source.read_columns(selection.metrics))) if selection.metrics else ""


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
    filtered = {name for name, _ in selection.filters}
    names = [name for name in (*MAP_AXES, "os_family") if name not in filtered]
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
