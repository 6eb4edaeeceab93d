"""The comparison page, its data twins, and freezing."""
from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from webapp import grouping, presenting
from webapp.comparing import compare as compared
from webapp.conditional import conditional
from webapp.formats import tables
from webapp.selection import parse, query_of


def _selection(request):
    return parse([(key, value) for key, values in request.GET.lists() for value in values])


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
