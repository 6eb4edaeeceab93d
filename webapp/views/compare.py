"""The comparison page, its data twins, and freezing."""
from __future__ import annotations

from django.http import HttpResponse
from django.template import RequestContext
from django.template.loader import get_template
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from webapp import grouping, pieces, presenting
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
        return HttpResponse(_rendered(request, "compare/compare.html", page))
    body = HttpResponse(_rendered(request, "compare/_body.html", page))
    return push_url(body, f"{request.path}?{query_of(comparison.selection)}")


def _rendered(request, name: str, page: dict) -> bytes:
    """The template's text. A `RequestContext` refers to itself: the page is popped off it again, or its thousand objects
    would stay until the garbage collector stops everything to find them (26 ms for every 47th page)."""
    told, put = pieces.context_with(page)
    context = RequestContext(request)
    with context.push(told):
        return pieces.whole(get_template(name).template.render(context), put)


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
