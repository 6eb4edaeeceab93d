"""The summary as one reader sees it.

Overlaid archives, and studies beside each other, have rows of their own, which the dimension `source` distinguishes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import OTHERS, SOURCE
from webapp.comparison.summary import queries, reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import AbsentRows, RowKey, SummaryRow, UnmeasuredRow, UnmeasuredRun, set_aggregate, to_aggregate
from webapp.storage import summary_writer

MAX_OFFERED = 24
"""Entries of a menu."""
USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
MAX_COUNTED_ROWS = 10_000
"""Rows of the summary up to which the filters are applied to all metrics, not only to the chosen ones."""


@dataclass(frozen=True, slots=True)
class ComparisonScopes:
    """`base`: scopes that are compared; `overlays`: archives drawn beside them, with their titles.

    `public_overlays`: those whose values are in the public scope too, and have to be subtracted from it. `missing`:
    archives of the selection that do not exist or that this reader cannot see; `withdrawn`: withdrawn ones, with the
    reason. `own`: the reader's own archives with their titles, newest first. `studies`: the archives of each study, where
    studies stand beside each other; `base` has none of them. `missing_studies`: those without an archive that this reader sees.
    """

    base: tuple[int, ...]
    overlays: Mapping[int, str]
    public_overlays: frozenset[int]
    missing: tuple[int, ...] = ()
    own: Mapping[int, str] = field(default_factory=dict)
    withdrawn: Mapping[int, str] = field(default_factory=dict)
    studies: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    missing_studies: tuple[str, ...] = ()

    @property
    def sources(self) -> dict[str, tuple[int, ...]]:
        """The scopes of each value of the dimension `source` but `others`: overlaid archives, and studies beside each other."""
        archives = {f"archive {archive}": (archive,) for archive in self.overlays}
        return archives | {f"study {name}": scopes for name, scopes in self.studies.items()}

    @property
    def sets(self) -> list[tuple[int, ...]]:
        """The base, then each source, as sets of scopes."""
        return [self.base, *self.sources.values()]

    @property
    def all(self) -> tuple[int, ...]:
        """Base and sources as one set of scopes."""
        return tuple(sorted({scope for scopes in self.sets for scope in scopes}))


def metric_rank(item: tuple[str, int]) -> tuple:
    """Sort key of (metric, count): usual metrics in their order, then those with most values."""
    name, count = item
    return USUAL_METRICS.index(name) if name in USUAL_METRICS else len(USUAL_METRICS), -count, name


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

    @property
    def has_few_rows(self) -> bool:
        """Whether all metrics together have at most `MAX_COUNTED_ROWS` rows."""
        counted = reader.count_metrics(self.version, self.scopes.sets)
        return sum(rows for counts in counted for _, rows in counts.values()) <= MAX_COUNTED_ROWS

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        """The rows of these metrics, without values; no value counts in two of them."""
        columns = (
            self._read_sources(metrics) if self.scopes.sources else reader.read_columns(self.version, self.scopes.base, metrics)
        )
        return columns if self.only is None else Columns([row for row in columns.rows if row.key in self.only])

    def read_all(self, available: Collection[str]) -> tuple[Columns, tuple[str, ...]]:
        """The rows of all metrics, and the labels of the metrics beyond `reader.MAX_ROWS` rows, which are left out."""
        if self.has_few_rows:
            return self.read_columns(tuple(sorted(available))), ()
        scopes = tuple(sorted({*self.scopes.all} - self.scopes.public_overlays))
        [counts] = reader.count_metrics(self.version, [scopes])
        names, total = [], 0
        for name, _ in sorted(((name, n) for name, (n, _) in counts.items()), key=metric_rank):
            if total + counts[name][1] <= reader.MAX_ROWS:
                names.append(name)
                total += counts[name][1]
        omitted = tuple(METRICS[name].label for name in counts if name in METRICS and name not in names)
        return reader.read_columns(self.version, scopes, tuple(sorted(names))), omitted

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
