"""The tables of configurations, of workloads and of open keys as columns of codes: what a process knows of each row.

The rows of a table never change under their id. The first `len(base)` of a table are those of a mapped file
(`column_files`); the others follow as this process met them, until they are worth a new file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ingest.options import is_option
from ingest.records import NO_KEYS, NO_PARAMS
from webapp.comparison.dimensions import (
    UNKNOWN,
    ConfigurationTexts,
    SharedTexts,
    configuration_texts,
    is_open,
    open_texts,
    text_of,
    workload_texts,
)
from webapp.comparison.summary import column_files, queries
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, EncodedColumn, IdTexts, WorkloadOptions, encode
from webapp.comparison.summary.row import SummaryRow

MIN_FILED = 500
"""Rows from which a table has a file."""
_SHARE = 8
"""A file is written anew when more than an eighth of its rows are not in it."""
_lock = RLock()


class Dictionary:
    """The values of one column by code, in the order in which they were met; code 0 is unknown."""

    def __init__(self, values: Iterable[str] = (UNKNOWN,)) -> None:
        self.values = list(values)
        self._codes = {value: code for code, value in enumerate(self.values)}

    def encode(self, texts: Iterable[str]) -> np.ndarray:
        """The codes of these values; new ones are added."""
        codes, values = self._codes, self.values
        found = []
        for text in texts:
            code = codes.get(text)
            if code is None:
                code = codes[text] = len(values)
                values.append(text)
            found.append(code)
        return np.array(found, np.int32)


@dataclass(frozen=True)
class DimensionTable:
    """`ids` of the rows; `base` and `tail`: the codes of each column, of the first rows and of the others. A column that is missing
    in one of them is unknown there. Never changed: `append` returns another."""

    name: str
    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    base: Mapping[str, np.ndarray] = field(default_factory=dict)
    tail: Mapping[str, np.ndarray] = field(default_factory=dict)
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    filed: int = 0

    @classmethod
    def load(cls, name: str) -> DimensionTable:
        """The table as its file has it; empty without one."""
        found = column_files.read(name)
        if found is None:
            return cls(name)
        values, (ids, *codes) = found
        dictionaries = {column: Dictionary(texts) for column, texts in values.items()}
        return cls(name, ids, dict(zip(values, codes, strict=True)), dictionaries=dictionaries, filed=len(ids))

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.ids, kind="stable")
        return self.ids[order], order

    def positions(self, ids: np.ndarray) -> np.ndarray:
        """The position of the row of each id, -1 where it is not known."""
        ordered, order = self._sorted
        if not len(ordered):
            return np.full(len(ids), -1, np.intp)
        at = np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)
        return np.where(ordered[at] == ids, order[at], -1)

    def codes(self, column: str, positions: np.ndarray) -> np.ndarray:
        """The code of a column at these positions."""
        codes = np.zeros(len(positions), np.int32)
        is_base = (positions >= 0) & (positions < self.filed)
        for part, where, first in ((self.base, is_base, 0), (self.tail, positions >= self.filed, self.filed)):
            if column in part and where.any():
                codes[where] = part[column][positions[where] - first]
        return codes

    def values(self, column: str) -> Sequence[str]:
        """The value of each code of a column."""
        return self.dictionaries[column].values if column in self.dictionaries else (UNKNOWN,)

    def row(self, position: int) -> dict[str, str]:
        """The values of a row, but for unknown ones."""
        part, at = (self.base, position) if position < self.filed else (self.tail, position - self.filed)
        return {name: self.dictionaries[name].values[codes[at]] for name, codes in part.items() if codes[at]}

    def occurring(self, positions: np.ndarray) -> tuple[str, ...]:
        """The columns that are known at any of these positions, by name."""
        return tuple(sorted(name for name in {*self.base, *self.tail} if self.codes(name, positions).any()))

    def append(self, rows: Mapping[int, Mapping[str, str]]) -> DimensionTable:
        """The table with more rows by id. The caller holds the lock."""
        texts, size = list(rows.values()), len(self.ids) - self.filed
        tail = {}
        for name in dict.fromkeys((*self.tail, *(name for row in texts for name in row))):
            old = self.tail.get(name)
            new = self.dictionaries.setdefault(name, Dictionary()).encode([row.get(name, UNKNOWN) for row in texts])
            tail[name] = np.concatenate([np.zeros(size, np.int32) if old is None else old, new])
        return replace(self, ids=np.concatenate([self.ids, np.array(list(rows), np.int64)]), tail=tail)

    @property
    def is_worth_a_file(self) -> bool:
        return len(self.ids) - self.filed > max(MIN_FILED, self.filed // _SHARE)

    def save(self) -> DimensionTable:
        """The same with all rows in its file, in the order of their ids; where that cannot be written, in memory."""
        ids, order = self._sorted
        base = {name: self.codes(name, order) for name in dict.fromkeys((*self.base, *self.tail))}
        column_files.write(self.name, {name: self.dictionaries[name].values for name in base}, [ids, *base.values()])
        saved = DimensionTable.load(self.name)
        if np.array_equal(saved.ids, ids):
            return saved
        return DimensionTable(self.name, ids, base, dictionaries=self.dictionaries, filed=len(ids))


_tables: dict[str, DimensionTable] = {}
NAMES = ("configurations", "workloads")
_OPEN = "open"
_CHOSEN = "chosen"
"""Columns of configurations beside their dimensions: the row of their open keys, and the open keys that a person set."""
_EMPTY_CONFIGURATION, _EMPTY_WORKLOAD = dict(configuration_texts({})), dict(workload_texts({}, {}))
_CHUNK = 10_000
"""Rows that are read at once, for memory."""


def clear() -> None:
    """Forget every table, as when the database is another one."""
    _tables.clear()
    column_files.folder.cache_clear()


def read_rows(ids: Sequence[np.ndarray]) -> tuple[StoredRows, StoredRows]:
    """These configurations and workloads, each id once. A query where some are new to this process; one more for open keys."""
    missing = [_find_missing(name, some) for name, some in zip(NAMES, ids, strict=True)]
    for first in range(0, max(map(len, missing)), _CHUNK):
        _read_chunk([some[first : first + _CHUNK].tolist() for some in missing])
    tables = [_tables.get(name) or DimensionTable(name) for name in NAMES]
    at = [table.positions(some) for table, some in zip(tables, ids, strict=True)]
    missing_open = _find_missing(_OPEN, np.unique(_open_ids(tables[0], np.unique(tables[0].codes(_OPEN, at[0])))))
    if len(missing_open):
        found = queries.read_open_properties(missing_open.tolist())
        _add(_OPEN, {open_id: open_texts(json.loads(values)) for open_id, values in found})
    return StoredRows(0, tables[0], at[0]), StoredRows(1, tables[1], at[1])


def _open_ids(table: DimensionTable, codes: np.ndarray) -> np.ndarray:
    """The ids of the rows of open keys with these codes in the table of configurations."""
    values = table.values(_OPEN)
    return np.array([int(values[code]) for code in codes.tolist() if code], np.int64)


def _find_missing(name: str, ids: np.ndarray) -> np.ndarray:
    """Those of the ids that the table of this process does not have; looks for a file where they are many."""
    table = _tables.get(name) or DimensionTable(name)
    missing = ids[table.positions(ids) < 0]
    if len(missing) < MIN_FILED:
        return missing
    with _lock:
        filed = DimensionTable.load(name)
        if len(filed.ids) > len(_tables.get(name, table).ids):
            _tables[name] = filed
        return ids[_tables.get(name, table).positions(ids) < 0]


def _read_chunk(missing: Sequence[Sequence[int]]) -> None:
    """Add these configurations and workloads to the tables."""
    if not any(missing):
        return
    configurations, workloads = {}, {}
    for line, text in queries.read_dimension_rows(*missing):
        row = json.loads(text)
        if line == CONFIGURATION_INDEX:
            texts = dict(configuration_texts(row))
            del texts["configuration"]  # is the id
            texts[_OPEN] = text_of(row.get("open_id"))
            texts[_CHOSEN] = json.dumps(row["chosen"]) if row.get("chosen") else UNKNOWN
            configurations[row["id"]] = texts
        else:
            workloads[row["id"]] = workload_texts(row, row["params"])
    _add(NAMES[0], configurations)
    _add(NAMES[1], workloads)


def _add(name: str, rows: Mapping[int, Mapping[str, str]]) -> None:
    with _lock:
        table = _tables.get(name) or DimensionTable(name)
        new = {pk: texts for pk, texts in rows.items() if table.positions(np.array([pk]))[0] < 0} if len(table.ids) else rows
        if new:
            table = table.append(new)
            _tables[name] = table.save() if table.is_worth_a_file else table


_texts: WeakValueDictionary[tuple[int, int], Any] = WeakValueDictionary()
"""The dimensions of configurations and workloads that rows in memory have: one object for each."""


class StoredRows:
    """Some configurations, or workloads, of a table: what `columns.RowDimensions` asks of either."""

    def __init__(self, line: int, table: DimensionTable, positions: np.ndarray) -> None:
        self.line, self.table, self.at = line, table, positions
        self._open = _tables.get(_OPEN) or DimensionTable(_OPEN)

    def __len__(self) -> int:
        return len(self.at)

    @cached_property
    def ids(self) -> np.ndarray:
        return self.table.ids[self.at]

    def positions(self, rows: Iterable[SummaryRow]) -> np.ndarray:
        """The position of the configuration, or workload, of each row among these."""
        ids = np.array([(row.workload if self.line else row.configuration) for row in rows], np.int64)
        order = np.argsort(self.ids)
        return order[np.searchsorted(self.ids, ids, sorter=order)]

    def texts(self, position: int) -> Mapping[str, str]:
        """The dimensions of one of these, the same object while anybody has it."""
        key = (self.line, int(self.ids[position]))
        texts = _texts.get(key)
        return _texts.setdefault(key, self._make_texts(int(self.at[position]))) if texts is None else texts

    def _make_texts(self, at: int) -> Mapping[str, str]:
        texts = self.table.row(at)
        if self.line == WORKLOAD_INDEX:
            return SharedTexts(_EMPTY_WORKLOAD | texts)
        open_id, chosen = texts.pop(_OPEN, None), texts.pop(_CHOSEN, None)
        texts["configuration"] = str(self.table.ids[at])
        return ConfigurationTexts(
            _EMPTY_CONFIGURATION | texts,
            self._open_texts(int(open_id)) if open_id else NO_PARAMS,
            frozenset(json.loads(chosen)) if chosen else NO_KEYS,
        )

    def _open_texts(self, open_id: int) -> Mapping[str, str]:
        texts = _texts.get((len(NAMES), open_id))
        if texts is None:
            [at] = self._open.positions(np.array([open_id]))
            texts = _texts.setdefault((len(NAMES), open_id), SharedTexts(self._open.row(at)))
        return texts

    def column(self, name: str) -> EncodedColumn:
        """A dimension of each of these."""
        if name == "configuration":
            order = np.argsort(self.ids)
            rank = np.empty(len(order), np.intp)
            rank[order] = np.arange(len(order))
            return EncodedColumn(IdTexts(self.ids[order]), rank)
        if is_open(name):
            at, of_each = self._open_sets
            return encode(name, self._open.codes(name, at)[of_each], self._open.values(name))
        return encode(name, self.table.codes(name, self.at), self.table.values(name), is_option(name))

    @cached_property
    def _open_sets(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the table of open keys has the sets of these configurations (-1: none, every key is unknown), and which set each
        has."""
        distinct, of_each = np.unique(self.table.codes(_OPEN, self.at), return_inverse=True)
        positions = np.full(len(distinct), -1)
        positions[distinct > 0] = self._open.positions(_open_ids(self.table, distinct))
        return positions, of_each.reshape(-1)

    @cached_property
    def open_names(self) -> tuple[str, ...]:
        """The open keys that any of these has, by name."""
        return () if self.line == WORKLOAD_INDEX else self._open.occurring(self._open_sets[0])

    @cached_property
    def chosen_names(self) -> frozenset[str]:
        """The open keys that a person set in any of these configurations."""
        values = self.table.values(_CHOSEN)
        lists = (values[code] for code in np.unique(self.table.codes(_CHOSEN, self.at)).tolist())
        return frozenset(name for text in lists if text != UNKNOWN for name in json.loads(text))

    @cached_property
    def option_names(self) -> tuple[str, ...]:
        """The options that any of these workloads was run with, by name."""
        return tuple(filter(is_option, self.table.occurring(self.at)))

    @cached_property
    def options(self) -> list[WorkloadOptions]:
        """The options that each of these workloads was run with, by name."""
        found: list[list[tuple[str, str]]] = [[] for _ in self.at]
        for name in self.option_names:
            codes, values = self.table.codes(name, self.at), self.table.values(name)
            for position in np.flatnonzero(codes).tolist():
                found[position].append((name, values[codes[position]]))
        return list(map(tuple, found))
