"""Which repetition a value is: counted in line order, for display only."""
from __future__ import annotations

from collections.abc import Mapping

from ingest.keys import PARAMS
from ingest.records import Value

Counts = dict[tuple[str, str], int]


class Repetitions:
    """Counts the values of one file per configuration, workload and metric."""

    def __init__(self) -> None:
        self._groups: dict[tuple, Counts] = {}
        # By identity of the parameters, which the values keep alive.
        self._workloads: dict[int, int] = {}
        self._alike: dict[tuple, int] = {}

    def of(self, value: Value, config: Mapping) -> Counts:
        """(metric, stat) -> how many values of that configuration and workload have been counted. `config`: the flat
        configuration, of which the resolver gives one object for all that are alike, wherever they were told."""
        work = self._workloads.get(id(value.params))
        if work is None:
            work = self._workloads[id(value.params)] = self._work(value.params)
        return self._groups.setdefault((id(config), value.tool, value.tool_version, value.origin, work), {})

    def forget(self) -> None:
        """The values that were counted are held no longer: what is told by their identities holds for others now."""
        self._workloads.clear()

    def _work(self, params: Mapping) -> int:
        """A number for what the parameters tell of the workload: the same for those that tell the same."""
        told = tuple(sorted([(key, str(item)) for key, item in params.items() if key in PARAMS]))
        return self._alike.setdefault(told, len(self._alike))
