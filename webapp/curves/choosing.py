"""Which series of the runs are drawn: quantities, devices and tools, those of the address or the usual ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.catalogue import Metric
from ingest.series_catalogue import SERIES_METRICS
from webapp.curves.address import CurveQuery
from webapp.models import TimeSeries
from webapp.storage.series import with_points

MAX_PANELS = 12
"""Small multiples of a page."""
MAX_CANDIDATES = 60
"""Small multiples that are read to find those with anything but zero."""
MAX_READ = 4_000_000
"""Points that are read for one page."""
MAX_CURVES = 250
"""Series of one of the small multiples."""
_TOTALS = ("", "all", "total")
_USUAL = ("throughput", "rate", "latency", "util", "share")
_FIRST = ("disk.{}.throughput", "io.{}.throughput", "block.{}.throughput", "nfs.mount.{}.throughput")
_OF_QUANTITY = {
    "throughput": _FIRST,
    "rate": ("io.{}.rate", "disk.{}.rate", "block.{}.rate"),
    "latency": ("io.{}.latency", "io.{}.completion.latency", "disk.{}.latency"),
}
"""The metrics of series that are of the same quantity as a result, the usual one first."""
_OF_PART = {
    "completion": ("io.{}.completion.latency", "io.{}.latency", "disk.{}.latency"),
    "submission": ("io.{}.submission.latency",),
}
_READ, _WRITE, _TRIM, _FLUSH = ("read",), ("write",), ("trim", "discard"), ("flush",)


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """Something that can be drawn. `points`: of all its series."""

    name: str
    label: str
    unit: str
    points: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class CandidatePanel:
    """A metric of one subject, with the (run, series) that have it."""

    metric: str
    subject: str
    rows: tuple[tuple[int, TimeSeries], ...]


def bound(panels: Sequence[CandidatePanel], most: int, most_points: int = MAX_READ) -> tuple[list[CandidatePanel], int]:
    """The panels whose points are read, at most so many together, and how many are left out."""
    kept, points = list[CandidatePanel](), 0
    for panel in panels[:most]:
        size = sum(row.points for _, row in panel.rows)
        if points + size <= most_points and len(panel.rows) <= MAX_CURVES:
            kept.append(panel)
            points += size
    return kept, len(panels) - len(kept)


def read_in_turn(panels: Sequence[CandidatePanel]) -> Iterator[tuple[CandidatePanel, list[tuple[int, TimeSeries]]]]:
    """Each panel with its (run, series) with points, which are read for MAX_PANELS of them at once, as they are asked for."""
    for first in range(0, len(panels), MAX_PANELS):
        some = panels[first : first + MAX_PANELS]
        rows = with_points({row.pk for panel in some for _, row in panel.rows})
        for panel in some:
            yield panel, [(run, rows[row.pk]) for run, row in panel.rows if row.pk in rows]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is drawn: panels in order; all metrics, subjects and tools that there are."""

    panels: tuple[CandidatePanel, ...]
    metrics: tuple[CurveChoice, ...]
    subjects: tuple[CurveChoice, ...]
    tools: tuple[CurveChoice, ...]
    problems: tuple[str, ...] = ()


def choose(query: CurveQuery, series: Mapping[int, Sequence[TimeSeries]], operation: str) -> Chosen:
    """The panels of an address. `series`: of each run; `operation`: what the first run measures, which chooses the usual metric."""
    every = [(run, row) for run, rows in series.items() for row in rows]
    problems = _missing(query, every)
    tools = _choices(((row.tool, row) for _, row in every), query.tools)
    rows = [(run, row) for run, row in every if not query.tools or row.tool in query.tools]
    known = {row.metric for _, row in rows}
    wanted = [metric for metric in query.metrics if metric in known] or _usual_metrics(rows, operation)
    metrics = _choices(((row.metric, row) for _, row in rows), wanted, metric_label)
    drawn = [(run, row) for run, row in rows if row.metric in wanted]
    subjects = _choices(((row.subject, row) for _, row in drawn), query.subjects)
    panels: dict[tuple[str, str], list[tuple[int, TimeSeries]]] = {}
    for run, row in drawn:
        if not query.subjects or row.subject in query.subjects:
            panels.setdefault((row.metric, row.subject), []).append((run, row))
    order = sorted(panels, key=lambda place: (wanted.index(place[0]), natural(place[1])))
    made = tuple(CandidatePanel(*place, tuple(panels[place])) for place in order)
    return Chosen(made, metrics, subjects, tools, problems)


def natural(text: str) -> tuple[bool, list[tuple[int, str]]]:
    """A key that sorts totals first, and sda9 before sda10."""
    return text not in _TOTALS, [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d{1,18})", text)]


def _missing(query: CurveQuery, every: Iterable[tuple[int, TimeSeries]]) -> tuple[str, ...]:
    rows = [row for _, row in every]
    asked = ((query.metrics, "metric"), (query.subjects, "subject"), (query.tools, "tool"))
    return tuple(
        f"No series of these runs has the {name} {text[:60]!r}."
        for texts, name in asked
        for text in texts
        if rows and text not in {getattr(row, name) for row in rows}
    )


def _usual_metrics(rows: Iterable[tuple[int, TimeSeries]], operation: str) -> list[str]:
    known = list(dict.fromkeys(row.metric for _, row in rows))
    way = "read" if "read" in operation and "write" not in operation else "write"
    for pattern in _FIRST:
        for direction in (way, "read" if way == "write" else "write"):
            if (metric := pattern.format(direction)) in known:
                return [metric]
    for ending in _USUAL:
        if found := next((metric for metric in known if metric.endswith(ending)), None):
            return [found]
    return known[:1]


def of_result(metric: Metric, part: str, known: Collection[str]) -> list[str]:
    """The known metrics of series of the quantity of a result, in the directions of its operation; `part`: of a latency."""
    patterns = (
        _OF_PART.get(part, _OF_QUANTITY["latency"]) if metric.quantity == "latency" else _OF_QUANTITY.get(metric.quantity, ())
    )
    names = [[pattern.format(way) for pattern in patterns for way in ways] for ways in _directions(metric)]
    return [found for some in names if (found := next((name for name in some if name in known), None))]


def _directions(metric: Metric) -> Sequence[tuple[str, ...]]:
    """What an operation does, in the words of series; of operations on files, that are no single reads and writes, bytes alone."""
    operation, is_bytes = metric.operation, metric.quantity == "throughput"
    if operation == "fsync":
        return [] if is_bytes else [_FLUSH]
    if operation.endswith("trim"):
        return [_TRIM]
    if operation.startswith("file_") and not is_bytes:
        return []
    ways = [way for way in (_READ, _WRITE) if way[0] in operation]
    return ways or ([_READ, _WRITE] if is_bytes or operation == "mixed" else [])


def _choices(pairs: Iterable[tuple[str, TimeSeries]], chosen: Sequence[str], label=lambda name: name) -> tuple[CurveChoice, ...]:
    points: dict[str, int] = {}
    units: dict[str, str] = {}
    for name, row in pairs:
        points[name] = points.get(name, 0) + row.points
        units.setdefault(name, row.unit)
    return tuple(CurveChoice(name, label(name), units[name], points[name], name in chosen) for name in sorted(points, key=natural))


def metric_label(metric: str) -> str:
    """The metric in words."""
    return SERIES_METRICS[metric].label if metric in SERIES_METRICS else metric
