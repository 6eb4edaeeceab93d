"""SQL of the measured values that the model is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from webapp.models.sql import fetch_rows
from webapp.models.summary import PUBLIC

METRICS = ("read.throughput", "write.throughput", "random_read.rate", "random_write.rate")
MOST = 500
# Configurations whose layout names a number of disks, then their rows of the summary by the key. Typed or digitised numbers and
# those of a model are no measurements; extremes and percentiles are no typical values.
_MEASURED = """
SELECT c.id, c.host, c.pool_layout, c.fs_type, c.pool_recordsize, c.disk_model, name.name, w.tool, w.origin, s.n,
    s.values::float8[]
FROM webapp_metricname name
CROSS JOIN (SELECT * FROM webapp_configuration o
    WHERE o.pool_layout ~ '\\(\\d+\\)' AND (o.fs_stack IS NULL OR o.fs_stack = o.fs_type)
    ORDER BY o.id DESC LIMIT 5000) c
CROSS JOIN LATERAL (SELECT * FROM webapp_summary f
    WHERE f.scope = %s AND f.metric_id = name.id AND f.configuration_id = c.id OFFSET 0) s
JOIN webapp_workload w ON w.id = s.workload_id
WHERE name.name = ANY(%s) AND w.origin IN ('measured', 'reported') AND w.stat IN ('sample', 'mean', 'median')
    AND NOT w.params ? 'part'
ORDER BY s.n DESC, c.id, w.id LIMIT %s
"""


class MeasuredRow(NamedTuple):
    """Values (at most 30 of `n`) of one workload on one configuration of one machine, in base units."""

    configuration: int
    host: str | None
    layout: str
    fs: str | None
    recordsize: int | None
    disk: str | None
    metric: str
    tool: str
    origin: str
    n: int
    values: list[float]


def read_measured(metrics: Iterable[str] = METRICS) -> list[MeasuredRow]:
    """Public values with a layout whose disks are counted; those of most runs first."""
    return [MeasuredRow(*row) for row in fetch_rows(_MEASURED, [PUBLIC, list(metrics), MOST])]
