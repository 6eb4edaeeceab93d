"""A comparison -> the curves beside the runs of its groups, or their distributions, under the names that it gives the runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from webapp.comparison.dimensions import DIMENSIONS, value_label
from webapp.comparison.groups import MAX_POINTS
from webapp.comparison.model import Comparison, Group
from webapp.comparison.selection import CURVES, METRIC, Selection
from webapp.curves import distributions, drawing, queries, rounds, words
from webapp.curves.address import MAX_RUNS, CurveQuery
from webapp.curves.choosing import Chosen
from webapp.curves.distributions import DrawnDistributions
from webapp.curves.drawing import CurveSource, Drawn
from webapp.figures import naming
from webapp.figures.notes import print_notes
from webapp.figures.plain import Figure
from webapp.models import Run, TimeSeries
from webapp.storage import series
from webapp.storage.series import parse_moment

TIME = "time"
_CANDIDATES = 4 * MAX_RUNS
"""Runs that are looked at to find those beside which anything stands."""
_JUDGED = 12
"""Groups up to which the steady state of each is named."""


@dataclass(frozen=True, slots=True)
class ComparedCurves:
    """What is drawn of a comparison. `query`: the same runs at `/series`."""

    kind: str
    query: CurveQuery
    drawn: Drawn | DrawnDistributions
    runs: Sequence[Run] = ()

    @property
    def figures(self) -> list[Figure]:
        return self.drawn.figures

    @property
    def notes(self) -> list[str]:
        """Everything that is noted beneath the figures, once."""
        return print_notes(self.figures, self.drawn.notes)


def draw_compared(comparison: Comparison) -> ComparedCurves | None:
    """The figures of a comparison whose kind is one of curves, else None. Series are read of as many runs as are drawn, and of as
    many again while there are too few that have any."""
    selection = comparison.selection
    if selection.kind not in CURVES:
        return None
    groups = [group for panel in comparison.panels for group in panel.groups]
    run_of = queries.runs_of_values({point.id for group in groups for point in group.points[:MAX_POINTS]})
    of_groups = [_runs_of(group, run_of) for group in groups]
    names = _place(selection, groups, of_groups)
    order = list(dict.fromkeys(pk for some in zip_longest(*of_groups) for pk in some if pk is not None))
    candidates = queries.read_runs(order[:_CANDIDATES])
    found: dict[int, list[TimeSeries]] = {}
    with_any: list[Run] = []
    while len(with_any) < MAX_RUNS and len(found) < len(candidates):
        further = candidates[len(found) : len(found) + MAX_RUNS]
        found |= series.for_runs(further)
        with_any += [run for run in further if found[run.pk] or selection.kind == distributions.PERCENTILES]
    runs = with_any[:MAX_RUNS]
    query = CurveQuery(tuple(run.pk for run in runs), log=selection.scale == "log", bands=_are_repeated(runs, of_groups))
    if not runs:
        return ComparedCurves(selection.kind, query, Drawn(Chosen((), (), (), ())))
    source = queries.read_source(runs, {run.pk: found[run.pk] for run in runs})
    if names is not None:
        source = replace(source, placed=names, dimension=_axes(selection))
    drawn = _draw(selection.kind, query, source)
    drawn.notes += _describe_choice(len(order), len(found), len(with_any), len(runs), selection.kind)
    drawn.notes += _describe_steadiness(selection, groups, run_of, {run.pk: run for run in candidates})
    drawn.notes += _describe_missing(selection, groups, of_groups, {run.pk for run in runs})
    return ComparedCurves(selection.kind, query, drawn, runs)


def draw_runs(runs: Sequence[Run], query: CurveQuery, kind: str, load: str = "", width: float = rounds.ROUND) -> ComparedCurves:
    """The figures of these runs, as `/series` and `/series/distribution` draw them. `width`: seconds of a round."""
    return ComparedCurves(kind, query, _draw(kind, query, queries.read_source(runs), load, width), runs)


def _draw(
    kind: str, query: CurveQuery, source: CurveSource, load: str = "", width: float = rounds.ROUND
) -> Drawn | DrawnDistributions:
    if kind == TIME:
        return drawing.draw(query, source)
    return distributions.draw(query, kind, source, load, width)


def _runs_of(group: Group, run_of: Mapping[int, int]) -> list[int]:
    """The runs of the shown values of a group, in their order."""
    return list(dict.fromkeys(run_of[point.id] for point in group.points if point.id in run_of))


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
    missing = dict.fromkeys(name for group, runs in pairs if not {*runs}.intersection(drawn) and (name := _name(selection, group)))
    return [f"No curve of {words.listed(list(missing))}."] if missing else []


def _describe_steadiness(
    selection: Selection, groups: Sequence[Group], run_of: Mapping[int, int], runs: Mapping[int, Run]
) -> list[str]:
    """Whether repeated runs of each group reached a steady state, where each has one value and all starts are known and differ,
    by clocks of one kind; of one machine and configuration, and of all of its runs."""
    found = []
    for group in groups if len(groups) <= _JUDGED else ():
        timed = [
            (parse_moment(runs[pk].started_at), point.value) for point in group.points if (pk := run_of.get(point.id, 0)) in runs
        ]
        starts = [start for start, _ in timed if start is not None]
        is_whole = len(timed) == group.runs == len(set(starts)) and len({start.tzinfo is None for start in starts}) == 1
        if is_whole and group.machines == group.configurations == 1 and len(timed) > 1:
            values = [value for _, value in sorted((start, value) for start, value in timed if start is not None)]
            found.append(f"{_name(selection, group) or 'these runs'} {rounds.describe_runs(values)}")
    return [rounds.RUNS_METHOD.format("; ".join(found))] if found else []


def _describe_choice(every: int, looked: int, with_any: int, drawn: int, kind: str) -> list[str]:
    """Which runs of the comparison are not drawn."""
    without = looked - with_any
    notes = []
    if without and kind != distributions.PERCENTILES:
        notes.append(
            f"{words.plural(without, 'run')} of {looked} without numbers over time beside {'it' if without == 1 else 'them'}."
        )
    if with_any > drawn or every > looked:
        notes.append(f"Of {words.plural(every, 'run')} {drawn} are drawn, in turn from each group.")
    return notes
