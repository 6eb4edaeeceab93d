"""Hardware: the list of systems, and one with its configurations."""
from __future__ import annotations

from django.db.models import Count, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ingest import keys
from webapp.conditional import conditional
from webapp.models import Archive, Configuration, Run, Summary, System

SYSTEM_KEYS = [key for key in keys.KEYS.values() if key.part == "system"]


def _summary(request):
    return Summary.objects.filter(scope__in=Archive.objects.scopes_of(request.user))


@require_safe
@conditional
def systems(request):
    """Every system with measurements that the reader sees, the most measured first."""
    counts = {
        row["configuration__system"]: row
        for row in _summary(request).values("configuration__system").annotate(
            total=Sum("n"), configurations=Count("configuration", distinct=True))
    }
    found = System.objects.in_bulk(list(counts))
    rows = [{"system": found[pk], "measurements": row["total"], "configurations": row["configurations"]}
            for pk, row in counts.items()]
    rows.sort(key=lambda row: (-row["measurements"], row["system"].pk))
    return render(request, "systems/systems.html", {"systems": rows, "keys": SYSTEM_KEYS})


@require_safe
@conditional
def system(request, pk):
    """One system: its parts, the hosts it was seen as, its configurations and the archives they stand in."""
    system = get_object_or_404(System, pk=pk)
    counts = dict(_summary(request).filter(configuration__system=system).values_list("configuration")
                  .annotate(total=Sum("n")))
    if not counts:
        raise Http404("No archive that you can see was measured on this system.")
    configurations = list(Configuration.objects.filter(pk__in=counts).order_by(
        "os_name", "os_family", "os_version", "kernel", "fs_type", "pool_layout", "pool_compression", "pk"))
    for configuration in configurations:
        configuration.measurements = counts[configuration.pk]
    archives = Archive.objects.readable_by(request.user).filter(
        pk__in=Run.objects.filter(configuration__in=list(counts)).values("archive_id")).order_by("-uploaded_at", "-id")
    return render(request, "systems/system.html", {
        "system": system, "keys": SYSTEM_KEYS, "configurations": configurations, "archives": archives[:100],
        "hosts": sorted({c.host for c in configurations if c.host})})
