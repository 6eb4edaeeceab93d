"""A comparison -> the curves beside the runs of its groups, or their distributions, under the names that it gives the runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import AGGREGATE, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.model import Comparison, Group
from webapp.comparison.question import MAX_POINTS
from webapp.comparison.selection import CURVES, METRIC, Selection
from webapp.curves import counting, distributions, drawing, queries, run_labels
from webapp.curves.address import MAX_RUNS, Chosen, CurveQuery, of_result
from webapp.curves.distributions import DrawnDistributions
from webapp.curves.drawing import CurveSource, Drawn
from webapp.curves.percentiles import LOAD_PARAMS, TOO_FEW_LEVELS
from webapp.figures import naming
from webapp.figures.notes import print_notes
from webapp.figures.plain import Figure
from webapp.models import Run, TimeSeries
from webapp.storage import series
from webapp.storage.series import parse_moment

TIME = "time"
_CANDIDATES = 4 * MAX_RUNS
"""Runs that are looked at to find those beside which anything stands."""
_INSTEAD = "Bars are drawn instead."
_JUDGED = 12
"""Groups up to which the steady state of each is named."""


@dataclass(frozen=True, slots=True)
class ComparedCurves:
    """What is drawn of a comparison. `query`: the same runs at `/series`. `lack`: why nothing is."""

    kind: str
    query: CurveQuery
    drawn: Drawn | DrawnDistributions
    runs: Sequence[Run] = ()
    lack: str = ""

    @property
    def figures(self) -> list[Figure]:
        return self.drawn.figures

    @property
    def notes(self) -> list[str]:
        """Everything that is noted beneath the figures, once."""
        return print_notes(self.figures, [*([self.lack] if self.lack else []), *self.drawn.notes])


def draw_compared(comparison: Comparison) -> ComparedCurves | None:
    """The figures of a comparison whose kind is one of curves, else None. Series are read of as many runs as are drawn, and of as
    many again while there are too few that have any."""
    selection, kind = comparison.selection, comparison.selection.kind
    if kind not in CURVES:
        return None
    compared = list(dict.fromkeys(metric for panel in comparison.panels for metric in panel.metrics))
    groups = [group for group in comparison.groups if may_have_curves(kind, group.metric)]
    run_of = queries.runs_of_values({point.id for group in groups for point in group.points[:MAX_POINTS]})
    of_groups = [_runs_of(group, run_of) for group in groups]
    part = dict(comparison.workload).get("part", "").replace(UNKNOWN, "")
    found = _find_curves(kind, part, groups, of_groups, run_of)
    if not found.runs:
        query = CurveQuery(tuple(found.beside[:MAX_RUNS]))
        return ComparedCurves(kind, query, Drawn(Chosen((), (), (), ())), lack=_describe_lack(kind, compared, bool(found.beside)))
    log, bands = selection.scale == "log", _are_repeated(found.runs, of_groups)
    query = CurveQuery(tuple(run.pk for run in found.runs), tuple(found.metrics), log=log, bands=bands)
    source = replace(queries.read_source(found.runs, found.series), latencies=_latencies(groups, part))
    source = replace(source, statistic=dict(comparison.workload).get(AGGREGATE, ""))
    named = selection
    if kind in distributions.OF_LATENCIES:  # an axis shows the load
        named = named.changed(**{axis: "" for axis in ("x", "series") if getattr(selection, axis) in LOAD_PARAMS})
    names = _place(named, groups, of_groups)
    if names is not None:
        source = replace(source, placed=names, dimension=_axes(named))
    drawn = _draw(kind, query, source)
    if kind not in distributions.OF_LATENCIES and (without := [metric for metric in compared if metric not in found.results]):
        drawn.notes.append(f"No numbers over time of {_listed(without)}.")
    if names is None and any(_name(named, group) for group in groups):
        drawn.notes.append("A run has several of these groups: each curve is of a whole run.")
    drawn.notes += _describe_choice(found, kind)
    if kind != distributions.LOAD:
        drawn.notes += _describe_steadiness(selection, groups, run_of, {run.pk: run for run in found.candidates})
    drawn.notes += _describe_missing(selection, groups, of_groups, {run.pk for run in found.runs})
    return ComparedCurves(
        kind, query, drawn, found.runs, "" if drawn.figures else _describe_lack(kind, compared, bool(found.beside))
    )


@dataclass(slots=True)
class _FoundCurves:
    """The runs that are drawn, of `every` run of the groups the `candidates`, of these the number that was `looked` at and that
    `with_any`; the series of each run that are of the results compared. `metrics` of these series, the `results` that have any,
    and the runs that any series stand `beside`."""

    candidates: Sequence[Run]
    every: int
    looked: int = 0
    with_any: int = 0
    runs: Sequence[Run] = ()
    series: Mapping[int, list[TimeSeries]] = field(default_factory=dict)
    metrics: Sequence[str] = ()
    results: Collection[str] = ()
    beside: list[int] = field(default_factory=list)


def _find_curves(
    kind: str,
    part: str,
    groups: Sequence[Group],
    of_groups: Sequence[Sequence[int]],
    run_of: Mapping[int, tuple[int, str]],
) -> _FoundCurves:
    """What stands beside the runs of the groups of the same quantity and operation as their values. `part`: of latencies."""
    order = list(dict.fromkeys(pk for some in zip_longest(*of_groups) for pk in some if pk is not None))
    results: dict[int, list[str]] = {}
    for group, runs in zip(groups, of_groups, strict=True):
        for pk in runs:
            results.setdefault(pk, []).append(group.metric)
    made = _FoundCurves(queries.read_runs(order[:_CANDIDATES]), len(order))
    rows: dict[int, list[TimeSeries]] = {}
    with_any: list[Run] = []
    while len(with_any) < MAX_RUNS and len(rows) < len(made.candidates):
        further = made.candidates[len(rows) : len(rows) + MAX_RUNS]
        for pk, beside in series.for_runs(further).items():
            rows[pk] = _of_values(beside, pk, run_of)
            made.beside += [pk] if beside else []
        is_any = kind in distributions.OF_LATENCIES
        with_any += [run for run in further if is_any or _curves_of(results[run.pk], part, rows[run.pk])]
    made.looked, made.with_any, made.runs = len(rows), len(with_any), with_any[:MAX_RUNS]
    chosen = {
        metric: _curves_of([metric], part, [row for run in made.runs if metric in results[run.pk] for row in rows[run.pk]])
        for metric in dict.fromkeys(group.metric for group in groups)
    }
    made.metrics = list(dict.fromkeys(name for names in chosen.values() for name in names))
    made.results = {metric for metric, names in chosen.items() if names}
    wanted = {run.pk: {name for metric in results[run.pk] for name in chosen[metric]} for run in made.runs}
    made.series = {pk: [row for row in rows[pk] if row.metric in names] for pk, names in wanted.items()}
    return made


def may_have_curves(kind: str, metric: str) -> bool:
    """Whether curves of this kind can be of the metric: percentiles are of latencies."""
    return kind not in distributions.OF_LATENCIES or METRICS[metric].quantity == "latency"


def _curves_of(results: Iterable[str], part: str, rows: Iterable[TimeSeries]) -> list[str]:
    """The metrics of series among the rows that are of the same quantity and operation as these results."""
    known = {row.metric for row in rows}
    return [name for result in results for name in of_result(METRICS[result], part, known)]


def _latencies(groups: Iterable[Group], part: str) -> set[tuple[str, str]]:
    """(operation, part) of the percentiles that are of the results compared."""
    operations = {METRICS[group.metric].operation for group in groups}
    return {(operation, one) for operation in operations for one in ([part] if part else ["", "completion"])}


def _of_values(rows: list[TimeSeries], run: int, run_of: Mapping[int, tuple[int, str]]) -> list[TimeSeries]:
    """The series of the jobs whose values are compared, where these are no sums over all jobs of the run."""
    jobs = {job for pk, job in run_of.values() if pk == run}
    return rows if "" in jobs else series.of_jobs(rows, jobs)


def _describe_lack(kind: str, results: Sequence[str], is_beside: bool) -> str:
    """Why no curve is drawn, where there is anything to draw."""
    if not results:
        return ""
    if kind in distributions.OF_LATENCIES and not any(may_have_curves(kind, result) for result in results):
        drawn = "Percentiles" if kind == distributions.PERCENTILES else "Load-latency curves"
        return f"{drawn} are of latencies; {_listed(results)} is none. {_INSTEAD}"
    if kind == distributions.LOAD:
        return f"{TOO_FEW_LEVELS} {_INSTEAD}"
    if kind == distributions.PERCENTILES:
        return f"No output of these runs prints percentiles over a known load of {_listed(results)}. {_INSTEAD}"
    if is_beside:
        return f"Numbers over time stand beside these runs, but none of {_listed(results)}. {_INSTEAD}"
    return f"No numbers over time stand beside these runs. {_INSTEAD}"


def _listed(results: Sequence[str]) -> str:
    return "; ".join(METRICS[result].label for result in results)


def draw_runs(runs: Sequence[Run], query: CurveQuery, kind: str, load: str = "", width: float = counting.ROUND) -> ComparedCurves:
    """The figures of these runs, as `/series` and `/series/distribution` draw them. `width`: seconds of a round."""
    return ComparedCurves(kind, query, _draw(kind, query, queries.read_source(runs), load, width), runs)


def _draw(
    kind: str, query: CurveQuery, source: CurveSource, load: str = "", width: float = counting.ROUND
) -> Drawn | DrawnDistributions:
    if kind == TIME:
        return drawing.draw(query, source)
    return distributions.draw(query, kind, source, load, width)


def _runs_of(group: Group, run_of: Mapping[int, tuple[int, str]]) -> list[int]:
    """The runs of the shown values of a group, in their order."""
    return list(dict.fromkeys(run_of[point.id][0] for point in group.points if point.id in run_of))


def _place(selection: Selection, groups: Sequence[Group], of_groups: Sequence[Sequence[int]]) -> Mapping[int, str] | None:
    """What the axes of the comparison call each run; None where one run stands at several places of them."""
    names: dict[int, str] = {}
    for group, runs in zip(groups, of_groups, strict=True):
        for run in runs:
            if names.setdefault(run, _name(selection, group)) != _name(selection, group):
                return None
    return names if any(names.values()) else None


def _name(selection: Selection, group: Group) -> str:
    texts = [naming.x_label(selection, group.x)] if selection.x else []
    texts += [naming.series_label(selection, group.series)] if selection.series not in ("", METRIC) else []
    texts += [value_label(DIMENSIONS[selection.facet], group.facet)] if selection.facet in DIMENSIONS else []
    return ", ".join(filter(None, texts))


def _full_name(selection: Selection, group: Group) -> str:
    """The same with its metric, where there are several."""
    metric = METRICS[group.metric].label if len(selection.metrics) > 1 else ""
    return ", ".join(filter(None, (_name(selection, group), metric)))


def _axes(selection: Selection) -> str:
    """The name of what the names of the runs say, the title of a legend."""
    axes = [axis for axis in (selection.x, selection.series, selection.facet) if axis and axis != METRIC]
    return ", ".join(DIMENSIONS[axis].label if axis in DIMENSIONS else axis.capitalize() for axis in axes)


def _are_repeated(runs: Iterable[Run], of_groups: Sequence[Sequence[int]]) -> bool:
    """Whether of every group of which any runs are drawn there are at least two: they are joined then."""
    drawn = {run.pk for run in runs}
    counts = [count for some in of_groups if (count := len(drawn.intersection(some)))]
    return bool(counts) and min(counts) >= 2


def _describe_missing(
    selection: Selection, groups: Sequence[Group], of_groups: Sequence[Sequence[int]], drawn: Collection[int]
) -> list[str]:
    """The groups of which no run is drawn."""
    pairs = zip(groups, of_groups, strict=True)
    missing = dict.fromkeys(
        name for group, runs in pairs if not {*runs}.intersection(drawn) and (name := _full_name(selection, group))
    )
    return [f"No curve of {run_labels.listed(list(missing))}."] if missing else []


def _describe_steadiness(
    selection: Selection, groups: Sequence[Group], run_of: Mapping[int, tuple[int, str]], runs: Mapping[int, Run]
) -> list[str]:
    """Whether repeated runs of each group reached a steady state, where each has one value and all starts are known and differ,
    by clocks of one kind; of one machine and configuration, and of all of its runs."""
    found = []
    for group in groups if len(groups) <= _JUDGED else ():
        timed = [
            (parse_moment(runs[pk].started_at), point.value)
            for point in group.points
            if (pk := run_of.get(point.id, (0, ""))[0]) in runs
        ]
        starts = [start for start, _ in timed if start is not None]
        is_whole = len(timed) == group.runs == len(set(starts)) and len({start.tzinfo is None for start in starts}) == 1
        if is_whole and group.machines == group.configurations == 1 and len(timed) > 1:
            values = [value for _, value in sorted((start, value) for start, value in timed if start is not None)]
            found.append(f"{_full_name(selection, group) or 'these runs'} {counting.describe_runs(values)}")
    return [counting.RUNS_METHOD.format("; ".join(found))] if found else []


def _describe_choice(found: _FoundCurves, kind: str) -> list[str]:
    """Which runs of the comparison are not drawn."""
    without = found.looked - found.with_any
    notes = []
    if without and kind not in distributions.OF_LATENCIES:
        such, them = "such " if len(found.beside) > found.with_any else "", "it" if without == 1 else "them"
        notes.append(f"{run_labels.plural(without, 'run')} of {found.looked} without {such}numbers over time beside {them}.")
    if found.with_any > len(found.runs) or found.every > found.looked:
        notes.append(f"Of {run_labels.plural(found.every, 'run')} {len(found.runs)} are drawn, in turn from each group.")
    return notes
