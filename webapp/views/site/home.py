"""The home page: introduction, featured figure, entry links, newest archives."""

from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Archive
from webapp.studies import queries, registry
from webapp.views.site.featured import make_featured

_NEWEST = 6


@require_safe
@conditional
def home(request):
    newest = list(Archive.objects.open().order_by("-uploaded_at", "-id")[:_NEWEST])
    accepted = queries.read_accepted_archives(registry.shipped_studies()) if newest else {}
    return render(request, "home/home.html", {"newest": newest, "featured": _featured(accepted, request.data_version)})


def _featured(accepted, version):
    """The featured figure; None where drawing fails."""
    return next(iter(isolation.map_isolated("featured figure", [accepted], lambda ids: make_featured(ids, version))), None)
