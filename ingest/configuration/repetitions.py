"""Which repetition a value is: counted in line order, for display only."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from ingest.keys import PARAMS
from ingest.records import Value

Counts = dict[tuple[str, str], int]
_Work = int | bytes  # what stands for a workload
_Group = tuple[int, str, str | None, str, _Work]
_Packed = tuple[tuple[tuple[str, str], int], ...]
_LIVE = 2_000  # groups, and workloads, that are told as they are; of further ones a digest of 16 bytes is kept


class RepetitionCounter:
    """Counts the values of one file per configuration, workload and metric."""

    def __init__(self) -> None:
        self._groups: dict[_Group, Counts] = {}
        # The counts of groups that nobody has asked for in a while. Nearly all of a file have the same ones: one object.
        self._packed: dict[bytes, _Packed] = {}
        self._shapes: dict[_Packed, _Packed] = {}
        # By identity of the parameters, which the values keep alive.
        self._workloads: dict[int, _Work] = {}
        self._alike: dict[tuple[tuple[str, str], ...], int] = {}

    def of(self, value: Value, config: Mapping[str, Any]) -> Counts:
        """(metric, stat) -> how many values of that configuration and workload have been counted. `config`: the flat
        configuration, of which the resolver gives one object for all that are alike, wherever they were told."""
        work = self._workloads.get(id(value.params))
        if work is None:
            work = self._workloads[id(value.params)] = self._work(value.params)
        group = id(config), value.tool, value.tool_version, value.origin, work
        counts = self._groups.get(group)
        if counts is None:
            if len(self._groups) >= _LIVE:
                self._pack()
            counts = self._groups[group] = dict(self._packed.get(_digest(group), ()) if self._packed else ())
        return counts

    def _pack(self) -> None:
        """A file whose every value has a workload of its own would hold a table for each of them."""
        for group, counts in self._groups.items():
            shape = tuple(counts.items())
            self._packed[_digest(group)] = self._shapes.setdefault(shape, shape)
        self._groups.clear()

    def forget(self) -> None:
        """The values that were counted are held no longer: what is told by their identities holds for others now."""
        self._workloads.clear()

    def _work(self, params: Mapping[str, Any]) -> _Work:
        """What stands for all that the parameters tell of the workload: the same for those that tell the same."""
        told = tuple(sorted([(key, str(item)) for key, item in params.items() if key in PARAMS]))
        known = self._alike.get(told)
        if known is not None:
            return known
        return _digest(told) if len(self._alike) >= _LIVE else self._alike.setdefault(told, len(self._alike))


def _digest(what: object) -> bytes:
    return blake2b(repr(what).encode("utf-8", "backslashreplace"), digest_size=16).digest()
