"""Percentiles of latency over load, of measurements: a figure of the kind `lines` for each operation, a line for each percentile.

The load is the queue depth (of all jobs) where it differs between the runs, else the operations a second of the same run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from statistics import median

from django.db.models import Q

from ingest.catalogue import METRICS
from webapp.figures import naming
from webapp.figures.plain import Figure, Mark
from webapp.files.addresses import line_address
from webapp.formatting import numbers
from webapp.models import Measurement, Run

DEPTH, RATE = "depth", "rate"
PERCENTILE = "Percentile"
LOADS = {DEPTH: "Queue depth", RATE: "Operations, 1/s"}
LOAD_PARAMS = ("iodepth", "processes", "threads")
"""Parameters that make the load: no names of lines over it."""
MAX_VALUES = 20_000
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d{1,6})?\Z")
_LATENCY, _OPERATIONS = ".latency", ".rate"
_PARTS = (None, "completion")
_USUAL = ("p50", "p95", "p99", "p99.9")


@dataclass(frozen=True, slots=True)
class PercentileValue:
    """A percentile that a tool printed, with the load of its run where that is known. `part`: '' of a whole operation."""

    run: Run
    operation: str
    part: str
    stat: str
    value: float
    line: str
    loads: Mapping[str, float]

    @property
    def address(self) -> str:
        """Its raw line."""
        return line_address(self.run.archive_id, self.run.file.path, self.line)


CUT = f"These runs have more values than one page reads: percentiles beyond their first {numbers.count(MAX_VALUES)} are left out."


def read_values(runs: Sequence[Run]) -> tuple[list[PercentileValue], bool]:
    """The percentiles of operations, or of their completion, that the outputs of the runs print, and whether there are more values
    than are read. One query."""
    if not runs:
        return [], False
    by_id = {run.pk: run for run in runs}
    ranges = [Q(id__gte=run.first_measurement, id__lt=run.first_measurement + run.measurements) for run in runs]
    found = Measurement.objects.filter(reduce(or_, ranges), counted=True).select_related("metric", "workload").order_by("id")
    every = list(found[: MAX_VALUES + 1])
    rows = [row for row in every[:MAX_VALUES] if row.run_id in by_id and row.workload.params.get("part") in _PARTS]
    rates = {
        (row.run_id, row.metric.name.removesuffix(_OPERATIONS)): row.value
        for row in rows
        if row.metric.name.endswith(_OPERATIONS) and row.workload.stat in ("sample", "mean")
    }
    values = []
    for row in rows:
        if row.metric.name.endswith(_LATENCY) and _PERCENTILE.match(row.workload.stat):
            operation, part = row.metric.name.removesuffix(_LATENCY), row.workload.params.get("part") or ""
            loads = _loads(row, rates.get((row.run_id, operation)))
            values.append(
                PercentileValue(by_id[row.run_id], operation, part, row.workload.stat, row.value, line=row.line, loads=loads)
            )
    return values, len(every) > MAX_VALUES


def _loads(row: Measurement, rate: float | None) -> dict[str, float]:
    depth, processes = row.workload.params.get("iodepth"), row.workload.params.get("processes") or 1
    known = {DEPTH: float(depth * processes)} if depth else {}
    return known | ({RATE: rate} if rate else {})


def draw(values: Iterable[PercentileValue], load: str = "", label: Callable[[Run], str] = lambda run: "") -> list[Figure]:
    """A figure for each operation. `load`: what lies along x, '' for the usual one; `label`: what differs between runs."""
    operations: dict[tuple[str, str], list[PercentileValue]] = {}
    for value in values:
        operations.setdefault((value.operation, value.part), []).append(value)
    return [figure for found in operations.values() if (figure := _figure(found, load, label)) is not None]


def _figure(values: list[PercentileValue], load: str, label: Callable[[Run], str]) -> Figure | None:
    load = load or (DEPTH if len({value.loads.get(DEPTH) for value in values} - {None}) > 1 else RATE)
    known = [value for value in values if load in value.loads]
    stats = [stat for stat in _USUAL if any(value.stat == stat for value in known)]
    stats = stats or sorted({value.stat for value in known}, key=lambda stat: float(stat[1:]))
    known = [value for value in known if value.stat in stats]
    if not known:
        return None
    places = sorted({value.loads[load] for value in known})
    labels = list(dict.fromkeys(label(value.run) for value in known))
    lines = [(stat, text) for text in labels for stat in stats]
    names = [", ".join(filter(None, line)) for line in lines]
    unit, factor = naming.fitting_unit("s", max(value.value for value in known))
    marks: dict[tuple[int, int], list[PercentileValue]] = {}
    for value in known:
        marks.setdefault((places.index(value.loads[load]), lines.index((value.stat, label(value.run)))), []).append(value)
    styles = naming.series_styles(names)
    omitted = len({value.run.pk for value in values} - {value.run.pk for value in known})
    metric = METRICS.get(known[0].operation + _LATENCY)
    title = ", ".join(filter(None, (metric.label if metric else known[0].operation, known[0].part)))
    return {
        "kind": "lines",
        "title": title,
        "subtitle": "",
        "unit": unit,
        "better": "lower is better",
        "scale": "log" if min(value.value for value in known) > 0 else "linear",
        "x": {
            "label": LOADS[load],
            "values": [numbers.number(place) for place in places],
            "numbers": list(places),
            "scale": "log" if places[-1] >= 4 * places[0] else "linear",
        },
        "series": [
            {"name": name, "style": styles[name], "marker": naming.MARKERS[at % len(naming.MARKERS)]}
            for at, name in enumerate(names)
        ],
        "groups": [_mark(place, found, factor) for place, found in sorted(marks.items())],
        "notes": [f"Not drawn: {omitted} run{'' if omitted == 1 else 's'} of unknown {LOADS[load].lower()}."] if omitted else [],
        "legend": PERCENTILE,
    }


def _mark(place: tuple[int, int], values: Sequence[PercentileValue], factor: float) -> Mark:
    return {
        "x": place[0],
        "series": place[1],
        "center": median(value.value for value in values) / factor,
        "low": None,
        "high": None,
        "n": len(values),
        "configurations": len({value.run.configuration_id for value in values}),
        "points": [[value.value / factor, value.address] for value in values],
        "verdict": "",
        "flags": [],
    }
