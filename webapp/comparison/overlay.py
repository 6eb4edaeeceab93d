"""Overlaid archives, and studies beside each other: their rows are distinguished by the dimension `source`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from webapp.comparison.dimensions import OTHERS, SOURCE
from webapp.comparison.model import Choice, SummaryRow
from webapp.comparison.scopes import MAX_OFFERED_ARCHIVES, ComparisonScopes
from webapp.comparison.selection import Selection
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.reader import AbsentRows, UnmeasuredRow, UnmeasuredRun
from webapp.comparison.summary.row_aggregates import set_aggregate, to_aggregate
from webapp.storage import summary_writer


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
