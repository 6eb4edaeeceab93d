"""Reads rows of configurations and workloads: by blocks where many adjacent ones are needed, else by key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from webapp.comparison.summary import queries

Row = Mapping[str, Any]
"""A row by its columns."""
MAX_BY_KEY = 8
"""Rows that are read by key without a look at the blocks."""


def read_dimension_rows(configurations: Sequence[int], workloads: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """(0, row) of these configurations and (1, row) of these workloads, each once.

    One query; two where a needed block is not among those that are worth reading. An iterator, since a block has many
    long rows of which callers keep little.
    """
    missing = set(configurations), set(workloads)
    if max(map(len, missing)) > MAX_BY_KEY:
        yield from _take_missing(_parse_rows(queries.read_dimensions_by_blocks(*missing)), missing)
    if any(missing):
        yield from _take_missing(_parse_rows(queries.read_dimensions_by_key(*missing)), missing)


def _take_missing(rows: Iterable[tuple[int, Row]], missing: tuple[set[int], set[int]]) -> Iterator[tuple[int, Row]]:
    """(table, row) of the rows whose id is in `missing[table]` (0 configurations, 1 workloads); each id is removed from it."""
    for table, row in rows:
        if row["id"] in missing[table]:
            missing[table].remove(row["id"])
            yield table, row


def _parse_rows(records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Row]]:
    """(table, row) of every row; a record's JSON is a row or a list of rows."""
    for table, text in records:
        rows = json.loads(text)
        for row in rows if isinstance(rows, list) else [rows]:
            yield table, row
