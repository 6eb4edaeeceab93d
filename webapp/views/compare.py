"""The comparison page, its data twins, and freezing."""
from __future__ import annotations

from urllib.parse import parse_qsl

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from webapp import grouping, permalinks, presenting
from webapp.comparing import compare as compared
from webapp.conditional import conditional
from webapp.formats import tables
from webapp.selection import parse, query_of
from webapp.tasks import render_permalink


def _selection(request):
    return parse([(key, value) for key, values in request.GET.lists() for value in values])


def site_of(request) -> str:
    """Scheme and host by which the reader came."""
    return request.build_absolute_uri("/")[:-1]


def _compared(request, every: bool = False):
    """The comparison of the address; with `every` with all the values that the summary holds."""
    most = None if every else grouping.MOST_POINTS
    return compared(_selection(request), request.user, most=most, version=request.data_version)


@require_safe
@conditional
def compare(request):
    """The page; for htmx only what a choice changes, with the canonical address."""
    comparison = _compared(request)
    page = presenting.page(comparison)
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "compare/compare.html", page)
    return push_url(render(request, "compare/_body.html", page), f"{request.path}?{query_of(comparison.selection)}")


@require_safe
@conditional
def as_json(request):
    return HttpResponse(tables.to_json(_compared(request, every=True)), content_type="application/json")


@require_safe
@conditional
def as_csv(request):
    text = tables.to_csv(_compared(request, every=True).groups)
    return HttpResponse(text, content_type="text/csv; charset=utf-8",
                        headers={"Content-Disposition": 'attachment; filename="poolmark-comparison.csv"'})


@login_required
@require_POST
def freeze(request):
    """Freeze the selection of the form; with private data in it only after a second, explicit yes."""
    selection = parse(parse_qsl(request.POST.get("query", "")))
    title, authors = request.POST.get("title", "").strip()[:300], request.POST.get("authors", "").strip()[:300]
    draft = permalinks.draft(selection, request.user, title, authors)
    if not draft.values:
        return render(request, "compare/freeze.html", {"draft": draft, "query": query_of(selection)}, status=400)
    if draft.private and request.POST.get("publish_points") != "yes":
        return render(request, "compare/freeze.html", {"draft": draft, "query": query_of(selection), "title": title,
                                                       "authors": authors})
    name = permalinks.freeze(draft, request.user, site_of(request)).pk
    # A broker that does not answer loses nothing: a file that is asked for is made then.
    transaction.on_commit(lambda: render_permalink.delay(name), robust=True)
    return redirect("permalink", name)
