"""The list of systems, and the page of a system with its configurations."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ingest import keys
from webapp.formatting import numbers
from webapp.http.page_cache import conditional
from webapp.models import Archive, System
from webapp.pages import listing
from webapp.pages.listing import Column, FacetKey
from webapp.systems import configuration_list, system_index, system_list, system_queries

SYSTEM_KEYS = [key for key in keys.KEYS.values() if key.part == "system"]
_SYSTEMS, _CONFIGURATIONS, _ARCHIVES, _HOSTS = 100, 200, 50, 30
_COLUMNS = (
    Column("cpu", "System", lambda row: row.cpu and row.cpu.casefold()),
    Column("cores", "Cores", lambda row: row.cores, number=True, falls=True),
    Column("memory", "Memory", lambda row: row.memory, number=True, falls=True),
    Column("disks", "Disks", lambda row: row.disks, falls=True),
    Column("arch", "Architecture", lambda row: row.arch or None),
    Column("configurations", "Configurations", lambda row: row.configurations, number=True, falls=True),
    Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
)
_FACETS = (
    FacetKey("cpu", "CPU", lambda row: [row.cpu] if row.cpu else ()),
    FacetKey("arch", "Architecture", lambda row: row.archs),
    FacetKey("cores", "Cores", lambda row: [str(row.cores)] if row.cores else ()),
    FacetKey("memory", "Memory", lambda row: [str(row.memory)] if row.memory else (), lambda value: numbers.size(int(value))),
    FacetKey("disk", "Disk model", lambda row: [row.disk] if row.disk else ()),
)


@require_safe
@conditional
def systems(request):
    """Systems with measurements visible to the reader, the most measured first; `q` searches, facets filter them."""
    every = system_index.read_systems(request.data_version, Archive.objects.scopes_of(request.user))
    query = listing.parse_list_query(
        request.GET, [column.name for column in _COLUMNS], [facet.name for facet in _FACETS], "-measurements"
    )
    found, facets = listing.filter_rows(every, query, _FACETS, system_list.searched_text)
    page = listing.page_of(listing.sort_rows(found, query, _COLUMNS), query.after, _SYSTEMS)
    differ, alike = system_list.split_parts(found)
    by_name = {head.name: head for head in query.heads(_COLUMNS)}
    facts = {
        "list": query,
        "page": page,
        "facets": facets,
        "systems": system_list.describe_systems(page.rows, every, differ),
        "heads": [by_name[name] for name in ("cpu", *differ, "configurations", "measurements")],
        "alike": alike,
        "every": len(every),
        "limit": system_index.MAX_SYSTEMS if system_index.is_cut(request.data_version) else 0,
        "example": next((row.cpu for row in every if row.cpu), ""),
        **listing.page_links(query, page, facets),
    }
    return render(request, "systems/systems.html", facts)


@require_safe
@conditional
def system(request, pk):
    """A system: its parts, hosts, configurations and archives."""
    system = get_object_or_404(System, pk=pk)
    scopes = Archive.objects.scopes_of(request.user)
    configurations, further = system_queries.read_configurations(pk, scopes, request.GET.get("after"), _CONFIGURATIONS)
    if not configurations:
        configurations, further = system_queries.read_configurations(pk, scopes, None, _CONFIGURATIONS)
    if not configurations:
        raise Http404("No archive that you can see was measured on this system.")
    archives, older = system_queries.read_archives(pk, request.user, request.GET.get("before"), _ARCHIVES)
    hosts = system_queries.read_hosts(pk, scopes, _HOSTS + 1)
    listed = system_index.find_spellings(system_index.read_systems(request.data_version, scopes), pk)
    stored = system_index.list_stored(system)
    return render(
        request,
        "systems/system.html",
        {
            "system": system,
            "name": system_list.describe_system(stored),
            "about": f"Storage benchmarks measured on {system_list.describe_system(stored)}, by configuration.",
            "disks": system_list.describe_disks(stored),
            "ids": listed.ids if listed else (pk,),
            "others": [(name, other) for name, other in listed.spellings if name != system.cpu_model] if listed else [],
            "keys": SYSTEM_KEYS,
            "configurations": configurations,
            "listed": configuration_list.describe_of_system(configurations),
            "further": further,
            "archives": archives,
            "older": older,
            "hosts": hosts[:_HOSTS],
            "more_hosts": len(hosts) > _HOSTS,
        },
    )
