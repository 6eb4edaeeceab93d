"""The rows of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.catalogue import METRICS
from webapp.comparison import facets, search
from webapp.comparison.compared_set import USUAL_METRICS, choose_metric
from webapp.comparison.dimensions import OTHERS, SOURCE
from webapp.comparison.model import Choice, FoundMetric, SearchResult, SummaryRow, Word
from webapp.comparison.question import MAX_OFFERED_ARCHIVES, ComparisonScopes
from webapp.comparison.search import find_example, read_words
from webapp.comparison.selection import Selection, query_string
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.reader import (
    AbsentRows,
    FilteredRows,
    RowKey,
    UnmeasuredRow,
    UnmeasuredRun,
    set_aggregate,
    to_aggregate,
)
from webapp.http import isolation
from webapp.models.summary import PUBLIC
from webapp.storage import summary_writer

# Overlaid archives, and studies beside each other: their rows are distinguished by the dimension `source`.


def count_metrics(version: int, scopes: ComparisonScopes) -> dict[str, int]:
    """The number of values of each metric."""
    base, *sources = reader.count_metrics(version, scopes.sets)
    counts = {name: n for name, (n, _) in base.items()}
    for archives, counted in zip(scopes.sources.values(), sources, strict=True):
        for name, (n, _) in counted.items():
            counts[name] = counts.get(name, 0) + (0 if scopes.public_overlays.issuperset(archives) else n)
    return counts


def count_rows(version: int, scopes: ComparisonScopes) -> int:
    """The number of rows of all metrics."""
    return sum(rows for counts in reader.count_metrics(version, scopes.sets) for _, rows in counts.values())


def read_columns(version: int, scopes: ComparisonScopes, names: tuple[str, ...]) -> Columns:
    """The rows of these metrics without values, as columns; no value counts in two of them."""
    sources = scopes.sources
    if not sources:
        return reader.read_columns(version, scopes.base, names)
    base, *read = reader.read_rows(version, scopes.sets, names)
    rows_by_source = dict(zip(sources, read, strict=True))
    for source, rows in rows_by_source.items():
        if scopes.public_overlays.issuperset(sources[source]):
            base = _subtract_counts(base, rows)
    return Columns([*base, *(reader.with_source(row, source) for source, rows in rows_by_source.items() for row in rows)])


def read_absent(version: int, scopes: ComparisonScopes, names: tuple[str, ...], others: tuple[str, ...] = ()) -> AbsentRows:
    """As `reader.read_absent`; runs without a number are of the source of their archive."""
    absent = reader.read_absent(version, scopes.sets, names, others)
    source_of = {archive: source for source, archives in scopes.sources.items() for archive in archives}
    if not source_of:
        return absent
    return AbsentRows(absent.withdrawn, [part for row in absent.unmeasured for part in _split_sources(row, source_of)])


def _split_sources(row: UnmeasuredRow, source_of: Mapping[int, str]) -> Iterable[UnmeasuredRow]:
    """The row as one for each source of its runs."""
    runs: dict[str, list[UnmeasuredRun]] = {}
    for run in row.runs:
        runs.setdefault(source_of.get(run.archive, OTHERS), []).append(run)
    for source, places in runs.items():
        yield replace(row, texts=reader.texts_of_source(row.texts, source), runs=tuple(places))


def row_key(row: SummaryRow | reader.UnmeasuredRow) -> reader.RowKey:
    return row.metric, row.configuration, row.workload


def _subtract_counts(rows: Iterable[SummaryRow], overlaid: Iterable[SummaryRow]) -> list[SummaryRow]:
    """The rows without the values of the overlaid ones; those without any other value are removed."""
    counts = {row_key(row): row.n for row in overlaid}
    result = []
    for row in rows:
        n = row.n - counts.get(row_key(row), 0)
        if n == row.n:
            result.append(row)
        elif n > 0:
            result.append(SummaryRow(*row_key(row), n, row.texts))
    return result


def fill_values(version: int, scopes: ComparisonScopes, rows: list[SummaryRow]) -> list[SummaryRow]:
    """The rows with their values; the same list where they had them already. Rows deleted meanwhile are omitted."""
    sources = scopes.sources
    if not sources:
        [filled] = reader.fill_values(version, [(scopes.base, rows)])
        return filled
    base, *read = _read_filled_rows(version, scopes, rows)
    rows_by_source = dict(zip(sources, read, strict=True))
    for source, archives in sources.items():
        if scopes.public_overlays.issuperset(archives):
            _subtract_values(base, rows_by_source[source])
    result = []
    for row in rows:
        filled_row = rows_by_source.get(row.texts[SOURCE], base).get(row_key(row))
        if filled_row is not None:
            copy = filled_row.copy()
            copy.texts = row.texts
            result.append(copy)
    return result


def _read_filled_rows(version: int, scopes: ComparisonScopes, rows: Sequence[SummaryRow]) -> list[dict[reader.RowKey, SummaryRow]]:
    """The rows with these keys in each set of scopes, with their values, by key."""
    keys = {row_key(row) for row in rows}
    cached = reader.read_rows(version, scopes.sets, sorted({row.metric for row in rows}))
    wanted = [
        (scope_set, [row for row in set_rows if row_key(row) in keys])
        for scope_set, set_rows in zip(scopes.sets, cached, strict=True)
    ]
    return [{row_key(row): row for row in filled} for filled in reader.fill_values(version, wanted)]


def _subtract_values(rows: dict[reader.RowKey, SummaryRow], overlaid: Mapping[reader.RowKey, SummaryRow]) -> None:
    """Subtract the overlaid rows from those of the same key; remove those of which no value is left."""
    for key, row in overlaid.items():
        difference = summary_writer.subtract(to_aggregate(rows[key]), to_aggregate(row)) if key in rows else None
        if difference is None:
            rows.pop(key, None)
        else:
            rows[key] = SummaryRow(*key, difference.n, row.texts)
            set_aggregate(rows[key], difference)


def overlay_choices(selection: Selection, scopes: ComparisonScopes) -> list[Choice]:
    """Archives that can be overlaid by `overlay=`: those that are, and the newest of the reader's own."""
    titles = dict(list(scopes.own.items())[:MAX_OFFERED_ARCHIVES]) | dict(scopes.overlays)
    return [
        Choice(str(archive), title, 0, archive in scopes.overlays)
        for archive, title in titles.items()
        if archive not in selection.archives or archive in scopes.overlays
    ]


# The rows of a comparison: those of the chosen metrics that pass the selection's filters, and counts of the others.

MAX_COUNTED_ROWS = 10_000
"""Rows of the summary up to which the filters are applied to all metrics, not only to the chosen ones."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The summary at a data version, as one reader sees it. `only`: the rows that take part, None for all."""

    version: int
    scopes: ComparisonScopes
    only: frozenset[RowKey] | None = None

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        """The rows of these metrics, without values."""
        columns = read_columns(self.version, self.scopes, metrics)
        if self.only is None:
            return columns
        return Columns([row for row in columns.rows if row_key(row) in self.only])

    def read_absent(self, metrics: tuple[str, ...], others: tuple[str, ...] = ()) -> AbsentRows:
        """Withdrawn values of these metrics and those that could not be measured; `others` as in `reader.read_absent`."""
        absent = read_absent(self.version, self.scopes, metrics, others)
        if self.only is None:
            return absent
        return AbsentRows(
            [(row, reason) for row, reason in absent.withdrawn if row_key(row) in self.only],
            [row for row in absent.unmeasured if row_key(row) in self.only],
        )


def filter_rows(source: RowSource, selection: Selection) -> FilteredRows:
    """The rows of the selection's metrics through its filters; cached where all rows take part and none is overlaid."""

    def compute() -> FilteredRows:
        rows, row_filter = source.read_columns(selection.metrics), facets.RowFilter(selection)
        failing = row_filter.failing(rows)
        return FilteredRows(rows, rows.take(failing == 0), lambda: facets.make_facets(row_filter, rows, failing))

    if source.scopes.sources or source.only is not None:
        return compute()
    key = (source.version, source.scopes.base, selection.metrics, selection.filters, selection.q, selection.settings)
    return reader.cached_filtered_rows(key, compute)


def count_passing(source: RowSource, selection: Selection, available: Mapping[str, int]) -> dict[str, int] | None:
    """Values of each available metric that pass the filters. None without filters, and where counting would take too long."""
    if source.only is not None or not (selection.filters or selection.q):
        return None
    if count_rows(source.version, source.scopes) > MAX_COUNTED_ROWS:
        return None
    passing = facets.RowFilter(selection).passing(source.read_columns(tuple(sorted(available))))
    return dict.fromkeys(available, 0) | passing.total_by_metric()


def count_withdrawn(source: RowSource, selection: Selection) -> list[tuple[int, str]]:
    """(values, reason) of withdrawn values that pass the filters; 0 values for withdrawn archives of the selection."""
    withdrawn = source.read_absent(selection.metrics).withdrawn
    reasons = {id(row): reason for row, reason in withdrawn}
    counts: dict[str, int] = {}
    if withdrawn:
        for row in facets.RowFilter(selection).passing(Columns([row for row, _ in withdrawn])).rows:
            reason = reasons[id(row)]
            counts[reason] = counts.get(reason, 0) + row.n
    return [(n, reason) for reason, n in counts.items()] + [(0, reason) for reason in source.scopes.withdrawn.values()]


# Which metrics have what a search asks for, and what its words mean.


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
    asked, name = search.as_filter(selection, facets.RowFilter(selection.changed(q="")).passing(columns))
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
