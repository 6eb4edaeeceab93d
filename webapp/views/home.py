"""The first page: what this is, one living figure, three doors, the newest archives."""
from __future__ import annotations

from django.db.models import Q
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp import studies as told
from webapp.conditional import conditional
from webapp.featured import featured
from webapp.models import Archive

_NEWEST = 6


@require_safe
@conditional
def home(request):
    """The newest archives and those of the shipped studies come by one query."""
    public = Archive.objects.public().order_by("-uploaded_at", "-id")
    newest = public.filter(state=Archive.State.READ)
    rows = list(public.filter(Q(pk__in=newest.values("pk")[:_NEWEST]) | Q(study__in=told.shipped())))
    studies = {row.study for row in rows if row.study}
    return render(request, "home/home.html", {
        "newest": [row for row in rows if row.state == Archive.State.READ][:_NEWEST],
        "featured": featured(studies, request.data_version)})
