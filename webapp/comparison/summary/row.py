"""Rows of the summary as plain data: those with values, and those of runs that gave no number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from webapp.storage.summary_writer import Aggregate


class Texts(Mapping[str, str]):
    """The value of every dimension as the query string has it, from the dimensions of a configuration and of a workload.

    All rows of a configuration or workload share its dictionary. `caveats` caches the caveats that follow from this pair,
    by kind of metric (webapp/comparison/caveats.py).
    """

    __slots__ = ("caveats", "configuration", "workload")

    def __init__(self, configuration: Mapping[str, str], workload: Mapping[str, str]) -> None:
        self.configuration, self.workload = configuration, workload
        self.caveats: dict[str, frozenset[str]] = {}

    def __getitem__(self, name: str) -> str:
        text = self.workload.get(name)
        return self.configuration[name] if text is None else text

    def __iter__(self) -> Iterator[str]:
        yield from self.configuration
        yield from self.workload

    def __len__(self) -> int:
        return len(self.configuration) + len(self.workload)


@dataclass(slots=True)
class SummaryRow:
    """One summary row: the values of one metric, configuration and workload.

    `n` is the number of values in the summary; `values` has at most 30 of them, in base units, and `ids` their
    measurements. `m2` is the sum of squared deviations. `texts` has the value of every dimension as the query string has
    it. `scale` is the factor by which the values have been normalised; the histogram stays as stored. `centers` caches
    centres by statistic, `caveats` the row's caveats. Rows are shared between pages: never change one, make a `copy`.
    """

    metric: str
    configuration: int
    workload: int
    n: int
    texts: Texts
    values: list[float] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mean: float = 0.0
    m2: float = 0.0
    low: float = 0.0
    high: float = 0.0
    histogram: Mapping[str, int] | None = None
    scale: float = 1.0
    centers: dict[str, float] = field(default_factory=dict)
    caveats: frozenset[str] | None = None

    @property
    def key(self) -> RowKey:
        """Metric, configuration and workload."""
        return self.metric, self.configuration, self.workload

    def keep_caveats(self, caveats: frozenset[str]) -> frozenset[str]:
        """The same, kept for all pages that share the row."""
        self.caveats = caveats
        return caveats

    def copy(self) -> SummaryRow:
        """The same row without its caches, to be changed."""
        return SummaryRow(
            self.metric,
            self.configuration,
            self.workload,
            self.n,
            self.texts,
            values=self.values,
            ids=self.ids,
            mean=self.mean,
            m2=self.m2,
            low=self.low,
            high=self.high,
            histogram=self.histogram,
            scale=self.scale,
        )

    def with_values(self, pairs: Sequence[tuple[float, int]]) -> SummaryRow:
        """The row with these (value, measurement id) alone, all of its values."""
        copy = self.copy()
        copy.values, copy.ids = [value for value, _ in pairs], [measurement for _, measurement in pairs]
        copy.n, copy.histogram = len(pairs), None
        copy.low, copy.high, copy.mean = min(copy.values), max(copy.values), fmean(copy.values)
        copy.m2 = fsum((value - copy.mean) ** 2 for value in copy.values)
        return copy


RowKey = tuple[str, int, int]
"""Metric, configuration and workload."""


class UnmeasuredRun(NamedTuple):
    """Where a value could not be measured: ids of archive, run, session, machine, and its own.

    Of archives that were read before machines and sessions were known these two are minus the id of the archive.
    """

    archive: int
    run: int
    session: int
    machine: int
    id: int = 0


@dataclass(frozen=True, slots=True)
class UnmeasuredRow:
    """The values of one metric, configuration and workload that could not be measured, for one reason and with one bound.

    `bound`, in the metric's base unit, and `side` (`above`, `below`), on which the true values lie, are None and empty where the
    outputs have none. `runs` has one entry for each value, in the order of their lines; `texts` as in `SummaryRow`.
    """

    metric: str
    configuration: int
    workload: int
    texts: Texts
    reason: str
    bound: float | None
    side: str
    runs: tuple[UnmeasuredRun, ...]
    error: str = ""
    """The error in which the runs ended, where their outputs tell one."""

    @property
    def key(self) -> RowKey:
        """Metric, configuration and workload."""
        return self.metric, self.configuration, self.workload

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.runs)

    def as_summary(self) -> SummaryRow:
        """A row of the summary without values."""
        return SummaryRow(self.metric, self.configuration, self.workload, self.n, self.texts)


@dataclass(frozen=True, slots=True)
class AbsentRows:
    """What some metrics have no usable value of: (row, reason) of withdrawn values, and values that could not be measured."""

    withdrawn: list[tuple[SummaryRow, str]]
    unmeasured: list[UnmeasuredRow]

    @property
    def weight(self) -> int:
        """The number of rows and of the values that could not be measured."""
        return len(self.withdrawn) + sum(row.n for row in self.unmeasured) + 1


def to_aggregate(row: SummaryRow) -> Aggregate:
    from webapp.storage.summary_writer import Aggregate  # here, as figures are drawn in a process without a database

    return Aggregate(row.n, row.mean, row.m2, row.low, row.high, values=row.values, ids=row.ids, histogram=row.histogram)


def set_aggregate(row: SummaryRow, aggregate: Aggregate) -> None:
    """Copy the statistics into the row. Ids last: other threads take a row with ids for complete."""
    row.n, row.mean, row.m2, row.low, row.high = aggregate.n, aggregate.mean, aggregate.m2, aggregate.low, aggregate.high
    row.values, row.histogram = aggregate.values, aggregate.histogram
    row.ids = aggregate.ids
