"""Which repetition a value is: counted in line order, for display only."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingest.keys import PARAMS
from ingest.records import Value


def numbered(values: Sequence[Value], resolved: Sequence[tuple[Mapping, Mapping]], twins: Mapping[int, str]) -> list[int]:
    """The repetition number of each value of one file, 1-based, per configuration, workload and metric.

    A duplicate has the number of no repetition of its own: it takes the count so far, at least 1.
    """
    counts: dict[tuple, int] = {}
    workloads: dict[int, int] = {}
    alike: dict[tuple, int] = {}
    out = []
    for value, (config, _) in zip(values, resolved, strict=True):
        work = workloads.get(id(value.params))
        if work is None:
            told = tuple(sorted([(key, str(item)) for key, item in value.params.items() if key in PARAMS]))
            work = workloads[id(value.params)] = alike.setdefault(told, len(alike))
        key = (id(config), value.tool, value.tool_version, value.metric, value.stat, value.origin, work)
        count = counts.get(key, 0)
        if not twins or id(value) not in twins:
            count += 1
            counts[key] = count
        out.append(count or 1)
    return out
