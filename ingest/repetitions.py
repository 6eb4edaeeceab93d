"""Which repetition a value is: counted in line order, for display only."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingest.keys import PARAMS
from ingest.records import Value


def numbered(values: Sequence[Value], resolved: Sequence[tuple[Mapping, Mapping]], twins: Mapping[int, str]) -> list[int]:
    """The repetition number of each value of one file, 1-based, per configuration, workload and metric.

    A duplicate has the number of no repetition of its own: it takes the count so far, at least 1.
    """
    groups: dict[tuple, dict[tuple[str, str], int]] = {}
    workloads: dict[int, int] = {}
    alike: dict[tuple, int] = {}
    out = []
    params = config = run = tool = version = origin = None
    for value, (configuration, _) in zip(values, resolved, strict=True):
        # The values of one row of a table are of one group.
        if (value.params is not params or configuration is not config or value.run != run or value.tool != tool
                or value.tool_version != version or value.origin != origin):
            params, config, run = value.params, configuration, value.run
            tool, version, origin = value.tool, value.tool_version, value.origin
            work = workloads.get(id(params))
            if work is None:
                work = workloads[id(params)] = _work(params, alike)
            counts = groups.setdefault((id(config), tool, version, origin, work), {})
        key = (value.metric, value.stat)
        count = counts.get(key, 0)
        if not twins or id(value) not in twins:
            count += 1
            counts[key] = count
        out.append(count or 1)
    return out


def _work(params: Mapping, alike: dict[tuple, int]) -> int:
    """A number for what the parameters tell of the workload: the same for those that tell the same."""
    told = tuple(sorted([(key, str(item)) for key, item in params.items() if key in PARAMS]))
    return alike.setdefault(told, len(alike))
