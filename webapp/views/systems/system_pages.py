"""The list of systems, and the page of a system with its configurations."""

from __future__ import annotations

from functools import partial

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.formatting import numbers
from webapp.http.page_cache import conditional
from webapp.http.pagination import size_of
from webapp.models import Archive
from webapp.pages.card_page import list_standings
from webapp.pages.listing import Column, FacetKey, ListView, attribute
from webapp.scorecard.sides import read_side
from webapp.systems import configuration_list, hardware, system_index, system_queries
from webapp.systems.describe import HARDWARE, describe_configuration, find_newest_run

_CONFIGURATIONS, _ARCHIVES, _HOSTS = 25, 20, 12
_LIST = ListView(
    columns=(
        Column("cpu", "System", lambda row: row.cpu and row.cpu.casefold()),
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


@require_safe
@conditional
def systems(request):
    """Systems with measurements visible to the reader, the most measured first; `q` searches, facets filter them."""
    every = system_index.read_systems(request.data_version, Archive.objects.scopes_of(request.user))
    shown = _LIST.show(_LIST.parse(request.GET), every)
    differ, alike = system_index.split_parts(shown.found)
    limit = system_index.MAX_SYSTEMS if system_index.is_cut(request.data_version) else 0
    facts = shown.context(["cpu", *differ, "configurations", "measurements"], limit) | {
        "systems": system_index.describe_systems(shown.page.rows, every, differ),
        "alike": alike,
        "example": next((row.cpu for row in every if row.cpu), ""),
    }
    return render(request, "systems/systems.html", facts)


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
        raise Http404("No archive that you can see was measured on this system.")
    system = configurations[0]
    archives, older = system_queries.read_archives(pk, request.user, request.GET.get("before"), _ARCHIVES)
    hosts = system_queries.read_hosts(pk, scopes, _HOSTS + 1)
    listed = system_index.find_spellings(system_index.read_systems(request.data_version, scopes), pk)
    ids = listed.ids if listed else (pk,)
    side = read_side(f"system:{','.join(map(str, ids))}", request.user, request.data_version)
    newest = find_newest_run(configurations[0], request.user)
    parts = describe_configuration(configurations[0], newest) if newest else []
    hardware.link_components(parts, partial(hardware.read_linked, request.data_version, scopes))
    name = system_index.BETWEEN.join([*(hosts if len(hosts) == 1 else ()), system_index.system_name(system)])
    return render(
        request,
        "systems/system.html",
        {
            **list_standings(side),
            "system": system,
            "name": name,
            "figure": "&".join(f"system={one}" for one in ids),
            "about": f"Storage benchmarks measured on {name}, by configuration.",
            "ids": ids,
            "others": [(name, other) for name, other in listed.spellings if name != system.cpu_model] if listed else [],
            "parts": [(title, known) for title, known in parts if title == HARDWARE],
            "configurations": configurations,
            "listed": configuration_list.lay_out(configurations),
            "further": further,
            "archives": archives,
            "older": older,
            "hosts": hosts[:_HOSTS],
            "more_hosts": len(hosts) > _HOSTS,
        },
    )
