"""The second stage: the rows that a question is about, read once. The only stage that asks the summary.

Overlaid archives, and studies beside each other, have rows of their own, which the dimension `source` distinguishes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison import facets, search
from webapp.comparison.dimensions import OTHERS, SOURCE
from webapp.comparison.model import Choice, Facet, FoundMetric, SearchResult, Word
from webapp.comparison.question import MAX_OFFERED_ARCHIVES, ComparisonScopes, Question, accepted_scopes, find_originals
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.sets.offered import MAX_OFFERED, Candidates
from webapp.comparison.summary import queries, reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import AbsentRows, RowKey, SummaryRow, UnmeasuredRow, UnmeasuredRun, set_aggregate, to_aggregate
from webapp.http import isolation
from webapp.http.process_cache import MB, ProcessCache
from webapp.models.summary import PUBLIC
from webapp.storage import summary_writer

USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
MAX_COUNTED_ROWS = 10_000
"""Rows of the summary up to which the filters are applied to all metrics, not only to the chosen ones."""
MAX_UNMEASURED = 2_000
"""Rows of runs without a number that are looked at for one figure."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The summary at a data version, as one reader sees it. `only`: the rows that take part, None for all."""

    version: int
    scopes: ComparisonScopes
    only: Collection[RowKey] | None = None

    def count_metrics(self) -> dict[str, int]:
        """The number of values of each metric."""
        base, *sources = reader.count_metrics(self.version, self.scopes.sets)
        counts = {name: n for name, (n, _) in base.items()}
        for archives, counted in zip(self.scopes.sources.values(), sources, strict=True):
            for name, (n, _) in counted.items():
                # Values of a public archive are in the base too, from which they are subtracted.
                counts[name] = counts.get(name, 0) + (0 if self.scopes.public_overlays.issuperset(archives) else n)
        return counts

    def most_measured(self) -> list[str]:
        """The metrics with most values, with at most `MAX_COUNTED_ROWS` rows together."""
        [base, *_] = reader.count_metrics(self.version, self.scopes.sets)
        ranked = sorted(((n, name, rows) for name, (n, rows) in base.items() if name in METRICS), reverse=True)[:MAX_OFFERED]
        return [name for at, (_, name, _) in enumerate(ranked) if sum(one[2] for one in ranked[: at + 1]) <= MAX_COUNTED_ROWS]

    def count_rows(self) -> int:
        """The number of rows of all metrics."""
        return sum(rows for counts in reader.count_metrics(self.version, self.scopes.sets) for _, rows in counts.values())

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        """The rows of these metrics, without values; no value counts in two of them."""
        columns = (
            self._read_sources(metrics) if self.scopes.sources else reader.read_columns(self.version, self.scopes.base, metrics)
        )
        return columns if self.only is None else Columns([row for row in columns.rows if row.key in self.only])

    def _read_sources(self, metrics: tuple[str, ...]) -> Columns:
        sources = self.scopes.sources
        base, *read = reader.read_rows(self.version, self.scopes.sets, metrics)
        rows_by_source = dict(zip(sources, read, strict=True))
        for source, rows in rows_by_source.items():
            if self.scopes.public_overlays.issuperset(sources[source]):
                base = _subtract_counts(base, rows)
        return Columns([*base, *(reader.with_source(row, source) for source, rows in rows_by_source.items() for row in rows)])

    def read_absent(self, metrics: tuple[str, ...], others: tuple[str, ...] = ()) -> AbsentRows:
        """Withdrawn values of these metrics and those that could not be measured, which are of the source of their archive;
        `others` as in `reader.read_absent`."""
        absent = reader.read_absent(self.version, self.scopes.sets, metrics, others)
        source_of = {archive: source for source, archives in self.scopes.sources.items() for archive in archives}
        if source_of:
            absent = AbsentRows(absent.withdrawn, [part for row in absent.unmeasured for part in _split_sources(row, source_of)])
        if self.only is None:
            return absent
        return AbsentRows(
            [(row, reason) for row, reason in absent.withdrawn if row.key in self.only],
            [row for row in absent.unmeasured if row.key in self.only],
        )

    def fill_values(self, rows: list[SummaryRow]) -> list[SummaryRow]:
        """The rows with their values; the same list where they had them already. Rows deleted meanwhile are omitted."""
        sources = self.scopes.sources
        if not sources:
            [filled] = reader.fill_values([(self.scopes.base, rows)])
            return filled
        base, *read = self._read_filled(rows)
        rows_by_source = dict(zip(sources, read, strict=True))
        for source, archives in sources.items():
            if self.scopes.public_overlays.issuperset(archives):
                base = _subtract_values(base, rows_by_source[source])
        result = []
        for row in rows:
            filled_row = rows_by_source.get(row.texts[SOURCE], base).get(row.key)
            if filled_row is not None:
                copy = filled_row.copy()
                copy.texts = row.texts
                result.append(copy)
        return result

    def _read_filled(self, rows: Sequence[SummaryRow]) -> list[dict[RowKey, SummaryRow]]:
        """The rows with these keys in each set of scopes, with their values, by key."""
        keys = {row.key for row in rows}
        cached = reader.read_rows(self.version, self.scopes.sets, sorted({row.metric for row in rows}))
        wanted = [
            (scope_set, [row for row in set_rows if row.key in keys])
            for scope_set, set_rows in zip(self.scopes.sets, cached, strict=True)
        ]
        return [{row.key: row for row in filled} for filled in reader.fill_values(wanted)]

    def with_every_value(self, rows: Sequence[SummaryRow]) -> list[SummaryRow]:
        """The rows with every value in the place of a histogram. One query for each source that has such rows."""
        filled, by_source = list(rows), dict[str, list[int]]()
        for at, row in enumerate(rows):
            if row.histogram:
                by_source.setdefault(source if (source := row.texts[SOURCE]) in self.scopes.sources else "", []).append(at)
        for source, places in by_source.items():
            included, excluded = (self.scopes.sources[source], []) if source else (self.scopes.base, list(self.scopes.overlays))
            read = queries.read_every_value([rows[at].key for at in places], included, excluded)
            for at, pairs in zip(places, read, strict=True):
                filled[at] = rows[at].with_values(pairs)
        return filled


@dataclass(frozen=True)
class FilteredRows:
    """The rows of some metrics, the filters that each fails, and those that pass all of them."""

    row_filter: facets.RowFilter
    all: Columns
    failing: np.ndarray
    passing: Columns

    @classmethod
    def of(cls, rows: Columns, selection: Selection) -> FilteredRows:
        row_filter = facets.RowFilter(selection)
        failing = row_filter.failing(rows)
        return cls(row_filter, rows, failing, rows.take(failing == 0))

    @cached_property
    def facets(self) -> list[Facet]:
        """The facets, made on first access: pages with the same filters share them."""
        return facets.make_facets(self.row_filter, self.all, self.failing)


_filtered_cache = ProcessCache(16 * MB, lambda filtered: filtered.failing.nbytes + filtered.passing.nbytes)


def filter_rows(source: RowSource, selection: Selection) -> FilteredRows:
    """The rows of the selection's metrics through its filters; cached where all rows take part and none is overlaid."""
    rows = source.read_columns(selection.metrics)
    if not rows.key:
        return FilteredRows.of(rows, selection)
    key = (rows.key, selection.filters, selection.q, selection.settings)
    filtered = _filtered_cache.get(key)
    if filtered is None:
        filtered = _filtered_cache.put(key, FilteredRows.of(rows, selection))
        filtered.passing.key = filtered.passing.key or key
    return filtered


@dataclass(frozen=True)
class Rows:
    """The rows that a question is about. What is not needed by everybody is computed on first access.

    `selection`: the address with its metric. `available`: values by metric. `others`: usual metrics for which it is asked too what
    can be compared. `is_drawn`: whether anything may be drawn. `absent`: withdrawn values, and runs without a number.
    """

    question: Question
    source: RowSource
    selection: Selection
    is_drawn: bool
    available: Mapping[str, int]
    search: SearchResult | None
    others: tuple[str, ...]
    absent: AbsentRows

    @cached_property
    def _filtered(self) -> FilteredRows:
        return filter_rows(self.source, self.selection)

    @property
    def all(self) -> Columns:
        """The rows of the metrics."""
        return self._filtered.all

    @property
    def passing(self) -> Columns:
        """Those that pass the filters."""
        return self._filtered.passing

    @property
    def row_filter(self) -> facets.RowFilter:
        """The filters and the search."""
        return self._filtered.row_filter

    @property
    def facets(self) -> list[Facet]:
        """The choices of every filter."""
        return self._filtered.facets

    @cached_property
    def candidates(self) -> Columns:
        """What the set is chosen from. Where no run gave a number, those with a bound are drawn at it."""
        return self.passing if len(self.passing) else bounded_rows(self.selection, self.absent.unmeasured)

    @property
    def offered(self) -> tuple[str, ...]:
        """The drawn metrics and those with most values, as many as are looked at."""
        return tuple(sorted({*self.selection.metrics, *self.source.most_measured()}))

    def unfiltered(self, metrics: tuple[str, ...]) -> Candidates:
        """The rows of these metrics that pass without filters, and which filters they fail."""
        rows = filter_rows(self.source, self.selection.changed(metrics=metrics, filters=(), q="", settings=())).passing
        return Candidates(rows, self.row_filter.failing(rows), self.row_filter.bits)

    def passing_of(self, metric: str) -> Columns:
        """The rows of another metric that pass the filters."""
        return filter_rows(self.source, self.selection.changed(metrics=(metric,))).passing

    def fill(self, columns: Columns) -> Columns:
        """These rows with their values, as the summary has them. At most one query, none where they were read before."""
        return columns.cached(RowSource.fill_values, lambda: columns.with_rows(self.source.fill_values(columns.rows)))

    def with_values(self, columns: Columns) -> Columns:
        """As `fill`, with every value instead of a histogram where the question is exact."""
        filled = self.fill(columns)
        return filled.with_rows(self.source.with_every_value(filled.rows)) if self.question.exact else filled

    def count_passing(self) -> dict[str, int] | None:
        """Values of each available metric that pass the filters. None without filters, and where counting would take too long."""
        if self.source.only is not None or not (self.selection.filters or self.selection.q):
            return None
        if self.source.count_rows() > MAX_COUNTED_ROWS:
            return None
        passing = facets.RowFilter(self.selection).passing(self.source.read_columns(tuple(sorted(self.available))))
        return dict.fromkeys(self.available, 0) | passing.total_by_metric()

    def count_withdrawn(self) -> list[tuple[int, str]]:
        """(values, reason) of withdrawn values that pass the filters; 0 values for withdrawn archives of the selection."""
        reasons = {id(row): reason for row, reason in self.absent.withdrawn}
        counts: dict[str, int] = {}
        if reasons:
            for row in facets.RowFilter(self.selection).passing(Columns([row for row, _ in self.absent.withdrawn])).rows:
                reason = reasons[id(row)]
                counts[reason] = counts.get(reason, 0) + row.n
        return [(n, reason) for reason, n in counts.items()] + [(0, reason) for reason in self.source.scopes.withdrawn.values()]

    @cached_property
    def originals(self) -> dict[int, str]:
        """The archives of which the chosen ones are copies, by id with their titles, where nothing else is in these."""
        if len(self.candidates) or not self.selection.archives:
            return {}
        return find_originals(self.selection.archives, self.question.viewer)


def read_rows(question: Question) -> Rows:
    """The rows of a question, with the metric that is drawn. In a process that has nothing of it cached at most four queries."""
    source, is_drawn = _find_source(question)
    available = source.count_metrics()
    found, result = search_metrics(source, question.selection, available)
    selection = choose_metric(found, available)
    others = [name for name in USUAL_METRICS if name in available and name not in selection.metrics]
    usual = tuple(others if question.presets and question.names_nothing else ())
    # Before the other rows, which it reads too, all of them in one query.
    absent = source.read_absent(selection.metrics, (*usual, *source.most_measured()) if question.presets else ())
    return Rows(question, source, selection, is_drawn, available, search=result, others=usual, absent=absent)


def _find_source(question: Question) -> tuple[RowSource, bool]:
    """The rows that an address is about, and whether any may be drawn.

    Where it names no runs these are those of accepted archives, as far as they have the metrics; a bare address draws no others.
    """
    scopes, metrics = question.scopes, question.selection.metrics
    if question.names_nothing:
        accepted, *_ = reader.count_metrics(question.version, [accepted_scopes().base, *scopes.sets])  # of both in one query
        if accepted and (not metrics or any(metric in accepted for metric in metrics)):
            return RowSource(question.version, replace(scopes, base=accepted_scopes().base), question.only), True
    return RowSource(question.version, scopes, question.only), not question.is_bare


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


def bounded_rows(selection: Selection, rows: Sequence[UnmeasuredRow]) -> Columns:
    """The rows with a bound that pass the filters, as rows of the summary without values."""
    bounded = [row.as_summary() for row in rows[:MAX_UNMEASURED] if row.bound is not None]
    return facets.RowFilter(selection).passing(Columns(bounded)) if bounded else Columns([])


def search_metrics(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult | None]:
    """The selection, with a metric that the search finds where it names none; what was found, None without a search.

    `available`: values by metric. Metrics other than the named ones are looked at only where those have nothing.
    """
    if not selection.q:
        return selection, None
    return isolation.run_isolated("search", selection.q, lambda: _search(source, selection, available), lambda: (selection, None))


def _search(source: RowSource, selection: Selection, available: Mapping[str, int]) -> tuple[Selection, SearchResult]:
    """What the words mean in the language of the field; else as values alone; else what there is without those that nothing has."""
    words = [text.lower() for text, _ in search.split_search(selection.q)]
    meaning = search.read_meaning(search.without_separators(words), available)
    found = _search_meaning(source, selection, meaning, available)
    if found[1].count or found[1].metrics:
        return found
    columns, _ = read_all(source, available)
    lacking = [f"{name}={value}" for name, value in meaning.settings if not _has(columns, Selection().having(name, [value]))]
    lacking += [word for word in meaning.rest if not _has(columns, Selection(q=search.join_words([word])))]
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
    return len(facets.RowFilter(selection).passing(columns)) > 0


def _search_meaning(
    source: RowSource, selection: Selection, meaning: search.Meaning, available: Mapping[str, int]
) -> tuple[Selection, SearchResult]:
    typed = selection.q
    if meaning.axis and not any(selection.named_axes):
        selection = selection.changed(x=meaning.axis)
    for name, value in meaning.settings:
        selection = selection.having(name, [*selection.values(name), value])
    meant = _search_meant(source, selection, meaning)
    if meant is not None or meaning.is_named:
        asked = selection.changed(metrics=(), q=search.join_words(meaning.rest))
        return meant or (selection, SearchResult(asked, typed, (), 0))
    words = [text.lower() for text, _ in search.split_search(typed)]
    asked, result = _search_values(
        source, selection if [*meaning.rest] == words else selection.changed(q=search.join_words(meaning.rest)), available
    )
    return asked, replace(result, typed=typed)


def _search_meant(source: RowSource, selection: Selection, meaning: search.Meaning) -> tuple[Selection, SearchResult] | None:
    """The metric that the words name (`4k random write`, `p99`); the other words are searched among its values. None where they
    name none, or none that has such values. A named metric yields to what is typed."""
    if not meaning.metrics:
        return None
    asked = selection.changed(metrics=(), q=search.join_words(meaning.rest))
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
        asked, _ = _read_alternatives(selection, columns)
        count = filter_rows(source, asked).passing.total
        if count or source.only is not None:
            return asked, SearchResult(asked, selection.q, _explain_words(asked, columns), count)
    columns, not_searched = read_all(source, available)
    asked, counts = _read_alternatives(selection, columns)
    found = {name: count for name, count in sorted(counts.items(), key=_rank) if count and name in METRICS}
    metrics = _list_found(asked, found)
    if selection.metrics or not found:
        return selection, SearchResult(selection, selection.q, _explain_words(selection, columns), 0, metrics, not_searched)
    chosen = choose_metric(asked, found)
    words, count = _explain_words(asked, source.read_columns(chosen.metrics)), sum(found[name] for name in chosen.metrics)
    return chosen, SearchResult(asked, selection.q, words, count, metrics, not_searched)


def _read_alternatives(selection: Selection, columns: Columns) -> tuple[Selection, dict[str, int]]:
    """The selection with words that are values of one dimension as a filter, where a metric has all of them; values by metric."""
    asked, alone = search.as_filter(selection, facets.RowFilter(selection.changed(q="")).passing(columns))
    if alone:
        totals = [facets.RowFilter(one).passing(columns).total_by_metric() for one in alone]
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
    words = search.read_words(selection.q, facets.RowFilter(selection.changed(q="")).passing(columns))
    if all(word.count for word in words):
        return tuple(words)
    counts = {word.text: word.count for word in search.read_words(selection.q, columns)}
    return tuple(word if word.count else replace(word, elsewhere=counts[word.text]) for word in words)


def read_all(source: RowSource, available: Mapping[str, int]) -> tuple[Columns, tuple[str, ...]]:
    """The rows of all metrics, and the labels of the metrics beyond `reader.MAX_ROWS` rows, which are left out."""
    if source.count_rows() <= MAX_COUNTED_ROWS:
        return source.read_columns(tuple(sorted(available))), ()
    scopes = tuple(sorted({*source.scopes.all} - source.scopes.public_overlays))
    [counts] = reader.count_metrics(source.version, [scopes])
    names, total = [], 0
    for name, _ in sorted(((name, n) for name, (n, _) in counts.items()), key=_rank):
        if total + counts[name][1] <= reader.MAX_ROWS:
            names.append(name)
            total += counts[name][1]
    omitted = tuple(METRICS[name].label for name in counts if name in METRICS and name not in names)
    return reader.read_columns(source.version, scopes, tuple(sorted(names))), omitted


def find_public_example(version: int) -> str:
    """A search that public archives answer: two words that stand for values of different dimensions. Empty where none are."""
    source = RowSource(version, ComparisonScopes((PUBLIC,), {}, frozenset()))
    selection = choose_metric(Selection(), source.count_metrics())
    if not selection.metrics:
        return ""
    return search.find_example(facets.RowFilter(selection).passing(source.read_columns(selection.metrics)))


def _split_sources(row: UnmeasuredRow, source_of: Mapping[int, str]) -> Iterable[UnmeasuredRow]:
    """The row as one for each source of its runs."""
    runs: dict[str, list[UnmeasuredRun]] = {}
    for run in row.runs:
        runs.setdefault(source_of.get(run.archive, OTHERS), []).append(run)
    for source, places in runs.items():
        yield replace(row, texts=reader.texts_of_source(row.texts, source), runs=tuple(places))


def _subtract_counts(rows: Iterable[SummaryRow], overlaid: Iterable[SummaryRow]) -> list[SummaryRow]:
    """The rows without the values of the overlaid ones; those without any other value are removed."""
    counts = {row.key: row.n for row in overlaid}
    result = []
    for row in rows:
        n = row.n - counts.get(row.key, 0)
        if n == row.n:
            result.append(row)
        elif n > 0:
            result.append(SummaryRow(*row.key, n, row.texts))
    return result


def _subtract_values(rows: Mapping[RowKey, SummaryRow], overlaid: Mapping[RowKey, SummaryRow]) -> dict[RowKey, SummaryRow]:
    """The rows without the values of the overlaid ones of the same key; without those of which no value is left."""
    left = dict(rows)
    for key, row in overlaid.items():
        difference = summary_writer.subtract(to_aggregate(rows[key]), to_aggregate(row)) if key in rows else None
        if difference is None:
            left.pop(key, None)
        else:
            left[key] = SummaryRow(*key, difference.n, row.texts)
            set_aggregate(left[key], difference)
    return left


def overlay_choices(selection: Selection, scopes: ComparisonScopes) -> list[Choice]:
    """Archives that can be overlaid by `overlay=`: those that are, and the newest of the reader's own."""
    titles = dict(list(scopes.own.items())[:MAX_OFFERED_ARCHIVES]) | dict(scopes.overlays)
    return [
        Choice(str(archive), title, 0, archive in scopes.overlays)
        for archive, title in titles.items()
        if archive not in selection.archives or archive in scopes.overlays
    ]
