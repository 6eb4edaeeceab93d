"""Rows of the summary by columns: arrays for questions about tens of thousands of rows. Pure.

A row has a configuration, a workload, a metric and a count. There are far fewer configurations and workloads than rows,
so each dimension is encoded once for each of them, and a row finds its code by an index. Codes are ranks: the values of
a dimension are in the order in which people read them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from ingest.options import is_option
from ingest.records import NO_KEYS, NO_PARAMS
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, UNKNOWN, WORKLOAD_SIZE, is_open, tool_of, value_sort_key
from webapp.comparison.summary.row import SummaryRow
from webapp.http.process_cache import MB, ProcessCache

A = TypeVar("A")
T = TypeVar("T")
P = ParamSpec("P")
WorkloadOptions = tuple[tuple[str, str], ...]
CONFIGURATION_INDEX, WORKLOAD_INDEX, METRIC_INDEX = 0, 1, 2
"""Lines of `Columns.indices`. A dimension is one of configurations (line 0) or one of workloads (line 1)."""
DIMENSION_BYTES = 200
"""Bytes that the encoded dimensions of a configuration or a workload take."""
MAX_DENSE_CODES = 4_000_000
"""Codes up to which a table over all of them is made; with more only those that occur are counted."""
MAX_SPARSENESS = 8
"""Codes for each row up to which those that occur are found by counting instead of sorting."""
MAX_CODE = 2**62
"""Codes that are made of several columns stay below."""


class IdTexts(Sequence[str]):
    """Ids as texts, made when they are asked for."""

    def __init__(self, ids: np.ndarray) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def other_than(self, texts: Iterable[str]) -> list[bool]:
        """Whether each is none of these, which are numbers."""
        others: list[bool] = np.isin(self._ids, [int(text) for text in texts], invert=True).tolist()
        return others

    def __getitem__(self, at: Any) -> Any:
        return list(map(str, self._ids[at].tolist())) if isinstance(at, slice) else str(self._ids[at])


class EncodedColumn:
    """A dimension: `values[codes[i]]` is its value for configuration (or workload) i. Every value occurs; they are in the order in
    which people read them. `is_known`: every value is known; that of an option that was not given is."""

    def __init__(self, values: Sequence[str], codes: np.ndarray, is_known: bool = False) -> None:
        self.values, self.is_known = values, is_known
        self._codes = codes.astype(np.min_scalar_type(max(1, len(values))))

    @property
    def codes(self) -> np.ndarray:
        return self._codes.astype(np.intp)

    def codes_of(self, positions: np.ndarray) -> np.ndarray:
        """The codes at these positions."""
        return self._codes[positions].astype(np.intp)

    @cached_property
    def texts(self) -> np.ndarray:
        """The values as an array."""
        return np.array(list(self.values), object)

    @property
    def unknown_code(self) -> int:
        """The code of the unknown value; -1 where every value is known."""
        return len(self.values) - 1 if self.values and self.values[-1] == UNKNOWN and not self.is_known else -1


def encode(name: str, codes: np.ndarray, values: Sequence[str], is_known: bool = False) -> EncodedColumn:
    """The column of a dimension from the codes of values in any order, not all of which need occur."""
    occurring = np.flatnonzero(np.bincount(codes, minlength=1)).tolist() if len(codes) else []
    if len(occurring) > 1:
        known = [code for code in occurring if values[code] != UNKNOWN]
        if all(values[code].isascii() and values[code].isdigit() and len(values[code]) < 16 for code in known):
            known.sort(key=lambda code: (int(values[code]), values[code]))
        else:
            known.sort(key=lambda code: value_sort_key(DIMENSIONS[name], values[code]))
        occurring = known + [code for code in occurring if values[code] == UNKNOWN]
    ranks = np.zeros(max(occurring, default=0) + 1, np.intp)
    ranks[occurring] = np.arange(len(occurring))
    return EncodedColumn(tuple(values[code] for code in occurring), ranks[codes], is_known)


class TextRows:
    """The configurations, or the workloads, of some rows as dictionaries of their dimensions, each once."""

    def __init__(self, line: int, rows: Sequence[SummaryRow]) -> None:
        self.line = line
        ids = {id(self._texts(row)): (row.workload if line else row.configuration) for row in rows}
        self._entries = list({id(texts): texts for texts in map(self._texts, rows)}.values())
        self._positions = {id(texts): position for position, texts in enumerate(self._entries)}
        self.ids = np.array([ids[id(texts)] for texts in self._entries], np.int64)

    def _texts(self, row: SummaryRow) -> Mapping[str, str]:
        return row.texts.workload if self.line else row.texts.configuration

    def __len__(self) -> int:
        return len(self._entries)

    def positions(self, rows: Iterable[SummaryRow]) -> np.ndarray:
        """The position of the configuration, or workload, of each row among these."""
        return np.array([self._positions[id(self._texts(row))] for row in rows], np.intp)

    def column(self, name: str) -> EncodedColumn:
        """A dimension of each of these."""
        if is_open(name):
            texts = [_open_of(entry).get(name, UNKNOWN) for entry in self._entries]
        else:
            texts = [entry.get(name, UNKNOWN) if is_option(name) else entry[name] for entry in self._entries]
        codes: dict[str, int] = {}
        numbers = np.array([codes.setdefault(text, len(codes)) for text in texts], np.intp)
        return encode(name, numbers, tuple(codes), is_option(name))

    @cached_property
    def open_names(self) -> tuple[str, ...]:
        """The open keys that any of the configurations has, by name."""
        return tuple(sorted({name for entry in self._entries for name in _open_of(entry)}))

    @cached_property
    def chosen_names(self) -> frozenset[str]:
        """The open keys that a person set in any of the configurations."""
        return frozenset().union(*{getattr(texts, "chosen", NO_KEYS) for texts in self._entries})

    @cached_property
    def options(self) -> list[WorkloadOptions]:
        """The options that each workload was run with, by name."""
        return [
            () if len(entry) == WORKLOAD_SIZE else tuple(sorted((name, text) for name, text in entry.items() if is_option(name)))
            for entry in self._entries
        ]

    @cached_property
    def option_names(self) -> tuple[str, ...]:
        """The options of tools that any of the workloads was run with, by name."""
        return tuple(sorted({name for options in self.options for name, _ in options}))


def _open_of(texts: Mapping[str, str]) -> Mapping[str, str]:
    return getattr(texts, "open", NO_PARAMS)


class RowDimensions:
    """The distinct configurations, workloads and metrics of some rows, with their dimensions encoded. `parts`: the configurations
    and the workloads, as `TextRows` has them."""

    def __init__(self, metrics: Iterable[str], parts: Sequence[Any]) -> None:
        self.metrics = list(dict.fromkeys(metrics))
        self.parts = parts
        self._columns: dict[str, EncodedColumn] = {}
        self.cache: dict = {}
        """Results that depend on these configurations and workloads alone, by keys of the callers' own."""

    @classmethod
    def of(cls, rows: Sequence[SummaryRow]) -> RowDimensions:
        """The distinct metrics, configurations and workloads that occur in these rows, ready to be encoded by dimension."""
        return cls((row.metric for row in rows), (TextRows(0, rows), TextRows(1, rows)))

    @property
    def nbytes(self) -> int:
        """The bytes that the columns take, about."""
        return DIMENSION_BYTES * (self.size(0) + self.size(1))

    def size(self, line: int) -> int:
        """The number of configurations, or of workloads."""
        return len(self.parts[line])

    def indices(self, rows: Sequence[SummaryRow]) -> np.ndarray:
        """Configuration, workload and metric of each row: an array of three lines."""
        position = {name: position for position, name in enumerate(self.metrics)}
        of_metrics = np.array([position[row.metric] for row in rows], np.int32)
        return np.array([*(part.positions(rows) for part in self.parts), of_metrics], np.int32).reshape(3, -1)

    def column(self, name: str) -> EncodedColumn:
        """A dimension encoded for each configuration or each workload."""
        column = self._columns.get(name)
        return self._columns.setdefault(name, self.parts[dimension_index(name)].column(name)) if column is None else column

    @property
    def open_names(self) -> tuple[str, ...]:
        """The open keys that any of the configurations has, by name."""
        names: tuple[str, ...] = self.parts[CONFIGURATION_INDEX].open_names
        return names

    @property
    def chosen_names(self) -> frozenset[str]:
        """The open keys that a person set in any of the configurations."""
        names: frozenset[str] = self.parts[CONFIGURATION_INDEX].chosen_names
        return names

    @property
    def options(self) -> list[WorkloadOptions]:
        """The options that each workload was run with, by name."""
        options: list[WorkloadOptions] = self.parts[WORKLOAD_INDEX].options
        return options

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options of tools that any of the workloads was run with, by name."""
        names: tuple[str, ...] = self.parts[WORKLOAD_INDEX].option_names
        return names

    def is_of_tool(self, tool: str) -> np.ndarray:
        """A mask of the workloads of a tool."""
        key = (RowDimensions.is_of_tool, tool)
        if key not in self.cache:
            column = self.column("tool")
            self.cache[key] = column.codes == (column.values.index(tool) if tool in column.values else -1)
        return self.cache[key]

    @property
    def names(self) -> tuple[str, ...]:
        """Every dimension: the registered ones, and the open keys and options that occur."""
        return (*DIMENSIONS, *self.open_names, *self.option_names)


def dimension_index(name: str) -> int:
    """The line of `Columns.indices` that leads to a dimension: CONFIGURATION_INDEX or WORKLOAD_INDEX."""
    return CONFIGURATION_INDEX if DIMENSIONS[name].source == CONFIGURATION else WORKLOAD_INDEX


class Columns:
    """Rows with their columns; `n` is the number of values of each. Subsets share the encoded dimensions."""

    def __init__(self, rows: Sequence[SummaryRow], dimensions: RowDimensions | None = None) -> None:
        rows = rows if isinstance(rows, list) else list(rows)
        dimensions = RowDimensions.of(rows) if dimensions is None else dimensions
        n = np.fromiter((row.n for row in rows), np.int64, len(rows))
        self._set(rows.__getitem__, dimensions, dimensions.indices(rows), n, rows=rows)

    @classmethod
    def lazy(cls, make_row: Callable[[int], SummaryRow], dimensions: RowDimensions, indices: np.ndarray, n: np.ndarray) -> Columns:
        """Rows that are made on first access. `make_row` returns the row of a position, the same object each time."""
        columns = cls.__new__(cls)
        columns._set(make_row, dimensions, indices, n)
        return columns

    def _set(
        self,
        make_row: Callable[[int], SummaryRow],
        dimensions: RowDimensions,
        indices: np.ndarray,
        n: np.ndarray,
        *,
        subset: tuple[Columns, np.ndarray] | None = None,
        rows: list[SummaryRow] | None = None,
    ) -> None:
        self.dimensions, self.indices, self.n = dimensions, indices, n
        self._make_row, self._rows, self._subset = make_row, rows, subset
        self._occurring: dict[int, np.ndarray] = {}
        self._number = next(_numbers)
        self.key: Hashable = None
        """What names these rows among those that are cached."""

    def __len__(self) -> int:
        return len(self.n)

    @property
    def rows(self) -> list[SummaryRow]:
        if self._rows is None:
            positions = range(len(self)) if self._subset is None else self._subset[1].tolist()
            self._rows = [self._make_row(position) for position in positions]
        return self._rows

    @property
    def total(self) -> int:
        """The number of values of all rows."""
        return int(self.n.sum())

    def total_by_metric(self) -> dict[str, int]:
        """The number of values of each metric."""
        counts = np.bincount(self.indices[METRIC_INDEX], self.n, len(self.dimensions.metrics))
        return {name: int(count) for name, count in zip(self.dimensions.metrics, counts.tolist(), strict=True)}

    def cached(self, key: Hashable, compute: Callable[[], T]) -> T:
        """`compute()`, cached for these rows. Its result may depend on the rows and on what the key contains alone."""
        whole = (self.key or self._number, key)
        found = _small_results.get(whole) or _results.get(whole)
        if found is None:
            found = (compute(),)
            (_small_results if _count_bytes(found) < SMALL else _results).put(whole, found)
        result: T = found[0]
        return result

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays of the rows."""
        return self.indices.nbytes + self.n.nbytes

    def take(self, mask: np.ndarray) -> Columns:
        """The rows for which the mask is set; the same object where it is set for all."""
        positions = np.flatnonzero(mask)
        if len(positions) == len(self):
            return self
        subset = Columns.__new__(Columns)
        subset._set(self.row, self.dimensions, self.indices[:, positions], self.n[positions], subset=(self, positions))
        return subset

    def ids(self, line: int) -> np.ndarray:
        """The id of the configuration, or workload, of each row."""
        ids: np.ndarray = self.dimensions.parts[line].ids[self.indices[line]]
        return ids

    def none(self) -> Columns:
        """No row of these."""
        return self.take(np.zeros(len(self), bool))

    def row(self, position: int) -> SummaryRow:
        """One of the rows, the same object each time."""
        if self._rows is not None:
            return self._rows[position]
        return self._make_row(position if self._subset is None else int(self._subset[1][position]))

    def without(self, subset: Columns) -> Columns:
        """The rows that are not in a subset, which `take` returned."""
        mask = np.full(len(self), subset is not self)
        if subset._subset is not None and subset._subset[0] is self:
            mask[subset._subset[1]] = False
        return self.take(mask)

    def with_rows(self, rows: Sequence[SummaryRow]) -> Columns:
        """Other rows of the same configurations and workloads, such as these with their values; the same object for its rows."""
        if rows is self.rows or (len(rows) == len(self.rows) and all(map(operator.is_, rows, self.rows))):
            return self
        return Columns(rows, self.dimensions)

    def codes(self, name: str) -> np.ndarray:
        """The code of a dimension, row by row."""
        return self.dimensions.column(name).codes[self.indices[dimension_index(name)]]

    def texts(self, name: str) -> list[str]:
        """The value of a dimension, row by row."""
        return self.dimensions.column(name).texts[self.codes(name)].tolist()

    def occurring(self, line: int) -> np.ndarray:
        """A mask of the configurations (or workloads) that these rows have."""
        mask = self._occurring.get(line)
        if mask is None:
            mask = self._occurring[line] = np.bincount(self.indices[line], minlength=self.dimensions.size(line)) > 0
        return mask

    def distinct(self, name: str) -> list[str]:
        """The distinct values of a dimension in these rows, in order."""
        column = self.dimensions.column(name)
        if len(column.values) < 2:
            return list(column.values) if len(self) else []
        counts = np.bincount(column.codes[self.occurring(dimension_index(name))], minlength=len(column.values))
        return column.texts[counts > 0].tolist()

    def known(self, name: str) -> list[str]:
        """The distinct known values of a dimension in these rows, in order; of an option that it was not given is one."""
        return [text for text in self.distinct(name) if text != UNKNOWN or DIMENSIONS[name].is_option]

    def counts(self, name: str) -> dict[str, int]:
        """The number of values of the rows for each value of a dimension that they have."""
        sums = np.bincount(self.codes(name), self.n, len(self.dimensions.column(name).values))
        return {text: int(sums[code]) for code, text in enumerate(self.dimensions.column(name).values) if sums[code]}

    def sum_weights(self, line: int, weights: np.ndarray) -> np.ndarray:
        """The sum of the rows' weights for each configuration (or workload)."""
        return np.bincount(self.indices[line], weights, self.dimensions.size(line))

    def distinct_counts(self) -> dict[str, int]:
        """The number of distinct values of each dimension; of open keys of known ones, since few archives record them all; of an
        option those of runs of its tool."""
        return self.cached(Columns.distinct_counts, lambda: {name: self._count_distinct(name) for name in self.dimensions.names})

    def _count_distinct(self, name: str) -> int:
        column = self.dimensions.column(name)
        if len(column.values) < 2 or not len(self):
            return min(len(column.values), len(self))
        occurring = self.occurring(dimension_index(name))
        if is_option(name):
            occurring = occurring & self.dimensions.is_of_tool(tool_of(name))
        counts = np.bincount(column.codes[occurring], minlength=len(column.values))
        if is_open(name) and column.unknown_code >= 0:
            counts[column.unknown_code] = 0
        return int(np.count_nonzero(counts))

    def varying_dimensions(self) -> frozenset[str]:
        """The dimensions in which any two of the rows differ."""
        return frozenset([name for name, count in self.distinct_counts().items() if count > 1])

    def cells(self, names: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """(cell of each row, metric of each cell): rows of one metric that agree in these dimensions share a cell."""
        cells, size = self.indices[METRIC_INDEX].astype(np.intp), max(1, len(self.dimensions.metrics))
        for name in names:
            if name in DIMENSIONS:
                values = len(self.dimensions.column(name).values)
                cells, size = cells * values + self.codes(name), size * values
                if size > MAX_DENSE_CODES:
                    cells, size = renumber(cells)
        cells, size = renumber(cells) if size > len(cells) else (cells, size)
        metrics = np.zeros(max(1, size), np.intp)
        metrics[cells] = self.indices[METRIC_INDEX]
        return cells, metrics


def cached_by(
    key: Callable[..., Hashable],
) -> Callable[[Callable[Concatenate[A, Columns, P], T]], Callable[Concatenate[A, Columns, P], T]]:
    """A decorator of `function(asked, rows, *others)`, whose result is cached for the rows: it may depend on the rows and on what
    `key(asked, *others)` contains alone."""

    def decorate(compute: Callable[Concatenate[A, Columns, P], T]) -> Callable[Concatenate[A, Columns, P], T]:
        @wraps(compute)
        def find(asked: A, rows: Columns, *others: P.args, **named: P.kwargs) -> T:
            return rows.cached((compute, key(asked, *others, **named)), lambda: compute(asked, rows, *others, **named))

        return find

    return decorate


def _count_bytes(result: Any, depth: int = 3) -> int:
    """The bytes of the arrays in a result, and some for the rest."""
    if isinstance(result, (np.ndarray, Columns)):
        return int(result.nbytes)
    parts: Iterable[Any] = ()
    if depth and isinstance(result, (list, tuple)):
        parts = result
    elif depth and isinstance(result, dict):
        parts = result.values()
    elif depth and is_dataclass(result):
        parts = (getattr(result, one.name) for one in fields(result))
    return 100 + sum(_count_bytes(part, depth - 1) for part in parts)


_numbers = itertools.count()
SMALL = 8_000
"""Bytes below which a result does not make room for larger ones."""
_results, _small_results = ProcessCache(44 * MB, _count_bytes), ProcessCache(4 * MB, _count_bytes)
"""What was found out about rows, by what they were made from, which outlives them here, or by a number of their own."""


def renumber(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """The same partition with codes from 0 on without gaps, in the same order, and their number."""
    if not _is_dense(codes):
        distinct, inverse = np.unique(codes, return_inverse=True)
        return inverse.reshape(-1), len(distinct)
    counts = np.bincount(codes)
    distinct = np.flatnonzero(counts)
    counts[distinct] = np.arange(len(distinct))
    return counts[codes], len(distinct)


def occurring(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ids in the order in which they first occur, and for each id its place among these."""
    if len(ids) and (ids[1:] >= ids[:-1]).all():  # as the configurations of the rows of a metric are
        is_first = np.append(True, ids[1:] != ids[:-1])
        return ids[is_first], np.cumsum(is_first) - 1
    lowest = ids.min(initial=np.iinfo(np.int64).max) if len(ids) else 0
    codes, count = renumber(ids - lowest)
    first = np.zeros(count, np.intp)
    first[codes[::-1]] = np.arange(len(ids))[::-1]
    order = np.argsort(first, kind="stable")
    rank = np.empty(count, np.intp)
    rank[order] = np.arange(count)
    return ids[first[order]], rank[codes]


def refine(codes: np.ndarray, columns: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """Codes that are equal where `codes` and all of these (codes, number of codes) are equal; in their order, without gaps."""
    size = int(codes.max(initial=0)) + 1
    for more, count in columns:
        if size * count > MAX_CODE:
            codes, size = renumber(codes)
        codes, size = codes * count + more, size * count
    return renumber(codes)[0]


def occurring_codes(codes: np.ndarray) -> np.ndarray:
    """The distinct codes, rising."""
    if _is_dense(codes):
        return np.flatnonzero(np.bincount(codes))
    ordered = np.sort(codes)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])]


def _is_dense(codes: np.ndarray) -> bool:
    """Whether it is faster to count every code up to the highest than to sort those that occur."""
    return int(codes.max(initial=0)) <= MAX_SPARSENESS * len(codes) + 256
