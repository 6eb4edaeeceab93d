"""The list of systems, and the page of a system with its configurations."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ingest import keys
from webapp.http.page_cache import conditional
from webapp.models import Archive, System
from webapp.systems import system_queries

SYSTEM_KEYS = [key for key in keys.KEYS.values() if key.part == "system"]
_SYSTEMS, _CONFIGURATIONS, _ARCHIVES, _HOSTS = 100, 200, 50, 30


@require_safe
@conditional
def systems(request):
    """Systems with measurements visible to the reader, the most measured first."""
    rows, further = system_queries.read_most_measured(Archive.objects.scopes_of(request.user), request.GET.get("after"), _SYSTEMS)
    return render(request, "systems/systems.html", {"systems": rows, "further": further, "keys": SYSTEM_KEYS})


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
    return render(
        request,
        "systems/system.html",
        {
            "system": system,
            "keys": SYSTEM_KEYS,
            "configurations": configurations,
            "further": further,
            "archives": archives,
            "older": older,
            "hosts": hosts[:_HOSTS],
            "more_hosts": len(hosts) > _HOSTS,
        },
    )
