"""Rows of the summary by columns: what a page asks of tens of thousands of rows, as arrays. Pure.

A row is a configuration, a workload, a metric and a count. There are few configurations and fewer workloads beside the
rows, so a dimension is one code for each of them, and a row finds its code by an index. Codes are ranks: the values of a
dimension stand in the order in which people read them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, UNKNOWN, value_sort_key
from webapp.comparison.model import SummaryRow

T = TypeVar("T")
CONFIGURATION_INDEX, WORKLOADS, METRICS = 0, 1, 2
"""Lines of `Columns.columns`; the first two are the sides on which dimensions stand."""
MOST_KEPT = 12
"""Things that are kept of one set of rows."""
MAX_DENSE_CODES = 4_000_000
"""Cells up to which a table over all combinations of codes is made; of more only those that occur."""


@dataclass(frozen=True)
class EncodedColumn:
    """`values[of[i]]` is the value that configuration (or workload) i has; `texts` has the values as an array."""

    values: tuple[str, ...]
    of: np.ndarray
    texts: np.ndarray

    @property
    def unknown(self) -> int:
        """The code of what is not known; -1 where all is known."""
        return len(self.values) - 1 if self.values and self.values[-1] == UNKNOWN else -1

    @cached_property
    def ordered(self) -> tuple[np.ndarray, np.ndarray]:
        """Places in `of` by their value, and where those of each value begin. Every value has some."""
        order = np.argsort(self.of, kind="stable")
        return order, np.searchsorted(self.of[order], np.arange(len(self.values)))


class RowDimensions:
    """The configurations and workloads that some rows have, each once, and their dimensions as codes."""

    def __init__(
        self, metrics: Iterable[str], configurations: Iterable[Mapping[str, str]], workloads: Iterable[Mapping[str, str]]
    ) -> None:
        self.metrics = list(dict.fromkeys(metrics))
        self.configurations, self.workloads = (
            list({id(texts): texts for texts in told}.values()) for told in (configurations, workloads)
        )
        self._places = tuple({id(texts): at for at, texts in enumerate(side)} for side in (self.configurations, self.workloads))
        self._codes: dict[str, EncodedColumn] = {}
        self.kept: dict = {}
        """What somebody worked out of these configurations and workloads, by a key of their own."""

    @classmethod
    def of(cls, rows: Sequence[SummaryRow]) -> RowDimensions:
        """The sides that these rows have."""
        return cls((row.metric for row in rows), (row.texts.configuration for row in rows), (row.texts.workload for row in rows))

    def places(self, side: int, told: Iterable[Mapping[str, str]]) -> np.ndarray:
        """Where each of these configurations (or workloads) stands."""
        return np.array([self._places[side][id(texts)] for texts in told], np.intp)

    def indices(self, rows: Sequence[SummaryRow]) -> np.ndarray:
        """Configuration, workload and metric of each row: an array of three lines."""
        metric = {name: at for at, name in enumerate(self.metrics)}
        return np.array(
            [
                self.places(CONFIGURATION_INDEX, (row.texts.configuration for row in rows)),
                self.places(WORKLOADS, (row.texts.workload for row in rows)),
                [metric[row.metric] for row in rows],
            ],
            np.intp,
        )

    def codes(self, name: str) -> EncodedColumn:
        """The codes of a dimension, for each configuration or each workload."""
        found = self._codes.get(name)
        if found is None:
            told = [texts[name] for texts in (self.workloads if dimension_side(name) else self.configurations)]
            values = tuple(sorted(set(told), key=lambda text: value_sort_key(DIMENSIONS[name], text)))
            rank = {value: at for at, value in enumerate(values)}
            of = np.fromiter((rank[text] for text in told), np.intp, len(told))
            found = self._codes[name] = EncodedColumn(values, of, np.array(values, object))
        return found


def dimension_side(name: str) -> int:
    """Where a dimension stands: CONFIGURATIONS or WORKLOADS."""
    return CONFIGURATION_INDEX if DIMENSIONS[name].source == CONFIGURATION else WORKLOADS


class Columns:
    """Rows with their columns. `take` and `of` give parts, which share the codes."""

    def __init__(self, rows: Sequence[SummaryRow], sides: RowDimensions | None = None) -> None:
        rows = rows if isinstance(rows, list) else list(rows)
        sides = RowDimensions.of(rows) if sides is None else sides
        counts = np.fromiter((row.n for row in rows), np.int64, len(rows))
        self._set(rows.__getitem__, sides, sides.indices(rows), counts, rows=rows)

    @classmethod
    def made_when_asked(cls, row: Callable[[int], SummaryRow], sides: RowDimensions, columns: np.ndarray, n: np.ndarray) -> Columns:
        """Rows of which only those are made that somebody looks at: `row` gives one by its place, the same each time."""
        made = cls.__new__(cls)
        made._set(row, sides, columns, n)
        return made

    def _set(
        self,
        row: Callable[[int], SummaryRow],
        sides: RowDimensions,
        columns: np.ndarray,
        n: np.ndarray,
        taken: tuple[Columns, np.ndarray] | None = None,
        rows: list[SummaryRow] | None = None,
    ) -> None:
        self.sides, self.columns, self.n = sides, columns, n
        self._row, self._rows, self._taken = row, rows, taken
        self._present: dict[int, np.ndarray] = {}
        self._kept: dict[Hashable, Any] = {}
        self.filled = False
        """Whether every row is known to have its values."""

    def __len__(self) -> int:
        return len(self.n)

    @property
    def rows(self) -> list[SummaryRow]:
        """Every row."""
        if self._rows is None:
            row, taken = self._row, self._taken
            self._rows = [row(at) for at in (range(len(self)) if taken is None else taken[1].tolist())]
        return self._rows

    @property
    def total(self) -> int:
        """Values of all rows."""
        return int(self.n.sum())

    def by_metric(self) -> dict[str, int]:
        """Values of each metric."""
        counts = np.bincount(self.columns[METRICS], self.n, len(self.sides.metrics))
        return {name: int(count) for name, count in zip(self.sides.metrics, counts.tolist(), strict=True)}

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` works out of these rows alone and of what the key names; once, while the rows are kept."""
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = make()
        return found

    def take(self, wanted: np.ndarray) -> Columns:
        """The rows for which a mask is set; the same object where it is set for all."""
        at = np.flatnonzero(wanted)
        if len(at) == len(self):
            return self
        made = Columns.__new__(Columns)
        made._set(self._at, self.sides, self.columns[:, at], self.n[at], (self, at))
        return made

    def _at(self, place: int) -> SummaryRow:
        """One row by its place."""
        if self._rows is not None:
            return self._rows[place]
        return self._row(place if self._taken is None else int(self._taken[1][place]))

    def without(self, part: Columns) -> Columns:
        """The rows that are not in a part, which `take` gave."""
        left = np.full(len(self), part is not self)
        if part._taken is not None and part._taken[0] is self:
            left[part._taken[1]] = False
        return self.take(left)

    def of(self, rows: Sequence[SummaryRow]) -> Columns:
        """Other rows of the same configurations and workloads, such as these with their values."""
        if rows is self.rows or (len(rows) == len(self.rows) and all(map(operator.is_, rows, self.rows))):
            return self
        return Columns(rows, self.sides)

    def code(self, name: str) -> np.ndarray:
        """The code of a dimension, row by row."""
        return self.sides.codes(name).of[self.columns[dimension_side(name)]]

    def texts(self, name: str) -> list[str]:
        """The value of a dimension, row by row."""
        return self.sides.codes(name).texts[self.code(name)].tolist()

    def present(self, side: int) -> np.ndarray:
        """Which configurations (or workloads) these rows have."""
        found = self._present.get(side)
        if found is None:
            size = len(self.sides.workloads if side else self.sides.configurations)
            found = self._present[side] = np.bincount(self.columns[side], minlength=size) > 0
        return found

    def values(self, name: str) -> list[str]:
        """The values of a dimension that these rows have, in order."""
        codes = self.sides.codes(name)
        if len(codes.values) < 2:
            return list(codes.values) if len(self) else []
        met = np.bincount(codes.of[self.present(dimension_side(name))], minlength=len(codes.values))
        return codes.texts[met > 0].tolist()

    def per(self, side: int, weights: np.ndarray) -> np.ndarray:
        """The sum of weights, one for each row, for each configuration or workload."""
        size = len(self.sides.workloads if side else self.sides.configurations)
        return np.bincount(self.columns[side], weights, size)

    def counts(self) -> dict[str, int]:
        """How many values of each dimension these rows have."""
        return self.keep(Columns.counts, lambda: {name: self._count(name) for name in DIMENSIONS})

    def _count(self, name: str) -> int:
        codes = self.sides.codes(name)
        if len(codes.values) < 2 or not len(self):
            return min(len(codes.values), len(self))
        return int(np.count_nonzero(np.bincount(codes.of[self.present(dimension_side(name))])))

    def varying(self) -> frozenset[str]:
        """The dimensions in which any two of the rows differ."""
        return frozenset([name for name, count in self.counts().items() if count > 1])

    def cells(self, names: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """(cell of each row, metric of each cell): rows of one metric that agree in the dimensions are of one cell."""
        cell, size = self.columns[METRICS].copy(), max(1, len(self.sides.metrics))
        for name in names:
            if name in DIMENSIONS:
                values = len(self.sides.codes(name).values)
                cell, size = cell * values + self.code(name), size * values
                if size > MAX_DENSE_CODES:
                    cell, size = compact(cell)
        cell, size = compact(cell) if size > len(cell) else (cell, size)
        metric = np.zeros(max(1, size), np.intp)
        metric[cell] = self.columns[METRICS]
        return cell, metric


def compact(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """The same partition by the smallest codes, and how many there are."""
    met, found = np.unique(codes, return_inverse=True)
    return found.reshape(-1), len(met)


def occurring_codes(codes: np.ndarray) -> np.ndarray:
    """Every code that occurs, once, rising. Counting them costs less than sorting, where there could not be too many."""
    return np.unique(codes) if len(codes) and codes.max() > MAX_DENSE_CODES else np.flatnonzero(np.bincount(codes))


def sum_by_code(codes: np.ndarray, n: np.ndarray) -> Iterator[tuple[int, int]]:
    """(code, sum of its n) of every code that occurs, rising."""
    met = occurring_codes(codes)
    sums = np.bincount(np.searchsorted(met, codes), n).astype(np.int64)
    yield from zip(met.tolist(), sums.tolist(), strict=True)


def mask_codes(codes: np.ndarray, wanted: Collection[int]) -> np.ndarray:
    """A mask of the codes that are wanted."""
    if len(codes) and codes.max() > MAX_DENSE_CODES:
        return np.isin(codes, list(wanted))
    table = np.zeros(int(codes.max(initial=0)) + 1, bool)
    table[list(wanted)] = True
    return table[codes]


def varying_dimensions(rows: Sequence[SummaryRow]) -> frozenset[str]:
    """The dimensions in which any two of the rows differ."""
    return Columns(rows).varying()
