"""Runs with their series -> plain figures of the kinds `cdf` and `histogram`, one for each quantity and device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

import numpy as np

from ingest.series_catalogue import SERIES_METRICS
from webapp.curves import counting, percentiles, run_labels
from webapp.curves.address import MAX_PANELS, CandidatePanel, Chosen, CurveQuery, bound, choose, read_in_turn
from webapp.curves.drawing import CurveSource, align_runs
from webapp.curves.percentiles import PercentileValue
from webapp.curves.points import RUN, Alignment
from webapp.figures import naming
from webapp.figures.plain import CURVE_LABELS, CurvePoints, Figure, Series
from webapp.files.addresses import line_address
from webapp.models import Run, TimeSeries
from webapp.storage import series as stored

CDF, HISTOGRAM, PERCENTILES, LOAD = "cdf", "histogram", "percentiles", "load"
OF_LATENCIES = (PERCENTILES, LOAD)
"""Kinds that are drawn of what the outputs print, without series."""
KINDS = {kind: CURVE_LABELS[kind] for kind in (CDF, HISTOGRAM, *OF_LATENCIES)}
_NO_LOG = ["Values of zero or less have no place on a logarithmic scale: it is linear."]
WHAT_POINTS_ARE = (
    "Every point that the tool printed in this time is counted. Where a tool prints means over intervals, these are the points, "
    "and single operations were faster and slower."
)


@dataclass(frozen=True, slots=True)
class DistributionRow:
    """A series of the table, in the unit of its figure. `quantiles`: None where too many points would have to be sorted."""

    run: int
    name: str
    row: TimeSeries
    address: str
    n: int
    lowest: float
    quantiles: list[float | None]
    highest: float
    steady: str


@dataclass(slots=True)
class DrawnDistributions:
    """Figures with the rows of the table of each, what can be chosen, and notes. `values`: the percentiles over load."""

    chosen: Chosen
    values: list[PercentileValue] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[list[DistributionRow]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Counted:
    """The points of a series within its window (in its own times), and what was found of them."""

    run: int
    row: TimeSeries
    low: float
    high: float
    extent: counting.Extent

    def blocks(self) -> Iterator[Sequence[float]]:
        for block in stored.iter_blocks(self.row):
            if block.t is None:
                yield block.v
            else:
                times = np.asarray(block.t)
                yield np.asarray(block.v)[(times >= self.low) & (times <= self.high)]  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class _Pool:
    """The points of one run, or those of all repetitions together."""

    members: Sequence[_Counted]

    @property
    def extent(self) -> counting.Extent:
        return reduce(or_, (one.extent for one in self.members))

    def blocks(self) -> Iterator[Sequence[float]]:
        for one in self.members:
            yield from one.blocks()


def draw(query: CurveQuery, kind: str, source: CurveSource, load: str = "", width: float = counting.ROUND) -> DrawnDistributions:
    """The figures that an address asks for. `load`: what percentiles lie over; `width`: seconds of a round of the steady state."""
    if kind in OF_LATENCIES:
        return _draw_percentiles(query, source, load, kind == LOAD)
    aligned = align_runs(source.runs, source.series)
    chosen = choose(query, source.series, source.spans[source.runs[0].pk].name if source.runs else "")
    made = DrawnDistributions(chosen, notes=[*chosen.problems])
    panels = _read(made, query, chosen.panels, source, aligned)
    if not panels:
        return made
    several = any(len({one.row.tool for one in counted}) > 1 for _, counted in panels)
    label = source.label(several)
    shared = _Shared(kind, query.log, label, aligned, width, query.bands)
    for panel, counted in panels:
        _draw_panel(made, panel, counted, shared)
    made.notes += [_describe_window(query, source, aligned), WHAT_POINTS_ARE, counting.METHOD.format(f"{width:g}")]
    made.notes += run_labels.describe_alignment(source.runs, aligned)
    return made


def _draw_percentiles(query: CurveQuery, source: CurveSource, load: str, over_rate: bool) -> DrawnDistributions:
    """The percentiles over load of measurements of the runs, or (`over_rate`) their load-latency curves."""
    chosen = choose(query, source.series, "")
    values, is_cut = percentiles.read_values(source.runs, with_means=over_rate)
    values = [one for one in values if source.latencies is None or (one.operation, one.part) in source.latencies]
    made = DrawnDistributions(chosen, values, notes=[percentiles.CUT] if is_cut else [])
    over_load, whole = (source.label(with_tools=False, without=without) for without in (percentiles.LOAD_PARAMS, ()))
    dimension = (over_load if over_rate else whole).dimension or "Run"
    names = percentiles.RunNames(over_load.bases, whole.bases, dimension)
    if over_rate:
        made.figures = percentiles.draw_loads(made.values, source.statistic, names)
    else:
        made.figures = percentiles.draw(made.values, load, names)
    made.tables = [[] for _ in made.figures]
    if not made.values:
        made.notes.append("No output of these runs prints percentiles of a latency.")
    elif not made.figures and over_rate:
        made.notes.append(percentiles.TOO_FEW_LEVELS)
    elif not made.figures:
        over = percentiles.LOADS.get(load, percentiles.PERCENTILE).lower()
        made.notes.append(f"A line needs two points, and these runs have no two values of {over}.")
    return made


def window(query: CurveQuery, run: Run, source: CurveSource, aligned: Mapping[int, Alignment]) -> tuple[float, float]:
    """Seconds since the start of a run between which its points count: those of the address, else the run, where its length is
    known."""
    seconds = source.spans[run.pk].seconds
    is_known = aligned[run.pk].zero == RUN and bool(seconds) and query.low is None and query.high is None
    low = query.low if query.low is not None else 0.0 if is_known else float("-inf")
    return low, query.high if query.high is not None else float(seconds or 0) if is_known else float("inf")


def _describe_window(query: CurveQuery, source: CurveSource, aligned: Mapping[int, Alignment]) -> str:
    if query.low is not None or query.high is not None:
        ends = (
            ("the begin" if query.low is None else f"{query.low:g} s"),
            ("the end" if query.high is None else f"{query.high:g} s"),
        )
        untimed = any(row.span is None for rows in source.series.values() for row in rows)
        return f"Points from {ends[0]} to {ends[1]}{'; all of series without times' if untimed else ''}."
    limited = [pk for pk in aligned if window(query, next(run for run in source.runs if run.pk == pk), source, aligned)[0] == 0.0]
    whole = "all points of the files"
    if len(limited) == len(aligned):
        return "Points between the start and the end of each run."
    return f"The length of a run is not known: {whole}." if not limited else f"Of runs whose length is not known {whole}."


def _read(
    made: DrawnDistributions,
    query: CurveQuery,
    panels: Sequence[CandidatePanel],
    source: CurveSource,
    aligned: Mapping[int, Alignment],
) -> list[tuple[CandidatePanel, list[_Counted]]]:
    """The panels with points, without those that are zero throughout unless the address asks for them."""
    read, left = bound(panels, 2 * MAX_PANELS)
    runs = {run.pk: run for run in source.runs}
    found, idle, empty = list[tuple[CandidatePanel, list[_Counted]]](), list[str](), 0
    for at, (panel, rows) in enumerate(read_in_turn(read), 1):
        counted = [_count(row, runs[run], query, source, aligned) for run, row in rows]
        counted = [one for one in counted if one.extent.n]
        if not counted:
            empty += 1
        elif not query.subjects and len(panels) > 1 and not any(one.extent.low or one.extent.high for one in counted):
            idle.append(panel.subject or panel.metric)
        else:
            found.append((panel, counted))
        if len(found) == MAX_PANELS:
            left += len(read) - at
            break
    if not found and idle:  # zero is an answer, too
        return _read(made, query.changed(subjects=(read[0].subject,)), read[:1], source, aligned)
    made.notes += run_labels.describe_omissions(idle, empty, left)
    return found


def _count(row: TimeSeries, run: Run, query: CurveQuery, source: CurveSource, aligned: Mapping[int, Alignment]) -> _Counted:
    low, high = window(query, run, source, aligned)
    shift = aligned[run.pk].shifts[row.pk]
    one = _Counted(run.pk, row, low - shift, high - shift, counting.Extent())
    return _Counted(one.run, row, one.low, one.high, counting.find_extent(one.blocks))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all panels share. `width`: seconds of a round. `is_pooled`: the points of repetitions are one distribution."""

    kind: str
    log: bool
    label: run_labels.RunLabels
    aligned: Mapping[int, Alignment]
    width: float
    is_pooled: bool

    def pools(self, counted: Sequence[_Counted]) -> tuple[list[Series], list[tuple[int, _Pool]]]:
        """The series of a panel, and the points of each curve with the place of its series."""
        if self.is_pooled:
            groups: dict[tuple[str, str], list[_Counted]] = {}
            for one in counted:
                groups.setdefault((self.label.configuration(one.run), one.row.tool), []).append(one)
            return self.label.bands(list(groups)), list(enumerate(map(_Pool, groups.values())))
        series, place = self.label.series([(one.run, one.row.tool) for one in counted])
        return series, [(place[one.run, one.row.tool], _Pool([one])) for one in counted]


def _draw_panel(made: DrawnDistributions, panel: CandidatePanel, counted: Sequence[_Counted], shared: _Shared) -> None:
    kind, label = shared.kind, shared.label
    extent = counting.Extent()
    for one in counted:
        extent |= one.extent
    unit, factor = naming.fitting_unit(counted[0].row.unit, extent.high)
    is_log = shared.log and extent.low > 0
    series, pools = shared.pools(counted)
    edges = counting.round_edges(extent, is_log, factor) if kind == HISTOGRAM else counting.fine_edges(extent, is_log)
    curves: list[CurvePoints] = []
    rows: list[DistributionRow] = []
    for place, pool in pools:
        curves.append((_histogram if kind == HISTOGRAM else _function)(pool, place, edges, factor))
    for one in counted:
        shift = shared.aligned[one.run].shifts[one.row.pk]
        rows.append(_row(one, label.name(one.run, one.row.tool), extent, factor, _steadiness(one, shift, shared.width)))
    notes = [] if is_log or not shared.log else _NO_LOG[:]
    if any(len(pool.members) > 1 for _, pool in pools):
        counts = ", ".join(str(len(pool.members)) for _, pool in pools)
        notes.append(f"The points of repeated runs are counted together (n = {counts}).")
    low, high = float(edges[0]) / factor, float(edges[-1]) / factor
    made.tables.append(rows)
    made.figures.append(
        {
            "kind": kind,
            "title": _title(panel),
            "subtitle": "",
            "unit": "% of the points" if kind == HISTOGRAM else "% of the points, cumulative",
            "better": "",
            "scale": "linear",
            "x": {
                "label": unit,
                "values": [],
                "scale": "log" if is_log and low < high else "linear",
                "low": low if low < high else low - 1.0,
                "high": high if low < high else high + 1.0,
            },
            "series": series,
            "groups": [],
            "notes": notes,
            "legend": label.dimension,
            "curves": curves,
        }
    )


def _title(panel: CandidatePanel) -> str:
    metric = SERIES_METRICS.get(panel.metric)
    label = metric.label if metric else panel.metric
    return f"{label}: {panel.subject}" if panel.subject else label


def _function(one: _Pool, series: int, edges: np.ndarray, factor: float) -> CurvePoints:
    """Steps at the different values where they are few, else the share at each edge."""
    shares = counting.count(one.blocks, edges).shares()
    t, v = [float(edges[0]) / factor], [0.0]
    for at, (edge, share) in enumerate(zip(edges, shares, strict=True)):
        if at and len(edges) < counting.MAX_EDGES:
            t.append(float(edge) / factor)
            v.append(v[-1])
        t.append(float(edge) / factor)
        v.append(share)
    return _curve(series, t, v, one)


def _histogram(one: _Pool, series: int, edges: np.ndarray, factor: float) -> CurvePoints:
    """The outline of the bins, filled."""
    shares = [float(number) * 100 / one.extent.n for number in counting.count_bins(one.blocks, edges)]
    t = [float(edge) / factor for edge in np.repeat(edges, 2)]
    v = [0.0, *(share for share in shares for _ in range(2)), 0.0]
    made = _curve(series, t, v, one)
    made["low"], made["high"], made["n"] = [0.0] * len(v), list(made["v"]), [one.extent.n] * len(v)
    return made


def _curve(series: int, t: list[float], v: list[float], one: _Pool) -> CurvePoints:
    return {
        "series": series,
        "t": list(map(_rounded, t)),
        "v": list(map(_rounded, v)),
        "breaks": [],
        "total": one.extent.n,
    }


def _rounded(value: float) -> float:
    """Without the noise of binary fractions that the change of the unit adds."""
    return float(f"{value:.9g}")


def _row(one: _Counted, name: str, extent: counting.Extent, factor: float, steady: str) -> DistributionRow:
    counted = counting.count(one.blocks, counting.fine_edges(extent, extent.low > 0))
    quantiles = [None if value is None else _rounded(value / factor) for value in counting.find_quantiles(one.blocks, counted)]
    address = line_address(one.row.archive_id, one.row.file.path, one.row.first_line)
    return DistributionRow(
        run=one.run,
        name=name,
        row=one.row,
        address=address,
        n=one.extent.n,
        lowest=_rounded(one.extent.low / factor),
        quantiles=quantiles,
        highest=_rounded(one.extent.high / factor),
        steady=steady,
    )


def _steadiness(one: _Counted, shift: float, width: float) -> str:
    span = one.row.span
    if span is None:
        return "cannot tell: no times"
    step = span / (one.row.points - 1) if one.row.points > 1 else None
    found = counting.find(stored.iter_blocks(one.row), max(one.low, 0.0), one.high, step, width)
    assert found is not None
    return replace(found, start=found.start + shift).describe()
