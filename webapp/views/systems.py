"""Hardware: the list of systems, and one with its configurations."""
from __future__ import annotations

from django.db.models import Count, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ingest import keys
from webapp.conditional import conditional
from webapp.models import Archive, Configuration, ConfigurationCount, System
from webapp.paging import page_of, rows_after

SYSTEM_KEYS = [key for key in keys.KEYS.values() if key.part == "system"]
_CONFIGURATIONS = 200
_ARCHIVES = 100
"""The newest that are named on a system's page."""


def _counts(request):
    return ConfigurationCount.objects.filter(scope__in=Archive.objects.scopes_of(request.user))


@require_safe
@conditional
def systems(request):
    """Every system with measurements that the reader sees, the most measured first."""
    scopes = Archive.objects.scopes_of(request.user)
    seen = System.objects.filter(configuration__counts__scope__in=scopes).annotate(
        measurements=Sum("configuration__counts__n"), configurations=Count("configuration", distinct=True))
    rows, further = page_of(seen, request.GET.get("after"), ("measurements", "id"), size=100)
    return render(request, "systems/systems.html", {"systems": rows, "further": further, "keys": SYSTEM_KEYS})


@require_safe
@conditional
def system(request, pk):
    """One system: its parts, the hosts it was seen as, its configurations and the archives they stand in."""
    system = get_object_or_404(System, pk=pk)
    counts = dict(_counts(request).filter(configuration__system=system).values_list("configuration")
                  .annotate(total=Sum("n")))
    if not counts:
        raise Http404("No archive that you can see was measured on this system.")
    every = sorted(Configuration.objects.filter(pk__in=counts), key=_order)
    configurations, further = rows_after(every, request.GET.get("after"), _order, _CONFIGURATIONS)
    for configuration in configurations:
        configuration.measurements = counts[configuration.pk]
    inside = ConfigurationCount.objects.filter(configuration__in=list(counts)).values("scope")
    archives = Archive.objects.readable_by(request.user).filter(pk__in=inside).order_by("-uploaded_at", "-id")
    return render(request, "systems/system.html", {
        "system": system, "keys": SYSTEM_KEYS, "configurations": configurations, "archives": archives[:_ARCHIVES],
        "further": further, "hosts": sorted({c.host for c in every if c.host})})


def _order(configuration: Configuration) -> tuple:
    """By operating system, then file system; what is not told comes last."""
    told = (getattr(configuration, name) for name in (
        "os_name", "os_family", "os_version", "kernel", "fs_type", "pool_layout", "pool_compression"))
    return *("\U0010ffff" if text is None else text for text in told), configuration.pk
