"""One configuration: every key with the source line behind it, and what was measured on it."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ingest import pool_layout
from webapp.files.addresses import line_address
from webapp.formatting import numbers as shown
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate
from webapp.models import Archive, Configuration, Run
from webapp.systems import configuration_queries, diff, system_queries
from webapp.systems.describe import configuration_heading, describe_configuration

_OFFERED = 200
_METRICS = 20
"""Metrics of a configuration that are shown at a time."""


@require_safe
@conditional
def difference(request):
    """`?a=ID&b=ID`: two configurations side by side. Without a second one: those of the same system, to choose from."""
    a, b = (_visible(request, request.GET.get(name)) for name in ("a", "b"))
    if a is None:
        raise Http404("There is no such configuration, or no archive that you can see was measured on it.")
    others, more = _others(request, a[0])
    facts = {"a": a[0], "heading_a": configuration_heading(a[0]), "others": others, "more": more}
    if b is not None:
        facts |= {"b": b[0], "heading_b": configuration_heading(b[0]), "difference": diff.compare_configurations(a, b)}
    return render(request, "configurations/difference.html", facts)


def describe_layout(layout: str | None) -> list[tuple[str, str]]:
    """The numbers of a layout as (label, text); nothing where it does not tell them."""
    found = pool_layout.parse_layout(layout)
    if found is None:
        return []
    told = [("Vdevs", shown.count(found.vdevs)), ("Disks in the pool", shown.count(found.disks))]
    if found.parity is not None and found.redundancy is not None:
        told += [
            ("Parity", f"{found.parity} disk{'' if found.parity == 1 else 's'} of each vdev may fail"),
            ("Redundancy", f"{shown.percent(100 * found.redundancy)} of the raw space"),
        ]
    return told


def _visible(request, text: str | None):
    """(configuration, run that tells it), None where there is none that the reader may see."""
    if not (text and text.isdecimal() and len(text) < 18):
        return None
    configuration = Configuration.objects.filter(pk=text).first()
    run = diff.find_newest_run(configuration, request.user) if configuration else None
    return (configuration, run) if run else None


def _others(request, configuration: Configuration) -> tuple[list[Configuration], bool]:
    """Configurations that the reader may see, those of the same system first, each with `heading`; whether more."""
    scopes = Archive.objects.scopes_of(request.user)
    near, _ = system_queries.read_configurations(configuration.system_id, scopes, None, _OFFERED)
    others = system_queries.read_newest_configurations(scopes, _OFFERED)
    rows = list({row.pk: row for row in (*sorted(near, key=lambda row: -row.pk), *others) if row.pk != configuration.pk}.values())
    for row in rows[:_OFFERED]:
        row.heading = configuration_heading(row)
    return rows[:_OFFERED], len(rows) >= _OFFERED


@require_safe
@conditional
def configuration(request, pk):
    """The keys are those of the newest run on it that the reader may see; other runs are listed below."""
    configuration = get_object_or_404(Configuration.objects.select_related("system"), pk=pk)
    readable = Archive.objects.readable_by(request.user)
    runs = Run.objects.on(configuration).filter(archive__in=readable).select_related("archive", "file")
    rows, further = paginate(runs, request.GET.get("before"), ("configuration_id", "id"), size=100)
    newest = rows[0] if rows else runs.first()
    if newest is None:
        raise Http404("No archive that you can see was measured on this configuration.")
    scopes = Archive.objects.scopes_of(request.user)
    metrics, metrics_further = configuration_queries.read_measured_metrics(
        pk, scopes, request.data_version, request.GET.get("metrics"), _METRICS
    )
    for run in rows:
        run.address = line_address(run.archive_id, run.file.path, run.first_line)
    return render(
        request,
        "configurations/configuration.html",
        {
            "configuration": configuration,
            "heading": configuration_heading(configuration),
            "layout": describe_layout(configuration.pool_layout),
            "run": newest,
            "runs": rows,
            "parts": describe_configuration(configuration, newest),
            "further": further,
            "metrics": metrics,
            "metrics_further": metrics_further,
            "metrics_after": bool(request.GET.get("metrics")),
        },
    )
