"""Freezing of a comparison, a run or an archive's table; private data need an explicit confirmation."""

from __future__ import annotations

from urllib.parse import parse_qsl

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.comparison.selection import parse, query_string
from webapp.jobs.tasks import render_permalink
from webapp.models import Archive, Run
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.origin import find_origin


@login_required
@require_POST
def comparison(request):
    """Freeze the selection of the form."""
    selection = parse(parse_qsl(request.POST.get("query", "")))
    query = query_string(selection)
    return _freeze_or_ask(
        request,
        lambda *title_and_authors: freeze.draft_comparison(selection, request.user, *title_and_authors),
        f"{reverse('compare')}?{query}",
        query,
    )


@login_required
@require_POST
def run(request, pk):
    """Freeze the values of one run."""
    found = get_object_or_404(Run.objects.filter(archive__in=Archive.objects.readable_by(request.user)), pk=pk)
    return _freeze_or_ask(
        request, lambda *title_and_authors: freeze.draft_run(found, *title_and_authors), reverse("run", args=[pk])
    )


@login_required
@require_POST
def archive(request, pk):
    """Freeze every value of an archive."""
    found = get_object_or_404(Archive.objects.readable_by(request.user), pk=pk)
    return _freeze_or_ask(
        request, lambda *title_and_authors: freeze.draft_archive(found, *title_and_authors), reverse("archive", args=[pk])
    )


def _freeze_or_ask(request, make, back: str, query: str = ""):
    """Redirect to the permalink, or render the confirmation for private values or the reason why nothing can be frozen."""
    title, authors = request.POST.get("title", "").strip()[:300], request.POST.get("authors", "").strip()[:300]
    page = {"query": query, "title": title, "authors": authors, "back": back, "action": request.path}
    try:
        draft = make(title, authors)
    except value_tables.TooManyValues:
        return render(request, "permalink/freeze.html", page | {"most": value_tables.MAX_VALUES}, status=400)
    if not draft.values:
        return render(request, "permalink/freeze.html", page | {"draft": draft}, status=400)
    if draft.private and request.POST.get("publish_points") != "yes":
        return render(request, "permalink/freeze.html", page | {"draft": draft})
    name = freeze.freeze_draft(draft, request.user, find_origin(request)).pk
    # Without a broker, files are rendered on request.
    transaction.on_commit(lambda: render_permalink.delay(name), robust=True)
    return redirect("permalink", name)
