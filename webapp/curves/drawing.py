"""Runs with their series -> plain figures of the kind `time`, one for each quantity and device."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from webapp.curves import points, run_labels
from webapp.curves.address import (
    MAX_CANDIDATES,
    MAX_PANELS,
    MAX_READ,
    CandidatePanel,
    Chosen,
    CurveQuery,
    bound,
    choose,
    metric_label,
    read_in_turn,
)
from webapp.curves.points import Alignment, Curve, align, seconds_from, thin
from webapp.curves.run_labels import Span
from webapp.figures import naming
from webapp.figures.notes import curve_values
from webapp.figures.plain import CurvePoints, Figure, Series, TimePhase
from webapp.files.addresses import file_address
from webapp.formatting import numbers
from webapp.models import Run, TimeSeries
from webapp.storage import series as stored

MAX_DRAWN = 6000
"""Points of one page, over all curves."""
MOST = 1200
"""Points of one curve."""
MAX_BAND_POINTS = 20_000
"""Points of a run up to which it is joined with others: beyond, the median would be that of extremes."""
_MARGIN = 0.25
"""Share of the length of the runs that is drawn before and after them."""


class CurvePoint(NamedTuple):
    """A point: its value in the unit of the figure, its time and its line."""

    value: float
    time: float
    line: int


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A curve of the table. `run`: 0 for a band; `extremes`: (value, time, line) of its lowest and highest point."""

    run: int
    name: str
    row: TimeSeries
    curve: Curve
    factor: float

    def place(self, highest: bool) -> CurvePoint:
        """The highest or the lowest point."""
        values = self.curve.v
        at = values.index((max if highest else min)(values))
        return CurvePoint(values[at] / self.factor, self.curve.t[at], self.curve.lines[at])


@dataclass(slots=True)
class Drawn:
    """Figures, the rows of the table of each, what can be chosen, the window that is drawn and the one of all points.
    `most`: points of a curve."""

    chosen: Chosen
    figures: list[Figure] = field(default_factory=list)
    tables: list[list[CurveRow]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    window: tuple[float, float] = (0.0, 1.0)
    whole: tuple[float, float] = (0.0, 1.0)
    is_numbered: bool = False
    most: int = MOST


@dataclass(frozen=True, slots=True)
class CurveSource:
    """Runs in the order of the address, the series of each, when each was, and the runs beside the only one. `placed`: what a
    comparison calls each run, `dimension` its axes; `latencies`: (operation, part) of which percentiles are drawn, None for all;
    `statistic`: that of a load-latency curve."""

    runs: Sequence[Run]
    series: Mapping[int, Sequence[TimeSeries]]
    spans: Mapping[int, Span]
    beside: Sequence[Span] = ()
    placed: Mapping[int, str] | None = None
    dimension: str = ""
    latencies: Collection[tuple[str, str]] | None = None
    statistic: str = ""

    def label(self, with_tools: bool, without: Collection[str] = ()) -> run_labels.RunLabels:
        """The names of the runs."""
        return run_labels.label_runs(self.runs, self.spans, with_tools, self.placed, self.dimension, without)


@dataclass(slots=True)
class _Panel:
    metric: str
    subject: str
    curves: list[tuple[int, TimeSeries, Curve]]


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the panels of a metric share: names of runs, name and factor of the unit."""

    aligned: Mapping[int, Alignment]
    label: run_labels.RunLabels
    unit: str
    factor: float


def align_runs(runs: Sequence[Run], series: Mapping[int, Sequence[TimeSeries]]) -> dict[int, Alignment]:
    """The alignment of each run that has series."""
    return {run.pk: align(run.started_at, series[run.pk]) for run in runs if series[run.pk]}


def draw(query: CurveQuery, source: CurveSource, most_read: int = MAX_READ) -> Drawn:
    """The figures that an address asks for. `most_read`: points beyond which no further series is read."""
    aligned = align_runs(source.runs, source.series)
    chosen = choose(query, source.series, source.spans[source.runs[0].pk].name if source.runs else "")
    made = Drawn(chosen, notes=[*chosen.problems])
    candidates = _of_one_axis(made, chosen.panels, aligned)
    extents = [_extent(aligned[run], row) for panel in candidates for run, row in panel.rows]
    if not extents:
        return made
    made.whole = (min(low for low, _ in extents), max(high for _, high in extents))
    made.window = _window(query, made.whole, [source.spans[run.pk] for run in source.runs], aligned)
    panels = _read(made, query, candidates, aligned, most_read)
    if not panels:
        return made
    label = source.label(_tools(panels))
    for metric in dict.fromkeys(panel.metric for panel in panels):
        alike = [panel for panel in panels if panel.metric == metric]
        top = max(abs(value) for panel in alike for _, _, curve in panel.curves for value in curve.v)
        shared = _Shared(aligned, label, *naming.fitting_unit(alike[0].curves[0][1].unit, top))
        for panel in alike:
            _draw_panel(made, query, source, panel, shared)
        _share_scale(made.figures[-len(alike) :])
    made.notes += run_labels.describe_alignment(source.runs, aligned)
    return made


def _of_one_axis(made: Drawn, panels: Sequence[CandidatePanel], aligned: Mapping[int, Alignment]) -> list[CandidatePanel]:
    """The panels without series that have no time, unless none has."""
    timed = [row.span is not None for panel in panels for _, row in panel.rows]
    made.is_numbered = bool(timed) and not any(timed)
    if all(timed) or made.is_numbered:
        return list(panels)
    made.notes.append(
        f"{run_labels.plural(timed.count(False), 'series')} without times cannot stand beside those with times: left out."
    )
    kept = [CandidatePanel(p.metric, p.subject, tuple(pair for pair in p.rows if pair[1].span is not None)) for p in panels]
    return [panel for panel in kept if panel.rows]


def _extent(alignment: Alignment, row: TimeSeries) -> tuple[float, float]:
    if row.span is None:
        return (1.0, float(row.points))
    shift = alignment.shifts[row.pk]
    return (shift, shift + row.span)


def _window(
    query: CurveQuery, whole: tuple[float, float], spans: Sequence[Span], aligned: Mapping[int, Alignment]
) -> tuple[float, float]:
    """What the address asks for; else the runs with a margin, where their length is known, else all of the time."""
    low, high = whole
    lengths = [span.seconds for span in spans if span.run in aligned and aligned[span.run].zero == "run"]
    if len(lengths) == len(aligned) and all(lengths) and query.low is None and query.high is None:
        longest = max(length for length in lengths if length)
        around = (max(low, -_MARGIN * longest), min(high, (1 + _MARGIN) * longest))
        low, high = around if around[0] < around[1] else whole
    low = query.low if query.low is not None else low
    high = query.high if query.high is not None else high
    return (low, high) if low < high else (low, low + 1.0)


def _read(
    made: Drawn, query: CurveQuery, panels: Sequence[CandidatePanel], aligned: Mapping[int, Alignment], most_read: int
) -> list[_Panel]:
    """The panels with the points of their window; those of zeros alone are left out unless the address names subjects."""
    read, left = bound(panels, MAX_CANDIDATES, most_read)
    curves = sum(sorted((len(panel.rows) for panel in read), reverse=True)[:MAX_PANELS])
    made.most = max(2, min(MOST, MAX_DRAWN // max(1, curves)))
    most = MAX_BAND_POINTS if query.bands else made.most
    found, idle, empty, single = list[_Panel](), list[str](), 0, 0
    several = len({panel.metric for panel in read}) > 1
    for at, (panel, rows) in enumerate(read_in_turn(read), 1):
        made_panel = _Panel(panel.metric, panel.subject, [])
        for run, row in rows:
            curve = thin(stored.iter_blocks(row), aligned[run].shifts[row.pk], *made.window, most)
            made_panel.curves.append((run, row, curve))
        if not any(curve.t for _, _, curve in made_panel.curves):
            empty += 1
        elif all(len(curve.t) < 2 for _, _, curve in made_panel.curves):
            single += 1
        elif not query.subjects and len(panels) > 1 and not any(value for _, _, curve in made_panel.curves for value in curve.v):
            idle.append(" ".join(filter(None, (panel.metric if several or not panel.subject else "", panel.subject))))
        else:
            found.append(made_panel)
        if len(found) == MAX_PANELS:
            left += len(read) - at
            break
    if not found and idle:  # zero is an answer, too
        return _read(made, query.changed(subjects=(read[0].subject,)), panels[:1], aligned, most_read)
    made.notes += run_labels.describe_omissions(idle, empty, left)
    made.notes += [f"{run_labels.plural(single, 'series')} with a single point in this time: no curve."] if single else []
    return found


def _tools(panels: Sequence[_Panel]) -> bool:
    """Whether a run has curves of several tools in one panel."""
    return any(len({row.tool for _, row, _ in panel.curves}) > 1 for panel in panels)


def _draw_panel(made: Drawn, query: CurveQuery, source: CurveSource, panel: _Panel, shared: _Shared) -> None:
    values = [value for _, _, curve in panel.curves for value in curve.v]
    is_log = query.log and all(value > 0 for value in values)
    notes = [] if is_log or not query.log else ["Values of zero have no place on a logarithmic scale: it is linear."]
    curves, series, rows = _joined(panel, shared, made, notes) if query.bands else ([], [], [])
    if not curves:
        curves, series, rows = _single(panel, shared)
        notes += run_labels.describe_thinning([curve for _, _, curve in panel.curves])
    notes += run_labels.describe_gaps(curves, made.is_numbered)
    figure: Figure = {
        "kind": "time",
        "title": _title(panel),
        "subtitle": "",
        "unit": shared.unit,
        "better": "",
        "scale": "log" if is_log else "linear",
        "x": {
            "label": run_labels.axis_label(shared.aligned, made.is_numbered),
            "values": [],
            "scale": "linear",
            "low": made.window[0],
            "high": made.window[1],
        },
        "series": series,
        "groups": [],
        "notes": notes,
        "legend": shared.label.dimension,
        "curves": curves,
        "phases": _phases(made, source, shared.aligned, panel),
    }
    made.figures.append(figure)
    made.tables.append(rows)


def _title(panel: _Panel) -> str:
    label = metric_label(panel.metric)
    return f"{label}: {panel.subject}" if panel.subject else label


def _single(panel: _Panel, shared: _Shared) -> tuple[list[CurvePoints], list[Series], list[CurveRow]]:
    """A curve for each series."""
    label, factor = shared.label, shared.factor
    series, place = label.series([(run, row.tool) for run, row, _ in panel.curves])
    curves, rows = list[CurvePoints](), list[CurveRow]()
    for run, row, curve in panel.curves:
        if not curve.t:
            continue
        curves.append(
            {
                "series": place[run, row.tool],
                "t": [round(time, 6) for time in curve.t],
                "v": [_rounded(value / factor) for value in curve.v],
                "breaks": curve.breaks,
                "total": curve.total,
                "raw": file_address(row.archive_id, row.file.path),
                "lines": curve.lines,
            }
        )
        rows.append(CurveRow(run, label.name(run, row.tool), row, curve, factor))
    return curves, series, rows


def _joined(
    panel: _Panel, shared: _Shared, drawn: Drawn, notes: list[str]
) -> tuple[list[CurvePoints], list[Series], list[CurveRow]]:
    """A band for each configuration with several runs; nothing where there is none, or where the points are too many."""
    label, factor = shared.label, shared.factor
    groups: dict[tuple[str, str], list[tuple[int, TimeSeries, Curve]]] = {}
    for run, row, curve in panel.curves:
        groups.setdefault((label.configuration(run), row.tool), []).append((run, row, curve))
    if any(curve.is_thinned for _, _, curve in panel.curves):
        notes.append(f"Runs with more than {numbers.count(MAX_BAND_POINTS)} points are not joined: choose a shorter time.")
        _thin_again(panel, drawn.most)
        return [], [], []
    made = {key: points.join([curve for _, _, curve in group], *drawn.window) for key, group in groups.items()}
    joined = {key: band for key, band in made.items() if band is not None}
    if not joined:
        notes.append("No configuration has two runs here: nothing can be joined.")
        _thin_again(panel, drawn.most)
        return [], [], []
    series, curves, rows = label.bands(list(joined)), list[CurvePoints](), list[CurveRow]()
    for place, (key, band) in enumerate(joined.items()):
        curves.append(
            {
                "series": place,
                "t": [round(time, 6) for time in band.t],
                "v": [_rounded(value / factor) for value in band.v],
                "low": [_rounded(value / factor) for value in band.low],
                "high": [_rounded(value / factor) for value in band.high],
                "n": band.n,
                "breaks": band.breaks,
                "total": sum(curve.total for _, _, curve in groups[key]),
            }
        )
        rows += [CurveRow(run, label.name(run, row.tool), row, curve, factor) for run, row, curve in groups[key] if curve.t]
    alone = len(groups) - len(joined)
    notes += run_labels.describe_bands([len(groups[key]) for key in joined], list(joined.values()), alone)
    return curves, series, rows


def _thin_again(panel: _Panel, most: int) -> None:
    """Keep as many points as single curves have."""
    for at, (run, row, curve) in enumerate(panel.curves):
        if curve.t:
            block = stored.StoredPoints(curve.t, curve.v, curve.lines)
            again = thin([block], 0.0, curve.t[0], curve.t[-1], most)
            again.total, again.step = curve.total, curve.step
            panel.curves[at] = (run, row, again)


def _rounded(value: float) -> float:
    """Six significant digits: more than any drawing shows."""
    return float(f"{value:.6g}")


def _phases(made: Drawn, source: CurveSource, aligned: Mapping[int, Alignment], panel: _Panel) -> list[TimePhase]:
    """The runs whose start and length are known, within the window: a single run and those beside it, or each of several."""
    if made.is_numbered:
        return []
    found = list[TimePhase]()
    runs = list(dict.fromkeys(run for run, _, _ in panel.curves))
    for run in runs:
        spans = [source.spans[run], *(source.beside if len(runs) == 1 else ())]
        for span in spans:
            start = seconds_from(aligned[run].origin, span.start)
            if start is None or not span.seconds:
                continue
            phase: TimePhase = {"name": span.name, "start": round(start, 6), "end": round(start + span.seconds, 6)}
            if phase["end"] > made.window[0] and phase["start"] < made.window[1]:
                found.append(phase)
    if len(runs) > 1:
        return _shared_phases(found)
    return sorted(found, key=lambda phase: phase["start"])


def _shared_phases(found: list[TimePhase]) -> list[TimePhase]:
    """One phase where all runs did the same: from the last start to the first end; else none."""
    if not found or len({phase["name"] for phase in found}) > 1:
        return []
    start, end = max(phase["start"] for phase in found), min(phase["end"] for phase in found)
    return [{"name": found[0]["name"], "start": start, "end": end}] if start < end else []


def _share_scale(figures: Sequence[Figure]) -> None:
    """One scale for the panels of a metric."""
    values = [value for figure in figures for value in curve_values(figure)]
    for figure in figures if len(figures) > 1 else ():
        figure["top"], figure["bottom"] = max(values), min(values)
