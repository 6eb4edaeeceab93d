"""Mine against theirs: the rows of archives laid over the rest, each told from it by the dimension `source`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from webapp.comparison.dimensions import SOURCE
from webapp.comparison.model import Choice, SummaryRow
from webapp.comparison.selection import Selection
from webapp.comparison.summary import reader
from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate

_PREFIX = "archive "
MAX_OFFERED_ARCHIVES = 20


@dataclass(frozen=True, slots=True)
class ComparisonScopes:
    """`base`: scopes of what is compared; `over`: archives laid over it, with their titles.

    `within`: those of them whose values are in the public scope too, and are taken out of it. `missing`: archives that
    were asked for and that this reader cannot see, or that do not exist; `gone`: those that were withdrawn, with the
    reason. `mine`: the reader's own, newest first.
    """

    base: tuple[int, ...]
    over: Mapping[int, str]
    within: frozenset[int]
    missing: tuple[int, ...] = ()
    mine: Mapping[int, str] = field(default_factory=dict)
    gone: Mapping[int, str] = field(default_factory=dict)


def _sets(scopes: ComparisonScopes) -> list[tuple[int, ...]]:
    """The scopes of what is compared, then those of each archive."""
    return [scopes.base, *((archive,) for archive in scopes.over)]


def count_metrics(version: int, scopes: ComparisonScopes) -> dict[str, int]:
    """How many values each metric has."""
    base, *over = reader.count_metrics(version, _sets(scopes))
    found = {name: n for name, (n, _) in base.items()}
    for archive, told in zip(scopes.over, over, strict=True):
        for name, (n, _) in told.items():
            found[name] = found.get(name, 0) + (0 if archive in scopes.within else n)
    return found


def count_rows(version: int, scopes: ComparisonScopes) -> int:
    """How many rows there are of all metrics."""
    return sum(rows for told in reader.count_metrics(version, _sets(scopes)) for _, rows in told.values())


def read_rows(version: int, scopes: ComparisonScopes, names: Sequence[str]) -> list[SummaryRow]:
    """The rows of all of it, without values; none twice."""
    base, *over = reader.read_rows(version, _sets(scopes), names)
    for archive, some in zip(scopes.over, over, strict=True):
        base = _without(base, some) if archive in scopes.within else base
    return [
        *base,
        *(reader.with_source(row, f"{_PREFIX}{archive}") for archive, some in zip(scopes.over, over, strict=True) for row in some),
    ]


def _key(row: SummaryRow) -> reader.RowKey:
    return row.metric, row.configuration, row.workload


def _without(rows: Iterable[SummaryRow], part: Iterable[SummaryRow]) -> list[SummaryRow]:
    counts = {_key(row): row.n for row in part}
    found = []
    for row in rows:
        left = row.n - counts.get(_key(row), 0)
        if left == row.n:
            found.append(row)
        elif left > 0:
            found.append(SummaryRow(row.metric, row.configuration, row.workload, left, row.texts))
    return found


def overlaid_archive(row: SummaryRow) -> int:
    """The archive that a row is laid over the rest from; 0 for the rest."""
    text = row.texts[SOURCE]
    return int(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else 0


def fill_values(version: int, scopes: ComparisonScopes, rows: list[SummaryRow]) -> list[SummaryRow]:
    """The rows with their values. What has gone meanwhile is left out."""
    if not scopes.over:
        [found] = reader.fill_values(version, [(scopes.base, rows)])
        return found
    base, *over = _whole(version, scopes, rows)
    of = dict(zip(scopes.over, over, strict=True))
    for archive in scopes.within:
        _take_out(base, of[archive])
    found = []
    for row in rows:
        whole = of.get(overlaid_archive(row), base).get(_key(row))
        if whole is not None:
            made = whole.copy()
            made.texts = row.texts
            found.append(made)
    return found


def _whole(version: int, scopes: ComparisonScopes, rows: Sequence[SummaryRow]) -> list[dict[reader.RowKey, SummaryRow]]:
    """Of each set of scopes the kept rows, with values, that have the keys of these rows."""
    keys, sets = {_key(row) for row in rows}, _sets(scopes)
    kept = reader.read_rows(version, sets, sorted({row.metric for row in rows}))
    asked = [(one, [row for row in some if _key(row) in keys]) for one, some in zip(sets, kept, strict=True)]
    return [{_key(row): row for row in some} for some in reader.fill_values(version, asked)]


def _take_out(rows: dict[reader.RowKey, SummaryRow], part: Mapping[reader.RowKey, SummaryRow]) -> None:
    for key, row in part.items():
        left = summary_writer.subtract(_fold(rows[key]), _fold(row)) if key in rows else None
        if left is None:
            rows.pop(key, None)
        else:
            rows[key] = SummaryRow(
                *key, left.n, row.texts, left.values, left.ids, left.mean, left.m2, left.low, left.high, left.histogram
            )


def _fold(row: SummaryRow) -> Aggregate:
    return Aggregate(row.n, row.mean, row.m2, row.low, row.high, row.values, row.ids, row.histogram)


def overlay_choices(selection: Selection, scopes: ComparisonScopes) -> list[Choice]:
    """What can be laid over the rest by `overlay=`: what is, and the newest of the reader's own archives."""
    named = dict(list(scopes.mine.items())[:MAX_OFFERED_ARCHIVES]) | dict(scopes.over)
    return [
        Choice(str(archive), title, 0, archive in scopes.over)
        for archive, title in named.items()
        if archive not in selection.archives or archive in scopes.over
    ]
