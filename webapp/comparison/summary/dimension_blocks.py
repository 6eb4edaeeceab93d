"""The rows of configurations and workloads that a process needs: by blocks where it needs many that lie together, else by key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from webapp.comparison.summary import queries

Row = Mapping[str, Any]
"""A row by its columns."""
FEW = 8
"""Rows that are read by their key without a look at the blocks."""


def read_dimension_rows(configurations: Sequence[int], workloads: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """(0, row) of these configurations and (1, row) of these workloads, each once. One query; two where a block that was
    not read lies among those that were.

    One by one, since a row of a block is some twenty times as long as what is kept of it.
    """
    missing = set(configurations), set(workloads)
    if max(map(len, missing)) > FEW:
        yield from _wanted(_told(queries.dimensions_by_blocks(*missing)), missing)
    if any(missing):
        yield from _wanted(_told(queries.dimensions_by_key(*missing)), missing)


def _wanted(rows: Iterable[tuple[int, Row]], missing: tuple[set[int], set[int]]) -> Iterator[tuple[int, Row]]:
    for side, row in rows:
        if row["id"] in missing[side]:
            missing[side].remove(row["id"])
            yield side, row


def _told(found: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Row]]:
    for side, told in found:
        rows = json.loads(told)
        for row in rows if isinstance(rows, list) else [rows]:
            yield side, row
