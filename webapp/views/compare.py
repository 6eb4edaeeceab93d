"""The comparison page, its data twins, and freezing."""
from __future__ import annotations

from urllib.parse import parse_qsl

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from webapp import permalinks, presenting
from webapp.comparing import compare as compared
from webapp.conditional import conditional
from webapp.formats import tables
from webapp.selection import parse, query_of


def _selection(request):
    return parse([(key, value) for key, values in request.GET.lists() for value in values])


@require_safe
@conditional
def compare(request):
    """The page; for htmx only what a choice changes, with the canonical address."""
    comparison = compared(_selection(request), request.user)
    page = presenting.page(comparison)
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "compare/compare.html", page)
    return push_url(render(request, "compare/_body.html", page), f"{request.path}?{query_of(comparison.selection)}")


@require_safe
@conditional
def as_json(request):
    return HttpResponse(tables.to_json(compared(_selection(request), request.user)), content_type="application/json")


@require_safe
@conditional
def as_csv(request):
    text = tables.to_csv(compared(_selection(request), request.user).groups)
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
    return redirect("permalink", permalinks.freeze(draft, request.user).pk)
