"""Views of a configuration: its keys with their source lines, and its measurements."""

from __future__ import annotations

from functools import partial

from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from ingest import pool_layout
from webapp.files.addresses import line_address
from webapp.formatting import numbers as shown
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate
from webapp.models import Archive, ArchiveConfiguration, Configuration, Run
from webapp.pages.card_page import compare_own_uploads
from webapp.pages.listing import Column, FacetKey, ListView, attribute
from webapp.systems import configuration_list, configuration_queries, hardware, system_index, system_queries
from webapp.systems.describe import configuration_heading, describe_configuration

_LISTED = 100
_BESIDE = 100
"""Configurations of its system that are looked at for names."""
_METRICS, _RUNS = 20, 20
"""Metrics and runs of a configuration on one page."""
_PLAIN = (None, "on", "off")


def _sort_name(row) -> tuple[str, ...]:
    return tuple((part or "").casefold() for part in (row.host, row.os, row.fs, row.layout))


_LIST = ListView(
    columns=(
        Column("name", "Configuration", _sort_name),
        Column("cpu", "CPU", lambda row: row.cpu and row.cpu.casefold()),
        Column("memory", "Memory", lambda row: row.memory, number=True, falls=True),
        Column("machine", "Machine", lambda row: row.machine),
        Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
        Column("added", "No.", lambda row: row.pk, number=True, falls=True),
    ),
    facets=(
        FacetKey("os", "Operating system", attribute("os")),
        FacetKey("fs", "File system", attribute("fs")),
        FacetKey("compression", "Compression", attribute("compression")),
        FacetKey("layout", "Layout", attribute("layout")),
        FacetKey("cpu", "CPU", attribute("cpu")),
        FacetKey("host", "Host", attribute("host")),
    ),
    usual_sort="-added",
    size=_LISTED,
)


@require_safe
@conditional
def configurations(request):
    """Configurations with measurements visible to the reader, the newest first; `q` searches, facets filter."""
    query = _LIST.parse(request.GET)
    every = configuration_queries.find_configurations(Archive.objects.scopes_of(request.user), query.q)
    shown = _LIST.show(query, every)
    stored = Configuration.objects.select_related("open").in_bulk([row.pk for row in shown.page.rows])
    rows = [(stored[row.pk], row) for row in shown.page.rows if row.pk in stored]
    limit = configuration_queries.MAX_LISTED if len(every) >= configuration_queries.MAX_LISTED else 0
    facts = shown.context(["name", "measurements"], limit) | {
        "configurations": configuration_list.describe_rows(rows),
        "example": next((f"{row.fs} {row.compression}" for row in every if row.fs and row.compression not in _PLAIN), ""),
    }
    return render(request, "configurations/configurations.html", facts)


def describe_layout(layout: str | None) -> list[tuple[str, str]]:
    """The numbers in a pool layout as (label, text); [] for an unknown layout."""
    pool = pool_layout.parse_layout(layout)
    if pool is None:
        return []
    facts = [("Vdevs", shown.count(pool.vdevs)), ("Disks in the pool", shown.count(pool.disks))]
    if pool.parity is not None and pool.redundancy is not None:
        facts += [
            ("Parity", f"{pool.parity} disk{'' if pool.parity == 1 else 's'} of each vdev may fail"),
            ("Redundancy", f"{shown.percent(100 * pool.redundancy)} of the raw space"),
        ]
    return facts


def _successors(request, configuration: Configuration, scopes):
    """To the configuration on which its runs are now, or a list of several. Raises Http404 where there is none."""
    ids = configuration_queries.find_successors(configuration.pk, scopes, _LISTED)
    if not ids:
        raise Http404("No archive that you can see was measured on this configuration.")
    if len(ids) == 1:
        return redirect("configuration", pk=ids[0])
    rows = list(Configuration.objects.filter(pk__in=ids).order_by("pk"))
    apart = configuration_list.tell_apart((configuration_heading(row), row) for row in rows)
    for row in rows:
        row.heading, row.apart = configuration_heading(row), apart.get(row.pk, "")
    facts = {"heading": configuration_heading(configuration), "successors": rows}
    return render(request, "configurations/successors.html", facts)


@require_safe
@conditional
def configuration(request, pk):
    """A configuration with the keys of its newest visible run; all visible runs are listed."""
    configuration = get_object_or_404(Configuration.objects.select_related("system", "open"), pk=pk)
    readable = Archive.objects.readable_by(request.user)
    runs = Run.objects.on(configuration).filter(archive__in=readable).select_related("archive", "file")
    rows, further = paginate(runs, request.GET.get("before"), ("configuration_id", "id"), size=_RUNS)
    newest = rows[0] if rows else runs.first()
    scopes = Archive.objects.scopes_of(request.user)
    if newest is None:
        return _successors(request, configuration, scopes)
    metrics, metrics_further = configuration_queries.read_measured_metrics(
        pk, scopes, request.data_version, request.GET.get("metrics"), _METRICS
    )
    heading = configuration_heading(configuration)
    of_configuration = Archive.objects.filter(
        pk__in=ArchiveConfiguration.objects.filter(configuration=pk, measurements__gt=0).values("archive")
    )
    beside, _ = system_queries.read_configurations(configuration.system_id, scopes, None, _BESIDE)
    same = [(heading, configuration), *((heading, one) for one in beside if one.pk != pk and configuration_heading(one) == heading)]
    is_compared = any(one.machine_id == configuration.machine_id is not None for one in beside if one.pk != pk)
    parts = describe_configuration(configuration, newest)
    hardware.link_components(parts, partial(hardware.read_linked, request.data_version, scopes))
    for run in rows:
        run.address = line_address(run.archive_id, run.file.path, run.first_line)
    return render(
        request,
        "configurations/configuration.html",
        {
            "configuration": configuration,
            "heading": heading,
            "earlier": compare_own_uploads(
                f"configuration={pk}",
                (run.archive for run in rows),
                of_configuration if further or request.GET.get("before") else None,
                request.user,
            ),
            "apart": configuration_list.tell_apart(same).get(pk, ""),
            "system": system_index.system_name(configuration.system),
            "figure": f"machine={configuration.machine_id}" if is_compared else "",
            "about": f"Storage benchmarks measured on {heading}, every setting with its source line.",
            "layout": describe_layout(configuration.pool_layout),
            "run": newest,
            "runs": rows,
            "parts": parts,
            "further": further,
            "metrics": metrics,
            "metrics_further": metrics_further,
            "metrics_after": bool(request.GET.get("metrics")),
        },
    )
