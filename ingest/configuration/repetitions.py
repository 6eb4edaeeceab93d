"""Repetition numbers of values: counted in line order, for display only."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from ingest.keys import PARAMS
from ingest.records import MissingValue, Value

Counts = dict[tuple[str, str], int]
_Work = int | bytes  # what stands for a workload
_Group = tuple[int, str, str | None, str, _Work]
_Packed = tuple[tuple[tuple[str, str], int], ...]
_MAX_LIVE = 2_000  # groups, and workloads, kept as they are; of further ones a digest of 16 bytes is kept


class RepetitionCounter:
    """Counts the values of one file per configuration, workload and metric."""

    def __init__(self) -> None:
        self._groups: dict[_Group, Counts] = {}
        # The counts of groups not used recently. Almost all of a file have equal counts, which share one object.
        self._packed: dict[bytes, _Packed] = {}
        self._shapes: dict[_Packed, _Packed] = {}
        # By identity of the parameters, which the values keep alive.
        self._workloads: dict[int, _Work] = {}
        self._workload_ids: dict[tuple[tuple[str, str], ...], int] = {}

    def counts(self, value: Value | MissingValue, config: Mapping[str, Any]) -> Counts:
        """(metric, stat) -> number of values of that configuration and workload so far. `config`: the flat configuration, for which
        the resolver returns the same object for equal ones.
        """
        workload = self._workloads.get(id(value.params))
        if workload is None:
            workload = self._workloads[id(value.params)] = self._workload_id(value.params)
        group = id(config), value.tool, value.tool_version, value.origin, workload
        counts = self._groups.get(group)
        if counts is None:
            if len(self._groups) >= _MAX_LIVE:
                self._pack()
            counts = self._groups[group] = dict(self._packed.get(_digest(group), ()) if self._packed else ())
        return counts

    def _pack(self) -> None:
        """Pack the counts of all groups, since a file whose every value has its own workload would need a table for each."""
        for group, counts in self._groups.items():
            shape = tuple(counts.items())
            self._packed[_digest(group)] = self._shapes.setdefault(shape, shape)
        self._groups.clear()

    def clear_identities(self) -> None:
        """The counted values were freed: forget their parameters' id(), which may be reused."""
        self._workloads.clear()

    def _workload_id(self, params: Mapping[str, Any]) -> _Work:
        """A number or digest that is the same for equal workloads."""
        workload = tuple(sorted([(key, str(item)) for key, item in params.items() if key in PARAMS]))
        workload_id = self._workload_ids.get(workload)
        if workload_id is not None:
            return workload_id
        return (
            _digest(workload)
            if len(self._workload_ids) >= _MAX_LIVE
            else self._workload_ids.setdefault(workload, len(self._workload_ids))
        )


def _digest(item: object) -> bytes:
    return blake2b(repr(item).encode("utf-8", "backslashreplace"), digest_size=16).digest()
