"""Rows of the summary for tests of the plain rooms: what is not told is unknown, but all are of machine 1 in session 1."""

from __future__ import annotations

from itertools import count

from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN
from webapp.comparison.summary.row import SummaryRow, Texts

_ids = count(1)
_configurations: dict[tuple, int] = {}
_workloads: dict[tuple, int] = {}


def row(
    *values: float,
    metric: str = "write.throughput",
    tool: str = "bonnie++",
    aggregate: str = "sample",
    origin: str = "measured",
    **told: str | int,
) -> SummaryRow:
    """A row of these values; equal dimensions are the same configuration and workload."""
    texts = dict.fromkeys(DIMENSIONS, UNKNOWN) | {"tool": tool, "aggregate": aggregate, "origin": origin, "machine": "1"}
    texts |= {name: str(value) for name, value in told.items()}
    of_configuration, of_workload = (
        {name: texts[name] for name, dimension in DIMENSIONS.items() if (dimension.source == "configuration") == wanted}
        for wanted in (True, False)
    )
    configuration = _configurations.setdefault(tuple(of_configuration.items()), len(_configurations) + 1)
    workload = _workloads.setdefault(tuple(of_workload.items()), len(_workloads) + 1)
    n, mean = len(values), sum(values) / len(values)
    return SummaryRow(
        metric,
        configuration,
        workload,
        n,
        Texts(of_configuration, of_workload),
        list(values),
        [next(_ids) for _ in values],
        mean,
        sum((value - mean) ** 2 for value in values),
        min(values),
        max(values),
    )
