"""Percentiles of latency, of measurements: a figure of the kind `lines` for each operation. Over load a line for each percentile;
where the load does not differ, or on request, their profile: a line for each configuration over a log axis of 1 - p.

The load is the queue depth (of all jobs) where it differs between the runs, else the operations a second of the same run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from statistics import median

from django.db.models import Q

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import parse_quantity, percentile_position
from webapp.figures import lines as line_figures
from webapp.figures import naming
from webapp.figures.plain import Axis, Figure, Mark
from webapp.files.addresses import line_address
from webapp.formatting import numbers
from webapp.models import Measurement, Run

DEPTH, RATE, PROFILE = "depth", "rate", "profile"
PERCENTILE = naming.PERCENTILE
LOADS = {DEPTH: "Queue depth", RATE: "Operations, 1/s", PROFILE: PERCENTILE}
_OFFERED = ("fio.rate_iops", "fio.rate")
LOAD_PARAMS = ("iodepth", "processes", "threads", *_OFFERED)
"""Parameters that make the load: no names of lines over it."""
LEVELS, MIN_LEVELS = {DEPTH: "depth", "offered": "offered"}, 3
"""What makes the levels of a load-latency curve, with its name beside a point; the levels from which on there is one."""
MAX_VALUES = 20_000
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d{1,6})?\Z")
_LATENCY, _OPERATIONS = ".latency", ".rate"
_PARTS = (None, "completion")
_WHISKERS = "Line: median of the repetitions; whiskers: lowest to highest."
TOO_FEW_LEVELS = "A load-latency curve needs three levels of queue depth, threads or offered rate, with their operations a second."
_USUAL = ("p50", "p95", "p99", "p99.9")


@dataclass(frozen=True, slots=True)
class PercentileValue:
    """A percentile that a tool printed, with its place on each axis that is known of it. `part`: '' of a whole operation."""

    run: Run
    operation: str
    part: str
    stat: str
    value: float
    line: str
    loads: Mapping[str, float]
    job: str = ""

    @property
    def address(self) -> str:
        """Its raw line."""
        return line_address(self.run.archive_id, self.run.file.path, self.line)


CUT = f"These runs have more values than one page reads: percentiles beyond their first {numbers.count(MAX_VALUES)} are left out."


def read_values(runs: Sequence[Run], with_means: bool = False) -> tuple[list[PercentileValue], bool]:
    """The percentiles of operations, or of their completion, that the outputs of the runs print, and whether there are more values
    than are read; `with_means` means too. One query."""
    if not runs:
        return [], False
    by_id = {run.pk: run for run in runs}
    ranges = [Q(id__gte=run.first_measurement, id__lt=run.first_measurement + run.measurements) for run in runs]
    found = Measurement.objects.filter(reduce(or_, ranges), counted=True).select_related("metric", "workload").order_by("id")
    every = list(found[: MAX_VALUES + 1])
    rows = [row for row in every[:MAX_VALUES] if row.run_id in by_id and row.workload.params.get("part") in _PARTS]
    rates = {
        (row.run_id, _job(row), row.metric.name.removesuffix(_OPERATIONS)): row.value
        for row in rows
        if row.metric.name.endswith(_OPERATIONS) and row.workload.stat in ("sample", "mean")
    }
    values, jobs = [], {run.pk: run.details.get("job") or "" for run in runs}
    for row in rows:
        stat, own, (operation, _, quantity) = row.workload.stat, _job(row), row.metric.name.rpartition(".")
        if quantity == "latency" and (_PERCENTILE.match(stat) or (with_means and stat == "mean")):
            part, loads = row.workload.params.get("part") or "", _loads(row, rates.get((row.run_id, own, operation)))
            run, job = by_id[row.run_id], own or jobs[row.run_id]
            values.append(PercentileValue(run, operation, part, stat, row.value, line=row.line, loads=loads, job=job))
    return values, len(every) > MAX_VALUES


def _job(row: Measurement) -> str:
    return (row.details or {}).get("job", "")


def _loads(row: Measurement, rate: float | None) -> dict[str, float]:
    params = row.workload.params
    depth, workers = params.get("iodepth"), params.get("processes") or params.get("threads")
    known = {DEPTH: float((depth or 1) * (workers or 1))} if depth or workers else {}
    if offered := next((number for name in _OFFERED if (number := parse_quantity(str(params.get(name, ""))))), None):
        known["offered"] = offered
    return known | ({RATE: rate} if rate else {}) | {PROFILE: percentile_position(row.workload.stat) or 0.0}


@dataclass(frozen=True, slots=True)
class RunNames:
    """What differs between runs: beside their load, and with it. `dimension`: what the names say."""

    over_load: Mapping[int, str]
    whole: Mapping[int, str]
    dimension: str


def _by_operation(values: Iterable[PercentileValue]) -> Collection[list[PercentileValue]]:
    found: dict[tuple[str, str], list[PercentileValue]] = {}
    for value in values:
        found.setdefault((value.operation, value.part), []).append(value)
    return found.values()


def draw(values: Iterable[PercentileValue], load: str, names: RunNames) -> list[Figure]:
    """A figure for each operation that has two places on its axis. `load`: what lies along x, '' for the usual one."""
    figures = []
    for found in _by_operation(values):
        along = load or next((name for name in (DEPTH, RATE) if len(_places(found, name)) > 1), PROFILE)
        if len(_places(found, along)) > 1:
            figures.append(_figure(found, along, names))
    return figures


def _places(values: Iterable[PercentileValue], load: str) -> list[float]:
    return sorted({value.loads[load] for value in values if load in value.loads})


def _begin(kind: str, known: Sequence[PercentileValue], names: Sequence[str], *words: str) -> tuple[Figure, float]:
    """A figure of these values without its marks, and the factor of its unit. `words`: of its title, beside the metric."""
    unit, factor = naming.fitting_unit("s", max(value.value for value in known))
    styles, metric = naming.series_styles(names), METRICS.get(known[0].operation + _LATENCY)
    title = ", ".join(filter(None, (metric.label if metric else known[0].operation, known[0].part, *words)))
    figure: Figure = {
        "kind": kind,
        "title": title,
        "subtitle": "",
        "unit": unit,
        "better": "lower is better",
        "scale": "linear",
        "x": {"label": "", "values": []},
        "series": [
            {"name": name, "style": styles[name], "marker": naming.MARKERS[at % len(naming.MARKERS)]}
            for at, name in enumerate(names)
        ],
        "groups": [],
        "notes": [],
        "legend": PERCENTILE,
    }
    return figure, factor


def _figure(values: list[PercentileValue], load: str, run_names: RunNames) -> Figure:
    known, is_profile = [value for value in values if load in value.loads], load == PROFILE
    stats = [stat for stat in _USUAL if any(value.stat == stat for value in known)]
    stats = stats or sorted({value.stat for value in known}, key=lambda stat: float(stat[1:]))
    known = [value for value in known if is_profile or value.stat in stats]
    places, line_of = _places(known, load), _lines(known, run_names.whole if is_profile else run_names.over_load)
    order = list(dict.fromkeys(line_of.values()))
    lines = [(text, stat) for text in order for stat in ([""] if is_profile else stats)]
    marks: dict[tuple[int, int], list[PercentileValue]] = {}
    for value in known:
        line = (line_of[value.run.pk, value.job], "" if is_profile else value.stat)
        marks.setdefault((places.index(value.loads[load]), lines.index(line)), []).append(value)
    figure, factor = _begin("lines", known, [", ".join(filter(None, (stat, text))) for text, stat in lines])
    omitted = len({value.run.pk for value in values} - {value.run.pk for value in known})
    figure["scale"] = "log" if min(value.value for value in known) > 0 else "linear"
    figure["x"] = _axis(load, places, known)
    figure["groups"] = [_mark(place, found, factor, is_profile) for place, found in sorted(marks.items())]
    if omitted:
        figure["notes"] = [f"Not drawn: {omitted} run{'' if omitted == 1 else 's'} of unknown {LOADS[load].lower()}."]
    if is_profile:
        figure["legend"] = run_names.dimension
        figure["notes"] += [_WHISKERS] if any(len(found) > 1 for found in marks.values()) else []
    return figure


def _lines(values: Sequence[PercentileValue], names: Mapping[int, str]) -> dict[tuple[int, str], str]:
    """The name of the line of each job of a run: what differs between runs, and the job where there are several."""
    has_jobs = len({value.job for value in values}) > 1
    pairs = dict.fromkeys((value.run.pk, value.job) for value in values)
    return {(run, job): ", ".join(filter(None, (names[run], job if has_jobs else ""))) for run, job in pairs}


def _axis(load: str, places: list[float], values: Iterable[PercentileValue]) -> Axis:
    stats = {value.loads[load]: value.stat for value in values}
    is_profile = load == PROFILE
    axis: Axis = {
        "label": LOADS[load],
        "values": [stats[place] if is_profile else numbers.number(place) for place in places],
        "numbers": list(places),
        "scale": "log" if not is_profile and places[-1] >= 4 * places[0] else "linear",
    }
    if is_profile:
        axis["ticks"] = line_figures.percentile_ticks(places)
    return axis


def _mark(place: tuple[int, int], values: Sequence[PercentileValue], factor: float, has_range: bool) -> Mark:
    has_range = has_range and len(values) > 1
    return {
        "x": place[0],
        "series": place[1],
        "center": median(value.value for value in values) / factor,
        "low": min(value.value for value in values) / factor if has_range else None,
        "high": max(value.value for value in values) / factor if has_range else None,
        "n": len(values),
        "configurations": len({value.run.configuration_id for value in values}),
        "points": [[value.value / factor, value.address] for value in values],
        "verdict": "",
        "flags": [],
    }


# Load-latency curves: a statistic of the latency over the operations a second of the same runs, a point for each level.


def draw_loads(values: Iterable[PercentileValue], statistic: str, names: RunNames) -> list[Figure]:
    """A scatter plot for each operation of which any line has enough levels, joined in their order. `statistic`: '' for a usual
    one."""
    return [made for found in _by_operation(values) if (made := _draw_load(found, statistic, names)) is not None]


def _draw_load(values: list[PercentileValue], statistic: str, run_names: RunNames) -> Figure | None:
    stats = [value.stat for value in values]
    stat = next(name for name in (statistic, "p99", "mean", *stats) if name in stats)
    known = [value for value in values if value.stat == stat and RATE in value.loads]
    level = max(LEVELS, key=lambda name: len(_places(known, name)))
    known = [value for value in known if level in value.loads]
    levels, line_of = _places(known, level), _lines(known, run_names.over_load)
    names = list(dict.fromkeys(line_of.values()))
    marks: dict[tuple[int, int], list[PercentileValue]] = {}
    for value in known:
        at = names.index(line_of[value.run.pk, value.job]), levels.index(value.loads[level])
        marks.setdefault(at, []).append(value)
    if max(Counter(series for series, _ in marks).values(), default=0) < MIN_LEVELS:
        return None
    figure, factor = _begin("scatter", known, names, stat, "over operations a second")
    for (series, place), found in sorted(marks.items()):
        mark, rates = _mark((place, series), found, factor, has_range=True), [value.loads[RATE] for value in found]
        is_spread = len(rates) > 1
        mark["across"] = {
            "center": median(rates),
            "low": min(rates) if is_spread else None,
            "high": max(rates) if is_spread else None,
        }
        figure["groups"].append(mark)
    figure["x"] = {
        "label": "Operations",
        "unit": "1/s",
        "better": "higher is better",
        "values": [f"{LEVELS[level]} {numbers.number(place)}" for place in levels],
        "joined": True,
    }
    figure["notes"] = [_WHISKERS] if any(len(found) > 1 for found in marks.values()) else []
    figure["legend"] = run_names.dimension
    return figure
