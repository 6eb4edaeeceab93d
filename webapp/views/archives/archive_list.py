"""The list of archives: search, facets, order and pages."""

from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.archives import list_queries
from webapp.http.data_version import data_version
from webapp.models import Archive
from webapp.pages.listing import Column, FacetKey, ListView

LIST = ListView(
    columns=(
        Column("title", "Archive", lambda row: row.title.casefold()),
        Column("tools", "Tools", lambda row: ", ".join(row.tools) or None),
        Column("systems", "Systems", lambda row: ", ".join(row.systems) or None),
        Column("fs", "File systems", lambda row: ", ".join(row.file_systems) or None),
        Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
        Column("warnings", "Warnings", lambda row: row.warnings, number=True, falls=True),
        Column("uploaded", "Uploaded", lambda row: (row.uploaded_at, row.pk), falls=True),
    ),
    facets=(
        FacetKey("tool", "Tool", lambda row: row.tools),
        FacetKey("os", "Operating system", lambda row: row.systems),
        FacetKey("fs", "File system", lambda row: row.file_systems),
        FacetKey("cpu", "CPU", lambda row: row.cpus),
    ),
    usual_sort="-uploaded",
    size=50,
    text=lambda row: row.searched,
)


@require_safe
def archives(request):
    """Archives, newest first; with `?mine=1` the reader's own. `q` searches, facets filter."""
    mine = request.user.is_authenticated and bool(request.GET.get("mine"))
    every = list_queries.read_archives(data_version(), request.user, mine)
    shown = LIST.show(LIST.parse(request.GET, ("mine",) if mine else ()), every)
    stored = Archive.objects.in_bulk([row.pk for row in shown.page.rows])
    rows = [(stored[row.pk], row) for row in shown.page.rows if row.pk in stored]
    facts = shown.context(limit=list_queries.MAX_ARCHIVES if len(every) >= list_queries.MAX_ARCHIVES else 0) | {
        "archives": [archive for archive, _ in rows],
        "rows": rows,
        "example": next((f"{row.systems[0]} {row.file_systems[0]}" for row in every if row.systems and row.file_systems), ""),
        "mine": mine,
    }
    return render(request, "archives/archives.html", facts)
