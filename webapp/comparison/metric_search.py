"""Which metrics have what a search asks for, and what its words mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ingest.catalogue import METRICS
from webapp.comparison import facets
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


def _search(source: RowSource, asked: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult]:
    if asked.metrics:
        count = filter_rows(source, asked).passing.total
        if count or source.only is not None:
            return asked, SearchResult(asked, _explain_words(asked, source.read_columns(asked.metrics)), count)
    columns, not_searched = _read_all(source, available)
    counts = facets.RowFilter(asked).passing(columns).total_by_metric()
    found = {name: count for name, count in sorted(counts.items(), key=_rank) if count and name in METRICS}
    metrics = tuple(
        FoundMetric(name, METRICS[name].label, count, query_string(asked.changed(metrics=(name,)))) for name, count in found.items()
    )
    selection = asked
    if found and not asked.metrics:
        selection = choose_metric(asked, found)
        columns = source.read_columns(selection.metrics)
    count = sum(found.get(name, 0) for name in selection.metrics)
    return selection, SearchResult(asked, _explain_words(asked, columns), count, metrics, not_searched)


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
    scopes = tuple(sorted({*source.scopes.base, *source.scopes.overlays} - source.scopes.public_overlays))
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
