"""The list of runs: search, facets, order and pages; of an archive, of a configuration, or of both."""

from __future__ import annotations

import re

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.files.addresses import line_address
from webapp.http.page_cache import conditional
from webapp.models import Archive, Configuration, Run
from webapp.pages import listing
from webapp.pages.listing import Column, FacetKey
from webapp.systems import run_list
from webapp.systems.describe import configuration_heading

_ID = re.compile(r"[0-9]{1,17}")
_RUNS = 100
_COLUMNS = (
    Column("run", "Run", lambda row: row.pk, falls=True),
    Column("tool", "Tool", lambda row: (row.tool.casefold(), row.version or "")),
    Column("place", "Place", lambda row: (row.archive, row.path, row.pk)),
    Column("configuration", "Configuration", lambda row: row.configuration),
    Column("started", "Started", lambda row: row.started or None, falls=True),
    Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
)


def _one(name: str):
    """The value of an attribute of a row, as those of a facet."""
    return lambda row: [value] if (value := getattr(row, name)) else ()


_FACETS = (
    FacetKey("tool", "Tool", _one("tool_name")),
    FacetKey("host", "Host", _one("host")),
    FacetKey("os", "Operating system", _one("os")),
    FacetKey("fs", "File system", _one("fs")),
    FacetKey("compression", "Compression", _one("compression")),
    FacetKey("in", "Archive", _one("archive_name")),
)


@require_safe
@conditional
def runs(request):
    """Runs that the reader may see, the newest first; those of `archive` and on `configuration` alone where they are named.

    Raises Http404 where there is no such archive or configuration for the reader.
    """
    names, facets = [column.name for column in _COLUMNS], [facet.name for facet in _FACETS]
    query = listing.parse_list_query(request.GET, names, facets, "-run", ("archive", "configuration"))
    kept = dict(query.kept)
    readable = Archive.objects.readable_by(request.user)
    archive = _named(readable, kept["archive"], "archive") if "archive" in kept else None
    chosen = Run.objects.filter(archive=archive) if archive else Run.objects.filter(archive__in=readable)
    configuration = None
    if "configuration" in kept:
        configuration = _named(Configuration.objects.all(), kept["configuration"], "configuration")
        chosen = chosen.on(configuration)
    every = run_list.read_runs(chosen)
    if configuration and not every:
        raise Http404("No archive that you can see was measured on this configuration.")
    found, choices = listing.filter_rows(every, query, _FACETS, run_list.searched_text)
    page = listing.page_of(listing.sort_rows(found, query, _COLUMNS), query.after, _RUNS)
    by_name = {head.name: head for head in query.heads(_COLUMNS)}
    hidden = {"configuration" if configuration else "", "started" if not any(row.started for row in found) else ""}
    headings = run_list.name_configurations(page.rows) if configuration is None else {}
    facts = {
        "list": query,
        "page": page,
        "facets": choices,
        "runs": [(row, line_address(row.archive, row.path, row.line), headings.get(row.configuration, "")) for row in page.rows],
        "heads": [by_name[name] for name in names if name not in hidden],
        "hidden": hidden,
        "archive": archive,
        "configuration": configuration,
        "heading": configuration_heading(configuration) if configuration else "",
        "limit": run_list.MAX_LISTED if len(every) == run_list.MAX_LISTED else 0,
        "example": next((f"{row.tool} {row.fs}" for row in every if row.fs), ""),
        **listing.page_links(query, page, choices),
    }
    return render(request, "runs/runs.html", facts)


def _named(rows, text: str, what: str):
    """The row with this id. Raises Http404 where there is none."""
    row = rows.filter(pk=int(text)).first() if _ID.fullmatch(text) else None
    if row is None:
        raise Http404(f"There is no such {what}, or it is not public.")
    return row
