"""Rankings: their list, and a ranking as page, JSON and CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.catalogue import IOPS, LESS, METRICS, Metric
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.selection import Selection, query_string
from webapp.comparison.summary.provenance import ValueProvenance, read_lines
from webapp.comparison.summary.row import UnmeasuredRow
from webapp.figures import naming
from webapp.figures.notes import REASONS
from webapp.formats.sheets import make_rows, to_csv
from webapp.formatting import numbers
from webapp.http.page_cache import conditional
from webapp.pages.listing import Column, FacetKey, ListView, ShownList, filter_rows, matches_words, page_of
from webapp.scorecard.normal import MAX_SYSTEMS
from webapp.scorecard.ranked_systems import LEFT_FREE, MIN_SYSTEMS, RankedSystem, RankedWorkload, RankingSource, rank
from webapp.systems.system_index import say_name

_SIZE, _MAX_COLUMNS, _MAX_MINE = 25, 4, 5
_DIGITS, _LONGEST = 5, 40
_ROTATES = "block.rotational"
_CLASSES = ("fs", "nodes", "x.year", "x.country", "x.institution", "x.medium", _ROTATES, "disk", "cpu", "os")
_NAMED = ("host", "cpu", "cores", "memory", "disk", "disks", "layout")


@dataclass(frozen=True, slots=True)
class _Ranking:
    """A ranking as it is asked for. `ranked`: the systems of the chosen classes, `shown`: those of the search, by pages."""

    metric: Metric
    workload: RankedWorkload
    workloads: Sequence[RankedWorkload]
    every: Sequence[RankedSystem]
    ranked: Sequence[RankedSystem]
    shown: ShownList
    classes: Sequence[str]
    unmeasured: Sequence[UnmeasuredRow]
    """A run of each system that has none with a number; with filters or a search none are looked for."""


class _Row(NamedTuple):
    """A row as it is printed."""

    system: RankedSystem
    name: str
    place: str
    ends: Sequence[str]
    """The value, and the ends of its interval where it has one."""
    line: ValueProvenance | None
    cells: Sequence[str]


def _read(request, metric: str) -> _Ranking:
    """Http404 where the metric has no ranking. At most twelve queries."""
    source = RankingSource.of(request.data_version, request.user)
    workloads = source.find_workloads(metric) if metric in METRICS else []
    if not workloads:
        raise Http404(f"No workload of this metric was run on {MIN_SYSTEMS} systems or more. /rankings lists those that were.")
    workload = next((one for one in workloads if one.name == request.GET.get("workload")), workloads[0])
    every = source.read_systems(workload)
    facets = _find_classes(workload, every)
    view = ListView((Column("rank", "Rank", lambda one: one.rank),), facets, "rank", _SIZE)
    query = view.parse(request.GET, ("workload",))
    passing, choices = filter_rows(every, replace(query, q=""), facets, str)
    ranked = rank(passing)
    found = [one for one in ranked if matches_words(_searched(one), query.words)]
    shown = ShownList(query, every, found, page_of(found, query.after, _SIZE), choices, {})
    unmeasured = () if query.filters or query.q else source.read_unmeasured(workload)
    return _Ranking(METRICS[metric], workload, workloads, every, ranked, shown, [facet.name for facet in facets], unmeasured)


def _find_classes(workload: RankedWorkload, systems: Sequence[RankedSystem]) -> list[FacetKey]:
    """Classes of these systems: the usual keys and the author's own of which several have the same value."""
    found = []
    own = [name for name in workload.rows.dimensions.open_names if name.startswith("x.")]
    for name in dict.fromkeys((*_CLASSES, *own)):
        known = [text for one in systems if (text := one.texts[name]) != UNKNOWN]
        if 1 < len({*known}) < len(known):
            found.append(_class_facet(name))
    return found


def _class_facet(name: str) -> FacetKey:
    def values(one: RankedSystem) -> Sequence[str]:
        return () if one.texts[name] == UNKNOWN else (one.texts[name],)

    if name == _ROTATES:
        return FacetKey(name, "Medium", values, lambda text: {"0": "solid state", "1": "rotating"}.get(text, text))
    return FacetKey(name, DIMENSIONS[name].label, values, lambda text: value_label(DIMENSIONS[name], text))


def _name(one: RankedSystem) -> str:
    return say_name({name: one.texts[name] for name in _NAMED}, "System without a name")


def _say_missing(row: UnmeasuredRow) -> str:
    """`stor01 (> 4 GiB/s)`, `stor02 (cut off)`."""
    name = say_name({name: row.texts[name] for name in _NAMED}, "System without a name")
    sign = {"above": ">", "below": "<"}.get(row.side, "")
    why = (
        f"{sign} {numbers.quantity(row.bound, row.metric)}"
        if sign and row.bound is not None
        else REASONS.get(row.reason, row.reason)
    )
    return f"{name} ({why})"


def _searched(one: RankedSystem) -> str:
    return " ".join(
        (say_name(one.texts), *(one.texts[name] for name in ("host", "disk", "cpu", *getattr(one.texts.configuration, "open", ()))))
    )


def _read_places(request, systems: Sequence[RankedSystem]) -> dict[str, ValueProvenance]:
    """The line of the first value of each. At most two queries."""
    lines = read_lines([one.row.ids[:1] for one in systems], request.data_version, every=True)
    return {one.pk: line for one in systems if (line := lines.by_id.get(one.row.ids[0]))}


def _unit(metric: str, top: float) -> tuple[str, float]:
    """(name, factor) of the unit in which numbers up to `top` are short; a score has none."""
    unit, factor = naming.fitting_unit(METRICS[metric].unit, top)
    if unit == "1/s":
        scale, factor = next((one for one in (("million ", 1e6), ("thousand ", 1e3)) if top >= 10 * one[1]), ("", 1.0))
        unit = f"{scale}{'IOPS' if metric in IOPS else '/s'}".replace(" /s", "/s")
    return "" if unit == "number" else unit, factor


@require_safe
@conditional
def rankings(request):
    """The metrics and workloads that have a ranking, each with its leader."""
    listed = RankingSource.of(request.data_version, request.user).list_rankings()
    rows = []
    for one, leader in listed:
        unit, factor = _unit(one.metric, leader.value) if leader else ("", 1.0)
        value = f"{numbers.number(leader.value / factor, _DIGITS)} {unit}" if leader else ""
        rows.append((one, METRICS[one.metric], leader, _name(leader) if leader else "", value))
    parts = [("Lists", [row for row in rows if row[0].is_list]), ("Workloads", [row for row in rows if not row[0].is_list])]
    return render(request, "rankings/rankings.html", {"parts": [part for part in parts if part[1]], "least": MIN_SYSTEMS})


@require_safe
@conditional
def ranking(request, metric):
    """A ranking, 25 systems a page. Ranks are of the chosen classes; a search leaves them as they are."""
    made = _read(request, metric)
    shown, places = made.shown, _read_places(request, made.shown.page.rows)
    columns = [facet for facet in shown.facets if facet.name in made.classes][:_MAX_COLUMNS]
    keys = [_class_facet(facet.name) for facet in columns]
    mine = [one for one in made.ranked if one.mine]
    unit, factor = _unit(metric, max((one.value for one in made.ranked), default=0.0))
    facts = shown.context([], MAX_SYSTEMS if len(made.every) == MAX_SYSTEMS else 0) | {
        "metric": made.metric,
        "workload": made.workload,
        "workloads": made.workloads,
        "unit": unit,
        "is_less": made.metric.better == LESS,
        "columns": columns,
        "rows": [
            _Row(
                one,
                _name(one),
                _say_place(one),
                [numbers.number(end / factor, _DIGITS) for end in (one.value, one.low, one.high) if end is not None],
                places.get(one.pk),
                [numbers.line(key.show(text), _LONGEST) for key in keys for text in key.values(one) or [""]],
            )
            for one in shown.page.rows
        ],
        "mine": [(_ordinal(one.rank), _name(one), _page_query(made, one)) for one in mine[:_MAX_MINE]],
        "ranked": len(made.ranked),
        "figure": _figure_query(made),
        "missing": sorted(map(_say_missing, made.unmeasured)),
        "ten_nodes": made.workload.is_list and "nodes" in made.classes and shown.query.filters.get("nodes") != "10",
    }
    return render(request, "rankings/ranking.html", facts)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _say_place(one: RankedSystem) -> str:
    """`3rd to 7th: intervals overlap`; empty where no other's range overlaps, or it has one run."""
    return f"{_ordinal(one.first)} to {_ordinal(one.last)}: intervals overlap" if one.first < one.last else ""


def _page_query(made: _Ranking, one: RankedSystem) -> str:
    """The page of all that has a system."""
    at = made.ranked.index(one) // _SIZE * _SIZE
    return replace(made.shown.query, q="").query(after=made.ranked[at - 1].pk if at else "")


def _figure_query(made: _Ranking) -> str:
    """The same systems and workload as a figure of /compare."""
    texts = dict(made.workload.key)
    free = [name for name in LEFT_FREE.get(texts["tool"], ()) if name != APART]
    filters = {name: (text,) for name, text in texts.items() if text != UNKNOWN and name in DIMENSIONS and name != "tool_version"}
    filters |= {name: (value,) for name, value in made.shown.query.filters.items()}
    asked = Selection((made.metric.name,), x="host", kind="dots", sort="value", scale="log", pool=tuple(free))
    return query_string(asked.changed(filters=tuple(filters.items())))


def _data(request, metric: str) -> tuple[_Ranking, list[dict[str, Any]]]:
    """The systems of all pages, values in the base unit."""
    made = _read(request, metric)
    places = _read_places(request, made.shown.found)
    rows = [
        {
            "rank": one.rank,
            "rank_first": one.first,
            "rank_last": one.last,
            "system": int(one.texts["system"]) if one.has_system else None,
            "name": _name(one),
            "host": None if one.texts["host"] == UNKNOWN else one.texts["host"],
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "unit": made.metric.unit,
            "interval": one.interval,
            "n": one.n,
            "origin": one.origin,
            **{name: None if one.texts[name] == UNKNOWN else one.texts[name] for name in made.classes},
            "archive": place.archive if (place := places.get(one.pk)) else None,
            "line": place.address if place else None,
        }
        for one in made.shown.found
    ]
    return made, rows


@require_safe
@conditional
def ranking_json(request, metric):
    made, rows = _data(request, metric)
    workload = {name: text for name, text in made.workload.key if text != UNKNOWN}
    facts = {"metric": metric, "unit": made.metric.unit, "better": made.metric.better, "workload": workload}
    facts |= {"design": "as_they_stand", "of": len(made.ranked), "systems": rows}
    facts |= {"without_number": sorted(map(_say_missing, made.unmeasured))}
    return HttpResponse(json.dumps(facts, ensure_ascii=False, indent=1), content_type="application/json")


@require_safe
@conditional
def ranking_csv(request, metric):
    _, rows = _data(request, metric)
    names = rows[0] if rows else ("rank",)
    columns = {name: (lambda row, name=name: row[name]) for name in names}
    return HttpResponse(to_csv(make_rows(columns, rows)), content_type="text/csv; charset=utf-8")
