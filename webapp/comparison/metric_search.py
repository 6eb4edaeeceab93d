"""Which metrics have what a search asks for, and what its words mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ingest.catalogue import METRICS
from webapp.comparison import alternatives, facets
from webapp.comparison.defaults import USUAL_METRICS, choose_metric
from webapp.comparison.filtering import MAX_COUNTED_ROWS, RowSource, filter_rows
from webapp.comparison.model import FoundMetric, SearchResult, Word
from webapp.comparison.overlay import count_metrics, count_rows
from webapp.comparison.scopes import ComparisonScopes
from webapp.comparison.search import find_example, read_words
from webapp.comparison.selection import Selection, query_string
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.http import isolation
from webapp.models.summary import PUBLIC


def search_metrics(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult | None]:
    """The selection, with a metric that the search finds where it names none; what was found, None without a search.

    `available`: values by metric. Metrics other than the named ones are looked at only where those have nothing.
    """
    if not selection.q:
        return selection, None
    return isolation.run_isolated("search", selection.q, lambda: _search(source, selection, available), lambda: (selection, None))


def _search(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult]:
    if selection.metrics:
        columns = source.read_columns(selection.metrics)
        asked, _ = _read_alternatives(selection, columns)
        count = filter_rows(source, asked).passing.total
        if count or source.only is not None:
            return asked, SearchResult(asked, selection.q, _explain_words(asked, columns), count)
    columns, not_searched = _read_all(source, available)
    asked, counts = _read_alternatives(selection, columns)
    found = {name: count for name, count in sorted(counts.items(), key=_rank) if count and name in METRICS}
    metrics = tuple(
        FoundMetric(name, METRICS[name].label, count, query_string(asked.changed(metrics=(name,)))) for name, count in found.items()
    )
    if selection.metrics or not found:
        return selection, SearchResult(selection, selection.q, _explain_words(selection, columns), 0, metrics, not_searched)
    chosen = choose_metric(asked, found)
    words, count = _explain_words(asked, source.read_columns(chosen.metrics)), sum(found[name] for name in chosen.metrics)
    return chosen, SearchResult(asked, selection.q, words, count, metrics, not_searched)


def _read_alternatives(selection: Selection, columns: Columns) -> tuple[Selection, dict[str, int]]:
    """The selection with words that are values of one dimension as a filter, where a metric has all of them; values by metric."""
    asked, name = alternatives.as_filter(selection, facets.RowFilter(selection.changed(q="")).passing(columns))
    if name:
        passing = [facets.RowFilter(asked.having(name, [value])).passing(columns) for value in asked.values(name)]
        totals = [rows.total_by_metric() for rows in passing]
        counts = {metric: sum(one[metric] for one in totals) for metric in totals[0] if all(one[metric] for one in totals)}
        if counts:
            return asked, counts
    return selection, facets.RowFilter(selection).passing(columns).total_by_metric()


def _rank(item: tuple[str, int]) -> tuple:
    """Sort key of (metric, count): usual metrics in their order, then those with most values."""
    name, count = item
    return USUAL_METRICS.index(name) if name in USUAL_METRICS else len(USUAL_METRICS), -count, name


def _explain_words(selection: Selection, columns: Columns) -> tuple[Word, ...]:
    """The words among the rows that pass the filters; of those that are nowhere there, how many values fail the filters."""
    words = read_words(selection.q, facets.RowFilter(selection.changed(q="")).passing(columns))
    if all(word.count for word in words):
        return tuple(words)
    counts = {word.text: word.count for word in read_words(selection.q, columns)}
    return tuple(word if word.count else replace(word, elsewhere=counts[word.text]) for word in words)


def _read_all(source: RowSource, available: Mapping[str, int]) -> tuple[Columns, tuple[str, ...]]:
    """The rows of all metrics, and the labels of the metrics beyond `reader.MAX_COUNTS` rows, which are left out."""
    if count_rows(source.version, source.scopes) <= MAX_COUNTED_ROWS:
        return source.read_columns(tuple(sorted(available))), ()
    scopes = tuple(sorted({*source.scopes.all} - source.scopes.public_overlays))
    [counts] = reader.count_metrics(source.version, [scopes])
    names, total = [], 0
    for name, _ in sorted(((name, n) for name, (n, _) in counts.items()), key=_rank):
        if total + counts[name][1] <= reader.MAX_COUNTS:
            names.append(name)
            total += counts[name][1]
    omitted = tuple(METRICS[name].label for name in counts if name in METRICS and name not in names)
    return reader.read_counts(source.version, scopes, tuple(sorted(names))), omitted


def find_public_example(version: int) -> str:
    """A search that public archives answer: two words that stand for values of different dimensions. Empty where none are."""
    source = RowSource(version, ComparisonScopes((PUBLIC,), {}, frozenset()))
    selection = choose_metric(Selection(), count_metrics(version, source.scopes))
    if not selection.metrics:
        return ""
    return find_example(facets.RowFilter(selection).passing(source.read_columns(selection.metrics)))
