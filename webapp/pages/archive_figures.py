"""What the page of an archive draws: its own figure, on the axis that differs within it, and the nearest published run beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl

from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from webapp.claims.observations import MEDIAN
from webapp.comparison.compare import compare
from webapp.comparison.compared_set import OPEN, ChosenRows, ComparedSet, find_along
from webapp.comparison.comparison import Comparison
from webapp.comparison.dimensions import DIMENSIONS, SOURCE, UNKNOWN, value_label
from webapp.comparison.groups import group_rows, read_observed_values
from webapp.comparison.question import accepted_scopes
from webapp.comparison.rows import Rows
from webapp.comparison.selection import Selection, parse, query_string
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.workloads import workload_label
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.row import AbsentRows, SummaryRow, Texts
from webapp.comparison.summary.source import RowSource
from webapp.http.isolation import run_isolated
from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.pages.card_page import list_standings
from webapp.pages.comparison_page import describe_heading
from webapp.pages.drawings import Drawing, make_drawings
from webapp.pages.sentences import summarise
from webapp.scorecard.normal import usual_metrics
from webapp.scorecard.places import WEIGHTY, A, B, Nearest, differing_settings, find_nearest
from webapp.scorecard.sides import BadSide, CardSide, read_side
from webapp.systems.system_index import say_name

MAX_SETTINGS = 12
"""Settings beyond the registered ones along which a figure is looked for."""
MAX_NAMED = 3
"""Parameters that the name of a bar has, where the workloads are unlike."""
_BY_WEIGHT = (
    "disk", "disks", "network", "fs", "stack", "layout", "compression", "memory", "cpu", "cores", "os", "os_version", "arch",
)  # fmt: skip
"""Core dimensions, those first in which storage differs most."""
_NO_AXES = ("part", "phase", "operation")


@dataclass(frozen=True, slots=True)
class OwnFigure:
    """What an archive's own runs show: a comparison within it, else its values by metric."""

    heading: str
    query: str
    drawings: list[Drawing]
    sentence: str


@dataclass(frozen=True, slots=True)
class BesideFigure:
    """The archive and the nearest published workload, neither judged.

    `named`: `64 MiB beside 512 MiB`. `is_alike`: whether the workload is the same. `differs`: (label, of the archive, of the
    published one), what matters most first.
    """

    drawing: Drawing
    metric: str
    named: str
    published: str
    configuration: int
    is_alike: bool
    differs: list[tuple[str, str, str]]


_cache = ProcessCache(4 * MB, estimate_bytes)


def draw(archive: int, originals: Sequence[int], user: Any, version: int) -> dict[str, Any]:
    """The context of the page: `figure`, `beside`, `standings`; a part that fails is left out. `originals`: the archives in which
    its outputs count."""
    key = version, archive, *originals, user.pk
    if (found := _cache.get(key)) is not None:
        return found
    try:
        side = read_side(f"archive:{','.join(map(str, (archive, *originals)))}", user, version)
    except BadSide:  # withdrawn
        return {}
    figure = run_isolated("own figure", archive, lambda: draw_own(side, user), lambda: None)
    metrics = parse(parse_qsl(figure.query)).metrics if figure else ()
    facts = {
        "figure": figure,
        "beside": run_isolated("nearest published workload", archive, lambda: draw_beside(side, metrics), lambda: None),
        **list_standings(side),
    }
    return _cache.put(key, facts)


def draw_own(side: CardSide, viewer: Any) -> OwnFigure | None:
    """The figure of the axis that differs within the side's archives, else of its values by metric; None without a number."""
    metrics = usual_metrics(side.source.count_metrics())
    reader.prefetch(side.question.version, [side.question.scopes.base, *accepted_scopes().sets], metrics)  # all at once
    asked = Selection(archives=side.archives)
    chosen = choose_axis(side.source, asked, metrics)
    comparison = compare(chosen or asked.changed(metrics=tuple(metrics)), viewer, version=side.question.version)
    drawings = [replace(drawing, id=f"own-{drawing.id}") for drawing in make_drawings(comparison)]
    if not metrics or not drawings:
        return None
    heading, query = describe_heading(comparison), query_string(comparison.selection)
    if chosen or any(len(one.figure["x"]["values"]) > 1 for one in drawings):
        return OwnFigure(heading, query, drawings, summarise(comparison))
    name = dict(comparison.workload).get("tool", "")
    x = {"label": "", "values": [name]}
    drawings = [
        replace(one, figure={**one.figure, "x": x}, summary=one.summary.replace(": unknown ", f": {name} ")) for one in drawings
    ]
    return OwnFigure(heading.rpartition(", per ")[0] if len(drawings) == 1 else "By metric", query, drawings, "")


def choose_axis(source: RowSource, asked: Selection, metrics: Sequence[str]) -> Selection | None:
    """The first metric with a set of the best kind, and the axis of the one that answers most; None where nothing differs.

    Settings come before options of tools, then whole systems, then parameters of the workload. No value is looked at.
    """
    axes = [(order, metric, axis) for metric in metrics for order, axis in _axes(source.read_columns((metric,)))]
    for (_, metric), group in groupby(sorted(axes, key=lambda found: found[0]), key=lambda found: found[:2]):
        of_metric, rows = asked.changed(metrics=(metric,)), source.read_columns((metric,))
        found = [(axis, *find_along(of_metric, rows, axis)) for *_, axis in group]
        if several := [(axis, rank) for axis, values, rank in found if values > 1]:
            return of_metric.changed(x=max(several, key=lambda item: item[1])[0])  # the first of equal ones
    return None


def _axes(rows: Columns) -> Iterator[tuple[int, str]]:
    """(place in the order of preference, dimension) of those in which the rows differ."""
    varying, settings = rows.varying_dimensions(), differing_settings(rows)
    registered = [name for name in core_keys.MAP_AXES if name in settings]
    yield from ((0, name) for name in registered)
    yield from ((0, name) for name in [name for name in settings if name not in registered][:MAX_SETTINGS])
    yield from ((1, name) for name in rows.dimensions.option_names if name in varying)
    yield from ((2, name) for name in core_keys.PLACES if name in varying)
    yield from ((3, name) for name in PARAMS if name in varying and name not in _NO_AXES)


def draw_beside(side: CardSide, first: Sequence[str] = ()) -> BesideFigure | None:
    """The archive beside the nearest published workload of its `first` metric that any accepted archive has, else of another; None
    where none has. At most three queries."""
    version = side.question.version
    public = RowSource(version, accepted_scopes())
    published = public.count_metrics()
    for metric in dict.fromkeys((*first, *usual_metrics(side.source.count_metrics()))):
        if metric not in published:
            continue
        own = side.source.read_columns((metric,))
        others = public.read_columns((metric,))
        # An accepted archive is no company to itself.
        counts = dict(zip(_keys(own), own.n.tolist(), strict=True))
        others = others.take(others.n > [counts.get(key, 0) for key in _keys(others)])
        if len(own) and len(others):
            return _draw_nearest(side, metric, find_nearest(Selection((metric,), x=SOURCE), own, others))
    return None


def _keys(rows: Columns) -> Iterator[tuple[int, int]]:
    """Configuration and workload of each row."""
    return zip(*(rows.ids(line).tolist() for line in (CONFIGURATION_INDEX, WORKLOAD_INDEX)), strict=True)


def _draw_nearest(side: CardSide, metric: str, near: Nearest) -> BesideFigure | None:
    version, base = side.question.version, side.question.scopes.base
    mine, theirs = reader.fill_values([(base, near.own.rows), (accepted_scopes().base, near.published.rows)])
    ids = {measurement for row in mine for measurement in row.ids}
    sides = [
        *(reader.with_source(row, A) for row in mine),
        *(reader.with_source(other, B) for row in theirs if (other := _without(row, ids)) is not None),
    ]
    rows = Columns(sides)
    selection = Selection((metric,), x=SOURCE, stat=MEDIAN, pool=near.differing)
    chosen = ChosenRows(rows, OPEN)
    stand_in = Rows(side.question, side.source, selection, True, {}, None, (), AbsentRows([], []))
    groups = group_rows(ComparedSet(stand_in, selection, selection, chosen, rows), rows, read_observed_values(rows, version, ""))
    if len(groups.panels) != 1 or len(groups.panels[0].groups) < 2:
        return None
    comparison = Comparison(selection, groups.panels, (), (), (), (), (), rows.total, 2, "", drawn=selection)
    [drawing] = make_drawings(comparison)
    pair = near.own.rows[0].texts, near.published.rows[0].texts
    said = {name: [_say(name, texts) for texts in pair] for name in (*near.differing, *_BY_WEIGHT)}
    names = [_name_bar(first, near, texts) for first, texts in zip(("this archive", "published"), pair, strict=True)]
    values = [f"{name}: {row.center} {drawing.unit}" for name, row in zip(names, drawing.rows, strict=True)]
    figure = {**drawing.figure, "x": {"label": "", "values": names}, "subtitle": workload_label(near.workloads[0], ())}
    summary = f"{drawing.title}, {drawing.better}: {'; '.join(values)}"
    return BesideFigure(
        replace(drawing, id="nearest", figure=figure, picture="", summary=summary),
        METRICS[metric].label,
        " beside ".join(names),
        say_name(pair[1]),
        near.published.rows[0].configuration,
        not near.differing,
        [(DIMENSIONS[name].label, one, other) for name, (one, other) in said.items() if one != other],
    )


def _name_bar(first: str, near: Nearest, texts: Texts) -> str:
    """`this archive: 64 MiB`; without a parameter where the workloads are alike."""
    words = workload_label([(name, texts.get(name, UNKNOWN)) for name in near.differing[:MAX_NAMED] if name in WEIGHTY], ())
    return f"{first}: {words}" if words else first


def _say(name: str, texts: Texts) -> str:
    """A value in words; of what a file system cannot have a dash."""
    text = texts.get(name, UNKNOWN)
    lacks = name in core_keys.CORE and text == UNKNOWN and not core_keys.is_asked_for(name, texts)
    return "–" if lacks else value_label(DIMENSIONS[name], text)


def _without(row: SummaryRow, ids: set[int]) -> SummaryRow | None:
    """A published row without the values of the archive itself."""
    pairs = [pair for pair in zip(row.values, row.ids, strict=True) if pair[1] not in ids]
    return row if len(pairs) == len(row.ids) else row.with_values(pairs) if pairs else None
