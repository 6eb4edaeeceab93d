"""The comparison page, its data twins, and freezing."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpResponse
from django.template import Engine, RequestContext
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from webapp.comparison import groups, partial_answers
from webapp.comparison.model import Comparison
from webapp.comparison.selection import parse, query_string
from webapp.curves.compared import draw_compared
from webapp.curves.drawing import Drawn
from webapp.formats import comparison_workbook, curves, distributions, tables, workbook
from webapp.http import byte_pages
from webapp.http.page_cache import conditional
from webapp.pages import comparison_page

_NO_DATE = datetime(2000, 1, 1)


def _selection(request):
    return parse([(key, value) for key, values in request.GET.lists() for value in values])


def _answer(request, make, every: bool = False):
    """`make(comparison)` for the request's selection; with `every` without the limit of points per group."""
    most = None if every else groups.MAX_POINTS
    return partial_answers.make_answer(_selection(request), request.user, make, request.data_version, most)


@require_safe
@conditional
def compare(request):
    """The page; for htmx only the body, with the canonical address."""
    part = request.htmx and not request.htmx.history_restore_request
    name = "compare/_body.html" if part else "compare/compare.html"
    body, query = _answer(
        request,
        lambda comparison: (
            _render(request, name, comparison_page.comparison_context(comparison, request.build_absolute_uri("/"))),
            query_string(comparison.selection),
        ),
    )
    return push_url(HttpResponse(body), f"{request.path}?{query}") if part else HttpResponse(body)


def _render(request, name: str, page: dict) -> bytes:
    """The rendered template. A `RequestContext` is a reference cycle: the page's context is popped again, as its objects
    would otherwise remain until a full garbage collection."""
    context_data, pieces = byte_pages.context_with_pieces(page)
    context = RequestContext(request)
    with context.push(context_data):
        return byte_pages.join_pieces(Engine.get_default().get_template(name).render(context), pieces)


@require_safe
@conditional
def as_json(request):
    return HttpResponse(_answer(request, tables.to_json, every=True), content_type="application/json")


@require_safe
@conditional
def as_xlsx(request):
    """The groups, those that are not shown included, and every value, as a workbook. Its date is always the same."""
    address = request.build_absolute_uri(reverse("compare"))
    data = _answer(
        request,
        lambda comparison: workbook.to_workbook(
            comparison_workbook.to_sheets(comparison, address), comparison_page.describe_heading(comparison), _NO_DATE
        ),
        every=True,
    )
    headers = {"Content-Disposition": 'attachment; filename="poolmark-comparison.xlsx"'}
    return HttpResponse(data, content_type=workbook.MEDIA_TYPE, headers=headers)


def _to_csv(comparison: Comparison) -> str:
    """The points of its curves, the corners of its distributions, or its percentiles, if it is drawn so; else every value."""
    made = draw_compared(comparison)
    if made is None or not made.figures:
        return tables.to_csv(comparison.all_groups)
    return curves.to_csv(made.figures) if isinstance(made.drawn, Drawn) else distributions.to_csv(made.drawn)


@require_safe
@conditional
def as_csv(request):
    text = _answer(request, _to_csv, every=True)
    return HttpResponse(
        text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="poolmark-comparison.csv"'},
    )
