"""Freezing of a comparison, a run or an archive's table; private data need an explicit confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.comparison.selection import CURVES, parse, query_string
from webapp.curves import address, counting, percentiles, queries
from webapp.curves.comparisons import TIME, ComparedCurves, draw_runs
from webapp.files import stores
from webapp.http.data_version import data_version
from webapp.jobs.tasks import render_permalink
from webapp.models import Archive, Run
from webapp.pages.card_page import read_card
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.frozen_addresses import find_origin
from webapp.scorecard.sides import BadSide
from webapp.views.site import errors


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
def versus(request):
    """Freeze the scorecard of the form's `query`."""
    asked = QueryDict(request.POST.get("query", ""))
    query = urlencode([(name, value) for name in ("a", "b", "metric") for value in asked.getlist(name)], safe=":,=")
    try:
        read_card(asked, request.user, data_version())
    except BadSide as error:
        raise Http404(str(error) or "Name two sides.") from None
    return _freeze_or_ask(
        request,
        lambda *title_and_authors: freeze.draft_card(
            lambda: read_card(asked, request.user, data_version(), exact=True), query, *title_and_authors
        ),
        f"{reverse('versus')}?{query}",
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
def curves(request):
    """Freeze what `/series` or `/series/distribution` draws: `query`, `kind`, `load` and `round` of the form."""
    query, kind = address.parse(parse_qsl(request.POST.get("query", ""))), request.POST.get("kind", "")
    kind = kind if kind in CURVES else CURVES[0]
    load, width = request.POST.get("load", ""), counting.parse_width(request.POST.get("round", ""))
    load = load if load in percentiles.LOADS else ""

    def draw() -> ComparedCurves:
        found = Run.objects.filter(archive__in=Archive.objects.readable_by(request.user), pk__in=query.runs)
        readable = set(found.values_list("pk", flat=True))
        runs = queries.read_runs([pk for pk in query.runs if pk in readable])
        if not runs:
            raise Http404("There is no such run, or it is not public.")
        return draw_runs(runs, query, kind, load, width or counting.ROUND)

    own = [(name, value) for name, value in (("load", load), ("round", f"{width:g}" if width else "")) if value]
    page, pairs = ("/series", []) if kind == TIME else ("/series/distribution", [("kind", kind), *own])
    return _freeze_or_ask(
        request,
        lambda *title_and_authors: freeze.draft_curves(draw, *title_and_authors),
        f"{page}?{'&'.join(filter(None, (urlencode(pairs), query.query)))}",
        query.query,
        [("kind", kind), *own],
    )


@login_required
@require_POST
def archive(request, pk):
    """Freeze every value of an archive."""
    found = get_object_or_404(Archive.objects.readable_by(request.user), pk=pk)
    return _freeze_or_ask(
        request, lambda *title_and_authors: freeze.draft_archive(found, *title_and_authors), reverse("archive", args=[pk])
    )


def _freeze_or_ask(request, make, back: str, query: str = "", hidden: Sequence[tuple[str, str]] = ()):
    """Redirect to the permalink, or render the confirmation for private values or the reason why nothing can be frozen. `hidden`:
    further fields of the form."""
    title, authors = request.POST.get("title", "").strip()[:300], request.POST.get("authors", "").strip()[:300]
    page = {"query": query, "title": title, "authors": authors, "back": back, "action": request.path, "hidden": hidden}
    try:
        draft = make(title, authors)
    except value_tables.RunsWithoutValues as refused:
        return render(request, "permalink/freeze.html", page | {"without": str(refused)}, status=400)
    except value_tables.TooManyValues:
        return render(request, "permalink/freeze.html", page | {"most": value_tables.MAX_VALUES}, status=400)
    if not draft.values:
        return render(request, "permalink/freeze.html", page | {"draft": draft}, status=400)
    if draft.private and request.POST.get("publish_points") != "yes":
        return render(request, "permalink/freeze.html", page | {"draft": draft})
    try:
        name = freeze.freeze_draft(draft, request.user, find_origin(request)).pk
    except stores.NoSpace:
        return errors.disk_full(request)
    # Without a broker, files are rendered on request.
    transaction.on_commit(lambda: render_permalink.delay(name), robust=True)
    return redirect("permalink", name)
