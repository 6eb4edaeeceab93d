"""Overlaid archives: their rows are drawn beside the others, distinguished by the dimension `source`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webapp.comparison.dimensions import SOURCE
from webapp.comparison.model import Choice, SummaryRow
from webapp.comparison.scopes import MAX_OFFERED_ARCHIVES, ComparisonScopes
from webapp.comparison.selection import Selection
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row_aggregates import set_aggregate, to_aggregate
from webapp.storage import summary_writer

_PREFIX = "archive "
"""Values of `source` are `archive ID`."""


def count_metrics(version: int, scopes: ComparisonScopes) -> dict[str, int]:
    """The number of values of each metric."""
    base, *overlays = reader.count_metrics(version, scopes.sets)
    counts = {name: n for name, (n, _) in base.items()}
    for archive, overlay in zip(scopes.overlays, overlays, strict=True):
        for name, (n, _) in overlay.items():
            counts[name] = counts.get(name, 0) + (0 if archive in scopes.public_overlays else n)
    return counts


def count_rows(version: int, scopes: ComparisonScopes) -> int:
    """The number of rows of all metrics."""
    return sum(rows for counts in reader.count_metrics(version, scopes.sets) for _, rows in counts.values())


def read_columns(version: int, scopes: ComparisonScopes, names: tuple[str, ...]) -> Columns:
    """The rows of these metrics without values, as columns; no value counts in two of them."""
    if not scopes.overlays:
        return reader.read_columns(version, scopes.base, names)
    base, *overlays = reader.read_rows(version, scopes.sets, names)
    rows_by_archive = dict(zip(scopes.overlays, overlays, strict=True))
    for archive in rows_by_archive:
        if archive in scopes.public_overlays:
            base = _subtract_counts(base, rows_by_archive[archive])
    sourced = [reader.with_source(row, f"{_PREFIX}{archive}") for archive, rows in rows_by_archive.items() for row in rows]
    return Columns([*base, *sourced])


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


def overlaid_archive(row: SummaryRow) -> int:
    """The id of the overlaid archive that a row is of; 0 for a row of the base."""
    text = row.texts[SOURCE]
    return int(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else 0


def fill_values(version: int, scopes: ComparisonScopes, rows: list[SummaryRow]) -> list[SummaryRow]:
    """The rows with their values; the same list where they had them already. Rows deleted meanwhile are omitted."""
    if not scopes.overlays:
        [filled] = reader.fill_values(version, [(scopes.base, rows)])
        return filled
    base, *overlays = _read_filled_rows(version, scopes, rows)
    rows_by_archive = dict(zip(scopes.overlays, overlays, strict=True))
    for archive in scopes.public_overlays:
        _subtract_values(base, rows_by_archive[archive])
    result = []
    for row in rows:
        filled_row = rows_by_archive.get(overlaid_archive(row), base).get(row_key(row))
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
