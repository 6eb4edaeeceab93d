"""Freezing of a comparison, a run or an archive's table; private data need an explicit confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.comparison.selection import CURVES, parse, query_string
from webapp.curves import address
from webapp.curves.comparisons import TIME
from webapp.files import stores
from webapp.jobs.tasks import render_permalink
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.frozen_addresses import find_origin
from webapp.views.site import errors


@login_required
@require_POST
def comparison(request):
    """Freeze the selection of the form."""
    query = query_string(parse(parse_qsl(request.POST.get("query", ""))))
    return _freeze_or_ask(request, f"{reverse('compare')}?{query}", query)


@login_required
@require_POST
def versus(request):
    """Freeze the scorecard of the form's `query`."""
    asked = QueryDict(request.POST.get("query", ""))
    query = urlencode([(name, value) for name in ("a", "b", "metric") for value in asked.getlist(name)], safe=":,=")
    return _freeze_or_ask(request, f"{reverse('versus')}?{query}", query)


@login_required
@require_POST
def run(request, pk):
    """Freeze the values of one run."""
    return _freeze_or_ask(request, reverse("run", args=[pk]))


@login_required
@require_POST
def curves(request):
    """Freeze what `/series` or `/series/distribution` draws: `query`, `kind`, `load` and `round` of the form."""
    query, kind = address.parse(parse_qsl(request.POST.get("query", ""))).query, request.POST.get("kind", "")
    kind = kind if kind in CURVES else CURVES[0]
    own = [(name, value) for name in ("load", "round") if (value := request.POST.get(name, ""))]
    page, pairs = ("/series", []) if kind == TIME else ("/series/distribution", [("kind", kind), *own])
    back = f"{page}?{'&'.join(filter(None, (urlencode(pairs), query)))}"
    return _freeze_or_ask(request, back, query, [("kind", kind), *own])


@login_required
@require_POST
def archive(request, pk):
    """Freeze every value of an archive."""
    return _freeze_or_ask(request, reverse("archive", args=[pk]))


def _freeze_or_ask(request, back: str, query: str = "", hidden: Sequence[tuple[str, str]] = ()):
    """Redirect to the permalink of the page at `back`, or render the confirmation for private values or the reason why nothing
    can be frozen. `hidden`: further fields of the form."""
    title, authors = request.POST.get("title", "").strip()[:300], request.POST.get("authors", "").strip()[:300]
    page = {"query": query, "title": title, "authors": authors, "back": back, "action": request.path, "hidden": hidden}
    try:
        draft = freeze.draft_address(back, request.user, title, authors)
    except freeze.NothingThere as error:
        raise Http404(str(error)) from None
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
