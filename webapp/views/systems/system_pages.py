"""The list of systems, the page of a system with its configurations, and its components with systems as they stand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from ingest.catalogue import METRICS
from ingest.keys import KEYS
from webapp.accounts import access
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.summary.source import RowSource
from webapp.formats.sheets import Columns, make_rows, to_csv
from webapp.formats.tables import typed
from webapp.formatting import numbers
from webapp.http.page_cache import conditional
from webapp.http.pagination import size_of
from webapp.models import Archive, System
from webapp.models.summary import PUBLIC, SystemCount
from webapp.pages.card_page import compare_own_uploads, draw_strip, list_standings, ordinal
from webapp.pages.listing import Column, FacetKey, ListView, ShownList, attribute
from webapp.scorecard.normal import Spread, find_quartiles, find_spreads, has_text, usual_metrics
from webapp.scorecard.sides import read_side
from webapp.systems import configuration_list, hardware, system_index, system_queries
from webapp.systems.describe import HARDWARE, configuration_heading, describe_configuration, find_newest_run
from webapp.systems.hardware import KINDS, Component
from webapp.systems.system_index import say_name

_CONFIGURATIONS, _ARCHIVES, _HOSTS, _MOST_CONFIGURATIONS = 25, 20, 12, 1_000
_LIST = ListView(
    columns=(
        Column("cpu", "System", lambda row: text.casefold() if (text := row.host or row.cpu) else None),
        Column("cores", "Cores", lambda row: row.cores, number=True, falls=True),
        Column("memory", "Memory", lambda row: row.memory, number=True, falls=True),
        Column("disks", "Disks", lambda row: row.disks, falls=True),
        Column("arch", "Architecture", lambda row: row.arch or None),
        Column("configurations", "Configurations", lambda row: row.configurations, number=True, falls=True),
        Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
    ),
    facets=(
        FacetKey("cpu", "CPU", attribute("cpu")),
        FacetKey("arch", "Architecture", lambda row: row.archs),
        FacetKey("cores", "Cores", lambda row: [str(row.cores)] if row.cores else ()),
        FacetKey("memory", "Memory", lambda row: [str(row.memory)] if row.memory else (), lambda value: numbers.size(int(value))),
        FacetKey("disk", "Disk model", attribute("disk")),
    ),
    usual_sort="-measurements",
    size=100,
    text=system_index.searched_text,
)


def _fact_column(name: str) -> tuple[Column, FacetKey]:
    """A fact about hosts, as a column and a facet; numbers are sorted as such."""

    def key(row: system_index.ListedSystem) -> Any:
        text = system_index.describe_part(row, name)
        return ((0, float(text), "") if text.isdecimal() else (1, 0.0, text.casefold())) if text else None

    label = system_index.fact_label(name)
    return Column(name, label, key), FacetKey(name, label, lambda row: row.facts.get(name, ()))


def _show(request) -> tuple[ShownList, list[str]]:
    """The list that the address asks for, and the names of the facts about hosts in it."""
    every = system_index.read_systems(request.data_version, Archive.objects.scopes_of(request.user))
    names = system_index.fact_names(every)
    facts = [_fact_column(name) for name in names]
    view = replace(_LIST, columns=(*_LIST.columns, *(one for one, _ in facts)), facets=(*_LIST.facets, *(one for _, one in facts)))
    return view.show(view.parse(request.GET), every), names


@require_safe
@conditional
def systems_json(request):
    """Every system that the address asks for."""
    records = [system_index.system_record(row) for row in _show(request)[0].found]
    return JsonResponse({"systems": records}, json_dumps_params={"ensure_ascii": False, "indent": 1})


@require_safe
@conditional
def systems_csv(request):
    """The same, a line each."""
    shown, names = _show(request)
    records = [system_index.system_record(row) for row in shown.found]
    own = [name for name in system_index.system_record(shown.every[0]) if name != "facts"] if shown.every else []
    lines = [[*(one[name] for name in own), *(", ".join(one["facts"].get(name, ())) for name in names)] for one in records]
    return HttpResponse(to_csv([[*own, *names], *lines]), content_type="text/csv; charset=utf-8")


@require_safe
@conditional
def systems(request):
    """Systems with measurements visible to the reader, the most measured first; `q` searches, facets filter them."""
    shown, names = _show(request)
    every = shown.every
    differ, alike = system_index.split_parts(shown.found, names)
    limit = system_index.MAX_SYSTEMS if system_index.is_cut(request.data_version) else 0
    facts = shown.context(["cpu", *differ, "configurations", "measurements"], limit) | {
        "systems": system_index.describe_systems(shown.page.rows, every, differ),
        "alike": alike,
        "example": next((row.cpu for row in every if row.cpu), ""),
    }
    return render(request, "systems/systems.html", facts)


def _hosts_of(pk: int, scopes):
    """To the list of the systems with these parts, which were this one before their hosts were systems."""
    hardware = System.objects.filter(pk=pk, hosts__counts__scope__in=scopes).first()
    if hardware is None:
        raise Http404("No archive that you can see was measured on this system.")
    parts = {"cpu": hardware.cpu_model, "cores": hardware.cpu_cores, "memory": hardware.memory, "disk": hardware.disk_model}
    return redirect(f"/systems?{urlencode({name: UNKNOWN if value is None else value for name, value in parts.items()})}")


@require_safe
@conditional
def system(request, pk):
    """A system: its parts, hosts, configurations and archives."""
    scopes = Archive.objects.scopes_of(request.user)
    size = size_of(request.GET, "after", _CONFIGURATIONS)
    configurations, further = system_queries.read_configurations(pk, scopes, request.GET.get("after"), size)
    if not configurations:
        configurations, further = system_queries.read_configurations(pk, scopes, None, _CONFIGURATIONS)
    if not configurations:
        return _hosts_of(pk, scopes)
    system = configurations[0]
    archives, older = system_queries.read_archives(pk, request.user, request.GET.get("before"), _ARCHIVES)
    hosts = system_queries.read_hosts(pk, scopes, _HOSTS + 1)
    listed = system_index.find_spellings(system_index.read_systems(request.data_version, scopes), pk)
    ids = listed.ids if listed else (pk,)
    side = read_side(f"system:{','.join(map(str, ids))}", request.user, request.data_version)
    of_system = Archive.objects.filter(pk__in=SystemCount.objects.filter(system__in=ids, scope__gt=PUBLIC).values("scope"))
    newest = find_newest_run(configurations[0], request.user)
    parts = describe_configuration(configurations[0], newest) if newest else []
    hardware.link_components(parts, partial(hardware.read_linked, request.data_version, scopes))
    if listed and listed.host:
        [row] = system_index.describe_systems([listed], system_index.read_systems(request.data_version, scopes), ())
        name = ", ".join(filter(None, (row.name, row.apart)))
    else:
        name = system_index.BETWEEN.join([*(hosts if len(hosts) == 1 else ()), system_index.system_name(system)])
    return render(
        request,
        "systems/system.html",
        {
            **list_standings(side),
            "earlier": compare_own_uploads(
                ",".join(f"system={one}" for one in ids),
                archives,
                of_system if older or request.GET.get("before") else None,
                request.user,
            ),
            "system": system,
            "name": name,
            "figure": "&".join(f"system={one}" for one in ids),
            "about": f"Storage benchmarks measured on {name}, by configuration.",
            "ids": ids,
            "others": [(name, other) for name, other in listed.spellings if name != system.cpu_model] if listed else [],
            "told": [(system_index.fact_label(key), texts) for key, texts in listed.facts.items()] if listed else [],
            "parts": [(title, known) for title, known in parts if title == HARDWARE or (listed and listed.host)],
            "configurations": configurations,
            "listed": configuration_list.lay_out(configurations),
            "further": further,
            "archives": archives,
            "is_unshared": not any(access.may_read(AnonymousUser(), one) for one in archives),
            "older": older,
            "hosts": hosts[:_HOSTS],
            "more_hosts": len(hosts) > _HOSTS,
        },
    )


def _read_record(request, pk: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A system as data, and its configurations with the keys that any of them has."""
    scopes = Archive.objects.scopes_of(request.user)
    configurations, _ = system_queries.read_configurations(pk, scopes, None, _MOST_CONFIGURATIONS)
    if not configurations:
        raise Http404("No archive that you can see was measured on this system.")
    listed = system_index.find_spellings(system_index.read_systems(request.data_version, scopes), pk)
    record = system_index.system_record(listed or system_index.list_stored(configurations[0].system))
    keys = [key for key in KEYS.values() if any(getattr(one, key.column) is not None for one in configurations)]
    rows = [
        {"id": one.pk, "name": configuration_heading(one)}
        | {key.name: getattr(one, key.column) for key in keys}
        | {"measurements": one.measurements}
        for one in configurations
    ]
    return record, rows


@require_safe
@conditional
def system_json(request, pk):
    """The system with its configurations; sizes in bytes, what is unknown is null."""
    record, rows = _read_record(request, pk)
    return _to_json(record | {"configurations": rows})


@require_safe
@conditional
def system_csv(request, pk):
    """Its configurations, a line each."""
    _, rows = _read_record(request, pk)
    text = to_csv([list(rows[0]), *(list(row.values()) for row in rows)])
    return HttpResponse(text, content_type="text/csv; charset=utf-8")


# CPUs, disks and controllers.

_METRICS, _SYSTEMS, _VALUES = 10, 25, 12
_MAX_PAIRS = 100_000
_UNDER = ("fs", "layout", "raid.controller")
_COMPONENTS = ListView(
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


def _read_components(request) -> list[Component]:
    return hardware.read_visible(request.data_version, request.user)


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
def hardware_list(request):
    """CPUs, disks and controllers with results visible to the reader, the most measured first; `q` searches."""
    every = _read_components(request)
    shown = _COMPONENTS.show(_COMPONENTS.parse(request.GET), every)
    limit = hardware.MAX_SYSTEMS if sum(len(row.systems) for row in every) >= hardware.MAX_SYSTEMS else 0
    facts = shown.context(None, limit) | {
        "rows": _count_archives(request, shown.page.rows),
        "example": next((row.name for row in every), ""),
    }
    return render(request, "hardware/hardware.html", facts)


@require_safe
@conditional
def hardware_json(request):
    rows = _count_archives(request, _read_components(request))
    return _to_json({"components": list(map(_component_data, rows))})


@require_safe
@conditional
def hardware_csv(request):
    rows = make_rows(_COLUMNS, _count_archives(request, _read_components(request)))
    return HttpResponse(to_csv(rows), content_type="text/csv; charset=utf-8")


def _component_data(row: tuple[Component, int]) -> dict[str, Any]:
    return {name: read(row) for name, read in _COLUMNS.items()} | {"spellings": row[0].spellings}


def _to_json(data: dict[str, Any]) -> HttpResponse:
    return HttpResponse(json.dumps(data, ensure_ascii=False, indent=1), content_type="application/json")


def _find(request, kind: str, name: str, page: str) -> Component | HttpResponse:
    """The component; the answer where there is none, or where it has another address."""
    every, asked = _read_components(request), name[: hardware.LONGEST_NAME]
    found = hardware.find_component(every, kind, asked)
    if found is None:
        facts = {"asked": asked, "kind": KINDS.get(kind, ""), "near": hardware.find_nearest(every, kind, asked)}
        return render(request, "hardware/missing.html", facts, status=404)
    return found if found.slug == name else redirect(page, found.kind, found.slug)


def _read_source(request) -> tuple[RowSource, list[str]]:
    """The rows of accepted archives and the reader's own, and the metrics that are looked at."""
    scopes = tuple(sorted(Archive.objects.ranked_scopes_of(request.user)[0]))
    source = RowSource(request.data_version, ComparisonScopes(scopes, {}, frozenset()))
    return source, usual_metrics(source.count_metrics(), _METRICS)


def _list_under(source: RowSource, metrics: Sequence[str], found: Component) -> list[tuple[str, list[tuple[str, int, str]]]]:
    """(label, [(value, results, query of the comparison)]) of file systems, layouts and controllers that it was measured under."""
    counts = {name: Counter[str]() for name in _UNDER}
    for metric in metrics:
        rows = source.read_columns((metric,))
        rows = rows.take(has_text(rows, found.dimension, found.texts))
        for name in _UNDER:
            counts[name].update(rows.counts(name))
    return [
        (DIMENSIONS[name].label, [(value_label(DIMENSIONS[name], text), n, _query(found, **{name: text})) for text, n in known])
        for name, counted in counts.items()
        if name != found.dimension and (known := [pair for pair in counted.most_common(_VALUES) if pair[0] != UNKNOWN])
    ]


def _query(found: Component, **more: str) -> str:
    return urlencode([*more.items(), *((found.dimension, text) for text in found.texts[:_VALUES])])


def _describe_spread(spread: Spread, found: Component) -> dict[str, Any]:
    """A strip as it is printed."""
    values, every = [one.value for one in spread.own], [one.value for one in (*spread.own, *spread.others)]
    shown = [numbers.quantity(edge(of), spread.metric) for of in (values, every) for edge in (min, max)]
    return {
        "spread": spread,
        "metric": METRICS[spread.metric].label,
        "place": f"{ordinal(spread.rank)} of {len(every)} systems" if len(values) == 1 else "",
        "every": f"{shown[2]} to {shown[3]}",
        "range": shown[0] if len(spread.own) == 1 else f"{shown[0]} to {shown[1]}",
        "quartiles": [
            (who, [numbers.quantity(value, spread.metric) for value in quarters])
            for who, systems in (("systems with it", spread.own), ("all systems", [*spread.own, *spread.others]))
            if (who == "systems with it" or spread.others) and (quarters := find_quartiles(systems))
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
    """A CPU, disk or controller: results of systems with it, where it stands, and under what it was measured."""
    found = _find(request, kind, name, "hardware-component")
    if isinstance(found, HttpResponse):
        return found
    source, metrics = _read_source(request)
    pairs = system_queries.read_archives_of(found.ids, Archive.objects.accepted_or_own(request.user), _MAX_PAIRS)
    archives = list(dict.fromkeys(archive for _, archive in pairs))
    named = Archive.objects.in_bulk(archives[:_ARCHIVES])
    spreads = find_spreads(source, metrics, found.dimension, found.texts)
    described = system_index.describe_systems(found.systems[:_SYSTEMS], found.systems, ())
    facts = {
        "component": found,
        "kind": KINDS[kind],
        "spreads": [_describe_spread(one, found) for one in spreads],
        "usual": max(spreads, key=lambda one: len(one.own) + len(one.others)).metric if spreads else "",
        "under": _list_under(source, metrics, found),
        "query": _query(found),
        "systems": [(one.system.pk, one.apart or one.name, one.system.measurements) for one in described],
        "archives": [named[pk] for pk in archives[:_ARCHIVES] if pk in named],
        "archives_count": len(archives),
    }
    return render(request, "hardware/component.html", facts)


@require_safe
@conditional
def component_json(request, kind: str, name: str):
    found = _find(request, kind, name, "hardware-component-json")
    if isinstance(found, HttpResponse):
        return found
    source, metrics = _read_source(request)
    operations = [
        {
            "metric": one.metric,
            "origin": one.origin,
            "unit": METRICS[one.metric].unit,
            "better": METRICS[one.metric].better,
            "workload": {name: typed(name, text) for name, text in one.workload if text != UNKNOWN and name != APART},
            "quartiles": find_quartiles(one.own),
            **{
                side: [{"system": int(of.system), "name": say_name(of.texts), "value": of.value, "n": of.n} for of in values]
                for side, values in (("systems", one.own), ("others", one.others))
            },
        }
        for one in find_spreads(source, metrics, found.dimension, found.texts)
    ]
    [counted] = _count_archives(request, [found])
    return _to_json(_component_data(counted) | {"operations": operations})
