"""The list of CPUs and disks, and the page of each: systems with it as they stand, among all with a near workload."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.rows import RowSource
from webapp.formats.sheets import Columns, make_rows, to_csv
from webapp.formats.tables import typed
from webapp.formatting import numbers
from webapp.http.page_cache import conditional
from webapp.models import Archive
from webapp.pages.card_page import draw_strip
from webapp.pages.listing import Column, FacetKey, ListView
from webapp.scorecard.normal import Spread, SystemValue, find_quartiles, find_spreads, has_text, usual_metrics
from webapp.systems import hardware as components
from webapp.systems import system_queries
from webapp.systems.hardware import KINDS, Component
from webapp.systems.system_index import say_name, system_name

_METRICS, _SYSTEMS, _ARCHIVES, _VALUES = 10, 25, 20, 12
_MAX_PAIRS = 100_000
_UNDER = ("fs", "layout", "raid.controller")
_LIST = ListView(
    columns=(
        Column("name", "Component", lambda row: row.name.casefold()),
        Column("kind", "Kind", lambda row: row.kind),
        Column("systems", "Systems", lambda row: len(row.systems), number=True, falls=True),
        Column("measurements", "Results", lambda row: row.measurements, number=True, falls=True),
    ),
    facets=(FacetKey("kind", "Kind", lambda row: [row.kind], KINDS.__getitem__),),
    usual_sort="-measurements",
    size=50,
    text=lambda row: "\n".join(row.spellings),
)
_COLUMNS: Columns = {
    "kind": lambda row: row[0].kind,
    "name": lambda row: row[0].name,
    "slug": lambda row: row[0].slug,
    "spellings": lambda row: "; ".join(row[0].spellings),
    "systems": lambda row: len(row[0].systems),
    "archives": lambda row: row[1],
    "results": lambda row: row[0].measurements,
}


def read_visible(request) -> list[Component]:
    """The components in accepted archives and the reader's own."""
    return components.read_components(request.data_version, Archive.objects.accepted_scopes_of(request.user))


def _count_archives(request, rows: Sequence[Component]) -> list[tuple[Component, int]]:
    """Each with the number of archives that name it."""
    ids = [pk for row in rows for pk in row.ids]
    pairs = system_queries.read_archives_of(ids, Archive.objects.accepted_or_own(request.user), _MAX_PAIRS)
    archives: dict[int, set[int]] = {}
    for system, archive in pairs:
        archives.setdefault(system, set()).add(archive)
    return [(row, len(set().union(*(archives.get(pk, ()) for pk in row.ids)))) for row in rows]


@require_safe
@conditional
def hardware(request):
    """CPUs and disks with results visible to the reader, the most measured first; `q` searches."""
    every = read_visible(request)
    shown = _LIST.show(_LIST.parse(request.GET), every)
    limit = components.MAX_SYSTEMS if sum(len(row.systems) for row in every) >= components.MAX_SYSTEMS else 0
    heads = [shown.heads[name] for name in ("name", "kind", "systems", "measurements")]
    facts = shown.context(None, limit) | {
        "heads": heads[:3],
        "last_head": heads[3:],
        "rows": _count_archives(request, shown.page.rows),
        "kinds": KINDS,
        "example": next((row.name for row in every), ""),
    }
    return render(request, "hardware/hardware.html", facts)


@require_safe
@conditional
def as_json(request):
    rows = [
        {name: list(row.spellings) if name == "spellings" else read((row, n)) for name, read in _COLUMNS.items()}
        for row, n in _count_archives(request, read_visible(request))
    ]
    return HttpResponse(json.dumps({"components": rows}, ensure_ascii=False, indent=1), content_type="application/json")


@require_safe
@conditional
def as_csv(request):
    rows = make_rows(_COLUMNS, _count_archives(request, read_visible(request)))
    return HttpResponse(to_csv(rows), content_type="text/csv; charset=utf-8")


def _find(request, kind: str, name: str, page: str) -> Component | HttpResponse:
    """The component; the answer where there is none, or where it has another address."""
    every, asked = read_visible(request), name[: components.LONGEST_NAME]
    found = components.find_component(every, kind, asked)
    if found is None:
        facts = {"asked": asked, "kind": KINDS.get(kind, ""), "near": components.find_nearest(every, kind, asked)}
        return render(request, "hardware/missing.html", facts, status=404)
    return found if found.slug == name else redirect(page, found.kind, found.slug)


def _source(request, found: Component) -> tuple[RowSource, list[str]]:
    """The rows of accepted archives and the reader's own, and the metrics that are looked at."""
    scopes = tuple(sorted(Archive.objects.accepted_scopes_of(request.user)))
    source = RowSource(request.data_version, ComparisonScopes(scopes, {}, frozenset()))
    return source, usual_metrics(source.count_metrics(), _METRICS)


def _list_under(source: RowSource, metrics: Sequence[str], found: Component) -> list[tuple[str, list[tuple[str, int, str]]]]:
    """(label, [(value, results, query of the comparison)]) of file systems, layouts and controllers that it was measured under."""
    counts = {name: Counter[str]() for name in _UNDER}
    for metric in metrics:
        rows = source.read_columns((metric,))
        rows = rows.take(has_text(rows, found.kind, found.texts))
        for name in _UNDER:
            counts[name].update(rows.counts(name))
    return [
        (DIMENSIONS[name].label, [(value_label(DIMENSIONS[name], text), n, _query(found, **{name: text})) for text, n in known])
        for name, counted in counts.items()
        if (known := [pair for pair in counted.most_common(_VALUES) if pair[0] != UNKNOWN])
    ]


def _query(found: Component, **more: str) -> str:
    return urlencode([*more.items(), *((found.kind, text) for text in found.texts[:_VALUES])])


def _describe_spread(spread: Spread, found: Component) -> dict[str, Any]:
    """A strip as it is printed."""
    values, every = [one.value for one in spread.own], [one.value for one in (*spread.own, *spread.others)]
    shown = [numbers.quantity(edge(of), spread.metric) for of in (values, every) for edge in (min, max)]
    return {
        "spread": spread,
        "metric": METRICS[spread.metric].label,
        "every": f"{shown[2]} to {shown[3]}",
        "range": shown[0] if len(spread.own) == 1 else f"{shown[0]} to {shown[1]}",
        "quartiles": [
            (who, [numbers.quantity(value, spread.metric) for value in quarters])
            for who, systems in (("systems with it", spread.own), ("all systems", [*spread.own, *spread.others]))
            if (quarters := find_quartiles(systems))
        ],
        "strip": draw_strip(*([one.value for one in side] for side in (spread.own, spread.others))),
        "systems": [
            (numbers.quantity(one.value, spread.metric), one.n, say_name(one.texts), one.system)
            for one in sorted(spread.own, key=lambda one: -one.value)
        ],
        "query": _query(found, metric=spread.metric),
    }


@require_safe
@conditional
def component(request, kind: str, name: str):
    """A CPU or disk: results of systems with it, where it stands, and under what it was measured."""
    found = _find(request, kind, name, "hardware-component")
    if isinstance(found, HttpResponse):
        return found
    source, metrics = _source(request, found)
    pairs = system_queries.read_archives_of(found.ids, Archive.objects.accepted_or_own(request.user), _MAX_PAIRS)
    archives = list(dict.fromkeys(archive for _, archive in pairs))
    named = Archive.objects.in_bulk(archives[:_ARCHIVES])
    facts = {
        "component": found,
        "kind": KINDS[kind],
        "spreads": [_describe_spread(one, found) for one in find_spreads(source, metrics, kind, found.texts)],
        "under": _list_under(source, metrics, found),
        "query": _query(found),
        "systems": [(system.pk, system_name(system), system.measurements) for system in found.systems[:_SYSTEMS]],
        "archives": [named[pk] for pk in archives[:_ARCHIVES] if pk in named],
        "archives_count": len(archives),
    }
    return render(request, "hardware/component.html", facts)


@require_safe
@conditional
def component_json(request, kind: str, name: str):
    found = _find(request, kind, name, "hardware-component-json")
    if isinstance(found, HttpResponseRedirect):
        return found
    if isinstance(found, HttpResponse):
        return HttpResponse(f"No such component: see {reverse('hardware')}\n", content_type="text/plain; charset=utf-8", status=404)
    source, metrics = _source(request, found)
    [(_, archives)] = _count_archives(request, [found])
    data = {name: list(found.spellings) if name == "spellings" else read((found, archives)) for name, read in _COLUMNS.items()}
    spreads = find_spreads(source, metrics, kind, found.texts)
    data["operations"] = [
        {
            "metric": one.metric,
            "origin": one.origin,
            "unit": METRICS[one.metric].unit,
            "better": METRICS[one.metric].better,
            "workload": {name: typed(name, text) for name, text in one.workload if text != UNKNOWN and name != APART},
            "quartiles": find_quartiles(one.own),
            "systems": list(map(_value_data, one.own)),
            "others": list(map(_value_data, one.others)),
        }
        for one in spreads
    ]
    return HttpResponse(json.dumps(data, ensure_ascii=False, indent=1), content_type="application/json")


def _value_data(one: SystemValue) -> dict[str, Any]:
    return {"system": int(one.system), "name": say_name(one.texts), "value": one.value, "n": one.n}
