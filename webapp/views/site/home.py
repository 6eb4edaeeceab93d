"""The home page: what this is, search, upload, totals, findings, featured figure, newest archives."""

from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.comparison.rows import find_public_example
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Archive
from webapp.studies import queries, registry
from webapp.systems import system_index
from webapp.views.site.featured import list_findings, make_featured

_NEWEST = 6
_ABOUT = (
    "A database of storage benchmark results: bonnie++, iozone, IOR, mdtest, fio, dd and others, each number with the system and "
    "settings it was measured on and the line it was read from."
)


@require_safe
@conditional
def home(request):
    newest = list(Archive.objects.open().order_by("-uploaded_at", "-id")[:_NEWEST])
    accepted = queries.read_accepted_archives(registry.shipped_studies()) if newest else {}
    featured = _featured(accepted, request.data_version)
    facts = {
        "newest": newest,
        "featured": featured,
        "findings": list_findings(accepted),
        "across": registry.comparisons_across() if accepted else (),
        "example": _example(request.data_version),
        "about": _ABOUT,
        "image": f"/compare.png?{featured.query}" if featured else "",
        "totals": system_index.read_totals(request.data_version),
    }
    return render(request, "home/home.html", facts)


def _featured(accepted, version):
    """The featured figure; None where drawing fails."""
    return next(iter(isolation.map_isolated("featured figure", [accepted], lambda ids: make_featured(ids, version))), None)


def _example(version) -> str:
    """An example of a search; empty where nothing is public, or where finding one fails."""
    return isolation.run_isolated("example of a search", version, lambda: find_public_example(version), lambda: "")
