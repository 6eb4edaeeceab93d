"""The address of a figure over time: `/series?run=1&run=2&metric=disk.write.throughput&subject=sda&from=0&to=60`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from ingest.catalogue import Metric
from ingest.series_catalogue import SERIES_METRICS
from webapp.models import TimeSeries
from webapp.storage.series import with_points

MAX_RUNS, MAX_CHOICES = 24, 40
"""Runs of an address; metrics, and subjects, of one."""
BANDS, LOG = "configuration", "log"
_KEYS = ("run", "metric", "subject", "tool", "from", "to", "bands", "scale")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class CurveQuery:
    """What an address asks for. `low`, `high`: seconds since the start of the runs, None where it leaves them open. `bands`: runs
    of one configuration are joined. `problems`: a sentence for each part that was not understood."""

    runs: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    bands: bool = False
    log: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    @property
    def query(self) -> str:
        """The canonical query string."""
        pairs = [
            *(("run", str(run)) for run in self.runs),
            *(("metric", metric) for metric in self.metrics),
            *(("subject", subject) for subject in self.subjects),
            *(("tool", tool) for tool in self.tools),
            *((name, shown_seconds(value)) for name, value in (("from", self.low), ("to", self.high)) if value is not None),
            *([("bands", BANDS)] if self.bands else []),
            *([("scale", LOG)] if self.log else []),
        ]
        return urlencode(pairs)

    def changed(self, **values: object) -> CurveQuery:
        """The same with other values."""
        return replace(self, **values)  # type: ignore[arg-type]


def shown_seconds(value: float) -> str:
    """A time as addresses have it: at most six decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def parse(pairs: Iterable[tuple[str, str]]) -> CurveQuery:
    """What the pairs of a query ask for; what is not understood is named in `problems`."""
    given: dict[str, list[str]] = {}
    problems: list[str] = []
    for key, value in pairs:
        if key not in _KEYS:
            problems.append(f"There is no parameter {key[:40]!r}; there are {', '.join(_KEYS)}.")
        elif value.strip():
            given.setdefault(key, []).append(value.strip()[:_LONGEST])
    runs = [_run(text, problems) for text in given.get("run", ())]
    known = tuple(dict.fromkeys(run for run in runs if run is not None))
    if len(known) > MAX_RUNS:
        problems.append(f"{len(known)} runs are more than one figure can show; the first {MAX_RUNS} are drawn.")
    low, high = (_seconds(name, given.get(name, ()), problems) for name in ("from", "to"))
    if low is not None and high is not None and not low < high:
        problems.append(f"from={shown_seconds(low)} is not before to={shown_seconds(high)}; all of the time is drawn.")
        low = high = None
    return CurveQuery(
        runs=known[:MAX_RUNS],
        metrics=_texts(given.get("metric", [])),
        subjects=_texts(given.get("subject", [])),
        tools=_texts(given.get("tool", [])),
        low=low,
        high=high,
        bands=_choice("bands", BANDS, given, problems),
        log=_choice("scale", LOG, given, problems, "linear"),
        problems=tuple(dict.fromkeys(problems)),
    )


def _texts(given: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given))[:MAX_CHOICES]


def _run(text: str, problems: list[str]) -> int | None:
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    problems.append(f"{text[:40]!r} is not the number of a run.")
    return None


def _seconds(name: str, texts: Iterable[str], problems: list[str]) -> float | None:
    text = next(iter(texts), None)
    if text is None:
        return None
    match = re.fullmatch(r"([+\-\u2212]?[0-9]{1,12}(?:[.,][0-9]{1,9})?)\s*s?", text, re.ASCII)
    number = float(match[1].replace(",", ".").replace("\u2212", "-")) if match else math.nan
    if math.isfinite(number):
        return number
    problems.append(f"{name}={text[:40]} is not a number of seconds, such as 12.5.")
    return None


def _choice(name: str, value: str, given: dict[str, list[str]], problems: list[str], usual: str = "") -> bool:
    text = given.get(name, [""])[0]
    if text not in ("", value, usual):
        problems.append(f"There is no {name}={text[:40]}; there is {value}.")
    return text == value


# Which series of the runs are drawn: quantities, devices and tools, those of the address or the usual ones.

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
